/* tolerance_print.c -- how bounds, and a tolerance beside them, are shown. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/tolerance.h"

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
    attest_judgement_write_place(json, element->layer, element->shape, element->place);
    if (!isnan(element->output))
        attest_json_write_double(json, "output", element->output);
    attest_judgement_write_ball(json, "exact", element->exact, element->error);
    attest_json_write_double(json, "bound", element->bound);
    attest_json_write_double(json, "allowed", element->allowed);
    attest_json_write_close(json);
}

/* The names of the faults with this answer in some layer, each once. */
static void write_names(attest_json *json, const char *key, const tolerance_job *job,
                        tolerance_answer answer)
{
    attest_json_write_array(json, key);
    for (int f = 0; f < ATTEST_JUDGE_FAULTS; f++)
        for (size_t i = 0; i < job->faults; i++)
            if (job->fault[i].fault == (attest_judge_fault)f &&
                job->fault[i].answer == answer) {
                attest_json_write_string(json, NULL,
                                         attest_judge_fault_name((attest_judge_fault)f));
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
        attest_json_write_string(json, "name", attest_judge_fault_name(fault->fault));
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

/* The correct kernel that fails the tolerance: a schedule, or one that was drawn. */
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
    size_t finite = attest_cli_tolerance_sort(job->bound, job->bound, job->elements);

    return (tolerance_head){.elements = job->elements,
                            .finite = finite,
                            .max = finite ? job->bound[finite - 1] : (double)NAN,
                            .median = finite ? job->bound[finite / 2] : (double)NAN};
}

int attest_cli_tolerance_print_json(tolerance_job *job)
{
    tolerance_head all = summarize(job);
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
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

    attest_cli_qkv_format_place(place, &job->x, element->layer, element->shape, element->place);
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

        attest_print("  %-20s %s", attest_judge_fault_name(fault->fault), word[fault->answer]);
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

void attest_cli_tolerance_print(tolerance_job *job)
{
    tolerance_head all = summarize(job);

    attest_print("what any kernel of ");
    attest_print("%s", job->x.model->name);
    attest_print(" may differ from the exact values:\n");
    attest_cli_qkv_print_quantise(&job->x);
    print_bounds("all", &all);
    print_heads(job);
    if (job->unbounded)
        attest_print("not bounded because: %s\n", job->unbounded);
    if (job->given)
        print_given(job);
}
