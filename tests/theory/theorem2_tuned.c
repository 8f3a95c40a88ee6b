/* What the search of `tuned` finds, against the definition of what it maximises: D / (D + R)
 * over contexts position by position, |w| = eps / (D + R), and directions drawn here. */
#include <math.h>

#include "theory/theorem2.h"

#include "tests/tap.h"

enum { MOST_TOKENS = 12, MOST_POSITIONS = 64, MOST_DIM = 3 };

/* Sequences of n different tokens of few, whole numbers but 0 over the scale. */
static void gen_dataset(attest_dataset *data, size_t dim, size_t n, size_t count, ulong scale,
                        uint64_t *state)
{
    long table[MOST_TOKENS][MOST_DIM];
    attest_dataset_builder builder;
    fmpq *token = _fmpq_vec_init((slong)dim);
    size_t few = n + 1 + tap_random(state) % 3;

    for (size_t t = 0; t < few; t++)
        for (size_t e = 0; e < dim; e++) /* different in the first entry */
            table[t][e] = e == 0 ? (long)(2 * t + 1) * (t % 2 ? 1 : -1)
                                 : (long)(tap_random(state) % 9) - 4;
    attest_dataset_builder_init(&builder, dim, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t i = 0; i < count; i++) {
        size_t first = tap_random(state) % few, step = 1 + tap_random(state) % 2;

        if (few % 2 == 0)
            step = 1;
        for (size_t k = 0; k < n; k++) {
            for (size_t e = 0; e < dim; e++)
                fmpq_set_si(token + e, table[(first + k * step) % few][e], scale);
            if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK)
                abort();
        }
        if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_finish(data, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(token, (slong)dim);
}

/* A position: its query, and which tokens it sees; no token is seen twice. */
typedef struct position {
    uint32_t query;
    unsigned long seen; /* a bit for each */
} position;

static size_t list_positions(position *all, const attest_dataset *data, attest_mask mask)
{
    size_t count = 0;

    for (size_t i = 0; i < data->count; i++)
        for (size_t k = 0; k < attest_dataset_length(data, i); k++) {
            size_t end = mask == ATTEST_MASK_CAUSAL ? k + 1 : attest_dataset_length(data, i);

            all[count] = (position){attest_dataset_token(data, i, k), 0};
            for (size_t j = 0; j < end; j++)
                all[count].seen |= 1UL << attest_dataset_token(data, i, j);
            count++;
        }
    return count;
}

static double average(const position *p, const double *along, size_t tokens, double kappa)
{
    double mass = 0, sum = 0;

    for (size_t t = 0; t < tokens; t++)
        if (p->seen >> t & 1) {
            double weight = exp(kappa * along[p->query] * (along[t] - along[p->query]));

            mass += weight;
            sum += weight * along[t];
        }
    return sum / mass;
}

/* D and R for v, kappa; D is infinite where no token has two contexts. */
static void measure(double *least, double *range, const attest_dataset *data, attest_mask mask,
                    const double *v, double kappa)
{
    double along[MOST_TOKENS], low = INFINITY, high = -INFINITY, mean[MOST_POSITIONS];
    position all[MOST_POSITIONS];
    size_t count = list_positions(all, data, mask);
    fmpq_t x;

    fmpq_init(x);
    for (size_t t = 0; t < data->tokens.count; t++) {
        along[t] = 0;
        for (size_t e = 0; e < data->dim; e++) {
            attest_tokens_get_entry(x, &data->tokens, t, e);
            along[t] += v[e] * fmpq_get_d(x);
        }
        low = fmin(low, along[t]);
        high = fmax(high, along[t]);
    }
    fmpq_clear(x);
    *range = high - low;
    *least = INFINITY;
    for (size_t a = 0; a < count; a++) {
        mean[a] = average(&all[a], along, data->tokens.count, kappa);
        for (size_t b = 0; b < a; b++)
            if (all[a].query == all[b].query && all[a].seen != all[b].seen)
                *least = fmin(*least, fabs(mean[a] - mean[b]));
    }
}

static double ratio_of(double least, double range)
{
    return isinf(least) ? 1 : least / (least + range);
}

/* The best of a few directions, and of many kappas. */
static double try_some(const attest_dataset *data, attest_mask mask, double scale,
                       uint64_t *state)
{
    double best = 0;

    for (int i = 0; i < (data->dim == 1 ? 1 : 12); i++) {
        double v[MOST_DIM] = {1}, norm = 1;

        if (data->dim > 1) {
            norm = 0;
            for (size_t e = 0; e < data->dim; e++) {
                v[e] = (double)(tap_random(state) % 2001) - 1000;
                norm += v[e] * v[e];
            }
        }
        for (double kappa = 1e-4; kappa < 100; kappa *= 1.2) {
            double least, range;

            measure(&least, &range, data, mask, v, kappa / norm * scale * scale);
            best = fmax(best, ratio_of(least, range));
        }
    }
    return best;
}

/* b within a factor 1 + 10^-5 of a. */
static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-5 * fabs(a);
}

/* Returns whether w is as long as D and R want it, r is what it makes of r_max, and nothing
 * drawn here is better. */
static bool is_tuned(const attest_construction *c, const attest_dataset *data, double scale,
                     uint64_t *state)
{
    double v[MOST_DIM], least, range, square = 0, size, r_max = fmpq_get_d(c->r_max.value);
    double best;

    for (size_t e = 0; e < c->dim; e++) {
        v[e] = fmpq_get_d(c->direction + e);
        square += fmpq_get_d(c->output + e) * fmpq_get_d(c->output + e);
    }
    measure(&least, &range, data, c->mask, v, fmpq_get_d(c->kappa));
    best = try_some(data, c->mask, scale, state);
    size = fmpq_get_d(c->eps.value) / (isinf(least) ? 2 * range : least + range);
    if (is_near(size, sqrt(square)) && is_near(r_max * (1 + size), fmpq_get_d(c->r)) &&
        ratio_of(least, range) >= 0.995 * best)
        return true;
    printf("# |w| %g, expected %g; r %g, %g; ratio %g, %g drawn\n", sqrt(square), size,
           fmpq_get_d(c->r), r_max * (1 + size), ratio_of(least, range), best);
    return false;
}

/* How many binary digits the number has between its first and its last 1; 0 where there is no
 * last. */
static long digits_of(const fmpq_t x)
{
    fmpz_t odd;
    long digits;

    if (fmpz_popcnt(fmpq_denref(x)) != 1)
        return 0;
    fmpz_init(odd);
    fmpz_tdiv_q_2exp(odd, fmpq_numref(x), fmpz_val2(fmpq_numref(x)));
    digits = (long)fmpz_bits(odd);
    fmpz_clear(odd);
    return digits;
}

/* The most digits that kappa and |w|, which is r / r_max - 1, have had. */
static void note_digits(long most[2], const attest_construction *c)
{
    long kappa = digits_of(c->kappa), size;
    fmpq_t x;

    fmpq_init(x);
    fmpq_div(x, c->r, c->r_max.value);
    fmpq_sub_si(x, x, 1);
    size = digits_of(x);
    most[0] = kappa > most[0] ? kappa : most[0];
    most[1] = size > most[1] ? size : most[1];
    fmpq_clear(x);
}

/* Tokens that are the same in doubles: no direction is found there, and any that separates them
 * exactly is taken. */
static void test_any(void)
{
    attest_construction c;
    attest_dataset data;
    attest_dataset_builder builder;
    attest_error error = {ATTEST_OK, ""};
    fmpq_t token;
    bool built;

    fmpq_init(token);
    attest_dataset_init(&data);
    attest_construction_init(&c);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
    for (int i = 0; i < 2; i++) {
        fmpq_set_ui(token, 1, 1);
        fmpq_div_2exp(token, token, 80);
        fmpq_mul_si(token, token, i);
        fmpq_add_si(token, token, 1);
        if (attest_dataset_builder_add_token(&builder, token, NULL) != ATTEST_OK ||
            attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_finish(&data, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    c.strategy = ATTEST_STRATEGY_TUNED;
    built = attest_construction_build(&c, &data, &error) == ATTEST_OK;
    TAP_OK(built && !c.hypothesis, "1 and 1 + 2^-80 %s", error.text);
    /* |w| <= eps / (2 * 2^-50 times the token), and kappa is 1 over its square */
    TAP_OK(built &&
               is_near(fmpq_get_d(c.kappa) * fmpq_get_d(c.direction) * fmpq_get_d(c.direction),
                       1) &&
               is_near(fabs(fmpq_get_d(c.output)) / fmpq_get_d(c.eps.value),
                       0x1p49 / fabs(fmpq_get_d(c.direction))),
           "kappa and |w| follow from the size of the token: %g, %g",
           built ? fmpq_get_d(c.kappa) : 0, built ? fmpq_get_d(c.output) : 0);
    attest_construction_clear(&c);
    attest_dataset_clear(&data);
    fmpq_clear(token);
}

TEST(theorem2_tuned)
{
    uint64_t state = tap_seed(0x7e0e);
    long digits[2] = {0, 0};

    for (int trial = 0; trial < 24; trial++) {
        size_t dim = 1 + (size_t)trial % 3, n = 2 + tap_random(&state) % 3;
        size_t count = trial < 4 ? 1 : 3 + tap_random(&state) % 8;
        ulong scale = trial % 4 < 2 ? 1 : 1000;
        attest_construction c;
        attest_dataset data;

        attest_dataset_init(&data);
        attest_construction_init(&c);
        gen_dataset(&data, dim, n, count, scale, &state);
        c.strategy = ATTEST_STRATEGY_TUNED;
        c.mask = trial % 2 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
        c.seed = (uint64_t)trial + 1;
        TAP_OK(attest_construction_build(&c, &data, NULL) == ATTEST_OK && !c.hypothesis &&
                   c.formula && is_tuned(&c, &data, (double)scale, &state),
               "%zu sequences of %zu tokens, d = %zu%s, over %lu", count, n, dim,
               trial % 2 ? ", causal" : "", scale);
        note_digits(digits, &c);
        attest_construction_clear(&c);
        attest_dataset_clear(&data);
    }
    /* rounded to 24, or one more */
    TAP_OK(digits[0] == 25 && digits[1] == 25, "kappa and |w| have few bits: %ld, %ld",
           digits[0], digits[1]);
    test_any();
    flint_cleanup();
    return 0;
}
