/* sha256.h -- SHA-256 (FIPS 180-4), by which certificates identify their inputs. */
#ifndef ATTEST_BASE_SHA256_H
#define ATTEST_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { ATTEST_SHA256_SIZE = 32, ATTEST_SHA256_BLOCK = 64 };

typedef struct attest_sha256 {
    uint32_t state[8];
    uint64_t total; /* bytes so far */
    unsigned char block[ATTEST_SHA256_BLOCK];
} attest_sha256;

/* The hash of no bytes yet. */
void attest_sha256_init(attest_sha256 *hash);

/* Adds count bytes. Any division of a message into calls gives the same hash.
 * Domain: fewer than 2^61 bytes in all. */
void attest_sha256_add(attest_sha256 *hash, const void *bytes, size_t count);

/* digest = the hash of all bytes added; init starts the next one. */
void attest_sha256_get(unsigned char digest[ATTEST_SHA256_SIZE], attest_sha256 *hash);

/* hex = the digest as 64 lower-case hexadecimal digits and a zero. */
void attest_sha256_format(char hex[2 * ATTEST_SHA256_SIZE + 1],
                          const unsigned char digest[ATTEST_SHA256_SIZE]);

/* hex = the hash of these bytes, all at once. */
void attest_sha256_hex(char hex[2 * ATTEST_SHA256_SIZE + 1], const void *bytes, size_t count);

#endif
