/* judge.h -- random kernel models, for the judge's property and its tests. */
#ifndef ATTEST_PROPS_JUDGE_H
#define ATTEST_PROPS_JUDGE_H

#include <stdint.h>

#include "judge/model.h"

/* A variant that does not contradict itself: every member is drawn. */
void attest_judge_draw_variant(attest_judge_variant *variant, uint64_t *state);

#endif
