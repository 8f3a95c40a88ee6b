/* The order of hooks and callbacks, their arguments, and how their results control a run. */
#include <string.h>

#include <theft.h>

#include "tests/tap.h"
#include "tests/theft/quiet.h"

/* A log of one letter per event. */
struct log {
    char text[4096];
    size_t length;
    size_t made, freed;
    struct theft_run_report report;
    enum theft_trial_res answer[16]; /* of the property, by trial */
    size_t calls;
    size_t halt_at, error_at; /* trial ids, plus one */
    char in;                  /* the hook that halts or errs */
    bool fields_ok;
    bool skip_alloc;
};

static void note(struct log *l, char c)
{
    if (l->length + 1 < sizeof l->text)
        l->text[l->length++] = c;
}

static enum theft_alloc_res alloc(struct theft *t, void *env, void **output)
{
    struct log *l = theft_hook_get_env(t);
    uint64_t *x = malloc(sizeof *x);
    (void)env;
    note(l, 'a');
    if (l->skip_alloc) {
        free(x);
        return THEFT_ALLOC_SKIP;
    }
    *x = theft_random_bits(t, 64);
    *output = x;
    l->made++;
    return THEFT_ALLOC_OK;
}

static struct log *the_log; /* free and hash callbacks have no theft argument */

static void release(void *instance, void *env)
{
    (void)env;
    the_log->freed++;
    free(instance);
}

static theft_hash same_hash(const void *instance, void *env)
{
    (void)instance;
    (void)env;
    return 7;
}

static enum theft_shrink_res shrink(struct theft *t, const void *instance, uint32_t tactic,
                                    void *env, void **output)
{
    struct log *l = theft_hook_get_env(t);
    (void)env;
    note(l, 's');
    if (tactic == 0)
        return THEFT_SHRINK_DEAD_END;
    if (tactic > 1)
        return THEFT_SHRINK_NO_MORE_TACTICS;
    uint64_t *x = malloc(sizeof *x);
    *x = *(const uint64_t *)instance / 2;
    *output = x;
    l->made++;
    return THEFT_SHRINK_OK;
}

static enum theft_trial_res property(struct theft *t, void *arg)
{
    struct log *l = theft_hook_get_env(t);
    note(l, 'p');
    (void)arg;
    return l->answer[l->calls++ % 16];
}

static enum theft_hook_run_pre_res run_pre(const struct theft_hook_run_pre_info *info,
                                           void *env)
{
    struct log *l = env;
    note(l, '(');
    l->fields_ok &= strcmp(info->prop_name, "flow") == 0 && info->run_seed == 99;
    return l->in == '(' ? THEFT_HOOK_RUN_PRE_ERROR : THEFT_HOOK_RUN_PRE_CONTINUE;
}

static enum theft_hook_run_post_res run_post(const struct theft_hook_run_post_info *info,
                                             void *env)
{
    struct log *l = env;
    note(l, ')');
    l->report = info->report;
    return l->in == ')' ? THEFT_HOOK_RUN_POST_ERROR : THEFT_HOOK_RUN_POST_CONTINUE;
}

static enum theft_hook_gen_args_pre_res
gen_args_pre(const struct theft_hook_gen_args_pre_info *info, void *env)
{
    struct log *l = env;
    note(l, 'g');
    l->fields_ok &= info->arity == 1 && (info->trial_id != 0 || info->trial_seed == 99);
    if (l->in == 'g' && info->trial_id + 1 == l->halt_at)
        return THEFT_HOOK_GEN_ARGS_PRE_HALT;
    return l->in == 'g' && info->trial_id + 1 == l->error_at ? THEFT_HOOK_GEN_ARGS_PRE_ERROR
                                                             : THEFT_HOOK_GEN_ARGS_PRE_CONTINUE;
}

static enum theft_hook_trial_pre_res trial_pre(const struct theft_hook_trial_pre_info *info,
                                               void *env)
{
    struct log *l = env;
    note(l, '[');
    l->fields_ok &= info->args && info->args[0] && info->total_trials > 0;
    if (l->in == '[' && info->trial_id + 1 == l->halt_at)
        return THEFT_HOOK_TRIAL_PRE_HALT;
    return l->in == '[' && info->trial_id + 1 == l->error_at ? THEFT_HOOK_TRIAL_PRE_ERROR
                                                             : THEFT_HOOK_TRIAL_PRE_CONTINUE;
}

static enum theft_hook_trial_post_res trial_post(const struct theft_hook_trial_post_info *info,
                                                 void *env)
{
    struct log *l = env;
    static const char letters[] = "PFSDE";
    note(l, letters[info->result]);
    note(l, ']');
    l->fields_ok &= info->run_seed == 99 && info->t != NULL;
    if (info->result == THEFT_TRIAL_FAIL)
        l->fields_ok &= info->failures > 0;
    if (info->result != THEFT_TRIAL_SKIP)
        l->fields_ok &= info->args != NULL;
    return l->in == ']' ? THEFT_HOOK_TRIAL_POST_ERROR : THEFT_HOOK_TRIAL_POST_CONTINUE;
}

static enum theft_hook_counterexample_res
counterexample(const struct theft_hook_counterexample_info *info, void *env)
{
    struct log *l = env;
    note(l, 'c');
    l->fields_ok &= info->arity == 1 && info->type_info[0] && info->args[0];
    return l->in == 'c' ? THEFT_HOOK_COUNTEREXAMPLE_ERROR : THEFT_HOOK_COUNTEREXAMPLE_CONTINUE;
}

static enum theft_hook_shrink_pre_res shrink_pre(const struct theft_hook_shrink_pre_info *info,
                                                 void *env)
{
    struct log *l = env;
    note(l, '<');
    l->fields_ok &= info->arg != NULL && info->arg_index == 0;
    l->fields_ok &= info->shrink_count == info->successful_shrinks + info->failed_shrinks;
    return l->in == '<' ? THEFT_HOOK_SHRINK_PRE_HALT : THEFT_HOOK_SHRINK_PRE_CONTINUE;
}

static enum theft_hook_shrink_post_res
shrink_post(const struct theft_hook_shrink_post_info *info, void *env)
{
    struct log *l = env;
    static const char letters[] = "-+.";
    note(l, letters[info->state]);
    return l->in == '>' ? THEFT_HOOK_SHRINK_POST_ERROR : THEFT_HOOK_SHRINK_POST_CONTINUE;
}

static enum theft_hook_shrink_trial_post_res
shrink_trial_post(const struct theft_hook_shrink_trial_post_info *info, void *env)
{
    struct log *l = env;
    note(l, '>');
    l->fields_ok &= info->args[0] != NULL;
    return l->in == '}' ? THEFT_HOOK_SHRINK_TRIAL_POST_ERROR
                        : THEFT_HOOK_SHRINK_TRIAL_POST_CONTINUE;
}

static enum theft_run_res run(struct log *l, size_t trials, bool hash, bool shrinks)
{
    struct theft_type_info info = {.alloc = alloc,
                                   .free = release,
                                   .hash = hash ? same_hash : NULL,
                                   .shrink = shrinks ? shrink : NULL};
    struct theft_run_config cfg = {.prop1 = property,
                                   .type_info = {&info},
                                   .name = "flow",
                                   .trials = trials,
                                   .seed = 99,
                                   .hooks = {run_pre, run_post, gen_args_pre, trial_pre, NULL,
                                             trial_post, counterexample, shrink_pre,
                                             shrink_post, shrink_trial_post, l}};
    the_log = l;
    l->fields_ok = true;
    return theft_run(&cfg);
}

static void expect(struct log *l, const char *what, enum theft_run_res res,
                   enum theft_run_res want, const char *text)
{
    TAP_OK(res == want, "%s: %s", what, theft_run_res_str(want));
    if (!TAP_OK(strcmp(l->text, text) == 0, "%s: the order of events", what))
        printf("#      got %s\n# expected %s\n", l->text, text);
    TAP_OK(l->fields_ok && l->made == l->freed, "%s: the arguments of hooks, and no leak",
           what);
}

TEST(flow)
{
    struct log l = {0};
    expect(&l, "two passes", run(&l, 2, false, false), THEFT_RUN_PASS, "(ga[pP]ga[pP])");
    l = (struct log){.answer = {THEFT_TRIAL_SKIP, THEFT_TRIAL_SKIP}};
    expect(&l, "skips", run(&l, 2, false, false), THEFT_RUN_SKIP, "(ga[pS]ga[pS])");
    l = (struct log){.skip_alloc = true};
    expect(&l, "skipped by alloc", run(&l, 2, false, false), THEFT_RUN_SKIP, "(gaS]gaS])");
    l = (struct log){0};
    expect(&l, "duplicates", run(&l, 3, true, false), THEFT_RUN_PASS, "(ga[pP]gaD]gaD])");
    TAP_OK(l.report.pass == 1 && l.report.dup == 2, "duplicates are counted");

    l = (struct log){.answer = {THEFT_TRIAL_FAIL}};
    expect(&l, "a failure, not shrunk", run(&l, 1, false, true), THEFT_RUN_FAIL,
           "(ga[p<s-<s+p><s.cF])");
    l = (struct log){.answer = {THEFT_TRIAL_FAIL, THEFT_TRIAL_FAIL}};
    expect(&l, "a failure, shrunk once", run(&l, 1, false, true), THEFT_RUN_FAIL,
           "(ga[p<s-<s+p><s-<s+p><s.<s-<s+p><s.cF])");
    l = (struct log){.answer = {THEFT_TRIAL_FAIL, THEFT_TRIAL_SKIP}};
    expect(&l, "SKIP does not shrink", run(&l, 1, false, true), THEFT_RUN_FAIL,
           "(ga[p<s-<s+p><s.cF])");
    l = (struct log){.answer = {THEFT_TRIAL_FAIL}};
    expect(&l, "candidates tried before", run(&l, 1, true, true), THEFT_RUN_FAIL,
           "(ga[p<s-<s+<s.cF])");
    l = (struct log){.answer = {THEFT_TRIAL_FAIL}, .in = '<'};
    expect(&l, "shrinking halted", run(&l, 1, false, true), THEFT_RUN_FAIL, "(ga[p<cF])");
    l = (struct log){.answer = {THEFT_TRIAL_FAIL}, .in = '>'};
    expect(&l, "shrink_post errs", run(&l, 1, false, true), THEFT_RUN_ERROR, "(ga[p<s-E]");
    l = (struct log){.answer = {THEFT_TRIAL_FAIL}, .in = '}'};
    expect(&l, "shrink_trial_post errs", run(&l, 1, false, true), THEFT_RUN_ERROR,
           "(ga[p<s-<s+p>E]");
    l = (struct log){.answer = {THEFT_TRIAL_FAIL, THEFT_TRIAL_ERROR}};
    expect(&l, "an error while shrinking", run(&l, 1, false, true), THEFT_RUN_ERROR,
           "(ga[p<s-<s+p>E]");
    l = (struct log){.answer = {THEFT_TRIAL_FAIL}, .in = 'c'};
    expect(&l, "counterexample errs", run(&l, 1, false, false), THEFT_RUN_ERROR, "(ga[pc");

    l = (struct log){.answer = {THEFT_TRIAL_PASS, THEFT_TRIAL_ERROR}};
    expect(&l, "an error", run(&l, 9, false, false), THEFT_RUN_ERROR, "(ga[pP]ga[pE]");
    l = (struct log){.answer = {THEFT_TRIAL_DUP}};
    expect(&l, "DUP from a property", run(&l, 9, false, false), THEFT_RUN_ERROR, "(ga[pE]");
    l = (struct log){.in = '('};
    expect(&l, "run_pre errs", run(&l, 9, false, false), THEFT_RUN_ERROR, "(");
    l = (struct log){.in = ')'};
    expect(&l, "run_post errs", run(&l, 1, false, false), THEFT_RUN_ERROR, "(ga[pP])");
    l = (struct log){.in = 'g', .halt_at = 2};
    expect(&l, "gen_args_pre halts", run(&l, 9, false, false), THEFT_RUN_PASS, "(ga[pP]g)");
    l = (struct log){.in = 'g', .error_at = 2};
    expect(&l, "gen_args_pre errs", run(&l, 9, false, false), THEFT_RUN_ERROR, "(ga[pP]g");
    l = (struct log){.in = '[', .halt_at = 1};
    expect(&l, "trial_pre halts", run(&l, 9, false, false), THEFT_RUN_SKIP, "(ga[)");
    l = (struct log){.in = '[', .error_at = 1};
    expect(&l, "trial_pre errs", run(&l, 9, false, false), THEFT_RUN_ERROR, "(ga[");
    l = (struct log){.in = ']'};
    expect(&l, "trial_post errs", run(&l, 9, false, false), THEFT_RUN_ERROR, "(ga[pP]");
    return 0;
}
