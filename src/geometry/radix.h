/* radix.h -- sorting keys of 64 bits. */
#ifndef ATTEST_GEOMETRY_RADIX_H
#define ATTEST_GEOMETRY_RADIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <attest/status.h>

typedef struct attest_radix_item {
    uint64_t key;
    uint32_t index;
} attest_radix_item;

/* Sorts by key, ascending and stable. Cost: O(count), and beyond 64 items as much memory again,
 * and 98 kB, while it runs. Status: NOMEM. */
attest_status attest_radix_sort(attest_radix_item *item, size_t count) ATTEST_WARN_UNUSED;

/* A key that orders finite doubles as numbers. */
static inline uint64_t attest_radix_key(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

#endif
