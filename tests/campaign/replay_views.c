/* The views of replay: outputs computed by hand in every number system, the bits that tell them
 * apart, and the work that is charged before. */
#include "campaign/replay.h"

#include <math.h>
#include <string.h>

#include "attention/head_plan.h"
#include "io/dataset.h"
#include "io/weights_json.h"
#include "tests/tap.h"

static attest_counterexample file;
static attest_replay replay;
static attest_error error;

/* sequences and heads are the members of the files. */
static void set(const char *sequences, const char *activation, const char *heads)
{
    char text[4096];

    attest_counterexample_init(&file);
    snprintf(text, sizeof text,
             "{\"format\": \"attest/dataset\", \"version\": 1, \"sequences\": %s}", sequences);
    if (attest_dataset_parse_json(&file.dataset, text, strlen(text), NULL, NULL) != ATTEST_OK)
        abort();
    snprintf(text, sizeof text,
             "{\"format\": \"attest/weights\", \"version\": 1, \"activation\": \"%s\", "
             "\"heads\": [%s]}",
             activation, heads);
    if (attest_weights_parse_json(&file.weights, text, strlen(text), NULL, NULL) != ATTEST_OK)
        abort();
}

/* Sets the views of two places, with this limit on the work. */
static attest_status get_views(size_t a, size_t i, size_t b, size_t j,
                               const attest_setting *setting, double work)
{
    const attest_setting none = {0};

    attest_replay_init(&replay);
    error = (attest_error){0};
    replay.pair[0] = (attest_place){a, i};
    replay.pair[1] = (attest_place){b, j};
    replay.has_pair = true;
    replay.max_work = work;
    return attest_replay_view_all(&replay, &file, setting ? setting : &none, &error);
}

/* Returns the work of evaluating two sequences; bits = 0: exactly. */
static double work_of(size_t a, size_t b, long bits)
{
    double work = 0;

    for (int s = 0; s < 2; s++) {
        attest_sequence sequence;
        attest_sequence_init(&sequence);
        if (attest_dataset_get_sequence(&sequence, &file.dataset, s ? b : a, NULL, NULL) !=
            ATTEST_OK)
            abort();
        work += attest_work_estimate(&file.weights, &sequence, sequence.length, bits);
        attest_sequence_clear(&sequence);
    }
    return work;
}

/* Returns whether a ball contains p/q, and is no wider than 2^-bits. */
static bool encloses(const arb_t ball, long p, unsigned long q, long bits)
{
    fmpq_t x;
    bool ok;

    fmpq_init(x);
    fmpq_set_si(x, p, q);
    ok = arb_contains_fmpq(ball, x) && mag_cmp_2exp_si(arb_radref(ball), -bits) < 0;
    fmpq_clear(x);
    return ok;
}

/* Returns whether the midpoint is p/q up to 2^-bits, with at most this many bits and no radius.
 */
static bool is_near(const arb_t x, double value, double error_bound, long bits)
{
    return fabs(arf_get_d(arb_midref(x), ARF_RND_NEAR) - value) <= error_bound &&
           arf_bits(arb_midref(x)) <= bits && arb_is_exact(x);
}

/* The distance is sqrt(32)/3: its square is 32/9. */
static bool is_distance(const arb_t separation, long bits)
{
    arb_t square;
    bool ok;

    arb_init(square);
    arb_sqr(square, separation, 512);
    ok = encloses(square, 32, 9, bits) && arb_is_positive(separation);
    arb_clear(square);
    return ok;
}

/* The query (3, 4) takes the key (3, 4), the query (1, 2) the key (5, 6), a third of which is
 * added: (4, 16/3) and (8/3, 4). */
static const char pairs[] = "[[[1, 2], [3, 4]], [[0, 1], [1, 2], [5, 6]]]";
static const char third[] = "{\"WQ\": [[1, 0], [0, 1]], \"WK\": [[1, 0], [0, 1]], \"WV\": [[1, "
                            "0], [0, 1]], \"WO\": [[\"1/3\", 0], [0, \"1/3\"]]}";

static void test_hardmax(void)
{
    static const long p[4] = {4, 16, 8, 4};
    static const unsigned long q[4] = {1, 3, 3, 1};
    const attest_setting few = {
        .number = ATTEST_ARITHMETIC_MPFR, .bits = 11, .round = MPFR_RNDU};
    const attest_setting single = {.number = ATTEST_ARITHMETIC_BINARY32, .round = MPFR_RNDN};
    bool ok[ATTEST_VIEWS] = {true, true, true, true}, exact = true;

    set(pairs, "hardmax", third);
    if (get_views(0, 1, 1, 1, NULL, 1e12) != ATTEST_OK)
        abort();
    for (int e = 0; e < 4; e++) {
        double value = (double)p[e] / (double)q[e];

        exact = exact && fmpz_equal_si(fmpq_numref(replay.view[0].rational + e), p[e]) &&
                fmpz_equal_ui(fmpq_denref(replay.view[0].rational + e), q[e]);
        ok[0] = ok[0] && encloses(replay.view[0].output + e, p[e], q[e], 240);
        ok[1] = ok[1] && encloses(replay.view[1].output + e, p[e], q[e], 110);
        ok[2] = ok[2] && is_near(replay.view[2].output + e, value, 1e-14, 53);
        ok[3] = ok[3] && is_near(replay.view[3].output + e, value, 1e-14, 53);
    }
    TAP_OK(exact && ok[0] && strcmp(replay.view[0].name, "exact") == 0, "exact outputs");
    TAP_OK(ok[1] && strcmp(replay.view[1].name, "ball, 128 bits") == 0, "in balls");
    TAP_OK(ok[2] && strcmp(replay.view[2].name, "mpfr, p=53, RNDN") == 0, "in 53 bits");
    TAP_OK(ok[3] && strcmp(replay.view[3].name, "double") == 0, "in doubles");
    TAP_OK(is_distance(replay.view[0].separation, 230) &&
               is_distance(replay.view[1].separation, 110),
           "the distance of exact outputs and of balls");
    TAP_OK(fabs(arf_get_d(arb_midref(replay.view[2].separation), ARF_RND_NEAR) - sqrt(32) / 3) <
                   1e-14 &&
               fabs(arf_get_d(arb_midref(replay.view[3].separation), ARF_RND_NEAR) -
                    sqrt(32) / 3) < 1e-14,
           "the distance of rounded outputs");
    TAP_OK(replay.dim == 2 && !replay.view[1].rational && !replay.view[2].rational &&
               replay.view[0].available && replay.view[1].available &&
               replay.view[2].available && replay.view[3].available && replay.view[2].finite &&
               replay.view[3].finite,
           "all four views are available");
    attest_replay_clear(&replay);
    if (get_views(0, 1, 1, 1, &few, 1e12) != ATTEST_OK)
        abort();
    TAP_OK(strcmp(replay.view[2].name, "mpfr, p=11, RNDU") == 0 &&
               is_near(replay.view[2].output + 1, 16.0 / 3, 0.02, 11) &&
               arf_cmp_d(arb_midref(replay.view[2].output + 1), 16.0 / 3) > 0 &&
               is_near(replay.view[3].output + 1, 16.0 / 3, 1e-14, 53),
           "in 11 bits, upwards");
    attest_replay_clear(&replay);
    if (get_views(0, 1, 1, 1, &single, 1e12) != ATTEST_OK)
        abort();
    TAP_OK(strcmp(replay.view[2].name, "mpfr, binary32, RNDN") == 0 &&
               is_near(replay.view[2].output + 1, 16.0 / 3, 1e-6, 24) &&
               !is_near(replay.view[2].output + 1, 16.0 / 3, 1e-9, 24),
           "in binary32");
    attest_replay_clear(&replay);
    attest_counterexample_clear(&file);
}

/* The same place twice, and entries that only one side has in common. */
static void test_equal(void)
{
    set(pairs, "hardmax", third);
    TAP_OK(get_views(1, 2, 1, 2, NULL, 1e12) == ATTEST_OK &&
               arb_is_zero(replay.view[0].separation) &&
               arb_contains_zero(replay.view[1].separation) &&
               arb_is_zero(replay.view[3].separation),
           "an output is equal to itself");
    attest_replay_clear(&replay);
    attest_counterexample_clear(&file);
    /* the keys of (1, 0) and (1, 1) are themselves: (4/3, 0) and (4/3, 4/3) */
    set("[[[1, 0]], [[1, 1]]]", "hardmax", third);
    TAP_OK(get_views(0, 0, 1, 0, NULL, 1e12) == ATTEST_OK &&
               encloses(replay.view[0].separation, 4, 3, 200),
           "outputs with one entry in common");
    attest_replay_clear(&replay);
    attest_counterexample_clear(&file);
}

/* Beyond the largest numbers of an arithmetic. */
static void test_overflow(void)
{
    const attest_setting single = {.number = ATTEST_ARITHMETIC_BINARY32, .round = MPFR_RNDN};
    const char *large = "{\"WQ\": [[1]], \"WK\": [[1]], \"WV\": [[\"1e30\"]], \"WO\": [[1]]}";
    const char *huge = "{\"WQ\": [[1]], \"WK\": [[1]], \"WV\": [[\"1e300\"]], \"WO\": [[1]]}";

    set("[[[\"1e20\"]], [[2]]]", "hardmax", large);
    TAP_OK(get_views(0, 0, 1, 0, &single, 1e12) == ATTEST_OK && !replay.view[2].finite &&
               replay.view[3].finite && replay.view[0].finite && replay.view[1].finite,
           "1e50 is not a number of binary32: first output");
    attest_replay_clear(&replay);
    TAP_OK(get_views(1, 0, 0, 0, &single, 1e12) == ATTEST_OK && !replay.view[2].finite &&
               replay.view[3].finite,
           "1e50 is no number of binary32, on the other side");
    attest_replay_clear(&replay);
    attest_counterexample_clear(&file);
    set("[[[\"1e20\"]], [[2]]]", "hardmax", huge);
    TAP_OK(get_views(0, 0, 1, 0, NULL, 1e12) == ATTEST_OK && replay.view[2].finite &&
               !replay.view[3].finite,
           "1e320 is no double, but one with an unbounded exponent");
    attest_replay_clear(&replay);
    attest_counterexample_clear(&file);
}

/* Heads that add nothing: outputs are tokens, here 2^-300 apart, or equal. */
static const char nothing[] = "{\"WQ\": [[1]], \"WK\": [[1]], \"WV\": [[0]], \"WO\": [[1]]}";

static void test_closely(void)
{
    char sequences[512], *at = sequences;
    fmpz_t power;
    char *text, *more;

    fmpz_init(power);
    fmpz_one(power);
    fmpz_mul_2exp(power, power, 300);
    text = fmpz_get_str(NULL, 10, power);
    fmpz_add_ui(power, power, 1);
    more = fmpz_get_str(NULL, 10, power);
    at += sprintf(at, "[[[1], [2]], [[\"%s/%s\"], [3]], [[1], [4]]]", more, text);
    set(sequences, "softmax", nothing);
    TAP_OK(get_views(0, 0, 1, 0, NULL, 1e12) == ATTEST_OK && !replay.view[0].available &&
               strcmp(replay.view[1].name, "ball, 512 bits") == 0 &&
               arb_is_positive(replay.view[1].separation) &&
               mag_cmp_2exp_si(arb_radref(replay.view[1].separation), -500) < 0,
           "2^-300 apart: %s", replay.view[1].name);
    attest_replay_clear(&replay);
    TAP_OK(get_views(0, 0, 2, 0, NULL, 1e12) == ATTEST_OK &&
               strcmp(replay.view[1].name, "ball, 65536 bits") == 0 &&
               arb_contains_zero(replay.view[1].separation),
           "equal: %s", replay.view[1].name);
    attest_replay_clear(&replay);
    TAP_OK(get_views(0, 1, 1, 1, NULL, 1e12) == ATTEST_OK &&
               strcmp(replay.view[1].name, "ball, 128 bits") == 0,
           "1 apart: %s", replay.view[1].name);
    attest_replay_clear(&replay);
    attest_counterexample_clear(&file);
    fmpz_clear(power);
    flint_free(text);
    flint_free(more);
}

/* Returns whether the view of balls ends at this precision; 0: the work does not suffice for
 * any. */
static bool ends(double work, long bits)
{
    char name[64];
    attest_status status = get_views(0, 0, 1, 0, NULL, work);
    bool ok;

    snprintf(name, sizeof name, "ball, %ld bits", bits);
    ok = bits ? status == ATTEST_OK && strcmp(replay.view[1].name, name) == 0
              : status == ATTEST_UNABLE && strstr(error.text, "more work than is allowed");
    attest_replay_clear(&replay);
    return ok;
}

static void test_work(void)
{
    double all[3], exact;

    set("[[[1], [2]], [[1], [3], [4]]]", "softmax", nothing);
    for (int i = 0; i < 3; i++)
        all[i] = (i ? all[i - 1] : 0) + work_of(0, 1, 128l << i);
    TAP_OK(ends(all[0] - 1, 0) && ends(0, 0), "no work for balls");
    TAP_OK(ends(all[0], 128) && ends(all[1] - 1, 128), "work for balls of 128 bits");
    TAP_OK(ends(all[1], 256) && ends(all[2] - 1, 256) && ends(all[2], 512),
           "work for balls of 256 and 512 bits");
    attest_counterexample_clear(&file);

    /* exactly, and then in balls; equal outputs need no more of them */
    set("[[[1], [2]], [[1], [3], [4]]]", "hardmax",
        "{\"WQ\": [[1]], \"WK\": [[1]], \"WV\": [[\"1e200\"]], \"WO\": [[0]]}");
    exact = work_of(0, 1, 0);
    TAP_OK(ends(exact - 1, 0) && ends(exact, 0) && ends(exact + work_of(0, 1, 128) - 1, 0),
           "no work for both");
    TAP_OK(ends(exact + work_of(0, 1, 128), 128) && ends(1e15, 128), "work for both");
    attest_counterexample_clear(&file);
}

static void test_dimensions(void)
{
    set(pairs, "hardmax", nothing);
    TAP_OK(get_views(0, 0, 1, 0, NULL, 1e12) == ATTEST_FORMAT &&
               strstr(error.text, "tokens have 2 entries, but the weights take 1"),
           "refused: %s", error.text);
    attest_replay_clear(&replay);
    attest_counterexample_clear(&file);
}

TEST(replay_views)
{
    test_hardmax();
    test_equal();
    test_overflow();
    test_closely();
    test_work();
    test_dimensions();
    flint_cleanup();
    return 0;
}
