/* filter.c -- verdicts from doubles with error bounds are those of arithmetic without any. */
#include <stdlib.h>
#include <string.h>

#include <attest/filter.h>
#include <attest/number.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/label.h"
#include "number/rationals.h"
#include "number/scope.h"
#include "props/arithmetic.h"
#include "props/doubles.h"
#include "props/registry.h"
#include "props/rough.h"
#include "props/sample.h"

enum {
    HEADS = 3,
    SIZE = 2,
    WHOLE = 4 /* one instance in WHOLE consists of integers */,
    ENTRY_LIMIT = 3,
    SCORE_LIMIT = 60,
    TINY_SCORES = 700,
    SCALE = 300
};

/* Draws entries, the first of them nonzero, one of four others 0. */
static attest_status gen_matrix(attest_matrix *matrix, struct theft *t, size_t rows,
                                size_t cols, const attest_format *format, bool whole)
{
    fmpq *entry = attest_rationals_alloc(rows * cols);

    if (!entry)
        return ATTEST_NOMEM;
    for (size_t i = 0; i < rows * cols; i++)
        if (whole)
            fmpq_set_si(entry + i, attest_gen_integer(t, ENTRY_LIMIT), 1);
        else if (i == 0 || !attest_gen_rarely(t, 4))
            attest_props_arithmetic_gen_number(entry + i, t, format, ENTRY_LIMIT);
    attest_gen_set_matrix(matrix, entry, rows, cols);
    attest_rationals_free(entry, rows * cols);
    return ATTEST_OK;
}

/* Powers of two keep the entries doubles: none is beyond 2^+-900. */
static void gen_scales(attest_head *head, struct theft *t, const attest_vocabulary *tokens,
                       bool softmax)
{
    enum { FAR = 12, TINY = 15, SIZES };
    unsigned size = (unsigned)theft_random_choice(t, SIZES);
    long scale = attest_gen_rarely(t, 8) ? attest_gen_integer(t, SCALE) : 0;

    if (size >= FAR && size < TINY)
        attest_gen_set_scores(head, tokens, ATTEST_GEN_FAR - (long)theft_random_choice(t, 6));
    else if (size == TINY)
        attest_gen_set_scores(head, tokens, -(long)theft_random_choice(t, TINY_SCORES + 1));
    else if (softmax)
        attest_gen_limit_scores(head, tokens, SCORE_LIMIT);
    for (size_t i = 0; scale > 0 && i < head->wo.rows * head->wo.cols; i++)
        fmpz_mul_2exp(head->wo.entry + i, head->wo.entry + i, (flint_bitcnt_t)scale);
    if (scale < 0)
        fmpz_mul_2exp(head->wo.denominator, head->wo.denominator, (flint_bitcnt_t)-scale);
}

static attest_status gen_weights(attest_weights *weights, struct theft *t,
                                 const attest_vocabulary *tokens, bool whole)
{
    static const attest_setting doubles = {.number = ATTEST_ARITHMETIC_DOUBLE};
    attest_format format = attest_props_arithmetic_format(&doubles);
    size_t heads = whole ? 1 + (size_t)attest_gen_rarely(t, 4) : attest_gen_size(t, 1, HEADS);

    ATTEST_TRY(attest_weights_resize(weights, heads));
    weights->dim = tokens->dim;
    if (whole && attest_gen_rarely(t, 2)) /* different tokens may then have equal outputs */
        weights->skip = false;
    for (size_t h = 0; h < weights->heads; h++) {
        attest_head *head = weights->head + h;
        size_t size = attest_gen_size(t, 1, SIZE);
        attest_matrix *matrix[] = {&head->wk, &head->wq, &head->wv};
        for (size_t m = 0; m < 3; m++)
            ATTEST_TRY(gen_matrix(matrix[m], t, size, tokens->dim, &format, whole));
        ATTEST_TRY(gen_matrix(&head->wo, t, tokens->dim, size, &format, whole));
        if (!whole)
            gen_scales(head, t, tokens, weights->activation == ATTEST_SOFTMAX);
    }
    return ATTEST_OK;
}

/* Small integers: scores tie and outputs are equal, which doubles decide, too. */
static void make_whole(attest_vocabulary *tokens, struct theft *t)
{
    for (size_t e = 0; e < tokens->count * tokens->dim; e++)
        tokens->real[e] = (double)attest_gen_integer(t, ENTRY_LIMIT);
}

/* The tokens as rationals, for the scores. */
static attest_status add_rationals(attest_vocabulary *tokens)
{
    tokens->entry = attest_rationals_alloc(tokens->count * tokens->dim);
    if (!tokens->entry)
        return ATTEST_NOMEM;
    for (size_t e = 0; e < tokens->count * tokens->dim; e++)
        attest_number_set_double(tokens->entry + e, tokens->real[e]);
    return ATTEST_OK;
}

/* Generates layers whose numbers are doubles: of any size, with ties and near ties, and with
 * scores so far apart that doubles cannot tell contexts apart. */
static attest_status gen_layer(attest_instance *instance, struct theft *t,
                               const attest_setting *setting)
{
    static const attest_gen_tokens kind = {
        .dim_max = 4, .count_min = 3, .count_max = 7, .zero = true, .decades = 30};
    static const attest_gen_sequences sequences = {.count_min = 2,
                                                   .count_max = 5,
                                                   .length_min = 1,
                                                   .length_max = 5,
                                                   .repeats = true,
                                                   .shared = true};
    ATTEST_SCOPED(attest_vocabulary, tokens);
    bool whole;

    (void)setting;
    attest_gen_activation(&instance->weights, t);
    attest_gen_ties_and_mask(&instance->weights, t);
    ATTEST_TRY(attest_gen_doubles(&tokens, t, &kind));
    whole = attest_gen_rarely(t, WHOLE);
    if (whole)
        make_whole(&tokens, t);
    ATTEST_TRY(add_rationals(&tokens));
    ATTEST_TRY(gen_weights(&instance->weights, t, &tokens, whole));
    return attest_gen_dataset(&instance->dataset, t, &tokens, &sequences);
}

/* The instance is checked together with others of its shape: the answer must not depend on
 * them. */
enum { PLACE = 1, BATCH = 3 };

typedef struct question {
    attest_trial *trial;
    const attest_instance *instance;
    attest_filter filter;
    attest_filter_instance batch[BATCH];
    double *others; /* the numbers of the others */
    attest_error *error;
} question;

/* to = count numbers times factor. */
static double *multiply(double *to, const double *from, size_t count, double factor)
{
    for (size_t i = 0; i < count; i++)
        to[i] = factor * from[i];
    return to;
}

static attest_status question_init(question *q, const attest_doubles *d)
{
    size_t tokens = q->instance->dataset.total * d->shape->dim;
    size_t weights = 4 * d->shape->heads * d->shape->size * d->shape->dim;

    ATTEST_TRY(attest_filter_init(&q->filter, d->shape, q->error));
    q->others = attest_memory_alloc(2 * (tokens + weights), sizeof *q->others);
    if (!q->others)
        return attest_memory_fail(q->error);
    for (size_t i = 0; i < BATCH; i++) {
        double *token = q->others + i / 2 * (tokens + weights), factor = i ? -0.25 : 0.5;
        q->batch[i] = *d->instance;
        if (i == PLACE)
            continue;
        q->batch[i].token = multiply(token, d->instance->token, tokens, factor);
        q->batch[i].weight = multiply(token + tokens, d->instance->weight, weights, 0.5);
    }
    return ATTEST_OK;
}

static void question_clear(question *q)
{
    attest_filter_clear(&q->filter);
    free(q->others);
}

static void judge(attest_trial *trial, const attest_filter_answer *answer,
                  attest_verdict expected, const char *what)
{
    if (answer->verdict != expected)
        attest_trial_violated(trial, "contextual-mapping",
                              "%s: %s returns %s, but the claim is %s", what, answer->method,
                              attest_verdict_name(answer->verdict),
                              attest_verdict_name(expected));
}

/* Checks the claim of the filter; its verdict must be the expected one. */
static attest_status ask(question *q, attest_verdict expected, const char *what)
{
    attest_filter_answer answer[BATCH], *mine = &answer[PLACE];

    if (q->trial->outcome != ATTEST_HELD)
        return ATTEST_OK;
    ATTEST_TRY(attest_filter_check(answer, &q->filter, q->batch, BATCH, q->error));
    if (fmpq_is_zero(q->filter.claim.delta) && !q->filter.claim.has_r &&
        strcmp(mine->method, "filter") == 0)
        attest_trial_label(q->trial, "decided by doubles");
    judge(q->trial, mine, expected, what);
    return ATTEST_OK;
}

/* Returns whether the separation is positive and large enough to be written as a rational. */
static bool has_separation(const attest_finding *finding)
{
    return finding->has_pair && arb_is_positive(finding->min_separation) &&
           arf_cmpabs_2exp_si(arb_midref(finding->min_separation), -(1L << 20)) > 0;
}

/* x = an end of the ball times factor. */
static void get_end(fmpq_t x, const arb_t ball, bool upper, double factor)
{
    ARF(end);

    if (upper)
        arb_get_ubound_arf(end, ball, 128);
    else
        arb_get_lbound_arf(end, ball, 128);
    arf_get_fmpq(x, end);
    if (factor != 1) {
        FMPQ(f);

        attest_number_set_double(f, factor);
        fmpq_mul(x, x, f);
    }
}

/* Checks bounds far enough from the true separation and norm for doubles to decide them; the
 * expected verdicts are known. */
static attest_status ask_bounds(question *q, const attest_finding *finding)
{
    attest_claim *claim = &q->filter.claim;

    if (has_separation(finding)) {
        get_end(claim->delta, finding->min_separation, false, 1 - 0x1p-20);
        ATTEST_TRY(ask(q, ATTEST_PROVED, "delta below the separation"));
        get_end(claim->delta, finding->min_separation, true, 1 + 0x1p-20);
        ATTEST_TRY(ask(q, ATTEST_REFUTED, "delta above the separation"));
        fmpq_zero(claim->delta);
    }
    claim->has_r = true;
    get_end(claim->r, finding->max_norm, true, 1 + 0x1p-20);
    if (fmpq_sgn(claim->r) > 0)
        ATTEST_TRY(ask(q, finding->verdict, "r above the largest norm"));
    if (arb_is_positive(finding->max_norm)) {
        get_end(claim->r, finding->max_norm, false, 1 - 0x1p-20);
        ATTEST_TRY(ask(q, ATTEST_REFUTED, "r below the largest norm"));
    }
    claim->has_r = false;
    return ATTEST_OK;
}

/* The claim of the filter by exact arithmetic or by balls. */
static attest_status certify(question *q, attest_finding *finding)
{
    attest_claim claim = q->filter.claim;

    claim.dataset = &q->instance->dataset;
    claim.weights = &q->instance->weights;
    claim.method = claim.weights->activation == ATTEST_HARDMAX ? "exact" : "ball";
    ATTEST_TRY(attest_certify(finding, &claim, q->error));
    if (finding->verdict == ATTEST_UNDECIDED)
        attest_trial_open(q->trial, "%s", finding->reason);
    return ATTEST_OK;
}

/* Sets delta to a number so near the separation that doubles do not decide the claim; where the
 * zero test has few terms, so near that balls of the first precision do not decide it either.
 */
static void get_near(question *q, const attest_finding *finding)
{
    const attest_weights *weights = &q->instance->weights;

    if (weights->activation == ATTEST_HARDMAX || weights->heads == 1)
        arf_get_fmpq(q->filter.claim.delta, arb_midref(finding->min_separation));
    else
        get_end(q->filter.claim.delta, finding->min_separation, true, 1 + 0x1p-52);
}

/* Checks delta = 0, bounds that doubles decide, and a delta that they do not decide. */
static attest_status compare(question *q)
{
    ATTEST_SCOPED(attest_finding, finding);

    ATTEST_TRY(certify(q, &finding));
    ATTEST_TRY(ask(q, finding.verdict, "delta = 0"));
    if (q->trial->outcome == ATTEST_HELD)
        ATTEST_TRY(ask_bounds(q, &finding));
    if (q->trial->outcome == ATTEST_HELD && has_separation(&finding)) {
        get_near(q, &finding);
        attest_finding_clear(&finding);
        attest_finding_init(&finding);
        ATTEST_TRY(certify(q, &finding));
        ATTEST_TRY(ask(q, finding.verdict, "delta next to the separation"));
    }
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    ATTEST_SCOPED(attest_doubles, d);

    (void)setting;
    ATTEST_TRY(attest_doubles_set(&d, instance, 1));
    if (!*d.fits) {
        trial->outcome = ATTEST_DISCARDED;
        return ATTEST_OK;
    }
    question q ATTEST_CLEARED_BY(question_clear) = {
        .trial = trial, .instance = instance, .error = error};
    ATTEST_TRY(question_init(&q, &d));
    ATTEST_TRY(compare(&q));
    attest_trial_label_layer(trial, instance);
    return ATTEST_OK;
}

/* The memory that is kept from call to call. */
typedef struct memory {
    attest_doubles doubles;
    attest_verdicts verdicts;
    size_t room;
    attest_filter_answer *answer;
} memory;

static void forget(void *kept)
{
    memory *m = kept;

    if (!m)
        return;
    attest_doubles_clear(&m->doubles);
    attest_verdicts_clear(&m->verdicts);
    free(m->answer);
    free(m);
}

static attest_status remember(void **kept, size_t count, attest_error *error)
{
    memory *m = *kept;

    if (!m) {
        m = *kept = attest_memory_alloc(1, sizeof *m);
        if (!m)
            return attest_memory_fail(error);
        attest_doubles_init(&m->doubles);
        attest_verdicts_init(&m->verdicts);
    }
    return attest_memory_grow(&m->answer, &m->room, count, sizeof *m->answer)
               ? ATTEST_OK
               : attest_memory_fail(error);
}

/* finding = the verdict of exact arithmetic or balls. */
static attest_status certify_instance(attest_finding *finding, attest_trial *trial,
                                      const attest_instance *instance, attest_error *error)
{
    question q = {.trial = trial, .instance = instance, .error = error};
    attest_status status;

    attest_claim_init(&q.filter.claim);
    status = certify(&q, finding);
    attest_claim_clear(&q.filter.claim);
    return status;
}

/* Compares the verdict of the filter, checked together with others of the same shape, with
 * doubles by another route, or, if these leave it open, with exact arithmetic or balls. */
static attest_status compare_answer(attest_trial *trial, const attest_filter_answer *answer,
                                    const attest_instance *instance, attest_error *error)
{
    attest_rough rough;
    ATTEST_SCOPED(attest_finding, finding);

    if (attest_rough_get(&rough, instance))
        finding.verdict = rough.collision ? ATTEST_REFUTED : ATTEST_PROVED;
    else
        ATTEST_TRY(certify_instance(&finding, trial, instance, error));
    if (strcmp(answer->method, "filter") == 0)
        attest_trial_label(trial, "decided by doubles");
    if (trial->outcome == ATTEST_HELD)
        judge(trial, answer, finding.verdict, "delta = 0");
    attest_trial_label_layer(trial, instance);
    return ATTEST_OK;
}

/* Checks everything for a sample of the instances, and delta = 0 for the others. */
static attest_status decide_many(attest_trial *trial, const attest_instance *instance,
                                 size_t count, void **kept, const attest_setting *setting,
                                 attest_error *error)
{
    memory *m;

    ATTEST_TRY(remember(kept, count, error));
    m = *kept;
    if (attest_doubles_set(&m->doubles, instance, count) != ATTEST_OK)
        return attest_memory_fail(error);
    ATTEST_TRY(
        attest_verdicts_get(m->answer, &m->verdicts, &m->doubles, m->doubles.fits, error));
    for (size_t i = 0; i < count; i++)
        if (!m->doubles.fits[i]) {
            trial[i].outcome = ATTEST_DISCARDED;
        } else if (attest_sample_takes(attest_sample_number(&instance[i]))) {
            attest_trial_label(&trial[i], ATTEST_SAMPLE_LABEL);
            ATTEST_TRY(decide(&trial[i], &instance[i], setting, error));
        } else {
            ATTEST_TRY(compare_answer(&trial[i], &m->answer[i], &instance[i], error));
        }
    return ATTEST_OK;
}

/* Doubles must decide neither almost all nor almost none of the instances. */
static const attest_coverage coverage[] = {
    {ATTEST_LABEL_ONE_TOKEN, 0, 10},
    {ATTEST_LABEL_DEAD, 0, 10},
    {ATTEST_LABEL_ONE_CONTEXT, 0, 10},
    {"decided by doubles", 50, 95},
    {0},
};

const attest_property attest_property_filter = {
    .name = "filter",
    .title = "verdicts from doubles with error bounds are those of arithmetic without any",
    .statement = "contextual",
    .definition = "contextual-mapping",
    .gen = gen_layer,
    .decide = decide,
    .decide_many = decide_many,
    .forget = forget,
    .coverage = coverage,
    .trials = 8000,
    .chunk = 1024,
};
