/* number.c -- exact rationals and balls as text, rationals from doubles and the reverse, and
 * the logarithm of a double. */
#include <attest/number.h>

#include <fenv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hint.h"
#include "base/memory.h"
#include "base/text.h"
#include "number/double.h"
#include "number/mpfr.h"
#include "number/scope.h"
#include <attest/ball.h>
#include <stdbool.h>

/* A run of digits inside the text. */
typedef struct digits_run {
    const char *at;
    size_t count;
} digits_run;

/* The number is, apart from its sign,
 *     first / second                              (fraction; no second: 1)
 *     first.second * base^... with the exponent   (decimal: 10^exponent, hex: 2^exponent). */
typedef struct number_parts {
    enum { FRACTION = 0, DECIMAL, HEX } form;
    bool negative;
    digits_run first, second;
    long exponent;
} number_parts;

static attest_status refuse(attest_error *error, const char *text, size_t length,
                            const char *reason)
{
    char quoted[44];

    if (!error)
        return ATTEST_FORMAT;
    attest_escape_excerpt(quoted, sizeof quoted, text, length);
    return attest_error_set(error, ATTEST_FORMAT, "\"%s\" %s", quoted, reason);
}

static bool is_digit(char c, bool hex)
{
    return (c >= '0' && c <= '9') ||
           (hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
}

/* The digits from *at on; *at becomes their end. */
static digits_run take_digits(const char **at, const char *end, bool hex)
{
    digits_run digits = {*at, 0};

    while (*at < end && is_digit(**at, hex))
        ++*at;
    digits.count = (size_t)(*at - digits.at);
    return digits;
}

/* The exponent after its letter. Too large ones come out as MAX_EXPONENT + 1. */
static bool take_exponent(long *exponent, const char **at, const char *end)
{
    const long most = ATTEST_NUMBER_MAX_EXPONENT + 1;
    bool negative = *at < end && **at == '-';
    digits_run digits;
    long value = 0;

    if (*at < end && (**at == '-' || **at == '+'))
        ++*at;
    digits = take_digits(at, end, false);
    for (size_t i = 0; i < digits.count; i++) {
        value = 10 * value + (digits.at[i] - '0');
        value = value < most ? value : most;
    }
    *exponent = negative ? -value : value;
    return digits.count > 0;
}

/* The reason why the text is not a number, guessed from its form. */
static const char *complaint(const char *text, size_t length)
{
    static const char *const special[] = {"nan", "inf", "infinity"};
    const char *bare = text;
    size_t rest = length;

    if (rest && (*bare == '-' || *bare == '+')) {
        bare++;
        rest--;
    }
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (rest == strlen(special[i]) && strncasecmp(bare, special[i], rest) == 0)
            return "is not a finite number";
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ',')
            return "is not a number (a point, not a comma, begins the decimals)";
        if (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r')
            return "is not a number (white space is not allowed in it)";
    }
    return ATTEST_HINT_NUMBER;
}

/* True if all digits are 0. */
static bool digits_are_zero(digits_run digits)
{
    for (size_t i = 0; i < digits.count; i++)
        if (digits.at[i] != '0')
            return false;
    return true;
}

/* Reads a decimal point, more digits and an exponent; returns false if the text has another
 * form. */
static bool take_real(number_parts *parts, const char **at, const char *end)
{
    bool hex = parts->form == HEX;

    if (*at < end && **at == '.') {
        parts->form = hex ? HEX : DECIMAL;
        ++*at;
        parts->second = take_digits(at, end, hex);
    }
    if (parts->first.count + parts->second.count == 0)
        return false;
    if (*at < end && (**at | 0x20) == (hex ? 'p' : 'e')) {
        parts->form = hex ? HEX : DECIMAL;
        ++*at;
        return take_exponent(&parts->exponent, at, end);
    }
    return true;
}

/* Takes text[0..length) apart by the grammar of <attest/number.h> and checks its limits.
 * Status: FORMAT. */
static attest_status parse_parts(number_parts *parts, const char *text, size_t length,
                                 attest_error *error)
{
    const char *at = text, *end = text + length;
    bool fine;

    memset(parts, 0, sizeof *parts);
    if (length == 0)
        return refuse(error, text, length, "is not a number (it is empty)");
    if (length > ATTEST_NUMBER_MAX_LENGTH)
        return refuse(error, text, length, "has more than 1000000 characters");
    parts->negative = *at == '-';
    at += parts->negative;
    if (end - at >= 2 && at[0] == '0' && (at[1] | 0x20) == 'x') {
        parts->form = HEX;
        at += 2;
    }
    parts->first = take_digits(&at, end, parts->form == HEX);
    if (at < end && *at == '/' && parts->first.count && parts->form != HEX) {
        at++;
        parts->second = take_digits(&at, end, false);
        fine = parts->second.count > 0;
    } else {
        fine = take_real(parts, &at, end);
    }
    if (!fine || at != end)
        return refuse(error, text, length, complaint(text, length));
    if (parts->form == FRACTION && parts->second.count && digits_are_zero(parts->second))
        return refuse(error, text, length, "has a zero denominator");
    if (parts->exponent > ATTEST_NUMBER_MAX_EXPONENT ||
        parts->exponent < -ATTEST_NUMBER_MAX_EXPONENT)
        return refuse(error, text, length, "has an exponent beyond +-100000");
    return ATTEST_OK;
}

/* A decimal of this many digits fits into the word of an fmpz. */
enum { SMALL_DIGITS = 18 };

/* Returns an upper bound of the bytes of an integer with this many bits. */
static size_t integer_size(size_t bits)
{
    return bits < FLINT_BITS - 2 ? sizeof(fmpz)
                                 : sizeof(fmpz) + sizeof(__mpz_struct) +
                                       (bits / FLINT_BITS + 1) * sizeof(mp_limb_t);
}

/* Bits of an integer below 10^digits: log2(10) < 10/3. */
static size_t decimal_bits(size_t digits)
{
    return digits * 10 / 3 + 1;
}

/* The power of the base that multiplies the integer first||second. */
static long scale(const number_parts *parts)
{
    long shift = (long)parts->second.count;

    return parts->exponent - (parts->form == HEX ? 4 * shift : shift);
}

static size_t value_size(const number_parts *parts)
{
    size_t first = parts->first.count, second = parts->second.count, bits;
    long power;

    if (parts->form == FRACTION)
        return integer_size(decimal_bits(first)) + integer_size(decimal_bits(second));
    if (digits_are_zero(parts->first) && digits_are_zero(parts->second))
        return 2 * sizeof(fmpz);
    power = scale(parts);
    bits = parts->form == HEX ? 4 * (first + second) : decimal_bits(first + second);
    size_t more = (size_t)labs(power);
    if (parts->form == DECIMAL)
        more = decimal_bits(more);
    return power < 0 ? integer_size(bits) + integer_size(more)
                     : integer_size(bits + more) + sizeof(fmpz);
}

attest_status attest_number_bound_size(size_t *bytes, const char *text, size_t length,
                                       attest_error *error)
{
    number_parts parts;

    ATTEST_TRY(parse_parts(&parts, text, length, error));
    *bytes = value_size(&parts);
    return ATTEST_OK;
}

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
}

/* The digits' value in base 10; domain: at most 18 digits. */
static uint64_t small_value(uint64_t value, digits_run digits)
{
    for (size_t i = 0; i < digits.count; i++)
        value = 10 * value + digit_value(digits.at[i]);
    return value;
}

/* value = the integer whose digits are a and then b. */
static attest_status set_digits(fmpz_t value, digits_run a, digits_run b, int base)
{
    char few[256], *text = few;
    size_t size = a.count + b.count + 1;

    if (size > sizeof few && !(text = attest_memory_alloc(size, 1)))
        return ATTEST_NOMEM;
    if (a.count)
        memcpy(text, a.at, a.count);
    if (b.count)
        memcpy(text + a.count, b.at, b.count);
    text[size - 1] = '\0';
    /* Sub-quadratic in GMP. It cannot fail: the text consists of digits, at least one. */
    if (fmpz_set_str(value, text, base) != 0)
        fmpz_zero(value);
    if (text != few)
        free(text);
    return ATTEST_OK;
}

static attest_status set_fraction(fmpq_t value, const number_parts *parts)
{
    const digits_run none = {NULL, 0};

    fmpz_one(fmpq_denref(value));
    ATTEST_TRY(set_digits(fmpq_numref(value), parts->first, none, 10));
    if (parts->second.count) {
        ATTEST_TRY(set_digits(fmpq_denref(value), parts->second, none, 10));
        fmpq_canonicalise(value);
    }
    return ATTEST_OK;
}

/* The common case: numerator and denominator below 10^18. False: another case. */
static bool set_small_decimal(fmpq_t value, const number_parts *parts)
{
    size_t digits = parts->first.count + parts->second.count;
    long power = scale(parts);
    uint64_t numerator, denominator, common;

    if (digits > SMALL_DIGITS || power < -SMALL_DIGITS || power > SMALL_DIGITS - (long)digits)
        return false;
    numerator = small_value(small_value(0, parts->first), parts->second);
    denominator = power < 0 ? n_pow(10, (ulong)-power) : 1;
    if (power > 0)
        numerator *= n_pow(10, (ulong)power);
    common = n_gcd(numerator, denominator);
    fmpz_set_ui(fmpq_numref(value), numerator / common);
    fmpz_set_ui(fmpq_denref(value), denominator / common);
    return true;
}

static attest_status set_decimal(fmpq_t value, const number_parts *parts)
{
    long power = scale(parts);
    FMPZ(factor);

    if (set_small_decimal(value, parts))
        return ATTEST_OK;
    fmpz_one(fmpq_denref(value));
    ATTEST_TRY(set_digits(fmpq_numref(value), parts->first, parts->second, 10));
    if (fmpz_is_zero(fmpq_numref(value)))
        return ATTEST_OK;
    fmpz_ui_pow_ui(factor, 10, (ulong)labs(power));
    if (power < 0) {
        fmpz_swap(fmpq_denref(value), factor);
        fmpq_canonicalise(value);
    } else {
        fmpz_mul(fmpq_numref(value), fmpq_numref(value), factor);
    }
    return ATTEST_OK;
}

static attest_status set_hex(fmpq_t value, const number_parts *parts)
{
    fmpz *numerator = fmpq_numref(value), *denominator = fmpq_denref(value);
    long power = scale(parts), zeros;

    fmpz_one(denominator);
    ATTEST_TRY(set_digits(numerator, parts->first, parts->second, 16));
    if (fmpz_is_zero(numerator))
        return ATTEST_OK;
    if (power >= 0) {
        fmpz_mul_2exp(numerator, numerator, (ulong)power);
        return ATTEST_OK;
    }
    zeros = (long)fmpz_val2(numerator);
    zeros = zeros < -power ? zeros : -power;
    fmpz_tdiv_q_2exp(numerator, numerator, (ulong)zeros);
    fmpz_mul_2exp(denominator, denominator, (ulong)(-power - zeros));
    return ATTEST_OK;
}

attest_status attest_number_parse(fmpq_t value, const char *text, size_t length,
                                  attest_budget *budget, attest_error *error)
{
    number_parts parts;
    attest_status status;

    ATTEST_TRY(parse_parts(&parts, text, length, error));
    ATTEST_TRY(attest_budget_charge(budget, value_size(&parts), error));
    if (parts.form == FRACTION)
        status = set_fraction(value, &parts);
    else if (parts.form == DECIMAL)
        status = set_decimal(value, &parts);
    else
        status = set_hex(value, &parts);
    if (status != ATTEST_OK)
        return attest_error_set(error, status, "out of memory");
    if (parts.negative)
        fmpz_neg(fmpq_numref(value), fmpq_numref(value));
    return ATTEST_OK;
}

char *attest_number_format(const fmpq_t value)
{
    size_t numerator = fmpz_sizeinbase(fmpq_numref(value), 10);
    size_t denominator = fmpz_sizeinbase(fmpq_denref(value), 10);
    /* sign, slash, final zero */
    char *text = attest_memory_alloc(numerator + denominator + 3, 1);

    if (!text)
        return NULL;
    fmpz_get_str(text, 10, fmpq_numref(value));
    if (!fmpz_is_one(fmpq_denref(value))) {
        char *end = text + strlen(text);
        *end = '/';
        fmpz_get_str(end + 1, 10, fmpq_denref(value));
    }
    return text;
}

void attest_number_set_double(fmpq_t value, double x)
{
    int64_t significand;
    int exponent;

    attest_double_split(&significand, &exponent, x);
    fmpz_set_si(fmpq_numref(value), significand);
    fmpz_one(fmpq_denref(value));
    /* An odd significand and a power of two: already in lowest terms. */
    if (exponent >= 0)
        fmpz_mul_2exp(fmpq_numref(value), fmpq_numref(value), (ulong)exponent);
    else
        fmpz_mul_2exp(fmpq_denref(value), fmpq_denref(value), (ulong)-exponent);
}

double attest_double_get_fraction(const fmpz_t numerator, const fmpz_t denominator)
{
    static const attest_format binary64 = {.name = "binary64", 53, true, -1022, 1023, 64};
    double value;

    if (fmpz_bits(numerator) <= 53 && fmpz_bits(denominator) <= 53) { /* both are doubles */
        double n = (double)fmpz_get_si(numerator), d = (double)fmpz_get_si(denominator);

        value = n / d;
        if (fma(value, d, -n) == 0 || fegetround() == FE_TONEAREST)
            return value;
    }
    ATTEST_SCOPED(attest_mpfr_context, context, &binary64, MPFR_RNDN);
    MPFR(53, x);
    attest_mpfr_set_fraction(x, numerator, denominator, &context);
    value = mpfr_get_d(x, MPFR_RNDN); /* exact */
    return value;
}

double attest_double_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent), s, square, sum = 0;

    if (!(x > 0) || !(x < INFINITY))
        return x > 0 ? INFINITY : -INFINITY;
    if (m < 0.70710678) { /* m lies between 0.7071 and 1.41421357: |s| < 0.17158 */
        m *= 2;
        exponent--;
    }
    s = (m - 1) / (m + 1);
    square = s * s;
    for (int k = 19; k >= 1; k -= 2) /* log m = 2 (s + s^3/3 + s^5/5 + ...) */
        sum = sum * square + 1.0 / k;
    return exponent * 0x1.62e42fefa39efp-1 + 2 * s * sum;
}

/* Balls as text. Exponents may be integers of any size, so no number is expanded to its digits:
 * a number far from 1 is written as a significand and a power of two. */

enum {
    LOG2_DIGITS = 15,        /* of a logarithm */
    TEXT_DIGITS = 20,        /* the most digits of a displayed number */
    PLAIN_EXPONENT_BITS = 12 /* beyond 2^+-4096 a text uses a power of two */
};

/* Appends a string that FLINT allocated, and frees it. */
static void add_flint_string(attest_text *text, char *string)
{
    attest_text_add(text, string);
    flint_free(string);
}

char *attest_ball_format_arf(const arf_t x)
{
    attest_text text;
    char *digits;
    slong fraction;
    FMPZ(significand, exponent);

    attest_text_init(&text);
    if (arf_is_zero(x)) {
        attest_text_add(&text, "0x0p+0");
        return attest_text_take(&text);
    }
    arf_get_fmpz_2exp(significand, exponent, x);
    attest_text_add(&text, fmpz_sgn(significand) < 0 ? "-0x1" : "0x1");
    fmpz_abs(significand, significand);
    /* x = 1.f 2^(exponent + fraction) with fraction bits after the point, filled up to whole
     * hexadecimal digits; the last digit is not zero because the significand is odd. */
    fraction = (slong)fmpz_bits(significand) - 1;
    fmpz_add_si(exponent, exponent, fraction);
    fmpz_mul_2exp(significand, significand, (ulong)(-fraction & 3));
    if (fraction > 0) {
        digits = fmpz_get_str(NULL, 16, significand);
        attest_text_add(&text, ".");
        attest_text_add(&text, digits + 1);
        flint_free(digits);
    }
    attest_text_add(&text, fmpz_sgn(exponent) < 0 ? "p" : "p+");
    add_flint_string(&text, fmpz_get_str(NULL, 10, exponent));
    return attest_text_take(&text);
}

/* significand = the hexadecimal digits of text, count of them, without the point. */
static int read_digits(fmpz_t significand, const char *text, size_t count)
{
    char *digits ATTEST_FREED = attest_memory_alloc(count + 1, 1);
    size_t used = 0;
    int failed;

    if (!digits)
        return -2;
    for (; used < count; text++)
        if (*text != '.')
            digits[used++] = *text;
    failed = fmpz_set_str(significand, digits, 16);
    return failed ? -1 : 0;
}

/* exponent = the decimal integer that is all of text. */
static int read_exponent(fmpz_t exponent, const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');

    if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
        return -1;
    return fmpz_set_str(exponent, text + (*text == '+'), 10) ? -1 : 0;
}

int attest_ball_parse_arf(arf_t x, const char *text)
{
    static const char hexadecimal[] = "0123456789abcdefABCDEF";
    const char *start = text + (*text == '-' || *text == '+');
    bool negative = *text == '-';
    size_t whole, fraction = 0;
    int result;
    FMPZ(significand, exponent);

    if (start[0] != '0' || (start[1] != 'x' && start[1] != 'X'))
        return -1;
    start += 2;
    whole = strspn(start, hexadecimal);
    text = start + whole;
    if (*text == '.') {
        fraction = strspn(text + 1, hexadecimal);
        text += 1 + fraction;
    }
    if (whole + fraction == 0 || (*text != 'p' && *text != 'P'))
        return -1;
    result = read_exponent(exponent, text + 1);
    if (result == 0)
        result = read_digits(significand, start, whole + fraction);
    if (result == 0) {
        if (negative)
            fmpz_neg(significand, significand);
        fmpz_sub_ui(exponent, exponent, 4 * fraction);
        arf_set_fmpz_2exp(x, significand, exponent);
    }
    return result;
}

/* value encloses log2(x), x > 0, with about 64 correct bits after the point and 64 significant
 * ones near 1. */
static void enclose_log2(arb_t value, const arf_t x)
{
    slong precision = 80 + (slong)fmpz_bits(ARF_EXPREF(x));
    ARB(part, log2);
    ARF(significand);
    FMPZ(exponent);

    arb_const_log2(log2, precision);
    if (arf_cmpabs_2exp_si(x, -1) > 0 && arf_cmpabs_2exp_si(x, 1) < 0) {
        /* x - 1 is exact, and log1p keeps its relative accuracy at any size of it. */
        arf_sub_si(arb_midref(part), x, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
        arb_log1p(value, part, precision);
        arb_div(value, value, log2, precision);
    } else {
        /* x = s 2^e, s in [1/2, 1): |e + log2 s| >= 1, so that nothing cancels. */
        arf_frexp(significand, exponent, x);
        arb_set_arf(part, significand);
        arb_log(value, part, precision);
        arb_div(value, value, log2, precision);
        arb_add_fmpz(value, value, exponent, precision);
    }
}

/* Replaces a string that FLINT allocated by a copy for free(). */
static char *take_flint_string(char *string)
{
    char *copy = attest_memory_copy(string);

    flint_free(string);
    return copy;
}

char *attest_ball_format_log2(const arb_t x)
{
    char *digits;
    ARB(value);

    if (!arb_is_positive(x) || !arb_is_finite(x))
        return NULL;
    enclose_log2(value, arb_midref(x));
    digits = arb_get_str(value, LOG2_DIGITS, ARB_STR_NO_RADIUS);
    return take_flint_string(digits);
}

/* exponent = a power of two near the ball's size. */
static void ball_exponent(fmpz_t exponent, const arb_t x)
{
    MAG(size);

    arb_get_mag(size, x);
    fmpz_set(exponent, MAG_EXPREF(size));
}

char *attest_ball_format_text(const arb_t x)
{
    attest_text text;
    FMPZ(exponent);
    ARB(significand);

    attest_text_init(&text);
    arb_set(significand, x);
    if (arb_is_finite(x) && !arb_is_zero(x))
        ball_exponent(exponent, x);
    if (fmpz_bits(exponent) <= PLAIN_EXPONENT_BITS) {
        fmpz_zero(exponent);
    } else {
        fmpz_neg(exponent, exponent);
        arb_mul_2exp_fmpz(significand, x, exponent);
        fmpz_neg(exponent, exponent);
    }
    add_flint_string(&text, arb_get_str(significand, TEXT_DIGITS, 0));
    if (!fmpz_is_zero(exponent)) {
        attest_text_add(&text, " * 2^");
        add_flint_string(&text, fmpz_get_str(NULL, 10, exponent));
    }
    return attest_text_take(&text);
}
