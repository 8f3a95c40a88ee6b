/* Isolation: crashes, hangs, timeouts, signals, and side effects of a child that must not reach
 * the parent.
 */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <theft.h>
#include "theft/theft_extensions.h"

#include "tests/tap.h"
#include "tests/theft/quiet.h"

enum deed { PASSES, FAILS, SKIPS, ERRS, ABORTS, EXITS, HANGS, HEEDS, IGNORES, CRASHES_FROM_10 };

struct env {
    enum deed deed;
    uint16_t smallest;
    size_t child_writes; /* writes of a child must not be visible */
    bool hook_saw;       /* set by fork_post, in the child */
    bool hook_errs;
};

static volatile sig_atomic_t signalled;
static void on_signal(int sig)
{
    signalled = sig;
}

static enum theft_trial_res act(struct theft *t, void *arg)
{
    struct env *e = theft_hook_get_env(t);
    e->child_writes++;
    switch (e->deed) {
    case PASSES:
        theft_label(t, "in a child");
        theft_target(t, 5);
        return e->hook_saw ? THEFT_TRIAL_PASS : THEFT_TRIAL_FAIL;
    case FAILS:
        return THEFT_TRIAL_FAIL;
    case SKIPS:
        return THEFT_TRIAL_SKIP;
    case ERRS:
        return THEFT_TRIAL_ERROR;
    case ABORTS:
        raise(SIGKILL);
        return THEFT_TRIAL_PASS;
    case EXITS:
        _exit(0);
    case HEEDS:
        signal(SIGUSR1, on_signal);
        while (!signalled)
            poll(NULL, 0, 1);
        return THEFT_TRIAL_PASS;
    case IGNORES:
        signal(SIGUSR1, on_signal);
        for (;;)
            poll(NULL, 0, 1);
    case HANGS:
        for (;;)
            pause();
    default:
        if (*(uint16_t *)arg >= 10)
            raise(SIGKILL);
        return THEFT_TRIAL_PASS;
    }
}

static enum theft_hook_fork_post_res fork_post(const struct theft_hook_fork_post_info *info,
                                               void *env)
{
    struct env *e = env;
    e->hook_saw = info->t && info->arity == 1 && info->args && info->args[0];
    return e->hook_errs ? THEFT_HOOK_FORK_POST_ERROR : THEFT_HOOK_FORK_POST_CONTINUE;
}

static enum theft_hook_trial_post_res keep(const struct theft_hook_trial_post_info *info,
                                           void *env)
{
    if (info->result == THEFT_TRIAL_FAIL)
        ((struct env *)env)->smallest = *(uint16_t *)info->args[0];
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

static enum theft_hook_shrink_pre_res
no_shrinking(const struct theft_hook_shrink_pre_info *info, void *env)
{
    (void)info;
    return ((struct env *)env)->deed == CRASHES_FROM_10 ? THEFT_HOOK_SHRINK_PRE_CONTINUE
                                                        : THEFT_HOOK_SHRINK_PRE_HALT;
}

static enum theft_run_res run(struct env *e, size_t trials, size_t timeout, int signal)
{
    struct theft_run_config cfg = {
        .prop1 = act,
        .type_info = {theft_get_builtin_type_info(THEFT_BUILTIN_uint16_t)},
        .trials = trials,
        .fork = {.enable = true, .timeout = timeout, .signal = signal, .exit_timeout = 300},
        .hooks = {.trial_pre = theft_hook_first_fail_halt,
                  .trial_post = keep,
                  .fork_post = fork_post,
                  .shrink_pre = no_shrinking,
                  .env = e}};
    quieten(&cfg);
    return theft_run(&cfg);
}

static void test_results(void)
{
    struct env e = {.deed = PASSES};
    TAP_OK(run(&e, 3, 0, 0) == THEFT_RUN_PASS && !e.hook_saw && e.child_writes == 0,
           "PASS from a child; its memory is its own; fork_post runs there");
    e = (struct env){.deed = FAILS};
    TAP_OK(run(&e, 3, 0, 0) == THEFT_RUN_FAIL, "FAIL from a child");
    e = (struct env){.deed = SKIPS};
    TAP_OK(run(&e, 3, 0, 0) == THEFT_RUN_SKIP, "SKIP from a child");
    e = (struct env){.deed = ERRS};
    TAP_OK(run(&e, 3, 0, 0) == THEFT_RUN_ERROR, "ERROR from a child");
    e = (struct env){.deed = PASSES, .hook_errs = true};
    TAP_OK(run(&e, 3, 0, 0) == THEFT_RUN_ERROR, "ERROR from fork_post");
    e = (struct env){.deed = ABORTS};
    TAP_OK(run(&e, 3, 0, 0) == THEFT_RUN_FAIL, "a killed child is a failure");
    e = (struct env){.deed = EXITS};
    TAP_OK(run(&e, 3, 0, 0) == THEFT_RUN_FAIL, "so is one that exits, even with 0");
    e = (struct env){.deed = CRASHES_FROM_10};
    TAP_OK(run(&e, 100, 1000, 0) == THEFT_RUN_FAIL && e.smallest == 10, "a crash is shrunk");
}

static void test_timeouts(void)
{
    struct env e = {.deed = HANGS};
    TAP_OK(run(&e, 3, 20, 0) == THEFT_RUN_FAIL, "a hang ends at the timeout");
    e = (struct env){.deed = HEEDS};
    TAP_OK(run(&e, 1, 200, SIGUSR1) == THEFT_RUN_PASS,
           "a child that heeds the signal and passes");
    e = (struct env){.deed = IGNORES};
    TAP_OK(run(&e, 1, 200, SIGUSR1) == THEFT_RUN_FAIL, "one that does not is killed");
}

/* Another child of the test is not reaped by the engine. */
static void test_other_children(void)
{
    struct env e = {.deed = ABORTS};
    fflush(stdout);
    pid_t other = fork();
    if (other == 0)
        _exit(42);
    int status = 0;
    run(&e, 3, 0, 0);
    e.deed = PASSES;
    run(&e, 3, 0, 0);
    TAP_OK(waitpid(other, &status, 0) == other && WEXITSTATUS(status) == 42,
           "the engine waits for its own children only");
    TAP_OK(waitpid(-1, &status, WNOHANG) == -1, "the engine leaves no child behind");
}

static int handler_pipe[2];

static void at_exit(void)
{
    if (write(handler_pipe[1], "!", 1) != 1)
        abort();
}

/* Text waiting in a buffer is printed once, by the parent. */
static void test_buffers(void)
{
    struct env e = {.deed = PASSES};
    char buffer[256] = "";
    FILE *f = tmpfile();
    if (!TAP_OK(f != NULL, "a temporary file"))
        return;
    fputs("once\n", f);
    run(&e, 5, 0, 0);
    fflush(f);
    rewind(f);
    size_t n = fread(buffer, 1, sizeof buffer - 1, f);
    buffer[n] = '\0';
    TAP_OK(strcmp(buffer, "once\n") == 0, "buffered output is not repeated");
    fclose(f);
}

static void test_labels(void)
{
    struct env e = {.deed = PASSES};
    static struct theft_extension_report report;
    struct theft_run_config cfg = {
        .prop1 = act,
        .type_info = {theft_get_builtin_type_info(THEFT_BUILTIN_uint16_t)},
        .trials = 4,
        .fork = {.enable = true},
        .hooks = {.fork_post = fork_post, .env = &e}};
    quieten(&cfg);
    TAP_OK(theft_run_extended(&cfg, NULL, &report, NULL) == THEFT_RUN_PASS &&
               report.label_count == 1 && strcmp(report.labels[0].name, "in a child") == 0 &&
               report.labels[0].count == report.trials.pass && report.best_target == 5,
           "labels and targets come out of the child");
}

/* The engine's children must not run the exit handlers of the program. */
static void test_exit_handlers(void)
{
    char byte;
    if (!TAP_OK(pipe(handler_pipe) == 0, "a pipe"))
        return;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        struct env e = {.deed = PASSES};
        atexit(at_exit);
        _exit(run(&e, 2, 0, 0) == THEFT_RUN_PASS ? 0 : 1);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    close(handler_pipe[1]);
    TAP_OK(WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
               read(handler_pipe[0], &byte, 1) == 0,
           "exit handlers stay with the parent");
    close(handler_pipe[0]);
}

TEST(fork)
{
    test_exit_handlers();
    test_results();
    test_timeouts();
    test_other_children();
    test_buffers();
    test_labels();
    return 0;
}
