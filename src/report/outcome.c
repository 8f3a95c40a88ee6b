/* outcome.c -- the verdicts of records, as tests. */
#include "report/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/value.h"

void attest_outcomes_init(attest_outcomes *outcomes)
{
    memset(outcomes, 0, sizeof *outcomes);
}

void attest_outcomes_clear(attest_outcomes *outcomes)
{
    free(outcomes->outcome);
    attest_outcomes_init(outcomes);
}

static bool add(attest_outcomes *outcomes, const attest_outcome *outcome)
{
    if (!attest_memory_grow(&outcomes->outcome, &outcomes->room, outcomes->count + 1,
                            sizeof *outcomes->outcome))
        return false;
    outcomes->outcome[outcomes->count++] = *outcome;
    return true;
}

/* The first counterexample of a property, or "". */
static const char *first_counterexample(const attest_json_cursor *property)
{
    attest_json_cursor files, file;
    const char *path = "";

    if (attest_value_array(&files, property, "counterexamples") == 0)
        return "";
    file = attest_json_get_element(&files, 0);
    return attest_json_get_string(&path, &file, NULL) == ATTEST_OK ? path : "";
}

static bool add_campaign(attest_outcomes *outcomes, const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document), properties;
    size_t count = attest_value_array(&properties, &root, "properties");
    bool ok = true;

    for (size_t i = 0; i < count && ok; i++) {
        attest_json_cursor property = attest_json_get_element(&properties, i);
        attest_outcome outcome = {record->path,
                                  attest_value_text(&property, "name"),
                                  attest_value_text(&property, "verdict"),
                                  false,
                                  attest_value_number(&property, "seconds"),
                                  first_counterexample(&property)};
        outcome.passed = attest_value_is_expected(&property, "held");
        outcome.seconds = outcome.seconds > 0 ? outcome.seconds : 0;
        ok = add(outcomes, &outcome);
    }
    return ok;
}

/* Records that say "proved" of one thing. */
static bool add_verdict(attest_outcomes *outcomes, const attest_record *record,
                        const char *name)
{
    attest_json_cursor root = attest_json_root(&record->document);
    attest_outcome outcome = {record->path, name, attest_value_text(&root, "verdict"),
                              false,        0,    ""};

    outcome.passed = strcmp(outcome.verdict, "proved") == 0;
    return add(outcomes, &outcome);
}

/* A table of errors has none. */
static bool has_verdict(const attest_record *record)
{
    attest_json_cursor root = attest_json_root(&record->document);

    return *attest_value_text(&root, "verdict") != '\0';
}

attest_status attest_outcomes_set(attest_outcomes *outcomes, const attest_records *records)
{
    bool ok = true;

    outcomes->count = 0;
    for (size_t i = 0; i < records->count && ok; i++) {
        const attest_record *record = &records->record[i];
        if (record->kind == ATTEST_RECORD_CAMPAIGN)
            ok = add_campaign(outcomes, record);
        else if (record->kind == ATTEST_RECORD_CERTIFICATE)
            ok = add_verdict(outcomes, record, "contextual-mapping");
        else if (record->kind == ATTEST_RECORD_MEMORIZE)
            ok = add_verdict(outcomes, record, "memorize");
        else if (record->kind == ATTEST_RECORD_APPROXIMATE && has_verdict(record))
            ok = add_verdict(outcomes, record, "approximate");
    }
    return ok ? ATTEST_OK : ATTEST_NOMEM;
}
