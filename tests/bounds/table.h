/* table.h -- tables of the terms of a bound, each with an instance that needs the term.
 *
 * A row names a term (ATTEST_TERM in the source), an instance, and the least ratio of error to
 * bound that the instance reaches. table_run checks three things for each row: the bound holds
 * and the ratio is at least `least`; without the term the bound is violated; and, if `least` is
 * 0.9 or more, with half the term the bound is violated, too. A row whose ratio is smaller
 * states in `why` why no instance comes nearer. */
#ifndef TESTS_BOUNDS_TABLE_H
#define TESTS_BOUNDS_TABLE_H

#include <stddef.h>

typedef struct {
    const char *term;
    double (*ratio)(void); /* error / bound; above 1 or NaN: the bound is violated */
    double least;
    const char *why; /* NULL if least >= 0.9 */
} table_row;

void table_run(const table_row *row, size_t rows);

/* Prints the plan; the exit code for main. */
int table_done(void);

#endif
