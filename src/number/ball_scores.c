/* ball_scores.c -- one head's softmax weights from rounded scores, as balls. */
#include "number/ball_scores.h"

#include "number/ball_exp.h"
#include "number/integer_dot.h"
#include "number/scope.h"

/* Scores of 2^MOST_SIZE and more go the exact way, by their differences: exponents of unshifted
 * weights would not fit a word. With FEWEST keys or less exact differences leave little to
 * round, and one or two equal scores give weights without an error. */
enum { MOST_SIZE = 30, FEWEST = 2 };

void attest_ball_scores_init(attest_ball_scores *scores)
{
    *scores = (attest_ball_scores){0};
    arb_init(scores->one);
    arb_one(scores->one);
    arb_init(scores->inverse);
    arb_init(scores->score);
}

static void drop_keys(attest_ball_scores *scores)
{
    if (scores->count) {
        _arb_vec_clear(scores->key, (slong)(scores->count * scores->width));
        _arb_vec_clear(scores->query, (slong)scores->width);
    }
    scores->count = 0;
}

void attest_ball_scores_clear(attest_ball_scores *scores)
{
    drop_keys(scores);
    arb_clear(scores->one);
    arb_clear(scores->inverse);
    arb_clear(scores->score);
}

static slong most_bits(const fmpz *vector, size_t count)
{
    slong bits = _fmpz_vec_max_bits(vector, (slong)count);

    return bits < 0 ? -bits : bits;
}

/* The precision of a query's rounded scores, or 0 if exact ones are not longer or too large. */
static slong rounded_bits(slong key_bits, slong query_bits, size_t width,
                          const fmpz_t denominator, slong precision)
{
    /* |key . query| < 2^exact, and 2^(bits-1) <= denominator: |score| < 2^size. */
    slong exact = key_bits + query_bits + (slong)FLINT_BIT_COUNT(width);
    slong size = exact - (slong)fmpz_bits(denominator) + 1;
    slong wide = precision + 6 + (size > 0 ? size : 0);

    return wide < exact && size <= MOST_SIZE ? wide : 0;
}

/* Whether the differences of the scores of query are multiples of one step. */
static bool has_step(const fmpz *key, size_t count, size_t width, const fmpz *query,
                     slong precision)
{
    FMPZ_VEC(difference, (slong)count);

    for (size_t j = 0; j < count; j++) {
        attest_integer_dot(difference + j, key + j * width, query, width);
        if (j > 0)
            fmpz_sub(difference + j, difference + j, difference);
    }
    return attest_ball_exp_has_step(difference + 1, count - 1, precision);
}

void attest_ball_scores_set(attest_ball_scores *scores, const fmpz *key, size_t count,
                            size_t width, const fmpz *first, const fmpz_t denominator,
                            slong precision)
{
    slong bits = most_bits(key, count * width);

    drop_keys(scores);
    if (count <= FEWEST ||
        !rounded_bits(bits, most_bits(first, width), width, denominator, precision) ||
        has_step(key, count, width, first, precision))
        return;
    scores->count = count;
    scores->width = width;
    scores->bits = bits;
    scores->key = _arb_vec_init((slong)(count * width));
    scores->query = _arb_vec_init((slong)width);
    for (size_t i = 0; i < count * width; i++)
        arb_set_fmpz(scores->key + i, key + i);
}

/* scores->query encloses query / denominator: four roundings each. */
static void set_query(attest_ball_scores *scores, const fmpz *query, const fmpz_t denominator,
                      slong wide)
{
    arb_set_round_fmpz(scores->inverse, denominator, wide);
    arb_inv(scores->inverse, scores->inverse, wide);
    for (size_t i = 0; i < scores->width; i++) {
        arb_set_round_fmpz(scores->query + i, query + i, wide);
        arb_mul(scores->query + i, scores->query + i, scores->inverse, wide);
    }
}

bool attest_ball_scores_exp(arb_ptr value, arb_ptr total, attest_ball_scores *scores,
                            const fmpz *query, const fmpz_t denominator, size_t count,
                            slong precision)
{
    size_t width = scores->width;
    slong wide;

    if (scores->count == 0 || count <= FEWEST)
        return false;
    wide = rounded_bits(scores->bits, most_bits(query, width), width, denominator, precision);
    if (wide == 0)
        return false;
    set_query(scores, query, denominator, wide);
    for (size_t j = 0; j < count; j++) {
        arb_dot(scores->score, NULL, 0, scores->key + j * width, 1, scores->query, 1,
                (slong)width, wide);
        arb_exp(value + j, scores->score, precision + 2);
        /* Arb does not promise how narrow its results are; so look. */
        if (arb_rel_accuracy_bits(value + j) < precision - 1)
            return false;
    }
    arb_dot(total, NULL, 0, value, 1, scores->one, 0, (slong)count, precision);
    return true;
}
