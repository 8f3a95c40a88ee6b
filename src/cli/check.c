/* check.c -- attest check: verifies certificates, with code that certify does not use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <attest/certificate.h>
#include <attest/check.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "io/json_write.h"
#include "report/print.h"

static int run(int argc, char **argv);

const attest_command attest_command_check = {
    .name = "check",
    .arguments = "CERT... [OPTION]...",
    .summary = "verify certificates",
    .details = "Verifies the hashes of the inputs, then the claim, with code that certify does "
               "not use.\nInputs are read from their recorded paths or from the directory of "
               "the certificate. A\ncertificate with any false part fails (1), however small "
               "the error. A certificate with the\nverdict undecided in which nothing is false "
               "is reported as undecided (3). The members\nthat describe how the verdict was "
               "found (method, precision_bits, versions) are not verified.",
    .example = "  attest certify data.json --weights w.json -o claim.json\n"
               "  attest check claim.json",
    .works = true,
    .run = run,
};

/* Returns the directory of a path, which the caller frees; NULL for standard input. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory;

    if (strcmp(path, "-") == 0)
        return NULL;
    directory = attest_memory_copy(slash ? path : ".");
    if (directory && slash)
        directory[slash == path ? 1 : slash - path] = '\0';
    return directory;
}

static void report(attest_json *json, bool as_json, const char *path, int code,
                   const char *reason)
{
    const char *verdict = code == EXIT_HOLDS   ? "holds"
                          : code == EXIT_FAILS ? "fails"
                                               : "undecided";

    if (!as_json) {
        attest_print("%s: ", attest_input_name(path));
        attest_paint_print(stdout,
                           code == EXIT_HOLDS   ? ATTEST_PAINT_GOOD
                           : code == EXIT_FAILS ? ATTEST_PAINT_BAD
                                                : ATTEST_PAINT_OPEN,
                           verdict);
        attest_print("%s", !reason ? "" : code == EXIT_FAILS ? ": " : ", ");
        attest_print("%s", reason ? reason : "");
        attest_print("\n");
        return;
    }
    attest_json_write_object(json, NULL);
    attest_json_write_string(json, "path", path);
    attest_json_write_string(json, "verdict", verdict);
    if (reason)
        attest_json_write_string(json, "reason", reason);
    attest_json_write_close(json);
}

static int check_one(attest_json *json, const char *path, attest_check_options options,
                     attest_common *common)
{
    ATTEST_SCOPED(attest_certificate, certificate);
    attest_error error;
    attest_status status;
    char shown[ATTEST_CLI_TEXT_SIZE];
    bool holds = false;
    char *directory ATTEST_FREED = NULL;
    int code;

    if (attest_certificate_read(&certificate, path, &common->budget, &error))
        return attest_cli_fail_input(&error);
    options.directory = directory = directory_of(path);
    options.budget = &common->budget;
    options.progress = attest_cli_progress();
    attest_cli_work_begin("checking");
    status = attest_check_run(&holds, &certificate, &options, &error);
    attest_cli_work_end();
    if (status == ATTEST_OK) {
        code = holds ? EXIT_HOLDS : EXIT_FAILS;
        report(json, common->json, path, code, holds ? NULL : error.text);
    } else if (status == ATTEST_UNABLE) {
        code = EXIT_UNDECIDED;
        report(json, common->json, path, code, attest_cli_name_options(shown, error.text));
    } else {
        attest_error_prefix(&error, status, attest_input_name(path));
        code = attest_cli_fail_input(&error);
    }
    return code;
}

static int run(int argc, char **argv)
{
    unsigned long max_bits = ATTEST_CERTIFY_MAX_BITS, max_terms = ATTEST_CERTIFY_MAX_TERMS;
    unsigned long jobs = 0;
    attest_check_options check_options;
    attest_common common;
    attest_json json;
    char **operands;
    size_t count;
    int code;
    const attest_option options[] = {
        {"max-bits", 0, "B", "highest precision in bits (default: 1048576)", OPTION_COUNT,
         &max_bits, NULL},
        {"max-terms", 0, "T",
         "largest number of terms when exponential sums are multiplied out\n(default: "
         "4194304)",
         OPTION_POSITIVE, &max_terms, NULL},
        ATTEST_CLI_JOBS(&jobs),
        {0},
    };

    code = attest_cli_parse(&attest_command_check, &common, options, argc, argv, 1, SIZE_MAX,
                            &operands, &count);
    if (code == EXIT_HOLDS)
        code = attest_cli_check_stdin((const char *const *)operands, count);
    if (code != EXIT_HOLDS)
        return code;
    if (max_bits < ATTEST_CERTIFY_BITS || max_bits > 1000000000)
        return attest_cli_refuse("--max-bits: the precision must be from %d to 1000000000 bits",
                                 ATTEST_CERTIFY_BITS);
    attest_check_options_init(&check_options);
    check_options.max_bits = (long)max_bits;
    check_options.max_terms = max_terms;
    check_options.jobs = attest_cli_jobs(jobs);
    check_options.max_work = common.max_work;
    attest_json_write_begin(&json, stdout);
    if (common.json) {
        attest_json_write_object(&json, NULL);
        attest_json_write_format(&json, "attest/check");
        attest_json_write_array(&json, "certificates");
    }
    for (size_t i = 0; i < count; i++)
        code = attest_cli_worse(code, check_one(&json, operands[i], check_options, &common));
    if (common.json) {
        attest_json_write_close(&json);
        attest_json_write_close(&json);
        code = attest_cli_end_json(&json, code);
    }
    if (code == EXIT_HOLDS)
        attest_cli_print_hint(&common,
                              "the claim holds for the input files of the certificate; it was "
                              "verified by code that certify does not use");
    return code;
}
