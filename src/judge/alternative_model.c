/* alternative_model.c -- the changes of models: facts that may not be true of a kernel, and
 * faults of its arithmetic. The changed model describes all kernels with this change, so that
 * an output is within only if such a kernel may return it. */
#include "judge/alternative.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* A format by name; all names here exist. */
static attest_format get_format(const char *name)
{
    attest_format format = {0};
    attest_error error;

    if (attest_format_parse(&format, name, &error) != ATTEST_OK)
        memset(&format, 0, sizeof format);
    return format;
}

static bool same_format(const attest_format *a, const attest_format *b)
{
    return strcmp(a->name, b->name) == 0;
}

/* Schedules are recipes of the model as it was: the changed one has its variants alone. */
static void drop_schedules(attest_judge_changed *x)
{
    x->model.schedules = 0;
}

#define FOR_VARIANTS(v, x)                                                                     \
    for (attest_judge_variant *v = (x)->model.variant;                                         \
         v < (x)->model.variant + (x)->model.variants; v++)

bool attest_judge_change_direction(attest_judge_changed *x, size_t form)
{
    attest_judge_direction was = x->model.variant->direction;

    (void)form;
    FOR_VARIANTS(v, x)
    {
        if (v->direction != was || was == ATTEST_JUDGE_DIRECTION_ANY ||
            (v->max != ATTEST_JUDGE_MAX_ONLINE && v->max != ATTEST_JUDGE_MAX_LAZY))
            return false;
        v->direction = was == ATTEST_JUDGE_DIRECTION_FORWARD ? ATTEST_JUDGE_DIRECTION_BACKWARD
                                                             : ATTEST_JUDGE_DIRECTION_FORWARD;
    }
    drop_schedules(x);
    attest_judge_changed_describe(
        x, "tiles go %s: is the direction of %s right?",
        was == ATTEST_JUDGE_DIRECTION_FORWARD ? "backward" : "forward", x->model.name);
    return true;
}

/* Sizes of tiles that the model does not have. */
bool attest_judge_change_tile(attest_judge_changed *x, size_t form)
{
    static const size_t size[] = {64, 128, 32, 16, 256, 8, 512};
    size_t tile = size[form % (sizeof size / sizeof *size)];

    FOR_VARIANTS(v, x)
    if (v->tile == tile || v->tile == 0)
        return false;
    FOR_VARIANTS(v, x)
    v->tile = tile;
    drop_schedules(x);
    attest_judge_changed_describe(x, "tiles have %zu keys: is the tile of %s right?", tile,
                                  x->model.name);
    return true;
}

static bool change_sum(attest_judge_changed *x, attest_judge_sum_of to)
{
    bool changed = false;

    FOR_VARIANTS(v, x)
    {
        changed = changed || (v->cast && v->sum_of != to && v->sum_of != ATTEST_JUDGE_SUM_ANY);
        v->sum_of = to;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x, "the row sum adds P %s its cast: is sum.of of %s right?",
                                  to == ATTEST_JUDGE_SUM_CAST ? "after" : "before",
                                  x->model.name);
    return changed;
}

bool attest_judge_change_sum_of_cast(attest_judge_changed *x, size_t form)
{
    (void)form;
    return change_sum(x, ATTEST_JUDGE_SUM_CAST);
}

bool attest_judge_change_sum_of_uncast(attest_judge_changed *x, size_t form)
{
    (void)form;
    return change_sum(x, ATTEST_JUDGE_SUM_UNCAST);
}

bool attest_judge_change_order(attest_judge_changed *x, size_t form)
{
    attest_judge_dot *dot;
    bool changed = false;

    if (form == 2 && x->model.schedules == 0)
        return false;
    FOR_VARIANTS(v, x)
    for (int i = 0; i < 2 && form < 2; i++) {
        dot = i == 0 ? &v->score : &v->pv;
        if (form == 1 && (dot->accumulate.precision < 24 || dot->promote || dot->promote_tiles))
            return false;
        changed = changed || (form == 0 ? dot->order != ATTEST_JUDGE_ORDER_ANY || dot->depth > 0
                                        : !attest_judge_order_is_tensor(dot->order));
        dot->order = form == 0 ? ATTEST_JUDGE_ORDER_ANY : ATTEST_JUDGE_ORDER_TENSOR;
        dot->depth = 0;
        if (form == 0)
            dot->exact_products = false;
        if (form == 1) {
            dot->exact_products = true;
            dot->block = 4;
            dot->fraction = 23;
        }
    }
    drop_schedules(x);
    attest_judge_changed_describe(x,
                                  form == 0 ? "products are added in another order than in %s"
                                  : form == 1
                                      ? "products are added by a matrix unit, not as in %s"
                                      : "none of the schedules of %s is followed",
                                  x->model.name);
    return form == 2 || changed;
}

bool attest_judge_change_splits(attest_judge_changed *x, size_t form)
{
    const size_t splits = form == 0 ? 8 : 128;

    FOR_VARIANTS(v, x)
    {
        if (v->splits >= splits)
            return false;
        v->splits = splits;
        if (v->max == ATTEST_JUDGE_MAX_TWO_PASS)
            v->max = ATTEST_JUDGE_MAX_ANY;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x,
                                  "the keys are split into up to %zu parts: has splits.most "
                                  "of %s the right value?",
                                  splits, x->model.name);
    return true;
}

bool attest_judge_change_place(attest_judge_changed *x, size_t form)
{
    attest_judge_place was = x->model.variant->place;

    (void)form;
    FOR_VARIANTS(v, x)
    {
        if (v->place != was || was == ATTEST_JUDGE_PLACE_ANY)
            return false;
        v->place = was == ATTEST_JUDGE_PLACE_AFTER ? ATTEST_JUDGE_PLACE_BEFORE
                                                   : ATTEST_JUDGE_PLACE_AFTER;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x, "%s divided: is final.place of %s right?",
                                  was == ATTEST_JUDGE_PLACE_AFTER ? "every weight is"
                                                                  : "the sum of products is",
                                  x->model.name);
    return true;
}

bool attest_judge_change_lazy(attest_judge_changed *x, size_t form)
{
    (void)form;
    FOR_VARIANTS(v, x)
    {
        if (v->max == ATTEST_JUDGE_MAX_LAZY || v->max == ATTEST_JUDGE_MAX_TWO_PASS)
            return false;
        v->max = ATTEST_JUDGE_MAX_LAZY;
        v->threshold = 8;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x,
                                  "the reference is raised only when the maximum grows by "
                                  "more than 2^8: is max.kind of %s right?",
                                  x->model.name);
    return true;
}

/* ---- what is rounded ---- */

bool attest_judge_change_not_quantised(attest_judge_changed *x, size_t form)
{
    attest_judge_quantise *quantise = &x->model.quantise;
    bool p = x->model.variant->p_scheme.name[0];

    (void)form;
    if (!attest_judge_model_quantises(&x->model) && !p)
        return false;
    memset(quantise->scheme, 0, sizeof quantise->scheme);
    FOR_VARIANTS(v, x)
    memset(&v->p_scheme, 0, sizeof v->p_scheme);
    drop_schedules(x);
    attest_judge_changed_describe(x, "inputs and weights are not quantised");
    return true;
}

bool attest_judge_change_output_not_rounded(attest_judge_changed *x, size_t form)
{
    const attest_format wide = get_format("binary32");
    bool changed = false;

    (void)form;
    FOR_VARIANTS(v, x)
    {
        changed = changed || v->output.precision < wide.precision;
        if (v->output.precision < wide.precision)
            v->output = wide;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x,
                                  "the output is not rounded to the format of %s: is its "
                                  "last cast missing?",
                                  x->model.name);
    return changed;
}

bool attest_judge_change_output_truncated(attest_judge_changed *x, size_t form)
{
    (void)form;
    FOR_VARIANTS(v, x)
    {
        if (v->output_any)
            return false;
        v->output_any = true;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x,
                                  "the output is rounded up or down instead of to nearest: is "
                                  "its last cast a truncation?");
    return true;
}

bool attest_judge_change_output_bfloat16(attest_judge_changed *x, size_t form)
{
    const attest_format narrow = get_format(form == 0 ? "bfloat16" : "binary16");

    FOR_VARIANTS(v, x)
    {
        if (same_format(&v->output, &narrow) || v->output.precision < narrow.precision)
            return false;
        v->output = narrow;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x, "the output is rounded to %s", narrow.name);
    return true;
}

bool attest_judge_change_p_not_cast(attest_judge_changed *x, size_t form)
{
    bool changed = true;

    (void)form;
    FOR_VARIANTS(v, x)
    {
        changed = changed && v->cast && v->offset == 0;
        v->cast = false;
        memset(&v->p, 0, sizeof v->p);
        v->p = v->score.accumulate;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x, "P is not cast: is p.format of %s right?", x->model.name);
    return changed;
}

static bool cast_p(attest_judge_changed *x, const char *name)
{
    const attest_format format = get_format(name);

    FOR_VARIANTS(v, x)
    {
        if ((v->cast && (same_format(&v->p, &format) || v->p.precision < format.precision)) ||
            v->p_scheme.name[0])
            return false;
        v->cast = true;
        v->p = format;
        v->sum_of = ATTEST_JUDGE_SUM_ANY;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x, "P is rounded to %s", name);
    return true;
}

bool attest_judge_change_p_bfloat16(attest_judge_changed *x, size_t form)
{
    (void)form;
    return cast_p(x, "bfloat16");
}

bool attest_judge_change_p_binary16(attest_judge_changed *x, size_t form)
{
    (void)form;
    return cast_p(x, "binary16");
}

bool attest_judge_change_scores_rounded(attest_judge_changed *x, size_t form)
{
    const attest_format format = get_format(form == 0 ? "binary16" : "bfloat16");

    FOR_VARIANTS(v, x)
    {
        if (v->stored || v->score.accumulate.precision <= format.precision)
            return false;
        v->stored = true;
        v->store = format;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x, "scores are rounded to %s before the softmax",
                                  format.name);
    return true;
}

/* A kernel that rounds its inputs to TF32 rounds P likewise. Form 1: only P, q and k keep their
 * bits; form 2: only q, k and v are rounded. */
bool attest_judge_change_tf32(attest_judge_changed *x, size_t form)
{
    const attest_format tf32 = get_format("tfloat32");

    FOR_VARIANTS(v, x)
    {
        if (v->q.precision <= tf32.precision || v->cast)
            return false;
        if (form == 0) {
            v->cast = true;
            v->p = tf32;
            v->sum_of = ATTEST_JUDGE_SUM_ANY;
        }
    }
    drop_schedules(x);
    if (!attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_ROUND, 0, 0))
        return false;
    x->edit[x->edits - 1].format = tf32;
    attest_judge_changed_describe(
        x, form == 0 ? "q, k, v and P are rounded to TF32: are the products "
                       "formed by a matrix unit for TF32?"
                     : "q, k and v are rounded to TF32");
    return true;
}

bool attest_judge_change_inputs16(attest_judge_changed *x, size_t form)
{
    const attest_format format = get_format(form < 2 ? "bfloat16" : "binary16");

    FOR_VARIANTS(v, x)
    {
        if (v->q.precision <= format.precision || v->cast)
            return false;
        if (form % 2 == 0) {
            v->cast = true;
            v->p = format;
            v->sum_of = ATTEST_JUDGE_SUM_ANY;
        }
    }
    drop_schedules(x);
    if (!attest_judge_changed_add(x, ATTEST_JUDGE_EDIT_ROUND, 0, 0))
        return false;
    x->edit[x->edits - 1].format = format;
    attest_judge_changed_describe(x, "q, k and v%s are rounded to %s",
                                  form % 2 == 0 ? " and P" : "", format.name);
    return true;
}

bool attest_judge_change_accumulators(attest_judge_changed *x, size_t form)
{
    static const char *const name[] = {"binary16", "binary16", "bfloat16", "bfloat16"};
    const attest_format format = get_format(name[form]);

    FOR_VARIANTS(v, x)
    for (int i = 0; i < 2; i++) {
        attest_judge_dot *dot = i == 0 ? &v->score : &v->pv;

        if (i == 0 && form % 2 == 0)
            continue;
        if (dot->accumulate.precision <= format.precision)
            return false;
        dot->accumulate = format;
        dot->order = ATTEST_JUDGE_ORDER_ANY;
        dot->exact_products = false;
        dot->depth = dot->promote = dot->promote_tiles = 0;
    }
    drop_schedules(x);
    attest_judge_changed_describe(
        x, "%s added in %s",
        form % 2 == 0 ? "the products with V are" : "scores and products are", format.name);
    return true;
}

bool attest_judge_change_exp(attest_judge_changed *x, size_t form)
{
    static const int log2[] = {-18, -16, -14, -12, -10, -9, -8, -7};
    const double relative = ldexp(1, log2[form]);

    FOR_VARIANTS(v, x)
    {
        if (v->exp_relative >= relative)
            return false;
        v->exp_relative = relative;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x,
                                  "the exponential errs by up to 2^%d: is it an approximation "
                                  "of few bits?",
                                  log2[form]);
    return true;
}

/* Weights are relative to the maximum of the tiles so far, and never rescaled. */
bool attest_judge_change_no_rescale(attest_judge_changed *x, size_t form)
{
    size_t tile = attest_judge_changed_get_tile(x, form / 2);
    attest_judge_direction direction =
        form % 2 == 0 ? ATTEST_JUDGE_DIRECTION_FORWARD : ATTEST_JUDGE_DIRECTION_BACKWARD;

    if (tile == 0 || x->qkv.sink.data)
        return false;
    FOR_VARIANTS(v, x)
    {
        if (v->max == ATTEST_JUDGE_MAX_TWO_PASS || v->p_scheme.name[0] ||
            (v->direction != ATTEST_JUDGE_DIRECTION_ANY && v->direction != direction))
            return false;
        v->max = ATTEST_JUDGE_MAX_ONLINE;
        v->tile = tile;
        v->direction = direction;
        v->unscaled = true;
        v->splits = 1;
    }
    drop_schedules(x);
    attest_judge_changed_describe(x,
                                  "sums are not rescaled when the maximum grows, in tiles of "
                                  "%zu keys that go %s",
                                  tile, form % 2 == 0 ? "forward" : "backward");
    return true;
}
