/* curve.h -- the collapse curve: collisions and the least separation against the width.
 *
 * It is for people and decides nothing: collapse.h looks at every width that matters, this at
 * some between the least and beyond the collapse. */
#ifndef ATTEST_AUDIT_CURVE_H
#define ATTEST_AUDIT_CURVE_H

#include "audit/collapse.h"

typedef struct attest_audit_curve {
    attest_audit_width *width; /* from the least on */
    size_t widths, room;
} attest_audit_curve;

void attest_audit_curve_init(attest_audit_curve *curve);
void attest_audit_curve_clear(attest_audit_curve *curve);

/* Evaluates every width to 16, then four to a doubling, to the larger of 64 and twice the
 * collapse bits, or to the cap where they are not known; inside the widths that the search may
 * look at. It ends where the work would be more than about two seconds of one processor, by a
 * count of operations, the same on every machine. Status: NOMEM, IO, UNABLE. */
attest_status attest_audit_curve_find(attest_audit_curve *curve,
                                      const attest_audit_request *request,
                                      const attest_contexts *classes,
                                      const attest_simulated_arithmetic *arithmetic,
                                      const attest_audit_collapse *collapse,
                                      attest_error *error) ATTEST_WARN_UNUSED;

#endif
