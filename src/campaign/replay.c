/* replay.c -- decides a stored counterexample again, from its values alone. */
#include "campaign/replay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <attest/certify.h>

#include "attention/head_plan.h"
#include "audit/collision_file.h"
#include "base/memory.h"
#include "campaign/counterexample.h"
#include "campaign/load.h"
#include "number/scope.h"
#include "recheck/recheck.h"

/* The largest precision of recheck's balls. */
enum { MOST_BITS = 1 << 16 };

/* value = the parameter of this name, a number >= 0; *given = whether the file contains it.
 * Status: FORMAT. */
static attest_status get_number(fmpq_t value, bool *given, const attest_counterexample *file,
                                const char *name, attest_error *error)
{
    *given = false;
    for (size_t p = 0; p < file->parameters; p++) {
        const char *text = file->parameter[p].value;

        if (strcmp(file->parameter[p].name, name) != 0)
            continue;
        *given = true;
        ATTEST_TRY(attest_error_prefix(
            error, attest_number_parse(value, text, strlen(text), NULL, error), name));
        if (fmpq_sgn(value) < 0)
            return attest_error_set(error, ATTEST_FORMAT, "parameters.%s is negative", name);
    }
    return ATTEST_OK;
}

/* Checks that the file names the definition that was decided. Files of tightest cases have the
 * definition "none", as nothing is violated. */
static attest_status check_definition(const attest_replay *replay,
                                      const attest_counterexample *file,
                                      const attest_property *property, attest_error *error)
{
    const char *own = property ? property->definition : NULL;
    const char *decided = replay->definition ? replay->definition : own;

    /* A loaded property may name each violation differently; it gives no name if nothing is
     * violated or decided. */
    if (!decided && property && (!property->object || replay->outcome == ATTEST_VIOLATED))
        decided = property->statement;
    if (!decided || strcmp(file->definition, "none") == 0 ||
        strcmp(file->definition, decided) == 0)
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_FORMAT,
                            "violates.definition is \"%.100s\", but the property decides "
                            "\"%.100s\"",
                            file->definition, decided);
}

/* Returns whether the file names this pair, in either order. */
static bool is_pair_of(const attest_place pair[2], const attest_counterexample *file)
{
    for (int swap = 0; swap < 2; swap++)
        if (pair[0].sequence == file->pair[swap][0] &&
            pair[0].position == file->pair[swap][1] &&
            pair[1].sequence == file->pair[1 - swap][0] &&
            pair[1].position == file->pair[1 - swap][1])
            return true;
    return false;
}

static attest_status compare_pair(bool *violates, attest_recheck *check,
                                  const attest_counterexample *file, attest_error *error)
{
    const size_t *start = file->dataset.start;
    size_t at[2] = {start[file->pair[0][0]] + file->pair[0][1],
                    start[file->pair[1][0]] + file->pair[1][1]};
    bool norm = at[0] == at[1], given;
    FMPQ(bound);
    int order;

    ATTEST_TRY(get_number(bound, &given, file, norm ? "r" : "delta", error));
    if (norm ? !given : check->group[at[0]] == check->group[at[1]])
        return ATTEST_OK;
    order = attest_recheck_compare(check, at[0], at[1], bound, MOST_BITS);
    if (order == 2)
        return attest_error_set(error, ATTEST_UNABLE,
                                "whether the pair violates it is undecided at %d bits",
                                MOST_BITS);
    *violates = order == 0 || order == (norm ? 1 : -1);
    return ATTEST_OK;
}

/* Decides Definition 2 at the pair of the file: the outputs are not more than delta apart
 * although they should be; or, for a pair of one position, the norm is not below r. */
static attest_status decide_contextual_pair(bool *violates, const attest_counterexample *file,
                                            attest_error *error)
{
    attest_recheck check;
    attest_status status;

    *violates = false;
    ATTEST_TRY(attest_recheck_init(&check, &file->dataset, &file->weights, error));
    status = compare_pair(violates, &check, file, error);
    attest_recheck_clear(&check);
    return status;
}

/* Decides Definition 1 at the pair of the file: different tokens that are not more than eps
 * apart. */
static attest_status decide_separated_pair(bool *violates, const attest_counterexample *file,
                                           attest_error *error)
{
    const attest_dataset *d = &file->dataset;
    size_t token[2] = {attest_dataset_token(d, file->pair[0][0], file->pair[0][1]),
                       attest_dataset_token(d, file->pair[1][0], file->pair[1][1])};
    FMPQ(eps, square, x, y);
    bool given;

    *violates = false;
    ATTEST_TRY(get_number(eps, &given, file, "eps", error));
    for (size_t c = 0; c < d->dim; c++) {
        attest_tokens_get_entry(x, &d->tokens, token[0], c);
        attest_tokens_get_entry(y, &d->tokens, token[1], c);
        fmpq_sub(x, x, y);
        fmpq_addmul(square, x, x);
    }
    fmpq_mul(eps, eps, eps);
    *violates = given && token[0] != token[1] && fmpq_cmp(square, eps) <= 0;
    return ATTEST_OK;
}

static attest_status decide_pair(bool *violates, const attest_replay *replay,
                                 const attest_counterexample *file,
                                 const attest_setting *setting, attest_error *error)
{
    const char *definition = replay->definition ? replay->definition : file->definition;

    *violates = replay->has_pair && is_pair_of(replay->pair, file);
    if (*violates || setting->number != ATTEST_ARITHMETIC_NONE)
        return ATTEST_OK;
    if (strcmp(definition, "contextual-mapping") == 0 && file->weights.heads > 0)
        return decide_contextual_pair(violates, file, error);
    if (strcmp(definition, "separated") == 0)
        return decide_separated_pair(violates, file, error);
    return ATTEST_OK;
}

/* If the pair of the file violates Definition 2 as well as the one that was found, the reason
 * names that of the file, whose outputs are shown. */
static void name_pair(attest_replay *replay, const attest_counterexample *file)
{
    bool norm = file->pair[0][0] == file->pair[1][0] && file->pair[0][1] == file->pair[1][1];

    if (replay->outcome == ATTEST_VIOLATED && replay->definition && replay->has_pair && !norm &&
        strcmp(replay->definition, "contextual-mapping") == 0 &&
        !is_pair_of(replay->pair, file))
        snprintf(replay->reason, sizeof replay->reason,
                 "the outputs at [%zu,%zu] and [%zu,%zu] are not more than delta apart",
                 file->pair[0][0], file->pair[0][1], file->pair[1][0], file->pair[1][1]);
}

/* Compares the definition and the pair that a file names with what was decided. A pair is
 * accepted if it is the one that was found, or if it violates the definition too; that is
 * decided for contextual mappings (by the route of recheck) and for separatedness. The pair of
 * the replay becomes that of the file, if it names one. Status: FORMAT (a name is wrong; the
 * error has the right one), UNABLE, NOMEM. */
static attest_status check_names(attest_replay *replay, const attest_counterexample *file,
                                 const attest_property *property, const attest_setting *setting,
                                 attest_error *error)
{
    bool violates = true;

    ATTEST_TRY(check_definition(replay, file, property, error));
    if (!file->has_pair)
        return ATTEST_OK;
    if (replay->outcome == ATTEST_VIOLATED)
        ATTEST_TRY(decide_pair(&violates, replay, file, setting, error));
    if (!violates && replay->has_pair)
        return attest_error_set(error, ATTEST_FORMAT,
                                "violates.pair: [%zu,%zu] and [%zu,%zu] do not violate it, but "
                                "[%zu,%zu] and [%zu,%zu] do",
                                file->pair[0][0], file->pair[0][1], file->pair[1][0],
                                file->pair[1][1], replay->pair[0].sequence,
                                replay->pair[0].position, replay->pair[1].sequence,
                                replay->pair[1].position);
    if (!violates)
        return attest_error_set(error, ATTEST_FORMAT,
                                "violates.pair: [%zu,%zu] and [%zu,%zu] do not violate it; "
                                "the violation has no pair: %s",
                                file->pair[0][0], file->pair[0][1], file->pair[1][0],
                                file->pair[1][1], replay->reason);
    name_pair(replay, file);
    replay->has_pair = true;
    for (int s = 0; s < 2; s++)
        replay->pair[s] = (attest_place){file->pair[s][0], file->pair[s][1]};
    return ATTEST_OK;
}

const char *attest_trial_outcome_name(attest_trial_outcome outcome)
{
    static const char *const names[] = {"held", "violated", "discarded", "undecided"};

    return names[outcome];
}

void attest_replay_init(attest_replay *replay)
{
    memset(replay, 0, sizeof *replay);
    replay->margin = NAN;
    replay->seconds = 60;
    replay->max_work = ATTEST_CERTIFY_MAX_WORK;
    for (size_t v = 0; v < ATTEST_VIEWS; v++)
        arb_init(replay->view[v].separation);
}

void attest_replay_clear(attest_replay *replay)
{
    slong entries = 2 * (slong)replay->dim;

    for (size_t v = 0; v < ATTEST_VIEWS; v++) {
        attest_view *view = &replay->view[v];

        if (view->output)
            _arb_vec_clear(view->output, entries);
        if (view->rational)
            _fmpq_vec_clear(view->rational, entries);
        arb_clear(view->separation);
    }
    memset(replay, 0, sizeof *replay);
}

static void set_pair(attest_replay *replay, attest_place one, attest_place other)
{
    replay->has_pair = true;
    replay->pair[0] = one;
    replay->pair[1] = other;
}

static void describe_finding(attest_replay *replay, const attest_finding *finding)
{
    switch (finding->verdict) {
    case ATTEST_PROVED:
        replay->outcome = ATTEST_HELD;
        snprintf(replay->reason, sizeof replay->reason,
                 "this is a contextual mapping: nothing is violated");
        return;
    case ATTEST_UNDECIDED:
        replay->outcome = ATTEST_OPEN;
        snprintf(replay->reason, sizeof replay->reason, "%s", finding->reason);
        return;
    case ATTEST_REFUTED:
        break;
    }
    replay->outcome = ATTEST_VIOLATED;
    if (finding->part == ATTEST_CLAIM_NORM)
        set_pair(replay, finding->largest, finding->largest);
    else
        set_pair(replay, finding->pair[0], finding->pair[1]);
    if (finding->part == ATTEST_CLAIM_NORM)
        snprintf(replay->reason, sizeof replay->reason,
                 "the norm of the output at [%zu,%zu] is not below r",
                 finding->largest.sequence, finding->largest.position);
    else
        snprintf(replay->reason, sizeof replay->reason,
                 "the outputs at [%zu,%zu] and [%zu,%zu] are not more than delta apart",
                 finding->pair[0].sequence, finding->pair[0].position,
                 finding->pair[1].sequence, finding->pair[1].position);
}

/* Decides Definition 2 for the whole dataset of the file. */
static attest_status decide_contextual(attest_replay *replay, const attest_counterexample *file,
                                       attest_error *error)
{
    ATTEST_SCOPED(attest_claim, claim);
    ATTEST_SCOPED(attest_finding, finding);
    attest_status status;
    bool given;

    if (file->dataset.count == 0 || file->weights.heads == 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "a contextual mapping needs a dataset and weights");
    claim.dataset = &file->dataset;
    claim.weights = &file->weights;
    claim.max_work = replay->max_work;
    ATTEST_TRY(get_number(claim.r, &claim.has_r, file, "r", error));
    ATTEST_TRY(get_number(claim.delta, &given, file, "delta", error));
    status = attest_certify(&finding, &claim, error);
    if (status == ATTEST_DOMAIN)
        return error->status = ATTEST_FORMAT;
    ATTEST_TRY(status);
    replay->definition = "contextual-mapping";
    snprintf(replay->decided_by, sizeof replay->decided_by,
             "the definition of a contextual mapping, method %s", finding.method);
    describe_finding(replay, &finding);
    return ATTEST_OK;
}

/* Decides Definition 1 with the bounds among the parameters. */
static attest_status decide_separated(attest_replay *replay, const attest_counterexample *file,
                                      attest_error *error)
{
    static const char *const names[] = {"r_min", "r_max", "eps"};
    static const char *const parts[] = {"the bounds hold", "a norm is not above r_min",
                                        "a norm is not below r_max",
                                        "two tokens are not more than eps apart"};
    ATTEST_SCOPED(attest_separated, extremes);
    attest_separated_part part;
    FMPQ_VEC(bound, 3);
    bool given[3];

    if (file->dataset.count == 0)
        return attest_error_set(error, ATTEST_FORMAT, "separatedness needs a dataset");
    for (size_t b = 0; b < 3; b++)
        ATTEST_TRY(get_number(bound + b, &given[b], file, names[b], error));
    ATTEST_TRY(attest_separated_get(&extremes, &file->dataset, error));
    part = attest_separated_check(&extremes, given[0] ? bound : NULL,
                                  given[1] ? bound + 1 : NULL, given[2] ? bound + 2 : NULL);
    replay->outcome = part == ATTEST_SEPARATED_HOLDS ? ATTEST_HELD : ATTEST_VIOLATED;
    if (part == ATTEST_SEPARATED_EPS)
        set_pair(replay, extremes.eps[0], extremes.eps[1]);
    else if (part == ATTEST_SEPARATED_R_MIN)
        set_pair(replay, extremes.r_min, extremes.r_min);
    else if (part == ATTEST_SEPARATED_R_MAX)
        set_pair(replay, extremes.r_max, extremes.r_max);
    snprintf(replay->reason, sizeof replay->reason, "%s", parts[part]);
    replay->definition = "separated";
    snprintf(replay->decided_by, sizeof replay->decided_by,
             "the definition of separatedness, exactly");
    return ATTEST_OK;
}

/* Sets the instance to the data, weights and parameters of the file, which still owns the data,
 * the weights and the names. */
static attest_status borrow(attest_instance *instance, const attest_counterexample *file,
                            attest_error *error)
{
    instance->dataset = file->dataset;
    instance->weights = file->weights;
    for (size_t p = 0; p < file->parameters; p++) {
        const char *name = file->parameter[p].name, *value = file->parameter[p].value;

        if (attest_setting_owns(name))
            continue;
        if (instance->parameters == ATTEST_INSTANCE_PARAMETERS)
            return attest_error_set(error, ATTEST_FORMAT, "too many parameters");
        ATTEST_TRY(attest_error_prefix(error,
                                       attest_number_parse(attest_instance_set(instance, name),
                                                           value, strlen(value), NULL, error),
                                       name));
    }
    return ATTEST_OK;
}

/* Clears an instance of borrow: not the data and the weights, which belong to the file. */
static void clear_borrowed(attest_instance *instance)
{
    attest_dataset_init(&instance->dataset);
    attest_weights_init(&instance->weights);
    attest_instance_clear(instance);
}

/* A file that does not meet the hypotheses is not a counterexample to the property. */
static attest_status fail_discarded(const attest_counterexample *file,
                                    const attest_property *property, attest_error *error)
{
    return attest_error_set(error, ATTEST_FORMAT,
                            "not an instance of the property %.100s: it does not meet the "
                            "hypotheses%s%s",
                            property->name,
                            file->dataset.count == 0 ? "; it has no dataset" : "",
                            file->weights.heads == 0 ? "; it has no weights" : "");
}

/* Charges one evaluation: every property needs at least that. */
static attest_status charge(const attest_replay *replay, const attest_counterexample *file,
                            attest_error *error)
{
    double left = replay->max_work;

    if (file->dataset.count == 0 || file->dataset.dim != file->weights.dim)
        return ATTEST_OK;
    return attest_work_charge_sequences(
        &left, &file->weights, &file->dataset, NULL, file->dataset.count,
        file->weights.activation == ATTEST_HARDMAX ? 0 : ATTEST_CERTIFY_BITS, NULL, error);
}

static attest_status call_property(attest_trial *trial, const attest_replay *replay,
                                   const attest_counterexample *file,
                                   const attest_property *property,
                                   const attest_setting *setting, attest_error *error)
{
    attest_guard guard = {.property = property, .setting = setting, .seconds = replay->seconds};
    attest_instance instance ATTEST_CLEARED_BY(clear_borrowed);

    attest_instance_init(&instance);
    ATTEST_TRY(borrow(&instance, file, error));
    ATTEST_TRY(charge(replay, file, error));
    if (property->object)
        return attest_guard_decide(&guard, trial, &instance, error);
    return property->decide(trial, &instance, setting, error);
}

static attest_status decide_property(attest_replay *replay, const attest_counterexample *file,
                                     const attest_property *property,
                                     const attest_setting *setting, attest_error *error)
{
    attest_trial trial;
    attest_status status;

    attest_trial_init(&trial);
    status = call_property(&trial, replay, file, property, setting, error);
    if (status == ATTEST_NOMEM) /* a property need not set the error */
        return attest_memory_fail(error);
    ATTEST_TRY(status);
    if (trial.outcome == ATTEST_DISCARDED)
        return fail_discarded(file, property, error);
    replay->outcome = trial.outcome;
    replay->definition = trial.definition;
    if (trial.has_pair)
        set_pair(replay, trial.pair[0], trial.pair[1]);
    replay->margin = trial.margin;
    if (trial.outcome == ATTEST_HELD)
        snprintf(replay->reason, sizeof replay->reason, "it holds that %.400s",
                 property->title);
    else
        snprintf(replay->reason, sizeof replay->reason, "%s", trial.reason);
    snprintf(replay->decided_by, sizeof replay->decided_by, "the property %.100s",
             property->name);
    return ATTEST_OK;
}

/* Decides a pair that an audit found to collide in a simulated arithmetic. */
static attest_status decide_collision(attest_replay *replay, const attest_counterexample *file,
                                      attest_error *error)
{
    attest_simulated_arithmetic arithmetic;
    bool collides = false;

    ATTEST_TRY(attest_audit_collision_check(&collides, file, error));
    ATTEST_TRY(attest_audit_collision_arithmetic(&arithmetic, file, error));
    replay->outcome = collides ? ATTEST_VIOLATED : ATTEST_HELD;
    snprintf(replay->reason, sizeof replay->reason,
             collides ? "the outputs at [%zu,%zu] and [%zu,%zu] collide"
                      : "the outputs at [%zu,%zu] and [%zu,%zu] differ, or need not",
             file->pair[0][0], file->pair[0][1], file->pair[1][0], file->pair[1][1]);
    snprintf(replay->decided_by, sizeof replay->decided_by, "the arithmetic %s",
             arithmetic.format.name);
    return ATTEST_OK;
}

static attest_status decide(attest_replay *replay, const attest_counterexample *file,
                            const attest_setting *setting, attest_property_finder *find,
                            attest_error *error)
{
    const attest_property *property = find(file->property);
    bool campaign = strcmp(file->found_by, "campaign") == 0;

    if (property && campaign)
        return decide_property(replay, file, property, setting, error);
    if (campaign)
        return attest_error_set(error, ATTEST_FORMAT, "the property \"%.100s\" is not known",
                                file->property);
    if (attest_audit_collision_is(file))
        return decide_collision(replay, file, error);
    if (strcmp(file->definition, "contextual-mapping") == 0)
        return decide_contextual(replay, file, error);
    if (strcmp(file->definition, "separated") == 0)
        return decide_separated(replay, file, error);
    if (strcmp(file->definition, "hypothesis") == 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "a hypothesis of %.100s that fails: 'attest %.100s' decides "
                                "that, there are no outputs to replay",
                                file->property, file->found_by);
    if (property)
        return decide_property(replay, file, property, setting, error);
    return attest_error_set(error, ATTEST_FORMAT,
                            "neither the property \"%.100s\" nor the definition \"%.100s\" is "
                            "known",
                            file->property, file->definition);
}

attest_status attest_replay_run(attest_replay *replay, const attest_counterexample *file,
                                attest_property_finder *find, attest_error *error)
{
    const attest_property *property = find(file->property);
    attest_setting setting;

    ATTEST_TRY(attest_setting_get(&setting, file, error));
    ATTEST_TRY(decide(replay, file, &setting, find, error));
    if (!attest_audit_collision_is(file)) /* a collision is decided at the pair of the file */
        ATTEST_TRY(check_names(replay, file, property, &setting, error));
    else if (file->has_pair)
        set_pair(replay, (attest_place){file->pair[0][0], file->pair[0][1]},
                 (attest_place){file->pair[1][0], file->pair[1][1]});
    if (replay->has_pair && file->weights.heads > 0)
        ATTEST_TRY(attest_replay_view_all(replay, file, &setting, error));
    return ATTEST_OK;
}

attest_status attest_replay_decide(attest_replay *replay, const attest_counterexample *file,
                                   const attest_property *property, attest_error *error)
{
    attest_setting setting;

    ATTEST_TRY(attest_setting_get(&setting, file, error));
    return decide_property(replay, file, property, &setting, error);
}
