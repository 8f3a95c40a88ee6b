/* kernel_steps.c -- the steps of a kernel on a row: scores, tiles and splits, arguments of exp,
 * logarithms. */
#include "judge/kernel_instance.h"

#include "base/random.h"
#include "number/scope.h"

enum { AT_ONCE = ATTEST_JUDGE_KEYS_AT_ONCE };

static double add(const attest_judge_instance *x, double a, double b)
{
    return attest_judge_accumulator_add(a, b, &x->work);
}

static double mul(const attest_judge_instance *x, double a, double b)
{
    return attest_judge_accumulator_mul(a, b, &x->work);
}

static bool is_folded(const attest_judge_instance *x)
{
    return x->recipe.argument >= ATTEST_RECIPE_FOLDED;
}

/* (f): bounds on the allowed results of tanh, and the nearest. */
static attest_judge_exponential tanh_range(const attest_judge_instance *x, double argument,
                                           bool outer)
{
    const attest_in_double *h = &x->work.format;
    attest_judge_exponential r;
    MPFR(53, y);
    double exact, radius, slack;
    int inexact;

    mpfr_set_d(y, argument, MPFR_RNDN);
    inexact = mpfr_tanh(y, y, h->plain ? MPFR_RNDN : MPFR_RNDZ);
    exact = mpfr_get_d(y, MPFR_RNDN);
    if (!h->plain) /* rounded to odd with 53 bits, it rounds to the format like the exact value
                    */
        exact = attest_in_double_to_odd(exact, inexact ? exact : 0);
    radius = x->tanh_error * fabs(exact) + x->variant->softcap_absolute;
    slack = 0x1p-50 * (fabs(exact) + radius); /* exact is off by 2^-52, all sums round */
    radius = outer ? radius + slack : fmax(radius - slack, 0);
    r.nearest = attest_in_double_convert(exact, h);
    r.lo = fmin(r.nearest, attest_judge_round_up(exact - radius, h));
    r.hi = fmax(r.nearest, attest_judge_round_down(exact + radius, h));
    return r;
}

/* s, rounded to the format in which a step stores it. */
static double keep(double s, bool stored, const attest_in_double *store)
{
    return stored ? attest_in_double_convert(s, store) : s;
}

static double keep_scaled(const attest_judge_instance *x, double s)
{
    return keep(s, x->variant->scale_stored, &x->scale_store);
}

static double keep_capped(const attest_judge_instance *x, double s)
{
    return keep(s, x->variant->softcap_stored, &x->softcap_store);
}

/* The argument of tanh, (f). */
static double tanh_argument(const attest_judge_instance *x, double s)
{
    if (is_folded(x) && !x->recipe.scaled_query)
        return keep_capped(x, mul(x, s, x->scale_over_cap));
    if (!x->recipe.scaled_query)
        s = keep_scaled(x, mul(x, s, x->scale));
    return keep_capped(x, attest_judge_instance_divide(s, x->cap, &x->work));
}

/* From a score, or from its tanh, to the units of (h). */
static double finish(const attest_judge_instance *x, double s, double bias)
{
    bool capped = x->problem->capped, first = x->recipe.scale_first;
    bool plain = is_folded(x) && !x->additive && !first;

    if (!plain) {
        if (capped)
            s = keep_capped(x, mul(x, s, x->cap));
        else if (!x->recipe.scaled_query)
            s = keep_scaled(x, mul(x, s, x->scale));
        if (x->additive)
            s = keep(add(x, s, attest_in_double_convert(bias, &x->work.format)),
                     x->variant->mask_stored, &x->mask_store);
    }
    if (x->recipe.argument != ATTEST_RECIPE_FOLDED_TWO_STEP)
        return s;
    return mul(x, s, first ? x->lambda : x->kappa);
}

double attest_judge_instance_choose(attest_judge_instance *x, const attest_judge_exponential *y,
                                    attest_recipe_error error, bool push)
{
    double part;

    switch (error) {
    case ATTEST_RECIPE_ABOVE:
        return y->hi;
    case ATTEST_RECIPE_BELOW:
        return y->lo;
    case ATTEST_RECIPE_PUSH:
        return push ? y->hi : y->lo;
    case ATTEST_RECIPE_RANDOM:
        part = (double)(attest_random_next(&x->random) >> 11) * 0x1p-53;
        part = attest_in_double_convert(y->lo + (y->hi - y->lo) * part, &x->work.format);
        return fmax(y->lo, fmin(y->hi, part));
    default:
        return y->nearest;
    }
}

static void scale_query(attest_judge_instance *x, const double *q)
{
    for (size_t c = 0; c < x->problem->dim; c++)
        x->scaled[c] = x->recipe.scaled_query
                           ? attest_in_double_convert(mul(x, q[c], x->scale), &x->query)
                           : q[c];
}

bool attest_judge_instance_pushes(const attest_judge_instance *x, double value)
{
    return (value > x->middle) == x->recipe.push_up;
}

/* Fills the panels with the keys of the head; the last panel is padded with 0. */
static void pack(attest_judge_instance *x, const attest_judge_head *head)
{
    size_t dim = x->problem->dim, keys = x->problem->keys;

    if (x->head == head && x->loads == head->loads)
        return;
    for (size_t j = 0; j < (keys + AT_ONCE - 1) / AT_ONCE * AT_ONCE; j++)
        for (size_t c = 0; c < dim; c++)
            x->panels[(j / AT_ONCE * dim + c) * AT_ONCE + j % AT_ONCE] =
                j < keys ? head->k[j * dim + c] : 0;
    x->head = head;
    x->loads = head->loads;
}

/* dot[j] = the sum of the products of the query with key j of a panel, where the row sees it.
 * */
static void add_dots(double *dot, attest_judge_instance *x, const attest_judge_head *head,
                     const attest_judge_row *row, size_t panel)
{
    size_t dim = x->problem->dim;
    attest_judge_columns all = {x->scaled, x->scaled, x->panels + panel * AT_ONCE * dim,
                                dim,       AT_ONCE,   AT_ONCE,
                                false,     0};

    if (attest_judge_accumulator_is_simple(&x->score)) {
        attest_judge_accumulator_add_columns(dot, &all, &x->score);
        return;
    }
    for (size_t j = panel * AT_ONCE; j < (panel + 1) * AT_ONCE; j++) {
        attest_judge_running running = {false, 0};
        attest_judge_block terms = {x->scaled, head->k + j * dim, 1, dim};

        if (j >= row->first && j < row->last &&
            (!row->bias || row->bias[j - row->first] > -(double)INFINITY))
            attest_judge_accumulator_add_products(&running, &terms, 0, 0, &x->score);
        dot[j % AT_ONCE] = running.value;
    }
}

/* The stored score of key j, before scaling. */
static double store(const attest_judge_instance *x, double dot, size_t j)
{
    double stored = x->variant->stored ? attest_in_double_convert(dot, &x->store) : dot;

    if (!isfinite(dot) || !isfinite(stored))
        attest_judge_watch_add(x->watch, ATTEST_JUDGE_SCORE_OVERFLOWS, j, dot);
    return stored;
}

static void score_key(attest_judge_instance *x, double *lo, double *hi, double s, double bias,
                      double value, bool open)
{
    attest_judge_exponential y;

    if (!x->problem->capped) {
        *lo = *hi = finish(x, s, bias);
        return;
    }
    y = tanh_range(x, tanh_argument(x, s), open);
    if (!open)
        y.lo = y.hi = attest_judge_instance_choose(x, &y, x->recipe.softcap_error,
                                                   attest_judge_instance_pushes(x, value));
    *lo = finish(x, keep_capped(x, y.lo), bias);
    *hi = finish(x, keep_capped(x, y.hi), bias);
}

void attest_judge_instance_score(attest_judge_instance *x, const attest_judge_head *head,
                                 const attest_judge_row *row, size_t i, bool open)
{
    size_t dim = x->problem->dim, values = x->problem->value_dim;
    const double *v = head->v + x->recipe.target % values;
    double s[AT_ONCE];

    if (x->watch)
        x->watch->row = i;
    scale_query(x, head->q + i * dim);
    if (x->panels)
        pack(x, head);
    for (size_t j = row->first; j < row->last; j++) {
        size_t n = j - row->first, place = j % AT_ONCE;
        double bias = row->bias ? row->bias[n] : 0;

        if (place == 0 || n == 0)
            add_dots(s, x, head, row, j / AT_ONCE);
        x->score_lo[n] = x->score_hi[n] = -(double)INFINITY;
        if (bias > -(double)INFINITY)
            score_key(x, &x->score_lo[n], &x->score_hi[n], store(x, s[place], j), bias,
                      v[j * values], open);
    }
}

/* ---- tiles, (d) ---- */

static bool is_seen(const attest_judge_instance *x, const attest_judge_row *row,
                    const attest_judge_tile *tile)
{
    for (size_t j = tile->first; j < tile->last; j++)
        if (!(x->score_hi[j - row->first] == -(double)INFINITY))
            return true;
    return false;
}

/* The tile that contains key j. */
static attest_judge_tile tile_of(const attest_judge_instance *x, size_t j, size_t last)
{
    size_t tile = x->recipe.tile, end = j + 1;

    if (x->recipe.cuts > 0) {
        while (end < last && attest_random_mix(x->recipe.seed + end) % x->recipe.cuts != 0)
            end++;
        return (attest_judge_tile){j, j, end};
    }
    if (tile == 0)
        return (attest_judge_tile){0, j, last};
    end = (j / tile + 1) * tile;
    return (attest_judge_tile){j / tile * tile, j, end < last ? end : last};
}

size_t attest_judge_instance_tile(attest_judge_instance *x, const attest_judge_row *row)
{
    size_t count = 0;

    for (size_t j = row->first; j < row->last;) {
        attest_judge_tile tile = tile_of(x, j, row->last);

        if (is_seen(x, row, &tile))
            x->tile[count++] = tile;
        j = tile.last;
    }
    for (size_t i = 0; x->recipe.backward && i < count / 2; i++) {
        attest_judge_tile kept = x->tile[i];

        x->tile[i] = x->tile[count - 1 - i];
        x->tile[count - 1 - i] = kept;
    }
    return count;
}

attest_judge_split attest_judge_instance_split(const attest_judge_instance *x, size_t tiles,
                                               size_t s)
{
    size_t splits = x->recipe.splits, size = (tiles + splits - 1) / splits;
    size_t first = s * size < tiles ? s * size : tiles;
    size_t count = tiles - first < size ? tiles - first : size;

    return (attest_judge_split){x->tile + (x->recipe.backward ? tiles - first - count : first),
                                count};
}

/* ---- arguments of exp and results of log: (h), (i), (l), (o) ---- */

static double fused(const attest_judge_instance *x, double a, double b, double c)
{
    return attest_judge_accumulator_flush(attest_in_double_fma(a, b, c, &x->work.format),
                                          &x->work);
}

double attest_judge_instance_divide(double a, double b, const attest_judge_accumulator *work)
{
    const attest_in_double *h = &work->format;
    double q = a / b, remainder;

    if (h->plain || !isfinite(q) || q == 0)
        return attest_in_double_convert(q, h);
    remainder = fma(-q, b, a);
    q = attest_in_double_to_odd(q, b < 0 ? -remainder : remainder);
    return attest_judge_accumulator_round(q, work);
}

double attest_judge_instance_reference(const attest_judge_instance *x, double m)
{
    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        m = mul(x, m, x->kappa);
    return x->shift != 0 ? add(x, m, -x->shift) : m;
}

double attest_judge_instance_argument(const attest_judge_instance *x, double score,
                                      double reference)
{
    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return fused(x, score, x->kappa, -reference);
    score = add(x, score, -reference);
    return x->recipe.argument == ATTEST_RECIPE_SEPARATE_TWO ? mul(x, score, x->lambda) : score;
}

double attest_judge_instance_rescale(const attest_judge_instance *x, double m, double more)
{
    double difference = add(x, m, -more);

    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return mul(x, difference, x->kappa);
    if (x->recipe.argument == ATTEST_RECIPE_SEPARATE_TWO)
        return mul(x, difference, x->lambda);
    return difference;
}

bool attest_judge_instance_keeps(const attest_judge_instance *x, double m, double more)
{
    double difference = attest_judge_instance_rescale(x, m, more);

    if (x->recipe.max != ATTEST_JUDGE_MAX_LAZY)
        return !(more > m);
    if (x->recipe.argument == ATTEST_RECIPE_SEPARATE)
        difference = mul(x, difference, x->lambda);
    return difference >= -x->recipe.threshold;
}

double attest_judge_instance_sink(const attest_judge_instance *x, double logit)
{
    logit = attest_in_double_convert(logit, &x->work.format);
    return x->recipe.argument == ATTEST_RECIPE_FOLDED_TWO_STEP ? mul(x, logit, x->lambda)
                                                               : logit;
}

double attest_judge_instance_sink_argument(const attest_judge_instance *x, double logit,
                                           double reference)
{
    double sink = attest_judge_instance_sink(x, logit);

    if (x->recipe.argument == ATTEST_RECIPE_FOLDED)
        return fused(x, sink, x->lambda, -reference);
    return attest_judge_instance_argument(x, sink, reference);
}

/* The working format has numbers within the allowed error from lo to hi. */
attest_judge_exponential attest_judge_instance_log(const attest_judge_instance *x, double sum,
                                                   bool outer)
{
    const attest_in_double *h = &x->work.format;
    attest_judge_exponential y;
    double exact, radius, slack;
    int inexact;
    MPFR(53, l);

    mpfr_set_d(l, sum, MPFR_RNDN);
    inexact = mpfr_log(l, l, MPFR_RNDZ);
    exact = mpfr_get_d(l, MPFR_RNDZ);
    y.nearest = attest_in_double_convert(
        h->plain ? exact : attest_in_double_to_odd(exact, inexact ? exact : 0), h);
    radius = x->variant->split_log;
    slack = 0x1p-50 * fabs(exact) + 0x1p-20 * radius; /* exact is off by 2^-52, sums round */
    radius = outer ? radius + slack : fmax(radius - slack, 0);
    y.lo = fmin(y.nearest, attest_judge_round_up(exact - radius, h));
    y.hi = fmax(y.nearest, attest_judge_round_down(exact + radius, h));
    return y;
}

void attest_judge_instance_watch(const attest_judge_instance *x, size_t key, double y_low,
                                 double p_low, double p_high)
{
    attest_judge_watch *w = x->watch;

    if (!w)
        return;
    if (!(p_high <= x->p_limit))
        attest_judge_watch_add(w, ATTEST_JUDGE_WEIGHT_OVERFLOWS, key, p_high);
    else if (x->variant->cast && !(p_high <= x->p.most))
        attest_judge_watch_add(w, ATTEST_JUDGE_WEIGHT_ABOVE, key, p_high);
    if (!(y_low >= 0x1p-126))
        attest_judge_watch_add(w, ATTEST_JUDGE_EXP_UNDERFLOWS, key, y_low);
    if (x->variant->cast && !(attest_in_double_convert(p_low, &x->p) > 0))
        attest_judge_watch_add(w, ATTEST_JUDGE_WEIGHT_VANISHES, key, p_low);
}
