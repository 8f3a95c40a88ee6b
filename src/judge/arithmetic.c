/* arithmetic.c -- rounding errors of formats and of sums in them; the constants of a bound, and
 * the variants of a model that accept the inputs. */
#include "judge/arithmetic.h"

#include <attest/kernel.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "number/scope.h"

/* ---- unit roundoffs, limits, and exponentials rounded outward ---- */

void attest_judge_arithmetic_init(attest_judge_arithmetic *unit, const attest_format *format)
{
    int p = (int)format->precision;

    attest_in_double_init(&unit->in_double, format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
    unit->u = ldexp(1, -p);
    unit->least = unit->quantum = 0;
    unit->limit = (double)INFINITY;
    if (!format->bounded)
        return;
    unit->quantum = ldexp(1, (int)format->emin - p + 1);
    unit->least = format->emin <= -126 ? ldexp(1, (int)format->emin) : unit->quantum;
    unit->limit = format->emax >= 1023
                      ? DBL_MAX
                      : ldexp(2 - ldexp(format->top_is_nan ? 3 : 1, -p), (int)format->emax);
}

bool attest_judge_arithmetic_includes_limit(const attest_format *format)
{
    return format->top_is_nan;
}

struct judge_loops_format attest_judge_arithmetic_get_format(const attest_in_double *h,
                                                             bool flush)
{
    return (struct judge_loops_format){.unit = ldexp(2, (int)-h->format.precision),
                                       .quantum = h->quantum,
                                       .most = h->most,
                                       .overflow = h->overflow,
                                       .least = flush ? h->tiny : 0,
                                       .no_minus_zero = h->format.no_minus_zero};
}

double attest_judge_exp_up(double x)
{
    double y;

    attest_kernel_exp(&y, &x, 1);
    return y * (1 + ATTEST_TERM(exp_up, 0x1p-50)) + ATTEST_TERM(exp_least, 0x1p-1070);
}

double attest_judge_exp_down(double x)
{
    double y;

    attest_kernel_exp(&y, &x, 1);
    return y < 0x1p-1000 ? 0 : y * (1 - ATTEST_TERM(exp_down, 0x1p-50));
}

double attest_judge_grow(double u, double n)
{
    double x = n * u; /* exact: u is a power of two */

    /* (1+u)^n <= e^(nu), and e^x - 1 <= x + x^2 for x <= 1; judge.md, "Evaluation" */
    return x <= 0x1p-20 ? x + ATTEST_TERM(grow_square, x * x) : attest_judge_exp_up(x) - 1;
}

/* ---- (1): trees of roundings, and the blocks of a matrix unit ---- */

/* Returns the largest number of additions through which a term passes; 0: the number of terms.
 * A depth has no meaning for sequential orders. */
static double depth_of(const attest_judge_dot *dot, double terms)
{
    double depth = 1;

    if (dot->order != ATTEST_JUDGE_ORDER_PAIRWISE)
        return dot->order == ATTEST_JUDGE_ORDER_ANY ? (double)dot->depth : 0;
    if (dot->depth > 0)
        return (double)dot->depth;
    for (double n = 1; n < terms; n *= 2)
        depth++;
    return depth;
}

/* Lemma 1 of proofs-notes/judge.md for the additions, with every term moved by the roundings of
 * its product and of its rescales before; the least numbers grow as the sums do. */
static void init_tree(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                      const attest_judge_arithmetic *unit, double rescales)
{
    double n = rule->terms, u = unit->u, depth = depth_of(dot, n);
    double moved =
        attest_judge_grow(u, ATTEST_TERM(tree_rescales, rescales) +
                                 ATTEST_TERM(tree_products, dot->exact_products ? 0 : 1));
    double lost = ATTEST_TERM(tree_least, (2 * n + rescales) * unit->least);
    double grown =
        attest_judge_grow(u, ATTEST_TERM(tree_additions, dot->exact_products ? n : n - 1));
    double deep = attest_judge_grow(u, ATTEST_TERM(tree_depth, depth + rescales + 1));

    rule->size_part = moved * (1 + grown) * ATTEST_JUDGE_UP;
    rule->most_part = grown * ATTEST_JUDGE_UP;
    rule->rest = lost * (1 + grown) * (1 + moved) * ATTEST_JUDGE_UP;
    rule->deep_size = depth > 0 ? deep * ATTEST_JUDGE_UP : (double)INFINITY;
    rule->deep_rest = lost * (1 + deep) * ATTEST_JUDGE_UP;
}

/* Lemma 2, groups: each errs by a part of the absolute values of its own terms, and their sums,
 * no more of them than blocks, are the leaves of a tree. Or every addend is a partial sum of a
 * group, and the additions of the groups round no more than Lemma 2 counts (judge.md). */
static void init_groups(attest_judge_sum_error *rule, double terms, double blocks, double u)
{
    double n = rule->terms < terms ? rule->terms : terms,
           cut = ATTEST_TERM(group_cut, (n + blocks) * rule->cut);
    double part = cut + ATTEST_TERM(group_kept, blocks * rule->kept),
           grown = attest_judge_grow(u, ATTEST_TERM(group_additions, rule->blocks));
    double factor = (1 + grown) / (1 - part) * ATTEST_JUDGE_UP;

    if (part < 0.5) {
        rule->promoted_size = part * factor * ATTEST_JUDGE_UP;
        rule->promoted_most = grown * ATTEST_JUDGE_UP;
        rule->promoted_rest = rule->blocks *
                              (ATTEST_TERM(group_raised, cut * rule->raised * factor) +
                               ATTEST_TERM(group_least, blocks * rule->least * factor +
                                                            rule->least * (1 + grown))) *
                              ATTEST_JUDGE_UP;
    }
}

void attest_judge_sum_error_init(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                 const attest_judge_arithmetic *unit, double terms,
                                 double blocks, double raised, double rescales)
{
    rule->tensor = attest_judge_order_is_tensor(dot->order);
    rule->limit = unit->limit;
    rule->terms = terms;
    rule->blocks = blocks;
    rule->raised = ATTEST_TERM(matrix_raised, raised);
    rule->least = ATTEST_TERM(matrix_least, unit->least);
    if (!rule->tensor) {
        init_tree(rule, dot, unit, rescales);
        return;
    }
    rule->cut = ATTEST_TERM(matrix_cut, ldexp(1, -(int)dot->fraction));
    rule->kept = ATTEST_TERM(
        matrix_kept, dot->accumulate.precision != 24 ? unit->u : fmax(rule->cut, 0x1p-23));
    rule->size_part = attest_judge_grow(unit->u, ATTEST_TERM(matrix_rescales, rescales));
    rule->rest = ATTEST_TERM(matrix_rest, (blocks + terms + rescales) * unit->least);
    rule->promoted_size = rule->promoted_most = 0;
    rule->promoted_rest = (double)INFINITY;
    if (dot->promote > 0)
        init_groups(rule, (double)dot->promote, (double)(dot->promote / dot->block), unit->u);
}

void attest_judge_sum_error_group(attest_judge_sum_error *rule, const attest_judge_dot *dot,
                                  const attest_judge_arithmetic *unit, size_t tile)
{
    double tiles = (double)dot->promote_tiles, size = (double)tile;

    if (!rule->tensor || dot->promote_tiles == 0)
        return;
    /* of any size: one group may have all blocks */
    init_groups(rule, tile > 0 ? tiles * size : rule->terms,
                tile > 0 ? tiles * ceil(size / (double)dot->block) : rule->blocks, unit->u);
}

/* ---- the constants of a bound ---- */

/* value, error = the middle of a ball and at least its radius. */
static void set_enclosed(double *value, double *error, const arb_t ball)
{
    ARB(rest);

    *value = arf_get_d(arb_midref(ball), ARF_RND_NEAR);
    arb_set_d(rest, *value);
    arb_sub(rest, ball, rest, 64);
    *error = mag_get_d(arb_radref(rest)) + fabs(arf_get_d(arb_midref(rest), ARF_RND_UP));
    *error *= ATTEST_JUDGE_UP;
}

static bool is_power_of_two(const attest_judge_problem *x)
{
    int exponent;

    if (x->rsqrt) {
        double root = sqrt((double)x->dim); /* exact where it is a power of two */

        return frexp(root, &exponent) == 0.5 && root * root == (double)x->dim;
    }
    return fmpz_popcnt(fmpq_numref(x->scale)) == 1 && fmpz_popcnt(fmpq_denref(x->scale)) == 1;
}

/* The least normal number of the working format. */
static double least_normal(const attest_judge_rule *rule)
{
    return rule->work.in_double.plain ? DBL_MIN : rule->work.in_double.tiny;
}

/* Returns whether a constant is a normal number, and so are its reciprocal and its product with
 * log2 e. */
static bool is_normal(double x, const attest_judge_rule *rule)
{
    double least = 4 * least_normal(rule), most = rule->work.limit / 4;

    return x >= least && x <= most && 1 / x >= least && 1 / x <= most;
}

/* Constants of a kernel are close to the exact ones if those are normal numbers. */
static void check_constants(attest_judge_rule *rule)
{
    double cap = rule->cap;

    rule->constants_leave =
        !is_normal(rule->scale, rule) ||
        (cap > 0 && !(is_normal(cap, rule) && is_normal(rule->scale / cap, rule)));
}

static void set_numbers(attest_judge_rule *rule, const attest_judge_problem *problem)
{
    ARB(ball);

    attest_judge_problem_get_scale(ball, problem, 128);
    set_enclosed(&rule->scale, &rule->scale_error, ball);
    rule->cap = rule->cap_error = 0;
    if (problem->capped) {
        arb_set_fmpq(ball, problem->softcap, 128);
        set_enclosed(&rule->cap, &rule->cap_error, ball);
    }
    rule->additive = problem->qkv.mask.data && problem->qkv.mask.type != ATTEST_TENSOR_BOOL;
    rule->mask_first = problem->qkv.mask_before_softcap && problem->capped;
    rule->power_of_two = is_power_of_two(problem);
    check_constants(rule);
}

/* Limits a format to the range of the working format, from which its numbers come or to which
 * they go. */
static void limit(attest_judge_arithmetic *unit, const attest_judge_rule *rule)
{
    if (unit->limit > rule->work.limit)
        unit->limit = rule->work.limit;
}

static void set_units(attest_judge_rule *rule, const attest_judge_variant *variant)
{
    const attest_format *score = &variant->score.accumulate;
    attest_format binary32 = {.name = "binary32", 24, true, -126, 127, 32};

    attest_judge_arithmetic_init(&rule->score, score);
    attest_judge_arithmetic_init(&rule->work, score->precision > 24 ? score : &binary32);
    attest_judge_arithmetic_init(&rule->store, variant->stored ? &variant->store
                                                               : &variant->score.accumulate);
    attest_judge_arithmetic_init(&rule->scale_store, &variant->scale_store);
    attest_judge_arithmetic_init(&rule->softcap_store, &variant->softcap_store);
    attest_judge_arithmetic_init(&rule->mask_store, &variant->mask_store);
    attest_judge_arithmetic_init(&rule->query, &variant->scaled_query);
    attest_judge_arithmetic_init(&rule->p,
                                 variant->cast ? &variant->p : &variant->pv.accumulate);
    attest_judge_arithmetic_init(&rule->sum, &variant->sum_accumulate);
    attest_judge_arithmetic_init(&rule->pv, &variant->pv.accumulate);
    attest_judge_arithmetic_init(&rule->output, &variant->output);
    limit(&rule->score, rule);
    limit(&rule->store, rule);
    limit(&rule->scale_store, rule);
    limit(&rule->softcap_store, rule);
    limit(&rule->mask_store, rule);
    limit(&rule->query, rule);
    limit(&rule->p, rule);
    limit(&rule->sum, rule);
    limit(&rule->pv, rule);
    rule->least_reciprocal = 2 * least_normal(rule);
}

void attest_judge_rule_init(attest_judge_rule *rule, const attest_judge_variant *variant,
                            const attest_judge_problem *problem)
{
    const attest_judge_variant *v = variant;
    double e, u;
    bool any = v->scale == ATTEST_JUDGE_SCALE_ANY, whole;

    rule->variant = v;
    rule->descaled = problem->descaled;
    rule->value_factor = 1;
    rule->joined_sums = v->splits > 1 && v->join == ATTEST_JUDGE_JOIN_SUMS;
    rule->joined_anyhow = v->splits > 1 && v->join == ATTEST_JUDGE_JOIN_ANY;
    rule->joined_logs =
        rule->joined_anyhow || (v->splits > 1 && v->join == ATTEST_JUDGE_JOIN_LOGS);
    rule->quotients = rule->joined_sums ? 1 : v->splits;
    whole = rule->quotients == 1;
    /* models have no schemes without errors */
    rule->quantised = v->cast && v->p_scheme.name[0] &&
                      attest_block_error_init(&rule->scheme, &v->p_scheme, NULL) == ATTEST_OK;
    set_units(rule, v);
    set_numbers(rule, problem);
    u = rule->work.u;
    e = v->exp_relative > u ? v->exp_relative : u;
    rule->final = ATTEST_TERM(division, v->final_relative > u ? v->final_relative : u);
    /* -log(1 - e) <= e + e^2 for e <= 1/2, and <= e / (1 - e) */
    rule->log_exp =
        ATTEST_TERM(exp_error, e <= 0.5 ? e + e * e : e / (1 - e)) * ATTEST_JUDGE_UP;
    rule->reach = ATTEST_TERM(threshold, 2 * v->threshold) * 0x1.62e42fefa39f0p-1 *
                  (1 + 2 * attest_judge_rule_units(rule, 4)) * ATTEST_JUDGE_UP;
    rule->flushed =
        ldexp(ATTEST_TERM(flushed_weight, 1), -124 + (v->offset < 0 ? (int)-v->offset : 0)) *
        attest_judge_exp_up(rule->reach / 2);
    /* a negative offset is removed after flushing; parts are multiplied, added and divided once
     * more each */
    rule->tiny = ldexp(ATTEST_TERM(flushed_result, whole ? 1 : (double)rule->quotients + 1),
                       -125 + (v->offset < 0 ? (int)-v->offset : 0));
    rule->folded = any || v->scale == ATTEST_JUDGE_SCALE_FOLDED;
    rule->queried = any || v->scale == ATTEST_JUDGE_SCALE_QUERY;
    rule->scored = any || v->scale == ATTEST_JUDGE_SCALE_SCORE;
    rule->shifted = ATTEST_TERM(reference_rounding, (v->offset != 0 ? 4 : 2) * u * (1 + 8 * u));
    rule->rescaled =
        v->max != ATTEST_JUDGE_MAX_TWO_PASS || rule->joined_sums || rule->joined_anyhow;
    rule->known_tiles =
        rule->rescaled && v->tile > 0 && whole && v->direction != ATTEST_JUDGE_DIRECTION_ANY;
    rule->after = v->place != ATTEST_JUDGE_PLACE_BEFORE;
    rule->before = v->place != ATTEST_JUDGE_PLACE_AFTER;
    rule->known_reference =
        v->cast && !rule->quantised && v->splits == 1 && !rule->before && v->threshold == 0 &&
        v->sum_of != ATTEST_JUDGE_SUM_ANY && !problem->qkv.sink.data &&
        (!rule->rescaled || (v->max == ATTEST_JUDGE_MAX_ONLINE && rule->known_tiles));
    rule->known_quotients = v->cast && !rule->quantised && v->splits == 1 && !rule->after &&
                            v->threshold == 0 && v->p.precision <= 50;
}

void attest_judge_rule_set_head(attest_judge_rule *rule, const attest_judge_head *head)
{
    int exponent;
    ARB(ball);

    if (!rule->descaled)
        return;
    attest_judge_head_get_scale(ball, head, 128);
    set_enclosed(&rule->scale, &rule->scale_error, ball);
    /* the product of two factors is a power of two if both are */
    rule->power_of_two =
        is_power_of_two(head->problem) && frexp(head->score_factor, &exponent) == 0.5;
    rule->value_factor = head->value_factor;
    check_constants(rule);
}

double attest_judge_rule_units(const attest_judge_rule *rule, double units)
{
    return (units + ATTEST_TERM(factor_units, rule->descaled ? 2 : 0)) * rule->work.u;
}

attest_judge_shared attest_judge_rule_compare(const attest_judge_rule *a,
                                              const attest_judge_rule *b)
{
    const attest_judge_variant *v = a->variant;
    attest_judge_variant other = *b->variant;

    /* the addition of products with V matters in (5) alone; their format also limits weights */
    other.pv = v->pv;
    other.pv.accumulate = b->variant->pv.accumulate;
    if (memcmp(&other, v, sizeof other) == 0)
        return ATTEST_JUDGE_SHARE_WEIGHTS;
    if (v->unscaled || other.unscaled) /* scores depend on the tiles */
        return ATTEST_JUDGE_SHARE_NOTHING;
    other.pv.accumulate = v->pv.accumulate;
    other.max = v->max;
    other.tile = v->tile;
    other.direction = v->direction;
    other.cast = v->cast;
    other.p = v->p;
    return memcmp(&other, v, sizeof other) == 0 ? ATTEST_JUDGE_SHARE_SCORES
                                                : ATTEST_JUDGE_SHARE_NOTHING;
}

/* ---- variants that accept the inputs ---- */

/* Fast for normal numbers of few bits and 0; others are converted. */
static bool is_of_format(const double *x, size_t count, const attest_judge_arithmetic *unit)
{
    const attest_in_double *h = &unit->in_double;
    uint64_t cut = h->plain ? 0 : ((uint64_t)1 << h->shift) - 1;

    for (size_t i = 0; i < count; i++) {
        double size = fabs(x[i]);
        bool normal = (size >= h->tiny && size <= h->most) || size == 0;

        if (!(normal && (attest_in_double_bits(x[i]) & cut) == 0) &&
            attest_in_double_convert(x[i], h) != x[i])
            return false;
    }
    return true;
}

/* Returns whether the values of the head are numbers of the input formats of the variant. */
static bool fits(const attest_judge_head *head, const attest_judge_variant *variant)
{
    const attest_judge_problem *x = head->problem;
    const attest_format *const format[3] = {&variant->q, &variant->k, &variant->v};
    const double *const value[3] = {head->q, head->k, head->v};
    const size_t count[3] = {x->queries * x->dim, x->keys * x->dim, x->keys * x->value_dim};

    for (size_t i = 0; i < 3; i++) {
        attest_judge_arithmetic unit;

        attest_judge_arithmetic_init(&unit, format[i]);
        if (!is_of_format(value[i], count[i], &unit))
            return false;
    }
    return true;
}

/* Returns whether scores can be added within the depth of the variant: in h additions a term
 * meets at most 2^h - 1 others. Sequential orders and matrix units have no depth. */
static bool can_add(const attest_judge_variant *variant, size_t dim)
{
    const attest_judge_dot *dot = &variant->score;

    return (dot->order != ATTEST_JUDGE_ORDER_ANY &&
            dot->order != ATTEST_JUDGE_ORDER_PAIRWISE) ||
           dot->depth == 0 || dot->depth >= 8 * sizeof dim || dim >> dot->depth == 0 ||
           dim == (size_t)1 << dot->depth;
}

/* Sets left_out of the variants that do not accept the values, and *left to the number of the
 * others. left_out: all false at first. */
static attest_status check_inputs(bool *left_out, size_t *left,
                                  const attest_judge_problem *problem,
                                  const attest_judge_model *model, attest_error *error)
{
    const attest_judge_problem *x = problem;
    attest_judge_head head ATTEST_CLEARED_BY(attest_judge_head_clear) = {0};

    for (size_t m = 0; m < model->variants; m++)
        if (!can_add(&model->variant[m], x->dim))
            return attest_error_set(
                error, ATTEST_FORMAT,
                "no kernel adds %zu products within a depth of %zu: score.depth", x->dim,
                model->variant[m].score.depth);
    ATTEST_TRY(attest_judge_head_init(&head, x, error));
    for (size_t i = 0; i < x->batch * x->heads; i++) {
        ATTEST_TRY(attest_judge_head_load(&head, i / x->heads, i % x->heads, error));
        for (size_t m = 0; m < model->variants; m++)
            left_out[m] = left_out[m] || !fits(&head, &model->variant[m]);
    }
    *left = 0;
    for (size_t m = 0; m < model->variants; m++)
        *left += !left_out[m];
    if (*left == 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "a value of q, k or v is not a number of the model's input "
                                "formats (%s, %s, %s): convert it, or name its format in "
                                "\"inputs\"",
                                model->variant[0].q.name, model->variant[0].k.name,
                                model->variant[0].v.name);
    return ATTEST_OK;
}

attest_status attest_judge_rules_alloc(attest_judge_rule **rule, size_t *rules,
                                       const attest_judge_problem *problem,
                                       const attest_judge_model *model, attest_error *error)
{
    bool *left_out ATTEST_FREED = attest_memory_alloc(model->variants, sizeof *left_out);
    size_t count = 0;

    *rule = NULL;
    if (!left_out)
        return attest_memory_fail(error);
    ATTEST_TRY(check_inputs(left_out, rules, problem, model, error));
    *rule = attest_memory_alloc(*rules, sizeof **rule);
    if (!*rule)
        return attest_memory_fail(error);
    for (size_t m = 0; m < model->variants; m++)
        if (!left_out[m])
            attest_judge_rule_init(&(*rule)[count++], &model->variant[m], problem);
    return ATTEST_OK;
}
