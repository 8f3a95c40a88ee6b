/* model_json.c -- kernel models as JSON. */
#include "judge/model_field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

/* ---- reading ----
 *
 * Wherever a value stands, a list of values means any of them; so does a list of objects in the
 * place of one. A group of members (score, max, ...) becomes a list of choices, and the
 * variants of the model are all combinations of the choices of the groups. */

typedef struct choices {
    attest_judge_variant *item;
    size_t count;
} choices;

static bool is_array(const attest_json_cursor *cursor)
{
    size_t length;

    return attest_json_get_length(&length, cursor, NULL) == ATTEST_OK;
}

/* The number of values at the cursor: the length of a list, or 1. get_value returns one of
 * them. */
static size_t count_values(const attest_json_cursor *cursor)
{
    return is_array(cursor) ? attest_json_take_length(cursor, "this list") : 1;
}

static attest_json_cursor get_value(const attest_json_cursor *cursor, size_t index)
{
    return is_array(cursor) ? attest_json_get_element(cursor, index) : *cursor;
}

static void refuse_many(const attest_json_cursor *cursor)
{
    attest_json_refuse(cursor, "with this, the lists have more than %d combinations",
                       ATTEST_JUDGE_MODEL_MOST);
}

/* Allocates count times as many choices, not filled; NULL after a failure. */
static attest_judge_variant *make_room(size_t count, size_t times,
                                       const attest_json_cursor *cursor)
{
    attest_judge_variant *item;

    if (times > ATTEST_JUDGE_MODEL_MOST / count)
        refuse_many(cursor);
    if (attest_json_failed(cursor))
        return NULL;
    item = attest_memory_alloc(count * times, sizeof *item);
    if (!item)
        attest_json_note_memory(cursor);
    return item;
}

/* Multiplies the choices by the values of the member. */
static void multiply(choices *list, const attest_judge_field *field,
                     const attest_json_cursor *member, const attest_judge_model *model)
{
    size_t values = count_values(member);
    choices more = {make_room(list->count, values, member), 0};

    if (!more.item)
        return;
    for (size_t i = 0; i < list->count; i++)
        for (size_t v = 0; v < values && !attest_json_failed(member); v++) {
            attest_json_cursor value = get_value(member, v);

            more.item[more.count] = list->item[i];
            attest_judge_value_read(more.item + more.count++, field, &value, model);
        }
    free(list->item);
    *list = more;
}

/* Appends the choices that the list does not contain yet; two names may mean one unit. */
static void append(choices *list, const choices *more, size_t first, size_t count,
                   const attest_json_cursor *object)
{
    attest_judge_variant *item;

    if (list->count > ATTEST_JUDGE_MODEL_MOST)
        refuse_many(object);
    if (attest_json_failed(object))
        return;
    item = attest_memory_resize(list->item, list->count + more->count, sizeof *item);
    if (!item) {
        attest_json_note_memory(object);
        return;
    }
    list->item = item;
    for (size_t i = 0; i < more->count; i++) {
        bool found = false;

        for (size_t k = 0; k < list->count; k++)
            found = found || attest_judge_field_equal_group(first, count, list->item + k,
                                                            more->item + i);
        if (!found)
            list->item[list->count++] = more->item[i];
    }
}

/* Returns whether the key belongs to one of the fields. */
static bool is_known(const char *key, const attest_judge_field *field, size_t count)
{
    for (size_t f = 0; f < count; f++)
        if (strcmp(key, field[f].key) == 0)
            return true;
    return false;
}

/* Refuses an unknown member, and lists those of the fields. */
static void refuse_member(const attest_json_cursor *member, const attest_judge_field *field,
                          size_t count)
{
    char names[200] = "";

    for (size_t f = 0; f < count; f++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", f ? ", " : "",
                 field[f].key);
    attest_json_refuse(member, "there is no such member; there is %s", names);
}

static void check_members(const attest_json_cursor *object, const attest_judge_field *field,
                          size_t count)
{
    attest_json_cursor member;

    if (!attest_json_is_object(object)) /* fails */
        (void)attest_json_take(object, field->key);
    for (size_t i = 0; attest_json_get_member_at(&member, object, i); i++)
        if (!is_known(member.key, field, count))
            refuse_member(&member, field, count);
}

/* Finds the member with this key; its value may be null. */
static bool find(attest_json_cursor *member, const attest_json_cursor *object, const char *key)
{
    return !attest_json_failed(object) &&
           attest_json_get_member(member, object, key, NULL) == ATTEST_OK;
}

/* Appends the choices that one object allows to the list. */
static void add_object(choices *list, const attest_json_cursor *object, size_t first,
                       size_t count, const attest_judge_model *model)
{
    choices mine = {attest_memory_alloc(1, sizeof *mine.item), 1};
    attest_json_cursor member;

    if (!mine.item) {
        attest_json_note_memory(object);
        return;
    }
    attest_judge_variant_init(mine.item);
    check_members(object, attest_judge_fields + first, count);
    for (size_t f = first; f < first + count; f++)
        if (find(&member, object, attest_judge_fields[f].key))
            multiply(&mine, attest_judge_fields + f, &member, model);
    for (size_t i = 0; i < mine.count; i++)
        attest_judge_value_complete(mine.item + i, object);
    append(list, &mine, first, count, object);
    free(mine.item);
}

/* Multiplies the variants of the model by the choices of the group. */
static void combine(attest_judge_model *model, const choices *list, size_t first, size_t count,
                    const attest_json_cursor *group)
{
    choices more = {make_room(model->variants, list->count, group), 0};

    if (!more.item)
        return;
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
}

static void set_group(attest_judge_model *model, const attest_json_cursor *root, size_t first,
                      size_t count)
{
    choices list = {NULL, 0};
    attest_json_cursor group;
    size_t objects;

    if (!find(&group, root, attest_judge_fields[first].group))
        return;
    objects = count_values(&group);
    for (size_t i = 0; i < objects && !attest_json_failed(root); i++) {
        attest_json_cursor object = get_value(&group, i);

        add_object(&list, &object, first, count, model);
    }
    combine(model, &list, first, count, &group);
    free(list.item);
}

/* Reads one schedule. Missing members of pv follow from the model. */
static void set_schedule(attest_judge_schedule *schedule, const attest_json_cursor *object,
                         const attest_judge_model *model)
{
    const attest_judge_field *field = attest_judge_schedule_fields;
    attest_json_cursor member;

    check_members(object, field, ATTEST_JUDGE_SCHEDULE_FIELDS);
    for (size_t f = 0; f < ATTEST_JUDGE_SCHEDULE_FIELDS && !attest_json_failed(object); f++)
        if (!field[f].optional || find(&member, object, field[f].key)) {
            member = attest_json_take(object, field[f].key);
            if (!attest_json_failed(object))
                attest_judge_value_read(schedule, field + f, &member, model);
        }
    if (find(&member, object, "pv"))
        return;
    if (attest_judge_order_is_tensor(model->variant->pv.order))
        schedule->pv = ATTEST_JUDGE_ORDER_TENSOR;
    else
        schedule->pv = schedule->direction == ATTEST_JUDGE_DIRECTION_BACKWARD
                           ? ATTEST_JUDGE_ORDER_BACKWARD
                           : ATTEST_JUDGE_ORDER_FORWARD;
}

static void set_schedules(attest_judge_model *model, const attest_json_cursor *root)
{
    attest_json_cursor schedules;
    size_t count;

    if (!find(&schedules, root, "schedules"))
        return;
    count = attest_json_take_length(&schedules, "this list");
    if (count > ATTEST_JUDGE_MODEL_MOST)
        attest_json_refuse(&schedules, "there are more than %d schedules",
                           ATTEST_JUDGE_MODEL_MOST);
    if (attest_json_failed(root))
        return;
    model->schedule = attest_memory_alloc(count, sizeof *model->schedule);
    if (!model->schedule) {
        attest_json_note_memory(root);
        return;
    }
    model->schedules = count;
    for (size_t i = 0; i < count && !attest_json_failed(root); i++) {
        attest_json_cursor object = attest_json_get_element(&schedules, i);

        set_schedule(model->schedule + i, &object, model);
    }
}

static void set_scheme(attest_block_format *scheme, const attest_json_cursor *value)
{
    attest_error inner = {0};
    const char *name;

    if (attest_json_is_null(value))
        return;
    name = attest_json_take_string(value, NULL);
    if (!attest_json_failed(value) && attest_block_parse(scheme, name, &inner) != ATTEST_OK) {
        scheme->name[0] = '\0';
        attest_json_refuse(value, "%s", inner.text);
    }
}

static void set_quantise(attest_judge_model *model, const attest_json_cursor *root)
{
    static const char *const of[] = {"inputs", "quantised"}, *const descale[] = {"inputs",
                                                                                 "folded"};
    attest_judge_quantise *quantise = &model->quantise;
    attest_block_format weights = {.name = ""};
    attest_json_cursor object, member;

    if (!find(&object, root, "quantise"))
        return;
    if (!attest_json_is_object(&object))
        attest_json_refuse(&object, "an object with q, k, v, p, exact and descale is expected");
    for (size_t i = 0; attest_json_get_member_at(&member, &object, i); i++) {
        static const char names[] = "qkv";
        const char *place = strchr(names, member.key[0]);

        if (strcmp(member.key, "exact") == 0) {
            quantise->of_quantised = attest_json_take_choice(&member, NULL, of, 2) == 1;
        } else if (strcmp(member.key, "descale") == 0) {
            quantise->folded = attest_json_take_choice(&member, NULL, descale, 2) == 1;
        } else if (member.key[0] && place && !member.key[1]) {
            set_scheme(&quantise->scheme[place - names], &member);
        } else if (strcmp(member.key, "p") == 0) {
            set_scheme(&weights, &member);
            attest_judge_model_set_p_scheme(model, &weights);
        } else {
            attest_json_refuse(&member, "there is no such member; there is q, k, v, p, exact");
        }
    }
}

/* Refuses unknown members. */
static void check_groups(const attest_json_cursor *root)
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
            attest_json_refuse(&member, "there is no such member");
    }
}

static void set(void *value, const attest_json_cursor *root)
{
    attest_judge_model *model = value;

    attest_judge_model_clear(model);
    attest_json_take_format(root, "attest/kernel-model");
    check_groups(root);
    model->name = attest_json_take_optional(root, "name");
    model->comment = attest_json_take_optional(root, "comment");
    if (!model->name)
        model->name = attest_memory_copy("unnamed");
    model->variant = attest_memory_alloc(1, sizeof *model->variant);
    if (!model->name || !model->variant)
        attest_json_note_memory(root);
    if (!attest_json_failed(root)) {
        model->variants = 1;
        attest_judge_variant_init(model->variant);
        for (size_t f = 0; f < ATTEST_JUDGE_FIELDS; f += attest_judge_field_count_group(f))
            set_group(model, root, f, attest_judge_field_count_group(f));
        set_schedules(model, root);
        set_quantise(model, root);
        ATTEST_JSON_NOTE(root, attest_judge_model_check(model, root->failure->error));
    }
    if (attest_json_failed(root))
        attest_judge_model_clear(model);
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

/* ---- writing: all members, those with default values too ---- */

/* The distinct choices of a group among the variants, in the order in which they come. */
typedef struct distinct {
    const attest_judge_variant *item[ATTEST_JUDGE_MODEL_MOST];
    size_t count;
} distinct;

/* The first field from field on in which a and b differ; end: none. */
static size_t differ(const attest_judge_variant *a, const attest_judge_variant *b, size_t field,
                     size_t end)
{
    while (field < end && attest_judge_field_equal(attest_judge_fields + field, a, b))
        field++;
    return field;
}

static void find_choices(distinct *found, const attest_judge_model *model, size_t first,
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

/* The only member in which the choices differ; end: there are several, or one choice. */
static size_t find_list(const distinct *found, size_t first, size_t end)
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

/* Writes one object; where the choices differ in one member, list, with all of its values. */
static void write_object(attest_json *json, const char *key, const attest_judge_variant *item,
                         const distinct *found, size_t first, size_t end, size_t list)
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

/* Writes a group: one object, with a list if that suffices, else a list of objects. */
static void write_group(attest_json *json, const attest_judge_model *model, size_t first,
                        size_t end)
{
    const char *group = attest_judge_fields[first].group;
    distinct found;
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
    attest_json_write_format(json, "attest/kernel-model");
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
