/* tolerance.c -- attest tolerance: proved error bounds of the outputs of kernels; --check:
 * which faulty outputs the tolerance of a test accepts, and whether a correct kernel can fail
 * it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "cli/qkv.h"
#include "cli/terminal.h"
#include "judge/alternative.h"
#include "judge/judgement.h"
#include "judge/tolerance.h"

static int run(int argc, char **argv);

const attest_command attest_command_tolerance = {
    .name = "tolerance",
    .arguments = "[QKV] --kernel MODEL [-o BOUND] [--check ATOL,RTOL] [OPTION]...",
    .summary = "compute proved per-element error bounds of a correct kernel",
    .details =
        "Bounds, for every element of the output, the difference between any kernel of the\n"
        "model and the exact value: abs(out - exact) <= bound holds for every correct kernel.\n"
        "BOUND is a safetensors file with F64 tensors bound, lo and hi of the output's shape.\n"
        "--check examines a tolerance as tests use it, abs(out - exact) <= ATOL + RTOL\n"
        "abs(exact): which faulty outputs it accepts, and whether a correct kernel can fail "
        "it.",
    .example = "  attest tolerance qkv.safetensors --kernel bf16-flash2 --causal \\\n"
               "      --check 1e-2,1e-2\n"
               "  attest tolerance qkv.npz --kernel fp32-any -o bound.safetensors",
    .product = "write the bounds to FILE (safetensors)",
    .run = run,
};

/* The bounds of one head. */
typedef struct tolerance_head {
    size_t layer, batch, head, elements, finite;
    double max, median; /* of the finite ones; NaN: there is none */
} tolerance_head;

/* An element that shows what a tolerance does. */
typedef struct tolerance_element {
    size_t layer, at[4];
    double output, exact, error, bound, allowed;
} tolerance_element;

typedef enum tolerance_answer {
    TOLERANCE_ACCEPTS,
    TOLERANCE_REFUSES,
    TOLERANCE_OPEN,
    TOLERANCE_SAME, /* the fault changes nothing here */
    TOLERANCE_ANSWERS
} tolerance_answer;

typedef struct tolerance_fault {
    size_t fault; /* its number in the list of faults */
    tolerance_answer answer;
    tolerance_element element; /* with TOLERANCE_SAME only the layer is set */
} tolerance_fault;

typedef struct tolerance_job {
    attest_cli_qkv x;
    const char *given; /* ATOL,RTOL, or NULL */
    fmpq_t atol, rtol;
    attest_judge_allclose allclose;
    attest_cli_tensors tensors;
    tolerance_head *head;
    size_t heads, head_room;
    double *bound; /* of all layers, in no order */
    size_t elements, bound_room;
    const char *unbounded; /* why some bounds are not finite, or NULL */
    tolerance_fault *fault;
    size_t faults, fault_room;
    /* Whether a correct kernel of the model can fail the tolerance. */
    bool refuses_correct, correct_open;
    bool by_schedule; /* it is a schedule of the model; else a random kernel */
    size_t schedule, variant;
    uint64_t seed;
    tolerance_element correct; /* the element where it fails, or may fail */
} tolerance_job;

static int compare(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* finite[0..return) = the numbers of bound[0..count) that are finite, in order; with room for
 * all of them. */
static size_t sort_finite(double *finite, const double *bound, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (isfinite(bound[i]))
            finite[kept++] = bound[i];
    qsort(finite, kept, sizeof *finite, compare);
    return kept;
}

static void write_measure(attest_json *json, const char *key, double value)
{
    if (isnan(value))
        attest_json_write_null(json, key);
    else
        attest_json_write_double(json, key, value);
}

static void write_heads(attest_json *json, const tolerance_job *job)
{
    attest_json_write_array(json, "heads");
    for (size_t i = 0; i < job->heads; i++) {
        const tolerance_head *head = &job->head[i];

        attest_json_write_object(json, NULL);
        attest_json_write_count(json, "layer", head->layer);
        attest_json_write_count(json, "batch", head->batch);
        attest_json_write_count(json, "head", head->head);
        attest_json_write_count(json, "elements", head->elements);
        attest_json_write_count(json, "finite", head->finite);
        write_measure(json, "max_bound", head->max);
        write_measure(json, "median_bound", head->median);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static void write_element(attest_json *json, const char *key, const tolerance_element *element)
{
    attest_json_write_object(json, key);
    attest_judgement_write_place(json, element->layer, element->at);
    if (!isnan(element->output))
        attest_json_write_double(json, "output", element->output);
    attest_judgement_write_ball(json, "exact", element->exact, element->error);
    attest_json_write_double(json, "bound", element->bound);
    attest_json_write_double(json, "allowed", element->allowed);
    attest_json_write_close(json);
}

/* Prints the names of the faults with this answer in some layer, each once. */
static void write_names(attest_json *json, const char *key, const tolerance_job *job,
                        tolerance_answer answer)
{
    attest_json_write_array(json, key);
    for (size_t f = 0; attest_judge_alternative_get_fault(NULL, NULL, f); f++)
        for (size_t i = 0; i < job->faults; i++)
            if (job->fault[i].fault == f && job->fault[i].answer == answer) {
                attest_json_write_string(json, NULL,
                                         attest_judge_alternative_get_fault(NULL, NULL, f));
                break;
            }
    attest_json_write_close(json);
}

static const char *const answer_key[TOLERANCE_ANSWERS] = {"accepts", "refuses", "undecided",
                                                          "without_effect"};

static void write_faults(attest_json *json, const tolerance_job *job)
{
    attest_json_write_array(json, "faults");
    for (size_t i = 0; i < job->faults; i++) {
        const tolerance_fault *fault = &job->fault[i];

        attest_json_write_object(json, NULL);
        attest_json_write_string(json, "name",
                                 attest_judge_alternative_get_fault(NULL, NULL, fault->fault));
        attest_json_write_count(json, "layer", fault->element.layer);
        attest_json_write_string(json, "answer", answer_key[fault->answer]);
        if (fault->answer != TOLERANCE_SAME)
            write_element(json, "element", &fault->element);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

static const char not_decided[] = "not decided: the bound exceeds the tolerance, but no kernel "
                                  "of the model that was simulated "
                                  "fails it";

/* Names the correct kernel that fails the tolerance: a schedule of the model, or a random one.
 */
static void write_kernel(attest_json *json, const tolerance_job *job)
{
    if (job->refuses_correct && job->by_schedule)
        attest_json_write_count(json, "schedule", job->schedule);
    else
        attest_json_write_null(json, "schedule");
    if (!job->refuses_correct || job->by_schedule) {
        attest_json_write_null(json, "drawn");
        return;
    }
    attest_json_write_object(json, "drawn");
    attest_json_write_count(json, "variant", job->variant);
    attest_json_write_count(json, "seed", job->seed);
    attest_json_write_close(json);
}

static void write_given(attest_json *json, const tolerance_job *job)
{
    attest_json_write_object(json, "given");
    attest_json_write_rational(json, "atol", job->atol);
    attest_json_write_rational(json, "rtol", job->rtol);
    for (int i = 0; i < TOLERANCE_ANSWERS; i++)
        write_names(json, answer_key[i], job, (tolerance_answer)i);
    write_faults(json, job);
    if (job->refuses_correct || !job->correct_open)
        attest_json_write_bool(json, "refuses_correct", job->refuses_correct);
    else
        attest_json_write_null(json, "refuses_correct");
    attest_json_write_string(json, "reason",
                             job->correct_open && !job->refuses_correct ? not_decided : NULL);
    write_kernel(json, job);
    if (job->correct_open)
        write_element(json, "correct", &job->correct);
    attest_json_write_close(json);
}

/* The bounds of all layers. */
static tolerance_head summarize(const tolerance_job *job)
{
    size_t finite = sort_finite(job->bound, job->bound, job->elements);

    return (tolerance_head){.elements = job->elements,
                            .finite = finite,
                            .max = finite ? job->bound[finite - 1] : (double)NAN,
                            .median = finite ? job->bound[finite / 2] : (double)NAN};
}

static int print_json(tolerance_job *job)
{
    tolerance_head all = summarize(job);
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/tolerance");
    attest_cli_qkv_write_subject(&json, &job->x, NULL, NULL);
    attest_json_write_count(&json, "elements", all.elements);
    attest_json_write_count(&json, "finite", all.finite);
    write_measure(&json, "max_bound", all.max);
    write_measure(&json, "median_bound", all.median);
    attest_json_write_string(&json, "reason", job->unbounded);
    write_heads(&json, job);
    if (job->given)
        write_given(&json, job);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

static void print_bounds(const char *what, const tolerance_head *head)
{
    attest_print("%-26s", what);
    if (head->finite)
        attest_print(" median %-12.4g largest %-12.4g", head->median, head->max);
    if (head->finite < head->elements)
        attest_print(" (%zu of %zu not bounded)", head->elements - head->finite,
                     head->elements);
    attest_print("\n");
}

static void print_heads(const tolerance_job *job)
{
    char label[96];

    for (size_t i = 0; i < job->heads; i++) {
        const tolerance_head *head = &job->head[i];

        snprintf(label, sizeof label, "  layer %zu batch %zu head %zu", head->layer,
                 head->batch, head->head);
        print_bounds(label, head);
    }
}

static void print_element(const tolerance_job *job, const tolerance_element *element)
{
    char place[ATTEST_CLI_PLACE_SIZE];

    attest_cli_qkv_format_place(place, &job->x, element->layer, element->at);
    attest_print("%s: ", place);
    if (!isnan(element->output))
        attest_print("%.9g returned, ", element->output);
    attest_print("%.9g exact, %.4g allowed, %.4g proved\n", element->exact, element->allowed,
                 element->bound);
}

static void print_given(const tolerance_job *job)
{
    static const char *const word[TOLERANCE_ANSWERS] = {"accepted", "refused", "undecided",
                                                        "without effect"};

    attest_print("the tolerance %s\n", job->given);
    for (size_t i = 0; i < job->faults; i++) {
        const tolerance_fault *fault = &job->fault[i];

        attest_print("  %-20s %s", attest_judge_alternative_get_fault(NULL, NULL, fault->fault),
                     word[fault->answer]);
        if (fault->answer == TOLERANCE_REFUSES) {
            attest_print(" at ");
            print_element(job, &fault->element);
        } else if (job->x.source.layered) {
            attest_print(" in layer %zu\n", fault->element.layer);
        } else {
            attest_print("\n");
        }
    }
    if (!job->correct_open) {
        attest_print("no correct kernel fails it\n");
        return;
    }
    if (job->refuses_correct && job->by_schedule)
        attest_print("a correct kernel fails it: schedule %zu, at ", job->schedule);
    else if (job->refuses_correct)
        attest_print("a correct kernel fails it: one that was drawn with seed %" PRIu64 ", at ",
                     job->seed);
    else
        attest_print("%s; at ", not_decided);
    print_element(job, &job->correct);
}

static void print_text(tolerance_job *job)
{
    tolerance_head all = summarize(job);

    attest_print("proved error bounds of all kernels of %s:\n", job->x.model->name);
    attest_cli_qkv_print_quantise(&job->x);
    print_bounds("all", &all);
    print_heads(job);
    if (job->unbounded)
        attest_print("not bounded because: %s\n", job->unbounded);
    if (job->given)
        print_given(job);
}

static int parse_side(fmpq_t value, const char *text, size_t length)
{
    attest_error error;

    if (attest_number_parse(value, text, length, NULL, &error))
        return attest_cli_refuse("--check: %s", error.text);
    if (fmpq_sgn(value) < 0)
        return attest_cli_refuse("--check: '%.*s' is negative", (int)length, text);
    return EXIT_HOLDS;
}

/* Parses --check. */
static int parse_check(tolerance_job *job)
{
    const char *comma = strchr(job->given, ',');
    int code;

    if (!comma)
        return attest_cli_refuse("--check: '%s' is not ATOL,RTOL, two numbers", job->given);
    code = parse_side(job->atol, job->given, (size_t)(comma - job->given));
    if (code == EXIT_HOLDS)
        code = parse_side(job->rtol, comma + 1, strlen(comma + 1));
    if (code == EXIT_HOLDS)
        attest_judge_allclose_set(&job->allclose, job->atol, job->rtol);
    return code;
}

static void set_element(tolerance_element *element, const tolerance_job *job,
                        const attest_judge_bounds *bounds, double output, size_t place)
{
    const attest_cli_qkv *x = &job->x;

    element->layer = x->layer;
    attest_judge_rows_get_place(element->at, &x->rows, place);
    element->output = output;
    element->exact = bounds->exact[place];
    element->error = bounds->error[place];
    element->bound = bounds->bound[place];
    element->allowed = job->allclose.atol_high + job->allclose.rtol_high * fabs(element->exact);
}

/* Returns whether all exact values are equal. A NaN with an infinite error is unknown. */
static bool same(const attest_judge_bounds *a, const attest_judge_bounds *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool nan = isnan(a->exact[i]) && isnan(b->exact[i]);

        if (nan ? isinf(a->error[i]) || isinf(b->error[i]) : a->exact[i] != b->exact[i])
            return false;
    }
    return true;
}

/* The exact results of a kernel with a fault are collected here; those of a fault of arithmetic
 * are not single numbers, but intervals: their middles, with half of their widths as errors. */
typedef struct fault_results {
    attest_judge_bounds to;
    size_t columns;
    bool intervals;
} fault_results;

static bool collect(void *context, const size_t *places, size_t count,
                    const attest_judge_bounds *bounds)
{
    fault_results *results = context;
    size_t columns = results->columns;

    for (size_t n = 0; n < count * columns && results->intervals; n++) {
        double middle = bounds->lo[n] / 2 + bounds->hi[n] / 2;

        if (isnan(bounds->lo[n])) /* a row that must be NaN */
            continue;
        bounds->exact[n] = isfinite(middle) ? middle : (double)NAN;
        bounds->error[n] = isfinite(middle)
                               ? nextafter(fmax(bounds->hi[n] - middle, middle - bounds->lo[n]),
                                           (double)INFINITY)
                               : (double)INFINITY;
    }
    for (size_t n = 0; n < count; n++) {
        memcpy(results->to.exact + places[n] * columns, bounds->exact + n * columns,
               columns * sizeof *bounds->exact);
        memcpy(results->to.error + places[n] * columns, bounds->error + n * columns,
               columns * sizeof *bounds->error);
    }
    return true;
}

/* Sets other to the exact results of a kernel with the fault. */
static attest_status bound_fault(attest_judge_bounds *other, tolerance_job *job,
                                 const attest_judge_changed *changed, bool intervals,
                                 attest_error *error)
{
    attest_cli_qkv *x = &job->x;
    fault_results results = {*other, x->rows.columns, intervals};
    size_t *place = attest_memory_alloc(x->rows.count + 1, sizeof *place);
    attest_status status;

    if (!place)
        return attest_memory_fail(error);
    for (size_t i = 0; i < x->rows.count; i++)
        place[i] = i;
    status = attest_judge_changed_bound(changed, &x->rows, place, x->rows.count, &x->options,
                                        collect, &results, error);
    free(place);
    return status;
}

/* Applies the tolerance to the output of a kernel with the fault and without rounding. */
static attest_status judge_fault(tolerance_fault *result, tolerance_job *job,
                                 const attest_judge_changed *changed, bool intervals,
                                 const attest_judge_bounds *bounds, double *room,
                                 attest_error *error)
{
    static const tolerance_answer answer[] = {[ATTEST_JUDGE_CLOSE] = TOLERANCE_ACCEPTS,
                                              [ATTEST_JUDGE_FAR] = TOLERANCE_REFUSES,
                                              [ATTEST_JUDGE_OPEN] = TOLERANCE_OPEN};
    attest_cli_qkv *x = &job->x;
    attest_judge_bounds other = {.exact = room, .error = room + x->elements};
    size_t at;

    ATTEST_TRY(bound_fault(&other, job, changed, intervals, error));
    result->answer =
        answer[attest_judge_allclose_check(&at, &job->allclose, other.exact, other.error,
                                           bounds->exact, bounds->error, x->elements)];
    if (!intervals && same(&other, bounds, x->elements))
        result->answer = TOLERANCE_SAME;
    set_element(&result->element, job, bounds, other.exact[at], at);
    return ATTEST_OK;
}

/* Returns whether the problem has the scale or the mask that the fault changes. */
static bool concerns(const attest_judge_alternative *row, const attest_qkv *qkv)
{
    return strcmp(row->name, "scale-missing") == 0 ||
           (strcmp(row->name, "mask-off-by-one") == 0 &&
            (qkv->causal != ATTEST_CAUSAL_NONE || qkv->mask.data));
}

/* Adds the result of one fault. */
static attest_status add_fault(tolerance_job *job, const attest_judge_alternative *row,
                               size_t form, size_t fault, const attest_judge_bounds *bounds,
                               double *room, attest_error *error)
{
    attest_cli_qkv *x = &job->x;
    attest_judge_changed changed;
    tolerance_fault *result;
    bool applies;

    if (!attest_memory_grow(&job->fault, &job->fault_room, job->faults + 1, sizeof *job->fault))
        return attest_memory_fail(error);
    result = &job->fault[job->faults];
    *result = (tolerance_fault){
        .fault = fault, .answer = TOLERANCE_SAME, .element = {.layer = x->layer}};
    ATTEST_TRY(attest_judge_changed_init(&changed, &applies, &x->qkv, x->model, row, form, NULL,
                                         0, error));
    if (applies) {
        attest_status status =
            judge_fault(result, job, &changed, row->kind == ATTEST_JUDGE_ALTERNATIVE_ARITHMETIC,
                        bounds, room, error);

        attest_judge_changed_clear(&changed);
        ATTEST_TRY(status);
    }
    job->faults += applies || concerns(row, &x->qkv);
    return ATTEST_OK;
}

/* Looks for a schedule of the model that leaves the tolerance. */
static attest_status try_schedules(tolerance_job *job, const attest_judge_bounds *bounds,
                                   double *room, attest_error *error)
{
    attest_cli_qkv *x = &job->x;
    size_t at;

    for (size_t s = 0; s < x->model->schedules && !job->refuses_correct; s++) {
        ATTEST_TRY(
            attest_judge_simulate(room, NULL, NULL, &x->qkv, x->model, s, &x->options, error));
        if (attest_judge_allclose_check(&at, &job->allclose, room, NULL, bounds->exact,
                                        bounds->error, x->elements) != ATTEST_JUDGE_FAR)
            continue;
        job->refuses_correct = job->by_schedule = true;
        job->schedule = s;
        set_element(&job->correct, job, bounds, room[at], at);
    }
    return ATTEST_OK;
}

/* Looks for a correct kernel that fails the tolerance. If the bounds are within it, no kernel
 * of the model fails it. Otherwise tries the schedules of the model, or, if it has none, random
 * kernels in the row where the bound exceeds the tolerance most. */
static attest_status judge_correct(tolerance_job *job, const attest_judge_bounds *bounds,
                                   double *room, attest_error *error)
{
    attest_cli_qkv *x = &job->x;
    attest_judge_tolerance_search escape = {0};
    size_t at;

    if (job->refuses_correct ||
        attest_judge_allclose_holds(&at, &job->allclose, bounds->bound, bounds->exact,
                                    bounds->error, x->elements))
        return ATTEST_OK;
    if (!job->correct_open)
        set_element(&job->correct, job, bounds, (double)NAN, at);
    job->correct_open = true;
    ATTEST_TRY(try_schedules(job, bounds, room, error));
    if (x->model->schedules == 0)
        ATTEST_TRY(attest_judge_tolerance_search_find(&escape, &x->qkv, x->model,
                                                      &job->allclose, bounds->exact,
                                                      bounds->error, at, error));
    if (escape.found) {
        job->refuses_correct = true;
        job->variant = escape.variant;
        job->seed = escape.seed;
        set_element(&job->correct, job, bounds, escape.output,
                    at - at % x->shape[3] + escape.column);
    }
    return ATTEST_OK;
}

static attest_status judge_all(tolerance_job *job, const attest_judge_bounds *bounds,
                               double *room, attest_error *error)
{
    const attest_judge_alternative *row = NULL;

    size_t form;

    for (size_t i = 0; attest_judge_alternative_get_fault(&row, &form, i); i++)
        ATTEST_TRY(add_fault(job, row, form, i, bounds, room, error));
    return judge_correct(job, bounds, room, error);
}

/* Applies the tolerance to the layer that was read last. */
static int check_layer(tolerance_job *job, const attest_judge_bounds *bounds)
{
    attest_error error;
    int code = EXIT_HOLDS;
    double *room = attest_cli_qkv_alloc(&code, &job->x, 2);

    if (room && judge_all(job, bounds, room, &error))
        code = attest_cli_qkv_fail(&job->x, &error);
    attest_cli_qkv_free(&job->x, room, 2);
    return code;
}

/* Adds the bounds of the layer to those of each head and of all heads. */
static int add_heads(tolerance_job *job, const double *bound, double *room)
{
    attest_cli_qkv *x = &job->x;
    size_t heads = x->rows.batch * x->rows.heads, first = 0;
    attest_error error;

    if (!attest_memory_grow(&job->head, &job->head_room, job->heads + heads,
                            sizeof *job->head) ||
        !attest_memory_grow(&job->bound, &job->bound_room, job->elements + x->elements,
                            sizeof *job->bound)) {
        attest_memory_fail(&error);
        return attest_cli_fail(&error);
    }
    memcpy(job->bound + job->elements, bound, x->elements * sizeof *bound);
    job->elements += x->elements;
    for (size_t h = 0; h < heads; h++) {
        size_t b = h / x->rows.heads;
        size_t size = attest_judge_rows_get_queries(&x->rows, b) * x->rows.columns;
        size_t finite = sort_finite(room, bound + first, size);

        first += size;
        if (size > 0)
            job->head[job->heads++] = (tolerance_head){x->layer,
                                                       b,
                                                       h % x->rows.heads,
                                                       size,
                                                       finite,
                                                       finite ? room[finite - 1] : (double)NAN,
                                                       finite ? room[finite / 2] : (double)NAN};
    }
    return EXIT_HOLDS;
}

static int save_layer(tolerance_job *job, const attest_judge_bounds *bounds)
{
    attest_cli_qkv *x = &job->x;
    int code =
        attest_cli_tensors_add(&job->tensors, x, "bound", ATTEST_TENSOR_F64, bounds->bound);

    if (code == EXIT_HOLDS)
        code = attest_cli_tensors_add(&job->tensors, x, "lo", ATTEST_TENSOR_F64, bounds->lo);
    if (code == EXIT_HOLDS)
        code = attest_cli_tensors_add(&job->tensors, x, "hi", ATTEST_TENSOR_F64, bounds->hi);
    return code;
}

static int bound_layer(tolerance_job *job, attest_judge_bounds *bounds)
{
    attest_cli_qkv *x = &job->x;
    attest_error error;
    int code = EXIT_HOLDS;
    double *room;

    if (attest_judge_bound(bounds, &x->qkv, x->model, &x->options, &error))
        return attest_cli_qkv_fail(x, &error);
    job->unbounded = job->unbounded ? job->unbounded : bounds->unbounded;
    room = attest_cli_qkv_alloc(&code, x, 1);
    if (room)
        code = add_heads(job, bounds->bound, room);
    attest_cli_qkv_free(x, room, 1);
    if (code == EXIT_HOLDS && x->common->output)
        code = save_layer(job, bounds);
    if (code == EXIT_HOLDS && job->given)
        code = check_layer(job, bounds);
    return code;
}

static int bound_layers(tolerance_job *job)
{
    attest_cli_qkv *x = &job->x;
    int code = EXIT_HOLDS;

    for (size_t i = 0; i < x->source.layers && code == EXIT_HOLDS; i++) {
        attest_judge_bounds bounds;
        double *block = NULL;

        code = attest_cli_qkv_read(x, i);
        if (code == EXIT_HOLDS)
            block = attest_cli_qkv_alloc_bounds(&code, &bounds, x);
        if (block)
            code = bound_layer(job, &bounds);
        attest_cli_qkv_free(x, block, 5);
    }
    if (code == EXIT_HOLDS && x->common->output)
        code = attest_cli_tensors_write(&job->tensors, x->common->output);
    return code;
}

static int tolerate(tolerance_job *job)
{
    attest_common *common = job->x.common;
    int code = job->given ? parse_check(job) : EXIT_HOLDS;

    attest_cli_work_begin("bounding");
    if (code == EXIT_HOLDS)
        code = bound_layers(job);
    attest_cli_work_end();
    if (code != EXIT_HOLDS)
        return code;
    if (common->json)
        return print_json(job);
    if (!common->stdout_by)
        print_text(job);
    if (!job->given || !common->output)
        attest_cli_print_hint(common, "next: %s%s%s",
                              common->output ? "" : "-o BOUND writes a bound for every element",
                              common->output || job->given ? "" : "; ",
                              job->given ? "" : "--check ATOL,RTOL checks a tolerance");
    return EXIT_HOLDS;
}

static int run(int argc, char **argv)
{
    tolerance_job job = {0};
    attest_common common;
    char **operands;
    size_t count;
    const attest_option options[] = {
        ATTEST_CLI_QKV_OPTIONS(&job.x),
        {"check", 0, "ATOL,RTOL", "check this tolerance of a test", OPTION_TEXT, &job.given,
         NULL},
        {0},
    };
    int code;

    ATTEST_CLI_TRY(attest_cli_parse(&attest_command_tolerance, &common, options, argc, argv, 0,
                                    1, &operands, &count));
    fmpq_init(job.atol);
    fmpq_init(job.rtol);
    code = attest_cli_qkv_open(&job.x, &attest_command_tolerance, &common, operands, count);
    if (code == EXIT_HOLDS)
        code = tolerate(&job);
    attest_cli_tensors_clear(&job.tensors);
    free(job.head);
    free(job.bound);
    free(job.fault);
    fmpq_clear(job.atol);
    fmpq_clear(job.rtol);
    attest_cli_qkv_close(&job.x);
    return code;
}
