/* dataset_read.c -- files of every format through attest_dataset_read and attest_weights_read:
 * the contents decide the format. */
#include <string.h>
#include <unistd.h>

#include <attest/attest.h>

#include "tests/tap.h"

static const char *path_of(const char *name)
{
    static char path[4096];
    const char *source = getenv("srcdir");

    snprintf(path, sizeof path, "%s/tests/data/%s", source ? source : ".", name);
    return path;
}

static void dataset(const char *name, const char *tensor, attest_status wanted,
                    const char *message)
{
    attest_error error = {ATTEST_OK, ""};
    attest_dataset read;
    const char *path = path_of(name);
    attest_status status;

    attest_dataset_init(&read);
    status = attest_dataset_read_tensor(&read, path, tensor, NULL, &error);
    TAP_OK(status == wanted &&
               (status == ATTEST_OK ? read.dim == 2 && read.total == 6
                                    : strncmp(error.text, path, strlen(path)) == 0 &&
                                          strstr(error.text, message) && read.count == 0),
           "dataset %s%s%s: %s", name, tensor ? " tensor " : "", tensor ? tensor : "",
           status == ATTEST_OK ? "read" : error.text + strlen(path) + 2);
    attest_dataset_clear(&read);
}

static void weights(const char *name, attest_status wanted, const char *message)
{
    attest_error error = {ATTEST_OK, ""};
    attest_weights read;
    const char *path = path_of(name);
    attest_status status;

    attest_weights_init(&read);
    status = attest_weights_read(&read, path, NULL, &error);
    TAP_OK(status == wanted &&
               (status == ATTEST_OK ? read.dim == 3 && read.heads == 2
                                    : strncmp(error.text, path, strlen(path)) == 0 &&
                                          strstr(error.text, message) && read.heads == 0),
           "weights %s: %s", name,
           status == ATTEST_OK ? "read" : error.text + strlen(path) + 2);
    attest_weights_clear(&read);
}

/* The same bytes under another name, and from standard input. */
static void elsewhere(void)
{
    char name[] = "/tmp/t-binary-read-XXXXXX", bytes[4096];
    FILE *from = fopen(path_of("good-grid-f16.safetensors"), "rb");
    size_t size = from ? fread(bytes, 1, sizeof bytes, from) : 0;
    int file = mkstemp(name);
    bool written = file >= 0 && write(file, bytes, size) == (ssize_t)size;
    attest_dataset read;

    if (from)
        fclose(from);
    attest_dataset_init(&read);
    TAP_OK(written && attest_dataset_read(&read, name, NULL, NULL) == ATTEST_OK &&
               read.total == 6,
           "a safetensors file needs no special name");
    TAP_OK(freopen(name, "rb", stdin) &&
               attest_dataset_read(&read, "-", NULL, NULL) == ATTEST_OK && read.total == 6,
           "a safetensors file can be read from standard input");
    attest_dataset_clear(&read);
    close(file);
    unlink(name);
}

TEST(dataset_read)
{
    dataset("good-grid-f8-le.npy", NULL, ATTEST_OK, "");
    dataset("good-grid-f8-le.npy", "x", ATTEST_USAGE, "no tensors to choose from");
    /* the file that a message asks for must be accepted: truth values are only for masks */
    dataset("bad-dtype-longdouble.npy", NULL, ATTEST_FORMAT,
            "write float16/32/64 or an integer type");
    dataset("bad-dtype-structured.npy", NULL, ATTEST_FORMAT, "a float16/32/64 or integer type");
    dataset("bad-dtype-bool.npy", NULL, ATTEST_FORMAT, "truth values, not numbers");
    dataset("good-grid-f32.safetensors", NULL, ATTEST_OK, "");
    dataset("good-grid-f32.safetensors", "x", ATTEST_OK, "");
    dataset("good-grid-f32.safetensors", "y", ATTEST_USAGE,
            "there is no tensor 'y'; there are 'x'");
    dataset("good-grid-2d.safetensors", "x", ATTEST_OK, "");
    dataset("good-grid-unaligned.safetensors", "x", ATTEST_OK, "");
    dataset("good-grid-unaligned.safetensors", NULL, ATTEST_USAGE,
            "5 tensors; give the name of one");
    dataset("good-grid-unaligned.safetensors", "b", ATTEST_FORMAT, "has dtype I64");
    dataset("good-grid-unaligned.safetensors", "empty", ATTEST_FORMAT, "is empty");
    dataset("good-dataset-numbers.json", "x", ATTEST_FORMAT, "\"x\" is missing");
    dataset("good-weights-stored.npz", NULL, ATTEST_FORMAT, "zip archive");
    dataset("bad-length-beyond.safetensors", NULL, ATTEST_FORMAT, "its header is cut short");
    weights("good-weights-deflated.npz", ATTEST_OK, "");
    weights("good-grid-f8-le.npy", ATTEST_FORMAT, ".npz archive");
    weights("good-grid-f32.safetensors", ATTEST_FORMAT, "attest import");
    elsewhere();
    return 0;
}
