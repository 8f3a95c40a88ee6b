/* model.c -- kernel models: the defaults are those of fp32-any; the two models of the
 * specification; lists and matrix units; numbers rounded up; a written model reads back equal;
 * contradictions are refused, with their place. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <attest/judge.h>

#include "judge/model_field.h"
#include "tests/tap.h"

/* JSON is made of C's tokens. */
#define JSON(...) "{\"format\": \"attest/kernel-model\", \"version\": 1" #__VA_ARGS__ "}"

/* clang-format off */
static const char fp32_any[] = JSON(, "name": "fp32-any",
     "inputs": {"q": "binary32", "k": "binary32", "v": "binary32"},
     "score": {"accumulate": "binary32", "products": "rounded", "order": "any", "block": 16, "fraction": 25, "store": null},
     "scale": {"where": "any", "store": null}, "softcap": {"relative": "0x1p-22", "absolute": 0, "store": null}, "mask": {"store": null},
     "max": {"kind": "any", "tile": "any", "direction": "any", "threshold": 0}, "exp": {"relative": "0x1p-22"},
     "p": {"format": null, "offset": 0}, "sum": {"of": "uncast", "accumulate": "binary32", "lanes": 1},
     "pv": {"accumulate": "binary32", "products": "rounded", "order": "any", "block": 16, "fraction": 25},
     "splits": {"most": 1, "log": "0x1p-22"}, "final": {"relative": "0x1p-23", "place": "any"},
     "output": {"format": "binary32", "round": "nearest"});

static const char hopper[] = JSON(, "name": "hopper-bf16-64",
     "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
     "score": {"order": "tensor-forward", "block": 16, "fraction": 25, "products": "exact"},
     "pv": {"order": "tensor-backward", "block": 16, "fraction": 25, "products": "exact"},
     "max": {"kind": "online", "tile": 64, "direction": "backward"}, "p": {"format": "bfloat16"},
     "sum": {"lanes": 4}, "output": {"format": "bfloat16"},
     "schedules": [{"scores": "tensor", "tile": 64, "direction": "backward", "lanes": 4, "rescale": 0,
                    "constant": "folded-binary32", "divide": "after"}]);

static const char empty_members[] = JSON(, "score": {}, "max": {}, "pv": {"depth": null});
static const char three_lists[] = JSON(,
    "max": {"tile": [64, "any"], "direction": ["forward", "backward"]}, "p": {"format": [null, "bf16", "fp16"]});
static const char object_list[] = JSON(,
    "score": [{"order": ["any", "tensor"], "block": 8}, {"order": "sequential", "store": "bf16"}, {"block": 8}]);
static const char mixed_inputs[] = JSON(, "inputs": {"q": ["bf16", "fp16"], "k": "bf16"}, "score": {"order": "any"});
static const char numbers[] = JSON(, "exp": {"relative": "1/3"}, "final": {"relative": 1e-400},
    "max": {"kind": "lazy", "threshold": 0.1}, "splits": {"log": "0x1.4p-3"}, "sum": {"lanes": "4"}, "p": {"offset": -3});
static const char many_lists[] = JSON(, "comment": "two \"kinds\"",
    "inputs": {"q": ["bf16", "fp16"], "k": ["bf16", "fp16"]},
    "score": [{"order": ["any", "tensor"], "store": [null, "fp16"]}, {"depth": [7, null]}],
    "exp": {"relative": ["1/3", "0x1p-1074", 0]}, "max": {"kind": ["lazy", "any"], "threshold": [0.1, 8]},
    "output": {"round": "any"});

/* Choices that differ from the first in one member each, but in different ones. */
static const char corner[] = JSON(, "sum": [{}, {"of": "any"}, {"lanes": 4}]);

/* A model whose products are all of one format, by one unit. */
#define UNIT(format, ...) \
    JSON(, "inputs": {"q": format, "k": format, "v": format}, "p": {"format": format}, \
         "score": {"order": __VA_ARGS__}, "pv": {"order": __VA_ARGS__})
static const struct {
    const char *text;
    size_t block, fraction;
} units[] = {
    {UNIT("fp16", "tc:volta"), 4, 23}, {UNIT("fp16", "tc:ampere"), 8, 24}, {UNIT("bf16", "tc:ampere"), 8, 24},
    {UNIT("tf32", "tc:ampere"), 4, 24}, {UNIT("fp16", "tc:ada"), 8, 24}, {UNIT("bf16", "tc:ada"), 8, 24},
    {UNIT("tf32", "tc:ada"), 4, 24}, {UNIT("float8_e4m3fn", "tc:ada"), 16, 13}, {UNIT("float8_e5m2", "tc:ada"), 16, 13},
    {UNIT("fp16", "tc:hopper"), 16, 25}, {UNIT("bf16", "tc:hopper"), 16, 25}, {UNIT("tf32", "tc:hopper"), 8, 25},
    {UNIT("float8_e4m3fn", "tc:hopper"), 32, 13}, {UNIT("float8_e5m2", "tc:hopper"), 32, 13},
    {UNIT("fp16", "tc:blackwell"), 16, 25}, {UNIT("bf16", "tc:blackwell"), 16, 25}, {UNIT("tf32", "tc:blackwell"), 8, 25},
    {UNIT("tf32", "tc:a100"), 4, 24}, {UNIT("e4m3fn:saturating", "tc:h200"), 32, 13}, /* a GPU's name */
    {UNIT("bf16", ["tc:hopper", "tc:blackwell"]), 16, 25}, /* one unit by two names */
};
/* clang-format on */

static attest_status parse(attest_judge_model *model, const char *text, attest_error *error)
{
    attest_budget budget = {1 << 20};

    return attest_judge_model_parse_json(model, text, strlen(text), &budget, error);
}

/* Reads what must be read. */
static void need(attest_judge_model *model, const char *text)
{
    attest_error error;

    attest_judge_model_init(model);
    if (parse(model, text, &error) != ATTEST_OK) {
        printf("# %s\nBail out! a good model was refused\n", error.text);
        exit(1);
    }
}

static bool same_variant(const attest_judge_variant *a, const attest_judge_variant *b)
{
    for (size_t f = 0; f < ATTEST_JUDGE_FIELDS; f++)
        if (!attest_judge_field_equal(attest_judge_fields + f, a, b)) {
            printf("# %s.%s differs\n", attest_judge_fields[f].group,
                   attest_judge_fields[f].key);
            return false;
        }
    return true;
}

static bool same_model(const attest_judge_model *a, const attest_judge_model *b)
{
    bool same = strcmp(a->name, b->name) == 0 && a->variants == b->variants &&
                a->schedules == b->schedules &&
                (a->comment ? b->comment && strcmp(a->comment, b->comment) == 0 : !b->comment);

    for (size_t v = 0; same && v < a->variants; v++)
        same = same_variant(a->variant + v, b->variant + v);
    for (size_t i = 0; same && i < a->schedules; i++)
        for (size_t f = 0; f < ATTEST_JUDGE_SCHEDULE_FIELDS; f++)
            same = same && attest_judge_field_equal(attest_judge_schedule_fields + f,
                                                    a->schedule + i, b->schedule + i);
    return same;
}

static bool is(const attest_format *format, const char *name)
{
    return strcmp(format->name, name) == 0;
}

static bool is_plain_dot(const attest_judge_dot *dot)
{
    return is(&dot->accumulate, "binary32") && !dot->exact_products &&
           dot->order == ATTEST_JUDGE_ORDER_ANY && dot->block == 16 && dot->fraction == 25 &&
           dot->depth == 0;
}

/* The numbers of fp32-any, one by one, and that files which say less mean the same. */
static void test_defaults(void)
{
    attest_judge_model whole, empty;
    attest_judge_variant v;

    attest_judge_variant_init(&v);
    TAP_OK(is(&v.q, "binary32") && is(&v.k, "binary32") && is(&v.v, "binary32") &&
               is_plain_dot(&v.score) && is_plain_dot(&v.pv) && !v.stored && !v.scale_stored &&
               !v.softcap_stored && !v.mask_stored && !v.cast,
           "defaults: formats and orders");
    TAP_OK(v.scale == ATTEST_JUDGE_SCALE_ANY && is(&v.scaled_query, "binary32") &&
               v.softcap_relative == 0x1p-22 && v.softcap_absolute == 0 &&
               v.max == ATTEST_JUDGE_MAX_ANY && v.tile == 0 &&
               v.direction == ATTEST_JUDGE_DIRECTION_ANY && v.threshold == 0 &&
               v.exp_relative == 0x1p-22 && v.offset == 0,
           "defaults: from the scale to P");
    TAP_OK(v.sum_of == ATTEST_JUDGE_SUM_UNCAST && is(&v.sum_accumulate, "binary32") &&
               v.lanes == 1 && v.splits == 1 && v.split_log == 0x1p-22 &&
               v.final_relative == 0x1p-23 && v.place == ATTEST_JUDGE_PLACE_ANY &&
               is(&v.output, "binary32") && !v.output_any,
           "defaults: from the sum to the output");
    need(&whole, fp32_any);
    need(&empty, JSON());
    TAP_OK(whole.variants == 1 && same_variant(whole.variant, &v) && whole.schedules == 0 &&
               strcmp(whole.name, "fp32-any") == 0,
           "fp32-any has the default members");
    TAP_OK(empty.variants == 1 && same_variant(empty.variant, &v) &&
               strcmp(empty.name, "unnamed") == 0,
           "a model without members has the defaults");
    attest_judge_model_clear(&whole);
    need(&whole, empty_members);
    TAP_OK(whole.variants == 1 && same_variant(whole.variant, &v), "so have empty members");
    attest_judge_model_clear(&whole);
    attest_judge_model_clear(&empty);
}

static void test_hopper(void)
{
    attest_judge_model model;
    const attest_judge_variant *v;
    const attest_judge_schedule *s;

    need(&model, hopper);
    v = model.variant;
    s = model.schedule;
    TAP_OK(model.variants == 1 && is(&v->q, "bfloat16") && is(&v->v, "bfloat16") &&
               v->score.order == ATTEST_JUDGE_ORDER_TENSOR_FORWARD && v->score.exact_products &&
               v->pv.order == ATTEST_JUDGE_ORDER_TENSOR_BACKWARD && v->pv.exact_products &&
               v->max == ATTEST_JUDGE_MAX_ONLINE && v->tile == 64 &&
               v->direction == ATTEST_JUDGE_DIRECTION_BACKWARD && v->cast &&
               is(&v->p, "bfloat16") && v->lanes == 4 && is(&v->output, "bfloat16"),
           "hopper-bf16-64: the model");
    TAP_OK(model.schedules == 1 && s->scores == ATTEST_JUDGE_ORDER_TENSOR &&
               s->pv == ATTEST_JUDGE_ORDER_TENSOR && s->tile == 64 &&
               s->direction == ATTEST_JUDGE_DIRECTION_BACKWARD && s->lanes == 4 &&
               s->rescale == 0 && s->constant == ATTEST_JUDGE_CONSTANT_FOLDED &&
               s->divide == ATTEST_JUDGE_PLACE_AFTER,
           "hopper-bf16-64: the schedule");
    attest_judge_model_clear(&model);
}

/* The combinations of lists, the last member fastest. */
static void test_lists(void)
{
    attest_judge_model model;
    const attest_judge_variant *v;

    need(&model, three_lists);
    v = model.variant;
    TAP_OK(model.variants == 12 && v[0].tile == 64 && !v[0].cast && v[1].cast &&
               is(&v[1].p, "bfloat16") && is(&v[2].p, "binary16") && v[3].tile == 64 &&
               v[3].direction == ATTEST_JUDGE_DIRECTION_BACKWARD && v[6].tile == 0 &&
               v[11].direction == ATTEST_JUDGE_DIRECTION_BACKWARD && is(&v[11].p, "binary16"),
           "two, two and three alternatives");
    attest_judge_model_clear(&model);

    need(&model, object_list);
    v = model.variant;
    TAP_OK(
        model.variants == 3 && v[0].score.order == ATTEST_JUDGE_ORDER_ANY &&
            !v[0].score.exact_products && v[1].score.order == ATTEST_JUDGE_ORDER_TENSOR &&
            v[1].score.exact_products && v[1].score.block == 8 &&
            v[2].score.order == ATTEST_JUDGE_ORDER_FORWARD && v[2].stored && !v[1].stored,
        "a list of objects; products of a matrix unit are exact; the same is not held twice");
    attest_judge_model_clear(&model);
}

static bool unit_is(const char *text, size_t block, size_t fraction)
{
    attest_judge_model model;
    bool good;

    need(&model, text);
    good = model.variants == 1 && model.variant->score.order == ATTEST_JUDGE_ORDER_TENSOR &&
           model.variant->pv.order == ATTEST_JUDGE_ORDER_TENSOR &&
           model.variant->score.exact_products && model.variant->pv.exact_products &&
           model.variant->score.block == block && model.variant->pv.block == block &&
           model.variant->score.fraction == fraction && model.variant->pv.fraction == fraction;
    attest_judge_model_clear(&model);
    return good;
}

static void test_units(void)
{
    attest_judge_model model;

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        TAP_OK(unit_is(units[i].text, units[i].block, units[i].fraction),
               "a unit has blocks of %zu and keeps %zu bits", units[i].block,
               units[i].fraction);
    need(&model, mixed_inputs);
    TAP_OK(model.variants == 2, "formats that no unit multiplies are well without one");
    attest_judge_model_clear(&model);
}

/* Errors are never less than what is written, and no more than a double above it. */
static void test_rounding(void)
{
    attest_judge_model model;
    fmpq_t third, x;

    fmpq_init(third);
    fmpq_init(x);
    fmpq_set_si(third, 1, 3);
    need(&model, numbers);
    attest_number_set_double(x, model.variant->exp_relative);
    TAP_OK(fmpq_cmp(x, third) > 0, "1/3 is rounded up");
    attest_number_set_double(x, nextafter(model.variant->exp_relative, 0));
    TAP_OK(fmpq_cmp(x, third) < 0, "to the next double");
    TAP_OK(model.variant->final_relative == 0x1p-1074, "1e-400 is not 0");
    TAP_OK(model.variant->threshold == 0.1 && model.variant->split_log == 0x1.4p-3 &&
               model.variant->lanes == 4 && model.variant->offset == -3,
           "other numbers");
    attest_judge_model_clear(&model);
    fmpq_clear(third);
    fmpq_clear(x);
}

static char *write_text(const attest_judge_model *model)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    attest_json json;

    attest_json_write_begin(&json, stream);
    attest_judge_model_write_json(&json, NULL, model);
    if (attest_json_write_end(&json) != ATTEST_OK || fclose(stream) != 0)
        abort();
    return text;
}

static void test_round_trip(const char *text)
{
    attest_judge_model model, again;
    char *written;

    need(&model, text);
    written = write_text(&model);
    need(&again, written);
    TAP_OK(same_model(&model, &again), "%s, %zu variants: written and read", model.name,
           model.variants);
    free(written);
    attest_judge_model_clear(&model);
    attest_judge_model_clear(&again);
}

/* Choices that differ in one member are written as one object with a list, others as objects.
 */
static void test_written(void)
{
    attest_judge_model model;
    char *written;

    need(&model, three_lists);
    written = write_text(&model);
    TAP_OK(strstr(written, "\"format\": [null, \"bfloat16\", \"binary16\"]") &&
               strstr(written, "\"max\": [{"),
           "three formats of p are one list, four choices of max are four objects");
    free(written);
    attest_judge_model_clear(&model);
}

static void test_shipped(void)
{
    for (const attest_judge_shipped *s = attest_judge_model_shipped; s->name; s++) {
        attest_judge_model *model;
        attest_error error;

        if (!TAP_OK(attest_judge_model_load(&model, s->name, &error) == ATTEST_OK, "%s is read",
                    s->name)) {
            printf("# %s\n", error.text);
            continue;
        }
        TAP_OK(strcmp(model->name, s->name) == 0 && strcmp(model->comment, s->comment) == 0,
               "%s has its name", s->name);
        attest_judge_model_free(model);
        test_round_trip(s->text);
    }
}

/* Texts of --quantise: the inputs that they quantise, whether the exact values are those of the
 * quantised inputs, and where the scales are applied. */
static void test_quantise(void)
{
    static const struct {
        const char *text;
        bool of_quantised, folded;
        int schemes;
    } of[] = {{JSON(, "quantise"
                    : {"k" : "e4m3:per-head"}),
               false, false, 2},
              {JSON(, "quantise"
                    : {"k" : "e4m3:per-head", "exact" : "inputs", "descale" : "inputs"}),
               false, false, 2},
              {JSON(, "quantise"
                    : {"q" : "e4m3:per-head", "exact" : "quantised"}),
               true, false, 1},
              {JSON(, "quantise"
                    : {"v" : "e4m3:per-head", "q" : null, "descale" : "folded"}),
               false, true, 4},
              {JSON(, "comment"
                    : "none"),
               false, false, 0}};

    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        attest_judge_model model;
        int schemes = 0;

        need(&model, of[i].text);
        for (int s = 0; s < 3; s++)
            schemes += (model.quantise.scheme[s].name[0] != 0) << s;
        TAP_OK(model.quantise.of_quantised == of[i].of_quantised &&
                   model.quantise.folded == of[i].folded && schemes == of[i].schemes,
               "%s", of[i].text + 52);
        attest_judge_model_clear(&model);
    }
}

static void test_load(void)
{
    char path[] = "judge-model-XXXXXX.json";
    int file = mkstemps(path, 5);
    attest_judge_model *model = NULL, *shipped = NULL;
    attest_error error;

    if (file < 0 || write(file, hopper, strlen(hopper)) != (ssize_t)strlen(hopper))
        abort();
    close(file);
    TAP_OK(attest_judge_model_load(&model, path, &error) == ATTEST_OK &&
               attest_judge_model_load(&shipped, "hopper-bf16-64", &error) == ATTEST_OK &&
               same_variant(model->variant, shipped->variant) && model->schedules == 1 &&
               shipped->schedules == 1,
           "from a file, and the shipped one");
    attest_judge_model_free(model);
    attest_judge_model_free(shipped);
    unlink(path);
    TAP_OK(attest_judge_model_load(&model, path, &error) == ATTEST_IO && !model, "no file: %s",
           error.text);
    TAP_OK(attest_judge_model_load(&model, "fp32-some", &error) == ATTEST_USAGE && !model,
           "no model: %s", error.text);
    TAP_OK(attest_judge_model_load(&model, "./fp32-any", &error) == ATTEST_IO && !model,
           "a slash means a file: %s", error.text);
    attest_judge_model_free(NULL);
}

/* clang-format off */
static const struct {
    const char *text, *says;
} bad[] = {
    {"[]", "this is not a JSON object"},
    {JSON(, "score": 3), "score: an object is expected, this is a number"},
    {JSON(, "score": null), "score: an object is expected, this is null"},
    {JSON(, "score": []), "score: this list is empty"},
    {JSON(, "inputs": {"q": ["bf16", "fp16"]}, "quantise": {"q": "e4m3:per-token"}), "inputs: quantised inputs have one format"},
    {JSON(, "inputs": {"k": ["bf16", "fp16"]}, "quantise": {"k": "e4m3:per-token"}), "inputs: quantised inputs have one format"},
    {JSON(, "inputs": {"v": ["bf16", "fp16"]}, "quantise": {"v": "e4m3:per-token"}), "inputs: quantised inputs have one format"},
    {JSON(, "quantise": 3), "quantise: an object with q, k, v, p, exact and descale"},
    {JSON(, "quantise": {"o": "e4m3:per-token"}), "quantise.o: there is no such member"},
    {JSON(, "quantise": {"k": "int9"}), "quantise.k: "},
    {JSON(, "quantise": {"exact": "none"}), "quantise.exact: "},
    {JSON(, "quantise": {"k": "e4m3:per-head", "descale": "none"}), "quantise.descale: "},
    {JSON(, "score": [{}, 1]), "score[1]: an object is expected"},
    {JSON(, "scores": {}), "scores: there is no such member"},
    {JSON(, "score": {"blok": 3}), "score.blok: there is no such member"},
    {JSON(, "score": [{}, {"blok": 3}]), "score[1].blok: there is no such member"},
    {JSON(, "name": 3), "name: a string is expected"},
    {JSON(, "inputs": {"q": "fp8"}), "inputs.q: format \"fp8\" may be float8_e4m3fn or float8_e5m2"},
    {JSON(, "inputs": {"q": "int8"}), "inputs.q: unknown format \"int8\""},
    {JSON(, "inputs": {"q": ["fp32", "int8"]}), "inputs.q[1]: unknown format \"int8\""},
    {JSON(, "inputs": {"q": "a\nb"}), "inputs.q: unknown format \"a?b\""},
    {JSON(, "score": {"order": "tc:\n"}), "score.order: tc:volta, tc:ampere, tc:ada, tc:hopper or tc:blackwell is expected, this is \"tc:?\""},
    {JSON(, "inputs": {"q": null}), "inputs.q: a string is expected, this is null"},
    {JSON(, "inputs": {"q": 32}), "inputs.q: a string is expected"},
    {JSON(, "output": {"format": "p=24"}), "output.format: a format of bounded exponents"},
    {JSON(, "output": {"format": "p=64:emin=-99:emax=99"}), "output.format: a format of bounded"},
    {JSON(, "output": {"format": "p=8:emin=-1070:emax=99"}), "output.format: a format of bounded"},
    {JSON(, "output": {"format": "p=8:emin=-9:emax=1024"}), "output.format: a format of bounded"},
    {JSON(, "output": {"format": "p=8:emin=1:emax=9"}), "output.format: a format of bounded"},
    {JSON(, "score": {"accumulate": "p=25:emin=-125:emax=127"}), "score.accumulate: a format of more"},
    {JSON(, "score": {"accumulate": "p=25:emin=-126:emax=126"}), "score.accumulate: a format of more"},
    {JSON(, "score": {"order": "forward"}), "score.order: \"any\" or \"sequential\""},
    {JSON(, "pv": {"order": "sequential"}), "pv.order: \"any\" or \"forward\""},
    {JSON(, "pv": {"order": "pairwise"}), "pv.order: \"any\""},
    {JSON(, "score": {"order": ["any", 3]}), "score.order[1]: a string is expected"},
    {JSON(, "score": {"block": 0}), "score.block: a whole number from 1 to 65536 is expected"},
    {JSON(, "score": {"block": 1.5}), "score.block: a whole number from 1"},
    {JSON(, "score": {"block": "many"}), "score.block: \"many\""},
    {JSON(, "score": {"fraction": 0}), "score.fraction: a whole number from 1"},
    {JSON(, "score": {"depth": 0}), "score.depth: a whole number from 1"},
    {JSON(, "pv": {"depth": -1}), "pv.depth: a whole number from 1"},
    {JSON(, "scale": {"store": "bf16"}), "scale.store: scaled scores are stored only where"},
    {JSON(, "scale": {"where": "query", "store": "bf16"}), "scale.store: scaled scores"},
    {JSON(, "mask": {"store": 3}), "mask.store: "},
    {JSON(, "pv": {"store": null}), "pv.store: there is no such member"},
    {JSON(, "max": {"tile": 0}), "max.tile: a whole number from 1"},
    {JSON(, "max": {"tile": "all"}), "max.tile: "},
    {JSON(, "max": {"threshold": -1}), "max.threshold: a number from 0 to below 1000"},
    {JSON(, "max": {"threshold": 1000}), "max.threshold: a number from 0"},
    {JSON(, "max": {"kind": "online", "threshold": 8}), "max.threshold: only kernels of max.kind lazy"},
    {JSON(, "max": {"kind": "two-pass", "threshold": "0x1p-9"}), "max.threshold: only kernels"},
    {JSON(, "max": {"kind": "online", "tile": 64, "direction": "forward"}, "pv": {"order": "backward"}), "pv.order: this contradicts max.direction"},
    {JSON(, "max": {"kind": "lazy", "tile": 64, "direction": "backward"}, "pv": {"order": "tensor-forward"}), "pv.order: this contradicts"},
    {JSON(, "exp": {"relative": -0.5}), "exp.relative: a number from 0 to below 1 is expected"},
    {JSON(, "exp": {"relative": 1}), "exp.relative: a number from 0 to below 1 is expected"},
    {JSON(, "exp": {"relative": "NaN"}), "exp.relative: \"NaN\""},
    {JSON(, "exp": {"relative": [0.5, 2]}), "exp.relative[1]: a number"},
    {JSON(, "softcap": {"absolute": -1}), "softcap.absolute: a number"},
    {JSON(, "final": {"relative": "7/7"}), "final.relative: a number"},
    {JSON(, "splits": {"most": 0}), "splits.most: a whole number from 1"},
    {JSON(, "splits": {"log": -1}), "splits.log: a number"},
    {JSON(, "splits": {"join": "lse"}), "splits.join: \"quotients\" or \"logs\" or \"sums\" or \"any\" is expected"},
    {JSON(, "splits": {"most": 2, "join": "sums"}, "final": {"place": "before"}), "splits.join: sums of parts are divided after"},
    {JSON(, "sum": {"lanes": 0}), "sum.lanes: a whole number from 1"},
    {JSON(, "sum": {"of": "all"}), "sum.of: \"uncast\" or \"cast\" or \"any\" is expected"},
    {JSON(, "p": {"offset": 1001}), "p.offset: a whole number from -1000 to 1000"},
    {JSON(, "p": {"offset": null}), "p.offset: a number is expected, this is null"},
    {JSON(, "output": {"round": "up"}), "output.round: \"nearest\" or \"any\""},
    {JSON(, "score": {"order": "tensor", "products": "rounded"}), "score.products: those of a matrix unit are exact"},
    {JSON(, "pv": {"order": "tensor-forward", "products": ["exact", "rounded"]}), "pv.products: those"},
    {JSON(, "pv": {"order": "tensor", "accumulate": "fp16"}), "pv.accumulate: a matrix unit adds in binary32, not in binary16"},
    {JSON(, "score": {"order": "tc:turing"}), "score.order: tc:volta, tc:ampere"},
    {JSON(, "score": {"order": "tc:hopper"}), "score.order: tc:hopper is not known to multiply binary32 by binary32"},
    {UNIT("bf16", "tc:volta"), "score.order: tc:volta is not known to multiply bfloat16"},
    {UNIT("float8_e4m3fn", "tc:blackwell"), "score.order: tc:blackwell is not known"},
    {JSON(, "inputs": {"q": "bf16", "k": "fp16"}, "score": {"order": ["any", "tc:hopper"]}), "score.order[1]: tc:hopper is not known to multiply bfloat16 by binary16"},
    {JSON(, "inputs": {"v": "bf16"}, "pv": {"order": "tc:hopper"}), "pv.order: p.format is null"},
    {JSON(, "inputs": {"q": "bf16", "k": "bf16"}, "score": {"order": "tc:hopper", "block": 16}), "score.block: \"order\" is tc:hopper"},
    {JSON(, "inputs": {"q": "bf16", "k": "bf16"}, "score": {"order": ["tc:hopper"], "products": "exact"}), "score.products: \"order\" is tc:hopper"},
    {JSON(, "inputs": {"v": "fp16"}, "p": {"format": ["fp16", null]}, "pv": {"order": "tc:hopper"}), "pv.order: p.format is null"},
    {JSON(, "inputs": {"v": ["fp16", "tf32"]}, "p": {"format": ["fp16"]}, "pv": {"order": "tc:ampere"}), "pv.order: tc:ampere is not known to multiply binary16 by tfloat32"},
    {JSON(, "inputs": [{"q": "fp16", "k": "fp16"}, {"q": "tf32", "k": "tf32"}], "score": {"order": "tc:ada"}), "score.order: the block of tc:ada depends on the format"},
    {JSON(, "max": {"tile": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}, "sum": {"lanes": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}), "sum: with this, the lists have more than 256 combinations"},
    {JSON(, "schedules": 3), "schedules: an array is expected"},
    {JSON(, "schedules": []), "schedules: this list is empty"},
    {JSON(, "schedules": [3]), "schedules[0]: an object is expected"},
    {JSON(, "schedules": [{"scores": "sequential"}]), "schedules[0]: \"tile\" is missing"},
    {JSON(, "schedules": [{"scorez": "sequential"}]), "schedules[0].scorez: there is no such member"},
};

/* A schedule, and other members of its model. */
#define FITS(how, by, size, way, number, limit, what, where, ...) \
    JSON(, "schedules": [{"scores": how, "pv": by, "tile": size, "direction": way, "lanes": number, \
                          "rescale": limit, "constant": what, "divide": where}], __VA_ARGS__)
static const struct {
    const char *text, *says;
} clash[] = {
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "sum": {}), NULL},
    {FITS("tensor", "forward", 64, "forward", 4, 0, "separate", "after", "score": {"order": "tensor"}), NULL},
    {FITS("any", "forward", 64, "forward", 4, 0, "separate", "after", "sum": {}), "schedules[0].scores: tensor, sequential"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "pv": {"depth": 3}), "pv.depth: null is expected with schedules"},
    {FITS("pairwise", "forward", 64, "forward", 4, 0, "separate", "after", "score": {"depth": 9}), "score.depth: null is expected with schedules"},
    {FITS("tensor", "forward", 64, "forward", 4, 0, "separate", "after", "sum": {}), "schedules[0].scores: tensor contradicts score.order, which is any"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "score": {"order": "tensor"}), "schedules[0].scores: sequential contradicts score.order, which is tensor"},
    {FITS("tensor", "forward", 64, "forward", 4, 0, "separate", "after", "score": {"order": "tensor-backward"}), "schedules[0].scores: tensor contradicts score.order, which is tensor-backward"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "score": {"order": "reversed"}), "schedules[0].scores: sequential contradicts score.order, which is reversed"},
    {FITS("pairwise", "any", 64, "forward", 4, 0, "separate", "after", "sum": {}), "schedules[0].pv: tensor, forward or backward"},
    {FITS("sequential", "tensor", 64, "forward", 4, 0, "separate", "after", "sum": {}), "schedules[0].pv: tensor contradicts pv.order, which is any"},
    {FITS("sequential", "tensor", 64, "forward", 4, 0, "separate", "after", "pv": {"order": "tensor-backward"}), "schedules[0].pv: tensor contradicts pv.order, which is tensor-backward"},
    {FITS("sequential", "tensor", 64, "backward", 4, 0, "separate", "after", "pv": {"order": "tensor-backward"}), NULL},
    {FITS("sequential", "forward", 64, "backward", 4, 0, "separate", "after", "sum": {}), "schedules[0].pv: this contradicts the direction"},
    {FITS("sequential", "forward", 0, "forward", 4, 0, "separate", "after", "sum": {}), "schedules[0].tile: a whole number from 1"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "max": {"tile": 128}), "schedules[0].tile: 64 contradicts max.tile, which is 128"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "max": {"tile": 32}), NULL},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "max": {"tile": 32, "direction": "forward"}), "schedules[0].tile: 64 contradicts max.tile, which is 32"},
    {FITS("sequential", "forward", 64, "any", 4, 0, "separate", "after", "sum": {}), "schedules[0].direction: forward or backward"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "max": {"direction": "backward"}), "schedules[0].direction: forward contradicts max.direction, which is backward"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "sum": {"lanes": 8}), "schedules[0].lanes: 4 contradicts sum.lanes, which is 8"},
    {FITS("sequential", "forward", 64, "forward", 4, 8, "separate", "after", "max": {"kind": "lazy", "threshold": 8}), NULL},
    {FITS("sequential", "forward", 64, "forward", 4, 8.5, "separate", "after", "max": {"kind": "lazy", "threshold": 8}), "schedules[0].rescale: 0x1.1p+3 contradicts max.threshold, which is 8"},
    {FITS("sequential", "forward", 64, "forward", 4, 0.1, "separate", "after", "max": {"kind": "lazy", "threshold": 8}), "schedules[0].rescale: this number is not a double"},
    {FITS("sequential", "forward", 64, "forward", 4, 1, "separate", "after", "sum": {}), "schedules[0].rescale: 1 contradicts max.threshold, which is 0"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "scale": {"where": "folded"}), "schedules[0].constant: separate contradicts scale.where, which is folded"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "scale": {"where": "query"}), "schedules[0].constant: separate contradicts scale.where, which is query"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "folded-binary32", "after", "scale": {"where": "score"}), "schedules[0].constant: folded-binary32 contradicts scale.where, which is score"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "folded-binary32", "after", "scale": {"where": "folded"}), NULL},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "final": {"place": "before"}), "schedules[0].divide: after contradicts final.place, which is before"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "any", "sum": {}), "schedules[0].divide: after or before"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "before", "sum": {}), "schedules[0].divide: weights can be divided only after the whole row sum is known"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "before", "max": {"kind": "two-pass"}), NULL},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "p": {"format": "bf16"}, "sum": {"of": "any"}), "sum.of: with schedules"},
    {FITS("sequential", "forward", 64, "forward", 4, 0, "separate", "after", "p": {"format": ["bf16", null]}), "schedules: a schedule is one kernel"},
};
/* clang-format on */

static void test_one(const char *text, const char *says)
{
    attest_judge_model model;
    attest_error error = {ATTEST_OK, ""};
    attest_status status;

    attest_judge_model_init(&model);
    status = parse(&model, text, &error);
    if (!says)
        TAP_OK(status == ATTEST_OK && model.schedules == 1, "a schedule of the model %s",
               error.text);
    else
        TAP_OK(status == ATTEST_FORMAT && !model.variant &&
                   strncmp(error.text, says, strlen(says)) == 0 && !strchr(error.text, '\n'),
               "refused: %s", error.text);
    attest_judge_model_clear(&model);
}

TEST(model)
{
    test_defaults();
    test_hopper();
    test_lists();
    test_units();
    test_rounding();
    test_round_trip(fp32_any);
    test_round_trip(hopper);
    test_written();
    test_round_trip(many_lists);
    test_round_trip(corner);
    test_shipped();
    test_quantise();
    test_load();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        test_one(bad[i].text, bad[i].says);
    for (size_t i = 0; i < sizeof clash / sizeof clash[0]; i++)
        test_one(clash[i].text, clash[i].says);
    return 0;
}
