/* The gallery: each entry is what the exhaustive search finds, is merged exactly by the weights
 * that it defeats, in several dimensions and with several heads, and, where it is not for all
 * weights, is told apart by some others. */
#include <string.h>

#include "tests/tap.h"
#include "theory/gallery.h"

enum { ROUNDS = 8 };

static bool same_pair(const attest_universal_pair *a, const attest_universal_pair *b)
{
    for (size_t side = 0; side < 2; side++)
        if (a->length[side] != b->length[side] || a->position[side] != b->position[side] ||
            (a->length[side] > 0 &&
             memcmp(a->t[side], b->t[side], a->length[side] * sizeof(long)) != 0))
            return false;
    return true;
}

/* Whether these weights merge the entry's pair. */
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

int main(void)
{
    for (const attest_gallery_entry *e = attest_gallery; e->name; e++)
        check(e);
    TAP_OK(!attest_gallery_get("nothing") && attest_gallery_get("pair") == attest_gallery,
           "by name");
    flint_cleanup();
    return tap_done();
}
