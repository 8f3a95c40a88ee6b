/* A JSON text under a limit of memory, from far too little to enough: it is refused or read,
 * and the process lives. RLIMIT_AS is the limit. */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/json_read.h"
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

/* How a process ends that may take so much more memory: 0, or the status, or 99 by a signal. */
static int parse_limited(const char *text, size_t more)
{
    int ended = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct rlimit limit = {address_space() + more, address_space() + more};
        attest_json_document document;
        setrlimit(RLIMIT_AS, &limit);
        _exit((int)attest_json_document_parse(&document, text, strlen(text), NULL, NULL));
    }
    waitpid(child, &ended, 0);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : 99;
}

int main(void)
{
    char *text;
    int refused = 0, read = 0, wrong = 0;

    if (!limit_addresses_works()) {
        printf("1..0 # SKIP addresses cannot be limited here\n");
        return 0;
    }
    text = make_text();
    for (size_t more = 0; more < (size_t)40 << 20; more += 1000000) {
        int end = parse_limited(text, more);
        refused += end == ATTEST_NOMEM;
        read += end == ATTEST_OK;
        wrong += end != ATTEST_OK && end != ATTEST_NOMEM;
    }
    TAP_OK(wrong == 0, "never a signal or another status");
    TAP_OK(refused > 10 && read > 10, "%d times refused, %d times read", refused, read);
    free(text);
    return tap_done();
}
