/* Definition 1: extremes against brute force in rationals; strictness at the exact boundary. */
#include "theory/separated.h"

#include "tests/tap.h"

enum { MOST_TOKENS = 40, MOST_DIM = 12 };

static uint64_t state;

static slong below(slong n)
{
    return (slong)(tap_random(&state) % (uint64_t)n);
}

/* A random dataset, rational or of doubles, with ties and repetitions. */
static bool make(attest_dataset *dataset, size_t dim, bool real)
{
    attest_dataset_builder builder;
    attest_error error;
    double x[MOST_DIM];
    fmpq *q = _fmpq_vec_init((slong)dim);
    size_t sequences = 1 + (size_t)below(4);
    slong span = 2 + below(50);
    bool ok = true;

    attest_dataset_builder_init(&builder, dim, real ? ATTEST_TABLE_REAL : ATTEST_TABLE_RATIONAL,
                                NULL);
    for (size_t i = 0; ok && i < sequences; i++) {
        size_t length = 1 + (size_t)below(MOST_TOKENS / 4);
        for (size_t k = 0; ok && k < length; k++) {
            for (size_t c = 0; c < dim; c++) {
                slong n = below(2 * span) - span, m = real ? 1 : 1 + below(3);
                x[c] = (double)n / 8;
                fmpq_set_si(q + c, n, (ulong)m);
            }
            ok = (real ? attest_dataset_builder_add_doubles(&builder, x, 1, &error)
                       : attest_dataset_builder_add_token(&builder, q, &error)) == ATTEST_OK;
        }
        ok = ok && attest_dataset_builder_end_sequence(&builder, &error) == ATTEST_OK;
    }
    ok = ok && attest_dataset_builder_finish(dataset, &builder, &error) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(q, (slong)dim);
    return ok;
}

/* |x_a - x_b|^2, or |x_a|^2 for b = SIZE_MAX, from the definition. */
static void square(fmpq_t s, const attest_dataset *dataset, size_t a, size_t b)
{
    fmpq_t x, y;

    fmpq_init(x);
    fmpq_init(y);
    fmpq_zero(s);
    for (size_t c = 0; c < dataset->dim; c++) {
        attest_tokens_get_entry(x, &dataset->tokens, a, c);
        if (b != SIZE_MAX) {
            attest_tokens_get_entry(y, &dataset->tokens, b, c);
            fmpq_sub(x, x, y);
        }
        fmpq_addmul(s, x, x);
    }
    fmpq_clear(x);
    fmpq_clear(y);
}

static bool at(const attest_dataset *dataset, attest_place place, size_t t)
{
    return place.sequence < dataset->count &&
           attest_dataset_token(dataset, place.sequence, place.position) == t;
}

static bool agrees(const attest_separated *x, const attest_dataset *dataset)
{
    size_t count = dataset->tokens.count, least = 0, most = 0, a = SIZE_MAX, b = 0;
    fmpq_t s, low, high, eps;
    bool ok;

    fmpq_init(s), fmpq_init(low), fmpq_init(high), fmpq_init(eps);
    for (size_t t = 0; t < count; t++) {
        square(s, dataset, t, SIZE_MAX);
        if (t == 0 || fmpq_cmp(s, low) < 0)
            fmpq_set(low, s), least = t;
        if (t == 0 || fmpq_cmp(s, high) > 0)
            fmpq_set(high, s), most = t;
        for (size_t u = t + 1; u < count; u++) {
            square(s, dataset, t, u);
            if (a == SIZE_MAX || fmpq_cmp(s, eps) < 0)
                fmpq_set(eps, s), a = t, b = u;
        }
    }
    ok = fmpq_equal(low, x->r_min_square) && fmpq_equal(high, x->r_max_square) &&
         at(dataset, x->r_min, least) && at(dataset, x->r_max, most) &&
         x->has_pair == (a != SIZE_MAX);
    if (ok && x->has_pair)
        ok = fmpq_equal(eps, x->eps_square) && at(dataset, x->eps[0], a) &&
             at(dataset, x->eps[1], b);
    fmpq_clear(s), fmpq_clear(low), fmpq_clear(high), fmpq_clear(eps);
    return ok;
}

static void try_random(void)
{
    size_t failed = 0;

    for (int round = 0; round < 300; round++) {
        attest_dataset dataset;
        attest_separated extremes;
        attest_error error;
        attest_dataset_init(&dataset);
        attest_separated_init(&extremes);
        failed += !(make(&dataset, 1 + (size_t)below(MOST_DIM), below(2)) &&
                    attest_separated_get(&extremes, &dataset, &error) == ATTEST_OK &&
                    agrees(&extremes, &dataset));
        attest_separated_clear(&extremes);
        attest_dataset_clear(&dataset);
    }
    TAP_OK(failed == 0, "extremes of 300 datasets (%zu failed)", failed);
}

/* Tokens (3,4) and (0,0) with a third at distance exactly 1: all extremes are rational. */
static void try_boundary(void)
{
    const double x[] = {3, 4, 0, 0, 1, 0, 3, 4};
    attest_dataset_builder builder;
    attest_dataset dataset;
    attest_separated e;
    attest_error error;
    fmpq_t bound, tiny;

    attest_dataset_init(&dataset);
    attest_separated_init(&e);
    attest_dataset_builder_init(&builder, 2, ATTEST_TABLE_REAL, NULL);
    TAP_OK(attest_dataset_builder_add_sequences(&builder, x, 1, 4, &error) == ATTEST_OK &&
               attest_dataset_builder_finish(&dataset, &builder, &error) == ATTEST_OK &&
               attest_separated_get(&e, &dataset, &error) == ATTEST_OK,
           "extremes of (3,4), 0, (1,0), (3,4)");
    attest_dataset_builder_clear(&builder);
    fmpq_init(bound);
    fmpq_init(tiny);
    fmpq_set_si(tiny, 1, 1);
    fmpq_div_2exp(tiny, tiny, 5000);
    fmpq_set_si(bound, 5, 1);
    TAP_OK(attest_separated_check(&e, NULL, bound, NULL) == ATTEST_SEPARATED_R_MAX,
           "r_max = 5 fails: the inequality is strict");
    fmpq_add(bound, bound, tiny);
    TAP_OK(attest_separated_check(&e, NULL, bound, NULL) == ATTEST_SEPARATED_HOLDS,
           "r_max = 5 + 2^-5000 holds");
    fmpq_set_si(bound, 1, 1);
    TAP_OK(attest_separated_check(&e, NULL, NULL, bound) == ATTEST_SEPARATED_EPS,
           "eps = 1 fails");
    fmpq_sub(bound, bound, tiny);
    TAP_OK(attest_separated_check(&e, NULL, NULL, bound) == ATTEST_SEPARATED_HOLDS,
           "eps = 1 - 2^-5000 holds");
    fmpq_zero(bound);
    TAP_OK(attest_separated_check(&e, bound, NULL, NULL) == ATTEST_SEPARATED_R_MIN,
           "r_min = 0 fails for a zero token");
    TAP_OK(attest_separated_check(&e, NULL, NULL, NULL) == ATTEST_SEPARATED_HOLDS,
           "no bound, nothing to fail");
    TAP_OK(!e.no_duplicates && e.duplicate[0].position == 0 && e.duplicate[1].position == 3,
           "the repetition is found");
    fmpq_clear(bound);
    fmpq_clear(tiny);
    attest_separated_clear(&e);
    attest_dataset_clear(&dataset);
}

/* Norms and distances that differ by 10^-30 of 1 and by 10^-60: 1, 1 + e, 5, 5 + e + e^2 with e
 * = 10^-30, in all orders. */
static void try_close(void)
{
    fmpq *x = _fmpq_vec_init(4);
    int right = 0, total = 0;
    fmpq_t e;

    fmpq_init(e);
    fmpz_ui_pow_ui(fmpq_denref(e), 10, 30);
    fmpz_one(fmpq_numref(e));
    fmpq_set_si(x, 1, 1);
    fmpq_add(x + 1, x, e);
    fmpq_set_si(x + 2, 5, 1);
    fmpq_mul(x + 3, e, e);
    fmpq_add(x + 3, x + 3, e);
    fmpq_add(x + 3, x + 3, x + 2);
    for (int order = 0; order < 256; order++) {
        int at[] = {order % 4, order / 4 % 4, order / 16 % 4, order / 64};
        attest_dataset_builder builder;
        attest_dataset dataset;
        attest_separated extremes;
        attest_error error;
        bool ok = true;

        if ((1 << at[0] | 1 << at[1] | 1 << at[2] | 1 << at[3]) != 15)
            continue;
        attest_dataset_init(&dataset);
        attest_separated_init(&extremes);
        attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_RATIONAL, NULL);
        for (int k = 0; k < 4; k++)
            ok = ok &&
                 attest_dataset_builder_add_token(&builder, x + at[k], &error) == ATTEST_OK;
        ok = ok && attest_dataset_builder_end_sequence(&builder, &error) == ATTEST_OK &&
             attest_dataset_builder_finish(&dataset, &builder, &error) == ATTEST_OK &&
             attest_separated_get(&extremes, &dataset, &error) == ATTEST_OK;
        right += ok && agrees(&extremes, &dataset) && fmpq_is_one(extremes.r_min_square);
        total++;
        attest_dataset_builder_clear(&builder);
        attest_separated_clear(&extremes);
        attest_dataset_clear(&dataset);
    }
    TAP_OK(right == total && total == 24, "%d of %d orders of close norms and distances", right,
           total);
    _fmpq_vec_clear(x, 4);
    fmpq_clear(e);
}

/* Many tokens on a line, x_t = 3 + t + t (t - 1) / 2^14: the distances grow from 1 on. Doubles
 * leave few pairs to exact arithmetic; all of them would take minutes. */
static void try_many(bool real)
{
    enum { MANY = 16000 };
    attest_dataset_builder builder;
    attest_dataset dataset;
    attest_separated e;
    attest_error error;
    fmpq *q = _fmpq_vec_init(1);
    bool ok = true;

    attest_dataset_init(&dataset);
    attest_separated_init(&e);
    attest_dataset_builder_init(&builder, 1, real ? ATTEST_TABLE_REAL : ATTEST_TABLE_RATIONAL,
                                NULL);
    for (slong t = 0; t < MANY && ok; t++) {
        double x;

        fmpq_set_si(q, t * (t - 1) + (3 + t) * 16384, 16384);
        x = fmpq_get_d(q);
        ok = (real ? attest_dataset_builder_add_doubles(&builder, &x, 1, &error)
                   : attest_dataset_builder_add_token(&builder, q, &error)) == ATTEST_OK;
    }
    ok = ok && attest_dataset_builder_end_sequence(&builder, &error) == ATTEST_OK &&
         attest_dataset_builder_finish(&dataset, &builder, &error) == ATTEST_OK &&
         attest_separated_get(&e, &dataset, &error) == ATTEST_OK;
    fmpq_mul(q, q, q);
    TAP_OK(ok && fmpq_equal_si(e.r_min_square, 9) && fmpq_equal(e.r_max_square, q) &&
               fmpq_is_one(e.eps_square) && e.r_min.position == 0 &&
               e.r_max.position == MANY - 1 && e.eps[0].position == 0 &&
               e.eps[1].position == 1 && e.no_duplicates,
           "%d %s", MANY, real ? "doubles" : "rationals");
    attest_dataset_builder_clear(&builder);
    attest_separated_clear(&e);
    attest_dataset_clear(&dataset);
    _fmpq_vec_clear(q, 1);
}

TEST(separated)
{
    state = tap_seed(0x5e9a7a7ed);
    try_random();
    try_boundary();
    try_close();
    try_many(true);
    try_many(false);
    flint_cleanup();
    return 0;
}
