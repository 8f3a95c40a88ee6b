/* errors.c -- errors of an arithmetic against certified outputs. */
#include "audit/errors.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "audit/bound.h"
#include "audit/collapse.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/term.h"
#include "base/workers.h"
#include "format/simulate_in_mpfr.h"
#include "number/scope.h"

attest_audit_size attest_audit_size_get(const mpfr_t x)
{
    attest_audit_size size = {0};

    size.part = mpfr_get_d_2exp(&size.exponent, x, MPFR_RNDU);
    return size;
}

/* x = the size, exactly. Domain: x has 53 bits. */
static void get_wide(mpfr_t x, attest_audit_size size)
{
    mpfr_set_d(x, size.part, MPFR_RNDN);
    mpfr_mul_2si(x, x, size.exponent, MPFR_RNDU);
}

int attest_audit_size_compare(attest_audit_size a, attest_audit_size b)
{
    if (a.part == 0 || b.part == 0 || a.exponent == b.exponent)
        return (a.part > b.part) - (a.part < b.part);
    return a.exponent > b.exponent ? 1 : -1;
}

attest_audit_size attest_audit_size_mean(attest_audit_size a, size_t a_count,
                                         attest_audit_size b, size_t b_count)
{
    MPFR(53, x, y);

    if (a_count + b_count == 0)
        return (attest_audit_size){0};
    get_wide(x, a);
    get_wide(y, b);
    mpfr_mul_ui(x, x, a_count, MPFR_RNDU);
    mpfr_mul_ui(y, y, b_count, MPFR_RNDU);
    mpfr_add(x, x, y, MPFR_RNDU);
    mpfr_div_ui(x, x, a_count + b_count, MPFR_RNDU);
    return attest_audit_size_get(x);
}

void attest_audit_size_format(char text[ATTEST_AUDIT_SIZE_TEXT], attest_audit_size size,
                              int digits)
{
    MPFR(53, wide);

    get_wide(wide, size);
    mpfr_snprintf(text, ATTEST_AUDIT_SIZE_TEXT, "%.*Rg", digits, wide);
}

/* Errors in ulp against certified outputs. */

/* Whether an entry has an ulp in the format. */
typedef enum place {
    PLACE_KNOWN,
    PLACE_ZERO,   /* the value is 0, and exponents are unbounded: there is no ulp */
    PLACE_UNKNOWN /* the ball contains 0 and other numbers: the ulp depends on the exact value
                   */
} place;

/* exponent = the exponent of an ulp of the format at entry i. If the ball contains a power of
 * two, the upper end decides: the value usually is that power. */
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

/* x = an upper bound of |x - entry i|, in units of 2^exponent. */
static void get_error(mpfr_t x, const attest_audit_reference *reference, size_t i,
                      long exponent)
{
    mpfr_sub(x, x, reference->middle + i, MPFR_RNDA);
    mpfr_abs(x, x, MPFR_RNDU);
    mpfr_add(x, x, reference->radius + i, MPFR_RNDU);
    mpfr_mul_2si(x, x, -exponent, MPFR_RNDU);
}

/* Running totals: sum and largest of the errors, and the largest bound. */
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

/* Counts the error of t->entry against entry i of the reference. bound: its a priori bound in
 * units of 2^-unit_bits, or NULL. */
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

/* The measurement. The counts of chunk k are in chunk[k], and its sum, largest error and bound
 * in sums[3 k] to sums[3 k + 2]. */
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

/* errors = the results of all chunks, joined in their order. */
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

/* Distances between computed and exact outputs, as whole vectors.
 *
 * Every number of a position is an MPFR number of 64 bits, rounded so that the quotient is an
 * upper bound: distances up, norms of exact outputs down. Exponents do not overflow. */

enum { DISTANCE_BITS = 64 };

/* Temporaries of one position. */
typedef struct workspace {
    mpfr_t entry, part, distance, norm;
} workspace;

/* part = an upper bound of |entry i of the outputs - the exact entry|. */
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

/* Adds to norm the square of a lower bound of |exact entry j|. */
static void add_least(workspace *w, const attest_audit_reference *reference, size_t j)
{
    mpfr_abs(w->part, reference->middle + j, MPFR_RNDD);
    mpfr_sub(w->part, w->part, reference->radius + j, MPFR_RNDD);
    if (mpfr_sgn(w->part) > 0) {
        mpfr_sqr(w->part, w->part, MPFR_RNDD);
        mpfr_add(w->norm, w->norm, w->part, MPFR_RNDD);
    }
}

/* Sets w->distance, rounded up, and w->norm, rounded down, at position q of the outputs and p
 * of the sample. */
static void measure_output(workspace *w, const attest_audit_outputs *outputs, size_t q,
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
    deviation->distance = attest_in_mpfr_vector_init(
        &deviation->distance_bytes, reference->positions, DISTANCE_BITS, false);
    if (!deviation->distance)
        return attest_memory_fail(error);
    mpfr_inits2(DISTANCE_BITS, w.entry, w.part, w.distance, w.norm, (mpfr_ptr)0);
    for (size_t p = 0, i = 0; p < reference->positions; p++) {
        i += p == reference->start[i + 1];
        measure_output(&w, outputs, attest_audit_reference_place(reference, dataset, i, p),
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

/* The error of the softmax weights in an arithmetic.
 *
 * The computed weights are compared with weights computed in binary64, and the proved bound on
 * the total variation of the latter is added. The reported distance is therefore proved, and
 * sharp if binary64 is much more precise than the arithmetic (proofs-notes/audit.md, Weights).
 */

enum { MOST_WEIGHTS = 1 << 23 };

/* Takes the first sequences of the sample whose weights fit. */
static void choose_rows(attest_audit_exact_weights *w, const attest_audit_reference *sample)
{
    const attest_dataset *dataset = w->request.dataset;
    size_t heads = w->request.weights->heads,
           each = heads * dataset->longest * dataset->longest;
    size_t most = each ? MOST_WEIGHTS / each : 0;

    w->request.sequence = sample->sequence;
    w->request.sequences = sample->sequences < most ? sample->sequences : most;
    for (size_t i = 0; i < w->request.sequences; i++) {
        size_t length = attest_dataset_length(dataset, sample->sequence[i]);

        w->longest = length > w->longest ? length : w->longest;
        w->rows += length * heads;
    }
}

attest_status attest_audit_exact_weights_get(attest_audit_exact_weights *weights,
                                             const attest_audit_request *request,
                                             const attest_audit_reference *sample,
                                             attest_error *error)
{
    static const attest_format binary64 = {.name = "binary64", 53, true, -1022, 1023, 64};
    attest_simulated_arithmetic arithmetic;
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
    attest_audit_model model;

    *weights = (attest_audit_exact_weights){.request = *request};
    if (request->weights->activation != ATTEST_SOFTMAX)
        return ATTEST_OK;
    choose_rows(weights, sample);
    if (weights->rows == 0)
        return ATTEST_OK;
    weights->variation = attest_shared_alloc(weights->rows, sizeof(double));
    if (weights->variation)
        weights->weight = attest_shared_alloc(weights->rows * weights->longest, sizeof(double));
    if (!weights->weight)
        return attest_memory_fail(error);
    attest_simulated_arithmetic_init(&arithmetic, &binary64);
    attest_audit_model_init(&model, &arithmetic);
    ATTEST_TRY(
        attest_audit_bound_weights(weights->variation, &weights->request, &model, error));
    weights->request.weights_out = weights->weight;
    return attest_audit_evaluate(&outputs, &weights->request, &arithmetic, error);
}

void attest_audit_exact_weights_clear(attest_audit_exact_weights *weights)
{
    attest_shared_free(weights->weight, weights->rows * weights->longest, sizeof(double));
    attest_shared_free(weights->variation, weights->rows, sizeof(double));
    *weights = (attest_audit_exact_weights){0};
}

/* Twice the total variation bounds the error of each weight. The quotients, and the rescales of
 * an online algorithm, were formed in doubles: n units at most. */
void attest_audit_weights_error_add(attest_audit_weights_error *a, const double *computed,
                                    const double *exact, double off, size_t n)
{
    double sum = 0, strongest = 0;
    size_t best = 0;

    for (size_t j = 0; j < n; j++) {
        sum += fabs(computed[j] - exact[j]);
        strongest = fmax(strongest, exact[j]);
        best = computed[j] > computed[best] ? j : best;
    }
    sum = (sum / 2 + ATTEST_TERM(weights_error_off, off)) * (1 + 0x1p-30) +
          ATTEST_TERM(weights_error_quotients, (double)(n + 4) * 0x1p-52);
    if (!isfinite(sum)) /* a weight that is not finite, or no bound */
        return;
    a->rows++;
    a->mean += sum;
    a->max = fmax(a->max, sum);
    a->changed += exact[best] + ATTEST_TERM(weights_error_changed, 4 * off) < strongest;
}

attest_status attest_audit_weights_error_get(attest_audit_weights_error *weights_error,
                                             const attest_audit_exact_weights *exact,
                                             const attest_simulated_arithmetic *arithmetic,
                                             attest_error *error)
{
    attest_audit_request request = exact->request;
    size_t count = exact->rows * exact->longest;
    ATTEST_SHARED(double, computed, count);
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};

    *weights_error = (attest_audit_weights_error){0};
    if (!computed)
        return attest_memory_fail(error);
    request.weights_out = computed;
    ATTEST_TRY(attest_audit_evaluate(&outputs, &request, arithmetic, error));
    for (size_t r = 0; r < exact->rows; r++)
        attest_audit_weights_error_add(weights_error, computed + r * exact->longest,
                                       exact->weight + r * exact->longest, exact->variation[r],
                                       exact->longest);
    if (weights_error->rows > 0)
        weights_error->mean /= (double)weights_error->rows;
    return ATTEST_OK;
}

/* The relative error of the outputs by width. */

#define WIDTHS_WORK 2.0 /* estimated seconds of one processor */

/* Returns the first sequences of the sample, as many as are affordable, at least one. */
static attest_audit_reference first_of(const attest_audit_reference *reference,
                                       const attest_audit_request *request,
                                       const attest_simulated_arithmetic *like)
{
    attest_simulated_arithmetic arithmetic;
    attest_audit_reference part = *reference;
    double each, affordable;

    attest_audit_width_set(&arithmetic, like, ATTEST_AUDIT_ERROR_WIDTHS);
    each = attest_audit_width_cost(request, &arithmetic) / (double)request->dataset->count;
    affordable = WIDTHS_WORK / (each * ATTEST_AUDIT_ERROR_WIDTHS);
    if (affordable < (double)part.sequences)
        part.sequences = affordable > 1 ? (size_t)affordable : 1;
    part.positions = part.start[part.sequences];
    return part;
}

attest_status attest_audit_error_by_width_get(attest_audit_error_by_width *by_width,
                                              const attest_audit_request *request,
                                              const attest_audit_reference *reference,
                                              const attest_simulated_arithmetic *like,
                                              attest_error *error)
{
    attest_audit_reference part = first_of(reference, request, like);
    attest_audit_request sample = *request;

    *by_width = (attest_audit_error_by_width){.sequences = part.sequences};
    sample.sequence = part.sequence;
    sample.sequences = part.sequences;
    for (size_t w = 0; w < ATTEST_AUDIT_ERROR_WIDTHS; w++) {
        attest_simulated_arithmetic arithmetic;
        attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
        attest_audit_deviation deviation ATTEST_CLEARED_BY(attest_audit_deviation_clear) = {0};

        attest_audit_width_set(&arithmetic, like, (long)w + 1);
        ATTEST_TRY(attest_audit_evaluate(&outputs, &sample, &arithmetic, error));
        ATTEST_TRY(attest_audit_deviation_get(&deviation, &outputs, NULL, &part, error));
        by_width->known[w] = deviation.positions > 0;
        by_width->max[w] = deviation.max;
        by_width->mean[w] = deviation.mean;
        by_width->widths = w + 1;
    }
    return ATTEST_OK;
}
