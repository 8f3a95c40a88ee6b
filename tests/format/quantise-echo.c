/* quantise-echo.c -- answers questions of quantise.py, one per line:
 *   decode FORMAT                       the values of all codes
 *   cast FORMAT X ...                   the code of each number's cast, by both routes
 *   block NAME HEADS TOKENS DIM X ...   elements, codes and scales
 * Numbers are hexadecimal floats. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/block.h>
#include "format/simulate_in_double.h"
#include "format/simulate_in_mpfr.h"

static char line[1 << 22];

static double next_number(void)
{
    const char *word = strtok(NULL, " \n");

    return word ? strtod(word, NULL) : (double)NAN;
}

/* The value of a code. */
static double decode_code(uint32_t code, const attest_format *f)
{
    int bits = (int)f->precision - 1, quantum = (int)f->emin - bits;
    uint32_t hidden = (uint32_t)1 << bits, fraction = code & (hidden - 1);
    uint32_t sign = f->positive ? 0 : (uint32_t)1 << (f->width - 1);
    uint32_t ones = ((uint32_t)1 << (f->width - bits - !f->positive)) - 1;
    uint32_t field = code >> bits & ones;
    double x;

    if (f->positive)
        return field == ones ? (double)NAN : ldexp(1, (int)f->emin + (int)field);
    if (f->no_minus_zero && code == sign)
        return (double)NAN;
    if (f->top_is_nan && (code | sign) == (sign << 1) - 1)
        return (double)NAN;
    if (!f->finite_only && field == ones)
        x = fraction == 0 ? (double)INFINITY : (double)NAN;
    else if (field == 0)
        x = ldexp(fraction, quantum);
    else
        x = ldexp(hidden + fraction, quantum + (int)field - 1);
    return code & sign ? -x : x;
}

static void decode(const attest_format *format)
{
    for (uint32_t code = 0; code < (uint32_t)1 << format->width; code++) {
        double x = decode_code(code, format);

        /* Every code but the other NaNs comes back. */
        printf("%a %d ", x, attest_format_encode(x, format) == code || isnan(x));
    }
    printf("\n");
}

/* The same cast by MPFR. */
static double cast_wide(double x, const attest_format *format)
{
    attest_in_mpfr wide;
    mpfr_t y;
    double value;

    attest_in_mpfr_init(&wide, format, ATTEST_SIMULATED_NEAREST, NULL);
    mpfr_init2(y, format->precision);
    mpfr_set_d(wide.operand, x, MPFR_RNDN);
    attest_in_mpfr_convert(y, wide.operand, &wide);
    value = mpfr_get_d(y, MPFR_RNDN);
    mpfr_clear(y);
    attest_in_mpfr_clear(&wide);
    return value;
}

static void cast(const attest_format *format)
{
    const char *word;

    while ((word = strtok(NULL, " \n"))) {
        double x = strtod(word, NULL), y = attest_format_cast(x, format),
               z = cast_wide(x, format);
        bool same = isnan(y) ? isnan(z) : y == z && !signbit(y) == !signbit(z);

        printf(same ? "%a " : "differ:%a ", y);
    }
    printf("\n");
}

static int block(const char *name)
{
    size_t heads = (size_t)next_number(), tokens = (size_t)next_number();
    size_t dim = (size_t)next_number(), count = heads * tokens * dim;
    double *x = malloc(count * sizeof *x);
    attest_block_format format;
    attest_quantised q;
    attest_error error;
    fmpq_t exact, rounded;

    for (size_t i = 0; x && i < count; i++)
        x[i] = next_number();
    if (!x || attest_block_parse(&format, name, &error) != ATTEST_OK ||
        attest_quantised_init(&q, x, heads, tokens, dim, &format, &error) != ATTEST_OK) {
        printf("error: %s\n", error.text);
        free(x);
        return 0;
    }
    fmpq_init(exact);
    fmpq_init(rounded);
    for (size_t i = 0; i < count; i++) {
        const attest_block_scale *s = attest_quantised_get_scale(&q, i);
        bool finite = attest_quantised_get_exact(exact, &q, i);

        printf("%a %" PRIu32 " %a %a %a %a ", q.element[i], attest_quantised_get_code(&q, i),
               s->factor, s->divisor, s->offset, attest_quantised_get(&q, i));
        if (finite)
            fmpq_print(exact);
        else
            printf("none");
        printf(" ");
    }
    printf("\n");
    fmpq_clear(exact);
    fmpq_clear(rounded);
    attest_quantised_clear(&q);
    free(x);
    return 0;
}

int main(void)
{
    attest_format format;
    attest_error error;

    while (fgets(line, sizeof line, stdin)) {
        char *verb = strtok(line, " \n"), *name = strtok(NULL, " \n");

        if (!verb || !name)
            return 1;
        if (strcmp(verb, "block") == 0) {
            block(name);
        } else if (attest_format_parse(&format, name, &error) != ATTEST_OK) {
            printf("error: %s\n", error.text);
        } else if (strcmp(verb, "decode") == 0) {
            decode(&format);
        } else {
            cast(&format);
        }
        fflush(stdout);
    }
    flint_cleanup();
    return 0;
}
