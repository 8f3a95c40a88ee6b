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

/* "relative_error", "weights_error", "argmax_changed", "pairs"; at: where the error is largest.
 */
void attest_audit_write_meaning(attest_json *json, const attest_audit_deviation *deviation,
                                const attest_audit_attended *attended,
                                const attest_audit_pairs *pairs, attest_place at);

/* "laws"; null where nothing was looked at. */
void attest_audit_write_laws(attest_json *json, const attest_audit_result *result);

/* "max_ulp", "mean_ulp" and "bound_ulp". */
void attest_audit_write_errors(attest_json *json, const attest_audit_errors *errors, bool known,
                               bool bounded);

/* "name", "precision", "emin", "emax". */
void attest_audit_write_format(attest_json *json, const attest_format *format);

/* "arithmetic". */
void attest_audit_write_arithmetic(attest_json *json,
                                   const attest_simulated_arithmetic *arithmetic);

/* "versions" and "cpu": what made the record. */
void attest_audit_write_maker(attest_json *json);

/* An integer of any size: a string beyond 64 bits. */
void attest_audit_write_fmpz(attest_json *json, const char *key, const fmpz_t value);

#endif
