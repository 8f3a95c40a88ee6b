/* Calls of the property in child processes: one call, or a batch of trials.
 *
 * base/workers.c starts processes in another way: here a start that the system refuses is
 * repeated, the child continues in the code of its caller, and its result is a byte in a pipe.
 * Besides, the engine is built without the rest of the project. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

struct theft_child {
    pid_t pid;
    int fd;     /* the pipe: the parent reads, the child writes */
    bool gone;  /* the child has ended, */
    int status; /* with this status (-1: another waitpid has it) */
};

enum theft_child_event {
    THEFT_CHILD_REPORTED, /* the byte has arrived */
    THEFT_CHILD_DIED,     /* the child ended, or closed the pipe, without a report */
    THEFT_CHILD_LATE,     /* the time is over */
};

enum theft_child_start {
    THEFT_CHILD_IS_PARENT,
    THEFT_CHILD_IS_CHILD,
    THEFT_CHILD_NOT_STARTED,
};

#define LONGEST_BACKOFF_MSEC 1024
/* How often to look for the death of a child whose pipe a grandchild keeps open. */
#define LOOK_MSEC 50

static int64_t now_msec(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void sleep_msec(int msec)
{
    (void)poll(NULL, 0, msec);
}

/* Returns whether the child has ended; waits for it if `block`. Other children are not touched.
 */
static bool has_ended(struct theft_child *c, bool block)
{
    while (!c->gone) {
        int status;
        pid_t pid = waitpid(c->pid, &status, block ? 0 : WNOHANG);
        if (pid == 0)
            return false;
        if (pid < 0 && errno == EINTR)
            continue;
        c->gone = true;
        c->status = pid == c->pid ? status : -1;
    }
    return true;
}

/* Forks, after flushing all output streams, so that nothing is printed twice. Waits and tries
 * again when the system is short of processes. */
static enum theft_child_start start_child(struct theft_child *c)
{
    int fds[2];
    if (pipe(fds) != 0)
        return THEFT_CHILD_NOT_STARTED;
    for (int i = 0; i < 2; i++)
        (void)fcntl(fds[i], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    for (int wait = 1;; wait *= 2) {
        c->pid = fork();
        if (c->pid >= 0 || errno != EAGAIN || wait > LONGEST_BACKOFF_MSEC)
            break;
        sleep_msec(wait);
    }
    c->gone = false;
    if (c->pid < 0) {
        close(fds[0]);
        close(fds[1]);
        return THEFT_CHILD_NOT_STARTED;
    }
    bool parent = c->pid > 0;
    close(fds[parent ? 1 : 0]);
    c->fd = fds[parent ? 0 : 1];
    return parent ? THEFT_CHILD_IS_PARENT : THEFT_CHILD_IS_CHILD;
}

/* In the child: reports, flushes what the work printed, and exits without running the exit
 * handlers of the parent. */
static _Noreturn void leave_child(struct theft_child *c, uint8_t report, int status)
{
    fflush(NULL);
    while (write(c->fd, &report, 1) < 0 && errno == EINTR)
        ;
    _exit(status);
}

/* Reads the report; returns 1, 0 at the end of the pipe, or -1 if there is none yet. */
static int read_report(struct theft_child *c, int msec, uint8_t *report)
{
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    int ready = poll(&p, 1, msec);
    if (ready <= 0)
        return -1;
    ssize_t n = read(c->fd, report, 1);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? -1 : 0;
    return (int)n;
}

/* Waits for a report; timeout in milliseconds, 0 for ever. */
static enum theft_child_event await_child(struct theft_child *c, size_t timeout,
                                          uint8_t *report)
{
    int64_t start = now_msec();
    for (;;) {
        int64_t left = timeout ? (int64_t)timeout - (now_msec() - start) : LOOK_MSEC;
        if (left <= 0)
            return THEFT_CHILD_LATE;
        int got = read_report(c, left < LOOK_MSEC ? (int)left : LOOK_MSEC, report);
        if (got < 0 && has_ended(c, false)) /* it may have reported just before */
            got = read_report(c, 0, report) == 1;
        if (got >= 0)
            return got ? THEFT_CHILD_REPORTED : THEFT_CHILD_DIED;
    }
}

static void close_pipe(struct theft_child *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

/* Ends a child that is late: sends `signal`, and SIGKILL after `grace` milliseconds. Returns
 * whether it left with EXIT_SUCCESS. */
static bool stop_child(struct theft_child *c, int signal, size_t grace)
{
    int64_t start = now_msec();
    if (!has_ended(c, false))
        kill(c->pid, signal);
    while (!has_ended(c, false) && now_msec() - start < (int64_t)grace)
        sleep_msec(1);
    if (!has_ended(c, false)) {
        kill(c->pid, SIGKILL);
        has_ended(c, true);
    }
    close_pipe(c);
    return c->status != -1 && WIFEXITED(c->status) && WEXITSTATUS(c->status) == EXIT_SUCCESS;
}

/* Waits for the end of a child that has reported or died, and closes the pipe. A child that
 * closed the pipe and lives on is stopped after `timeout` milliseconds (0: never). */
static void reap_child(struct theft_child *c, size_t timeout)
{
    int64_t start = now_msec();
    while (timeout && !has_ended(c, false) && now_msec() - start < (int64_t)timeout)
        sleep_msec(1);
    if (timeout && !has_ended(c, false))
        kill(c->pid, SIGKILL);
    has_ended(c, true);
    close_pipe(c);
}

/* ---- One call in a child of its own ------------------------------------------------------ */

static _Noreturn void run_call(struct theft *t, struct theft_child *c, theft_seed seed,
                               void **args)
{
    struct theft_outcome *o = &t->shared->outcome;
    if (theft_hook_fork_post(t, args) == THEFT_STEP_OK)
        theft_call_here(t, seed, args, o);
    else
        o->result = THEFT_TRIAL_ERROR;
    leave_child(c, o->result, o->result == THEFT_TRIAL_PASS ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Returns the result of the call. It comes through the pipe: shared memory, which a stray
 * pointer can overwrite, is used for labels only. */
static uint8_t judge(struct theft *t, struct theft_child *c)
{
    uint8_t report = THEFT_TRIAL_FAIL;
    switch (await_child(c, t->cfg.fork.timeout, &report)) {
    case THEFT_CHILD_REPORTED:
        reap_child(c, 0);
        return report <= THEFT_TRIAL_ERROR && report != THEFT_TRIAL_DUP ? report
                                                                        : THEFT_TRIAL_ERROR;
    case THEFT_CHILD_DIED:
        reap_child(c, t->cfg.fork.timeout);
        return THEFT_TRIAL_FAIL;
    default:
        t->shared->outcome.late = true;
        return stop_child(c, t->cfg.fork.signal, t->cfg.fork.exit_timeout) ? THEFT_TRIAL_PASS
                                                                           : THEFT_TRIAL_FAIL;
    }
}

struct theft_outcome theft_call_forked(struct theft *t, theft_seed seed, void **args)
{
    struct theft_child c;
    struct theft_outcome *o = &t->shared->outcome;
    theft_outcome_start(t->shared, o);
    switch (start_child(&c)) {
    case THEFT_CHILD_IS_CHILD:
        run_call(t, &c, seed, args);
    case THEFT_CHILD_IS_PARENT:
        o->result = judge(t, &c);
        break;
    default:
        o->result = THEFT_TRIAL_ERROR;
    }
    return *o;
}

/* ---- Many trials in one child -------------------------------------------------------------
 *
 * The child runs the batch and writes each outcome into shared memory. When it dies or hangs,
 * the slots that it finished keep their outcomes, the current one is tried alone, and the rest
 * is run in a new child. Every failure is confirmed alone, in a child of its own. A trial that
 * does not fail alone depends on what ran before it: bisection finds the last trial such that
 * the range from there on still fails, and the trial is reported as unconfirmed. */

static _Noreturn void run_batch(struct theft *t, struct theft_child *c, size_t first,
                                size_t end)
{
    struct theft_shared *s = t->shared;
    bool ready = false;
    for (size_t i = first; i < end; i++) {
        struct theft_slot *slot = &t->slots[i];
        s->running = i;
        if (slot->state != THEFT_SLOT_READY)
            continue;
        if (!ready && theft_hook_fork_post(t, slot->input.args) != THEFT_STEP_OK)
            break; /* what is not done counts as an error */
        ready = true;
        theft_call_here(t, slot->seed, slot->input.args, &s->batch[i]);
        if (s->batch[i].result == THEFT_TRIAL_ERROR)
            break;
    }
    s->running = end;
    leave_child(c, 0, EXIT_SUCCESS);
}

/* Returns whether the child finished. It is late if one trial takes longer than the timeout,
 * which is detected between one and two timeouts after that trial began. */
static bool watch(struct theft *t, struct theft_child *c)
{
    uint8_t report;
    for (;;) {
        size_t running = t->shared->running;
        switch (await_child(c, t->cfg.fork.timeout, &report)) {
        case THEFT_CHILD_REPORTED:
            reap_child(c, 0);
            return true;
        case THEFT_CHILD_DIED:
            reap_child(c, t->cfg.fork.timeout);
            return false;
        default:
            if (t->shared->running != running)
                continue;
            (void)stop_child(c, t->cfg.fork.signal, t->cfg.fork.exit_timeout);
            return false;
        }
    }
}

/* Runs the slots [first, end) in one child. Returns the slot at which it died or hung; `end` if
 * it finished, or could not be started (then no slot is done). */
static size_t run_range(struct theft *t, size_t first, size_t end)
{
    struct theft_child c;
    for (size_t i = first; i < end; i++)
        memset(&t->shared->batch[i], 0, sizeof t->shared->batch[i]);
    t->shared->running = first;
    switch (start_child(&c)) {
    case THEFT_CHILD_IS_CHILD:
        run_batch(t, &c, first, end);
    case THEFT_CHILD_IS_PARENT:
        if (watch(t, &c))
            return end;
        break;
    default:
        return end;
    }
    /* The first one that is not done; `running` may be wrong after a crash. */
    for (size_t i = first; i < end; i++)
        if (t->slots[i].state == THEFT_SLOT_READY && !t->shared->batch[i].done)
            return i;
    return end;
}

/* For a slot `i` that failed in the range from `first` on, but not alone: finds the largest a
 * such that the range [a, i] fails again. */
static size_t bisect(struct theft *t, size_t first, size_t i)
{
    if (run_range(t, first, i + 1) > i && t->shared->batch[i].result != THEFT_TRIAL_FAIL)
        return SIZE_MAX;
    size_t fails = first, passes = i;
    while (passes - fails > 1) {
        size_t middle = fails + (passes - fails) / 2;
        size_t at = run_range(t, middle, i + 1);
        if (at <= i || t->shared->batch[i].result == THEFT_TRIAL_FAIL)
            fails = middle;
        else
            passes = middle;
    }
    return t->slots[fails].id;
}

static void confirm(struct theft *t, size_t first, size_t i)
{
    struct theft_slot *slot = &t->slots[i];
    t->property_calls++;
    slot->outcome = theft_call_forked(t, slot->seed, slot->input.args);
    if (slot->outcome.late) /* as the API defines it, the exit status of the child counts */
        return;
    if (slot->outcome.result == THEFT_TRIAL_PASS || slot->outcome.result == THEFT_TRIAL_SKIP) {
        slot->unconfirmed = true;
        slot->together_from = bisect(t, first, i);
        slot->outcome.result = THEFT_TRIAL_FAIL;
    }
}

/* Copies the outcomes of the finished slots [first, end). */
static void accept(struct theft *t, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct theft_slot *slot = &t->slots[i];
        slot->outcome = t->shared->batch[i];
        t->property_calls += slot->outcome.done;
        if (slot->state == THEFT_SLOT_READY &&
            (!slot->outcome.done || slot->outcome.result > THEFT_TRIAL_SKIP))
            slot->outcome.result = THEFT_TRIAL_ERROR;
    }
}

void theft_batch_call(struct theft *t, size_t count)
{
    for (size_t first = 0; first < count;) {
        size_t end = run_range(t, first, count);
        accept(t, first, end);
        for (size_t i = first; i < end; i++)
            if (t->slots[i].state == THEFT_SLOT_READY &&
                t->slots[i].outcome.result == THEFT_TRIAL_FAIL)
                confirm(t, first, i);
        if (end < count)
            confirm(t, first, end);
        first = end + 1;
    }
}
