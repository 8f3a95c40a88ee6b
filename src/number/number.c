/* number.c -- exact rationals as people write them. */
#include <attest/number.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "number/number_text.h"
#include "number/scope.h"

/* A decimal of so many digits fits into the word of an fmpz. */
enum { SMALL_DIGITS = 18 };

/* An upper bound of the bytes of an integer with so many bits. */
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
static long scale(const attest_number_text *parts)
{
    long shift = (long)parts->second.count;

    return parts->exponent - (parts->form == ATTEST_NUMBER_HEX ? 4 * shift : shift);
}

static size_t value_size(const attest_number_text *parts)
{
    size_t first = parts->first.count, second = parts->second.count, bits;
    long power;

    if (parts->form == ATTEST_NUMBER_FRACTION)
        return integer_size(decimal_bits(first)) + integer_size(decimal_bits(second));
    if (attest_digits_are_zero(parts->first) && attest_digits_are_zero(parts->second))
        return 2 * sizeof(fmpz);
    power = scale(parts);
    bits =
        parts->form == ATTEST_NUMBER_HEX ? 4 * (first + second) : decimal_bits(first + second);
    size_t more = (size_t)labs(power);
    if (parts->form == ATTEST_NUMBER_DECIMAL)
        more = decimal_bits(more);
    return power < 0 ? integer_size(bits) + integer_size(more)
                     : integer_size(bits + more) + sizeof(fmpz);
}

attest_status attest_number_bound_size(size_t *bytes, const char *text, size_t length,
                                       attest_error *error)
{
    attest_number_text parts;

    ATTEST_TRY(attest_number_text_parse(&parts, text, length, error));
    *bytes = value_size(&parts);
    return ATTEST_OK;
}

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a' + 10);
}

/* The digits' value in base 10; domain: at most 18 digits. */
static uint64_t small_value(uint64_t value, attest_digits digits)
{
    for (size_t i = 0; i < digits.count; i++)
        value = 10 * value + digit_value(digits.at[i]);
    return value;
}

/* value = the integer whose digits are a and then b. */
static attest_status set_digits(fmpz_t value, attest_digits a, attest_digits b, int base)
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
    /* Sub-quadratic in GMP. It cannot fail: there is a digit, and nothing but digits. */
    if (fmpz_set_str(value, text, base) != 0)
        fmpz_zero(value);
    if (text != few)
        free(text);
    return ATTEST_OK;
}

static attest_status set_fraction(fmpq_t value, const attest_number_text *parts)
{
    const attest_digits none = {NULL, 0};

    fmpz_one(fmpq_denref(value));
    ATTEST_TRY(set_digits(fmpq_numref(value), parts->first, none, 10));
    if (parts->second.count) {
        ATTEST_TRY(set_digits(fmpq_denref(value), parts->second, none, 10));
        fmpq_canonicalise(value);
    }
    return ATTEST_OK;
}

/* The common case, numerator and denominator below 10^18. False: it is not that. */
static bool set_small_decimal(fmpq_t value, const attest_number_text *parts)
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

static attest_status set_decimal(fmpq_t value, const attest_number_text *parts)
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

static attest_status set_hex(fmpq_t value, const attest_number_text *parts)
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
    attest_number_text parts;
    attest_status status;

    ATTEST_TRY(attest_number_text_parse(&parts, text, length, error));
    ATTEST_TRY(attest_budget_charge(budget, value_size(&parts), error));
    if (parts.form == ATTEST_NUMBER_FRACTION)
        status = set_fraction(value, &parts);
    else if (parts.form == ATTEST_NUMBER_DECIMAL)
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
