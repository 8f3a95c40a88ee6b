/* Batches of isolated trials: the same results as one by one, crashes and hangs found. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <theft.h>
#include "theft/theft_extensions.h"

#include "tests/tap.h"
#include "tests/theft/quiet.h"

enum deed { CRASH, HANG, FAIL_PLAINLY, POISON, ERR, FINE };

struct env {
    enum deed deed;
    uint64_t from; /* misbehave from this value on */
    char results[512];
    uint32_t smallest;
    size_t halt_at;
};

static bool poisoned; /* state that leaks from trial to trial within a process */

static enum theft_trial_res act(struct theft *t, void *arg)
{
    struct env *e = theft_hook_get_env(t);
    uint32_t v = *(uint32_t *)arg;
    theft_label(t, v % 2 ? "odd" : "even");
    if (e->deed == POISON) {
        if (poisoned && v % 4 == 1)
            raise(SIGKILL);
        poisoned |= v % 16 == 7;
        return THEFT_TRIAL_PASS;
    }
    if (v < e->from)
        return v % 3 ? THEFT_TRIAL_PASS : THEFT_TRIAL_SKIP;
    switch (e->deed) {
    case CRASH:
        raise(SIGKILL);
        return THEFT_TRIAL_PASS;
    case HANG:
        for (;;)
            pause();
    case FAIL_PLAINLY:
        return THEFT_TRIAL_FAIL;
    case ERR:
        return THEFT_TRIAL_ERROR;
    default:
        return THEFT_TRIAL_PASS;
    }
}

static enum theft_hook_trial_pre_res halt(const struct theft_hook_trial_pre_info *info,
                                          void *env)
{
    const struct env *e = env;
    return e->halt_at && info->failures >= e->halt_at ? THEFT_HOOK_TRIAL_PRE_HALT
                                                      : THEFT_HOOK_TRIAL_PRE_CONTINUE;
}

static enum theft_hook_trial_post_res keep(const struct theft_hook_trial_post_info *info,
                                           void *env)
{
    struct env *e = env;
    if (info->trial_id < sizeof e->results - 1)
        e->results[info->trial_id] = "PFSDE"[info->result];
    if (info->result == THEFT_TRIAL_FAIL)
        e->smallest = *(uint32_t *)info->args[0];
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

/* Only plain failures are shrunk: the others take too long. */
static enum theft_hook_shrink_pre_res shrink(const struct theft_hook_shrink_pre_info *info,
                                             void *env)
{
    (void)info;
    return ((struct env *)env)->deed == FAIL_PLAINLY ? THEFT_HOOK_SHRINK_PRE_CONTINUE
                                                     : THEFT_HOOK_SHRINK_PRE_HALT;
}

static enum theft_run_res run(struct env *e, size_t batch,
                              struct theft_extension_report *report)
{
    struct theft_extension_config ext = {.batch = batch};
    struct theft_run_config cfg = {
        .prop1 = act,
        .type_info = {theft_get_builtin_type_info(THEFT_BUILTIN_uint32_t)},
        .trials = 100,
        .seed = 3,
        .fork = {.enable = true, .timeout = e->deed == HANG ? 100 : 20000},
        .hooks = {.trial_pre = halt, .trial_post = keep, .shrink_pre = shrink, .env = e}};
    quieten(&cfg);
    return theft_run_extended(&cfg, &ext, report, NULL);
}

/* Batches of several sizes against one process for each trial. */
static void compare(enum deed deed, uint64_t from, size_t halt_at, const char *what)
{
    static struct theft_extension_report one_report, report;
    struct env one = {.deed = deed, .from = from, .halt_at = halt_at};
    enum theft_run_res one_res = run(&one, 1, &one_report);
    static const size_t sizes[] = {2, 7, 64, 1000};
    for (size_t i = deed == HANG ? 2 : 0; i < 4; i++) { /* hangs are slow */
        struct env e = {.deed = deed, .from = from, .halt_at = halt_at};
        enum theft_run_res res = run(&e, sizes[i], &report);
        bool same = res == one_res && strcmp(e.results, one.results) == 0 &&
                    memcmp(&report.trials, &one_report.trials, sizeof report.trials) == 0 &&
                    e.smallest == one.smallest && report.unconfirmed == 0 &&
                    report.label_count == one_report.label_count;
        for (size_t k = 0; same && k < report.label_count; k++)
            same = report.labels[k].count == one_report.labels[k].count;
        if (!TAP_OK(same, "%s: batches of %zu give the same results (%s)", what, sizes[i],
                    theft_run_res_str(one_res)))
            printf("# %s\n# %s\n", one.results, e.results);
    }
}

TEST(batch)
{
    compare(FINE, UINT64_MAX, 0, "nothing wrong");
    compare(FAIL_PLAINLY, 4290000000u, 2, "failures");
    compare(CRASH, 4000000000u, 0, "crashes");
    compare(CRASH, 2000000000u, 1, "crashes, halted at the first");
    compare(HANG, 4290000000u, 1, "hangs");
    compare(ERR, 4200000000u, 0, "errors");

    static struct theft_extension_report report;
    struct env e = {.deed = POISON};
    TAP_OK(run(&e, 1, &report) == THEFT_RUN_PASS, "alone, no trial fails");
    printf("# warnings are due:");
    enum theft_run_res res = run(&e, 50, &report);
    printf("#\n");
    TAP_OK(res == THEFT_RUN_FAIL && report.unconfirmed > 0 &&
               report.unconfirmed == report.trials.fail,
           "what fails only after other trials is reported as unconfirmed (%zu)",
           report.unconfirmed);
    return 0;
}
