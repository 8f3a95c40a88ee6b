/* safetensors_scan.h -- the JSON of a safetensors header, token by token. */
#ifndef ATTEST_IO_SAFETENSORS_SCAN_H
#define ATTEST_IO_SAFETENSORS_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include <attest/error.h>

typedef struct attest_scan {
    const unsigned char *start, *next, *end;
} attest_scan;

/* Takes the character if it comes next, after white space. */
bool attest_scan_take(attest_scan *scan, unsigned char wanted);

/* Sets the error "byte N: expected WHAT"; returns FORMAT. */
attest_status attest_scan_refuse(const attest_scan *scan, const char *wanted,
                                 attest_error *error);

/* A string, unescaped to text[0..*size) with a final zero. Refused: invalid UTF-8, unpaired
 * surrogates, U+0000 and raw control characters. Domain: room in text for what is left of the
 * scan; a string is never longer than its JSON. Status: FORMAT. */
attest_status attest_scan_string(char *text, size_t *size, attest_scan *scan,
                                 attest_error *error) ATTEST_WARN_UNUSED;

/* A string shorter than room, which is a plain word without escapes. Status: FORMAT. */
attest_status attest_scan_word(char *text, size_t room, attest_scan *scan,
                               attest_error *error) ATTEST_WARN_UNUSED;

/* An integer >= 0 without sign, point or exponent that fits size_t. Status: FORMAT. */
attest_status attest_scan_size(size_t *value, attest_scan *scan,
                               attest_error *error) ATTEST_WARN_UNUSED;

#endif
