/* tiles.c -- (3): which tiles may raise the reference of a row, and what the keys weigh when
 * each has been added. */
#include <attest/kernel.h>

#include "base/term.h"
#include "judge/weights.h"

/* How many tiles the seen keys can lie in at most: beside those that they fill two in part. */
static double count_tiles(const attest_judge_work *x, const attest_judge_rule *rule)
{
    double tile = (double)rule->variant->tile, most = (double)x->seen;
    double in_part = ATTEST_TERM(tiles_in_part, 2);

    return tile > 0 ? fmin(most, floor((double)x->count / tile) + in_part) : most;
}

/* tile_low, tile_high = the range of the largest score of every tile; returns how many. */
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

/* For every tile the range of its largest score, then that of the reference when the tile is
 * added, and how many later tiles may raise it. */
static void follow_tiles(attest_judge_work *x, const attest_judge_rule *rule)
{
    size_t tiles = find_tiles(x, rule), raises = 0;
    bool backward = rule->variant->direction == ATTEST_JUDGE_DIRECTION_BACKWARD;
    double low = (double)-INFINITY, high = low; /* a sink may be left out of the maximum */

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
    for (size_t i = 0; i < tiles; i++)
        x->tile_raises[i] = raises - x->tile_raises[i];
    x->raises = (double)raises;
}

/* The weights of some keys, g included, on the scale of a reference. Uses high. */
static double sum_weights(attest_judge_work *x, size_t first, size_t last, double reference)
{
    double *e = x->high, sum = 0;

    for (size_t j = first; j < last; j++)
        e[j] = maximum(x->t[j] + x->g[j] - reference, LEAST_ARGUMENT);
    attest_kernel_exp(e + first, e + first, last - first);
    for (size_t j = first; j < last; j++)
        sum += e[j];
    return sum * (1 + ((double)x->count + 16) * 0x1p-52) * ATTEST_JUDGE_UP;
}

double attest_judge_weights_sum_so_far(attest_judge_work *x, const attest_judge_rule *rule)
{
    bool backward = rule->variant->direction == ATTEST_JUDGE_DIRECTION_BACKWARD;
    double sum = 0, largest = 0, before = (double)-INFINITY;
    size_t tiles = 0;

    if (!(x->lowest > x->bottom - FAR) || (rule->rescaled && !rule->known_tiles))
        return (double)INFINITY;
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
    if (rule->known_tiles)
        follow_tiles(x, rule);
    else if (rule->rescaled)
        x->raises = count_tiles(x, rule) - (x->sink ? 0 : 1);
}
