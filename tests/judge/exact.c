/* exact.c -- the exact values of attest_judge_bound against balls of 256 bits, computed
 * from the definition in attest/judge.h alone: bytes are decoded here, keys are chosen here.
 * ATTEST_TRIALS problems (default 600) from ATTEST_SEED on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/flint.h>
#include <attest/judge.h>

#include "base/random.h"
#include "judge/model.h"
#include "tests/tap.h"

enum { BITS = 256, MOST_DIM = 200, MOST_KEYS = 24, MOST_HEADS = 4, MOST_BATCH = 2 };

static size_t pick(uint64_t *state, size_t choices)
{
    return (size_t)(attest_random_next(state) >> 32) % choices;
}

/* ---- floating-point numbers as bytes ---- */

typedef struct layout {
    attest_tensor_type type;
    int exponent_bits, fraction_bits;
} layout;

static const layout layouts[] = {{ATTEST_TENSOR_F64, 11, 52},   {ATTEST_TENSOR_F32, 8, 23},
                                 {ATTEST_TENSOR_F16, 5, 10},    {ATTEST_TENSOR_BF16, 8, 7},
                                 {ATTEST_TENSOR_F8_E4M3, 4, 3}, {ATTEST_TENSOR_F8_E5M2, 5, 2}};

static size_t size_of(const layout *f)
{
    return (size_t)(1 + f->exponent_bits + f->fraction_bits) / 8;
}

/* A number of about 2^exponent, or 0, or a subnormal one. */
static uint64_t draw_bits(const layout *f, int exponent, uint64_t *state)
{
    uint64_t fraction = attest_random_next(state) >> (64 - f->fraction_bits);
    uint64_t sign = attest_random_next(state) >> 63, shown = 0;
    int bias = (1 << (f->exponent_bits - 1)) - 1, top = (1 << f->exponent_bits) - 3;
    int e = bias + exponent - (int)pick(state, 4);

    if (pick(state, 16) > 0)
        shown = (uint64_t)(e < 0 ? 0 : e > top ? top : e);
    else if (pick(state, 2))
        fraction = 0;
    return sign << (f->exponent_bits + f->fraction_bits) | shown << f->fraction_bits | fraction;
}

static double decode(const layout *f, const unsigned char *at)
{
    uint64_t bits = 0, exponent, fraction;
    int bias = (1 << (f->exponent_bits - 1)) - 1;
    double value;

    memcpy(&bits, at, size_of(f)); /* the tests run on little-endian machines */
    fraction = bits & ((UINT64_C(1) << f->fraction_bits) - 1);
    exponent = bits >> f->fraction_bits & ((UINT64_C(1) << f->exponent_bits) - 1);
    value = exponent == 0 ? ldexp((double)fraction, 1 - bias - f->fraction_bits)
                          : ldexp((double)(fraction | UINT64_C(1) << f->fraction_bits),
                                  (int)exponent - bias - f->fraction_bits);
    return bits >> (f->exponent_bits + f->fraction_bits) ? -value : value;
}

/* ---- problems ---- */

typedef struct drawn {
    attest_qkv qkv;
    const layout *q, *k, *v;
    char scale[40], softcap[40];
    double *mask;
    unsigned char *seen;
    double sink[MOST_HEADS];
    size_t batch, heads, key_heads, queries, keys, dim, columns;
} drawn;

static attest_tensor tensor(const layout *f, size_t batch, size_t heads, size_t tokens,
                            size_t dim, int exponent, uint64_t *state)
{
    size_t count = batch * heads * tokens * dim, size = size_of(f);
    unsigned char *data = calloc(count, size);
    ptrdiff_t s = (ptrdiff_t)size, d = (ptrdiff_t)dim, t = (ptrdiff_t)tokens;

    for (size_t i = 0; data && i < count; i++) {
        uint64_t bits = draw_bits(f, exponent, state);

        memcpy(data + i * size, &bits, size);
    }
    return (attest_tensor){data,
                           f->type,
                           {batch, heads, tokens, dim},
                           {s * d * t * (ptrdiff_t)heads, s * d * t, s * d, s}};
}

static double element(const attest_tensor *x, const layout *f, size_t b, size_t h, size_t i,
                      size_t c)
{
    const size_t index[4] = {b, h, i, c};
    const unsigned char *at = x->data;

    for (int a = 0; a < 4; a++)
        at += (ptrdiff_t)index[a] * x->stride[a];
    return decode(f, at);
}

/* Keys that differ in a last bit: their scores are large, and close to each other. */
static void draw_close(attest_tensor *k, uint64_t *state)
{
    size_t rows = k->shape[0] * k->shape[1] * k->shape[2], row = (size_t)k->stride[2];
    unsigned char *data = (unsigned char *)k->data;

    for (size_t i = 1; i < rows; i++) {
        memcpy(data + i * row, data, row);
        for (size_t c = 0; c < k->shape[3]; c++) /* little-endian: the last bits come first */
            data[i * row + c * (size_t)k->stride[3]] ^= (unsigned char)pick(state, 4);
    }
}

static void draw_mask(drawn *x, uint64_t *state)
{
    size_t count = x->queries * x->keys, kind = pick(state, 4);

    for (size_t i = 0; i < count; i++) {
        x->seen[i] = pick(state, 3) != 0;
        x->mask[i] =
            pick(state, 4) ? ldexp((double)pick(state, 4000) - 2000, -8) : (double)-INFINITY;
        if (pick(state, 16) == 0)
            x->mask[i] = -10000;
    }
    if (kind == 0)
        x->qkv.mask = (attest_tensor){x->seen,
                                      ATTEST_TENSOR_BOOL,
                                      {1, 1, x->queries, x->keys},
                                      {0, 0, (ptrdiff_t)x->keys, 1}};
    if (kind == 1)
        x->qkv.mask =
            (attest_tensor){x->mask,
                            ATTEST_TENSOR_F64,
                            {1, 1, x->queries, x->keys},
                            {0, 0, (ptrdiff_t)(x->keys * sizeof(double)), sizeof(double)}};
}

/* kind: 0 ordinary, 1 scores up to about 10^4, 2 tiny, 3 scores that doubles know badly, 4
 * scores that overflow doubles. */
static bool draw_problem(drawn *x, uint64_t *state, int kind)
{
    static const int q_exponent[] = {1, 8, -120, 27, 600}, v_exponent[] = {1, 1, -140, 1, 1};
    bool wide = kind >= 2;

    memset(x, 0, sizeof *x);
    x->q = &layouts[wide ? 0 : pick(state, 6)];
    x->k = &layouts[wide ? 0 : pick(state, 6)];
    x->v = &layouts[kind == 2 ? 1 : pick(state, 6)];
    x->batch = 1 + pick(state, MOST_BATCH);
    x->key_heads = 1 + pick(state, 2);
    x->heads = x->key_heads * (1 + pick(state, 2));
    x->queries = 1 + pick(state, 4);
    x->keys = 1 + pick(state, pick(state, 4) ? MOST_KEYS : 3); /* fewer than queries, too */
    x->dim = 1 + pick(state, pick(state, 4) ? 16 : MOST_DIM);
    x->columns = 1 + pick(state, 4);
    x->qkv.q = tensor(x->q, x->batch, x->heads, x->queries, x->dim, q_exponent[kind], state);
    x->qkv.k = tensor(x->k, x->batch, x->key_heads, x->keys, x->dim,
                      kind == 1 ? 1 : q_exponent[kind], state);
    x->qkv.v =
        tensor(x->v, x->batch, x->key_heads, x->keys, x->columns, v_exponent[kind], state);
    if (kind == 3 && x->qkv.k.data)
        draw_close(&x->qkv.k, state);
    x->mask = calloc(x->queries * x->keys, sizeof *x->mask);
    x->seen = calloc(x->queries, x->keys);
    if (!x->qkv.q.data || !x->qkv.k.data || !x->qkv.v.data || !x->mask || !x->seen)
        return false;
    draw_mask(x, state);
    x->qkv.causal = (attest_causal)pick(state, 3);
    x->qkv.windowed = pick(state, 4) == 0;
    x->qkv.left = (long)pick(state, x->keys + 2) - 1;
    x->qkv.right = (long)pick(state, x->keys + x->queries + 2) - 1;
    for (size_t h = 0; h < x->heads; h++)
        x->sink[h] = ldexp((double)pick(state, 4000) - 2000, -8);
    if (pick(state, 3) == 0)
        x->qkv.sink = (attest_tensor){
            x->sink, ATTEST_TENSOR_F64, {1, x->heads, 1, 1}, {0, sizeof(double), 0, 0}};
    snprintf(x->scale, sizeof x->scale, "%u/%u", 1 + (unsigned)pick(state, 9),
             1 + (unsigned)pick(state, 20));
    x->qkv.scale = pick(state, 2) ? x->scale : pick(state, 2) ? NULL : "none";
    snprintf(x->softcap, sizeof x->softcap, "%u/%u", 1 + (unsigned)pick(state, 50),
             1 + (unsigned)pick(state, 3));
    x->qkv.softcap = pick(state, 3) ? NULL : x->softcap;
    return true;
}

static void clear_question(drawn *x)
{
    free((void *)x->qkv.q.data);
    free((void *)x->qkv.k.data);
    free((void *)x->qkv.v.data);
    free(x->mask);
    free(x->seen);
}

/* ---- the definition ---- */

static bool sees(const drawn *x, size_t i, size_t j)
{
    const attest_qkv *o = &x->qkv;
    long shift = o->causal == ATTEST_CAUSAL_TOP_LEFT ? 0 : (long)x->keys - (long)x->queries;
    long p = (long)i + shift, key = (long)j;

    if (o->causal != ATTEST_CAUSAL_NONE && key > p)
        return false;
    if (o->windowed && o->left >= 0 && key < p - o->left)
        return false;
    if (o->windowed && o->right >= 0 && key > p + o->right)
        return false;
    if (o->mask.data == x->seen)
        return x->seen[i * x->keys + j];
    return o->mask.data == NULL || x->mask[i * x->keys + j] > (double)-INFINITY;
}

static void set_scale(arb_t scale, const drawn *x)
{
    fmpq_t q;

    if (x->qkv.scale == NULL) {
        arb_rsqrt_ui(scale, x->dim, BITS);
        return;
    }
    fmpq_init(q);
    if (strcmp(x->qkv.scale, "none") == 0)
        fmpq_one(q);
    else
        fmpq_set_str(q, x->qkv.scale, 10);
    fmpq_canonicalise(q);
    arb_set_fmpq(scale, q, BITS);
    fmpq_clear(q);
}

static void set_score(arb_t t, const drawn *x, size_t b, size_t h, size_t i, size_t j)
{
    size_t kh = h * x->key_heads / x->heads;
    arb_t a, c;
    fmpq_t cap;

    arb_init(a);
    arb_init(c);
    fmpq_init(cap);
    arb_zero(t);
    for (size_t e = 0; e < x->dim; e++) {
        arb_set_d(a, element(&x->qkv.q, x->q, b, h, i, e));
        arb_set_d(c, element(&x->qkv.k, x->k, b, kh, j, e));
        arb_addmul(t, a, c, 4096); /* exactly */
    }
    set_scale(a, x);
    arb_mul(t, t, a, BITS);
    if (x->qkv.softcap) {
        fmpq_set_str(cap, x->qkv.softcap, 10);
        fmpq_canonicalise(cap);
        arb_set_fmpq(c, cap, BITS);
        arb_div(t, t, c, BITS);
        arb_tanh(t, t, BITS);
        arb_mul(t, t, c, BITS);
    }
    if (x->qkv.mask.data == x->mask) {
        arb_set_d(a, x->mask[i * x->keys + j]);
        arb_add(t, t, a, BITS);
    }
    arb_clear(a);
    arb_clear(c);
    fmpq_clear(cap);
}

/* o = the exact row; returns false if it sees no key. */
static bool set_row(arb_ptr o, const drawn *x, size_t b, size_t h, size_t i)
{
    size_t kh = h * x->key_heads / x->heads;
    arb_ptr t = _arb_vec_init((slong)x->keys);
    arb_t most, sum, a;
    bool any = false;

    arb_init(most);
    arb_init(sum);
    arb_init(a);
    _arb_vec_zero(o, (slong)x->columns);
    for (size_t j = 0; j < x->keys; j++)
        if (sees(x, i, j)) {
            set_score(t + j, x, b, h, i, j);
            if (!any || arf_cmp(arb_midref(t + j), arb_midref(most)) > 0)
                arb_set(most, t + j);
            any = true;
        }
    if (x->qkv.sink.data && any) {
        arb_set_d(a, x->sink[h]);
        arb_sub(a, a, most, BITS);
        arb_exp(sum, a, BITS);
    }
    for (size_t j = 0; j < x->keys; j++)
        if (sees(x, i, j)) {
            arb_sub(t + j, t + j, most, BITS);
            arb_exp(t + j, t + j, BITS);
            arb_add(sum, sum, t + j, BITS);
            for (size_t c = 0; c < x->columns; c++) {
                arb_set_d(a, element(&x->qkv.v, x->v, b, kh, j, c));
                arb_addmul(o + c, a, t + j, BITS);
            }
        }
    for (size_t c = 0; c < x->columns && any; c++)
        arb_div(o + c, o + c, sum, BITS);
    _arb_vec_clear(t, (slong)x->keys);
    arb_clear(most);
    arb_clear(sum);
    arb_clear(a);
    return any;
}

/* ---- the comparison ---- */

typedef struct tally {
    size_t elements, unknown, unbounded, wrong, far, empty;
} tally;

/* Returns whether |x - truth| <= limit is proved. */
static bool is_within(double x, const arb_t truth, double limit)
{
    arb_t d, l;
    bool within;

    arb_init(d);
    arb_init(l);
    arb_set_d(d, x);
    arb_sub(d, d, truth, BITS);
    arb_abs(d, d);
    arb_set_d(l, limit);
    within = arb_le(d, l);
    arb_clear(d);
    arb_clear(l);
    return within;
}

static void compare(tally *t, const attest_judge_bounds *b, size_t at, const arb_t truth,
                    bool any, int kind)
{
    t->elements++;
    if (!any) {
        t->empty++;
        t->wrong += !(b->exact[at] == 0 && b->error[at] == 0 && b->bound[at] == 0);
        return;
    }
    if (!(b->error[at] < (double)INFINITY)) {
        t->unknown += kind < 3;
        t->far += !isnan(b->exact[at]);
        return;
    }
    if (!is_within(b->exact[at], truth, b->error[at]) && t->wrong++ < 5)
        printf("# kind %d, element %zu: exact %a, error %a, truth %a\n", kind, at, b->exact[at],
               b->error[at], arf_get_d(arb_midref(truth), ARF_RND_NEAR));
    if (!(b->bound[at] < (double)INFINITY)) {
        t->unbounded++;
        return;
    }
    if (!is_within(b->lo[at], truth, b->bound[at]) ||
        !is_within(b->hi[at], truth, b->bound[at]))
        t->far++;
}

static void try_problem(tally *t, uint64_t seed)
{
    uint64_t state = attest_random_mix(seed);
    int kind = (int)pick(&state, 5);
    attest_judge_variant variant;
    attest_judge_model model = {.name = (char *)"wide", .variant = &variant, .variants = 1};
    attest_judge_options options = {0};
    attest_judge_bounds b;
    attest_error error = {0};
    drawn x;
    size_t count, at = 0;
    double *room;
    arb_ptr row;

    attest_judge_variant_init(&variant);
    variant.q = variant.k = variant.v = variant.output = variant.score.accumulate =
        variant.pv.accumulate = (attest_format){.name = "binary64", 53, true, -1022, 1023, 64};
    if (!draw_problem(&x, &state, kind))
        abort();
    count = x.batch * x.heads * x.queries * x.columns;
    room = calloc(count, 5 * sizeof *room);
    row = _arb_vec_init((slong)x.columns);
    b = (attest_judge_bounds){.lo = room,
                              .hi = room + count,
                              .exact = room + 2 * count,
                              .error = room + 3 * count,
                              .bound = room + 4 * count};
    if (attest_judge_bound(&b, &x.qkv, &model, &options, &error) != ATTEST_OK) {
        printf("# %s\n", error.text);
        t->wrong++;
        count = 0;
    }
    for (; at < count; at += x.columns) {
        size_t i = at / x.columns, h = i / x.queries;
        bool any = set_row(row, &x, h / x.heads, h % x.heads, i % x.queries);

        for (size_t c = 0; c < x.columns; c++)
            compare(t, &b, at + c, row + c, any, kind);
    }
    _arb_vec_clear(row, (slong)x.columns);
    free(room);
    clear_question(&x);
}

/* Where keys are quantised, exact values are those of the given inputs in every column: the
 * same as if it were the only one. */
static void quantised_columns(void)
{
    static const char text[] =
        "{\"format\":\"attest/kernel-model\",\"version\":1,"
        "\"inputs\":{\"k\":\"float8_e4m3fn\"},\"quantise\":{\"k\":\"e4m3:scale=1\"}}";
    enum { QUERIES = 2, KEYS = 2, DIM = 1, COLUMNS = 5 };
    double q[QUERIES] = {1, -1}, k[KEYS] = {0.30078125, 1.703125}, v[KEYS * COLUMNS],
           exact[2][QUERIES * COLUMNS], error[2][QUERIES * COLUMNS];
    attest_judge_model *model = NULL;
    attest_judge_options options = {0};
    attest_error why = {0};
    size_t wrong = 0;
    attest_qkv qkv = {0};
    attest_judge_bounds bounds = {.exact = exact[0], .error = error[0]};

    for (size_t i = 0; i < KEYS * COLUMNS; i++)
        v[i] = i < COLUMNS ? 1 : (double)i;
    qkv.q = (attest_tensor){q, ATTEST_TENSOR_F64, {1, 1, QUERIES, DIM}, {0, 0, 8, 8}};
    qkv.k = (attest_tensor){k, ATTEST_TENSOR_F64, {1, 1, KEYS, DIM}, {0, 0, 8, 8}};
    qkv.v =
        (attest_tensor){v, ATTEST_TENSOR_F64, {1, 1, KEYS, COLUMNS}, {0, 0, 8 * COLUMNS, 8}};
    if (attest_judge_model_parse(&model, text, strlen(text), &why) != ATTEST_OK ||
        attest_judge_bound(&bounds, &qkv, model, &options, &why) != ATTEST_OK) {
        TAP_OK(false, "quantised keys: %s", why.text);
        attest_judge_model_free(model);
        return;
    }
    bounds = (attest_judge_bounds){.exact = exact[1], .error = error[1]};
    qkv.v.shape[3] = 1;
    for (size_t c = 0; c < COLUMNS; c++) {
        qkv.v.data = v + c;
        if (attest_judge_bound(&bounds, &qkv, model, &options, &why) != ATTEST_OK)
            abort();
        for (size_t i = 0; i < QUERIES; i++)
            wrong += !(fabs(exact[0][i * COLUMNS + c] - exact[1][i]) <=
                       error[0][i * COLUMNS + c] + error[1][i]);
    }
    TAP_OK(wrong == 0, "quantised keys: %zu exact values are not those of their column", wrong);
    attest_judge_model_free(model);
}

TEST(exact)
{
    uint64_t seed = tap_seed(1);
    const char *text = getenv("ATTEST_TRIALS");
    size_t trials = text && *text ? strtoull(text, NULL, 0) : 600;
    tally t = {0};

    for (size_t i = 0; i < trials; i++)
        try_problem(&t, seed + i);
    printf("# %zu elements, %zu of empty rows, %zu without a bound\n", t.elements, t.empty,
           t.unbounded);
    TAP_OK(t.elements > trials, "there are elements to compare (%zu)", t.elements);
    TAP_OK(t.wrong == 0, "exact and error hold the truth (%zu do not)", t.wrong);
    TAP_OK(t.far == 0, "lo and hi are within bound of the truth (%zu are not)", t.far);
    TAP_OK(t.unknown == 0, "exact values are known where doubles know the scores (%zu are not)",
           t.unknown);
    quantised_columns();
    flint_cleanup();
    return 0;
}
