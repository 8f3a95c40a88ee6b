/* The terms of the second route's bounds (proofs-notes/certify.md, "Quick outputs" and the
 * grid), each with an instance that needs it. The steps of quick.c are called one by one where
 * others would hide them. */
#include <string.h>

#include "recheck/quick.c"
#include "tests/bounds/exact.h"
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
    attest_recheck_quick *quick;
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

/* All is set: the outputs can be asked for. */
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
    s->quick = attest_recheck_quick_new(&s->check);
    if (!s->quick)
        abort();
}

static void scene_clear(scene *s)
{
    attest_recheck_quick_free(s->quick);
    attest_recheck_clear(&s->check);
    attest_weights_clear(&s->weights);
    attest_dataset_clear(&s->dataset);
    _fmpq_vec_clear(s->token, (slong)(s->length * s->dim));
}

/* The error of the first output over its bound; infinite if there is none. Clears the scene. */
static double output_ratio(scene *s)
{
    double *out = calloc(s->dim, sizeof *out), error, ratio = INFINITY;
    arb_ptr exact = _arb_vec_init((slong)s->dim);

    scene_start(s);
    if (attest_recheck_quick_get(out, &error, s->quick, &s->check, 0)) {
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

/* The score of the only token, of rows (1, LOST, ...) in either dimension, or the value. */
static double long_ratio(size_t dim, size_t size, bool value)
{
    double *out = calloc(dim, sizeof *out), error, ratio;
    quick_head *head;
    arb_t exact;
    scene s;

    scene_init(&s, dim, size, 1);
    for (size_t e = 0; e < dim * size; e++)
        for (int m = 0; m < 4; m++)
            set_weight(&s, m, e, m == 3 && e >= size ? 0 : e ? LOST : 1, 0);
    for (size_t c = 0; c < dim; c++)
        set_token(&s, c, c ? LOST : 1, 0);
    scene_start(&s);
    (void)attest_recheck_quick_get(out, &error, s.quick, &s.check, 0);
    arb_init(exact);
    set_long(exact, LONG - 1, !value && dim > 1 ? 2 : 1);
    head = &s.quick->head[0];
    if (value) {
        ratio = exact_ratio(head->value, exact, 1, value_error(size, dim) * head->value_norm);
    } else {
        (void)get_scores(s.quick, &error, head, 0, 1);
        ratio = exact_ratio(s.quick->score, exact, 1, error);
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

/* All entries are 1 + 0.999 u, as doubles 1. */
static double entries_ratio(bool value)
{
    const double off = U * (1 - BIT);
    double out, error, ratio;
    quick_head *head;
    arb_t exact, t;
    scene s;

    scene_init(&s, 1, 1, 1);
    for (int m = 0; m < 4; m++)
        set_weight(&s, m, 0, 1, off);
    set_token(&s, 0, 1, off);
    scene_start(&s);
    (void)attest_recheck_quick_get(&out, &error, s.quick, &s.check, 0);
    arb_init(exact), arb_init(t);
    arb_set_d(exact, 1);
    arb_set_d(t, off);
    arb_add(exact, exact, t, EXACT_BITS);
    arb_pow_ui(exact, exact, value ? 3 : 4, EXACT_BITS);
    head = &s.quick->head[0];
    if (value) {
        ratio = exact_ratio(head->value, exact, 1, value_error(1, 1) * head->value_norm);
    } else {
        (void)get_scores(s.quick, &error, head, 0, 1);
        ratio = exact_ratio(s.quick->score, exact, 1, error);
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
 * other (but for the last few), and the values 1 and -1. */
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

/* The first token wins in doubles, by nearly twice the error; it does not. */
static double winner(void)
{
    double ratio, error, out[2];
    scene s;

    set_opposite(&s, LONG - 10);
    s.weights.activation = ATTEST_HARDMAX;
    scene_start(&s);
    if (attest_recheck_quick_get(out, &error, s.quick, &s.check, 0)) {
        ratio = out[0] == -1 ? 1 : INFINITY;
    } else {
        (void)get_scores(s.quick, &error, &s.quick->head[0], 0, 2);
        ratio = (s.quick->score[0] - s.quick->score[1]) / (2 * error);
    }
    scene_clear(&s);
    return ratio;
}

/* The weights of 65536 tokens, 8 + 2^-50 below the first one, which is rounded to 8; scores are
 * off by error, all alike. The sum of |computed - exact|, over that of the weights. */
static double weights_ratio(double off, double bound)
{
    enum { COUNT = 1 << 16 };
    attest_recheck_quick quick = {.score = calloc(COUNT, sizeof(double))};
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

/* 1000 weights near u, all lost in their sum; only the first has a value. */
static double average_sums(void)
{
    double score[LONG], value[LONG] = {1}, out = 0, ratio;
    attest_recheck_quick quick = {.dim = 1, .score = score};
    quick_head head = {.value = value};
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

/* A token 1, to which 1000 shares of about u are added. */
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

static bool visit(void *state, size_t a, size_t b)
{
    (void)a, (void)b;
    *(bool *)state = true;
    return true;
}

/* Two outputs at the reach, whose sketches are farther apart by both errors, at many places of
 * the grid. */
static double grid_errors(void)
{
    const double error = 0x1p-10, apart = 3 * error;
    double x[2], errors[2] = {error, error};
    uint32_t group[2] = {0, 1};
    attest_recheck check = {
        .dim = 1, .positions = 2, .group = group, .sketch = x, .error = errors};
    bool missed = false;
    arf_t reach;

    arf_init(reach);
    arf_set_d(reach, error);
    for (int i = 0; i < 64; i++) {
        bool visited = false;
        x[0] = -0.5 + i * 0.013;
        x[1] = x[0] + apart;
        if (attest_recheck_visit_near(&check, reach, visit, &visited, NULL) != ATTEST_OK)
            abort();
        missed = missed || !visited;
    }
    arf_clear(reach);
    return missed ? INFINITY : apart / (apart * (1 + 0x1p-20));
}

static const char few[] = "entries that are off most have products that are exact";

static const table_row rows[] = {
    {"quick_score_width", score_width, 0.98, NULL},
    {"quick_score_dim", score_dim, 0.98, NULL},
    {"quick_score_entries", score_entries, 0.55, few},
    {"quick_value_width", value_width, 0.98, NULL},
    {"quick_value_dim", value_dim, 0.98, NULL},
    {"quick_value_entries", value_entries, 0.55, few},
    {"quick_weight_scores", weight_scores, 0.9, NULL},
    {"quick_weight_roundings", weight_roundings, 0.1,
     "32 u are for 2^51 tokens; the error of exp is measured to be a tenth of 2^-48"},
    {"quick_average_weights", opposite_scores, 0.98, NULL},
    {"quick_average_sums", average_sums, 0.9, NULL},
    {"quick_values", opposite_scores, 0.98, NULL},
    {"quick_sums", sums, 0.98, NULL},
    {"quick_winner", winner, 0.98, NULL},
    {"grid_errors", grid_errors, 0.98, NULL},
};

int main(void)
{
    table_run(rows, sizeof rows / sizeof *rows);
    flint_cleanup();
    return table_done();
}
