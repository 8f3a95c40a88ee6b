/* load.c -- properties from a shared object of the user. */
#include "campaign/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"

enum { LARGEST = 1 << 30, MOST_PROPERTIES = 1000, MOST_NAME = 100, MOST_CHUNK = 1 << 20 };

void attest_load_clear(attest_load *load)
{
    free(load->property);
    free(load->object.path);
    memset(load, 0, sizeof *load);
}

static attest_status hash(attest_load *load, const char *path, attest_error *error)
{
    attest_input input ATTEST_CLEARED_BY(attest_input_close);
    attest_status status = attest_input_open_file(&input, path, LARGEST, error);

    if (status == ATTEST_UNABLE)
        return attest_error_set(
            error, ATTEST_FORMAT,
            "%s: not a shared object of properties: it has more than %d bytes", path, LARGEST);
    ATTEST_TRY(status);
    memcpy(load->object.sha256, attest_input_sha256(&input), sizeof load->object.sha256);
    load->object.path = attest_memory_copy(path);
    return load->object.path ? ATTEST_OK : attest_memory_fail_at(error, path);
}

/* Loads the object and finds its table. "./" stops dlopen from searching the directories of the
 * system for a name without a slash. */
static attest_status get_table(const attest_load_table **table, const char *path,
                               attest_error *error)
{
    ATTEST_SCOPED(attest_text, name);
    void *object;

    attest_text_printf(&name, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (name.failed)
        return attest_memory_fail_at(error, path);
    errno = 0;
    object = dlopen(name.data, RTLD_NOW | RTLD_LOCAL);
    if (!object && errno == ENOMEM)
        return attest_memory_fail_at(error, path);
    if (!object)
        return attest_error_set(error, ATTEST_FORMAT, "cannot be loaded: %s", dlerror());
    *table = dlsym(object, "attest_loaded");
    if (!*table)
        return attest_error_set(error, ATTEST_FORMAT,
                                "names no property: ATTEST_LOAD(&property, ...) is missing");
    if ((*table)->abi != ATTEST_LOAD_ABI ||
        (*table)->property_size != sizeof(attest_property) ||
        (*table)->instance_size != sizeof(attest_instance) ||
        (*table)->trial_size != sizeof(attest_trial))
        return attest_error_set(error, ATTEST_FORMAT,
                                "was compiled with the headers of another version of attest");
    return ATTEST_OK;
}

/* Names are used in the names of files. */
static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-";

    return name && *name && *name != '-' && strlen(name) <= MOST_NAME &&
           name[strspn(name, letters)] == '\0' && strcmp(name, "all") != 0;
}

static attest_status check(const attest_load *load, const attest_property *property,
                           const attest_property *(*find)(const char *name),
                           attest_error *error)
{
    if (!is_name(property->name))
        return attest_error_set(
            error, ATTEST_FORMAT,
            "the name of a property must have only letters, digits, '_' and '-'");
    for (size_t p = 0; p < load->count; p++)
        if (strcmp(load->property[p].name, property->name) == 0)
            return attest_error_set(error, ATTEST_FORMAT, "names the property %s twice",
                                    property->name);
    if (find(property->name))
        return attest_error_set(error, ATTEST_FORMAT, "the property %s exists already",
                                property->name);
    if (!property->gen || !property->decide)
        return attest_error_set(error, ATTEST_FORMAT, "the property %s has no %s",
                                property->name, property->gen ? "decide" : "gen");
    if (property->chunk > MOST_CHUNK)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the property %s has chunks of more than "
                                "%d trials",
                                property->name, MOST_CHUNK);
    return ATTEST_OK;
}

static attest_status add_properties(attest_load *load, const char *path,
                                    const attest_property *(*find)(const char *name),
                                    attest_error *error)
{
    const attest_load_table *table = NULL;
    size_t count = 0;

    ATTEST_TRY(get_table(&table, path, error));
    while (count < MOST_PROPERTIES && table->property[count])
        count++;
    if (count == 0 || count == MOST_PROPERTIES)
        return attest_error_set(error, ATTEST_FORMAT, "names %s",
                                count ? "too many properties" : "no property");
    load->property = attest_memory_alloc(count, sizeof *load->property);
    if (!load->property)
        return attest_memory_fail(error);
    for (size_t p = 0; p < count; p++) {
        attest_property *own = &load->property[p];

        ATTEST_TRY(check(load, table->property[p], find, error));
        *own = *table->property[p];
        own->object = &load->object;
        if (!own->title)
            own->title = "";
        if (!own->statement)
            own->statement = own->name;
        if (own->trials == 0)
            own->trials = ATTEST_LOAD_TRIALS;
        load->count++;
    }
    return ATTEST_OK;
}

attest_status attest_load_open(attest_load *load, const char *path,
                               const attest_property *(*find)(const char *name),
                               attest_error *error)
{
    attest_status status;

    memset(load, 0, sizeof *load);
    status = hash(load, path, error);
    if (status == ATTEST_OK) {
        status = add_properties(load, path, find, error);
        if (status != ATTEST_OK)
            attest_error_prefix(error, status, path);
    }
    if (status != ATTEST_OK)
        attest_load_clear(load);
    return status;
}
