/* zip.c -- zip archives: end record, central directory, local headers, and the contents of
 * entries. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/scope.h"
#include "io/zip.h"

enum {
    END_SIZE = 22,           /* the end-of-central-directory record without its comment */
    END64_SIZE = 56,         /* its zip64 form */
    END64_LOCATOR_SIZE = 20, /* points to that, right before the end record */
    CENTRAL_SIZE = 46,       /* a central directory header without its three texts */
    LOCAL_SIZE = 30,         /* a local header without its two texts */
    MAX_COMMENT = 65535,
    ZIP64_EXTRA = 0x0001,
    STORED = 0,
    DEFLATED = 8,
    FLAG_ENCRYPTED = 1u << 0 | 1u << 6 | 1u << 13,
    FLAG_DESCRIPTOR = 1u << 3,
    /* One bit of deflate is at most 129 bytes of contents (a match of 258 bytes takes two). */
    MAX_RATIO = 1032
};

/* The archive, and the bounds of its central directory. */
typedef struct archive {
    const unsigned char *bytes;
    size_t size;
    size_t directory, directory_size, entries;
} archive;

static uint16_t u16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t u32(const unsigned char *p)
{
    return (uint32_t)u16(p) | (uint32_t)u16(p + 2) << 16;
}

static uint64_t u64(const unsigned char *p)
{
    return (uint64_t)u32(p) | (uint64_t)u32(p + 4) << 32;
}

static attest_status refuse(attest_error *error, const char *what)
{
    return attest_error_set(error, ATTEST_FORMAT, "zip archive: %s", what);
}

/* Sets an error "entry 'NAME' what"; returns FORMAT. */
static attest_status refuse_entry(const attest_zip_entry *entry, const char *what,
                                  attest_error *error)
{
    return attest_error_set(error, ATTEST_FORMAT, "zip archive: entry '%.*s' %s",
                            (int)(entry->name_size < 80 ? entry->name_size : 80),
                            (const char *)entry->name, what);
}

/* Finds the end record: the last place with its signature whose comment ends with the file.
 * NULL if there is none. */
static const unsigned char *find_end(const unsigned char *bytes, size_t size)
{
    size_t comment = 0;

    for (; comment <= MAX_COMMENT && comment + END_SIZE <= size; comment++) {
        const unsigned char *at = bytes + size - END_SIZE - comment;
        if (memcmp(at, "PK\5\6", 4) == 0 && u16(at + 20) == comment)
            return at;
    }
    return NULL;
}

/* Reads the zip64 end record, which has the numbers that do not fit the end record. */
static attest_status read_end64(archive *zip, const unsigned char *end, attest_error *error)
{
    const unsigned char *locator, *end64;
    size_t before = (size_t)(end - zip->bytes);
    uint64_t at;

    if (before < END64_LOCATOR_SIZE + END64_SIZE)
        return refuse(error, "the zip64 end record is missing");
    locator = end - END64_LOCATOR_SIZE;
    if (memcmp(locator, "PK\6\7", 4) != 0)
        return refuse(error, "the zip64 end record is missing");
    at = u64(locator + 8);
    if (u32(locator + 4) != 0 || u32(locator + 16) > 1)
        return refuse(error, "it is spread over several disks");
    if (at > before - END64_LOCATOR_SIZE - END64_SIZE)
        return refuse(error, "the zip64 end record lies outside the file");
    end64 = zip->bytes + at;
    if (memcmp(end64, "PK\6\6", 4) != 0)
        return refuse(error, "the zip64 end record is missing");
    if (u32(end64 + 16) != 0 || u32(end64 + 20) != 0 || u64(end64 + 24) != u64(end64 + 32))
        return refuse(error, "it is spread over several disks");
    zip->entries = u64(end64 + 32);
    zip->directory_size = u64(end64 + 40);
    zip->directory = u64(end64 + 48);
    return ATTEST_OK;
}

static attest_status read_end(archive *zip, attest_error *error)
{
    const unsigned char *end = find_end(zip->bytes, zip->size);

    if (!end)
        return refuse(error, "it has no end record: the file is cut short or has a tail");
    zip->entries = u16(end + 10);
    zip->directory_size = u32(end + 12);
    zip->directory = u32(end + 16);
    if (zip->entries == 0xffff || zip->directory_size == 0xffffffff ||
        zip->directory == 0xffffffff)
        ATTEST_TRY(read_end64(zip, end, error));
    else if (u16(end + 4) != 0 || u16(end + 6) != 0 || u16(end + 8) != u16(end + 10))
        return refuse(error, "it is spread over several disks");
    if (zip->directory > (size_t)(end - zip->bytes) ||
        zip->directory_size > (size_t)(end - zip->bytes) - zip->directory)
        return refuse(error, "the central directory lies outside the file");
    if (zip->entries > zip->directory_size / CENTRAL_SIZE)
        return refuse(error, "it has fewer entries than its header states");
    return ATTEST_OK;
}

/* Takes 64-bit values from the extra field for those of size, packed size and offset that are
 * all ones, in this order. offset may be NULL (a local header has none). */
static bool widen(uint64_t *size, uint64_t *packed, uint64_t *offset,
                  const unsigned char *extra, size_t extra_size)
{
    uint64_t *field[3] = {size, packed, offset};
    const unsigned char *from = NULL;
    size_t left = 0;

    while (extra_size >= 4 && u16(extra + 2) <= extra_size - 4) {
        if (u16(extra) == ZIP64_EXTRA) {
            from = extra + 4;
            left = u16(extra + 2);
            break;
        }
        extra_size -= 4u + u16(extra + 2);
        extra += 4u + u16(extra + 2);
    }
    for (int i = 0; i < 3; i++)
        if (field[i] && *field[i] == 0xffffffff && from) {
            if (left < 8)
                return false;
            *field[i] = u64(from);
            from += 8;
            left -= 8;
        }
    return true;
}

/* The size of the data descriptor that repeats CRC and sizes, with or without signature, of 32
 * or 64 bits; 0 if there is none. */
static size_t descriptor_size(const attest_zip_entry *entry, const unsigned char *at,
                              size_t left)
{
    for (size_t wide = 0; wide < 2; wide++)
        for (size_t mark = 0; mark < 2; mark++) {
            size_t need = 4 * mark + (wide ? 20 : 12);
            const unsigned char *p = at + 4 * mark;
            if (left < need || (mark && memcmp(at, "PK\7\10", 4) != 0) || u32(p) != entry->crc)
                continue;
            if (wide ? u64(p + 4) == entry->packed_size && u64(p + 12) == entry->size
                     : u32(p + 4) == entry->packed_size && u32(p + 8) == entry->size)
                return need;
        }
    return 0;
}

/* Finds the contents after the local header at entry->begin, which must agree with the central
 * one. With a descriptor, the sizes in the local header are undefined. */
static attest_status read_local(attest_zip_entry *entry, const archive *zip,
                                const unsigned char *central, attest_error *error)
{
    const unsigned char *local = zip->bytes + entry->begin;
    size_t room = zip->directory - entry->begin, head;
    uint64_t size, packed;

    if (room < LOCAL_SIZE || memcmp(local, "PK\3\4", 4) != 0)
        return refuse_entry(entry, "has no local header", error);
    head = LOCAL_SIZE + (size_t)u16(local + 26) + u16(local + 28);
    if (room < head || u16(local + 26) != entry->name_size ||
        memcmp(local + LOCAL_SIZE, entry->name, entry->name_size) != 0)
        return refuse_entry(entry, "has another name in its local header", error);
    if (((u16(local + 6) ^ u16(central + 8)) & (FLAG_ENCRYPTED | FLAG_DESCRIPTOR)) ||
        u16(local + 8) != u16(central + 10))
        return refuse_entry(entry, "has another method in its local header", error);
    if (entry->packed_size > room - head)
        return refuse_entry(entry, "reaches beyond the file", error);
    entry->packed = local + head;
    entry->end = entry->begin + head + entry->packed_size;
    if (u16(central + 8) & FLAG_DESCRIPTOR) {
        size_t tail =
            descriptor_size(entry, zip->bytes + entry->end, zip->directory - entry->end);
        if (tail == 0)
            return refuse_entry(entry, "has no data descriptor that fits", error);
        entry->end += tail;
        return ATTEST_OK;
    }
    packed = u32(local + 18);
    size = u32(local + 22);
    if (!widen(&size, &packed, NULL, local + LOCAL_SIZE + entry->name_size, u16(local + 28)) ||
        size != entry->size || packed != entry->packed_size || u32(local + 14) != entry->crc)
        return refuse_entry(entry, "has other sizes in its local header", error);
    return ATTEST_OK;
}

/* One header of the central directory; *used is its size. */
static attest_status read_central(attest_zip_entry *entry, size_t *used, const archive *zip,
                                  const unsigned char *at, size_t left, attest_error *error)
{
    uint64_t size, packed, offset;
    unsigned method;

    if (left < CENTRAL_SIZE || memcmp(at, "PK\1\2", 4) != 0)
        return refuse(error, "the central directory is damaged");
    *used = CENTRAL_SIZE + (size_t)u16(at + 28) + u16(at + 30) + u16(at + 32);
    if (left < *used)
        return refuse(error, "the central directory is damaged");
    entry->name = at + CENTRAL_SIZE;
    entry->name_size = u16(at + 28);
    entry->crc = u32(at + 16);
    packed = u32(at + 20);
    size = u32(at + 24);
    offset = u32(at + 42);
    if (!widen(&size, &packed, &offset, entry->name + entry->name_size, u16(at + 30)))
        return refuse_entry(entry, "lacks its zip64 sizes", error);
    if (u16(at + 8) & FLAG_ENCRYPTED)
        return refuse_entry(entry, "is encrypted", error);
    if (u16(at + 34) != 0)
        return refuse(error, "it is spread over several disks");
    method = u16(at + 10);
    if (method != STORED && method != DEFLATED)
        return refuse_entry(entry, "is compressed by a method other than deflate", error);
    if (offset > zip->directory || packed > zip->directory - offset)
        return refuse_entry(entry, "reaches beyond the file", error);
    if (method == STORED ? size != packed : size / MAX_RATIO > packed)
        return refuse_entry(entry, "cannot have the size in its header", error);
    entry->deflated = method == DEFLATED;
    entry->size = size;
    entry->packed_size = packed;
    entry->begin = offset;
    return read_local(entry, zip, at, error);
}

static int compare_begin(const void *left, const void *right)
{
    const attest_zip_entry *a = left, *b = right;

    return (a->begin > b->begin) - (a->begin < b->begin);
}

static int compare_name(const void *left, const void *right)
{
    const attest_zip_entry *a = left, *b = right;
    size_t least = a->name_size < b->name_size ? a->name_size : b->name_size;
    int order = memcmp(a->name, b->name, least);

    return order ? order : (a->name_size > b->name_size) - (a->name_size < b->name_size);
}

/* Rejects entries that share bytes: so a small archive could become a huge one. */
static attest_status check_entries(attest_zip *zip, attest_error *error)
{
    qsort(zip->entry, zip->count, sizeof *zip->entry, compare_begin);
    for (size_t i = 1; i < zip->count; i++)
        if (zip->entry[i].begin < zip->entry[i - 1].end)
            return refuse_entry(&zip->entry[i], "overlaps another one", error);
    qsort(zip->entry, zip->count, sizeof *zip->entry, compare_name);
    for (size_t i = 1; i < zip->count; i++)
        if (compare_name(&zip->entry[i - 1], &zip->entry[i]) == 0)
            return refuse_entry(&zip->entry[i], "occurs twice", error);
    return ATTEST_OK;
}

static attest_status read_entries(attest_zip *zip, const archive *from, attest_error *error)
{
    const unsigned char *at = from->bytes + from->directory;
    size_t left = from->directory_size, used = 0;

    for (; zip->count < from->entries; zip->count++) {
        ATTEST_TRY(read_central(&zip->entry[zip->count], &used, from, at, left, error));
        at += used;
        left -= used;
    }
    if (left)
        return refuse(error, "the central directory has more than its entries");
    return check_entries(zip, error);
}

attest_status attest_zip_parse(attest_zip *zip, const unsigned char *bytes, size_t size,
                               attest_error *error)
{
    archive from = {.bytes = bytes, .size = size};

    zip->count = 0;
    zip->entry = NULL;
    ATTEST_TRY(read_end(&from, error));
    zip->entry = attest_memory_alloc(from.entries, sizeof *zip->entry);
    if (!zip->entry)
        return attest_memory_fail(error);
    ATTEST_TRY_OR(read_entries(zip, &from, error), attest_zip_clear(zip));
    return ATTEST_OK;
}

void attest_zip_clear(attest_zip *zip)
{
    free(zip->entry);
    zip->entry = NULL;
    zip->count = 0;
}

const attest_zip_entry *attest_zip_get(const attest_zip *zip, const char *name)
{
    attest_zip_entry key = {.name = (const unsigned char *)name, .name_size = strlen(name)};

    return zip->count ? bsearch(&key, zip->entry, zip->count, sizeof *zip->entry, compare_name)
                      : NULL;
}

/* The contents of an entry. */

/* The size of the next piece for zlib, which counts in unsigned int. */
static uInt piece(size_t left)
{
    return left < UINT_MAX ? (uInt)left : UINT_MAX;
}

/* Inflates to to[0..count), and for the whole contents checks that no byte follows. *got = the
 * number of bytes. */
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
        return refuse_entry(entry, "is damaged or has another size than its header states",
                            error);
    return ATTEST_OK;
}

attest_status attest_zip_read(unsigned char *to, size_t count, const attest_zip_entry *entry,
                              attest_error *error)
{
    uLong crc;

    if (entry->deflated)
        ATTEST_TRY(read_deflated(to, count, entry, error));
    else
        memcpy(to, entry->packed, count);
    if (count < entry->size)
        return ATTEST_OK;
    crc = crc32_z(crc32(0, NULL, 0), to, count);
    if (crc != entry->crc)
        return refuse_entry(entry, "fails its CRC", error);
    return ATTEST_OK;
}
