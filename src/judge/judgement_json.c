/* judgement_json.c -- a judgement as JSON. */
#include <math.h>

#include "judge/judgement.h"
#include "number/scope.h"

void attest_judgement_write_place(attest_json *json, size_t layer, const size_t at[4])
{
    static const char *const key[4] = {"batch", "head", "row", "column"};

    attest_json_write_count(json, "layer", layer);
    for (size_t i = 0; i < 4; i++)
        attest_json_write_count(json, key[i], at[i]);
}

void attest_judgement_write_ball(attest_json *json, const char *key, double value, double error)
{
    ARB(ball);

    arb_set_d(ball, value);
    mag_set_d(arb_radref(ball), error); /* rounds up */
    attest_json_write_ball(json, key, ball);
}

enum { MOST_RANGES = 1000 };

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
    const attest_judge_element_result *worst;

    if (!layer) {
        attest_json_write_null(json, "worst");
        return;
    }
    worst = &layer->summary.worst;
    attest_json_write_object(json, "worst");
    attest_judgement_write_place(json, layer->number, worst->at);
    attest_json_write_string(json, "verdict", attest_judge_verdict_name(worst->verdict));
    attest_json_write_bool(json, "uncast", worst->uncast);
    attest_judgement_write_ball(json, "exact", worst->exact, worst->error);
    attest_json_write_double(json, "bound", worst->bound);
    attest_json_write_double(json, "lo", worst->lo);
    attest_json_write_double(json, "hi", worst->hi);
    attest_json_write_double(json, "output", worst->output);
    attest_json_write_double(json, "ratio", worst->ratio);
    attest_json_write_double(json, "ulps", worst->ulps);
    write_terms(json, &layer->terms);
    attest_json_write_close(json);
}

static void write_heads(attest_json *json, const attest_judgement *layer, size_t count)
{
    attest_json_write_array(json, "heads");
    for (size_t i = 0; i < count; i++) {
        const attest_judge_summary *summary = &layer[i].summary;
        const attest_judge_rows *rows = &summary->rows;

        for (size_t h = 0; h < rows->batch * rows->heads; h++) {
            const attest_judge_counts *head = &summary->head[h];
            size_t judged = (head->within + head->wrong + head->undecided) / rows->columns;

            if (!rows->selected)
                judged = attest_judge_rows_get_queries(rows, h / rows->heads);
            if (judged == 0)
                continue;
            attest_json_write_object(json, NULL);
            attest_json_write_count(json, "layer", layer[i].number);
            attest_json_write_count(json, "batch", h / rows->heads);
            attest_json_write_count(json, "head", h % rows->heads);
            attest_json_write_string(
                json, "verdict", attest_judge_verdict_name(attest_judge_counts_verdict(head)));
            attest_json_write_count(json, "rows", judged);
            attest_json_write_count(json, "columns", rows->columns);
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
                                 k ? ldexp(1, (int)k - 1 + ATTEST_JUDGE_LEAST_EXPONENT) : 0);
        if (k + 1 < ATTEST_JUDGE_BINS)
            attest_json_write_double(json, "to",
                                     ldexp(1, (int)k + ATTEST_JUDGE_LEAST_EXPONENT));
        else
            attest_json_write_null(json, "to");
        attest_json_write_count(json, "count", bin[k]);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

/* The pattern of the wrong elements of the first layer that has such; null: nothing is wrong.
 */
static void write_pattern(attest_json *json, const attest_judgement *layer, size_t count)
{
    const attest_judgement *wrong = attest_judgement_first_wrong(layer, count);

    if (!wrong) {
        attest_json_write_null(json, "pattern");
        return;
    }
    attest_json_write_object(json, "pattern");
    attest_json_write_count(json, "layer", wrong->number);
    attest_json_write_string(json, "match", attest_judge_match_name(wrong->pattern.match));
    attest_json_write_string(json, "sentence", wrong->pattern.sentence);
    attest_json_write_close(json);
}

/* The alternatives under which every wrong layer is within. */
static void write_alternatives(attest_json *json, const attest_judgement *layer, size_t count)
{
    const attest_judgement *wrong = attest_judgement_first_wrong(layer, count);
    size_t found = wrong ? wrong->explanation.found : 0;

    attest_json_write_array(json, "alternatives");
    for (size_t i = 0; i < found; i++) {
        const attest_judge_found *this = &wrong->explanation.alternative[i];
        char name[ATTEST_JUDGE_NAME_SIZE];

        if (!attest_judgement_explains(layer, count, this))
            continue;
        attest_judge_found_format(name, this);
        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "name", name);
        attest_json_write_string(json, "kind",
                                 attest_judge_alternative_kind_name(this->first->kind));
        attest_json_write_string(json, "sentence", this->sentence);
        attest_json_write_string(json, "verdict", "within");
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

/* How many changed problems were judged, and which alternatives were left out, to bound the
 * work; null: nothing is wrong, or parts were merged. */
static void write_tried(attest_json *json, const attest_judgement *layer, size_t count)
{
    const attest_judgement *wrong = attest_judgement_first_wrong(layer, count);
    const attest_judge_alternative *table = attest_judge_alternatives;
    size_t judgements = 0;
    bool pairs = false, pairs_left = false;

    if (!wrong || !wrong->explanation.tried) {
        attest_json_write_null(json, "alternatives_tried");
        return;
    }
    attest_json_write_object(json, "alternatives_tried");
    for (size_t i = 0; i < count; i++) {
        judgements += layer[i].explanation.judgements;
        pairs = pairs || layer[i].explanation.pairs;
        pairs_left = pairs_left || layer[i].explanation.pairs_left;
    }
    attest_json_write_count(json, "judgements", judgements);
    attest_json_write_bool(json, "pairs", pairs);
    attest_json_write_bool(json, "all_pairs", pairs && !pairs_left);
    attest_json_write_array(json, "not_tried");
    for (size_t k = 0; table[k].name; k++) {
        bool left = false;

        for (size_t i = 0; i < count; i++)
            left = left || (layer[i].explanation.tried && layer[i].explanation.left[k]);
        if (left)
            attest_json_write_string(json, NULL, table[k].name);
    }
    attest_json_write_close(json);
    attest_json_write_close(json);
}

/* The alternatives that are faults of `tolerance --check`, by their names there. */
static void write_faults(attest_json *json, const attest_judgement *layer, size_t count)
{
    const attest_judgement *wrong = attest_judgement_first_wrong(layer, count);
    const attest_judge_alternative *row = NULL;
    const char *name;

    attest_json_write_array(json, "returned_by_faults");
    for (size_t f = 0; wrong && (name = attest_judge_alternative_get_fault(&row, NULL, f));
         f++) {
        const attest_judge_found found = {.first = row};

        if (attest_judgement_explains(layer, count, &found))
            attest_json_write_string(json, NULL, name);
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

/* How many rows were judged, of how many, and the seed of the sample; null: all. */
static void write_sample(attest_json *json, const attest_judgement *layer, size_t count)
{
    size_t judged = 0, all = 0;
    const attest_judge_rows *sampled = NULL;

    for (size_t i = 0; i < count; i++) {
        judged += layer[i].summary.rows.count;
        all += layer[i].summary.rows.all;
        sampled = layer[i].summary.rows.sampled ? &layer[i].summary.rows : sampled;
    }
    if (!sampled) {
        attest_json_write_null(json, "sample");
        return;
    }
    attest_json_write_object(json, "sample");
    attest_json_write_count(json, "rows", judged);
    attest_json_write_count(json, "of", all);
    attest_json_write_count(json, "seed", sampled->seed);
    attest_json_write_close(json);
}

/* The formats to which the inputs of every layer could have been rounded without a verdict of
 * wrong. */
static void write_indistinct(attest_json *json, const attest_judgement *layer, size_t count)
{
    bool all = count > 0;

    for (size_t i = 0; i < count; i++)
        all = all && layer[i].same_in_tfloat32;
    attest_json_write_array(json, "cannot_distinguish");
    if (all)
        attest_json_write_string(json, NULL, "tfloat32");
    attest_json_write_close(json);
}

void attest_judgement_write(attest_json *json, const attest_judgement *layer, size_t count)
{
    attest_judge_counts total = attest_judgement_total(layer, count);
    const char *reason = NULL;

    for (size_t i = 0; i < count && !reason; i++)
        if (layer[i].summary.all.undecided)
            reason = layer[i].unbounded;
    attest_json_write_string(json, "verdict",
                             attest_judge_verdict_name(attest_judge_counts_verdict(&total)));
    attest_json_write_count(json, "elements", total.within + total.wrong + total.undecided);
    attest_json_write_count(json, "within", total.within);
    attest_json_write_count(json, "wrong", total.wrong);
    attest_json_write_count(json, "undecided", total.undecided);
    attest_json_write_count(json, "uncast", total.uncast);
    attest_json_write_string(json, "reason", reason);
    write_sample(json, layer, count);
    if (count > 0 && layer[0].printed)
        attest_json_write_count(json, "printed", layer[0].decimals);
    else
        attest_json_write_null(json, "printed");
    write_worst(json, attest_judgement_worst(layer, count));
    write_heads(json, layer, count);
    write_ranges(json, layer, count);
    write_histogram(json, layer, count);
    write_pattern(json, layer, count);
    write_alternatives(json, layer, count);
    write_tried(json, layer, count);
    write_faults(json, layer, count);
    write_schedules(json, layer, count);
    write_indistinct(json, layer, count);
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
