/* check.h -- the second route by which certificates are verified.
 *
 * Nothing here is shared with certify: outputs are evaluated at every position straight from
 * the definition, in rationals or balls; classes come from sorting positions by their
 * vocabularies; near pairs come from a grid of cells; and equalities of softmax outputs are
 * proved by sorted sums of exponentials. Slower and simpler, on purpose. */
#ifndef ATTEST_CERTIFY_CHECK_H
#define ATTEST_CERTIFY_CHECK_H

#include <attest/certificate.h>
#include <attest/dataset.h>
#include <attest/weights.h>

/* A layer and data, with all exact products that do not depend on a precision. */
typedef struct attest_recheck {
    const attest_dataset *dataset;
    const attest_weights *weights;
    size_t dim, positions;
    uint32_t *group; /* by position: equal iff vocabulary and token are */
    arb_ptr *value;  /* by position: dim balls at bits[position], or NULL */
    long *bits;
    fmpq **key, **query, **mixed; /* by token, head after head: W_K x, W_Q x, W_O W_V x */
} attest_recheck;

attest_status attest_recheck_init(attest_recheck *check, const attest_dataset *dataset,
                                  const attest_weights *weights,
                                  attest_error *error) ATTEST_WARN_UNUSED;
void attest_recheck_clear(attest_recheck *check);

/* The sequence of a position counted through all sequences. */
size_t attest_recheck_sequence(const attest_recheck *check, size_t position);

/* How many tokens of its sequence a position sees. */
size_t attest_recheck_seen(const attest_recheck *check, size_t position);

/* score = that of token j for token k in head h, exactly. */
void attest_recheck_score(fmpq_t score, const attest_recheck *check, size_t h, uint32_t j,
                          uint32_t k);

/* Token t under W_O W_V of head h: dim rationals. */
const fmpq *attest_recheck_mixed(const attest_recheck *check, size_t h, uint32_t t);

/* out = the exact output at a position. Domain: hardmax. */
void attest_recheck_exact(fmpq *out, const attest_recheck *check, size_t position);

/* The output at a position in balls of at least this precision; kept until more is asked. */
arb_srcptr attest_recheck_ball(attest_recheck *check, size_t position, long bits);

/* Compares |F_a - F_b|, or |F_a| for b = a, with x >= 0: -1, 0, 1, or 2 when max_bits do not
 * tell. Exact for hardmax; x = 0 is decided by attest_recheck_equal for softmax. */
int attest_recheck_compare(attest_recheck *check, size_t a, size_t b, const fmpq_t x,
                           long max_bits);

/* 1 when the outputs at a and b are proved equal entry by entry, 0 when they are proved
 * different, -1 when there are too many terms to tell. */
int attest_recheck_equal(const attest_recheck *check, size_t a, size_t b);

/* Calls visit for every required pair whose distance may be at most reach (>= 0), until it
 * returns false. Status: NOMEM. */
attest_status attest_recheck_visit_near(attest_recheck *check, const arf_t reach,
                                        bool (*visit)(void *state, size_t a, size_t b),
                                        void *state, attest_error *error) ATTEST_WARN_UNUSED;

#endif
