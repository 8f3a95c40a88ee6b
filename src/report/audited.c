/* audited.c -- the mappings that audits are about, one after the other. */
#include "report/audited.h"

#include <stdio.h>
#include <string.h>

#include "report/value.h"

void attest_audited_init(attest_audited *audited)
{
    memset(audited, 0, sizeof *audited);
    audited->kind = ATTEST_RECORD_AUDIT;
}

void attest_audited_init_heads(attest_audited *audited)
{
    memset(audited, 0, sizeof *audited);
    audited->kind = ATTEST_RECORD_HEADS;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t tail = strlen(end);

    return length >= tail && memcmp(text + length - tail, end, tail) == 0;
}

/* The path without ".json", and the strategy if the path does not say it: "gap" for audit.json
 * and for audit/audit.json, "night gap" for night/audit.json. */
static void set_label(attest_audited *audited)
{
    attest_json_cursor weights;
    const char *path = audited->record->path;
    const char *strategy = attest_value_text(&audited->object, "strategy");
    size_t length = strlen(path);

    if (!*strategy && attest_json_find_member(&weights, &audited->object, "weights"))
        strategy = attest_value_text(&weights, "strategy");
    length -= ends_with(path, length, ".json") ? 5 : 0;
    while (*strategy && ends_with(path, length, "audit") &&
           (length == 5 || path[length - 6] == '/'))
        length -= length == 5 ? 5 : 6;
    snprintf(audited->label, sizeof audited->label, "%.*s", (int)(length < 96 ? length : 96),
             path);
    if (*strategy && !strstr(audited->label, strategy)) {
        size_t used = strlen(audited->label);
        snprintf(audited->label + used, sizeof audited->label - used, "%s%s", used ? " " : "",
                 strategy);
    }
}

/* The first mapping of the record at place. */
static void enter(attest_audited *audited, const attest_records *records)
{
    audited->record = &records->record[audited->place];
    audited->root = attest_json_root(&audited->record->document);
    audited->count = attest_value_array(&audited->list, &audited->root, "constructions");
    audited->index = 0;
}

bool attest_audited_next(attest_audited *audited, const attest_records *records)
{
    if (audited->record && ++audited->index >= audited->count) {
        audited->record = NULL;
        audited->place++;
    }
    if (!audited->record) {
        if (!attest_records_find(records, audited->kind, audited->place, &audited->place))
            return false;
        enter(audited, records);
    }
    audited->object = audited->count > 0
                          ? attest_json_get_element(&audited->list, audited->index)
                          : audited->root;
    set_label(audited);
    return true;
}
