/* audit_lists.c -- the options of attest audit that are lists. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/audit.h"

/* The widest format that an audit takes: memory and time grow with it. */
enum { MOST_BITS = 1 << 20 };

/* Copies the next element of a list, up to a comma, and moves on; false at the end, or when it
 * does not fit. */
static bool next_element(char *element, size_t size, const char **list)
{
    size_t length = strcspn(*list, ",");

    if (length >= size)
        length = size - 1;
    memcpy(element, *list, length);
    element[length] = '\0';
    *list += strcspn(*list, ",");
    if (**list == '\0')
        return false;
    (*list)++;
    return true;
}

static int parse_format(attest_format *format, const char *option, const char *name)
{
    attest_error error;

    if (attest_format_parse(format, name, &error))
        return attest_cli_refuse("--%s: %s", option, error.text);
    if (format->precision > MOST_BITS)
        return attest_cli_refuse("--%s: %s: an audit takes formats of at most %d bits", option,
                                 format->name, MOST_BITS);
    return EXIT_HOLDS;
}

static int parse_formats(audit_request *request)
{
    const char *rest = request->formats;
    char name[128];
    bool more = true;

    while (more) {
        attest_format *format = &request->format[request->format_count];
        int code;
        if (request->format_count == AUDIT_MOST_FORMATS)
            return attest_cli_refuse("--formats: more than %d formats", AUDIT_MOST_FORMATS);
        more = next_element(name, sizeof name, &rest);
        code = parse_format(format, "formats", name);
        if (code != EXIT_HOLDS)
            return code;
        for (size_t f = 0; f < request->format_count; f++)
            if (strcmp(request->format[f].name, format->name) == 0)
                return attest_cli_refuse("--formats: %s stands there twice", format->name);
        request->format_count++;
    }
    return EXIT_HOLDS;
}

/* "LO..HI", or "HI". */
static int parse_sweep(audit_request *request)
{
    const char *text = request->sweep, *high = text;
    char *end;

    request->low = 1;
    errno = 0;
    if (strstr(text, "..")) {
        request->low = strtol(text, &end, 10);
        high = end + 2;
        if (end == text || strncmp(end, "..", 2) != 0)
            return attest_cli_refuse("--sweep: '%s' is not LO..HI", text);
    }
    request->high = strtol(high, &end, 10);
    if (errno || end == high || *end != '\0')
        return attest_cli_refuse("--sweep: '%s' is not LO..HI", text);
    if (request->low < 1 || request->high < request->low || request->high > MOST_BITS)
        return attest_cli_refuse("--sweep: widths go from 1 to %d, the lower one first",
                                 MOST_BITS);
    return EXIT_HOLDS;
}

static int parse_strategies(audit_request *request)
{
    static const char *const name[AUDIT_STRATEGIES] = {"theorem", "gap", "tuned"};
    const char *rest = request->construct ? request->construct : "theorem";
    char element[64];
    bool more = true;

    if (strcmp(rest, "all") == 0)
        rest = "theorem,gap,tuned";
    while (more) {
        int found = -1;
        more = next_element(element, sizeof element, &rest);
        for (int i = 0; i < AUDIT_STRATEGIES; i++)
            if (strcmp(element, name[i]) == 0)
                found = i;
        if (found < 0)
            return attest_cli_refuse("--construct: '%s' is not theorem, gap, tuned or all (see "
                                     "'attest audit --help')",
                                     element);
        for (size_t i = 0; i < request->strategies; i++)
            if (request->strategy[i] == (attest_strategy)found)
                return attest_cli_refuse("--construct: %s stands there twice", element);
        request->strategy[request->strategies++] = (attest_strategy)found;
    }
    return EXIT_HOLDS;
}

int attest_cli_audit_parse_lists(audit_request *request)
{
    int code = parse_formats(request);

    if (code == EXIT_HOLDS && request->accumulate)
        code = parse_format(&request->accumulate_format, "accumulate", request->accumulate);
    if (code == EXIT_HOLDS && request->sweep)
        code = parse_sweep(request);
    if (code == EXIT_HOLDS)
        code = parse_strategies(request);
    return code;
}
