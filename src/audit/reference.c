/* reference.c -- certified outputs of a sample, and errors in ulp against them. */
#include "audit/reference.h"

#include <math.h>
#include <stdlib.h>

#include <attest/attention.h>

#include "attention/work.h"
#include "base/workers.h"
#include "number/wide.h"
#include "base/memory.h"

#define SECONDS 10.0

/* About what the balls of one sequence take: exact integers up to the scores, then balls. */
double attest_audit_ball_cost(const attest_audit_request *request, long bits)
{
    const attest_weights *weights = request->weights;
    double n = (double)request->dataset->longest, d = (double)weights->dim, linear = 0;
    double limbs = (double)bits / 64 + 1;

    for (size_t h = 0; h < weights->heads; h++) {
        const attest_head *head = &weights->head[h];
        double s = (double)head->wq.rows;
        linear += (head->wk.factored ? s + d : s * d) * 2;
        linear += head->wv.factored || head->wo.factored ? s + d : 2 * s * d;
        linear += n * (head->wk.factored ? 1 : s);
        linear += n * (head->wv.factored || head->wo.factored ? 1 : d) * limbs / 4;
    }
    return n * (linear * 5e-8 + n * (double)weights->heads * (2e-6 + limbs * limbs * 4e-8));
}

static bool choose_sample(attest_audit_reference *r, const attest_audit_request *request,
                          size_t most, long bits)
{
    const attest_dataset *dataset = request->dataset;
    double affordable = SECONDS / attest_audit_ball_cost(request, bits);
    size_t count = dataset->count < most ? dataset->count : most;

    if ((double)count > affordable)
        count = affordable > 1 ? (size_t)affordable : 1;
    r->sequences = count;
    r->sequence = attest_memory_alloc(count, sizeof *r->sequence);
    r->start = attest_memory_alloc(count + 1, sizeof *r->start);
    if (!r->sequence || !r->start)
        return false;
    for (size_t i = 0; i < count; i++) {
        r->sequence[i] =
            (size_t)((double)i * (double)dataset->count / (double)count); /* below 2^53 */
        r->start[i + 1] = r->start[i] + attest_dataset_length(dataset, r->sequence[i]);
    }
    r->positions = r->start[count];
    r->dim = dataset->dim;
    r->counted = attest_weights_output_dim(request->weights);
    return true;
}

typedef struct ball_work {
    const attest_audit_request *request;
    attest_audit_reference *reference;
    bool *unable;
} ball_work;

void attest_audit_reference_set(attest_audit_reference *r, size_t i, arb_t ball)
{
    arf_t end;

    /* What the midpoint loses by rounding goes to the radius. */
    arf_init(end);
    arf_get_mpfr(r->middle + i, arb_midref(ball), MPFR_RNDN);
    arf_set_mpfr(end, r->middle + i);
    arf_sub(end, end, arb_midref(ball), 53, ARF_RND_UP);
    arf_abs(end, end);
    arb_add_error_arf(ball, end);
    arf_set_mag(end, arb_radref(ball));
    arf_get_mpfr(r->radius + i, end, MPFR_RNDU);
    arf_clear(end);
}

static bool evaluate_balls(void *context, size_t i)
{
    ball_work *work = context;
    attest_audit_reference *r = work->reference;
    size_t first = r->start[i] * r->dim, count = (r->start[i + 1] - r->start[i]) * r->dim;
    arb_ptr ball = _arb_vec_init((slong)count);
    attest_sequence sequence;
    attest_status status;

    attest_sequence_init(&sequence);
    status = attest_dataset_get_sequence(&sequence, work->request->dataset, r->sequence[i],
                                         NULL, NULL);
    if (status == ATTEST_OK)
        status = attest_attention_ball(ball, work->request->weights, &sequence, r->bits, NULL);
    if (status == ATTEST_OK)
        status =
            attest_audit_zeros_settle(ball, work->request, r->sequence[i], &sequence, r->bits);
    for (size_t e = 0; status == ATTEST_OK && e < count; e++)
        attest_audit_reference_set(r, first + e, ball + e);
    if (status == ATTEST_UNABLE)
        *work->unable = true;
    attest_sequence_clear(&sequence);
    _arb_vec_clear(ball, (slong)count);
    return status == ATTEST_OK || status == ATTEST_UNABLE;
}

attest_status attest_audit_reference_get(attest_audit_reference *reference,
                                         const attest_audit_request *request, size_t most,
                                         long bits, attest_error *error)
{
    bool *unable = attest_shared_alloc(1, sizeof *unable);
    ball_work work = {request, reference, unable};
    double left = request->max_work;
    attest_status status;
    bool ok;

    *reference = (attest_audit_reference){.bits = bits};
    ok = unable && choose_sample(reference, request, most, bits);
    if (ok) {
        size_t entries = reference->positions * reference->dim;
        reference->middle =
            attest_wide_vector_init(&reference->middle_bytes, entries, bits + 64, true);
        reference->radius =
            attest_wide_vector_init(&reference->radius_bytes, entries, 53, true);
    }
    if (!ok || !reference->middle || !reference->radius)
        status = attest_memory_fail(error);
    else
        status = attest_work_charge_sequences(&left, request->weights, request->dataset,
                                              reference->sequence, reference->sequences, bits,
                                              NULL, error);
    if (status == ATTEST_OK)
        status = attest_workers_run(evaluate_balls, &work, reference->sequences,
                                    reference->positions > 400 ? request->jobs : 1, error);
    if (status == ATTEST_OK && *unable)
        status = attest_error_set(error, ATTEST_UNABLE,
                                  "a sequence over its common denominator is too large");
    attest_shared_free(unable, 1, sizeof *unable);
    if (status != ATTEST_OK)
        attest_audit_reference_clear(reference);
    return status;
}

void attest_audit_reference_clear(attest_audit_reference *reference)
{
    free(reference->sequence);
    free(reference->start);
    attest_shared_free(reference->middle, reference->middle_bytes, 1);
    attest_shared_free(reference->radius, reference->radius_bytes, 1);
    *reference = (attest_audit_reference){0};
}

/* What is known of entry i as far as an ulp of the format goes. */
typedef enum place {
    PLACE_KNOWN,
    PLACE_ZERO,   /* exactly 0, and exponents are unbounded: there is no ulp */
    PLACE_UNKNOWN /* 0 or not, balls do not tell, and the ulp depends on it */
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

size_t attest_audit_reference_place(const attest_audit_reference *reference,
                                    const attest_dataset *dataset, size_t i, size_t p)
{
    return dataset ? dataset->start[reference->sequence[i]] + p - reference->start[i] : p;
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

void attest_audit_errors_get(attest_audit_errors *errors, const attest_audit_outputs *outputs,
                             const attest_dataset *all, const attest_audit_reference *reference,
                             const attest_format *format, const double *bound, long unit_bits)
{
    size_t dim = reference->dim;
    totals t;

    *errors = (attest_audit_errors){0};
    totals_init(&t, reference->bits + format->precision + 256);
    for (size_t i = 0, p = 0; p < reference->positions; p++) {
        size_t q;
        i += p == reference->start[i + 1];
        q = attest_audit_reference_place(reference, all, i, p);
        for (size_t c = 0; attest_audit_outputs_finite(outputs, q) && c < reference->counted;
             c++) {
            get_entry(t.entry, outputs, q * dim + c);
            add_entry(errors, &t, reference, p * dim + c, format,
                      bound ? bound + p * dim + c : NULL, unit_bits);
        }
    }
    if (errors->entries > 0)
        mpfr_div_ui(t.sum, t.sum, errors->entries, MPFR_RNDU);
    errors->max_ulp = attest_audit_size_get(t.most);
    errors->mean_ulp = attest_audit_size_get(t.sum);
    errors->bound_ulp = attest_audit_size_get(t.bound);
    totals_clear(&t);
}

bool attest_audit_errors_known(const attest_audit_errors *errors)
{
    return errors->entries > 0 && !errors->unlimited && errors->unresolved == 0;
}
