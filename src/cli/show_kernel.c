/* show_kernel.c -- attest show kernels, kernel: the kernel models, and one of them with all
 * that it leaves to defaults. */
#include <stdio.h>
#include <string.h>

#include <attest/judge.h>

#include "base/escape.h"
#include "cli/show.h"
#include "judge/field.h"
#include "judge/model_json.h"
#include "report/need.h"

enum { COLUMN = 11 };

static int list_json(void)
{
    attest_json json;

    attest_json_write_begin(&json, stdout);
    attest_json_write_object(&json, NULL);
    attest_json_write_array(&json, "kernels");
    for (const attest_judge_shipped *s = attest_judge_model_shipped; s->name; s++) {
        attest_json_write_object(&json, NULL);
        attest_json_write_string(&json, "name", s->name);
        attest_json_write_string(&json, "title", s->comment);
        attest_json_write_close(&json);
    }
    attest_json_write_close(&json);
    attest_json_write_close(&json);
    return attest_cli_end_json(&json, EXIT_HOLDS);
}

int attest_cli_show_kernels(const attest_common *common)
{
    enum { NAMES = 23 };

    if (common->json)
        return list_json();
    for (const attest_judge_shipped *s = attest_judge_model_shipped; s->name; s++) {
        attest_print("%-*s", NAMES, s->name);
        attest_cli_print_wrapped(s->comment, NAMES);
    }
    return EXIT_HOLDS;
}

/* Whether the variant's group is among those of the variants before it. */
static bool is_repeated(const attest_judge_model *model, size_t variant, size_t first,
                        size_t count)
{
    for (size_t v = 0; v < variant; v++)
        if (attest_judge_field_equal_group(first, count, model->variant + v,
                                           model->variant + variant))
            return true;
    return false;
}

/* "key value, key value, ..." */
static void print_members(const attest_judge_field *field, size_t count, const void *values)
{
    char line[512] = "";

    for (size_t f = 0; f < count; f++) {
        char buffer[ATTEST_JUDGE_FIELD_SIZE];
        size_t used = strlen(line);
        bool quoted;

        snprintf(line + used, sizeof line - used, "%s%s %s", f ? ", " : "", field[f].key,
                 attest_judge_field_get_text(&quoted, buffer, field + f, values));
    }
    attest_cli_print_wrapped(line, COLUMN);
}

/* A group of members; where there are alternatives, one below the other. */
static void print_group(const attest_judge_model *model, size_t first, size_t count)
{
    for (size_t v = 0; v < model->variants; v++) {
        if (is_repeated(model, v, first, count))
            continue;
        attest_print("%*s%-*s", 2, "", COLUMN - 2,
                     v ? "   or" : attest_judge_fields[first].group);
        print_members(attest_judge_fields + first, count, model->variant + v);
    }
}

static void print_text(const attest_judge_model *model)
{
    attest_text comment;

    attest_print("%s", model->name);
    attest_print("\n");
    attest_text_init(&comment);
    if (model->comment)
        attest_escape_terminal(&comment, model->comment, strlen(model->comment));
    if (model->comment)
        attest_cli_print_wrapped(attest_need_text(comment.failed ? NULL : comment.data), 0);
    attest_text_clear(&comment);
    attest_print("\n");
    for (size_t f = 0; f < ATTEST_JUDGE_FIELDS; f += attest_judge_field_count_group(f))
        print_group(model, f, attest_judge_field_count_group(f));
    for (size_t i = 0; i < model->schedules; i++) {
        attest_print("%*s%-*s", 2, "", COLUMN - 2, "schedule");
        print_members(attest_judge_schedule_fields, ATTEST_JUDGE_SCHEDULE_FIELDS,
                      model->schedule + i);
    }
    if (model->variants > 1)
        attest_print("\n%zu combinations\n", model->variants);
}

int attest_cli_show_kernel(const char *name, const attest_common *common)
{
    attest_judge_model *model;
    attest_error error;
    attest_json json;
    int code = EXIT_HOLDS;

    if (attest_judge_model_load(&model, name, &error))
        return attest_cli_fail_input(&error);
    if (common->json) {
        attest_json_write_begin(&json, stdout);
        attest_judge_model_write_json(&json, NULL, model);
        code = attest_cli_end_json(&json, code);
    } else {
        print_text(model);
    }
    attest_judge_model_free(model);
    return code;
}
