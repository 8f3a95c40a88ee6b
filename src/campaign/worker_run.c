/* worker_run.c -- inside a worker. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/workers.h"
#include "campaign/worker_run.h"

enum { EXIT_CHANNEL = 5 };

/* AddressSanitizer reserves terabytes of addresses. */
#if defined __SANITIZE_ADDRESS__
#define LIMITS_ADDRESSES 0
#else
#define LIMITS_ADDRESSES 1
#endif

/* Takes no more memory than allowed, writes no core file, and keeps away from the standard
 * output, which belongs to the report. */
static void settle(const attest_plan *plan)
{
    struct rlimit memory = {plan->memory, plan->memory}, none = {0, 0};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
    }
    signal(SIGPIPE, SIG_IGN);
    /* A terminal, and a scheduler, tells all processes: what is to end is for the campaign to
     * say, and a worker ends with it. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    setrlimit(RLIMIT_CORE, &none);
    if (LIMITS_ADDRESSES && plan->memory)
        setrlimit(RLIMIT_AS, &memory);
}

/* False: the channel has ended. */
static bool read_job(attest_job *job, int channel)
{
    char *to = (char *)job;
    size_t have = 0;

    while (have < sizeof *job) {
        ssize_t got = read(channel, to + have, sizeof *job - have);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return true;
}

static void write_all(int channel, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(channel, bytes, size);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            _exit(EXIT_CHANNEL);
        bytes += written;
        size -= (size_t)written;
    }
}

static void send_entry(int channel, const attest_entry *entry)
{
    attest_frame_chain chain = {{0}};
    char *payload ATTEST_FREED = attest_entry_format(entry);
    ATTEST_SCOPED(attest_text, record);

    if (payload)
        attest_frame_format(&record, &chain, "chunk", payload, strlen(payload));
    if (!payload || record.failed)
        _exit(ATTEST_WORKERS_NO_MEMORY);
    write_all(channel, record.data, record.size);
}

static void run_job(const attest_plan *plan, const attest_job *job, attest_chunk_watch *watch,
                    int channel)
{
    ATTEST_SCOPED(attest_entry, entry);
    attest_chunk chunk;

    attest_plan_get_chunk(&chunk, plan, job->property, job->number);
    chunk.one_by_one = job->one_by_one;
    chunk.deaths = job->deaths;
    memcpy(chunk.death, job->death, sizeof chunk.death);
    chunk.watch = watch;
    entry.property = job->property;
    entry.number = job->number;
    /* There is one way to fail, and the watch tells at which trial. */
    if (attest_chunk_run(&entry.result, &chunk, NULL) != ATTEST_OK)
        _exit(ATTEST_WORKERS_NO_MEMORY);
    send_entry(channel, &entry);
}

void attest_worker_run(void *place)
{
    const attest_worker_place *p = place;
    attest_job job;

    close(p->other_end);
    settle(p->plan);
    while (read_job(&job, p->channel))
        run_job(p->plan, &job, p->watch, p->channel);
}
