/* casts.c -- (4): weights as they are in the product with V: divided, cast. */
#include "judge/weights.h"

/* Weights that are divided one by one are exponentials of their own: apart, at least
 * |sum of those / sum of the others - 1|. What their scores are wrong by they share. */
static void set_apart(attest_judge_work *x, const attest_judge_rule *rule, double common)
{
    double apart = 0;

    x->apart = 0;
    if (!rule->before)
        return;
    for (size_t j = 0; j < x->count; j++)
        if (is_seen(x, j)) {
            double h =
                2 * argument_error(x, rule, j) + common + (2 + x->raises) * rule->log_exp;
            double most = x->high[j] - x->low[j], moved = x->high[j] * (h + h * h);

            /* both are in [low, high]; one of them may be flushed; e^h - 1 <= h + h^2 */
            apart += x->low[j] > 0 && h <= 1 && moved < most ? moved : most;
        }
    x->apart = apart / x->sum_low * (1 + ((double)x->count + 16) * 0x1p-52) * ATTEST_JUDGE_UP;
}

/* What weights are divided by, as computed: n roundings and those of rescales. */
static void set_divisor(attest_judge_work *x, const attest_judge_rule *rule)
{
    double n = (double)x->seen + x->sink + 1 + x->raises;

    x->divisor = x->sum_high * (1 + attest_judge_grow(rule->sum.u, n) + x->apart + 0x1p-10);
}

/* (4): what the numerator's weight may differ from that in the sum by. */
static void set_casts(attest_judge_work *x, const attest_judge_rule *rule, double common)
{
    const attest_judge_variant *v = rule->variant;
    double grown = attest_judge_exp_up(common + x->raises * rule->log_exp);
    double half = v->cast ? ldexp(rule->p.quantum, -1 - (int)v->offset) * grown : 0;
    double u = v->cast ? rule->p.u : 0, divided = 0, apart = 0;

    if (rule->before) { /* divided one by one, by exponentials of their own */
        half *= x->divisor;
        divided = rule->final;
    }
    if (v->splits > 1) /* each part is divided, and its weight may be */
        divided += 2 * rule->final * (1 + rule->final);
    for (size_t j = 0; j < x->count; j++) {
        double high = x->high[j], rounded = maximum(u * high * (1 + divided), half), rest;

        if (high == 0) { /* not seen */
            x->cast[j] = 0;
            continue;
        }
        rest = divided * high + (rule->before ? rule->tiny * x->divisor : 0);
        if (v->cast && v->sum_of != ATTEST_JUDGE_SUM_UNCAST) {
            x->low[j] = maximum((x->low[j] - rounded) * ATTEST_JUDGE_DOWN, 0);
            x->high[j] = (high + rounded) * ATTEST_JUDGE_UP;
            apart += rounded;
            if (v->sum_of == ATTEST_JUDGE_SUM_CAST && !rule->before)
                rounded = 0; /* what is added is what is multiplied */
        }
        x->cast[j] = (rounded + rest) * ATTEST_JUDGE_UP;
    }
    if (rule->before) /* the row sum's casts are others */
        x->apart +=
            apart / x->sum_low * (1 + ((double)x->count + 16) * 0x1p-52) * ATTEST_JUDGE_UP;
}

void attest_judge_weights_cast(attest_judge_work *x, const attest_judge_rule *rule,
                               double common)
{
    set_apart(x, rule, common);
    set_divisor(x, rule);
    set_casts(x, rule, common);
}

/* What casting makes of a weight between two numbers, P being two_b times it. What is subnormal
 * before or after it is multiplied by 2^b may be 0, and an exponential below 2^-126 may be
 * that. */
static void cast_ends(double *low, double *high, const attest_judge_rule *rule, double two_b)
{
    double tiny = 0x1p-125 * maximum(two_b, 1);
    double least = *low * two_b, most = maximum(*high * two_b, tiny);

    least = least < tiny ? 0 : least;
    *low = attest_hosted_convert(least, &rule->p.hosted) / two_b;
    *high = attest_hosted_convert(most, &rule->p.hosted) / two_b;
}

/* offset, spread of the seen keys first .. last-1, whose reference is between m_low and m_high
 * and is raised so often later. A cast is monotone, so the cast weight lies between the casts
 * of the ends. Exponents are small (narrow): e^h <= 1 + h + h^2, e^-h >= 1 - h. */
static void set_known_tile(attest_judge_work *x, const attest_judge_rule *rule, size_t first,
                           size_t last, double m_low, double m_high, double raises)
{
    double moved =
        rule->folded ? rule->shifted * (x->most + fabs((double)rule->variant->offset)) : 0;
    double range = m_high - m_low + 2 * moved, up, down;
    double two_b = ldexp(1, (int)rule->variant->offset);

    moved += 0x1p-44;
    if (!(x->top - m_high < 300 && range < 0x1p-7)) { /* nothing is gained here */
        for (size_t j = first; j < last; j++) {
            x->offset[j] = 0;
            x->spread[j] = x->weight_size[j];
        }
        return;
    }
    up = attest_judge_exp_up(x->top - m_high);
    down = attest_judge_exp_down(m_high - x->top);
    for (size_t j = first; j < last; j++) {
        double way = argument_error(x, rule, j);
        double r = (raises * rule->log_exp + way + moved) * ATTEST_JUDGE_UP, h = r + range;
        double g = (score_error(x, j) + way + rule->log_exp + moved) * ATTEST_JUDGE_UP;
        double low = x->w[j] * up * (1 - g) * (1 - 0x1p-46);
        double high = x->w[j] * up * (1 + (g + range) * (1 + g + range)) * (1 + 0x1p-46);

        cast_ends(&low, &high, rule, two_b);
        low *= down * (1 - h) * (1 - 0x1p-46);
        high *= down * (1 + r + r * r) * (1 + 0x1p-46);
        if (!(g + range < 1)) { /* a far key */
            x->offset[j] = 0;
            x->spread[j] = x->weight_size[j];
            continue;
        }
        x->offset[j] = is_seen(x, j) ? (low + high) / 2 - x->w[j] : 0;
        x->spread[j] = is_seen(x, j) ? (high - low) / 2 + 0x1p-50 * (high + x->w[j]) : 0;
    }
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
