/* replay_views.c -- both outputs of a pair, in every number system. */
#include "campaign/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <attest/attention.h>

#include "attention/head_plan.h"
#include "audit/collision_file.h"
#include "base/memory.h"
#include "campaign/counterexample.h"
#include "number/scope.h"

/* Balls start with BITS bits, which are doubled until the outputs are told apart. */
enum { BITS = 128, MOST_BITS = 1 << 16, DOUBLE_BITS = 53 };

/* The place of one output. */
typedef struct side {
    attest_sequence sequence;
    size_t position;
    size_t entries;
} side;

typedef struct viewing {
    const attest_weights *weights;
    side side[2];
    size_t dim;
    double work_left;     /* for exact and ball evaluation */
    attest_format format; /* of the view mpfr */
    mpfr_rnd_t round;
    attest_error *error;
} viewing;

static void viewing_clear(viewing *v)
{
    for (size_t s = 0; s < 2; s++)
        attest_sequence_clear(&v->side[s].sequence);
}

/* Charges the evaluation of both sides in balls of this precision; 0: exactly. */
static attest_status charge(viewing *v, long bits)
{
    double work = 0;

    for (size_t s = 0; s < 2; s++)
        work += attest_work_estimate(v->weights, &v->side[s].sequence,
                                     v->side[s].sequence.length, bits);
    return attest_work_charge(&v->work_left, work, v->error);
}

static attest_status view_exact(attest_view *view, const viewing *v)
{
    view->rational = _fmpq_vec_init(2 * (slong)v->dim);
    for (size_t s = 0; s < 2; s++) {
        const side *at = &v->side[s];
        FMPQ_VEC(out, (slong)at->entries);

        ATTEST_TRY(attest_attention_exact(out, v->weights, &at->sequence, v->error));
        for (size_t c = 0; c < v->dim; c++)
            fmpq_set(view->rational + s * v->dim + c, out + at->position * v->dim + c);
    }
    for (size_t e = 0; e < 2 * v->dim; e++)
        arb_set_fmpq(view->output + e, view->rational + e, 2 * BITS);
    snprintf(view->name, sizeof view->name, "exact");
    return ATTEST_OK;
}

static attest_status view_ball(attest_view *view, const viewing *v, long bits)
{
    for (size_t s = 0; s < 2; s++) {
        const side *at = &v->side[s];
        ARB_VEC(out, (slong)at->entries);

        ATTEST_TRY(attest_attention_ball(out, v->weights, &at->sequence, bits, v->error));
        for (size_t c = 0; c < v->dim; c++)
            arb_set(view->output + s * v->dim + c, out + at->position * v->dim + c);
    }
    snprintf(view->name, sizeof view->name, "ball, %ld bits", bits);
    return ATTEST_OK;
}

static attest_status view_mpfr(attest_view *view, const viewing *v)
{
    for (size_t s = 0; s < 2; s++) {
        const side *at = &v->side[s];
        MPFR_VEC(v->format.precision < 2 ? 2 : v->format.precision, out, at->entries);

        if (!out)
            return attest_memory_fail(v->error);
        ATTEST_TRY(attest_attention_mpfr(out, v->weights, &at->sequence, &v->format, v->round,
                                         v->error));
        for (size_t c = 0; c < v->dim; c++) {
            mpfr_t *x = &out[at->position * v->dim + c];

            arf_set_mpfr(arb_midref(view->output + s * v->dim + c), *x);
            view->finite = view->finite && mpfr_number_p(*x);
        }
    }
    snprintf(view->name, sizeof view->name, "mpfr, %.40s, %s", v->format.name,
             attest_setting_rounding_name(v->round));
    return ATTEST_OK;
}

static attest_status view_double(attest_view *view, const viewing *v)
{
    for (size_t s = 0; s < 2; s++) {
        const side *at = &v->side[s];
        double *out ATTEST_FREED = attest_memory_alloc(at->entries, sizeof *out);

        if (!out)
            return attest_memory_fail(v->error);
        ATTEST_TRY(attest_attention_double(out, v->weights, &at->sequence, v->error));
        for (size_t c = 0; c < v->dim; c++) {
            double x = out[at->position * v->dim + c];

            arf_set_d(arb_midref(view->output + s * v->dim + c), x);
            view->finite = view->finite && isfinite(x);
        }
    }
    snprintf(view->name, sizeof view->name, "double");
    return ATTEST_OK;
}

/* Sets separation to an enclosure of the distance of the two outputs. */
static void set_separation(attest_view *view, const viewing *v, long bits)
{
    bool equal = view->rational != NULL;
    ARB(difference);

    arb_zero(view->separation);
    for (size_t c = 0; c < v->dim; c++) {
        arb_sub(difference, view->output + c, view->output + v->dim + c, bits);
        arb_addmul(view->separation, difference, difference, bits);
        equal = equal && fmpq_equal(view->rational + c, view->rational + v->dim + c);
    }
    arb_sqrtpos(view->separation, view->separation, bits);
    if (equal) /* enclosures of the same rational need not be equal to the last bit */
        arb_zero(view->separation);
}

/* Doubles the bits of the balls until the outputs are told apart or the work is used up. */
static attest_status refine_ball(attest_view *view, viewing *v)
{
    ATTEST_TRY(charge(v, BITS));
    for (long bits = BITS;; bits *= 2) {
        ATTEST_TRY(view_ball(view, v, bits));
        set_separation(view, v, 2 * bits);
        if (bits >= MOST_BITS || v->weights->activation != ATTEST_SOFTMAX ||
            !arb_contains_zero(view->separation) || charge(v, 2 * bits) != ATTEST_OK)
            return ATTEST_OK;
    }
}

static attest_status set_view(attest_view *view, viewing *v, attest_view_kind kind)
{
    view->available = kind != ATTEST_VIEW_EXACT || v->weights->activation == ATTEST_HARDMAX;
    if (!view->available)
        return ATTEST_OK;
    view->finite = true;
    view->output = _arb_vec_init(2 * (slong)v->dim);
    switch (kind) {
    case ATTEST_VIEW_EXACT:
        ATTEST_TRY(charge(v, 0));
        ATTEST_TRY(view_exact(view, v));
        break;
    case ATTEST_VIEW_MPFR:
        ATTEST_TRY(view_mpfr(view, v));
        break;
    case ATTEST_VIEW_DOUBLE:
        ATTEST_TRY(view_double(view, v));
        break;
    default:
        return refine_ball(view, v);
    }
    if (view->finite)
        set_separation(view, v, 2 * BITS);
    return ATTEST_OK;
}

/* Sets format and rounding to those of the setting; by default 53 bits with unbounded
 * exponents. */
static void choose_format(viewing *v, const attest_setting *setting)
{
    long bits = setting->number == ATTEST_ARITHMETIC_MPFR ? setting->bits : DOUBLE_BITS;

    v->round = setting->round;
    if (setting->number == ATTEST_ARITHMETIC_BINARY32 &&
        attest_format_parse(&v->format, "binary32", NULL) == ATTEST_OK)
        return;
    v->format = (attest_format){.precision = bits};
    snprintf(v->format.name, sizeof v->format.name, "p=%ld", bits);
}

attest_status attest_replay_view_all(attest_replay *replay, const attest_counterexample *file,
                                     const attest_setting *setting, attest_error *error)
{
    viewing v ATTEST_CLEARED_BY(viewing_clear) = {.weights = &file->weights,
                                                  .dim = file->dataset.dim,
                                                  .work_left = replay->max_work,
                                                  .error = error};

    for (size_t s = 0; s < 2; s++)
        attest_sequence_init(&v.side[s].sequence);
    if (file->dataset.dim != file->weights.dim)
        return attest_error_set(error, ATTEST_FORMAT,
                                "tokens have %zu entries, but the weights take %zu",
                                file->dataset.dim, file->weights.dim);
    replay->dim = v.dim;
    choose_format(&v, setting);
    if (attest_audit_collision_is(file)) {
        attest_simulated_arithmetic arithmetic;

        ATTEST_TRY(attest_audit_collision_arithmetic(&arithmetic, file, error));
        v.format = arithmetic.format;
    }
    for (size_t s = 0; s < 2; s++) {
        v.side[s].position = replay->pair[s].position;
        ATTEST_TRY(attest_dataset_get_sequence(&v.side[s].sequence, &file->dataset,
                                               replay->pair[s].sequence, NULL, error));
        v.side[s].entries = v.side[s].sequence.length * v.dim;
    }
    for (size_t k = 0; k < ATTEST_VIEWS; k++)
        ATTEST_TRY(set_view(&replay->view[k], &v, (attest_view_kind)k));
    return ATTEST_OK;
}
