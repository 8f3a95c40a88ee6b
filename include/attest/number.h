/* number.h -- exact rationals as people write them.
 *
 *   "3/7", "-12"            that rational
 *   "0.1", "1e-3", "-2.5E7" exactly the decimal that is written
 *   "0x1.8p-3"              a C99 hexadecimal floating-point literal, exactly
 *
 * There is no locale, no white space, no NaN and no infinity. */
#ifndef ATTEST_NUMBER_H
#define ATTEST_NUMBER_H

#include <stddef.h>

#include <attest/error.h>
#include <attest/flint.h>

/* The largest decimal or binary exponent that is read, and the longest text. */
#define ATTEST_NUMBER_MAX_EXPONENT 100000
#define ATTEST_NUMBER_MAX_LENGTH 1000000

/* How many bytes parsed numbers may still take: a few characters ("1e99999") can stand for a
 * huge number, and a file of them for more than all memory. The budget is charged before a
 * number is built. A NULL budget is unlimited. */
typedef struct attest_budget {
    size_t left;
} attest_budget;

/* The default: half of the machine's memory. */
void attest_budget_init(attest_budget *budget);

/* Charges bytes; ATTEST_UNABLE, with a text that names --max-memory, when they are not left. */
attest_status attest_budget_charge(attest_budget *budget, size_t bytes,
                                   attest_error *error) ATTEST_WARN_UNUSED;

/* What was charged for memory that has been freed. */
void attest_budget_give_back(attest_budget *budget, size_t bytes);

/* value = the number written in text[0..length). Exact.
 * Status: FORMAT (not a number, a zero denominator, beyond the limits above), UNABLE (budget).
 */
attest_status attest_number_parse(fmpq_t value, const char *text, size_t length,
                                  attest_budget *budget,
                                  attest_error *error) ATTEST_WARN_UNUSED;

/* The shortest exact text, "p/q" or "p"; the caller frees it with free(). NULL: out of memory.
 */
char *attest_number_format(const fmpq_t value);

/* value = x, exactly. Domain: x is finite. */
void attest_number_set_double(fmpq_t value, double x);

#endif
