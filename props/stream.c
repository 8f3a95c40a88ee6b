/* stream.c -- attention in one pass over the keys. */
#include "props/stream.h"

#include "number/scope.h"

/* x = e^{a - b}. */
static void exp_difference(arb_t x, const fmpq_t a, const fmpq_t b, long bits)
{
    FMPQ(difference);

    fmpq_sub(difference, a, b);
    arb_set_fmpq(x, difference, bits);
    arb_exp(x, x, bits);
}

/* Entry c of what head h adds. */
static void stream_head(arb_t mean, const attest_oracle *oracle, size_t h, attest_place place,
                        size_t c, long bits)
{
    const fmpq *most = attest_oracle_score(oracle, h, place, 0);
    ARB(total, sum, factor, x);

    arb_one(total);
    arb_set_fmpq(sum, attest_oracle_value(oracle, h, place, 0, c), bits);
    for (size_t j = 1; j < attest_oracle_seen(oracle, place); j++) {
        const fmpq *score = attest_oracle_score(oracle, h, place, j);
        arb_set_fmpq(x, attest_oracle_value(oracle, h, place, j, c), bits);
        if (fmpq_cmp(score, most) > 0) {
            exp_difference(factor, most, score, bits);
            arb_mul(total, total, factor, bits);
            arb_mul(sum, sum, factor, bits);
            arb_add_ui(total, total, 1, bits);
            arb_add(sum, sum, x, bits);
            most = score;
        } else {
            exp_difference(factor, score, most, bits);
            arb_add(total, total, factor, bits);
            arb_addmul(sum, x, factor, bits);
        }
    }
    arb_div(mean, sum, total, bits);
}

void attest_stream_softmax(arb_ptr out, const attest_oracle *oracle, attest_place place,
                           long bits)
{
    FMPQ(skip);
    ARB(mean);

    for (size_t c = 0; c < oracle->dataset->dim; c++) {
        attest_oracle_skip(skip, oracle, place, c);
        arb_set_fmpq(out + c, skip, bits);
        for (size_t h = 0; h < oracle->weights->heads; h++) {
            stream_head(mean, oracle, h, place, c, bits);
            arb_add(out + c, out + c, mean, bits);
        }
    }
}

void attest_stream_hardmax(fmpq *out, const attest_oracle *oracle, attest_place place)
{
    bool leftmost = oracle->weights->ties == ATTEST_TIES_LEFTMOST;
    FMPQ(sum, winners);

    for (size_t c = 0; c < oracle->dataset->dim; c++) {
        attest_oracle_skip(out + c, oracle, place, c);
        for (size_t h = 0; h < oracle->weights->heads; h++) {
            const fmpq *most = attest_oracle_score(oracle, h, place, 0);
            fmpq_one(winners);
            fmpq_set(sum, attest_oracle_value(oracle, h, place, 0, c));
            for (size_t j = 1; j < attest_oracle_seen(oracle, place); j++) {
                const fmpq *score = attest_oracle_score(oracle, h, place, j);
                int order = fmpq_cmp(score, most);
                if (order > 0) {
                    most = score;
                    fmpq_one(winners);
                    fmpq_set(sum, attest_oracle_value(oracle, h, place, j, c));
                } else if (order == 0 && !leftmost) {
                    fmpq_add_si(winners, winners, 1);
                    fmpq_add(sum, sum, attest_oracle_value(oracle, h, place, j, c));
                }
            }
            fmpq_div(sum, sum, winners);
            fmpq_add(out + c, out + c, sum);
        }
    }
}
