/* filter_rows.h -- the parts of the table of the filter's bounds, proofs-notes/filter.md. */
#ifndef TESTS_BOUNDS_FILTER_ROWS_H
#define TESTS_BOUNDS_FILTER_ROWS_H

/* (9): distances and norms against the bounds of a claim. */
void filter_run_judge(void);

#endif
