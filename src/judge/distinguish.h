/* distinguish.h -- whether bounds are too wide to show that a kernel rounds its inputs. */
#ifndef ATTEST_JUDGE_DISTINGUISH_H
#define ATTEST_JUDGE_DISTINGUISH_H

#include "judge/model.h"
#include "judge/rows.h"

/* *contain = whether the bounds contain the exact results of the inputs rounded to the format,
 * to nearest, in every row that is tried: a kernel of the model that rounds its inputs so, and
 * makes no other error, is then not proved wrong. False where rounding changes no input, and
 * where an element has no bound. bounds: lo and hi of these rows of the problem. Tried are up
 * to 32 rows of a plain problem, and of each of up to 32 sequences of another; the first and
 * the last are among them. Status: FORMAT, NOMEM. */
attest_status attest_judge_bounds_contain_rounded(
    bool *contain, const attest_judge_bounds *bounds, const attest_judge_rows *rows,
    const attest_qkv *qkv, const attest_judge_model *model, const attest_format *format,
    attest_error *error) ATTEST_WARN_UNUSED;

#endif
