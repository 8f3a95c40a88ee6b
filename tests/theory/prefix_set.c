/* Numbers of what a query sees: as many beginnings as let halves of their hashes collide, all
 * told apart, and few comparisons for it. */
#include "theory/contextual.h"

#include "tests/tap.h"

enum { TOKENS = 640, PAIRS = TOKENS * (TOKENS - 1) / 2 };

/* Sequences (a, b) for all a < b, and then (b, a). */
static void make_pairs(attest_dataset *dataset)
{
    attest_dataset_builder builder;
    bool ok = true;

    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_REAL, NULL);
    for (int turned = 0; turned < 2; turned++)
        for (int a = 0; a < TOKENS; a++)
            for (int b = a + 1; b < TOKENS; b++) {
                double x[2] = {turned ? b : a, turned ? a : b};

                ok = ok &&
                     attest_dataset_builder_add_sequences(&builder, x, 1, 2, NULL) == ATTEST_OK;
            }
    if (!ok || attest_dataset_builder_finish(dataset, &builder, NULL) != ATTEST_OK)
        abort();
    attest_dataset_builder_clear(&builder);
}

/* The number of the whole sequence. */
static uint32_t number_of(attest_prefix_set *set, attest_prefix *prefix, size_t sequence)
{
    uint32_t number;

    attest_prefix_start(prefix, sequence);
    for (size_t k = 0; k < attest_dataset_length(prefix->dataset, sequence); k++)
        attest_prefix_extend(prefix);
    if (!attest_prefix_set_get(&number, set, prefix))
        abort();
    return number;
}

/* All pairs have numbers of their own; turned they have the same one, but as orders. What is
 * new is compared with nothing, except for collisions of 32 bits; what is not new, once. */
static void test_pairs(const attest_dataset *dataset, attest_likeness likeness,
                       const char *name)
{
    size_t wrong = 0, later = likeness == ATTEST_LIKE_ORDERS ? PAIRS : 0, compared;
    attest_prefix prefix;
    attest_prefix_set set;

    if (attest_prefix_init(&prefix, dataset, NULL) != ATTEST_OK)
        abort();
    attest_prefix_set_init(&set, likeness);
    for (size_t i = 0; i < PAIRS; i++)
        wrong += number_of(&set, &prefix, i) != i;
    compared = prefix.comparison;
    TAP_OK(wrong == 0 && set.count == PAIRS && compared < 100,
           "%s: %d numbers, %zu comparisons", name, PAIRS, compared);
    for (size_t i = 0; i < PAIRS; i++)
        wrong += number_of(&set, &prefix, PAIRS + i) != later + i;
    compared = prefix.comparison - compared;
    TAP_OK(wrong == 0 && set.count == PAIRS + later &&
               (later ? compared < 200 : compared >= PAIRS && compared < PAIRS + 100),
           "turned: %zu comparisons", compared);
    attest_prefix_set_clear(&set);
    attest_prefix_clear(&prefix);
}

/* Sequences one after another, all with the number of the first or not. */
static void test_alike(attest_likeness likeness, const char *name, const char *const *text,
                       const char *expected)
{
    attest_dataset_builder builder;
    attest_dataset dataset;
    attest_prefix prefix;
    attest_prefix_set set;
    bool ok = true;

    attest_dataset_init(&dataset);
    attest_dataset_builder_init(&builder, 1, ATTEST_TABLE_REAL, NULL);
    for (size_t i = 0; text[i]; i++) {
        double x[16];
        size_t length = 0;

        for (; text[i][length]; length++)
            x[length] = text[i][length];
        if (attest_dataset_builder_add_sequences(&builder, x, 1, length, NULL) != ATTEST_OK)
            abort();
    }
    if (attest_dataset_builder_finish(&dataset, &builder, NULL) != ATTEST_OK ||
        attest_prefix_init(&prefix, &dataset, NULL) != ATTEST_OK)
        abort();
    attest_prefix_set_init(&set, likeness);
    for (size_t i = 0; text[i]; i++)
        ok = ok && number_of(&set, &prefix, i) == (uint32_t)(expected[i] - '0');
    TAP_OK(ok, "%s: %s", name, expected);
    attest_dataset_builder_clear(&builder);
    attest_prefix_set_clear(&set);
    attest_prefix_clear(&prefix);
    attest_dataset_clear(&dataset);
}

TEST(prefix_set)
{
    static const char *const text[] = {"ab", "ba",  "baab", "aabb", "abab",   "abb", "babbba",
                                       "a",  "aaa", "abc",  "cab",  "bacabc", "abb", NULL};
    attest_dataset dataset;

    attest_dataset_init(&dataset);
    make_pairs(&dataset);
    test_pairs(&dataset, ATTEST_LIKE_SETS, "sets");
    test_pairs(&dataset, ATTEST_LIKE_PROPORTIONS, "proportions");
    test_pairs(&dataset, ATTEST_LIKE_ORDERS, "orders");
    attest_dataset_clear(&dataset);
    test_alike(ATTEST_LIKE_SETS, "sets", text, "0000000112220");
    test_alike(ATTEST_LIKE_PROPORTIONS, "proportions", text, "0000011223331");
    test_alike(ATTEST_LIKE_ORDERS, "orders", text, "0110001223450");
    flint_cleanup();
    return 0;
}
