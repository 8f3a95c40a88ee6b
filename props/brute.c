/* brute.c -- Definition 2 by looking at every pair of positions. */
#include "props/brute.h"

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
    fmpq_t z;

    fmpq_init(z);
    fmpq_zero(sum);
    for (size_t c = 0; c < dim; c++) {
        fmpq_set(z, x + c);
        if (y)
            fmpq_sub(z, z, y + c);
        fmpq_addmul(sum, z, z);
    }
    fmpq_clear(z);
}

static void square_ball(arb_t sum, arb_srcptr x, arb_srcptr y, size_t dim, long bits)
{
    arb_t z;

    arb_init(z);
    arb_zero(sum);
    for (size_t c = 0; c < dim; c++) {
        arb_set(z, x + c);
        if (y)
            arb_sub(z, z, y + c, bits);
        arb_mul(z, z, z, bits);
        arb_add(sum, sum, z, bits);
    }
    arb_clear(z);
}

/* Whether precision ends here. */
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
    fmpq_t square;

    fmpq_init(square);
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
    fmpq_clear(square);
}

static void decide_hardmax(attest_brute *brute, const attest_oracle *oracle)
{
    const attest_dataset *d = oracle->dataset;
    fmpq *out = _fmpq_vec_init((slong)(d->total * d->dim)), *next = out;
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
    _fmpq_vec_clear(out, (slong)(d->total * d->dim));
}

/* Whether an earlier position of the sequence has the same output for sure, so that its pairs
 * were looked at there. */
static bool is_repeated(const attest_oracle *oracle, attest_place a)
{
    uint32_t token = attest_dataset_token(oracle->dataset, a.sequence, a.position);

    for (size_t k = 0; k < a.position && oracle->weights->mask == ATTEST_MASK_NONE; k++)
        if (attest_dataset_token(oracle->dataset, a.sequence, k) == token)
            return true;
    return false;
}

/* One required pair. Returns whether it is decided at this precision. */
static bool look_at_pair(attest_brute *brute, const attest_oracle *oracle, attest_place a,
                         attest_place b, const arb_t square, long bits)
{
    bool positive = arb_is_positive(square);
    int equal;

    if (is_repeated(oracle, a) || is_repeated(oracle, b)) {
        brute->required++;
        return true;
    }
    equal = positive ? 0 : attest_oracle_equal(oracle, a, b);

    if (brute->required++ == 0 ||
        (!brute->collision && arf_cmp(arb_midref(square), arb_midref(brute->separation)) < 0))
        note_pair(brute, a, b);
    if (equal == 1) {
        if (!brute->collision)
            note_pair(brute, a, b);
        brute->collision = true;
        return true;
    }
    if (!positive && (equal != 0 || !is_last(bits)))
        return false;
    brute->tiny = brute->tiny || !positive;
    arb_min(brute->separation, brute->separation, square, bits);
    return true;
}

static bool look_ball(attest_brute *brute, const attest_oracle *oracle, arb_srcptr out,
                      long bits)
{
    const attest_dataset *d = oracle->dataset;
    attest_place a = {0, 0}, b;
    bool decided = true;
    arb_t square;

    arb_init(square);
    arb_pos_inf(brute->separation);
    arb_zero(brute->norm);
    brute->required = 0;
    brute->collision = brute->tiny = false;
    do {
        arb_srcptr x = out + (d->start[a.sequence] + a.position) * d->dim;
        square_ball(square, x, NULL, d->dim, bits);
        arb_max(brute->norm, brute->norm, square, bits);
        for (b = a; decided && attest_oracle_next(&b, d);) {
            if (!attest_oracle_required(oracle, a, b))
                continue;
            square_ball(square, x, out + (d->start[b.sequence] + b.position) * d->dim, d->dim,
                        bits);
            decided = look_at_pair(brute, oracle, a, b, square, bits);
        }
    } while (decided && attest_oracle_next(&a, d));
    if (brute->collision)
        arb_zero(brute->separation);
    arb_nonnegative_part(brute->separation, brute->separation);
    arb_clear(square);
    return decided;
}

static void decide_softmax(attest_brute *brute, const attest_oracle *oracle)
{
    const attest_dataset *d = oracle->dataset;
    arb_ptr out = _arb_vec_init((slong)(d->total * d->dim));
    bool decided = false;

    for (long bits = ATTEST_BRUTE_BITS; !decided && bits <= ATTEST_BRUTE_MAX_BITS; bits *= 2) {
        attest_place a = {0, 0};
        arb_ptr next = out;
        do {
            attest_oracle_softmax(next, oracle, a, bits);
            next += d->dim;
        } while (attest_oracle_next(&a, d));
        decided = look_ball(brute, oracle, out, bits);
    }
    brute->open = !decided;
    _arb_vec_clear(out, (slong)(d->total * d->dim));
}

attest_status attest_brute_get(attest_brute *brute, const attest_dataset *dataset,
                               const attest_weights *weights)
{
    attest_oracle oracle;
    attest_status status = attest_oracle_init(&oracle, dataset, weights);

    if (status == ATTEST_OK) {
        if (weights->activation == ATTEST_HARDMAX)
            decide_hardmax(brute, &oracle);
        else
            decide_softmax(brute, &oracle);
    }
    attest_oracle_clear(&oracle);
    return status;
}
