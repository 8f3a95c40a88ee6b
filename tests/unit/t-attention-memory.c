/* Attention when memory runs out: every allocation fails once, nothing leaks, and MPFR's
 * exponent range is restored. Needs --enable-faults. */
#include "base/fault.h"

#include "attention/boltzmann.h"

#include "tests/ref/cases.h"
#include "tests/tap.h"

#ifdef ATTEST_FAULTS

static ref_case test;
static const attest_format format = {.name = "binary16", 11, true, -14, 15, 16};

static attest_status run_double(attest_error *error)
{
    double out[8];

    return attest_attention_double(out, &test.weights, &test.sequence, error);
}

static attest_status run_mpfr(attest_error *error)
{
    attest_status status;
    mpfr_t out[8];

    for (int i = 0; i < 8; i++)
        mpfr_init2(out[i], 2);
    status =
        attest_attention_mpfr(out, &test.weights, &test.sequence, &format, MPFR_RNDN, error);
    for (int i = 0; i < 8; i++)
        mpfr_clear(out[i]);
    return status;
}

static attest_status run_boltz(attest_error *error)
{
    attest_status status;
    mpfr_t out;

    mpfr_init2(out, 2);
    status = attest_boltz_mpfr(out, test.sequence.entry, test.sequence.denominator, 8, &format,
                               MPFR_RNDN, error);
    mpfr_clear(out);
    return status;
}

static attest_status run_ball(attest_error *error)
{
    attest_status status;
    arb_ptr out = _arb_vec_init(8);

    status = attest_attention_ball(out, &test.weights, &test.sequence, 64, error);
    _arb_vec_clear(out, 8);
    return status;
}

/* Fails the first, second, ... allocation until the call succeeds. */
static void fail_each(const char *name, attest_status (*run)(attest_error *))
{
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    attest_status status = ATTEST_NOMEM;
    bool ok = true;
    unsigned long k = 0;

    while (status != ATTEST_OK && ok && k < 1000) {
        attest_error error = {.status = ATTEST_OK};
        attest_fault_arm("alloc", ++k, true);
        status = run(&error);
        ok = (status == ATTEST_OK || (status == ATTEST_NOMEM && error.text[0])) &&
             mpfr_get_emin() == emin && mpfr_get_emax() == emax;
    }
    attest_fault_arm("alloc", 0, false);
    TAP_OK(ok && k > 1 && status == ATTEST_OK, "%s: %lu allocations failed one by one", name,
           k - 1);
}

int main(void)
{
    uint64_t state = 7;
    ref_shape shape = {2, 2, 2, 4, 3, 3, true};

    ref_case_init(&test, &shape, &state);
    fail_each("double", run_double);
    fail_each("mpfr", run_mpfr);
    fail_each("boltz", run_boltz);
    fail_each("ball", run_ball);
    ref_case_clear(&test);
    flint_cleanup();
    mpfr_free_cache();
    return tap_done();
}

#else

int main(void)
{
    printf("1..0 # SKIP configure with --enable-faults\n");
    return 0;
}

#endif
