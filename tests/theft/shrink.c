/* Shrinking: tactics, choices, both, several arguments; errors on the way. */
#include <string.h>

#include <theft.h>

#include "tests/tap.h"
#include "tests/theft/quiet.h"

struct state {
    uint64_t final[2];
    size_t calls, shrink_calls, live;
    size_t done; /* DONE_SHRINKING seen */
    int refuse;  /* what alloc returns while shrinking; 0: nothing special */
    bool shrinking;
    bool always_fail;
    size_t repeats;
};
static struct state *the_state;

static enum theft_alloc_res draw_alloc(struct theft *t, void *env, void **output)
{
    struct state *s = theft_hook_get_env(t);
    if (s->shrinking && s->refuse)
        return (enum theft_alloc_res)s->refuse;
    uint64_t *x = malloc(sizeof *x);
    *x = theft_random_bits(t, (uint8_t)(uintptr_t)env);
    s->live++;
    *output = x;
    return THEFT_ALLOC_OK;
}

static void release(void *instance, void *env)
{
    (void)env;
    the_state->live--;
    free(instance);
}

static enum theft_shrink_res halve(struct theft *t, const void *instance, uint32_t tactic,
                                   void *env, void **output)
{
    uint64_t v = *(const uint64_t *)instance;
    (void)t;
    (void)env;
    if (tactic > 1 || v == 0)
        return THEFT_SHRINK_NO_MORE_TACTICS;
    uint64_t *x = malloc(sizeof *x);
    *x = tactic == 0 ? v / 2 : v - 1;
    the_state->live++;
    *output = x;
    return THEFT_SHRINK_OK;
}

static enum theft_shrink_res shrink_error(struct theft *t, const void *i, uint32_t tactic,
                                          void *env, void **output)
{
    (void)t, (void)i, (void)tactic, (void)env, (void)output;
    return THEFT_SHRINK_ERROR;
}

static enum theft_trial_res below_1000(struct theft *t, void *a)
{
    struct state *s = theft_hook_get_env(t);
    s->calls++;
    return s->always_fail || *(uint64_t *)a >= 1000 ? THEFT_TRIAL_FAIL : THEFT_TRIAL_PASS;
}

static enum theft_trial_res sum_below_1000(struct theft *t, void *a, void *b)
{
    (void)t;
    return *(uint64_t *)a + *(uint64_t *)b >= 1000 ? THEFT_TRIAL_FAIL : THEFT_TRIAL_PASS;
}

static enum theft_trial_res differ_or_small(struct theft *t, void *a, void *b)
{
    (void)t;
    return *(uint64_t *)a == *(uint64_t *)b && *(uint64_t *)a >= 20 ? THEFT_TRIAL_FAIL
                                                                    : THEFT_TRIAL_PASS;
}

static enum theft_trial_res sum_not_50(struct theft *t, void *a, void *b)
{
    (void)t;
    return *(uint64_t *)a + *(uint64_t *)b == 50 ? THEFT_TRIAL_FAIL : THEFT_TRIAL_PASS;
}

/* 80 draws whatever they are; the first of two equal ones from 200 on is the value. */
static enum theft_alloc_res long_alloc(struct theft *t, void *env, void **output)
{
    uint64_t *x = calloc(1, sizeof *x), v[80];
    (void)env;
    for (int i = 0; i < 80; i++)
        v[i] = theft_random_bits(t, 10);
    for (int i = 0; i < 80; i++)
        for (int j = 0; j < i; j++)
            if (v[i] == v[j] && v[i] >= 200 && *x == 0)
                *x = v[i];
    the_state->live++;
    *output = x;
    return THEFT_ALLOC_OK;
}

static enum theft_trial_res no_pair(struct theft *t, void *a)
{
    (void)t;
    return *(uint64_t *)a ? THEFT_TRIAL_FAIL : THEFT_TRIAL_PASS;
}

/* 1000, then 5000: the second is shrunk to what the first trial was. */
static enum theft_alloc_res next_alloc(struct theft *t, void *env, void **output)
{
    static const uint64_t values[] = {1000, 5000};
    static size_t next;
    uint64_t *x = malloc(sizeof *x);
    (void)t;
    (void)env;
    *x = values[next++ % 2];
    the_state->live++;
    *output = x;
    return THEFT_ALLOC_OK;
}

static theft_hash identity(const void *instance, void *env)
{
    (void)env;
    return *(const uint64_t *)instance;
}

static enum theft_hook_trial_post_res keep(const struct theft_hook_trial_post_info *info,
                                           void *env)
{
    struct state *s = env;
    s->shrinking = false;
    for (int i = 0; i < info->arity && i < 2; i++)
        if (info->result == THEFT_TRIAL_FAIL)
            s->final[i] = *(uint64_t *)info->args[i];
        else if (info->result == THEFT_TRIAL_ERROR)
            s->final[i] = info->args[i] == NULL ? 77 : 0;
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

static enum theft_hook_shrink_pre_res pre(const struct theft_hook_shrink_pre_info *info,
                                          void *env)
{
    (void)info;
    ((struct state *)env)->shrinking = true;
    return THEFT_HOOK_SHRINK_PRE_CONTINUE;
}

static enum theft_hook_shrink_post_res post(const struct theft_hook_shrink_post_info *info,
                                            void *env)
{
    ((struct state *)env)->done += info->state == THEFT_SHRINK_POST_DONE_SHRINKING;
    return THEFT_HOOK_SHRINK_POST_CONTINUE;
}

static enum theft_hook_shrink_trial_post_res
trial_post(const struct theft_hook_shrink_trial_post_info *info, void *env)
{
    struct state *s = env;
    s->shrink_calls++;
    if (info->result == THEFT_TRIAL_FAIL && *(uint64_t *)info->args[0] == 1000 && s->repeats) {
        s->repeats--;
        return THEFT_HOOK_SHRINK_TRIAL_POST_REPEAT;
    }
    return THEFT_HOOK_SHRINK_TRIAL_POST_CONTINUE;
}

#define BITS(n) ((void *)(uintptr_t)(n))
static const struct theft_type_info by_tactics = {
    .alloc = draw_alloc, .free = release, .shrink = halve, .env = BITS(32)};
static const struct theft_type_info by_choices = {.alloc = draw_alloc,
                                                  .free = release,
                                                  .autoshrink_config = {.enable = true},
                                                  .env = BITS(32)};
static const struct theft_type_info small_choices = {.alloc = draw_alloc,
                                                     .free = release,
                                                     .autoshrink_config = {.enable = true},
                                                     .env = BITS(6)};
static const struct theft_type_info impatient = {
    .alloc = draw_alloc,
    .free = release,
    .autoshrink_config = {.enable = true, .max_failed_shrinks = 1},
    .env = BITS(32)};
static const struct theft_type_info erring = {
    .alloc = draw_alloc, .free = release, .shrink = shrink_error, .env = BITS(32)};

static const struct theft_type_info long_sequence = {
    .alloc = long_alloc, .free = release, .autoshrink_config = {.enable = true}};
static const struct theft_type_info in_order = {
    .alloc = next_alloc, .free = release, .hash = identity, .shrink = halve};

static enum theft_run_res run(struct state *s, theft_propfun1 *p1, theft_propfun2 *p2,
                              const struct theft_type_info *a, const struct theft_type_info *b)
{
    struct theft_run_config cfg = {
        .prop1 = p1,
        .prop2 = p2,
        .type_info = {a, b},
        .trials = a == &in_order ? 2 : 2000,
        .hooks = {.trial_pre = a == &in_order ? NULL : theft_hook_first_fail_halt,
                  .trial_post = keep,
                  .shrink_pre = pre,
                  .shrink_post = post,
                  .shrink_trial_post = trial_post,
                  .env = s}};
    the_state = s;
    quieten(&cfg);
    enum theft_run_res res = theft_run(&cfg);
    if (s->live)
        printf("# %zu instances leaked\n", s->live);
    return s->live ? THEFT_RUN_ERROR_MEMORY : res;
}

TEST(shrink)
{
    struct state s = {.done = 0};
    TAP_OK(run(&s, below_1000, NULL, &by_tactics, NULL) == THEFT_RUN_FAIL &&
               s.final[0] == 1000 && s.done == 2,
           "tactics reach the minimum");
    s = (struct state){.done = 0};
    TAP_OK(run(&s, below_1000, NULL, &by_choices, NULL) == THEFT_RUN_FAIL &&
               s.final[0] == 1000 && s.done == 1,
           "choices reach the minimum");
    s = (struct state){.repeats = 3};
    size_t calls_before = s.calls;
    TAP_OK(run(&s, below_1000, NULL, &by_choices, NULL) == THEFT_RUN_FAIL && s.repeats == 0 &&
               s.final[0] == 1000 && s.calls > calls_before,
           "a candidate is repeated on demand");
    s = (struct state){.done = 0};
    TAP_OK(run(&s, NULL, sum_below_1000, &by_choices, &by_choices) == THEFT_RUN_FAIL &&
               s.final[0] == 0 && s.final[1] == 1000 && s.done == 2,
           "two arguments shrink together: weight moves to the second");
    s = (struct state){.done = 0};
    TAP_OK(run(&s, NULL, differ_or_small, &small_choices, &small_choices) == THEFT_RUN_FAIL &&
               s.final[0] == 20 && s.final[1] == 20,
           "equal arguments are lowered together");
    s = (struct state){.done = 0};
    TAP_OK(run(&s, NULL, sum_below_1000, &by_tactics, &by_choices) == THEFT_RUN_FAIL &&
               s.final[0] + s.final[1] == 1000,
           "tactics and choices take turns");
    s = (struct state){.done = 0};
    TAP_OK(run(&s, below_1000, NULL, &impatient, NULL) == THEFT_RUN_FAIL && s.shrink_calls <= 3,
           "max_failed_shrinks is heeded (%zu calls)", s.shrink_calls);
    s = (struct state){.always_fail = true};
    TAP_OK(run(&s, below_1000, NULL, &by_choices, NULL) == THEFT_RUN_FAIL && s.final[0] == 0,
           "what always fails shrinks to zero");
    s = (struct state){.done = 0};
    TAP_OK(run(&s, below_1000, NULL, &erring, NULL) == THEFT_RUN_ERROR && s.final[0] == 77,
           "an error of shrink ends the run; trial_post sees no arguments");
    s = (struct state){.refuse = THEFT_ALLOC_ERROR};
    TAP_OK(run(&s, below_1000, NULL, &by_choices, NULL) == THEFT_RUN_ERROR,
           "an error of alloc while shrinking ends the run");
    s = (struct state){.refuse = THEFT_ALLOC_SKIP};
    TAP_OK(run(&s, below_1000, NULL, &by_choices, NULL) == THEFT_RUN_FAIL && s.final[0] >= 1000,
           "alloc may refuse candidates");
    s = (struct state){.done = 0};
    TAP_OK(run(&s, NULL, sum_not_50, &small_choices, &small_choices) == THEFT_RUN_FAIL &&
               s.final[0] == 0 && s.final[1] == 50,
           "a sum that must stay is moved to the second");
    s = (struct state){.done = 0};
    TAP_OK(run(&s, no_pair, NULL, &long_sequence, NULL) == THEFT_RUN_FAIL && s.final[0] == 200,
           "equal draws among many are lowered together");
    s = (struct state){.done = 0};
    TAP_OK(run(&s, below_1000, NULL, &in_order, NULL) == THEFT_RUN_FAIL && s.final[0] == 1000,
           "an input that failed before is a good result of shrinking");
    return 0;
}
