/* Any request to import from a model of small tensors: refused, or weights whose shapes fit.
 * The bytes choose the names, from the model's, those of an architecture and none, and all
 * numbers and switches. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/import_parts.h"
#include "tests/fuzz/fuzz.h"

/* Tensors of binary32, all entries 1; by name, rows and columns (0: a vector). */
static const struct tensor {
    const char *name;
    size_t rows, cols;
} tensors[] = {
    {"q", 4, 4},
    {"k", 4, 4},
    {"v", 4, 4},
    {"o", 4, 4},
    {"b", 4, 0},
    {"half", 2, 4},
    {"wide", 12, 4},
    {"long", 12, 0},
    {"h.0.attn.c_attn.weight", 4, 12},
    {"h.0.attn.c_attn.bias", 12, 0},
    {"h.0.attn.c_proj.weight", 4, 4},
    {"h.0.attn.c_proj.bias", 4, 0},
    {"h.0.ln_1.weight", 4, 0},
    {"h.0.ln_1.bias", 4, 0},
    {"model.layers.1.self_attn.q_proj.weight", 4, 4},
    {"model.layers.1.self_attn.k_proj.weight", 2, 4},
    {"model.layers.1.self_attn.v_proj.weight", 2, 4},
    {"model.layers.1.self_attn.o_proj.weight", 4, 4},
    {"model.layers.1.input_layernorm.weight", 4, 0},
};
enum { TENSORS = sizeof tensors / sizeof tensors[0] };

static char path[] = "/tmp/fuzz-import.XXXXXX";
static attest_model_file model; /* opened once: its header takes longer than most requests */

static void remove_model(void)
{
    attest_model_file_close(&model);
    unlink(path);
}

static void make_model(void)
{
    static char header[8192];
    size_t used = 0, begin = 0;
    int file = mkstemp(path);
    FILE *stream = file < 0 ? NULL : fdopen(file, "wb");
    uint64_t length;

    if (!stream)
        abort();
    for (size_t t = 0; t < TENSORS; t++) {
        size_t entries = tensors[t].rows * (tensors[t].cols ? tensors[t].cols : 1);
        char shape[32];

        snprintf(shape, sizeof shape, tensors[t].cols ? "%zu,%zu" : "%zu", tensors[t].rows,
                 tensors[t].cols);
        used += (size_t)snprintf(
            header + used, sizeof header - used,
            "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
            t ? "," : "{", tensors[t].name, shape, begin, begin + 4 * entries);
        begin += 4 * entries;
    }
    header[used++] = '}';
    length = used;
    fwrite(&length, sizeof length, 1, stream);
    fwrite(header, 1, used, stream);
    for (size_t i = 0; i < begin / 4; i++)
        fwrite(&(float){1}, sizeof(float), 1, stream);
    if (fclose(stream) != 0 || attest_model_file_open(&model, path, NULL, NULL) != ATTEST_OK)
        abort();
    atexit(remove_model);
}

/* The remaining bytes, followed by zeros. */
typedef struct bytes {
    const uint8_t *data;
    size_t size;
} bytes;

static unsigned take(bytes *b)
{
    if (b->size == 0)
        return 0;
    b->size--;
    return *b->data++;
}

/* None, one of the model's, or one that it does not have. */
static const char *take_name(bytes *b)
{
    unsigned i = take(b) % (TENSORS + 2);

    return i == 0 ? NULL : i <= TENSORS ? tensors[i - 1].name : "none";
}

static void take_request(attest_import *request, fmpq_t scale, fmpq_t eps, bytes *b)
{
    const char **const name[] = {
        &request->q,      &request->k,        &request->v,           &request->o,
        &request->qkv,    &request->bias_q,   &request->bias_k,      &request->bias_v,
        &request->bias_o, &request->bias_qkv, &request->norm_weight, &request->norm_bias};
    static const char *const known[] = {"gpt2", "llama", "gemma2", "phi3", "bloom"};
    unsigned switches = take(b), arch = take(b);

    request->heads = 1 + take(b) % 6;
    request->first = take(b) % request->heads;
    request->count = 1 + take(b) % (request->heads - request->first);
    request->layer = take(b) % 3;
    request->interleaved = switches & 1;
    request->transpose = switches & 2;
    request->rsqrt = switches & 4;
    request->norm = (attest_norm)(switches >> 3) % 3;
    if (arch % 8 < sizeof known / sizeof known[0])
        request->arch = known[arch % 8];
    fmpq_set_si(scale, (slong)take(b) - 128, 1 + take(b));
    fmpq_set_si(eps, (slong)take(b), 1 + take(b));
    request->scale = switches & 32 ? scale : NULL;
    request->norm_eps = switches & 64 ? eps : NULL;
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        *name[i] = take_name(b);
}

FUZZ_TARGET(import)
{
    static bool made;
    attest_budget budget = {(size_t)1 << 20};
    attest_import request = {.heads = 1};
    bytes b = {data, size};
    attest_weights weights;
    attest_error error;
    fmpq_t scale, eps;

    if (!made)
        make_model();
    made = true;
    fmpq_init(scale);
    fmpq_init(eps);
    take_request(&request, scale, eps, &b);
    attest_weights_init(&weights);
    if (attest_import_set(&weights, &model, path, &request, &budget, &error) == ATTEST_OK) {
        if (weights.heads != request.count ||
            attest_weights_check_shapes(&weights, NULL) != ATTEST_OK)
            abort();
    } else if (error.text[0] == '\0' || strchr(error.text, '\n')) {
        abort();
    }
    attest_weights_clear(&weights);
    fmpq_clear(scale);
    fmpq_clear(eps);
    return 0;
}
