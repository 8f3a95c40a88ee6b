/* collapse.h -- the width below which required pairs collide.
 *
 * collapse bits: the least significand width p, exponents unbounded, such that every width from
 * p to the cap keeps all required pairs apart. Widths from certified on do so because twice
 * the a priori bound is below the certified separation (proofs-notes/audit.md); every width
 * below is evaluated, from the widest down to the first that collides. */
#ifndef ATTEST_AUDIT_COLLAPSE_H
#define ATTEST_AUDIT_COLLAPSE_H

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
    /* What is asked for. */
    long low, high;         /* the widths to look at, high is the cap */
    bool limited;           /* stop when it takes more than about 30 seconds */
    bool has_separation;    /* a certified lower bound of the separation is known, ... */
    double log2_separation; /* ... its logarithm, rounded down */
    attest_progress progress;
    /* What was found. */
    long bits;          /* collapse bits; 0: the cap is too small, or see reason */
    long certified;     /* proved: from here on, at least low, all do; 0: not known */
    long survived;      /* the least width that is known to, with all above it; 0: none */
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

/* The seconds that an evaluation of the request takes in this format, very roughly: a count of
 * operations, the same on every machine. */
double attest_audit_cost(const attest_audit_request *request, const attest_format *format,
                         bool hosted);

/* The same for a width: whether doubles can host it is found out. */
double attest_audit_width_cost(const attest_audit_request *request,
                               const attest_simulated_arithmetic *arithmetic);

#endif
