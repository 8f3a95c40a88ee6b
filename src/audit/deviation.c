/* deviation.c -- how far computed outputs lie from the exact ones, as whole vectors.
 *
 * Every number of a position is an MPFR number of 64 bits, rounded so that the quotient is an
 * upper bound: distances up, norms of exact outputs down. Exponents do not overflow. */
#include "audit/deviation.h"

#include <stdlib.h>

#include "base/memory.h"
#include "format/simulate_in_mpfr.h"

enum { BITS = 64 };

/* The four numbers of a position at work. */
typedef struct workspace {
    mpfr_t entry, part, distance, norm;
} workspace;

/* part = |entry i of the outputs - the exact one|, from above. */
static void entry_distance(workspace *w, const attest_audit_outputs *outputs, size_t i,
                           const attest_audit_reference *reference, size_t j)
{
    if (outputs->real) {
        mpfr_set_d(w->entry, outputs->real[i], MPFR_RNDN); /* exact: 53 bits */
        mpfr_sub(w->part, w->entry, reference->middle + j, MPFR_RNDA);
    } else {
        mpfr_sub(w->part, outputs->wide + i, reference->middle + j, MPFR_RNDA);
    }
    mpfr_abs(w->part, w->part, MPFR_RNDU);
    mpfr_add(w->part, w->part, reference->radius + j, MPFR_RNDU);
}

/* Adds to norm the square of the least that |exact entry j| can be. */
static void add_least(workspace *w, const attest_audit_reference *reference, size_t j)
{
    mpfr_abs(w->part, reference->middle + j, MPFR_RNDD);
    mpfr_sub(w->part, w->part, reference->radius + j, MPFR_RNDD);
    if (mpfr_sgn(w->part) > 0) {
        mpfr_sqr(w->part, w->part, MPFR_RNDD);
        mpfr_add(w->norm, w->norm, w->part, MPFR_RNDD);
    }
}

/* Sets w->distance from above and w->norm from below, at position q of the outputs, p of the
 * sample. */
static void measure_position(workspace *w, const attest_audit_outputs *outputs, size_t q,
                             const attest_audit_reference *reference, size_t p)
{
    size_t dim = reference->dim;

    mpfr_set_zero(w->distance, 1);
    mpfr_set_zero(w->norm, 1);
    if (!attest_audit_outputs_finite(outputs, q)) {
        mpfr_set_inf(w->distance, 1);
        return;
    }
    for (size_t c = 0; c < dim; c++) {
        entry_distance(w, outputs, q * dim + c, reference, p * dim + c);
        mpfr_sqr(w->part, w->part, MPFR_RNDU);
        mpfr_add(w->distance, w->distance, w->part, MPFR_RNDU);
        add_least(w, reference, p * dim + c);
    }
    mpfr_sqrt(w->distance, w->distance, MPFR_RNDU);
    mpfr_sqrt(w->norm, w->norm, MPFR_RNDD);
}

/* Counts the relative error of position p. */
static void add_position(attest_audit_deviation *d, workspace *w, size_t p)
{
    double ratio;

    if (!mpfr_number_p(w->distance) || mpfr_zero_p(w->norm))
        return;
    mpfr_div(w->part, w->distance, w->norm, MPFR_RNDU);
    ratio = mpfr_get_d(w->part, MPFR_RNDU);
    d->positions++;
    d->mean += ratio;
    if (d->positions == 1 || ratio > d->max) {
        d->max = ratio;
        d->worst = p;
    }
}

attest_status attest_audit_deviation_get(attest_audit_deviation *deviation,
                                         const attest_audit_outputs *outputs,
                                         const attest_dataset *dataset,
                                         const attest_audit_reference *reference,
                                         attest_error *error)
{
    workspace w;

    *deviation = (attest_audit_deviation){0};
    deviation->distance = attest_in_mpfr_vector_init(&deviation->distance_bytes,
                                                     reference->positions, BITS, false);
    if (!deviation->distance)
        return attest_memory_fail(error);
    mpfr_inits2(BITS, w.entry, w.part, w.distance, w.norm, (mpfr_ptr)0);
    for (size_t p = 0, i = 0; p < reference->positions; p++) {
        i += p == reference->start[i + 1];
        measure_position(&w, outputs, attest_audit_reference_place(reference, dataset, i, p),
                         reference, p);
        mpfr_set(deviation->distance + p, w.distance, MPFR_RNDU);
        add_position(deviation, &w, p);
    }
    if (deviation->positions > 0)
        deviation->mean /= (double)deviation->positions;
    mpfr_clears(w.entry, w.part, w.distance, w.norm, (mpfr_ptr)0);
    return ATTEST_OK;
}

void attest_audit_deviation_forget(attest_audit_deviation *deviation)
{
    free(deviation->distance);
    deviation->distance = NULL;
    deviation->distance_bytes = 0;
}

void attest_audit_deviation_clear(attest_audit_deviation *deviation)
{
    attest_audit_deviation_forget(deviation);
    *deviation = (attest_audit_deviation){0};
}
