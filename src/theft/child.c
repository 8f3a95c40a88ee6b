/* child.c -- work in a process of its own. base/workers.c has another way: here a start that
 * the system refuses is tried again, the child goes on in the caller's code, and what it finds
 * is a byte in a pipe. And the engine is built without the rest of the project. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define LONGEST_BACKOFF_MSEC 1024
/* A grandchild may keep the pipe open after the child's death: look for that now and then. */
#define LOOK_MSEC 50

static int64_t now_msec(void)
{
    return attest_clock_nanoseconds() / 1000000;
}

static void sleep_msec(int msec)
{
    (void)poll(NULL, 0, msec);
}

/* Whether the child has ended, waiting for it if `block`. Never touches other children. */
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

enum theft_child_start theft_child_start(struct theft_child *c)
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

void theft_child_leave(struct theft_child *c, uint8_t report, int status)
{
    fflush(NULL);
    while (write(c->fd, &report, 1) < 0 && errno == EINTR)
        ;
    _exit(status);
}

/* Reads the report if there is one: 1, or 0 at the end of the pipe, or -1 for not yet. */
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

enum theft_child_event theft_child_await(struct theft_child *c, size_t timeout, uint8_t *report)
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

bool theft_child_stop(struct theft_child *c, int signal, size_t grace)
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

void theft_child_reap(struct theft_child *c, size_t timeout)
{
    int64_t start = now_msec();
    while (timeout && !has_ended(c, false) && now_msec() - start < (int64_t)timeout)
        sleep_msec(1);
    if (timeout && !has_ended(c, false))
        kill(c->pid, SIGKILL);
    has_ended(c, true);
    close_pipe(c);
}
