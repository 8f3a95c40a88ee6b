/* record.h -- an audit as JSON; doc/audit.md describes the members. */
#ifndef ATTEST_AUDIT_RECORD_H
#define ATTEST_AUDIT_RECORD_H

#include "audit/audit.h"
#include "io/json_write.h"

/* What a record says besides the audit itself. */
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

/* An integer of any size: a string beyond 64 bits. */
void attest_audit_write_fmpz(attest_json *json, const char *key, const fmpz_t value);

#endif
