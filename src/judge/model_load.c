/* model_load.c -- kernel models by name: shipped ones, and files. */
#include "judge/model_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/input.h"
#include "base/nearest.h"
#include "base/memory.h"
#include "base/scope.h"

/* A model is a page; what is much larger is something else. */
enum { LARGEST = 1 << 20, LARGEST_NUMBERS = 16 << 20 };

bool attest_judge_model_is_path(const char *name)
{
    size_t length = strlen(name);

    return strchr(name, '/') || strcmp(name, "-") == 0 ||
           (length >= 5 && strcmp(name + length - 5, ".json") == 0);
}

/* status, with a text of its own for what is too large: no option raises this limit. */
static attest_status check_size(attest_status status, const char *name, attest_error *error)
{
    if (status != ATTEST_UNABLE)
        return status;
    return attest_error_set(error, ATTEST_UNABLE,
                            "%s%snot a kernel model: more than %d bytes, or numbers of more "
                            "than %d bytes",
                            name, *name ? ": " : "", LARGEST, LARGEST_NUMBERS);
}

static attest_status read_file(attest_judge_model *model, const char *path, attest_error *error)
{
    attest_budget budget = {LARGEST_NUMBERS};
    attest_input input;
    attest_status status = attest_input_open(&input, path, LARGEST, error);

    if (status == ATTEST_OK)
        status = attest_judge_model_read_input(model, &input, &budget, error);
    attest_input_close(&input);
    return check_size(status, attest_input_name(path), error);
}

static const char *shipped_name(const void *of, size_t i)
{
    (void)of;
    return attest_judge_model_shipped[i].name; /* the last is NULL */
}

static attest_status read_shipped(attest_judge_model *model, const char *name,
                                  attest_error *error)
{
    const char *near;
    char quoted[100];

    for (const attest_judge_shipped *s = attest_judge_model_shipped; s->name; s++)
        if (strcmp(name, s->name) == 0)
            return attest_judge_model_parse_json(model, s->text, strlen(s->text), NULL, error);
    attest_escape_excerpt(quoted, sizeof quoted, name, strlen(name));
    near = attest_nearest_pick(name, shipped_name, NULL);
    return attest_error_set(
        error, ATTEST_USAGE,
        "there is no kernel model \"%s\"%s%s%s ('attest show kernels' lists them; "
        "the name of a file has a slash or ends in .json)",
        quoted, near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static attest_status make_empty(attest_judge_model **model, attest_error *error)
{
    *model = attest_memory_alloc(1, sizeof **model);
    if (!*model)
        return attest_memory_fail(error);
    attest_judge_model_init(*model);
    return ATTEST_OK;
}

/* Leaves no model after a failure. */
static attest_status finish(attest_judge_model **model, attest_status status)
{
    if (status != ATTEST_OK) {
        attest_judge_model_free(*model);
        *model = NULL;
    }
    return status;
}

attest_status attest_judge_model_load(attest_judge_model **model, const char *name,
                                      attest_error *error)
{
    ATTEST_TRY(make_empty(model, error));
    return finish(model, attest_judge_model_is_path(name) ? read_file(*model, name, error)
                                                          : read_shipped(*model, name, error));
}

attest_status attest_judge_model_parse(attest_judge_model **model, const char *text,
                                       size_t size, attest_error *error)
{
    attest_budget budget = {LARGEST_NUMBERS};
    attest_status status;

    *model = NULL;
    if (size > LARGEST)
        return check_size(ATTEST_UNABLE, "", error);
    ATTEST_TRY(make_empty(model, error));
    status = attest_judge_model_parse_json(*model, text, size, &budget, error);
    return finish(model, check_size(status, "", error));
}

static void write(attest_json *json, const void *model)
{
    attest_judge_model_write_json(json, NULL, model);
}

char *attest_judge_model_format(const attest_judge_model *model)
{
    return attest_json_format(NULL, write, model);
}

const char *attest_judge_model_shipped_name(size_t i)
{
    const attest_judge_shipped *s = attest_judge_model_shipped;

    while (s->name && i-- > 0)
        s++;
    return s->name;
}
