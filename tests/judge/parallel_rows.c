/* parallel_rows.c -- selected rows have the bounds and the simulated outputs that they have
 * among all rows, bit for bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attest/judge.h>

#include "base/random.h"
#include "tests/judge/models.h"
#include "tests/tap.h"

enum { BATCH = 2, HEADS = 4, KEY_HEADS = 2, KEYS = 40, DIM = 8, COLUMNS = 3, QUERIES = 37 };
enum { ROWS = BATCH * HEADS * QUERIES, ELEMENTS = ROWS * COLUMNS };

static double q[BATCH * HEADS * QUERIES * DIM], k[BATCH * KEY_HEADS * KEYS * DIM],
    v[BATCH * KEY_HEADS * KEYS * COLUMNS];
static unsigned char mask[QUERIES * KEYS];
/* lo, hi, exact, error, bound; simulated output, its lo and hi */
static double all[8][ELEMENTS], some[8][ELEMENTS];

static size_t pick(uint64_t *state, size_t choices)
{
    return (size_t)(attest_random_next(state) >> 32) % choices;
}

static attest_tensor tensor(double *x, size_t heads, size_t tokens, size_t dim, uint64_t *state)
{
    ptrdiff_t row = (ptrdiff_t)(dim * sizeof *x), head = row * (ptrdiff_t)tokens;

    for (size_t i = 0; i < BATCH * heads * tokens * dim; i++)
        x[i] = ldexp((double)pick(state, 15) - 7, -2); /* a number of every format */
    return (attest_tensor){x,
                           ATTEST_TENSOR_F64,
                           {BATCH, heads, tokens, dim},
                           {head * (ptrdiff_t)heads, head, row, sizeof *x}};
}

static attest_qkv draw(uint64_t *state)
{
    attest_qkv qkv = {.q = tensor(q, HEADS, QUERIES, DIM, state),
                      .k = tensor(k, KEY_HEADS, KEYS, DIM, state),
                      .v = tensor(v, KEY_HEADS, KEYS, COLUMNS, state),
                      .causal = (attest_causal)pick(state, 3),
                      .windowed = pick(state, 3) == 0,
                      .left = (long)pick(state, KEYS) - 1,
                      .right = (long)pick(state, KEYS) - 1};

    for (size_t i = 0; i < QUERIES * KEYS; i++)
        mask[i] = pick(state, 4) != 0 && i / KEYS != 5; /* row 5 sees no key */
    if (pick(state, 2))
        qkv.mask =
            (attest_tensor){mask, ATTEST_TENSOR_BOOL, {1, 1, QUERIES, KEYS}, {0, 0, KEYS, 1}};
    return qkv;
}

static attest_status compute(double to[8][ELEMENTS], const attest_qkv *qkv,
                             const attest_judge_model *model, bool scheduled,
                             const attest_judge_options *options, attest_error *error)
{
    attest_judge_bounds bounds = {to[0], to[1], to[2], to[3], to[4], NULL};
    attest_status status = attest_judge_bound(&bounds, qkv, model, options, error);

    if (status == ATTEST_OK && scheduled)
        status = attest_judge_simulate(to[5], to[6], to[7], qkv, model, 0, options, error);
    return status;
}

/* The number of selected elements that differ; memcmp, since rows without keys may be NaN. */
static size_t compare(const size_t *row, size_t count, size_t kinds)
{
    size_t differ = 0;

    for (size_t kind = 0; kind < kinds; kind++)
        for (size_t i = 0; i < count; i++)
            differ += memcmp(some[kind] + i * COLUMNS, all[kind] + row[i] * COLUMNS,
                             COLUMNS * sizeof(double)) != 0;
    return differ;
}

static void try_selections(const struct tested_model *tested, uint64_t *state)
{
    attest_judge_options options = {.jobs = 1}, selecting;
    attest_judge_model *model = tested_model_load(tested);
    attest_qkv qkv = draw(state);
    size_t row[ROWS], differ = 0;
    attest_error error = {.text = ""};
    bool ok =
        model && compute(all, &qkv, model, tested->scheduled, &options, &error) == ATTEST_OK;

    for (size_t trial = 0; ok && trial < 4; trial++) {
        size_t count = 0, one_in = trial == 0 ? ROWS : (size_t)1 << (2 * trial - 1);

        for (size_t i = 0; i < ROWS; i++)
            if (pick(state, one_in) == 0)
                row[count++] = i;
        selecting =
            (attest_judge_options){.jobs = 1 + trial % 2, .rows = row, .row_count = count};
        ok = compute(some, &qkv, model, tested->scheduled, &selecting, &error) == ATTEST_OK;
        differ += compare(row, count, tested->scheduled ? 8 : 5);
    }
    TAP_OK(ok && differ == 0, "%s: selected rows are like all rows%s%s", tested->name,
           error.text[0] ? ": " : "", error.text);
    attest_judge_model_free(model);
}

static void refuse(void)
{
    const size_t late[1] = {ROWS}, twice[2] = {3, 3}, fine[1] = {ROWS - 1};
    attest_judge_options options = {.jobs = 1, .rows = late, .row_count = 1};
    uint64_t state = 7;
    attest_qkv qkv = draw(&state);
    attest_judge_model *model = NULL;
    attest_error error;

    if (!TAP_OK(attest_judge_model_load(&model, "fp32-any", &error) == ATTEST_OK, "a model"))
        return;
    TAP_OK(compute(some, &qkv, model, false, &options, &error) == ATTEST_USAGE,
           "a row after the last one is refused: %s", error.text);
    options.rows = twice;
    options.row_count = 2;
    TAP_OK(compute(some, &qkv, model, false, &options, &error) == ATTEST_USAGE,
           "a row that is selected twice is refused: %s", error.text);
    options.row_count = 0;
    TAP_OK(compute(some, &qkv, model, false, &options, &error) == ATTEST_OK, "no row");
    options.rows = fine;
    options.row_count = 1;
    q[0] = (double)NAN;
    TAP_OK(compute(some, &qkv, model, false, &options, &error) == ATTEST_FORMAT,
           "inputs of other rows are checked: %s", error.text);
    attest_judge_model_free(model);
}

TEST(parallel_rows)
{
    uint64_t state = attest_random_mix(37);

    for (size_t i = 0; tested_models[i].name; i++)
        try_selections(&tested_models[i], &state);
    refuse();
    return 0;
}
