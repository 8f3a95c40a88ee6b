/* fail.c -- one line on standard error, and an exit code; also where GMP or FLINT run out of
 * memory or give up. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gmp.h>
#include <flint/flint.h>

#include "base/fault.h"
#include "base/file.h"
#include "base/hint.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/workers.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "model/import.h"

const char *attest_cli_name_options(char shown[ATTEST_CLI_TEXT_SIZE], const char *text)
{
    static const struct {
        const char *library, *program;
    } phrases[] = {
        {ATTEST_HINT_INPUT, ATTEST_HINT_INPUT " (--max-memory raises the limit)"},
        {ATTEST_HINT_MEMORY, ATTEST_HINT_MEMORY " (--max-memory raises the limit)"},
        {ATTEST_HINT_WORK, ATTEST_HINT_WORK " (--max-work raises the limit)"},
        {ATTEST_HINT_WORK_DONE, ATTEST_HINT_WORK_DONE " (see --max-work)"},
        {ATTEST_HINT_BITS, ATTEST_HINT_BITS " (see --max-bits)"},
        {ATTEST_HINT_TERMS, ATTEST_HINT_TERMS " (see --max-terms)"},
        {ATTEST_HINT_TENSOR, "choose one with --tensor NAME"},
        {ATTEST_HINT_TRANSPOSE, "is --transpose needed, or too much?"},
        {ATTEST_HINT_EPS, "give --eps"},
        {ATTEST_HINT_NUMBER, ATTEST_HINT_NUMBER " (3/7, 0.1 and 0x1.8p-3 are)"},
        {ATTEST_HINT_HEADS, "give --heads H, or the model's config.json with --config FILE"},
        {ATTEST_HINT_PREFIX,
         ATTEST_HINT_PREFIX " ('attest import FILE --list' prints all names)"},
        {ATTEST_HINT_SHAPE, "choose other values of --dim and --length"},
        {ATTEST_HINT_TUNED, "use --strategy tuned"},
        {ATTEST_HINT_GAP, "use --strategy gap"},
        {ATTEST_HINT_GAP_ALONE, "use --strategy gap, without --eps"},
    };
    size_t length = strlen(text);

    snprintf(shown, ATTEST_CLI_TEXT_SIZE, "%s", text);
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        size_t end = strlen(phrases[i].library);

        if (length >= end && strcmp(text + length - end, phrases[i].library) == 0)
            snprintf(shown, ATTEST_CLI_TEXT_SIZE, "%.*s%s", (int)(length - end), text,
                     phrases[i].program);
    }
    return shown;
}

/* Prints the line. If memory runs out, prints that instead and returns false. */
ATTEST_PRINTF(1, 0)
static bool complain(const char *format, va_list arguments)
{
    static bool reported;
    bool complete;
    char *line, *shown = NULL;
    attest_text text;
    va_list again;
    int length;

    attest_cli_work_end();
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    line = length < 0 ? NULL : attest_memory_alloc((size_t)length + 1, 1);
    attest_text_init(&text);
    if (line) {
        vsnprintf(line, (size_t)length + 1, format, arguments);
        attest_escape_terminal(&text, line, (size_t)length);
        shown = attest_text_take(&text);
    }
    if (shown)
        fprintf(stderr, "attest: %s\n", shown);
    else if (!reported) /* printed once */
        fprintf(stderr, "attest: out of memory\n");
    reported = reported || !shown;
    complete = shown != NULL;
    free(shown);
    free(line);
    return complete;
}

void attest_cli_complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    complain(format, arguments);
    va_end(arguments);
}

int attest_cli_refuse(const char *format, ...)
{
    va_list arguments;
    bool complete;

    va_start(arguments, format);
    complete = complain(format, arguments);
    va_end(arguments);
    return complete ? EXIT_USAGE : EXIT_ENVIRONMENT;
}

static int exit_code(attest_status status, int io)
{
    switch (status) {
    case ATTEST_OK:
        return EXIT_HOLDS;
    case ATTEST_DOMAIN:
        return EXIT_FAILS;
    case ATTEST_UNABLE:
        return EXIT_UNDECIDED;
    case ATTEST_FORMAT:
    case ATTEST_USAGE:
        return EXIT_USAGE;
    case ATTEST_IO:
        return io;
    case ATTEST_NOMEM:
    case ATTEST_STOPPED: /* the program stops no work */
        break;
    }
    return EXIT_ENVIRONMENT;
}

/* Prints the error and returns its exit code; 4 if there is no memory for the line. */
static int fail(const attest_error *error, int io)
{
    char shown[ATTEST_CLI_TEXT_SIZE];
    int code = attest_cli_refuse("%s", attest_cli_name_options(shown, error->text));

    return code == EXIT_USAGE ? exit_code(error->status, io) : code;
}

int attest_cli_fail(const attest_error *error)
{
    return fail(error, EXIT_ENVIRONMENT);
}

int attest_cli_fail_journal(const attest_error *error)
{
    return error->status == ATTEST_UNABLE ? attest_cli_fail_input(error)
                                          : attest_cli_fail(error);
}

int attest_cli_fail_work(const attest_error *error, const attest_common *common)
{
    char shown[ATTEST_CLI_TEXT_SIZE];
    int code = attest_cli_fail(error);
    attest_json json;

    if (error->status != ATTEST_UNABLE || !common->json)
        return code;
    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_format(&json, "attest/undecided");
    attest_json_write_string(&json, "verdict", "undecided");
    attest_json_write_string(&json, "reason", attest_cli_name_options(shown, error->text));
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, code);
}

int attest_cli_fail_input(const attest_error *error)
{
    int code = fail(error, EXIT_USAGE);

    /* Input beyond --max-memory is bad input, not undecided. */
    return code == EXIT_ENVIRONMENT ? code : EXIT_USAGE;
}

int attest_cli_verdict_code(attest_verdict verdict)
{
    static const int code[] = {[ATTEST_PROVED] = EXIT_HOLDS,
                               [ATTEST_REFUTED] = EXIT_FAILS,
                               [ATTEST_UNDECIDED] = EXIT_UNDECIDED};

    return code[verdict];
}

int attest_cli_worse(int a, int b)
{
    static const int order[] = {EXIT_ENVIRONMENT, EXIT_USAGE, EXIT_FAILS, EXIT_UNDECIDED};

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return EXIT_HOLDS;
}

int attest_cli_read_dataset_input(attest_dataset *dataset, const attest_input *input,
                                  attest_common *common)
{
    attest_status status;
    attest_error error;

    attest_cli_work_begin("reading");
    status = attest_dataset_read_input(dataset, input, common->tensor, &common->budget, &error);
    attest_cli_work_end();
    if (status)
        return attest_cli_fail_input(&error);
    if (common->homogeneous &&
        attest_dataset_set_homogeneous(dataset, &common->budget, &error)) {
        attest_error_prefix(&error, error.status, input->path);
        return attest_cli_fail_input(&error);
    }
    return EXIT_HOLDS;
}

int attest_cli_read_dataset(attest_dataset *dataset, const char *path, attest_common *common)
{
    attest_input input;
    attest_error error;
    int code;

    if (attest_input_open(&input, path, common->budget.left, &error))
        return attest_cli_fail_input(&error);
    code = attest_cli_read_dataset_input(dataset, &input, common);
    attest_input_close(&input);
    return code;
}

int attest_cli_pair(attest_common *common, attest_dataset *dataset, const attest_input *input,
                    const char *data, attest_weights *weights, const char *path)
{
    size_t dim = dataset->dim, wanted = weights->dim;
    bool open = weights->norm != ATTEST_NORM_NONE || attest_weights_have_form(weights);
    attest_error error;

    if (dim != wanted && !(weights->homogeneous && dim + 1 == wanted))
        return attest_cli_refuse(
            "%s: tokens have %zu entries, but the weights of %s take %zu%s", data, dim, path,
            wanted - weights->homogeneous,
            wanted == dim + 1 && !common->homogeneous ? " (--homogeneous appends a 1)" : "");
    if (attest_pairing_set(dataset, weights, input, &common->budget, &error) == ATTEST_OK)
        return EXIT_HOLDS;
    if (!input || strncmp(error.text, data, strlen(data)) != 0)
        attest_error_prefix(&error, error.status, data);
    /* Square roots and the like that cannot be decided are undecided, not bad input. */
    return open && error.status == ATTEST_UNABLE ? attest_cli_fail(&error)
                                                 : attest_cli_fail_input(&error);
}

int attest_cli_end_json(attest_json *json, int code)
{
    attest_status status = attest_json_write_end(json);

    if (status == ATTEST_NOMEM)
        attest_cli_complain("standard output is not whole: out of memory");
    return status == ATTEST_NOMEM ? EXIT_ENVIRONMENT : code;
}

int attest_cli_save(const char *path, attest_json_writer *write, const void *value)
{
    attest_json_file file;
    attest_error error;

    if (attest_json_file_open(&file, path, &error))
        return attest_cli_fail(&error);
    write(&file.json, value);
    return attest_json_file_commit(&file, &error) ? attest_cli_fail(&error) : EXIT_HOLDS;
}

int attest_cli_finish(int code)
{
    bool broken = ferror(stdout);

    errno = 0;
    if (fflush(stdout) == 0 && !broken)
        return code;
    /* With this code the caller has already printed the reason. */
    if (code == EXIT_ENVIRONMENT)
        return code;
    attest_cli_complain("standard output: cannot write: %s",
                        strerror(errno ? errno : attest_output_reason(stdout)));
    return EXIT_ENVIRONMENT;
}

static void *alloc_or_exit(size_t size)
{
    void *block = attest_fault("bignum") ? NULL : malloc(size ? size : 1);

    if (!block)
        attest_exit_no_memory();
    return block;
}

static void *calloc_or_exit(size_t count, size_t size)
{
    void *block = attest_fault("bignum") ? NULL : calloc(count ? count : 1, size ? size : 1);

    if (!block)
        attest_exit_no_memory();
    return block;
}

static void *realloc_or_exit(void *old, size_t size)
{
    void *block = attest_fault("bignum") ? NULL : realloc(old, size ? size : 1);

    if (!block)
        attest_exit_no_memory();
    return block;
}

static void *gmp_realloc_or_exit(void *old, size_t old_size, size_t size)
{
    (void)old_size;
    return realloc_or_exit(old, size);
}

static void gmp_free(void *block, size_t size)
{
    (void)size;
    free(block);
}

/* A worker dies by the signal, which its parent reports. */
__attribute__((noreturn)) static void stop(void)
{
    static const char line[] =
        "attest: FLINT cannot handle a number of this input: a bug in attest; please report "
        "the command and its files\n";
    ssize_t ignored;

    if (attest_workers_inside())
        abort();
    ignored = write(STDERR_FILENO, line, sizeof line - 1);
    (void)ignored;
    _exit(EXIT_ENVIRONMENT);
}

void attest_cli_guard_memory(void)
{
    flint_set_abort(stop);
    mp_set_memory_functions(alloc_or_exit, gmp_realloc_or_exit, gmp_free);
    __flint_set_memory_functions(alloc_or_exit, calloc_or_exit, realloc_or_exit, free);
}
