/* A run from its configuration to its result. */
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "internal.h"
#include "shrink.h"

/* ---- The configuration ------------------------------------------------------------------- */

static bool type_check(const struct theft_type_info *info)
{
    return info && info->alloc && !(info->shrink && info->autoshrink_config.enable);
}

static bool has_property(const struct theft_run_config *cfg, uint8_t arity)
{
    switch (arity) {
    case 1:
        return cfg->prop1 != NULL;
    case 2:
        return cfg->prop2 != NULL;
    case 3:
        return cfg->prop3 != NULL;
    case 4:
        return cfg->prop4 != NULL;
    case 5:
        return cfg->prop5 != NULL;
    case 6:
        return cfg->prop6 != NULL;
    case 7:
        return cfg->prop7 != NULL;
    default:
        return false;
    }
}

/* Returns false if a run is impossible with the configuration. */
static bool config_check(const struct theft_run_config *cfg, uint8_t *arity)
{
    if (!cfg)
        return false;
    for (*arity = 0; *arity < THEFT_MAX_ARITY && cfg->type_info[*arity]; (*arity)++)
        if (!type_check(cfg->type_info[*arity]))
            return false;
    if (cfg->always_seed_count && !cfg->always_seeds)
        return false;
    return has_property(cfg, *arity);
}

/* ---- Calling the property ---------------------------------------------------------------- */

static enum theft_trial_res call_property(struct theft *t, void **a)
{
    const struct theft_run_config *c = &t->cfg;
    switch (t->arity) {
    case 1:
        return c->prop1(t, a[0]);
    case 2:
        return c->prop2(t, a[0], a[1]);
    case 3:
        return c->prop3(t, a[0], a[1], a[2]);
    case 4:
        return c->prop4(t, a[0], a[1], a[2], a[3]);
    case 5:
        return c->prop5(t, a[0], a[1], a[2], a[3], a[4]);
    case 6:
        return c->prop6(t, a[0], a[1], a[2], a[3], a[4], a[5]);
    case 7:
        return c->prop7(t, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
    default:
        return THEFT_TRIAL_ERROR;
    }
}

void theft_outcome_start(struct theft_shared *s, struct theft_outcome *o)
{
    memset(o, 0, sizeof *o);
    s->noting = o;
}

void theft_call_here(struct theft *t, theft_seed seed, void **args, struct theft_outcome *o)
{
    theft_outcome_start(t->shared, o);
    /* A property that draws sees the same draws whenever it is called for this trial. */
    theft_source_fresh(&t->source, seed, THEFT_STREAM_PROPERTY, NULL);
    enum theft_trial_res res = call_property(t, args);
    /* Only the engine may report duplicates. */
    o->result = (unsigned)res <= THEFT_TRIAL_SKIP ? (uint8_t)res : THEFT_TRIAL_ERROR;
    o->done = true;
}

struct theft_outcome theft_call(struct theft *t, theft_seed seed, void **args)
{
    t->property_calls++;
    if (t->cfg.fork.enable)
        return theft_call_forked(t, seed, args);
    theft_call_here(t, seed, args, &t->shared->outcome);
    return t->shared->outcome;
}

/* ---- Labels and targets ------------------------------------------------------------------
 *
 * The names of labels are in memory shared with child processes; outcomes refer to them by
 * number. */

/* Returns the number of a label, which is added if necessary; THEFT_MAX_LABELS if the table is
 * full. */
static size_t number_of(struct theft_shared *s, const char *name)
{
    size_t i;
    for (i = 0; i < s->label_count && i < THEFT_MAX_LABELS; i++)
        if (strncmp(s->labels[i], name, THEFT_MAX_LABEL_BYTES - 1) == 0)
            return i;
    if (i < THEFT_MAX_LABELS) {
        strncpy(s->labels[i], name, THEFT_MAX_LABEL_BYTES - 1);
        s->label_count = i + 1;
    }
    return i;
}

void theft_label(struct theft *t, const char *name)
{
    struct theft_shared *s = t->shared;
    if (!s || !s->noting) /* no property has been called yet */
        return;
    size_t i = number_of(s, name);
    if (i < THEFT_MAX_LABELS)
        s->noting->labels[i / 64] |= UINT64_C(1) << i % 64;
    else
        s->noting->labels_dropped = true;
}

void theft_target(struct theft *t, double value)
{
    struct theft_outcome *o = t->shared ? t->shared->noting : NULL;
    if (!o || value != value || (o->has_target && value <= o->target))
        return;
    o->has_target = true;
    o->target = value;
}

bool theft_target_get(struct theft *t, double *value)
{
    const struct theft_slot *slot = t->current;
    if (!slot || slot->state != THEFT_SLOT_READY || !slot->outcome.has_target)
        return false;
    *value = slot->outcome.target;
    return true;
}

static void count_labels(struct theft *t, const struct theft_outcome *outcome)
{
    t->labels_dropped += outcome->labels_dropped;
    for (size_t word = 0; word < THEFT_MAX_LABELS / 64; word++)
        for (uint64_t left = outcome->labels[word]; left; left &= left - 1)
            t->label_counts[word * 64 + (size_t)__builtin_ctzll(left)]++;
}

static void report_labels(const struct theft *t, struct theft_extension_report *report)
{
    const struct theft_shared *s = t->shared;
    report->labels_dropped = t->labels_dropped;
    for (size_t i = 0; s && i < s->label_count && i < THEFT_MAX_LABELS; i++) {
        struct theft_label_count *label = &report->labels[report->label_count++];
        memcpy(label->name, s->labels[i], THEFT_MAX_LABEL_BYTES - 1);
        label->count = t->label_counts[i];
    }
}

/* ---- What follows from the outcome of a trial -------------------------------------------- */

/* Ends a trial that did not fail. */
static enum theft_step close_trial(struct theft *t, struct theft_slot *slot,
                                   enum theft_trial_res result)
{
    return theft_hook_trial_post(t, slot, result, false) == THEFT_HOOK_TRIAL_POST_ERROR
               ? THEFT_STEP_ERROR
               : THEFT_STEP_OK;
}

/* Ends the run: the hook of the trial is called, and its answer ignored. */
static enum theft_step close_error(struct theft *t, struct theft_slot *slot,
                                   enum theft_step step)
{
    (void)theft_hook_trial_post(t, slot, THEFT_TRIAL_ERROR, false);
    return step;
}

/* After a failure the hook may request repetitions with the same arguments. A repetition that
 * does not fail means that the property is not a function of its arguments. */
static enum theft_step close_failure(struct theft *t, struct theft_slot *slot)
{
    enum theft_hook_trial_post_res res =
        theft_hook_trial_post(t, slot, THEFT_TRIAL_FAIL, false);
    while (res == THEFT_HOOK_TRIAL_POST_REPEAT || res == THEFT_HOOK_TRIAL_POST_REPEAT_ONCE) {
        bool once = res == THEFT_HOOK_TRIAL_POST_REPEAT_ONCE;
        struct theft_outcome again = theft_call(t, slot->seed, slot->input.args);
        enum theft_trial_res result = (enum theft_trial_res)again.result;
        res = theft_hook_trial_post(t, slot, result, true);
        if (result != THEFT_TRIAL_FAIL) {
            fprintf(t->out,
                    "\nwarning: trial %zu failed, but its repetition is %s: the property "
                    "depends on more than its arguments\n",
                    slot->id, theft_trial_res_str(result));
            return THEFT_STEP_ERROR;
        }
        if (once && res != THEFT_HOOK_TRIAL_POST_ERROR)
            return THEFT_STEP_OK;
    }
    return res == THEFT_HOOK_TRIAL_POST_CONTINUE ? THEFT_STEP_OK : THEFT_STEP_ERROR;
}

static enum theft_step fail(struct theft *t, struct theft_slot *slot)
{
    if (slot->unconfirmed) {
        t->unconfirmed++;
        t->report.fail++;
        fprintf(t->out,
                "\nwarning: trial %zu (seed 0x%016" PRIx64 ") failed in a batch, not alone",
                slot->id, slot->seed);
        if (slot->together_from == SIZE_MAX)
            fprintf(t->out, ", and not again\n");
        else
            fprintf(t->out, ", but again after trials %zu to it\n", slot->together_from);
        return close_trial(t, slot, THEFT_TRIAL_FAIL);
    }
    if (t->deduplicate)
        theft_duplicates_add(&t->failed, slot->fingerprint);
    enum theft_step step = theft_shrink(t, slot);
    if (step != THEFT_STEP_OK) {
        theft_input_free_args(t, &slot->input);
        slot->state = THEFT_SLOT_EMPTY;
        return close_error(t, slot, step);
    }
    t->report.fail++;
    step = theft_hook_counterexample(t, slot);
    return step == THEFT_STEP_OK ? close_failure(t, slot) : step;
}

static void note_target(struct theft *t, const struct theft_slot *slot)
{
    const struct theft_outcome *o = &slot->outcome;
    if (o->has_target && (!t->has_target || o->target > t->best_target)) {
        t->has_target = true;
        t->best_target = o->target;
        t->best_trial = slot->id;
    }
}

/* Handles the outcome of a trial: shrinking, counters, hooks. */
static enum theft_step conclude(struct theft *t, struct theft_slot *slot)
{
    if (slot->state == THEFT_SLOT_SKIPPED) {
        t->report.skip++;
        return close_trial(t, slot, THEFT_TRIAL_SKIP);
    }
    if (slot->state == THEFT_SLOT_DUPLICATE) {
        t->report.dup++;
        return close_trial(t, slot, THEFT_TRIAL_DUP);
    }
    enum theft_trial_res result = (enum theft_trial_res)slot->outcome.result;
    if (result == THEFT_TRIAL_PASS || result == THEFT_TRIAL_FAIL) {
        count_labels(t, &slot->outcome);
        note_target(t, slot);
        if (t->search)
            theft_search_observe(t, slot);
    }
    switch (result) {
    case THEFT_TRIAL_PASS:
        t->report.pass++;
        return close_trial(t, slot, result);
    case THEFT_TRIAL_SKIP:
        t->report.skip++;
        return close_trial(t, slot, result);
    case THEFT_TRIAL_FAIL:
        return fail(t, slot);
    default:
        return close_error(t, slot, THEFT_STEP_ERROR);
    }
}

/* ---- The run ----------------------------------------------------------------------------- */

static theft_seed seed_of(const struct theft *t, size_t id)
{
    if (id < t->cfg.always_seed_count)
        return t->cfg.always_seeds[id];
    return theft_trial_seed(t->cfg.seed, id - t->cfg.always_seed_count);
}

/* Returns whether the trial is guided: one of the last target_trials, and without a given seed.
 */
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

/* Calls the property, unless a batch has done so, and handles the outcome. */
static enum theft_step finish(struct theft *t, struct theft_slot *slot)
{
    if (slot->state == THEFT_SLOT_READY) {
        enum theft_step step = theft_hook_trial_pre(t, slot);
        if (step != THEFT_STEP_OK)
            return step;
        if (t->slot_count == 1)
            slot->outcome = theft_call(t, slot->seed, slot->input.args);
    }
    return conclude(t, slot);
}

/* Runs one batch of trials from `first` on; adds their number to *done. */
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

static enum theft_step run_trials(struct theft *t)
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

/* Reserves memory for the draws of an input, as its types require. */
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
    report_labels(t, report);
}

enum theft_run_res theft_run_extended(const struct theft_run_config *cfg,
                                      const struct theft_extension_config *ext,
                                      struct theft_extension_report *report,
                                      struct theft_coverage_result *coverage)
{
    uint8_t arity;
    if (!config_check(cfg, &arity))
        return THEFT_RUN_ERROR_BAD_ARGS;
    struct theft *t = calloc(1, sizeof *t);
    if (!t)
        return THEFT_RUN_ERROR_MEMORY;
    t->cfg = *cfg;
    if (ext)
        t->ext = *ext;
    t->arity = arity;
    set_defaults(t);
    enum theft_step step = set_memory(t) ? run_trials(t) : THEFT_STEP_NO_MEMORY;
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

/* ---- One instance of a type from its seed ------------------------------------------------ */

static enum theft_generate_res generate(struct theft *t, FILE *f, theft_seed seed,
                                        struct theft_input *in)
{
    const struct theft_type_info *info = t->cfg.type_info[0];
    switch (theft_input_generate(t, in, seed)) {
    case THEFT_ALLOC_OK:
        break;
    case THEFT_ALLOC_SKIP:
        return THEFT_GENERATE_SKIP;
    default:
        return t->source.no_memory ? THEFT_GENERATE_ERROR_MEMORY : THEFT_GENERATE_ERROR_ALLOC;
    }
    fprintf(f, "-- Seed 0x%016" PRIx64 "\n", seed);
    theft_print_arg(f, info, in->args[0], in->choices.at, in->choices.count);
    theft_input_free_args(t, in);
    return THEFT_GENERATE_OK;
}

enum theft_generate_res theft_generate(FILE *f, theft_seed seed,
                                       const struct theft_type_info *info, void *hook_env)
{
    if (!f || !type_check(info))
        return THEFT_GENERATE_ERROR_BAD_ARGS;
    struct theft *t = calloc(1, sizeof *t);
    if (!t)
        return THEFT_GENERATE_ERROR_MEMORY;
    struct theft_input in = {.choices = {0}};
    t->cfg.type_info[0] = info;
    t->cfg.hooks.env = hook_env;
    t->arity = 1;
    t->out = f;
    enum theft_generate_res res = generate(t, f, seed, &in);
    theft_choices_clear(&in.choices);
    free(t);
    return res;
}

/* ---- Other functions of the API ---------------------------------------------------------- */

void *theft_hook_get_env(struct theft *t)
{
    return t->cfg.hooks.env;
}

void theft_set_output_stream(struct theft *t, FILE *out)
{
    t->out = out;
}

theft_seed theft_seed_of_time(void)
{
    struct timeval tv;
    if (gettimeofday(&tv, NULL) != 0)
        return THEFT_DEFAULT_SEED;
    uint64_t parts[2] = {(uint64_t)tv.tv_sec, (uint64_t)tv.tv_usec};
    return theft_hash_onepass((const uint8_t *)parts, sizeof parts);
}

void theft_generic_free_cb(void *instance, void *env)
{
    (void)env;
    free(instance);
}

const char *theft_trial_res_str(enum theft_trial_res res)
{
    switch (res) {
    case THEFT_TRIAL_PASS:
        return "PASS";
    case THEFT_TRIAL_FAIL:
        return "FAIL";
    case THEFT_TRIAL_SKIP:
        return "SKIP";
    case THEFT_TRIAL_DUP:
        return "DUP";
    case THEFT_TRIAL_ERROR:
        return "ERROR";
    }
    return "(no such result)";
}

const char *theft_run_res_str(enum theft_run_res res)
{
    switch (res) {
    case THEFT_RUN_PASS:
        return "PASS";
    case THEFT_RUN_FAIL:
        return "FAIL";
    case THEFT_RUN_SKIP:
        return "SKIP";
    case THEFT_RUN_ERROR:
        return "ERROR";
    case THEFT_RUN_ERROR_MEMORY:
        return "ERROR_MEMORY";
    case THEFT_RUN_ERROR_BAD_ARGS:
        return "ERROR_BAD_ARGS";
    }
    return "(no such result)";
}
