/* explain.h -- the alternatives under which a wrong output is within: proofs-notes/judge.md,
 * "Alternatives". */
#ifndef ATTEST_JUDGE_EXPLAIN_H
#define ATTEST_JUDGE_EXPLAIN_H

#include "judge/alternative.h"

/* An alternative under which the whole output is within. */
typedef struct attest_judge_found {
    const attest_judge_alternative *first, *second; /* second NULL: one change */
    char sentence[336];
    double width; /* the sum of the widths of its intervals */
} attest_judge_found;

enum { ATTEST_JUDGE_MOST_FOUND = 16 };

typedef struct attest_judge_explanation {
    bool tried;        /* false: nothing is wrong, or parts were merged */
    size_t judgements; /* changed problems that were judged, at least on some rows */
    size_t found;      /* those with one change before those with two */
    attest_judge_found *alternative;
    bool *left;      /* by row of the table: a form was not tried, or not on the whole output */
    bool pairs;      /* pairs of changes were tried, and ... */
    bool pairs_left; /* ... not all of them */
} attest_judge_explanation;

/* Tries the alternatives on the output, whose elements is_wrong lists, until they cost four
 * times as much as the judgement, or as much as 2^23 pairs of a query and a key. worst: the
 * place of a row with a wrong element. Status: NOMEM, IO, STOPPED. */
attest_status attest_judge_explanation_init(attest_judge_explanation *explanation,
                                            const double *output, const bool *is_wrong,
                                            size_t worst, const attest_judge_rows *rows,
                                            const attest_qkv *qkv,
                                            const attest_judge_model *model,
                                            const attest_judge_options *options,
                                            attest_error *error) ATTEST_WARN_UNUSED;
void attest_judge_explanation_clear(attest_judge_explanation *explanation);

/* Writes the name of an alternative, "a" or "a+b". */
enum { ATTEST_JUDGE_NAME_SIZE = 96 };
void attest_judge_found_format(char name[ATTEST_JUDGE_NAME_SIZE],
                               const attest_judge_found *found);

#endif
