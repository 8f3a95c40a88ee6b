/* contextual.c -- Definition 2: contexts, classes, and the number of required pairs. */
#include "theory/contextual.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pair_map.h"
#include "number/scope.h"
#include "theory/prefix_set.h"

void attest_contexts_init(attest_contexts *contexts)
{
    *contexts = (attest_contexts){0};
    fmpz_init(contexts->required_pairs);
}

void attest_contexts_clear(attest_contexts *contexts)
{
    free(contexts->context);
    free(contexts->position);
    fmpz_clear(contexts->required_pairs);
}

/* Everything that one pass over the dataset needs. */
typedef struct survey {
    attest_contexts *contexts;
    size_t room;          /* of contexts->context */
    attest_prefix prefix; /* the beginning in sight, of tokens that are meant */
    attest_prefix exact;  /* the same beginning of tokens as they are, where these are others */
    attest_prefix_set vocabularies;
    attest_prefix_set sights; /* equal as sets: those are the vocabularies */
    attest_pair_map classes;  /* (vocabulary, token) */
    attest_pair_map points;   /* (sight, token) */
    size_t *class_size;       /* positions per class */
    size_t class_room;
} survey;

/* Whether a context is a class: nothing but the vocabulary and the token is seen. */
static bool sees_sets(const survey *s)
{
    return s->sights.likeness == ATTEST_LIKE_SETS;
}

/* Enters position k of the sequence in sight, which has this vocabulary and this sight. */
static bool enter(survey *s, size_t k, uint32_t vocabulary, uint32_t sight)
{
    const attest_dataset *dataset = s->prefix.dataset;
    size_t i = s->prefix.sequence;
    uint32_t token = attest_dataset_token(dataset, i, k), group, point;
    uint32_t meant = attest_dataset_meant(dataset, i, k);
    bool is_new;

    if (!attest_pair_map_get(&group, &is_new, &s->classes, vocabulary, meant) ||
        !attest_memory_grow(&s->class_size, &s->class_room, (size_t)group + 1,
                            sizeof *s->class_size))
        return false;
    s->class_size[group] = is_new ? 1 : s->class_size[group] + 1;
    point = group;
    if (!sees_sets(s) && !attest_pair_map_get(&point, &is_new, &s->points, sight, token))
        return false;
    if (s->contexts->position)
        s->contexts->position[dataset->start[i] + k] = point;
    if (!is_new)
        return true;
    if (!attest_memory_grow(&s->contexts->context, &s->room, (size_t)point + 1,
                            sizeof *s->contexts->context))
        return false;
    s->contexts->context[point] = (attest_context){dataset->start[i] + k, (uint32_t)i,
                                                   (uint32_t)s->prefix.length, token, group};
    s->contexts->count = (size_t)point + 1;
    return true;
}

static bool look(survey *s, uint32_t *vocabulary, uint32_t *sight)
{
    if (!attest_prefix_set_get(vocabulary, &s->vocabularies, &s->prefix))
        return false;
    *sight = *vocabulary;
    return sees_sets(s) ||
           attest_prefix_set_get(sight, &s->sights, s->exact.dataset ? &s->exact : &s->prefix);
}

static void start(survey *s, size_t sequence)
{
    attest_prefix_start(&s->prefix, sequence);
    if (s->exact.dataset)
        attest_prefix_start(&s->exact, sequence);
}

static void extend(survey *s)
{
    attest_prefix_extend(&s->prefix);
    if (s->exact.dataset)
        attest_prefix_extend(&s->exact);
}

static bool survey_sequence(survey *s, size_t i, attest_mask mask)
{
    size_t length = attest_dataset_length(s->prefix.dataset, i);
    uint32_t vocabulary, sight;

    start(s, i);
    if (mask == ATTEST_MASK_CAUSAL) {
        for (size_t k = 0; k < length; k++) {
            extend(s);
            if (!look(s, &vocabulary, &sight) || !enter(s, k, vocabulary, sight))
                return false;
        }
        return true;
    }
    while (s->prefix.length < length)
        extend(s);
    if (!look(s, &vocabulary, &sight))
        return false;
    for (size_t k = 0; k < length; k++)
        if (!enter(s, k, vocabulary, sight))
            return false;
    return true;
}

/* All pairs of positions but those inside a class. */
static void count_pairs(attest_contexts *contexts, const survey *s)
{
    FMPZ(inside);

    fmpz_bin_uiui(contexts->required_pairs, contexts->positions, 2);
    for (size_t g = 0; g < s->classes.count; g++) {
        fmpz_bin_uiui(inside, s->class_size[g], 2);
        fmpz_sub(contexts->required_pairs, contexts->required_pairs, inside);
    }
}

static void survey_clear(survey *s)
{
    attest_prefix_clear(&s->prefix);
    attest_prefix_clear(&s->exact);
    attest_prefix_set_clear(&s->vocabularies);
    attest_prefix_set_clear(&s->sights);
    attest_pair_map_clear(&s->classes);
    attest_pair_map_clear(&s->points);
    free(s->class_size);
}

static attest_status get(attest_contexts *contexts, const attest_dataset *dataset,
                         attest_mask mask, attest_likeness likeness, attest_error *error)
{
    survey s ATTEST_CLEARED_BY(survey_clear) = {.contexts = contexts};
    bool ok = true;

    attest_prefix_set_init(&s.vocabularies, ATTEST_LIKE_SETS);
    attest_prefix_set_init(&s.sights, likeness);
    ATTEST_TRY(attest_prefix_init(&s.prefix, dataset, error));
    s.prefix.meant = true;
    if (dataset->meant && likeness != ATTEST_LIKE_SETS)
        ATTEST_TRY(attest_prefix_init(&s.exact, dataset, error));
    if (dataset->count >= UINT32_MAX || dataset->longest >= UINT32_MAX)
        return attest_error_set(error, ATTEST_UNABLE,
                                "more than %lu sequences or tokens in one",
                                (unsigned long)UINT32_MAX - 1);
    free(contexts->context);
    free(contexts->position);
    contexts->context = NULL;
    contexts->position = NULL;
    if (contexts->keep_positions) {
        contexts->position = attest_memory_alloc(dataset->total, sizeof *contexts->position);
        ok = contexts->position != NULL;
    }
    for (size_t i = 0; i < dataset->count && ok; i++)
        ok = survey_sequence(&s, i, mask);
    contexts->positions = dataset->total;
    contexts->vocabularies = s.vocabularies.count;
    contexts->classes = s.classes.count;
    if (!ok)
        return attest_error_set(error, ATTEST_NOMEM, "out of memory, or too many contexts");
    count_pairs(contexts, &s);
    return ATTEST_OK;
}

attest_status attest_contexts_get(attest_contexts *contexts, const attest_dataset *dataset,
                                  attest_mask mask, attest_ties ties, attest_error *error)
{
    return get(contexts, dataset, mask,
               ties == ATTEST_TIES_LEFTMOST ? ATTEST_LIKE_ORDERS : ATTEST_LIKE_PROPORTIONS,
               error);
}

attest_status attest_contexts_get_classes(attest_contexts *contexts,
                                          const attest_dataset *dataset, attest_mask mask,
                                          attest_error *error)
{
    contexts->keep_positions = true;
    return get(contexts, dataset, mask, ATTEST_LIKE_SETS, error);
}
