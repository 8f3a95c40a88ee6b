/* lse_kernel.c -- the log-sum-exp of a simulated kernel, and merged parts. */
#include "tests/ref/lse_kernel.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

static const double unit = 0x1p-24;

static double draw(int way, uint64_t *state)
{
    return way ? way : (double)(attest_random_next(state) >> 11) * 0x1p-52 - 1;
}

/* A float within `error` of exact, relatively, if that is more than half a unit. */
static float near(double exact, double error, int way, uint64_t *state)
{
    double room = error - unit * (1 + 0x1p-20);

    return (float)(exact * (1 + (room > 0 ? room * draw(way, state) : 0)));
}

static float exponential(float x, bool two, const lse_kernel *k, uint64_t *state)
{
    float y;

    if (x == 0)
        return 1;
    y = near(two ? exp2((double)x) : exp((double)x), k->exp_error, k->exp_way, state);
    return y < 0x1p-126f ? 0 : y;
}

/* ---- scores ---- */

static float dot(const float *a, const float *b, size_t n, const lse_kernel *k)
{
    volatile float sum = 0;

    for (size_t i = 0; i < n; i++) {
        size_t c = k->reversed ? n - 1 - i : i;
        volatile float product = a[c] * b[c];

        sum = k->fused_products ? fmaf(a[c], b[c], sum) : sum + product;
    }
    return sum;
}

/* What the forms subtract references from, and the constant of the argument. */
typedef struct scores {
    float value[LSE_KERNEL_KEYS];
    bool seen[LSE_KERNEL_KEYS];
    float kappa;  /* fused: of the argument */
    double exact; /* the exact value in units of t of a reference 1 */
} scores;

static void set_scores(scores *s, const lse_kernel *k, const lse_row *row, uint64_t *state)
{
    const double log2e = 1.4426950408889634;
    float scale = near(row->scale, k->constant_units * unit, k->constant_way, state);
    float cap = (float)row->softcap, lambda = (float)log2e;
    bool folded = k->form == LSE_FUSED || k->form == LSE_TWO_STEP;
    bool early = folded && !row->softcap && !row->bias; /* the scale is in kappa */
    double last = early ? row->scale : row->bias ? 1 : row->softcap ? row->softcap : 1;

    s->kappa = near(last * log2e, (k->constant_units + 1) * unit, k->constant_way, state);
    s->exact = k->form == LSE_FUSED      ? last
               : k->form == LSE_TWO_STEP ? 0.69314718055994530942
                                         : 1;
    for (size_t j = 0; j < row->keys; j++) {
        volatile float t = dot(row->q, row->k + j * row->dim, row->dim, k);

        s->seen[j] = !row->bias || row->bias[j] > -INFINITY;
        if (!s->seen[j])
            continue;
        if (!early)
            t = t * scale;
        if (row->softcap) {
            volatile float x = t / cap;

            t = near(tanh((double)x), k->tanh_error, k->exp_way, state);
            if (!folded || row->bias)
                t = t * cap;
        }
        if (row->bias)
            t = t + row->bias[j];
        if (k->form == LSE_TWO_STEP && early && k->scale_first) {
            t = t * scale;
            t = t * lambda;
        } else if (k->form == LSE_TWO_STEP)
            t = t * s->kappa;
        s->value[j] = t;
    }
}

/* ---- a part ---- */

/* The sums of a part, and its reference. */
typedef struct part {
    bool started;
    float m;
    double sum[LSE_KERNEL_LANES]; /* floats, unless the sum is wide */
} part;

static double add(double a, double b, const lse_kernel *k)
{
    volatile float sum = (float)a + (float)b;

    return k->wide_sum ? a + b : sum;
}

static double times(double a, float b, const lse_kernel *k)
{
    volatile float product = (float)a * b;

    return k->wide_sum ? a * b : product;
}

/* The argument of a score; that of the rescale factor of two references. */
static float argument(float score, float m, const scores *s, const lse_kernel *k)
{
    volatile float x = score - m, product;

    if (k->form == LSE_SEPARATE_TWO)
        return x * 1.44269504088896340736f;
    if (k->form != LSE_FUSED)
        return x;
    product = m * s->kappa;
    return fmaf(score, s->kappa, -product);
}

static float rescale(float m, float more, const scores *s, const lse_kernel *k)
{
    volatile float x = m - more, a, b;

    if (k->form == LSE_SEPARATE_TWO)
        return x * 1.44269504088896340736f;
    if (k->form != LSE_FUSED)
        return x;
    if (k->raw_rescale)
        return x * s->kappa;
    a = m * s->kappa;
    b = more * s->kappa;
    return a - b;
}

static bool is_two(const lse_kernel *k)
{
    return k->form != LSE_SEPARATE;
}

static float cast(float y, const lse_kernel *k)
{
    int e;
    double quantum;

    if (!k->cast_bits || y == 0)
        return y;
    frexp((double)y, &e);
    e = e - 1 > k->cast_emin ? e - 1 : k->cast_emin;
    quantum = ldexp(1, e - k->cast_bits + 1);
    return (float)(nearbyint((double)y / quantum) * quantum);
}

static void raise(part *p, float m, const scores *s, const lse_kernel *k, uint64_t *state)
{
    float factor = exponential(rescale(p->m, m, s, k), is_two(k), k, state);

    for (size_t i = 0; p->started && i < LSE_KERNEL_LANES && m != p->m; i++)
        p->sum[i] = times(p->sum[i], factor, k);
    p->m = m;
}

static void add_tile(part *p, size_t first, size_t last, const scores *s, const lse_kernel *k,
                     bool moves, uint64_t *state)
{
    float most = -INFINITY;
    size_t lanes = k->lanes ? k->lanes : 1;

    for (size_t j = first; j < last; j++)
        if (s->seen[j] && s->value[j] > most)
            most = s->value[j];
    if (most == -INFINITY)
        return;
    if (moves && !p->started)
        p->m = most;
    else if (moves &&
             (double)(most - p->m) * s->exact * 1.4426950408889634 * (1 + 0x1p-22) >
                 k->threshold &&
             most > p->m)
        raise(p, most, s, k, state);
    p->started = true;
    for (size_t i = first; i < last; i++) {
        size_t j = k->from_last ? first + last - 1 - i : i;
        float y;

        if (!s->seen[j])
            continue;
        y = exponential(argument(s->value[j], p->m, s, k), is_two(k), k, state);
        y = cast(ldexpf(y, k->offset), k);
        p->sum[(j - first) % lanes] = add(p->sum[(j - first) % lanes], (double)y, k);
    }
}

/* The log of a sum, in the base of the kernel. */
static float logarithm(double sum, const lse_kernel *k, uint64_t *state)
{
    double exact = log(sum);

    exact += draw(k->log_way, state) * (k->log_absolute + k->log_relative * fabs(exact)) *
             (1 - 0x1p-20);
    return (float)(k->base_2 && !k->converted ? exact * 1.4426950408889634 : exact);
}

/* The log-sum-exp of a reference and a sum. */
static float finish(float m, double sum, const scores *s, const lse_kernel *k, uint64_t *state)
{
    bool binary = k->base_2 && !k->converted;
    double exact = (double)m * s->exact * (binary ? 1.4426950408889634 : 1);
    bool kept = binary ? k->form == LSE_TWO_STEP : s->exact == 1;
    volatile float reference, result;

    reference = kept && k->reference_units == 0
                    ? m
                    : near(exact, k->reference_units * unit, k->reference_way, state);
    result = reference + logarithm(ldexp(sum, -k->offset), k, state);
    if (k->base_2 && k->converted)
        result = result * 1.44269504088896340736f;
    return result;
}

/* The keys first .. last-1, from tile to tile, with the sink or without it. */
static float run_part(const lse_kernel *k, const lse_row *row, const scores *s, size_t first,
                      size_t last, bool sink, uint64_t *state)
{
    size_t tile = k->tile ? k->tile : row->keys, low = first / tile, high = (last - 1) / tile;
    part p = {false, -INFINITY, {0}};
    double sum = 0;
    float logit = sink ? *row->sink : 0;

    if (k->form == LSE_TWO_STEP)
        logit = (float)((double)logit * 1.4426950408889634);
    if (sink && k->sink_in_max && k->form != LSE_FUSED) {
        p.started = true;
        p.m = logit;
        p.sum[0] = k->without_sink ? 0 : ldexp(1, k->offset);
        sink = false;
    }
    if (!k->online) {
        float most = p.m;

        for (size_t j = first; j < last; j++)
            if (s->seen[j] && s->value[j] > most)
                most = s->value[j];
        if (p.started)
            raise(&p, most, s, k, state);
        p.m = most;
    }
    for (size_t i = low; i <= high; i++) {
        size_t t = k->backward ? low + high - i : i;
        size_t from = t * tile > first ? t * tile : first;
        size_t to = (t + 1) * tile < last ? (t + 1) * tile : last;

        add_tile(&p, from, to, s, k, k->online, state);
    }
    for (size_t i = 0; i < (k->lanes ? k->lanes : 1); i++)
        sum = i == 0 ? p.sum[0] : add(sum, p.sum[i], k);
    if (sink && !k->without_sink) {
        volatile float product = p.m * s->kappa;
        float x = k->form == LSE_FUSED ? fmaf(logit, 1.44269504088896340736f, -product)
                                       : argument(logit, p.m, s, k);

        sum = add(sum, ldexp((double)exponential(x, is_two(k), k, state), k->offset), k);
    }
    return finish(p.m, sum, s, k, state);
}

static bool sees(const scores *s, size_t first, size_t last)
{
    for (size_t j = first; j < last; j++)
        if (s->seen[j])
            return true;
    return false;
}

/* Parts of whole tiles, joined by their log-sum-exps. */
static float join(const float *lse, size_t parts, const lse_kernel *k, uint64_t *state)
{
    float most = -INFINITY;
    volatile float sum = 0, result;
    bool binary = k->base_2;

    for (size_t i = 0; i < parts; i++)
        most = lse[i] > most ? lse[i] : most;
    for (size_t i = 0; i < parts; i++) {
        volatile float x = lse[i] - most;

        sum = sum + exponential(x, binary, k, state);
    }
    result = most;
    if (binary) {
        lse_kernel natural = *k;

        natural.converted = false;
        result = result + logarithm((double)sum, &natural, state);
    } else
        result = result + logarithm((double)sum, k, state);
    return result;
}

float lse_kernel_run(const lse_kernel *kernel, const lse_row *row, uint64_t *state)
{
    static scores s;
    float lse[LSE_KERNEL_PARTS];
    size_t tile = kernel->tile ? kernel->tile : 1, splits = kernel->splits, parts = 0;
    size_t tiles = (row->keys + tile - 1) / tile, run;
    bool sink = row->sink != NULL;

    set_scores(&s, kernel, row, state);
    if (splits < 2)
        return run_part(kernel, row, &s, 0, row->keys, sink, state);
    run = (tiles + splits - 1) / splits * tile;
    for (size_t first = 0; first < row->keys; first += run) {
        size_t last = first + run < row->keys ? first + run : row->keys;

        if (sees(&s, first, last)) {
            lse[parts++] = run_part(kernel, row, &s, first, last, sink, state);
            sink = false;
        }
    }
    return parts == 1 ? lse[0] : join(lse, parts, kernel, state);
}

/* ---- merged parts ---- */

/* e^x or 2^x with the errors of a kernel that merges. */
static float power(float x, int way, const merge_kernel *k, uint64_t *state)
{
    lse_kernel errors = {.exp_error = k->exp_error, .exp_way = way};

    return exponential(x, k->base_2, &errors, state);
}

void merge_kernel_run(float *out, float *lse, const merge_kernel *kernel, const float *outputs,
                      const float *part_lse, size_t parts, size_t columns, uint64_t *state)
{
    const lse_kernel logs = {.log_absolute = kernel->log_absolute,
                             .log_relative = kernel->log_relative,
                             .log_way = kernel->log_way,
                             .base_2 = kernel->base_2};
    float weight[LSE_KERNEL_PARTS], most = -INFINITY;
    volatile float sum = 0;

    for (size_t i = 0; i < parts; i++)
        most = part_lse[i] > most ? part_lse[i] : most;
    for (size_t i = 0; i < parts; i++) {
        volatile float x = part_lse[i] - most;

        weight[i] = part_lse[i] == -INFINITY ? 0 : power(x, kernel->sum_way, kernel, state);
        sum = sum + weight[i];
    }
    *lse = most + logarithm((double)sum, &logs, state);
    for (size_t i = 0; i < parts; i++) {
        volatile float x = part_lse[i] - *lse;

        if (kernel->by_sum)
            weight[i] = part_lse[i] == -INFINITY ? 0 : power(x, kernel->exp_way, kernel, state);
        else if (!kernel->last)
            weight[i] = near((double)weight[i] / (double)sum, kernel->final_error,
                             kernel->final_way, state);
    }
    for (size_t c = 0; c < columns; c++) {
        volatile float o = 0;

        for (size_t i = 0; i < parts; i++) {
            volatile float product = weight[i] * outputs[i * columns + c];

            o = part_lse[i] == -INFINITY ? o : o + product;
        }
        out[c] =
            !kernel->by_sum && kernel->last
                ? near((double)o / (double)sum, kernel->final_error, kernel->final_way, state)
                : o;
    }
}
