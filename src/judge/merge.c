/* merge.c -- bounds on what a kernel makes of partial outputs and log-sum-exps:
 * proofs-notes/lse.md (M1) to (M4). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/kernel.h>
#include <attest/lse.h>

#include "base/memory.h"
#include "base/scope.h"
#include "judge/head_bound.h"
#include "judge/lse.h"
#include "judge/row.h"
#include "number/scope.h"

/* The row that is merged, by one variant. */
typedef struct merging {
    const attest_judge_parts *parts;
    const attest_judge_variant *variant;
    attest_judge_arithmetic work, output, lse;
    double u, log_exp, final;
    double log_base; /* ln of the base, rounded up */
    bool binary;
    double log_relative; /* of log, with its rounding */
    /* the row: its parts with keys */
    size_t row, count;
    double most;                   /* the largest log-sum-exp */
    double *w;                     /* base^(L_i - most), by parts; 0: no keys */
    double *own;                   /* what the exponent of e_i errs by beside the largest one */
    double *whole;                 /* that of e^(L_i - log sum) */
    double sum;                    /* of w, rounded to nearest */
    double sum_low;                /* at most the sum of the computed ones */
    double log_error;              /* error of the computed log of the sum */
    double log_sum, log_sum_error; /* of the exact one, in units of the base */
    double evaluated;              /* relative error of w */
    double grow, shrink; /* errors of sums of count terms: [count + 1], and of the divisor */
} merging;

static void set_unit(merging *m, const attest_judge_variant *v)
{
    attest_format binary32 = {.name = "binary32", 24, true, -126, 127, 32};
    double e;

    m->variant = v;
    attest_judge_arithmetic_init(
        &m->work, v->score.accumulate.precision > 24 ? &v->score.accumulate : &binary32);
    attest_judge_arithmetic_init(&m->output, &v->output);
    attest_judge_arithmetic_init(&m->lse, &v->lse.format);
    m->u = m->work.u;
    e = maximum(v->exp_relative, m->u);
    m->log_exp = (e <= 0.5 ? e + e * e : e / (1 - e)) * ATTEST_JUDGE_UP;
    m->final = maximum(v->final_relative, m->u);
    m->binary = v->lse.base == ATTEST_JUDGE_LSE_BINARY;
    m->log_base = m->binary ? 0x1.62e42fefa39f0p-1 : 1;
    m->log_relative = v->lse.log_relative + m->u;
}

static double part_lse(const merging *m, size_t i)
{
    return m->parts->lse[i * m->parts->rows + m->row];
}

/* (M1): the weights beside the largest one. */
static void set_weights(merging *m)
{
    double up = 0, terms;

    m->sum = m->sum_low = 0;
    m->evaluated = 0;
    for (size_t i = 0; i < m->parts->parts; i++) {
        double below = m->most - part_lse(m, i), x = -below * m->log_base, h;

        m->w[i] = m->own[i] = 0;
        if (part_lse(m, i) == (double)-INFINITY)
            continue;
        x = maximum(x, LEAST_ARGUMENT);
        attest_kernel_exp(&m->w[i], &x, 1);
        if (below > 0)
            m->own[i] = (ATTEST_TERM(merge_exp, m->log_exp + 3 * m->u * (1 + 16 * m->u) *
                                                                 below * m->log_base) +
                         0x1p-50 * (below + 1)) *
                        ATTEST_JUDGE_UP;
        h = m->own[i];
        m->sum += m->w[i];
        up += m->w[i] * (attest_judge_exp_up(h) - 1);
        m->sum_low += m->w[i] * attest_judge_exp_down(-h);
        m->evaluated = maximum(m->evaluated, 0x1p-50 * (-x + 1));
    }
    terms = ATTEST_TERM(merge_sum, (double)m->count);
    m->grow = attest_judge_grow(m->u, terms + 1);
    m->shrink = terms * m->u;
    m->sum_low *= ATTEST_JUDGE_DOWN;
    /* e_i may be flushed: 2^-125 each, beside a sum of at least 1 */
    m->log_error =
        (up / m->sum_low + m->grow + 2 * m->shrink * m->shrink + (double)m->count * 0x1p-124) *
        ATTEST_JUDGE_UP;
}

/* The log of the exact sum, in units of the base, and its error. */
static void set_log(merging *m)
{
    ARB(x, y);

    arb_set_d(x, m->sum);
    arb_log(x, x, 80);
    if (m->binary) {
        arb_const_log2(y, 80);
        arb_div(x, x, y, 80);
    }
    arb_set_d(y, m->most);
    arb_add(x, x, y, 80);
    m->log_sum = arf_get_d(arb_midref(x), ARF_RND_NEAR);
    m->log_sum_error =
        (fabs(m->log_sum) * 0x1p-53 +
         (m->evaluated * 2 + ((double)m->count + 16) * 0x1p-52) / m->log_base + 0x1p-70) *
        ATTEST_JUDGE_UP;
}

/* (M2): the error of the computed log-sum-exp before it is rounded, in natural units. */
static double lse_error(const merging *m)
{
    double logs = log((double)m->count) + 1;

    return (m->log_error + ATTEST_TERM(merge_log, m->variant->lse.log_absolute) +
            m->log_relative * logs) *
           ATTEST_JUDGE_UP;
}

/* (M3): the exponents of weights e^(L_i - log sum), which are not divided. */
static void set_whole(merging *m)
{
    double size = fabs(m->log_sum) * m->log_base;
    double common = lse_error(m) + ATTEST_TERM(merge_log_sum, m->u * (1 + 16 * m->u)) * size;

    for (size_t i = 0; i < m->parts->parts; i++) {
        double below = fabs(m->log_sum - part_lse(m, i)) * m->log_base + common;

        m->whole[i] = 0;
        if (part_lse(m, i) > (double)-INFINITY)
            m->whole[i] = (3 * m->u * (1 + 16 * m->u) * below + common + m->log_exp +
                           0x1p-50 * (below + 1)) *
                          ATTEST_JUDGE_UP;
    }
}

/* (M4): the element of column c. */
static void bound_element(double *lo, double *hi, double *exact, double *error,
                          const merging *m, size_t c)
{
    const attest_judge_parts *p = m->parts;
    double o = 0, size = 0, centred = 0, uncentred = 0, largest = 0, e, f;

    for (size_t i = 0; i < p->parts; i++)
        if (m->w[i] > 0) {
            double x = p->out[(i * p->rows + m->row) * p->columns + c];

            o += m->w[i] * x;
            size += (m->w[i] * attest_judge_exp_up(m->own[i]) + 0x1p-125) * fabs(x);
            largest = maximum(largest, fabs(x));
        }
    o /= m->sum;
    for (size_t i = 0; i < p->parts; i++)
        if (m->w[i] > 0) {
            double x = p->out[(i * p->rows + m->row) * p->columns + c];

            centred +=
                (m->w[i] * (attest_judge_exp_up(m->own[i]) - 1) + 0x1p-125) * fabs(x - o);
            uncentred += m->w[i] * (attest_judge_exp_up(m->whole[i]) - 1) * fabs(x);
        }
    size = size / m->sum_low * ATTEST_JUDGE_UP;
    f = ATTEST_TERM(merge_division, m->final);
    e = centred / m->sum_low +
        size * ((1 + f) / (1 - m->shrink) - 1 + m->grow * (1 + f) / (1 - m->shrink));
    e = maximum(e, (uncentred / m->sum * (1 + m->grow) + size * m->grow) * ATTEST_JUDGE_UP);
    *exact = o;
    *error = (size * (4 * m->evaluated + ((double)m->count + 16) * 0x1p-51) + 0x1p-1060) *
             ATTEST_JUDGE_UP;
    e = (e + *error + (4 * (double)m->count + 4) * m->work.least * (1 + largest)) *
        ATTEST_JUDGE_UP;
    *lo = nextafter(o - e, (double)-INFINITY);
    *hi = nextafter(o + e, (double)INFINITY);
    if (!(maximum(fabs(*lo), fabs(*hi)) < m->work.limit && m->shrink < 0.5)) {
        *lo = (double)-INFINITY;
        *hi = (double)INFINITY;
        return;
    }
    *lo = attest_in_double_convert(*lo, &m->output.in_double);
    *hi = attest_in_double_convert(*hi, &m->output.in_double);
    if (m->variant->output_any && !m->output.in_double.plain) {
        *lo -= m->output.u * 2 * fabs(*lo) + m->output.quantum;
        *hi += m->output.u * 2 * fabs(*hi) + m->output.quantum;
    }
}

/* The log-sum-exp of the row. */
static void bound_lse(attest_judge_lse *lse, const merging *m)
{
    double e = (lse_error(m) / m->log_base + m->log_sum_error + fabs(m->log_sum) * 0x1p-51 +
                4 * m->work.least) *
               ATTEST_JUDGE_UP;

    lse->reason = ATTEST_JUDGE_BOUNDED;
    lse->exact = m->log_sum;
    lse->error = m->log_sum_error;
    lse->lo = attest_in_double_convert(
        attest_in_double_convert(m->log_sum - e, &m->work.in_double), &m->lse.in_double);
    lse->hi = attest_in_double_convert(
        attest_in_double_convert(m->log_sum + e, &m->work.in_double), &m->lse.in_double);
}

static attest_status begin_row(merging *m, attest_error *error)
{
    const attest_judge_parts *p = m->parts;

    m->most = (double)-INFINITY;
    m->count = 0;
    for (size_t i = 0; i < p->parts; i++) {
        double l = part_lse(m, i);

        if (!(l < (double)INFINITY))
            return attest_error_set(error, ATTEST_FORMAT,
                                    "lse_parts: part %zu, row %zu: %s is not the "
                                    "log-sum-exp of a part",
                                    i, m->row, isnan(l) ? "NaN" : "+inf");
        m->most = maximum(m->most, l);
        m->count += l > (double)-INFINITY;
        for (size_t c = 0; c < p->columns && l > (double)-INFINITY; c++)
            if (!isfinite(p->out[(i * p->rows + m->row) * p->columns + c]))
                return attest_error_set(error, ATTEST_FORMAT,
                                        "out_parts: part %zu, row %zu, column %zu: the output "
                                        "of a part with keys is not finite",
                                        i, m->row, c);
    }
    return ATTEST_OK;
}

/* Widens the interval of element i. */
static void widen(attest_judge_bounds *to, size_t i, bool first, double lo, double hi,
                  double exact, double error)
{
    double far;

    if (!first) {
        lo = fmin(lo, to->lo[i]);
        hi = fmax(hi, to->hi[i]);
    }
    far = maximum(hi - exact, exact - lo) + error;
    to->lo[i] = lo;
    to->hi[i] = hi;
    to->exact[i] = exact;
    to->error[i] = error;
    to->bound[i] = far * (1 + 0x1p-50);
    if (hi == (double)INFINITY)
        to->unbounded = attest_judge_reason_text(ATTEST_JUDGE_OUTPUT_OVERFLOWS);
}

/* A row whose parts all have no keys. */
static void set_empty(attest_judge_bounds *bounds, attest_judge_lse_bounds *lse,
                      const merging *m, bool first)
{
    const attest_judge_parts *p = m->parts;
    double value = p->empty_is_nan ? (double)NAN : 0;
    attest_judge_lse empty;

    for (size_t c = 0; bounds && first && c < p->columns; c++) {
        size_t i = m->row * p->columns + c;

        bounds->lo[i] = bounds->hi[i] = bounds->exact[i] = value;
        bounds->error[i] = bounds->bound[i] = 0;
    }
    if (!lse)
        return;
    attest_judge_lse_set_empty(&empty, m->variant->lse.empty);
    lse->lo[m->row] = empty.lo;
    lse->hi[m->row] = empty.hi;
    lse->exact[m->row] = empty.exact;
    lse->error[m->row] = lse->bound[m->row] = 0;
    lse->empty[m->row] = 1;
}

static void merge_row(attest_judge_bounds *bounds, attest_judge_lse_bounds *lse, merging *m,
                      bool first)
{
    const attest_judge_parts *p = m->parts;
    attest_judge_lse row;

    if (m->count == 0) {
        set_empty(bounds, lse, m, first);
        return;
    }
    set_weights(m);
    set_log(m);
    set_whole(m);
    for (size_t c = 0; bounds && c < p->columns; c++) {
        double lo, hi, exact, error;

        bound_element(&lo, &hi, &exact, &error, m, c);
        widen(bounds, m->row * p->columns + c, first, lo, hi, exact, error);
    }
    if (!lse)
        return;
    bound_lse(&row, m);
    if (!first) {
        row.lo = fmin(row.lo, lse->lo[m->row]);
        row.hi = fmax(row.hi, lse->hi[m->row]);
    }
    lse->lo[m->row] = row.lo;
    lse->hi[m->row] = row.hi;
    lse->exact[m->row] = row.exact;
    lse->error[m->row] = row.error;
    lse->bound[m->row] = attest_judge_lse_distance(&row);
    lse->empty[m->row] = 0;
}

static attest_status merge_rows(attest_judge_bounds *bounds, attest_judge_lse_bounds *lse,
                                merging *m, const attest_judge_model *model,
                                attest_error *error)
{
    for (m->row = 0; m->row < m->parts->rows; m->row++)
        for (size_t v = 0; v < model->variants; v++) {
            set_unit(m, &model->variant[v]);
            if (v == 0)
                ATTEST_TRY(begin_row(m, error));
            merge_row(bounds, lse, m, v == 0);
        }
    return ATTEST_OK;
}

/* Arrays in place of those that the caller does not want. */
static double *fill_arrays(attest_judge_bounds *all, size_t elements,
                           attest_judge_lse_bounds *lse, size_t rows, unsigned char **empty)
{
    double **const array[] = {&all->lo, &all->hi, &all->exact, &all->error, &all->bound};
    double **const of_rows[] = {&lse->lo, &lse->hi, &lse->exact, &lse->error, &lse->bound};
    double *room = attest_memory_alloc(elements + rows, 5 * sizeof *room);

    *empty = attest_memory_alloc(rows, 1);
    if (!room || !*empty) {
        free(room);
        return NULL;
    }
    for (size_t i = 0; i < 5; i++) {
        *array[i] = *array[i] ? *array[i] : room + i * elements;
        *of_rows[i] = *of_rows[i] ? *of_rows[i] : room + 5 * elements + i * rows;
    }
    lse->empty = lse->empty ? lse->empty : *empty;
    return room;
}

attest_status attest_judge_merge_bound(attest_judge_bounds *bounds,
                                       attest_judge_lse_bounds *lse,
                                       const attest_judge_parts *parts,
                                       const attest_judge_model *model,
                                       const attest_judge_lse_options *how, attest_error *error)
{
    attest_judge_bounds all = bounds ? *bounds : (attest_judge_bounds){0};
    attest_judge_lse_bounds all_lse = lse ? *lse : (attest_judge_lse_bounds){0};
    unsigned char *empty ATTEST_FREED = NULL;
    double *room ATTEST_FREED = NULL, *weights ATTEST_FREED = NULL;
    attest_judge_model copy ATTEST_CLEARED_BY(attest_judge_lse_model_clear) = {0};
    merging m = {.parts = parts};

    ATTEST_TRY(attest_judge_lse_model_init(&copy, model, how, error));
    room = fill_arrays(&all, parts->rows * parts->columns, &all_lse, parts->rows, &empty);
    weights = attest_memory_alloc(parts->parts, 3 * sizeof *weights);
    if (!room || !weights)
        return attest_memory_fail(error);
    m.w = weights;
    m.own = weights + parts->parts;
    m.whole = weights + 2 * parts->parts;
    all.unbounded = all_lse.unbounded = NULL;
    ATTEST_TRY(merge_rows(&all, &all_lse, &m, &copy, error));
    if (bounds)
        bounds->unbounded = all.unbounded;
    if (lse)
        lse->unbounded = NULL;
    return ATTEST_OK;
}
