/* What verifies certificates: numbers beyond the range of doubles, outputs of which nothing is
 * known, and certificates that are undecided. tests/cli/certify.sh has the rest. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <attest/check.h>

#include "geometry/closest_pair.h"
#include "recheck/recheck.h"
#include "io/dataset.h"
#include "io/weights_json.h"
#include "tests/tap.h"

static char directory[] = "t-check.XXXXXX", data_file[64], weights_file[64];

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");

    if (!out || fputs(text, out) < 0 || fclose(out) != 0)
        abort();
}

/* One head with scores -x y and values y, and a skip connection. */
static const char weights_text[] =
    "{\"format\":\"attest/weights\",\"version\":1,\"activation\":\"softmax\",\"heads\":"
    "[{\"WQ\":[[1]],\"WK\":[[-1]],\"WV\":[[1]],\"WO\":[[1]]}]}";

static void make_text(char text[256], const char *big)
{
    snprintf(text, 256,
             "{\"format\":\"attest/dataset\",\"version\":1,\"sequences\":"
             "[[[\"%s\"],[1]],[[\"%s\"],[1],[2]]]}",
             big, big);
}

/* The separation of [0,1] and [1,1] is 1/(1 + e), and the largest norm big + 1, a little less.
 */
static void set_balls(attest_certificate *certificate, const char *big)
{
    fmpq_t norm;

    fmpq_init(norm);
    if (attest_number_parse(norm, big, strlen(big), NULL, NULL) != ATTEST_OK)
        abort();
    fmpq_add_si(norm, norm, 1);
    arb_set_fmpz(certificate->max_norm, fmpq_numref(norm));
    arb_add_error_2exp_si(certificate->max_norm, -40);
    arb_const_e(certificate->min_separation, 128);
    arb_add_si(certificate->min_separation, certificate->min_separation, 1, 128);
    arb_inv(certificate->min_separation, certificate->min_separation, 128);
    arb_add_error_2exp_si(certificate->min_separation, -40);
    fmpq_clear(norm);
}

/* A certificate about the data with this number: proved, delta = 1/4, the pair [0,1], [1,1]
 * with its true separation, and the right hashes. */
static void forge(attest_certificate *certificate, const char *big)
{
    char text[256];

    make_text(text, big);
    write_file(data_file, text);
    write_file(weights_file, weights_text);
    attest_certificate_init(certificate);
    certificate->verdict = ATTEST_PROVED;
    fmpq_set_si(certificate->delta, 1, 4);
    certificate->has_pair = true;
    certificate->pair[0] = (attest_place){0, 1};
    certificate->pair[1] = (attest_place){1, 1};
    set_balls(certificate, big);
    if (attest_certificate_add_input(certificate, "dataset", data_file, NULL) != ATTEST_OK ||
        attest_certificate_add_input(certificate, "weights", weights_file, NULL) != ATTEST_OK)
        abort();
}

static attest_status check(bool *holds, const attest_certificate *certificate)
{
    attest_error error;

    return attest_check_certificate(holds, certificate, NULL, ATTEST_CERTIFY_MAX_BITS, NULL,
                                    &error);
}

/* The outputs at [0,0] and [1,0] differ by less than e^-big. */
static void test_overflow(void)
{
    static const char *const big[] = {"1e40",  "1e60",   "1e100",   "1e150",
                                      "1e300", "1e5000", "1e100000"};

    for (size_t i = 0; i < sizeof big / sizeof *big; i++) {
        attest_certificate certificate;
        bool holds = true;
        forge(&certificate, big[i]);
        TAP_OK(check(&holds, &certificate) == ATTEST_OK && !holds,
               "a separation of 1/4 is not proved at %s", big[i]);
        attest_certificate_clear(&certificate);
    }
}

/* An undecided certificate is undecided, unless it is wrong. */
static void test_undecided(void)
{
    attest_certificate certificate;
    bool holds = true;

    forge(&certificate, "1e40");
    certificate.verdict = ATTEST_UNDECIDED;
    TAP_OK(check(&holds, &certificate) == ATTEST_OK && !holds,
           "undecided, with an enclosure that is wrong");
    certificate.has_pair = false;
    TAP_OK(check(&holds, &certificate) == ATTEST_UNABLE,
           "undecided, as the certificate claims");
    arb_indeterminate(certificate.max_norm);
    TAP_OK(check(&holds, &certificate) == ATTEST_UNABLE, "undecided about everything");
    certificate.input[0].sha256[0] ^= 1;
    TAP_OK(check(&holds, &certificate) == ATTEST_OK && !holds, "undecided, of other data");
    certificate.input[0].sha256[0] ^= 1;
    certificate.verdict = ATTEST_PROVED;
    set_balls(&certificate, "1e40");
    TAP_OK(check(&holds, &certificate) == ATTEST_OK && !holds, "proved, without a pair");
    attest_certificate_clear(&certificate);
}

/* No file holds such certificates; a caller may. */
static void test_malformed(void)
{
    attest_certificate certificate;
    bool holds = true;

    forge(&certificate, "2");
    certificate.has_r = true;
    fmpq_set_si(certificate.r, -100, 1);
    TAP_OK(check(&holds, &certificate) == ATTEST_DOMAIN && !holds, "norms below a negative r");
    certificate.has_r = false;
    fmpq_set_si(certificate.delta, -1, 1);
    TAP_OK(check(&holds, &certificate) == ATTEST_DOMAIN && !holds, "a negative delta");
    fmpq_set_si(certificate.delta, 1, 4);
    arb_indeterminate(certificate.max_norm);
    TAP_OK(check(&holds, &certificate) == ATTEST_DOMAIN && !holds, "a norm without an end");
    arb_zero(certificate.max_norm);
    arb_indeterminate(certificate.min_separation);
    TAP_OK(check(&holds, &certificate) == ATTEST_DOMAIN && !holds, "a separation without one");
    attest_certificate_clear(&certificate);
}

static bool count_pair(void *state, size_t a, size_t b)
{
    (void)a, (void)b;
    ++*(size_t *)state;
    return true;
}

/* How many pairs may be within reach. */
static size_t count_near(attest_recheck *check, double reach)
{
    size_t count = 0;
    arf_t x;

    arf_init(x);
    arf_set_d(x, reach);
    if (attest_recheck_visit_near(check, x, count_pair, &count, NULL) != ATTEST_OK)
        abort();
    arf_clear(x);
    return count;
}

/* Outputs 1001, 2.0, 1001, 1.3 and 3.1, nearly; all 10 pairs of 5 positions are required. */
static void test_grid(void)
{
    attest_dataset dataset;
    attest_weights weights;
    attest_recheck check;
    char text[256];

    attest_dataset_init(&dataset);
    attest_weights_init(&weights);
    make_text(text, "1000");
    if (attest_dataset_parse_json(&dataset, text, strlen(text), NULL, NULL) != ATTEST_OK ||
        attest_weights_parse_json(&weights, weights_text, strlen(weights_text), NULL, NULL) !=
            ATTEST_OK ||
        attest_recheck_init(&check, &dataset, &weights, NULL) != ATTEST_OK ||
        attest_recheck_make_doubles(&check, NULL) != ATTEST_OK)
        abort();
    TAP_OK(count_near(&check, 0) == 1, "within 0: the pair with equal doubles");
    TAP_OK(count_near(&check, 2) == 4, "within 2: the pairs of small tokens");
    TAP_OK(count_near(&check, 1e300) == 10, "within 1e300: all pairs");
    TAP_OK(count_near(&check, INFINITY) == 10, "within infinity: all pairs");
    for (size_t p = 0; p < check.positions; p++) {
        double error = check.error[p];
        size_t near = p % 2 || p > 3 ? 5 : 4; /* 4 with it, and the pair unless it is of it */
        check.error[p] = INFINITY;
        TAP_OK(count_near(&check, 0) == near, "position %zu with an infinite error", p);
        check.error[p] = NAN;
        TAP_OK(count_near(&check, 0) >= 4, "a position with NaN as its error");
        check.error[p] = error;
    }
    attest_recheck_clear(&check);
    attest_weights_clear(&weights);
    attest_dataset_clear(&dataset);
}

/* A point of a cloud that is no number may be anywhere: it is in all candidates. */
static void test_cloud(void)
{
    attest_candidates candidates;
    attest_cloud cloud;
    size_t first, second, met = 0;
    bool found;
    arb_t ball;

    arb_init(ball);
    if (attest_cloud_init(&cloud, 40, 1, NULL) != ATTEST_OK)
        abort();
    for (size_t i = 0; i < cloud.count; i++) {
        arb_set_ui(ball, i * i);
        if (i == 17)
            arb_indeterminate(ball);
        cloud.colour[i] = (uint32_t)i;
        attest_cloud_set_balls(&cloud, i, ball);
    }
    attest_cloud_finish(&cloud);
    if (attest_candidates_init(&candidates, &cloud, NULL) != ATTEST_OK)
        abort();
    while (attest_candidates_next(&found, &first, &second, &candidates, NULL) == ATTEST_OK &&
           found)
        met += first == 17 || second == 17;
    TAP_OK(met == 39, "an unknown point is a candidate with all others");
    attest_candidates_clear(&candidates);
    attest_cloud_clear(&cloud);
    arb_clear(ball);
}

TEST(check)
{
    if (!mkdtemp(directory))
        return 1;
    snprintf(data_file, sizeof data_file, "%s/d.json", directory);
    snprintf(weights_file, sizeof weights_file, "%s/w.json", directory);
    test_overflow();
    test_undecided();
    test_malformed();
    test_grid();
    test_cloud();
    unlink(data_file);
    unlink(weights_file);
    rmdir(directory);
    return 0;
}
