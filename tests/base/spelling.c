/* spelling.c -- suggestions for misspelt names. */
#include <string.h>

#include "base/text.h"
#include "tests/tap.h"

static void distance(const char *a, const char *b, size_t expected)
{
    size_t there = attest_spelling_distance(a, b), back = attest_spelling_distance(b, a);

    TAP_OK(there == expected && back == expected, "%s, %s: %zu, %zu; should be %zu", a, b,
           there, back, expected);
}

static const char *name_at(const void *of, size_t i)
{
    return ((const char *const *)of)[i];
}

TEST(spelling)
{
    static const char *const names[] = {"check", "certify", "certified", NULL};
    const char *picked = attest_spelling_pick("certfy", name_at, names);

    char longest[129], other[129];

    distance("", "", 0);
    distance("", "abc", 3);
    distance("certify", "certfy", 1);
    distance("certify", "cretify", 1); /* neighbours exchanged */
    distance("certify", "certify", 0);
    distance("kitten", "sitting", 3);
    distance("ca", "abc", 3); /* no letter is changed twice */
    distance("flaw", "lawn", 2);
    memset(longest, 'a', 127);
    longest[127] = '\0';
    memcpy(other, longest, 128);
    other[64] = 'b';
    distance(longest, other, 1);
    memset(other, 'a', 128);
    other[128] = '\0';
    TAP_OK(attest_spelling_distance(longest, other) > 1000, "names of 128 letters are far");
    TAP_OK(attest_spelling_is_close("c_atn.weight", "c_attn.weight"), "one letter is missing");
    TAP_OK(attest_spelling_is_close("attn", "h.0.attn.weight"), "a part of the name");
    TAP_OK(!attest_spelling_is_close("q", "k"), "one letter is like no other");
    TAP_OK(!attest_spelling_is_close("", "k"), "nothing is like nothing");
    TAP_OK(!attest_spelling_is_close("theorem2", "zero_test"), "another name");
    TAP_OK(picked && strcmp(picked, "certify") == 0, "the nearest of several");
    TAP_OK(!attest_spelling_pick("tolerance", name_at, names), "none that is like it");
    return 0;
}
