/* audit_rows.h -- the parts of the table of the audit's bounds. */
#ifndef TESTS_BOUNDS_AUDIT_ROWS_H
#define TESTS_BOUNDS_AUDIT_ROWS_H

/* Norms of outputs, and weights against those of exact arithmetic. */
void audit_run_outputs(void);

#endif
