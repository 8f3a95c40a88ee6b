/* lse_judgement.c -- a log-sum-exp compared with its bounds. */
#include "judge/lse_judgement.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "format/simulate_in_double.h"
#include "judge/judgement.h"
#include "judge/lse.h"
#include "judge/problem.h"

/* ---- verdicts ---- */

/* The bounds of all rows, in one block. */
typedef struct arrays {
    attest_judge_lse_bounds bounds;
    double *block;
    unsigned char *empty;
} arrays;

static void arrays_clear(arrays *a)
{
    free(a->block);
    free(a->empty);
}

static attest_status arrays_init(arrays *a, size_t rows, attest_error *error)
{
    a->block = attest_memory_alloc(rows, 5 * sizeof *a->block);
    a->empty = attest_memory_alloc(rows, 1);
    if (!a->block || !a->empty)
        return attest_memory_fail(error);
    a->bounds = (attest_judge_lse_bounds){.lo = a->block,
                                          .hi = a->block + rows,
                                          .exact = a->block + 2 * rows,
                                          .error = a->block + 3 * rows,
                                          .bound = a->block + 4 * rows,
                                          .empty = a->empty};
    return ATTEST_OK;
}

/* Whether the value is a number of the format of (a variant of) the model: NaN and infinities
 * always, since they are values of empty rows. */
static bool is_cast(double value, const attest_judge_model *model)
{
    for (size_t i = 0; i < model->variants; i++) {
        attest_in_double format;

        attest_in_double_init(&format, &model->variant[i].lse.format, ATTEST_SIMULATED_NEAREST,
                              NULL, NULL);
        if (!isfinite(value) || attest_in_double_convert(value, &format) == value)
            return true;
    }
    return false;
}

/* The verdict on a row without keys: the value that is required, or any value. */
static attest_judge_verdict judge_empty(double value, double lo, double hi)
{
    bool required = isnan(lo) ? isnan(value) : value >= lo && value <= hi;

    return required || lo < hi ? ATTEST_JUDGE_WITHIN : ATTEST_JUDGE_WRONG;
}

static double get_ratio(const attest_lse_worst *this)
{
    double distance = fabs(this->output - this->exact);

    if (this->empty)
        return this->verdict == ATTEST_JUDGE_WRONG ? (double)INFINITY : 0;
    if (this->verdict == ATTEST_JUDGE_UNDECIDED)
        return 0;
    if (!isfinite(this->output))
        return (double)INFINITY;
    return distance == 0 ? 0 : distance / this->bound;
}

static void keep_worst(attest_lse_judgement *x, const attest_lse_worst *this)
{
    bool wrong = this->verdict == ATTEST_JUDGE_WRONG;
    bool was_wrong = x->worst.verdict == ATTEST_JUDGE_WRONG;

    if (this->verdict == ATTEST_JUDGE_UNDECIDED ||
        (x->has_worst && (wrong != was_wrong ? was_wrong : !(this->ratio > x->worst.ratio))))
        return;
    x->has_worst = true;
    x->worst = *this;
}

static void add(attest_lse_judgement *x, const attest_judge_lse_bounds *bounds,
                const attest_judge_model *model, double value, size_t i)
{
    attest_lse_worst this = {.place = i,
                             .empty = bounds->empty[i],
                             .exact = bounds->exact[i],
                             .error = bounds->error[i],
                             .lo = bounds->lo[i],
                             .hi = bounds->hi[i],
                             .bound = bounds->bound[i],
                             .output = value};

    this.uncast = !this.empty && !is_cast(value, model);
    if (this.empty)
        this.verdict = judge_empty(value, this.lo, this.hi);
    else
        this.verdict =
            this.uncast ? ATTEST_JUDGE_WRONG : attest_judge_element(value, this.lo, this.hi);
    this.ratio = get_ratio(&this);
    x->within += this.verdict == ATTEST_JUDGE_WITHIN;
    x->wrong += this.verdict == ATTEST_JUDGE_WRONG;
    x->undecided += this.verdict == ATTEST_JUDGE_UNDECIDED;
    x->uncast += this.uncast;
    x->wrong_empty += this.empty && this.verdict == ATTEST_JUDGE_WRONG;
    keep_worst(x, &this);
}

attest_judge_lse_base attest_lse_judgement_get_base(const attest_judge_model *model,
                                                    const attest_judge_lse_options *how)
{
    if (!how || !how->base)
        return model->variant->lse.base;
    return strcmp(how->base, "2") == 0 ? ATTEST_JUDGE_LSE_BINARY : ATTEST_JUDGE_LSE_NATURAL;
}

const char *attest_lse_judgement_base_name(attest_judge_lse_base base, bool other)
{
    return (base == ATTEST_JUDGE_LSE_BINARY) != other ? "2" : "e";
}

/* Whether no row is wrong, and some are within, if the values have the other base. */
static attest_status try_other_base(attest_lse_judgement *x, arrays *a, const double *value,
                                    const attest_qkv *qkv, const attest_judge_model *model,
                                    const attest_judge_lse_options *how,
                                    const attest_judge_options *options, attest_error *error)
{
    attest_judge_lse_options other = {.base = attest_lse_judgement_base_name(x->base, true),
                                      .empty = how ? how->empty : NULL};
    attest_lse_judgement changed = {0};

    ATTEST_TRY(attest_judge_lse_bound(&a->bounds, qkv, model, &other, options, error));
    for (size_t i = 0; i < x->within + x->wrong + x->undecided; i++)
        add(&changed, &a->bounds, model, value[i], i);
    x->other_base = changed.wrong == 0 && changed.undecided == 0;
    return ATTEST_OK;
}

void attest_lse_judgement_compare(attest_lse_judgement *judgement, const double *value,
                                  const attest_judge_lse_bounds *bounds, const size_t shape[4],
                                  const attest_judge_model *model)
{
    memcpy(judgement->shape, shape, 3 * sizeof *shape);
    judgement->shape[3] = 1;
    judgement->unbounded = bounds->unbounded;
    for (size_t i = 0; i < shape[0] * shape[1] * shape[2]; i++)
        add(judgement, bounds, model, value[i], i);
}

attest_status attest_lse_judgement_set(attest_lse_judgement *judgement, const double *value,
                                       const attest_qkv *qkv, const attest_judge_model *model,
                                       const attest_judge_lse_options *how,
                                       const attest_judge_options *options, attest_error *error)
{
    attest_lse_judgement *x = judgement;
    arrays a ATTEST_CLEARED_BY(arrays_clear) = {0};
    size_t rows = qkv->q.shape[0] * qkv->q.shape[1] * qkv->q.shape[2];

    x->base = attest_lse_judgement_get_base(model, how);
    ATTEST_TRY(arrays_init(&a, rows, error));
    ATTEST_TRY(attest_judge_lse_bound(&a.bounds, qkv, model, how, options, error));
    attest_lse_judgement_compare(x, value, &a.bounds, qkv->q.shape, model);
    if (x->wrong > x->wrong_empty)
        ATTEST_TRY(try_other_base(x, &a, value, qkv, model, how, options, error));
    return ATTEST_OK;
}

attest_judge_verdict attest_lse_judgement_total(const attest_lse_judgement *layer, size_t count)
{
    size_t wrong = 0, undecided = 0;

    for (size_t i = 0; i < count; i++) {
        wrong += layer[i].wrong;
        undecided += layer[i].undecided;
    }
    return wrong       ? ATTEST_JUDGE_WRONG
           : undecided ? ATTEST_JUDGE_UNDECIDED
                       : ATTEST_JUDGE_WITHIN;
}

const attest_lse_judgement *attest_lse_judgement_worst(const attest_lse_judgement *layer,
                                                       size_t count)
{
    const attest_lse_judgement *worst = NULL;

    for (size_t i = 0; i < count; i++) {
        bool wrong = layer[i].worst.verdict == ATTEST_JUDGE_WRONG;
        bool was = worst && worst->worst.verdict == ATTEST_JUDGE_WRONG;

        if (layer[i].has_worst && (!worst || (wrong && !was) ||
                                   (wrong == was && layer[i].worst.ratio > worst->worst.ratio)))
            worst = &layer[i];
    }
    return worst;
}

bool attest_lse_judgement_other_base(const attest_lse_judgement *layer, size_t count)
{
    bool any = false;

    for (size_t i = 0; i < count; i++) {
        if (layer[i].wrong && !layer[i].other_base)
            return false;
        any = any || layer[i].wrong;
    }
    return any;
}

/* ---- attest_lse_judgement_make ---- */

static attest_status check(size_t *rows, const attest_tensor *lse, const attest_qkv *qkv,
                           attest_error *error)
{
    attest_judge_problem problem;
    const size_t *q = qkv->q.shape;

    ATTEST_TRY(attest_judge_problem_init(&problem, qkv, error));
    attest_judge_problem_clear(&problem);
    if (!lse->data || lse->type == ATTEST_TENSOR_BOOL ||
        memcmp(lse->shape, q, 3 * sizeof *q) != 0 || lse->shape[3] != 1)
        return attest_error_set(
            error, ATTEST_FORMAT,
            "the log-sum-exp has the shape (%zu, %zu, %zu), not (%zu, %zu, %zu), that of q "
            "without its last axis",
            lse->shape[0], lse->shape[1], lse->shape[2], q[0], q[1], q[2]);
    *rows = q[0] * q[1] * q[2]; /* not more than the elements of q */
    return ATTEST_OK;
}

static void read_values(double *to, const attest_tensor *lse)
{
    const size_t *shape = lse->shape;

    for (size_t b = 0; b < shape[0]; b++)
        for (size_t h = 0; h < shape[1]; h++)
            for (size_t i = 0; i < shape[2]; i++)
                attest_judge_tensor_get(to++, lse, b, h, i, 0, 1);
}

attest_status attest_lse_judgement_make(attest_lse_judgement **judgement,
                                        const attest_tensor *lse, const attest_qkv *qkv,
                                        const attest_judge_model *model,
                                        const attest_judge_lse_options *how,
                                        const attest_judge_options *options,
                                        attest_error *error)
{
    double *value ATTEST_FREED = NULL;
    size_t rows;

    *judgement = NULL;
    ATTEST_TRY(check(&rows, lse, qkv, error));
    *judgement = attest_memory_alloc(1, sizeof **judgement);
    value = attest_memory_alloc(rows, sizeof *value);
    if (*judgement && value)
        read_values(value, lse);
    ATTEST_TRY_OR(*judgement && value ? attest_lse_judgement_set(*judgement, value, qkv, model,
                                                                 how, options, error)
                                      : attest_memory_fail(error),
                  {
                      attest_lse_judgement_free(*judgement);
                      *judgement = NULL;
                  });
    return ATTEST_OK;
}

void attest_lse_judgement_free(attest_lse_judgement *judgement)
{
    free(judgement);
}

attest_judge_verdict attest_lse_judgement_verdict(const attest_lse_judgement *judgement)
{
    return attest_lse_judgement_total(judgement, 1);
}

void attest_lse_judgement_get_place(size_t at[3], const attest_lse_judgement *judgement,
                                    size_t place)
{
    for (size_t i = 3; i-- > 0; place /= judgement->shape[i])
        at[i] = place % judgement->shape[i];
}

/* ---- JSON ---- */

static void write_worst(attest_json *json, const attest_lse_judgement *layer)
{
    static const char *const key[3] = {"batch", "head", "row"};
    const attest_lse_worst *worst;
    size_t at[3];

    if (!layer) {
        attest_json_write_null(json, "worst");
        return;
    }
    worst = &layer->worst;
    attest_lse_judgement_get_place(at, layer, worst->place);
    attest_json_write_object(json, "worst");
    attest_json_write_count(json, "layer", layer->number);
    for (size_t i = 0; i < 3; i++)
        attest_json_write_count(json, key[i], at[i]);
    attest_json_write_string(json, "verdict", attest_judge_verdict_name(worst->verdict));
    attest_json_write_bool(json, "empty", worst->empty);
    attest_json_write_bool(json, "uncast", worst->uncast);
    if (isfinite(worst->exact))
        attest_judgement_write_ball(json, "exact", worst->exact, worst->error);
    else
        attest_json_write_null(json, "exact");
    attest_json_write_double(json, "bound", worst->bound);
    attest_json_write_double(json, "lo", worst->lo);
    attest_json_write_double(json, "hi", worst->hi);
    attest_json_write_double(json, "output", worst->output);
    attest_json_write_double(json, "ratio", worst->ratio);
    attest_json_write_close(json);
}

/* The settings under which the values are within, as those of the output. */
static void write_alternatives(attest_json *json, const attest_lse_judgement *layer,
                               size_t count)
{
    char text[100];

    attest_json_write_array(json, "alternatives");
    if (attest_lse_judgement_other_base(layer, count)) {
        snprintf(text, sizeof text, "within in the other base: is the base %s right?",
                 attest_lse_judgement_base_name(layer->base, false));
        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "name", "lse-other-base");
        attest_json_write_string(json, "sentence", text);
        attest_json_write_string(json, "verdict", "within");
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

void attest_lse_judgement_write(attest_json *json, const char *key,
                                const attest_lse_judgement *layer, size_t count)
{
    attest_lse_judgement total = {0};
    const char *reason = NULL;

    for (size_t i = 0; i < count; i++) {
        total.within += layer[i].within;
        total.wrong += layer[i].wrong;
        total.undecided += layer[i].undecided;
        total.uncast += layer[i].uncast;
        total.wrong_empty += layer[i].wrong_empty;
        if (!reason && layer[i].undecided)
            reason = layer[i].unbounded;
    }
    attest_json_write_object(json, key);
    attest_json_write_string(
        json, "verdict", attest_judge_verdict_name(attest_lse_judgement_total(layer, count)));
    attest_json_write_string(json, "base", attest_lse_judgement_base_name(layer->base, false));
    attest_json_write_count(json, "rows", total.within + total.wrong + total.undecided);
    attest_json_write_count(json, "within", total.within);
    attest_json_write_count(json, "wrong", total.wrong);
    attest_json_write_count(json, "undecided", total.undecided);
    attest_json_write_count(json, "uncast", total.uncast);
    attest_json_write_count(json, "wrong_empty", total.wrong_empty);
    attest_json_write_string(json, "reason", reason);
    write_worst(json, attest_lse_judgement_worst(layer, count));
    write_alternatives(json, layer, count);
    attest_json_write_close(json);
}

static void write(attest_json *json, const void *judgement)
{
    attest_lse_judgement_write(json, NULL, judgement, 1);
}

char *attest_lse_judgement_format(const attest_lse_judgement *judgement)
{
    return attest_json_format(NULL, write, judgement);
}
