/* record.h -- an audit as JSON; doc/audit.md describes the members. */
#ifndef ATTEST_AUDIT_RECORD_H
#define ATTEST_AUDIT_RECORD_H

#include "audit/audit.h"
#include "io/json_write.h"

/* The origin of the inputs: members of a record that the audit does not contain. */
typedef struct attest_audit_origin {
    const char *data, *weights;               /* paths; weights NULL: constructed */
    const char *data_sha256, *weights_sha256; /* hex, or NULL */
    const char *strategy;                     /* or NULL */
    const char *const *file; /* by format: the counterexample's file, or NULL; may be NULL */
} attest_audit_origin;

/* The members from "formats" to "algorithms", without braces. */
void attest_audit_write_members(attest_json *json, const attest_audit *audit,
                                const attest_audit_origin *origin);

/* The members that describe what was audited: "format", "version", "dataset", "arithmetic" ...
 */
void attest_audit_write_subject(attest_json *json, const attest_audit *audit,
                                const attest_audit_origin *origin);

/* The members of a format. at: where the relative error is largest. audit: the one of a
 * dataset, for the members that recorded heads do not have ("closest", "pair", "file",
 * "max_norm", "worst", "laws", "stages"); NULL: a recorded head. */
void attest_audit_write_result(attest_json *json, const attest_audit_result *result,
                               attest_place at, const attest_audit *audit, const char *file);

/* "name", "precision", "emin", "emax". */
void attest_audit_write_format(attest_json *json, const attest_format *format);

/* "arithmetic". */
void attest_audit_write_arithmetic(attest_json *json,
                                   const attest_simulated_arithmetic *arithmetic);

/* "versions" and "cpu": the program and the machine that made the record. */
void attest_audit_write_maker(attest_json *json);

#endif
