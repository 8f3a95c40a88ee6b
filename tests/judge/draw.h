/* draw.h -- random models, problems and data for the judge's tests. */
#ifndef TESTS_JUDGE_DRAW_H
#define TESTS_JUDGE_DRAW_H

#include <stdint.h>

#include "judge/model.h"
#include "judge/problem.h"

/* A problem and its arrays. */
typedef struct drawn_problem {
    attest_qkv qkv;
    double *q, *k, *v, *mask, sink, factor[3];
    unsigned char *seen;
    char scale[40], softcap[40];
} drawn_problem;

/* Draws one head of a random kind in the variant's formats, with at most this many queries,
 * keys and dimensions. Returns false if memory runs out. */
bool draw_problem(drawn_problem *problem, const attest_judge_variant *variant, uint64_t *state,
                  size_t queries, size_t keys, size_t dim);
void drawn_problem_clear(drawn_problem *problem);

/* Data of the kind named instead: 0 .. DRAW_KINDS-1. */
enum { DRAW_KINDS = 10 };
extern const char *const draw_kind_name[DRAW_KINDS];
void draw_data(double *q, double *k, double *v, size_t queries, size_t keys, size_t dim,
               size_t columns, int kind, uint64_t *state);

#endif
