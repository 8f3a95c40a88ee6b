/* model.c -- kernel models: defaults, contradictions, models by name or from a file. */
#include "judge/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
#include "format/block_error.h"
#include "judge/model_field.h"

/* ---- memory and defaults ---- */

void attest_judge_model_init(attest_judge_model *model)
{
    memset(model, 0, sizeof *model);
}

void attest_judge_model_clear(attest_judge_model *model)
{
    free(model->name);
    free(model->comment);
    free(model->variant);
    free(model->schedule);
    attest_judge_model_init(model);
}

void attest_judge_model_free(attest_judge_model *model)
{
    if (model)
        attest_judge_model_clear(model);
    free(model);
}

void attest_judge_model_set_p_scheme(attest_judge_model *model,
                                     const attest_block_format *scheme)
{
    for (size_t i = 0; i < model->variants; i++)
        model->variant[i].p_scheme = *scheme;
}

bool attest_judge_model_quantises(const attest_judge_model *model)
{
    const attest_block_format *scheme = model->quantise.scheme;

    return scheme[0].name[0] || scheme[1].name[0] || scheme[2].name[0];
}

bool attest_judge_order_is_tensor(attest_judge_order order)
{
    return order == ATTEST_JUDGE_ORDER_TENSOR || order == ATTEST_JUDGE_ORDER_TENSOR_FORWARD ||
           order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD;
}

bool attest_judge_emulation_has(const attest_judge_emulation *emulation, size_t i, size_t tile)
{
    const attest_judge_emulation *e = emulation;
    size_t fragment = e->fragment ? e->fragment : tile, number = i / fragment;
    size_t k = i % fragment, fragments = (tile + fragment - 1) / fragment;

    if (e->polynomial.count == 0 || number < e->first || number + e->spared >= fragments)
        return false;
    return e->frequency == 0 || (k - k % 2) % e->frequency + e->emulated >= e->frequency;
}

/* Other members are 0: any, rounded, nearest, not stored, not cast, a natural logarithm
 * with the sink. */
void attest_judge_variant_init(attest_judge_variant *variant)
{
    const double units_4 = 0x1p-22, units_2 = 0x1p-23; /* of binary32 */
    const attest_format binary32 = {.name = "binary32", 24, true, -126, 127, 32};
    attest_judge_dot dot = {.block = 16, .fraction = 25};

    dot.accumulate = binary32;
    *variant = (attest_judge_variant){
        .q = binary32,
        .k = binary32,
        .v = binary32,
        .score = dot,
        .pv = dot,
        .store = binary32,
        .scale_store = binary32,
        .softcap_store = binary32,
        .mask_store = binary32,
        .scaled_query = binary32,
        .softcap_relative = units_4,
        .exp_relative = units_4,
        .p = binary32,
        .sum_accumulate = binary32,
        .lanes = 1,
        .splits = 1,
        .split_log = units_4,
        .final_relative = units_2,
        .output = binary32,
        .lse = {.log_absolute = 0x1.8407p-22, /* CUDA's __logf: 2^-21.4, or 3 ulp */
                .log_relative = 0x1.8p-22,
                .reference = 6,
                .format = binary32},
    };
}

size_t attest_judge_model_get_tile(const attest_judge_model *model)
{
    for (size_t i = 1; i < model->variants; i++)
        if (model->variant[i].tile != model->variant[0].tile)
            return 0;
    return model->variant[0].tile;
}

/* ---- models that contradict themselves ----
 *
 * Refused are models that no kernel can satisfy, and those for which the bound is not proved.
 * Members without effect (the log of a kernel without splits) are accepted. */

/* Returns whether every number of the format is a double, in which bounds and simulations are
 * computed, and 1, the largest weight, is one of its numbers. */
static bool fits_double(const attest_format *format)
{
    return format->bounded && !format->positive && format->precision <= 53 &&
           format->emin <= 0 && format->emax >= 0 && format->emax <= 1023 &&
           format->emin - format->precision + 1 >= -1074;
}

static attest_status check_formats(const attest_judge_variant *variant, attest_error *error)
{
    for (size_t i = 0; i < ATTEST_JUDGE_FIELDS; i++) {
        const attest_judge_field *field = attest_judge_fields + i;
        const attest_format *format =
            (const void *)((const char *)variant + attest_judge_fields[i].at);

        if ((field->kind == ATTEST_JUDGE_FORMAT ||
             field->kind == ATTEST_JUDGE_FORMAT_OR_NULL) &&
            !fits_double(format))
            return attest_error_set(
                error, ATTEST_FORMAT,
                "%s.%s: a format of bounded exponents is expected that has 1 and is no "
                "wider than binary64, this is %s",
                field->group, field->key, format->name);
    }
    return ATTEST_OK;
}

/* An accumulator of scores with more than 24 bits is the working format; the bounds of
 * exponentials are proved for its numbers down to those of binary32. */
static attest_status check_work(const attest_format *format, attest_error *error)
{
    if (format->precision <= 24 || (format->emin <= -126 && format->emax >= 127))
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_FORMAT,
                            "score.accumulate: a format of more than 24 bits must have the "
                            "exponents of binary32, %s does not",
                            format->name);
}

static attest_status check_dot(const attest_judge_dot *dot, const char *group,
                               attest_error *error)
{
    if (!attest_judge_order_is_tensor(dot->order)) {
        if (dot->promote > 0 || dot->promote_tiles > 0)
            return attest_error_set(
                error, ATTEST_FORMAT,
                "%s.%s: only matrix units have this; %s.order is not a matrix unit", group,
                dot->promote > 0 ? "promote" : "promote_tiles", group);
        return ATTEST_OK;
    }
    if (dot->promote % dot->block != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s.promote: a multiple of %s.block, %zu, is expected", group,
                                group, dot->block);
    if (dot->promote > 0 && dot->promote_tiles > 0)
        return attest_error_set(
            error, ATTEST_FORMAT,
            "%s.promote_tiles: %s.promote is set as well; set only one of them", group, group);
    if (strcmp(dot->accumulate.name, "binary32") != 0)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s.accumulate: a matrix unit adds in binary32, not in %s",
                                group, dot->accumulate.name);
    if (!dot->exact_products)
        return attest_error_set(error, ATTEST_FORMAT,
                                "%s.products: those of a matrix unit are exact, not rounded",
                                group);
    return ATTEST_OK;
}

/* Returns whether the order of the keys contradicts the direction of the tiles. */
static bool opposes(attest_judge_direction direction, attest_judge_order order)
{
    if (direction == ATTEST_JUDGE_DIRECTION_FORWARD)
        return order == ATTEST_JUDGE_ORDER_BACKWARD ||
               order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD;
    return direction == ATTEST_JUDGE_DIRECTION_BACKWARD &&
           (order == ATTEST_JUDGE_ORDER_FORWARD || order == ATTEST_JUDGE_ORDER_TENSOR_FORWARD);
}

/* Weights are quantised as binary32 numbers, and then rounded to the format of P. */
static attest_status check_p_scheme(const attest_judge_variant *variant, attest_error *error)
{
    attest_block_error unused;
    attest_status status;

    if (!variant->p_scheme.name[0])
        return ATTEST_OK;
    if (!variant->cast)
        return attest_error_set(error, ATTEST_FORMAT,
                                "quantise.p: p.format is null; it must be the format in which "
                                "quantised weights are multiplied with V");
    if (variant->score.accumulate.precision > 24)
        return attest_error_set(error, ATTEST_FORMAT,
                                "quantise.p: weights of binary32 are quantised, and "
                                "score.accumulate is %s",
                                variant->score.accumulate.name);
    status = attest_block_error_init(&unused, &variant->p_scheme, error);
    if (status != ATTEST_OK) {
        attest_error_prefix(error, status, "quantise.p");
        error->status = status = ATTEST_FORMAT;
    }
    return status;
}

/* Folded scales are factors of the whole head. */
static attest_status check_folded(const attest_judge_quantise *quantise, attest_error *error)
{
    for (int i = 0; quantise->folded && i < 3; i++) {
        const attest_block_format *f = &quantise->scheme[i];
        bool whole = f->tokens == 0 && f->channels == 0 &&
                     (f->rule == ATTEST_BLOCK_PLAIN || f->rule == ATTEST_BLOCK_SCALED ||
                      f->rule == ATTEST_BLOCK_INT8);

        if (f->name[0] && !whole)
            return attest_error_set(error, ATTEST_FORMAT,
                                    "quantise.%c: %s has no scale for a whole head that "
                                    "quantise.descale could fold: per-tensor, per-head or "
                                    "scale=S is expected",
                                    "qkv"[i], f -> name);
    }
    return ATTEST_OK;
}

static attest_status check_variant(const attest_judge_variant *variant, attest_error *error)
{
    bool tiled =
        variant->max == ATTEST_JUDGE_MAX_ONLINE || variant->max == ATTEST_JUDGE_MAX_LAZY;

    ATTEST_TRY(check_formats(variant, error));
    ATTEST_TRY(check_work(&variant->score.accumulate, error));
    ATTEST_TRY(check_dot(&variant->score, "score", error));
    ATTEST_TRY(check_dot(&variant->pv, "pv", error));
    ATTEST_TRY(check_p_scheme(variant, error));
    if (variant->scale_stored && variant->scale != ATTEST_JUDGE_SCALE_SCORE)
        return attest_error_set(error, ATTEST_FORMAT,
                                "scale.store: scaled scores are stored only where the scale "
                                "multiplies the score: set scale.where to score");
    if (variant->threshold > 0 &&
        (variant->max == ATTEST_JUDGE_MAX_ONLINE || variant->max == ATTEST_JUDGE_MAX_TWO_PASS))
        return attest_error_set(
            error, ATTEST_FORMAT,
            "max.threshold: only kernels of max.kind lazy have a threshold");
    if (variant->splits > 1 && variant->join == ATTEST_JUDGE_JOIN_SUMS &&
        variant->place == ATTEST_JUDGE_PLACE_BEFORE)
        return attest_error_set(error, ATTEST_FORMAT,
                                "splits.join: sums of parts are divided after they are joined: "
                                "set final.place to after");
    if (tiled && variant->tile > 0 && opposes(variant->direction, variant->pv.order))
        return attest_error_set(error, ATTEST_FORMAT,
                                "pv.order: this contradicts max.direction, the order in which "
                                "tiles are added");
    return ATTEST_OK;
}

static attest_status refuse(attest_error *error, size_t index, const char *key,
                            const char *what)
{
    return attest_error_set(error, ATTEST_FORMAT, "schedules[%zu].%s: %s", index, key, what);
}

/* The value of a member of a schedule, or of a group of the variant. */
static const char *get_text(char buffer[ATTEST_JUDGE_FIELD_SIZE], const char *group,
                            const char *key, const void *values)
{
    const attest_judge_field *field =
        group ? attest_judge_fields : attest_judge_schedule_fields;
    bool quoted;

    while (strcmp(field->key, key) != 0 || (group && strcmp(field->group, group) != 0))
        field++;
    return attest_judge_field_get_text(&quoted, buffer, field, values);
}

/* Reports a schedule that contradicts its model. Domain: such members are in the tables. */
static attest_status clash(attest_error *error, const attest_judge_schedule *schedule,
                           size_t index, const char *key, const attest_judge_variant *variant,
                           const char *group, const char *member)
{
    char mine[ATTEST_JUDGE_FIELD_SIZE], other[ATTEST_JUDGE_FIELD_SIZE];

    return attest_error_set(error, ATTEST_FORMAT,
                            "schedules[%zu].%s: %s contradicts %s.%s, which is %s", index, key,
                            get_text(mine, NULL, key, schedule), group, member,
                            get_text(other, group, member, variant));
}

/* Checks the members that a schedule must define. */
static attest_status check_complete(const attest_judge_schedule *schedule, size_t index,
                                    attest_error *error)
{
    attest_judge_order scores = schedule->scores, pv = schedule->pv;

    if (scores == ATTEST_JUDGE_ORDER_ANY || scores == ATTEST_JUDGE_ORDER_TENSOR_FORWARD ||
        scores == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD)
        return refuse(error, index, "scores",
                      "tensor, sequential, reversed or pairwise is expected");
    if (pv != ATTEST_JUDGE_ORDER_TENSOR && pv != ATTEST_JUDGE_ORDER_FORWARD &&
        pv != ATTEST_JUDGE_ORDER_BACKWARD)
        return refuse(error, index, "pv", "tensor, forward or backward is expected");
    if (schedule->direction == ATTEST_JUDGE_DIRECTION_ANY)
        return refuse(error, index, "direction", "forward or backward is expected");
    if (schedule->divide == ATTEST_JUDGE_PLACE_ANY)
        return refuse(error, index, "divide", "after or before is expected");
    if (opposes(schedule->direction, pv))
        return refuse(error, index, "pv", "this contradicts the direction");
    return ATTEST_OK;
}

/* Checks the orders of the scores and of the product with V. A matrix unit takes the blocks of
 * a score in order, and those of the keys in the order of the tiles. */
static attest_status check_orders(const attest_judge_schedule *schedule, size_t index,
                                  const attest_judge_variant *variant, attest_error *error)
{
    attest_judge_order score = variant->score.order, pv = variant->pv.order;
    bool forward = schedule->direction == ATTEST_JUDGE_DIRECTION_FORWARD;

    if (schedule->scores == ATTEST_JUDGE_ORDER_TENSOR
            ? score != ATTEST_JUDGE_ORDER_TENSOR && score != ATTEST_JUDGE_ORDER_TENSOR_FORWARD
            : score != ATTEST_JUDGE_ORDER_ANY && score != schedule->scores)
        return clash(error, schedule, index, "scores", variant, "score", "order");
    if (schedule->pv == ATTEST_JUDGE_ORDER_TENSOR
            ? pv != ATTEST_JUDGE_ORDER_TENSOR &&
                  pv != (forward ? ATTEST_JUDGE_ORDER_TENSOR_FORWARD
                                 : ATTEST_JUDGE_ORDER_TENSOR_BACKWARD)
            : pv != ATTEST_JUDGE_ORDER_ANY && pv != schedule->pv)
        return clash(error, schedule, index, "pv", variant, "pv", "order");
    return ATTEST_OK;
}

static attest_status check_tiles(const attest_judge_schedule *schedule, size_t index,
                                 const attest_judge_variant *variant, attest_error *error)
{
    bool any = variant->direction == ATTEST_JUDGE_DIRECTION_ANY;

    if (variant->tile > 0 &&
        (any ? schedule->tile < variant->tile : schedule->tile != variant->tile))
        return clash(error, schedule, index, "tile", variant, "max", "tile");
    if (!any && schedule->direction != variant->direction)
        return clash(error, schedule, index, "direction", variant, "max", "direction");
    if (variant->lanes > 1 && schedule->lanes != variant->lanes)
        return clash(error, schedule, index, "lanes", variant, "sum", "lanes");
    if (variant->pv.promote > 0 && schedule->tile % variant->pv.promote != 0)
        return refuse(error, index, "tile", "a multiple of pv.promote is expected");
    if (schedule->splits > variant->splits)
        return clash(error, schedule, index, "splits", variant, "splits", "most");
    if (schedule->splits > 1 && variant->join == ATTEST_JUDGE_JOIN_SUMS)
        return refuse(error, index, "splits",
                      "the parts of a schedule are divided before they are joined: splits.join "
                      "must not be sums");
    if (schedule->splits > 1 && schedule->divide == ATTEST_JUDGE_PLACE_BEFORE)
        return refuse(error, index, "splits", "parts are divided after the product with V");
    if (schedule->rescale > variant->threshold)
        return clash(error, schedule, index, "rescale", variant, "max", "threshold");
    return ATTEST_OK;
}

/* Checks that the proved error of the polynomial is within exp.relative. */
static attest_status check_emulation(const attest_judge_schedule *schedule, size_t index,
                                     const attest_judge_variant *variant, attest_error *error)
{
    const attest_judge_emulation *e = &schedule->emulation;
    double bound;

    if (e->polynomial.count == 0)
        return ATTEST_OK;
    if (schedule->constant != ATTEST_JUDGE_CONSTANT_FOLDED ||
        variant->score.accumulate.precision > 24)
        return refuse(error, index, "polynomial",
                      "it computes exp2 in binary32: constant must be folded-binary32, and "
                      "score.accumulate must not be wider than binary32");
    if (e->frequency > 0 && e->emulated > e->frequency)
        return refuse(error, index, "emulated", "this is more than the frequency");
    bound = attest_exp2_polynomial_bound(&e->polynomial);
    if (!(bound < 1))
        return refuse(error, index, "polynomial",
                      "coefficients of binary32 are expected, the first one 1, none negative, "
                      "their sum below 2");
    if (!(bound <= variant->exp_relative))
        return attest_error_set(error, ATTEST_FORMAT,
                                "schedules[%zu].polynomial: its error is proved to be at most "
                                "%.4g, which exp.relative, %.4g, does not allow",
                                index, bound, variant->exp_relative);
    return ATTEST_OK;
}

/* A reciprocal and a product round twice. */
static attest_status check_quotient(const attest_judge_schedule *schedule, size_t index,
                                    const attest_judge_variant *variant, attest_error *error)
{
    long bits = variant->score.accumulate.precision;
    double two_units = ldexp(1, 1 - (int)(bits > 24 ? bits : 24));

    if (schedule->quotient == ATTEST_JUDGE_QUOTIENT_RECIPROCAL &&
        !(variant->final_relative >= two_units))
        return refuse(error, index, "quotient",
                      "a reciprocal and a product err by more than final.relative");
    return ATTEST_OK;
}

/* The depth of the orders of a schedule grows with the sums: a model with a depth would include
 * the schedule only for short sums. */
static attest_status check_depth(const attest_judge_dot *dot, const char *group,
                                 attest_error *error)
{
    if (dot->depth == 0 || attest_judge_order_is_tensor(dot->order))
        return ATTEST_OK;
    return attest_error_set(error, ATTEST_FORMAT,
                            "%s.depth: null is expected with schedules, whose orders determine "
                            "the depth",
                            group);
}

static attest_status check_schedule(const attest_judge_schedule *schedule, size_t index,
                                    const attest_judge_variant *variant, attest_error *error)
{
    bool folded = schedule->constant == ATTEST_JUDGE_CONSTANT_FOLDED;

    ATTEST_TRY(check_complete(schedule, index, error));
    ATTEST_TRY(check_orders(schedule, index, variant, error));
    ATTEST_TRY(check_tiles(schedule, index, variant, error));
    ATTEST_TRY(check_emulation(schedule, index, variant, error));
    ATTEST_TRY(check_quotient(schedule, index, variant, error));
    if (variant->scale != ATTEST_JUDGE_SCALE_ANY &&
        variant->scale != (folded ? ATTEST_JUDGE_SCALE_FOLDED : ATTEST_JUDGE_SCALE_SCORE))
        return clash(error, schedule, index, "constant", variant, "scale", "where");
    if (variant->place != ATTEST_JUDGE_PLACE_ANY && schedule->divide != variant->place)
        return clash(error, schedule, index, "divide", variant, "final", "place");
    if (schedule->divide == ATTEST_JUDGE_PLACE_BEFORE &&
        variant->max != ATTEST_JUDGE_MAX_TWO_PASS)
        return refuse(error, index, "divide",
                      "weights can be divided only after the whole row sum is known: max.kind "
                      "must be two-pass");
    return ATTEST_OK;
}

attest_status attest_judge_model_check(const attest_judge_model *model, attest_error *error)
{
    for (size_t i = 0; i < model->variants; i++)
        ATTEST_TRY(check_variant(model->variant + i, error));
    for (size_t i = 1; attest_judge_model_quantises(model) && i < model->variants; i++)
        if (strcmp(model->variant[i].q.name, model->variant[0].q.name) != 0 ||
            strcmp(model->variant[i].k.name, model->variant[0].k.name) != 0 ||
            strcmp(model->variant[i].v.name, model->variant[0].v.name) != 0)
            return attest_error_set(
                error, ATTEST_FORMAT,
                "inputs: quantised inputs have one format each; lists are not "
                "allowed here");
    ATTEST_TRY(check_folded(&model->quantise, error));
    if (model->schedules == 0)
        return ATTEST_OK;
    if (model->variants != 1)
        return attest_error_set(error, ATTEST_FORMAT,
                                "schedules: a schedule is one kernel; no member of the model "
                                "may be a list");
    if (model->variant->cast && model->variant->sum_of == ATTEST_JUDGE_SUM_ANY)
        return attest_error_set(error, ATTEST_FORMAT,
                                "sum.of: with schedules, cast or uncast is expected, not any");
    ATTEST_TRY(check_depth(&model->variant->score, "score", error));
    ATTEST_TRY(check_depth(&model->variant->pv, "pv", error));
    for (size_t i = 0; i < model->schedules; i++)
        ATTEST_TRY(check_schedule(model->schedule + i, i, model->variant, error));
    return ATTEST_OK;
}

/* ---- loading by name ---- */

/* A model has about a page; much larger files are something else. */
enum { LARGEST = 1 << 20, LARGEST_NUMBERS = 16 << 20 };

bool attest_judge_model_is_path(const char *name)
{
    size_t length = strlen(name);

    return strchr(name, '/') || strcmp(name, "-") == 0 ||
           (length >= 5 && strcmp(name + length - 5, ".json") == 0);
}

/* status, with another text for a file that is too large: no option raises this limit. */
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
    attest_input input ATTEST_CLEARED_BY(attest_input_close) = {0};

    ATTEST_TRY(check_size(attest_input_open(&input, path, LARGEST, error),
                          attest_input_name(path), error));
    return check_size(attest_judge_model_read_input(model, &input, &budget, error),
                      attest_input_name(path), error);
}

static const char *shipped_name(const void *of, size_t i)
{
    (void)of;
    return attest_judge_model_shipped[i].name; /* NULL after the last */
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
    near = attest_spelling_pick(name, shipped_name, NULL);
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
    ATTEST_TRY_OR(status, {
        attest_judge_model_free(*model);
        *model = NULL;
    });
    return ATTEST_OK;
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
