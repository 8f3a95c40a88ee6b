/* json_write.c -- layout, escapes and numbers; the output can be parsed. */
#include <math.h>
#include <string.h>

#include "io/json_read.h"
#include "io/json_write.h"
#include "tests/tap.h"

static void write_all(attest_json *json)
{
    fmpq_t value;
    arb_t ball;

    fmpq_init(value);
    arb_init(ball);
    attest_json_write_object(json, NULL);
    attest_json_write_null(json, "null");
    attest_json_write_bool(json, "bool", true);
    attest_json_write_integer(json, "integer", -5);
    attest_json_write_count(json, "count", 18446744073709551615u);
    attest_json_write_string(json, "str\"ing", "a\n\"b\\\x01\xFF");
    attest_json_write_string(json, "none", NULL);
    attest_json_write_measure(json, "measure", 0.25);
    attest_json_write_measure(json, "infinite", INFINITY);
    attest_json_write_array(json, "array");
    fmpq_set_si(value, -6, 4);
    attest_json_write_rational(json, NULL, value);
    attest_json_write_object(json, NULL);
    attest_json_write_close(json);
    attest_json_write_array(json, NULL);
    attest_json_write_close(json);
    attest_json_write_close(json);
    arb_set_si(ball, 3);
    attest_json_write_ball(json, "ball", ball);
    arb_neg(ball, ball);
    attest_json_write_ball(json, "negative", ball);
    arb_pos_inf(ball);
    attest_json_write_ball(json, "beyond", ball);
    attest_json_write_close(json);
    fmpq_clear(value);
    arb_clear(ball);
}

static const char expected[] = "{\n"
                               "  \"null\": null,\n"
                               "  \"bool\": true,\n"
                               "  \"integer\": -5,\n"
                               "  \"count\": 18446744073709551615,\n"
                               "  \"str\\\"ing\": \"a\\u000a\\\"b\\\\\\u0001\xEF\xBF\xBD\",\n"
                               "  \"none\": null,\n"
                               "  \"measure\": 0.25,\n"
                               "  \"infinite\": null,\n"
                               "  \"array\": [\"-3/2\", {}, []],\n"
                               "  \"ball\": {\n"
                               "    \"mid\": \"0x1.8p+1\",\n"
                               "    \"rad\": \"0x0p+0\",\n";

TEST(json_write)
{
    attest_json json;
    attest_json_document document;
    attest_json_cursor root, ball, part;
    attest_json_file file;
    attest_error error;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    attest_json_write_begin(&json, stream);
    write_all(&json);
    TAP_OK(attest_json_write_end(&json) == ATTEST_OK, "written");
    fclose(stream);
    TAP_OK(strncmp(text, expected, strlen(expected)) == 0, "as expected");
    if (strncmp(text, expected, strlen(expected)) != 0)
        printf("# got\n%s\n", text);
    TAP_OK(text[size - 1] == '\n' && text[size - 2] == '}', "a final newline");
    TAP_OK(attest_json_document_parse(&document, text, size, NULL, &error) == ATTEST_OK,
           "it can be read");
    root = attest_json_root(&document);
    TAP_OK(attest_json_find_member(&ball, &root, "ball") &&
               attest_json_find_member(&part, &ball, "log2") &&
               attest_json_find_member(&part, &ball, "text"),
           "a positive ball has its logarithm");
    TAP_OK(attest_json_find_member(&ball, &root, "negative") &&
               !attest_json_find_member(&part, &ball, "log2"),
           "a negative one has none");
    TAP_OK(!attest_json_find_member(&ball, &root, "beyond"), "an infinite one is null");
    attest_json_document_clear(&document);
    free(text);
    TAP_OK(attest_json_file_open(&file, "/dev/full", &error) == ATTEST_OK, "a full device");
    write_all(&file.json);
    TAP_OK(attest_json_file_commit(&file, &error) == ATTEST_IO, "%s", error.text);
    stream = fopen("/dev/full", "w");
    setvbuf(stream, NULL, _IONBF, 0);
    attest_json_write_begin(&json, stream);
    write_all(&json);
    TAP_OK(attest_json_write_end(&json) == ATTEST_IO, "the writer returns it as well");
    fclose(stream);
    flint_cleanup();
    return 0;
}
