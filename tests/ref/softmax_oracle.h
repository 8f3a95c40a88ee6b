/* softmax_oracle.h -- a brute-force oracle for contextual mappings on tiny integer instances.
 *
 * Everything by another route than the library: values straight from the definition, no
 * interning, no max-subtraction, 4000 bits for all pairs, and equality by collecting the terms
 * of the cross-multiplied sums of exponentials in a plain list. One entry per token (d = 1) and
 * integer scores; sizes are those of the test. */
#ifndef ATTEST_TESTS_REF_SOFTMAX_ORACLE_H
#define ATTEST_TESTS_REF_SOFTMAX_ORACLE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <attest/flint.h>

enum { ORACLE_SEQUENCES = 4, ORACLE_LENGTH = 5, ORACLE_HEADS = 2, ORACLE_BITS = 4000 };

/* F(x)_k = skip x_k + sum_h value_h * (sum_j x_j e^{score_h x_j x_k}) / (sum_j e^{...}). */
typedef struct oracle_instance {
    size_t sequences, heads;
    size_t length[ORACLE_SEQUENCES];
    long token[ORACLE_SEQUENCES][ORACLE_LENGTH];
    long score[ORACLE_HEADS];
    fmpq value[ORACLE_HEADS];
    bool skip, causal;
} oracle_instance;

static size_t oracle_seen(const oracle_instance *o, size_t i, size_t k)
{
    return o->causal ? k + 1 : o->length[i];
}

static bool oracle_holds(const oracle_instance *o, size_t i, size_t seen, long token)
{
    for (size_t j = 0; j < seen; j++)
        if (o->token[i][j] == token)
            return true;
    return false;
}

/* Returns whether the pair is required, by comparing sets element by element. */
static bool oracle_required(const oracle_instance *o, size_t i, size_t k, size_t j, size_t l)
{
    size_t a = oracle_seen(o, i, k), b = oracle_seen(o, j, l);

    if (o->token[i][k] != o->token[j][l])
        return true;
    for (size_t m = 0; m < a; m++)
        if (!oracle_holds(o, j, b, o->token[i][m]))
            return true;
    for (size_t m = 0; m < b; m++)
        if (!oracle_holds(o, i, a, o->token[j][m]))
            return true;
    return false;
}

static void oracle_output(arb_t out, const oracle_instance *o, size_t i, size_t k)
{
    arb_t e, n, z;

    arb_init(e), arb_init(n), arb_init(z);
    arb_set_si(out, o->skip ? o->token[i][k] : 0);
    for (size_t h = 0; h < o->heads; h++) {
        arb_zero(n), arb_zero(z);
        for (size_t j = 0; j < oracle_seen(o, i, k); j++) {
            arb_set_si(e, o->score[h] * o->token[i][j] * o->token[i][k]);
            arb_exp(e, e, ORACLE_BITS);
            arb_add(z, z, e, ORACLE_BITS);
            arb_mul_si(e, e, o->token[i][j], ORACLE_BITS);
            arb_add(n, n, e, ORACLE_BITS);
        }
        arb_div(n, n, z, ORACLE_BITS);
        arb_mul_fmpz(n, n, fmpq_numref(o->value + h), ORACLE_BITS);
        arb_div_fmpz(n, n, fmpq_denref(o->value + h), ORACLE_BITS);
        arb_add(out, out, n, ORACLE_BITS);
    }
    arb_clear(e), arb_clear(n), arb_clear(z);
}

/* sum of coefficient_m e^m, m = -range .. range, as an array. */
enum { ORACLE_RANGE = 4096 };
typedef struct oracle_sum {
    fmpq term[2 * ORACLE_RANGE + 1];
} oracle_sum;

static oracle_sum *oracle_sum_new(void)
{
    oracle_sum *s = calloc(1, sizeof *s);

    for (size_t m = 0; m <= 2 * ORACLE_RANGE; m++)
        fmpq_init(s->term + m);
    return s;
}

static void oracle_sum_free(oracle_sum *s)
{
    for (size_t m = 0; m <= 2 * ORACLE_RANGE; m++)
        fmpq_clear(s->term + m);
    free(s);
}

/* a = a * (sum over keys of c_j e^{s_j}), c_j = x_j or 1. Exponents stay inside the range for
 * tokens up to 4, scores up to 3, and four factors. */
static void oracle_multiply(oracle_sum *a, const oracle_instance *o, size_t i, size_t k,
                            size_t h, bool weighted)
{
    oracle_sum *p = oracle_sum_new();
    fmpq_t c;

    fmpq_init(c);
    for (size_t j = 0; j < oracle_seen(o, i, k); j++) {
        long s = o->score[h] * o->token[i][j] * o->token[i][k];
        fmpq_set_si(c, weighted ? o->token[i][j] : 1, 1);
        for (long m = 0; m <= 2 * ORACLE_RANGE; m++)
            if (!fmpq_is_zero(a->term + m))
                fmpq_addmul(p->term + m + s, a->term + m, c);
    }
    for (size_t m = 0; m <= 2 * ORACLE_RANGE; m++)
        fmpq_swap(a->term + m, p->term + m);
    fmpq_clear(c);
    oracle_sum_free(p);
}

/* Adds factor * (numerator of one fraction) * (all other denominators); fraction SIZE_MAX is
 * the constant. Fractions: head h of the first output is 2 h, of the second one 2 h + 1. */
static void oracle_add(oracle_sum *total, const oracle_instance *o, const size_t p[2][2],
                       size_t fraction, const fmpq_t factor)
{
    oracle_sum *s = oracle_sum_new();

    fmpq_set(s->term + ORACLE_RANGE, factor);
    for (size_t f = 0; f < 2 * o->heads; f++)
        oracle_multiply(s, o, p[f % 2][0], p[f % 2][1], f / 2, f == fraction);
    for (size_t m = 0; m <= 2 * ORACLE_RANGE; m++)
        fmpq_add(total->term + m, total->term + m, s->term + m);
    oracle_sum_free(s);
}

/* Returns whether the outputs are equal: all collected coefficients vanish. */
static bool oracle_equal(const oracle_instance *o, const size_t p[2][2])
{
    oracle_sum *total = oracle_sum_new();
    bool equal = true;
    fmpq_t factor;

    fmpq_init(factor);
    fmpq_set_si(factor, o->skip ? o->token[p[0][0]][p[0][1]] - o->token[p[1][0]][p[1][1]] : 0,
                1);
    oracle_add(total, o, p, SIZE_MAX, factor);
    for (size_t f = 0; f < 2 * o->heads; f++) {
        fmpq_set(factor, o->value + f / 2);
        if (f % 2)
            fmpq_neg(factor, factor);
        oracle_add(total, o, p, f, factor);
    }
    for (size_t m = 0; m <= 2 * ORACLE_RANGE && equal; m++)
        equal = fmpq_is_zero(total->term + m);
    fmpq_clear(factor);
    oracle_sum_free(total);
    return equal;
}

/* What the oracle finds. */
typedef struct oracle_verdict {
    size_t required;   /* pairs */
    bool equal;        /* a required pair has equal outputs */
    size_t pair[2][2]; /* the first of them */
    arb_t least, most; /* the least separation otherwise, and the largest norm */
} oracle_verdict;

static void oracle_decide(oracle_verdict *v, const oracle_instance *o)
{
    arb_ptr out = _arb_vec_init(ORACLE_SEQUENCES * ORACLE_LENGTH);
    arb_t d;

    arb_init(d);
    v->required = 0;
    v->equal = false;
    arb_pos_inf(v->least);
    arb_zero(v->most);
    for (size_t i = 0; i < o->sequences; i++)
        for (size_t k = 0; k < o->length[i]; k++)
            oracle_output(out + i * ORACLE_LENGTH + k, o, i, k);
    for (size_t a = 0; a < ORACLE_SEQUENCES * ORACLE_LENGTH; a++) {
        size_t i = a / ORACLE_LENGTH, k = a % ORACLE_LENGTH;
        if (i >= o->sequences || k >= o->length[i])
            continue;
        arb_abs(d, out + a);
        arb_max(v->most, v->most, d, ORACLE_BITS);
        for (size_t b = a + 1; b < ORACLE_SEQUENCES * ORACLE_LENGTH; b++) {
            size_t p[2][2] = {{i, k}, {b / ORACLE_LENGTH, b % ORACLE_LENGTH}};
            if (p[1][0] >= o->sequences || p[1][1] >= o->length[p[1][0]] ||
                !oracle_required(o, i, k, p[1][0], p[1][1]))
                continue;
            v->required++;
            arb_sub(d, out + a, out + b, ORACLE_BITS);
            if (arb_contains_zero(d) && !v->equal && oracle_equal(o, p)) {
                v->equal = true;
                memcpy(v->pair, p, sizeof p);
            }
            arb_abs(d, d);
            arb_min(v->least, v->least, d, ORACLE_BITS);
        }
    }
    arb_clear(d);
    _arb_vec_clear(out, ORACLE_SEQUENCES * ORACLE_LENGTH);
}

#endif
