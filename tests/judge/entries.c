/* entries.c -- sequences that are packed, padded, in pages or divided into past and present
 * keys have the bounds, simulated outputs and judgements that each has alone, bit for bit;
 * wrong offsets, lengths and pages are refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/judgement.h>

#include "base/random.h"
#include "tests/judge/models.h"
#include "tests/tap.h"

enum { SEQUENCES = 4, HEADS = 4, DIM = 8, COLUMNS = 3, QUERIES = 11, KEYS = 23, KINDS = 8 };
enum { TOKENS = SEQUENCES * KEYS, SLOTS = 4 * TOKENS, ROWS = SEQUENCES * HEADS * QUERIES };
enum { ELEMENTS = ROWS * COLUMNS };

/* Sequences, each with its own arrays: (heads, tokens, dim). */
typedef struct drawn {
    size_t count, heads, key_heads;
    size_t queries[SEQUENCES], keys[SEQUENCES];
    double q[SEQUENCES][HEADS * QUERIES * DIM], k[SEQUENCES][HEADS * KEYS * DIM],
        v[SEQUENCES][HEADS * KEYS * COLUMNS];
    double sink[HEADS];
    attest_qkv options; /* without tensors of tokens */
} drawn;

/* The same in other forms. */
static struct {
    double q[TOKENS * HEADS * DIM], k[SLOTS * HEADS * DIM], v[SLOTS * HEADS * COLUMNS];
    double past_k[TOKENS * HEADS * DIM], past_v[TOKENS * HEADS * COLUMNS];
    double out[ELEMENTS];
    int64_t cu_q[SEQUENCES + 1], cu_k[SEQUENCES + 1], lengths[SEQUENCES], table[SLOTS];
} form;

static drawn sequences;
static double alone[KINDS][ELEMENTS], together[KINDS][ELEMENTS];

static size_t pick(uint64_t *state, size_t choices)
{
    return (size_t)(attest_random_next(state) >> 32) % choices;
}

static void draw_numbers(double *x, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++)
        x[i] = ldexp((double)pick(state, 15) - 7, -2); /* a number of every format */
}

/* A tensor whose elements of axes b, h, i are so far apart, in rows. */
static attest_tensor tensor(const double *x, const size_t shape[4], size_t b, size_t h,
                            size_t i)
{
    ptrdiff_t row = (ptrdiff_t)(shape[3] * sizeof *x);

    return (attest_tensor){
        x,
        ATTEST_TENSOR_F64,
        {shape[0], shape[1], shape[2], shape[3]},
        {(ptrdiff_t)b * row, (ptrdiff_t)h * row, (ptrdiff_t)i * row, sizeof *x}};
}

static void draw(drawn *x, bool same, uint64_t *state)
{
    size_t queries = 1 + pick(state, QUERIES);

    memset(x, 0, sizeof *x);
    x->count = 1 + pick(state, SEQUENCES);
    x->key_heads = 1 + pick(state, 2);
    x->heads = x->key_heads * (1 + pick(state, 2));
    for (size_t b = 0; b < x->count; b++) {
        x->queries[b] = same ? queries : pick(state, QUERIES + 1);
        x->keys[b] = pick(state, 8) ? 1 + pick(state, KEYS) : 0;
        draw_numbers(x->q[b], HEADS * QUERIES * DIM, state);
        draw_numbers(x->k[b], HEADS * KEYS * DIM, state);
        draw_numbers(x->v[b], HEADS * KEYS * COLUMNS, state);
    }
    x->queries[0] += x->queries[0] == 0; /* some row, and some key */
    x->keys[0] += x->keys[0] == 0;
    draw_numbers(x->sink, HEADS, state);
    x->options.causal = (attest_causal)pick(state, 3);
    x->options.windowed = pick(state, 3) == 0;
    x->options.left = (long)pick(state, KEYS) - 1;
    x->options.right = (long)pick(state, KEYS) - 1;
    x->options.softcap = pick(state, 3) ? NULL : "5/2";
    x->options.empty_is_nan = pick(state, 2);
    if (pick(state, 3) == 0)
        x->options.sink = (attest_tensor){
            x->sink, ATTEST_TENSOR_F64, {1, x->heads, 1, 1}, {0, sizeof(double), 0, 0}};
}

/* A sequence as a problem of its own. */
static attest_qkv get_one(const drawn *x, size_t b)
{
    attest_qkv qkv = x->options;
    size_t n = x->queries[b], m = x->keys[b];

    qkv.q = tensor(x->q[b], (const size_t[4]){1, x->heads, n, DIM}, 0, QUERIES, 1);
    qkv.k = tensor(x->k[b], (const size_t[4]){1, x->key_heads, m, DIM}, 0, KEYS, 1);
    qkv.v = tensor(x->v[b], (const size_t[4]){1, x->key_heads, m, COLUMNS}, 0, KEYS, 1);
    return qkv;
}

/* Copies key j of sequence b, and its value, to these places of k and v, in rows, with a
 * distance between heads. */
static void put_key(const drawn *x, size_t b, size_t j, double *k, double *v, size_t place,
                    size_t heads)
{
    for (size_t h = 0; h < x->key_heads; h++) {
        memcpy(k + (place + h * heads) * DIM, x->k[b] + (h * KEYS + j) * DIM,
               DIM * sizeof(double));
        memcpy(v + (place + h * heads) * COLUMNS, x->v[b] + (h * KEYS + j) * COLUMNS,
               COLUMNS * sizeof(double));
    }
}

/* q as packed tokens, (tokens, heads, dim). */
static void pack_queries(attest_qkv *qkv, const drawn *x)
{
    size_t token = 0;

    for (size_t b = 0; b < x->count; b++) {
        form.cu_q[b] = (int64_t)token;
        for (size_t i = 0; i < x->queries[b]; i++, token++)
            for (size_t h = 0; h < x->heads; h++)
                memcpy(form.q + (token * x->heads + h) * DIM, x->q[b] + (h * QUERIES + i) * DIM,
                       DIM * sizeof(double));
    }
    form.cu_q[x->count] = (int64_t)token;
    qkv->cu_seqlens_q = form.cu_q;
    qkv->q = tensor(form.q, (const size_t[4]){1, x->heads, token, DIM}, 0, 1, x->heads);
}

/* q as a batch, (batch, tokens, heads, dim): all have as many queries. */
static void batch_queries(attest_qkv *qkv, const drawn *x)
{
    size_t n = x->queries[0];

    pack_queries(qkv, x);
    qkv->cu_seqlens_q = NULL;
    qkv->q = tensor(form.q, (const size_t[4]){x->count, x->heads, n, DIM}, n * x->heads, 1,
                    x->heads);
}

static attest_qkv pack(const drawn *x, uint64_t *state)
{
    attest_qkv qkv = x->options;
    size_t token = 0, spare = pick(state, 2); /* tokens beyond the lengths */

    pack_queries(&qkv, x);
    for (size_t i = 0; i < SLOTS * HEADS * COLUMNS; i++)
        form.v[i] = (double)NAN;
    for (size_t b = 0; b < x->count; b++) {
        form.cu_k[b] = (int64_t)token;
        form.lengths[b] = (int64_t)x->keys[b];
        for (size_t j = 0; j < x->keys[b]; j++)
            put_key(x, b, j, form.k, form.v, (token + j) * x->key_heads, 1);
        token += x->keys[b] + spare * pick(state, 3);
    }
    form.cu_k[x->count] = (int64_t)token;
    qkv.sequences = x->count;
    qkv.cu_seqlens_k = form.cu_k;
    qkv.lengths = spare ? form.lengths : NULL;
    qkv.k = tensor(form.k, (const size_t[4]){1, x->key_heads, token, DIM}, 0, 1, x->key_heads);
    qkv.v =
        tensor(form.v, (const size_t[4]){1, x->key_heads, token, COLUMNS}, 0, 1, x->key_heads);
    return qkv;
}

/* Keys beyond the lengths are NaN. */
static attest_qkv pad(const drawn *x)
{
    attest_qkv qkv = x->options;

    batch_queries(&qkv, x);
    for (size_t i = 0; i < SLOTS * HEADS * DIM; i++)
        form.k[i] = (double)NAN;
    for (size_t b = 0; b < x->count; b++) {
        form.lengths[b] = (int64_t)x->keys[b];
        for (size_t j = 0; j < x->keys[b]; j++)
            put_key(x, b, j, form.k, form.v, b * x->key_heads * KEYS + j, KEYS);
    }
    qkv.sequences = x->count;
    qkv.lengths = form.lengths;
    qkv.k = tensor(form.k, (const size_t[4]){x->count, x->key_heads, KEYS, DIM},
                   x->key_heads * KEYS, KEYS, 1);
    qkv.v = tensor(form.v, (const size_t[4]){x->count, x->key_heads, KEYS, COLUMNS},
                   x->key_heads * KEYS, KEYS, 1);
    return qkv;
}

/* Pages in random order; what no sequence uses is NaN. */
static attest_qkv page(const drawn *x, bool packed, uint64_t *state)
{
    attest_qkv qkv = x->options;
    size_t size = 1 + pick(state, 9), blocks = (KEYS + size - 1) / size;
    size_t pages = x->count * blocks, order[SLOTS];

    if (packed)
        pack_queries(&qkv, x);
    else
        batch_queries(&qkv, x);
    for (size_t i = 0; i < SLOTS * HEADS * DIM; i++)
        form.k[i] = (double)NAN;
    for (size_t i = 0; i < pages; i++) { /* a random permutation */
        size_t other = pick(state, i + 1);

        order[i] = order[other];
        order[other] = i;
    }
    for (size_t i = 0; i < pages; i++)
        form.table[i] = (int64_t)order[i];
    for (size_t b = 0; b < x->count; b++) {
        form.lengths[b] = (int64_t)x->keys[b];
        for (size_t j = 0; j < x->keys[b]; j++)
            put_key(x, b, j, form.k, form.v,
                    (order[b * blocks + j / size] * size + j % size) * x->key_heads, 1);
        if (x->keys[b] + size <= KEYS) /* the page of no key */
            form.table[b * blocks + blocks - 1] = -1;
    }
    qkv.sequences = x->count;
    qkv.lengths = form.lengths;
    qkv.block_table = form.table;
    qkv.blocks = blocks;
    qkv.k = tensor(form.k, (const size_t[4]){pages, x->key_heads, size, DIM},
                   size * x->key_heads, 1, x->key_heads);
    qkv.v = tensor(form.v, (const size_t[4]){pages, x->key_heads, size, COLUMNS},
                   size * x->key_heads, 1, x->key_heads);
    return qkv;
}

static attest_status compute(double to[KINDS][ELEMENTS], size_t first, const attest_qkv *qkv,
                             const attest_judge_model *model, bool scheduled,
                             attest_error *error)
{
    const attest_judge_options options = {.jobs = 1};
    attest_judge_bounds bounds = {to[0] + first, to[1] + first, to[2] + first,
                                  to[3] + first, to[4] + first, NULL};
    attest_status status = attest_judge_bound(&bounds, qkv, model, &options, error);

    if (status == ATTEST_OK && scheduled)
        status = attest_judge_simulate(to[5] + first, to[6] + first, to[7] + first, qkv, model,
                                       0, &options, error);
    return status;
}

/* The results of each sequence alone, one after another; returns how many elements. */
static size_t compute_alone(attest_status *status, const drawn *x,
                            const attest_judge_model *model, bool scheduled,
                            attest_error *error)
{
    size_t count = 0;

    *status = ATTEST_OK;
    for (size_t b = 0; b < x->count && *status == ATTEST_OK; b++) {
        attest_qkv one = get_one(x, b);
        size_t size = x->heads * x->queries[b] * COLUMNS;

        if (x->keys[b] > 0 && size > 0)
            *status = compute(alone, count, &one, model, scheduled, error);
        else
            for (size_t kind = 0; kind < KINDS; kind++)
                for (size_t i = 0; i < size; i++) /* 0 or NaN, with an error of 0 */
                    alone[kind][count + i] =
                        x->options.empty_is_nan && kind != 3 ? (double)NAN : 0;
        count += size;
    }
    return count;
}

/* NaN equals NaN. */
static size_t compare(size_t count, bool scheduled)
{
    size_t differ = 0;

    for (size_t kind = 0; kind < (scheduled ? 8 : 5); kind++)
        for (size_t i = 0; i < count; i++)
            differ += !(together[kind][i] == alone[kind][i] ||
                        (isnan(together[kind][i]) && isnan(alone[kind][i])));
    return differ;
}

/* The counts of wrong and undecided elements of a judgement. */
static bool count_in(size_t *wrong, size_t *undecided, const attest_judgement *judgement)
{
    char *text = attest_judgement_format(judgement);
    const char *at = text ? strstr(text, "\"wrong\": ") : NULL;
    bool ok = at && sscanf(at, "\"wrong\": %zu, \"undecided\": %zu", wrong, undecided) == 2;

    free(text);
    return ok;
}

/* Sets form.out, packed: exact bounds, some of them off by 1. */
static void set_output(const drawn *x)
{
    size_t row = 0;

    for (size_t b = 0; b < x->count; b++)
        for (size_t h = 0; h < x->heads; h++)
            for (size_t i = 0; i < x->queries[b]; i++, row++)
                for (size_t c = 0; c < COLUMNS; c++)
                    form.out[(((size_t)form.cu_q[b] + i) * x->heads + h) * COLUMNS + c] =
                        together[0][row * COLUMNS + c] + (row % 5 == 3);
}

/* The tokens of a sequence in the packed output. */
static attest_tensor get_output(const drawn *x, size_t first, size_t tokens)
{
    return tensor(form.out + first * x->heads * COLUMNS,
                  (const size_t[4]){1, x->heads, tokens, COLUMNS}, 0, 1, x->heads);
}

/* Adds the wrong and undecided elements of a sequence that is judged alone. */
static bool judge_alone(size_t *wrong, size_t *undecided, const drawn *x, size_t b,
                        const attest_judge_model *model)
{
    const attest_judge_options options = {.jobs = 1};
    size_t first = (size_t)form.cu_q[b], wrong_here = 0, undecided_here = 0;
    attest_qkv one = get_one(x, b);
    attest_tensor part = get_output(x, first, x->queries[b]);
    attest_judgement *judgement = NULL;
    attest_error error = {.text = ""};
    bool ok = true;

    if (x->keys[b] > 0 && x->queries[b] > 0) {
        ok = attest_judgement_make(&judgement, &part, &one, model, &options, &error) ==
                 ATTEST_OK &&
             count_in(&wrong_here, &undecided_here, judgement);
        attest_judgement_free(judgement);
    } else {
        const double *out = part.data;

        for (size_t i = 0; i < x->queries[b] * x->heads * COLUMNS; i++)
            wrong_here += x->options.empty_is_nan ? !isnan(out[i]) : out[i] != 0;
    }
    *wrong += wrong_here;
    *undecided += undecided_here;
    return ok;
}

/* Whether two judgements have the same text, but for the alternatives that were tried: some of
 * them concern the form of the inputs. */
static bool same_judgement(const char *a, const char *b)
{
    const char *end_a = strstr(a, "\"alternatives\""), *end_b = strstr(b, "\"alternatives\"");

    return end_a && end_b && end_a - a == end_b - b && memcmp(a, b, (size_t)(end_a - a)) == 0;
}

/* A packed output with errors is judged like those of the sequences, and like the same with its
 * keys in pages, with all places, terms and faults. A model of several schedules is judged by
 * one that fits all sequences: only the latter. */
static bool judge_packed(const drawn *x, const attest_qkv *qkv, const attest_judge_model *model,
                         bool scheduled, uint64_t *state)
{
    const attest_judge_options options = {.jobs = 1};
    size_t wrong = 0, undecided = 0, all_wrong = 0, all_undecided = 0;
    attest_judgement *packed = NULL, *paged = NULL;
    attest_error error = {.text = ""};
    attest_tensor out;
    attest_qkv other;
    char *texts[2] = {NULL, NULL};
    bool ok = true;

    set_output(x);
    out = get_output(x, 0, qkv->q.shape[2]);
    for (size_t b = 0; b < x->count; b++)
        ok = judge_alone(&wrong, &undecided, x, b, model) && ok;
    ok = ok && attest_judgement_make(&packed, &out, qkv, model, &options, &error) == ATTEST_OK;
    other = page(x, true, state);
    ok =
        ok && attest_judgement_make(&paged, &out, &other, model, &options, &error) == ATTEST_OK;
    ok = ok && count_in(&all_wrong, &all_undecided, packed);
    if (ok) {
        texts[0] = attest_judgement_format(packed);
        texts[1] = attest_judgement_format(paged);
    }
    ok = ok && texts[0] && texts[1] && same_judgement(texts[0], texts[1]) &&
         (scheduled || (all_wrong == wrong && all_undecided == undecided));
    if (!ok)
        printf("# %zu and %zu, not %zu and %zu; %s\n", all_wrong, all_undecided, wrong,
               undecided, error.text);
    free(texts[0]);
    free(texts[1]);
    attest_judgement_free(packed);
    attest_judgement_free(paged);
    return ok;
}

static void try_model(const struct tested_model *tested, uint64_t *state)
{
    static const char *const form_name[] = {"packed", "padded", "pages", "pages, packed q"};
    attest_judge_model *model = tested_model_load(tested);
    size_t differ[4] = {0}, failed[4] = {0}, judged = 0;
    attest_error error = {.text = ""};

    for (size_t trial = 0; model && trial < 24; trial++) {
        size_t kind = trial % 4, count;
        attest_status status;
        attest_qkv qkv;

        draw(&sequences, kind == 1 || kind == 2, state);
        count = compute_alone(&status, &sequences, model, tested->scheduled, &error);
        qkv = kind == 0   ? pack(&sequences, state)
              : kind == 1 ? pad(&sequences)
                          : page(&sequences, kind == 3, state);
        if (status == ATTEST_OK)
            status = compute(together, 0, &qkv, model, tested->scheduled, &error);
        if (status != ATTEST_OK)
            printf("# %s: %s\n", form_name[kind], error.text);
        failed[kind] += status != ATTEST_OK;
        differ[kind] += status == ATTEST_OK ? compare(count, tested->scheduled) : 0;
        if (kind == 0 && status == ATTEST_OK)
            judged += !judge_packed(&sequences, &qkv, model, tested->scheduled, state);
    }
    for (size_t kind = 0; kind < 4; kind++)
        TAP_OK(model && failed[kind] == 0 && differ[kind] == 0, "%s, %s: as each alone",
               tested->name, form_name[kind]);
    TAP_OK(model && judged == 0, "%s: judgements of packed outputs", tested->name);
    attest_judge_model_free(model);
}

/* Past keys, in front of the others, are like all of them in one tensor. With as many queries
 * as present keys the upper left corner of these is the lower right one of all. */
static void try_past(const struct tested_model *tested, uint64_t *state)
{
    attest_judge_model *model = tested_model_load(tested);
    size_t failed = 0, differ = 0;
    attest_error error = {.text = ""};

    for (size_t trial = 0; model && trial < 8; trial++) {
        attest_qkv one, divided;
        size_t past, count;

        draw(&sequences, true, state);
        sequences.count = 1;
        sequences.keys[0] = 2 + pick(state, KEYS - 1);
        past = 1 + pick(state, sequences.keys[0] - 1);
        if (sequences.options.causal == ATTEST_CAUSAL_TOP_LEFT) {
            sequences.queries[0] =
                sequences.keys[0] - past < QUERIES ? sequences.keys[0] - past : QUERIES;
            past = sequences.keys[0] - sequences.queries[0];
        }
        one = divided = get_one(&sequences, 0);
        if (one.causal == ATTEST_CAUSAL_TOP_LEFT) /* as many queries as present keys */
            one.causal = ATTEST_CAUSAL_BOTTOM_RIGHT;
        count = sequences.heads * sequences.queries[0] * COLUMNS;
        for (size_t j = 0; j < past; j++)
            put_key(&sequences, 0, j, form.past_k, form.past_v, j * sequences.key_heads, 1);
        for (size_t j = past; j < sequences.keys[0]; j++)
            put_key(&sequences, 0, j, form.k, form.v, j - past, KEYS);
        divided.past_k =
            tensor(form.past_k, (const size_t[4]){1, sequences.key_heads, past, DIM}, 0, 1,
                   sequences.key_heads);
        divided.past_v =
            tensor(form.past_v, (const size_t[4]){1, sequences.key_heads, past, COLUMNS}, 0, 1,
                   sequences.key_heads);
        divided.k.data = form.k;
        divided.v.data = form.v;
        divided.k.shape[2] = divided.v.shape[2] = sequences.keys[0] - past;
        if (compute(alone, 0, &one, model, tested->scheduled, &error) != ATTEST_OK ||
            compute(together, 0, &divided, model, tested->scheduled, &error) != ATTEST_OK)
            failed++;
        else
            differ += compare(count, tested->scheduled);
    }
    TAP_OK(model && failed == 0 && differ == 0, "%s: past keys%s%s", tested->name,
           error.text[0] ? ": " : "", error.text);
    attest_judge_model_free(model);
}

/* Changes a packed or paged problem; the message must contain the text. */
static void refuse(const char *expected, void (*change)(attest_qkv *qkv))
{
    static const struct tested_model any = {"fp64-any", NULL, false};
    attest_judge_model *model = tested_model_load(&any);
    uint64_t state = 5;
    attest_error error = {.text = ""};
    attest_qkv qkv;
    bool paged = strstr(expected, "block_table") || strstr(expected, "lengths");

    draw(&sequences, true, &state);
    sequences.count = 3;
    for (size_t b = 0; b < 3; b++) {
        sequences.queries[b] = 3;
        sequences.keys[b] = 5;
    }
    qkv = paged ? page(&sequences, false, &state) : pack(&sequences, &state);
    qkv.lengths = paged ? form.lengths : NULL;
    memset(form.k, 0, sizeof form.k);
    memset(form.v, 0, sizeof form.v);
    form.cu_k[0] = 0;
    form.cu_k[1] = 5;
    form.cu_k[2] = 10;
    form.cu_k[3] = 15;
    qkv.k.shape[2] = qkv.v.shape[2] = paged ? qkv.k.shape[2] : 15;
    change(&qkv);
    TAP_OK(model && compute(together, 0, &qkv, model, false, &error) == ATTEST_FORMAT &&
               strstr(error.text, expected),
           "refused: %s", error.text);
    attest_judge_model_free(model);
}

static void begin_late(attest_qkv *qkv)
{
    (void)qkv;
    form.cu_k[0] = 1;
}

static void decrease(attest_qkv *qkv)
{
    (void)qkv;
    form.cu_k[2] = 4;
}

static void end_early(attest_qkv *qkv)
{
    (void)qkv;
    form.cu_k[3] = 14;
}

static void leave_table(attest_qkv *qkv)
{
    form.table[qkv->blocks] = (int64_t)qkv->k.shape[0];
}

static void be_negative(attest_qkv *qkv)
{
    form.table[2 * qkv->blocks] = -1;
}

static void be_long(attest_qkv *qkv)
{
    form.lengths[1] = (int64_t)(qkv->blocks * qkv->k.shape[2]) + 1;
}

static void be_below_zero(attest_qkv *qkv)
{
    (void)qkv;
    form.lengths[2] = -3;
}

static void omit_lengths(attest_qkv *qkv)
{
    qkv->lengths = NULL;
}

static void omit_keys(attest_qkv *qkv)
{
    qkv->cu_seqlens_k = NULL;
}

static void add_mask(attest_qkv *qkv)
{
    qkv->mask = qkv->q;
}

static void add_past(attest_qkv *qkv)
{
    qkv->past_k = qkv->k;
}

static void spoil(attest_qkv *qkv)
{
    (void)qkv;
    form.q[(size_t)form.cu_q[1] * sequences.heads * DIM] = (double)NAN;
}

TEST(entries)
{
    uint64_t state = attest_random_mix(41);

    for (size_t i = 0; tested_models[i].name; i++) {
        try_model(&tested_models[i], &state);
        try_past(&tested_models[i], &state);
    }
    refuse("cu_seqlens_k[0] is 1, not 0", begin_late);
    refuse("cu_seqlens_k[2] is 4, below cu_seqlens_k[1], which is 5", decrease);
    refuse("cu_seqlens_k[3], the last one, is 14, but k has 15 tokens", end_early);
    refuse("block_table[1][0] is ", leave_table);
    refuse("block_table[2][0] is -1", be_negative);
    refuse("lengths[1] is ", be_long);
    refuse("lengths[2] is -3", be_below_zero);
    refuse("block_table needs lengths", omit_lengths);
    refuse("cu_seqlens_q needs cu_seqlens_k", omit_keys);
    refuse("a mask has no place beside packed", add_mask);
    refuse("past keys and values stand beside", add_past);
    refuse("sequence 1: q[0][0][0][0] is not finite", spoil);
    return 0;
}
