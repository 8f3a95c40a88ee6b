/* shipped_models.c -- the kernel models that are part of the library, as JSON. */
#include "judge/model_field.h"

/* doc/kernel-models.md gives the source of each number. Numbers that several models share:
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

MODEL("fp32-any", "any kernel that computes in binary32, in any order and tiles, without splits; its members are the defaults",
    "inputs": {"q": "binary32", "k": "binary32", "v": "binary32"},
    "score": {"accumulate": "binary32", "products": "rounded", "order": "any", "block": 16, "fraction": 25, "store": null},
    "scale": {"where": "any", "store": null}, "softcap": {"relative": "0x1p-22", "absolute": 0, "store": null}, "mask": {"store": null},
    "max": {"kind": "any", "tile": "any", "direction": "any", "threshold": 0}, "exp": {"relative": "0x1p-22"},
    "p": {"format": null, "offset": 0}, "sum": {"of": "uncast", "accumulate": "binary32", "lanes": 1},
    "pv": {"accumulate": "binary32", "products": "rounded", "order": "any", "block": 16, "fraction": 25},
    "splits": {"most": 1, "log": "0x1p-22", "join": "quotients"}, "final": {"relative": "0x1p-23", "place": "any"},
    "output": {"format": "binary32", "round": "nearest"},
    "lse": {"base": "e", "log_absolute": "0x1.8407p-22", "log_relative": "0x1.8p-22", "reference": 6, "format": "binary32", "sink": "included", "empty": "any"}),

MODEL("fp64-any", "any kernel that computes in binary64: fp32-any with the same numbers of ulps",
    "inputs": {"q": "binary64", "k": "binary64", "v": "binary64"},
    "score": {"accumulate": "binary64"}, "scale": {"where": "any", "format": "binary64"},
    "softcap": {"relative": "0x1p-51"}, "exp": {"relative": "0x1p-51"},
    "sum": {"accumulate": "binary64"}, "pv": {"accumulate": "binary64"},
    "splits": {"log": "0x1p-51"}, "final": {"relative": "0x1p-52"}, "output": {"format": "binary64"},
    "lse": {"log_absolute": "0x1p-51", "log_relative": "0x1p-51", "format": "binary64"}),

MODEL("bf16-any", "any kernel on bfloat16 that adds in binary32, also by a matrix unit, P cast or not, in up to 128 splits",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": [{"order": "any"}, {"order": "tensor", "block": 8, "fraction": 24}],
    "softcap": {"absolute": "0x1p-11"}, "exp": {"relative": "0x1.4p-22"},
    "p": {"format": [null, "bfloat16"]}, "sum": {"of": "any"},
    "pv": [{"order": "any"}, {"order": "tensor", "block": 8, "fraction": 24}],
    "splits": {"most": 128, "log": "0x1p-18", "join": "any"},
    "final": {"relative": "0x1p-21"}, "output": {"format": "bfloat16"}),

MODEL("fp16-any", "any kernel on binary16 that adds in binary32, also by a matrix unit, P cast or not, in up to 128 splits",
    "inputs": {"q": "binary16", "k": "binary16", "v": "binary16"},
    "score": [{"order": "any"}, {"order": "tensor", "block": 4, "fraction": 23}],
    "softcap": {"absolute": "0x1p-11"}, "exp": {"relative": "0x1.4p-22"},
    "p": {"format": [null, "binary16"]}, "sum": {"of": "any"},
    "pv": [{"order": "any"}, {"order": "tensor", "block": 4, "fraction": 23}],
    "splits": {"most": 128, "log": "0x1p-18", "join": "any"},
    "final": {"relative": "0x1p-21"}, "output": {"format": "binary16"}),

MODEL("fp32-flash2", "online softmax in binary32 in tiles of at least 32 keys, as in FlashAttention-2, no matrix unit",
    "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": 32}, "exp": {"relative": "0x1.4p-22"},
    "final": {"relative": "0x1p-21", "place": "after"},
    "lse": {"reference": 2, "empty": "pos-inf"}),

MODEL("bf16-flash2", "FlashAttention-2 on bfloat16, Ampere to Hopper, without splits",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"order": "tensor", "block": 8, "fraction": 24},
    "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": [32, 64, 128, 256], "direction": "backward"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "bfloat16"}, "sum": {"lanes": 4},
    "pv": {"order": "tensor", "block": 8, "fraction": 24},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "bfloat16"},
    "lse": {"reference": 2, "empty": "pos-inf"}),

MODEL("fp16-flash2", "FlashAttention-2 on binary16, Ampere to Hopper, without splits",
    "inputs": {"q": "binary16", "k": "binary16", "v": "binary16"},
    "score": {"order": "tensor", "block": 8, "fraction": 24},
    "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": [32, 64, 128, 256], "direction": "backward"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "binary16"}, "sum": {"lanes": 4},
    "pv": {"order": "tensor", "block": 8, "fraction": 24},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "binary16"},
    "lse": {"reference": 2, "empty": "pos-inf"}),

MODEL("bf16-flash-decode", "FlashAttention-2 and 3 on bfloat16 in up to 128 splits, as for decoding, Ampere to Hopper",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"order": "tensor", "block": 8, "fraction": 24},
    "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": 32, "direction": "any"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "bfloat16"}, "sum": {"lanes": 4},
    "pv": {"order": "tensor", "block": 8, "fraction": 24},
    "splits": {"most": 128, "log": "0x1p-18", "join": "any"},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "bfloat16"}),

MODEL("fp16-flash-decode", "FlashAttention-2 and 3 on binary16 in up to 128 splits, as for decoding, Ampere to Hopper",
    "inputs": {"q": "binary16", "k": "binary16", "v": "binary16"},
    "score": {"order": "tensor", "block": 8, "fraction": 24},
    "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": 32, "direction": "any"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "binary16"}, "sum": {"lanes": 4},
    "pv": {"order": "tensor", "block": 8, "fraction": 24},
    "splits": {"most": 128, "log": "0x1p-18", "join": "any"},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "binary16"}),

MODEL("bf16-flash3-hopper", "FlashAttention-3 on bfloat16 on Hopper, without splits",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"order": "tc:hopper"}, "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": [64, 80, 96, 112, 128, 144, 160, 176, 192], "direction": "backward"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "bfloat16"}, "sum": {"lanes": 4},
    "pv": {"order": "tc:hopper"},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "bfloat16"},
    "lse": {"empty": "neg-inf"}),

MODEL("fp8-flash3-hopper", "FlashAttention-3 on float8_e4m3fn on Hopper, without splits or two-level sums",
    "inputs": {"q": "float8_e4m3fn", "k": "float8_e4m3fn", "v": "float8_e4m3fn"},
    "score": {"order": "tc:hopper"}, "scale": {"where": "folded"}, "softcap": {"absolute": "0x1p-11"},
    "max": {"kind": "online", "tile": [64, 96, 128, 160, 192, 224], "direction": "backward"},
    "exp": {"relative": "0x1.4p-22"}, "p": {"format": "float8_e4m3fn", "offset": 8}, "sum": {"lanes": 4},
    "pv": {"order": "tc:hopper"},
    "final": {"relative": "0x1p-21", "place": "after"}, "output": {"format": "bfloat16"},
    "lse": {"empty": "neg-inf"}),

MODEL("bf16-flash4-blackwell", "FlashAttention-4 on bfloat16 on Blackwell: the reference raised only when the maximum grows by more than 8, exp2 in software",
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

MODEL("fp32-math", "PyTorch's math attention on binary32: q and k times the root of the scale, weights divided before the product with V",
    "score": {"accumulate": "p=21:emin=-126:emax=127"}, "scale": {"where": "score"},
    "max": {"kind": "two-pass"}, "final": {"place": "before"}),

MODEL("fp32-torch-cpu", "PyTorch's flash attention on a CPU on binary32: tiles of 512 keys, an exp of 20 ulp",
    "scale": {"where": "score"}, "max": {"kind": "online", "tile": 512, "direction": "forward"},
    "exp": {"relative": "0x1.4p-19"}, "final": {"place": "after"},
    "lse": {"reference": 0, "empty": "zero"}),

MODEL("bf16-torch-cpu", "PyTorch's flash attention on a CPU on bfloat16, with any BLAS: scores, P and what a tile adds may be rounded to bfloat16",
    "inputs": {"q": "bfloat16", "k": "bfloat16", "v": "bfloat16"},
    "score": {"store": "bfloat16"}, "scale": {"where": "score"},
    "max": {"kind": "online", "tile": 512, "direction": "forward"},
    "exp": {"relative": "0x1.4p-19"}, "p": {"format": "bfloat16"},
    "pv": {"accumulate": "p=8:emin=-126:emax=127", "products": "exact", "depth": 2},
    "final": {"place": "after"}, "output": {"format": "bfloat16"},
    "lse": {"reference": 0, "empty": "zero"}),

MODEL("fp16-torch-cpu", "PyTorch's flash attention on a CPU on binary16, with any BLAS: scores, P and what a tile adds may be rounded to binary16",
    "inputs": {"q": "binary16", "k": "binary16", "v": "binary16"},
    "score": {"store": "binary16"}, "scale": {"where": "score"},
    "max": {"kind": "online", "tile": 512, "direction": "forward"},
    "exp": {"relative": "0x1.4p-19"}, "p": {"format": "binary16"},
    "pv": {"accumulate": "binary16", "products": "exact", "depth": 2},
    "final": {"place": "after"}, "output": {"format": "binary16"}),

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

MODEL("fp32-llama-cpu", "llama.cpp on a CPU, K and V in binary32, with any number of queries and threads",
    "scale": {"where": "score"}, "softcap": {"relative": "0x1.4p-22"},
    "max": {"kind": "online", "tile": [1, 64], "direction": "forward"},
    "splits": {"most": 512, "join": "sums"}, "final": {"place": "after"}),

MODEL("fp16-llama-cpu", "llama.cpp on an x86 CPU, K and V in binary16, fewer than 64 queries, any number of threads: q rounded to binary16, PV added in it",
    "inputs": {"q": "binary32", "k": "binary16", "v": "binary16"},
    "quantise": {"q": "binary16:scale=1"},
    "scale": {"where": "score"}, "softcap": {"relative": "0x1.4p-22"},
    "max": {"kind": "online", "tile": 1, "direction": "forward"},
    "pv": {"accumulate": "binary16"},
    "splits": {"most": 512, "join": "sums"}, "final": {"place": "after"}),

MODEL("fp16-llama-cpu-prefill", "llama.cpp on a CPU, K and V in binary16, 64 queries or more: q not rounded, all sums in binary32",
    "inputs": {"q": "binary32", "k": "binary16", "v": "binary16"},
    "score": {"order": "sequential"},
    "scale": {"where": "score"}, "softcap": {"relative": "0x1.4p-22"},
    "max": {"kind": "online", "tile": 64, "direction": "forward"},
    "pv": {"order": "forward"}, "final": {"place": "after"}),

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

MODEL("fp8-lazy", "an fp8 kernel on Hopper, P = 2^8 e^x saturating, its reference raised only when the maximum grows by more than 4: attest range shows what saturates",
    "inputs": {"q": "float8_e4m3fn", "k": "float8_e4m3fn", "v": "float8_e4m3fn"},
    "score": {"order": "tc:hopper"}, "scale": {"where": "folded"},
    "max": {"kind": "lazy", "tile": 128, "direction": "forward", "threshold": 4},
    "exp": {"relative": 0}, "p": {"format": "float8_e4m3fn:saturating", "offset": 8},
    "pv": {"order": "tc:hopper"}, "final": {"place": "after"}, "output": {"format": "bfloat16"},
    "schedules": [{"scores": "tensor", "tile": 128, "direction": "forward", "lanes": 1, "rescale": 4,
                   "constant": "folded-binary32", "divide": "after"}]),

{NULL, NULL, NULL},
};
