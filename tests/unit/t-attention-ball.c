/* Attention in balls against its definition. */
#include "tests/ref/attention.h"
#include "tests/ref/cases.h"
#include "tests/tap.h"

/* Every ball meets the oracle's much smaller one, and is as narrow as promised. */
static bool agrees(const ref_case *test, long bits)
{
    size_t count = test->sequence.length * test->sequence.dim;
    arb_ptr computed = _arb_vec_init((slong)count), expected = _arb_vec_init((slong)count);
    mag_ptr largest = _mag_vec_init((slong)count);
    bool ok = attest_attention_ball(computed, &test->weights, &test->sequence, bits, NULL) ==
              ATTEST_OK;

    ref_softmax(expected, largest, &test->weights, &test->sequence, 2 * bits + 400);
    for (size_t i = 0; i < count; i++) {
        /* Where the true value is a short number the computed ball is narrower still. */
        ok = ok && (arb_contains(computed + i, expected + i) ||
                    (arb_is_exact(computed + i) && arb_contains(expected + i, computed + i)));
        mag_mul_2exp_si(largest + i, largest + i, -bits);
        ok = ok && mag_cmp(arb_radref(computed + i), largest + i) <= 0;
    }
    _arb_vec_clear(computed, (slong)count);
    _arb_vec_clear(expected, (slong)count);
    _mag_vec_clear(largest, (slong)count);
    return ok;
}

static bool random_cases_agree(long bits, unsigned numerators, int trials, uint64_t *state)
{
    bool ok = true;

    for (int i = 0; i < trials; i++) {
        ref_shape shape = {.heads = 1 + tap_random(state) % 3,
                           .dim = 1 + tap_random(state) % 4,
                           .size = 1 + tap_random(state) % 5,
                           .length = 1 + tap_random(state) % 6,
                           .bits = numerators,
                           .denominator = 1 + (unsigned)(tap_random(state) % 12),
                           .factored = tap_random(state) & 1};
        ref_case test;
        ref_case_init(&test, &shape, state);
        test.weights.mask = tap_random(state) & 1 ? ATTEST_MASK_CAUSAL : ATTEST_MASK_NONE;
        test.weights.skip = tap_random(state) & 1;
        ok = agrees(&test, bits) && ok;
        ref_case_clear(&test);
    }
    return ok;
}

int main(void)
{
    uint64_t state = tap_seed(0x5eed0002);

    TAP_OK(random_cases_agree(64, 4, 60, &state), "64 bits");
    TAP_OK(random_cases_agree(256, 2, 60, &state), "256 bits");
    TAP_OK(random_cases_agree(256, 12, 60, &state), "256 bits, large scores");
    TAP_OK(random_cases_agree(1024, 3, 20, &state), "1024 bits");
    TAP_OK(random_cases_agree(20000, 3, 2, &state), "20000 bits");
    TAP_OK(random_cases_agree(2, 5, 60, &state), "2 bits");
    flint_cleanup();
    return tap_done();
}
