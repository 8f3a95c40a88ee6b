/* summary.c -- an output beside its bounds. */
#include "judge/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/simulate_in_double.h"

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

/* |output - exact| / bound, for people: verdicts rest on lo and hi. */
static double get_ratio(double output, double exact, double bound)
{
    double distance = fabs(output - exact);

    if (isinf(bound) && isfinite(output)) /* the exact value is not known, or no kernel is */
        return 0;
    if (isnan(exact)) /* a row that is to be NaN */
        return isnan(output) ? 0 : (double)INFINITY;
    if (!isfinite(output))
        return (double)INFINITY;
    return distance == 0 ? 0 : distance / bound; /* infinite for a bound of 0 */
}

static size_t bin_of(double ratio)
{
    int exponent;

    if (!(ratio >= ldexp(1, ATTEST_JUDGE_LEAST)))
        return 0;
    if (isinf(ratio))
        return ATTEST_JUDGE_BINS - 1;
    frexp(ratio, &exponent); /* 2^(exponent-1) <= ratio < 2^exponent */
    exponent -= ATTEST_JUDGE_LEAST;
    return exponent < ATTEST_JUDGE_BINS - 1 ? (size_t)exponent : ATTEST_JUDGE_BINS - 1;
}

static void count(attest_judge_counts *counts, const attest_judge_worst *this)
{
    attest_judge_verdict verdict = this->verdict;
    double ratio = this->ratio;

    counts->within += verdict == ATTEST_JUDGE_WITHIN;
    counts->wrong += verdict == ATTEST_JUDGE_WRONG;
    counts->uncast += this->uncast;
    counts->undecided += verdict == ATTEST_JUDGE_UNDECIDED;
    if (verdict != ATTEST_JUDGE_UNDECIDED && ratio > counts->max_ratio)
        counts->max_ratio = ratio;
}

static void keep_worst(attest_judge_summary *summary, const attest_judge_worst *this)
{
    bool wrong = this->verdict == ATTEST_JUDGE_WRONG;
    bool was_wrong = summary->worst.verdict == ATTEST_JUDGE_WRONG;

    if (this->verdict == ATTEST_JUDGE_UNDECIDED)
        return;
    if (summary->has_worst &&
        (wrong != was_wrong ? was_wrong : !(this->ratio > summary->worst.ratio)))
        return;
    summary->has_worst = true;
    summary->worst = *this;
}

/* A wrong element joins the last range where its row is the next of it, or the same. */
static bool add_wrong(attest_judge_summary *summary, size_t head, size_t row, size_t column)
{
    attest_judge_wrong_rows *last =
        summary->ranges ? &summary->range[summary->ranges - 1] : NULL;
    size_t heads = summary->shape[1];

    if (!last || last->batch != head / heads || last->head != head % heads ||
        row > last->last + 1) {
        if (!attest_memory_grow(&summary->range, &summary->room, summary->ranges + 1,
                                sizeof *summary->range))
            return false;
        summary->range[summary->ranges++] =
            (attest_judge_wrong_rows){head / heads, head % heads, row, row, column, column, 1};
        return true;
    }
    last->last = row;
    last->first_column = column < last->first_column ? column : last->first_column;
    last->last_column = column > last->last_column ? column : last->last_column;
    last->wrong++;
    return true;
}

/* Whether a kernel that rounds its results to one of the formats returns the value: NaN always,
 * infinities only in formats that have them. */
static bool is_cast(double output, const attest_in_double *format, size_t formats)
{
    for (size_t i = 0; i < formats; i++)
        if (isnan(output) || attest_in_double_convert(output, &format[i]) == output)
            return true;
    return false;
}

static bool add(attest_judge_summary *summary, const double *output,
                const attest_judge_bounds *bounds, const attest_in_double *format,
                size_t formats, size_t i)
{
    attest_judge_worst this = {.place = i,
                               .exact = bounds->exact[i],
                               .error = bounds->error[i],
                               .lo = bounds->lo[i],
                               .hi = bounds->hi[i],
                               .bound = bounds->bound[i],
                               .output = output[i]};
    size_t columns = summary->shape[3], rows = summary->shape[2];
    size_t head = i / columns / rows;

    this.uncast = !is_cast(this.output, format, formats);
    this.verdict =
        this.uncast ? ATTEST_JUDGE_WRONG : attest_judge_element(this.output, this.lo, this.hi);
    this.ratio = get_ratio(this.output, this.exact, this.bound);
    count(&summary->all, &this);
    count(&summary->head[head], &this);
    if (this.verdict != ATTEST_JUDGE_UNDECIDED)
        summary->bin[bin_of(this.ratio)]++;
    keep_worst(summary, &this);
    return this.verdict != ATTEST_JUDGE_WRONG ||
           add_wrong(summary, head, i / columns % rows, i % columns);
}

attest_status attest_judge_summary_init(attest_judge_summary *summary, const double *output,
                                        const attest_judge_bounds *bounds,
                                        const size_t shape[4], const attest_judge_model *model,
                                        attest_error *error)
{
    size_t heads = shape[0] * shape[1], elements = heads * shape[2] * shape[3];
    attest_in_double *format = attest_memory_alloc(model->variants, sizeof *format);
    bool done;

    memset(summary, 0, sizeof *summary);
    memcpy(summary->shape, shape, sizeof summary->shape);
    summary->head = attest_memory_alloc(heads, sizeof *summary->head);
    done = format && summary->head;
    for (size_t i = 0; done && i < model->variants; i++)
        attest_in_double_init(&format[i], &model->variant[i].output, ATTEST_SIMULATED_NEAREST,
                              NULL, NULL);
    for (size_t i = 0; done && i < elements; i++)
        done = add(summary, output, bounds, format, model->variants, i);
    free(format);
    if (done)
        return ATTEST_OK;
    attest_judge_summary_clear(summary);
    return attest_memory_fail(error);
}

void attest_judge_summary_clear(attest_judge_summary *summary)
{
    free(summary->head);
    free(summary->range);
    memset(summary, 0, sizeof *summary);
}

static bool same(double y, double z)
{
    return y == z || (isnan(y) && isnan(z));
}

void attest_judge_difference_get(attest_judge_difference *difference, const double *y,
                                 const double *z, const attest_judge_bounds *bounds,
                                 size_t count)
{
    memset(difference, 0, sizeof *difference);
    for (size_t i = 0; i < count; i++) {
        /* to nearest, rounding is monotone: y, z in [lo, hi] has distance <= allowed */
        double distance = fabs(y[i] - z[i]), allowed = bounds->hi[i] - bounds->lo[i], ratio;

        if (same(y[i], z[i]))
            continue;
        difference->differ++;
        if (!isfinite(allowed) && !isnan(allowed))
            continue; /* nothing is known of the element */
        difference->beyond += !(distance <= allowed);
        ratio = isnan(distance) || isnan(allowed) ? (double)INFINITY : distance / allowed;
        if (!difference->has_at || ratio > difference->ratio) {
            difference->has_at = true;
            difference->ratio = ratio;
            difference->at = i;
            difference->y = y[i];
            difference->z = z[i];
            difference->allowed = allowed;
        }
    }
}
