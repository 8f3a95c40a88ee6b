/* filter_integers.c -- exact outputs in 64 bits; (11) of proofs-notes/filter.md. */
#include "certify/filter_batch.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/term.h"

enum {
    DIM = ATTEST_FILTER_INTEGERS_DIM,
    HEADS = ATTEST_FILTER_INTEGERS_HEADS,
    MOST_DENOMINATOR = 4096
};

/* Scores stay below the first, outputs over denominator 1 below the second: a numerator is then
 * below 2^50, and a difference of two over a common denominator below 2^63. */
#define MOST_SCORE 0x1p61
#define MOST_OUTPUT 0x1p38

/* The state of a position: not computed, known, not a fraction of small integers. */
enum { UNKNOWN, KNOWN, NONE };

typedef attest_filter_integers integers;

void attest_filter_integers_begin(integers *n, const attest_filter_shape *shape,
                                  const attest_filter_instance *instance, size_t positions)
{
    n->shape = shape;
    n->instance = instance;
    n->positions = positions;
    n->tried = n->usable = false;
    memset(n->state, UNKNOWN, sizeof n->state);
    memset(n->seen, 0, sizeof n->seen);
}

/* The lowest bit that is set in any of the numbers; INT_MAX if they are all 0. False when one
 * is not finite. */
static bool find_lowest_bit(int *lowest, const double *x, size_t count)
{
    *lowest = INT_MAX;
    for (size_t e = 0; e < count; e++) {
        int exponent, bit;
        uint64_t mantissa;

        if (!isfinite(x[e]))
            return false;
        if (x[e] == 0)
            continue;
        mantissa = (uint64_t)ldexp(fabs(frexp(x[e], &exponent)), 53);
        bit = exponent - 53 + __builtin_ctzll(mantissa);
        *lowest = bit < *lowest ? bit : *lowest;
    }
    return true;
}

/* The largest |x[e]| / 2^bit, at least 1. */
static double most_units(const double *x, size_t count, int bit)
{
    double most = 1;

    for (size_t e = 0; e < count; e++)
        most = fmax(most, ldexp(fabs(x[e]), -bit));
    return most;
}

/* product = a^T b (dim x dim) from two matrices of size rows, divided by the square of 2^bit.
 */
static void multiply(int64_t *product, const double *a, const double *b, size_t size,
                     size_t dim, int bit, bool transposed)
{
    double factor = ldexp(1, -bit);

    for (size_t i = 0; i < dim; i++) {
        for (size_t j = 0; j < dim; j++) {
            double sum = 0; /* of integers below 2^53: exact */
            for (size_t r = 0; r < size; r++)
                sum += (transposed ? a[r * dim + i] : a[i * size + r]) * factor *
                       (b[r * dim + j] * factor);
            product[i * dim + j] = (int64_t)sum;
        }
    }
}

/* True if all numbers are small enough, for these lowest bits of tokens and weights. */
static bool fits(integers *n, int token_bit, int weight_bit)
{
    const attest_filter_shape *shape = n->shape;
    double dim = (double)shape->dim, size = (double)shape->size, heads = (double)shape->heads;
    size_t weights = 4 * shape->heads * shape->size * shape->dim;
    /* x and w are at least 1, so a limit on a product of them is a limit on each factor:
     * entries and sums of products in multiply() are integers below MOST_OUTPUT. */
    double x = most_units(n->instance->token, n->positions * shape->dim, token_bit);
    double w = most_units(n->instance->weight, weights, weight_bit);
    double product = size * w * w, skip = ldexp(1, -2 * weight_bit);

    n->skip = shape->skip ? (int64_t)(skip < MOST_OUTPUT ? skip : 0) : 0;
    return ATTEST_TERM(integers_score, dim * dim * x * x * product) < MOST_SCORE &&
           (shape->skip ? ATTEST_TERM(integers_skip, skip * x) : 0) +
                   ATTEST_TERM(integers_heads, heads * dim * x * product) <
               MOST_OUTPUT;
}

static bool prepare(integers *n)
{
    const attest_filter_shape *shape = n->shape;
    size_t dim = shape->dim, size = shape->size, each = dim * size;
    const double *weight = n->instance->weight;
    int token_bit, weight_bit;

    if (dim > DIM || shape->heads > HEADS || n->positions > ATTEST_FILTER_INTEGERS_POSITIONS ||
        !find_lowest_bit(&token_bit, n->instance->token, n->positions * dim) ||
        !find_lowest_bit(&weight_bit, weight, 4 * shape->heads * each))
        return false;
    token_bit = token_bit == INT_MAX ? 0 : token_bit;
    weight_bit =
        weight_bit > 0
            ? 0
            : weight_bit; /* the skip adds tokens, so the unit of weights is at most 1 */
    if (weight_bit < -16 || abs(token_bit) > 400 || !fits(n, token_bit, weight_bit))
        return false;
    n->exponent = token_bit + 2 * weight_bit;
    for (size_t e = 0; e < n->positions * dim; e++)
        n->token[e] = (int64_t)ldexp(n->instance->token[e], -token_bit);
    for (size_t h = 0; h < shape->heads; h++, weight += 4 * each) {
        multiply(n->score[h], weight + each, weight, size, dim, weight_bit, true);
        multiply(n->value[h], weight + 3 * each, weight + 2 * each, size, dim, weight_bit,
                 false);
    }
    return true;
}

/* y = A x. */
static void apply(int64_t *y, const int64_t *a, const int64_t *x, size_t dim)
{
    for (size_t i = 0; i < dim; i++) {
        y[i] = 0;
        for (size_t c = 0; c < dim; c++)
            y[i] += a[i * dim + c] * x[c];
    }
}

static int64_t dot(const int64_t *x, const int64_t *y, size_t dim)
{
    int64_t sum = 0;

    for (size_t c = 0; c < dim; c++)
        sum += x[c] * y[c];
    return sum;
}

/* The tokens that a position sees, from the first token of its sequence on. */
typedef struct context {
    const int64_t *token;
    size_t seen;
} context;

static context get_context(const integers *n, size_t position)
{
    const attest_filter_instance *instance = n->instance;
    size_t first = 0, s = 0;

    while (position - first >= instance->length[s])
        first += instance->length[s++];
    return (context){n->token + first * n->shape->dim, n->shape->mask == ATTEST_MASK_CAUSAL
                                                           ? position - first + 1
                                                           : instance->length[s]};
}

/* True if W_O W_V x is equal for all visible tokens. */
static bool has_one_value(const integers *n, size_t h, const context *of)
{
    size_t dim = n->shape->dim;
    int64_t apart[DIM], moved[DIM];

    for (size_t j = 1; j < of->seen; j++) {
        for (size_t c = 0; c < dim; c++)
            apart[c] = of->token[j * dim + c] - of->token[c];
        apply(moved, n->value[h], apart, dim);
        for (size_t c = 0; c < dim; c++)
            if (moved[c] != 0)
                return false;
    }
    return true;
}

/* sum = the sum of the tokens that share the weight of head h, *count = their number: the
 * winners of hardmax, or all tokens of softmax if their weights or values are equal; else
 * false. */
static bool sum_equal_weights(int64_t *sum, int64_t *count, const integers *n, size_t h,
                              const context *of, const int64_t *query)
{
    size_t dim = n->shape->dim;
    bool hardmax = n->shape->activation == ATTEST_HARDMAX, differ = false;
    int64_t along[DIM], most = INT64_MIN;

    apply(along, n->score[h], query, dim);
    *count = 0;
    for (size_t j = 0; j < of->seen; j++) {
        int64_t score = dot(along, of->token + j * dim, dim);

        differ = differ || (j > 0 && score != most);
        if (score < most ||
            (score == most && n->shape->ties == ATTEST_TIES_LEFTMOST && hardmax))
            continue;
        if (score > most) {
            most = score;
            *count = 0;
            memset(sum, 0, dim * sizeof *sum);
        }
        ++*count;
        for (size_t c = 0; c < dim; c++)
            sum[c] += of->token[j * dim + c];
    }
    if (hardmax || !differ)
        return true;
    if (!has_one_value(n, h, of))
        return false;
    memcpy(sum, of->token, dim * sizeof *sum);
    *count = 1;
    return true;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Computes the output at a position over the least common denominator of its heads; false if it
 * is not a fraction of small integers. */
static bool compute(integers *n, size_t position)
{
    size_t dim = n->shape->dim, heads = n->shape->heads;
    const int64_t *query = n->token + position * dim;
    int64_t sum[HEADS][DIM], count[HEADS], common = 1, moved[DIM];
    int64_t *out = n->numerator + position * dim;
    context of = get_context(n, position);

    for (size_t h = 0; h < heads; h++) {
        if (!sum_equal_weights(sum[h], &count[h], n, h, &of, query))
            return false;
        common *= count[h] / greatest_divisor(common, count[h]);
        if (ATTEST_TERM(integers_denominator, common) > MOST_DENOMINATOR)
            return false;
    }
    for (size_t c = 0; c < dim; c++)
        out[c] = n->skip * query[c] * common;
    for (size_t h = 0; h < heads; h++) {
        apply(moved, n->value[h], sum[h], dim);
        for (size_t c = 0; c < dim; c++)
            out[c] += moved[c] * (common / count[h]);
    }
    n->denominator[position] = common;
    return true;
}

static bool is_usable(integers *n)
{
    if (!n->tried)
        n->usable = prepare(n);
    n->tried = true;
    return n->usable;
}

static bool is_known(integers *n, size_t position)
{
    if (!is_usable(n))
        return false;
    if (n->state[position] == UNKNOWN)
        n->state[position] = compute(n, position) ? KNOWN : NONE;
    return n->state[position] == KNOWN;
}

bool attest_filter_integers_get(double *centre, double *radius, integers *n, size_t position)
{
    size_t dim = n->shape->dim;
    double size = 0;

    if (!is_known(n, position))
        return false;
    for (size_t c = 0; c < dim; c++) {
        /* Numerators are below 2^50: one rounding, and none of the power of two. */
        centre[c] =
            ldexp((double)n->numerator[position * dim + c] / (double)n->denominator[position],
                  n->exponent);
        size += fabs(centre[c]);
    }
    *radius = ATTEST_TERM(integers_quotient, size * 0x1p-51) + 0x1p-1000;
    return true;
}

bool attest_filter_integers_compare(bool *equal, double *square, integers *n, size_t a,
                                    size_t b)
{
    size_t dim = n->shape->dim;
    const int64_t *x = n->numerator + a * dim, *y = n->numerator + b * dim;
    double common;

    if (!is_known(n, a) || !is_known(n, b))
        return false;
    common = (double)(n->denominator[a] * n->denominator[b]);
    *equal = true;
    *square = 0;
    for (size_t c = 0; c < dim; c++) {
        int64_t apart = x[c] * n->denominator[b] - y[c] * n->denominator[a];
        double difference = ldexp((double)apart / common, n->exponent);

        *equal = *equal && apart == 0;
        *square += difference * difference;
    }
    return true;
}

/* Ranks the keys that a position sees by score; false if there are too many. */
static bool rank(integers *n, size_t position)
{
    size_t dim = n->shape->dim, first;
    context of = get_context(n, position);
    int64_t along[DIM], *score = n->ranked[position];

    if (n->seen[position] != 0)
        return n->seen[position] > 0;
    n->seen[position] = of.seen <= ATTEST_FILTER_INTEGERS_SEEN ? (signed char)of.seen : -1;
    if (n->seen[position] < 0)
        return false;
    first = (size_t)(of.token - n->token) / dim;
    apply(along, n->score[0], n->token + position * dim, dim);
    for (size_t j = 0; j < of.seen; j++) {
        int64_t own = dot(along, of.token + j * dim, dim);
        size_t at = j;

        for (; at > 0 && score[at - 1] < own; at--) {
            score[at] = score[at - 1];
            n->rank[position][at] = n->rank[position][at - 1];
        }
        score[at] = own;
        n->rank[position][at] = (unsigned char)(first + j);
        apply(n->moved + (first + j) * dim, n->value[0], of.token + j * dim, dim);
    }
    return true;
}

/* sum += the coefficients that token i that a attends to and token j that b attends to give to
 * the exponential of both scores. */
static void add_product(int64_t *sum, const integers *n, const int64_t *skip, size_t a,
                        size_t i, size_t b, size_t j)
{
    size_t dim = n->shape->dim;
    const int64_t *x = n->moved + n->rank[a][i] * dim, *y = n->moved + n->rank[b][j] * dim;

    for (size_t c = 0; c < dim; c++)
        sum[c] += skip[c] + x[c] - y[c];
}

static bool is_zero(const int64_t *x, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (x[c] != 0)
            return false;
    return true;
}

/* True if the coefficients of every exponential are 0. Goes through the sums of scores of
 * the tokens that a and b see, from the highest down: every token of a has reached some
 * token of b, and those with the highest sum advance. */
static bool vanishes(const integers *n, const int64_t *skip, size_t a, size_t b)
{
    size_t of_a = (size_t)n->seen[a], of_b = (size_t)n->seen[b];
    size_t next[ATTEST_FILTER_INTEGERS_SEEN] = {0};
    const int64_t *x = n->ranked[a], *y = n->ranked[b];

    while (next[of_a - 1] < of_b) { /* the lowest score reaches the end last */
        int64_t highest = INT64_MIN, sum[DIM] = {0};

        for (size_t i = 0; i < of_a; i++)
            if (next[i] < of_b && x[i] + y[next[i]] > highest)
                highest = x[i] + y[next[i]];
        for (size_t i = 0; i < of_a; i++)
            for (; next[i] < of_b && x[i] + y[next[i]] == highest; next[i]++)
                add_product(sum, n, skip, a, i, b, next[i]);
        if (!is_zero(sum, n->shape->dim))
            return false;
    }
    return true;
}

int attest_filter_integers_compare_softmax(integers *n, size_t a, size_t b)
{
    size_t dim = n->shape->dim;
    int64_t skip[DIM];

    if (n->shape->heads != 1 || n->shape->activation != ATTEST_SOFTMAX || !is_usable(n) ||
        !rank(n, a) || !rank(n, b))
        return 0;
    for (size_t c = 0; c < dim; c++)
        skip[c] = n->skip * (n->token[a * dim + c] - n->token[b * dim + c]);
    return vanishes(n, skip, a, b) ? -1 : 1;
}
