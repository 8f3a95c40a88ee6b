/* gate.h -- compares the record of an audit with a stored one and lists what got worse. */
#ifndef ATTEST_AUDIT_GATE_H
#define ATTEST_AUDIT_GATE_H

#include <attest/number.h>

#include "io/json_read.h"
#include "io/json_write.h"

/* The list of what got worse, one line each; all zero: empty. */
typedef struct attest_audit_gate {
    size_t count, room;
    char **line;
} attest_audit_gate;

void attest_audit_gate_clear(attest_audit_gate *gate);

/* Compares the record of an audit, as the writer writes it, with the one at path, format by
 * format and, in an audit of recorded heads, head by head: a worse verdict; more collisions,
 * non-finite or saturated outputs; a smaller separation; larger errors, beyond the six digits
 * of records; more pairs that are not apart for certain; more collapse bits; anything that is
 * unknown or not audited now. Status: FORMAT, IO, UNABLE, NOMEM for the stored record; OK with
 * the lines. */
attest_status attest_audit_gate_check(attest_audit_gate *gate, attest_json_writer *write,
                                      const void *audit, const char *path,
                                      attest_budget *budget,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* Compares a format of a record with the stored one; lines begin with the name. Status: FORMAT,
 * NOMEM. */
attest_status attest_audit_gate_format(attest_audit_gate *gate, const attest_json_cursor *now,
                                       const attest_json_cursor *before, const char *name,
                                       attest_error *error) ATTEST_WARN_UNUSED;

#endif
