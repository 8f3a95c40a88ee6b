/* data.c -- the data of the kernel tests: ordinary, and made to provoke. */
#include "tests/kernel/oracle.h"

double random_unit(uint64_t *state)
{
    return (double)(int64_t)tap_random(state) * 0x1p-63;
}

double random_bits(uint64_t *state)
{
    uint64_t bits = tap_random(state);
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

double random_normal(uint64_t *state)
{
    double sum = 0.0;

    for (int i = 0; i < 6; i++)
        sum += random_unit(state);
    return sum * 0.7071067811865476;
}

const char *const problem_kind_name[PROBLEM_KINDS] = {
    "normal",           "peaked",         "small integers",      "repeated tokens",
    "mixed magnitudes", "large scores",   "subnormal values",    "huge values",
    "near ties",        "self-attention", "underflowing scores",
};

/* A random number times 2^(most - a random number below span). The draws stand in statements of
 * their own: no language rule says which of two arguments is evaluated first. */
static double random_scaled(uint64_t *state, int most, unsigned span)
{
    int exponent = most - (int)(tap_random(state) % span);

    return ldexp(random_unit(state), exponent);
}

static double entry(unsigned kind, uint64_t *state, bool value)
{
    switch (kind) {
    case 1: /* one weight is nearly 1 */
        return random_normal(state) * (value ? 1.0 : 6.0);
    case 2: /* exact scores, many ties */
        return (double)((int64_t)(tap_random(state) % 5) - 2);
    case 4:
        return random_scaled(state, 9, 60);
    case 5: /* differences of scores in the hundreds: weights underflow */
        return random_normal(state) * (value ? 1.0 : 25.0);
    case 6:
        return value ? random_unit(state) * 0x1p-1060 : random_unit(state) * 0x1p-300;
    case 7:
        return value ? random_unit(state) * 0x1p+1000 : random_normal(state);
    case 10: /* scores are subnormal, and so are the squares of norms */
        return value ? random_normal(state) : random_scaled(state, -520, 24);
    default:
        return random_normal(state);
    }
}

void problem_fill(struct problem *problem, unsigned kind, uint64_t *state)
{
    const size_t d = problem->d, rows = problem->batch * problem->n, size = rows * d;

    /* Scores near 2^-560 whose squares underflow although they do not, and nearly tie. */
    const bool close = kind == 10 && tap_random(state) % 2;

    for (size_t i = 0; i < size; i++) {
        problem->q[i] = entry(kind, state, false);
        problem->k[i] = entry(kind, state, false);
        problem->v[i] = entry(kind, state, true);
        if (close) {
            problem->q[i] = random_normal(state) * 0x1p-280;
            problem->k[i] = random_normal(state) * 0x1p-280;
        }
    }
    /* Longer sequences have values far from 0, now and then. */
    for (size_t i = 0; problem->n > 128 && kind <= 1 && i < size; i++)
        problem->v[i] += tap_random(state) % size == 0 ? 1e3 : 3.0;
    for (size_t r = 1; r < rows; r++) {
        size_t other = tap_random(state) % r;
        double *key = problem->k + r * d;

        if (kind == 3 && tap_random(state) % 2)
            memcpy(key, problem->k + other * d, d * sizeof *key);
        if (kind == 8 || close) { /* keys that differ in a last bit, or are permuted */
            memcpy(key, problem->k, d * sizeof *key);
            key[tap_random(state) % d] *= 1.0 + 0x1p-52 * (double)(tap_random(state) % 3);
        }
    }
    if (kind == 9) {
        memcpy(problem->k, problem->q, size * sizeof *problem->k);
        memcpy(problem->v, problem->q, size * sizeof *problem->v);
    }
}
