/* replay_names.c -- whether a counterexample file names what is violated. */
#include "campaign/replay_names.h"

#include <stdio.h>
#include <string.h>

#include "number/scope.h"
#include "recheck/recheck.h"

/* The cap of the checker's balls. */
enum { MOST_BITS = 1 << 16 };

attest_status attest_replay_get_number(fmpq_t value, bool *given,
                                       const attest_counterexample *file, const char *name,
                                       attest_error *error)
{
    *given = false;
    for (size_t p = 0; p < file->parameters; p++) {
        const char *text = file->parameter[p].value;
        attest_status status;

        if (strcmp(file->parameter[p].name, name) != 0)
            continue;
        *given = true;
        status = attest_number_parse(value, text, strlen(text), NULL, error);
        if (status != ATTEST_OK)
            return attest_error_prefix(error, status, name);
        if (fmpq_sgn(value) < 0)
            return attest_error_set(error, ATTEST_FORMAT, "parameters.%s is negative", name);
    }
    return ATTEST_OK;
}

/* "none" is what files of tight cases say: nothing is claimed. */
static attest_status check_definition(const attest_replay *replay,
                                      const attest_counterexample *file,
                                      const attest_property *property, attest_error *error)
{
    const char *own = property ? property->definition : NULL;
    const char *decided = replay->definition ? replay->definition : own;

    /* A loaded property may give each violation a name of its own: of what holds, or is not
     * decided, it has said none. */
    if (!decided && property && (!property->object || replay->outcome == ATTEST_VIOLATED))
        decided = property->statement;
    if (!decided || strcmp(file->definition, "none") == 0 ||
        strcmp(file->definition, decided) == 0)
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_FORMAT,
                            "violates.definition is \"%.100s\", but what is decided is "
                            "\"%.100s\"",
                            file->definition, decided);
}

static bool is_pair(const attest_place pair[2], const attest_counterexample *file)
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

    ATTEST_TRY(attest_replay_get_number(bound, &given, file, norm ? "r" : "delta", error));
    if (norm ? !given : check->group[at[0]] == check->group[at[1]])
        return ATTEST_OK;
    order = attest_recheck_compare(check, at[0], at[1], bound, MOST_BITS);
    if (order == 2)
        return attest_error_set(error, ATTEST_UNABLE,
                                "whether the pair violates it is open at %d bits", MOST_BITS);
    *violates = order == 0 || order == (norm ? 1 : -1);
    return ATTEST_OK;
}

/* Definition 2 at the file's pair: not more than delta apart though it is required; or, for a
 * pair of one position, a norm that is not below r. */
static attest_status decide_contextual(bool *violates, const attest_counterexample *file,
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

/* Definition 1 at the file's pair: different tokens that are not more than eps apart. */
static attest_status decide_separated(bool *violates, const attest_counterexample *file,
                                      attest_error *error)
{
    const attest_dataset *d = &file->dataset;
    size_t token[2] = {attest_dataset_token(d, file->pair[0][0], file->pair[0][1]),
                       attest_dataset_token(d, file->pair[1][0], file->pair[1][1])};
    FMPQ(eps, square, x, y);
    bool given;

    *violates = false;
    ATTEST_TRY(attest_replay_get_number(eps, &given, file, "eps", error));
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

    *violates = replay->has_pair && is_pair(replay->pair, file);
    if (*violates || setting->number != ATTEST_ARITHMETIC_NONE)
        return ATTEST_OK;
    if (strcmp(definition, "contextual-mapping") == 0 && file->weights.heads > 0)
        return decide_contextual(violates, file, error);
    if (strcmp(definition, "separated") == 0)
        return decide_separated(violates, file, error);
    return ATTEST_OK;
}

/* Where the file's pair violates Definition 2 as well as the one that was found, the reason is
 * told of the file's: its outputs are the ones that are shown. */
static void name_pair(attest_replay *replay, const attest_counterexample *file)
{
    bool norm = file->pair[0][0] == file->pair[1][0] && file->pair[0][1] == file->pair[1][1];

    if (replay->outcome == ATTEST_VIOLATED && replay->definition && replay->has_pair && !norm &&
        strcmp(replay->definition, "contextual-mapping") == 0 && !is_pair(replay->pair, file))
        snprintf(replay->reason, sizeof replay->reason,
                 "the outputs at [%zu,%zu] and [%zu,%zu] are not more than delta apart",
                 file->pair[0][0], file->pair[0][1], file->pair[1][0], file->pair[1][1]);
}

attest_status attest_replay_check_names(attest_replay *replay,
                                        const attest_counterexample *file,
                                        const attest_property *property,
                                        const attest_setting *setting, attest_error *error)
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
                                "what does is no pair: %s",
                                file->pair[0][0], file->pair[0][1], file->pair[1][0],
                                file->pair[1][1], replay->reason);
    name_pair(replay, file);
    replay->has_pair = true;
    for (int s = 0; s < 2; s++)
        replay->pair[s] = (attest_place){file->pair[s][0], file->pair[s][1]};
    return ATTEST_OK;
}
