/* recheck_rows.h -- the parts of the table of the second route's bounds. */
#ifndef TESTS_BOUNDS_RECHECK_ROWS_H
#define TESTS_BOUNDS_RECHECK_ROWS_H

/* Points as integers. */
void recheck_run_product(void);

/* Lemma F: logarithms of separations, and norms. */
void recheck_run_lemma(void);

#endif
