/* Reports, names, hashes, output streams. */
#include <stddef.h>
#include <string.h>

#include <theft.h>

#include "tests/tap.h"
#include "tests/theft/quiet.h"

static char *text;
static size_t text_size;

static FILE *capture(void)
{
    free(text);
    text = NULL;
    return open_memstream(&text, &text_size);
}

static void test_hash(void)
{
    static const uint8_t foobar[] = "foobar";
    struct theft_hasher h;
    TAP_OK(theft_hash_onepass(foobar, 0) == UINT64_C(0xcbf29ce484222325), "FNV-1a of nothing");
    TAP_OK(theft_hash_onepass(foobar, 6) == UINT64_C(0x85944171f73967e8), "FNV-1a of foobar");
    theft_hash_init(&h);
    theft_hash_sink(&h, foobar, 2);
    theft_hash_sink(&h, foobar + 2, 4);
    TAP_OK(theft_hash_done(&h) == UINT64_C(0x85944171f73967e8), "in two parts");
    TAP_OK(theft_hash_done(&h) == UINT64_C(0xcbf29ce484222325), "done resets");
}

static void test_names(void)
{
    static const char *const trials[] = {"PASS", "FAIL", "SKIP", "DUP", "ERROR"};
    bool ok = true;
    for (int i = 0; i < 5; i++)
        ok &= strcmp(theft_trial_res_str((enum theft_trial_res)i), trials[i]) == 0;
    TAP_OK(ok, "names of trial results");
    TAP_OK(strcmp(theft_run_res_str(THEFT_RUN_ERROR_BAD_ARGS), "ERROR_BAD_ARGS") == 0 &&
               strcmp(theft_run_res_str(THEFT_RUN_ERROR_MEMORY), "ERROR_MEMORY") == 0 &&
               strcmp(theft_run_res_str(THEFT_RUN_SKIP), "SKIP") == 0 &&
               theft_run_res_str((enum theft_run_res)99),
           "names of run results");
}

/* Layout that callers compiled against another header would rely on. */
static void test_layout(void)
{
    TAP_OK(THEFT_RUN_ERROR == 3 && THEFT_RUN_ERROR_MEMORY == -1 &&
               THEFT_RUN_ERROR_BAD_ARGS == -2 && THEFT_GENERATE_ERROR_ALLOC == -1 &&
               THEFT_GENERATE_ERROR_BAD_ARGS == -3 && THEFT_HOOK_COUNTEREXAMPLE_CONTINUE == 0 &&
               THEFT_HOOK_TRIAL_POST_ERROR == 0 && THEFT_HOOK_TRIAL_POST_REPEAT_ONCE == 3 &&
               THEFT_HOOK_SHRINK_PRE_HALT == 2 && THEFT_SHRINK_POST_DONE_SHRINKING == 2 &&
               THEFT_AUTOSHRINK_PRINT_ALL == 7 && THEFT_BUILTIN_uint8_t_ARRAY == 15,
           "enum values");
    TAP_OK(offsetof(struct theft_type_info, env) == 72 &&
               offsetof(struct theft_run_config, type_info) == 56 &&
               offsetof(struct theft_run_config, fork) == 160 &&
               offsetof(struct theft_run_config, hooks) == 192 &&
               sizeof(struct theft_run_config) == 280,
           "struct layouts on 64-bit platforms");
    TAP_OK(THEFT_VERSION_MAJOR == 0 && THEFT_VERSION_MINOR == 4 && THEFT_VERSION_PATCH == 5,
           "version");
}

static FILE *out;

static enum theft_trial_res from_env(struct theft *t, void *arg)
{
    (void)arg;
    theft_set_output_stream(t, out);
    return *(enum theft_trial_res *)theft_hook_get_env(t);
}

static void run_to(enum theft_trial_res result, size_t trials,
                   const struct theft_type_info *info)
{
    struct theft_run_config cfg = {
        .prop1 = from_env,
        .type_info = {info},
        .name = "printed",
        .trials = trials,
        .hooks = {.run_pre = quiet_run_pre, .run_post = quiet_run_post, .env = &result}};
    out = capture();
    theft_run(&cfg);
    fclose(out);
}

static size_t count_of(char c)
{
    size_t n = 0;
    for (const char *p = text; *p; p++)
        n += *p == c;
    return n;
}

static enum theft_alloc_res words(struct theft *t, void *env, void **output)
{
    (void)env;
    theft_random_bits(t, 3);
    theft_random_choice(t, 10);
    *output = NULL;
    return THEFT_ALLOC_OK;
}

static void print_x(FILE *f, const void *instance, void *env)
{
    (void)instance;
    (void)env;
    fputs("<X>", f);
}

static void test_trials(void)
{
    struct theft_type_info plain = {.alloc = words};
    run_to(THEFT_TRIAL_PASS, 60, &plain);
    TAP_OK(count_of('.') == 60 && count_of('\n') == 0, "a dot per pass");
    run_to(THEFT_TRIAL_PASS, 100, &plain);
    TAP_OK(count_of('.') == 100 && strstr(text, "(PASS x 100)") && count_of('\n') == 1,
           "100 of them change the scale; lines are wrapped");
    run_to(THEFT_TRIAL_PASS, 1000000, &plain);
    TAP_OK(text_size < 1000 && strstr(text, "(PASS x 10000)"), "a million passes stay short");
    run_to(THEFT_TRIAL_SKIP, 25, &plain);
    TAP_OK(count_of('s') == 11 && strstr(text, "(SKIP x 10)"), "skips, 10 to a letter");
    run_to(THEFT_TRIAL_ERROR, 5, &plain);
    TAP_OK(strcmp(text, "E") == 0, "an error");
    run_to(THEFT_TRIAL_FAIL, 1, &plain);
    TAP_OK(strstr(text, "Counter-Example: printed") && strstr(text, "Trial 0") &&
               strstr(text, "0x00a600d64b175eed") && text[text_size - 1] == 'F',
           "a failure with its counterexample");
}

static void test_modes(void)
{
    struct theft_type_info info = {.alloc = words, .autoshrink_config = {.enable = true}};
    run_to(THEFT_TRIAL_FAIL, 1, &info);
    TAP_OK(strstr(text, "requests: (2)") && strstr(text, "0 -- 3 bits: 0 (0x0)") &&
               strstr(text, "1 -- at most 9: 0") && !strstr(text, "raw:"),
           "without a print callback, the requests");
    info.print = print_x;
    run_to(THEFT_TRIAL_FAIL, 1, &info);
    TAP_OK(strstr(text, "<X>") && !strstr(text, "requests"),
           "with a print callback, what it prints");
    info.autoshrink_config.print_mode = THEFT_AUTOSHRINK_PRINT_ALL;
    run_to(THEFT_TRIAL_FAIL, 1, &info);
    TAP_OK(strstr(text, "<X>") && strstr(text, "requests") && strstr(text, "raw:  00"),
           "with print mode ALL, both");
}

static void test_run_info(void)
{
    struct theft_hook_run_pre_info pre = {"name", 7, 0xab};
    struct theft_hook_run_post_info post = {"name", 7, 0xab, {1, 2, 3, 4}};
    FILE *f = capture();
    theft_print_run_pre_info(f, &pre);
    theft_print_run_post_info(f, &post);
    fclose(f);
    TAP_OK(strstr(text, "== PROP 'name': 7 trials, seed 0x00000000000000ab\n") &&
               strstr(text, "== FAIL 'name': pass 1, fail 2, skip 3, dup 4\n"),
           "reports before and after a run");
    printf("#");
    TAP_OK(theft_hook_run_pre_print_info(&pre, NULL) == THEFT_HOOK_RUN_PRE_CONTINUE,
           "the run_pre hook");
    printf("#");
    TAP_OK(theft_hook_run_post_print_info(&post, NULL) == THEFT_HOOK_RUN_POST_CONTINUE,
           "the run_post hook");
}

/* A user's own state of the result line, with its own width. */
static struct theft_print_trial_result_env narrow = {.max_column = 10};

static enum theft_hook_trial_post_res own_line(const struct theft_hook_trial_post_info *info,
                                               void *env)
{
    (void)env;
    theft_print_trial_result(&narrow, info);
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

static void test_own_line(void)
{
    struct theft_type_info plain = {.alloc = words};
    enum theft_trial_res result = THEFT_TRIAL_PASS;
    struct theft_run_config cfg = {.prop1 = from_env,
                                   .type_info = {&plain},
                                   .trials = 25,
                                   .hooks = {.run_pre = quiet_run_pre,
                                             .run_post = quiet_run_post,
                                             .trial_post = own_line,
                                             .env = &result}};
    out = capture();
    theft_run(&cfg);
    fclose(out);
    TAP_OK(strcmp(text, "..........\n..........\n.....") == 0, "lines of the requested width");
}

TEST(print)
{
    test_hash();
    test_names();
    test_layout();
    test_trials();
    test_modes();
    test_run_info();
    test_own_line();
    theft_seed a = theft_seed_of_time(), b = a;
    for (int i = 0; i < 1000000 && a == b; i++)
        b = theft_seed_of_time();
    TAP_OK(a != b, "seeds of the time differ in time");
    theft_generic_free_cb(malloc(1), NULL);
    free(text);
    return 0;
}
