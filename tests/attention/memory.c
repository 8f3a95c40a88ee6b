/* Attention and networks when memory runs out: every allocation fails once, nothing leaks, and
 * MPFR's exponent range is restored. Needs --enable-faults. */
#include "base/fault.h"

#include "attention/attention_ball.h"
#include "attention/network.h"

#include "tests/ref/cases.h"
#include "tests/tap.h"

#ifdef ATTEST_FAULTS

enum { DIM = 2, ENTRIES = 8 };

static ref_case test;
static attest_network network;
static const attest_format format = {.name = "binary16", 11, true, -14, 15, 16};

static attest_status run_double(attest_error *error)
{
    double out[ENTRIES];

    return attest_attention_double(out, &test.weights, &test.sequence, error);
}

static attest_status run_mpfr(attest_error *error)
{
    attest_status status;
    mpfr_t out[ENTRIES];

    for (int i = 0; i < ENTRIES; i++)
        mpfr_init2(out[i], 2);
    status =
        attest_attention_mpfr(out, &test.weights, &test.sequence, &format, MPFR_RNDN, error);
    for (int i = 0; i < ENTRIES; i++)
        mpfr_clear(out[i]);
    return status;
}

static attest_status run_ball(attest_error *error)
{
    attest_status status;
    arb_ptr out = _arb_vec_init(ENTRIES);

    status = attest_attention_ball(out, &test.weights, &test.sequence, 64, error);
    _arb_vec_clear(out, ENTRIES);
    return status;
}

static attest_status run_exact(attest_error *error)
{
    attest_status status;
    fmpq *out = _fmpq_vec_init(ENTRIES);

    test.weights.activation = ATTEST_HARDMAX;
    status = attest_attention_exact(out, &test.weights, &test.sequence, error);
    test.weights.activation = ATTEST_SOFTMAX;
    _fmpq_vec_clear(out, ENTRIES);
    return status;
}

static attest_status run_boltz_ball(attest_error *error)
{
    attest_status status;
    arb_t out;

    arb_init(out);
    status = attest_boltz_ball(out, test.sequence.entry, test.sequence.denominator, ENTRIES, 64,
                               error);
    arb_clear(out);
    return status;
}

/* Two groups of units, so that there is something to load, to sort and to go through. */
static void set_layer(attest_feed_forward *layer)
{
    if (attest_feed_forward_resize(layer, DIM, 2) != ATTEST_OK)
        abort();
    for (size_t g = 0; g < 2; g++) {
        if (attest_units_resize(&layer->group[g], DIM, 3) != ATTEST_OK)
            abort();
        fmpz_one(layer->group[g].direction + g);
        for (int h = 0; h < 3; h++) {
            fmpz_set_si(layer->group[g].bias + h, 1 - h);
            fmpz_one(layer->group[g].output + h * DIM + g);
        }
    }
}

static void set_network(void)
{
    attest_network_init(&network);
    network.dim = network.input_dim = network.output_dim = DIM;
    network.has_before = network.has_after = true;
    set_layer(&network.before);
    set_layer(&network.after);
}

static attest_status run_network_double(attest_error *error)
{
    attest_network_in_double *state;
    double out[ENTRIES];
    attest_status status = attest_network_in_double_init(&state, &network, error);

    if (status == ATTEST_OK)
        status = attest_network_in_double_eval(out, state, &test.sequence, error);
    attest_network_in_double_clear(state);
    return status;
}

static attest_status run_network_mpfr(attest_error *error)
{
    attest_network_in_mpfr *state;
    attest_status status =
        attest_network_in_mpfr_init(&state, &network, &format, MPFR_RNDN, error);
    mpfr_t out[ENTRIES];

    for (int i = 0; i < ENTRIES; i++)
        mpfr_init2(out[i], 2);
    if (status == ATTEST_OK)
        status = attest_network_in_mpfr_eval(out, state, &test.sequence, error);
    for (int i = 0; i < ENTRIES; i++)
        mpfr_clear(out[i]);
    attest_network_in_mpfr_clear(state);
    return status;
}

static attest_status run_network_ball(attest_error *error)
{
    attest_network_runner runner;
    attest_status status = attest_network_runner_init(&runner, &network, error);
    arb_ptr out = _arb_vec_init(ENTRIES);

    if (status == ATTEST_OK)
        status = attest_network_ball(out, &runner, &test.sequence, 64, error);
    _arb_vec_clear(out, ENTRIES);
    attest_network_runner_clear(&runner);
    return status;
}

static attest_status run_network_exact(attest_error *error)
{
    attest_network_runner runner;
    attest_status status = attest_network_runner_init(&runner, &network, error);
    fmpq *out = _fmpq_vec_init(ENTRIES);

    network.attention.activation = ATTEST_HARDMAX;
    if (status == ATTEST_OK)
        status = attest_network_exact(out, &runner, &test.sequence, error);
    network.attention.activation = ATTEST_SOFTMAX;
    _fmpq_vec_clear(out, ENTRIES);
    attest_network_runner_clear(&runner);
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

TEST(memory)
{
    uint64_t state = 7;
    ref_shape shape = {2, DIM, 2, ENTRIES / DIM, 3, 3, true};

    ref_case_init(&test, &shape, &state);
    fail_each("double", run_double);
    fail_each("mpfr", run_mpfr);
    fail_each("ball", run_ball);
    fail_each("exact", run_exact);
    fail_each("boltz in balls", run_boltz_ball);
    set_network();
    network.attention = test.weights; /* lent */
    fail_each("a network in double", run_network_double);
    fail_each("a network in mpfr", run_network_mpfr);
    fail_each("a network in balls", run_network_ball);
    fail_each("a network in rationals", run_network_exact);
    attest_weights_init(&network.attention);
    attest_network_clear(&network);
    ref_case_clear(&test);
    flint_cleanup();
    mpfr_free_cache();
    return 0;
}

#else

TEST(memory)
{
    return tap_skip("configure with --enable-faults");
}

#endif
