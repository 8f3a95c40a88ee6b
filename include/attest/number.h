/* number.h -- exact rationals as people write them.
 *
 *   "3/7", "-12"            that rational; it need not be in lowest terms
 *   "0.1", "1e-3", "-2.5E7" exactly the decimal that is written
 *   "0x1.8p-3"              a C99 hexadecimal floating-point literal, exactly
 *
 *   number   = ["-"] (fraction | decimal | hex)
 *   fraction = digits ["/" digits]
 *   decimal  = (digits ["." [digits]] | "." digits) [("e" | "E") ["+" | "-"] digits]
 *   hex      = "0" ("x" | "X") (hexdigits ["." [hexdigits]] | "." hexdigits)
 *              [("p" | "P") ["+" | "-"] digits]
 *
 * There is no locale, no white space, no NaN and no infinity. */
#ifndef ATTEST_NUMBER_H
#define ATTEST_NUMBER_H

#include <stddef.h>

#include <attest/export.h>
#include <attest/error.h>
#include <attest/flint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest exponent (after e or p) that is read, up or down, and the longest text. */
#define ATTEST_NUMBER_MAX_EXPONENT 100000
#define ATTEST_NUMBER_MAX_LENGTH 1000000

/* How many bytes parsed numbers may still take: a few characters ("1e99999") can stand for a
 * huge number, and a file of them for more than all memory. The budget is charged before a
 * number is built. A NULL budget is unlimited. */
typedef struct attest_budget {
    size_t left;
} attest_budget;

/* The default: half of the machine's memory. */
ATTEST_API void attest_budget_init(attest_budget *budget);

/* Takes bytes from what is left. Status: UNABLE when they are not left; nothing is charged
 * then. */
ATTEST_API attest_status attest_budget_charge(attest_budget *budget, size_t bytes,
                                              attest_error *error) ATTEST_WARN_UNUSED;

/* What is left; SIZE_MAX if budget is NULL. */
ATTEST_API size_t attest_budget_left(const attest_budget *budget);

/* What was charged for memory that has been freed. */
ATTEST_API void attest_budget_give_back(attest_budget *budget, size_t bytes);

/* value = the number written in text[0..length), in lowest terms. Exact.
 * Status: FORMAT (not a number, a zero denominator, beyond the limits above), UNABLE (budget),
 * NOMEM. Error: the text quotes the number and names the error. Cost: quasi-linear
 * in the size of the value. */
ATTEST_API attest_status attest_number_parse(fmpq_t value, const char *text, size_t length,
                                             attest_budget *budget,
                                             attest_error *error) ATTEST_WARN_UNUSED;

/* bytes = an upper bound on the memory of the number in text[0..length) before it is reduced to
 * lowest terms, computed without building it. Status: FORMAT, as for attest_number_parse. */
ATTEST_API attest_status attest_number_bound_size(size_t *bytes, const char *text,
                                                  size_t length,
                                                  attest_error *error) ATTEST_WARN_UNUSED;

/* "p/q" in lowest terms, or "p" where q = 1; the caller frees it with free(). NULL: out of
 * memory. */
ATTEST_API char *attest_number_format(const fmpq_t value);

/* value = x, exactly. Domain: x is finite. */
ATTEST_API void attest_number_set_double(fmpq_t value, double x);

#ifdef __cplusplus
}
#endif

#endif
