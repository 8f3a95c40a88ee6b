/* collapse.c -- the width at which required pairs collide: the search, the curve for plots, and
 * what counting alone requires. */
#include "audit/collapse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "format/simulate_in_double.h"
#include "number/double.h"
#include "number/scope.h"

enum { DEFAULT_CAP = 4096, BOUND_BITS = 500, MOST_BITS = 1 << 30 };
#define WORK_LIMIT 30.0 /* estimated seconds of one processor */

void attest_audit_collapse_init(attest_audit_collapse *collapse)
{
    *collapse = (attest_audit_collapse){.low = 1, .high = DEFAULT_CAP, .limited = true};
}

void attest_audit_collapse_clear(attest_audit_collapse *collapse)
{
    for (size_t i = 0; i < collapse->widths; i++)
        fmpz_clear(collapse->width[i].collisions);
    free(collapse->width);
    *collapse = (attest_audit_collapse){0};
}

double attest_audit_cost(const attest_audit_request *request, const attest_format *format,
                         bool in_double)
{
    const attest_dataset *dataset = request->dataset;
    const attest_weights *weights = request->weights;
    double per_token = 0, per_pair = 0, per_position = 0, operations, exponentials;
    double limbs = (double)((format->precision + 63) / 64);

    for (size_t h = 0; h < weights->heads; h++) {
        const attest_head *head = &weights->head[h];
        double s = (double)head->wq.rows, d = (double)weights->dim;
        per_token += 3 * (head->wk.factored ? s + d : s * d);
        per_position += head->wo.factored ? s + d : s * d;
        per_pair += 2 * s;
    }
    operations = (double)dataset->tokens.count * per_token +
                 (double)dataset->total * (per_position + (double)weights->dim +
                                           (double)dataset->longest * per_pair);
    exponentials = (double)dataset->total * (double)dataset->longest * (double)weights->heads;
    if (in_double)
        return operations * 5e-9 + exponentials * 5e-8;
    return operations * (6e-8 + limbs * 5e-9 + limbs * limbs * 4e-10) +
           exponentials * (1.5e-6 + limbs * limbs * 5e-8);
}

double attest_audit_width_cost(const attest_audit_request *request,
                               const attest_simulated_arithmetic *arithmetic)
{
    bool in_double = attest_in_double_fits(&arithmetic->format, arithmetic->rounding) &&
                     (!arithmetic->accumulates ||
                      attest_in_double_fits(&arithmetic->accumulate, arithmetic->rounding));

    return attest_audit_cost(request, &arithmetic->format, in_double);
}

void attest_audit_width_set(attest_simulated_arithmetic *arithmetic,
                            const attest_simulated_arithmetic *like, long bits)
{
    *arithmetic = *like;
    arithmetic->format = (attest_format){.precision = bits};
    snprintf(arithmetic->format.name, sizeof arithmetic->format.name, "p=%ld", bits);
}

/* *excess >= log2(twice the largest bound at this width / certified separation), infinite if
 * there is no bound. If it is below 0, no pair collides. */
static attest_status bound_excess(double *excess, long bits,
                                  const attest_audit_collapse *collapse,
                                  const attest_audit_request *request,
                                  const attest_simulated_arithmetic *like, attest_error *error)
{
    size_t count = request->dataset->total;
    ATTEST_SHARED(double, norm, count);
    double most = 0;
    attest_simulated_arithmetic arithmetic;
    attest_audit_model model;

    if (!norm)
        return attest_memory_fail(error);
    attest_audit_width_set(&arithmetic, like, bits);
    attest_audit_model_init(&model, &arithmetic);
    ATTEST_TRY(attest_audit_bound(norm, NULL, request, &model, error));
    for (size_t p = 0; p < count; p++)
        most = fmax(most, norm[p]);
    /* The error of the logarithm is far below 2^-20. */
    *excess = 1 + attest_double_log(most) * 0x1.71547652b82fep0 /* 1/log 2 */ -
              (double)model.unit_bits - collapse->log2_separation + 0x1p-20;
    return ATTEST_OK;
}

/* Narrows (low, *high], whose upper end is known to suffice, down to the least width that does,
 * beginning at `first`: bounds fall with the width. */
static attest_status narrow(long *high, long low, long first,
                            const attest_audit_collapse *collapse,
                            const attest_audit_request *request,
                            const attest_simulated_arithmetic *like, attest_error *error)
{
    for (long bits = first, step = 1; *high - low > 1; step *= 2) {
        double excess;

        ATTEST_TRY(bound_excess(&excess, bits, collapse, request, like, error));
        if (excess < 0)
            *high = bits;
        else
            low = bits;
        bits = excess < 0 || bits + step >= *high ? low + (*high - low) / 2 : bits + step;
    }
    return ATTEST_OK;
}

/* Sets certified. In units of roundoff the bound of softmax is least at BOUND_BITS and beyond:
 * no width below `first` suffices. An accumulator's errors, and winners of hardmax that change,
 * do not shrink with the unit; then any width below BOUND_BITS may be the least. */
static attest_status prove_widths(attest_audit_collapse *collapse,
                                  const attest_audit_request *request,
                                  const attest_simulated_arithmetic *like, attest_error *error)
{
    bool plain = !like->accumulates && request->weights->activation == ATTEST_SOFTMAX;
    long high = BOUND_BITS, first;
    double excess, room;

    ATTEST_TRY(bound_excess(&excess, high, collapse, request, like, error));
    if (!(excess < MOST_BITS))
        return ATTEST_OK;
    room = fmax(excess, 1 - BOUND_BITS);
    first = BOUND_BITS + (long)floor(room) +
            1; /* the width that the bound at BOUND_BITS requires */
    if (first > BOUND_BITS) {
        ATTEST_TRY(bound_excess(&excess, first, collapse, request, like, error));
        if (excess < 0)
            collapse->certified = first;
        return ATTEST_OK;
    }
    ATTEST_TRY(narrow(&high, plain ? first - 1 : 1, first, collapse, request, like, error));
    collapse->certified = high;
    return ATTEST_OK;
}

static attest_status add_width(attest_audit_collapse *collapse, long bits,
                               const attest_audit_outputs *outputs,
                               const attest_contexts *classes, attest_error *error)
{
    ATTEST_SCOPED(attest_audit_collisions, collisions);
    attest_audit_width *width;

    if (!attest_memory_grow(&collapse->width, &collapse->room, collapse->widths + 1,
                            sizeof *collapse->width))
        return attest_memory_fail(error);
    ATTEST_TRY(attest_audit_collisions_get(&collisions, outputs, classes, error));
    width = &collapse->width[collapse->widths++];
    *width = (attest_audit_width){.bits = bits, .nonfinite = collisions.nonfinite};
    fmpz_init_set(width->collisions, collisions.pairs);
    collapse->has_pair = collisions.has_pair;
    collapse->pair[0] = collisions.pair[0];
    collapse->pair[1] = collisions.pair[1];
    return collisions.has_pair
               ? ATTEST_OK
               : attest_audit_separation_log2(&width->log2_separation, &width->has_separation,
                                              outputs, classes, error);
}

static attest_status try_width(attest_audit_collapse *collapse, bool *collides, long bits,
                               const attest_audit_request *request,
                               const attest_contexts *classes,
                               const attest_simulated_arithmetic *like, attest_error *error)
{
    attest_simulated_arithmetic arithmetic;
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};

    attest_audit_width_set(&arithmetic, like, bits);
    ATTEST_TRY(attest_audit_evaluate(&outputs, request, &arithmetic, error));
    ATTEST_TRY(add_width(collapse, bits, &outputs, classes, error));
    *collides = !fmpz_is_zero(collapse->width[collapse->widths - 1].collisions);
    return ATTEST_OK;
}

/* Evaluates widths from collapse->survived - 1 (or the cap) down. */
static attest_status walk_down(attest_audit_collapse *collapse,
                               const attest_audit_request *request,
                               const attest_contexts *classes,
                               const attest_simulated_arithmetic *like, attest_error *error)
{
    long bits = collapse->survived ? collapse->survived - 1 : collapse->high;
    double spent = 0;
    bool collides = false;

    ATTEST_PROGRESS_STAGE(progress, &collapse->progress);
    attest_progress_report(progress, "widths", 0, 0, NULL);
    for (; bits >= collapse->low && !collides; bits--) {
        attest_simulated_arithmetic arithmetic;
        attest_audit_width_set(&arithmetic, like, bits);
        spent += attest_audit_width_cost(request, &arithmetic);
        if (collapse->limited && spent > WORK_LIMIT) {
            collapse->reason =
                "the search takes more than about 30 seconds: --sweep LO..HI runs it";
            break;
        }
        ATTEST_TRY(try_width(collapse, &collides, bits, request, classes, like, error));
        if (!collides)
            collapse->survived = bits;
        attest_progress_report(progress, "widths", collapse->widths, 0, NULL);
    }
    if (!collides)
        collapse->has_pair = false;
    return ATTEST_OK;
}

attest_status attest_audit_collapse_find(attest_audit_collapse *collapse,
                                         const attest_audit_request *request,
                                         const attest_contexts *classes,
                                         const attest_simulated_arithmetic *like,
                                         attest_error *error)
{
    if (fmpz_is_zero(classes->required_pairs)) {
        collapse->bits = collapse->survived = collapse->certified = collapse->low;
        return ATTEST_OK;
    }
    if (collapse->has_separation)
        ATTEST_TRY(prove_widths(collapse, request, like, error));
    if (collapse->certified > 0 && collapse->certified < collapse->low)
        collapse->certified = collapse->low;
    if (collapse->certified <= collapse->high)
        collapse->survived = collapse->certified;
    ATTEST_TRY(walk_down(collapse, request, classes, like, error));
    if (!collapse->reason)
        collapse->bits = collapse->survived;
    if (!collapse->reason && collapse->bits == 0)
        collapse->reason = "pairs collide at the cap itself";
    return ATTEST_OK;
}

/* The collapse curve: collisions and the least separation against the width. */

enum { EVERY_TO = 16, LEAST_END = 64 };
#define CURVE_WORK 2.0 /* estimated seconds of one processor */

void attest_audit_curve_init(attest_audit_curve *curve)
{
    *curve = (attest_audit_curve){0};
}

void attest_audit_curve_clear(attest_audit_curve *curve)
{
    for (size_t i = 0; i < curve->widths; i++)
        fmpz_clear(curve->width[i].collisions);
    free(curve->width);
    attest_audit_curve_init(curve);
}

static attest_status measure_point(attest_audit_width *width,
                                   const attest_audit_outputs *outputs,
                                   const attest_contexts *classes, attest_error *error)
{
    ATTEST_SCOPED(attest_audit_collisions, collisions);

    ATTEST_TRY(attest_audit_collisions_get(&collisions, outputs, classes, error));
    width->nonfinite = collisions.nonfinite;
    fmpz_set(width->collisions, collisions.pairs);
    if (collisions.has_pair || collisions.nonfinite > 0)
        return ATTEST_OK;
    return attest_audit_separation_log2(&width->log2_separation, &width->has_separation,
                                        outputs, classes, error);
}

static attest_status add_point(attest_audit_curve *curve,
                               const attest_simulated_arithmetic *arithmetic,
                               const attest_audit_request *request,
                               const attest_contexts *classes, attest_error *error)
{
    attest_audit_outputs outputs ATTEST_CLEARED_BY(attest_audit_outputs_clear) = {0};

    if (!attest_memory_grow(&curve->width, &curve->room, curve->widths + 1,
                            sizeof *curve->width))
        return attest_memory_fail(error);
    ATTEST_TRY(attest_audit_evaluate(&outputs, request, arithmetic, error));
    curve->width[curve->widths] = (attest_audit_width){.bits = arithmetic->format.precision};
    fmpz_init(curve->width[curve->widths].collisions);
    return measure_point(&curve->width[curve->widths++], &outputs, classes, error);
}

/* Returns the next width of the curve: one more, later about a fifth more. */
static long next_width(long bits)
{
    return bits < EVERY_TO ? bits + 1 : bits + (bits + 4) / 5;
}

/* Returns the estimated seconds that a width takes: its evaluation, and its closest pair. */
static double point_cost(const attest_audit_request *request,
                         const attest_simulated_arithmetic *arithmetic)
{
    const attest_dataset *dataset = request->dataset;

    return attest_audit_width_cost(request, arithmetic) +
           (double)dataset->total * (1e-6 + 1e-7 * (double)dataset->dim);
}

attest_status
attest_audit_curve_find(attest_audit_curve *curve, const attest_audit_request *request,
                        const attest_contexts *classes, const attest_simulated_arithmetic *like,
                        const attest_audit_collapse *collapse, attest_error *error)
{
    attest_simulated_arithmetic arithmetic;
    long end = collapse->bits ? 2 * collapse->bits : collapse->high;
    double spent = 0;

    if (fmpz_is_zero(classes->required_pairs))
        return ATTEST_OK;
    end = end < LEAST_END ? LEAST_END : end;
    end = end < collapse->high ? end : collapse->high;
    for (long bits = collapse->low; bits <= end; bits = next_width(bits)) {
        attest_audit_width_set(&arithmetic, like, bits);
        spent += point_cost(request, &arithmetic);
        if (spent > CURVE_WORK)
            break;
        ATTEST_TRY(add_point(curve, &arithmetic, request, classes, error));
    }
    return ATTEST_OK;
}

/* The pigeonhole principle (proofs-notes/collapse.md). */

bool attest_pigeonhole_values(fmpz_t values, const attest_format *format)
{
    if (!format->bounded)
        return false;
    fmpz_set_si(values, format->emax);
    fmpz_sub_si(values, values, format->emin);
    fmpz_add_ui(values, values, 1);
    if (format->positive) /* powers of two, and nothing else */
        return true;
    /* Each exponent has 2^(p-1) numbers, and as many are below the least normal one, with 0. */
    fmpz_add_ui(values, values, 1);
    fmpz_mul_2exp(values, values, (ulong)format->precision - 1);
    fmpz_sub_ui(values, values, format->top_is_nan ? 2 : 1);
    fmpz_mul_ui(values, values, 2);
    fmpz_add_ui(values, values, 1);
    return true;
}

size_t attest_pigeonhole_bits(size_t classes, size_t dim)
{
    size_t needed = 0; /* the least with 2^needed >= classes */

    while (needed < 8 * sizeof classes && (classes - 1) >> needed > 0)
        needed++;
    return classes > 1 ? (needed + dim - 1) / dim : 0;
}

bool attest_pigeonhole_collapses(const attest_format *format, size_t classes, size_t dim)
{
    FMPZ(values, vectors);
    bool collapses = attest_pigeonhole_values(values, format);

    fmpz_one(vectors);
    for (size_t c = 0; c < dim && collapses; c++) {
        fmpz_mul(vectors, vectors, values);
        collapses = fmpz_cmp_ui(vectors, classes) < 0;
    }
    return collapses;
}
