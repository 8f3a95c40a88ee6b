/* worker.c -- processes that run chunks: the worker's loop, its messages to the campaign, and
 * the pool that assigns jobs to workers and replaces those that die. */
#include "config.h"

#include "campaign/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/workers.h"

enum { PIECE = 65536, EXIT_CHANNEL = 5, WAIT_MILLISECONDS = 250 };

/* The number of workers that may die before they begin a job: a worker that is killed, or that
 * lacks memory for a moment, does not end a campaign. */
enum { MOST_UNBEGUN = 10 };

/* AddressSanitizer reserves terabytes of addresses. */
#if defined __SANITIZE_ADDRESS__
#define LIMITS_ADDRESSES 0
#else
#define LIMITS_ADDRESSES 1
#endif

/* ---- In the worker ---------------------------------------------------------------------- */

/* The argument of a worker process. */
typedef struct worker_place {
    const attest_plan *plan;
    attest_chunk_watch *watch;
    int channel;
    int other_end; /* the campaign's end of the channel, closed here */
} worker_place;

/* Limits the memory, disables core files, and closes the standard output, which the campaign's
 * report is printed to. */
static void settle(const attest_plan *plan)
{
    struct rlimit memory = {plan->memory, plan->memory}, none = {0, 0};
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
    }
    signal(SIGPIPE, SIG_IGN);
    /* Terminals and schedulers signal all processes of a group. The campaign decides what ends,
     * and its workers end with it. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    setrlimit(RLIMIT_CORE, &none);
    if (LIMITS_ADDRESSES && plan->memory)
        setrlimit(RLIMIT_AS, &memory);
}

/* Returns false at the end of the channel. */
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

static void send_record(int channel, const attest_campaign_record *record)
{
    attest_frame_chain chain = {{0}};
    char *payload ATTEST_FREED = attest_campaign_record_format(record);
    ATTEST_SCOPED(attest_text, frame);

    if (payload)
        attest_frame_format(&frame, &chain, "chunk", payload, strlen(payload));
    if (!payload || frame.failed)
        _exit(ATTEST_WORKERS_NO_MEMORY);
    write_all(channel, frame.data, frame.size);
}

static void run_job(const worker_place *place, const attest_job *job)
{
    ATTEST_SCOPED(attest_campaign_record, record);
    attest_error error = {0}; /* properties read it */
    attest_chunk chunk;

    attest_plan_get_chunk(&chunk, place->plan, job->property, job->number);
    chunk.one_by_one = job->one_by_one;
    chunk.deaths = job->deaths;
    memcpy(chunk.death, job->death, sizeof chunk.death);
    chunk.watch = place->watch;
    record.property = job->property;
    record.number = job->number;
    /* The only failure is that memory runs out; watch has the trial. */
    if (attest_chunk_run(&record.result, &chunk, &error) != ATTEST_OK)
        _exit(ATTEST_WORKERS_NO_MEMORY);
    send_record(place->channel, &record);
}

/* Runs jobs from the channel, and sends their results, until it ends. */
static void run_worker(void *argument)
{
    const worker_place *place = argument;
    attest_job job;

    close(place->other_end);
    settle(place->plan);
    while (read_job(&job, place->channel))
        run_job(place, &job);
}

/* ---- The worker in the campaign --------------------------------------------------------- */

static void worker_init(attest_worker *worker)
{
    memset(worker, 0, sizeof *worker);
    worker->channel = -1;
    attest_text_init(&worker->received);
}

/* Frees everything but the process. */
static void release(attest_worker *worker)
{
    if (worker->channel >= 0)
        close(worker->channel);
    attest_shared_free(worker->watch, 1, sizeof *worker->watch);
    attest_text_clear(&worker->received);
    worker_init(worker);
}

static void stop_worker(attest_worker *worker)
{
    if (worker->process > 0) {
        kill(worker->process, SIGKILL);
        attest_workers_wait(worker->process);
    }
    release(worker);
}

static attest_status fail_to_start(attest_worker *worker, const char *call, attest_error *error)
{
    int reason = errno;

    worker->process = 0;
    release(worker);
    return attest_error_set(error, ATTEST_IO, "cannot start a worker: %s: %s", call,
                            strerror(reason));
}

static attest_status start_worker(attest_worker *worker, const attest_plan *plan,
                                  attest_error *error)
{
    worker_place place = {.plan = plan};
    int end[2];

    worker->watch = place.watch = attest_shared_alloc(1, sizeof *worker->watch);
    if (!worker->watch) {
        errno = ENOMEM;
        return fail_to_start(worker, "mmap", error);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0)
        return fail_to_start(worker, "socketpair", error);
    worker->channel = place.other_end = end[0];
    place.channel = end[1];
    worker->process = attest_workers_start(run_worker, &place);
    close(end[1]); /* so that the channel ends when the worker dies */
    if (worker->process < 0)
        return fail_to_start(worker, "fork", error);
    return ATTEST_OK;
}

/* If the worker is dead, the channel has ended; receive detects this. */
static void send_job(attest_worker *worker, const attest_job *job)
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

typedef enum message {
    MESSAGE_INCOMPLETE,
    MESSAGE_RECORD,         /* the job is done */
    MESSAGE_DEATH,          /* the worker died at one trial */
    MESSAGE_DEATH_TOGETHER, /* it died while it decided several trials */
    MESSAGE_DEATH_UNBEGUN   /* it died before its first trial */
} message;

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

/* The channel has ended: the process is dead, or about to die. */
static message receive_death(attest_worker *worker, attest_death *death)
{
    bool started = worker->busy && atomic_load(&worker->watch->started);
    bool together = started && atomic_load(&worker->watch->together);
    int status = attest_workers_wait(worker->process);

    worker->process = 0;
    describe_death(death, worker, status);
    release(worker);
    if (together)
        return MESSAGE_DEATH_TOGETHER;
    return started ? MESSAGE_DEATH : MESSAGE_DEATH_UNBEGUN;
}

static attest_status receive_record(attest_worker *worker, message *received,
                                    attest_campaign_record *record, attest_text *text,
                                    attest_error *error)
{
    attest_frame_chain chain = {{0}};
    attest_frame frame;

    switch (attest_frame_parse(&frame, &chain, worker->received.data, worker->received.size)) {
    case ATTEST_FRAME_TORN:
        *received = MESSAGE_INCOMPLETE;
        return ATTEST_OK;
    case ATTEST_FRAME_DAMAGED:
        return attest_error_set(error, ATTEST_FORMAT,
                                "a worker sent something other than a record");
    case ATTEST_FRAME_WHOLE:
        break;
    }
    ATTEST_TRY(attest_campaign_record_parse(record, frame.payload, frame.size, NULL, error));
    attest_text_append(text, frame.payload, frame.size);
    if (text->failed)
        return attest_memory_fail(error);
    attest_text_clear(&worker->received);
    worker->busy = false;
    *received = MESSAGE_RECORD;
    return ATTEST_OK;
}

/* Reads what has arrived; sets record and text, or death, according to *received. */
static attest_status receive(attest_worker *worker, message *received,
                             attest_campaign_record *record, attest_text *text,
                             attest_death *death, attest_error *error)
{
    char piece[PIECE];
    ssize_t got = read(worker->channel, piece, sizeof piece);

    *received = MESSAGE_INCOMPLETE;
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return ATTEST_OK;
    if (got <= 0) {
        *received = receive_death(worker, death);
        return ATTEST_OK;
    }
    attest_text_append(&worker->received, piece, (size_t)got);
    if (worker->received.failed)
        return attest_memory_fail(error);
    return receive_record(worker, received, record, text, error);
}

/* Kills a worker whose current call began more than the seconds ago. */
static void check_time(attest_worker *worker, double seconds)
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

/* ---- The pool --------------------------------------------------------------------------- */

attest_status attest_pool_init(attest_pool *pool, const attest_plan *plan, attest_error *error)
{
    *pool = (attest_pool){.plan = plan, .count = plan->jobs};
    pool->worker = attest_memory_alloc(pool->count, sizeof *pool->worker);
    if (!pool->worker)
        return attest_memory_fail(error);
    for (size_t w = 0; w < pool->count; w++)
        worker_init(&pool->worker[w]);
    return ATTEST_OK;
}

void attest_pool_clear(attest_pool *pool)
{
    for (size_t w = 0; pool->worker && w < pool->count; w++)
        stop_worker(&pool->worker[w]);
    free(pool->worker);
    memset(pool, 0, sizeof *pool);
}

attest_status attest_pool_send(attest_pool *pool, const attest_job *job, attest_error *error)
{
    attest_worker *worker = pool->worker;

    while (worker->busy)
        worker++;
    if (worker->process == 0)
        ATTEST_TRY(start_worker(worker, pool->plan, error));
    send_job(worker, job);
    pool->busy++;
    return ATTEST_OK;
}

/* Sets record and text to those of a chunk that no worker could finish. */
static attest_status give_up(const attest_pool *pool, const attest_job *job,
                             attest_campaign_record *record, attest_text *text,
                             attest_error *error)
{
    char *formatted ATTEST_FREED = NULL;
    attest_chunk chunk;

    attest_plan_get_chunk(&chunk, pool->plan, job->property, job->number);
    record->property = job->property;
    record->number = job->number;
    record->result.undecided = chunk.count;
    record->result.open_reason = attest_memory_copy("workers died again and again");
    for (size_t d = 0; d < job->deaths; d++)
        if (attest_chunk_result_add_death(&record->result, &job->death[d]) != ATTEST_OK)
            return attest_memory_fail(error);
    formatted = attest_campaign_record_format(record); /* with 0 seconds, as a worker does */
    record->result.seconds = attest_clock_seconds() - job->began;
    if (formatted)
        attest_text_add(text, formatted);
    if (!record->result.open_reason || !formatted || text->failed)
        return attest_memory_fail(error);
    return ATTEST_OK;
}

static attest_status handle_message(attest_pool *pool, attest_worker *worker, bool *arrived,
                                    attest_campaign_record *record, attest_text *text,
                                    attest_error *error)
{
    attest_job job = worker->job;
    bool busy = worker->busy;
    message received;
    attest_death death;

    ATTEST_TRY(receive(worker, &received, record, text, &death, error));
    if (received == MESSAGE_INCOMPLETE)
        return ATTEST_OK;
    pool->busy -= busy;
    switch (received) {
    case MESSAGE_DEATH_UNBEGUN:
        if (!busy)
            return ATTEST_OK; /* the next job starts another worker */
        if (++job.unbegun < MOST_UNBEGUN)
            return attest_pool_send(pool, &job, error);
        return attest_error_set(error, ATTEST_IO,
                                "%d workers died before their first trial (out of memory?)",
                                MOST_UNBEGUN);
    case MESSAGE_DEATH_TOGETHER:
        job.one_by_one = true;
        return attest_pool_send(pool, &job, error);
    case MESSAGE_DEATH: /* the job again, without the trial at which the worker died */
        job.death[job.deaths++] = death;
        if (job.deaths < ATTEST_CHUNK_DEATHS)
            return attest_pool_send(pool, &job, error);
        *arrived = true;
        return give_up(pool, &job, record, text, error);
    default:
        break;
    }
    *arrived = true;
    record->result.seconds = attest_clock_seconds() - job.began;
    /* Loaded properties may leak memory: the next chunk gets a new process. */
    if (pool->plan->property[job.property]->object)
        stop_worker(worker);
    return ATTEST_OK;
}

attest_status attest_pool_wait(attest_pool *pool, bool *arrived, attest_campaign_record *record,
                               attest_text *text, attest_error *error)
{
    struct pollfd *waiting ATTEST_FREED = attest_memory_alloc(pool->count, sizeof *waiting);
    int ready;

    *arrived = false;
    if (!waiting)
        return attest_memory_fail(error);
    for (size_t w = 0; w < pool->count; w++)
        waiting[w] = (struct pollfd){.fd = pool->worker[w].channel, .events = POLLIN};
    ready = poll(waiting, pool->count, WAIT_MILLISECONDS);
    for (size_t w = 0; w < pool->count; w++) {
        if (ready > 0 && waiting[w].revents && !*arrived)
            ATTEST_TRY(handle_message(pool, &pool->worker[w], arrived, record, text, error));
        check_time(&pool->worker[w], pool->plan->timeout);
    }
    return ATTEST_OK;
}
