/* conll.c -- words and tags in columns: accepted and rejected files, and the points of words.
 */
#include <string.h>

#include "io/conll.h"

#include "tests/tap.h"

static attest_dataset data;
static attest_tags tags;
static attest_error error;

static attest_status parse(const char *text, size_t size, size_t dim)
{
    error.text[0] = '\0';
    return attest_conll_parse(&data, &tags, text, size, dim, NULL, &error);
}

static void good(const char *text, size_t sentences, size_t tokens, size_t words,
                 const char *first_tag, const char *what)
{
    attest_status status = parse(text, strlen(text), 3);

    TAP_OK(status == ATTEST_OK && data.count == sentences && data.total == tokens &&
               data.tokens.count == words && tags.words == words && data.label_dim == 1 &&
               strcmp(tags.name[0], first_tag) == 0,
           "%s %s", what, error.text);
}

static void bad(const char *text, size_t size, size_t dim, const char *expected)
{
    attest_status status = parse(text, size, dim);

    TAP_OK(status == ATTEST_FORMAT && strcmp(error.text, expected) == 0 && data.count == 0 &&
               !tags.name,
           "refused: %s", error.text);
}

/* SHA-256("\0abc") begins with 609f6e36, SHA-256("\1abc") with 1e18 (Python's hashlib). */
static void test_embedding(void)
{
    double entry[40], again[3];

    attest_embed_word(entry, 40, "abc", 3);
    attest_embed_word(again, 3, "abc", 3);
    TAP_OK(entry[0] == -16065 / 65536.0 && entry[1] == -9107 / 65536.0 &&
               entry[16] == -50127 / 65536.0,
           "the documented hash");
    TAP_OK(memcmp(entry, again, sizeof again) == 0, "a smaller D is a beginning of a larger");
    for (int i = 0; i < 40; i++)
        if (!(entry[i] > -1 && entry[i] < 1 && entry[i] != 0))
            entry[0] = 2;
    TAP_OK(entry[0] < 1, "entries are inside (-1, 1) and not 0");
}

/* Words by the thousand: the maps grow, numbers go on in order of appearance. */
static void test_many(void)
{
    enum { WORDS = 20000 };
    char *text = malloc(WORDS * 32), *at = text;
    bool ok;

    for (int i = 0; i < 2 * WORDS; i++)
        at += sprintf(at, "%d t%d\n", i % WORDS, i % 700);
    ok = parse(text, (size_t)(at - text), 4) == ATTEST_OK && data.tokens.count == WORDS &&
         tags.count == 700 && data.total == 2 * WORDS && data.count == 1;
    for (int i = 0; i < 2 * WORDS && ok; i++)
        ok =
            data.token[i] == (uint32_t)(i % WORDS) && fmpq_cmp_si(data.label + i, i % 700) == 0;
    TAP_OK(ok, "%d words, 700 tags %s", WORDS, error.text);
    TAP_OK(parse(text, (size_t)(at - text), 1) == ATTEST_FORMAT &&
               strstr(error.text, "the same point; take a larger D"),
           "%s", error.text);
    free(text);
}

static void test_names(void)
{
    static const char *const refused[] = {"hash",    "hash:",   "hash:0", "hash:257",
                                          "hash:-1", "hash:8x", "sum:8",  "hash:99999999999",
                                          "hash: 8"};
    size_t dim = 0;
    int count = 0;

    TAP_OK(attest_embed_parse(&dim, "hash:256", &error) == ATTEST_OK && dim == 256, "hash:256");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        count += attest_embed_parse(&dim, refused[i], &error) == ATTEST_USAGE;
    TAP_OK(count == sizeof refused / sizeof *refused, "%d bad names refused", count);
}

TEST(conll)
{
    attest_dataset_init(&data);
    attest_tags_init(&tags);
    test_embedding();
    good("EU NNP B-ORG\nrejects VBZ O\n\nPeter B-PER\n", 2, 3, 3, "B-ORG", "two sentences");
    good("\n\n a  x\tO\t\r\n\tb O\r\n \t\r\na O", 2, 3, 2, "O", "blanks, tabs, CR LF, no end");
    good("-DOCSTART- -X- O O\n\nthe O\nthe O\n", 1, 2, 1, "O",
         "a document's begin is left out");
    good(" -DOCSTART- O\nthe O\nthe O\n", 1, 2, 1, "O", "also behind a blank");
    good("\xff\xfe O\n", 1, 1, 1, "O", "a word is any bytes");
    bad("", 0, 3, "there are no sentences");
    bad("\n \n-DOCSTART- O\n", 16, 3, "there are no sentences");
    bad("a O\nb\n", 6, 3, "line 2: a word and a tag are needed, this is one column");
    bad("a O\nb\0c O\n", 10, 3, "line 2: a zero byte");
    bad("a \xff\n", 4, 3, "line 1: the tag is not UTF-8");
    test_many();
    test_names();
    attest_tags_clear(&tags);
    attest_dataset_clear(&data);
    flint_cleanup();
    return 0;
}
