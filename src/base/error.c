/* error.c -- the one line that says what went wrong. */
#include <attest/error.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *attest_status_name(attest_status status)
{
    static const char *const name[] = {"ok", "domain", "unable", "format",
                                       "io", "nomem",  "usage"};

    if ((unsigned)status >= sizeof name / sizeof name[0])
        return "unknown";
    return name[status];
}

const char *attest_verdict_name(attest_verdict verdict)
{
    static const char *const name[] = {"proved", "refuted", "undecided"};

    return (unsigned)verdict < 3 ? name[verdict] : "undecided";
}

attest_status attest_error_set(attest_error *error, attest_status status, const char *format,
                               ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

attest_status attest_error_prefix(attest_error *error, attest_status status, const char *prefix)
{
    if (error) {
        size_t shift = strlen(prefix) + 2;
        error->status = status;
        if (shift < sizeof error->text) {
            memmove(error->text + shift, error->text, sizeof error->text - shift);
            error->text[sizeof error->text - 1] = '\0';
            memcpy(error->text, prefix, shift - 2);
            memcpy(error->text + shift - 2, ": ", 2);
        }
    }
    return status;
}
