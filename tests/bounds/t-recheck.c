/* The terms of the second route's bounds (proofs-notes/certify.md, "Evaluation in doubles" and
 * the grid), each with an instance that needs it. The steps of double_eval.c are called one by
 * one where others would hide them. */
#include <string.h>

#include "recheck/check.c"
#include "recheck/double_eval.c"
#include "tests/bounds/exact.h"
#include "tests/bounds/recheck_rows.h"
#include "tests/bounds/table.h"

#define U 0x1p-53
#define BIT 0x1p-10
enum { LONG = 1000, SCALE = 120 /* entries are whole multiples of 2^-SCALE */ };

/* Just below, and above, the square root of u: 1 + LOST * LOST is rounded to 1, 1 + GAINED *
 * LOST to 1 + 2 u. */
#define LOST (0x1.6a09e667f3bccp-27 * (1 - BIT))
#define GAINED (0x1.6a09e667f3bccp-27 * (1 + 3 * BIT))

/* A layer of one head (weights: Q, K, V size x dim, O dim x size) and one sequence; entries are
 * sums of two doubles. */
typedef struct scene {
    size_t dim, size, length;
    attest_dataset dataset;
    attest_weights weights;
    attest_recheck check;
    attest_recheck_double_eval *eval;
    fmpq *token;
} scene;

static attest_matrix *matrix_of(scene *s, int m)
{
    attest_head *head = s->weights.head;

    return (attest_matrix *[]){&head->wq, &head->wk, &head->wv, &head->wo}[m];
}

static void scene_init(scene *s, size_t dim, size_t size, size_t length)
{
    *s = (scene){.dim = dim, .size = size, .length = length};
    attest_dataset_init(&s->dataset);
    attest_weights_init(&s->weights);
    if (attest_weights_resize(&s->weights, 1) != ATTEST_OK)
        abort();
    s->weights.dim = dim;
    s->weights.activation = ATTEST_SOFTMAX;
    s->weights.skip = false;
    for (int m = 0; m < 4; m++) {
        attest_matrix_resize(matrix_of(s, m), m < 3 ? size : dim, m < 3 ? dim : size);
        fmpz_one(matrix_of(s, m)->denominator);
        fmpz_mul_2exp(matrix_of(s, m)->denominator, matrix_of(s, m)->denominator, SCALE);
    }
    s->token = _fmpq_vec_init((slong)(length * dim));
}

/* x = (a + b) 2^SCALE. */
static void set_number(fmpz_t x, double a, double b)
{
    fmpz_t part;

    fmpz_init(part);
    fmpz_set_d(x, ldexp(a, SCALE));
    fmpz_set_d(part, ldexp(b, SCALE));
    fmpz_add(x, x, part);
    fmpz_clear(part);
}

static void set_weight(scene *s, int m, size_t e, double a, double b)
{
    set_number(matrix_of(s, m)->entry + e, a, b);
}

static void set_token(scene *s, size_t e, double a, double b)
{
    fmpz *whole = fmpq_numref(s->token + e);

    set_number(whole, a, b);
    fmpq_div_2exp(s->token + e, s->token + e, SCALE);
}

/* Builds the dataset and the evaluation, after all entries are set. */
static void scene_start(scene *s)
{
    attest_dataset_builder builder;

    attest_dataset_builder_init(&builder, s->dim, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t j = 0; j < s->length; j++)
        if (attest_dataset_builder_add_token(&builder, s->token + j * s->dim, NULL) !=
            ATTEST_OK)
            abort();
    if (attest_dataset_builder_end_sequence(&builder, NULL) != ATTEST_OK ||
        attest_dataset_builder_finish(&s->dataset, &builder, NULL) != ATTEST_OK ||
        attest_recheck_init(&s->check, &s->dataset, &s->weights, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
    s->eval = attest_recheck_double_eval_new(&s->check);
    if (!s->eval)
        abort();
}

static void scene_clear(scene *s)
{
    attest_recheck_double_eval_free(s->eval);
    attest_recheck_clear(&s->check);
    attest_weights_clear(&s->weights);
    attest_dataset_clear(&s->dataset);
    _fmpq_vec_clear(s->token, (slong)(s->length * s->dim));
}

/* Returns the error of the first output divided by its bound, or INFINITY if it has no bound.
 * Clears the scene. */
static double output_ratio(scene *s)
{
    double *out = calloc(s->dim, sizeof *out), error, ratio = INFINITY;
    arb_ptr exact = _arb_vec_init((slong)s->dim);

    scene_start(s);
    if (attest_recheck_double_eval_get(out, &error, s->eval, &s->check, 0)) {
        attest_recheck_enclose(exact, &s->check, 0, EXACT_BITS);
        ratio = exact_ratio(out, exact, s->dim, error);
    }
    _arb_vec_clear(exact, (slong)s->dim);
    free(out);
    scene_clear(s);
    return ratio;
}

/* exact = (1 + count LOST^2)^power. */
static void set_long(arb_t exact, ulong count, ulong power)
{
    arb_set_d(exact, LOST);
    arb_sqr(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, count, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    arb_pow_ui(exact, exact, power, EXACT_BITS);
}

/* The error divided by the bound, of the score (or the value) of a single token; rows of the
 * matrices are (1, LOST, LOST, ...) along dim or size. */
static double long_ratio(size_t dim, size_t size, bool value)
{
    double *out = calloc(dim, sizeof *out), error, ratio;
    double_head *head;
    arb_t exact;
    scene s;

    scene_init(&s, dim, size, 1);
    for (size_t e = 0; e < dim * size; e++)
        for (int m = 0; m < 4; m++)
            set_weight(&s, m, e, m == 3 && e >= size ? 0 : e ? LOST : 1, 0);
    for (size_t c = 0; c < dim; c++)
        set_token(&s, c, c ? LOST : 1, 0);
    scene_start(&s);
    (void)attest_recheck_double_eval_get(out, &error, s.eval, &s.check, 0);
    arb_init(exact);
    set_long(exact, LONG - 1, !value && dim > 1 ? 2 : 1);
    head = &s.eval->head[0];
    if (value) {
        ratio = exact_ratio(head->value, exact, 1, value_error(size, dim) * head->value_norm);
    } else {
        (void)get_scores(s.eval, &error, head, 0, 1);
        ratio = exact_ratio(s.eval->score, exact, 1, error);
    }
    arb_clear(exact);
    free(out);
    scene_clear(&s);
    return ratio;
}

static double score_width(void)
{
    return long_ratio(1, LONG, false);
}

static double score_dim(void)
{
    return long_ratio(LONG, 1, false);
}

static double value_width(void)
{
    return long_ratio(1, LONG, true);
}

static double value_dim(void)
{
    return long_ratio(LONG, 1, true);
}

/* All entries are 1 + 0.999 u, which is 1 as a double. */
static double entries_ratio(bool value)
{
    const double off = U * (1 - BIT);
    double out, error, ratio;
    double_head *head;
    arb_t exact, t;
    scene s;

    scene_init(&s, 1, 1, 1);
    for (int m = 0; m < 4; m++)
        set_weight(&s, m, 0, 1, off);
    set_token(&s, 0, 1, off);
    scene_start(&s);
    (void)attest_recheck_double_eval_get(&out, &error, s.eval, &s.check, 0);
    arb_init(exact), arb_init(t);
    arb_set_d(exact, 1);
    arb_set_d(t, off);
    arb_add(exact, exact, t, EXACT_BITS);
    arb_pow_ui(exact, exact, value ? 3 : 4, EXACT_BITS);
    head = &s.eval->head[0];
    if (value) {
        ratio = exact_ratio(head->value, exact, 1, value_error(1, 1) * head->value_norm);
    } else {
        (void)get_scores(s.eval, &error, head, 0, 1);
        ratio = exact_ratio(s.eval->score, exact, 1, error);
    }
    arb_clear(exact), arb_clear(t);
    scene_clear(&s);
    return ratio;
}

static double score_entries(void)
{
    return entries_ratio(false);
}

static double value_entries(void)
{
    return entries_ratio(true);
}

/* Two tokens of scores near 2^16, from 1000 products that are lost for one and gained for the
 * other (except for the last few), and the values 1 and -1. */
static void set_opposite(scene *s, size_t gained)
{
    scene_init(s, 2, LONG, 2);
    for (size_t r = 0; r < LONG; r++) {
        set_weight(s, 0, 2 * r, r ? LOST : 1, 0);
        set_weight(s, 0, 2 * r + 1, r ? LOST : 1, 0);
        set_weight(s, 1, 2 * r, 0x1p16 * (r == 0 ? 1 : r < gained ? GAINED : 0), 0);
        set_weight(s, 1, 2 * r + 1, 0x1p16 * (r ? LOST : 1), 0);
    }
    set_weight(s, 2, 0, 1, 0);
    set_weight(s, 2, 1, -1, 0);
    set_weight(s, 3, 0, 1, 0);
    set_token(s, 0, 1, 0);
    set_token(s, 3, 1, 0);
}

static double opposite_scores(void)
{
    scene s;

    set_opposite(&s, LONG);
    return output_ratio(&s);
}

/* In doubles the first token has the larger score, by nearly twice the error; exactly it has
 * the smaller one. */
static double winner(void)
{
    double ratio, error, out[2];
    scene s;

    set_opposite(&s, LONG - 10);
    s.weights.activation = ATTEST_HARDMAX;
    scene_start(&s);
    if (attest_recheck_double_eval_get(out, &error, s.eval, &s.check, 0)) {
        ratio = out[0] == -1 ? 1 : INFINITY;
    } else {
        (void)get_scores(s.eval, &error, &s.eval->head[0], 0, 2);
        ratio = (s.eval->score[0] - s.eval->score[1]) / (2 * error);
    }
    scene_clear(&s);
    return ratio;
}

/* The error divided by the bound, of the weights of 65536 tokens: scores are 8 + 2^-50 below
 * the first one, which is rounded to 8, and all have the error off. The error is the sum of
 * |computed - exact| divided by the sum of the weights. */
static double weights_ratio(double off, double bound)
{
    enum { COUNT = 1 << 16 };
    attest_recheck_double_eval quick = {.score = calloc(COUNT, sizeof(double))};
    double zero = 0, ratio;
    arb_t exact, one, sum;

    if (!quick.score)
        abort();
    for (size_t j = 0; j < COUNT; j++)
        quick.score[j] = j ? -8 : 0x1p-50;
    (void)set_weights(&quick, 0, COUNT);
    arb_init(exact), arb_init(one), arb_init(sum);
    arb_set_d(exact, -8 - off);
    arb_set_d(one, 0x1p-50);
    arb_sub(exact, exact, one, EXACT_BITS);
    arb_exp(exact, exact, EXACT_BITS);
    arb_set_d(one, quick.score[1]);
    arb_sub(one, one, exact, EXACT_BITS);
    arb_abs(one, one);
    arb_mul_ui(exact, exact, COUNT - 1, EXACT_BITS);
    arb_mul_ui(one, one, COUNT - 1, EXACT_BITS);
    arb_add_ui(sum, exact, 1, EXACT_BITS);
    arb_div(one, one, sum, EXACT_BITS);
    ratio = exact_ratio(&zero, one, 1, bound);
    arb_clear(exact), arb_clear(one), arb_clear(sum);
    free(quick.score);
    return ratio;
}

static double weight_scores(void)
{
    return weights_ratio(0x1p-24, weight_error(0x1p-24));
}

static double weight_roundings(void)
{
    return weights_ratio(0, weight_error(0));
}

/* 1000 weights near u, which vanish when they are added to 1; only the first value is not 0. */
static double average_sums(void)
{
    double score[LONG], value[LONG] = {1}, out = 0, ratio;
    attest_recheck_double_eval quick = {.dim = 1, .score = score};
    double_head head = {.value = value};
    arb_t exact;

    for (size_t j = 0; j < LONG; j++)
        score[j] = j ? log(U * (1 - BIT)) : 0;
    arb_init(exact);
    arb_set_d(exact, score[1]);
    arb_exp(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, LONG - 1, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    arb_inv(exact, exact, EXACT_BITS);
    add_average(&out, &quick, &head, 0, LONG);
    ratio = exact_ratio(&out, exact, 1, average_error(0, LONG));
    arb_clear(exact);
    return ratio;
}

/* A token 1, to which 1000 terms of about u are added. */
static double sums(void)
{
    scene s;

    scene_init(&s, 2, 1, LONG);
    s.weights.skip = true;
    set_weight(&s, 2, 1, 0x1p20, 0);
    set_weight(&s, 3, 0, U * LONG * (1 - BIT), 0);
    for (size_t j = 0; j < LONG; j++) {
        set_token(&s, 2 * j, j ? 0 : 1, 0);
        set_token(&s, 2 * j + 1, 0x1p-20, 0);
    }
    return output_ratio(&s);
}

/* A token just below 1 + u, which is rounded to 1, as is its sum with a term just below u. */
static double sums_token(void)
{
    scene s;

    scene_init(&s, 2, 1, 1);
    s.weights.skip = true;
    set_weight(&s, 2, 1, 0x1p20, 0);
    set_weight(&s, 3, 0, U * (1 - BIT), 0);
    set_token(&s, 0, 1, U * (1 - BIT));
    set_token(&s, 1, 0x1p-20, 0);
    return output_ratio(&s);
}

/* Counts the visited pairs of one position below first and one from first on. */
typedef struct visits {
    size_t first, count;
} visits;

static bool visit_second(void *state, size_t a, size_t b)
{
    visits *v = state;

    v->count += a < v->first && b >= v->first;
    return true;
}

/* Puts `each` positions at x and as many at y, with this error, all pairs of one at x and one
 * at y within reach. Returns whether the search for near pairs misses one of these pairs. */
static bool misses(const double *x, const double *y, size_t dim, size_t each, double error,
                   double reach)
{
    double *output = calloc(2 * each * dim, sizeof *output);
    double *errors = calloc(2 * each, sizeof *errors);
    uint32_t *group = calloc(2 * each, sizeof *group);
    attest_recheck check = {
        .dim = dim, .positions = 2 * each, .group = group, .output = output, .error = errors};
    visits seen = {each, 0};
    arf_t limit;

    if (!output || !errors || !group)
        abort();
    arf_init(limit);
    arf_set_d(limit, reach);
    for (size_t p = 0; p < 2 * each; p++) {
        memcpy(output + p * dim, p < each ? x : y, dim * sizeof *output);
        errors[p] = error;
        group[p] = (uint32_t)p;
    }
    if (attest_recheck_visit_near(&check, limit, visit_second, &seen, NULL) != ATTEST_OK)
        abort();
    arf_clear(limit);
    free(output), free(errors), free(group);
    return seen.count != each * each;
}

/* Two outputs exactly at the distance reach, whose doubles are farther apart by both errors, at
 * many places of the grid. */
static double grid_errors(void)
{
    const double error = 0x1p-10;
    double ratio = 1;

    for (int i = 0; i < 64; i++) {
        double x = -0.5 + i * 0.013, y = x + 3 * error;
        ratio = misses(&x, &y, 1, 1, error, error) ? INFINITY : ratio;
    }
    return ratio / (1 + 0x1p-20);
}

/* Two outputs at the reach, whose doubles are farther apart by errors that the sum with the
 * reach loses: from the beginning of one cell to just before the one below. */
static double grid_width(void)
{
    const double error = 0x1p-65, reach = 0x1p-10, x = reach, y = -2 * error;

    return misses(&x, &y, 1, 1, error, reach) ? INFINITY : 2 * error / (reach * 0x1p-20);
}

/* 8 differences between two cells, and 8 positions in each cell: one block. */
static double grid_product_errors(void)
{
    const double x = 0, y = 0.24, reach = 0x1p-10, error = 0.12 - 0x1p-11;

    return misses(&x, &y, 1, 8, error, reach) ? INFINITY : (y - reach) / (2 * error);
}

/* The first of eight partial sums adds 1 and 1999 squares just above u, each of which the
 * addition rounds up to 2 u. */
static double grid_sums(void)
{
    enum { DIM = 16000 };
    const double gained = 0x1.6a09e667f3bcdp-27 * (1 + BIT);
    double *x = calloc(DIM, sizeof *x), *y = calloc(DIM, sizeof *y), square = 1, reach, ratio;
    arb_t exact, t;

    if (!x || !y)
        abort();
    for (size_t c = 0; c < DIM; c += 8) {
        y[c] = c ? gained : 1;
        square += c ? gained * gained : 0;
    }
    arb_init(exact), arb_init(t);
    arb_set_d(exact, gained);
    arb_sqr(exact, exact, EXACT_BITS);
    arb_mul_ui(exact, exact, DIM / 8 - 1, EXACT_BITS);
    arb_add_ui(exact, exact, 1, EXACT_BITS);
    ratio = exact_ratio(&square, exact, 1, (DIM / 8 + 32) * U);
    arb_sqrt(t, exact, EXACT_BITS);
    reach = arf_get_d(arb_midref(t), ARF_RND_CEIL);
    ratio = misses(x, y, DIM, 1, 0, reach) ? INFINITY : ratio;
    arb_clear(exact), arb_clear(t);
    free(x), free(y);
    return ratio;
}

/* In units of 2^-1074, the squares are 9/16 and 9/16, and that of the reach is 6/5. */
static double grid_underflow(void)
{
    const double x[2] = {0}, y[2] = {0.75 * 0x1p-537, 0.75 * 0x1p-537};

    return misses(x, y, 2, 1, 0, 0x1.18p-537) ? INFINITY : 0x1p-1074 / 0x1p-1000;
}

/* Returns whether the search skips an output of at least this norm. */
static bool is_skipped(double *output, size_t dim, double error, double norm)
{
    const attest_recheck check = {
        .dim = dim, .positions = 1, .output = output, .error = &error};

    return !attest_recheck_may_reach(&check, 0, norm);
}

/* A norm of 1 + 2^-10, whose double is 1. */
static double norm_error(void)
{
    double x = 1;

    return is_skipped(&x, 1, BIT, 1 + BIT * (1 - BIT)) ? INFINITY : 1 - BIT;
}

/* 1 and 999 squares below u, which vanish when they are added. */
static double norm_sums(void)
{
    double x[LONG], computed = 1, ratio, norm;
    arb_t exact;

    for (size_t c = 0; c < LONG; c++)
        x[c] = c ? LOST : 1;
    arb_init(exact);
    set_long(exact, LONG - 1, 1);
    arb_sqrt(exact, exact, EXACT_BITS);
    ratio = exact_ratio(&computed, exact, 1, (LONG / 2 + 8) * U);
    norm = arf_get_d(arb_midref(exact), ARF_RND_FLOOR);
    arb_clear(exact);
    return is_skipped(x, LONG, 0, norm) ? INFINITY : ratio;
}

/* A norm of 2^-540, whose square underflows. */
static double norm_underflow(void)
{
    double x = 0x1p-540;

    return is_skipped(&x, 1, 0, x) ? INFINITY : 0x1p-540 / 0x1p-500;
}

/* The distance of middle + off from the double, divided by the bound. The ball has this radius
 * and the midpoint `middle`, or, for radius 0, is middle + off. Numbers are in [1/2, 1). */
static double sketch_ratio(double middle, double off, double radius)
{
    double x, error, ratio;
    arb_t exact, ball;
    slong own;

    arb_init(exact), arb_init(ball);
    arb_set_d(ball, middle);
    arb_set_d(exact, off);
    arb_add(exact, ball, exact, EXACT_BITS);
    if (radius > 0)
        mag_set_d(arb_radref(ball), radius);
    else
        arb_set(ball, exact);
    error = set_from_balls(&x, &own, ball, 1);
    ratio = own == 0 ? exact_ratio(&x, exact, 1, error) : NAN;
    arb_clear(exact), arb_clear(ball);
    return ratio;
}

static double sketch_radius(void)
{
    return sketch_ratio(0.5, BIT, BIT);
}

static double sketch_rounding(void)
{
    return sketch_ratio(0.75, 0x1p-54 * (1 - BIT), 0);
}

/* A midpoint that is rounded down by nearly 2^-55, and a radius of 1/2, which adding 2^-54 does
 * not change. */
static double sketch_sums(void)
{
    double x, error, ratio;
    arb_t exact, ball, part;
    slong own;

    arb_init(exact), arb_init(ball), arb_init(part);
    arb_set_d(ball, 0.25);
    arb_set_d(part, 0x1p-55 * (1 - BIT));
    arb_add(ball, ball, part, EXACT_BITS);
    arb_set(exact, ball); /* the number is 1/2 above it */
    mag_set_ui_2exp_si(arb_radref(ball), 1, -1);
    error = set_from_balls(&x, &own, ball, 1);
    ratio = own == 0 ? exact_ratio(&x, exact, 1, error - 0.5) : NAN;
    arb_clear(exact), arb_clear(ball), arb_clear(part);
    return ratio;
}

/* 1 and the least double, which is halved and lost. */
static double sketch_underflow(void)
{
    double x[2] = {1, 0x1p-1074}, error;
    slong own;

    error = set_from_doubles(x, &own, 1, 0, 2);
    return own != 1 || x[1] != 0 ? NAN : error > 0 ? 0x1p-1074 / error : INFINITY;
}

/* The same when two positions are scaled to a common exponent. */
static double finish_underflow(void)
{
    double x[2] = {0.5, 0x1p-1074}, error[2] = {0};
    slong own[2] = {1, 0};
    attest_recheck check = {.dim = 1, .positions = 2, .output = x, .error = error};

    finish(&check, own);
    return x[1] != 0 ? NAN : error[1] > 0 ? 0x1p-1074 / error[1] : INFINITY;
}

/* Two tokens, equal to their outputs, are 1 - 2^-10 apart; a certificate claims that no pair is
 * closer than 1. Returns INFINITY if the checker accepts it. */
static double near_ratio(attest_verdict verdict)
{
    attest_certificate certificate;
    verification v = {.certificate = &certificate, .max_bits = 1000, .holds = true};
    fmpq_t bound, slack;
    arf_t end;
    scene s;

    scene_init(&s, 1, 1, 2);
    s.weights.skip = true;
    set_token(&s, 1, 1 - BIT, 0);
    scene_start(&s);
    attest_certificate_init(&certificate);
    certificate.verdict = verdict;
    fmpq_init(bound), fmpq_init(slack), arf_init(end);
    threshold_init(&v.least), threshold_init(&v.delta);
    if (verdict == ATTEST_PROVED)
        fmpq_one(bound);
    else
        arf_one(end);
    set_bound(&v.delta, bound, slack, 2);
    set_end(&v.least, end, slack, 2);
    v.check = s.check;
    if (check_near(&v) != ATTEST_OK)
        abort();
    s.check = v.check;
    threshold_clear(&v.least), threshold_clear(&v.delta);
    fmpq_clear(bound), fmpq_clear(slack), arf_clear(end);
    attest_certificate_clear(&certificate);
    scene_clear(&s);
    return v.holds ? INFINITY : 1 - BIT;
}

static double near_delta(void)
{
    return near_ratio(ATTEST_PROVED);
}

static double near_least(void)
{
    return near_ratio(ATTEST_UNDECIDED);
}

/* A threshold 3 that is widened by an error of 1/8 for each of two outputs. */
static double slack_ratio(bool is_end)
{
    double low, high;
    threshold x;
    fmpq_t slack, bound;
    arf_t end;

    threshold_init(&x), fmpq_init(slack), fmpq_init(bound), arf_init(end);
    fmpq_set_si(slack, 1, 8);
    fmpq_set_si(bound, 3, 1);
    arf_set_ui(end, 3);
    if (is_end)
        set_end(&x, end, slack, 2);
    else
        set_bound(&x, bound, slack, 2);
    low = is_end ? arf_get_d(x.end[LOW], ARF_RND_NEAR) : fmpq_get_d(x.bound[LOW]);
    high = is_end ? arf_get_d(x.end[HIGH], ARF_RND_NEAR) : fmpq_get_d(x.bound[HIGH]);
    threshold_clear(&x), fmpq_clear(slack), fmpq_clear(bound), arf_clear(end);
    return 0.25 / fmin(3 - low, high - 3);
}

/* Returns whether an end of 2^-40000 with a slack of 1/8 for each of two outputs is rounded
 * outward: the sums have more bits than set_end keeps. */
static bool ends_outward(void)
{
    threshold x;
    fmpq_t slack;
    arf_t end, w, exact;
    bool outward;

    threshold_init(&x), fmpq_init(slack), arf_init(end), arf_init(w), arf_init(exact);
    fmpq_set_si(slack, 1, 8);
    arf_set_ui_2exp_si(end, 1, -40000);
    arf_set_d(w, 0.25);
    set_end(&x, end, slack, 2);
    arf_sub(exact, end, w, ARF_PREC_EXACT, ARF_RND_DOWN);
    outward = arf_cmp(x.end[LOW], exact) <= 0;
    arf_add(exact, end, w, ARF_PREC_EXACT, ARF_RND_DOWN);
    outward = outward && arf_cmp(x.end[HIGH], exact) >= 0;
    threshold_clear(&x), fmpq_clear(slack), arf_clear(end), arf_clear(w), arf_clear(exact);
    return outward;
}

static double end_slack(void)
{
    return ends_outward() ? slack_ratio(true) : INFINITY;
}

static double bound_slack(void)
{
    return slack_ratio(false);
}

static const char few[] = "the entries with the largest errors have exact products";

static const table_row rows[] = {
    {"quick_score_width", score_width, 0.98, NULL},
    {"quick_score_dim", score_dim, 0.98, NULL},
    {"quick_score_entries", score_entries, 0.55, few},
    {"quick_value_width", value_width, 0.98, NULL},
    {"quick_value_dim", value_dim, 0.98, NULL},
    {"quick_value_entries", value_entries, 0.55, few},
    {"quick_weight_scores", weight_scores, 0.9, NULL},
    {"quick_weight_roundings", weight_roundings, 0.1,
     "24 of the 64 u are possible here: 8 for the distance 8 of the scores (32: 2^51 tokens), "
     "and for exp 4 for its argument, 4 for the series, 8 for Horner's rule (certify.md)"},
    {"quick_average_weights", opposite_scores, 0.98, NULL},
    {"quick_average_sums", average_sums, 0.9, NULL},
    {"quick_values", opposite_scores, 0.98, NULL},
    {"quick_sums", sums, 0.98, NULL},
    {"quick_sums_token", sums_token, 0.98, NULL},
    {"quick_winner", winner, 0.98, NULL},
    {"grid_errors", grid_errors, 0.98, NULL},
    {"grid_width", grid_width, 0,
     "the sum and the quotients, which are below 2^30, are rounded by 2^-53 of themselves"},
    {"grid_pair_errors", grid_errors, 0.98, NULL},
    {"grid_product_errors", grid_product_errors, 0.98, NULL},
    {"grid_sums", grid_sums, 0.97, NULL},
    {"grid_underflow", grid_underflow, 0,
     "2^30 squares lose 2^-1044 at most; pairs as near as that are always compared"},
    {"norm_error", norm_error, 0.98, NULL},
    {"norm_sums", norm_sums, 0.97, NULL},
    {"norm_underflow", norm_underflow, 0,
     "2^30 squares lose 2^-522 of a norm at most; norms as small as that are always compared"},
    {"sketch_radius", sketch_radius, 0.98, NULL},
    {"sketch_rounding", sketch_rounding, 0.98, NULL},
    {"sketch_sums", sketch_sums, 0.24,
     "a number with a radius above 1/2 is below 1/2, so that 2^-55 of it is lost at most; of "
     "several entries the sum of errors is above their norm"},
    {"sketch_underflow", sketch_underflow, 0,
     "2^30 entries lose 2^-1044 at most; pairs as near as that are always compared"},
    {"finish_underflow", finish_underflow, 0,
     "2^30 entries lose 2^-1044 at most; pairs as near as that are always compared"},
    {"near_delta", near_delta, 0.98, NULL},
    {"near_least", near_least, 0.98, NULL},
    {"end_slack", end_slack, 0.98, NULL},
    {"bound_slack", bound_slack, 0.98, NULL},
};

int main(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
    recheck_run_product();
    recheck_run_lemma();
    flint_cleanup();
    return table_done();
}
