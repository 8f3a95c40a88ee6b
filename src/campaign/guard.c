/* guard.c -- calls of properties that may crash or hang, each in a process of its own. */
#include "campaign/guard.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/memory.h"
#include "base/workers.h"

/* The answer of the process, in shared memory. */
typedef struct answer {
    attest_trial trial; /* its texts are literals, with the same addresses in both processes */
    attest_status status;
    bool there;
} answer;

typedef struct call {
    const attest_guard *guard;
    const attest_instance *instance; /* NULL: generate one from t */
    struct theft *t;
    answer *answer;
} call;

static void work(void *context)
{
    const call *c = context;
    const attest_property *property = c->guard->property;
    struct rlimit none = {0, 0};
    attest_error error = {0};
    attest_instance made;

    setrlimit(RLIMIT_CORE, &none);
    if (c->instance) {
        c->answer->status =
            property->decide(&c->answer->trial, c->instance, c->guard->setting, &error);
    } else {
        attest_instance_init(&made);
        c->answer->status = property->gen(&made, c->t, c->guard->setting);
    }
    c->answer->there = true;
}

/* Waits for the process; returns its status, or -1 if it was killed because of the time limit.
 */
static int wait_for(const attest_guard *guard, pid_t process)
{
    const struct timespec nap = {.tv_nsec = 500000};
    double began = attest_clock_seconds();
    int status = 0;
    pid_t ended;

    while ((ended = waitpid(process, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (guard->beat)
            guard->beat(guard->env);
        if (guard->seconds > 0 && attest_clock_seconds() - began > guard->seconds) {
            kill(process, SIGKILL);
            (void)attest_workers_wait(process);
            return -1;
        }
        nanosleep(&nap, NULL);
    }
    return status;
}

static void describe_end(attest_trial *trial, const attest_guard *guard, int status)
{
    attest_trial_init(trial);
    if (status == -1)
        attest_trial_violated(trial, "hang", "no answer within %g seconds", guard->seconds);
    else if (WIFSIGNALED(status))
        attest_trial_violated(trial, "crash", "the property died of signal %d (%s)",
                              WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) == ATTEST_WORKERS_NO_MEMORY)
        attest_trial_open(trial, "out of memory");
    else
        attest_trial_violated(trial, "crash", "the property left with exit code %d",
                              WEXITSTATUS(status));
}

attest_status attest_guard_decide(const attest_guard *guard, attest_trial *trial,
                                  const attest_instance *instance, attest_error *error)
{
    answer *shared = attest_shared_alloc(1, sizeof *shared);
    call c = {.guard = guard, .instance = instance, .answer = shared};
    attest_status status = ATTEST_OK;
    pid_t process;
    int end;

    if (!shared)
        return attest_memory_fail(error);
    shared->trial = *trial;
    process = attest_workers_start(work, &c);
    if (process < 0) {
        status =
            attest_error_set(error, ATTEST_IO, "cannot start a process: %s", strerror(errno));
    } else {
        end = wait_for(guard, process);
        if (end == 0 && shared->there) {
            *trial = shared->trial;
            status = shared->status;
            if (status != ATTEST_OK)
                attest_error_set(error, status, "%s", attest_status_name(status));
        } else {
            describe_end(trial, guard, end);
        }
    }
    attest_shared_free(shared, 1, sizeof *shared);
    return status;
}

bool attest_guard_may_gen(const attest_guard *guard, struct theft *t)
{
    answer *shared = attest_shared_alloc(1, sizeof *shared);
    call c = {.guard = guard, .t = t, .answer = shared};
    pid_t process = shared ? attest_workers_start(work, &c) : -1;
    bool back = process > 0 && wait_for(guard, process) == 0 && shared->there;

    attest_shared_free(shared, 1, sizeof *shared);
    return back;
}
