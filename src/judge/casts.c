/* casts.c -- (4): weights as they are in the product with V: divided, cast. */
#include "judge/weights.h"

/* Weights that are divided one by one are exponentials of their own: apart, at least
 * |sum of those / sum of the others - 1|. What their scores are wrong by they share. */
static void set_apart(attest_judge_work *x, const attest_judge_rule *rule, double common)
{
    struct judge_loops_weight numbers = weight_rule(x, rule, common);
    double apart;

    x->apart = 0;
    if (!rule->before)
        return;
    apart =
        attest_judge_loops()->apart(x->low, x->high, x->t, x->delta, &numbers,
                                    ATTEST_TERM(apart_common, common) +
                                        ATTEST_TERM(apart_exp, (2 + x->raises) * rule->log_exp),
                                    x->count);
    x->apart = apart / x->sum_low * (1 + ((double)x->count + 16) * 0x1p-52) * ATTEST_JUDGE_UP;
}

/* What weights are divided by, as computed: n roundings and those of rescales. */
static void set_divisor(attest_judge_work *x, const attest_judge_rule *rule)
{
    double n = (double)x->seen + x->sink + 1 + x->raises;

    x->divisor =
        x->sum_high *
        (1 + ATTEST_TERM(divisor, attest_judge_grow(rule->sum.u, n) + x->apart + 0x1p-10));
}

/* A sum over the values of weight_size or cast is at most a part of that of w, and what exceeds
 * it times the largest value: nearly the same where errors are relative to the weights. */
void attest_judge_weights_widen(attest_judge_work *x, struct judge_loops_cast *cast)
{
    attest_judge_loops()->casts(x->cast, x->half, x->weight_size, x->low, x->high, x->w, cast,
                                x->count);
    x->size_part = cast->size_part;
    x->size_rest = cast->size_sum;
    x->cast_part = cast->cast_part;
    x->cast_rest = cast->cast_sum;
    x->sized = !x->narrow || !(x->size_rest <= 0x1p-10 * x->sum);
    x->casted = !x->narrow || !(x->cast_rest <= 0x1p-8 * x->cast_part * x->sum);
}

/* (4): what the numerator's weight may differ from that in the sum by. */
static void set_casts(attest_judge_work *x, const attest_judge_rule *rule, double common)
{
    const attest_judge_variant *v = rule->variant;
    double grown =
        attest_judge_exp_up(ATTEST_TERM(cast_grown, common + x->raises * rule->log_exp));
    struct judge_loops_cast cast = {
        .u = ATTEST_TERM(cast_rounding, v->cast ? rule->p.u : 0),
        .half = ATTEST_TERM(cast_least,
                            v->cast ? ldexp(rule->p.quantum, -1 - (int)v->offset) * grown : 0),
        .widens = v->cast && v->sum_of != ATTEST_JUDGE_SUM_UNCAST,
        .kept = true};
    double grow = (1 + x->widest + x->widest * x->widest) * (1 + cast.u) * ATTEST_JUDGE_UP;

    /* what is added is what is multiplied */
    if (v->cast && v->sum_of == ATTEST_JUDGE_SUM_CAST && !rule->before)
        cast.kept = false;
    if (rule->before) { /* divided one by one, by exponentials of their own */
        cast.half *= x->divisor;
        cast.divided = ATTEST_TERM(cast_divided, rule->final);
        cast.rest = ATTEST_TERM(cast_flushed, rule->tiny * x->divisor);
    }
    if (v->splits > 1) /* each part is divided, and its weight may be */
        cast.divided += ATTEST_TERM(split_divided, 2 * rule->final * (1 + rule->final));
    cast.cast_part = ((cast.kept ? cast.u : 0) + cast.divided) * grow;
    cast.size_part = grow * (1 + cast.cast_part) * ATTEST_JUDGE_UP;
    x->extra_most = 0;
    if (rule->quantised) {
        attest_judge_weights_set_groups(
            x, rule, &cast, ldexp(grown * (rule->before ? x->divisor : 1), (int)-v->offset));
        cast.extra = x->extra;
    }
    attest_judge_weights_widen(x, &cast);
}

void attest_judge_weights_cast(attest_judge_work *x, const attest_judge_rule *rule,
                               double common)
{
    set_apart(x, rule, common);
    set_divisor(x, rule);
    set_casts(x, rule, common);
}

/* offset, spread of the keys first .. last-1, whose reference is between m_low and m_high and
 * is raised so often later. A cast is monotone, so the cast weight lies between the casts of
 * the ends. Exponents are small (narrow): e^h <= 1 + h + h^2, e^-h >= 1 - h. What is subnormal
 * before or after it is multiplied by 2^b may be 0, and an exponential below 2^-126 may be
 * that. */
static void set_known_tile(attest_judge_work *x, const attest_judge_rule *rule, size_t first,
                           size_t last, double m_low, double m_high, double raises)
{
    const struct judge_loops_weight numbers = weight_rule(x, rule, 0);
    double moved = ATTEST_TERM(
        known_reference,
        rule->folded ? rule->shifted * (x->most + fabs((double)rule->variant->offset)) : 0);
    struct judge_loops_known known = {.two_b = ldexp(1, (int)rule->variant->offset),
                                      .quantum = rule->p.quantum,
                                      .unit = 2 * rule->p.u,
                                      .most = rule->p.hosted.most,
                                      .range =
                                          ATTEST_TERM(known_range, m_high - m_low) + 2 * moved};

    moved += ATTEST_TERM(known_evaluation, 0x1p-44);
    if (!(x->top - m_high < 300 && known.range < 0x1p-7) || rule->variant->p.precision > 50) {
        for (size_t j = first; j < last; j++) { /* nothing is gained here */
            x->offset[j] = 0;
            x->spread[j] = x->cast[j];
        }
        x->open = true;
        return;
    }
    known.up = attest_judge_exp_up(x->top - m_high);
    known.down = attest_judge_exp_down(m_high - x->top);
    known.error = ATTEST_TERM(known_exp, rule->log_exp) + moved;
    known.later = ATTEST_TERM(known_later, raises * rule->log_exp) + moved;
    attest_judge_loops()->known_casts(x->offset + first, x->spread + first, x->half + first,
                                      x->w + first, x->t + first, x->delta + first,
                                      x->cast + first, &known, &numbers, last - first);
    x->fixed += known.fixed;
    x->open = x->open || known.open;
}

void attest_judge_weights_know_casts(attest_judge_work *x, const attest_judge_rule *rule)
{
    if (!rule->known_tiles) {
        set_known_tile(x, rule, 0, x->count, x->bottom, x->top, 0);
        return;
    }
    for (size_t i = 0, first = 0, last; first < x->count; i++, first = last) {
        last = tile_end(x, rule, first);
        set_known_tile(x, rule, first, last, x->tile_low[i], x->tile_high[i],
                       (double)x->tile_raises[i]);
    }
}
