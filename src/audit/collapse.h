/* collapse.h -- the least significand width at which all required pairs stay apart, found by
 * counting, proof and evaluation.
 *
 * collapse bits: the least significand width p, exponents unbounded, such that every width from
 * p to the cap keeps all required pairs apart. For widths >= certified this is proved: twice
 * the a priori bound is below the certified separation (proofs-notes/audit.md). Smaller widths
 * are evaluated, from the widest down to the first with a collision. */
#ifndef ATTEST_AUDIT_COLLAPSE_H
#define ATTEST_AUDIT_COLLAPSE_H

#include <attest/flint.h>
#include <attest/format.h>
#include <attest/progress.h>

#include "audit/bound.h"
#include "audit/collisions.h"

/* One width that was evaluated. */
typedef struct attest_audit_width {
    long bits;
    fmpz_t collisions;
    size_t nonfinite;
    bool has_separation; /* log2 of the least separation is known, and it is not 0 */
    double log2_separation;
} attest_audit_width;

typedef struct attest_audit_collapse {
    /* Input. */
    long low, high;         /* widths to search; high is the cap */
    bool limited;           /* stop when it takes more than about 30 seconds */
    bool has_separation;    /* a certified lower bound of the separation is known, ... */
    double log2_separation; /* ... its logarithm, rounded down */
    attest_progress progress;
    /* Results. */
    long bits;      /* collapse bits; 0: the cap is too small, or see reason */
    long certified; /* the least width >= low from which all are proved to keep pairs apart; 0:
                       unknown */
    long survived;  /* the least width known to keep pairs apart, with all above it; 0: none */
    const char *reason; /* why bits is 0, or NULL */
    attest_audit_width *width;
    size_t widths, room;
    bool has_pair; /* a pair that collides at the width below bits */
    size_t pair[2];
} attest_audit_collapse;

/* Widths 1 to 4096, limited, no separation. */
void attest_audit_collapse_init(attest_audit_collapse *collapse);
void attest_audit_collapse_clear(attest_audit_collapse *collapse);

/* Searches. arithmetic gives the algorithm, the rounding and the accumulator; its format does
 * not matter. Status: NOMEM, IO. */
attest_status attest_audit_collapse_find(attest_audit_collapse *collapse,
                                         const attest_audit_request *request,
                                         const attest_contexts *classes,
                                         const attest_simulated_arithmetic *arithmetic,
                                         attest_error *error) ATTEST_WARN_UNUSED;

/* arithmetic = like at this width, exponents unbounded. */
void attest_audit_width_set(attest_simulated_arithmetic *arithmetic,
                            const attest_simulated_arithmetic *like, long bits);

/* Returns a rough estimate of the seconds that an evaluation of the request takes in this
 * format. It counts operations, so it is the same on every machine. */
double attest_audit_cost(const attest_audit_request *request, const attest_format *format,
                         bool in_double);

/* Returns the estimate for a width, in doubles if they can simulate it. */
double attest_audit_width_cost(const attest_audit_request *request,
                               const attest_simulated_arithmetic *arithmetic);

/* The collapse curve: collisions and the least separation against the width.
 *
 * The curve is for plots and decides nothing: it samples widths up to beyond the collapse,
 * whereas the search evaluates every width that matters. */

typedef struct attest_audit_curve {
    attest_audit_width *width; /* in ascending order */
    size_t widths, room;
} attest_audit_curve;

void attest_audit_curve_init(attest_audit_curve *curve);
void attest_audit_curve_clear(attest_audit_curve *curve);

/* Evaluates every width to 16, then four to a doubling, to the larger of 64 and twice the
 * collapse bits, or to the cap where they are not known; inside the widths that the search may
 * look at. It stops before an estimated two seconds of one processor are exceeded
 * (attest_audit_cost: the same on every machine). Status: NOMEM, IO, UNABLE. */
attest_status attest_audit_curve_find(attest_audit_curve *curve,
                                      const attest_audit_request *request,
                                      const attest_contexts *classes,
                                      const attest_simulated_arithmetic *arithmetic,
                                      const attest_audit_collapse *collapse,
                                      attest_error *error) ATTEST_WARN_UNUSED;

/* The pigeonhole principle: with M values per entry, at most M^dim classes of contexts can be
 * told apart (proofs-notes/collapse.md). */

/* values = the number of finite values of a format, -0 and 0 counted once. Returns false if its
 * exponents are unbounded. */
bool attest_pigeonhole_values(fmpz_t values, const attest_format *format);

/* Returns the least number of bits per entry that can distinguish this many classes in any
 * encoding: the least b with 2^(b dim) >= classes. Domain: dim >= 1. */
size_t attest_pigeonhole_bits(size_t classes, size_t dim);

/* Returns whether values^dim < classes: then some required pair collides in any layer. */
bool attest_pigeonhole_collapses(const attest_format *format, size_t classes, size_t dim);

#endif
