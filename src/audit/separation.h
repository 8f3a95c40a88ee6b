/* separation.h -- the parts of the search for the least separation. */
#ifndef ATTEST_AUDIT_SEPARATION_H
#define ATTEST_AUDIT_SEPARATION_H

#include "audit/collisions.h"

/* square = |output p - output q|^2, exactly. */
void attest_audit_distance(arf_t square, const attest_audit_outputs *outputs, size_t p,
                           size_t q);

/* attest_audit_separation_get for outputs in MPFR, along one axis; false: that takes too many
 * comparisons, or memory, and nothing is known. */
bool attest_audit_separation_sweep(arf_t square, size_t pair[2], bool *found,
                                   const attest_audit_outputs *outputs,
                                   const attest_contexts *classes);

#endif
