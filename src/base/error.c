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
        char text[ATTEST_ERROR_SIZE];
        memcpy(text, error->text, sizeof text);
        error->status = status;
        int used = snprintf(error->text, sizeof error->text, "%s: ", prefix);
        if (used > 0 && (size_t)used < sizeof error->text)
            snprintf(error->text + used, sizeof error->text - (size_t)used, "%s", text);
    }
    return status;
}
