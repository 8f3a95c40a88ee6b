/* json_tree.c -- the JSON parser: its results, errors with positions, and memory. */
#include <string.h>

#include "io/json_tree.h"
#include "tests/ref/json_dump.h"
#include "tests/tap.h"

static attest_json_tree tree;
static attest_error error;

static attest_status parse(const char *text)
{
    return attest_json_tree_parse(&tree, text, strlen(text), NULL, &error);
}

/* The text is parsed, and the result is this text when it is written without white space. */
static void reads(const char *text, const char *expected)
{
    attest_text dump;
    bool same;

    attest_text_init(&dump);
    if (parse(text) == ATTEST_OK)
        json_dump(&dump, tree.root);
    else
        attest_text_add(&dump, error.text);
    same = strcmp(dump.data, expected) == 0;
    TAP_OK(same, "%.60s", expected);
    if (!same)
        printf("# got %s\n", dump.data);
    attest_text_clear(&dump);
    attest_json_tree_clear(&tree, NULL);
}

static void test_values(void)
{
    reads(" [ ] ", "[]");
    reads("{\t}\r\n", "{}");
    reads("null", "null");
    reads("-0", "-0");
    reads("[true,false , null]", "[true,false,null]");
    reads("{\"b\": [1, [2, [3]], 4], \"a\": {\"c\": {}, \"b\": 5}, \"b\": \"6\"}",
          "{\"b\":[1,[2,[3]],4],\"a\":{\"c\":{},\"b\":5},\"b\":\"6\"}");
    reads("[0.10, 1E+5, 100000000000000000000000000000000000000001, 1e99999999999999999999]",
          "[0.10,1E+5,100000000000000000000000000000000000000001,1e99999999999999999999]");
}

static void test_strings(void)
{
    static const char all[] =
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\uD83d\\uDe00\"";
    static const char found[] = "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";

    TAP_OK(parse(all) == ATTEST_OK && tree.root->kind == ATTEST_JSON_STRING &&
               tree.root->count == strlen(found) && strcmp(tree.root->text, found) == 0,
           "all escapes");
    attest_json_tree_clear(&tree, NULL);
    reads("[\"\", \"\xC3\xA9\xF4\x8F\xBF\xBF\x7F\"]",
          "[\"\",\"\xC3\xA9\xF4\x8F\xBF\xBF\\u007f\"]");
    reads("[\"\\u0001\\uDBFF\\uDFFF\\uE000\"]", "[\"\\u0001\xF4\x8F\xBF\xBF\xEE\x80\x80\"]");
}

static void refuses(const char *text, size_t size, const char *expected)
{
    attest_status status = attest_json_tree_parse(&tree, text, size, NULL, &error);
    bool same = strcmp(error.text, expected) == 0;

    TAP_OK(status == ATTEST_FORMAT && same && !tree.block, "%s", expected);
    if (!same)
        printf("# got %s\n", error.text);
}

static void test_words(void)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"{\n \"\xC3\xA9\xE2\x82\xAC\": ?}", "line 2, column 8: unexpected character '?'"},
        {"{\"a\": -}", "line 1, column 7: this is not a JSON number (write other numbers as "
                       "strings)"},
        {"[-01]",
         "line 1, column 2: this is not a JSON number (write other numbers as strings)"},
        {"{\"a\": -nan}", "line 1, column 7: this is not a finite number"},
        {"{\"a\": nul}", "line 1, column 7: this is not a finite number"},
        {"{\"a\": tru", "line 1, column 7: unexpected character 't'"},
        {"{\"a\": 1e+}",
         "line 1, column 7: this is not a JSON number (its exponent has no digits)"},
        {"[1e", "line 1, column 2: this is not a JSON number (its exponent has no digits)"},
        {"{\"a\": 1.e5}",
         "line 1, column 7: this is not a JSON number (digits must follow the point)"},
        {"[1.5.5]", "line 1, column 5: unexpected character '.'"},
        {"{\"\\u00\"}", "line 1, column 3: a bad escape in a string"},
        {"{\"\\u00G0\"}", "line 1, column 3: a bad escape in a string"},
        {"{\"\\", "line 1, column 3: a bad escape in a string"},
        {"[\"\\'\"]", "line 1, column 3: a bad escape in a string"},
        {"{\"\\u0000\"}", "line 1, column 3: \\u0000 in a string"},
        {"[\"\\ud83d\"]", "line 1, column 3: half a surrogate pair in a string"},
        {"[\"\\ud83d\\u0041\"]", "line 1, column 3: half a surrogate pair in a string"},
        {"[\"\\ude00\\ud83d\"]", "line 1, column 3: half a surrogate pair in a string"},
        {"[\"\\ud83d\\ude0", "line 1, column 3: half a surrogate pair in a string"},
        {"{\"\x7F\x80\"}", "line 1, column 4: this is not UTF-8"},
        {"[\"\xED\xA0\x80\"]", "line 1, column 3: this is not UTF-8"},
        {"{\"\xE2\x82", "line 1, column 3: this is not UTF-8"},
        {"[\"\t\"]", "line 1, column 3: a control character in a string"},
        {"{\"a", "line 1, column 4: the text ends inside a string"},
        {"\xEF\xBB\xBF{}", "line 1, column 1: a byte order mark (save the file without it)"},
        {"\x93NUMPY", "line 1, column 1: unexpected character '?': this is not JSON text"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses(bad[i].text, strlen(bad[i].text), bad[i].error);
    refuses("{}\0", 3, "line 1, column 3: there is text after the end of the object");
    refuses("{\0}", 3, "line 1, column 2: a zero byte");
    refuses("[-\0]", 4,
            "line 1, column 2: this is not a JSON number (write other numbers as strings)");
    refuses("[\0]", 3, "line 1, column 2: a zero byte");
    refuses("{\"\0\"}", 5, "line 1, column 3: a control character in a string");
}

/* Words in the wrong order. */
static void test_order(void)
{
    static const struct {
        const char *text, *error;
    } bad[] = {
        {"", "line 1, column 1: there is no JSON text"},
        {" \n ", "line 2, column 2: there is no JSON text"},
        {"]", "line 1, column 1: unexpected character ']': this is not JSON text"},
        {"{} ]", "line 1, column 4: there is text after the end of the object"},
        {"1 2", "line 1, column 3: unexpected character '2'"},
        {"[1 2]", "line 1, column 4: ',' or ']' is expected"},
        {"[1}", "line 1, column 3: ',' or ']' is expected"},
        {"[1: 2]", "line 1, column 3: unexpected character ':'"},
        {"[1,]",
         "line 1, column 4: unexpected character ']': the comma before it is one too many"},
        {"[,1]", "line 1, column 2: unexpected character ','"},
        {"{\"a\": 1,}", "line 1, column 9: a key in double quotes is expected"},
        {"{1: 2}", "line 1, column 2: a key in double quotes is expected"},
        {"{a: 2}", "line 1, column 2: unexpected character 'a'"},
        {"{\"a\" 1}", "line 1, column 6: ':' is expected"},
        {"{\"a\":}", "line 1, column 6: unexpected character '}'"},
        {"{\"a\": 1 \"b\": 2}", "line 1, column 9: ',' or '}' is expected"},
        {"{\"a\": 1]", "line 1, column 8: ',' or '}' is expected"},
        {"{\"a\": [", "line 1, column 8: the text ends too early"},
        {"{\"a\": [1", "line 1, column 9: the text ends too early"},
        {"{\"a\" ", "line 1, column 6: the text ends too early"},
        {"{\"a\": 1", "line 1, column 8: the text ends too early"},
        {"{", "line 1, column 2: the text ends too early"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuses(bad[i].text, strlen(bad[i].text), bad[i].error);
}

static void test_depth(void)
{
    static char text[2000000];

    for (size_t depth = 31; depth <= 33; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        attest_status status = attest_json_tree_parse(&tree, text, 2 * depth, NULL, NULL);
        TAP_OK((status == ATTEST_OK) == (depth <= ATTEST_JSON_MAX_DEPTH), "%zu deep", depth);
        attest_json_tree_clear(&tree, NULL);
    }
    memset(text, '[', sizeof text);
    refuses(text, sizeof text, "line 1, column 33: nested more than 32 deep");
    for (size_t i = 0; i + 4 < sizeof text; i += 5)
        memcpy(text + i, "{\"\":0", 5);
    refuses(text, sizeof text, "line 1, column 6: ',' or '}' is expected");
}

/* Long arrays, objects and strings: everything is there, and nothing is touched twice. */
static void test_large(void)
{
    enum { COUNT = 1000000 };
    char *text = malloc(COUNT * 16 + 10), *at = text;
    bool right;

    *at++ = '[';
    for (int i = 0; i < COUNT; i++)
        at += sprintf(at, "%s[%d,[]]", i ? "," : "", i);
    *at++ = ']';
    right = attest_json_tree_parse(&tree, text, (size_t)(at - text), NULL, NULL) == ATTEST_OK &&
            tree.root->count == COUNT;
    for (int i = 0; i < COUNT && right; i++) {
        const attest_json_node *inner = &tree.root->child[i];
        right = inner->count == 2 && atoi(inner->child[0].text) == i &&
                inner->child[1].kind == ATTEST_JSON_ARRAY && inner->child[1].count == 0;
    }
    TAP_OK(right, "%d arrays", COUNT);
    attest_json_tree_clear(&tree, NULL);
    memset(text, ',', COUNT * 10);
    text[0] = text[COUNT * 10 - 1] = '"';
    TAP_OK(attest_json_tree_parse(&tree, text, COUNT * 10, NULL, NULL) == ATTEST_OK &&
               tree.root->count == COUNT * 10 - 2 &&
               strspn(tree.root->text, ",") == COUNT * 10 - 2,
           "a string of 10 MB");
    attest_json_tree_clear(&tree, NULL);
    free(text);
}

static bool numbers_are(const char *text, size_t expected)
{
    bool same = parse(text) == ATTEST_OK && tree.numbers == expected;

    attest_json_tree_clear(&tree, NULL);
    return same;
}

static void test_numbers(void)
{
    TAP_OK(
        numbers_are("{\"a\": [1, -2, 0.5, \"1/3\", \".5\", \"\\u0031\"], \"1\": null}", 6 * 16),
        "small numbers");
    TAP_OK(numbers_are("{\"a\": \"1/0\", \"12 monkeys\": \"abc\", \"b\": \"\"}", 0),
           "what is no number takes nothing");
    TAP_OK(!numbers_are("{\"a\": 1e99999}", 16), "large ones take more");
}

/* The block is charged to the byte before it is there. */
static void test_budget(void)
{
    static const char text[] = "{\"a\": [1, 2], \"b\": \"\"}";
    const size_t bytes = 16 * 7 + sizeof text;
    attest_budget budget = {bytes};

    TAP_OK(attest_json_tree_parse(&tree, text, strlen(text), &budget, NULL) == ATTEST_OK &&
               tree.bytes == bytes && budget.left == 0,
           "%zu bytes are charged", bytes);
    attest_json_tree_clear(&tree, &budget);
    TAP_OK(budget.left == bytes, "clearing restores the budget");
    budget.left--;
    TAP_OK(attest_json_tree_parse(&tree, text, strlen(text), &budget, &error) ==
                   ATTEST_UNABLE &&
               budget.left == bytes - 1,
           "%s", error.text);
    TAP_OK(attest_json_tree_parse(&tree, "{\"a\" 1}", 7, &budget, &error) == ATTEST_FORMAT &&
               budget.left == bytes - 1,
           "an error restores the budget");
}

/* A text that has more values than were counted, because it has changed meanwhile. */
static void test_change(void)
{
    static const char text[] = "null 17 \"s\"";
    char copy[sizeof text];
    attest_json_node node[1];
    attest_json_parser p = {text, text, text + strlen(text), node, node, copy, 0, 0, &error};

    TAP_OK(attest_json_parser_take_word(&p) == ATTEST_FORMAT &&
               strcmp(error.text, "line 1, column 5: the text changes while it is read") == 0,
           "no room for a word");
    p.at = text + 5;
    TAP_OK(attest_json_parser_take_number(&p) == ATTEST_FORMAT, "no room for a number");
    p.at = text + 8;
    TAP_OK(attest_json_parser_take_string(&p) == ATTEST_FORMAT, "no room for a string");
}

TEST(json_tree)
{
    test_values();
    test_strings();
    test_words();
    test_order();
    test_depth();
    test_large();
    test_numbers();
    test_budget();
    test_change();
    return 0;
}
