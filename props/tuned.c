/* tuned.c -- a rank-1 softmax head needs no gap to tell contexts apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "campaign/gen.h"
#include "campaign/label.h"
#include "props/doubles.h"
#include "props/registry.h"
#include "props/tuned.h"

enum { DIM = 4, SIZE = 2, MOST_TOKENS = 10, LIMIT = 3 };

/* A head of integers and powers of two: W_K is divided by 2^k_shift, W_O by 2^o_shift. */
typedef struct draft {
    size_t dim, size;
    long v[DIM], u[3][SIZE], o[DIM * SIZE];
    int k_shift, o_shift;
} draft;

static void set_doubles(attest_tuned_head *to, const draft *from)
{
    *to = (attest_tuned_head){.dim = from->dim, .size = from->size};
    for (size_t c = 0; c < from->dim; c++)
        to->v[c] = (double)from->v[c];
    for (size_t r = 0; r < from->size; r++)
        for (int m = 0; m < 3; m++)
            to->u[m][r] = ldexp((double)from->u[m][r], m == 1 ? -from->k_shift : 0);
    for (size_t e = 0; e < from->dim * from->size; e++)
        to->o[e] = ldexp((double)from->o[e], -from->o_shift);
}

/* x_c = t^c: of any pairwise different directions this is perpendicular, or parallel, to few.
 */
static void set_curve(long *x, size_t dim, size_t step, long t)
{
    long power = 1;

    for (size_t c = 0; c < dim; c++, power *= t)
        x[c * step] = power;
}

/* Draws a direction that tells the tokens apart. If the first one fails, tries (1, t, t^2, ...)
 * for t = 1, 2, ...: a difference of tokens is perpendicular to at most dim - 1 of these. */
static void gen_direction(draft *d, double *value, double *spread, struct theft *t,
                          const attest_vocabulary *tokens)
{
    attest_tuned_head head;

    for (size_t c = 0; c < d->dim; c++)
        d->v[c] = attest_gen_integer(t, LIMIT);
    set_doubles(&head, d);
    for (long next = 1;
         !attest_tuned_project(value, spread, &head, tokens->real, tokens->count) &&
         next < 1 << 10;
         next++) {
        set_curve(d->v, d->dim, 1, next);
        set_doubles(&head, d);
    }
}

/* u_0 . u_1 is not 0, and scaled so that the largest score is near a power of two. */
static void gen_kappa(draft *d, struct theft *t, const double *value, size_t count)
{
    static const int scale[] = {0, 2, 4, 6, -3, -6, 8, -10};
    int wanted = scale[theft_random_choice(t, sizeof scale / sizeof *scale)], exponent;
    double most = 0;
    long kappa = 0;

    for (size_t r = 0; r < d->size; r++) {
        d->u[0][r] = 1 + attest_gen_integer(t, LIMIT - 1);
        d->u[1][r] = 1 + attest_gen_integer(t, LIMIT - 1);
        kappa += d->u[0][r] * d->u[1][r];
    }
    if (kappa == 0)
        kappa = d->u[0][0] = d->u[1][0] = 1, d->u[0][1] = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(value[i]));
    (void)frexp(most * most * fabs((double)kappa), &exponent);
    d->k_shift = exponent - wanted;
}

/* w = W_O u_2, kept apart from the differences of tokens: of another direction, or short. One
 * that is not is replaced by a shorter one, or by (1, t, t^2, ...) of the first column alone.
 */
static void gen_w(draft *d, struct theft *t, const attest_vocabulary *tokens, double spread)
{
    bool is_short = theft_random_bits(t, 1) || d->dim == 1;
    attest_tuned_head head;
    double excess;

    for (size_t e = 0; e < d->dim * d->size; e++)
        d->o[e] = attest_gen_integer(t, LIMIT);
    for (size_t r = 0; r < d->size; r++)
        d->u[2][r] = 1 + attest_gen_integer(t, LIMIT - 1);
    for (long next = 0; next < 1 << 10; next++) {
        set_doubles(&head, d);
        if (attest_tuned_keeps_apart(&excess, &head, tokens->real, tokens->count, spread))
            return;
        if (next == 0) {
            memset(d->o, 0, sizeof d->o);
            d->u[2][0] = d->o[0] = 1;
        } else if (!is_short)
            set_curve(d->o, d->dim, d->size, next);
        else
            d->o_shift += excess >= 1 && excess < 0x1p100 ? 1 + ilogb(excess) : 1;
    }
}

/* matrix = u v^T / 2^shift. */
static void set_factors(attest_matrix *matrix, const long *u, const long *v, size_t rows,
                        size_t cols, int shift)
{
    attest_matrix_resize_factored(matrix, rows, cols);
    for (size_t r = 0; r < rows; r++)
        fmpz_set_si(matrix->u + r, u[r]);
    for (size_t c = 0; c < cols; c++)
        fmpz_set_si(matrix->v + c, v[c]);
    if (shift < 0)
        for (size_t r = 0; r < rows; r++)
            fmpz_mul_2exp(matrix->u + r, matrix->u + r, (ulong)-shift);
    else
        fmpz_mul_2exp(matrix->u_denominator, matrix->u_denominator, (ulong)shift);
    fmpz_mul(matrix->denominator, matrix->u_denominator, matrix->v_denominator);
}

static attest_status set_weights(attest_weights *weights, const draft *d)
{
    attest_head *head;

    ATTEST_TRY(attest_weights_resize(weights, 1));
    head = weights->head;
    weights->dim = d->dim;
    set_factors(&head->wq, d->u[0], d->v, d->size, d->dim, 0);
    set_factors(&head->wk, d->u[1], d->v, d->size, d->dim, d->k_shift);
    set_factors(&head->wv, d->u[2], d->v, d->size, d->dim, 0);
    attest_matrix_resize(&head->wo, d->dim, d->size);
    for (size_t e = 0; e < d->dim * d->size; e++)
        fmpz_set_si(head->wo.entry + e, d->o[e]);
    fmpz_mul_2exp(head->wo.denominator, head->wo.denominator, (ulong)d->o_shift);
    return ATTEST_OK;
}

/* Sequences of up to three tokens, or of 4 to 8; tokens repeat in one dataset of eight. */
static attest_status gen_all(attest_instance *instance, struct theft *t)
{
    bool longer = theft_random_choice(t, 4) > 0;
    attest_gen_tokens kind = {
        .dim_max = DIM, .count_min = longer ? 4 : 2, .count_max = MOST_TOKENS, .decades = 30};
    attest_gen_sequences sequences = {.count_min = 2,
                                      .count_max = 4,
                                      .length_min = longer ? 4 : 1,
                                      .length_max = longer ? 8 : 3,
                                      .repeats = attest_gen_rarely(t, 8)};
    double value[MOST_TOKENS], spread;
    draft d = {0};
    ATTEST_SCOPED(attest_vocabulary, tokens);

    instance->weights.mask = theft_random_bits(t, 1) ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
    d.size = attest_gen_size(t, 1, SIZE);
    ATTEST_TRY(attest_gen_doubles(&tokens, t, &kind));
    d.dim = tokens.dim;
    gen_direction(&d, value, &spread, t, &tokens);
    gen_kappa(&d, t, value, tokens.count);
    gen_w(&d, t, &tokens, spread);
    ATTEST_TRY(set_weights(&instance->weights, &d));
    return attest_gen_dataset(&instance->dataset, t, &tokens, &sequences);
}

/* Two sequences of doubles. */
static attest_status set_pair(attest_dataset *dataset, const double *token, size_t length,
                              size_t dim)
{
    ATTEST_SCOPED(attest_dataset_builder, builder, dim, ATTEST_TABLE_REAL, NULL);

    ATTEST_TRY(attest_dataset_builder_add_sequences(&builder, token, 2, length, NULL));
    return attest_dataset_builder_finish(dataset, &builder, NULL);
}

/* The head of dimension 1 with v = 1 and no scale. */
static draft gen_line(struct theft *t)
{
    draft d = {.dim = 1, .size = 1, .v = {1}, .u = {{1}, {1}, {1}}, .o = {1}, .o_shift = 5};

    d.u[0][0] = 1 + attest_gen_integer(t, LIMIT - 1);
    d.u[0][0] += d.u[0][0] == 0;
    return d;
}

/* (y, a, b) and (y, a + s, b - s), whose means agree: without kappa, or if y is 0, the output
 * at y depends on the mean alone. */
static attest_status gen_means(attest_instance *instance, struct theft *t, bool zero)
{
    double a = 1 + (double)theft_random_choice(t, 4), s = 1 + (double)theft_random_choice(t, 4);
    double b = a + 2 * s + 1 + (double)theft_random_choice(t, 4), y = zero ? 0 : -1;
    double token[] = {y, a, b, y, a + s, b - s};
    draft d = gen_line(t);

    d.u[1][0] = zero;
    ATTEST_TRY(set_weights(&instance->weights, &d));
    return set_pair(&instance->dataset, token, 3, 1);
}

/* (x, y) and (x', y) with v.x = v.x'. */
static attest_status gen_blind(attest_instance *instance, struct theft *t)
{
    double x = 1 + (double)theft_random_choice(t, 8),
           y = -1 - (double)theft_random_choice(t, 8);
    double token[] = {x, 0, y, 0, x, 1 + (double)theft_random_choice(t, 8), y, 0};
    draft d = gen_line(t);

    d.dim = 2;
    d.o[1] = 3; /* w is parallel to no difference: (0, .) and (., .) */
    d.o_shift = 8;
    ATTEST_TRY(set_weights(&instance->weights, &d));
    return set_pair(&instance->dataset, token, 2, 2);
}

/* (x, y) and (x', y): with w = 0 the head adds nothing to y. */
static attest_status gen_idle(attest_instance *instance, struct theft *t)
{
    double x = 1 + (double)theft_random_choice(t, 8),
           y = -1 - (double)theft_random_choice(t, 8);
    double token[] = {x, y, x + 1, y};
    draft d = gen_line(t);

    d.o[0] = 0;
    ATTEST_TRY(set_weights(&instance->weights, &d));
    return set_pair(&instance->dataset, token, 2, 1);
}

/* (x) and (y), w = -1: x + (v.x) w = 0. */
static attest_status gen_cancelling(attest_instance *instance, struct theft *t)
{
    double x = 1 + (double)theft_random_choice(t, 8),
           y = -1 - (double)theft_random_choice(t, 8);
    double token[] = {x, y};
    draft d = gen_line(t);

    d.o[0] = -1;
    d.o_shift = 0;
    ATTEST_TRY(set_weights(&instance->weights, &d));
    return set_pair(&instance->dataset, token, 1, 1);
}

/* Draws data and a head that meet the hypotheses except the dropped one. If one is dropped, the
 * conclusion fails:
 *
 *   nonzero, kappa  contexts with equal means, on which alone a zero query or score depends
 *   injective       two tokens with the same v.x
 *   w               the head adds nothing to the tokens
 *   apart           w = -1 cancels the difference that the skip connection keeps */
static attest_status gen(attest_instance *instance, struct theft *t,
                         const attest_setting *setting)
{
    if (!setting->without)
        return gen_all(instance, t);
    if (attest_setting_drops(setting, "kappa"))
        return gen_means(instance, t, false);
    if (attest_setting_drops(setting, "nonzero"))
        return gen_means(instance, t, true);
    if (attest_setting_drops(setting, "injective"))
        return gen_blind(instance, t);
    return attest_setting_drops(setting, "w") ? gen_idle(instance, t)
                                              : gen_cancelling(instance, t);
}

static const attest_hypothesis hypotheses[] = {
    {"nonzero", "no token is zero"},
    {"kappa", "kappa = u_1 . u_2 is not 0"},
    {"injective", "v tells all tokens and 0 apart"},
    {"w", "w = W_O u_3 is not 0"},
    {"apart", "|w| (max v.x - min v.x) < min |x - x'|, or w is parallel to no x - x'"},
    {0},
};

const attest_statement attest_statement_tuned = {
    .name = "tuned",
    .title = "A softmax head of rank 1 needs no gap to tell contexts apart",
    .source = "our own",
    .text =
        "Let data and weights be rational, one softmax head with skip, W_Q = u_1 v^T, W_K = "
        "u_2 v^T, W_V = u_3 v^T. Under the hypotheses the head is a contextual mapping with "
        "delta = 0: with repetitions, different lengths, and with a causal mask as well.",
    .hypotheses = hypotheses,
    .decided_by = "doubles with error bounds, and balls and the zero test where they do not "
                  "suffice",
    .note = "proofs-notes/tuned.md",
    .machine = "given Lindemann-Weierstrass: proofs-notes/coq/tuned.v, tuned_contextual",
};

/* The memory that is kept from call to call. */
typedef struct memory {
    size_t room;
    bool *wanted;
    attest_filter_answer *answer;
    attest_doubles doubles;
    attest_verdicts verdicts;
} memory;

static void forget(void *kept)
{
    memory *m = kept;

    if (!m)
        return;
    attest_verdicts_clear(&m->verdicts);
    attest_doubles_clear(&m->doubles);
    free(m->wanted);
    free(m->answer);
    free(m);
}

static attest_status remember(void **kept, size_t count)
{
    memory *m = *kept;

    if (!m) {
        m = *kept = attest_memory_alloc(1, sizeof *m);
        if (!m)
            return ATTEST_NOMEM;
        attest_doubles_init(&m->doubles);
        attest_verdicts_init(&m->verdicts);
    }
    if (count <= m->room)
        return ATTEST_OK;
    free(m->wanted);
    free(m->answer);
    m->wanted = attest_memory_alloc(count, sizeof *m->wanted);
    m->answer = attest_memory_alloc(count, sizeof *m->answer);
    m->room = m->wanted && m->answer ? count : 0;
    return m->room ? ATTEST_OK : ATTEST_NOMEM;
}

static void judge(attest_trial *trial, const attest_filter_answer *answer,
                  const attest_instance *instance)
{
    if (instance->weights.mask == ATTEST_MASK_CAUSAL)
        attest_trial_label(trial, "causal mask");
    if (strcmp(answer->method, "filter") == 0)
        attest_trial_label(trial, "decided by doubles");
    attest_trial_label_dataset(trial, &instance->dataset);
    if (answer->verdict == ATTEST_UNDECIDED)
        attest_trial_open(trial, "not decided by %s", answer->method);
    if (answer->verdict != ATTEST_REFUTED)
        return;
    attest_trial_violated(trial, "contextual-mapping", "two outputs are equal");
    trial->has_pair = true;
    trial->pair[0] = answer->place[0], trial->pair[1] = answer->place[1];
}

static attest_status decide_many(attest_trial *trial, const attest_instance *instance,
                                 size_t count, void **kept, const attest_setting *setting,
                                 attest_error *error)
{
    memory *m;

    if (remember(kept, count) != ATTEST_OK)
        return attest_memory_fail(error);
    m = *kept;
    if (attest_doubles_set(&m->doubles, instance, count) != ATTEST_OK)
        return attest_memory_fail(error);
    for (size_t i = 0; i < count; i++)
        m->wanted[i] =
            m->doubles.fits[i] && ((!setting->without && attest_tuned_surely(&instance[i])) ||
                                   attest_tuned_exactly(&instance[i], setting));
    ATTEST_TRY(attest_verdicts_get(m->answer, &m->verdicts, &m->doubles, m->wanted, error));
    for (size_t i = 0; i < count; i++)
        if (m->wanted[i])
            judge(&trial[i], &m->answer[i], &instance[i]);
        else
            trial[i].outcome = ATTEST_DISCARDED;
    return ATTEST_OK;
}

static attest_status decide(attest_trial *trial, const attest_instance *instance,
                            const attest_setting *setting, attest_error *error)
{
    void *kept = NULL;
    attest_status status = decide_many(trial, instance, 1, &kept, setting, error);

    forget(kept);
    return status;
}

static const attest_droppable droppable[] = {
    {"nonzero", true}, {"kappa", true}, {"injective", true}, {"w", true}, {"apart", true}, {0},
};

const attest_property attest_property_tuned = {
    .name = "tuned",
    .title = "rank-1 heads without any gap are contextual mappings, on datasets of doubles",
    .statement = "tuned",
    .definition = "contextual-mapping",
    .gen = gen,
    .decide = decide,
    .decide_many = decide_many,
    .forget = forget,
    .droppable = droppable,
    .trials = 1 << 16,
    .chunk = 1 << 13,
};
