/* judgement.c -- an output compared with its bounds. */
#include "judge/judgement.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "format/simulate_in_double.h"
#include "judge/distinguish.h"
#include "judge/model.h"
#include "judge/printed.h"
#include "judge/problem.h"

/* ---- summaries ---- */

const char *attest_judge_verdict_name(attest_judge_verdict verdict)
{
    static const char *const name[] = {[ATTEST_JUDGE_WITHIN] = "within",
                                       [ATTEST_JUDGE_WRONG] = "wrong",
                                       [ATTEST_JUDGE_UNDECIDED] = "undecided"};

    return name[verdict];
}

attest_judge_verdict attest_judge_counts_verdict(const attest_judge_counts *counts)
{
    return counts->wrong       ? ATTEST_JUDGE_WRONG
           : counts->undecided ? ATTEST_JUDGE_UNDECIDED
                               : ATTEST_JUDGE_WITHIN;
}

/* Returns |output - exact| / bound. For display only: verdicts depend on lo and hi. */
static double get_ratio(double output, double exact, double bound)
{
    double distance = fabs(output - exact);

    if (isinf(bound) && isfinite(output)) /* the element has no bound */
        return 0;
    if (isnan(exact)) /* a row that must be NaN */
        return isnan(output) ? 0 : (double)INFINITY;
    if (!isfinite(output))
        return (double)INFINITY;
    return distance == 0 ? 0 : distance / bound; /* infinite for a bound of 0 */
}

static size_t get_bin(double ratio)
{
    int exponent;

    if (!(ratio >= ldexp(1, ATTEST_JUDGE_LEAST_EXPONENT)))
        return 0;
    if (isinf(ratio))
        return ATTEST_JUDGE_BINS - 1;
    frexp(ratio, &exponent); /* 2^(exponent-1) <= ratio < 2^exponent */
    exponent -= ATTEST_JUDGE_LEAST_EXPONENT;
    return exponent < ATTEST_JUDGE_BINS - 1 ? (size_t)exponent : ATTEST_JUDGE_BINS - 1;
}

static void count(attest_judge_counts *counts, const attest_judge_element_result *this)
{
    counts->within += this->verdict == ATTEST_JUDGE_WITHIN;
    counts->wrong += this->verdict == ATTEST_JUDGE_WRONG;
    counts->undecided += this->verdict == ATTEST_JUDGE_UNDECIDED;
    counts->uncast += this->uncast;
    if (this->verdict != ATTEST_JUDGE_UNDECIDED)
        counts->max_ratio = fmax(counts->max_ratio, this->ratio);
}

/* Returns whether an element is worse than another one. */
static bool is_worse(const attest_judge_element_result *this,
                     const attest_judge_element_result *other)
{
    bool wrong = this->verdict == ATTEST_JUDGE_WRONG;

    if (wrong != (other->verdict == ATTEST_JUDGE_WRONG))
        return wrong;
    if (wrong && this->ulps != other->ulps)
        return this->ulps > other->ulps;
    return this->ratio > other->ratio;
}

static void keep_worst(attest_judge_summary *summary, const attest_judge_element_result *this)
{
    if (this->verdict == ATTEST_JUDGE_UNDECIDED ||
        (summary->has_worst && !is_worse(this, &summary->worst)))
        return;
    summary->has_worst = true;
    summary->worst = *this;
}

/* Adds a wrong element to the last range if its row ends that range or follows it, else to a
 * new range. */
static bool add_wrong(attest_judge_summary *summary, const size_t at[4])
{
    attest_judge_wrong_rows *last =
        summary->ranges ? &summary->range[summary->ranges - 1] : NULL;
    size_t row = at[2], column = at[3];

    if (!last || last->batch != at[0] || last->head != at[1] || row > last->last + 1) {
        if (!attest_memory_grow(&summary->range, &summary->room, summary->ranges + 1,
                                sizeof *summary->range))
            return false;
        summary->range[summary->ranges++] =
            (attest_judge_wrong_rows){at[0], at[1], row, row, column, column, 1};
        return true;
    }
    last->last = row;
    last->first_column = column < last->first_column ? column : last->first_column;
    last->last_column = column > last->last_column ? column : last->last_column;
    last->wrong++;
    return true;
}

/* Returns whether the value is a number of one of the formats: NaN always, infinities only in
 * formats that have them. */
static bool is_cast(double output, const attest_in_double *format, size_t formats)
{
    for (size_t i = 0; i < formats; i++)
        if (isnan(output) || attest_in_double_convert(output, &format[i]) == output)
            return true;
    return false;
}

attest_status attest_judge_element_rule_init(attest_judge_element_rule *rule,
                                             const attest_judge_model *model,
                                             const attest_judge_options *options,
                                             attest_error *error)
{
    *rule = (attest_judge_element_rule){
        .format = attest_memory_alloc(model->variants, sizeof *rule->format),
        .formats = model->variants,
        .printed = options->printed,
        .decimals = options->decimals};
    if (!rule->format)
        return attest_memory_fail(error);
    for (size_t i = 0; i < model->variants; i++) {
        const attest_format *format = &model->variant[i].output;

        attest_in_double_init(&rule->format[i], format, ATTEST_SIMULATED_NEAREST, NULL, NULL);
        if ((int)format->precision <= rule->precision)
            continue;
        rule->precision = (int)format->precision;
        rule->least_exponent =
            rule->format[i].quantum > 0 ? ilogb(rule->format[i].quantum) : -1074;
    }
    return ATTEST_OK;
}

void attest_judge_element_rule_clear(attest_judge_element_rule *rule)
{
    free(rule->format);
    rule->format = NULL;
}

/* Returns the error of an output in units in the last place. For display only. */
static double get_ulps(const attest_judge_element_result *this,
                       const attest_judge_element_rule *rule)
{
    double size = fabs(this->exact);
    int exponent = rule->least_exponent;

    if (isnan(this->exact)) /* a row that must be NaN */
        return isnan(this->output) ? 0 : (double)INFINITY;
    if (!isfinite(this->output))
        return (double)INFINITY;
    if (isfinite(this->lo) && isfinite(this->hi))
        size = fmax(size, fmax(fabs(this->lo), fabs(this->hi)));
    if (size > 0 && ilogb(size) + 1 - rule->precision > exponent)
        exponent = ilogb(size) + 1 - rule->precision;
    return ldexp(fabs(this->output - this->exact), -exponent);
}

/* Sets verdict, uncast and ratio of an element that was printed: it is wrong if no number of an
 * output format between lo and hi is printed like it. The ratio is that of the nearest number.
 */
static void judge_printed(attest_judge_element_result *this,
                          const attest_judge_element_rule *rule)
{
    double low, high, first, last;

    attest_judge_printed_get_interval(&low, &high, this->output, rule->decimals);
    first = fmax(low, this->lo);
    last = fmin(high, this->hi);
    this->uncast = !attest_judge_printed_has_number(low, high, rule->format, rule->formats);
    if (!attest_judge_printed_has_number(first, last, rule->format, rule->formats))
        this->verdict = ATTEST_JUDGE_WRONG;
    else if (isinf(this->lo) || isinf(this->hi))
        this->verdict = ATTEST_JUDGE_UNDECIDED;
    else
        this->verdict = ATTEST_JUDGE_WITHIN;
    this->ratio = get_ratio(fmin(fmax(this->exact, low), high), this->exact, this->bound);
}

static void judge_element(attest_judge_element_result *this,
                          const attest_judge_element_rule *rule)
{
    if (rule->printed && isfinite(this->output) && !isnan(this->lo) && !isnan(this->hi)) {
        judge_printed(this, rule);
        return;
    }
    this->uncast = !is_cast(this->output, rule->format, rule->formats);
    this->verdict = this->uncast ? ATTEST_JUDGE_WRONG
                                 : attest_judge_element(this->output, this->lo, this->hi);
    this->ratio = get_ratio(this->output, this->exact, this->bound);
}

attest_judge_verdict attest_judge_element_rule_check(const attest_judge_element_rule *rule,
                                                     double output, double lo, double hi)
{
    attest_judge_element_result this = {.lo = lo, .hi = hi, .output = output};

    judge_element(&this, rule);
    return this.verdict;
}

static bool add(attest_judge_summary *summary, const double *output,
                const attest_judge_bounds *bounds, const attest_judge_element_rule *rule,
                size_t i, const size_t at[4])
{
    attest_judge_element_result this = {.place = i,
                                        .at = {at[0], at[1], at[2], at[3]},
                                        .exact = bounds->exact[i],
                                        .error = bounds->error[i],
                                        .lo = bounds->lo[i],
                                        .hi = bounds->hi[i],
                                        .bound = bounds->bound[i],
                                        .output = output[i]};

    judge_element(&this, rule);
    this.ulps = get_ulps(&this, rule);
    summary->is_wrong[i] = this.verdict == ATTEST_JUDGE_WRONG;
    count(&summary->all, &this);
    count(&summary->head[at[0] * summary->rows.heads + at[1]], &this);
    if (this.verdict != ATTEST_JUDGE_UNDECIDED)
        summary->bin[get_bin(this.ratio)]++;
    keep_worst(summary, &this);
    return this.verdict != ATTEST_JUDGE_WRONG || add_wrong(summary, at);
}

attest_status attest_judge_summary_init(attest_judge_summary *summary, const double *output,
                                        const attest_judge_bounds *bounds,
                                        const attest_judge_rows *rows,
                                        const attest_judge_model *model,
                                        const attest_judge_options *options,
                                        attest_error *error)
{
    size_t heads = rows->batch * rows->heads, elements = rows->count * rows->columns;
    attest_judge_element_rule rule ATTEST_CLEARED_BY(attest_judge_element_rule_clear);
    size_t at[4];
    bool done;

    memset(summary, 0, sizeof *summary);
    ATTEST_TRY(attest_judge_element_rule_init(&rule, model, options, error));
    done = attest_judge_rows_copy(&summary->rows, rows, error) == ATTEST_OK;
    summary->head = attest_memory_alloc(heads, sizeof *summary->head);
    summary->is_wrong = attest_memory_alloc(elements + 1, sizeof *summary->is_wrong);
    done = done && summary->head && summary->is_wrong;
    for (size_t i = 0; done && i < elements; i++) {
        if (i % rows->columns == 0)
            attest_judge_rows_get_place(at, rows, i);
        at[3] = i % rows->columns;
        done = add(summary, output, bounds, &rule, i, at);
    }
    if (done)
        return ATTEST_OK;
    attest_judge_summary_clear(summary);
    return attest_memory_fail(error);
}

void attest_judge_summary_clear(attest_judge_summary *summary)
{
    attest_judge_rows_clear(&summary->rows);
    free(summary->head);
    free(summary->range);
    free(summary->is_wrong);
    memset(summary, 0, sizeof *summary);
}

/* ---- verdicts, schedules, and what explains a wrong output ---- */

/* The inputs of a judgement, and its work space. */
typedef struct judgement_inputs {
    const double *output;
    const attest_judge_bounds *bounds;
    attest_judge_bounds *other; /* work space */
    const attest_qkv *qkv;
    const attest_judge_model *model;
    const attest_judge_options *options;
    const attest_judge_rows *rows;
    size_t elements;
} judgement_inputs;

attest_judge_counts attest_judgement_total(const attest_judgement *layer, size_t count)
{
    attest_judge_counts total = {0};

    for (size_t i = 0; i < count; i++) {
        const attest_judge_counts *all = &layer[i].summary.all;

        total.within += all->within;
        total.wrong += all->wrong;
        total.undecided += all->undecided;
        total.uncast += all->uncast;
        total.max_ratio = all->max_ratio > total.max_ratio ? all->max_ratio : total.max_ratio;
    }
    return total;
}

const attest_judgement *attest_judgement_worst(const attest_judgement *layer, size_t count)
{
    const attest_judgement *worst = NULL;

    for (size_t i = 0; i < count; i++) {
        if (layer[i].summary.has_worst &&
            (!worst || is_worse(&layer[i].summary.worst, &worst->summary.worst)))
            worst = &layer[i];
    }
    return worst;
}

/* Sets other to the bounds of one schedule. `far` is a difference rounded to nearest, so the
 * next double is an upper bound of it; the error of the exact value is added and the sum
 * rounded up. */
static attest_status set_schedule(const judgement_inputs *x, size_t schedule,
                                  attest_error *error)
{
    attest_judge_bounds *to = x->other;

    ATTEST_TRY(attest_judge_simulate(NULL, to->lo, to->hi, x->qkv, x->model, schedule,
                                     x->options, error));
    memcpy(to->exact, x->bounds->exact, x->elements * sizeof *to->exact);
    memcpy(to->error, x->bounds->error, x->elements * sizeof *to->error);
    for (size_t i = 0; i < x->elements; i++) {
        double far = fmax(to->hi[i] - to->exact[i], to->exact[i] - to->lo[i]);

        to->bound[i] =
            to->error[i] < (double)INFINITY
                ? nextafter(nextafter(far, (double)INFINITY) + to->error[i], (double)INFINITY)
                : (double)INFINITY;
    }
    return ATTEST_OK;
}

/* A kernel uses one schedule for the whole tensor, so an output within the hull of the bounds
 * of all schedules must also lie within the bounds of one of them. Replaces the summary by that
 * of the schedule with the fewest wrong elements, then with the fewest undecided ones. */
static attest_status try_schedules(attest_judgement *layer, const judgement_inputs *x,
                                   attest_error *error)
{
    for (size_t s = 0; s < x->model->schedules; s++) {
        attest_judge_summary summary, discarded;
        const attest_judge_counts *old = &layer->summary.all, *new = &summary.all;

        ATTEST_TRY(set_schedule(x, s, error));
        ATTEST_TRY(attest_judge_summary_init(&summary, x->output, x->other, x->rows, x->model,
                                             x->options, error));
        discarded = summary;
        if (!layer->by_schedule || new->wrong < old->wrong ||
            (new->wrong == old->wrong &&new->undecided < old->undecided)) {
            discarded = layer->summary;
            layer->summary = summary;
            layer->by_schedule = true;
            layer->schedule = s;
        }
        attest_judge_summary_clear(&discarded);
    }
    return ATTEST_OK;
}

/* Describes the wrong elements, and tries what would explain them. */
static attest_status explain(attest_judgement *layer, const judgement_inputs *x,
                             attest_error *error)
{
    const attest_judge_summary *summary = &layer->summary;

    if (summary->all.wrong == 0)
        return ATTEST_OK;
    ATTEST_TRY(attest_judge_pattern_find(&layer->pattern, x->output, summary->is_wrong, x->rows,
                                         error));
    return attest_judge_explanation_init(&layer->explanation, x->output, summary->is_wrong,
                                         summary->worst.place / x->rows->columns, x->rows,
                                         x->qkv, x->model, x->options, error);
}

bool attest_judgement_explains(const attest_judgement *layer, size_t count,
                               const attest_judge_found *found)
{
    for (size_t i = 0; i < count; i++) {
        const attest_judge_explanation *x = &layer[i].explanation;
        bool same = !layer[i].summary.all.wrong;

        for (size_t k = 0; k < x->found && !same; k++)
            same = x->alternative[k].first == found->first &&
                   x->alternative[k].second == found->second;
        if (!same)
            return false;
    }
    return true;
}

const attest_judgement *attest_judgement_first_wrong(const attest_judgement *layer,
                                                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (layer[i].summary.all.wrong)
            return &layer[i];
    return NULL;
}

/* Whether the bounds are too wide to show that a kernel rounds its inputs to tfloat32. */
static attest_status try_tfloat32(attest_judgement *judgement, const judgement_inputs *x,
                                  attest_error *error)
{
    attest_format format;

    ATTEST_TRY(attest_format_parse(&format, "tfloat32", error));
    return attest_judge_bounds_contain_rounded(&judgement->same_in_tfloat32, x->bounds, x->rows,
                                               x->qkv, x->model, &format, error);
}

attest_status attest_judgement_set(attest_judgement *judgement, const double *output,
                                   const attest_judge_bounds *bounds,
                                   attest_judge_bounds *other, const attest_qkv *qkv,
                                   const attest_judge_model *model,
                                   const attest_judge_options *options, attest_error *error)
{
    attest_judge_rows rows ATTEST_CLEARED_BY(attest_judge_rows_clear) = {.batch = 0};
    judgement_inputs x = {output, bounds, other, qkv, model, options, &rows, 0};

    if (options->printed && options->decimals > ATTEST_JUDGE_MOST_DECIMALS)
        return attest_error_set(error, ATTEST_USAGE, "outputs have at most %d decimals, not %u",
                                ATTEST_JUDGE_MOST_DECIMALS, options->decimals);
    ATTEST_TRY(attest_judge_rows_init(&rows, qkv, options, error));
    judgement->printed = options->printed;
    judgement->decimals = options->decimals;
    x.elements = rows.count * rows.columns;
    judgement->unbounded = bounds->unbounded;
    ATTEST_TRY(attest_judge_summary_init(&judgement->summary, output, bounds, &rows, model,
                                         options, error));
    if (model->schedules > 1 && judgement->summary.all.wrong == 0)
        ATTEST_TRY(try_schedules(judgement, &x, error));
    if (judgement->summary.has_worst)
        ATTEST_TRY(attest_judge_terms_find(&judgement->terms, judgement->summary.worst.at, qkv,
                                           model, error));
    if (attest_judge_counts_verdict(&judgement->summary.all) == ATTEST_JUDGE_WITHIN)
        ATTEST_TRY(try_tfloat32(judgement, &x, error));
    return explain(judgement, &x, error);
}

void attest_judgement_clear(attest_judgement *judgement)
{
    attest_judge_summary_clear(&judgement->summary);
    attest_judge_explanation_clear(&judgement->explanation);
}

/* ---- attest_judgement_make ---- */

enum { ARRAYS = 11 }; /* five of bounds, five of other, the output */

static void set_arrays(attest_judge_bounds *bounds, double *block, size_t elements)
{
    *bounds = (attest_judge_bounds){block,
                                    block + elements,
                                    block + 2 * elements,
                                    block + 3 * elements,
                                    block + 4 * elements,
                                    NULL};
}

/* Checks the shapes of q, k, v and the output; sets the rows with results and *elements to
 * their elements. */
static attest_status check_shapes(attest_judge_rows *rows, size_t *elements,
                                  const attest_tensor *output, const attest_qkv *qkv,
                                  const attest_judge_options *options, attest_error *error)
{
    const size_t shape[4] = {qkv->q.shape[0], qkv->q.shape[1], qkv->q.shape[2],
                             qkv->v.shape[3]};

    if (!attest_judge_qkv_is_unequal(qkv)) {
        attest_judge_problem problem;

        ATTEST_TRY(attest_judge_problem_init(&problem, qkv, error));
        attest_judge_problem_clear(&problem);
    }
    ATTEST_TRY(attest_judge_rows_init(rows, qkv, options, error));
    if (!output->data || output->type == ATTEST_TENSOR_BOOL ||
        memcmp(output->shape, shape, sizeof shape) != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "the output has the shape (%zu, %zu, %zu, %zu), not that of q "
                                "and v, (%zu, %zu, %zu, %zu)",
                                output->shape[0], output->shape[1], output->shape[2],
                                output->shape[3], shape[0], shape[1], shape[2], shape[3]);
    if (rows->count > SIZE_MAX / 128 / rows->columns)
        return attest_memory_fail(error);
    *elements = rows->count * rows->columns;
    return ATTEST_OK;
}

/* Reads the rows with results. A packed output has a batch of 1, like q. */
static void read_output(double *to, const attest_tensor *output, const attest_judge_rows *rows,
                        const attest_qkv *qkv)
{
    for (size_t i = 0; i < rows->count; i++) {
        size_t at[4], first = 0;

        attest_judge_rows_get_place(at, rows, i * rows->columns);
        if (qkv->cu_seqlens_q)
            first = (size_t)qkv->cu_seqlens_q[at[0]];
        attest_judge_tensor_get(to + i * rows->columns, output, qkv->cu_seqlens_q ? 0 : at[0],
                                at[1], first + at[2], 0, rows->columns);
    }
}

static attest_status judge(attest_judgement *judgement, double *block, size_t elements,
                           const attest_judge_rows *rows, const attest_tensor *output,
                           const attest_qkv *qkv, const attest_judge_model *model,
                           const attest_judge_options *options, attest_error *error)
{
    attest_judge_bounds bounds, other;
    double *values = block + 10 * elements;

    set_arrays(&bounds, block, elements);
    set_arrays(&other, block + 5 * elements, elements);
    read_output(values, output, rows, qkv);
    ATTEST_TRY(attest_judge_bound(&bounds, qkv, model, options, error));
    return attest_judgement_set(judgement, values, &bounds, &other, qkv, model, options, error);
}

attest_status attest_judgement_make(attest_judgement **judgement, const attest_tensor *output,
                                    const attest_qkv *qkv, const attest_judge_model *model,
                                    const attest_judge_options *options, attest_error *error)
{
    attest_judge_rows rows ATTEST_CLEARED_BY(attest_judge_rows_clear) = {.batch = 0};
    double *block ATTEST_FREED = NULL;
    size_t elements;

    *judgement = NULL;
    ATTEST_TRY(check_shapes(&rows, &elements, output, qkv, options, error));
    *judgement = attest_memory_alloc(1, sizeof **judgement);
    block = attest_memory_alloc(elements ? elements : 1, ARRAYS * sizeof *block);
    ATTEST_TRY_OR(*judgement && block ? judge(*judgement, block, elements, &rows, output, qkv,
                                              model, options, error)
                                      : attest_memory_fail(error),
                  {
                      attest_judgement_free(*judgement);
                      *judgement = NULL;
                  });
    return ATTEST_OK;
}

void attest_judgement_free(attest_judgement *judgement)
{
    if (judgement)
        attest_judgement_clear(judgement);
    free(judgement);
}

attest_judge_verdict attest_judgement_verdict(const attest_judgement *judgement)
{
    return attest_judge_counts_verdict(&judgement->summary.all);
}
