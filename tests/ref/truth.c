/* truth.c -- all that a certificate speaks of, exactly. */
#include "tests/ref/truth.h"

#include <stdlib.h>

#include "tests/ref/attention.h"
#include "tests/ref/matrices.h"

/* The output at a position: numerator[c] / denominator. */
typedef struct output {
    ref_sum *numerator;
    ref_sum denominator;
} output;

/* One position: which column of which sequence, and how many tokens it sees. */
typedef struct place {
    const fmpq_mat_struct *z;
    slong k, seen;
} place;

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count, size);

    if (!p)
        abort();
    return p;
}

static void add_constant(ref_sum *sum, const fmpq_t value)
{
    fmpq_t zero;

    fmpq_init(zero);
    ref_sum_add_term(sum, value, zero);
    fmpq_clear(zero);
}

/* fraction += n / z for one head and one entry: above z + n below over below z; the caller
 * multiplies the denominator, which is the same for every entry. */
static void add_fraction(ref_sum *above, const ref_sum *below, const ref_sum *n,
                         const ref_sum *z)
{
    ref_sum sum;
    fmpq_t one;

    ref_sum_init(&sum);
    fmpq_init(one);
    fmpq_one(one);
    ref_sum_add_product(&sum, above, z, one);
    ref_sum_add_product(&sum, n, below, one);
    ref_sum_clear(above);
    *above = sum;
    fmpq_clear(one);
}

/* Adds head h under softmax: n_c = sum_j e^{s_jk} v_cj and z = sum_j e^{s_jk} over the seen. */
static void add_head(output *out, const place *p, const attest_head *head)
{
    fmpq_mat_t scores, values;
    ref_sum n, z, product;
    fmpq_t one;

    ref_sum_init(&z);
    ref_sum_init(&product);
    fmpq_init(one);
    fmpq_one(one);
    ref_head_matrices(scores, values, head, p->z);
    for (slong j = 0; j < p->seen; j++)
        ref_sum_add_term(&z, one, fmpq_mat_entry(scores, j, p->k));
    for (slong c = 0; c < fmpq_mat_nrows(p->z); c++) {
        ref_sum_init(&n);
        for (slong j = 0; j < p->seen; j++)
            ref_sum_add_term(&n, fmpq_mat_entry(values, c, j), fmpq_mat_entry(scores, j, p->k));
        add_fraction(&out->numerator[c], &out->denominator, &n, &z);
        ref_sum_clear(&n);
    }
    ref_sum_add_product(&product, &out->denominator, &z, one);
    ref_sum_clear(&out->denominator);
    ref_sum_clear(&z);
    out->denominator = product;
    fmpq_mat_clear(scores);
    fmpq_mat_clear(values);
    fmpq_clear(one);
}

/* hardmax: the outputs of the sequence, or NULL. */
static void output_init(output *out, const place *p, const attest_weights *weights,
                        const fmpq *hardmax)
{
    slong dim = fmpq_mat_nrows(p->z);
    fmpq_t one;

    fmpq_init(one);
    fmpq_one(one);
    out->numerator = allocate((size_t)dim, sizeof *out->numerator);
    ref_sum_init(&out->denominator);
    add_constant(&out->denominator, one);
    for (slong c = 0; c < dim; c++) {
        ref_sum_init(&out->numerator[c]);
        if (hardmax)
            add_constant(&out->numerator[c], hardmax + p->k * dim + c);
        else if (weights->skip)
            add_constant(&out->numerator[c], fmpq_mat_entry(p->z, c, p->k));
    }
    for (size_t h = 0; h < weights->heads && !hardmax; h++)
        add_head(out, p, &weights->head[h]);
    fmpq_clear(one);
}

static void output_clear(output *out, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        ref_sum_clear(&out->numerator[c]);
    ref_sum_clear(&out->denominator);
    free(out->numerator);
}

/* |F_a - F_b|^2, or |F_a|^2 for b = NULL. */
static void square_init(ref_square *square, const output *a, const output *b, size_t dim)
{
    fmpq_t one, minus;

    fmpq_init(one), fmpq_init(minus);
    fmpq_set_si(one, 1, 1), fmpq_set_si(minus, -1, 1);
    arb_init(square->ball);
    for (size_t c = 0; c < dim; c++) {
        ref_sum entry = {NULL, 0};
        if (b) {
            ref_sum_add_product(&entry, &a->numerator[c], &b->denominator, one);
            ref_sum_add_product(&entry, &b->numerator[c], &a->denominator, minus);
        } else {
            ref_sum_add(&entry, &a->numerator[c], one);
        }
        ref_sum_add_product(&square->above, &entry, &entry, one);
        ref_sum_clear(&entry);
    }
    ref_sum below = {NULL, 0};
    if (b)
        ref_sum_add_product(&below, &a->denominator, &b->denominator, one);
    else
        ref_sum_add(&below, &a->denominator, one);
    ref_sum_add_product(&square->below, &below, &below, one);
    ref_sum_clear(&below);
    if (square->above.count)
        ref_sum_quotient(square->ball, &square->above, &square->below);
    fmpq_clear(one), fmpq_clear(minus);
}

static bool same_token(const place *a, slong i, const place *b, slong j)
{
    for (slong c = 0; c < fmpq_mat_nrows(a->z); c++)
        if (!fmpq_equal(fmpq_mat_entry(a->z, c, i), fmpq_mat_entry(b->z, c, j)))
            return false;
    return true;
}

/* Returns whether every token that a sees is seen by b. */
static bool inside(const place *a, const place *b)
{
    for (slong i = 0; i < a->seen; i++) {
        bool met = false;
        for (slong j = 0; j < b->seen && !met; j++)
            met = same_token(a, i, b, j);
        if (!met)
            return false;
    }
    return true;
}

static bool is_required(const place *a, const place *b)
{
    return !same_token(a, a->k, b, b->k) || !inside(a, b) || !inside(b, a);
}

static void fill(ref_truth *truth, const place *at, const output *out, size_t dim)
{
    size_t n = truth->positions;

    for (size_t a = 0; a < n; a++) {
        square_init(&truth->norm[a], &out[a], NULL, dim);
        for (size_t b = a + 1; b < n; b++) {
            bool required = is_required(&at[a], &at[b]);
            truth->required[a * n + b] = truth->required[b * n + a] = required;
            truth->required_pairs += required;
            if (required)
                square_init(&truth->separation[a * n + b], &out[a], &out[b], dim);
        }
    }
}

/* The places and outputs of sequence i; z is initialised with its tokens. */
static void evaluate(place *at, output *out, fmpq_mat_t z, const attest_dataset *dataset,
                     const attest_weights *weights, size_t i)
{
    size_t length = attest_dataset_length(dataset, i), entries = length * dataset->dim;
    fmpq *hardmax = NULL;
    attest_sequence sequence;

    attest_sequence_init(&sequence);
    if (attest_dataset_get_sequence(&sequence, dataset, i, NULL, NULL) != ATTEST_OK)
        abort();
    ref_tokens(z, &sequence);
    if (weights->activation == ATTEST_HARDMAX) {
        hardmax = _fmpq_vec_init((slong)entries);
        ref_hardmax(hardmax, weights, &sequence);
    }
    for (size_t k = 0; k < length; k++) {
        bool causal = weights->mask == ATTEST_MASK_CAUSAL;
        at[k] = (place){z, (slong)k, (slong)(causal ? k + 1 : length)};
        output_init(&out[k], &at[k], weights, hardmax);
    }
    if (hardmax)
        _fmpq_vec_clear(hardmax, (slong)entries);
    attest_sequence_clear(&sequence);
}

void ref_truth_init(ref_truth *truth, const attest_dataset *dataset,
                    const attest_weights *weights)
{
    size_t n = dataset->total;
    place *at = allocate(n, sizeof *at);
    output *out = allocate(n, sizeof *out);
    fmpq_mat_t *z = allocate(dataset->count, sizeof *z);

    *truth = (ref_truth){.positions = n};
    truth->required = allocate(n * n, sizeof *truth->required);
    truth->separation = allocate(n * n, sizeof *truth->separation);
    truth->norm = allocate(n, sizeof *truth->norm);
    for (size_t i = 0; i < dataset->count; i++)
        evaluate(at + dataset->start[i], out + dataset->start[i], z[i], dataset, weights, i);
    fill(truth, at, out, dataset->dim);
    for (size_t p = 0; p < n; p++)
        output_clear(&out[p], dataset->dim);
    for (size_t i = 0; i < dataset->count; i++)
        fmpq_mat_clear(z[i]);
    free(at);
    free(out);
    free(z);
}

static void square_clear(ref_square *square)
{
    ref_sum_clear(&square->above);
    ref_sum_clear(&square->below);
    arb_clear(square->ball);
}

void ref_truth_clear(ref_truth *truth)
{
    size_t n = truth->positions;

    for (size_t a = 0; a < n; a++) {
        square_clear(&truth->norm[a]);
        for (size_t b = a + 1; b < n; b++)
            if (truth->required[a * n + b])
                square_clear(&truth->separation[a * n + b]);
    }
    free(truth->required);
    free(truth->separation);
    free(truth->norm);
}

const ref_square *ref_truth_separation(const ref_truth *truth, size_t a, size_t b)
{
    return &truth->separation[a < b ? a * truth->positions + b : b * truth->positions + a];
}

int ref_square_compare(const ref_square *square, const fmpq_t x)
{
    int order;
    fmpq_t factor;
    arb_t bound;

    if (fmpq_sgn(x) < 0)
        return 1;
    fmpq_init(factor);
    arb_init(bound);
    fmpq_mul(factor, x, x);
    arb_set_fmpq(bound, factor, 192);
    if (arb_gt(square->ball, bound) || arb_lt(square->ball, bound)) {
        order = arb_gt(square->ball, bound) ? 1 : -1;
    } else { /* the sign of above - x^2 below */
        ref_sum difference = {NULL, 0};
        fmpq_neg(factor, factor);
        ref_sum_add(&difference, &square->below, factor);
        fmpq_one(factor);
        ref_sum_add(&difference, &square->above, factor);
        order = ref_sum_sign(&difference);
        ref_sum_clear(&difference);
    }
    fmpq_clear(factor);
    arb_clear(bound);
    return order;
}

bool ref_square_root(fmpq_t root, const ref_square *square)
{
    const ref_sum *above = &square->above, *below = &square->below;
    bool is = above->count == 0 || above->count == below->count;
    fmpq_t q, ratio;

    fmpq_init(q);
    fmpq_init(ratio);
    for (size_t i = 0; i < above->count && is; i++) {
        is = fmpq_equal(above->term[i].exponent, below->term[i].exponent);
        fmpq_div(ratio, above->term[i].coefficient, below->term[i].coefficient);
        is = is && (i == 0 || fmpq_equal(ratio, q));
        fmpq_set(q, ratio);
    }
    is = is && fmpz_is_square(fmpq_numref(q)) && fmpz_is_square(fmpq_denref(q));
    if (is) {
        fmpz_sqrt(fmpq_numref(root), fmpq_numref(q));
        fmpz_sqrt(fmpq_denref(root), fmpq_denref(q));
    }
    fmpq_clear(q);
    fmpq_clear(ratio);
    return is;
}

bool ref_truth_least(size_t *a, size_t *b, const ref_truth *truth)
{
    const ref_square *least = NULL;
    size_t n = truth->positions;

    for (size_t p = 0; p < n; p++)
        for (size_t q = p + 1; q < n; q++) {
            const ref_square *here = &truth->separation[p * n + q];
            if (!truth->required[p * n + q] || (least && !arb_lt(here->ball, least->ball)))
                continue;
            least = here;
            *a = p;
            *b = q;
        }
    return least != NULL;
}

size_t ref_truth_largest(const ref_truth *truth)
{
    size_t largest = 0;

    for (size_t p = 1; p < truth->positions; p++)
        if (arb_gt(truth->norm[p].ball, truth->norm[largest].ball))
            largest = p;
    return largest;
}
