/* alternative.c -- changed problems: the keys that each row sees, and the weights. A key is
 * seen if its column of the output is not 0, where the values are the unit vectors. */
#include <math.h>
#include <string.h>

#include "judge/alternative.h"
#include "tests/tap.h"

enum { QUERIES = 5, KEYS = 7, DIM = 4 };

static double zeros[KEYS * DIM], unit[KEYS * KEYS], added[QUERIES * KEYS];
static unsigned char truth[QUERIES * KEYS];
static attest_judge_model *model;

static attest_tensor tensor(const void *data, attest_tensor_type type, size_t size, size_t rows,
                            size_t columns)
{
    return (attest_tensor){data,
                           type,
                           {1, 1, rows, columns},
                           {0, 0, (ptrdiff_t)(columns * size), (ptrdiff_t)size}};
}

/* All scores are 0. */
static attest_qkv problem(void)
{
    attest_qkv qkv = {0};

    qkv.q = tensor(zeros, ATTEST_TENSOR_F64, 8, QUERIES, DIM);
    qkv.k = tensor(zeros, ATTEST_TENSOR_F64, 8, KEYS, DIM);
    qkv.v = tensor(unit, ATTEST_TENSOR_F64, 8, KEYS, KEYS);
    return qkv;
}

static const attest_judge_alternative *find(const char *name)
{
    const attest_judge_alternative *row = attest_judge_alternatives;

    while (row->name && strcmp(row->name, name) != 0)
        row++;
    if (!row->name)
        abort();
    return row;
}

static double weight[QUERIES * KEYS];

static bool keep(void *context, const size_t *places, size_t count,
                 const attest_judge_bounds *bounds)
{
    size_t columns = *(const size_t *)context;

    for (size_t n = 0; n < count; n++)
        memcpy(weight + places[n] * columns, bounds->exact + n * columns,
               columns * sizeof *weight);
    return true;
}

/* Sets weight; returns whether the alternative applies. */
static bool run(const attest_qkv *qkv, const char *name, size_t form)
{
    static const size_t all[QUERIES] = {0, 1, 2, 3, 4};
    const attest_judge_options options = {.jobs = 1};
    size_t columns = qkv->v.shape[3];
    attest_judge_changed changed;
    attest_judge_rows rows;
    attest_error error;
    bool applies;

    if (attest_judge_changed_init(&changed, &applies, qkv, model, find(name), form, NULL, 0,
                                  &error) ||
        !applies)
        return false;
    if (attest_judge_rows_init(&rows, qkv, &options, &error) ||
        attest_judge_changed_bound(&changed, &rows, all, QUERIES, &options, keep, &columns,
                                   &error)) {
        printf("# %s\n", error.text);
        abort();
    }
    attest_judge_rows_clear(&rows);
    attest_judge_changed_clear(&changed);
    return true;
}

/* wanted: one line of KEYS characters for every query, '1' where it sees the key. */
static void expect(const char *what, const attest_qkv *qkv, const char *name, size_t form,
                   const char *wanted)
{
    char text[256] = "does not apply", *to = text;

    if (run(qkv, name, form)) {
        for (size_t i = 0; i < QUERIES; i++, *to++ = '/')
            for (size_t j = 0; j < KEYS; j++)
                *to++ = weight[i * KEYS + j] > 0 ? '1' : '0';
        *to = '\0';
    }
    TAP_OK(strcmp(text, wanted) == 0, "%s: %s", what, text);
}

static void masks(void)
{
    attest_qkv qkv = problem();

    expect("no mask to move", &qkv, "mask-off-by-one", 0, "does not apply");
    expect("half of few keys", &qkv, "dropped-tile", 0,
           "1111000/1111000/1111000/1111000/1111000/");
    expect("a causal mask", &qkv, "causal-extra", 0,
           "1110000/1111000/1111100/1111110/1111111/");
    expect("the other one", &qkv, "causal-extra", 1,
           "1000000/1100000/1110000/1111000/1111100/");
    expect("without the last key", &qkv, "key-dropped", 0,
           "1111110/1111110/1111110/1111110/1111110/");
    expect("without the first key", &qkv, "key-dropped", 1,
           "0111111/0111111/0111111/0111111/0111111/");
    expect("a stale tile of 16", &qkv, "stale-tile", 27, "does not apply");
    qkv.causal = ATTEST_CAUSAL_BOTTOM_RIGHT;
    expect("causal", &qkv, "mask-off-by-one", 0, "1111000/1111100/1111110/1111111/1111111/");
    expect("causal, a key fewer", &qkv, "mask-off-by-one", 1,
           "1100000/1110000/1111000/1111100/1111110/");
    expect("no causal mask", &qkv, "causal-missing", 0,
           "1111111/1111111/1111111/1111111/1111111/");
    expect("aligned with the first key", &qkv, "causal-other-alignment", 0,
           "1000000/1100000/1110000/1111000/1111100/");
    expect("no past", &qkv, "causal-other-alignment", 1, "does not apply");
    expect("transposed", &qkv, "mask-transposed", 1,
           "0011111/0001111/0000111/0000011/0000001/");
    expect("causal, without a tile", &qkv, "dropped-tile", 0,
           "1110000/1111000/1111000/1111000/1111000/");
    qkv.windowed = true;
    qkv.left = 1;
    qkv.right = 0;
    expect("causal with a window", &qkv, "mask-off-by-one", 0,
           "0111000/0011100/0001110/0000111/0000011/");
    expect("no window", &qkv, "window-ignored", 0, "1110000/1111000/1111100/1111110/1111111/");
    qkv.causal = ATTEST_CAUSAL_NONE;
    expect("a window, more to the left", &qkv, "window-off-by-one", 0,
           "1110000/0111000/0011100/0001110/0000111/");
    expect("a window, less to the left", &qkv, "window-off-by-one", 1,
           "0010000/0001000/0000100/0000010/0000001/");
    expect("a window, more to the right", &qkv, "window-off-by-one", 2,
           "0111000/0011100/0001110/0000111/0000011/");
    expect("a window, less to the right", &qkv, "window-off-by-one", 3, "does not apply");
    qkv.windowed = false;
    qkv.causal = ATTEST_CAUSAL_TOP_LEFT;
    expect("causal from the first key, a key more", &qkv, "mask-off-by-one", 0,
           "1100000/1110000/1111000/1111100/1111110/");
    expect("causal from the first key, a key fewer", &qkv, "mask-off-by-one", 1,
           "0000000/1000000/1100000/1110000/1111000/");
    for (size_t i = 0; i < QUERIES; i++)
        for (size_t j = 0; j < KEYS; j++) {
            truth[i * KEYS + j] = j == i;
            added[i * KEYS + j] = j == i ? 1 : (double)-INFINITY;
        }
    qkv.causal = ATTEST_CAUSAL_NONE;
    qkv.mask = tensor(truth, ATTEST_TENSOR_BOOL, 1, QUERIES, KEYS);
    expect("truth values to the right", &qkv, "mask-off-by-one", 0,
           "0100000/0010000/0001000/0000100/0000010/");
    expect("truth values to the left", &qkv, "mask-off-by-one", 1,
           "0000001/1000000/0100000/0010000/0001000/");
    expect("inverted", &qkv, "mask-inverted", 0, "0111111/1011111/1101111/1110111/1111011/");
    expect("ignored", &qkv, "mask-ignored", 0, "1111111/1111111/1111111/1111111/1111111/");
    qkv.mask = tensor(added, ATTEST_TENSOR_F64, 8, QUERIES, KEYS);
    expect("an added mask without a tile", &qkv, "dropped-tile", 0,
           "1000000/0100000/0010000/0001000/0000000/");
    expect("an added mask is not inverted", &qkv, "mask-inverted", 0, "does not apply");
    qkv.softcap = "2";
    expect("a mask before the softcap", &qkv, "softcap-after-mask", 0,
           "1111111/1111111/1111111/1111111/1111111/");
}

/* Scores are 0 or the scale times 1; the weights of two keys then give the scale. */
static double get_scale(const char *scale, const char *softcap, const char *name, size_t form)
{
    static double query[DIM] = {1}, keys[2 * DIM] = {1};
    attest_qkv qkv = problem();

    qkv.q = tensor(query, ATTEST_TENSOR_F64, 8, 1, DIM);
    qkv.q.shape[2] = QUERIES;
    qkv.q.stride[2] = 0; /* the same query again */
    qkv.k = tensor(keys, ATTEST_TENSOR_F64, 8, 2, DIM);
    qkv.v = tensor(unit, ATTEST_TENSOR_F64, 8, 2, KEYS);
    qkv.scale = scale;
    qkv.softcap = softcap;
    return run(&qkv, name, form) ? log(weight[0] / weight[1]) : 0;
}

static bool near(double x, double y)
{
    return fabs(x - y) < 1e-12;
}

static void scales(void)
{
    const double log2 = 0x1.62e42fefa39efp-1;

    TAP_OK(near(get_scale(NULL, NULL, "scale-missing", 0), 1), "no scale");
    TAP_OK(get_scale("none", NULL, "scale-missing", 0) == 0, "there was none");
    TAP_OK(near(get_scale("3/7", NULL, "scale-twice", 0), 9.0 / 49), "twice");
    TAP_OK(near(get_scale(NULL, NULL, "scale-1/d", 0), 0.25), "1/d");
    TAP_OK(near(get_scale("3/7", NULL, "scale-other", 0), 0.5), "the default");
    TAP_OK(near(get_scale(NULL, NULL, "scale-other", 1), 1 / sqrt(7)), "of the values");
    TAP_OK(near(get_scale(NULL, NULL, "exp2-without-log2e", 0), log2 / 2), "2^t, 1/sqrt(4)");
    TAP_OK(near(get_scale("3/7", "30", "exp2-without-log2e", 0), log2 * 30 * tanh(3.0 / 210)),
           "2^t, 3/7 and a softcap");
    TAP_OK(near(get_scale("3/7", "1/8", "softcap-ignored", 0), 3.0 / 7), "no softcap");
    TAP_OK(fabs(get_scale(NULL, NULL, "scores-ignored", 0)) < 1e-12, "no scores");
}

TEST(alternative)
{
    attest_error error;

    if (attest_judge_model_load(&model, "fp64-any", &error))
        abort();
    for (size_t j = 0; j < KEYS; j++)
        unit[j * KEYS + j] = 1;
    masks();
    scales();
    attest_judge_model_free(model);
    flint_cleanup();
    return 0;
}
