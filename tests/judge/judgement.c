/* judgement.c -- judgements of plain arrays: shapes of outputs, the text of a judgement, and
 * work that the caller cancels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/flint.h>

#include "judge/judgement.h"
#include "tests/tap.h"

enum { HEADS = 2, ROWS = 200, DIM = 4, ALL = HEADS * ROWS * DIM };

static float q[ALL], v[ALL], out[ALL];
static attest_judge_model *model;

static attest_tensor tensor(const void *data)
{
    return (attest_tensor){data,
                           ATTEST_TENSOR_F32,
                           {1, HEADS, ROWS, DIM},
                           {sizeof q, sizeof q / HEADS, DIM * sizeof *q, sizeof *q}};
}

/* All scores are 0: every row is the mean of the values, which is 0.5 in head 0, 2.5 in head 1.
 */
static attest_qkv problem(void)
{
    for (size_t i = 0; i < ALL; i++) {
        double mean = i < ALL / HEADS ? 0.5 : 2.5;

        q[i] = 0;
        v[i] = (float)(mean + (i / DIM % 2 ? 0.25 : -0.25));
        out[i] = (float)mean;
    }
    return (attest_qkv){.q = tensor(q), .k = tensor(q), .v = tensor(v)};
}

static char *judge(attest_judge_verdict *verdict, const attest_tensor *output,
                   const attest_qkv *qkv)
{
    attest_judge_options options = {0};
    attest_judgement *judgement;
    attest_error error;
    char *text;

    if (attest_judgement_make(&judgement, output, qkv, model, &options, &error)) {
        printf("# %s\n", error.text);
        abort();
    }
    *verdict = attest_judgement_verdict(judgement);
    text = attest_judgement_format(judgement);
    attest_judgement_free(judgement);
    return text;
}

static void verdicts(void)
{
    attest_qkv qkv = problem();
    attest_tensor output = tensor(out);
    attest_judge_verdict verdict;
    char *text = judge(&verdict, &output, &qkv);

    TAP_OK(verdict == ATTEST_JUDGE_WITHIN && text && strstr(text, "\"verdict\": \"within\"") &&
               strstr(text, "\"elements\": 1600"),
           "within");
    free(text);
    out[ALL - 1] = 3;
    text = judge(&verdict, &output, &qkv);
    TAP_OK(verdict == ATTEST_JUDGE_WRONG && text && strstr(text, "\"wrong\": 1,") &&
               strstr(text, "\"rows\": [199, 199]"),
           "one wrong element");
    free(text);
    /* the heads of the output stored in reverse */
    output.data = (const char *)out + sizeof out / HEADS;
    output.stride[1] = -output.stride[1];
    text = judge(&verdict, &output, &qkv);
    TAP_OK(verdict == ATTEST_JUDGE_WRONG && text && strstr(text, "\"wrong\": 1600,"),
           "strides may be negative");
    free(text);
}

static void refusals(void)
{
    attest_qkv qkv = problem();
    attest_tensor output = tensor(out);
    attest_judge_options options = {0};
    attest_judgement *judgement = NULL;
    attest_error error;

    output.shape[3] = DIM - 1;
    TAP_OK(attest_judgement_make(&judgement, &output, &qkv, model, &options, &error) ==
                   ATTEST_FORMAT &&
               !judgement && strstr(error.text, "(1, 2, 200, 3)"),
           "an output of another shape: %s", error.text);
    output = tensor(NULL);
    TAP_OK(attest_judgement_make(&judgement, &output, &qkv, model, &options, &error) ==
                   ATTEST_FORMAT &&
               !judgement,
           "no output");
    attest_judgement_free(NULL);
}

/* ---- several layers ---- */

enum { LAYERS = 3, PLACES = 6, RANGES = 1003 };

static attest_judge_counts counts_of_head[LAYERS][PLACES];
static attest_judge_wrong_rows wrong_rows[RANGES];

static attest_judgement make_layer(size_t i, attest_judge_verdict verdict, double ratio)
{
    attest_judgement layer = {.number = 10 + i};
    attest_judge_summary *summary = &layer.summary;

    summary->rows = (attest_judge_rows){
        .batch = 2, .heads = 3, .columns = 7, .queries = 5, .all = 30, .count = 30};
    summary->head = counts_of_head[i];
    summary->has_worst = true;
    summary->worst =
        (attest_judge_element_result){.place = 100 + i, .verdict = verdict, .ratio = ratio};
    attest_judge_rows_get_place(summary->worst.at, &summary->rows, 100 + i);
    return layer;
}

static size_t worst_of(const attest_judgement *layer, size_t count)
{
    const attest_judgement *worst = attest_judgement_worst(layer, count);

    return worst ? worst->number : 0;
}

/* Wrong elements before others, then by ratio, then the first. */
static void worst_layers(void)
{
    static const struct {
        attest_judge_verdict verdict[LAYERS];
        double ratio[LAYERS];
        size_t worst;
    } c[] = {
        {{ATTEST_JUDGE_WITHIN, ATTEST_JUDGE_WRONG, ATTEST_JUDGE_WITHIN}, {0.9, 0.5, 0.95}, 11},
        {{ATTEST_JUDGE_WRONG, ATTEST_JUDGE_WITHIN, ATTEST_JUDGE_UNDECIDED}, {0.1, 9, 8}, 10},
        {{ATTEST_JUDGE_WRONG, ATTEST_JUDGE_WRONG, ATTEST_JUDGE_WRONG}, {2, 4, 3}, 11},
        {{ATTEST_JUDGE_WRONG, ATTEST_JUDGE_WRONG, ATTEST_JUDGE_WRONG}, {4, 4, 4}, 10},
        {{ATTEST_JUDGE_WITHIN, ATTEST_JUDGE_WITHIN, ATTEST_JUDGE_WITHIN}, {0.1, 0.2, 0.3}, 12},
        {{ATTEST_JUDGE_WITHIN, ATTEST_JUDGE_WITHIN, ATTEST_JUDGE_WITHIN}, {0.3, 0.3, 0.2}, 10},
        {{ATTEST_JUDGE_UNDECIDED, ATTEST_JUDGE_WITHIN, ATTEST_JUDGE_WITHIN}, {0.3, 0.5, 0}, 11},
    };
    attest_judgement layer[LAYERS];
    size_t wrong = 0;

    for (size_t k = 0; k < sizeof c / sizeof c[0]; k++) {
        for (size_t i = 0; i < LAYERS; i++)
            layer[i] = make_layer(i, c[k].verdict[i], c[k].ratio[i]);
        wrong += worst_of(layer, LAYERS) != c[k].worst;
        layer[c[k].worst - 10].summary.has_worst = false;
        wrong += worst_of(layer, LAYERS) == c[k].worst;
    }
    layer[0].summary.has_worst = layer[1].summary.has_worst = layer[2].summary.has_worst =
        false;
    TAP_OK(wrong == 0 && worst_of(layer, LAYERS) == 0, "the worst of several layers: %zu wrong",
           wrong);
}

static void write_layers(attest_json *json, const void *layer)
{
    attest_json_write_object(json, NULL);
    attest_judgement_write(json, layer, LAYERS);
    attest_json_write_close(json);
}

static size_t occurrences(const char *text, const char *of)
{
    size_t count = 0;

    for (text = strstr(text, of); text; text = strstr(text + 1, of))
        count++;
    return count;
}

/* The first two explain layer 11, the last two layer 12. */
static attest_judge_found found[3];
static bool left[100];

static const attest_judge_alternative *row_of(const char *name)
{
    const attest_judge_alternative *row = attest_judge_alternatives;

    while (row->name && strcmp(row->name, name) != 0)
        row++;
    return row;
}

/* Layer 10 is within, 11 and 12 are wrong, 12 with undecided elements. */
static void fill_layers(attest_judgement layer[LAYERS])
{
    static const attest_judge_counts all[LAYERS] = {
        {200, 0, 10, 0, 0.5}, {200, 10, 0, 4, 8}, {190, 7, 13, 2, 3}};

    for (size_t i = 0; i < LAYERS; i++) {
        layer[i] = make_layer(i, i > 0 ? ATTEST_JUDGE_WRONG : ATTEST_JUDGE_WITHIN, 1);
        layer[i].summary.all = all[i];
        layer[i].by_schedule = i < 2;
        layer[i].schedule = 4 + i;
        for (size_t h = 0; h < PLACES; h++)
            counts_of_head[i][h] = (attest_judge_counts){30 + h, i, 0, 0, 0.25};
    }
    for (size_t k = 0; k < RANGES; k++)
        wrong_rows[k] = (attest_judge_wrong_rows){1, 2, 3, 4, 5, 6, 1000 + k};
    layer[1].summary.range = wrong_rows;
    layer[1].summary.ranges = 998;
    layer[2].summary.range = wrong_rows + 998;
    layer[2].summary.ranges = RANGES - 998;
    layer[1].summary.bin[3] = 40;
    layer[2].summary.bin[3] = layer[2].summary.bin[5] = 2;
    layer[0].unbounded = NULL;
    layer[1].unbounded = "of a layer that is decided";
    layer[2].unbounded = "the reason";
    for (size_t i = 0; i < 2; i++)
        layer[1 + i].explanation = (attest_judge_explanation){
            .tried = true, .judgements = 7, .found = 2, .alternative = found + i, .left = left};
}

/* batch and head of the k-th head of the text. */
static bool heads_follow(const char *text)
{
    for (size_t i = 0; i < LAYERS; i++)
        for (size_t h = 0; h < PLACES; h++) {
            char place[80];

            snprintf(place, sizeof place, "\"layer\": %zu, \"batch\": %zu, \"head\": %zu,",
                     10 + i, h / 3, h % 3);
            text = strstr(text, place);
            if (!text)
                return false;
        }
    return true;
}

static void texts_of_layers(void)
{
    attest_judgement layer[LAYERS];
    char *text, *packed;
    size_t length = 0;

    found[0] = (attest_judge_found){row_of("zeros"), NULL, "of one layer", 0};
    found[1] = (attest_judge_found){row_of("dropped-tile"), NULL, "of both", 0};
    found[2] = (attest_judge_found){row_of("swapped-heads"), NULL, "of the other", 0};
    left[3] = true;
    fill_layers(layer);
    text = attest_json_format(NULL, write_layers, layer);
    packed = text ? malloc(strlen(text) + 1) : NULL;
    if (!packed)
        abort();
    for (const char *p = text; *p; p++) /* one blank for all */
        if ((*p != '\n' && *p != ' ') || (length && packed[length - 1] != ' '))
            packed[length++] = *p == '\n' ? ' ' : *p;
    packed[length] = 0;
    TAP_OK(strstr(packed, "\"verdict\": \"wrong\", \"elements\": 630, \"within\": 590, "
                          "\"wrong\": 17, \"undecided\": 23, \"uncast\": 6, "
                          "\"reason\": \"the reason\""),
           "counts of all layers, and why some are not decided");
    /* 101 = ((0 2 + 2) 5 + 4) 7 + 3 */
    TAP_OK(strstr(packed, "\"worst\": { \"layer\": 11, \"batch\": 0, \"head\": 2, \"row\": 4, "
                          "\"column\": 3,"),
           "the worst element, and its place");
    TAP_OK(heads_follow(packed) && occurrences(packed, "\"rows\": 5, \"columns\": 7") == 18 &&
               occurrences(packed, "\"max_ratio\"") == 18,
           "every head");
    TAP_OK(occurrences(packed, "\"rows\": [3, 4], \"columns\": [5, 6]") == 1000 &&
               strstr(packed, "\"wrong\": 1999 ") && !strstr(packed, "\"wrong\": 2000 ") &&
               strstr(packed, "\"wrong_rows_left_out\": 3,"),
           "a thousand rows that are wrong");
    TAP_OK(
        strstr(packed, "\"histogram\": [{ \"from\": 6.103515625e-05, \"to\": 0.0001220703125, "
                       "\"count\": 42 }") &&
            occurrences(packed, "\"from\"") == 3 && occurrences(packed, "\"count\": 0 }") == 1,
        "the histogram from the first to the last bin that is not empty");
    TAP_OK(strstr(packed, "\"returned_by_faults\": [\"dropped-tile\"]") &&
               strstr(packed, "\"alternatives\": [{ \"name\": \"dropped-tile\", \"kind\": "
                              "\"fault\", \"sentence\": \"of both\", \"verdict\": "
                              "\"within\" }]") &&
               !strstr(packed, "zeros") && !strstr(packed, "swapped-heads"),
           "alternatives that explain every layer that is wrong");
    TAP_OK(strstr(packed, "\"judgements\": 14, ") && strstr(packed, "\"not_tried\": [\""),
           "what was tried, and what was not");
    TAP_OK(strstr(packed, "{ \"layer\": 10, \"schedule\": 4, \"explains\": true }, { "
                          "\"layer\": 11, \"schedule\": 5, \"explains\": false }"),
           "schedules");
    free(packed);
    free(text);
}

static size_t asked;

static bool refuse(void *context)
{
    asked++;
    return context == NULL;
}

/* Models with many combinations take long enough for the caller to be polled. */
static void stops(size_t jobs)
{
    attest_qkv qkv = problem();
    attest_judge_options options = {.jobs = jobs, .proceed = refuse, .proceed_context = q};
    attest_judge_bounds bounds = {0};
    attest_judge_model *slow;
    attest_error error;
    attest_status status = ATTEST_OK;

    if (attest_judge_model_load(&slow, "bf16-any", &error))
        abort();
    asked = 0;
    qkv.q.shape[0] = qkv.k.shape[0] = qkv.v.shape[0] = 200; /* the same heads, many times */
    qkv.q.stride[0] = qkv.k.stride[0] = qkv.v.stride[0] = 0;
    status = attest_judge_bound(&bounds, &qkv, slow, &options, &error);
    TAP_OK(status == ATTEST_STOPPED && asked == 1 &&
               strcmp(attest_status_name(status), "stopped") == 0,
           "work in %zu processes that is stopped: %s", jobs, error.text);
    attest_judge_model_free(slow);
}

/* A model of two schedules: the bound of the worst element is the distance of the exact value
 * from the farther end of the nearest schedule, up to three roundings and the error of the
 * exact value. */
static void schedules(void)
{
    static const char text[] =
        "{\"format\": \"attest/kernel-model\", \"version\": 1, \"max\": {\"kind\": \"online\"},"
        " \"scale\": {\"where\": \"score\"}, \"final\": {\"place\": \"after\"}, "
        "\"schedules\": ["
        "{\"scores\": \"sequential\", \"tile\": 64, \"direction\": \"forward\", \"lanes\": 1,"
        " \"rescale\": 0, \"constant\": \"separate\", \"divide\": \"after\"},"
        "{\"scores\": \"sequential\", \"tile\": 32, \"direction\": \"backward\", \"lanes\": 1,"
        " \"rescale\": 0, \"constant\": \"separate\", \"divide\": \"after\"}]}";
    attest_qkv qkv = problem();
    attest_tensor output = tensor(out);
    attest_judge_options options = {0};
    static double returned[ALL];
    attest_judge_model *two;
    attest_judgement *judgement;
    attest_error error = {0};

    if (attest_judge_model_parse(&two, text, strlen(text), &error))
        abort();
    for (size_t sign = 0; sign < 2; sign++) { /* either end is the farther one once */
        const attest_judge_element_result *worst;
        double far;

        for (size_t i = 0; i < ALL; i++) /* all means alike, and no numbers of binary32 */
            v[i] = i >= ALL / HEADS ? v[i - ALL / HEADS] : sign == 1 ? -v[i] : v[i] + 0.1f;
        if (attest_judge_simulate(returned, NULL, NULL, &qkv, two, 0, &options, &error))
            abort();
        for (size_t i = 0; i < ALL; i++)
            out[i] = (float)returned[i];
        if (attest_judgement_make(&judgement, &output, &qkv, two, &options, &error))
            abort();
        worst = &judgement->summary.worst;
        far = fmax(worst->hi - worst->exact, worst->exact - worst->lo);
        TAP_OK(judgement->by_schedule && far > 0 && worst->bound >= far &&
                   worst->bound <= (far + worst->error) * (1 + 0x1p-40),
               "the bound of a schedule is its farther end: %g, %g to %g of the exact value",
               worst->bound, worst->lo - worst->exact, worst->hi - worst->exact);
        attest_judgement_free(judgement);
    }
    attest_judge_model_free(two);
}

static void models(void)
{
    attest_judge_model *again = NULL;
    attest_error error;
    char *text = attest_judge_model_format(model), *second = NULL;
    size_t count = 0;

    if (text && attest_judge_model_parse(&again, text, strlen(text), &error) == ATTEST_OK)
        second = attest_judge_model_format(again);
    TAP_OK(second && strcmp(text, second) == 0, "a model's text is that of the model");
    free(text);
    free(second);
    attest_judge_model_free(again);
    TAP_OK(attest_judge_model_parse(&again, "{}", 2, &error) == ATTEST_FORMAT && !again,
           "what is no model: %s", error.text);
    while (attest_judge_model_shipped_name(count))
        count++;
    TAP_OK(count > 10 && strcmp(attest_judge_model_shipped_name(0), "fp32-any") == 0,
           "%zu shipped models", count);
}

TEST(judgement)
{
    attest_error error;

    if (attest_judge_model_load(&model, "fp32-any", &error))
        abort();
    verdicts();
    refusals();
    stops(1);
    stops(2);
    models();
    schedules();
    worst_layers();
    texts_of_layers();
    attest_judge_model_free(model);
    flint_cleanup_master();
    return 0;
}
