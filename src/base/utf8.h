/* utf8.h -- characters in UTF-8. */
#ifndef ATTEST_BASE_UTF8_H
#define ATTEST_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the UTF-8 character at bytes[0..count), or 0 if there is none: no overlong
 * forms, no surrogates, nothing above U+10FFFF. Domain: count >= 1. */
size_t attest_utf8_length(const unsigned char *bytes, size_t count);

/* Writes the character to text, without a final zero; how many bytes it took, at most 4.
 * Domain: up to U+10FFFF, no surrogate. */
size_t attest_utf8_write(char *text, uint32_t character);

#endif
