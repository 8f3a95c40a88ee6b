/* fault.h -- places where a test can make the environment fail.
 *
 * attest_fault("write") is true if that point must fail now. Without --enable-faults it is the
 * constant false. A test arms a point by attest_fault_arm or, for a whole program, by the
 * environment: ATTEST_FAULT=write:3 fails the third write and all later ones,
 * ATTEST_FAULT=write:3:once only the third. */
#ifndef ATTEST_BASE_FAULT_H
#define ATTEST_BASE_FAULT_H

#include "config.h"

#include <stdbool.h>

#ifdef ATTEST_FAULTS

bool attest_fault(const char *point);

/* The k-th pass (k >= 1) of the point fails, and all later ones unless once. k = 0 disarms. */
void attest_fault_arm(const char *point, unsigned long k, bool once);

/* The number of failures since the point was armed. */
unsigned long attest_fault_count(void);

#else

#define attest_fault(point) ((void)(point), false)

#endif

#endif
