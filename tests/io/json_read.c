/* Values out of JSON: every getter, its errors, and the paths in them. */
#include <string.h>
#include <unistd.h>

#include "io/json_read.h"
#include "tests/tap.h"

static const char text[] = "{\"s\": \"text\", \"b\": true, \"i\": -7, \"r\": 1e-3, \"n\": null,"
                           " \"a\": [1, \"2/4\", [0.5], \"x\", 18446744073709551615],"
                           " \"o\": {\"k\": [{\"deep\": false}]}}";

static attest_json_document document;
static attest_json_cursor root;
static attest_error error;

static attest_json_cursor member(const char *key)
{
    attest_json_cursor found = {0};

    if (attest_json_get_member(&found, &root, key, NULL) != ATTEST_OK)
        printf("Bail out! no member %s\n", key);
    return found;
}

static bool error_is(const char *expected)
{
    bool same = strcmp(error.text, expected) == 0;

    if (!same)
        printf("# got %s\n", error.text);
    return same;
}

static void test_scalars(void)
{
    attest_json_cursor s = member("s"), b = member("b"), i = member("i"), n = member("n");
    static const char *const choice[] = {"texts", "text"};
    const char *string;
    int64_t integer;
    int which;
    bool flag;

    TAP_OK(attest_json_get_string(&string, &s, NULL) == ATTEST_OK &&
               strcmp(string, "text") == 0,
           "a string");
    TAP_OK(attest_json_get_bool(&flag, &b, NULL) == ATTEST_OK && flag, "a boolean");
    TAP_OK(attest_json_get_integer(&integer, &i, NULL) == ATTEST_OK && integer == -7,
           "an integer");
    TAP_OK(attest_json_get_choice(&which, &s, choice, 2, NULL) == ATTEST_OK && which == 1,
           "a choice");
    TAP_OK(attest_json_get_text(&string, &i, NULL) == ATTEST_OK && strcmp(string, "-7") == 0 &&
               attest_json_get_text(&string, &s, NULL) == ATTEST_OK &&
               strcmp(string, "text") == 0 &&
               attest_json_get_text(&string, &n, NULL) == ATTEST_OK &&
               strcmp(string, "null") == 0 &&
               attest_json_get_text(&string, &root, &error) == ATTEST_FORMAT &&
               error_is("a string or a number is expected, this is an object"),
           "texts");
    TAP_OK(attest_json_get_string(&string, &b, &error) == ATTEST_FORMAT &&
               error_is("b: a string is expected, this is a boolean"),
           "no string");
    TAP_OK(attest_json_get_bool(&flag, &n, &error) == ATTEST_FORMAT &&
               error_is("n: true or false is expected, this is null"),
           "no boolean");
    TAP_OK(attest_json_get_integer(&integer, &s, &error) == ATTEST_FORMAT &&
               error_is("s: an integer is expected, this is a string"),
           "no integer");
    TAP_OK(attest_json_get_choice(&which, &s, choice, 1, &error) == ATTEST_FORMAT &&
               error_is("s: \"texts\" is expected, this is \"text\""),
           "no such choice");
}

static bool rational_is(const attest_json_cursor *cursor, slong p, ulong q)
{
    fmpq_t value, expected;
    bool same;

    fmpq_init(value);
    fmpq_init(expected);
    fmpq_set_si(expected, p, q);
    same = attest_json_get_rational(value, cursor, &error) == ATTEST_OK &&
           fmpq_equal(value, expected);
    fmpq_clear(value);
    fmpq_clear(expected);
    return same;
}

static void test_arrays(void)
{
    attest_json_cursor a = member("a"), s = member("s"), r = member("r"), o = member("o");
    attest_json_cursor half = attest_json_get_element(&a, 1);
    attest_json_cursor inner = attest_json_get_element(&a, 2);
    attest_json_cursor point = attest_json_get_element(&inner, 0);
    attest_json_cursor word = attest_json_get_element(&a, 3);
    attest_json_cursor deep;
    size_t length;
    fmpq_t value;

    TAP_OK(attest_json_get_length(&length, &a, NULL) == ATTEST_OK && length == 5, "an array");
    TAP_OK(attest_json_get_length(&length, &s, &error) == ATTEST_FORMAT &&
               error_is("s: an array is expected, this is a string"),
           "no array");
    TAP_OK(rational_is(&half, 1, 2) && rational_is(&point, 1, 2) && rational_is(&r, 1, 1000),
           "numbers, quoted and not");
    fmpq_init(value);
    TAP_OK(attest_json_get_rational(value, &word, &error) == ATTEST_FORMAT &&
               error_is("a[3]: \"x\" is not a number"),
           "a path");
    TAP_OK(attest_json_get_rational(value, &inner, &error) == ATTEST_FORMAT &&
               error_is("a[2]: a number is expected, this is an array"),
           "no number");
    fmpq_clear(value);
    TAP_OK(attest_json_get_member(&deep, &o, "k", NULL) == ATTEST_OK, "a member's member");
    attest_json_cursor first = attest_json_get_element(&deep, 0), leaf;
    TAP_OK(attest_json_find_member(&leaf, &first, "deep") &&
               attest_json_get_string(&(const char *){NULL}, &leaf, &error) == ATTEST_FORMAT &&
               error_is("o.k[0].deep: a string is expected, this is a boolean"),
           "a deep path");
}

static void test_members(void)
{
    attest_json_cursor found, s = member("s");

    TAP_OK(attest_json_get_member(&found, &root, "none", &error) == ATTEST_FORMAT &&
               error_is("\"none\" is missing"),
           "a missing member");
    TAP_OK(attest_json_get_member(&found, &s, "x", &error) == ATTEST_FORMAT &&
               error_is("s: an object is expected, this is a string"),
           "no object");
    TAP_OK(!attest_json_find_member(&found, &root, "n") &&
               !attest_json_find_member(&found, &root, "none") &&
               !attest_json_find_member(&found, &s, "x"),
           "null and missing are the same for an optional member");
    TAP_OK(attest_json_is_object(&root) && !attest_json_is_object(&s) &&
               !attest_json_is_null(&s),
           "kinds");
    TAP_OK(attest_json_get_member_at(&found, &root, 4) && strcmp(found.key, "n") == 0 &&
               attest_json_is_null(&found) && attest_json_get_member_at(&found, &root, 6) &&
               strcmp(found.key, "o") == 0 && !attest_json_get_member_at(&found, &root, 7) &&
               !attest_json_get_member_at(&found, &s, 0),
           "members by number");
    TAP_OK(attest_json_fail(&root, &error, ATTEST_UNABLE, "%d", 5) == ATTEST_UNABLE &&
               error_is("5") && attest_json_fail(&s, NULL, ATTEST_IO, "x") == ATTEST_IO,
           "errors of one's own");
}

/* Integers up to the ends of their types and one beyond. */
static void test_integers(void)
{
    static const char numbers[] =
        "{\"a\": [9223372036854775807, 9223372036854775808, -9223372036854775808,"
        " -9223372036854775809, 18446744073709551615, 18446744073709551616, -1, 1.0, 1E2]}";
    static const bool fits[][2] = {{true, true},   {false, true},  {true, false},
                                   {false, false}, {false, true},  {false, false},
                                   {true, false},  {false, false}, {false, false}};
    attest_json_document read;
    attest_json_cursor top, a, element;
    int64_t integer;
    size_t size;
    fmpq_t value;

    fmpq_init(value);
    TAP_OK(attest_json_document_parse(&read, numbers, strlen(numbers), NULL, NULL) == ATTEST_OK,
           "integers");
    top = attest_json_root(&read);
    TAP_OK(attest_json_get_member(&a, &top, "a", NULL) == ATTEST_OK, "an array of them");
    for (size_t i = 0; i < 9; i++) {
        element = attest_json_get_element(&a, i);
        TAP_OK((attest_json_get_integer(&integer, &element, NULL) == ATTEST_OK) == fits[i][0] &&
                   (attest_json_get_size(&size, &element, NULL) == ATTEST_OK) == fits[i][1] &&
                   attest_json_get_rational(value, &element, NULL) == ATTEST_OK,
               "%s", element.value->text);
    }
    element = attest_json_get_element(&a, 3);
    TAP_OK(attest_json_get_integer(&integer, &element, &error) == ATTEST_FORMAT &&
               error_is("a[3]: this integer does not fit into 64 bits"),
           "the integer is too large");
    element = attest_json_get_element(&a, 5);
    TAP_OK(attest_json_get_size(&size, &element, &error) == ATTEST_FORMAT &&
               error_is("a[5]: a number below 2^64 is expected") &&
               attest_json_get_rational(value, &element, NULL) == ATTEST_OK &&
               fmpz_val2(fmpq_numref(value)) == 64,
           "the size is too large, the rational is exact");
    attest_json_document_clear(&read);
    fmpq_clear(value);
}

/* Many keys, of which two are the same or none. */
static void test_keys(void)
{
    enum { COUNT = 100000 };
    char *many = malloc(COUNT * 16 + 20), *at;
    attest_json_document read;

    for (int twice = 0; twice < 2; twice++) {
        at = many + sprintf(many, "{\"k\": {");
        for (int i = 0; i < COUNT; i++)
            at += sprintf(at, "%s\"%d\":0", i ? "," : "", i == COUNT - 1 && twice ? 17 : i);
        at += sprintf(at, "}}");
        attest_status status =
            attest_json_document_parse(&read, many, (size_t)(at - many), NULL, &error);
        TAP_OK(twice ? status == ATTEST_FORMAT &&
                           error_is("k: the same key stands twice in this object")
                     : status == ATTEST_OK,
               "%d keys", COUNT);
        attest_json_document_clear(&read);
    }
    free(many);
}

static void test_budget(void)
{
    attest_budget budget = {100000};
    attest_json_document charged;
    attest_json_cursor top, a, element;
    fmpq_t value;

    fmpq_init(value);
    TAP_OK(attest_json_document_parse(&charged, text, strlen(text), &budget, &error) ==
                   ATTEST_OK &&
               budget.left < 100000 - 16 * 23,
           "the tree is charged");
    top = attest_json_root(&charged);
    size_t left = budget.left;
    TAP_OK(attest_json_get_member(&a, &top, "a", NULL) == ATTEST_OK, "a member");
    element = attest_json_get_element(&a, 4);
    TAP_OK(attest_json_get_rational(value, &element, NULL) == ATTEST_OK &&
               fmpz_equal_ui(fmpq_numref(value), UINT64_MAX) && budget.left < left,
           "a number is charged");
    size_t charged_tree = 100000 - left;
    budget.left = 0;
    TAP_OK(attest_json_get_rational(value, &element, &error) == ATTEST_UNABLE &&
               strncmp(error.text, "a[4]: ", 6) == 0,
           "%s", error.text);
    attest_json_document_clear(&charged);
    TAP_OK(budget.left == charged_tree, "clearing the tree restores the budget");
    fmpq_clear(value);
}

static void test_files(void)
{
    attest_json_document read;
    char path[] = "t-json-read.XXXXXX";
    int file = mkstemp(path);

    TAP_OK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) &&
               attest_json_document_read(&read, path, NULL, &error) == ATTEST_OK,
           "a file");
    attest_json_document_clear(&read);
    TAP_OK(write(file, "}", 1) == 1 &&
               attest_json_document_read(&read, path, NULL, &error) == ATTEST_FORMAT &&
               strncmp(error.text, path, strlen(path)) == 0,
           "%s", error.text);
    close(file);
    unlink(path);
    TAP_OK(attest_json_document_read(&read, path, NULL, &error) == ATTEST_IO, "%s", error.text);
}

static void test_format(void)
{
    static const char versions[] =
        "{\"format\": \"attest/x\", \"version\": 1, \"old\": {\"format\": \"attest/x\","
        " \"version\": 0}, \"other\": {\"format\": \"attest/\\u0007\", \"version\": 1}}";
    attest_json_document read;
    attest_json_cursor top, inside;

    TAP_OK(attest_json_document_parse(&read, versions, strlen(versions), NULL, NULL) ==
               ATTEST_OK,
           "formats");
    top = attest_json_root(&read);
    TAP_OK(attest_json_check_format(&top, "attest/x", NULL) == ATTEST_OK &&
               !attest_json_find_member(&inside, &top, "ol") &&
               !attest_json_find_member(&inside, &top, "older"),
           "the right one");
    TAP_OK(attest_json_get_member(&inside, &top, "old", NULL) == ATTEST_OK &&
               attest_json_check_format(&inside, "attest/x", &error) == ATTEST_FORMAT &&
               error_is("old.version: version 1 is expected, this is version 0"),
           "an old one");
    TAP_OK(attest_json_get_member(&inside, &top, "other", NULL) == ATTEST_OK &&
               attest_json_check_format(&inside, "attest/x", &error) == ATTEST_FORMAT &&
               error_is("other.format: \"attest/x\" is expected, this is \"attest/?\""),
           "another one");
    attest_json_document_clear(&read);
}

/* Errors stick: the first failure stays, and nothing is read after it. */
static void test_sticking(void)
{
    static const char first[] = "i: a whole number >= 0 is expected, this is a number";
    attest_json_failure failure;
    attest_json_cursor top = attest_json_begin(&document, &failure, &error), o, found;

    o = attest_json_take(&top, "o");
    TAP_OK(attest_json_take_integer(&top, "i") == -7 &&
               strcmp(attest_json_take_string(&top, "s"), "text") == 0 &&
               !attest_json_take_optional(&top, "none") && attest_json_has(&o, "k") &&
               !attest_json_failed(&top),
           "values before a failure");
    TAP_OK(attest_json_take_size(&top, "i") == 0 && failure.status == ATTEST_FORMAT &&
               error_is(first),
           "the first failure");
    attest_json_refuse(&top, "another");
    attest_json_note_memory(&top);
    TAP_OK(attest_json_take_integer(&top, "i") == 0 && !attest_json_take_bool(&top, "b") &&
               *attest_json_take_string(&top, "s") == '\0' && !attest_json_take_copy(&o, "x") &&
               attest_json_take_length(&o, "this") == 0 && !attest_json_has(&o, "k") &&
               !attest_json_find_member(&found, &top, "s") &&
               !attest_json_get_member_at(&found, &top, 0),
           "nothing after it");
    TAP_OK(failure.status == ATTEST_FORMAT && error_is(first), "the first failure stays");
}

TEST(json_read)
{
    TAP_OK(attest_json_document_parse(&document, text, strlen(text), NULL, &error) == ATTEST_OK,
           "parse");
    root = attest_json_root(&document);
    test_scalars();
    test_arrays();
    test_members();
    test_integers();
    test_keys();
    test_budget();
    test_files();
    test_format();
    test_sticking();
    attest_json_document_clear(&document);
    flint_cleanup();
    return 0;
}
