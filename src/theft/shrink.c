/* Shrinking: arguments with a shrink callback by its tactics, arguments that autoshrink by
 * their choices, in turn until neither makes progress. */
#include "shrink.h"

/* ---- An attempt: hooks, the call of the property, and known outcomes --------------------- */

static enum theft_step hook_pre(struct theft_shrink *s, unsigned i, uint32_t tactic)
{
    struct theft *t = s->t;
    if (!t->cfg.hooks.shrink_pre)
        return THEFT_STEP_OK;
    struct theft_hook_shrink_pre_info info = {.prop_name = t->cfg.name,
                                              .total_trials = t->cfg.trials,
                                              .trial_id = s->slot->id,
                                              .failures = t->report.fail,
                                              .run_seed = t->cfg.seed,
                                              .trial_seed = s->slot->seed,
                                              .arity = t->arity,
                                              .shrink_count = s->count,
                                              .successful_shrinks = s->successes,
                                              .failed_shrinks = s->failures,
                                              .arg_index = (uint8_t)i,
                                              .arg = s->slot->input.args[i],
                                              .tactic = tactic};
    switch (t->cfg.hooks.shrink_pre(&info, t->cfg.hooks.env)) {
    case THEFT_HOOK_SHRINK_PRE_CONTINUE:
        return THEFT_STEP_OK;
    case THEFT_HOOK_SHRINK_PRE_HALT:
        return s->end = THEFT_STEP_HALT;
    default:
        return s->end = THEFT_STEP_ERROR;
    }
}

static enum theft_step hook_post(struct theft_shrink *s, unsigned i, uint32_t tactic, void *arg,
                                 enum theft_shrink_post_state state)
{
    struct theft *t = s->t;
    if (!t->cfg.hooks.shrink_post)
        return THEFT_STEP_OK;
    struct theft_hook_shrink_post_info info = {.prop_name = t->cfg.name,
                                               .total_trials = t->cfg.trials,
                                               .trial_id = s->slot->id,
                                               .run_seed = t->cfg.seed,
                                               .trial_seed = s->slot->seed,
                                               .arity = t->arity,
                                               .shrink_count = s->count,
                                               .successful_shrinks = s->successes,
                                               .failed_shrinks = s->failures,
                                               .arg_index = (uint8_t)i,
                                               .arg = arg,
                                               .tactic = tactic,
                                               .state = state};
    if (t->cfg.hooks.shrink_post(&info, t->cfg.hooks.env) != THEFT_HOOK_SHRINK_POST_CONTINUE)
        s->end = THEFT_STEP_ERROR;
    return s->end;
}

static enum theft_hook_shrink_trial_post_res trial_post(struct theft_shrink *s, unsigned i,
                                                        uint32_t tactic, void **args,
                                                        enum theft_trial_res result)
{
    struct theft *t = s->t;
    if (!t->cfg.hooks.shrink_trial_post)
        return THEFT_HOOK_SHRINK_TRIAL_POST_CONTINUE;
    struct theft_hook_shrink_trial_post_info info = {.prop_name = t->cfg.name,
                                                     .total_trials = t->cfg.trials,
                                                     .trial_id = s->slot->id,
                                                     .failures = t->report.fail,
                                                     .run_seed = t->cfg.seed,
                                                     .trial_seed = s->slot->seed,
                                                     .arity = t->arity,
                                                     .shrink_count = s->count,
                                                     .successful_shrinks = s->successes,
                                                     .failed_shrinks = s->failures,
                                                     .arg_index = (uint8_t)i,
                                                     .args = args,
                                                     .tactic = tactic,
                                                     .result = result};
    return t->cfg.hooks.shrink_trial_post(&info, t->cfg.hooks.env);
}

/* Calls the property on `args`, again as often as the hook requests it. Returns whether it
 * still fails; errors are in s->end. */
static bool still_fails(struct theft_shrink *s, unsigned i, uint32_t tactic, void **args)
{
    bool again = false, once = false;
    for (;;) {
        struct theft_outcome o = theft_call(s->t, s->slot->seed, args);
        enum theft_trial_res result = (enum theft_trial_res)o.result;
        bool fails = result == THEFT_TRIAL_FAIL;
        enum theft_hook_shrink_trial_post_res res = trial_post(s, i, tactic, args, result);
        if (result == THEFT_TRIAL_ERROR || res == THEFT_HOOK_SHRINK_TRIAL_POST_ERROR ||
            (again && !fails)) {
            s->end = THEFT_STEP_ERROR;
            return false;
        }
        if (!fails || once || res == THEFT_HOOK_SHRINK_TRIAL_POST_CONTINUE)
            return fails;
        again = true;
        once = res == THEFT_HOOK_SHRINK_TRIAL_POST_REPEAT_ONCE;
    }
}

/* Returns whether `in` is known to be no simpler counterexample. */
static bool is_known(struct theft_shrink *s, const struct theft_input *in)
{
    struct theft *t = s->t;
    if (!t->deduplicate)
        return false;
    struct theft_fingerprint f = theft_input_fingerprint(t, in);
    /* Tried for this counterexample, or as a trial that did not fail. */
    return theft_duplicates_add(&s->tried, f) ||
           (theft_duplicates_has(&t->tried, f) && !theft_duplicates_has(&t->failed, f));
}

/* ---- By the callback of a type: tactics in order, from the first after a success --------- */

/* Replaces the current argument by a candidate that still fails. */
static void adopt_arg(struct theft_shrink *s, unsigned i, void *arg)
{
    theft_arg_free(s->t, i, s->slot->input.args[i]);
    s->slot->input.args[i] = arg;
    s->successes++;
    s->by_tactics++;
}

/* Calls the property on a candidate; returns whether it still fails. */
static bool test_arg(struct theft_shrink *s, unsigned i, uint32_t tactic, void *arg)
{
    struct theft_input in = s->slot->input; /* shares choices and the other arguments */
    in.args[i] = arg;
    if (is_known(s, &in))
        return false;
    return still_fails(s, i, tactic, in.args);
}

/* Makes one attempt. Returns false if the argument has no more tactics. */
static bool attempt_tactic(struct theft_shrink *s, unsigned i, uint32_t tactic, bool *success)
{
    struct theft *t = s->t;
    const struct theft_type_info *info = t->cfg.type_info[i];
    void *current = s->slot->input.args[i], *arg = NULL;
    *success = false;
    if (hook_pre(s, i, tactic) != THEFT_STEP_OK)
        return false;
    theft_source_fresh(&t->source, s->slot->seed + s->count, THEFT_STREAM_SHRINK, NULL);
    enum theft_shrink_res res = info->shrink(t, current, tactic, info->env, &arg);
    s->count++;
    if (res == THEFT_SHRINK_ERROR) {
        s->end = THEFT_STEP_ERROR;
        return false;
    }
    if (res != THEFT_SHRINK_OK) {
        bool done = res == THEFT_SHRINK_NO_MORE_TACTICS;
        s->failures++;
        hook_post(s, i, tactic, current,
                  done ? THEFT_SHRINK_POST_DONE_SHRINKING : THEFT_SHRINK_POST_SHRINK_FAILED);
        return !done && s->end == THEFT_STEP_OK;
    }
    hook_post(s, i, tactic, arg, THEFT_SHRINK_POST_SHRUNK);
    if (s->end == THEFT_STEP_OK && test_arg(s, i, tactic, arg)) {
        adopt_arg(s, i, arg);
        *success = true;
        return true;
    }
    theft_arg_free(t, i, arg);
    s->failures++;
    return s->end == THEFT_STEP_OK;
}

/* Shrinks argument i by the callback of its type; true on progress. */
static bool shrink_by_tactics(struct theft_shrink *s, unsigned i)
{
    bool progress = false, success;
    uint32_t tactic = 0;
    while (attempt_tactic(s, i, tactic, &success)) {
        progress |= success;
        tactic = success ? 0 : tactic + 1;
    }
    return progress;
}

/* ---- By choices: deterministic, on the recorded draws of all autoshrinking arguments at
 * once. Of two counterexamples the one with fewer choices is simpler, and among equally many
 * the one whose choices come first in lexicographic order. A candidate is a sequence of
 * choices; the alloc callbacks of the types make an input of it, and the choices that they used
 * are compared. */

bool theft_shrink_propose(struct theft_shrink *s)
{
    const struct theft_input *in = &s->slot->input;
    if (theft_shrink_over(s))
        return false;
    memcpy(s->part, in->start, sizeof s->part);
    if (theft_choices_set(&s->proposal, in->choices.at, in->choices.count))
        return true;
    s->end = THEFT_STEP_NO_MEMORY;
    return false;
}

unsigned theft_shrink_arg_of(const struct theft_shrink *s, size_t at)
{
    unsigned i = 0;
    while (i + 1u < s->t->arity && at >= s->slot->input.start[i + 1])
        i++;
    return i;
}

void theft_shrink_cut(struct theft_shrink *s, size_t at, size_t count)
{
    theft_choices_delete(&s->proposal, at, count);
    for (unsigned i = 0; i <= s->t->arity; i++)
        if (s->part[i] > at)
            s->part[i] -= count;
}

static bool same_choices(const struct theft_choice *a, size_t m, const struct theft_choice *b,
                         size_t n)
{
    if (m != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (a[i].value != b[i].value)
            return false;
    return true;
}

/* Returns whether the proposal does not change argument i. */
static bool arg_unchanged(const struct theft_shrink *s, unsigned i)
{
    const struct theft_input *in = &s->slot->input;
    return same_choices(s->proposal.at + s->part[i], s->part[i + 1] - s->part[i],
                        in->choices.at + in->start[i], in->start[i + 1] - in->start[i]);
}

static bool simpler(const struct theft_choices *a, const struct theft_choices *b)
{
    if (a->count != b->count)
        return a->count < b->count;
    for (size_t i = 0; i < a->count; i++)
        if (a->at[i].value != b->at[i].value)
            return a->at[i].value < b->at[i].value;
    return false;
}

/* Marks the choices as tried, together with the arguments that shrink by tactics; returns
 * whether they were tried before. */
static bool tried_before(struct theft_shrink *s, const struct theft_choices *c)
{
    struct theft_fingerprint f = theft_fingerprint_init();
    theft_fingerprint_add(&f, s->by_tactics);
    theft_fingerprint_add_choices(&f, c->at, c->count);
    f.b = ~f.b; /* differs from the fingerprints of inputs, which are in the same set */
    return theft_duplicates_add(&s->tried, f);
}

/* Frees the candidate's arguments, except those it shares with the current input. */
static void drop_candidate(struct theft_shrink *s, unsigned made)
{
    for (unsigned i = 0; i < made; i++)
        if (s->fresh[i])
            theft_arg_free(s->t, i, s->candidate.args[i]);
}

/* Makes the candidate of the proposal; false when an alloc callback refuses. */
static bool make_candidate(struct theft_shrink *s)
{
    struct theft_input *c = &s->candidate;
    c->choices.count = 0;
    for (unsigned i = 0; i < s->t->arity; i++) {
        const struct theft_choice *from = s->proposal.at + s->part[i];
        size_t count = s->part[i + 1] - s->part[i];
        enum theft_alloc_res res = THEFT_ALLOC_OK;
        c->start[i] = c->choices.count;
        c->args[i] = s->slot->input.args[i];
        s->fresh[i] = !arg_unchanged(s, i);
        if (!s->fresh[i]) {
            for (size_t k = 0; k < count; k++)
                if (!theft_choices_push(&c->choices, from[k].value, from[k].max))
                    s->t->source.no_memory = true;
        } else {
            res = theft_input_replay_arg(s->t, i, from, count, &c->choices, &c->args[i]);
        }
        c->start[i + 1] = c->choices.count;
        if (res != THEFT_ALLOC_OK || s->t->source.no_memory) {
            drop_candidate(s, i);
            if (res != THEFT_ALLOC_SKIP)
                s->end = s->t->source.no_memory ? THEFT_STEP_NO_MEMORY : THEFT_STEP_ERROR;
            return false;
        }
    }
    return true;
}

/* The candidate becomes the current input. */
static void adopt_candidate(struct theft_shrink *s)
{
    struct theft_input old = s->slot->input;
    for (unsigned i = 0; i < s->t->arity; i++)
        if (s->fresh[i])
            theft_arg_free(s->t, i, old.args[i]);
    s->slot->input = s->candidate;
    s->candidate.choices = old.choices; /* reuses the memory for the next candidate */
    s->candidate.choices.count = s->slot->input.choices.count;
    s->successes++;
    s->in_a_row = 0;
}

/* Runs the property on the candidate if it is simpler and not known yet. */
static bool worth_adopting(struct theft_shrink *s, unsigned arg, uint32_t tactic)
{
    const struct theft_input *c = &s->candidate;
    if (!simpler(&c->choices, &s->slot->input.choices))
        return false;
    if (!same_choices(c->choices.at, c->choices.count, s->proposal.at, s->proposal.count) &&
        tried_before(s, &c->choices))
        return false;
    if (is_known(s, c))
        return false;
    return still_fails(s, arg, tactic, s->candidate.args);
}

bool theft_shrink_try(struct theft_shrink *s)
{
    unsigned arg = 0;
    uint32_t tactic = (uint32_t)s->in_a_row;
    s->made = false;
    while (arg < s->t->arity && arg_unchanged(s, arg))
        arg++;
    if (arg == s->t->arity || tried_before(s, &s->proposal))
        return false;
    if (hook_pre(s, arg, tactic) != THEFT_STEP_OK)
        return false;
    s->count++;
    s->made = make_candidate(s);
    if (s->end != THEFT_STEP_OK)
        return false;
    hook_post(s, arg, tactic, s->made ? s->candidate.args[arg] : s->slot->input.args[arg],
              s->made ? THEFT_SHRINK_POST_SHRUNK : THEFT_SHRINK_POST_SHRINK_FAILED);
    if (s->made && s->end == THEFT_STEP_OK && worth_adopting(s, arg, tactic)) {
        adopt_candidate(s);
        return true;
    }
    if (s->made)
        drop_candidate(s, s->t->arity);
    s->failures++;
    s->in_a_row++;
    return false;
}

bool theft_shrink_try_value(struct theft_shrink *s, size_t i, uint64_t value)
{
    if (i >= theft_shrink_length(s) || !theft_shrink_propose(s))
        return false;
    s->proposal.at[i].value = value;
    return theft_shrink_try(s);
}

uint64_t theft_shrink_extend(struct theft_shrink *s, uint64_t most,
                             theft_shrink_attempt *attempt, void *data)
{
    uint64_t good = 0, k = 1;
    while (k <= most && attempt(s, k, data)) {
        good = k;
        if (k == most)
            return good;
        k = k > most / 2 ? most : 2 * k;
    }
    uint64_t bad = k <= most ? k : most;
    while (bad - good > 1 && good) {
        uint64_t middle = good + (bad - good) / 2;
        if (attempt(s, middle, data))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* Tries the simplest input: no choices. */
static void try_simplest(struct theft_shrink *s)
{
    if (!theft_shrink_propose(s))
        return;
    for (unsigned i = s->t->arity; i-- > 0;)
        theft_shrink_cut(s, s->part[i], s->part[i + 1] - s->part[i]);
    theft_shrink_try(s);
}

static void run_passes(struct theft_shrink *s)
{
    static void (*const passes[])(struct theft_shrink *) = {
        theft_pass_truncate, theft_pass_delete, theft_pass_lower_delete, theft_pass_zero,
        theft_pass_values,   theft_pass_equal,  theft_pass_together,     theft_pass_move,
        theft_pass_raise,    theft_pass_shift,  theft_pass_reorder};
    size_t before;
    do {
        before = s->successes;
        for (size_t i = 0; i < sizeof passes / sizeof *passes && !theft_shrink_over(s); i++)
            passes[i](s);
    } while (s->successes != before && !theft_shrink_over(s));
}

/* Returns the first argument that shrinks by choices; the arity if there is none. */
static unsigned first_by_choices(const struct theft_shrink *s)
{
    unsigned i = 0;
    while (i < s->t->arity && !s->t->cfg.type_info[i]->autoshrink_config.enable)
        i++;
    return i;
}

/* Calls the property once more with the result, so that its last call is that of the
 * counterexample, and calls the hooks with the final state. */
static void finish_choices(struct theft_shrink *s)
{
    uint32_t tactic = (uint32_t)s->in_a_row;
    struct theft_input *in = &s->slot->input;
    unsigned first = first_by_choices(s);
    if (first == s->t->arity || hook_pre(s, first, tactic) != THEFT_STEP_OK ||
        hook_post(s, first, tactic, in->args[first], THEFT_SHRINK_POST_SHRUNK) != THEFT_STEP_OK)
        return;
    if (!still_fails(s, first, tactic, in->args) && s->end == THEFT_STEP_OK)
        fprintf(s->t->out, "\nwarning: the counterexample of trial %zu did not fail again\n",
                s->slot->id);
    for (unsigned i = first; i < s->t->arity && s->end == THEFT_STEP_OK; i++) {
        if (!s->t->cfg.type_info[i]->autoshrink_config.enable ||
            hook_pre(s, i, tactic) != THEFT_STEP_OK)
            continue;
        hook_post(s, i, tactic, in->args[i], THEFT_SHRINK_POST_DONE_SHRINKING);
    }
}

/* Shrinks all autoshrinking arguments together; true on progress. */
static bool shrink_by_choices(struct theft_shrink *s)
{
    size_t before = s->successes, most = 0;
    unsigned first = first_by_choices(s);
    for (unsigned i = first; i < s->t->arity; i++) {
        const struct theft_autoshrink_config *c = &s->t->cfg.type_info[i]->autoshrink_config;
        if (c->enable && c->max_failed_shrinks > most)
            most = c->max_failed_shrinks;
    }
    if (first == s->t->arity)
        return false;
    s->max_in_a_row = most ? most
                           : THEFT_DEFAULT_MAX_FAILED_SHRINKS +
                                 THEFT_DEFAULT_MAX_FAILED_PER_CHOICE * theft_shrink_length(s);
    s->in_a_row = 0;
    if (s->count == 0)
        try_simplest(s);
    run_passes(s);
    return s->successes != before;
}

/* ---- Both in turn ------------------------------------------------------------------------ */

enum theft_step theft_shrink(struct theft *t, struct theft_slot *slot)
{
    struct theft_shrink s = {.t = t, .slot = slot};
    bool progress = true;
    if (t->deduplicate)
        theft_duplicates_add(&s.tried, slot->fingerprint);
    while (progress && s.end == THEFT_STEP_OK) {
        progress = shrink_by_choices(&s);
        for (unsigned i = 0; i < t->arity && s.end == THEFT_STEP_OK; i++)
            if (t->cfg.type_info[i]->shrink)
                progress |= shrink_by_tactics(&s, i);
    }
    if (s.end == THEFT_STEP_OK)
        finish_choices(&s);
    theft_choices_clear(&s.proposal);
    theft_choices_clear(&s.candidate.choices);
    theft_duplicates_clear(&s.tried);
    return s.end == THEFT_STEP_HALT ? THEFT_STEP_OK : s.end;
}
