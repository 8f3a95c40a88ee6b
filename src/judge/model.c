/* model.c -- kernel models: defaults, shipped models, files. */
#include "judge/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/text.h"
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

/* Other members are 0: any, rounded, nearest, not stored, not cast. */
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
    };
}

size_t attest_judge_model_get_tile(const attest_judge_model *model)
{
    for (size_t i = 1; i < model->variants; i++)
        if (model->variant[i].tile != model->variant[0].tile)
            return 0;
    return model->variant[0].tile;
}

/* ---- shipped models ----
 *
 * doc/kernel-models.md gives the source of each number. Numbers that several models share:
 *   exp 0x1.4p-22    ex2.approx: within 2 ulp of the correctly rounded value, 2.5 ulp in all
 *   final 0x1p-21    an approximate reciprocal within 2 ulp, and a product
 *   softcap 0x1p-11  the absolute error of the GPUs' tanh
 *   block 8, fraction 24 (Volta: 4, 23): the weakest matrix unit that has the format; units
 *                    with longer blocks and more bits err less */

/* The members are written as C tokens, which become JSON here. */
#define MODEL(name, comment, ...)                                                              \
    {                                                                                          \
        name, comment,                                                                         \
            "{\"format\": \"attest/kernel-model\", \"version\": 1, \"name\": \"" name          \
            "\", \"comment\": \"" comment "\", " #__VA_ARGS__ "}"                              \
    }

/* clang-format off */
const attest_judge_shipped attest_judge_model_shipped[] = {

MODEL("fp32-any", "any kernel that computes in binary32, in any order and tiles; its members are the defaults",
    "inputs": {"q": "binary32", "k": "binary32", "v": "binary32"},
    "score": {"accumulate": "binary32", "products": "rounded", "order": "any", "block": 16, "fraction": 25, "store": null},
    "scale": {"where": "any", "store": null}, "softcap": {"relative": "0x1p-22", "absolute": 0, "store": null}, "mask": {"store": null},
    "max": {"kind": "any", "tile": "any", "direction": "any", "threshold": 0}, "exp": {"relative": "0x1p-22"},
    "p": {"format": null, "offset": 0}, "sum": {"of": "uncast", "accumulate": "binary32", "lanes": 1},
    "pv": {"accumulate": "binary32", "products": "rounded", "order": "any", "block": 16, "fraction": 25},
    "splits": {"most": 1, "log": "0x1p-22"}, "final": {"relative": "0x1p-23", "place": "any"},
    "output": {"format": "binary32", "round": "nearest"}),

MODEL("fp64-any", "any kernel that computes in binary64: fp32-any with the same numbers of ulps",
    "inputs": {"q": "binary64", "k": "binary64", "v": "binary64"},
    "score": {"accumulate": "binary64"}, "scale": {"where": "any", "format": "binary64"},
    "softcap": {"relative": "0x1p-51"}, "exp": {"relative": "0x1p-51"},
    "sum": {"accumulate": "binary64"}, "pv": {"accumulate": "binary64"},
    "splits": {"log": "0x1p-51"}, "final": {"relative": "0x1p-52"}, "output": {"format": "binary64"}),

MODEL("bf16-any", "any kernel on bfloat16 that adds in binary32, also by a matrix unit, P cast or not",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": [{"order": "any"}, {"order": "tensor", "block": 8, "fraction": 24}],
    "softcap": {"absolute": "0x1p-11"}, "exp": {"relative": "0x1.4p-22"},
    "p": {"format": [null, "bfloat16"]}, "sum": {"of": "any"},
    "pv": [{"order": "any"}, {"order": "tensor", "block": 8, "fraction": 24}],
    "final": {"relative": "0x1p-21"}, "output": {"format": "bfloat16"}),

MODEL("fp16-any", "any kernel on binary16 that adds in binary32, also by a matrix unit, P cast or not",
    "inputs": {"q": "binary16", "k": "binary16", "v": "binary16"},
    "score": [{"order": "any"}, {"order": "tensor", "block": 4, "fraction": 23}],
    "softcap": {"absolute": "0x1p-11"}, "exp": {"relative": "0x1.4p-22"},
    "p": {"format": [null, "binary16"]}, "sum": {"of": "any"},
    "pv": [{"order": "any"}, {"order": "tensor", "block": 4, "fraction": 23}],
    "final": {"relative": "0x1p-21"}, "output": {"format": "binary16"}),

MODEL("fp32-flash2", "online softmax in binary32 in tiles of at least 32 keys, after the manner of FlashAttention-2, no matrix unit",
    "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": 32}, "exp": {"relative": "0x1.4p-22"},
    "final": {"relative": "0x1p-21", "place": "after"}),

MODEL("bf16-flash2", "FlashAttention-2 on bfloat16, Ampere to Hopper, without splits",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"order": "tensor", "block": 8, "fraction": 24},
    "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": [32, 64, 128, 256], "direction": "backward"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "bfloat16"}, "sum": {"lanes": 4},
    "pv": {"order": "tensor", "block": 8, "fraction": 24},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "bfloat16"}),

MODEL("fp16-flash2", "FlashAttention-2 on binary16, Ampere to Hopper, without splits",
    "inputs": {"q": "binary16", "k": "binary16", "v": "binary16"},
    "score": {"order": "tensor", "block": 8, "fraction": 24},
    "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": [32, 64, 128, 256], "direction": "backward"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "binary16"}, "sum": {"lanes": 4},
    "pv": {"order": "tensor", "block": 8, "fraction": 24},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "binary16"}),

MODEL("bf16-flash3-hopper", "FlashAttention-3 on bfloat16 on Hopper, without splits",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"order": "tc:hopper"}, "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": [64, 80, 96, 112, 128, 144, 160, 176, 192], "direction": "backward"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "bfloat16"}, "sum": {"lanes": 4},
    "pv": {"order": "tc:hopper"},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "bfloat16"}),

MODEL("fp8-flash3-hopper", "FlashAttention-3 on float8_e4m3fn on Hopper, without splits or two-level sums",
    "inputs": {"q": "float8_e4m3fn", "k": "float8_e4m3fn", "v": "float8_e4m3fn"},
    "score": {"order": "tc:hopper"}, "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": [64, 96, 128, 160, 192, 224], "direction": "backward"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "float8_e4m3fn", "offset": 8}, "sum": {"lanes": 4},
    "pv": {"order": "tc:hopper"},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "bfloat16"}),

MODEL("bf16-flash4-blackwell", "FlashAttention-4 on bfloat16 on Blackwell: the maximum raised by 8 at least, exp2 in software",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"order": "tc:blackwell"}, "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "lazy", "tile": 128, "direction": "backward", "threshold": 8},
    "exp": {"relative": "0x1.84p-14"}, "p": {"format": "bfloat16"},
    "pv": {"order": "tc:blackwell"},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "bfloat16"}),

MODEL("bf16-math", "PyTorch's math attention on bfloat16: all in binary32, q and k times the root of the scale, one cast at the end",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"accumulate": "p=21:emin=-126:emax=127"}, "scale": {"where": "score"},
    "max": {"kind": "two-pass"}, "final": {"place": "before"}, "output": {"format": "bfloat16"}),

MODEL("fp16-math", "PyTorch's math attention on binary16: all in binary32, q and k times the root of the scale, one cast at the end",
    "inputs": {"q": "binary16", "k": "binary16", "v": "binary16"},
    "score": {"accumulate": "p=21:emin=-126:emax=127"}, "scale": {"where": "score"},
    "max": {"kind": "two-pass"}, "final": {"place": "before"}, "output": {"format": "binary16"}),

MODEL("fp32-math", "PyTorch's math attention on binary32: q and k times the root of the scale, weights divided before they meet V",
    "score": {"accumulate": "p=21:emin=-126:emax=127"}, "scale": {"where": "score"},
    "max": {"kind": "two-pass"}, "final": {"place": "before"}),

MODEL("fp32-torch-cpu", "PyTorch's flash attention on a CPU on binary32: tiles of 512 keys, an exp of 20 ulp",
    "scale": {"where": "score"}, "max": {"kind": "online", "tile": 512, "direction": "forward"},
    "exp": {"relative": "0x1.4p-19"}, "final": {"place": "after"}),

MODEL("bf16-torch-cpu", "PyTorch's flash attention on a CPU on bfloat16, with any BLAS: scores, P and what a tile adds may be rounded to bfloat16",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"store": "bfloat16"}, "scale": {"where": "score"},
    "max": {"kind": "online", "tile": 512, "direction": "forward"},
    "exp": {"relative": "0x1.4p-19"}, "p": {"format": "bfloat16"},
    "pv": {"accumulate": "p=8:emin=-126:emax=127", "products": "exact", "depth": 2},
    "final": {"place": "after"}, "output": {"format": "bfloat16"}),

MODEL("bf16-eager", "the eager attention of Hugging Face Transformers on bfloat16: scores, each step after them and weights stored in it, softmax in binary32",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": [{"order": "any", "store": "bfloat16"},
              {"order": "tensor", "block": 8, "fraction": 24, "store": "bfloat16"}],
    "scale": {"where": "score", "store": "bfloat16"}, "softcap": {"store": "bfloat16"}, "mask": {"store": "bfloat16"},
    "max": {"kind": "two-pass"}, "p": {"format": "bfloat16"},
    "pv": [{"order": "any"}, {"order": "tensor", "block": 8, "fraction": 24}],
    "final": {"place": "before"}, "output": {"format": "bfloat16"}),

MODEL("fp16-eager", "the eager attention of Hugging Face Transformers on binary16: scores, each step after them and weights stored in it, softmax in binary32",
    "inputs": {"q": "binary16", "k": "binary16", "v": "binary16"},
    "score": [{"order": "any", "store": "binary16"},
              {"order": "tensor", "block": 4, "fraction": 23, "store": "binary16"}],
    "scale": {"where": "score", "store": "binary16"}, "softcap": {"store": "binary16"}, "mask": {"store": "binary16"},
    "max": {"kind": "two-pass"}, "p": {"format": "binary16"},
    "pv": [{"order": "any"}, {"order": "tensor", "block": 4, "fraction": 23}],
    "final": {"place": "before"}, "output": {"format": "binary16"}),

MODEL("bf16-memory-efficient", "the memory-efficient attention of PyTorch and xFormers on bfloat16, Ampere on",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"order": "tensor", "block": 8, "fraction": 24},
    "max": {"kind": "online", "tile": [64, 128], "direction": "forward"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "bfloat16"},
    "pv": {"order": "tensor", "block": 8, "fraction": 24},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "bfloat16"}),

MODEL("fp16-memory-efficient", "the memory-efficient attention of PyTorch and xFormers on binary16, Volta on",
    "inputs": {"q": "binary16", "k": "binary16", "v": "binary16"},
    "score": {"order": "tensor", "block": 4, "fraction": 23},
    "max": {"kind": "online", "tile": [64, 128], "direction": "forward"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "binary16"},
    "pv": {"order": "tensor", "block": 4, "fraction": 23},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "binary16"}),

MODEL("fp32-llama-cpu", "llama.cpp on a CPU, key by key, K and V in binary32",
    "scale": {"where": "score"}, "max": {"kind": "online", "tile": 1, "direction": "forward"},
    "pv": {"order": "forward"}, "final": {"place": "after"}),

MODEL("fp16-llama-cpu", "llama.cpp on an x86 CPU, key by key, all inputs in binary16, PV added in binary16",
    "inputs": {"q": "binary16", "k": "binary16", "v": "binary16"},
    "scale": {"where": "score"}, "max": {"kind": "online", "tile": 1, "direction": "forward"},
    "pv": {"accumulate": "binary16", "order": "forward"}, "final": {"place": "after"}),

MODEL("hopper-bf16-64", "a FlashAttention-like kernel on bfloat16 on Hopper in tiles of 64 keys, its schedule given",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"order": "tensor-forward", "block": 16, "fraction": 25, "products": "exact"},
    "pv": {"order": "tensor-backward", "block": 16, "fraction": 25, "products": "exact"},
    "max": {"kind": "online", "tile": 64, "direction": "backward"}, "p": {"format": "bfloat16"},
    "sum": {"lanes": 4}, "output": {"format": "bfloat16"},
    "schedules": [{"scores": "tensor", "tile": 64, "direction": "backward", "lanes": 4, "rescale": 0,
                   "constant": "folded-binary32", "divide": "after"}]),

MODEL("blackwell-bf16-128", "a FlashAttention-4-like kernel on bfloat16 on Blackwell in tiles of 128 keys, exp2 of some by its polynomial, its schedule given",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"order": "tc:blackwell"}, "pv": {"order": "tc:blackwell"},
    "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "lazy", "tile": 128, "direction": "backward", "threshold": 8},
    "exp": {"relative": "0x1.74p-14"}, "p": {"format": "bfloat16"},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "bfloat16"},
    "schedules": [{"scores": "tensor", "tile": 128, "direction": "backward", "lanes": 1, "rescale": 8,
                   "constant": "folded-binary32", "divide": "after", "quotient": "reciprocal",
                   "polynomial": [1, "0x1.63ea32p-1", "0x1.d20d48p-3", "0x1.3be13ap-4"],
                   "fragment": 32, "frequency": 16, "emulated": 4, "last_fragments": 1}]),

MODEL("fp8-lazy", "an fp8 kernel on Hopper, P = 2^8 e^x saturating, its maximum raised only when it grows by more than 4: what it loses is what attest range shows",
    "inputs": {"q": "float8_e4m3fn", "k": "float8_e4m3fn", "v": "float8_e4m3fn"},
    "score": {"order": "tc:hopper"}, "scale": {"where": "folded"},
    "max": {"kind": "lazy", "tile": 128, "direction": "forward", "threshold": 4},
    "exp": {"relative": 0}, "p": {"format": "float8_e4m3fn:saturating", "offset": 8},
    "pv": {"order": "tc:hopper"}, "final": {"place": "after"}, "output": {"format": "bfloat16"},
    "schedules": [{"scores": "tensor", "tile": 128, "direction": "forward", "lanes": 1, "rescale": 4,
                   "constant": "folded-binary32", "divide": "after"}]),

{NULL, NULL, NULL},
};

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
