/* json_scan.h -- the words of a JSON text, looked at before json-c builds anything.
 *
 * json-c checks how words follow one another; what it lets pass or gets wrong is refused here:
 * integers beyond 64 bits (it would replace them by the largest one), NaN, numbers such as
 * "1.", \u0000 (it would end a key), bad UTF-8, text after the end. And its appetite is
 * measured: an empty object takes it 784 bytes. */
#ifndef ATTEST_IO_JSON_SCAN_H
#define ATTEST_IO_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>

/* The deepest nesting that is read. */
#define ATTEST_JSON_MAX_DEPTH 32

typedef struct attest_json_scan {
    size_t memory;      /* json-c takes at most so many bytes for this text */
    size_t numbers;     /* all numbers, also the quoted ones, take so many as rationals */
    size_t words;       /* values and keys, the whole text included */
    bool begins_object; /* the text's first word is an opening brace */
    size_t objects;     /* how many there are */
    uint32_t *member;   /* of each, in the order of their opening braces: how many members */
    size_t room;
} attest_json_scan;

/* Status: FORMAT (the text begins "line L, column C: "), NOMEM. After a failure too, clear it.
 */
attest_status attest_json_scan_text(attest_json_scan *scan, const char *text, size_t size,
                                    attest_error *error) ATTEST_WARN_UNUSED;
void attest_json_scan_clear(attest_json_scan *scan);

/* The error "line L, column C: what" for the place text + at; both count from 1, columns in
 * characters. */
attest_status attest_json_scan_fail(attest_error *error, const char *text, size_t size,
                                    size_t at, const char *what);

#endif
