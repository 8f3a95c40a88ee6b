/* A JSON text under a limit of memory, from far too little to enough: it is refused or read,
 * written whole or not at all, and the process lives. RLIMIT_AS is the limit. */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/json_read.h"
#include "io/json_write.h"
#include "tests/limit.h"
#include "tests/tap.h"

enum { OBJECTS = 100000 };

static char *make_text(void)
{
    char *text = malloc(100 + OBJECTS * 40), *at = text;

    at += sprintf(at, "{\"list\":[");
    for (int i = 0; i < OBJECTS; i++)
        at += sprintf(at, "%s{\"key%d\":[%d,0.5,\"1/3\"]}", i ? "," : "", i % 10, i);
    sprintf(at, "]}");
    return text;
}

static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file && fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static attest_status parse(const char *text)
{
    attest_json_document document;

    return attest_json_document_parse(&document, text, strlen(text), NULL, NULL);
}

static void write_objects(attest_json *json, const void *key)
{
    attest_json_write_array(json, NULL);
    for (int i = 0; i < OBJECTS; i++) {
        attest_json_write_object(json, NULL);
        attest_json_write_integer(json, key, i);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

/* Status: also FORMAT, where the text is not what it should be. */
static attest_status format(const char *right)
{
    char *text = attest_json_format(NULL, write_objects, "a key of which there are many");

    return !text ? ATTEST_NOMEM : strcmp(text, right) == 0 ? ATTEST_OK : ATTEST_FORMAT;
}

typedef attest_status task(const char *text);

/* How a process ends that may take so much more memory: 0, or the status, or 99 by a signal. */
static int run_limited(task *run, const char *text, size_t more)
{
    int ended = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct rlimit limit = {address_space() + more, address_space() + more};
        setrlimit(RLIMIT_AS, &limit);
        _exit((int)run(text));
    }
    waitpid(child, &ended, 0);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : 99;
}

static void try_all(task *run, const char *text, const char *done)
{
    int refused = 0, whole = 0, wrong = 0;

    for (size_t more = 0; more < (size_t)40 << 20; more += 1000000) {
        int end = run_limited(run, text, more);
        refused += end == ATTEST_NOMEM;
        whole += end == ATTEST_OK;
        wrong += end != ATTEST_OK && end != ATTEST_NOMEM;
    }
    TAP_OK(wrong == 0, "never a signal or another status");
    TAP_OK(refused > 3 && whole > 10, "%d times refused, %d times %s", refused, whole, done);
}

TEST(memory_json)
{
    char *text;

    if (!limit_addresses_works())
        return tap_skip("addresses cannot be limited here");
    text = make_text();
    try_all(parse, text, "read");
    free(text);
    text = attest_json_format(NULL, write_objects, "a key of which there are many");
    try_all(format, text, "written");
    free(text);
    return 0;
}
