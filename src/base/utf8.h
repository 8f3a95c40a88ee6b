/* utf8.h -- characters in UTF-8. */
#ifndef ATTEST_BASE_UTF8_H
#define ATTEST_BASE_UTF8_H

#include <stddef.h>

/* The length of the UTF-8 character at bytes[0..count), or 0 if there is none: no overlong
 * forms, no surrogates, nothing above U+10FFFF. Domain: count >= 1. */
size_t attest_utf8_length(const unsigned char *bytes, size_t count);

#endif
