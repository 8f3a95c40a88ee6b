/* record.h -- the records in a directory.
 *
 * A record is a JSON file that a command wrote: it is recognised by its "format" or, as older
 * versions wrote objects without one, by its keys. Subdirectories are searched, too; links to
 * directories are not followed. Files come in the order of their names, so that a report does
 * not depend on the file system. */
#ifndef ATTEST_REPORT_RECORD_H
#define ATTEST_REPORT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/error.h>
#include <attest/number.h>

#include "io/json_read.h"

/* Returns "DIR/name", which the caller frees, or NULL. */
char *attest_records_join(const char *directory, const char *name);

typedef enum attest_record_kind {
    ATTEST_RECORD_AUDIT,
    ATTEST_RECORD_CAMPAIGN,
    ATTEST_RECORD_CERTIFICATE,
    ATTEST_RECORD_CONSTRUCT,
    ATTEST_RECORD_COUNTEREXAMPLE,
    ATTEST_RECORD_JUDGE,
    ATTEST_RECORD_MEMORIZE,
    ATTEST_RECORD_RANGE,
    ATTEST_RECORD_APPROXIMATE,
    ATTEST_RECORD_HEADS,    /* an audit of recorded activations, head by head */
    ATTEST_RECORD_EXPECTED, /* the expected verdicts of other records */
    ATTEST_RECORD_KINDS
} attest_record_kind;

/* The command that writes such records, "audit", "campaign", ..., or the name of the kind. */
const char *attest_record_kind_name(attest_record_kind kind);

typedef struct attest_record {
    attest_record_kind kind;
    char *path;   /* inside the directory, with '/' */
    bool unsaved; /* no file of that name was written */
    char sha256[65];
    attest_json_document document;
} attest_record;

/* A file that is not a record, and the reason. */
typedef struct attest_record_remark {
    char *path;
    const char *why;
} attest_record_remark;

typedef struct attest_records {
    size_t count, room;
    attest_record *record;
    size_t remarks, remark_room;
    attest_record_remark *remark;
} attest_records;

void attest_records_init(attest_records *records);
void attest_records_clear(attest_records *records);

/* Reads all records below the directory: regular files, at most eight directories deep and 100
 * 000 in number, without names that begin with '.'. except (or NULL) is a list, ended by NULL,
 * of files and directories to leave out, such as those of an earlier report. The budget is
 * charged for the records. Status: FORMAT for a .json file that is not JSON, IO, UNABLE,
 * NOMEM; the text begins with the path of the file. On failure records is as after init. */
attest_status attest_records_read(attest_records *records, const char *directory,
                                  const char *const *except, attest_budget *budget,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* Adds the record in bytes[0..size) under the name path, or a remark if it is not a record.
 * Status: FORMAT, UNABLE, NOMEM. */
attest_status attest_records_add(attest_records *records, const char *path, const char *bytes,
                                 size_t size, attest_budget *budget,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* Returns whether the first line is that of a table of 'attest approximate --csv'. */
bool attest_records_is_csv(const char *bytes, size_t size);

/* Adds such a table as the record {"errors": [...]}, with an object for each line. Status: as
 * attest_records_add. */
attest_status attest_records_add_csv(attest_records *records, const char *path,
                                     const char *bytes, size_t size, attest_budget *budget,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* The first record of a kind at place >= from, or NULL; *place is its place. */
const attest_record *attest_records_find(const attest_records *records, attest_record_kind kind,
                                         size_t from, size_t *place);

/* The name of a record on the page: its path without ".json", cut to size bytes. */
char *attest_record_label(char *label, size_t size, const attest_record *record);

/* An iterator over the mappings of audits; a record is the audit of one mapping, or of several
 * constructions side by side.
 *
 *     attest_audit_iter_init(&audited);
 *     while (attest_audit_iter_next(&audited, records))
 *         ... audited.object, audited.label ... */
typedef struct attest_audit_iter {
    const attest_record *record;
    attest_json_cursor object; /* has "formats", "collapse", ... */
    char label[128];           /* the name of the mapping on the page: record and strategy */
    attest_record_kind kind;   /* of the records */
    size_t place, index, count;
    attest_json_cursor root, list;
} attest_audit_iter;

void attest_audit_iter_init(attest_audit_iter *audited);

/* The same for audits of recorded activations: a record is one mapping. */
void attest_audit_iter_init_heads(attest_audit_iter *audited);

/* Advances to the next mapping; returns false if there is none. The object points into the
 * iterator, which must not be moved. */
bool attest_audit_iter_next(attest_audit_iter *audited, const attest_records *records);

#endif
