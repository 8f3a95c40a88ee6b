/* A child process that does some work and reports one byte through a pipe. */
#ifndef THEFT_CHILD_H
#define THEFT_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct theft_child {
    pid_t pid;
    int fd;     /* the pipe: to be read by the parent, written by the child */
    bool gone;  /* it has ended, and */
    int status; /* this is how (-1: someone else has waited for it) */
};

enum theft_child_event {
    THEFT_CHILD_REPORTED, /* the byte has come */
    THEFT_CHILD_DIED,     /* it ended, or closed the pipe, without one */
    THEFT_CHILD_LATE,     /* neither in the time given */
};

enum theft_child_start {
    THEFT_CHILD_IS_PARENT,
    THEFT_CHILD_IS_CHILD,
    THEFT_CHILD_NOT_STARTED,
};

/* Forks, after flushing all output streams, so that nothing is printed twice. Waits and tries
 * again when the system is short of processes. */
enum theft_child_start theft_child_start(struct theft_child *c);

/* In the child: reports, flushes what the work printed, and ends without running the parent's
 * exit handlers. */
_Noreturn void theft_child_leave(struct theft_child *c, uint8_t report, int status);

/* Waits for a report; timeout in milliseconds, 0 for ever. */
enum theft_child_event theft_child_await(struct theft_child *c, size_t timeout,
                                         uint8_t *report);

/* Ends a child that is late: sends `signal`, and SIGKILL after `grace` milliseconds. True when
 * it left with EXIT_SUCCESS. */
bool theft_child_stop(struct theft_child *c, int signal, size_t grace);

/* Waits for the end of a child that has reported or died, closes the pipe. A child that has
 * closed the pipe and lives on is stopped after `timeout` milliseconds (0: never). */
void theft_child_reap(struct theft_child *c, size_t timeout);

#endif
