/* pattern.h -- the set of wrong elements in words: all rows, every 64th row, one head in four,
 * the columns from 32 on. */
#ifndef ATTEST_JUDGE_PATTERN_H
#define ATTEST_JUDGE_PATTERN_H

#include "judge/rows.h"

typedef enum attest_judge_match {
    ATTEST_JUDGE_MATCH_NONE = 0, /* the sentence only counts */
    ATTEST_JUDGE_MATCH_MOSTLY,   /* at least nine in ten on either side are in both sets */
    ATTEST_JUDGE_MATCH_ROWS,     /* the rows with wrong elements are exactly those named */
    ATTEST_JUDGE_MATCH_EXACT     /* the wrong elements are */
} attest_judge_match;

typedef struct attest_judge_pattern {
    attest_judge_match match;
    char sentence[400];
} attest_judge_pattern;

/* Describes the wrong elements, of which there is at least one, among those of these rows. A
 * pattern is a product: some batch entries, heads, rows and columns. An output whose elements
 * are all the same is described as such, too. Status: NOMEM. */
attest_status attest_judge_pattern_find(attest_judge_pattern *pattern, const double *output,
                                        const bool *is_wrong, const attest_judge_rows *rows,
                                        attest_error *error) ATTEST_WARN_UNUSED;

/* "none", "mostly", "rows" or "exact". */
const char *attest_judge_match_name(attest_judge_match match);

#endif
