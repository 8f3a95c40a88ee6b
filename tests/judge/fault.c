/* fault.c -- problems changed by a fault: the keys that each row sees, and the scale. */
#include <math.h>
#include <string.h>

#include "judge/fault.h"
#include "judge/problem.h"
#include "tests/tap.h"

enum { QUERIES = 5, KEYS = 7, DIM = 4 };

static double values[KEYS * DIM], added[QUERIES * KEYS];
static unsigned char truth[QUERIES * KEYS];

static attest_tensor tensor(const void *data, attest_tensor_type type, size_t size, size_t rows,
                            size_t columns)
{
    return (attest_tensor){data,
                           type,
                           {1, 1, rows, columns},
                           {0, 0, (ptrdiff_t)(columns * size), (ptrdiff_t)size}};
}

static attest_qkv problem(void)
{
    attest_qkv qkv = {0};

    qkv.q = tensor(values, ATTEST_TENSOR_F64, 8, QUERIES, DIM);
    qkv.k = tensor(values, ATTEST_TENSOR_F64, 8, KEYS, DIM);
    qkv.v = qkv.k;
    return qkv;
}

/* text = one line of KEYS characters for every query, '1' where it sees the key; those that are
 * missing see nothing. */
static void draw(char *text, const attest_qkv *qkv, size_t missing)
{
    attest_judge_problem checked;
    attest_judge_head head;
    attest_error error;

    if (attest_judge_problem_init(&checked, qkv, &error) ||
        attest_judge_head_init(&head, &checked, &error) ||
        attest_judge_head_load(&head, 0, 0, &error)) {
        strcpy(text, error.text);
        return;
    }
    for (size_t i = 0; i < missing + checked.queries; i++, *text++ = '/') {
        attest_judge_row row = {0, 0, NULL};

        if (i >= missing)
            attest_judge_head_get_row(&row, &head, i - missing);
        for (size_t j = 0; j < KEYS; j++)
            *text++ = j >= row.first && j < row.last &&
                              (!row.bias || row.bias[j - row.first] > (double)-INFINITY)
                          ? '1'
                          : '0';
    }
    *text = '\0';
    attest_judge_head_clear(&head);
    attest_judge_problem_clear(&checked);
}

static void expect(const char *what, const attest_qkv *qkv, attest_judge_fault fault,
                   size_t tile, const char *wanted)
{
    attest_judge_faulty faulty;
    attest_error error;
    char text[256] = "does not apply";
    bool applies;

    if (attest_judge_faulty_init(&faulty, &applies, fault, qkv, tile, &error))
        strcpy(text, error.text);
    else if (applies) {
        draw(text, &faulty.qkv, faulty.missing);
        attest_judge_faulty_clear(&faulty);
    }
    TAP_OK(strcmp(text, wanted) == 0, "%s: %s", what, text);
}

static void masks(void)
{
    attest_qkv qkv = problem();

    expect("no mask to move", &qkv, ATTEST_JUDGE_FAULT_MASK, 0, "does not apply");
    expect("a tile of 3", &qkv, ATTEST_JUDGE_FAULT_TILE, 3,
           "1111000/1111000/1111000/1111000/1111000/");
    expect("half of few keys", &qkv, ATTEST_JUDGE_FAULT_TILE, 0,
           "1111000/1111000/1111000/1111000/1111000/");
    qkv.causal = ATTEST_CAUSAL_BOTTOM_RIGHT;
    expect("causal", &qkv, ATTEST_JUDGE_FAULT_MASK, 0,
           "1111000/1111100/1111110/1111111/1111111/");
    expect("causal, a tile of 3", &qkv, ATTEST_JUDGE_FAULT_TILE, 3,
           "1110000/1111000/1111000/1111000/1111000/");
    qkv.windowed = true;
    qkv.left = 1;
    qkv.right = 0;
    expect("causal with a window", &qkv, ATTEST_JUDGE_FAULT_MASK, 0,
           "0111000/0011100/0001110/0000111/0000011/");
    qkv.causal = ATTEST_CAUSAL_NONE;
    expect("a window", &qkv, ATTEST_JUDGE_FAULT_MASK, 0,
           "0111000/0011100/0001110/0000111/0000011/");
    qkv.right = -1;
    expect("a window to the left", &qkv, ATTEST_JUDGE_FAULT_MASK, 0,
           "1111111/0111111/0011111/0001111/0000111/");
    qkv.windowed = false;
    qkv.causal = ATTEST_CAUSAL_TOP_LEFT;
    expect("causal from the first key", &qkv, ATTEST_JUDGE_FAULT_MASK, 0,
           "0000000/1000000/1100000/1110000/1111000/");
    for (size_t i = 0; i < QUERIES; i++)
        for (size_t j = 0; j < KEYS; j++) {
            truth[i * KEYS + j] = j == i;
            added[i * KEYS + j] = j == i ? 1 : (double)-INFINITY;
        }
    qkv.causal = ATTEST_CAUSAL_NONE;
    qkv.mask = tensor(truth, ATTEST_TENSOR_BOOL, 1, QUERIES, KEYS);
    expect("truth values", &qkv, ATTEST_JUDGE_FAULT_MASK, 0,
           "0100000/0010000/0001000/0000100/0000010/");
    qkv.mask = tensor(added, ATTEST_TENSOR_F64, 8, QUERIES, KEYS);
    expect("an added mask and a tile", &qkv, ATTEST_JUDGE_FAULT_TILE, 4,
           "1000000/0100000/0010000/0000000/0000000/");
    /* a mask moves with its queries; one for all of them stays */
    for (size_t i = 0; i < QUERIES; i++)
        for (size_t j = 0; j < KEYS; j++)
            truth[i * KEYS + j] = j + 1 != i;
    qkv.causal = ATTEST_CAUSAL_TOP_LEFT;
    qkv.mask = tensor(truth, ATTEST_TENSOR_BOOL, 1, QUERIES, KEYS);
    expect("causal from the first key, and a mask", &qkv, ATTEST_JUDGE_FAULT_MASK, 0,
           "0000000/0000000/1000000/1100000/1110000/");
    qkv.mask = tensor(truth + KEYS, ATTEST_TENSOR_BOOL, 1, 1, KEYS);
    expect("causal from the first key, and a mask for all queries", &qkv,
           ATTEST_JUDGE_FAULT_MASK, 0, "0000000/0000000/0100000/0110000/0111000/");
}

/* The scale after a fault: a double next to it, 0 where the fault does not apply. */
static double scale_of(const char *scale, const char *softcap, attest_judge_fault fault,
                       double *cap)
{
    attest_qkv qkv = problem();
    attest_judge_problem checked;
    attest_judge_faulty faulty;
    attest_error error;
    bool applies;
    double value = 0;
    arb_t ball;

    qkv.scale = scale;
    qkv.softcap = softcap;
    if (attest_judge_faulty_init(&faulty, &applies, fault, &qkv, 0, &error) || !applies)
        return 0;
    if (attest_judge_problem_init(&checked, &faulty.qkv, &error))
        abort();
    arb_init(ball);
    attest_judge_problem_get_scale(ball, &checked, 64);
    value = arf_get_d(arb_midref(ball), ARF_RND_NEAR);
    if (cap)
        *cap = fmpq_get_d(checked.softcap);
    arb_clear(ball);
    attest_judge_problem_clear(&checked);
    attest_judge_faulty_clear(&faulty);
    return value;
}

static void scales(void)
{
    const double log2 = 0x1.62e42fefa39efp-1;
    double cap = 0;

    TAP_OK(scale_of(NULL, NULL, ATTEST_JUDGE_FAULT_SCALE, NULL) == 1, "no scale");
    TAP_OK(scale_of("none", NULL, ATTEST_JUDGE_FAULT_SCALE, NULL) == 0, "there was none");
    TAP_OK(fabs(scale_of(NULL, NULL, ATTEST_JUDGE_FAULT_EXP2, NULL) / (log2 / 2) - 1) < 1e-15,
           "2^t, 1/sqrt(4)");
    TAP_OK(fabs(scale_of("3/7", "30", ATTEST_JUDGE_FAULT_EXP2, &cap) / (log2 * 3 / 7) - 1) <
                   1e-15 &&
               fabs(cap / (30 * log2) - 1) < 1e-15,
           "2^t, 3/7 and a softcap");
}

TEST(fault)
{
    masks();
    scales();
    flint_cleanup();
    return 0;
}
