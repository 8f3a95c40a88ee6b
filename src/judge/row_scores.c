/* row_scores.c -- (1), (2): the scores of a row and their errors; (3): its tiles. */
#include "judge/row.h"

#include <attest/kernel.h>

#include <math.h>

#include "base/term.h"
#include "judge/loops.h"

/* ---- (1), (2): scores and their errors ---- */

/* Larger errors of an exponent count as infinite. */
#define MOST_EXPONENT 1000

#define LOG2E 0x1.71547652b82ffp0 /* rounded up */

/* c tanh(t / c), to within c 2^-50: judge.md, "Evaluation". */
static double softcap(double t, double c)
{
    double y = -2 * fabs(t) / c, e;

    attest_kernel_exp(&e, &y, 1);
    return copysign(c * (1 - e) / (1 + e), t);
}

/* At least the slope of c tanh(t / c) at every |t| >= from. */
static double softcap_slope(double from, double c)
{
    double e;

    if (!(from > 0))
        return 1;
    e = attest_judge_exp_up(-2 * from / c * ATTEST_JUDGE_DOWN);
    return 4 * e / ((1 + e) * (1 + e)) * ATTEST_JUDGE_UP; /* grows with e <= 1 */
}

/* The error of storing a number of at most that size. Where the constant of the scores, up to 1
 * + 4 u, is a common factor, it divides the underflow, too. */
static double stored_error(const attest_judge_arithmetic *store, double size,
                           const attest_judge_rule *rule)
{
    return (store->u * size + store->least * (1 + 8 * rule->work.u)) * ATTEST_JUDGE_UP;
}

/* Applies the softcap to t, known to within *ev, and to the error *delta of a kernel. The
 * argument of tanh errs by 5 u more (of which one is in *delta unless the query was scaled),
 * and by the 2 u of a scale that the query was multiplied with; factors add 2 u. Where its
 * steps are stored, so are the quotient, tanh and the product: c times the errors of the first
 * and the second. False if they may overflow. */
static bool cap(double *score, double *delta, double *ev, const attest_judge_rule *rule)
{
    const attest_judge_arithmetic *store = &rule->softcap_store;
    const attest_judge_variant *v = rule->variant;
    double c = rule->cap, u = rule->work.u, t = *score, capped = softcap(t, c), size;
    double before = (*delta + ATTEST_TERM(cap_argument,
                                          attest_judge_rule_units(rule, rule->queried ? 8 : 5) *
                                              (fabs(t) + *delta))) *
                    ATTEST_JUDGE_UP;
    double argument = (fabs(t) + *ev + before) / c * (1 + 4 * u) * ATTEST_JUDGE_UP, moved;

    if (v->softcap_stored)
        before += ATTEST_TERM(cap_stored_quotient,
                              c * (1 + 4 * u) * stored_error(store, argument, rule));
    moved = ATTEST_TERM(cap_slope, before) * softcap_slope(fabs(t) - before - *ev, c);

    *ev += ATTEST_TERM(cap_evaluation, c * 0x1p-50 + rule->cap_error);
    size = fabs(capped) + moved + *ev;
    *delta =
        (moved +
         ATTEST_TERM(cap_absolute, (c + rule->cap_error) * v->softcap_absolute * (1 + 4 * u)) +
         (ATTEST_TERM(cap_relative, v->softcap_relative > u ? v->softcap_relative : u) +
          ATTEST_TERM(cap_product, 3 * u)) *
             size) *
        ATTEST_JUDGE_UP;
    *score = capped;
    if (!v->softcap_stored)
        return true;
    size = fabs(capped) + *ev + *delta;
    *delta += ATTEST_TERM(cap_stored_product, stored_error(store, size, rule)) +
              ATTEST_TERM(cap_stored_tanh, stored_error(store, size, rule) * (1 + store->u) +
                                               c * (1 + 4 * u) * store->least * (1 + store->u) *
                                                   ATTEST_JUDGE_UP);
    *delta *= ATTEST_JUDGE_UP;
    return argument < store->limit && size / c * (1 + 4 * u) < store->limit &&
           (size + *delta) * ATTEST_JUDGE_UP < store->limit;
}

/* Adds the value of the mask. The error of the scale, up to 2 u (4 u with factors), is no
 * longer a common factor: it moves t, but not the mask. Where log2 e is folded in, the sum is
 * rounded once more. If a stored sum may become infinite: below 0 the weight is 0, which is
 * right for a key far below the others; for any other key the error becomes infinite. */
static double shift(double t, double bias, double *delta, double *ev,
                    const attest_judge_rule *rule)
{
    double sum = t + bias;

    *ev += ATTEST_TERM(mask_evaluation, 0x1p-53 * fabs(sum));
    *delta += ATTEST_TERM(mask_sum, attest_judge_rule_units(rule, 2) *
                                        (fabs(t) + fabs(bias) + fabs(sum) + *ev + *delta)) +
              ATTEST_TERM(mask_least, rule->work.least);
    *delta *= ATTEST_JUDGE_UP;
    if (rule->variant->mask_stored) {
        double size = (fabs(sum) + *ev + *delta) * ATTEST_JUDGE_UP;
        double most = fabs(sum) + ATTEST_TERM(mask_limit, size - fabs(sum));

        *delta += ATTEST_TERM(mask_stored, stored_error(&rule->mask_store, size, rule));
        if (!(most * ATTEST_JUDGE_UP < rule->mask_store.limit))
            *delta = sum < 0 ? *delta + MOST_EXPONENT : (double)INFINITY;
    }
    return sum;
}

/* The parameters of the scores of a row. If the place of the scale is not known, log2 e may be
 * folded into the constant of the query, too: then no scale is a power of two, and sums are
 * larger by it. */
static void set_rule(struct judge_loops_score *to, const attest_judge_work *x,
                     const attest_judge_rule *rule)
{
    const attest_judge_variant *v = rule->variant;
    const attest_judge_dot *dot = &v->score;
    double dim = (double)x->dim, blocks = dot->block ? ceil(dim / (double)dot->block) : 0;
    double u = rule->work.u, query_u = rule->query.u + u * (1 + rule->query.u);
    bool exact = rule->power_of_two && !rule->folded;

    attest_judge_sum_error_init(&to->sum, dot, &rule->score, dim, blocks, x->raised, 0);
    attest_judge_sum_error_init(&to->query_sum, dot, &rule->score, dim, blocks,
                                x->raised_scaled, 0);
    to->scale = rule->scale;
    to->scale_error = rule->scale_error;
    to->rounding = ATTEST_TERM(score_evaluation, (dim + 4) * 0x1p-53);
    to->scored = rule->scored || rule->folded;
    to->queried = rule->queried;
    to->u = ATTEST_TERM(scale_product, exact ? 0 : u);
    to->least = ATTEST_TERM(scale_least, exact ? 0 : rule->work.least);
    to->store_u = ATTEST_TERM(store_rounding, v->stored ? rule->store.u : 0);
    to->store_least = ATTEST_TERM(store_least, v->stored ? rule->store.least : 0);
    to->store_limit = v->stored ? rule->store.limit : (double)INFINITY;
    if (exact && v->scaled_query.precision >= v->q.precision)
        query_u = 0;
    to->query_u = ATTEST_TERM(query_rounding, query_u);
    /* the scale of the kernel errs by 2 u, folded by 3 u */
    to->query_scale =
        rule->scale * (1 + ATTEST_TERM(query_constant, attest_judge_rule_units(rule, 4)));
    to->query_least = ATTEST_TERM(query_least, rule->query.least + rule->work.least);
    to->query_limit =
        rule->folded ? to->query_sum.limit / LOG2E * ATTEST_JUDGE_DOWN : (double)INFINITY;
}

/* Stores a scaled score; false if it may overflow. */
static bool store_scaled(double t, double *delta, double ev, const attest_judge_rule *rule)
{
    double size = (fabs(t) + ev + *delta) *
                  (1 + ATTEST_TERM(scale_stored_constant, 4 * rule->work.u)) * ATTEST_JUDGE_UP;

    *delta += ATTEST_TERM(scale_stored, stored_error(&rule->scale_store, size, rule));
    return size < rule->scale_store.limit;
}

/* Returns whether scores are changed after the scale. */
static bool changes_keys(const attest_judge_work *x, const attest_judge_rule *rule)
{
    return x->bias || rule->cap > 0 || rule->variant->scale_stored;
}

/* A hidden key whose mask is added before the softcap has the score -c: tanh(-1000) is -1
 * within the error of its evaluation. */
static void hide(double *score, double *delta, double *ev, const attest_judge_rule *rule)
{
    *score = -1000 * rule->cap;
    *delta = *ev = 0;
}

/* Applies stores, softcap and mask, key by key; returns the same as judge_loops.scores. */
static int change_keys(attest_judge_work *x, const attest_judge_rule *rule)
{
    int wild = 0;

    x->seen = 0;
    for (size_t j = 0; j < x->count; j++) {
        bool hidden = x->bias && x->bias[j] == (double)-INFINITY;

        if (hidden && !rule->mask_first) {
            x->t[j] = (double)-INFINITY;
            x->delta[j] = x->ev[j] = 0;
            continue;
        }
        if (hidden)
            hide(&x->t[j], &x->delta[j], &x->ev[j], rule);
        else if (rule->variant->scale_stored &&
                 !store_scaled(x->t[j], &x->delta[j], x->ev[j], rule))
            wild |= 2;
        if (rule->mask_first && rule->additive && !hidden)
            x->t[j] = shift(x->t[j], x->bias[j], &x->delta[j], &x->ev[j], rule);
        if (rule->cap > 0 && !cap(&x->t[j], &x->delta[j], &x->ev[j], rule))
            wild |= 2;
        if (rule->additive && !rule->mask_first)
            x->t[j] = shift(x->t[j], x->bias[j], &x->delta[j], &x->ev[j], rule);
        if (rule->cap > 0 || rule->additive)
            x->delta[j] = (x->delta[j] + x->ev[j]) * ATTEST_JUDGE_UP;
        wild |= (x->ev[j] < 0x1p1000 ? 0 : 1) | (x->delta[j] < 0x1p1000 ? 0 : 2);
        x->seen++;
    }
    return wild;
}

static int relate_to_tiles(attest_judge_work *x, const attest_judge_rule *rule);

void attest_judge_row_scores(attest_judge_work *work, const attest_judge_rule *rule)
{
    attest_judge_work *x = work;
    double scaled = x->query_most * rule->scale * (rule->folded ? LOG2E : 1) *
                    (1 + ATTEST_TERM(query_limit, 8 * rule->work.u));
    struct judge_loops_score to;
    int wild;

    set_rule(&to, x, rule);
    x->seen = x->count;
    wild = attest_judge_loops()->scores(x->t, x->delta, x->ev, x->s, x->size, x->key_size, &to,
                                        x->count);
    if (changes_keys(x, rule))
        wild = change_keys(x, rule);
    if (rule->variant->unscaled && wild == 0)
        wild = relate_to_tiles(x, rule);
    x->unknown = (wild & 1) != 0;
    x->score_reason = ATTEST_JUDGE_BOUNDED;
    if ((wild & 2) != 0 ||
        (rule->queried && !(scaled < rule->query.limit && scaled < rule->work.limit)))
        x->score_reason = ATTEST_JUDGE_SCORES_OVERFLOW;
    if (rule->constants_leave)
        x->score_reason = ATTEST_JUDGE_CONSTANTS_LEAVE;
}

/* ---- (3): tiles that may raise the reference, and sums of weights ---- */

/* Bound on the number of tiles with keys that are seen: those that they fill, and two in part.
 * */
static double count_tiles(const attest_judge_work *x, const attest_judge_rule *rule)
{
    double tile = (double)rule->variant->tile, most = (double)x->seen;
    double in_part = ATTEST_TERM(tiles_in_part, 2);

    return tile > 0 ? fmin(most, floor((double)x->count / tile) + in_part) : most;
}

/* tile_low, tile_high = bounds on the largest score of every tile; returns the number of tiles.
 * */
static size_t find_tiles(attest_judge_work *x, const attest_judge_rule *rule)
{
    size_t tiles = 0;

    for (size_t first = 0, last; first < x->count; first = last, tiles++) {
        double ends[3];

        last = tile_end(x, rule, first);
        attest_judge_loops()->extremes(ends, x->t + first, x->delta + first, last - first);
        x->tile_high[tiles] = ends[0];
        x->tile_low[tiles] = ends[1];
    }
    return tiles;
}

/* The rescales by a sink that is visited after the last tile, if it may exceed all scores. */
static size_t sink_raises(const attest_judge_work *x, const attest_judge_rule *rule, double low)
{
    return (size_t)ATTEST_TERM(sink_last,
                               x->sink && x->sink_logit + sink_error(x, rule) > low ? 1 : 0);
}

/* The fault that sums are not rescaled ("Alternatives"): key j of tile i keeps the weight
 * e^(t_j - m_i), m_i the largest score up to tile i. Replaces t_j by t_j - m_i. The reference
 * of a kernel is the largest of its scores, each within delta of t; their difference is rounded
 * once, in the argument of the exponential (3), or, where the scale is folded, the reference is
 * multiplied and rounded before it: twice, relative to the scores. Returns the same as
 * judge_loops.scores. */
static int relate_to_tiles(attest_judge_work *x, const attest_judge_rule *rule)
{
    bool backward = rule->variant->direction == ATTEST_JUDGE_DIRECTION_BACKWARD;
    double low = (double)-INFINITY, high = low, exact_low = low, exact_high = low, most = 0;
    size_t tiles = 0;
    int wild = 0;

    for (size_t j = 0; j < x->count; j++)
        if (x->t[j] > (double)-INFINITY)
            most = maximum(most, fabs(x->t[j]) + x->delta[j]);
    for (size_t first = 0; first < x->count; first = tile_end(x, rule, first))
        tiles++;
    for (size_t k = 0; k < tiles; k++) {
        size_t i = backward ? tiles - 1 - k : k, first = 0, last;
        double middle, error, exact_error;

        if (i > 0)
            first = (x->first / rule->variant->tile + i) * rule->variant->tile - x->first;
        last = tile_end(x, rule, first);
        for (size_t j = first; j < last; j++) {
            low = maximum(low, x->t[j] - x->delta[j]);
            high = maximum(high, x->t[j] + x->delta[j]);
            exact_low = maximum(exact_low, x->t[j] - x->ev[j]);
            exact_high = maximum(exact_high, x->t[j] + x->ev[j]);
        }
        if (low == (double)-INFINITY) /* no key of these tiles is seen */
            continue;
        middle = exact_low / 2 + exact_high / 2;
        exact_error = (exact_high - exact_low) / 2 + 0x1p-50 * most;
        /* the second part is what (3) counts for a rounded reference: there, the largest score
         * is now 0 */
        error = ATTEST_TERM(tile_reference, maximum(high - middle, middle - low)) +
                attest_judge_rule_units(rule, 8) * most;
        for (size_t j = first; j < last; j++) {
            if (x->t[j] == (double)-INFINITY)
                continue;
            x->t[j] -= middle;
            x->ev[j] = (x->ev[j] + exact_error) * ATTEST_JUDGE_UP;
            x->delta[j] = (x->delta[j] + error + exact_error) * ATTEST_JUDGE_UP;
            wild |= (x->ev[j] < 0x1p1000 ? 0 : 1) | (x->delta[j] < 0x1p1000 ? 0 : 2);
        }
    }
    return wild;
}

/* For every tile, replaces the bounds on its largest score by those on the reference when the
 * tile is added, and counts the later tiles that may raise it. */
static void follow_tiles(attest_judge_work *x, const attest_judge_rule *rule)
{
    size_t tiles = find_tiles(x, rule), raises = 0;
    bool backward = rule->variant->direction == ATTEST_JUDGE_DIRECTION_BACKWARD;
    double low = (double)-INFINITY, high = low; /* the maximum need not include a sink */
    size_t last;

    for (size_t k = 0; k < tiles; k++) {
        size_t i = backward ? tiles - 1 - k : k;
        bool first = low == (double)-INFINITY && !x->sink;

        if (x->tile_high[i] > low && !first)
            raises++;
        low = maximum(low, x->tile_low[i]);
        high = maximum(high, x->tile_high[i]);
        x->tile_low[i] = low;
        x->tile_high[i] = high;
        x->tile_raises[i] = raises;
    }
    last = sink_raises(x, rule, low);
    for (size_t i = 0; i < tiles; i++)
        x->tile_raises[i] = raises - x->tile_raises[i] + last;
    x->raises = (double)raises;
}

/* The same for parts that begin with any tile and whose sums are joined: judge.md, Sums of
 * parts. Bounds on references are not known. A tile is rescaled by the later ones of its part,
 * and by later parts, that exceed all since that tile, and once when its own part is joined. */
static void follow_parts(attest_judge_work *x, const attest_judge_rule *rule)
{
    size_t tiles = find_tiles(x, rule), most = 0, *next = x->tile_next;
    bool backward = rule->variant->direction == ATTEST_JUDGE_DIRECTION_BACKWARD;

    for (size_t k = tiles; k-- > 0;) { /* in order of visit */
        size_t i = backward ? tiles - 1 - k : k, at = k + 1;
#define TILE(n) (backward ? tiles - 1 - (n) : (n))

        while (at < tiles && !(x->tile_high[TILE(at)] > x->tile_low[i]))
            at = next[TILE(at)];
        x->tile_raises[i] = at < tiles ? x->tile_raises[TILE(at)] + 1 : 0;
        while (at < tiles && !(x->tile_high[TILE(at)] > x->tile_high[i]))
            at = next[TILE(at)];
        next[i] = at;
#undef TILE
    }
    for (size_t i = 0; i < tiles; i++) {
        x->tile_raises[i] += (size_t)ATTEST_TERM(part_joined, 1) + (x->sink ? 1 : 0);
        most = x->tile_raises[i] > most ? x->tile_raises[i] : most;
    }
    x->raises = (double)most;
}

/* The sum of the weights of some keys, g included, on the scale of a reference. Uses high as
 * work space. */
static double sum_weights(attest_judge_work *x, size_t first, size_t last, double reference)
{
    double *e = x->high, sum = 0;

    for (size_t j = first; j < last; j++)
        e[j] = maximum(x->t[j] + x->g[j] - reference, LEAST_ARGUMENT);
    attest_kernel_exp(e + first, e + first, last - first);
    for (size_t j = first; j < last; j++)
        sum += e[j];
    return sum * (1 + ATTEST_TERM(so_far_sums, ((double)x->count + 16) * 0x1p-52)) *
           ATTEST_JUDGE_UP;
}

/* The largest sum of the weights of consecutive tiles, on the scale of the largest lower bound
 * among them: for each tile, that of the longest run in which its bound is the largest. open:
 * the tiles whose runs go on, their bounds falling, and tile_high their sums with what precedes
 * them.
 */
static double largest_run(attest_judge_work *x, const attest_judge_rule *rule)
{
    double largest = 0, run;
    size_t *open = x->tile_next, count = 0, i = 0, last;
    double up = 1 + ((double)x->count + 16) * 0x1p-52;

    for (size_t first = 0; first <= x->count; first = last, i++) {
        bool end = first == x->count;

        run = 0; /* of the tiles before this one whose bounds are not larger */
        while (count > 0 && (end || !(x->tile_low[open[count - 1]] > x->tile_low[i]))) {
            size_t k = open[--count];

            run += x->tile_high[k];
            if (x->tile_low[k] > (double)-INFINITY)
                largest = maximum(largest, run * attest_judge_exp_up(x->top - x->tile_low[k]));
        }
        if (end)
            break;
        last = tile_end(x, rule, first);
        x->tile_high[i] = run + sum_weights(x, first, last, x->top);
        open[count++] = i;
    }
    return largest * up * ATTEST_JUDGE_UP;
}

double attest_judge_weights_sum_so_far(attest_judge_work *x, const attest_judge_rule *rule)
{
    bool backward = rule->variant->direction == ATTEST_JUDGE_DIRECTION_BACKWARD;
    double sum = 0, largest = 0, before = (double)-INFINITY;
    size_t tiles = 0;

    /* the keys of a part may all be below the largest */
    if (!(x->lowest > x->bottom - FAR) || (rule->rescaled && !rule->known_tiles) ||
        rule->quotients > 1)
        return (double)INFINITY;
    if (rule->joined_sums)
        return largest_run(x, rule);
    if (!rule->rescaled)
        return sum_weights(x, 0, x->count, x->bottom);
    for (size_t first = 0; first < x->count; first = tile_end(x, rule, first))
        tiles++;
    for (size_t k = 0; k < tiles; k++) {
        size_t i = backward ? tiles - 1 - k : k, first = 0, last;
        double reference = x->tile_low[i];

        if (i > 0)
            first = (x->first / rule->variant->tile + i) * rule->variant->tile - x->first;
        if (reference == (double)-INFINITY)
            continue;
        last = tile_end(x, rule, first);
        if (sum > 0)
            sum *= attest_judge_exp_up(before - reference);
        sum = (sum + sum_weights(x, first, last, reference)) * ATTEST_JUDGE_UP;
        largest = maximum(largest, sum);
        before = reference;
    }
    return largest;
}

void attest_judge_weights_set_raises(attest_judge_work *x, const attest_judge_rule *rule)
{
    x->raises = 0;
    if (rule->known_tiles && rule->joined_sums)
        follow_parts(x, rule);
    else if (rule->known_tiles)
        follow_tiles(x, rule);
    else if (rule->rescaled)
        x->raises = count_tiles(x, rule) - (x->sink ? 0 : 1);
}
