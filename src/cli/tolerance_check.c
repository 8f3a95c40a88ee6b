/* tolerance_check.c -- tolerance --check: which faulty outputs a tolerance of tests accepts,
 * and whether a correct kernel can fail it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "cli/tolerance.h"

static int parse_side(fmpq_t value, const char *text, size_t length)
{
    attest_error error;

    if (attest_number_parse(value, text, length, NULL, &error))
        return attest_cli_refuse("--check: %s", error.text);
    if (fmpq_sgn(value) < 0)
        return attest_cli_refuse("--check: '%.*s' is negative", (int)length, text);
    return EXIT_HOLDS;
}

int attest_cli_tolerance_parse(tolerance_job *job)
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
    memcpy(element->shape, x->shape, sizeof element->shape);
    element->place = place;
    element->output = output;
    element->exact = bounds->exact[place];
    element->error = bounds->error[place];
    element->bound = bounds->bound[place];
    element->allowed = job->allclose.atol_high + job->allclose.rtol_high * fabs(element->exact);
}

/* Are all exact values equal? A NaN with an infinite error is unknown. */
static bool same(const attest_judge_bounds *a, const attest_judge_bounds *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool nan = isnan(a->exact[i]) && isnan(b->exact[i]);

        if (nan ? isinf(a->error[i]) || isinf(b->error[i]) : a->exact[i] != b->exact[i])
            return false;
    }
    return true;
}

/* Applies the tolerance to the output of a kernel with the fault and without rounding. */
static attest_status judge_fault(tolerance_fault *result, tolerance_job *job,
                                 const attest_judge_faulty *faulty,
                                 const attest_judge_bounds *bounds, double *room,
                                 attest_error *error)
{
    static const tolerance_answer answer[] = {[ATTEST_JUDGE_CLOSE] = TOLERANCE_ACCEPTS,
                                              [ATTEST_JUDGE_FAR] = TOLERANCE_REFUSES,
                                              [ATTEST_JUDGE_OPEN] = TOLERANCE_OPEN};
    attest_cli_qkv *x = &job->x;
    attest_judge_bounds other = {.exact = room, .error = room + x->elements};
    size_t at;

    ATTEST_TRY(attest_judge_faulty_bound(&other, faulty, bounds, x->model, &x->options, error));
    result->fault = faulty->fault;
    result->answer =
        answer[attest_judge_allclose_check(&at, &job->allclose, other.exact, other.error,
                                           bounds->exact, bounds->error, x->elements)];
    if (same(&other, bounds, x->elements))
        result->answer = TOLERANCE_SAME;
    set_element(&result->element, job, bounds, other.exact[at], at);
    return ATTEST_OK;
}

/* Returns whether the problem has the scale or the mask that the fault changes. */
static bool concerns(attest_judge_fault fault, const attest_qkv *qkv)
{
    return fault == ATTEST_JUDGE_FAULT_SCALE ||
           (fault == ATTEST_JUDGE_FAULT_MASK &&
            (qkv->causal != ATTEST_CAUSAL_NONE || qkv->mask.data));
}

/* Adds the result of one fault. */
static attest_status add_fault(tolerance_job *job, attest_judge_fault fault,
                               const attest_judge_bounds *bounds, double *room,
                               attest_error *error)
{
    attest_cli_qkv *x = &job->x;
    attest_judge_faulty faulty;
    tolerance_fault *result;
    bool applies;

    if (!attest_memory_grow(&job->fault, &job->fault_room, job->faults + 1, sizeof *job->fault))
        return attest_memory_fail(error);
    result = &job->fault[job->faults];
    ATTEST_TRY(attest_judge_faulty_init(&faulty, &applies, fault, &x->qkv,
                                        attest_judge_model_get_tile(x->model), error));
    if (applies) {
        attest_status status = judge_fault(result, job, &faulty, bounds, room, error);

        attest_judge_faulty_clear(&faulty);
        ATTEST_TRY(status);
    } else {
        *result = (tolerance_fault){
            .fault = fault, .answer = TOLERANCE_SAME, .element = {.layer = x->layer}};
    }
    job->faults += applies || concerns(fault, &x->qkv);
    return ATTEST_OK;
}

static attest_status judge_faults(tolerance_job *job, const attest_judge_bounds *bounds,
                                  double *room, attest_error *error)
{
    for (int i = 0; i < ATTEST_JUDGE_FAULTS; i++)
        ATTEST_TRY(add_fault(job, (attest_judge_fault)i, bounds, room, error));
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

/* If the bounds are within the tolerance, no kernel of the model fails it. Otherwise tries the
 * schedules of the model, or, if it has none, random kernels in the row where the bound exceeds
 * the tolerance most. */
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

int attest_cli_tolerance_judge(tolerance_job *job, const attest_judge_bounds *bounds)
{
    attest_error error;
    int code = EXIT_HOLDS;
    double *room = attest_cli_qkv_alloc(&code, &job->x, 2);

    if (room &&
        (judge_faults(job, bounds, room, &error) || judge_correct(job, bounds, room, &error)))
        code = attest_cli_qkv_fail(&job->x, &error);
    attest_cli_qkv_free(&job->x, room, 2);
    return code;
}
