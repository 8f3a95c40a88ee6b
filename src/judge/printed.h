/* printed.h -- outputs that are known as they were printed, to so many decimals. */
#ifndef ATTEST_JUDGE_PRINTED_H
#define ATTEST_JUDGE_PRINTED_H

#include <attest/judge.h>

#include "format/simulate_in_double.h"

/* 10^-this is a normal number. */
enum { ATTEST_JUDGE_MOST_DECIMALS = 300 };

/* [*low, *high] contains every number that is printed as y with so many decimals, rounded to
 * nearest. Domain: y is finite, decimals <= ATTEST_JUDGE_MOST_DECIMALS. */
void attest_judge_printed_get_interval(double *low, double *high, double y, unsigned decimals);

/* Whether a number of one of the formats lies in [low, high]. Domain: no NaN. */
bool attest_judge_printed_has_number(double low, double high, const attest_in_double *format,
                                     size_t formats);

#endif
