/* texts.c -- texts of tokens: read, checked and written; other files are rejected. */
#include <string.h>
#include <unistd.h>

#include "io/texts.h"
#include "tests/tap.h"

static char path[] = "/tmp/t-texts-XXXXXX";

static attest_status read_text(attest_texts *texts, const char *text, attest_budget *budget,
                               attest_error *error)
{
    FILE *file = fopen(path, "w");

    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
    return attest_texts_read(texts, path, budget, error);
}

/* What is written of the texts, in a buffer of this size. */
static void written(char *to, size_t size, const attest_texts *texts)
{
    FILE *file = tmpfile();
    attest_json json;
    size_t used;

    if (!file)
        abort();
    attest_json_write_begin(&json, file);
    attest_json_write_object(&json, NULL);
    attest_texts_write(&json, texts);
    attest_json_write_close(&json);
    if (attest_json_write_end(&json) != ATTEST_OK)
        abort();
    rewind(file);
    used = fread(to, 1, size - 1, file);
    to[used] = '\0';
    fclose(file);
}

static void test_read(void)
{
    attest_budget budget = {1 << 20};
    attest_error error = {0};
    attest_texts texts, again;
    char text[1024];
    size_t wrong = 0;

    if (read_text(&texts, "{\"tokens\": [[\"a\", \"b\\n\", \"\"], [\"a\"], [\"x\", \"y\"]]}",
                  &budget, &error) != ATTEST_OK)
        abort();
    TAP_OK(texts.sequences == 3, "three sequences");
    for (size_t i = 0; i < 3; i++)
        for (size_t length = 0; length < 6; length++) {
            bool right = length == (i == 0 ? 3 : i);
            attest_status status = attest_texts_check(&texts, i, length, &error);
            wrong += status != (right ? ATTEST_OK : ATTEST_FORMAT);
        }
    TAP_OK(wrong == 0, "their lengths are 3, 1 and 2");
    TAP_OK(attest_texts_check(&texts, 2, 7, &error) == ATTEST_FORMAT &&
               strstr(error.text, "tokens[2]: these are 2 texts, but the data have 7 tokens"),
           "another: %s", error.text);
    written(text, sizeof text, &texts);
    attest_texts_clear(&texts);
    TAP_OK(texts.sequences == 0 && budget.left == 1 << 20, "cleared, and all is given back");
    TAP_OK(strcmp(text, "{\n  \"tokens\": [[\"a\", \"b\\u000a\", \"\"], [\"a\"], [\"x\", "
                        "\"y\"]]\n}\n") == 0,
           "written: %s", text[0] ? "as they were" : "nothing");
    TAP_OK(read_text(&again, text, &budget, &error) == ATTEST_OK && again.sequences == 3 &&
               attest_texts_check(&again, 0, 3, &error) == ATTEST_OK,
           "written texts can be read again");
    attest_texts_clear(&again);
    written(text, sizeof text, &again);
    TAP_OK(!strstr(text, "tokens"), "nothing of nothing");
    attest_texts_clear(&again);
}

static void test_refused(void)
{
    static const struct {
        const char *text, *message;
    } c[] = {{"{}", "tokens"},
             {"[]", ""},
             {"{\"tokens\": [", ""},
             {"{\"tokens\": {}}", "tokens"},
             {"{\"tokens\": []}", "tokens: "},
             {"{\"tokens\": [\"a\"]}", "tokens[0]: "},
             {"{\"tokens\": [[]]}", "tokens[0]: "},
             {"{\"tokens\": [[\"a\"], []]}", "tokens[1]: "},
             {"{\"tokens\": [[\"a\"], \"b\"]}", "tokens[1]: "},
             {"{\"tokens\": [[1]]}", "tokens[0][0]: "},
             {"{\"tokens\": [[\"a\", 1]]}", "tokens[0][1]: "},
             {"{\"tokens\": [[\"a\"], [\"a\", \"b\", null]]}", "tokens[1][2]: "}};

    for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
        attest_budget budget = {1 << 20};
        attest_error error = {0};
        attest_texts texts;
        attest_status status = read_text(&texts, c[i].text, &budget, &error);

        TAP_OK(status == ATTEST_FORMAT && strncmp(error.text, path, strlen(path)) == 0 &&
                   strstr(error.text, c[i].message) && texts.sequences == 0 &&
                   budget.left == 1 << 20,
               "%s: %s", c[i].text, error.text);
        attest_texts_clear(&texts);
    }
}

/* Whatever the budget: done, or refused with all of it given back. */
static void test_budget(void)
{
    size_t done = 0, refused = 0, wrong = 0;

    for (size_t left = 0; left < 20000; left += 50) {
        attest_budget budget = {left};
        attest_texts texts;
        attest_status status =
            read_text(&texts, "{\"tokens\": [[\"a\", \"b\"], [\"c\"]]}", &budget, NULL);

        done += status == ATTEST_OK && texts.sequences == 2;
        refused += status == ATTEST_UNABLE;
        attest_texts_clear(&texts);
        wrong += budget.left != left;
    }
    TAP_OK(wrong == 0 && done > 10 && refused > 2 && done + refused == 400,
           "%zu budgets suffice, %zu do not", done, refused);
}

TEST(texts)
{
    int file = mkstemp(path);

    if (file < 0)
        abort();
    close(file);
    test_read();
    test_refused();
    test_budget();
    unlink(path);
    flint_cleanup();
    return 0;
}
