/* zip.h -- zip archives, as far as .npz files need them.
 *
 * Accepted: stored and deflated entries, zip64, data descriptors. Rejected: encryption,
 * several disks, other compression methods, two entries of one name, entries that overlap, a
 * local header that contradicts the central directory, a wrong CRC. An archive is read from
 * its central directory; all sizes are checked against the file before anything is allocated.
 */
#ifndef ATTEST_IO_ZIP_H
#define ATTEST_IO_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attest/error.h>

typedef struct attest_zip_entry {
    const unsigned char *name; /* no final zero */
    size_t name_size;
    const unsigned char *packed; /* the stored or deflated bytes */
    size_t packed_size;
    size_t size; /* of the contents; at most 1032 times packed_size */
    uint32_t crc;
    bool deflated;
    size_t begin, end; /* of the whole entry in the archive */
} attest_zip_entry;

typedef struct attest_zip {
    attest_zip_entry *entry; /* ordered by name */
    size_t count;
} attest_zip;

/* Finds the entries of an archive; they point into its bytes. Status: FORMAT, NOMEM; after a
 * failure there is nothing to clear. Cost: O(n log n) for n entries. */
attest_status attest_zip_parse(attest_zip *zip, const unsigned char *bytes, size_t size,
                               attest_error *error) ATTEST_WARN_UNUSED;
void attest_zip_clear(attest_zip *zip);

/* The entry of this name, or NULL. */
const attest_zip_entry *attest_zip_get(const attest_zip *zip, const char *name);

/* Writes the first count bytes of the contents to to: all of them, CRC checked and nothing left
 * over, when count is entry->size; for a smaller count no CRC can be checked. Domain: count <=
 * entry->size. Status: FORMAT, NOMEM. */
attest_status attest_zip_read(unsigned char *to, size_t count, const attest_zip_entry *entry,
                              attest_error *error) ATTEST_WARN_UNUSED;

#endif
