/* The gallery: each entry is what the exhaustive search finds, is merged exactly by the weights
 * that it defeats, in several dimensions and with several heads, and, where it is not for all
 * weights, is told apart by some others. The search finds in random spaces what comparing all
 * pairs of positions does. */
#include <string.h>

#include "tests/tap.h"
#include "theory/gallery.h"

enum { ROUNDS = 8, LONGEST = ATTEST_THEOREM1_LONGEST, MOST_SPOTS = 2000, SPACES = 150 };

static bool same_pair(const attest_universal_pair *a, const attest_universal_pair *b)
{
    for (size_t side = 0; side < 2; side++)
        if (a->length[side] != b->length[side] || a->position[side] != b->position[side] ||
            (a->length[side] > 0 &&
             memcmp(a->t[side], b->t[side], a->length[side] * sizeof(long)) != 0))
            return false;
    return true;
}

/* Returns whether these weights merge the entry's pair. */
static bool merges(attest_counterexample *c, const attest_gallery_entry *entry)
{
    attest_error error;
    bool merged = false;

    c->weights.ties = entry->ties;
    c->weights.mask = entry->mask;
    return attest_theorem1_build_pair(c, &merged, &entry->pair, &error) == ATTEST_OK && merged;
}

static bool merges_plain(const attest_gallery_entry *entry, attest_gallery_defeats weights)
{
    attest_gallery_entry other = *entry;
    attest_counterexample c;
    attest_error error;
    bool ok;

    other.defeats = weights;
    attest_counterexample_init(&c);
    ok = attest_gallery_set_weights(&c.weights, &other, &error) == ATTEST_OK &&
         merges(&c, entry);
    attest_counterexample_clear(&c);
    return ok;
}

static bool merges_random(const attest_gallery_entry *entry, uint64_t seed)
{
    attest_counterexample c;
    attest_error error;
    bool ok;

    attest_counterexample_init(&c);
    ok = attest_theorem1_gen_weights(&c.weights, 1 + seed % 4, 1 + seed % 3, 2, seed, &error) ==
             ATTEST_OK &&
         merges(&c, entry);
    attest_counterexample_clear(&c);
    return ok;
}

static void check(const attest_gallery_entry *entry)
{
    attest_gallery_search search;
    attest_error error;
    size_t told_apart = 0;
    bool ok = attest_gallery_find(&search, entry, &error) == ATTEST_OK;

    TAP_OK(ok && same_pair(&search.pair, &entry->pair), "%s: the least of %zu sequences",
           entry->name, search.sequences);
    TAP_OK(merges_plain(entry, entry->defeats), "%s: merged", entry->name);
    for (int w = ATTEST_GALLERY_POSITIVE; w <= ATTEST_GALLERY_ZERO; w++)
        told_apart += !merges_plain(entry, (attest_gallery_defeats)w);
    TAP_OK((told_apart == 0) == (entry->defeats == ATTEST_GALLERY_ALL),
           "%s: %zu of three kinds of weights tell it apart", entry->name, told_apart);
    if (entry->defeats != ATTEST_GALLERY_ALL)
        return;
    ok = true;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++)
        ok = ok && merges_random(entry, seed);
    TAP_OK(ok, "%s: merged by %d random layers", entry->name, ROUNDS);
}

/* A position of a sequence, and what the order of pairs compares: length, largest and sum of
 * absolute values, numbers, position. */
typedef struct spot {
    long key[4 + LONGEST];
    const long *t;
    size_t length, position;
    size_t sequence;
    long sum[3], winners[3]; /* for c = -1, 0, 1 */
    unsigned seen;
} spot;

/* The numbers that win for the query: those of largest c t query, with leftmost ties the first
 * of them. */
static void set_winners(spot *s, const attest_gallery_entry *entry, size_t keys)
{
    for (int c = -1; c <= 1; c++) {
        s->sum[c + 1] = s->winners[c + 1] = 0;
        for (size_t j = 0; j < keys; j++) {
            long score = c * s->t[j] * s->t[s->position];
            bool wins = true;

            for (size_t i = 0; i < keys; i++) {
                long other = c * s->t[i] * s->t[s->position];

                wins = wins &&
                       (other < score ||
                        (other == score && (entry->ties != ATTEST_TIES_LEFTMOST || i >= j)));
            }
            s->sum[c + 1] += wins ? s->t[j] : 0;
            s->winners[c + 1] += wins;
        }
    }
}

static void set_spot(spot *s, const attest_gallery_entry *entry)
{
    size_t keys = entry->mask == ATTEST_MASK_CAUSAL ? s->position + 1 : s->length;

    memset(s->key, 0, sizeof s->key);
    s->key[0] = (long)s->length;
    s->key[3 + LONGEST] = (long)s->position;
    s->seen = 0;
    for (size_t j = 0; j < s->length; j++) {
        s->key[1] = labs(s->t[j]) > s->key[1] ? labs(s->t[j]) : s->key[1];
        s->key[2] += labs(s->t[j]);
        s->key[3 + j] = s->t[j];
        s->seen |= j < keys ? 1u << (s->t[j] + 16) : 0;
    }
    set_winners(s, entry, keys);
}

/* Returns whether the layers that the entry is about make the same of both, and should not. */
static bool is_merged(const spot *a, const spot *b, const attest_gallery_entry *entry)
{
    static const attest_gallery_defeats only[] = {ATTEST_GALLERY_NEGATIVE, ATTEST_GALLERY_ZERO,
                                                  ATTEST_GALLERY_POSITIVE};
    bool one_sequence = entry->pair.length[1] == 0;
    bool merged = a->t[a->position] == b->t[b->position] && a->seen != b->seen &&
                  (a->sequence == b->sequence) == one_sequence;

    for (int c = 0; c < 3 && merged; c++)
        if (entry->defeats == ATTEST_GALLERY_ALL || entry->defeats == only[c])
            merged = a->sum[c] * b->winners[c] == b->sum[c] * a->winners[c];
    return merged;
}

static int compare_numbers(const long *a, const long *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* Tokens, largest, sum of both, then the one, then the other. */
typedef struct ranked {
    long cost[3];
    const spot *pair[2];
} ranked;

static ranked rank_pair(const spot *a, const spot *b)
{
    ranked r = {{a->key[0], a->key[1], a->key[2]}, {a, b}};

    if (compare_numbers(a->key, b->key, 4 + LONGEST) > 0)
        r.pair[0] = b, r.pair[1] = a;
    if (a->sequence != b->sequence) {
        r.cost[0] += b->key[0];
        r.cost[1] = b->key[1] > r.cost[1] ? b->key[1] : r.cost[1];
        r.cost[2] += b->key[2];
    }
    return r;
}

static bool precedes(const ranked *a, const ranked *b)
{
    int order = compare_numbers(a->cost, b->cost, 3);

    for (int side = 0; side < 2 && order == 0; side++)
        order = compare_numbers(a->pair[side]->key, b->pair[side]->key, 4 + LONGEST);
    return order < 0;
}

/* What comparing all pairs finds; counts as in attest_gallery_search. */
typedef struct compared {
    spot spot[MOST_SPOTS];
    long t[MOST_SPOTS][LONGEST];
    size_t spots, sequences, shorter, contexts;
    ranked best;
} compared;

static bool is_usable(const attest_gallery_entry *entry, const long *t, size_t length)
{
    for (size_t a = 0; a < length; a++) {
        if (t[a] == 0 && !entry->zero)
            return false;
        for (size_t b = a + 1; b < length; b++)
            if (t[a] == t[b] && !entry->repeats)
                return false;
    }
    return true;
}

/* Adds the sequences of this length; false when they are too many. */
static bool add_spots(compared *all, const attest_gallery_entry *entry, size_t length)
{
    size_t numbers = (size_t)(entry->high - entry->low + 1), codes = 1;

    for (size_t k = 0; k < length; k++)
        codes *= numbers;
    for (size_t code = 0; code < codes; code++) {
        size_t rest = code;
        long *t = all->t[all->sequences];

        if (all->sequences == MOST_SPOTS || all->spots + length > MOST_SPOTS)
            return false;
        for (size_t k = 0; k < length; k++, rest /= numbers)
            t[k] = entry->low + (long)(rest % numbers);
        if (!is_usable(entry, t, length))
            continue;
        for (size_t k = 0; k < length; k++) {
            spot *s = &all->spot[all->spots++];

            s->t = t;
            s->length = length;
            s->position = k;
            s->sequence = all->sequences;
            set_spot(s, entry);
        }
        all->sequences++;
    }
    return true;
}

/* False when there is no pair, or not among so few positions. */
static bool compare_all(compared *all, const attest_gallery_entry *entry)
{
    all->spots = all->sequences = all->contexts = 0;
    all->best.pair[0] = NULL;
    for (size_t length = 1; length <= LONGEST && !all->best.pair[0]; length++) {
        size_t from = entry->unequal ? 0 : all->spots;

        all->shorter = all->sequences;
        all->contexts = all->spots;
        if (!add_spots(all, entry, length))
            return false;
        for (size_t j = from; j < all->spots; j++)
            for (size_t i = from; i < j; i++) {
                ranked r;

                if (!is_merged(&all->spot[i], &all->spot[j], entry))
                    continue;
                r = rank_pair(&all->spot[i], &all->spot[j]);
                if (!all->best.pair[0] || precedes(&r, &all->best))
                    all->best = r;
            }
    }
    return all->best.pair[0] != NULL;
}

static attest_gallery_entry gen_entry(uint64_t *state)
{
    attest_gallery_entry entry = {.low = (long)(tap_random(state) % 8) - 5};

    entry.high = entry.low + 1 + (long)(tap_random(state) % 6);
    entry.ties = tap_random(state) % 3 ? ATTEST_TIES_UNIFORM : ATTEST_TIES_LEFTMOST;
    entry.mask = tap_random(state) % 2 ? ATTEST_MASK_NONE : ATTEST_MASK_CAUSAL;
    entry.defeats = (attest_gallery_defeats)(tap_random(state) % 4);
    entry.zero = tap_random(state) % 2;
    entry.repeats = tap_random(state) % 2;
    entry.unequal = tap_random(state) % 2;
    entry.pair.length[1] = tap_random(state) % 4 ? 1 : 0;
    return entry;
}

static bool finds_the_same(const compared *all, const attest_gallery_entry *entry)
{
    attest_gallery_search search;
    attest_error error;

    if (attest_gallery_find(&search, entry, &error) != ATTEST_OK ||
        search.sequences != all->sequences || search.shorter != all->shorter ||
        search.contexts != all->contexts)
        return false;
    for (size_t side = 0; side < 2; side++) {
        const spot *s = all->best.pair[side];
        size_t length = side == 1 && entry->pair.length[1] == 0 ? 0 : s->length;

        if (search.pair.length[side] != length || search.pair.position[side] != s->position ||
            memcmp(search.t[side], s->t, s->length * sizeof *s->t) != 0)
            return false;
    }
    return true;
}

static void test_spaces(void)
{
    uint64_t state = tap_seed(0x9a11e);
    static compared all;
    int found = 0, same = 0;

    for (int i = 0; i < SPACES; i++) {
        attest_gallery_entry entry = gen_entry(&state);

        if (!compare_all(&all, &entry))
            continue;
        found++;
        same += finds_the_same(&all, &entry);
    }
    TAP_OK(same == found && found > SPACES / 3, "random spaces: the least pair in %d of %d",
           same, found);
}

TEST(gallery)
{
    for (const attest_gallery_entry *e = attest_gallery; e->name; e++)
        check(e);
    TAP_OK(!attest_gallery_get("nothing") && attest_gallery_get("pair") == attest_gallery,
           "by name");
    test_spaces();
    flint_cleanup();
    return 0;
}
