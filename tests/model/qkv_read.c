/* Queries, keys and values from files: every shape, type and order gives the same values;
 * layers; outputs in each of their shapes; files that lie are refused for their own reason. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "model/qkv.h"
#include "judge/problem.h"
#include "tests/tap.h"

static char directory[] = "/tmp/attest-qkv-XXXXXX";

/* A path in the directory; a few of them live at a time. */
static const char *path_of(const char *name)
{
    static char path[8][128];
    static int next;

    next = (next + 1) % 8;
    snprintf(path[next], sizeof path[next], "%s/%s", directory, name);
    return path[next];
}

static const char *put(const char *name, const void *bytes, size_t size)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
    return path;
}

/* Writes a safetensors file of this header and this number of bytes of data. */
static const char *put_safetensors(const char *name, const char *header, const void *data,
                                   size_t size)
{
    static unsigned char bytes[1 << 16];
    size_t length = strlen(header);

    memset(bytes, 0, 8);
    bytes[0] = (unsigned char)length;
    bytes[1] = (unsigned char)(length >> 8);
    memcpy(bytes + 8, header, length);
    memcpy(bytes + 8 + length, data, size);
    return put(name, bytes, 8 + length + size);
}

static const char *put_npy(const char *name, const char *descr, bool fortran, const char *shape,
                           const void *data, size_t size)
{
    unsigned char bytes[4096] = "\x93NUMPY\1\0";
    int length = snprintf((char *)bytes + 10, 118,
                          "{'descr': '%s', 'fortran_order': %s, "
                          "'shape': %s, }",
                          descr, fortran ? "True" : "False", shape);

    memset(bytes + 10 + length, ' ', (size_t)(117 - length));
    bytes[127] = '\n';
    bytes[8] = 118;
    memcpy(bytes + 128, data, size);
    return put(name, bytes, 128 + size);
}

/* The value that belongs to (b, h, i, c): all types have it. */
static double wanted(size_t b, size_t h, size_t i, size_t c)
{
    return (double)((b * 7 + h * 5 + i * 3 + c * 2) % 9) - 4;
}

/* Returns whether a tensor has this shape and these values. */
static bool holds(const attest_tensor *tensor, const size_t shape[4])
{
    double row[16];

    for (size_t i = 0; i < 4; i++)
        if (tensor->shape[i] != shape[i])
            return false;
    for (size_t b = 0; b < shape[0]; b++)
        for (size_t h = 0; h < shape[1]; h++)
            for (size_t i = 0; i < shape[2]; i++) {
                attest_judge_tensor_get(row, tensor, b, h, i, 0, shape[3]);
                for (size_t c = 0; c < shape[3]; c++)
                    if (row[c] != wanted(b, h, i, c))
                        return false;
            }
    return true;
}

/* Bytes of a value in a type of NumPy's, by its letter and size. */
static size_t encode(unsigned char *to, double value, char letter, size_t size, bool big)
{
    uint64_t word = (uint64_t)(int64_t)value;

    if (letter == 'f' && size == 8) {
        memcpy(&word, &value, 8);
    } else if (letter == 'f' && size == 4) {
        float single = (float)value;
        uint32_t bits;
        memcpy(&bits, &single, 4);
        word = bits;
    } else if (letter == 'f') {
        int exponent;
        double fraction = frexp(fabs(value), &exponent);
        word = value == 0
                   ? 0
                   : (uint64_t)(exponent + 14) << 10 | (uint64_t)ldexp(2 * fraction - 1, 10);
        word |= value < 0 ? 0x8000 : 0;
    }
    for (size_t i = 0; i < size; i++)
        to[big ? size - 1 - i : i] = (unsigned char)(word >> 8 * i);
    return size;
}

/* One .npy file of shape (2, 3, 2, 4) in a type and an order. */
static const char *make_npy(const char *name, char letter, size_t size, bool big, bool fortran)
{
    unsigned char data[2 * 3 * 2 * 4 * 8];
    char descr[8];
    size_t used = 0;

    for (size_t n = 0; n < 48; n++) {
        size_t b = fortran ? n % 2 : n / 24, h = fortran ? n / 2 % 3 : n / 8 % 3;
        size_t i = fortran ? n / 6 % 2 : n / 4 % 2, c = fortran ? n / 12 : n % 4;
        double value = wanted(b, h, i, c);
        used += encode(data + used, letter == 'u' ? value + 4 : value, letter, size, big);
    }
    snprintf(descr, sizeof descr, "%c%c%zu", size == 1 ? '|' : big ? '>' : '<', letter, size);
    return put_npy(name, descr, fortran, "(2, 3, 2, 4)", data, used);
}

static void npy_types(void)
{
    static const struct {
        char letter;
        size_t size;
    } type[] = {{'f', 2}, {'f', 4}, {'f', 8}, {'i', 1}, {'i', 2}, {'i', 4}, {'i', 8}};
    const size_t shape[4] = {2, 3, 2, 4};

    for (size_t t = 0; t < sizeof type / sizeof type[0]; t++)
        for (int order = 0; order < 4; order++) {
            const char *path =
                make_npy("q.npy", type[t].letter, type[t].size, order & 1, order >> 1);
            attest_qkv_names names = {.name = {path, path, path}};
            attest_budget budget = {1 << 20};
            attest_qkv_source source;
            attest_error error = {0};
            attest_qkv qkv = {0};
            bool ok = attest_qkv_source_open(&source, &names, &budget, &error) == ATTEST_OK;

            if (ok) {
                ok = attest_qkv_source_read(&qkv, &source, 0, &error) == ATTEST_OK &&
                     holds(&qkv.q, shape) && holds(&qkv.v, shape) && !qkv.mask.data &&
                     source.rank == 4;
                attest_qkv_source_close(&source);
            }
            TAP_OK(ok && budget.left == 1 << 20, "%c%zu, %s first, %s order: %s",
                   type[t].letter, type[t].size, order & 1 ? "high byte" : "low byte",
                   order >> 1 ? "Fortran" : "C", error.text);
        }
}

/* The tensors q, k and v of a file whose q is described by the JSON text; the other two are F64
 * of the same values. */
static void safetensors_types(void)
{
    /* 0, 1, -1, 1.5 */
    static const struct {
        const char *name;
        size_t size;
        unsigned char data[32];
    } type[] = {
        {"F32", 4, {0, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0, 0x80, 0xbf, 0, 0, 0xc0, 0x3f}},
        {"F16", 2, {0, 0, 0, 0x3c, 0, 0xbc, 0, 0x3e}},
        {"BF16", 2, {0, 0, 0x80, 0x3f, 0x80, 0xbf, 0xc0, 0x3f}},
        {"F8_E4M3", 1, {0, 0x38, 0xb8, 0x3c}},
        {"F8_E5M2", 1, {0, 0x3c, 0xbc, 0x3e}},
        {"U8", 1, {0, 1, 255, 2}},
    };
    static const double value[4] = {0, 1, -1, 1.5}, byte[4] = {0, 1, 255, 2};

    for (size_t t = 0; t < sizeof type / sizeof type[0]; t++) {
        char header[256];
        attest_qkv_names names = {.name = {"x", "x", "x"}};
        attest_budget budget = {1 << 20};
        attest_qkv_source source;
        attest_error error = {0};
        attest_qkv qkv = {0};
        double row[2] = {7, 7}, *at = row;
        const double *wants = strcmp(type[t].name, "U8") == 0 ? byte : value;
        bool ok;

        snprintf(header, sizeof header,
                 "{\"x\": {\"dtype\": \"%s\", \"shape\": [2, 2], \"data_offsets\": [0, %zu]}}",
                 type[t].name, 4 * type[t].size);
        names.path = put_safetensors("x.safetensors", header, type[t].data, 4 * type[t].size);
        ok = attest_qkv_source_open(&source, &names, &budget, &error) == ATTEST_OK;
        if (ok) {
            ok = attest_qkv_source_read(&qkv, &source, 0, &error) == ATTEST_OK;
            for (size_t i = 0; ok && i < 2; i++) {
                attest_judge_tensor_get(at, &qkv.q, 0, 0, i, 0, 2);
                ok = row[0] == wants[2 * i] && row[1] == wants[2 * i + 1];
            }
            ok = ok && qkv.q.shape[0] == 1 && qkv.q.shape[1] == 1 && source.rank == 2;
            attest_qkv_source_close(&source);
        }
        TAP_OK(ok, "%s: %s", type[t].name, error.text);
    }
}

/* Opens and reads; the error's text must contain this, or there is no error (NULL). */
static void expect(const char *what, const attest_qkv_names *names, size_t memory,
                   const char *text)
{
    attest_budget budget = {memory};
    attest_qkv_source source;
    attest_error error = {0};
    attest_qkv qkv = {0};
    attest_status status = attest_qkv_source_open(&source, names, &budget, &error);
    bool ok;

    if (status == ATTEST_OK) {
        status = attest_qkv_source_read(&qkv, &source, 0, &error);
        attest_qkv_source_close(&source);
    }
    ok = text ? status != ATTEST_OK && strstr(error.text, text) && strstr(error.text, directory)
              : status == ATTEST_OK;
    TAP_OK(ok && budget.left == memory, "%s: %s", what, error.text);
}

#define TENSOR(name, shape, from, to)                                                          \
    "\"" name "\": {\"dtype\": \"F32\", \"shape\": [" shape "], \"data_offsets\": [" from      \
    ", " to "]}"

static void layers(void)
{
    const char
        *good = "{" TENSOR("b.2.q", "1, 1", "0", "4") ", " TENSOR("b.10.q", "1, 1", "4", "8") ", " TENSOR(
            "b.2.k", "1, 1", "8",
            "12") ", " TENSOR("b.10.k", "1, 1", "12",
                              "16") ", " TENSOR("v", "1, 1", "16",
                                                "20") ", " TENSOR("b.2x.q", "1, 1", "20",
                                                                  "24") ", " TENSOR("b.x.q",
                                                                                    "1, 1",
                                                                                    "24",
                                                                                    "28") "}";
    static const unsigned char data[28];
    attest_qkv_names names = {.path = put_safetensors("l.safetensors", good, data, 28),
                              .name = {"b.{}.q", "b.{}.k", "v"}};
    attest_budget budget = {1 << 20};
    attest_qkv_source source;
    attest_error error = {0};
    bool ok = attest_qkv_source_open(&source, &names, &budget, &error) == ATTEST_OK;

    if (ok) {
        ok = source.layered && source.layers == 2 && source.layer[0] == 2 &&
             source.layer[1] == 10;
        attest_qkv_source_close(&source);
    }
    TAP_OK(ok, "layers 2 and 10, in order, and one v for both: %s", error.text);
    names.name[2] = "b.{}.v";
    expect("a layer without v", &names, 1 << 20, "layer 2 has a q, but there is no tensor");
    names.name[0] = "c.{}.q";
    expect("no layer", &names, 1 << 20, "no tensor has a name like 'c.{}.q'");
    names.name[0] = "b.2.q";
    expect("one q, many k", &names, 1 << 20, "is a pattern for many layers");
    names.name[0] = "b.{}.{}";
    expect("two holes", &names, 1 << 20, "contains {} more than once");
    names.name[0] = "nothing";
    names.name[1] = "b.2.k";
    names.name[2] = "v";
    expect("no such tensor", &names, 1 << 20, "there is no tensor 'nothing'");
    names.path =
        put_safetensors("m.safetensors",
                        "{" TENSOR("0.q", "1, 1", "0", "4") ", " TENSOR(
                            "0.k", "1, 1", "4", "8") ", " TENSOR("1.k", "1, 1", "8", "12") "}",
                        data, 12);
    names.name[0] = "{}.q";
    names.name[1] = "{}.k";
    names.name[2] = "{}.k";
    expect("a layer without q", &names, 1 << 20, "layer 1 has a k ('{}.k'), but no q");
    names.path = put_safetensors(
        "n.safetensors",
        "{" TENSOR("0.q", "1, 1", "0", "4") ", " TENSOR("01.q", "1, 1", "4", "8") "}", data, 8);
    expect("a number with a zero before it", &names, 1 << 20,
           "tensor '01.q': the number of a layer has at most 9 digits");
}

/* Keys of other layers than the queries: the first difference is named. */
static void other_layers(void)
{
    static const struct {
        const char *q, *k, *text; /* a digit for each layer */
    } c[] = {{"25", "25", NULL},
             {"2", "2", NULL},
             {"25", "2", "layer 5 has a q, but there is no tensor '{}.k' for its k"},
             {"25", "5", "layer 2 has a q, but there is no tensor '{}.k' for its k"},
             {"25", "27", "layer 5 has a q, but there is no tensor '{}.k' for its k"},
             {"25", "79", "layer 2 has a q, but there is no tensor '{}.k' for its k"},
             {"25", "", "layer 2 has a q, but there is no tensor '{}.k' for its k"},
             {"25", "24", "layer 4 has a k ('{}.k'), but no q ('{}.q')"},
             {"25", "125", "layer 1 has a k ('{}.k'), but no q ('{}.q')"},
             {"25", "235", "layer 3 has a k ('{}.k'), but no q ('{}.q')"},
             {"25", "257", "layer 7 has a k ('{}.k'), but no q ('{}.q')"}};
    static const unsigned char data[64];

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        attest_qkv_names names = {.name = {"{}.q", "{}.k", "v"}};
        char header[1024] = "{\"v\": {\"dtype\": \"F32\", \"shape\": [1, 1], "
                            "\"data_offsets\": [0, 4]}";
        size_t at = strlen(header), used = 4;

        for (int part = 0; part < 2; part++)
            for (const char *layer = part ? c[i].k : c[i].q; *layer; layer++, used += 4)
                at += (size_t)snprintf(header + at, sizeof header - at,
                                       ", \"%c.%c\": {\"dtype\": \"F32\", \"shape\": [1, 1], "
                                       "\"data_offsets\": [%zu, %zu]}",
                                       *layer, "qk"[part], used, used + 4);
        header[at] = '}';
        names.path = put_safetensors("l.safetensors", header, data, used);
        expect("layers of q and k", &names, 1 << 20, c[i].text);
    }
}

static void hostile(void)
{
    static const unsigned char data[64];
    unsigned char byte[4] = {0, 1, 2, 1};
    attest_qkv_names names = {.name = {"x", "x", "x"}};
    attest_qkv_names npy = {0};

    names.path =
        put_safetensors("h.safetensors", "{" TENSOR("x", "1, 1", "0", "4") "}", data, 4);
    expect("as it should be", &names, 1 << 20, NULL);
    expect("a file beyond the budget", &names, 16, "bytes");
    names.name[3] = "x";
    names.name[4] = "x";
    expect("a sink of two axes", &names, 1 << 20,
           "sink has shape (1, 1), but it should be (heads,)");
    names.name[3] = names.name[4] = NULL;
    names.path =
        put_safetensors("h.safetensors", "{" TENSOR("x", "4", "0", "16") "}", data, 16);
    expect("one axis", &names, 1 << 20, "q has shape (4,), but it should be (batch, heads");
    names.path = put_safetensors("h.safetensors",
                                 "{" TENSOR("x", "1, 1, 1, 1, 1", "0", "4") "}", data, 4);
    expect("five axes", &names, 1 << 20, "q has shape (1, 1, 1, 1, 1)");
    names.path =
        put_safetensors("h.safetensors", "{" TENSOR("x", "0, 4", "0", "0") "}", data, 0);
    expect("no element", &names, 1 << 20, "shape (0, 4) is empty");
    names.path = put_safetensors(
        "h.safetensors", "{" TENSOR("x", "4611686018427387904, 16", "0", "64") "}", data, 64);
    expect("more than there is", &names, 1 << 20, "another size than its shape");
    names.path = put_safetensors(
        "h.safetensors",
        "{\"x\": {\"dtype\": \"I32\", \"shape\": [1, 1], \"data_offsets\": [0, 4]}}", data, 4);
    expect("a type that is no number of a kernel", &names, 1 << 20, "dtype I32");
    names.path = put_safetensors(
        "h.safetensors",
        "{\"x\": {\"dtype\": \"BOOL\", \"shape\": [1, 1], \"data_offsets\": [0, 1]}}", data, 1);
    expect("truth values", &names, 1 << 20, "truth values");
    names.path = put("h.safetensors", "\377\377\377\377\0\0\0\0{}", 10);
    expect("a header beyond the file", &names, 1 << 20, "header is cut short");
    names.path = put_npy("h.npy", "<f4", false, "(1, 1)", data, 4);
    expect("an .npy file for three", &names, 1 << 20, "holds one tensor");
    npy.name[0] = npy.name[1] = npy.name[2] = names.path;
    expect("three of them", &npy, 1 << 20, NULL);
    npy.name[3] = put_npy("m.npy", "|u1", false, "(2, 2)", byte, 4);
    expect("a mask of bytes beyond 1", &npy, 1 << 20, "[1][0] is neither 0 nor 1");
    npy.name[3] = put_npy("m.npy", "|b1", false, "(1,)", byte, 1);
    expect("a mask of one axis", &npy, 1 << 20, NULL);
    npy.name[3] = NULL;
    npy.name[1] = put_npy("k.npy", "<i8", false, "(1, 1)", "\1\0\0\0\0\0\40\0", 8);
    expect("2^53 + 1", &npy, 1 << 20, "[0][0] is an integer that binary64 does not have");
    npy.name[1] = put_npy("k.npy", "<f4", false, "(1, 2)", data, 4);
    expect("too short", &npy, 1 << 20, "takes 8 bytes of data, but there are 4");
    npy.name[1] =
        put_safetensors("k.safetensors", "{" TENSOR("x", "1, 1", "0", "4") "}", data, 4);
    expect("no .npy file", &npy, 1 << 20, "an .npy file is expected");
    npy.name[1] = path_of("none.npy");
    expect("no file", &npy, 1 << 20, "none.npy");
}

/* If one axis has another length, the message contains both shapes that are possible. */
static void test_other_shape(attest_qkv_output *output, attest_qkv_source *source,
                             const size_t shape[4], size_t axis)
{
    size_t other[4] = {shape[0], shape[1], shape[2], shape[3]};
    attest_error error = {0};
    double got[1] = {0};
    char expected[128];

    other[axis] += 5;
    snprintf(expected, sizeof expected,
             "does not fit q and v: (%zu, %zu, %zu, %zu), or (%zu, %zu, %zu) with", other[0],
             other[1], other[2], other[3], other[0], other[2], other[1] * other[3]);
    TAP_OK(attest_qkv_output_read(got, output, source, 0, other, NULL, &error) ==
                   ATTEST_FORMAT &&
               strstr(error.text, expected),
           "another shape: %s", error.text);
}

/* An output of 2 x 3 x 2 x 4 in each shape that it may have. */
static void outputs(void)
{
    static const char *const shape_text[] = {"(2, 3, 2, 4)", "(2, 2, 12)"};
    const size_t shape[4] = {2, 3, 2, 4}, one[4] = {1, 3, 2, 4};
    const char *path = make_npy("o.npy", 'f', 8, false, false), *out;
    attest_qkv_names names = {.name = {path, path, path}};
    attest_budget budget = {1 << 20};
    attest_qkv_source source;
    attest_error error = {0};
    double data[48], got[48];

    if (attest_qkv_source_open(&source, &names, &budget, &error) != ATTEST_OK)
        abort();
    for (int side = 0; side < 2; side++)
        for (int whole = 0; whole < 2; whole++) {
            attest_qkv_output output;
            size_t batch = whole ? 2 : 1, wrong = 0;

            for (size_t n = 0; n < 24 * batch; n++)
                data[n] = side ? wanted(n / 24, n / 4 % 3, n / 12 % 2, n % 4)
                               : wanted(n / 24, n / 8 % 3, n / 4 % 2, n % 4);
            data[5] = (double)NAN;
            out = put_npy("out.npy", "<f8", false,
                          whole  ? shape_text[side]
                          : side ? "(2, 12)"
                                 : "(3, 2, 4)",
                          data, 24 * batch * sizeof *data);
            if (attest_qkv_output_open(&output, out, &source, &budget, &error) != ATTEST_OK)
                abort();
            wrong += attest_qkv_output_read(got, &output, &source, 0, whole ? shape : one, NULL,
                                            &error) != ATTEST_OK;
            for (size_t n = 0; n < 24 * batch; n++)
                wrong += isnan(got[n]) ? n != (side ? 9 : 5)
                                       : got[n] != wanted(n / 24, n / 8 % 3, n / 4 % 2, n % 4);
            wrong += !isnan(got[side ? 9 : 5]);
            TAP_OK(wrong == 0, "an output %s, %s: %s", side ? "side by side" : "by heads",
                   whole ? "with a batch" : "without", error.text);
            for (size_t axis = 0; axis < 4; axis++)
                test_other_shape(&output, &source, whole ? shape : one, axis);
            attest_qkv_output_close(&output);
        }
    attest_qkv_source_close(&source);
}

static void remove_files(void)
{
    static const char *const name[] = {
        "q.npy", "x.safetensors", "l.safetensors", "m.safetensors", "h.safetensors", "h.npy",
        "m.npy", "k.npy",         "k.safetensors", "o.npy",         "out.npy"};

    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        unlink(path_of(name[i]));
    rmdir(directory);
}

TEST(qkv_read)
{
    if (!mkdtemp(directory))
        return 1;
    npy_types();
    safetensors_types();
    layers();
    other_layers();
    hostile();
    outputs();
    remove_files();
    flint_cleanup();
    return 0;
}
