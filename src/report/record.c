/* record.c -- the records in a directory, and the audits among them. */
#include "report/record.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "base/text.h"
#include "report/markup.h"

/* The files below a directory, in the order of their names. */
typedef struct listing {
    size_t count, room;
    char **path; /* inside the directory, with '/' */
} listing;

enum { MOST_FILES = 100000, MOST_DEPTH = 8 };

static void listing_init(listing *list)
{
    memset(list, 0, sizeof *list);
}

static void listing_clear(listing *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->path[i]);
    free(list->path);
    listing_init(list);
}

char *attest_records_join(const char *directory, const char *name)
{
    attest_text path;

    if (!*directory)
        return attest_memory_copy(name);
    attest_text_init(&path);
    attest_text_printf(&path, "%s%s%s", directory,
                       directory[strlen(directory) - 1] == '/' ? "" : "/", name);
    return attest_text_take(&path);
}

/* Appends the path, which the list then owns. */
static attest_status add(listing *list, char *path, attest_error *error)
{
    if (list->count == MOST_FILES) {
        free(path);
        return attest_error_set(error, ATTEST_UNABLE, "more than %d files", MOST_FILES);
    }
    if (!attest_memory_grow(&list->path, &list->room, list->count + 1, sizeof *list->path)) {
        free(path);
        return attest_memory_fail(error);
    }
    list->path[list->count++] = path;
    return ATTEST_OK;
}

/* The directory that is listed, and the files to leave out. */
typedef struct tree {
    const char *root;
    const char *const *except;
} tree;

static bool is_excepted(const tree *all, const struct stat *seen)
{
    struct stat other;

    for (const char *const *path = all->except; path && *path; path++)
        if (stat(*path, &other) == 0 && other.st_dev == seen->st_dev &&
            other.st_ino == seen->st_ino)
            return true;
    return false;
}

static attest_status walk(listing *list, const tree *all, const char *inside, int depth,
                          attest_error *error);

/* Adds a file, descends into a directory, and skips anything else. */
static attest_status visit(listing *list, const tree *all, const char *inside, const char *name,
                           int depth, attest_error *error)
{
    char *path ATTEST_FREED = attest_records_join(inside, name);
    char *full ATTEST_FREED = path ? attest_records_join(all->root, path) : NULL;
    struct stat seen, target;

    if (!full)
        return attest_memory_fail(error);
    if (lstat(full, &seen) != 0 || stat(full, &target) != 0 || is_excepted(all, &target))
        return ATTEST_OK;
    if (S_ISREG(target.st_mode)) {
        char *given = path;

        path = NULL;
        return add(list, given, error);
    }
    if (!S_ISDIR(seen.st_mode))
        return ATTEST_OK;
    if (depth >= MOST_DEPTH)
        return attest_error_set(error, ATTEST_UNABLE, "%s: directories more than %d deep", path,
                                MOST_DEPTH);
    return walk(list, all, path, depth + 1, error);
}

static void close_directory(DIR **opened)
{
    if (*opened)
        closedir(*opened);
}

static attest_status walk(listing *list, const tree *all, const char *inside, int depth,
                          attest_error *error)
{
    char *full ATTEST_FREED = attest_records_join(all->root, inside);
    DIR *opened ATTEST_CLEARED_BY(close_directory) = full ? opendir(full) : NULL;

    if (!full || (!opened && errno == ENOMEM))
        return attest_memory_fail(error);
    if (!opened)
        return attest_error_set(error, ATTEST_IO, "%s%scannot open the directory: %s", inside,
                                *inside ? ": " : "", strerror(errno));
    for (;;) {
        struct dirent *entry;

        errno = 0;
        entry = readdir(opened);
        if (!entry && errno)
            return attest_error_set(error, ATTEST_IO, "cannot read the directory: %s",
                                    strerror(errno));
        if (!entry)
            return ATTEST_OK;
        if (entry->d_name[0] != '.')
            ATTEST_TRY(visit(list, all, inside, entry->d_name, depth, error));
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sets list to the files below path, sorted by their bytes; see attest_records_read. */
static attest_status listing_read(listing *list, const char *path, const char *const *except,
                                  attest_error *error)
{
    const tree all = {path, except};

    ATTEST_TRY(attest_error_prefix(error, walk(list, &all, "", 0, error), path));
    if (list->count > 0)
        qsort(list->path, list->count, sizeof *list->path, compare);
    return ATTEST_OK;
}

/* The JSON key of each field of a line; NULL: the field is skipped. Of the enclosure of an
 * error only the upper end is kept. */
static const char *const keys[] = {"function", "dim", "length", "grid",     NULL,   "l1",
                                   "l1_bound", NULL,  "l2",     "l2_bound", "units"};
static const char header[] =
    "function,d,n,grid,l1_low,l1_high,l1_bound,l2_low,l2_high,l2_bound,units";

enum { FIELDS = sizeof keys / sizeof keys[0] };

/* The bytes of the first line, "\n" or "\r\n" included, if it is the header; else 0. */
static size_t header_length(const char *bytes, size_t size)
{
    size_t length = sizeof header - 1;

    if (size <= length || memcmp(bytes, header, length) != 0)
        return 0;
    length += bytes[length] == '\r';
    return length < size && bytes[length] == '\n' ? length + 1 : 0;
}

bool attest_records_is_csv(const char *bytes, size_t size)
{
    return header_length(bytes, size) > 0;
}

/* Appends one line as a JSON object; returns false if it does not have as many fields as the
 * header. */
static bool add_line(attest_text *json, const char *line, size_t length, bool first)
{
    size_t begin = 0;

    attest_text_add(json, first ? "{" : ",{");
    for (size_t i = 0; i < FIELDS; i++) {
        const char *comma = memchr(line + begin, ',', length - begin);
        size_t end = comma ? (size_t)(comma - line) : length;
        if ((i + 1 < FIELDS) != (comma != NULL))
            return false;
        if (keys[i]) {
            attest_text_printf(json, "%s\"%s\":\"", i ? "," : "", keys[i]);
            attest_escape_json(json, line + begin, end - begin);
            attest_text_add(json, "\"");
        }
        begin = end + 1;
    }
    attest_text_add(json, "}");
    return true;
}

/* Appends all lines below the header. */
static attest_status add_lines(attest_text *json, const char *bytes, size_t size,
                               attest_error *error)
{
    size_t begin = header_length(bytes, size), line = 1;
    bool first = true;

    while (begin < size) {
        const char *newline = memchr(bytes + begin, '\n', size - begin);
        size_t end = newline ? (size_t)(newline - bytes) : size, length = end - begin;
        line++;
        length -= length > 0 && bytes[end - 1] == '\r';
        if (length > 0 && !add_line(json, bytes + begin, length, first))
            return attest_error_set(error, ATTEST_FORMAT, "line %zu: %d fields are expected",
                                    line, (int)FIELDS);
        first = first && length == 0;
        begin = end + 1;
    }
    return ATTEST_OK;
}

attest_status attest_records_add_csv(attest_records *records, const char *path,
                                     const char *bytes, size_t size, attest_budget *budget,
                                     attest_error *error)
{
    ATTEST_SCOPED(attest_text, json);

    attest_text_add(&json, "{\"format\":\"attest/approximate\",\"version\":1,\"errors\":[");
    ATTEST_TRY(add_lines(&json, bytes, size, error));
    attest_text_add(&json, "]}");
    if (json.failed)
        return attest_memory_fail(error);
    return attest_records_add(records, path, json.data, json.size, budget, error);
}

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

/* A record is recognised by its format or, if it has none, by keys that no other record has
 * together. */
typedef struct record_shape {
    attest_record_kind kind;
    const char *format;
    const char *keys[3];
} record_shape;

static const record_shape shapes[] = {
    {ATTEST_RECORD_AUDIT, "attest/audit", {"formats"}},
    {ATTEST_RECORD_CAMPAIGN, "attest/campaign-report", {"seed", "properties"}},
    {ATTEST_RECORD_CERTIFICATE, "attest/certificate", {"claim", "verdict", "min_separation"}},
    {ATTEST_RECORD_CERTIFICATE, "attest/certify", {"claim", "verdict", "min_separation"}},
    {ATTEST_RECORD_CONSTRUCT, "attest/construct", {"strategy", "certificate"}},
    {ATTEST_RECORD_COUNTEREXAMPLE, "attest/counterexample", {"property", "violates"}},
    {ATTEST_RECORD_JUDGE, "attest/judgement", {"kernel", "verdict", "wrong_rows"}},
    {ATTEST_RECORD_MEMORIZE, "attest/memorize", {"classes", "hidden_units"}},
    {ATTEST_RECORD_RANGE, "attest/range", {"verdict", "events", "threshold"}},
    {ATTEST_RECORD_APPROXIMATE, "attest/approximate", {"function", "grid"}},
    {ATTEST_RECORD_EXPECTED, "attest/expected", {"verdicts"}},
};

static bool fits(const attest_json_cursor *root, const record_shape *shape)
{
    attest_json_cursor member;
    const char *format = "";

    if (attest_json_find_member(&member, root, "format"))
        return attest_json_get_string(&format, &member, NULL) == ATTEST_OK &&
               strcmp(format, shape->format) == 0;
    for (size_t k = 0; k < 3 && shape->keys[k]; k++)
        if (!has(root, shape->keys[k]))
            return false;
    return true;
}

/* NULL: not a record that a report shows. */
static const record_shape *recognise(const attest_json_cursor *root)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (fits(root, &shapes[i]))
            return &shapes[i];
    return NULL;
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

attest_status attest_records_add(attest_records *records, const char *path, const char *bytes,
                                 size_t size, attest_budget *budget, attest_error *error)
{
    attest_json_document document ATTEST_CLEARED_BY(attest_json_document_clear) = {0};
    char *copy ATTEST_FREED = NULL;
    attest_record *record;
    const record_shape *shape;
    attest_json_cursor root;

    ATTEST_TRY(attest_json_document_parse(&document, bytes, size, budget, error));
    root = attest_json_root(&document);
    shape = recognise(&root);
    if (!shape)
        return remark(records, path, "not a record that a report shows", error);
    if (has(&root, "format"))
        ATTEST_TRY(attest_json_check_format(&root, shape->format, error));
    copy = attest_memory_copy(path);
    if (!copy || !attest_memory_grow(&records->record, &records->room, records->count + 1,
                                     sizeof *records->record))
        return attest_memory_fail(error);
    record = &records->record[records->count++];
    *record = (attest_record){.kind = shape->kind, .path = copy, .document = document};
    if (shape->kind == ATTEST_RECORD_AUDIT && has(&root, "qkv"))
        record->kind = ATTEST_RECORD_HEADS;
    attest_sha256_hex(record->sha256, bytes, size);
    copy = NULL;
    document = (attest_json_document){0};
    return ATTEST_OK;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t tail = strlen(end);

    return length >= tail && memcmp(text + length - tail, end, tail) == 0;
}

static bool is_json(const char *path)
{
    return ends_with(path, strlen(path), ".json");
}

/* Adds the contents of a file as a record or, if a report does not show it, a remark. */
static attest_status add_input(attest_records *records, const char *path,
                               const attest_input *input, attest_budget *budget,
                               attest_error *error)
{
    const char *bytes = (const char *)input->data;

    if (is_json(path))
        return is_input(input)
                   ? remark(records, path, "data or weights, not a result", error)
                   : attest_records_add(records, path, bytes, input->size, budget, error);
    if (attest_records_is_csv(bytes, input->size))
        return attest_records_add_csv(records, path, bytes, input->size, budget, error);
    return remark(records, path, "not a table that a report shows", error);
}

/* Adds one file of the directory. */
static attest_status read_file(attest_records *records, const char *directory, const char *path,
                               attest_budget *budget, attest_error *error)
{
    char *full ATTEST_FREED = NULL;
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};

    if (!is_json(path) && !ends_with(path, strlen(path), ".csv"))
        return remark(records, path, "not a JSON file", error);
    full = attest_records_join(directory, path);
    if (!full)
        return attest_memory_fail_at(error, path);
    ATTEST_TRY(attest_input_open_file(&input, full, attest_budget_left(budget), error));
    return attest_input_locate(&input, add_input(records, path, &input, budget, error), error);
}

static attest_status read_all(attest_records *records, const char *directory,
                              const char *const *except, attest_budget *budget,
                              attest_error *error)
{
    ATTEST_SCOPED(listing, files);

    ATTEST_TRY(listing_read(&files, directory, except, error));
    for (size_t i = 0; i < files.count; i++)
        ATTEST_TRY(read_file(records, directory, files.path[i], budget, error));
    return ATTEST_OK;
}

attest_status attest_records_read(attest_records *records, const char *directory,
                                  const char *const *except, attest_budget *budget,
                                  attest_error *error)
{
    ATTEST_TRY_OR(read_all(records, directory, except, budget, error),
                  attest_records_clear(records));
    return ATTEST_OK;
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

char *attest_record_label(char *label, size_t size, const attest_record *record)
{
    size_t length = strlen(record->path);

    length -= length > 5 ? 5 : 0; /* ".json" */
    snprintf(label, size, "%.*s", (int)(length < size ? length : size - 1), record->path);
    return label;
}

void attest_audit_iter_init(attest_audit_iter *audited)
{
    memset(audited, 0, sizeof *audited);
    audited->kind = ATTEST_RECORD_AUDIT;
}

void attest_audit_iter_init_heads(attest_audit_iter *audited)
{
    memset(audited, 0, sizeof *audited);
    audited->kind = ATTEST_RECORD_HEADS;
}

/* The path without ".json", and the strategy unless the path contains it: "gap" for audit.json
 * and for audit/audit.json, "night gap" for night/audit.json. */
static void set_label(attest_audit_iter *audited)
{
    attest_json_cursor weights;
    const char *path = audited->record->path;
    const char *strategy = attest_value_text(&audited->object, "strategy");
    size_t length = strlen(path);

    if (!*strategy && attest_json_find_member(&weights, &audited->object, "weights"))
        strategy = attest_value_text(&weights, "strategy");
    length -= is_json(path) ? 5 : 0;
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
static void enter(attest_audit_iter *audited, const attest_records *records)
{
    audited->record = &records->record[audited->place];
    audited->root = attest_json_root(&audited->record->document);
    audited->count = attest_value_array(&audited->list, &audited->root, "constructions");
    audited->index = 0;
}

bool attest_audit_iter_next(attest_audit_iter *audited, const attest_records *records)
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
