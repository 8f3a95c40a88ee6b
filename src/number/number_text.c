/* number_text.c -- the parts of a written number. */
#include "number/number_text.h"

#include <string.h>
#include <strings.h>

#include <attest/number.h>

#include "base/escape.h"

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

/* The digits from *at on; *at moves behind them. */
static attest_digits take_digits(const char **at, const char *end, bool hex)
{
    attest_digits digits = {*at, 0};

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
    attest_digits digits;
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

/* Why the text is no number, as well as its look can tell. */
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
    return "is not a number";
}

bool attest_digits_are_zero(attest_digits digits)
{
    for (size_t i = 0; i < digits.count; i++)
        if (digits.at[i] != '0')
            return false;
    return true;
}

/* Decimal point, more digits, exponent. False: not of that form. */
static bool take_real(attest_number_text *parts, const char **at, const char *end)
{
    bool hex = parts->form == ATTEST_NUMBER_HEX;

    if (*at < end && **at == '.') {
        parts->form = hex ? ATTEST_NUMBER_HEX : ATTEST_NUMBER_DECIMAL;
        ++*at;
        parts->second = take_digits(at, end, hex);
    }
    if (parts->first.count + parts->second.count == 0)
        return false;
    if (*at < end && (**at | 0x20) == (hex ? 'p' : 'e')) {
        parts->form = hex ? ATTEST_NUMBER_HEX : ATTEST_NUMBER_DECIMAL;
        ++*at;
        return take_exponent(&parts->exponent, at, end);
    }
    return true;
}

attest_status attest_number_text_parse(attest_number_text *parts, const char *text,
                                       size_t length, attest_error *error)
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
        parts->form = ATTEST_NUMBER_HEX;
        at += 2;
    }
    parts->first = take_digits(&at, end, parts->form == ATTEST_NUMBER_HEX);
    if (at < end && *at == '/' && parts->first.count && parts->form != ATTEST_NUMBER_HEX) {
        at++;
        parts->second = take_digits(&at, end, false);
        fine = parts->second.count > 0;
    } else {
        fine = take_real(parts, &at, end);
    }
    if (!fine || at != end)
        return refuse(error, text, length, complaint(text, length));
    if (parts->form == ATTEST_NUMBER_FRACTION && parts->second.count &&
        attest_digits_are_zero(parts->second))
        return refuse(error, text, length, "has a zero denominator");
    if (parts->exponent > ATTEST_NUMBER_MAX_EXPONENT ||
        parts->exponent < -ATTEST_NUMBER_MAX_EXPONENT)
        return refuse(error, text, length, "has an exponent beyond +-100000");
    return ATTEST_OK;
}
