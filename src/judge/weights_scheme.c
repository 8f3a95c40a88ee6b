/* weights_scheme.c -- weights that are quantised in groups of keys, on their way to V. */
#include <math.h>

#include "judge/kernel_instance.h"

/* From here on scales of one row are normal numbers, and grow with the largest weight. */
#define FEW 0x1p-90

/* The key after the last one of the group of key j of a tile: groups begin with the tile. */
static size_t group_end(const attest_judge_instance *x, const attest_judge_tile *tile, size_t j)
{
    size_t size = x->variant->p_scheme.channels, end = tile->last;

    if (size > 0)
        end = tile->start + ((j - tile->start) / size + 1) * size;
    return end < tile->last ? end : tile->last;
}

void attest_judge_instance_quantise(attest_judge_instance *x, double *weight,
                                    const attest_judge_tile *tile)
{
    for (size_t j = tile->first, end; j < tile->last; j = end) {
        double *group = weight + (j - tile->first), largest = 0;
        attest_block_scale scale;

        end = group_end(x, tile, j);
        for (size_t i = 0; i < end - j; i++)
            largest = fmax(largest, group[i]);
        scale = attest_block_row_quantise(group, &x->scheme, group, end - j, largest);
        for (size_t i = 0; i < end - j; i++)
            group[i] = attest_block_get_value(group[i], &scale, &x->p);
    }
}

/* Ends as numbers of binary32. */
static double to_above(double x)
{
    float y = (float)x;

    return (double)y < x ? (double)nextafterf(y, INFINITY) : (double)y;
}

static double to_below(double x)
{
    float y = (float)x;

    return (double)y > x ? (double)nextafterf(y, 0) : (double)y;
}

/* What is known of a group: the largest number is from least to most, and so are the scales and
 * the elements of either end. */
typedef struct group {
    attest_judge_instance *x;
    double least, most;
    bool same, powers; /* one scale; scales next to each other, which are powers of two */
    bool far;          /* scales may be too small to tell */
    attest_block_scale low, high;
} group;

/* Lemma 10: element by element, with the scale of either end. */
static double lower_value(const group *g, double at_low, double at_high)
{
    const attest_in_double *p = &g->x->p;

    if (g->same)
        return attest_block_get_value(at_high, &g->high, p);
    if (g->powers)
        return fmin(attest_block_get_value(at_low, &g->low, p),
                    attest_block_get_value(at_high, &g->high, p));
    return attest_block_get_value(at_high, &g->low, p);
}

static double upper_value(const group *g, double at_low, double at_high)
{
    const attest_in_double *p = &g->x->p;

    if (g->same)
        return attest_block_get_value(at_high, &g->high, p);
    if (g->powers)
        return fmax(attest_block_get_value(at_low, &g->low, p),
                    attest_block_get_value(at_high, &g->high, p));
    return attest_block_get_value(at_low, &g->high, p);
}

/* What the proved error of the scheme leaves of a weight. */
static double farthest(const group *g, double weight, int sign)
{
    const attest_block_error *e = &g->x->scheme_error;
    double error = (e->relative * weight + e->of_largest * g->most + e->tiny) * (1 + 0x1p-40);

    return attest_in_double_convert(fmax(weight + sign * error, 0), &g->x->p);
}

static void set_scales(group *g)
{
    const attest_block_format *format = &g->x->variant->p_scheme;
    bool floats = format->rule < ATTEST_BLOCK_Q8_0;
    bool near = g->least >= FEW || format->scale > 0;
    bool mx = format->rule >= ATTEST_BLOCK_MX && format->rule <= ATTEST_BLOCK_MX_LLAMA;

    g->low = attest_block_row_quantise(NULL, &g->x->scheme, NULL, 0, g->least);
    g->high = attest_block_row_quantise(NULL, &g->x->scheme, NULL, 0, g->most);
    /* integers depend on more of the largest number than the scale that is stored */
    g->same = g->least == g->most || (near && floats && g->low.factor == g->high.factor);
    g->powers = near && mx && g->high.factor == 2 * g->low.factor;
    g->far = !near && !g->same;
}

/* One group, from lo to hi; room for as many elements twice. False: the scheme is not defined
 * for all of it. */
static bool quantise_group(group *g, double *lo, double *hi, size_t count,
                           double *const room[2])
{
    attest_block_row *row = &g->x->scheme;
    const attest_block_error *e = &g->x->scheme_error;

    g->least = g->most = 0;
    for (size_t i = 0; i < count; i++) {
        lo[i] = to_below(lo[i]);
        hi[i] = to_above(hi[i]);
        g->least = fmax(g->least, lo[i]);
        g->most = fmax(g->most, hi[i]);
    }
    if (g->most == 0)
        return true;
    if (!(g->most <= e->most && g->least >= e->least))
        return false;
    set_scales(g);
    attest_block_row_quantise(room[0], row, lo, count, g->least);
    attest_block_row_quantise(room[1], row, lo, count, g->most);
    for (size_t i = 0; i < count; i++)
        lo[i] = g->far ? farthest(g, lo[i], -1) : lower_value(g, room[0][i], room[1][i]);
    for (size_t i = 0; i < count; i++) /* no larger than a group of least has */
        room[0][i] = fmin(hi[i], g->least);
    attest_block_row_quantise(room[0], row, room[0], count, g->least);
    attest_block_row_quantise(room[1], row, hi, count, g->most);
    for (size_t i = 0; i < count; i++)
        hi[i] = g->far || (!g->same && hi[i] > g->least)
                    ? farthest(g, hi[i], 1)
                    : upper_value(g, room[0][i], room[1][i]);
    return true;
}

bool attest_judge_instance_quantise_ends(attest_judge_instance *x, double *lo, double *hi,
                                         const attest_judge_tile *tile, double *const room[2])
{
    group g = {.x = x};
    bool ok = true;

    for (size_t j = tile->first, end; j < tile->last && ok; j = end) {
        size_t place = j - tile->first;

        end = group_end(x, tile, j);
        ok = quantise_group(&g, lo + place, hi + place, end - j, room);
    }
    return ok;
}
