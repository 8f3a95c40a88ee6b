/* Networks: feed-forward layers by their pattern against the formula, written down here unit by
 * unit; encoding; files that survive being written. */
#include <string.h>
#include <unistd.h>

#include <attest/attention.h>

#include "attention/network.h"
#include "tests/tap.h"

enum { DIM = 3 };

static void gen_rational(fmpq_t x, uint64_t *state)
{
    fmpq_set_si(x, (slong)(tap_random(state) % 41) - 20, 1 + tap_random(state) % 6);
}

static void gen_integers(fmpz *x, fmpz_t denominator, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++)
        fmpz_set_si(x + i, (slong)(tap_random(state) % 41) - 20);
    fmpz_set_ui(denominator, 1 + tap_random(state) % 6);
}

/* Groups of 0 to 60 units; biases repeat and are in no order. */
static void gen_layer(attest_feed_forward *layer, uint64_t *state)
{
    size_t groups = 1 + tap_random(state) % 3;

    if (attest_feed_forward_resize(layer, DIM, groups) != ATTEST_OK)
        abort();
    layer->skip = tap_random(state) % 2;
    for (size_t c = 0; c < DIM; c++)
        gen_rational(layer->bias + c, state);
    for (size_t g = 0; g < groups; g++) {
        attest_units *units = &layer->group[g];
        if (attest_units_resize(units, DIM, tap_random(state) % 61) != ATTEST_OK)
            abort();
        gen_integers(units->direction, units->direction_denominator, DIM, state);
        gen_integers(units->bias, units->bias_denominator, units->count, state);
        gen_integers(units->output, units->output_denominator, units->count * DIM, state);
    }
}

/* The formula, one unit after the other. */
static void reference(fmpq *out, const attest_feed_forward *layer, const fmpq *z)
{
    fmpq_t unit, term;

    fmpq_init(unit);
    fmpq_init(term);
    for (size_t c = 0; c < DIM; c++) {
        fmpq_set(out + c, layer->bias + c);
        if (layer->skip)
            fmpq_add(out + c, out + c, z + c);
    }
    for (size_t g = 0; g < layer->groups; g++) {
        const attest_units *units = &layer->group[g];
        for (size_t h = 0; h < units->count; h++) {
            fmpq_set_fmpz_frac(unit, units->bias + h, units->bias_denominator);
            for (size_t c = 0; c < DIM; c++) {
                fmpq_set_fmpz_frac(term, units->direction + c, units->direction_denominator);
                fmpq_addmul(unit, term, z + c);
            }
            if (fmpq_sgn(unit) <= 0)
                continue;
            for (size_t c = 0; c < DIM; c++) {
                fmpq_set_fmpz_frac(term, units->output + h * DIM + c,
                                   units->output_denominator);
                fmpq_addmul(out + c, term, unit);
            }
        }
    }
    fmpq_clear(unit);
    fmpq_clear(term);
}

static void test_layers(uint64_t *state)
{
    fmpq *z = _fmpq_vec_init(DIM), *out = _fmpq_vec_init(DIM), *expected = _fmpq_vec_init(DIM);
    arb_ptr box = _arb_vec_init(DIM), ball = _arb_vec_init(DIM);
    int exact = 0, inside = 0, total = 0, wide = 0;

    for (int i = 0; i < 60; i++) {
        attest_feed_forward layer;
        attest_feed_forward_plan plan;
        attest_pattern pattern;

        attest_feed_forward_init(&layer);
        gen_layer(&layer, state);
        if (attest_feed_forward_plan_init(&plan, &layer, NULL) != ATTEST_OK ||
            attest_pattern_init(&pattern, &layer) != ATTEST_OK)
            abort();
        for (int j = 0; j < 10; j++, total++) {
            bool equal = true, contains = true;
            for (size_t c = 0; c < DIM; c++) {
                gen_rational(z + c, state);
                arb_set_fmpq(box + c, z + c, 64);
                mag_set_ui_2exp_si(arb_radref(box + c), 1 + tap_random(state) % 9,
                                   j % 2 ? -60 : -2);
            }
            attest_feed_forward_exact(out, &pattern, &plan, z);
            reference(expected, &layer, z);
            attest_feed_forward_ball(ball, &pattern, &plan, box, 64);
            wide += !pattern.decided;
            for (size_t c = 0; c < DIM; c++) {
                equal = equal && fmpq_equal(out + c, expected + c);
                contains = contains && arb_contains_fmpq(ball + c, expected + c);
            }
            /* any other point of the box, too: its corner */
            for (size_t c = 0; c < DIM; c++) {
                arf_t corner;
                arf_init(corner);
                arb_get_lbound_arf(corner, box + c, ARF_PREC_EXACT);
                arf_get_fmpq(z + c, corner);
                arf_clear(corner);
            }
            reference(expected, &layer, z);
            for (size_t c = 0; c < DIM; c++)
                contains = contains && arb_contains_fmpq(ball + c, expected + c);
            exact += equal;
            inside += contains;
        }
        attest_pattern_clear(&pattern);
        attest_feed_forward_plan_clear(&plan);
        attest_feed_forward_clear(&layer);
    }
    TAP_OK(exact == total, "%d of %d points are exact", exact, total);
    TAP_OK(inside == total && wide > 20, "%d of %d enclosures, %d with open units", inside,
           total, wide);
    _fmpq_vec_clear(z, DIM);
    _fmpq_vec_clear(out, DIM);
    _fmpq_vec_clear(expected, DIM);
    _arb_vec_clear(box, DIM);
    _arb_vec_clear(ball, DIM);
}

/* Units whose argument has no finite enclosure may be active or not, whatever the pattern was
 * at another point before. */
static void test_unbounded(uint64_t *state)
{
    arb_ptr box = _arb_vec_init(DIM), ball = _arb_vec_init(DIM);
    fmpq *z = _fmpq_vec_init(DIM), *expected = _fmpq_vec_init(DIM);
    int open = 0, inside = 0, groups = 0, points = 0;

    for (int i = 0; i < 20; i++) {
        attest_feed_forward layer;
        attest_feed_forward_plan plan;
        attest_pattern pattern;

        attest_feed_forward_init(&layer);
        gen_layer(&layer, state);
        if (attest_feed_forward_plan_init(&plan, &layer, NULL) != ATTEST_OK ||
            attest_pattern_init(&pattern, &layer) != ATTEST_OK)
            abort();
        _arb_vec_zero(box, DIM);
        attest_feed_forward_ball(ball, &pattern, &plan, box, 64);
        for (size_t c = 0; c < DIM; c++) {
            arb_zero_pm_inf(box + c);
            gen_rational(z + c, state);
        }
        attest_feed_forward_ball(ball, &pattern, &plan, box, 64);
        for (size_t g = 0; g < layer.groups; g++, groups++)
            open += fmpz_is_zero(layer.group[g].direction) ||
                    (pattern.range[g].active == 0 &&
                     pattern.range[g].possible == layer.group[g].count);
        reference(expected, &layer, z);
        for (size_t c = 0; c < DIM; c++, points++)
            inside += arb_contains_fmpq(ball + c, expected + c);
        attest_pattern_clear(&pattern);
        attest_feed_forward_plan_clear(&plan);
        attest_feed_forward_clear(&layer);
    }
    TAP_OK(open == groups && inside == points,
           "unbounded boxes: %d of %d groups are open, %d of %d enclosures", open, groups,
           inside, points);
    _arb_vec_clear(box, DIM);
    _arb_vec_clear(ball, DIM);
    _fmpq_vec_clear(z, DIM);
    _fmpq_vec_clear(expected, DIM);
}

/* A network whose attention adds nothing: W_O = 0. Then all number systems see the same layers.
 */
static void gen_network(attest_network *network, uint64_t *state)
{
    attest_head *head;

    network->dim = DIM;
    network->input_dim = DIM - 1;
    network->output_dim = DIM;
    network->positional = true;
    network->axis = 1;
    fmpq_set_si(network->step, 7, 2);
    network->has_before = network->has_after = true;
    gen_layer(&network->before, state);
    gen_layer(&network->after, state);
    if (attest_weights_resize(&network->attention, 1) != ATTEST_OK)
        abort();
    network->attention.dim = DIM;
    head = &network->attention.head[0];
    attest_matrix_resize(&head->wq, 1, DIM);
    attest_matrix_resize(&head->wk, 1, DIM);
    attest_matrix_resize(&head->wv, 1, DIM);
    attest_matrix_resize(&head->wo, DIM, 1);
}

/* expected = the layers that there are on (x, 0) + (k + 1) 7/2 e_1. */
static void expect(fmpq *expected, const attest_network *network,
                   const attest_sequence *sequence, size_t k)
{
    fmpq *z = _fmpq_vec_init(2 * DIM);
    fmpq_t move;

    fmpq_init(move);
    for (size_t c = 0; c < DIM - 1; c++)
        fmpq_set_fmpz_frac(z + c, sequence->entry + k * (DIM - 1) + c, sequence->denominator);
    fmpq_set_si(move, 7 * (slong)(k + 1), 2);
    fmpq_add(z + 1, z + 1, move);
    for (size_t c = 0; c < DIM; c++)
        fmpq_set(z + DIM + c, z + c);
    if (network->has_before)
        reference(z + DIM, &network->before, z);
    for (size_t c = 0; c < DIM; c++)
        fmpq_set(expected + c, z + DIM + c);
    if (network->has_after)
        reference(expected, &network->after, z + DIM);
    _fmpq_vec_clear(z, 2 * DIM);
    fmpq_clear(move);
}

static bool ball_is(const arb_t ball, const fmpq_t value)
{
    return arb_contains_fmpq(ball, value) && arb_rel_accuracy_bits(ball) > 90;
}

/* Within 2^-150 of the largest numbers on the way. */
static bool mpfr_is(mpfr_t x, const fmpq_t value)
{
    mpq_t exact;
    bool close;

    mpq_init(exact);
    fmpq_get_mpq(exact, value);
    mpfr_sub_q(x, x, exact, MPFR_RNDN);
    close = mpfr_cmp_ui_2exp(x, 1, -150) < 0 && mpfr_cmp_si_2exp(x, -1, -150) > 0;
    mpq_clear(exact);
    return close;
}

static void test_networks(uint64_t *state)
{
    attest_format format;
    int balls = 0, doubles = 0, mpfrs = 0, exacts = 0, total = 0;

    if (attest_format_parse(&format, "p=200", NULL) != ATTEST_OK)
        abort();
    for (size_t i = 0; i < 20; i++) {
        size_t length = 1 + i % 4;
        attest_network network;
        attest_network_runner runner;
        attest_network_in_double *in_double;
        attest_network_in_mpfr *in_mpfr;
        attest_sequence sequence;
        arb_ptr ball = _arb_vec_init(4 * DIM);
        fmpq *expected = _fmpq_vec_init(DIM), *exact = _fmpq_vec_init(4 * DIM);
        double binary[4 * DIM];
        mpfr_t any[4 * DIM];

        attest_network_init(&network);
        gen_network(&network, state);
        network.has_before = i % 5 != 1 && i % 5 != 3;
        network.has_after = i % 5 != 2 && i % 5 != 3;
        attest_sequence_init(&sequence);
        attest_sequence_resize(&sequence, length, DIM - 1);
        gen_integers(sequence.entry, sequence.denominator, length * (DIM - 1), state);
        for (int e = 0; e < 4 * DIM; e++)
            mpfr_init2(any[e], 2); /* the precision is set */
        if (attest_network_runner_init(&runner, &network, NULL) ||
            attest_network_in_double_init(&in_double, &network, NULL) ||
            attest_network_in_mpfr_init(&in_mpfr, &network, &format, MPFR_RNDN, NULL) ||
            attest_network_ball(ball, &runner, &sequence, 128, NULL) ||
            attest_network_in_double_eval(binary, in_double, &sequence, NULL) ||
            attest_network_in_mpfr_eval(any, in_mpfr, &sequence, NULL))
            abort();
        network.attention.activation = ATTEST_HARDMAX;
        if (attest_network_exact(exact, &runner, &sequence, NULL))
            abort();
        for (size_t k = 0; k < length; k++) {
            expect(expected, &network, &sequence, k);
            for (size_t c = 0; c < DIM; c++, total++) {
                double value = fmpq_get_d(expected + c), size = 1e6;
                balls += ball_is(ball + k * DIM + c, expected + c);
                exacts += fmpq_equal(exact + k * DIM + c, expected + c);
                doubles += binary[k * DIM + c] > value - size * 0x1p-30 &&
                           binary[k * DIM + c] < value + size * 0x1p-30;
                mpfrs += mpfr_is(any[k * DIM + c], expected + c);
            }
        }
        for (int e = 0; e < 4 * DIM; e++)
            mpfr_clear(any[e]);
        attest_network_in_mpfr_clear(in_mpfr);
        attest_network_in_double_clear(in_double);
        attest_network_runner_clear(&runner);
        attest_sequence_clear(&sequence);
        attest_network_clear(&network);
        _arb_vec_clear(ball, 4 * DIM);
        _fmpq_vec_clear(expected, DIM);
        _fmpq_vec_clear(exact, 4 * DIM);
    }
    TAP_OK(exacts == total, "hardmax: %d of %d outputs are exact", exacts, total);
    TAP_OK(balls == total, "%d of %d balls", balls, total);
    TAP_OK(doubles == total, "%d of %d doubles", doubles, total);
    TAP_OK(mpfrs == total, "%d of %d numbers of 200 bits", mpfrs, total);
}

/* Attention whose shapes do not fit is refused in every number system. */
static void test_refused(uint64_t *state)
{
    attest_format format;
    attest_network network;
    attest_network_runner runner;
    attest_network_in_double *in_double;
    attest_network_in_mpfr *in_mpfr;
    attest_sequence sequence;
    arb_ptr ball = _arb_vec_init(DIM);
    fmpq *exact = _fmpq_vec_init(DIM);
    double binary[DIM];
    mpfr_t any[DIM];
    int refused = 0;

    attest_network_init(&network);
    gen_network(&network, state);
    attest_sequence_init(&sequence);
    attest_sequence_resize(&sequence, 1, DIM - 1);
    for (int e = 0; e < DIM; e++)
        mpfr_init2(any[e], 2);
    if (attest_format_parse(&format, "p=200", NULL) ||
        attest_network_runner_init(&runner, &network, NULL) ||
        attest_network_in_double_init(&in_double, &network, NULL) ||
        attest_network_in_mpfr_init(&in_mpfr, &network, &format, MPFR_RNDN, NULL))
        abort();
    network.attention.head[0].wo.rows--;
    refused += attest_network_ball(ball, &runner, &sequence, 128, NULL) == ATTEST_DOMAIN;
    refused +=
        attest_network_in_double_eval(binary, in_double, &sequence, NULL) == ATTEST_DOMAIN;
    refused += attest_network_in_mpfr_eval(any, in_mpfr, &sequence, NULL) == ATTEST_DOMAIN;
    network.attention.activation = ATTEST_HARDMAX;
    refused += attest_network_exact(exact, &runner, &sequence, NULL) == ATTEST_DOMAIN;
    network.attention.head[0].wo.rows++;
    TAP_OK(refused == 4, "shapes that do not fit are refused: %d of 4", refused);
    for (int e = 0; e < DIM; e++)
        mpfr_clear(any[e]);
    attest_network_in_mpfr_clear(in_mpfr);
    attest_network_in_double_clear(in_double);
    attest_network_runner_clear(&runner);
    attest_sequence_clear(&sequence);
    attest_network_clear(&network);
    _arb_vec_clear(ball, DIM);
    _fmpq_vec_clear(exact, DIM);
}

static char *contents(const char *path)
{
    char *text = calloc(1, 1 << 20);
    FILE *file = fopen(path, "r");

    if (!text || !file || fread(text, 1, (1 << 20) - 1, file) == 0)
        abort();
    fclose(file);
    return text;
}

static void test_file(uint64_t *state)
{
    attest_network network, read;
    char one[] = "t-network-XXXXXX", other[] = "t-network-XXXXXX", *first, *second;
    attest_error error = {ATTEST_OK, ""};

    close(mkstemp(one));
    close(mkstemp(other));
    attest_network_init(&network);
    attest_network_init(&read);
    gen_network(&network, state);
    TAP_OK(attest_network_write(&network, one, &error) == ATTEST_OK &&
               attest_network_read_any(&read, one, NULL, &error) == ATTEST_OK &&
               attest_network_write(&read, other, &error) == ATTEST_OK,
           "written, read, written again %s", error.text);
    first = contents(one);
    second = contents(other);
    TAP_OK(strcmp(first, second) == 0 && strlen(first) > 1000, "both files are the same");
    TAP_OK(attest_network_read_any(&read, one, NULL, &error) == ATTEST_OK && read.has_after &&
               read.input_dim == DIM - 1,
           "read as anything that can be run");
    free(first);
    free(second);
    remove(one);
    remove(other);
    attest_network_clear(&network);
    attest_network_clear(&read);
}

TEST(network)
{
    uint64_t state = tap_seed(0x2e1);

    test_layers(&state);
    test_unbounded(&state);
    test_networks(&state);
    test_refused(&state);
    test_file(&state);
    flint_cleanup();
    return 0;
}
