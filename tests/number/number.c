/* Written numbers: against a second evaluation, digit by digit with GMP alone. */
#include <gmp.h>
#include <string.h>

#include <attest/number.h>

#include "number/rationals.h"
#include "tests/tap.h"

/* base^power, power of either sign. */
static void set_power(mpq_t value, unsigned long base, long power)
{
    mpq_set_ui(value, 1, 1);
    mpz_ui_pow_ui(mpq_numref(value), base, (unsigned long)labs(power));
    if (power < 0)
        mpq_inv(value, value);
}

/* value = value * base + digit, or the digits after the point one by one. */
static void add_digit(mpq_t value, char c, unsigned long base, long place)
{
    unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
    mpq_t term, weight;

    mpq_inits(term, weight, NULL);
    mpq_set_ui(term, digit, 1);
    set_power(weight, base, place);
    mpq_mul(term, term, weight);
    mpq_add(value, value, term);
    mpq_clears(term, weight, NULL);
}

/* The number in a text of the grammar, from its definition: the sum of digit times place. */
static void oracle(mpq_t value, const char *text)
{
    bool negative = *text == '-';
    const char *slash = strchr(text, '/');
    mpq_t factor;

    text += negative;
    mpq_set_ui(value, 0, 1);
    if (slash) {
        mpq_set_str(value, text, 10);
        mpq_canonicalize(value);
    } else {
        bool hex = text[0] == '0' && (text[1] | 32) == 'x';
        unsigned long base = hex ? 16 : 10;
        text += hex ? 2 : 0;
        size_t digits = strcspn(text, hex ? "pP" : "eE");
        const char *point = memchr(text, '.', digits);
        long whole = point ? point - text : (long)digits;
        for (long i = 0; i < (long)digits; i++)
            if (text[i] != '.')
                add_digit(value, text[i], base, i < whole ? whole - 1 - i : whole - i);
        if (text[digits]) {
            mpq_init(factor);
            set_power(factor, hex ? 2 : 10, strtol(text + digits + 1, NULL, 10));
            mpq_mul(value, value, factor);
            mpq_clear(factor);
        }
    }
    if (negative)
        mpq_neg(value, value);
}

static bool agrees(const char *text)
{
    mpq_t expected, got;
    fmpq_t value;
    bool same;

    mpq_inits(expected, got, NULL);
    fmpq_init(value);
    oracle(expected, text);
    same = attest_number_parse(value, text, strlen(text), NULL, NULL) == ATTEST_OK;
    fmpq_get_mpq(got, value);
    same = same && mpq_equal(got, expected) && fmpq_is_canonical(value);
    if (!same)
        printf("# parse differs for %.200s\n", text);
    fmpq_clear(value);
    mpq_clears(expected, got, NULL);
    return same;
}

static size_t random_digits(char *to, size_t most, bool hex, uint64_t *state)
{
    size_t count = tap_random(state) % (most + 1);

    for (size_t i = 0; i < count; i++)
        to[i] = "0123456789abcdefABCDEF"[tap_random(state) % (hex ? 22 : 10)];
    to[count] = '\0';
    return count;
}

/* A random text of the grammar; sizes on both sides of what fits into a word. */
static void random_text(char *text, uint64_t *state)
{
    static const size_t size[] = {1, 4, 18, 19, 40, 300};
    static const char *const sign[] = {"", "+", "-"};
    size_t most = size[tap_random(state) % 6];
    bool hex = tap_random(state) % 3 == 0;
    char *at = text;

    if (tap_random(state) % 2)
        *at++ = '-';
    if (!hex && tap_random(state) % 4 == 0) {
        at += random_digits(at, most, false, state);
        at += sprintf(at, "%d/", (int)(tap_random(state) % 10));
        at += random_digits(at, most, false, state);
        sprintf(at, "%d", 1 + (int)(tap_random(state) % 9));
        return;
    }
    if (hex)
        at += sprintf(at, "0%c", "xX"[tap_random(state) % 2]);
    at += random_digits(at, most, hex, state);
    *at++ = (char)('0' + tap_random(state) % 10);
    if (tap_random(state) % 2) {
        *at++ = '.';
        at += random_digits(at, most, hex, state);
    }
    *at = '\0';
    if (tap_random(state) % 2)
        sprintf(at, "%c%s%d", hex ? "pP"[tap_random(state) % 2] : "eE"[tap_random(state) % 2],
                sign[tap_random(state) % 3], (int)(tap_random(state) % 60));
}

static void test_random(void)
{
    uint64_t state = tap_seed(0x4e554d);
    char text[2000];
    int wrong = 0;

    for (int i = 0; i < 10000; i++) {
        random_text(text, &state);
        wrong += !agrees(text);
    }
    TAP_OK(wrong == 0, "10000 random texts agree with the oracle");
}

static void test_values(void)
{
    static const char *const fixed[] = {
        "0",
        "-0",
        "00012",
        "3/7",
        "-12/8",
        "0/5",
        "0.1",
        "1e-3",
        ".5",
        "5.",
        "-2.5E+7",
        "0x1.8p-3",
        "0x.8",
        "0X1.P4",
        "0xffp0",
        "1e0000000000000000000005",
        "999999999999999999",
        "1000000000000000000",
        "0.999999999999999999",
        "1e18",
        "1e17",
        "12e16",
        "123e16",
        "0.0000000000000000001",
        "0e99999",
        "0.000e-100000",
        "0x0.0p-100000",
        "4611686018427387903",
        "4611686018427387904",
        "-4611686018427387905",
    };
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        TAP_OK(agrees(fixed[i]), "%s", fixed[i]);
}

static attest_status parse(const char *text, size_t length, attest_error *error)
{
    fmpq_t value;
    attest_status status;

    fmpq_init(value);
    status = attest_number_parse(value, text, length, NULL, error);
    fmpq_clear(value);
    return status;
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"", "\"\" is not a number (it is empty)"},
        {"-", "\"-\" is not a number"},
        {"+1", "\"+1\" is not a number"},
        {"NaN", "\"NaN\" is not a finite number"},
        {"-inf", "\"-inf\" is not a finite number"},
        {"Infinity", "\"Infinity\" is not a finite number"},
        {"1,5", "\"1,5\" is not a number (a point, not a comma, begins the decimals)"},
        {" 1", "\" 1\" is not a number (white space is not allowed in it)"},
        {"1\n", "\"1?\" is not a number (white space is not allowed in it)"},
        {"1/0", "\"1/0\" has a zero denominator"},
        {"1/000", "\"1/000\" has a zero denominator"},
        {"1/", "\"1/\" is not a number"},
        {"/2", "\"/2\" is not a number"},
        {"1/-2", "\"1/-2\" is not a number"},
        {"1/2/3", "\"1/2/3\" is not a number"},
        {"1.5/2", "\"1.5/2\" is not a number"},
        {"0x1/2", "\"0x1/2\" is not a number"},
        {".", "\".\" is not a number"},
        {"1e", "\"1e\" is not a number"},
        {"1e+", "\"1e+\" is not a number"},
        {"1e5x", "\"1e5x\" is not a number"},
        {"1e5.5", "\"1e5.5\" is not a number"},
        {"0x", "\"0x\" is not a number"},
        {"0x.p1", "\"0x.p1\" is not a number"},
        {"0x1p", "\"0x1p\" is not a number"},
        {"0x1g", "\"0x1g\" is not a number"},
        {"1p3", "\"1p3\" is not a number"},
        {"--1", "\"--1\" is not a number"},
        {"1e100001", "\"1e100001\" has an exponent beyond +-100000"},
        {"1e-100001", "\"1e-100001\" has an exponent beyond +-100000"},
        {"0x1p100001", "\"0x1p100001\" has an exponent beyond +-100000"},
        {"1e99999999999999999999999999", "\"1e99999999999999999999999999\" has an exponent "
                                         "beyond +-100000"},
        {"0123456789012345678901234567890123456789x",
         "\"0123456789012345678901234567890123456789...\" is not a number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        attest_error error = {ATTEST_OK, ""};
        attest_status status = parse(bad[i].text, strlen(bad[i].text), &error);
        TAP_OK(status == ATTEST_FORMAT && strcmp(error.text, bad[i].reason) == 0,
               "refused: case %zu", i);
        if (strcmp(error.text, bad[i].reason) != 0)
            printf("# got %s\n", error.text);
    }
    TAP_OK(parse("1\0", 2, NULL) == ATTEST_FORMAT, "a zero byte is no digit");
    TAP_OK(parse("12", 1, NULL) == ATTEST_OK, "only the given length is read");
}

static void test_large(void)
{
    size_t length = ATTEST_NUMBER_MAX_LENGTH;
    char *text = malloc(length + 2);
    fmpq_t value;
    fmpz_t expected;

    fmpq_init(value);
    fmpz_init(expected);
    TAP_OK(attest_number_parse(value, "1e100000", 8, NULL, NULL) == ATTEST_OK &&
               attest_number_parse(value, "1e-100000", 9, NULL, NULL) == ATTEST_OK,
           "exponents of +-100000");
    fmpz_ui_pow_ui(expected, 10, 100000);
    TAP_OK(fmpz_equal(expected, fmpq_denref(value)) && fmpz_is_one(fmpq_numref(value)),
           "1e-100000 is right");
    TAP_OK(attest_number_parse(value, "0x1p-100000", 11, NULL, NULL) == ATTEST_OK &&
               fmpz_val2(fmpq_denref(value)) == 100000,
           "0x1p-100000 is right");
    memset(text, '9', length + 1);
    TAP_OK(attest_number_parse(value, text, length, NULL, NULL) == ATTEST_OK,
           "a million digits");
    fmpz_add_ui(fmpq_numref(value), fmpq_numref(value), 1);
    fmpz_ui_pow_ui(expected, 10, length);
    TAP_OK(fmpz_equal(expected, fmpq_numref(value)), "are right");
    TAP_OK(attest_number_parse(value, text, length + 1, NULL, NULL) == ATTEST_FORMAT,
           "a million and one are refused");
    fmpz_clear(expected);
    fmpq_clear(value);
    free(text);
}

/* What a number takes, counted from its limbs. */
static size_t bytes_taken(const fmpq_t value)
{
    const fmpz *part[2] = {fmpq_numref(value), fmpq_denref(value)};
    size_t bytes = 0;

    for (int i = 0; i < 2; i++)
        bytes += sizeof(fmpz) + (COEFF_IS_MPZ(*part[i])
                                     ? sizeof(__mpz_struct) + fmpz_size(part[i]) * sizeof(long)
                                     : 0);
    return bytes;
}

static void test_budget(void)
{
    uint64_t state = tap_seed(0xb0d6e7);
    char text[2000];
    fmpq_t value;
    attest_error error;
    attest_budget budget = {1000};
    size_t bound, wrong = 0;

    fmpq_init(value);
    for (int i = 0; i < 5000; i++) {
        random_text(text, &state);
        if (attest_number_bound_size(&bound, text, strlen(text), NULL) == ATTEST_OK &&
            attest_number_parse(value, text, strlen(text), NULL, NULL) == ATTEST_OK)
            wrong += bytes_taken(value) > bound;
    }
    TAP_OK(wrong == 0, "no number is larger than its bound");
    TAP_OK(attest_number_parse(value, "1e99999", 7, &budget, &error) == ATTEST_UNABLE &&
               strstr(error.text, "more memory than is allowed") && budget.left == 1000,
           "%s", error.text);
    TAP_OK(attest_number_parse(value, "12", 2, &budget, &error) == ATTEST_OK &&
               budget.left == 1000 - 2 * sizeof(fmpz),
           "small numbers take two words");
    TAP_OK(attest_number_bound_size(&bound, "1e99999", 7, &error) == ATTEST_OK &&
               bound > 41500 && bound < 42000,
           "1e99999 takes %zu bytes", bound);
    TAP_OK(attest_number_bound_size(&bound, "1e", 2, &error) == ATTEST_FORMAT, "%s",
           error.text);
    attest_budget_init(&budget);
    TAP_OK(budget.left >= (size_t)32 << 20, "the default budget is %zu bytes", budget.left);
    TAP_OK(attest_budget_charge(NULL, SIZE_MAX, NULL) == ATTEST_OK, "no budget is no limit");
    fmpq_clear(value);
}

static void test_format(void)
{
    static const char *const pair[][2] = {
        {"0", "0"},        {"-0.50", "-1/2"},
        {"6/4", "3/2"},    {"0x1p70", "1180591620717411303424"},
        {"1e-2", "1/100"}, {"-7", "-7"}};
    fmpq_t value;
    char *text = NULL;

    fmpq_init(value);
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
        TAP_OK(attest_number_parse(value, pair[i][0], strlen(pair[i][0]), NULL, NULL) ==
                       ATTEST_OK &&
                   (text = attest_number_format(value)) != NULL &&
                   strcmp(text, pair[i][1]) == 0,
               "%s is written %s", pair[i][0], pair[i][1]);
        free(text);
    }
    fmpq_clear(value);
}

static void test_doubles(void)
{
    static const double fixed[] = {
        0,   -0.0,  1,           -1.5, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023,
        0.1, 1e100, -0x1.8p-1070};
    uint64_t state = tap_seed(0xd0b1e);
    int wrong = 0;
    fmpq_t value;
    mpq_t expected, got;

    fmpq_init(value);
    mpq_inits(expected, got, NULL);
    for (size_t i = 0; i < 10000; i++) {
        uint64_t bits = tap_random(&state);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (i < sizeof fixed / sizeof fixed[0])
            x = fixed[i];
        if (x - x != 0)
            continue;
        attest_number_set_double(value, x);
        mpq_set_d(expected, x);
        fmpq_get_mpq(got, value);
        wrong += !mpq_equal(got, expected) || !fmpq_is_canonical(value);
    }
    TAP_OK(wrong == 0, "doubles are taken exactly");
    mpq_clears(expected, got, NULL);
    fmpq_clear(value);
}

/* x = sign 2^exponent + more, next to rationals; exponents that no rational could have. */
static void test_compare_arf(void)
{
    static const struct {
        int sign;
        slong exponent;
        int more;
        const char *rational;
        int order;
    } rows[] = {{1, 0, 0, "1", 0},
                {1, -2, 0, "1/3", -1},
                {-1, -2, 0, "-1/3", 1},
                {1, -1, 0, "1/3", 1},
                {1, 100, 1, "1267650600228229401496703205376", 1},
                {1, 100, 0, "1267650600228229401496703205376", 0},
                {1, 100, -1, "1267650600228229401496703205376", -1},
                {0, 0, 0, "1e-300", -1},
                {0, 0, 0, "0", 0},
                {1, -(WORD(1) << 60), 0, "0", 1},
                {1, -(WORD(1) << 60), 0, "1e-300", -1},
                {-1, -(WORD(1) << 60), 0, "-1e-300", 1},
                {-1, -(WORD(1) << 60), 0, "0", -1},
                {1, WORD(1) << 60, 0, "7e300", 1},
                {-1, WORD(1) << 60, 0, "-7e300", -1}};
    fmpq_t rational;
    arf_t x;

    fmpq_init(rational);
    arf_init(x);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool parsed = attest_number_parse(rational, rows[i].rational, strlen(rows[i].rational),
                                          NULL, NULL) == ATTEST_OK;
        int order;

        arf_set_si_2exp_si(x, rows[i].sign, rows[i].exponent);
        arf_add_si(x, x, rows[i].more, rows[i].more ? 200 : 2, ARF_RND_NEAR);
        order = attest_rationals_compare_arf(x, rational);
        TAP_OK(parsed && (order > 0) - (order < 0) == rows[i].order, "%d 2^%ld %+d, %s",
               rows[i].sign, (long)rows[i].exponent, rows[i].more, rows[i].rational);
    }
    arf_pos_inf(x);
    TAP_OK(attest_rationals_compare_arf(x, rational) > 0, "infinite");
    fmpq_clear(rational);
    arf_clear(x);
}

TEST(number)
{
    test_compare_arf();
    test_values();
    test_random();
    test_refusals();
    test_large();
    test_budget();
    test_format();
    test_doubles();
    flint_cleanup();
    return 0;
}
