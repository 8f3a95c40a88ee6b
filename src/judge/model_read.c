/* model_read.c -- kernel models out of JSON.
 *
 * Wherever a value stands, a list of values means any of them; so does a list of objects in the
 * place of one. A group of members (score, max, ...) becomes a list of choices, and the model's
 * variants are all combinations of the groups' choices. */
#include "judge/model_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/memory.h"
#include "base/scope.h"
#include "judge/model_value.h"
#include "io/json_member.h"

typedef struct choices {
    attest_judge_variant *item;
    size_t count;
} choices;

static bool is_array(const attest_json_cursor *cursor)
{
    size_t length;

    return attest_json_get_length(&length, cursor, NULL) == ATTEST_OK;
}

/* The number of values that stand here, and one of them: of a list, or the value itself. */
static attest_status count_values(size_t *count, const attest_json_cursor *cursor,
                                  attest_error *error)
{
    *count = 1;
    return is_array(cursor) ? attest_json_get_filled(count, cursor, "this list", error)
                            : ATTEST_OK;
}

static attest_json_cursor get_value(const attest_json_cursor *cursor, size_t index)
{
    return is_array(cursor) ? attest_json_get_element(cursor, index) : *cursor;
}

static attest_status refuse_many(const attest_json_cursor *cursor, attest_error *error)
{
    return attest_json_fail(cursor, error, ATTEST_FORMAT,
                            "with this, the lists have more than %d combinations",
                            ATTEST_JUDGE_MODEL_MOST);
}

/* Room for count times as many choices, none of them filled. */
static attest_status make_room(choices *more, size_t count, size_t times,
                               const attest_json_cursor *cursor, attest_error *error)
{
    *more = (choices){NULL, 0};
    if (times > ATTEST_JUDGE_MODEL_MOST / count)
        return refuse_many(cursor, error);
    more->item = attest_memory_alloc(count * times, sizeof *more->item);
    return more->item ? ATTEST_OK : attest_memory_fail(error);
}

/* Every choice with every value of the member. */
static attest_status multiply(choices *list, const attest_judge_field *field,
                              const attest_json_cursor *member, const attest_judge_model *model,
                              attest_error *error)
{
    attest_status status;
    size_t values;
    choices more;

    ATTEST_TRY(count_values(&values, member, error));
    ATTEST_TRY(make_room(&more, list->count, values, member, error));
    status = ATTEST_OK;
    for (size_t i = 0; i < list->count; i++)
        for (size_t v = 0; v < values && status == ATTEST_OK; v++) {
            attest_json_cursor value = get_value(member, v);

            more.item[more.count] = list->item[i];
            status =
                attest_judge_value_read(more.item + more.count++, field, &value, model, error);
        }
    free(list->item);
    *list = more;
    return status;
}

/* Adds to list what it does not have yet, e.g. because two names mean one unit. */
static attest_status append(choices *list, const choices *more, size_t first, size_t count,
                            const attest_json_cursor *object, attest_error *error)
{
    attest_judge_variant *item;

    if (list->count > ATTEST_JUDGE_MODEL_MOST)
        return refuse_many(object, error);
    item = attest_memory_resize(list->item, list->count + more->count, sizeof *item);
    if (!item)
        return attest_memory_fail(error);
    list->item = item;
    for (size_t i = 0; i < more->count; i++) {
        bool found = false;

        for (size_t k = 0; k < list->count; k++)
            found = found || attest_judge_field_equal_group(first, count, list->item + k,
                                                            more->item + i);
        if (!found)
            list->item[list->count++] = more->item[i];
    }
    return ATTEST_OK;
}

/* Whether the key is one of the fields'. */
static bool is_known(const char *key, const attest_judge_field *field, size_t count)
{
    for (size_t f = 0; f < count; f++)
        if (strcmp(key, field[f].key) == 0)
            return true;
    return false;
}

/* Complains of a member that is none of the fields', and names those. */
static attest_status refuse_member(const attest_json_cursor *member,
                                   const attest_judge_field *field, size_t count,
                                   attest_error *error)
{
    char names[200] = "";

    for (size_t f = 0; f < count; f++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", f ? ", " : "",
                 field[f].key);
    return attest_json_fail(member, error, ATTEST_FORMAT,
                            "there is no such member; there is %s", names);
}

static attest_status check_members(const attest_json_cursor *object,
                                   const attest_judge_field *field, size_t count,
                                   attest_error *error)
{
    attest_json_cursor member;

    if (!attest_json_is_object(object)) /* this says so */
        return attest_json_get_member(&member, object, field->key, error);
    for (size_t i = 0; attest_json_get_member_at(&member, object, i); i++)
        if (!is_known(member.key, field, count))
            return refuse_member(&member, field, count, error);
    return ATTEST_OK;
}

/* The choices that one object leaves, added to list. */
static attest_status add_object(choices *list, const attest_json_cursor *object, size_t first,
                                size_t count, const attest_judge_model *model,
                                attest_error *error)
{
    choices mine = {attest_memory_alloc(1, sizeof *mine.item), 1};
    attest_status status = mine.item ? ATTEST_OK : attest_memory_fail(error);
    attest_json_cursor member;

    if (status == ATTEST_OK) {
        attest_judge_variant_init(mine.item);
        status = check_members(object, attest_judge_fields + first, count, error);
    }
    for (size_t f = first; f < first + count && status == ATTEST_OK; f++)
        if (attest_json_get_member(&member, object, attest_judge_fields[f].key, NULL) ==
            ATTEST_OK)
            status = multiply(&mine, attest_judge_fields + f, &member, model, error);
    if (status == ATTEST_OK) {
        for (size_t i = 0; i < mine.count; i++)
            attest_judge_value_complete(mine.item + i, object);
        status = append(list, &mine, first, count, object, error);
    }
    free(mine.item);
    return status;
}

/* Every variant of the model with every choice of the group. */
static attest_status combine(attest_judge_model *model, const choices *list, size_t first,
                             size_t count, const attest_json_cursor *group, attest_error *error)
{
    choices more;

    ATTEST_TRY(make_room(&more, model->variants, list->count, group, error));
    for (size_t v = 0; v < model->variants; v++)
        for (size_t i = 0; i < list->count; i++, more.count++) {
            more.item[more.count] = model->variant[v];
            for (size_t f = first; f < first + count; f++)
                attest_judge_field_copy(attest_judge_fields + f, more.item + more.count,
                                        list->item + i);
        }
    free(model->variant);
    model->variant = more.item;
    model->variants = more.count;
    return ATTEST_OK;
}

static attest_status set_group(attest_judge_model *model, const attest_json_cursor *root,
                               size_t first, size_t count, attest_error *error)
{
    choices list = {NULL, 0};
    attest_json_cursor group;
    attest_status status;
    size_t objects;

    if (attest_json_get_member(&group, root, attest_judge_fields[first].group, NULL))
        return ATTEST_OK;
    status = count_values(&objects, &group, error);
    for (size_t i = 0; i < objects && status == ATTEST_OK; i++) {
        attest_json_cursor object = get_value(&group, i);
        status = add_object(&list, &object, first, count, model, error);
    }
    if (status == ATTEST_OK)
        status = combine(model, &list, first, count, &group, error);
    free(list.item);
    return status;
}

/* One schedule. What it does not say of pv follows from the model. */
static attest_status set_schedule(attest_judge_schedule *schedule,
                                  const attest_json_cursor *object,
                                  const attest_judge_model *model, attest_error *error)
{
    const attest_judge_field *field = attest_judge_schedule_fields;
    attest_json_cursor member;

    ATTEST_TRY(check_members(object, field, ATTEST_JUDGE_SCHEDULE_FIELDS, error));
    for (size_t f = 0; f < ATTEST_JUDGE_SCHEDULE_FIELDS; f++)
        if (!field[f].optional ||
            attest_json_get_member(&member, object, field[f].key, NULL) == ATTEST_OK) {
            ATTEST_TRY(attest_json_get_member(&member, object, field[f].key, error));
            ATTEST_TRY(attest_judge_value_read(schedule, field + f, &member, model, error));
        }
    if (attest_json_get_member(&member, object, "pv", NULL) == ATTEST_OK)
        return ATTEST_OK;
    if (attest_judge_order_is_tensor(model->variant->pv.order))
        schedule->pv = ATTEST_JUDGE_ORDER_TENSOR;
    else
        schedule->pv = schedule->direction == ATTEST_JUDGE_DIRECTION_BACKWARD
                           ? ATTEST_JUDGE_ORDER_BACKWARD
                           : ATTEST_JUDGE_ORDER_FORWARD;
    return ATTEST_OK;
}

static attest_status set_schedules(attest_judge_model *model, const attest_json_cursor *root,
                                   attest_error *error)
{
    attest_json_cursor schedules;
    size_t count;

    if (attest_json_get_member(&schedules, root, "schedules", NULL))
        return ATTEST_OK;
    ATTEST_TRY(attest_json_get_filled(&count, &schedules, "this list", error));
    if (count > ATTEST_JUDGE_MODEL_MOST)
        return attest_json_fail(&schedules, error, ATTEST_FORMAT,
                                "there are more than %d schedules", ATTEST_JUDGE_MODEL_MOST);
    model->schedule = attest_memory_alloc(count, sizeof *model->schedule);
    if (!model->schedule)
        return attest_memory_fail(error);
    model->schedules = count;
    for (size_t i = 0; i < count; i++) {
        attest_json_cursor object = attest_json_get_element(&schedules, i);
        ATTEST_TRY(set_schedule(model->schedule + i, &object, model, error));
    }
    return ATTEST_OK;
}

static attest_status set_scheme(attest_block_format *scheme, const attest_json_cursor *value,
                                attest_error *error)
{
    attest_error inner = {0};
    const char *name;

    if (attest_json_is_null(value))
        return ATTEST_OK;
    ATTEST_TRY(attest_json_get_string(&name, value, error));
    if (attest_block_parse(scheme, name, &inner) == ATTEST_OK)
        return ATTEST_OK;
    scheme->name[0] = '\0';
    return attest_json_fail(value, error, ATTEST_FORMAT, "%s", inner.text);
}

static attest_status set_quantise(attest_judge_model *model, const attest_json_cursor *root,
                                  attest_error *error)
{
    static const char *const of[] = {"inputs", "quantised"}, *const descale[] = {"inputs",
                                                                                 "folded"};
    attest_judge_quantise *quantise = &model->quantise;
    attest_block_format weights = {.name = ""};
    attest_json_cursor object, member;
    int choice = 0;

    if (attest_json_get_member(&object, root, "quantise", NULL))
        return ATTEST_OK;
    if (!attest_json_is_object(&object))
        return attest_json_fail(&object, error, ATTEST_FORMAT,
                                "an object with q, k, v, p, exact and descale is expected");
    for (size_t i = 0; attest_json_get_member_at(&member, &object, i); i++) {
        static const char names[] = "qkv";
        const char *place = strchr(names, member.key[0]);

        if (strcmp(member.key, "exact") == 0) {
            ATTEST_TRY(attest_json_get_choice(&choice, &member, of, 2, error));
            quantise->of_quantised = choice == 1;
        } else if (strcmp(member.key, "descale") == 0) {
            ATTEST_TRY(attest_json_get_choice(&choice, &member, descale, 2, error));
            quantise->folded = choice == 1;
        } else if (member.key[0] && place && !member.key[1]) {
            ATTEST_TRY(set_scheme(&quantise->scheme[place - names], &member, error));
        } else if (strcmp(member.key, "p") == 0) {
            ATTEST_TRY(set_scheme(&weights, &member, error));
            attest_judge_model_set_p_scheme(model, &weights);
        } else {
            return attest_json_fail(&member, error, ATTEST_FORMAT,
                                    "there is no such member; there is q, k, v, p, exact");
        }
    }
    return ATTEST_OK;
}

/* Refuses members that no model has. */
static attest_status check_groups(const attest_json_cursor *root, attest_error *error)
{
    static const char *const others[] = {"format",  "version",   "name",
                                         "comment", "schedules", "quantise"};
    attest_json_cursor member;

    for (size_t i = 0; attest_json_get_member_at(&member, root, i); i++) {
        bool known = false;

        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
            known = known || strcmp(member.key, others[k]) == 0;
        for (size_t f = 0; f < ATTEST_JUDGE_FIELDS; f++)
            known = known || strcmp(member.key, attest_judge_fields[f].group) == 0;
        if (!known)
            return attest_json_fail(&member, error, ATTEST_FORMAT, "there is no such member");
    }
    return ATTEST_OK;
}

static attest_status set_all(attest_judge_model *model, const attest_json_cursor *root,
                             attest_error *error)
{
    ATTEST_TRY(attest_json_check_format(root, "attest/kernel-model", error));
    ATTEST_TRY(check_groups(root, error));
    ATTEST_TRY(attest_json_copy_optional(&model->name, root, "name", error));
    ATTEST_TRY(attest_json_copy_optional(&model->comment, root, "comment", error));
    if (!model->name)
        model->name = attest_memory_copy("unnamed");
    model->variant = attest_memory_alloc(1, sizeof *model->variant);
    if (!model->name || !model->variant)
        return attest_memory_fail(error);
    model->variants = 1;
    attest_judge_variant_init(model->variant);
    for (size_t f = 0; f < ATTEST_JUDGE_FIELDS; f += attest_judge_field_count_group(f))
        ATTEST_TRY(set_group(model, root, f, attest_judge_field_count_group(f), error));
    ATTEST_TRY(set_schedules(model, root, error));
    ATTEST_TRY(set_quantise(model, root, error));
    return attest_judge_model_check(model, error);
}

attest_status attest_judge_model_set_json(attest_judge_model *model,
                                          const attest_json_cursor *object, attest_error *error)
{
    attest_status status;

    attest_judge_model_clear(model);
    status = set_all(model, object, error);
    if (status != ATTEST_OK)
        attest_judge_model_clear(model);
    return status;
}

static void set(void *model, const attest_json_cursor *object)
{
    ATTEST_JSON_NOTE(object,
                     attest_judge_model_set_json(model, object, object->failure->error));
}

attest_status attest_judge_model_parse_json(attest_judge_model *model, const char *text,
                                            size_t size, attest_budget *budget,
                                            attest_error *error)
{
    attest_judge_model_clear(model);
    return attest_json_parse_value(model, set, text, size, budget, error);
}

attest_status attest_judge_model_read_input(attest_judge_model *model,
                                            const attest_input *input, attest_budget *budget,
                                            attest_error *error)
{
    attest_status status = attest_judge_model_parse_json(model, (const char *)input->data,
                                                         input->size, budget, error);

    return attest_input_locate(input, status, error);
}
