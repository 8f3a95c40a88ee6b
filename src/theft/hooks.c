/* Calls of the hooks of a run. A hook that is not set has the default of the API, which prints
 * arguments, choices and trials. */
#include <inttypes.h>

#include "internal.h"

/* ---- What the default hooks print. */

static const char *name_of(const char *prop_name)
{
    return prop_name ? prop_name : "(anonymous)";
}

void theft_print_run_pre_info(FILE *f, const struct theft_hook_run_pre_info *info)
{
    fprintf(f, "\n== PROP '%s': %zu trials, seed 0x%016" PRIx64 "\n", name_of(info->prop_name),
            info->total_trials, info->run_seed);
    fflush(f);
}

void theft_print_run_post_info(FILE *f, const struct theft_hook_run_post_info *info)
{
    const struct theft_run_report *r = &info->report;
    fprintf(f, "\n== %s '%s': pass %zu, fail %zu, skip %zu, dup %zu\n",
            r->fail   ? "FAIL"
            : r->pass ? "PASS"
                      : "SKIP",
            name_of(info->prop_name), r->pass, r->fail, r->skip, r->dup);
    fflush(f);
}

enum theft_hook_run_pre_res
theft_hook_run_pre_print_info(const struct theft_hook_run_pre_info *info, void *env)
{
    (void)env;
    theft_print_run_pre_info(stdout, info);
    return THEFT_HOOK_RUN_PRE_CONTINUE;
}

enum theft_hook_run_post_res
theft_hook_run_post_print_info(const struct theft_hook_run_post_info *info, void *env)
{
    (void)env;
    theft_print_run_post_info(stdout, info);
    return THEFT_HOOK_RUN_POST_CONTINUE;
}

enum theft_hook_trial_pre_res
theft_hook_first_fail_halt(const struct theft_hook_trial_pre_info *info, void *env)
{
    (void)env;
    return info->failures ? THEFT_HOOK_TRIAL_PRE_HALT : THEFT_HOOK_TRIAL_PRE_CONTINUE;
}

/* Prints the drawn bits in order; the first is the lowest bit of the first byte. */
static void print_bit_pool(FILE *f, const struct theft_choice *at, size_t count)
{
    size_t bytes = 0;
    unsigned byte = 0, filled = 0;
    fputs("raw:", f);
    for (size_t i = 0; i < count; i++)
        for (unsigned bit = 0; bit < theft_choice_width(at[i].max); bit++) {
            byte |= (unsigned)(at[i].value >> bit & 1) << filled;
            if (++filled < 8)
                continue;
            fprintf(f, "%s%02x", bytes++ % 16 ? " " : bytes > 1 ? "\n      " : "  ", byte);
            byte = filled = 0;
        }
    if (filled)
        fprintf(f, "%s%02x", bytes % 16 ? " " : bytes ? "\n      " : "  ", byte);
    fputc('\n', f);
}

static void print_requests(FILE *f, const struct theft_choice *at, size_t count)
{
    fprintf(f, "requests: (%zu)\n", count);
    for (size_t i = 0; i < count; i++) {
        if ((at[i].max & (at[i].max + 1)) == 0)
            fprintf(f, "%zu -- %u bits: ", i, theft_choice_width(at[i].max));
        else
            fprintf(f, "%zu -- at most %" PRIu64 ": ", i, at[i].max);
        fprintf(f, "%" PRIu64 " (0x%" PRIx64 ")\n", at[i].value, at[i].value);
    }
}

static void print_choices(FILE *f, const struct theft_choice *at, size_t count,
                          enum theft_autoshrink_print_mode mode)
{
    if (mode & THEFT_AUTOSHRINK_PRINT_BIT_POOL)
        print_bit_pool(f, at, count);
    if (mode & THEFT_AUTOSHRINK_PRINT_REQUESTS)
        print_requests(f, at, count);
}

void theft_print_arg(FILE *f, const struct theft_type_info *info, const void *arg,
                     const struct theft_choice *at, size_t count)
{
    if (info->print) {
        info->print(f, arg, info->env);
        fputc('\n', f);
    }
    if (info->autoshrink_config.enable) {
        enum theft_autoshrink_print_mode mode = info->autoshrink_config.print_mode;
        if (mode == THEFT_AUTOSHRINK_PRINT_DEFAULT && !info->print)
            mode = THEFT_AUTOSHRINK_PRINT_REQUESTS;
        print_choices(f, at, count, mode);
    }
}

enum theft_hook_counterexample_res
theft_print_counterexample(const struct theft_hook_counterexample_info *info, void *env)
{
    struct theft *t = info->t;
    (void)env;
    fprintf(t->out, "\n\n -- Counter-Example: %s\n", name_of(info->prop_name));
    fprintf(t->out, "    Trial %zu, Seed 0x%016" PRIx64 "\n", info->trial_id, info->trial_seed);
    for (unsigned i = 0; i < info->arity; i++) {
        const struct theft_type_info *type = info->type_info[i];
        if (!type->print && !type->autoshrink_config.enable)
            continue;
        fprintf(t->out, "    Argument %u:\n", i);
        theft_print_arg(t->out, type, info->args[i], t->shown->choices.at + t->shown->start[i],
                        t->shown->start[i + 1] - t->shown->start[i]);
    }
    return THEFT_HOOK_COUNTEREXAMPLE_CONTINUE;
}

#define PASS_FACTOR 100 /* so many characters of a kind are printed before the scale grows */
#define OTHER_FACTOR 10

static void init(struct theft_print_trial_result_env *e)
{
    e->tag = THEFT_PRINT_TRIAL_RESULT_ENV_TAG;
    e->column = 0;
    e->scale_pass = e->scale_skip = e->scale_dup = 1;
    e->consec_pass = e->consec_skip = e->consec_dup = 0;
}

static void put(struct theft_print_trial_result_env *e, FILE *out, const char *text)
{
    size_t width = e->max_column ? e->max_column : THEFT_DEF_MAX_COLUMNS;
    size_t length = strlen(text);
    if (e->column + length > width && e->column) {
        fputc('\n', out);
        e->column = 0;
    }
    fputs(text, out);
    e->column = (uint8_t)(e->column + length);
    fflush(out);
}

/* Counts a result, and prints one character for every `scale` of them; the scale grows with the
 * count.
 */
static void tally(struct theft_print_trial_result_env *e, FILE *out, const char *letter,
                  const char *name, size_t factor, size_t *scale, size_t *count)
{
    ++*count;
    if (*count % *scale == 0)
        put(e, out, letter);
    if (*count == *scale * factor && *scale <= SIZE_MAX / factor / factor) {
        char text[64];
        *scale *= factor;
        *count = 0;
        snprintf(text, sizeof text, "(%s x %zu)", name, *scale);
        put(e, out, text);
    }
}

void theft_print_trial_result(struct theft_print_trial_result_env *e,
                              const struct theft_hook_trial_post_info *info)
{
    FILE *out = info->t->out;
    if (e->tag != THEFT_PRINT_TRIAL_RESULT_ENV_TAG)
        init(e);
    switch (info->result) {
    case THEFT_TRIAL_PASS:
        tally(e, out, ".", "PASS", PASS_FACTOR, &e->scale_pass, &e->consec_pass);
        break;
    case THEFT_TRIAL_SKIP:
        tally(e, out, "s", "SKIP", OTHER_FACTOR, &e->scale_skip, &e->consec_skip);
        break;
    case THEFT_TRIAL_DUP:
        tally(e, out, "d", "DUP", OTHER_FACTOR, &e->scale_dup, &e->consec_dup);
        break;
    case THEFT_TRIAL_FAIL:
        put(e, out, "F");
        break;
    default:
        put(e, out, "E");
        break;
    }
}

enum theft_hook_trial_post_res
theft_hook_trial_post_print_result(const struct theft_hook_trial_post_info *info, void *env)
{
    theft_print_trial_result(env ? env : &info->t->print_env, info);
    return THEFT_HOOK_TRIAL_POST_CONTINUE;
}

void theft_print_extension_report(FILE *f, const struct theft_extension_config *ext,
                                  const struct theft_extension_report *report,
                                  const struct theft_coverage_result *coverage)
{
    static const char *const verdicts[] = {"shown", "REFUTED", "undecided"};
    size_t run = report->trials.pass + report->trials.fail;
    for (size_t i = 0; i < report->label_count; i++)
        fprintf(f, "   %6.2f %%  %s (%zu)\n",
                run ? 100.0 * (double)report->labels[i].count / (double)run : 0.0,
                report->labels[i].name, report->labels[i].count);
    if (report->labels_dropped)
        fprintf(f, "   %zu trials had further labels\n", report->labels_dropped);
    for (size_t i = 0; coverage && ext && i < ext->coverage_count; i++)
        fprintf(f, "   coverage of %s: between %.6g and %.6g, at least %.6g required: %s\n",
                ext->coverage[i].label, coverage[i].lower, coverage[i].upper,
                ext->coverage[i].fraction, verdicts[coverage[i].verdict]);
    if (report->has_target)
        fprintf(f, "   best target: %.17g in trial %zu\n", report->best_target,
                report->best_trial);
    if (report->unconfirmed)
        fprintf(f, "   %zu failures in batches did not repeat alone\n", report->unconfirmed);
    if (report->duplicates_missed)
        fprintf(f, "   the set of tried inputs was full: more duplicates are possible\n");
}

/* ---- Calls of hooks. */

enum theft_step theft_hook_run_pre(struct theft *t)
{
    theft_hook_run_pre_cb *hook = t->cfg.hooks.run_pre;
    struct theft_hook_run_pre_info info = {
        .prop_name = t->cfg.name, .total_trials = t->cfg.trials, .run_seed = t->cfg.seed};
    return (hook ? hook : theft_hook_run_pre_print_info)(&info, t->cfg.hooks.env) ==
                   THEFT_HOOK_RUN_PRE_CONTINUE
               ? THEFT_STEP_OK
               : THEFT_STEP_ERROR;
}

enum theft_step theft_hook_run_post(struct theft *t)
{
    theft_hook_run_post_cb *hook = t->cfg.hooks.run_post;
    struct theft_hook_run_post_info info = {.prop_name = t->cfg.name,
                                            .total_trials = t->cfg.trials,
                                            .run_seed = t->cfg.seed,
                                            .report = t->report};
    return (hook ? hook : theft_hook_run_post_print_info)(&info, t->cfg.hooks.env) ==
                   THEFT_HOOK_RUN_POST_CONTINUE
               ? THEFT_STEP_OK
               : THEFT_STEP_ERROR;
}

enum theft_step theft_hook_gen_args_pre(struct theft *t, const struct theft_slot *slot)
{
    if (!t->cfg.hooks.gen_args_pre)
        return THEFT_STEP_OK;
    struct theft_hook_gen_args_pre_info info = {.prop_name = t->cfg.name,
                                                .total_trials = t->cfg.trials,
                                                .trial_id = slot->id,
                                                .failures = t->report.fail,
                                                .run_seed = t->cfg.seed,
                                                .trial_seed = slot->seed,
                                                .arity = t->arity};
    switch (t->cfg.hooks.gen_args_pre(&info, t->cfg.hooks.env)) {
    case THEFT_HOOK_GEN_ARGS_PRE_CONTINUE:
        return THEFT_STEP_OK;
    case THEFT_HOOK_GEN_ARGS_PRE_HALT:
        return THEFT_STEP_HALT;
    default:
        return THEFT_STEP_ERROR;
    }
}

enum theft_step theft_hook_trial_pre(struct theft *t, struct theft_slot *slot)
{
    if (!t->cfg.hooks.trial_pre)
        return THEFT_STEP_OK;
    struct theft_hook_trial_pre_info info = {.prop_name = t->cfg.name,
                                             .total_trials = t->cfg.trials,
                                             .trial_id = slot->id,
                                             .failures = t->report.fail,
                                             .run_seed = t->cfg.seed,
                                             .trial_seed = slot->seed,
                                             .arity = t->arity,
                                             .args = slot->input.args};
    switch (t->cfg.hooks.trial_pre(&info, t->cfg.hooks.env)) {
    case THEFT_HOOK_TRIAL_PRE_CONTINUE:
        return THEFT_STEP_OK;
    case THEFT_HOOK_TRIAL_PRE_HALT:
        return THEFT_STEP_HALT;
    default:
        return THEFT_STEP_ERROR;
    }
}

enum theft_step theft_hook_fork_post(struct theft *t, void **args)
{
    if (!t->cfg.hooks.fork_post)
        return THEFT_STEP_OK;
    struct theft_hook_fork_post_info info = {.t = t,
                                             .prop_name = t->cfg.name,
                                             .total_trials = t->cfg.trials,
                                             .failures = t->report.fail,
                                             .run_seed = t->cfg.seed,
                                             .arity = t->arity,
                                             .args = args};
    return t->cfg.hooks.fork_post(&info, t->cfg.hooks.env) == THEFT_HOOK_FORK_POST_CONTINUE
               ? THEFT_STEP_OK
               : THEFT_STEP_ERROR;
}

enum theft_step theft_hook_counterexample(struct theft *t, struct theft_slot *slot)
{
    theft_hook_counterexample_cb *hook = t->cfg.hooks.counterexample;
    struct theft_hook_counterexample_info info = {
        .t = t,
        .prop_name = t->cfg.name,
        .total_trials = t->cfg.trials,
        .trial_id = slot->id,
        .trial_seed = slot->seed,
        .arity = t->arity,
        /* They are writable in the API, and belong to the caller. */
        .type_info = (struct theft_type_info **)t->cfg.type_info,
        .args = slot->input.args};
    t->shown = &slot->input;
    return (hook ? hook : theft_print_counterexample)(&info, t->cfg.hooks.env) ==
                   THEFT_HOOK_COUNTEREXAMPLE_CONTINUE
               ? THEFT_STEP_OK
               : THEFT_STEP_ERROR;
}

enum theft_hook_trial_post_res theft_hook_trial_post(struct theft *t, struct theft_slot *slot,
                                                     enum theft_trial_res result, bool repeat)
{
    theft_hook_trial_post_cb *hook = t->cfg.hooks.trial_post;
    void *env = t->cfg.hooks.env;
    if (!hook || hook == theft_hook_trial_post_print_result) {
        hook = theft_hook_trial_post_print_result;
        env = &t->print_env;
    }
    struct theft_hook_trial_post_info info = {.t = t,
                                              .prop_name = t->cfg.name,
                                              .total_trials = t->cfg.trials,
                                              .trial_id = slot->id,
                                              .failures = t->report.fail,
                                              .run_seed = t->cfg.seed,
                                              .trial_seed = slot->seed,
                                              .arity = t->arity,
                                              .args = slot->input.args,
                                              .result = result,
                                              .repeat = repeat};
    t->current = slot;
    return hook(&info, env);
}
