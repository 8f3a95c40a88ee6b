/* scale.c -- from values to places on an axis, and where its ticks stand. */
#include "report/scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUS "\xE2\x88\x92"      /* U+2212 */
#define THIN_SPACE "\xE2\x80\xAF" /* U+202F, which does not break */

static double unit(attest_scale_kind kind, double value)
{
    if (kind == ATTEST_SCALE_LINEAR || kind == ATTEST_SCALE_EXPONENT)
        return isfinite(value) ? value : 1;
    if (!(value > 0) || !isfinite(value))
        value = 1;
    return kind == ATTEST_SCALE_OCTAVES ? log2(value) : log10(value);
}

static double from_unit(attest_scale_kind kind, double at)
{
    switch (kind) {
    case ATTEST_SCALE_OCTAVES:
        return exp2(at);
    case ATTEST_SCALE_DECADES:
        return pow(10, at);
    default:
        return at;
    }
}

/* The least 1, 2 or 5 times a power of ten that is at least the width. */
static double nice_step(double width)
{
    static const double step[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(width)));

    for (int i = 0; i < 4; i++)
        if (step[i] * power >= width * (1 - 1e-9))
            return step[i] * power;
    return 10 * power;
}

void attest_scale_set(attest_scale *scale, attest_scale_kind kind, double low, double high,
                      int ticks)
{
    bool whole = kind != ATTEST_SCALE_LINEAR;

    scale->kind = kind;
    scale->low = unit(kind, low);
    scale->high = unit(kind, high);
    if (!(scale->high - scale->low > fabs(scale->high) * 1e-12)) {
        scale->low -= whole ? 1 : 0.5;
        scale->high += whole ? 1 : 0.5;
    }
    scale->step = nice_step((scale->high - scale->low) / (ticks > 1 ? ticks : 1));
    if (whole && scale->step < 1)
        scale->step = 1;
    scale->low = floor(scale->low / scale->step + 1e-9) * scale->step;
    scale->high = ceil(scale->high / scale->step - 1e-9) * scale->step;
    scale->from = 0;
    scale->to = 1;
}

double attest_scale_get(const attest_scale *scale, double value)
{
    double at = (unit(scale->kind, value) - scale->low) / (scale->high - scale->low);

    at = at < 0 ? 0 : at > 1 ? 1 : at;
    return scale->from + at * (scale->to - scale->from);
}

size_t attest_scale_get_ticks(double value[ATTEST_SCALE_MOST], const attest_scale *scale)
{
    double count = floor((scale->high - scale->low) / scale->step + 0.5);
    size_t n = 0;

    for (; n < ATTEST_SCALE_MOST && (double)n <= count; n++)
        value[n] = from_unit(scale->kind, scale->low + (double)n * scale->step);
    return n;
}

/* Thin spaces between groups of three digits, from five digits on. */
static void group(char *to, size_t room, const char *digits)
{
    size_t length = strspn(digits, "0123456789"), used = 0;

    for (size_t i = 0; digits[i] && used + 8 < room; i++) {
        if (i > 0 && i < length && length > 4 && (length - i) % 3 == 0) {
            memcpy(to + used, THIN_SPACE, 3);
            used += 3;
        }
        to[used++] = digits[i];
    }
    to[used] = '\0';
}

/* 0 ... 999 with three significant digits or so, times a power of ten. */
static void format_scientific(char text[64], double value, int digits)
{
    int power = (int)floor(log10(fabs(value)));
    double mantissa = value / pow(10, power);

    if (fabs(mantissa) >= 10 - 0.5 * pow(10, -digits)) {
        mantissa /= 10;
        power++;
    }
    snprintf(text, 64, "%s%.*fe%s%d", value < 0 ? MINUS : "", digits, fabs(mantissa),
             power < 0 ? MINUS : "", abs(power));
}

char *attest_scale_format_number(char text[64], double value, int digits)
{
    char plain[64], grouped[64];
    double size = fabs(value);

    if (!isfinite(value)) {
        snprintf(text, 64, "%s", isnan(value) ? "not a number" : value > 0 ? "∞" : MINUS "∞");
        return text;
    }
    if (size != 0 && (size >= 1e12 || size < 0.5 * pow(10, -digits))) {
        format_scientific(text, value, digits < 2 ? digits : 2);
        return text;
    }
    snprintf(plain, sizeof plain, "%.*f", digits, size);
    if (strchr(plain, '.')) {
        size_t end = strlen(plain);
        while (plain[end - 1] == '0')
            end--;
        plain[plain[end - 1] == '.' ? end - 1 : end] = '\0';
    }
    group(grouped, sizeof grouped, plain);
    snprintf(text, 64, "%s%.56s", value < 0 && strcmp(plain, "0") != 0 ? MINUS : "", grouped);
    return text;
}

void attest_scale_format(char base[32], char exponent[32], const attest_scale *scale,
                         double value)
{
    char text[64];
    int digits = 0;

    exponent[0] = '\0';
    if (scale->kind == ATTEST_SCALE_EXPONENT) {
        strcpy(base, "2");
        snprintf(exponent, 32, "%.31s", attest_scale_format_number(text, value, 0));
        return;
    }
    if (scale->kind == ATTEST_SCALE_DECADES && (value >= 9.99e3 || value < 0.99e-2)) {
        strcpy(base, "10");
        snprintf(exponent, 32, "%.31s",
                 attest_scale_format_number(text, round(log10(value)), 0));
        return;
    }
    if (scale->kind == ATTEST_SCALE_LINEAR && scale->step < 1)
        digits = (int)ceil(-log10(scale->step) - 1e-9);
    else if (scale->kind != ATTEST_SCALE_LINEAR && value < 1)
        digits = 6;
    snprintf(base, 32, "%.31s", attest_scale_format_number(text, value, digits));
}
