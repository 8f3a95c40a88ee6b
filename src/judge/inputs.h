/* inputs.h -- which variants of a model have the values of a problem. */
#ifndef ATTEST_JUDGE_INPUTS_H
#define ATTEST_JUDGE_INPUTS_H

#include "judge/rule.h"

/* Reads every head once, so that workers meet no bad value, and leaves out the variants whose
 * input formats do not hold the values. left_out: one for each variant, all false at first.
 * Status: FORMAT (also where none is left), NOMEM. */
attest_status attest_judge_inputs_check(bool *left_out, const attest_judge_problem *problem,
                                        const attest_judge_model *model,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* The rules of the variants that are left; returns how many. */
size_t attest_judge_inputs_set_rules(attest_judge_rule *rule, const bool *left_out,
                                     const attest_judge_problem *problem,
                                     const attest_judge_model *model);

#endif
