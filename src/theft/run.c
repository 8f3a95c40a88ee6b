/* A run from its configuration to its result. */
#include "internal.h"

#include <sys/mman.h>

static theft_seed seed_of(const struct theft *t, size_t id)
{
    if (id < t->cfg.always_seed_count)
        return t->cfg.always_seeds[id];
    return theft_trial_seed(t->cfg.seed, id - t->cfg.always_seed_count);
}

/* The last target_trials trials, but never the seeds that must be run, are guided. */
static bool is_guided(const struct theft *t, size_t id)
{
    return t->search && id >= t->cfg.always_seed_count &&
           t->cfg.trials - id <= t->ext.target_trials;
}

/* Makes the arguments of a trial. */
static enum theft_step prepare(struct theft *t, struct theft_slot *slot, size_t id)
{
    slot->id = id;
    slot->seed = seed_of(t, id);
    slot->unconfirmed = false;
    slot->step_by = 0;
    enum theft_step step = theft_hook_gen_args_pre(t, slot);
    if (step != THEFT_STEP_OK)
        return step;
    enum theft_alloc_res res;
    if (!is_guided(t, id) || !theft_search_propose(t, slot, &res))
        res = theft_input_generate(t, &slot->input, slot->seed);
    if (res == THEFT_ALLOC_ERROR)
        return t->source.no_memory ? THEFT_STEP_NO_MEMORY : THEFT_STEP_ERROR;
    slot->state = res == THEFT_ALLOC_OK ? THEFT_SLOT_READY : THEFT_SLOT_SKIPPED;
    if (t->deduplicate && slot->state == THEFT_SLOT_READY) {
        slot->fingerprint = theft_input_fingerprint(t, &slot->input);
        if (theft_duplicates_add(&t->tried, slot->fingerprint))
            slot->state = THEFT_SLOT_DUPLICATE;
    }
    return THEFT_STEP_OK;
}

static void discard(struct theft *t, struct theft_slot *slot)
{
    if (slot->state == THEFT_SLOT_READY || slot->state == THEFT_SLOT_DUPLICATE)
        theft_input_free_args(t, &slot->input);
}

/* Calls the property, unless that was done in a batch, and draws the conclusions. */
static enum theft_step finish(struct theft *t, struct theft_slot *slot)
{
    if (slot->state == THEFT_SLOT_READY) {
        enum theft_step step = theft_hook_trial_pre(t, slot);
        if (step != THEFT_STEP_OK)
            return step;
        if (t->slot_count == 1)
            slot->outcome = theft_call(t, slot->seed, slot->input.args);
    }
    return theft_conclude(t, slot);
}

/* One batch of trials from `first` on; how many were made is added to *done. */
static enum theft_step run_batch(struct theft *t, size_t first, size_t *done)
{
    enum theft_step made = THEFT_STEP_OK, step = THEFT_STEP_OK;
    size_t count = 0;
    while (count < t->slot_count && first + count < t->cfg.trials) {
        made = prepare(t, &t->slots[count], first + count);
        if (made != THEFT_STEP_OK)
            break;
        count++;
    }
    if (t->slot_count > 1)
        theft_batch_call(t, count);
    for (size_t i = 0; i < count; i++) {
        if (step == THEFT_STEP_OK)
            step = finish(t, &t->slots[i]);
        discard(t, &t->slots[i]);
    }
    *done += count;
    return step == THEFT_STEP_OK ? made : step;
}

enum theft_step theft_run_trials(struct theft *t)
{
    enum theft_step step = theft_hook_run_pre(t);
    size_t done = 0;
    while (step == THEFT_STEP_OK && done < t->cfg.trials)
        step = run_batch(t, done, &done);
    if (step == THEFT_STEP_OK || step == THEFT_STEP_HALT)
        step = theft_hook_run_post(t);
    return step;
}

static void set_defaults(struct theft *t)
{
    struct theft_run_config *cfg = &t->cfg;
    if (cfg->trials == 0)
        cfg->trials = THEFT_DEF_TRIALS;
    if (cfg->seed == 0)
        cfg->seed = THEFT_DEFAULT_SEED;
    if (cfg->fork.signal == 0)
        cfg->fork.signal = SIGTERM;
    if (cfg->fork.exit_timeout == 0)
        cfg->fork.exit_timeout = THEFT_DEF_EXIT_TIMEOUT_MSEC;
    t->out = stdout;
    t->deduplicate = true;
    for (unsigned i = 0; i < t->arity; i++) {
        const struct theft_type_info *info = cfg->type_info[i];
        if (!info->hash && !info->autoshrink_config.enable)
            t->deduplicate = false;
    }
    t->slot_count = cfg->fork.enable && t->ext.batch > 1 ? t->ext.batch : 1;
    if (t->slot_count > THEFT_MAX_BATCH)
        t->slot_count = THEFT_MAX_BATCH;
    if (t->slot_count > cfg->trials)
        t->slot_count = cfg->trials;
    t->tried.limit = t->ext.duplicate_memory;
    t->tried.expected = cfg->trials;
    t->failed.limit = t->ext.duplicate_memory;
}

/* Room for the draws of an input, as the types ask for it. */
static bool reserve_pool(struct theft *t, struct theft_input *in)
{
    size_t bits = 0;
    for (unsigned i = 0; i < t->arity; i++) {
        const struct theft_autoshrink_config *c = &t->cfg.type_info[i]->autoshrink_config;
        if (c->enable)
            bits += c->pool_size ? c->pool_size : THEFT_DEFAULT_POOL_BITS;
    }
    return theft_choices_reserve(&in->choices, bits / 64);
}

static bool set_memory(struct theft *t)
{
    t->shared_bytes = sizeof *t->shared + t->slot_count * sizeof(struct theft_outcome);
    t->shared =
        mmap(NULL, t->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t->shared == MAP_FAILED) {
        t->shared = NULL;
        return false;
    }
    t->slots = calloc(t->slot_count, sizeof *t->slots);
    if (!t->slots)
        return false;
    for (size_t i = 0; i < t->slot_count; i++)
        if (!reserve_pool(t, &t->slots[i].input))
            return false;
    if (t->ext.target_trials)
        t->search = theft_search_new();
    return !t->ext.target_trials || t->search;
}

static void clear(struct theft *t)
{
    for (size_t i = 0; t->slots && i < t->slot_count; i++)
        theft_choices_clear(&t->slots[i].input.choices);
    free(t->slots);
    if (t->shared)
        munmap(t->shared, t->shared_bytes);
    theft_search_free(t->search);
    theft_duplicates_clear(&t->tried);
    theft_duplicates_clear(&t->failed);
    free(t);
}

static enum theft_run_res result_of(const struct theft *t, enum theft_step step)
{
    if (step == THEFT_STEP_NO_MEMORY)
        return THEFT_RUN_ERROR_MEMORY;
    if (step == THEFT_STEP_ERROR)
        return THEFT_RUN_ERROR;
    if (t->report.fail)
        return THEFT_RUN_FAIL;
    return t->report.pass ? THEFT_RUN_PASS : THEFT_RUN_SKIP;
}

static void write_report(const struct theft *t, struct theft_extension_report *report)
{
    memset(report, 0, sizeof *report);
    report->available = true;
    report->trials = t->report;
    report->property_calls = t->property_calls;
    report->unconfirmed = t->unconfirmed;
    report->duplicates_missed = t->tried.full;
    report->has_target = t->has_target;
    report->best_target = t->best_target;
    report->best_trial = t->best_trial;
    theft_labels_report(t, report);
}

enum theft_run_res theft_run_extended(const struct theft_run_config *cfg,
                                      const struct theft_extension_config *ext,
                                      struct theft_extension_report *report,
                                      struct theft_coverage_result *coverage)
{
    uint8_t arity;
    if (!theft_config_check(cfg, &arity))
        return THEFT_RUN_ERROR_BAD_ARGS;
    struct theft *t = calloc(1, sizeof *t);
    if (!t)
        return THEFT_RUN_ERROR_MEMORY;
    t->cfg = *cfg;
    if (ext)
        t->ext = *ext;
    t->arity = arity;
    set_defaults(t);
    enum theft_step step = set_memory(t) ? theft_run_trials(t) : THEFT_STEP_NO_MEMORY;
    enum theft_run_res res = result_of(t, step);
    if (t->ext.coverage_count && !theft_coverage_check(t, coverage) && res == THEFT_RUN_PASS)
        res = THEFT_RUN_FAIL;
    if (report)
        write_report(t, report);
    clear(t);
    return res;
}

enum theft_run_res theft_run(const struct theft_run_config *cfg)
{
    return theft_run_extended(cfg, NULL, NULL, NULL);
}
