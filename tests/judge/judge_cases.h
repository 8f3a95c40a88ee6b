/* judge_cases.h -- small random problems, variants and schedules. */
#ifndef ATTEST_TESTS_JUDGE_CASES_H
#define ATTEST_TESTS_JUDGE_CASES_H

#include <stdlib.h>
#include <string.h>

#include "judge/interval_run.h"
#include "judge/simulate.h"
#include "tests/tap.h"

enum { CASE_KEYS = 40, CASE_DIM = 24, CASE_VALUES = 3, CASE_QUERIES = 4, CASE_KINDS = 7 };

typedef struct judge_case {
    double q[CASE_QUERIES * CASE_DIM], k[CASE_KEYS * CASE_DIM], v[CASE_KEYS * CASE_VALUES];
    double bias[CASE_QUERIES * CASE_KEYS], sink, factor[3];
    uint8_t mask[CASE_QUERIES * CASE_KEYS];
    attest_qkv qkv;
    attest_judge_problem problem;
    attest_judge_head head;
    attest_judge_variant variant;
    attest_judge_schedule schedule;
} judge_case;

static inline size_t case_pick(uint64_t *state, size_t choices)
{
    return (size_t)(attest_random_next(state) >> 32) % choices;
}

static inline attest_format case_format(const char *name)
{
    attest_error error = {0};
    attest_format f = {0};

    if (attest_format_parse(&f, name, &error) != ATTEST_OK)
        abort();
    return f;
}

/* Draws a number of the format: roughly normal, times a power of two; sometimes 0. */
static inline double case_number(uint64_t *state, const attest_format *format, int power)
{
    attest_in_double h;
    double x = 0;

    for (int i = 0; i < 6; i++)
        x += (double)(attest_random_next(state) >> 11) * 0x1p-53 - 0.5;
    if (case_pick(state, 24) == 0)
        x = 0;
    attest_in_double_init(&h, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    return attest_in_double_convert(ldexp(x, power), &h);
}

static inline attest_tensor case_tensor(const void *data, attest_tensor_type type,
                                        size_t tokens, size_t dim)
{
    ptrdiff_t size = type == ATTEST_TENSOR_BOOL ? 1 : 8;

    return (attest_tensor){
        data, type, {1, 1, tokens, dim}, {0, 0, (ptrdiff_t)dim * size, size}};
}

/* Sets the defaults of a model, changed according to the kind. */
static inline void case_variant(attest_judge_variant *v, uint64_t *state, size_t kind)
{
    static const char *const input[CASE_KINDS] = {"binary32",      "bfloat16", "binary16",
                                                  "float8_e4m3fn", "binary16", "binary16",
                                                  "bfloat16"};
    static const size_t block[] = {16, 16, 8, 32, 4, 16, 16},
                        fraction[] = {25, 25, 24, 13, 23, 25, 25};
    attest_format single = case_format("binary32"), in = case_format(input[kind]);
    bool tensor = kind == 1 || kind == 2 || kind == 3 || kind == 6;
    attest_judge_dot dot = {.accumulate = single,
                            .exact_products = kind == 6 || case_pick(state, 2),
                            .order =
                                tensor ? ATTEST_JUDGE_ORDER_TENSOR : ATTEST_JUDGE_ORDER_ANY,
                            .block = block[kind],
                            .fraction = fraction[kind]};

    *v = (attest_judge_variant){.q = in,
                                .k = in,
                                .v = in,
                                .score = dot,
                                .pv = dot,
                                .scaled_query = in,
                                .softcap_relative = 0x1p-22,
                                .exp_relative = kind == 6 ? 0x1p-12 : 0x1p-22,
                                .sum_accumulate = single,
                                .lanes = 1,
                                .splits = 1,
                                .split_log = 0x1p-22,
                                .final_relative = 0x1p-23,
                                .output = in};
    if (kind == 2 || kind == 4) {
        v->score.accumulate = v->pv.accumulate = case_format("binary16");
        v->sum_accumulate = kind == 4 ? v->pv.accumulate : single;
    }
    if (kind == 0 || kind == 5)
        v->score.exact_products = v->pv.exact_products = false;
    if (kind == 1 || kind == 3 || kind == 5 || kind == 6) {
        v->cast = true;
        v->p = in;
        v->offset = kind == 3 ? 8 : kind == 5 ? -3 : 0;
    }
    if (kind == 3)
        v->output = case_format("bfloat16");
    if (kind == 5) {
        v->stored = true;
        v->store = in;
    }
    v->sum_of = (attest_judge_sum_of)case_pick(state, 2);
    v->softcap_absolute = case_pick(state, 2) ? 0x1p-11 : 0;
}

/* Quantises the weights by a scheme that tests/ref implements. */
static inline void case_scheme(attest_judge_variant *v, uint64_t *state)
{
    static const char *const scheme[] = {"mxfp8_e4m3fn:mx-even", "q8_0", "int8:per-token",
                                         "float8_e4m3fn:scale=0.25"};
    attest_error error = {0};

    if (attest_block_parse(&v->p_scheme, scheme[case_pick(state, 4)], &error) != ATTEST_OK)
        abort();
}

static inline void case_schedule(attest_judge_schedule *s, attest_judge_variant *v,
                                 uint64_t *state)
{
    bool tensor = v->score.order == ATTEST_JUDGE_ORDER_TENSOR;
    static const attest_judge_order order[] = {
        ATTEST_JUDGE_ORDER_FORWARD, ATTEST_JUDGE_ORDER_BACKWARD, ATTEST_JUDGE_ORDER_PAIRWISE};

    *s = (attest_judge_schedule){
        .scores = tensor ? ATTEST_JUDGE_ORDER_TENSOR + case_pick(state, 3)
                         : order[case_pick(state, 3)],
        .pv = tensor ? ATTEST_JUDGE_ORDER_TENSOR + case_pick(state, 3)
                     : order[case_pick(state, 3)],
        .tile = 1 + case_pick(state, 24),
        .direction = case_pick(state, 2) ? ATTEST_JUDGE_DIRECTION_FORWARD
                                         : ATTEST_JUDGE_DIRECTION_BACKWARD,
        .lanes = 1 + case_pick(state, 5),
        /* With an offset of 8, float8_e4m3fn has no room for a lazy reference. */
        .rescale = v->offset == 8 || case_pick(state, 2) ? 0 : (double)case_pick(state, 4),
        .constant = (attest_judge_constant)case_pick(state, 2),
        .divide = case_pick(state, 4) ? ATTEST_JUDGE_PLACE_AFTER : ATTEST_JUDGE_PLACE_BEFORE};
    if (s->divide == ATTEST_JUDGE_PLACE_AFTER && case_pick(state, 3) == 0)
        s->splits = v->splits = 1 + case_pick(state, 5);
    s->flush = case_pick(state, 4) == 0;
    s->quotient = v->final_relative >= 0x1p-23 && case_pick(state, 2);
    if (s->constant == ATTEST_JUDGE_CONSTANT_FOLDED && case_pick(state, 3) == 0) {
        static const attest_judge_emulation flash4 = {
            .polynomial = {4, {1, 0x1.63ea32p-1, 0x1.d20d48p-3, 0x1.3be13ap-4}}};

        v->exp_relative = 0x1.7p-14;
        s->emulation = flash4;
        s->emulation.fragment = case_pick(state, 9);
        s->emulation.frequency = case_pick(state, 7);
        s->emulation.emulated = case_pick(state, s->emulation.frequency + 1);
        s->emulation.first = case_pick(state, 2);
        s->emulation.spared = case_pick(state, 2);
    }
    if (v->cast && v->score.accumulate.precision == 24 && case_pick(state, 3) == 0) {
        case_scheme(v, state);
        s->tile += case_pick(state, 2) * 24;
    }
    if (v->cast && case_pick(state, 2))
        v->p.saturates = true; /* as a format name with :saturating */
    if (tensor && case_pick(state, 3) == 0)
        v->score.promote = v->score.block * (1 + case_pick(state, 2));
    if (tensor && case_pick(state, 3) == 0) {
        if (case_pick(state, 3) == 0)
            v->pv.block = 1;
        v->pv.promote = v->pv.block;
        s->tile = v->pv.promote;
    } else if (tensor && case_pick(state, 3) == 0) {
        v->pv.promote_tiles = 1 + case_pick(state, 3);
        s->tile = 1 + s->tile / 3;
    }
    if (s->constant == ATTEST_JUDGE_CONSTANT_SEPARATE && case_pick(state, 3) == 0)
        v->scale = ATTEST_JUDGE_SCALE_QUERY;
    if (case_pick(state, 5) == 0)
        v->max = ATTEST_JUDGE_MAX_TWO_PASS;
}

/* Draws scale, softcap, masks and sink. */
static inline void case_extras(judge_case *c, uint64_t *state, size_t queries, size_t keys)
{
    static const char *const scales[] = {NULL, "none", "0.3", "1/3"};
    size_t mask = case_pick(state, 4);
    attest_format wide = case_format("binary64");

    c->qkv.scale = scales[case_pick(state, 4)];
    if (case_pick(state, 3) == 0)
        c->qkv.softcap = case_pick(state, 2) ? "2" : "30";
    c->qkv.causal = (attest_causal)case_pick(state, 3);
    if (case_pick(state, 3) == 0) {
        c->qkv.windowed = true;
        c->qkv.left = (long)case_pick(state, 20) - 1;
        c->qkv.right = (long)case_pick(state, 5) - 1;
    }
    for (size_t i = 0; i < queries * keys; i++) {
        c->mask[i] = case_pick(state, 4) != 0;
        c->bias[i] = c->mask[i] ? case_number(state, &wide, 1) : -(double)INFINITY;
    }
    if (mask == 1)
        c->qkv.mask = case_tensor(c->mask, ATTEST_TENSOR_BOOL, queries, keys);
    if (mask == 2)
        c->qkv.mask = case_tensor(c->bias, ATTEST_TENSOR_F64, queries, keys);
    c->sink = case_number(state, &wide, 1);
    if (case_pick(state, 3) == 0)
        c->qkv.sink = case_tensor(&c->sink, ATTEST_TENSOR_F64, 1, 1);
}

/* Draws a case of this kind; clear it with case_clear. */
static inline void case_init(judge_case *c, uint64_t *state, size_t kind)
{
    size_t queries = 1 + case_pick(state, CASE_QUERIES), keys = 1 + case_pick(state, CASE_KEYS);
    size_t dim = 1 + case_pick(state, CASE_DIM), values = 1 + case_pick(state, CASE_VALUES);
    int power = (int)case_pick(state, 5) - 1;
    attest_error error = {0};

    memset(c, 0, sizeof *c);
    case_variant(&c->variant, state, kind);
    case_schedule(&c->schedule, &c->variant, state);
    for (size_t i = 0; i < queries * dim; i++)
        c->q[i] = case_number(state, &c->variant.q, power);
    for (size_t i = 0; i < keys * dim; i++)
        c->k[i] = case_number(state, &c->variant.k, case_pick(state, 30) ? 0 : 2);
    for (size_t i = 0; i < keys * values; i++)
        c->v[i] = case_number(state, &c->variant.v, 0);
    c->qkv.q = case_tensor(c->q, ATTEST_TENSOR_F64, queries, dim);
    c->qkv.k = case_tensor(c->k, ATTEST_TENSOR_F64, keys, dim);
    c->qkv.v = case_tensor(c->v, ATTEST_TENSOR_F64, keys, values);
    case_extras(c, state, queries, keys);
    if (attest_judge_problem_init(&c->problem, &c->qkv, &error) != ATTEST_OK ||
        attest_judge_head_init(&c->head, &c->problem, &error) != ATTEST_OK ||
        attest_judge_head_load(&c->head, 0, 0, &error) != ATTEST_OK) {
        printf("# %s\n", error.text);
        abort();
    }
}

/* Makes the values so small that flushing changes the output. */
static inline void case_shrink(judge_case *c, uint64_t *state)
{
    attest_error error = {0};

    for (size_t i = 0; i < c->problem.keys * c->problem.value_dim; i++)
        c->v[i] = case_number(state, &c->variant.v, -122);
    if (attest_judge_head_load(&c->head, 0, 0, &error) != ATTEST_OK)
        abort();
}

static inline void case_clear(judge_case *c)
{
    attest_judge_head_clear(&c->head);
    attest_judge_problem_clear(&c->problem);
}

#endif
