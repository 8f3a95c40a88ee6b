/* judgement_json.c -- the judgement of an output as JSON. */
#include <math.h>

#include "judge/judgement.h"

void attest_judgement_get_place(size_t at[4], const size_t shape[4], size_t element)
{
    for (size_t i = 4; i-- > 0; element /= shape[i])
        at[i] = element % shape[i];
}

void attest_judgement_write_place(attest_json *json, size_t layer, const size_t shape[4],
                                  size_t element)
{
    static const char *const key[4] = {"batch", "head", "row", "column"};
    size_t at[4];

    attest_judgement_get_place(at, shape, element);
    attest_json_write_count(json, "layer", layer);
    for (size_t i = 0; i < 4; i++)
        attest_json_write_count(json, key[i], at[i]);
}

void attest_judgement_write_ball(attest_json *json, const char *key, double value, double error)
{
    arb_t ball;

    arb_init(ball);
    arb_set_d(ball, value);
    mag_set_d(arb_radref(ball), error); /* rounds up */
    attest_json_write_ball(json, key, ball);
    arb_clear(ball);
}

enum { MOST_RANGES = 1000 };

static void write_counts(attest_json *json, const attest_judge_counts *counts)
{
    attest_json_write_count(json, "elements",
                            counts->within + counts->wrong + counts->undecided);
    attest_json_write_count(json, "within", counts->within);
    attest_json_write_count(json, "wrong", counts->wrong);
    attest_json_write_count(json, "undecided", counts->undecided);
    attest_json_write_count(json, "uncast", counts->uncast);
}

/* How much each stage contributes to the bound. */
static void write_terms(attest_json *json, const attest_judge_terms *terms)
{
    if (!terms->set) {
        attest_json_write_null(json, "terms");
        return;
    }
    attest_json_write_object(json, "terms");
    for (int i = 0; i < ATTEST_JUDGE_STAGES; i++)
        attest_json_write_double(json, attest_judge_stage_name((attest_judge_stage)i),
                                 terms->part[i]);
    attest_json_write_close(json);
}

static void write_worst(attest_json *json, const attest_judgement *layer)
{
    const attest_judge_worst *worst;

    if (!layer) {
        attest_json_write_null(json, "worst");
        return;
    }
    worst = &layer->summary.worst;
    attest_json_write_object(json, "worst");
    attest_judgement_write_place(json, layer->number, layer->summary.shape, worst->place);
    attest_json_write_string(json, "verdict", attest_judge_verdict_name(worst->verdict));
    attest_json_write_bool(json, "uncast", worst->uncast);
    attest_judgement_write_ball(json, "exact", worst->exact, worst->error);
    attest_json_write_double(json, "bound", worst->bound);
    attest_json_write_double(json, "lo", worst->lo);
    attest_json_write_double(json, "hi", worst->hi);
    attest_json_write_double(json, "output", worst->output);
    attest_json_write_double(json, "ratio", worst->ratio);
    write_terms(json, &layer->terms);
    attest_json_write_close(json);
}

static void write_heads(attest_json *json, const attest_judgement *layer, size_t count)
{
    attest_json_write_array(json, "heads");
    for (size_t i = 0; i < count; i++) {
        const attest_judge_summary *summary = &layer[i].summary;

        for (size_t h = 0; h < summary->shape[0] * summary->shape[1]; h++) {
            const attest_judge_counts *head = &summary->head[h];

            attest_json_write_object(json, NULL);
            attest_json_write_count(json, "layer", layer[i].number);
            attest_json_write_count(json, "batch", h / summary->shape[1]);
            attest_json_write_count(json, "head", h % summary->shape[1]);
            attest_json_write_string(
                json, "verdict", attest_judge_verdict_name(attest_judge_counts_verdict(head)));
            attest_json_write_count(json, "rows", summary->shape[2]);
            attest_json_write_count(json, "columns", summary->shape[3]);
            attest_json_write_count(json, "within", head->within);
            attest_json_write_count(json, "wrong", head->wrong);
            attest_json_write_count(json, "undecided", head->undecided);
            attest_json_write_double(json, "max_ratio", head->max_ratio);
            attest_json_write_close(json);
        }
    }
    attest_json_write_close(json);
}

static void write_pair(attest_json *json, const char *key, size_t first, size_t last)
{
    attest_json_write_array(json, key);
    attest_json_write_count(json, NULL, first);
    attest_json_write_count(json, NULL, last);
    attest_json_write_close(json);
}

/* The wrong rows, one object for each range of consecutive rows. */
static void write_ranges(attest_json *json, const attest_judgement *layer, size_t count)
{
    size_t written = 0, all = 0;

    attest_json_write_array(json, "wrong_rows");
    for (size_t i = 0; i < count; i++) {
        all += layer[i].summary.ranges;
        for (size_t k = 0; k < layer[i].summary.ranges && written < MOST_RANGES;
             k++, written++) {
            const attest_judge_wrong_rows *range = &layer[i].summary.range[k];

            attest_json_write_object(json, NULL);
            attest_json_write_count(json, "layer", layer[i].number);
            attest_json_write_count(json, "batch", range->batch);
            attest_json_write_count(json, "head", range->head);
            write_pair(json, "rows", range->first, range->last);
            write_pair(json, "columns", range->first_column, range->last_column);
            attest_json_write_count(json, "wrong", range->wrong);
            attest_json_write_close(json);
        }
    }
    attest_json_write_close(json);
    attest_json_write_count(json, "wrong_rows_left_out", all - written);
}

/* [{"from": 2^a or 0, "to": 2^(a+1) or null, "count": k} ...], without empty bins at either
 * end. */
static void write_histogram(attest_json *json, const attest_judgement *layer, size_t count)
{
    size_t bin[ATTEST_JUDGE_BINS] = {0}, first = 0, last = ATTEST_JUDGE_BINS;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < ATTEST_JUDGE_BINS; k++)
            bin[k] += layer[i].summary.bin[k];
    while (last > 1 && bin[last - 1] == 0)
        last--;
    while (first + 1 < last && bin[first] == 0)
        first++;
    attest_json_write_array(json, "histogram");
    for (size_t k = first; k < last; k++) {
        attest_json_write_object(json, NULL);
        attest_json_write_double(json, "from",
                                 k ? ldexp(1, (int)k - 1 + ATTEST_JUDGE_LEAST) : 0);
        if (k + 1 < ATTEST_JUDGE_BINS)
            attest_json_write_double(json, "to", ldexp(1, (int)k + ATTEST_JUDGE_LEAST));
        else
            attest_json_write_null(json, "to");
        attest_json_write_count(json, "count", bin[k]);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

/* The faults with which a kernel may return the output of every wrong layer. */
static void write_faults(attest_json *json, const attest_judgement *layer, size_t count)
{
    attest_json_write_array(json, "returned_by_faults");
    for (int f = 0; f < ATTEST_JUDGE_FAULTS; f++) {
        bool any = false, all = true;

        for (size_t i = 0; i < count; i++)
            if (layer[i].summary.all.wrong) {
                any = true;
                all = all && layer[i].fault[f];
            }
        if (any && all)
            attest_json_write_string(json, NULL,
                                     attest_judge_fault_name((attest_judge_fault)f));
    }
    attest_json_write_close(json);
}

/* The schedule with the fewest wrong elements of each layer, if the model has several. */
static void write_schedules(attest_json *json, const attest_judgement *layer, size_t count)
{
    attest_json_write_array(json, "nearest_schedules");
    for (size_t i = 0; i < count; i++)
        if (layer[i].by_schedule) {
            attest_json_write_object(json, NULL);
            attest_json_write_count(json, "layer", layer[i].number);
            attest_json_write_count(json, "schedule", layer[i].schedule);
            attest_json_write_bool(json, "explains", layer[i].summary.all.wrong == 0);
            attest_json_write_close(json);
        }
    attest_json_write_close(json);
}

static const char *find_reason(const attest_judgement *layer, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (layer[i].summary.all.undecided && layer[i].unbounded)
            return layer[i].unbounded;
    return NULL;
}

void attest_judgement_write(attest_json *json, const attest_judgement *layer, size_t count)
{
    attest_judge_counts total = attest_judgement_total(layer, count);

    attest_json_write_string(json, "verdict",
                             attest_judge_verdict_name(attest_judge_counts_verdict(&total)));
    write_counts(json, &total);
    attest_json_write_string(json, "reason", find_reason(layer, count));
    write_worst(json, attest_judgement_worst(layer, count));
    write_heads(json, layer, count);
    write_ranges(json, layer, count);
    write_histogram(json, layer, count);
    write_faults(json, layer, count);
    write_schedules(json, layer, count);
}

static void write(attest_json *json, const void *judgement)
{
    attest_json_write_object(json, NULL);
    attest_json_write_format(json, "attest/judgement");
    attest_judgement_write(json, judgement, 1);
    attest_json_write_close(json);
}

char *attest_judgement_format(const attest_judgement *judgement)
{
    return attest_json_format(NULL, write, judgement);
}
