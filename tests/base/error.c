/* error.c -- error messages of one line. */
#include <string.h>

#include <attest/error.h>

#include "tests/tap.h"

TEST(error)
{
    attest_error error;
    char long_prefix[2 * ATTEST_ERROR_SIZE];

    TAP_OK(attest_error_set(&error, ATTEST_FORMAT, "row %d", 7) == ATTEST_FORMAT &&
               error.status == ATTEST_FORMAT && strcmp(error.text, "row 7") == 0,
           "a formatted text");
    TAP_OK(attest_error_prefix(&error, ATTEST_FORMAT, "a.json") == ATTEST_FORMAT &&
               strcmp(error.text, "a.json: row 7") == 0,
           "a prefix");
    memset(long_prefix, 'x', sizeof long_prefix);
    long_prefix[ATTEST_ERROR_SIZE - 1 - strlen(": a.json: row 7")] = '\0';
    attest_error_prefix(&error, ATTEST_FORMAT, long_prefix);
    TAP_OK(strlen(error.text) == ATTEST_ERROR_SIZE - 1 && !strstr(error.text, "..."),
           "a text that just fits");
    attest_error_prefix(&error, ATTEST_FORMAT, "b");
    TAP_OK(strlen(error.text) == ATTEST_ERROR_SIZE - 1 &&
               strncmp(error.text, "b: xxx", 6) == 0 && strstr(error.text, "xxx...xxx") &&
               strcmp(error.text + ATTEST_ERROR_SIZE - 9, "n: row 7") == 0,
           "a text that does not fit loses its middle");
    memset(long_prefix, 'y', sizeof long_prefix);
    long_prefix[sizeof long_prefix - 1] = '\0';
    attest_error_set(&error, ATTEST_IO, "%s: cannot open", long_prefix);
    TAP_OK(strlen(error.text) == ATTEST_ERROR_SIZE - 1 &&
               strcmp(error.text + ATTEST_ERROR_SIZE - 15, "y: cannot open") == 0,
           "a long path is cut in the middle, and the end of the message stays");
    TAP_OK(attest_error_set(NULL, ATTEST_IO, "x") == ATTEST_IO &&
               attest_error_prefix(NULL, ATTEST_IO, "x") == ATTEST_IO,
           "nobody needs to read it");
    TAP_OK(strcmp(attest_status_name(ATTEST_USAGE), "usage") == 0 &&
               strcmp(attest_status_name((attest_status)99), "unknown") == 0,
           "names of statuses");
    TAP_OK(strcmp(attest_verdict_name(ATTEST_REFUTED), "refuted") == 0 &&
               strcmp(attest_verdict_name((attest_verdict)99), "undecided") == 0,
           "names of verdicts; an unknown one is no pass");
    return 0;
}
