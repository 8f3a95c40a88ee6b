/* zip_read.c -- the contents of an entry of a zip archive. */
#include "io/zip.h"

#include <limits.h>
#include <string.h>

#include <zlib.h>

#include "base/memory.h"

/* zlib counts in unsigned int: gives it the next piece of what is left. */
static uInt piece(size_t left)
{
    return left < UINT_MAX ? (uInt)left : UINT_MAX;
}

/* Inflates to to[0..count), and for the whole contents one byte more, which must not exist.
 * *got is what came out. */
static int inflate_to(z_stream *stream, unsigned char *to, size_t count, size_t *got,
                      const attest_zip_entry *entry)
{
    size_t in_left = entry->packed_size, out_left = count;
    int status = Z_OK;

    stream->next_in = (z_const Bytef *)(uintptr_t)entry->packed;
    stream->next_out = to;
    while (status == Z_OK && out_left) {
        uInt in = piece(in_left), out = piece(out_left);
        stream->avail_in = in;
        stream->avail_out = out;
        status = inflate(stream, Z_NO_FLUSH);
        in_left -= in - stream->avail_in;
        out_left -= out - stream->avail_out;
    }
    *got = count - out_left;
    if (status == Z_OK && count == entry->size) {
        /* All bytes are there; the stream's end must follow, and no byte before it. */
        unsigned char beyond;
        stream->avail_in = piece(in_left);
        stream->next_out = &beyond;
        stream->avail_out = 1;
        in_left -= stream->avail_in;
        status = inflate(stream, Z_FINISH);
        in_left += stream->avail_in;
        if (stream->avail_out == 0)
            return Z_DATA_ERROR;
    }
    if (count == entry->size && in_left)
        return Z_DATA_ERROR;
    return status;
}

static attest_status read_deflated(unsigned char *to, size_t count,
                                   const attest_zip_entry *entry, attest_error *error)
{
    z_stream stream;
    size_t got;
    int status;

    memset(&stream, 0, sizeof stream);
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return attest_memory_fail(error);
    status = inflate_to(&stream, to, count, &got, entry);
    inflateEnd(&stream);
    if (status == Z_MEM_ERROR)
        return attest_memory_fail(error);
    if (got < count || (count == entry->size && status != Z_STREAM_END))
        return attest_zip_refuse(entry, "is damaged or has another size than it says", error);
    return ATTEST_OK;
}

attest_status attest_zip_read(unsigned char *to, size_t count, const attest_zip_entry *entry,
                              attest_error *error)
{
    attest_status status = ATTEST_OK;
    uLong crc;

    if (entry->deflated)
        status = read_deflated(to, count, entry, error);
    else
        memcpy(to, entry->packed, count);
    if (status != ATTEST_OK || count < entry->size)
        return status;
    crc = crc32_z(crc32(0, NULL, 0), to, count);
    if (crc != entry->crc)
        return attest_zip_refuse(entry, "fails its CRC", error);
    return ATTEST_OK;
}
