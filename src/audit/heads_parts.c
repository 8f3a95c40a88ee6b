/* heads_parts.c -- results of heads that were audited before or elsewhere: one file per head in
 * a directory. */
#include "audit/heads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <attest/version.h>

#include "base/memory.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/scope.h"

/* Key, newline, cells, and the hash of all that. */
enum { KEY = 64, HASH = 64 };

/* Adds the bytes of the program if they can be read: without a stream, which may lack the
 * memory for its buffer and then reads nothing. */
static void add_program(attest_sha256 *hash)
{
    unsigned char block[1 << 16];
    int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ssize_t count;

    while (program >= 0 && (count = read(program, block, sizeof block)) > 0)
        attest_sha256_add(hash, block, (size_t)count);
    if (program >= 0)
        close(program);
    attest_sha256_add(hash, attest_version(), strlen(attest_version()));
}

/* Adds the tensors that a model computed from its stream, without the names of its files. */
static void add_formed(attest_sha256 *hash, const attest_qkv_source *source)
{
    for (size_t i = 0; source->formed && i < source->layers; i++)
        for (size_t n = 0; n <= ATTEST_QKV_MASK; n++) {
            const attest_tensor *tensor = &source->formed[i].tensor[n];
            size_t count = tensor->data ? 1 : 0;

            for (int axis = 0; axis < 4; axis++)
                count *= tensor->shape[axis];
            attest_sha256_add(hash, tensor->shape, sizeof tensor->shape);
            attest_sha256_add(hash, tensor->data, count * sizeof(double));
        }
}

static void write_input(attest_json *json, const void *value)
{
    const attest_audit_heads *heads = value;
    attest_audit_origin origin = {.data_sha256 =
                                      attest_input_sha256(&heads->source->file[0].input)};

    attest_json_write_object(json, NULL);
    attest_audit_heads_write_input(json, heads, &origin);
    attest_json_write_count(json, "positions", heads->most);
    for (size_t n = 0; n <= ATTEST_QKV_V; n++)
        attest_json_write_string(json, "tensor", heads->source->names.name[n]);
    attest_json_write_close(json);
}

/* Sets the key: a hash of everything that the cells depend on. */
static attest_status make_key(attest_audit_parts *parts, const attest_audit_heads *heads,
                              attest_error *error)
{
    unsigned char digest[ATTEST_SHA256_SIZE];
    size_t size;
    char *text ATTEST_FREED = attest_json_format(&size, write_input, heads);
    attest_sha256 hash;

    if (!text)
        return attest_memory_fail(error);
    attest_sha256_init(&hash);
    add_program(&hash);
    attest_sha256_add(&hash, text, size);
    add_formed(&hash, heads->source);
    attest_sha256_get(digest, &hash);
    attest_sha256_format(parts->key, digest);
    return ATTEST_OK;
}

attest_status attest_audit_parts_open(attest_audit_parts *parts,
                                      const attest_audit_heads *heads, attest_error *error)
{
    parts->directory = heads->parts;
    if (mkdir(parts->directory, 0777) != 0 && errno != EEXIST)
        return attest_error_set(error, ATTEST_IO, "%s: cannot create the directory: %s",
                                parts->directory, strerror(errno));
    return make_key(parts, heads, error);
}

/* "DIR/layer-L-head-H"; the caller frees it. NULL: out of memory. */
static char *make_path(const attest_audit_parts *parts, const attest_audit_head_place *at)
{
    attest_text path;

    attest_text_init(&path);
    attest_text_printf(&path, "%s/layer-%zu-head-%zu", parts->directory, at->layer, at->head);
    return attest_text_take(&path);
}

static size_t cells_size(const attest_audit_heads *heads)
{
    return heads->formats * sizeof *heads->cell;
}

/* Copies the cells from the bytes of a file. */
static attest_status take_cells(attest_audit_heads *heads, size_t i,
                                const attest_audit_parts *parts, const attest_input *input,
                                attest_error *error)
{
    size_t size = cells_size(heads), body = KEY + 1 + size;
    char hash[HASH + 1];

    if (input->size < KEY || memcmp(input->data, parts->key, KEY) != 0)
        return attest_error_set(
            error, ATTEST_FORMAT,
            "belongs to another audit, or to another build of this program: "
            "give --parts another directory");
    attest_sha256_hex(hash, input->data, input->size == body + HASH ? body : 0);
    if (input->size != body + HASH || memcmp(input->data + body, hash, HASH) != 0)
        return attest_error_set(error, ATTEST_FORMAT, "is damaged: remove it");
    memcpy(heads->cell + i * heads->formats, input->data + KEY + 1, size);
    return ATTEST_OK;
}

attest_status attest_audit_parts_read(bool *there, const attest_audit_parts *parts,
                                      attest_audit_heads *heads, size_t i, attest_error *error)
{
    char *path ATTEST_FREED = make_path(parts, &heads->place[i]);
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};
    attest_status status;

    if (!path)
        return attest_memory_fail(error);
    *there = access(path, F_OK) == 0 || errno != ENOENT;
    if (!*there)
        return ATTEST_OK;
    status =
        attest_input_open_file(&input, path, KEY + 1 + cells_size(heads) + HASH + 1, error);
    if (status == ATTEST_UNABLE) /* too large for a file of this audit */
        return attest_error_set(error, ATTEST_FORMAT, "%s: is damaged: remove it", path);
    ATTEST_TRY(status);
    return attest_input_locate(&input, take_cells(heads, i, parts, &input, error), error);
}

attest_status attest_audit_parts_write(const attest_audit_parts *parts,
                                       const attest_audit_heads *heads, size_t i,
                                       attest_error *error)
{
    char *path ATTEST_FREED = make_path(parts, &heads->place[i]);
    unsigned char digest[ATTEST_SHA256_SIZE];
    const void *cells = heads->cell + i * heads->formats;
    attest_output output;
    attest_sha256 hash;
    char hex[HASH + 1];

    if (!path)
        return attest_memory_fail(error);
    ATTEST_TRY(attest_output_open_file(&output, path, error));
    attest_sha256_init(&hash);
    attest_sha256_add(&hash, parts->key, KEY);
    attest_sha256_add(&hash, "\n", 1);
    attest_sha256_add(&hash, cells, cells_size(heads));
    attest_sha256_get(digest, &hash);
    attest_sha256_format(hex, digest);
    fprintf(output.stream, "%s\n", parts->key);
    fwrite(cells, 1, cells_size(heads), output.stream);
    fputs(hex, output.stream);
    return attest_output_commit(&output, error);
}
