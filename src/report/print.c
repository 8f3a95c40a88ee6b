/* print.c -- text for people: formats of the program, escaped strings, colour. */
#include "report/print.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/workers.h"

/* The remaining arguments. */
typedef struct arguments {
    va_list list;
} arguments;

/* A conversion of the format. */
typedef struct conversion {
    char flags[8];
    int width, precision; /* 0, -1: not given; a negative width is one with the flag '-' */
    char size;            /* 'h', 'l', 'q' (ll), 'z', 'L', or 0 */
    char kind;
} conversion;

/* The number at *at, or the next argument for a '*'. */
static int read_number(const char **at, arguments *rest)
{
    int number = 0;

    if (**at == '*') {
        ++*at;
        return va_arg(rest->list, int);
    }
    while (**at >= '0' && **at <= '9')
        number = 10 * number + (*(*at)++ - '0');
    return number;
}

/* Parses the conversion after a '%'; returns its end. */
static const char *read_conversion(conversion *c, const char *at, arguments *rest)
{
    size_t flags = strspn(at, "-+ #0");

    *c = (conversion){.precision = -1};
    memcpy(c->flags, at, flags < sizeof c->flags ? flags : sizeof c->flags - 1);
    at += flags;
    c->width = read_number(&at, rest);
    if (*at == '.') {
        at++;
        c->precision = read_number(&at, rest);
    }
    for (; *at && strchr("hlzL", *at); at++)
        c->size = *at == 'l' && c->size == 'l' ? 'q' : *at;
    c->kind = *at;
    return *at ? at + 1 : at;
}

/* Strings of printable ASCII, which most are, need no copy. */
static bool is_plain(const char *string, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (string[i] < 0x20 || string[i] == 0x7F || (unsigned char)string[i] > 0x7F)
            return false;
    return true;
}

static int pad(FILE *stream, int count)
{
    return count > 0 ? fprintf(stream, "%*s", count, "") : 0;
}

static int print_string(FILE *stream, const conversion *c, const char *string)
{
    size_t length = c->precision >= 0 ? strnlen(string, (size_t)c->precision) : strlen(string);
    bool left = c->width < 0 || strchr(c->flags, '-') != NULL;
    int width = abs(c->width), shown, gap;

    shown = is_plain(string, length) ? (int)length : (int)attest_escape_width(string, length);
    gap = width > shown ? width - shown : 0;
    if (!left)
        pad(stream, gap);
    if (is_plain(string, length))
        fwrite(string, 1, length, stream);
    else
        attest_escape_print(stream, string, length);
    if (left)
        pad(stream, gap);
    return shown + gap;
}

/* The conversion as a format for one argument. The compiler cannot check the argument against
 * it; it has checked it against the whole format (ATTEST_PRINTF). */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int print_number(FILE *stream, const conversion *c, arguments *rest)
{
    static const struct {
        char size;
        const char *text;
    } sizes[] = {{'h', "h"}, {'l', "l"}, {'q', "ll"}, {'z', "z"}, {'L', "L"}, {0, ""}};
    const char *size = "";
    char format[64], precision[16] = "", width[16] = "";

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].size == c->size)
            size = sizes[i].text;
    if (c->width)
        snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(format, sizeof format, "%%%s%s%s%s%c", c->flags, width, precision, size, c->kind);
    if (strchr("aAeEfFgG", c->kind))
        return c->size == 'L' ? fprintf(stream, format, va_arg(rest->list, long double))
                              : fprintf(stream, format, va_arg(rest->list, double));
    switch (c->size) {
    case 'l':
        return fprintf(stream, format, va_arg(rest->list, long));
    case 'q':
        return fprintf(stream, format, va_arg(rest->list, long long));
    case 'z':
        return fprintf(stream, format, va_arg(rest->list, size_t));
    default:
        return fprintf(stream, format, va_arg(rest->list, int));
    }
}
#pragma GCC diagnostic pop

static int print_argument(FILE *stream, const conversion *c, arguments *rest)
{
    char letter[2] = "";

    switch (c->kind) {
    case '%':
        return fputc('%', stream) == EOF ? 0 : 1;
    case 's':
        return print_string(stream, c, va_arg(rest->list, const char *));
    case 'c':
        letter[0] = (char)va_arg(rest->list, int);
        return print_string(stream, c, letter);
    default:
        if (!c->kind || !strchr("diuxXoaAeEfFgG", c->kind))
            abort(); /* an unsupported format */
        return print_number(stream, c, rest);
    }
}

ATTEST_PRINTF(2, 0)
static int print(FILE *stream, const char *format, va_list list)
{
    arguments rest;
    conversion c;
    int count = 0;

    va_copy(rest.list, list);
    while (*format) {
        size_t plain = strcspn(format, "%");

        count += (int)fwrite(format, 1, plain, stream);
        format += plain;
        if (*format == '%') {
            format = read_conversion(&c, format + 1, &rest);
            count += print_argument(stream, &c, &rest);
        }
    }
    va_end(rest.list);
    return count;
}

int attest_print(const char *format, ...)
{
    va_list list;
    int count;

    va_start(list, format);
    count = print(stdout, format, list);
    va_end(list);
    return count;
}

int attest_fprint(FILE *stream, const char *format, ...)
{
    va_list list;
    int count;

    va_start(list, format);
    count = print(stream, format, list);
    va_end(list);
    return count;
}

void attest_print_lines(FILE *stream, const char *text, size_t size)
{
    while (size > 0) {
        const char *end = memchr(text, '\n', size);
        size_t length = end ? (size_t)(end - text) : size;

        attest_escape_print(stream, text, length);
        if (end)
            fputc('\n', stream);
        length += end != NULL;
        text += length;
        size -= length;
    }
}

static bool painted;

void attest_paint_use(bool on)
{
    painted = on;
}

void attest_paint_print(FILE *stream, attest_paint kind, const char *text)
{
    static const char *const begin[] = {
        [ATTEST_PAINT_GOOD] = "\033[32m",
        [ATTEST_PAINT_BAD] = "\033[1;31m",
        [ATTEST_PAINT_OPEN] = "\033[33m",
        [ATTEST_PAINT_HEADING] = "\033[1m",
    };
    bool on = painted && stream == stdout;

    if (on)
        fputs(begin[kind], stream);
    attest_fprint(stream, "%s", text);
    if (on)
        fputs("\033[m", stream);
}

enum { EXIT_CODE_OF_THE_ENVIRONMENT = 4 };

void attest_exit_no_memory(void)
{
    static const char line[] = "attest: out of memory\n";
    ssize_t ignored = attest_workers_inside() ? 0 : write(STDERR_FILENO, line, sizeof line - 1);

    (void)ignored;
    _exit(EXIT_CODE_OF_THE_ENVIRONMENT);
}

const char *attest_or_exit(const char *text)
{
    if (!text)
        attest_exit_no_memory();
    return text;
}
