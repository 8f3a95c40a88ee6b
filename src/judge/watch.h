/* watch.h -- what leaves the range of a format while a kernel runs.
 *
 * A simulated kernel counts what does, a replayed one what may. */
#ifndef ATTEST_JUDGE_WATCH_H
#define ATTEST_JUDGE_WATCH_H

#include <stddef.h>

typedef enum attest_judge_event {
    ATTEST_JUDGE_SCORE_OVERFLOWS = 0, /* its accumulator or its store */
    ATTEST_JUDGE_WEIGHT_OVERFLOWS,    /* P, or is saturated */
    ATTEST_JUDGE_WEIGHT_ABOVE,        /* the largest number of P, if it still rounds to it */
    ATTEST_JUDGE_SUM_LEAVES,          /* the row sum overflows */
    ATTEST_JUDGE_PRODUCT_LEAVES,      /* the product with V does */
    ATTEST_JUDGE_OUTPUT_LEAVES,
    ATTEST_JUDGE_EXP_UNDERFLOWS,  /* an exponential is below 2^-126, and may be flushed */
    ATTEST_JUDGE_WEIGHT_VANISHES, /* P is rounded to 0 */
    ATTEST_JUDGE_EVENTS
} attest_judge_event;

/* How often each was seen, and where and with which value for the first time. */
typedef struct attest_judge_watch {
    size_t row; /* the one that runs */
    size_t count[ATTEST_JUDGE_EVENTS], first_row[ATTEST_JUDGE_EVENTS],
        first_key[ATTEST_JUDGE_EVENTS];
    double value[ATTEST_JUDGE_EVENTS];
} attest_judge_watch;

/* watch NULL: nothing is counted. key: of a key or a column. */
static inline void attest_judge_watch_add(attest_judge_watch *watch, attest_judge_event event,
                                          size_t key, double value)
{
    if (!watch)
        return;
    if (watch->count[event]++ == 0) {
        watch->first_row[event] = watch->row;
        watch->first_key[event] = key;
        watch->value[event] = value;
    }
}

#endif
