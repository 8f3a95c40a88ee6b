/* invariance.c -- two laws of exact attention that rounding may break: invariance under the
 * order of the tokens, and sensitivity to an additional token. */
#include "audit/invariance.h"

#include <math.h>
#include <stdlib.h>

#include <attest/attention.h>

#include "attention/head_plan.h"
#include "audit/evaluate.h"
#include "base/memory.h"
#include "number/scope.h"

/* Limits that keep the check to about a second. Balls of BITS bits distinguish outputs whose
 * relative difference is larger than about 2^-BITS. */
enum { MOST_POSITIONS = 256, MOST_SEQUENCES = 16, BITS = 128 };
#define MOST_WORK 1e10

/* The first sequences of two and more tokens. */
typedef struct sample {
    const attest_dataset *dataset;
    const attest_weights *weights;
    size_t sequence[MOST_SEQUENCES], sequences, positions;
    attest_dataset reversed, shorter;
    bool has_exact;
    arb_ptr given,
        less; /* balls around the exact outputs of the sequences, and of the shortened ones */
} sample;

static bool is_causal(const sample *s)
{
    return s->weights->mask == ATTEST_MASK_CAUSAL;
}

/* Adds token k of sequence i to the builder. */
static attest_status add_token(attest_dataset_builder *builder, fmpq *entry,
                               const attest_dataset *dataset, size_t i, size_t k,
                               attest_error *error)
{
    attest_tokens_get_entries(entry, &dataset->tokens, attest_dataset_token(dataset, i, k));
    return attest_dataset_builder_add_token(builder, entry, error);
}

/* Returns the place of token k of n in the reverse order. */
static size_t place_of(const sample *s, size_t k, size_t n)
{
    if (is_causal(s))
        return k + 1 == n ? k : n - 2 - k;
    return n - 1 - k;
}

/* made = the sequences reversed, or without their first tokens. */
static attest_status build(attest_dataset *made, const sample *s, bool shorter,
                           attest_error *error)
{
    const attest_dataset *dataset = s->dataset;
    FMPQ_VEC(entry, (slong)dataset->dim);
    ATTEST_SCOPED(attest_dataset_builder, builder, dataset->dim, ATTEST_TABLE_RATIONAL, NULL);

    for (size_t m = 0; m < s->sequences; m++) {
        size_t i = s->sequence[m], n = attest_dataset_length(dataset, i);

        for (size_t k = shorter; k < n; k++)
            ATTEST_TRY(
                add_token(&builder, entry, dataset, i, shorter ? k : place_of(s, k, n), error));
        ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, error));
    }
    return attest_dataset_builder_finish(made, &builder, error);
}

static void choose(sample *s)
{
    for (size_t i = 0; i < s->dataset->count && s->sequences < MOST_SEQUENCES; i++) {
        size_t n = attest_dataset_length(s->dataset, i);

        if (n < 2 || s->positions + n > MOST_POSITIONS)
            continue;
        s->sequence[s->sequences++] = i;
        s->positions += n;
    }
}

/* out = balls around the exact outputs of one sequence; its work is charged to *work. */
static attest_status enclose(arb_ptr out, double *work, const sample *s,
                             const attest_dataset *dataset, size_t i, attest_error *error)
{
    ATTEST_SCOPED(attest_sequence, sequence);

    ATTEST_TRY(attest_dataset_get_sequence(&sequence, dataset, i, NULL, error));
    ATTEST_TRY(attest_work_charge(
        work, attest_work_estimate(s->weights, &sequence, sequence.length, BITS), error));
    return attest_attention_ball(out, s->weights, &sequence, BITS, error);
}

/* Encloses the exact outputs of all sequences. Status: UNABLE if that is too much work. */
static attest_status enclose_all(sample *s, attest_error *error)
{
    size_t dim = s->dataset->dim, at = 0, less = 0;
    double work = MOST_WORK;

    s->given = _arb_vec_init((slong)(s->positions * dim));
    s->less = _arb_vec_init((slong)(s->positions * dim));
    for (size_t m = 0; m < s->sequences; m++) {
        size_t n = attest_dataset_length(s->dataset, s->sequence[m]);

        ATTEST_TRY(enclose(s->given + at * dim, &work, s, s->dataset, s->sequence[m], error));
        ATTEST_TRY(enclose(s->less + less * dim, &work, s, &s->shorter, m, error));
        at += n;
        less += n - 1;
    }
    s->has_exact = true;
    return ATTEST_OK;
}

static void sample_clear(sample *s)
{
    slong entries = (slong)(s->positions * s->dataset->dim);

    attest_dataset_clear(&s->reversed);
    attest_dataset_clear(&s->shorter);
    if (s->given)
        _arb_vec_clear(s->given, entries);
    if (s->less)
        _arb_vec_clear(s->less, entries);
}

/* Returns whether the exact outputs at these positions are proved to differ by more than twice
 * the output error of the weights. */
static bool differ(const sample *s, size_t given, size_t less)
{
    size_t dim = s->dataset->dim;
    ARB(gap, room);

    arb_set_fmpq(room, s->weights->output_error, 64);
    arb_mul_2exp_si(room, room, 1);
    for (size_t c = 0; c < dim; c++) {
        arb_sub(gap, s->given + given * dim + c, s->less + less * dim + c, BITS);
        arb_abs(gap, gap);
        if (arb_gt(gap, room))
            return true;
    }
    return false;
}

/* Returns whether the outputs at position p of one and q of the other are the same numbers.
 * Outputs that are not finite count as equal. */
static bool same_output(const attest_audit_outputs *a, size_t p, const attest_audit_outputs *b,
                        size_t q)
{
    ARF(x, y);

    if (!attest_audit_outputs_finite(a, p) || !attest_audit_outputs_finite(b, q))
        return true;
    for (size_t c = 0; c < a->dim; c++) {
        attest_audit_outputs_get(x, a, p, c);
        attest_audit_outputs_get(y, b, q, c);
        if (!arf_equal(x, y))
            return false;
    }
    return true;
}

/* Counts for sequence m, whose outputs begin at these positions. */
static void compare(attest_audit_invariance *counts, const sample *s, size_t m, size_t at,
                    const attest_audit_outputs *given, const attest_audit_outputs *reversed,
                    const attest_audit_outputs *shorter)
{
    size_t n = attest_dataset_length(s->dataset, s->sequence[m]);

    for (size_t k = is_causal(s) ? n - 1 : 0; k < n; k++) {
        counts->reordered++;
        if (!same_output(given, at + k, reversed, at + place_of(s, k, n)) &&
            counts->changed++ == 0)
            counts->changed_at = (attest_place){s->sequence[m], k};
    }
    for (size_t k = 1; s->has_exact && k < n; k++) {
        size_t less = at - m + k - 1; /* m sequences before have one token less */

        counts->shortened++;
        if (attest_audit_outputs_finite(given, at + k) &&
            attest_audit_outputs_finite(shorter, less) &&
            same_output(given, at + k, shorter, less) && differ(s, at + k, less) &&
            counts->unnoticed++ == 0)
            counts->unnoticed_at = (attest_place){s->sequence[m], k};
    }
}

/* Evaluates the sample in one arithmetic and counts what changed. */
static attest_status count_breaks(attest_audit_invariance *counts, const sample *s,
                                  const attest_simulated_arithmetic *arithmetic,
                                  attest_error *error)
{
    attest_audit_outputs given ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
    attest_audit_outputs reversed ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
    attest_audit_outputs shorter ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
    attest_audit_request request;

    attest_audit_request_init(&request, s->dataset, s->weights);
    request.sequence = s->sequence;
    request.sequences = s->sequences;
    ATTEST_TRY(attest_audit_evaluate(&given, &request, arithmetic, error));
    attest_audit_request_init(&request, &s->reversed, s->weights);
    ATTEST_TRY(attest_audit_evaluate(&reversed, &request, arithmetic, error));
    attest_audit_request_init(&request, &s->shorter, s->weights);
    ATTEST_TRY(attest_audit_evaluate(&shorter, &request, arithmetic, error));
    for (size_t m = 0, at = 0; m < s->sequences; m++) {
        compare(counts, s, m, at, &given, &reversed, &shorter);
        at += attest_dataset_length(s->dataset, s->sequence[m]);
    }
    return ATTEST_OK;
}

attest_status attest_audit_invariance_get(attest_audit_invariance *counts,
                                          const attest_simulated_arithmetic *arithmetic,
                                          size_t count, const attest_dataset *dataset,
                                          const attest_weights *weights, attest_error *error)
{
    sample s ATTEST_CLEARED_BY(sample_clear) = {.dataset = dataset, .weights = weights};
    attest_status status;

    attest_dataset_init(&s.reversed);
    attest_dataset_init(&s.shorter);
    for (size_t f = 0; f < count; f++)
        counts[f] = (attest_audit_invariance){0};
    if (weights->activation != ATTEST_SOFTMAX || dataset->identity)
        return ATTEST_OK;
    choose(&s);
    if (s.sequences == 0)
        return ATTEST_OK;
    ATTEST_TRY(build(&s.reversed, &s, false, error));
    ATTEST_TRY(build(&s.shorter, &s, true, error));
    status = enclose_all(&s, error);
    if (status != ATTEST_UNABLE)
        ATTEST_TRY(status);
    for (size_t f = 0; f < count; f++)
        ATTEST_TRY(count_breaks(&counts[f], &s, &arithmetic[f], error));
    return ATTEST_OK;
}

/* Small instances: all orders of one sequence, and averages of 1 and zeros. */

/* permuted = the sequence with token k at place order[k]. */
static attest_status permute(attest_dataset *permuted, const attest_dataset *dataset,
                             const size_t *order, attest_error *error)
{
    size_t n = dataset->total;
    FMPQ_VEC(entry, (slong)dataset->dim);
    ATTEST_SCOPED(attest_dataset_builder, builder, dataset->dim, ATTEST_TABLE_RATIONAL, NULL);

    for (size_t place = 0; place < n; place++)
        for (size_t k = 0; k < n; k++) {
            if (order[k] != place)
                continue;
            ATTEST_TRY(add_token(&builder, entry, dataset, 0, k, error));
        }
    ATTEST_TRY(attest_dataset_builder_end_sequence(&builder, error));
    return attest_dataset_builder_finish(permuted, &builder, error);
}

static void exchange(size_t *a, size_t *b)
{
    size_t swap = *a;

    *a = *b;
    *b = swap;
}

/* Sets the next permutation in lexicographic order. Returns false if it was the last. */
static bool next_order(size_t *order, size_t n)
{
    size_t i = n - 1, j = n - 1;

    while (i > 0 && order[i - 1] > order[i])
        i--;
    if (i == 0)
        return false;
    while (order[j] < order[i - 1])
        j--;
    exchange(&order[i - 1], &order[j]);
    for (j = n - 1; i < j; i++, j--)
        exchange(&order[i], &order[j]);
    return true;
}

static attest_status evaluate(attest_audit_outputs *outputs, const attest_dataset *dataset,
                              const attest_weights *weights,
                              const attest_simulated_arithmetic *arithmetic,
                              attest_error *error)
{
    attest_audit_request request;

    attest_audit_request_init(&request, dataset, weights);
    return attest_audit_evaluate(outputs, &request, arithmetic, error);
}

attest_status attest_invariance_check(bool *broken, size_t order[ATTEST_INVARIANCE_LONGEST],
                                      size_t *position, const attest_dataset *dataset,
                                      const attest_weights *weights,
                                      const attest_simulated_arithmetic *arithmetic,
                                      attest_error *error)
{
    size_t n = dataset->total;
    attest_audit_outputs given ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};

    for (size_t k = 0; k < n; k++)
        order[k] = k;
    *broken = false;
    ATTEST_TRY(evaluate(&given, dataset, weights, arithmetic, error));
    while (!*broken && n > 1 && next_order(order, n)) {
        attest_audit_outputs other ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};
        ATTEST_SCOPED(attest_dataset, permuted);

        ATTEST_TRY(permute(&permuted, dataset, order, error));
        ATTEST_TRY(evaluate(&other, &permuted, weights, arithmetic, error));
        for (size_t k = 0; k < n && !*broken; k++) {
            *broken = !same_output(&given, k, &other, order[k]);
            *position = k;
        }
    }
    return ATTEST_OK;
}

/* 1/n to nearest even in p <= 24 bits: the quotient of doubles, rounded again, which is right
 * (proofs-notes/audit.md, "Quotients to nearest"). */
static double reciprocal(long p, double n)
{
    int exponent;
    double x = frexp(1 / n, &exponent);

    return ldexp(rint(ldexp(x, (int)p)), exponent - (int)p);
}

bool attest_invariance_same_average(long p, unsigned long n)
{
    double most = ldexp(1, (int)p); /* a sum of ones does not grow beyond this */
    double first = fmin((double)n, most), second = fmin((double)n + 1, most);

    return reciprocal(p, first) == reciprocal(p, second);
}
