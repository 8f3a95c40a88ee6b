/* brute.c -- Definition 2 by comparing every pair of positions. */
#include "props/brute.h"

#include "base/memory.h"
#include "number/scope.h"

void attest_brute_init(attest_brute *brute)
{
    *brute = (attest_brute){0};
    arb_init(brute->separation), arb_init(brute->norm);
    fmpq_init(brute->exact_separation), fmpq_init(brute->exact_norm);
}

void attest_brute_clear(attest_brute *brute)
{
    arb_clear(brute->separation), arb_clear(brute->norm);
    fmpq_clear(brute->exact_separation), fmpq_clear(brute->exact_norm);
}

/* sum = |x - y|^2, or |x|^2 for y = NULL. */
static void square_exact(fmpq_t sum, const fmpq *x, const fmpq *y, size_t dim)
{
    FMPQ(z);

    fmpq_zero(sum);
    for (size_t c = 0; c < dim; c++) {
        fmpq_set(z, x + c);
        if (y)
            fmpq_sub(z, z, y + c);
        fmpq_addmul(sum, z, z);
    }
}

static void square_ball(arb_t sum, arb_srcptr x, arb_srcptr y, size_t dim, long bits)
{
    ARB(z);

    arb_zero(sum);
    for (size_t c = 0; c < dim; c++) {
        arb_set(z, x + c);
        if (y)
            arb_sub(z, z, y + c, bits);
        arb_mul(z, z, z, bits);
        arb_add(sum, sum, z, bits);
    }
}

/* Returns whether this is the largest precision. */
static bool is_last(long bits)
{
    return 2 * bits > ATTEST_BRUTE_MAX_BITS;
}

static void note_pair(attest_brute *brute, attest_place a, attest_place b)
{
    brute->pair[0] = a;
    brute->pair[1] = b;
}

static void look_exact(attest_brute *brute, const attest_oracle *oracle, const fmpq *out)
{
    const attest_dataset *d = oracle->dataset;
    attest_place a = {0, 0}, b;
    FMPQ(square);

    do {
        const fmpq *x = out + (d->start[a.sequence] + a.position) * d->dim;
        square_exact(square, x, NULL, d->dim);
        if (fmpq_cmp(square, brute->exact_norm) > 0)
            fmpq_set(brute->exact_norm, square);
        for (b = a; attest_oracle_next(&b, d);) {
            if (!attest_oracle_required(oracle, a, b))
                continue;
            const fmpq *y = out + (d->start[b.sequence] + b.position) * d->dim;
            square_exact(square, x, y, d->dim);
            if (brute->required++ == 0 || fmpq_cmp(square, brute->exact_separation) < 0) {
                fmpq_set(brute->exact_separation, square);
                note_pair(brute, a, b);
            }
        }
    } while (attest_oracle_next(&a, d));
}

static void decide_hardmax(attest_brute *brute, const attest_oracle *oracle)
{
    const attest_dataset *d = oracle->dataset;
    FMPQ_VEC(out, (slong)(d->total * d->dim));
    fmpq *next = out;
    attest_place a = {0, 0};

    do {
        attest_oracle_hardmax(next, oracle, a);
        next += d->dim;
    } while (attest_oracle_next(&a, d));
    look_exact(brute, oracle, out);
    brute->collision = brute->required && fmpq_is_zero(brute->exact_separation);
    arb_set_fmpq(brute->norm, brute->exact_norm, ATTEST_BRUTE_BITS);
    if (brute->required)
        arb_set_fmpq(brute->separation, brute->exact_separation, ATTEST_BRUTE_BITS);
    else
        arb_pos_inf(brute->separation);
}

/* Returns whether an earlier position of the sequence has the same token and, without a mask,
 * therefore the same output, so that its pairs have been compared. */
static bool is_repeated(const attest_oracle *oracle, attest_place a)
{
    uint32_t token = attest_dataset_token(oracle->dataset, a.sequence, a.position);

    for (size_t k = 0; k < a.position && oracle->weights->mask == ATTEST_MASK_NONE; k++)
        if (attest_dataset_token(oracle->dataset, a.sequence, k) == token)
            return true;
    return false;
}

/* Outputs in balls, each with its own precision. */
typedef struct outputs {
    const attest_oracle *oracle;
    arb_ptr value; /* dim of each position */
    long *bits;
} outputs;

static size_t position_of(const outputs *out, attest_place a)
{
    return out->oracle->dataset->start[a.sequence] + a.position;
}

/* Evaluates the output at a place in balls of this precision, unless it already has it. */
static void evaluate(outputs *out, attest_place a, long bits)
{
    size_t p = position_of(out, a);

    if (out->bits[p] >= bits)
        return;
    attest_oracle_softmax(out->value + p * out->oracle->dataset->dim, out->oracle, a, bits);
    out->bits[p] = bits;
}

/* square = |x - y|^2 for the outputs at two places, |x|^2 where they are one. Returns the least
 * of their precisions. */
static long get_square(arb_t square, const outputs *out, attest_place a, attest_place b)
{
    size_t p = position_of(out, a), q = position_of(out, b), dim = out->oracle->dataset->dim;
    long most = out->bits[p] > out->bits[q] ? out->bits[p] : out->bits[q];

    square_ball(square, out->value + p * dim, p == q ? NULL : out->value + q * dim, dim, most);
    return out->bits[p] < out->bits[q] ? out->bits[p] : out->bits[q];
}

/* Outputs that are not known to be equal, at the precision of get_square: square is made
 * positive, or the precision ends. Only these two are evaluated anew. */
static void tell_apart(arb_t square, outputs *out, attest_place a, attest_place b, long bits)
{
    while (!arb_is_positive(square) && !is_last(bits)) {
        evaluate(out, a, 2 * bits);
        evaluate(out, b, 2 * bits);
        bits = get_square(square, out, a, b);
    }
}

/* Compares one required pair; returns whether it is decided. */
static bool look_at_pair(attest_brute *brute, outputs *out, attest_place a, attest_place b)
{
    int equal = 0;
    long bits;

    brute->required++;
    if (is_repeated(out->oracle, a) || is_repeated(out->oracle, b))
        return true;
    ARB(square);
    bits = get_square(square, out, a, b);
    if (!arb_is_positive(square))
        equal = attest_oracle_equal(out->oracle, a, b);
    if (equal != 1)
        tell_apart(square, out, a, b, bits);
    if (equal < 0 && arb_is_positive(square))
        equal = 0;
    if (!brute->collision &&
        (equal == 1 || arf_cmp(arb_midref(square), arb_midref(brute->separation)) < 0))
        note_pair(brute, a, b);
    brute->collision = brute->collision || equal == 1;
    brute->tiny = brute->tiny || (equal == 0 && !arb_is_positive(square));
    arb_min(brute->separation, brute->separation, square, ATTEST_BRUTE_BITS);
    return equal >= 0;
}

static bool look_ball(attest_brute *brute, outputs *out)
{
    const attest_dataset *d = out->oracle->dataset;
    attest_place a = {0, 0}, b;
    bool decided = true;
    ARB(square);

    arb_pos_inf(brute->separation);
    do {
        if (!is_repeated(out->oracle, a)) {
            (void)get_square(square, out, a, a);
            arb_max(brute->norm, brute->norm, square, ATTEST_BRUTE_BITS);
        }
        for (b = a; decided && attest_oracle_next(&b, d);)
            if (attest_oracle_required(out->oracle, a, b))
                decided = look_at_pair(brute, out, a, b);
    } while (decided && attest_oracle_next(&a, d));
    if (brute->collision)
        arb_zero(brute->separation);
    arb_nonnegative_part(brute->separation, brute->separation);
    return decided;
}

static attest_status decide_softmax(attest_brute *brute, const attest_oracle *oracle)
{
    const attest_dataset *d = oracle->dataset;
    long *bits ATTEST_FREED = attest_memory_alloc(d->total, sizeof *bits);
    ARB_VEC(value, (slong)(d->total * d->dim));
    outputs out = {.oracle = oracle, .value = value, .bits = bits};
    attest_place a = {0, 0};

    if (!bits)
        return ATTEST_NOMEM;
    do
        if (!is_repeated(oracle, a))
            evaluate(&out, a, ATTEST_BRUTE_BITS);
    while (attest_oracle_next(&a, d));
    brute->open = !look_ball(brute, &out);
    return ATTEST_OK;
}

attest_status attest_brute_get(attest_brute *brute, const attest_dataset *dataset,
                               const attest_weights *weights)
{
    attest_oracle oracle ATTEST_CLEARED_BY(attest_oracle_clear);

    ATTEST_TRY(attest_oracle_init(&oracle, dataset, weights));
    if (weights->activation != ATTEST_HARDMAX)
        return decide_softmax(brute, &oracle);
    decide_hardmax(brute, &oracle);
    return ATTEST_OK;
}
