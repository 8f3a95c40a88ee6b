/* errors.c -- errors in ulp against certified outputs. */
#include "audit/errors.h"

#include <math.h>

#include "base/memory.h"
#include "base/workers.h"
#include "format/simulate_in_mpfr.h"

/* Whether an entry has an ulp in the format. */
typedef enum place {
    PLACE_KNOWN,
    PLACE_ZERO,   /* exactly 0, and exponents are unbounded: there is no ulp */
    PLACE_UNKNOWN /* the ball contains 0 and other numbers, and the ulp depends on which it is
                   */
} place;

/* The exponent of an ulp of the format at entry i, that of the upper end where the ball has a
 * power of two inside: such a value is more often that power than less. */
static place ulp_exponent(long *exponent, mpfr_t end, const attest_audit_reference *reference,
                          size_t i, const attest_format *format)
{
    mpfr_srcptr middle = reference->middle + i, radius = reference->radius + i;
    long least = format->emin - format->precision + 1;
    bool zero_inside = mpfr_cmpabs(middle, radius) <= 0;

    *exponent = least;
    if (zero_inside && mpfr_zero_p(radius))
        return format->bounded ? PLACE_KNOWN : PLACE_ZERO;
    mpfr_abs(end, middle, MPFR_RNDU);
    mpfr_add(end, end, radius, MPFR_RNDU);
    if (format->bounded && (long)mpfr_get_exp(end) - format->precision <= least)
        return PLACE_KNOWN;
    if (zero_inside)
        return PLACE_UNKNOWN;
    *exponent = (long)mpfr_get_exp(end) - format->precision;
    return PLACE_KNOWN;
}

/* x = entry i of the outputs. Domain: finite. */
static void get_entry(mpfr_t x, const attest_audit_outputs *outputs, size_t i)
{
    if (outputs->real)
        mpfr_set_d(x, outputs->real[i], MPFR_RNDN);
    else
        mpfr_set(x, outputs->wide + i, MPFR_RNDN);
}

/* x = |x - entry i| from above, in ulp of 2^exponent. */
static void get_error(mpfr_t x, const attest_audit_reference *reference, size_t i,
                      long exponent)
{
    mpfr_sub(x, x, reference->middle + i, MPFR_RNDA);
    mpfr_abs(x, x, MPFR_RNDU);
    mpfr_add(x, x, reference->radius + i, MPFR_RNDU);
    mpfr_mul_2si(x, x, -exponent, MPFR_RNDU);
}

/* What is summed up: sum and largest of the errors, and the largest bound. */
typedef struct totals {
    mpfr_t entry, room, sum, most, bound;
} totals;

static void totals_init(totals *t, long bits)
{
    mpfr_inits2(bits, t->entry, t->room, (mpfr_ptr)0);
    mpfr_inits2(64, t->sum, t->most, t->bound, (mpfr_ptr)0);
    mpfr_set_zero(t->sum, 1);
    mpfr_set_zero(t->most, 1);
    mpfr_set_zero(t->bound, 1);
}

static void totals_clear(totals *t)
{
    mpfr_clears(t->entry, t->room, t->sum, t->most, t->bound, (mpfr_ptr)0);
}

/* Counts t->entry as entry i of the reference; bound: in 2^-unit_bits, NULL: none. */
static void add_entry(attest_audit_errors *errors, totals *t,
                      const attest_audit_reference *reference, size_t i,
                      const attest_format *format, const double *bound, long unit_bits)
{
    bool zero = mpfr_zero_p(t->entry);
    long exponent;
    place where = ulp_exponent(&exponent, t->room, reference, i, format);

    errors->entries++;
    if (where == PLACE_UNKNOWN)
        errors->unresolved++;
    if (where == PLACE_ZERO)
        errors->unlimited = errors->unlimited || !zero;
    if (where != PLACE_KNOWN)
        return;
    get_error(t->entry, reference, i, exponent);
    mpfr_add(t->sum, t->sum, t->entry, MPFR_RNDU);
    if (mpfr_greater_p(t->entry, t->most)) {
        mpfr_set(t->most, t->entry, MPFR_RNDU);
        errors->worst = i / reference->dim;
    }
    if (bound) {
        mpfr_set_d(t->room, *bound, MPFR_RNDU);
        mpfr_mul_2si(t->room, t->room, -unit_bits - exponent, MPFR_RNDU);
        mpfr_max(t->bound, t->bound, t->room, MPFR_RNDU);
    }
}

/* Positions that one worker measures at a time. */
enum { CHUNK = 64 };

/* What is measured, and what was found in chunk k: the counts in chunk[k], and in sums[3 k] to
 * sums[3 k + 2] the sum, the largest and the bound. */
typedef struct measuring {
    const attest_audit_outputs *outputs;
    const attest_dataset *all;
    const attest_audit_reference *reference;
    const attest_format *format;
    const double *bound;
    long unit_bits;
    attest_audit_errors *chunk; /* chunk and sums are shared with the workers */
    __mpfr_struct *sums;
} measuring;

static void measure_position(attest_audit_errors *errors, totals *t, const measuring *m,
                             size_t i, size_t p)
{
    size_t dim = m->reference->dim;
    size_t q = attest_audit_reference_place(m->reference, m->all, i, p);

    if (!attest_audit_outputs_finite(m->outputs, q))
        return;
    for (size_t c = 0; c < m->reference->counted; c++) {
        get_entry(t->entry, m->outputs, q * dim + c);
        add_entry(errors, t, m->reference, p * dim + c, m->format,
                  m->bound ? m->bound + p * dim + c : NULL, m->unit_bits);
    }
}

static bool measure_chunk(void *context, size_t k)
{
    measuring *m = context;
    const attest_audit_reference *reference = m->reference;
    size_t p = k * CHUNK, i = 0;
    ATTEST_SCOPED(totals, t, reference->bits + m->format->precision + 256);

    for (; p < reference->positions && p < (k + 1) * CHUNK; p++) {
        while (p >= reference->start[i + 1])
            i++;
        measure_position(&m->chunk[k], &t, m, i, p);
    }
    mpfr_set(m->sums + 3 * k, t.sum, MPFR_RNDU);
    mpfr_set(m->sums + 3 * k + 1, t.most, MPFR_RNDU);
    mpfr_set(m->sums + 3 * k + 2, t.bound, MPFR_RNDU);
    return true;
}

/* errors = what all chunks found, in their order. */
static void join_chunks(attest_audit_errors *errors, const measuring *m, size_t chunks)
{
    ATTEST_SCOPED(totals, t, 64);

    *errors = (attest_audit_errors){0};
    for (size_t k = 0; k < chunks; k++) {
        const attest_audit_errors *one = &m->chunk[k];
        errors->entries += one->entries;
        errors->unresolved += one->unresolved;
        errors->unlimited = errors->unlimited || one->unlimited;
        mpfr_add(t.sum, t.sum, m->sums + 3 * k, MPFR_RNDU);
        if (mpfr_greater_p(m->sums + 3 * k + 1, t.most)) {
            mpfr_set(t.most, m->sums + 3 * k + 1, MPFR_RNDU);
            errors->worst = one->worst;
        }
        mpfr_max(t.bound, t.bound, m->sums + 3 * k + 2, MPFR_RNDU);
    }
    if (errors->entries > 0)
        mpfr_div_ui(t.sum, t.sum, errors->entries, MPFR_RNDU);
    errors->max_ulp = attest_audit_size_get(t.most);
    errors->mean_ulp = attest_audit_size_get(t.sum);
    errors->bound_ulp = attest_audit_size_get(t.bound);
}

attest_status attest_audit_errors_get(attest_audit_errors *errors,
                                      const attest_audit_outputs *outputs,
                                      const attest_dataset *all,
                                      const attest_audit_reference *reference,
                                      const attest_format *format, const double *bound,
                                      long unit_bits, size_t jobs, attest_error *error)
{
    size_t chunks = (reference->positions + CHUNK - 1) / CHUNK;
    ATTEST_SHARED(attest_audit_errors, chunk, chunks);
    attest_shared_block sums ATTEST_CLEARED_BY(attest_shared_block_clear) = {.size = 1};
    measuring m = {outputs, all, reference, format, bound, unit_bits, .chunk = chunk};

    m.sums = sums.address = attest_in_mpfr_vector_init(&sums.count, 3 * chunks, 64, true);
    if (!m.chunk || !m.sums)
        return attest_memory_fail(error);
    if (reference->positions * reference->counted < 20000)
        jobs = 1; /* not worth a fork */
    ATTEST_TRY(attest_workers_run(measure_chunk, &m, chunks, jobs, error));
    join_chunks(errors, &m, chunks);
    return ATTEST_OK;
}

bool attest_audit_errors_known(const attest_audit_errors *errors)
{
    return errors->entries > 0 && !errors->unlimited && errors->unresolved == 0 &&
           isfinite(errors->max_ulp.part) && isfinite(errors->mean_ulp.part);
}
