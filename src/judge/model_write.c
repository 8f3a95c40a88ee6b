/* model_write.c -- kernel models as JSON, with all that was left to defaults. */
#include "judge/field.h"
#include "judge/model_json.h"

/* The distinct choices of a group among the variants, in the order in which they come. */
typedef struct choices {
    const attest_judge_variant *item[ATTEST_JUDGE_MODEL_MOST];
    size_t count;
} choices;

/* The first of the group's members, from field on, in which a and b differ; else end. */
static size_t differ(const attest_judge_variant *a, const attest_judge_variant *b, size_t field,
                     size_t end)
{
    while (field < end && attest_judge_field_equal(attest_judge_fields + field, a, b))
        field++;
    return field;
}

static void find_choices(choices *found, const attest_judge_model *model, size_t first,
                         size_t end)
{
    found->count = 0;
    for (size_t v = 0; v < model->variants; v++) {
        bool seen = false;

        for (size_t i = 0; i < found->count; i++)
            seen = seen || attest_judge_field_equal_group(first, end - first, found->item[i],
                                                          model->variant + v);
        if (!seen && found->count < ATTEST_JUDGE_MODEL_MOST)
            found->item[found->count++] = model->variant + v;
    }
}

/* The one member in which the choices differ; end: there are several, or one choice. */
static size_t find_list(const choices *found, size_t first, size_t end)
{
    size_t list = end;

    for (size_t i = 1; i < found->count; i++) {
        size_t f = differ(found->item[0], found->item[i], first, end);

        if (differ(found->item[0], found->item[i], f + 1, end) < end || (i > 1 && f != list))
            return end;
        list = f;
    }
    return list;
}

static void write_value(attest_json *json, const char *key, const attest_judge_field *field,
                        const void *variant)
{
    char buffer[ATTEST_JUDGE_FIELD_SIZE];
    bool quoted;
    const char *text = attest_judge_field_get_text(&quoted, buffer, field, variant);

    if (quoted)
        attest_json_write_string(json, key, text);
    else
        attest_json_write_text(json, key, text);
}

/* One object; where the choices differ in one member, list, all of its values. */
static void write_object(attest_json *json, const char *key, const attest_judge_variant *item,
                         const choices *found, size_t first, size_t end, size_t list)
{
    attest_json_write_object(json, key);
    for (size_t f = first; f < end; f++) {
        const attest_judge_field *field = attest_judge_fields + f;

        if (f != list) {
            write_value(json, field->key, field, item);
            continue;
        }
        attest_json_write_array(json, field->key);
        for (size_t i = 0; i < found->count; i++)
            write_value(json, NULL, field, found->item[i]);
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}

/* A group: one object, with a list where that says it all, else a list of objects. */
static void write_group(attest_json *json, const attest_judge_model *model, size_t first,
                        size_t end)
{
    const char *group = attest_judge_fields[first].group;
    choices found;
    size_t list;

    find_choices(&found, model, first, end);
    list = find_list(&found, first, end);
    if (found.count == 1 || list < end) {
        write_object(json, group, found.item[0], &found, first, end, list);
        return;
    }
    attest_json_write_array(json, group);
    for (size_t i = 0; i < found.count; i++)
        write_object(json, NULL, found.item[i], &found, first, end, end);
    attest_json_write_close(json);
}

static void write_scheme(attest_json *json, const char *key, const attest_block_format *scheme)
{
    if (scheme->name[0])
        attest_json_write_string(json, key, scheme->name);
    else
        attest_json_write_null(json, key);
}

static void write_quantise(attest_json *json, const attest_judge_model *model)
{
    static const char *const key[3] = {"q", "k", "v"};

    attest_json_write_object(json, "quantise");
    for (int i = 0; i < 3; i++)
        write_scheme(json, key[i], &model->quantise.scheme[i]);
    write_scheme(json, "p", &model->variant->p_scheme);
    attest_json_write_string(json, "exact",
                             model->quantise.of_quantised ? "quantised" : "inputs");
    attest_json_write_string(json, "descale", model->quantise.folded ? "folded" : "inputs");
    attest_json_write_close(json);
}

void attest_judge_model_write_json(attest_json *json, const char *key,
                                   const attest_judge_model *model)
{
    attest_json_write_object(json, key);
    attest_json_write_string(json, "format", "attest/kernel-model");
    attest_json_write_integer(json, "version", 1);
    attest_json_write_string(json, "name", model->name);
    attest_json_write_string(json, "comment", model->comment);
    for (size_t f = 0; f < ATTEST_JUDGE_FIELDS; f += attest_judge_field_count_group(f))
        write_group(json, model, f, f + attest_judge_field_count_group(f));
    write_quantise(json, model);
    if (model->schedules > 0) {
        attest_json_write_array(json, "schedules");
        for (size_t i = 0; i < model->schedules; i++) {
            attest_json_write_object(json, NULL);
            for (size_t f = 0; f < ATTEST_JUDGE_SCHEDULE_FIELDS; f++)
                write_value(json, attest_judge_schedule_fields[f].key,
                            attest_judge_schedule_fields + f, model->schedule + i);
            attest_json_write_close(json);
        }
        attest_json_write_close(json);
    }
    attest_json_write_close(json);
}
