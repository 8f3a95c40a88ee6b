/* Collisions, separations and classes against all pairs; the a priori bound against measured
 * errors; the collapse against every width. */
#include <math.h>
#include <string.h>

#include "audit/bound.h"
#include "audit/audit.h"
#include "audit/collapse.h"
#include "audit/collisions.h"
#include "audit/errors.h"
#include "base/workers.h"
#include "format/simulate_in_mpfr.h"
#include "tests/ref/audit_cases.h"

static attest_format get_format(const char *name)
{
    attest_format format;

    if (attest_format_parse(&format, name, NULL) != ATTEST_OK)
        abort();
    return format;
}

static const ref_shape shape = {2, 2, 2, 4, 4, 3, true};
/* For formats with few exponents. */
static const ref_shape small_shape = {1, 2, 1, 3, 1, 4, false};
/* For ties, of thirds and of integers. */
static const ref_shape tie_shape = {1, 2, 1, 5, 2, 3, false};
static const ref_shape integer_shape = {1, 2, 2, 5, 3, 1, true};

static void draw_shape(audit_case *test, attest_simulated_arithmetic *a, const char *format,
                       const ref_shape *of, uint64_t *state)
{
    attest_format f = get_format(format);

    audit_case_init(test, of, 9, 4, state);
    test->layer.weights.mask = (attest_mask)(tap_random(state) % 2);
    test->layer.weights.skip = tap_random(state) % 2;
    attest_simulated_arithmetic_init(a, &f);
}

static void draw(audit_case *test, attest_simulated_arithmetic *a, const char *format,
                 bool small, uint64_t *state)
{
    draw_shape(test, a, format, small ? &small_shape : &shape, state);
}

/* Returns whether two positions have the same token and see the same set of tokens. */
static bool same_class(const audit_case *test, attest_place p, attest_place q)
{
    const attest_dataset *d = &test->dataset;
    bool causal = test->layer.weights.mask == ATTEST_MASK_CAUSAL, same = true;
    attest_place place[2] = {p, q};

    for (int side = 0; side < 2; side++) {
        attest_place a = place[side], b = place[1 - side];
        size_t seen = causal ? a.position + 1 : attest_dataset_length(d, a.sequence);
        size_t other = causal ? b.position + 1 : attest_dataset_length(d, b.sequence);
        for (size_t i = 0; i < seen; i++) {
            bool found = false;
            for (size_t j = 0; j < other; j++)
                found = found || attest_dataset_token(d, a.sequence, i) ==
                                     attest_dataset_token(d, b.sequence, j);
            same = same && found;
        }
    }
    return same && attest_dataset_token(d, p.sequence, p.position) ==
                       attest_dataset_token(d, q.sequence, q.position);
}

static bool finite_row(const double *x, size_t dim)
{
    for (size_t c = 0; c < dim; c++)
        if (!isfinite(x[c]))
            return false;
    return true;
}

/* The results of comparing all pairs. */
typedef struct by_hand {
    size_t required, collisions, nonfinite, pair[2];
    double least;
} by_hand;

static by_hand look_at_pairs(const audit_case *test, const double *out)
{
    by_hand r = {.least = INFINITY};
    size_t count = test->dataset.total, dim = test->dataset.dim;

    for (size_t p = 0; p < count; p++) {
        r.nonfinite += !finite_row(out + p * dim, dim);
        for (size_t q = p + 1; q < count; q++) {
            double square = 0;
            bool equal = true;
            if (same_class(test, attest_place_get(&test->dataset, p),
                           attest_place_get(&test->dataset, q)))
                continue;
            r.required++;
            for (size_t c = 0; c < dim; c++) {
                double x = out[p * dim + c], y = out[q * dim + c];
                equal = equal && x == y;
                square += (x - y) * (x - y);
            }
            if (!equal && isfinite(square)) {
                r.least = fmin(r.least, square);
                continue;
            }
            if (r.collisions++ == 0) {
                r.pair[0] = p;
                r.pair[1] = q;
            }
        }
    }
    return r;
}

static void test_collisions(uint64_t *state)
{
    static const char *const name[] = {"float8_e4m3fn", "float8_e5m2", "p=3",
                                       "p=9",           "p=20",        "p=4:emin=-2:emax=2"};
    size_t wrong = 0, collapsed = 0, apart = 0, odd = 0;

    for (int trial = 0; trial < 300; trial++) {
        attest_contexts classes;
        attest_audit_collisions collisions;
        attest_audit_outputs outputs;
        attest_simulated_arithmetic a;
        attest_audit_request request;
        audit_case test;
        by_hand hand;
        draw(&test, &a, name[trial % 6], trial / 6 % 2, state);
        attest_contexts_init(&classes);
        attest_audit_collisions_init(&collisions);
        attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
        if (attest_contexts_get_classes(&classes, &test.dataset, test.layer.weights.mask,
                                        NULL) ||
            attest_audit_evaluate(&outputs, &request, &a, NULL) ||
            attest_audit_collisions_get(&collisions, &outputs, &classes, NULL))
            abort();
        if (!outputs.real)
            goto next; /* outside the range of doubles of this test */
        hand = look_at_pairs(&test, outputs.real);
        wrong += fmpz_cmp_ui(classes.required_pairs, hand.required) != 0 ||
                 fmpz_cmp_ui(collisions.pairs, hand.collisions) != 0 ||
                 collisions.nonfinite != hand.nonfinite ||
                 collisions.has_pair != (hand.collisions > 0) ||
                 (collisions.has_pair &&
                  (collisions.pair[0] != hand.pair[0] || collisions.pair[1] != hand.pair[1]));
        collapsed += hand.collisions > 0;
        odd += hand.nonfinite > 0;
        if (hand.collisions == 0 && hand.required > 0) {
            arf_t square;
            size_t pair[2];
            bool found;
            arf_init(square);
            if (attest_audit_separation_get(square, pair, &found, &outputs, &classes, NULL))
                abort();
            /* Squares of so few bits are exact in doubles. */
            wrong += !found || arf_get_d(square, ARF_RND_NEAR) != hand.least;
            apart++;
            arf_clear(square);
        }
    next:
        attest_audit_outputs_clear(&outputs);
        attest_audit_collisions_clear(&collisions);
        attest_contexts_clear(&classes);
        audit_case_clear(&test);
    }
    TAP_OK(wrong == 0 && collapsed > 100 && apart > 10 && odd > 50,
           "300 layers: pairs by hand (%zu wrong; %zu collapse, %zu do not, %zu not finite)",
           wrong, collapsed, apart, odd);
}

/* Outputs in MPFR: the sweep along an axis finds what the tree finds for the same numbers. */
static void test_sweep(uint64_t *state)
{
    size_t wrong = 0, compared = 0;

    for (int trial = 0; trial < 60; trial++) {
        attest_contexts classes;
        attest_audit_outputs wide, real = {0};
        attest_simulated_arithmetic a;
        attest_audit_request request;
        audit_case test;
        size_t pair[2][2];
        bool found[2];
        arf_t square[2];
        draw(&test, &a, trial % 2 ? "p=20" : "p=25", trial % 3 == 0, state);
        attest_contexts_init(&classes);
        attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
        request.always_mpfr = true;
        if (attest_contexts_get_classes(&classes, &test.dataset, test.layer.weights.mask,
                                        NULL) ||
            attest_audit_evaluate(&wide, &request, &a, NULL))
            abort();
        request.always_mpfr = false;
        if (attest_audit_evaluate(&real, &request, &a, NULL))
            abort();
        if (real.real) { /* the tree sees doubles, exactly */
            arf_init(square[0]);
            arf_init(square[1]);
            if (attest_audit_separation_get(square[0], pair[0], &found[0], &wide, &classes,
                                            NULL) ||
                attest_audit_separation_get(square[1], pair[1], &found[1], &real, &classes,
                                            NULL))
                abort();
            wrong += found[0] != found[1];
            if (found[0] && found[1]) {
                wrong += !arf_equal(square[0], square[1]) || pair[0][0] != pair[1][0] ||
                         pair[0][1] != pair[1][1];
                compared++;
            }
            arf_clear(square[0]);
            arf_clear(square[1]);
        }
        attest_audit_outputs_clear(&wide);
        attest_audit_outputs_clear(&real);
        attest_contexts_clear(&classes);
        audit_case_clear(&test);
    }
    TAP_OK(wrong == 0 && compared > 10, "sweep and tree agree on %zu layers (%zu wrong)",
           compared, wrong);
}

/* Points of a line along each axis, one step of 1/2 among steps of 1: along any other axis all
 * of them are equal, and 450 take more comparisons than the sweep may make. */
static void test_axes(void)
{
    enum { COUNT = 450, DIM = 3, NEAR = 300 };
    size_t wrong = 0;

    for (size_t axis = 0; axis < DIM; axis++) {
        uint32_t number[COUNT];
        attest_contexts classes = {.position = number};
        attest_audit_outputs outputs = {.count = COUNT, .dim = DIM};
        size_t pair[2] = {0, 0};
        bool found = false, done;
        arf_t square;

        outputs.wide = attest_in_mpfr_vector_init(&outputs.bytes, COUNT * DIM, 53, true);
        if (!outputs.wide)
            abort();
        for (size_t p = 0; p < COUNT; p++) {
            number[p] = (uint32_t)p;
            for (size_t c = 0; c < DIM; c++)
                mpfr_set_d(outputs.wide + p * DIM + c,
                           c == axis ? (double)p - (p > NEAR ? 0.5 : 0) : 1, MPFR_RNDN);
        }
        arf_init(square);
        done = attest_audit_separation_sweep(square, pair, &found, &outputs, &classes);
        wrong += !done || !found || pair[0] != NEAR || pair[1] != NEAR + 1 ||
                 arf_cmp_d(square, 0.25) != 0;
        number[NEAR + 1] = NEAR; /* no required pair any more; the first of the others is */
        done = attest_audit_separation_sweep(square, pair, &found, &outputs, &classes);
        wrong += !done || !found || pair[0] != 0 || pair[1] != 1 || !arf_is_one(square);
        arf_clear(square);
        attest_audit_outputs_clear(&outputs);
    }
    TAP_OK(wrong == 0, "the sweep goes along the widest axis: %zu wrong", wrong);
}

/* Errors against balls never exceed the bound, for any algorithm. */
static void test_bound(const char *name, attest_activation activation, uint64_t *state)
{
    bool hard = activation == ATTEST_HARDMAX;
    size_t wrong = 0, bounded = 0;
    double tightest = INFINITY;

    for (int trial = 0; trial < (hard ? 120 : 40); trial++) {
        attest_audit_reference reference;
        attest_audit_outputs outputs;
        attest_simulated_arithmetic a;
        attest_audit_request request;
        attest_audit_model model;
        audit_case test;
        double *norm, *entry;
        if (hard)
            draw_shape(&test, &a, name, trial % 2 ? &tie_shape : &integer_shape, state);
        else
            draw(&test, &a, name, get_format(name).precision <= 11, state);
        test.layer.weights.activation = activation;
        test.layer.weights.ties = (attest_ties)(trial / 2 % 2);
        a.rounding = (attest_simulated_rounding)(trial % 3);
        a.softmax = (attest_simulated_softmax)(tap_random(state) % 3);
        a.block = 1 + tap_random(state) % 3;
        a.pairwise = tap_random(state) % 2;
        a.fma = tap_random(state) % 2;
        if (trial % 5 == 4) {
            a.accumulates = true;
            a.accumulate = get_format(trial % 2 ? "binary32" : "p=6:emin=-20:emax=20");
        }
        attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
        attest_audit_model_init(&model, &a);
        norm = attest_shared_alloc(test.dataset.total, sizeof *norm);
        entry = attest_shared_alloc(test.dataset.total * test.dataset.dim, sizeof *entry);
        if (attest_audit_reference_get(&reference, &request, 1000, 400, NULL) ||
            attest_audit_evaluate(&outputs, &request, &a, NULL) ||
            attest_audit_bound(norm, entry, &request, &model, NULL))
            abort();
        for (size_t i = 0; i < outputs.count * outputs.dim; i++) {
            double error, bound = entry[i] * model.u;
            mpfr_t x;
            if (!isfinite(entry[i]))
                continue;
            bounded++;
            mpfr_init2(x, 1000);
            if (outputs.real)
                mpfr_set_d(x, outputs.real[i], MPFR_RNDN);
            else
                mpfr_set(x, outputs.wide + i, MPFR_RNDN);
            mpfr_sub(x, x, reference.middle + i, MPFR_RNDN);
            error = fabs(mpfr_get_d(x, MPFR_RNDZ)) * (1 - 0x1p-50);
            wrong += !(error <= bound);
            if (error > 0)
                tightest = fmin(tightest, bound / error);
            mpfr_clear(x);
        }
        attest_audit_outputs_clear(&outputs);
        attest_audit_reference_clear(&reference);
        attest_shared_free(norm, test.dataset.total, sizeof *norm);
        attest_shared_free(entry, test.dataset.total * test.dataset.dim, sizeof *entry);
        audit_case_clear(&test);
    }
    TAP_OK(wrong == 0 && bounded > 30,
           "%s, %s: %zu bounds hold, the tightest by a factor of %.3g (%zu broken)", name,
           hard ? "hardmax" : "softmax", bounded, tightest, wrong);
}

/* Every width up to a cap, one by one. */
static void test_collapse(uint64_t *state)
{
    enum { CAP = 48 };
    size_t wrong = 0, found = 0, none = 0, proved = 0, not_monotone = 0, hard = 0, sums = 0;

    for (int trial = 0; trial < 80; trial++) {
        attest_format any = get_format("p=8");
        attest_audit audit;
        audit_case test;
        long expected = 0;
        bool above = false;
        audit_case_init(&test, &shape, trial % 3 == 2 || trial % 4 == 3 ? 2 : 6, 4, state);
        attest_audit_init(&audit);
        audit.dataset = &test.dataset;
        audit.weights = &test.layer.weights;
        audit.formats = 1;
        audit.format = &any;
        audit.has_stages = audit.has_kernels = false;
        audit.collapse.high = CAP;
        test.layer.weights.activation = trial % 3 == 2 ? ATTEST_HARDMAX : ATTEST_SOFTMAX;
        test.layer.weights.ties = (attest_ties)(trial % 2);
        audit.like.accumulates = trial % 4 == 3;
        audit.like.accumulate = get_format(trial % 8 == 3 ? "p=40" : "binary32");
        if (attest_audit_run(&audit, NULL))
            abort();
        for (long p = CAP; p >= 1; p--) {
            attest_audit_collisions collisions;
            attest_audit_outputs outputs;
            attest_simulated_arithmetic a = audit.like;
            attest_audit_request request;
            a.format = (attest_format){.precision = p};
            attest_audit_request_init(&request, &test.dataset, &test.layer.weights);
            request.always_mpfr = true;
            attest_audit_collisions_init(&collisions);
            if (attest_audit_evaluate(&outputs, &request, &a, NULL) ||
                attest_audit_collisions_get(&collisions, &outputs, &audit.classes, NULL))
                abort();
            if (collisions.has_pair)
                above = true;
            else if (!above)
                expected = p;
            else
                not_monotone++;
            attest_audit_outputs_clear(&outputs);
            attest_audit_collisions_clear(&collisions);
        }
        wrong += audit.collapse.bits != expected;
        /* Widths that are proved keep the pairs apart. */
        if (audit.collapse.certified > 0 && audit.collapse.certified <= CAP) {
            wrong += expected == 0 || expected > audit.collapse.certified;
            hard += test.layer.weights.activation == ATTEST_HARDMAX;
            sums += audit.like.accumulates;
        }
        found += expected > 0;
        none += expected == 0;
        proved += audit.collapse.certified > 0;
        attest_audit_clear(&audit);
        audit_case_clear(&test);
    }
    TAP_OK(
        wrong == 0 && found > 10 && none > 0 && proved > 10 && hard > 3 && sums > 3,
        "80 layers: every width up to %d (%zu wrong; %zu collapse, %zu at the cap, %zu with a "
        "proof, of which %zu hardmax and %zu with an accumulator; %zu widths survive below one "
        "that does not)",
        CAP, wrong, found, none, proved, hard, sums, not_monotone);
}

/* Sets a matrix of integers, row after row. */
static void set_matrix(attest_matrix *matrix, size_t rows, size_t cols, const long *entry)
{
    attest_matrix_clear(matrix);
    attest_matrix_init(matrix);
    attest_matrix_resize(matrix, rows, cols);
    fmpz_one(matrix->denominator);
    for (size_t i = 0; i < rows * cols; i++)
        fmpz_set_si(matrix->entry + i, entry[i]);
}

/* One sequence: some first tokens with v_0 - v_1 = -2^-200, then others. */
static void build_cancelling(attest_dataset *dataset, size_t first, size_t length)
{
    static const long entry[4][3] = {{1, 1, 1}, {2, 2, -1}, {3, 1, 0}, {-1, 2, 1}};
    fmpq *token = _fmpq_vec_init(3);
    attest_dataset_builder builder;
    bool ok = true;

    attest_dataset_init(dataset);
    attest_dataset_builder_init(&builder, 3, ATTEST_TABLE_RATIONAL, NULL);
    for (size_t k = 0; k < length; k++) {
        for (size_t c = 0; c < 3; c++)
            fmpq_set_si(token + c, entry[(k < first ? 0 : 2) + k % 2][c], 1);
        if (k < first) {
            fmpz_one_2exp(fmpq_denref(token + 1), 200);
            fmpz_mul_2exp(fmpq_numref(token + 1), fmpq_numref(token + 1), 200);
            fmpz_add_ui(fmpq_numref(token + 1), fmpq_numref(token + 1), 1);
        }
        ok = ok && attest_dataset_builder_add_token(&builder, token, NULL) == ATTEST_OK;
    }
    ok = ok && attest_dataset_builder_end_sequence(&builder, NULL) == ATTEST_OK &&
         attest_dataset_builder_finish(dataset, &builder, NULL) == ATTEST_OK;
    attest_dataset_builder_clear(&builder);
    _fmpq_vec_clear(token, 3);
    if (!ok)
        abort();
}

/* W_O takes the difference of averages that agree to 200 bits at the first positions and not at
 * the others: which way each is computed must not depend on how workers cut the sequence. */
static void test_passages(uint64_t *state)
{
    static const long form[] = {0, 0, 1, 0, 0, 0}, values[] = {1, 0, 0, 0, 1, 0};
    static const long output[] = {1, -1, 1, 0, 0, 1};
    const ref_shape one_head = {1, 3, 2, 1, 3, 1, false};
    enum { FIRST = 20, LENGTH = 404, BITS = 181 };
    attest_audit_reference reference[2];
    size_t differ = 0, wide = 0;
    attest_dataset dataset;
    ref_case layer;

    ref_case_init(&layer, &one_head, state);
    layer.weights.activation = ATTEST_SOFTMAX;
    layer.weights.mask = ATTEST_MASK_CAUSAL;
    layer.weights.skip = false;
    set_matrix(&layer.weights.head[0].wq, 2, 3, form);
    set_matrix(&layer.weights.head[0].wk, 2, 3, form);
    set_matrix(&layer.weights.head[0].wv, 2, 3, values);
    set_matrix(&layer.weights.head[0].wo, 3, 2, output);
    build_cancelling(&dataset, FIRST, LENGTH);
    for (int i = 0; i < 2; i++) {
        attest_audit_request request;

        attest_audit_request_init(&request, &dataset, &layer.weights);
        request.jobs = i == 0 ? 1 : 5;
        if (attest_audit_reference_get(&reference[i], &request, 1, BITS, NULL) != ATTEST_OK)
            abort();
    }
    for (size_t e = 0; e < LENGTH * 3; e++) {
        mpfr_srcptr middle = reference[0].middle + e, radius = reference[0].radius + e;

        differ += !mpfr_equal_p(middle, reference[1].middle + e) ||
                  !mpfr_equal_p(radius, reference[1].radius + e);
        wide += !mpfr_zero_p(radius) &&
                mpfr_get_exp(radius) > mpfr_get_exp(middle) - (BITS - 64) + 2;
    }
    TAP_OK(differ == 0, "balls do not depend on the jobs (%zu of %d differ)", differ,
           LENGTH * 3);
    TAP_OK(wide == 0, "and have all but 64 of the requested bits (%zu have not)", wide);
    for (int i = 0; i < 2; i++)
        attest_audit_reference_clear(&reference[i]);
    attest_dataset_clear(&dataset);
    ref_case_clear(&layer);
}

TEST(collisions)
{
    static const char *const bounded[] = {"binary64", "binary32",      "bfloat16",   "binary16",
                                          "p=30",     "float8_e4m3fn", "float8_e5m2"};
    static const char *const winners[] = {"p=3", "p=5", "p=8", "p=30", "binary16", "binary64"};
    uint64_t state = tap_seed(0xc0111);

    test_collisions(&state);
    test_sweep(&state);
    test_axes();
    for (size_t i = 0; i < sizeof bounded / sizeof bounded[0]; i++)
        test_bound(bounded[i], ATTEST_SOFTMAX, &state);
    for (size_t i = 0; i < sizeof winners / sizeof winners[0]; i++)
        test_bound(winners[i], ATTEST_HARDMAX, &state);
    test_collapse(&state);
    test_passages(&state);
    return 0;
}
