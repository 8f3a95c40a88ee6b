/* number_text.h -- the parts of a written number. */
#ifndef ATTEST_NUMBER_NUMBER_TEXT_H
#define ATTEST_NUMBER_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/error.h>

/* A run of digits inside the text. */
typedef struct attest_digits {
    const char *at;
    size_t count;
} attest_digits;

/* The number is, apart from its sign,
 *     first / second                              (fraction; no second: 1)
 *     first.second * base^... with the exponent   (decimal: 10^exponent, hex: 2^exponent). */
typedef struct attest_number_text {
    enum { ATTEST_NUMBER_FRACTION = 0, ATTEST_NUMBER_DECIMAL, ATTEST_NUMBER_HEX } form;
    bool negative;
    attest_digits first, second;
    long exponent;
} attest_number_text;

/* Takes text[0..length) apart by the grammar of number.h and checks its limits. Status: FORMAT.
 */
attest_status attest_number_text_parse(attest_number_text *parts, const char *text,
                                       size_t length, attest_error *error) ATTEST_WARN_UNUSED;

/* True if all digits are 0. */
bool attest_digits_are_zero(attest_digits digits);

#endif
