/* The form of imported heads: the gains of each, slopes, rotary positions, eps and softcap; and
 * doubles as the decimals that were written. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <attest/number.h>

#include "model/import_parts.h"
#include "tests/tap.h"

enum { HEADS = 4, GROUPS = 2, SIZE = 3 };

static char path[] = "/tmp/t-import_form-XXXXXX";

/* Tensor "g" has the entry n/8 at place n, "all" and "shared", too, one after another. */
static void write_file(void)
{
    static const char header[] =
        "{\"g\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]},"
        "\"all\":{\"dtype\":\"F32\",\"shape\":[12],\"data_offsets\":[12,60]},"
        "\"shared\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[60,84]},"
        "\"row\":{\"dtype\":\"F32\",\"shape\":[1,3],\"data_offsets\":[84,96]},"
        "\"four\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[96,112]}}";
    uint64_t length = sizeof header - 1;
    FILE *file = fopen(path, "wb");
    float data[28];

    for (int n = 0; n < 28; n++)
        data[n] = (float)n / 8;
    if (!file || fwrite(&length, 8, 1, file) != 1 ||
        fwrite(header, 1, length, file) != length || fwrite(data, sizeof data, 1, file) != 1 ||
        fclose(file) != 0)
        abort();
}

typedef struct setup {
    attest_import_layer layer;
    attest_import request;
    attest_model_config config;
    const fmpq *scale;
    attest_weights weights;
    attest_error error;
} setup;

/* Heads first .. first + count - 1 of four, of which two share keys. */
static void begin(setup *s, size_t first, size_t count)
{
    memset(s, 0, sizeof *s);
    s->layer = (attest_import_layer){.size = SIZE, .heads = HEADS, .dim = 5};
    s->layer.part[ATTEST_IMPORT_Q].groups = HEADS;
    s->layer.part[ATTEST_IMPORT_K].groups = GROUPS;
    s->request = (attest_import){.heads = HEADS, .first = first, .count = count};
    attest_weights_init(&s->weights);
    if (attest_weights_resize(&s->weights, count) != ATTEST_OK)
        abort();
}

static attest_status form(setup *s)
{
    attest_budget budget = {1 << 20};
    attest_model_file file;
    attest_status status;

    if (attest_model_file_open(&file, path, &budget, &s->error) != ATTEST_OK)
        abort();
    status = attest_import_set_form(&s->weights, &s->layer, &s->request, &s->config, s->scale,
                                    &file, &budget, &s->error);
    attest_model_file_close(&file);
    return status;
}

/* Returns whether the gains of head i are (from + r)/8 + more, times the scale. */
static bool has_gains(const setup *s, size_t i, int side, long from, long more,
                      const fmpq *scale)
{
    const attest_matrix *gain = &s->weights.head[i].gain[side];
    bool ok = gain->rows == SIZE && gain->cols == 1;
    fmpq_t got, wanted;

    fmpq_init(got), fmpq_init(wanted);
    for (size_t r = 0; ok && r < SIZE; r++) {
        fmpq_set_si(wanted, from + (long)r + 8 * more, 8);
        if (scale)
            fmpq_mul(wanted, wanted, scale);
        attest_matrix_get_entry(got, gain, r, 0);
        ok = fmpq_equal(got, wanted);
    }
    fmpq_clear(got), fmpq_clear(wanted);
    return ok;
}

/* One factor for each entry of a head: the same for all; the scale is the keys'. */
static void test_each(void)
{
    fmpq_t scale;

    fmpq_init(scale);
    fmpq_set_si(scale, 3, 7);
    for (int more = 0; more < 2; more++)
        for (int scaled = 0; scaled < 2; scaled++) {
            bool ok;
            setup s;

            begin(&s, 1, 2);
            s.scale = scaled ? scale : NULL;
            s.request.known.q_norm = "g";
            s.request.known.k_norm = "g";
            s.request.known.one_more = more;
            ok = form(&s) == ATTEST_OK && !s.weights.form.over_heads;
            for (size_t i = 0; i < 2; i++)
                ok = ok && has_gains(&s, i, 0, 0, more, NULL) &&
                     has_gains(&s, i, 1, 0, more, s.scale);
            TAP_OK(ok, "gains of a head%s%s: %s", more ? ", and 1" : "",
                   scaled ? ", times 3/7" : "", s.error.text);
            attest_weights_clear(&s.weights);
        }
    fmpq_clear(scale);
}

/* Those of all heads: four of queries, two of keys, which two heads share. */
static void test_all(void)
{
    bool ok;
    setup s;

    begin(&s, 0, HEADS);
    s.request.known.q_norm = "all";
    s.request.known.k_norm = "shared";
    ok = form(&s) == ATTEST_OK && s.weights.form.over_heads;
    for (size_t i = 0; i < HEADS; i++)
        ok = ok && has_gains(&s, i, 0, 3 + 3 * (long)i, 0, NULL) &&
             has_gains(&s, i, 1, 15 + 3 * (long)(i / 2), 0, NULL);
    TAP_OK(ok, "gains of all heads: %s", s.error.text);
    attest_weights_clear(&s.weights);
    for (int side = 0; side < 2; side++) { /* of queries or of keys alone */
        begin(&s, 0, HEADS);
        *(side ? &s.request.known.k_norm : &s.request.known.q_norm) = side ? "shared" : "all";
        *(side ? &s.request.known.q_norm : &s.request.known.k_norm) = "g";
        TAP_OK(form(&s) == ATTEST_OK && s.weights.form.over_heads &&
                   has_gains(&s, 3, side, side ? 18 : 12, 0, NULL) &&
                   has_gains(&s, 3, !side, 0, 0, NULL),
               "of %s: %s", side ? "keys" : "queries", s.error.text);
        attest_weights_clear(&s.weights);
    }
    begin(&s, 1, 3);
    s.request.known.k_norm = "shared";
    TAP_OK(form(&s) == ATTEST_USAGE && strstr(s.error.text, "'shared' is a norm over all"),
           "of some heads: %s", s.error.text);
    attest_weights_clear(&s.weights);
    begin(&s, 1, 3);
    s.request.known.q_norm = "g";
    TAP_OK(form(&s) == ATTEST_OK && has_gains(&s, 2, 0, 0, 0, NULL) &&
               s.weights.head[0].gain[1].rows == 0,
           "queries alone: %s", s.error.text);
    attest_weights_clear(&s.weights);
}

static void test_shapes(void)
{
    static const char *const name[] = {"row", "four", "all", "none"};
    static const char *const message[] = {"tensor 'row' has shape (1, 3), but a norm of heads",
                                          "tensor 'four' has shape (4,), but",
                                          "tensor 'all' has shape (12,), but",
                                          "there is no tensor 'none'"};

    for (int i = 0; i < 4; i++) {
        setup s;

        begin(&s, 0, HEADS);
        s.request.known.k_norm = name[i];
        TAP_OK(form(&s) == (i < 3 ? ATTEST_FORMAT : ATTEST_USAGE) &&
                   strstr(s.error.text, message[i]),
               "refused: %s", s.error.text);
        attest_weights_clear(&s.weights);
    }
}

static bool is(const fmpq_t x, long p, unsigned long q)
{
    fmpq_t y;
    bool equal;

    fmpq_init(y);
    fmpq_set_si(y, p, q);
    equal = fmpq_equal(x, y);
    fmpq_clear(y);
    return equal;
}

/* ALiBi with four heads: 2^-2, 2^-4, 2^-6, 2^-8. */
static void test_slopes(void)
{
    setup s;

    begin(&s, 1, 3);
    s.request.known.alibi = true;
    TAP_OK(form(&s) == ATTEST_OK && is(s.weights.head[0].slope, 1, 16) &&
               is(s.weights.head[1].slope, 1, 64) && is(s.weights.head[2].slope, 1, 256),
           "slopes of heads 1 to 3");
    attest_weights_clear(&s.weights);
    begin(&s, 0, 2);
    TAP_OK(form(&s) == ATTEST_OK && fmpq_is_zero(s.weights.head[0].slope) &&
               fmpq_is_zero(s.weights.head[1].slope) && !attest_weights_have_form(&s.weights),
           "no slopes, and nothing else");
    attest_weights_clear(&s.weights);
}

static void test_numbers(void)
{
    setup s;

    begin(&s, 0, 1);
    s.layer.size = 8;
    s.request.known.rotary = 1;
    s.request.known.eps = 1e-6;
    TAP_OK(form(&s) == ATTEST_OK && s.weights.form.rotary.dims == 8 &&
               is(s.weights.form.rotary.theta, 10000, 1) &&
               fmpq_is_zero(s.weights.form.rotary.factor) &&
               is(s.weights.form.eps, 1, 1000000) && fmpq_is_zero(s.weights.form.softcap),
           "without a config");
    attest_weights_clear(&s.weights);
    begin(&s, 0, 1);
    s.layer.size = 8;
    s.request.known.rotary = 1;
    s.request.known.eps = 1e-6;
    s.config.rope_part = 0.5;
    s.config.rope_theta = 500000.1;
    s.config.scaling =
        (attest_rotary_doubles){.factor = 0.3, .long_wave = 8e3, .short_wave = 0.7};
    s.config.norm_eps = 3e-5;
    strcpy(s.config.softcap, "50.5");
    TAP_OK(form(&s) == ATTEST_OK && s.weights.form.rotary.dims == 4 &&
               is(s.weights.form.rotary.theta, 5000001, 10) &&
               is(s.weights.form.rotary.factor, 3, 10) &&
               is(s.weights.form.rotary.long_wave, 8000, 1) &&
               is(s.weights.form.rotary.short_wave, 7, 10) &&
               is(s.weights.form.eps, 3, 100000) && is(s.weights.form.softcap, 101, 2),
           "with one");
    attest_weights_clear(&s.weights);
    begin(&s, 0,
          1); /* an architecture without positions has none, even if the config has some */
    s.config.rope_theta = 100;
    s.config.scaling.factor = 2;
    TAP_OK(form(&s) == ATTEST_OK && s.weights.form.rotary.dims == 0 &&
               fmpq_is_zero(s.weights.form.rotary.theta) &&
               fmpq_is_zero(s.weights.form.rotary.factor),
           "no positions");
    attest_weights_clear(&s.weights);
    begin(&s, 0, 1);
    s.request.known.rotary = 1;
    TAP_OK(form(&s) == ATTEST_FORMAT && strstr(s.error.text, "3 of the 3"), "no pairs: %s",
           s.error.text);
    attest_weights_clear(&s.weights);
    begin(&s, 0, 1);
    strcpy(s.config.softcap, "x");
    TAP_OK(form(&s) == ATTEST_FORMAT, "no number: %s", s.error.text);
    attest_weights_clear(&s.weights);
}

/* The shortest decimal that the C library reads as the same double. */
static bool is_shortest(double number)
{
    char text[64];
    fmpq_t got, wanted;
    bool same;

    for (int digits = 0; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fmpq_init(got), fmpq_init(wanted);
    attest_import_set_decimal(got, number);
    same = attest_number_parse(wanted, text, strlen(text), NULL, NULL) == ATTEST_OK &&
           fmpq_equal(got, wanted);
    fmpq_clear(got), fmpq_clear(wanted);
    return same;
}

static void test_decimals(uint64_t *seed)
{
    static const double number[] = {0,    1,       0.1,
                                    0.3,  1e-5,    1e-6,
                                    2.5,  10,      10000,
                                    5e5,  1e15,    1e22,
                                    1e23, 1e300,   1e-300,

                                    0.25, 1.0 / 3, 0x1.fffffffffffffp1023};
    size_t wrong = 0;
    fmpq_t x;

    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
        wrong += !is_shortest(number[i]);
    TAP_OK(wrong == 0, "decimals of doubles: %zu are wrong", wrong);
    fmpq_init(x);
    for (int i = 1; i < 1000; i++) {
        attest_import_set_decimal(x, i / 1000.0);
        wrong += !is(x, i, 1000);
        attest_import_set_decimal(x, i * 1000.0);
        wrong += !is(x, i * 1000, 1);
        wrong += !is_shortest(ldexp((double)(tap_random(seed) >> 11), i % 200 - 150));
    }
    fmpq_clear(x);
    TAP_OK(wrong == 0, "of thousandths and thousands, and of random ones: %zu", wrong);
}

TEST(import_form)
{
    uint64_t seed = tap_seed(0xdec1);
    int file = mkstemp(path);

    if (file < 0)
        abort();
    close(file);
    write_file();
    test_each();
    test_all();
    test_shapes();
    test_slopes();
    test_numbers();
    test_decimals(&seed);
    unlink(path);
    flint_cleanup();
    return 0;
}
