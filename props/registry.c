/* registry.c -- finds statements and properties by name. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "props/registry.h"

#define LIST(name) &attest_statement_##name,
const attest_statement *const attest_statements[] = {ATTEST_STATEMENTS(LIST) NULL};

/* Compares names; a hyphen in wanted matches an underscore. */
static bool same_name(const char *name, const char *wanted)
{
    for (; *name && (*name == *wanted || (*name == '_' && *wanted == '-')); name++)
        wanted++;
    return *name == *wanted;
}

const attest_statement *attest_statement_get(const char *name)
{
    for (size_t i = 0; attest_statements[i]; i++)
        if (same_name(attest_statements[i]->name, name))
            return attest_statements[i];
    return NULL;
}

#undef LIST
#define LIST(name) &attest_property_##name,
const attest_property *const attest_properties[] = {ATTEST_PROPERTIES(LIST) NULL};

static const attest_property *loaded;
static size_t loaded_count;

void attest_property_set_loaded(const attest_property *property, size_t count)
{
    loaded = property;
    loaded_count = count;
}

const attest_property *attest_property_get(const char *name)
{
    for (size_t i = 0; i < loaded_count; i++)
        if (strcmp(loaded[i].name, name) == 0)
            return &loaded[i];
    for (size_t i = 0; attest_properties[i]; i++)
        if (strcmp(attest_properties[i]->name, name) == 0)
            return attest_properties[i];
    return NULL;
}
