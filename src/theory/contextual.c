/* contextual.c -- Definition 2: contexts, classes, and the number of required pairs; and the
 * numbers of the prefixes that a query sees. */
#include "theory/contextual.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/random.h"
#include "number/scope.h"

/* Arithmetic modulo the prime 2^61 - 1: sums of token values divided by the length are the same
 * for proportional multiplicities. */
#define PRIME ((UINT64_C(1) << 61) - 1)

static uint64_t modular_multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

    return sum >= PRIME ? sum - PRIME : sum;
}

static uint64_t modular_inverse(uint64_t a)
{
    uint64_t power = 1;

    for (uint64_t e = PRIME - 2; e; e >>= 1) {
        if (e & 1)
            power = modular_multiply(power, a);
        a = modular_multiply(a, a);
    }
    return power;
}

static uint32_t token_of(const attest_prefix *prefix, size_t sequence, size_t k)
{
    return prefix->by_identity ? attest_dataset_identity(prefix->dataset, sequence, k)
                               : attest_dataset_token(prefix->dataset, sequence, k);
}

attest_status attest_prefix_init(attest_prefix *prefix, const attest_dataset *dataset,
                                 attest_error *error)
{
    size_t tokens = dataset->tokens.count;

    *prefix = (attest_prefix){.dataset = dataset};
    prefix->stamp = attest_memory_alloc(tokens, sizeof *prefix->stamp);
    prefix->times = attest_memory_alloc(tokens, sizeof *prefix->times);
    prefix->rank = attest_memory_alloc(tokens, sizeof *prefix->rank);
    prefix->other_stamp = attest_memory_alloc(tokens, sizeof *prefix->other_stamp);
    prefix->other_times = attest_memory_alloc(tokens, sizeof *prefix->other_times);
    if (prefix->stamp && prefix->times && prefix->rank && prefix->other_stamp &&
        prefix->other_times)
        return ATTEST_OK;
    attest_prefix_clear(prefix);
    return attest_memory_fail(error);
}

void attest_prefix_clear(attest_prefix *prefix)
{
    free(prefix->stamp);
    free(prefix->times);
    free(prefix->rank);
    free(prefix->other_stamp);
    free(prefix->other_times);
    *prefix = (attest_prefix){0};
}

void attest_prefix_start(attest_prefix *prefix, size_t sequence)
{
    prefix->sequence = sequence;
    prefix->length = prefix->distinct = 0;
    prefix->set_hash = prefix->share_hash = prefix->order_hash = 0;
}

void attest_prefix_extend(attest_prefix *prefix)
{
    uint32_t t = token_of(prefix, prefix->sequence, prefix->length++);
    uint64_t value = attest_random_mix(t);

    prefix->share_hash = (prefix->share_hash + value % PRIME) % PRIME;
    if (prefix->stamp[t] == prefix->sequence + 1) {
        prefix->times[t]++;
        return;
    }
    prefix->stamp[t] = prefix->sequence + 1;
    prefix->times[t] = 1;
    prefix->rank[t] = prefix->distinct++;
    prefix->set_hash += value;
    prefix->order_hash = attest_random_mix(prefix->order_hash ^ value);
}

void attest_prefix_set_init(attest_prefix_set *set, attest_likeness likeness)
{
    *set = (attest_prefix_set){.likeness = likeness};
}

void attest_prefix_set_clear(attest_prefix_set *set)
{
    free(set->entry);
    attest_map_clear(&set->map);
    attest_prefix_set_init(set, set->likeness);
}

static uint64_t hash_of(attest_likeness likeness, const attest_prefix *prefix)
{
    switch (likeness) {
    case ATTEST_LIKE_SETS:
        return attest_random_mix(prefix->set_hash);
    case ATTEST_LIKE_PROPORTIONS:
        return attest_random_mix(
            modular_multiply(prefix->share_hash, modular_inverse(prefix->length)));
    case ATTEST_LIKE_ORDERS:
        break;
    }
    return attest_random_mix(prefix->order_hash);
}

/* Counts the tokens of the entry's prefix in other_times. */
static void count_tokens(attest_prefix *prefix, const attest_prefix_entry *entry)
{
    prefix->comparison++;
    for (size_t k = 0; k < entry->length; k++) {
        uint32_t t = token_of(prefix, entry->sequence, k);
        if (prefix->other_stamp[t] != prefix->comparison)
            prefix->other_times[t] = 0;
        prefix->other_stamp[t] = prefix->comparison;
        prefix->other_times[t]++;
    }
}

/* Compares the current prefix with one that has as many different tokens: if each of those
 * occurs here, the sets are equal. */
static bool alike(attest_likeness likeness, attest_prefix *prefix,
                  const attest_prefix_entry *entry)
{
    size_t met = 0;

    if (likeness == ATTEST_LIKE_PROPORTIONS)
        count_tokens(prefix, entry);
    else
        prefix->comparison++;
    for (size_t k = 0; k < entry->length; k++) {
        uint32_t t = token_of(prefix, entry->sequence, k);
        if (prefix->stamp[t] != prefix->sequence + 1)
            return false;
        switch (likeness) {
        case ATTEST_LIKE_SETS:
            break;
        case ATTEST_LIKE_PROPORTIONS: /* lengths are below 2^32: no overflow */
            if (prefix->times[t] * entry->length != prefix->other_times[t] * prefix->length)
                return false;
            break;
        case ATTEST_LIKE_ORDERS:
            if (prefix->other_stamp[t] != prefix->comparison && prefix->rank[t] != met++)
                return false;
            prefix->other_stamp[t] = prefix->comparison;
        }
    }
    return true;
}

/* The key of a search. */
typedef struct wanted {
    const attest_prefix_set *set;
    attest_prefix *prefix;
} wanted;

static bool is_same(void *key, size_t number)
{
    const wanted *w = key;
    const attest_prefix_entry *entry = &w->set->entry[number];

    return entry->distinct == w->prefix->distinct && alike(w->set->likeness, w->prefix, entry);
}

bool attest_prefix_set_get(uint32_t *number, attest_prefix_set *set, attest_prefix *prefix)
{
    wanted key = {set, prefix};

    if (!attest_map_reserve(&set->map, set->count) ||
        !attest_memory_grow(&set->entry, &set->room, set->count + 1, sizeof *set->entry))
        return false;
    *number = (uint32_t)attest_map_get_or_add(&set->map, hash_of(set->likeness, prefix),
                                              is_same, &key, set->count);
    if (*number == set->count)
        set->entry[set->count++] =
            (attest_prefix_entry){prefix->sequence, prefix->length, prefix->distinct};
    return true;
}

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

attest_place attest_context_place(const attest_context *context, const attest_dataset *dataset)
{
    return (attest_place){context->sequence,
                          context->first - dataset->start[context->sequence]};
}

/* Everything that one pass over the dataset needs. */
typedef struct survey {
    attest_contexts *contexts;
    size_t room;          /* of contexts->context */
    attest_prefix prefix; /* the visible prefix, tokens compared by identity */
    attest_prefix exact;  /* the same prefix with the tokens themselves, if these differ */
    attest_prefix_set vocabularies;
    attest_prefix_set sights; /* equal as sets: those are the vocabularies */
    attest_pair_map classes;  /* (vocabulary, token) */
    attest_pair_map points;   /* (sight, token) */
    size_t *class_size;       /* positions per class */
    size_t class_room;
} survey;

/* True if a context is a class: its output depends on the vocabulary and the token only. */
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
    uint32_t identity = attest_dataset_identity(dataset, i, k);
    bool is_new;

    if (!attest_pair_map_get_or_add(&group, &is_new, &s->classes, vocabulary, identity) ||
        !attest_memory_grow(&s->class_size, &s->class_room, (size_t)group + 1,
                            sizeof *s->class_size))
        return false;
    s->class_size[group] = is_new ? 1 : s->class_size[group] + 1;
    point = group;
    if (!sees_sets(s) && !attest_pair_map_get_or_add(&point, &is_new, &s->points, sight, token))
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

static bool number_prefix(survey *s, uint32_t *vocabulary, uint32_t *sight)
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
            if (!number_prefix(s, &vocabulary, &sight) || !enter(s, k, vocabulary, sight))
                return false;
        }
        return true;
    }
    while (s->prefix.length < length)
        extend(s);
    if (!number_prefix(s, &vocabulary, &sight))
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
    s.prefix.by_identity = true;
    if (dataset->identity && likeness != ATTEST_LIKE_SETS)
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
