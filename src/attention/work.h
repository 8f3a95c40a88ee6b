/* work.h -- how much work exact and ball evaluation of a layer is, before it is begun.
 *
 * Work is counted in operations on bits: an operation on numbers of b bits is b log2 b of them,
 * which a processor of today does some 10^10 of a second. An estimate, to refuse what would
 * take hours; no verdict rests on it. */
#ifndef ATTEST_ATTENTION_WORK_H
#define ATTEST_ATTENTION_WORK_H

#include <attest/attention.h>

/* The layer on so many queries of the sequence: exact for bits = 0, else balls of this
 * precision. Cost: O(n d) and the entries of the matrices. */
double attest_work_estimate(const attest_weights *weights, const attest_sequence *sequence,
                            size_t queries, long bits);

/* Takes work from what is left; infinite: there is no limit. Status: UNABLE where it is more.
 */
attest_status attest_work_charge(double *left, double work,
                                 attest_error *error) ATTEST_WARN_UNUSED;

#endif
