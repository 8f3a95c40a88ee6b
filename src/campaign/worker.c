/* worker.c -- a worker as the campaign sees it. */
#include "campaign/worker.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"
#include "campaign/worker_run.h"

enum { PIECE = 65536 };

void attest_worker_init(attest_worker *worker)
{
    memset(worker, 0, sizeof *worker);
    worker->channel = -1;
    attest_text_init(&worker->received);
}

/* Everything but the process. */
static void release(attest_worker *worker)
{
    if (worker->channel >= 0)
        close(worker->channel);
    attest_shared_free(worker->watch, 1, sizeof *worker->watch);
    attest_text_clear(&worker->received);
    attest_worker_init(worker);
}

void attest_worker_stop(attest_worker *worker)
{
    if (worker->process > 0) {
        kill(worker->process, SIGKILL);
        attest_workers_wait(worker->process);
    }
    release(worker);
}

static attest_status fail(attest_worker *worker, const char *call, attest_error *error)
{
    int reason = errno;

    worker->process = 0;
    release(worker);
    return attest_error_set(error, ATTEST_IO, "cannot start a worker: %s: %s", call,
                            strerror(reason));
}

attest_status attest_worker_start(attest_worker *worker, const attest_plan *plan,
                                  attest_error *error)
{
    attest_worker_place place = {.plan = plan};
    int end[2];

    worker->watch = place.watch = attest_shared_alloc(1, sizeof *worker->watch);
    if (!worker->watch) {
        errno = ENOMEM;
        return fail(worker, "mmap", error);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0)
        return fail(worker, "socketpair", error);
    worker->channel = place.other_end = end[0];
    place.channel = end[1];
    worker->process = attest_workers_start(attest_worker_run, &place);
    close(end[1]); /* so that its end is seen when the worker dies */
    if (worker->process < 0)
        return fail(worker, "fork", error);
    return ATTEST_OK;
}

void attest_worker_send(attest_worker *worker, const attest_job *job)
{
    const char *bytes = (const char *)job;
    size_t sent = 0;

    worker->busy = true;
    worker->job = *job;
    atomic_store(&worker->watch->started, false);
    while (sent < sizeof *job) {
        ssize_t written = send(worker->channel, bytes + sent, sizeof *job - sent, MSG_NOSIGNAL);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        sent += (size_t)written;
    }
}

static void describe_death(attest_death *death, const attest_worker *worker, int status)
{
    attest_chunk_watch *watch = worker->watch;

    *death = (attest_death){.trial = atomic_load(&watch->trial),
                            .seed = atomic_load(&watch->seed),
                            .shrinking = atomic_load(&watch->shrinking),
                            .steps = atomic_load(&watch->steps)};
    if (worker->timed_out) {
        death->kind = ATTEST_DEATH_TIMEOUT;
    } else if (WIFSIGNALED(status)) {
        death->kind = ATTEST_DEATH_SIGNAL;
        death->detail = WTERMSIG(status);
    } else if (WEXITSTATUS(status) == ATTEST_WORKERS_NO_MEMORY) {
        death->kind = ATTEST_DEATH_MEMORY;
    } else {
        death->kind = ATTEST_DEATH_EXIT;
        death->detail = WEXITSTATUS(status);
    }
}

/* The channel has ended: the process is dead, or will be at once. */
static attest_received take_death(attest_worker *worker, attest_death *death)
{
    bool started = worker->busy && atomic_load(&worker->watch->started);
    bool together = started && atomic_load(&worker->watch->together);
    int status = attest_workers_wait(worker->process);

    worker->process = 0;
    describe_death(death, worker, status);
    release(worker);
    if (together)
        return ATTEST_RECEIVED_TOGETHER;
    return started ? ATTEST_RECEIVED_DEATH : ATTEST_RECEIVED_NOTHING;
}

static attest_status take_entry(attest_worker *worker, attest_received *received,
                                attest_entry *entry, attest_text *text, attest_error *error)
{
    attest_frame_chain chain = {{0}};
    attest_frame frame;

    switch (attest_frame_parse(&frame, &chain, worker->received.data, worker->received.size)) {
    case ATTEST_FRAME_TORN:
        *received = ATTEST_RECEIVED_PART;
        return ATTEST_OK;
    case ATTEST_FRAME_DAMAGED:
        return attest_error_set(error, ATTEST_FORMAT, "a worker sent what is no record");
    case ATTEST_FRAME_WHOLE:
        break;
    }
    ATTEST_TRY(attest_entry_parse(entry, frame.payload, frame.size, NULL, error));
    attest_text_append(text, frame.payload, frame.size);
    if (text->failed)
        return attest_memory_fail(error);
    attest_text_clear(&worker->received);
    worker->busy = false;
    *received = ATTEST_RECEIVED_ENTRY;
    return ATTEST_OK;
}

attest_status attest_worker_receive(attest_worker *worker, attest_received *received,
                                    attest_entry *entry, attest_text *text, attest_death *death,
                                    attest_error *error)
{
    char piece[PIECE];
    ssize_t got = read(worker->channel, piece, sizeof piece);

    *received = ATTEST_RECEIVED_PART;
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return ATTEST_OK;
    if (got <= 0) {
        *received = take_death(worker, death);
        return ATTEST_OK;
    }
    attest_text_append(&worker->received, piece, (size_t)got);
    if (worker->received.failed)
        return attest_memory_fail(error);
    return take_entry(worker, received, entry, text, error);
}

void attest_worker_check_time(attest_worker *worker, double seconds)
{
    if (seconds <= 0 || !worker->busy || worker->timed_out ||
        !atomic_load(&worker->watch->started))
        return;
    if ((double)(attest_clock_nanoseconds() - atomic_load(&worker->watch->beat)) >
        1e9 * seconds) {
        worker->timed_out = true;
        kill(worker->process, SIGKILL);
    }
}
