/* record.c -- the records of finished work in a folder. */
#include "report/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "report/listing.h"

static const char *const kind_name[ATTEST_RECORD_KINDS] = {
    "audit",    "campaign", "certificate", "construct", "counterexample", "judge",
    "memorize", "range",    "approximate", "audit",     "expected"};

const char *attest_record_kind_name(attest_record_kind kind)
{
    return kind_name[kind];
}

void attest_records_init(attest_records *records)
{
    memset(records, 0, sizeof *records);
}

void attest_records_clear(attest_records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        attest_json_document_clear(&records->record[i].document);
        free(records->record[i].path);
    }
    for (size_t i = 0; i < records->remarks; i++)
        free(records->remark[i].path);
    free(records->record);
    free(records->remark);
    attest_records_init(records);
}

static attest_status remark(attest_records *records, const char *path, const char *why,
                            attest_error *error)
{
    char *copy = attest_memory_copy(path);

    if (!copy || !attest_memory_grow(&records->remark, &records->remark_room,
                                     records->remarks + 1, sizeof *records->remark)) {
        free(copy);
        return attest_memory_fail_at(error, path);
    }
    records->remark[records->remarks++] = (attest_record_remark){copy, why};
    return ATTEST_OK;
}

static bool has(const attest_json_cursor *object, const char *key)
{
    attest_json_cursor member;

    return attest_json_find_member(&member, object, key);
}

/* A record is recognised by its format or, where it has none, by keys that no other record has
 * together. */
static const struct {
    attest_record_kind kind;
    const char *format;
    const char *keys[3];
} shapes[] = {
    {ATTEST_RECORD_AUDIT, "attest/audit", {"formats"}},
    {ATTEST_RECORD_CAMPAIGN, "attest/campaign-report", {"seed", "properties"}},
    {ATTEST_RECORD_CERTIFICATE, "attest/certificate", {"claim", "verdict", "min_separation"}},
    {ATTEST_RECORD_CONSTRUCT, "attest/construct", {"strategy", "certificate"}},
    {ATTEST_RECORD_COUNTEREXAMPLE, "attest/counterexample", {"property", "violates"}},
    {ATTEST_RECORD_JUDGE, "attest/judgement", {"kernel", "verdict", "wrong_rows"}},
    {ATTEST_RECORD_MEMORIZE, "attest/memorize", {"classes", "hidden_units"}},
    {ATTEST_RECORD_RANGE, "attest/range", {"verdict", "events", "threshold"}},
    {ATTEST_RECORD_APPROXIMATE, "attest/approximate", {"function", "grid"}},
    {ATTEST_RECORD_HEADS, "attest/audit", {"qkv", "formats"}}, /* see recognise */
    {ATTEST_RECORD_EXPECTED, "attest/expected", {"verdicts"}},
};

static bool fits(const attest_json_cursor *root, size_t shape)
{
    attest_json_cursor member;
    const char *format = "";

    if (attest_json_find_member(&member, root, "format"))
        return attest_json_get_string(&format, &member, NULL) == ATTEST_OK &&
               strcmp(format, shapes[shape].format) == 0;
    for (size_t k = 0; k < 3 && shapes[shape].keys[k]; k++)
        if (!has(root, shapes[shape].keys[k]))
            return false;
    return true;
}

/* The kind of a record, or ATTEST_RECORD_KINDS. */
static attest_record_kind recognise(const attest_json_cursor *root)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (fits(root, i))
            return shapes[i].kind == ATTEST_RECORD_AUDIT && has(root, "qkv")
                       ? ATTEST_RECORD_HEADS
                       : shapes[i].kind;
    return ATTEST_RECORD_KINDS;
}

/* Datasets and weights may be large. Their format is among the first bytes. */
static bool is_input(const attest_input *input)
{
    static const char *const inputs[] = {"\"attest/dataset\"", "\"attest/weights\"", NULL};
    char head[129] = "";

    memcpy(head, input->data, input->size < 128 ? input->size : 128);
    for (int i = 0; inputs[i]; i++) {
        const char *found = strstr(head, inputs[i]);
        const char *format = strstr(head, "\"format\"");
        /* '{', the key, ':' and the value, with blanks between them only */
        if (found && format && found > format &&
            strspn(format + 8, ": \t\r\n") == (size_t)(found - format - 8) &&
            strspn(head, "{ \t\r\n") == (size_t)(format - head))
            return true;
    }
    return false;
}

static attest_status check_version(const attest_json_cursor *root, attest_record_kind kind,
                                   attest_error *error)
{
    if (!has(root, "format"))
        return ATTEST_OK;
    return attest_json_check_format(root, shapes[kind].format, error);
}

attest_status attest_records_add(attest_records *records, const char *path, const char *bytes,
                                 size_t size, attest_budget *budget, attest_error *error)
{
    attest_json_document document ATTEST_CLEARED_BY(attest_json_document_clear) = {0};
    char *copy ATTEST_FREED = NULL;
    attest_record *record;
    attest_record_kind kind;
    attest_json_cursor root;

    ATTEST_TRY(attest_json_document_parse(&document, bytes, size, budget, error));
    root = attest_json_root(&document);
    kind = recognise(&root);
    if (kind == ATTEST_RECORD_KINDS)
        return remark(records, path, "not a record that a report shows", error);
    ATTEST_TRY(check_version(&root, kind, error));
    copy = attest_memory_copy(path);
    if (!copy || !attest_memory_grow(&records->record, &records->room, records->count + 1,
                                     sizeof *records->record))
        return attest_memory_fail(error);
    record = &records->record[records->count++];
    *record = (attest_record){.kind = kind, .path = copy, .document = document};
    attest_sha256_hex(record->sha256, bytes, size);
    copy = NULL;
    document = (attest_json_document){0};
    return ATTEST_OK;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* The contents of a file: a record, or a remark. */
static attest_status add_input(attest_records *records, const char *path,
                               const attest_input *input, attest_budget *budget,
                               attest_error *error)
{
    const char *bytes = (const char *)input->data;

    if (ends_with(path, ".json"))
        return is_input(input)
                   ? remark(records, path, "data or weights, not a result", error)
                   : attest_records_add(records, path, bytes, input->size, budget, error);
    if (attest_records_is_csv(bytes, input->size))
        return attest_records_add_csv(records, path, bytes, input->size, budget, error);
    return remark(records, path, "not a table that a report shows", error);
}

/* One file of the folder. */
static attest_status read_file(attest_records *records, const char *folder, const char *path,
                               attest_budget *budget, attest_error *error)
{
    char *full ATTEST_FREED = NULL;
    attest_input input;

    if (!ends_with(path, ".json") && !ends_with(path, ".csv"))
        return remark(records, path, "not a JSON file", error);
    full = attest_listing_join(folder, path);
    if (!full)
        return attest_memory_fail_at(error, path);
    ATTEST_TRY(attest_input_open_file(&input, full, attest_budget_left(budget), error));
    return attest_input_end(&input, add_input(records, path, &input, budget, error), error);
}

attest_status attest_records_read(attest_records *records, const char *folder,
                                  const char *const *except, attest_budget *budget,
                                  attest_error *error)
{
    ATTEST_SCOPED(attest_listing, files);
    attest_status status = attest_listing_read(&files, folder, except, error);

    for (size_t i = 0; i < files.count && status == ATTEST_OK; i++)
        status = read_file(records, folder, files.path[i], budget, error);
    if (status != ATTEST_OK)
        attest_records_clear(records);
    return status;
}

const attest_record *attest_records_find(const attest_records *records, attest_record_kind kind,
                                         size_t from, size_t *place)
{
    for (size_t i = from; i < records->count; i++) {
        if (records->record[i].kind == kind) {
            *place = i;
            return &records->record[i];
        }
    }
    return NULL;
}
