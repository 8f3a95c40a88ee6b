/* The scan before json-c: its bound on json-c's memory, its places, what it refuses. */
#include <malloc.h>
#include <string.h>

#include <json-c/json.h>

#include "io/json_scan.h"
#include "tests/tap.h"

/* What the heap holds; 0 where nobody counts (sanitizers replace malloc). */
static size_t heap(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
#else
    return 0;
#endif
}

/* An object with count times the same value in an array, or as members "0", "1", ... */
static char *repeat(const char *value, int count, bool members)
{
    char *text = malloc(40 + (size_t)count * (strlen(value) + 12)), *at = text;

    at += sprintf(at, members ? "{" : "{\"a\":[");
    for (int i = 0; i < count; i++) {
        if (members)
            at += sprintf(at, "\"%d\":", i);
        at += sprintf(at, "%s%s", value, i + 1 < count ? "," : "");
    }
    sprintf(at, members ? "}" : "]}");
    return text;
}

static void test_memory(void)
{
    static const char *const value[] = {
        "1",
        "-12345",
        "0.5",
        "1e-100000",
        "\"\"",
        "\"1/3\"",
        "\"a longer string than that\"",
        "[]",
        "[1]",
        "[[]]",
        "{}",
        "{\"a\":1}",
        "true",
        "null",
        "{\"a\":1,\"b\":0.1,\"c\":{},\"d\":[]}",
        "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]",
        "{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":9,\"0\":0,"
        "\"a\":1,\"b\":2}"};
    static const int count[] = {1, 33, 1000, 20000};

    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++) {
        size_t worst = 0, least = SIZE_MAX;
        bool held = true;
        for (size_t k = 0; k < 8; k++) {
            char *text = repeat(value[i], count[k / 2], k % 2);
            attest_json_scan scan;
            attest_status status = attest_json_scan_text(&scan, text, strlen(text), NULL);
            size_t before = heap(), taken;
            struct json_object *object = json_tokener_parse(text);
            taken = heap() - before;
            held = held && status == ATTEST_OK && object && taken <= scan.memory;
            if (k >= 6) {
                worst = scan.memory > worst ? scan.memory : worst;
                least = taken < least ? taken : least;
            }
            json_object_put(object);
            attest_json_scan_clear(&scan);
            free(text);
        }
        TAP_OK(held, "json-c takes %zu bytes or more, the bound is at most %zu: %s", least,
               worst, value[i]);
    }
}

static void test_members(void)
{
    static const char text[] = "{\"a\": {}, \"b\": [{\"c\": 1, \"d\": {\"e\": []}}, {}]}";
    attest_json_scan scan;

    TAP_OK(attest_json_scan_text(&scan, text, strlen(text), NULL) == ATTEST_OK &&
               scan.objects == 5 && scan.member[0] == 2 && scan.member[1] == 0 &&
               scan.member[2] == 2 && scan.member[3] == 1 && scan.member[4] == 0,
           "the members of each object are counted");
    attest_json_scan_clear(&scan);
}

static bool numbers_are(const char *text, size_t expected)
{
    attest_json_scan scan;
    bool same = attest_json_scan_text(&scan, text, strlen(text), NULL) == ATTEST_OK &&
                scan.numbers == expected;

    attest_json_scan_clear(&scan);
    return same;
}

static void test_numbers(void)
{
    TAP_OK(numbers_are("{\"a\": [1, -2, 0.5, \"1/3\", \".5\"]}", 5 * 16), "small numbers");
    TAP_OK(numbers_are("{\"a\": \"1/0\", \"12 monkeys\": \"abc\", \"b\": \"\"}", 0),
           "what is no number takes nothing");
    TAP_OK(!numbers_are("{\"a\": 1e99999}", 16), "large ones take more");
}

static void refuses(const char *text, size_t size, const char *expected)
{
    attest_json_scan scan;
    attest_error error = {ATTEST_OK, ""};
    attest_status status = attest_json_scan_text(&scan, text, size, &error);

    TAP_OK(status == ATTEST_FORMAT && strcmp(error.text, expected) == 0, "%s", expected);
    if (strcmp(error.text, expected) != 0)
        printf("# got %s\n", error.text);
    attest_json_scan_clear(&scan);
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"{\n \"\xC3\xA9\xE2\x82\xAC\": ?}", "line 2, column 8: unexpected character '?'"},
        {"{} ]", "line 1, column 4: there is text after the end of the object"},
        {"]", "line 1, column 1: unexpected character ']'"},
        {"{\"a\": -}", "line 1, column 7: this is not a JSON number (write other numbers as "
                       "strings)"},
        {"{\"a\": -nan}", "line 1, column 7: this is not a finite number"},
        {"{\"a\": nul}", "line 1, column 7: this is not a finite number"},
        {"{\"a\": tru", "line 1, column 7: unexpected character 't'"},
        {"{\"a\": 1e+}",
         "line 1, column 7: this is not a JSON number (its exponent has no digits)"},
        {"{\"a\": 1.e5}",
         "line 1, column 7: this is not a JSON number (digits must follow the point)"},
        {"{\"a\": 99999999999999999999}",
         "line 1, column 7: an integer beyond 64 bits (write large integers as strings)"},
        {"{\"\\u00\"}", "line 1, column 3: a bad escape in a string"},
        {"{\"\\", "line 1, column 3: a bad escape in a string"},
        {"{\"\\u0000\"}", "line 1, column 3: \\u0000 in a string"},
        {"{\"\x7F\x80\"}", "line 1, column 4: this is not UTF-8"},
        {"{\"\xE2\x82", "line 1, column 3: this is not UTF-8"},
        {"{\"a", "line 1, column 4: the text ends inside a string"},
        {"{\"a\": [", "line 1, column 8: the text ends too early"},
        {"\xEF\xBB\xBF{}", "line 1, column 1: a byte order mark (save the file without it)"},
        {"\x93NUMPY", "line 1, column 1: unexpected character '?'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses(bad[i].text, strlen(bad[i].text), bad[i].error);
    refuses("{}\0", 3, "line 1, column 3: there is text after the end of the object");
    refuses("{\0}", 3, "line 1, column 2: a zero byte");
    refuses("{\"\0\"}", 5, "line 1, column 3: a control character in a string");
}

static void test_depth(void)
{
    char text[200];
    attest_json_scan scan;

    for (int depth = 31; depth <= 33; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        attest_status status = attest_json_scan_text(&scan, text, 2 * (size_t)depth, NULL);
        TAP_OK((status == ATTEST_OK) == (depth <= ATTEST_JSON_MAX_DEPTH), "%d deep", depth);
        attest_json_scan_clear(&scan);
    }
}

/* The integers that json-c keeps, and the next ones that it does not. */
static void test_integers(void)
{
    static const struct {
        const char *text;
        bool fits;
    } integer[] = {{"[18446744073709551615]", true},   {"[18446744073709551616]", false},
                   {"[-9223372036854775808]", true},   {"[-9223372036854775809]", false},
                   {"[9999999999999999999]", true},    {"[-999999999999999999]", true},
                   {"[99999999999999999999.0]", true}, {"[99999999999999999999e0]", true}};
    for (size_t i = 0; i < sizeof integer / sizeof integer[0]; i++) {
        attest_json_scan scan;
        attest_status status =
            attest_json_scan_text(&scan, integer[i].text, strlen(integer[i].text), NULL);
        TAP_OK((status == ATTEST_OK) == integer[i].fits, "%s", integer[i].text);
        attest_json_scan_clear(&scan);
    }
}

int main(void)
{
    test_memory();
    test_members();
    test_numbers();
    test_refusals();
    test_depth();
    test_integers();
    return tap_done();
}
