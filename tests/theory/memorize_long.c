/* Corollaries 1 and 2 on random labelled data up to d = 4, n = 8, N = 64, with and without
 * mask. */
#include "tests/theory/memorize_random.h"

TEST(memorize_long)
{
    uint64_t state = tap_seed(0x10e9);

    for (size_t dim = 1; dim <= 4; dim++)
        for (size_t count = 4; count <= 64; count *= 2)
            for (size_t longest = 2; longest <= 8; longest *= 2) {
                test_random(&state, dim, longest, count, 4, false);
                test_random(&state, dim, longest, count, 4, true);
            }
    flint_cleanup();
    return 0;
}
