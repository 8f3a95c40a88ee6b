/* error.c -- status codes, the error line, and the version. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/error.h>
#include <attest/version.h>

const char *attest_status_name(attest_status status)
{
    static const char *const name[] = {"ok", "domain", "unable", "format",
                                       "io", "nomem",  "usage",  "stopped"};

    if ((unsigned)status >= sizeof name / sizeof name[0])
        return "unknown";
    return name[status];
}

const char *attest_verdict_name(attest_verdict verdict)
{
    static const char *const name[] = {"proved", "refuted", "undecided"};

    return (unsigned)verdict < 3 ? name[verdict] : "undecided";
}

/* Cuts a text that is too long in the middle: it begins with the names of files and ends with
 * what is wrong. */
static void set_text(attest_error *error, const char *text, size_t length)
{
    const size_t room = sizeof error->text - 1, head = room / 3, tail = room - head - 3;

    if (length <= room) {
        memcpy(error->text, text, length + 1);
        return;
    }
    memcpy(error->text, text, head);
    memcpy(error->text + head, "...", 3);
    memcpy(error->text + head + 3, text + length - tail, tail + 1);
}

attest_status attest_error_set(attest_error *error, attest_status status, const char *format,
                               ...)
{
    va_list arguments;
    char *whole;
    int length;

    if (!error)
        return status;
    error->status = status;
    va_start(arguments, format);
    length = vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    if (length < (int)sizeof error->text || !(whole = malloc((size_t)length + 1)))
        return status;
    va_start(arguments, format);
    vsnprintf(whole, (size_t)length + 1, format, arguments);
    va_end(arguments);
    set_text(error, whole, (size_t)length);
    free(whole);
    return status;
}

attest_status attest_error_prefix(attest_error *error, attest_status status, const char *prefix)
{
    char text[ATTEST_ERROR_SIZE];

    if (!error || status == ATTEST_OK)
        return status;
    strcpy(text, error->text);
    return attest_error_set(error, status, "%s: %s", prefix, text);
}

const char *attest_version(void)
{
    return PACKAGE_VERSION;
}
