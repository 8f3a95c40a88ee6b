/* schedule.c -- schedules in MPFR. */
#include "tests/ref/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ref/products.h"

typedef struct kernel {
    const ref_row *row;
    const attest_judge_variant *v;
    const attest_judge_schedule *s;
    attest_format w;
    bool folded;
    double scale, cap, over, kappa, log2e;
} kernel;

/* scale or cap or 1, over cap, times log2 e. */
static double constant(const ref_row *row, const attest_format *f, bool scale, bool cap,
                       bool over, double fixed, bool log2e)
{
    mpfr_t x, y;
    double r;

    mpfr_init2(x, 400);
    mpfr_init2(y, 400);
    mpfr_set_d(x, fixed, MPFR_RNDN);
    if (scale && row->rsqrt) {
        mpfr_set_ui(x, row->dim, MPFR_RNDN);
        mpfr_sqrt(x, x, MPFR_RNDN);
        mpfr_ui_div(x, 1, x, MPFR_RNDN);
    } else if (scale) {
        mpfr_set_d(x, row->over, MPFR_RNDN);
        mpfr_div_d(x, x, row->under, MPFR_RNDN);
    }
    if (cap)
        mpfr_mul_d(x, x, row->cap, MPFR_RNDN);
    if (over)
        mpfr_div_d(x, x, row->cap, MPFR_RNDN);
    mpfr_const_log2(y, MPFR_RNDN);
    if (log2e)
        mpfr_div(x, x, y, MPFR_RNDN);
    r = ref_nearest(x, f);
    mpfr_clear(x);
    mpfr_clear(y);
    return r;
}

static void set_constants(kernel *k)
{
    const ref_row *row = k->row;
    const attest_format *w = &k->w;

    k->scale = constant(row, w, true, false, false, 1, false);
    k->cap = row->cap;
    k->log2e = constant(row, w, false, false, false, 1, true);
    k->kappa = k->log2e;
    if (row->cap != 0) {
        k->cap = constant(row, w, false, true, false, 1, false);
        k->over = constant(row, w, true, false, true, 1, false);
    }
    if (!row->bias)
        k->kappa =
            constant(row, w, false, false, false, row->cap != 0 ? k->cap : k->scale, true);
}

static double score(const kernel *k, const double *q, size_t j)
{
    const ref_row *row = k->row;
    const attest_judge_variant *v = k->v;
    bool query = !k->folded && v->scale == ATTEST_JUDGE_SCALE_QUERY;
    ref_dot x = {q,         row->k + j * row->dim, 1,
                 &v->score, k->s->scores,          query ? &v->scaled_query : &v->q,
                 &v->k};
    double s = ref_sum_products(0, &x, 0, row->dim), t;

    if (v->stored)
        s = ref_cast(s, &v->store);
    if (k->folded && !row->bias && row->cap == 0)
        return s;
    if (row->cap != 0) {
        if (k->folded)
            t = ref_mul(s, k->over, &k->w);
        else
            t = ref_operate('/', query ? s : ref_mul(s, k->scale, &k->w), k->cap, 0, &k->w);
        t = ref_operate('t', t, 0, 0, &k->w);
        if (k->folded && !row->bias)
            return t;
        t = ref_mul(t, k->cap, &k->w);
    } else
        t = query ? s : ref_mul(s, k->scale, &k->w);
    return row->bias ? ref_add(t, ref_cast(row->bias[j], &k->w), &k->w) : t;
}

/* exp2 by the schedule's polynomial: Horner's scheme by fused operations of binary32, and a
 * power of two; below 2^-126 what the bits say, in which the leading 1 is missing. */
static double emulated(const kernel *k, double x)
{
    const attest_exp2_polynomial *p = &k->s->emulation.polynomial;
    double whole, f, r;

    if (x < -127)
        x = -127;
    whole = floor(x);
    f = ref_add(x, -whole, &k->w);
    r = p->coefficient[p->count - 1];
    for (size_t i = p->count - 1; i-- > 0;)
        r = ref_operate('*', r, f, p->coefficient[i], &k->w);
    return whole < -126 ? ldexp(r - 1, -126) : ldexp(r, (int)whole);
}

/* Which keys of a tile take it. */
static bool emulates(const kernel *k, size_t i)
{
    const attest_judge_emulation *e = &k->s->emulation;
    size_t size = e->fragment ? e->fragment : k->s->tile;
    size_t fragments = k->s->tile / size + (k->s->tile % size != 0), even = i % size / 2 * 2;

    return e->polynomial.count > 0 && i / size >= e->first &&
           i / size + 1 + e->spared <= fragments &&
           (e->frequency == 0 || even % e->frequency + e->emulated >= e->frequency);
}

static double quotient(const kernel *k, double a, double b)
{
    if (k->s->quotient == ATTEST_JUDGE_QUOTIENT_RECIPROCAL)
        return ref_mul(a, ref_operate('/', 1, b, 0, &k->w), &k->w);
    return ref_operate('/', a, b, 0, &k->w);
}

static double cast_weight(const kernel *k, double y)
{
    return k->v->cast && !*k->v->p_scheme.name ? ref_cast(y, &k->v->p) : y;
}

/* Quantised weights: four rules, written once more. */
static double quantised(const char *rule, float x, float amax)
{
    static const attest_format half = {.name = "binary16", 11, true, -14, 15, 16};
    static const attest_format e4m3 = {.name = "e4m3",
                                       4,
                                       true,
                                       -6,
                                       8,
                                       8,
                                       .finite_only = true,
                                       .saturates = true,
                                       .top_is_nan = true};
    float d = amax / 127;

    if (amax == 0)
        return 0;
    if (strcmp(rule, "mxfp8_e4m3fn:mx-even") == 0)
        return ldexp(ref_cast(ldexp(x, 8 - ilogbf(amax)), &e4m3), ilogbf(amax) - 8);
    if (strcmp(rule, "float8_e4m3fn:scale=0.25") == 0)
        return ref_cast((double)x * 4, &e4m3) / 4;
    if (strcmp(rule, "int8:per-token") == 0)
        return (double)rintf(x * (127 / amax)) * (double)d;
    if (strcmp(rule, "q8_0") != 0)
        abort();
    return (double)roundf(x * (1 / d)) * ref_cast(d, &half);
}

/* The groups of the keys first .. last-1 of a tile. */
static void quantise(const kernel *k, double *p, size_t start, size_t first, size_t last)
{
    const char *rule = k->v->p_scheme.name;
    size_t size = strcmp(rule, "mxfp8_e4m3fn:mx-even") == 0 || strcmp(rule, "q8_0") == 0
                      ? 32
                      : last - start;

    for (size_t j = start, end; *rule && j < last; j = end) {
        float amax = 0;

        end = j + size;
        for (size_t i = j; i < end && i < last; i++)
            if (i >= first && p[i] > (double)amax)
                amax = (float)p[i];
        for (size_t i = j; i < end && i < last; i++)
            if (i >= first)
                p[i] = ref_cast(quantised(rule, (float)p[i], amax), &k->v->p);
    }
}

static double weight(const kernel *k, double s, double m, bool offset, bool sink,
                     bool polynomial)
{
    const attest_format *w = &k->w;
    double b = offset ? (double)k->v->offset : 0, c;

    if (!k->folded)
        return ref_mul(ref_operate('e', ref_add(s, -m, w), 0, 0, w), ldexp(1, (int)b), w);
    c = ref_mul(m, k->kappa, w);
    if (b != 0)
        c = ref_add(c, -b, w);
    c = ref_operate('*', s, sink ? k->log2e : k->kappa, -c, w);
    return polynomial ? emulated(k, c) : ref_operate('2', c, 0, 0, w);
}

static double rescale_argument(const kernel *k, double m, double more)
{
    double d = ref_add(m, -more, &k->w);

    return k->folded ? ref_mul(d, k->kappa, &k->w) : d;
}

static bool keeps(const kernel *k, double m, double more)
{
    double d = rescale_argument(k, m, more);

    if (!k->folded)
        d = ref_mul(d, k->log2e, &k->w);
    return k->s->rescale > 0 ? d >= -k->s->rescale : more <= m;
}

typedef struct state {
    double m, *lane, *o, *s, *p, *y, *g; /* g: the tiles that o has not taken yet */
    size_t tiles;                        /* in g */
    bool started;
    size_t from, to; /* the keys of this part */
} state;

static void take_group(const kernel *k, state *x)
{
    for (size_t c = 0; c < k->row->value_dim; c++) {
        x->o[c] = ref_add(x->o[c], x->g[c], &k->v->pv.accumulate);
        x->g[c] = 0;
    }
    x->tiles = 0;
}

static void add_pv(const kernel *k, state *x, size_t start, size_t first, size_t last)
{
    const ref_row *row = k->row;

    for (size_t c = 0; c < row->value_dim; c++) {
        ref_dot pv = {
            x->p + start, row->v + start * row->value_dim + c, row->value_dim, &k->v->pv,
            k->s->pv,     k->v->cast ? &k->v->p : &k->w,       &k->v->v};

        if (k->v->pv.promote_tiles > 0)
            x->g[c] = ref_sum_products(x->g[c], &pv, first - start, last - start);
        else
            x->o[c] = ref_sum_products(x->o[c], &pv, first - start, last - start);
    }
    if (++x->tiles == k->v->pv.promote_tiles)
        take_group(k, x);
}

static void visit(const kernel *k, state *x, size_t start, size_t first, size_t last)
{
    const ref_row *row = k->row;
    bool before = k->s->divide == ATTEST_JUDGE_PLACE_BEFORE;
    double more = -(double)INFINITY;
    size_t lanes = k->s->lanes;

    for (size_t j = first; j < last; j++)
        if (row->seen[j] && x->s[j] > more)
            more = x->s[j];
    if (more == -(double)INFINITY)
        return;
    if (k->v->max == ATTEST_JUDGE_MAX_TWO_PASS) {
        for (size_t j = x->from; j < x->to; j++)
            if (row->seen[j] && x->s[j] > more)
                more = x->s[j];
        x->m = more;
    } else if (!x->started)
        x->m = more;
    else if (more < x->m)
        more = x->m;
    x->started = true;
    if (!keeps(k, x->m, more)) {
        double a =
            ref_operate(k->folded ? '2' : 'e', rescale_argument(k, x->m, more), 0, 0, &k->w);

        for (size_t l = 0; l < lanes; l++)
            x->lane[l] = ref_mul(x->lane[l], a, &k->v->sum_accumulate);
        for (size_t c = 0; c < row->value_dim; c++)
            x->o[c] = ref_mul(x->o[c], a, &k->v->pv.accumulate);
        for (size_t c = 0; c < row->value_dim; c++)
            x->g[c] = ref_mul(x->g[c], a, &k->v->pv.accumulate);
        x->m = more;
    }
    for (size_t j = first; j < last; j++) {
        x->y[j] =
            row->seen[j] ? weight(k, x->s[j], x->m, !before, false, emulates(k, j - start)) : 0;
        x->p[j] = cast_weight(k, x->y[j]);
    }
    if (!before)
        quantise(k, x->p, start, first, last);
    for (size_t j = first; j < last; j++) {
        double term = k->v->sum_of == ATTEST_JUDGE_SUM_CAST && !before ? x->p[j] : x->y[j];
        size_t l = (j - start) % lanes;

        x->lane[l] =
            ref_add(x->lane[l], ref_cast(term, &k->v->sum_accumulate), &k->v->sum_accumulate);
    }
    if (!before)
        add_pv(k, x, start, first, last);
}

/* The tiles in their order. */
static void each_tile(const kernel *k, state *x, bool second, double sum)
{
    size_t from = x->from, to = x->to, T = k->s->tile, least = from / T, most = (to - 1) / T;

    for (size_t n = 0; n <= most - least; n++) {
        size_t t = k->s->direction == ATTEST_JUDGE_DIRECTION_BACKWARD ? most - n : least + n;
        size_t first = t * T > from ? t * T : from, last = (t + 1) * T < to ? (t + 1) * T : to;
        bool any = false;

        for (size_t j = first; j < last; j++)
            any = any || k->row->seen[j];
        if (!any)
            continue;
        if (!second) {
            visit(k, x, t * T, first, last);
            continue;
        }
        for (size_t j = first; j < last; j++) {
            double y = k->row->seen[j]
                           ? weight(k, x->s[j], x->m, false, false, emulates(k, j - t * T))
                           : 0;

            y = ref_mul(quotient(k, y, sum), ldexp(1, (int)k->v->offset), &k->w);
            x->p[j] = cast_weight(k, y);
        }
        quantise(k, x->p, t * T, first, last);
        add_pv(k, x, t * T, first, last);
    }
}

static double *zeros(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);

    if (!x)
        abort();
    return x;
}

/* out = the quotients of the keys from .. to-1; returns their row sum. */
static double run_part(double *out, const kernel *k, state *x, bool sink)
{
    const attest_format *f = &k->v->sum_accumulate;
    bool before = k->s->divide == ATTEST_JUDGE_PLACE_BEFORE;
    size_t values = k->row->value_dim;
    double sum;

    x->started = false;
    memset(x->lane, 0, k->s->lanes * sizeof *x->lane);
    memset(x->o, 0, values * sizeof *x->o);
    memset(x->g, 0, values * sizeof *x->g);
    x->tiles = 0;
    if (x->from < x->to)
        each_tile(k, x, false, 0);
    sum = x->lane[0];
    for (size_t l = 1; l < k->s->lanes; l++)
        sum = ref_add(sum, x->lane[l], f);
    if (sink)
        sum = ref_add(
            sum,
            ref_cast(weight(k, ref_cast(k->row->logit, &k->w), x->m, !before, true, false), f),
            f);
    if (before && x->from < x->to)
        each_tile(k, x, true, sum);
    if (k->v->pv.promote_tiles > 0 && x->tiles > 0)
        take_group(k, x);
    for (size_t c = 0; c < values; c++)
        out[c] = before ? ref_mul(x->o[c], ldexp(1, (int)-k->v->offset), &k->w)
                        : quotient(k, x->o[c], sum);
    return sum;
}

static bool is_seen(const kernel *k, size_t tile)
{
    for (size_t j = tile * k->s->tile; j < (tile + 1) * k->s->tile && j < k->row->last; j++)
        if (j >= k->row->first && k->row->seen[j])
            return true;
    return false;
}

/* Sets the keys of the next part: those of this many more tiles with a visible key. */
static void take_tiles(state *x, const kernel *k, size_t from, size_t tiles)
{
    size_t T = k->s->tile;

    x->from = x->to = from;
    for (size_t t = from / T; tiles > 0 && x->to < k->row->last; t++) {
        tiles -= is_seen(k, t);
        x->to = (t + 1) * T < k->row->last ? (t + 1) * T : k->row->last;
    }
}

/* out = the sum of w_p part_p, w_p = exp(L_p - max L) over their sum. */
static void join(double *out, const kernel *k, const double *part, const double *log,
                 size_t parts)
{
    const attest_format *w = &k->w;
    double most = log[0], sum = 0, e;

    for (size_t p = 1; p < parts; p++)
        most = log[p] > most ? log[p] : most;
    for (size_t p = 0; p < parts; p++)
        sum = ref_add(sum, ref_operate('e', ref_add(log[p], -most, w), 0, 0, w), w);
    for (size_t c = 0; c < k->row->value_dim; c++)
        out[c] = 0;
    for (size_t p = 0; p < parts; p++) {
        e = quotient(k, ref_operate('e', ref_add(log[p], -most, w), 0, 0, w), sum);
        for (size_t c = 0; c < k->row->value_dim; c++)
            out[c] = ref_add(out[c], ref_mul(e, part[p * k->row->value_dim + c], w), w);
    }
}

/* The runs of tiles one after another; returns false if no key is seen. */
static bool run_parts(double *out, const kernel *k, state *x)
{
    const ref_row *row = k->row;
    size_t tiles = 0, splits = k->s->splits > 1 ? k->s->splits : 1, parts = 0;
    double *part = zeros(splits * row->value_dim), *log = zeros(splits), sum;
    double unit = !k->folded || row->bias ? 1 : row->cap != 0 ? k->cap : k->scale;

    for (size_t t = 0; t * k->s->tile < row->last; t++)
        tiles += is_seen(k, t);
    x->to = row->first;
    for (size_t s = 0; s < splits && tiles > 0; s++) {
        size_t size = (tiles + splits - 1) / splits;

        take_tiles(x, k, x->to, s * size < tiles ? size : 0);
        if (x->to == x->from)
            continue;
        sum = run_part(part + parts * row->value_dim, k, x, row->sink && parts == 0);
        if (!x->started)
            continue; /* nothing but tiles after the last that is seen */
        log[parts++] =
            ref_add(ref_mul(x->m, unit, &k->w), ref_operate('l', sum, 0, 0, &k->w), &k->w);
    }
    if (parts == 1)
        memcpy(out, part, row->value_dim * sizeof *out);
    else if (parts > 1)
        join(out, k, part, log, parts);
    free(part);
    free(log);
    return parts > 0;
}

void ref_schedule(double *out, const ref_row *row, const attest_judge_variant *variant,
                  const attest_judge_schedule *schedule)
{
    static const attest_format single = {.name = "binary32", 24, true, -126, 127, 32};
    kernel k = {.row = row, .v = variant, .s = schedule, .w = single};
    state x = {.lane = zeros(schedule->lanes),
               .o = zeros(row->value_dim),
               .s = zeros(row->keys),
               .p = zeros(row->keys),
               .y = zeros(row->keys),
               .g = zeros(row->value_dim)};
    double *q = zeros(row->dim);
    bool any;

    k.folded = schedule->constant == ATTEST_JUDGE_CONSTANT_FOLDED;
    set_constants(&k);
    ref_set_flush(schedule->flush);
    for (size_t c = 0; c < row->dim; c++)
        q[c] = !k.folded && variant->scale == ATTEST_JUDGE_SCALE_QUERY
                   ? ref_cast(ref_mul(row->q[c], k.scale, &k.w), &variant->scaled_query)
                   : row->q[c];
    for (size_t j = 0; j < row->keys; j++)
        x.s[j] = row->seen[j] ? score(&k, q, j) : 0;
    any = run_parts(out, &k, &x);
    for (size_t c = 0; c < row->value_dim; c++)
        out[c] = any ? ref_cast(out[c], &variant->output) : 0;
    ref_set_flush(false);
    free(x.lane);
    free(x.o);
    free(x.s);
    free(x.p);
    free(x.y);
    free(x.g);
    free(q);
}
