/* tolerance.h -- bounds and a tolerance beside them, for those who show them. */
#ifndef ATTEST_CLI_TOLERANCE_H
#define ATTEST_CLI_TOLERANCE_H

#include "cli/qkv.h"
#include "judge/tolerance.h"
#include "judge/fault.h"
#include "judge/judgement.h"

/* The bounds of one head. */
typedef struct tolerance_head {
    size_t layer, batch, head, elements, finite;
    double max, median; /* of the finite ones; NaN: there is none */
} tolerance_head;

/* An element that shows what a tolerance does. */
typedef struct tolerance_element {
    size_t layer, shape[4], place;
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
    attest_judge_fault fault;
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
    /* Can a correct kernel of the model fail the tolerance? */
    bool refuses_correct, correct_open;
    bool by_schedule; /* it is a schedule of the model; else a random kernel */
    size_t schedule, variant;
    uint64_t seed;
    tolerance_element correct; /* the element where it fails, or may fail */
} tolerance_job;

/* finite[0..return) = the numbers of bound[0..count) that are finite, in order; with room for
 * all of them. */
size_t attest_cli_tolerance_sort(double *finite, const double *bound, size_t count);

/* Parses --check. */
int attest_cli_tolerance_parse(tolerance_job *job);

/* Applies the tolerance to the layer that was read last. */
int attest_cli_tolerance_judge(tolerance_job *job, const attest_judge_bounds *bounds);

int attest_cli_tolerance_print_json(tolerance_job *job);
void attest_cli_tolerance_print(tolerance_job *job);

#endif
