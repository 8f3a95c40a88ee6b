/* linearise_layer.c -- heads with biases and residuals, against sums that are written out. */
#include <string.h>

#include <attest/attest.h>

#include "io/dataset.h"
#include "io/weights_json.h"
#include "model/linearise_scores.h"
#include "tests/tap.h"

/* Two entries a token; "x" is another tensor of the same shape. */
static const char data_text[] =
    "{\"format\":\"attest/dataset\",\"version\":1,\"name\":\"d\","
    "\"sequences\":[[[1,\"1/3\"],[-2,\"0.5\"],[1,\"1/3\"]],[[\"3/7\",2]]],"
    "\"x\":[[[10,20],[30,\"1/9\"],[11,20]],[[5,6]]]}";

/* s = 1: q = 2 z0 + z1 + 1/2, k = z0 - 1, v = z1 + 3, out = (v, -2 v) + (1/7, 5). */
#define HEAD                                                                                   \
    "\"heads\":[{\"WQ\":[[2,1]],\"WK\":[[1,0]],\"WV\":[[0,1]],\"WO\":[[1],[-2]],"              \
    "\"bQ\":[\"1/2\"],\"bK\":[-1],\"bV\":[3],\"bO\":[\"1/7\",5]}]}"

static const char *const weights_text[] = {
    "{\"format\":\"attest/"
    "weights\",\"version\":1,\"activation\":\"hardmax\",\"skip\":false," HEAD,
    "{\"format\":\"attest/weights\",\"version\":1,\"activation\":\"hardmax\"," HEAD,
    "{\"format\":\"attest/weights\",\"version\":1,\"activation\":\"hardmax\",\"residual\":"
    "\"x\"," HEAD,
};

enum { NONE = 0, PLAIN, RESIDUAL };

/* What the definition gives: z and x as above, hardmax with uniform ties. */
static void expected(fmpq *out, int skip, size_t i, size_t k)
{
    static const char *const z[2][3][2] = {{{"1", "1/3"}, {"-2", "1/2"}, {"1", "1/3"}},
                                           {{"3/7", "2"}}};
    static const char *const x[2][3][2] = {{{"10", "20"}, {"30", "1/9"}, {"11", "20"}},
                                           {{"5", "6"}}};
    size_t length = i ? 1 : 3, winners = 0;
    fmpq_t q, score, best, mean, a, b;

    fmpq_init(q), fmpq_init(score), fmpq_init(best), fmpq_init(mean), fmpq_init(a),
        fmpq_init(b);
    fmpq_set_str(a, z[i][k][0], 10);
    fmpq_set_str(b, z[i][k][1], 10);
    fmpq_add(q, a, a);
    fmpq_add(q, q, b);
    fmpq_set_si(a, 1, 2);
    fmpq_add(q, q, a);
    for (size_t j = 0; j < length; j++) {
        int order;
        fmpq_set_str(a, z[i][j][0], 10);
        fmpq_sub_si(a, a, 1);
        fmpq_mul(score, a, q);
        order = winners ? fmpq_cmp(score, best) : 1;
        if (order < 0)
            continue;
        if (order > 0) {
            fmpq_zero(mean);
            winners = 0;
        }
        winners++;
        fmpq_set(best, score);
        fmpq_set_str(b, z[i][j][1], 10);
        fmpq_add_si(b, b, 3);
        fmpq_add(mean, mean, b);
    }
    fmpq_set_si(a, 1, winners);
    fmpq_mul(mean, mean, a);
    for (int c = 0; c < 2; c++) {
        fmpq_set_si(a, c ? -2 : 1, 1);
        fmpq_mul(out + c, mean, a);
        fmpq_set_si(a, c ? 5 : 1, c ? 1 : 7);
        fmpq_add(out + c, out + c, a);
        if (skip != NONE) {
            fmpq_set_str(a, skip == PLAIN ? z[i][k][c] : x[i][k][c], 10);
            fmpq_add(out + c, out + c, a);
        }
    }
    fmpq_clear(q), fmpq_clear(score), fmpq_clear(best), fmpq_clear(mean), fmpq_clear(a),
        fmpq_clear(b);
}

static void compare(const attest_dataset *dataset, attest_weights *weights, int skip)
{
    size_t dim = weights->dim;
    attest_sequence sequence;
    attest_error error;
    bool same = true, enclosed = true, near = true, zero = true;
    fmpq *truth = _fmpq_vec_init(2);

    attest_sequence_init(&sequence);
    for (size_t i = 0; i < 2; i++) {
        size_t entries = (i ? 1 : 3) * dim;
        fmpq *out = _fmpq_vec_init((slong)entries);
        arb_ptr ball = _arb_vec_init((slong)entries);
        double real[3 * 16];

        TAP_OK(attest_dataset_get_sequence(&sequence, dataset, i, NULL, &error) == ATTEST_OK &&
                   attest_attention_exact(out, weights, &sequence, &error) == ATTEST_OK &&
                   attest_attention_ball(ball, weights, &sequence, 64, &error) == ATTEST_OK &&
                   attest_attention_double(real, weights, &sequence, &error) == ATTEST_OK,
               "sequence %zu evaluates", i);
        for (size_t k = 0; k < (i ? 1 : 3); k++) {
            expected(truth, skip, i, k);
            for (size_t c = 0; c < dim; c++) {
                size_t e = k * dim + c;
                if (c >= 2) {
                    zero =
                        zero && fmpq_is_zero(out + e) && arb_is_zero(ball + e) && real[e] == 0;
                    continue;
                }
                same = same && fmpq_equal(out + e, truth + c);
                enclosed = enclosed && arb_contains_fmpq(ball + e, truth + c);
                near = near && !(fmpq_get_d(truth + c) - real[e] > 1e-13 ||
                                 real[e] - fmpq_get_d(truth + c) > 1e-13);
            }
        }
        _fmpq_vec_clear(out, (slong)entries);
        _arb_vec_clear(ball, (slong)entries);
    }
    TAP_OK(same, "exactly the written sums");
    TAP_OK(enclosed && near, "balls and doubles, too");
    TAP_OK(zero, "the entries beyond are 0");
    _fmpq_vec_clear(truth, 2);
    attest_sequence_clear(&sequence);
}

static void input_init(attest_input *input, const char *text)
{
    memset(input, 0, sizeof *input);
    input->path = "data.json";
    input->data = (const unsigned char *)text;
    input->size = strlen(text);
}

static void form(int skip)
{
    attest_dataset dataset;
    attest_weights weights;
    attest_input input;
    attest_error error;

    input_init(&input, data_text);
    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    TAP_OK(attest_dataset_read_input(&dataset, &input, NULL, NULL, &error) == ATTEST_OK &&
               attest_weights_parse_json(&weights, weights_text[skip],
                                         strlen(weights_text[skip]), NULL,
                                         &error) == ATTEST_OK &&
               weights.homogeneous && weights.dim == 3,
           "weights with biases are read");
    TAP_OK(attest_pairing_set(&dataset, &weights, &input, NULL, &error) == ATTEST_OK &&
               dataset.dim == weights.dim && attest_weights_output_dim(&weights) == 2 &&
               attest_weights_check_shapes(&weights, &error) == ATTEST_OK,
           "they fit");
    TAP_OK(dataset.name && strcmp(dataset.name, "d") == 0, "the name stays");
    TAP_OK(dataset.tokens.count == (skip == RESIDUAL ? 4 : 3),
           "tokens are told apart by what the skip adds, too");
    /* (1/7, 5) and the constant 1 of which it is a multiple are the second row of WV */
    TAP_OK(weights.head[0].wo.cols == 2 && weights.skip &&
               fmpz_is_zero(weights.head[0].wo.entry + 1) &&
               fmpz_is_zero(weights.head[0].wo.entry + 3),
           "what every token's output has in common is added after the attention");
    compare(&dataset, &weights, skip);
    attest_dataset_clear(&dataset);
    attest_weights_clear(&weights);
}

/* Tokens that bring the 1 themselves: the head is linear, and the skip plain. */
static void linear_form(void)
{
    attest_dataset dataset;
    attest_weights weights;
    attest_input input;
    attest_error error;

    input_init(&input, data_text);
    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    TAP_OK(attest_dataset_read_input(&dataset, &input, NULL, NULL, &error) == ATTEST_OK &&
               attest_dataset_set_homogeneous(&dataset, NULL, &error) == ATTEST_OK &&
               attest_weights_parse_json(&weights, weights_text[PLAIN],
                                         strlen(weights_text[PLAIN]), NULL,
                                         &error) == ATTEST_OK &&
               attest_pairing_set(&dataset, &weights, &input, NULL, &error) == ATTEST_OK &&
               dataset.dim == 3 && attest_weights_skip_is_plain(&weights),
           "tokens with their own 1 are taken as they are");
    attest_dataset_clear(&dataset);
    attest_weights_clear(&weights);
}

/* Linearises heads with this many rows in W_Q, W_K and W_V and columns in W_O, with a softcap
 * or a slope. *entries = those of their matrices afterwards; returns the bytes charged to a
 * budget. */
static size_t charged_bytes(size_t *entries, size_t heads, size_t rows, bool capped)
{
    attest_budget budget = {1 << 24};
    attest_dataset dataset;
    attest_weights weights;
    attest_input input;
    attest_error error = {0};

    input_init(&input, data_text);
    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    if (attest_dataset_read_input(&dataset, &input, NULL, NULL, &error) != ATTEST_OK ||
        attest_weights_resize(&weights, heads) != ATTEST_OK)
        abort();
    weights.activation = ATTEST_SOFTMAX;
    weights.dim = 2;
    fmpq_set_si(weights.form.softcap, capped, 1);
    for (size_t h = 0; h < heads; h++) {
        attest_matrix_resize(&weights.head[h].wq, rows, 2);
        attest_matrix_resize(&weights.head[h].wk, rows, 2);
        attest_matrix_resize(&weights.head[h].wv, rows, 2);
        attest_matrix_resize(&weights.head[h].wo, 2, rows);
        fmpq_set_si(weights.head[h].slope, !capped, 1);
    }
    if (attest_linearise_scores(&dataset, &weights, 0, 0, &budget, &error) != ATTEST_OK)
        printf("# %s\n", error.text);
    *entries = 0;
    for (size_t h = 0; h < heads; h++) {
        const attest_head *head = &weights.head[h];

        *entries += head->wq.rows * head->wq.cols + head->wk.rows * head->wk.cols +
                    head->wv.rows * head->wv.cols + head->wo.rows * head->wo.cols;
    }
    attest_dataset_clear(&dataset);
    attest_weights_clear(&weights);
    return (1 << 24) - budget.left;
}

/* More rows cost what the matrices need for them, or one row more for each head. */
static void charged(bool capped)
{
    for (size_t heads = 1; heads <= 3; heads++) {
        size_t few, many, least = charged_bytes(&few, heads, 1, capped),
                          most = charged_bytes(&many, heads, 65, capped);
        size_t row = many / 64, need = (many - few) * sizeof(fmpz);

        TAP_OK(most - least >= need && most - least <= need + row * sizeof(fmpz),
               "%s, %zu heads: %zu bytes are charged for %zu", capped ? "softcap" : "slope",
               heads, most - least, need);
    }
}

static void refused(const char *weights_json, const char *data_json, const char *why)
{
    attest_dataset dataset;
    attest_weights weights;
    attest_input input;
    attest_error error = {0};
    attest_status status;

    input_init(&input, data_json);
    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    status = attest_dataset_read_input(&dataset, &input, NULL, NULL, &error);
    if (status == ATTEST_OK)
        status = attest_weights_parse_json(&weights, weights_json, strlen(weights_json), NULL,
                                           &error);
    if (status == ATTEST_OK)
        status = attest_pairing_set(&dataset, &weights, &input, NULL, &error);
    TAP_OK(status != ATTEST_OK && strstr(error.text, why), "refused: %s", error.text);
    attest_dataset_clear(&dataset);
    attest_weights_clear(&weights);
}

#define START "{\"format\":\"attest/weights\",\"version\":1,\"activation\":\"hardmax\","
#define MATRICES "\"WQ\":[[2,1]],\"WK\":[[1,0]],\"WV\":[[0,1]],\"WO\":[[1],[-2]]"
#define ZERO_BELOW "\"WQ\":[[2,1]],\"WK\":[[1,0]],\"WV\":[[0,1]],\"WO\":[[1],[0]]"

TEST(linearise_layer)
{
    for (int skip = NONE; skip <= RESIDUAL; skip++)
        form(skip);
    linear_form();
    charged(false);
    charged(true);
    refused(START "\"heads\":[{" MATRICES ",\"bQ\":[1,2]}]}", data_text, "bQ");
    refused(START "\"heads\":[{" MATRICES ",\"bO\":[1]}]}", data_text, "bO");
    refused(START "\"homogeneous\":true,\"heads\":[{" MATRICES "}]}", data_text, "WO");
    refused(START "\"output_dim\":3,\"heads\":[{" MATRICES "}]}", data_text, "output_dim");
    refused(START "\"output_dim\":1,\"heads\":[{" MATRICES "}]}", data_text, "WO");
    refused(START "\"skip_from\":1,\"heads\":[{" MATRICES "}]}", data_text, "skip_from");
    refused(START
            "\"output_dim\":1,\"norm\":{\"kind\":\"rms\",\"eps\":1},\"heads\":[{" ZERO_BELOW
            "}]}",
            data_text, "residual or norm");
    refused(START "\"output_dim\":1,\"heads\":[{" ZERO_BELOW ",\"bQ\":[1]}]}", data_text,
            "biases of their own");
    refused(START "\"residual\":\"y\",\"heads\":[{" MATRICES "}]}", data_text, "y");
    refused(START "\"residual\":\"x\",\"heads\":[{" MATRICES "}]}",
            "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":[[[1,2]]],"
            "\"x\":[[[1,2],[3,4]]]}",
            "another shape");
    refused(weights_text[PLAIN],
            "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":[[[1]]]}", "entries");
    flint_cleanup_master();
    return 0;
}
