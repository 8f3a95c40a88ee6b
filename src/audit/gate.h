/* gate.h -- is an audit worse than one that was stored? */
#ifndef ATTEST_AUDIT_GATE_H
#define ATTEST_AUDIT_GATE_H

#include <attest/number.h>

#include "audit/audit.h"
#include "io/json_read.h"

/* What got worse, a line each. */
typedef struct attest_audit_gate {
    size_t count, room;
    char **line;
} attest_audit_gate;

void attest_audit_gate_init(attest_audit_gate *gate);
void attest_audit_gate_clear(attest_audit_gate *gate);

/* Compares a result with the stored one; name: what lines call it. Status as below. */
attest_status attest_audit_gate_result(attest_audit_gate *gate,
                                       const attest_json_cursor *stored, const char *name,
                                       const attest_audit_result *now,
                                       attest_error *error) ATTEST_WARN_UNUSED;

/* What is stored under this name was not audited. */
attest_status attest_audit_gate_miss(attest_audit_gate *gate, const char *name,
                                     attest_error *error) ATTEST_WARN_UNUSED;

/* Compares the audit with the record at path, format by format: more collisions or non-finite
 * outputs, a worse verdict, a smaller separation, more ulp (beyond the 6 digits that records
 * keep), a format that is not audited any more; and more collapse bits. Status: FORMAT, IO,
 * UNABLE, NOMEM for the record; OK with the lines. */
attest_status attest_audit_gate_check(attest_audit_gate *gate, const attest_audit *audit,
                                      const char *path, attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
