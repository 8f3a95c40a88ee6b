/* range.c -- attest range: whether anything overflows, saturates or becomes 0 in the kernels of
 * a model. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "cli/qkv.h"
#include "cli/terminal.h"
#include "io/json_write.h"
#include "judge/quantise.h"
#include "judge/range.h"
#include "report/print.h"

static int run(int argc, char **argv);

const attest_command attest_command_range = {
    .name = "range",
    .arguments = "[QKV] --kernel MODEL [OPTION]...",
    .summary = "prove that nothing overflows or underflows, or show where",
    .details =
        "Answers for every stage of the kernels of a model, on these queries, keys and "
        "values:\n"
        "no, proved for every kernel of the model; yes, with a kernel and the place where it\n"
        "happens; or undecided. Then prints which thresholds of a lazy maximum and which\n"
        "offsets of P are safe. Exit code: 1 if something overflows or saturates, 3 if that "
        "is\n"
        "undecided; values that become 0 are reported, and are no failure.",
    .example = "  attest range qkv.safetensors --kernel fp8-flash3-hopper --causal",
    .product = "write a record for 'attest report' to FILE",
    .run = run,
};

/* The scheme of one head. */
typedef struct range_head {
    size_t layer, batch, head;
    attest_judge_scheme scheme;
} range_head;

typedef struct range_job {
    attest_cli_qkv x;
    attest_number_option within;
    const char *schemes;
    attest_judge_ranges ranges;
    size_t layer[ATTEST_JUDGE_EVENTS]; /* the layer of the first "yes" */
    char *scheme_text;                 /* the list, split into names */
    const char **scheme;               /* ended by NULL; NULL: the default ones */
    range_head *head;
    size_t heads, head_room;
} range_job;

static int no_memory(void)
{
    attest_error error;

    attest_memory_fail(&error);
    return attest_cli_fail(&error);
}

/* Checks --max-error and --schemes. EXIT_HOLDS, or an error message. */
static int parse_schemes(range_job *job)
{
    size_t count = 0;
    char *rest = NULL;

    if (job->schemes && !job->within.given)
        return attest_cli_refuse("--schemes needs --max-error R");
    if (!job->schemes)
        return EXIT_HOLDS;
    job->scheme_text = attest_memory_copy(job->schemes);
    job->scheme = attest_memory_alloc(strlen(job->schemes) + 1, sizeof *job->scheme);
    if (!job->scheme_text || !job->scheme)
        return no_memory();
    for (char *name = strtok_r(job->scheme_text, ",", &rest); name;
         name = strtok_r(NULL, ",", &rest)) {
        attest_block_format format;
        attest_error error;

        if (attest_block_parse(&format, name, &error))
            return attest_cli_refuse("--schemes: %s", error.text);
        job->scheme[count++] = name;
    }
    if (count == 0)
        return attest_cli_refuse("--schemes: the list is empty");
    return EXIT_HOLDS;
}

/* Finds the smallest scheme of each head of the layer that was read last. */
static int find_schemes(range_job *job)
{
    attest_cli_qkv *x = &job->x;
    size_t heads = x->shape[0] * x->shape[1];
    const char *const *schemes =
        job->scheme ? (const char *const *)job->scheme : attest_judge_schemes;
    attest_judge_scheme *best ATTEST_FREED = attest_memory_alloc(heads, sizeof *best);
    attest_error error;

    if (!best ||
        !attest_memory_grow(&job->head, &job->head_room, job->heads + heads, sizeof *job->head))
        return no_memory();
    /* a double that is not above the given number */
    if (attest_judge_scheme_find(best, &x->qkv, x->model,
                                 fmpq_get_d(job->within.value) * (1 - 0x1p-52), schemes,
                                 &x->options, &error))
        return attest_cli_qkv_fail(x, &error);
    for (size_t h = 0; h < heads; h++)
        job->head[job->heads++] =
            (range_head){x->layer, h / x->shape[1], h % x->shape[1], best[h]};
    return EXIT_HOLDS;
}

static void write_schemes(attest_json *json, const range_job *job)
{
    if (!job->within.given)
        return;
    attest_json_write_object(json, "schemes");
    attest_json_write_rational(json, "within", job->within.value);
    attest_json_write_array(json, "heads");
    for (size_t i = 0; i < job->heads; i++) {
        const range_head *head = &job->head[i];

        attest_json_write_object(json, NULL);
        attest_json_write_count(json, "layer", head->layer);
        attest_json_write_count(json, "batch", head->batch);
        attest_json_write_count(json, "head", head->head);
        attest_json_write_string(json, "scheme", head->scheme.name);
        if (head->scheme.name) {
            attest_json_write_double(json, "relative_error", head->scheme.relative);
            attest_json_write_count(json, "pairs_apart", head->scheme.pairs);
        }
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
    attest_json_write_close(json);
}

static void print_schemes(const range_job *job)
{
    char *text;

    if (!job->within.given)
        return;
    text = fmpq_get_str(NULL, 10, job->within.value);
    attest_print(
        "\nsmallest scheme for K and V with outputs within %s of the exact ones and all rows "
        "apart:\n",
        text);
    flint_free(text);
    for (size_t i = 0; i < job->heads; i++) {
        const range_head *head = &job->head[i];

        if (job->x.source.layered)
            attest_print("  layer %zu,", head->layer);
        attest_print("  batch %zu, head %-4zu %-24s", head->batch, head->head,
                     head->scheme.name ? head->scheme.name : "none of those tried");
        if (head->scheme.name)
            attest_print(" proved %.3g, %zu pairs of rows apart", head->scheme.relative,
                         head->scheme.pairs);
        attest_print("\n");
    }
}

/* Returns whether the event invalidates results. */
static bool is_overflow(int event)
{
    return event <= ATTEST_JUDGE_OUTPUT_LEAVES && event != ATTEST_JUDGE_WEIGHT_ABOVE;
}

static attest_judge_answer worst_answer(const attest_judge_ranges *r)
{
    attest_judge_answer worst = ATTEST_JUDGE_NO;

    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        if (is_overflow(e) && worst != ATTEST_JUDGE_YES &&
            r->event[e].answer != ATTEST_JUDGE_NO)
            worst = r->event[e].answer;
    return worst;
}

static int exit_code(const attest_judge_ranges *r)
{
    static const int code[] = {[ATTEST_JUDGE_NO] = EXIT_HOLDS,
                               [ATTEST_JUDGE_YES] = EXIT_FAILS,
                               [ATTEST_JUDGE_OPEN] = EXIT_UNDECIDED};

    return code[worst_answer(r)];
}

/* Writes a number, or null if it is unknown. */
static void write_number(attest_json *json, const char *key, double value)
{
    if (isfinite(value))
        attest_json_write_double(json, key, value);
    else
        attest_json_write_null(json, key);
}

static void write_event(attest_json *json, const range_job *job, int event)
{
    const attest_judge_event_result *h = &job->ranges.event[event];

    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "event", attest_judge_event_name((attest_judge_event)event));
    attest_json_write_string(json, "answer", attest_judge_answer_name(h->answer));
    if (h->answer == ATTEST_JUDGE_YES) {
        attest_json_write_object(json, "witness");
        if (h->drawn) {
            attest_json_write_count(json, "variant", h->variant);
            attest_json_write_count(json, "seed", h->seed);
        } else {
            attest_json_write_count(json, "schedule", h->schedule);
        }
        attest_json_write_count(json, "count", h->count);
        attest_json_write_count(json, "layer", job->layer[event]);
        attest_json_write_count(json, "batch", h->batch);
        attest_json_write_count(json, "head", h->head);
        attest_json_write_count(json, "row", h->row);
        attest_json_write_count(json,
                                event == ATTEST_JUDGE_PRODUCT_LEAVES ||
                                        event == ATTEST_JUDGE_OUTPUT_LEAVES
                                    ? "column"
                                    : "key",
                                h->key);
        write_number(json, "value", h->value);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static void write_threshold(attest_json *json, const range_job *job)
{
    const attest_judge_ranges *r = &job->ranges;

    attest_json_write_object(json, "threshold");
    attest_json_write_double(json, "given", job->x.model->variant[0].threshold);
    attest_json_write_ball(json, "largest_safe", r->threshold);
    attest_json_write_ball(json, "largest_safe_never_above", r->threshold_never);
    write_number(json, "proved", r->threshold_proved < 0 ? (double)NAN : r->threshold_proved);
    attest_json_write_bool(json, "any_is_safe_here", r->any_threshold);
    attest_json_write_double(json, "limit", r->limit);
    attest_json_write_bool(json, "limit_included", r->limit_included);
    attest_json_write_double(json, "largest", r->largest);
    attest_json_write_close(json);
    attest_json_write_object(json, "offset");
    attest_json_write_integer(json, "given", job->x.model->variant[0].offset);
    write_number(json, "smallest_safe", r->smallest_offset);
    write_number(json, "largest_safe", r->largest_offset);
    attest_json_write_close(json);
}

static void write_record(attest_json *json, range_job *job)
{
    static const char *const verdict[] = {"safe", "unsafe", "undecided"};

    attest_json_write_object(json, NULL);
    attest_json_write_format(json, "attest/range");
    attest_json_write_string(json, "verdict", verdict[worst_answer(&job->ranges)]);
    attest_json_write_array(json, "events");
    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        write_event(json, job, e);
    attest_json_write_close(json);
    attest_json_write_object(json, "weights");
    write_number(json, "most", job->ranges.most_weight);
    write_number(json, "least", job->ranges.least_weight);
    attest_json_write_close(json);
    write_threshold(json, job);
    write_schemes(json, job);
    attest_cli_qkv_write_subject(json, &job->x, NULL, NULL);
    attest_json_write_close(json);
}

static int save(range_job *job)
{
    attest_json_file file;
    attest_error error;

    if (attest_json_file_open(&file, job->x.common->output, &error))
        return attest_cli_fail(&error);
    write_record(&file.json, job);
    return attest_json_file_commit(&file, &error) ? attest_cli_fail(&error) : EXIT_HOLDS;
}

static void print_event(const range_job *job, int event)
{
    const attest_judge_event_result *h = &job->ranges.event[event];
    const char *place =
        event == ATTEST_JUDGE_PRODUCT_LEAVES || event == ATTEST_JUDGE_OUTPUT_LEAVES ? "column"
                                                                                    : "key";

    attest_print("%-21s %-10s %s", attest_judge_event_name((attest_judge_event)event),
                 attest_judge_answer_name(h->answer),
                 attest_judge_event_text((attest_judge_event)event));
    if (h->answer == ATTEST_JUDGE_YES) {
        attest_print(": %.9g at", h->value);
        if (job->x.source.layered)
            attest_print(" layer %zu,", job->layer[event]);
        attest_print(" batch %zu, head %zu, row %zu, %s %zu", h->batch, h->head, h->row, place,
                     h->key);
        if (h->drawn)
            attest_print(", kernel %llu of variant %zu", (unsigned long long)h->seed,
                         h->variant);
        else
            attest_print(", schedule %zu", h->schedule);
    }
    attest_print("\n");
}

static void print_ball(const char *label, const arb_t ball)
{
    char *text = arb_get_str(ball, 9, ARB_STR_NO_RADIUS);

    attest_print("%s%s\n", label, attest_or_exit(text));
    flint_free(text);
}

static void print_summary(const range_job *job)
{
    const attest_judge_ranges *r = &job->ranges;

    attest_cli_qkv_print_quantise(&job->x);
    for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
        print_event(job, e);
    attest_print("\nweights of P         from %.9g to %.9g, proved\n", r->least_weight,
                 r->most_weight);
    attest_print("largest safe threshold, in log2 units:\n");
    attest_print("  P up to %-11.9g  ", r->limit);
    print_ball("", r->threshold);
    attest_print("  P up to %-11.9g  ", r->largest);
    print_ball("", r->threshold_never);
    if (r->threshold_proved >= 0)
        attest_print("  with every rounding  %.9g, proved on these inputs\n",
                     r->threshold_proved);
    else
        attest_print("  with every rounding  none is proved on these inputs\n");
    if (r->any_threshold)
        attest_print("  every threshold is safe on these inputs: the scores of a row are close "
                     "enough\n");
    if (isfinite(r->smallest_offset) && isfinite(r->largest_offset))
        attest_print(
            "safe offsets           from %.0f (below, a weight may vanish) to %.0f%s\n",
            r->smallest_offset, r->largest_offset,
            r->smallest_offset > r->largest_offset ? ": none" : "");
    else if (isfinite(r->largest_offset))
        attest_print("safe offsets           up to %.0f\n", r->largest_offset);
    print_schemes(job);
}

static int find_ranges(range_job *job)
{
    attest_cli_qkv *x = &job->x;
    attest_error error;

    attest_cli_work_begin("bounding scores and weights");
    for (size_t i = 0; i < x->source.layers; i++) {
        int code = attest_cli_qkv_read(x, i);
        bool known[ATTEST_JUDGE_EVENTS];

        if (code != EXIT_HOLDS)
            return code;
        for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
            known[e] = job->ranges.event[e].answer == ATTEST_JUDGE_YES;
        if (attest_judge_ranges_add(&job->ranges, &x->qkv, x->model, x->options.jobs, &error))
            return attest_cli_qkv_fail(x, &error);
        for (int e = 0; e < ATTEST_JUDGE_EVENTS; e++)
            if (!known[e] && job->ranges.event[e].answer == ATTEST_JUDGE_YES)
                job->layer[e] = x->layer;
        ATTEST_CLI_TRY(job->within.given ? find_schemes(job) : EXIT_HOLDS);
    }
    attest_cli_work_end();
    return EXIT_HOLDS;
}

static int show(range_job *job)
{
    const attest_common *common = job->x.common;
    attest_json json;
    int code;

    ATTEST_CLI_TRY(common->output ? save(job) : EXIT_HOLDS);
    code = exit_code(&job->ranges);
    if (common->json) {
        attest_json_write_begin(&json, stdout);
        write_record(&json, job);
        return attest_cli_end_json(&json, code);
    }
    if (!common->stdout_by)
        print_summary(job);
    if (code == EXIT_HOLDS)
        attest_cli_print_hint(common,
                              "proved for all kernels of the model, on these inputs; next: "
                              "--max-error R finds the smallest scheme for keys and values");
    return code;
}

static int run(int argc, char **argv)
{
    range_job job = {0};
    attest_common common;
    char **operands;
    size_t count;
    const attest_option options[] = {
        ATTEST_CLI_QKV_OPTIONS(&job.x),
        {"max-error", 0, "R",
         "find for every head the smallest scheme for K and V with which the\n"
         "relative error of outputs is at most R and no two rows become equal",
         OPTION_NUMBER, &job.within, NULL},
        {"schemes", 0, "LIST", "the schemes that --max-error tries, in this order", OPTION_TEXT,
         &job.schemes, NULL},
        {0},
    };
    int code;

    fmpq_init(job.within.value);
    code = attest_cli_parse(&attest_command_range, &common, options, argc, argv, 0, 1,
                            &operands, &count);
    if (code != EXIT_HOLDS) {
        fmpq_clear(job.within.value);
        return code;
    }
    attest_judge_ranges_init(&job.ranges);
    code = parse_schemes(&job);
    if (code == EXIT_HOLDS)
        code = attest_cli_qkv_open(&job.x, &attest_command_range, &common, operands, count);
    if (code == EXIT_HOLDS)
        code = find_ranges(&job);
    if (code == EXIT_HOLDS)
        code = show(&job);
    attest_judge_ranges_clear(&job.ranges);
    free(job.scheme_text);
    free(job.scheme);
    free(job.head);
    fmpq_clear(job.within.value);
    attest_cli_qkv_close(&job.x);
    return code;
}
