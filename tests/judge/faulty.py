#!/usr/bin/env python3
"""Attention in plain Python, right and with the faults that kernels have, on q, k, v of a
safetensors file (batch, heads, tokens, dim), causal, the last query beside the last key.

    faulty.py QKV OUT [bf16] [TILE]   q, k, v, and an output for every fault; TILE: keys in a tile
"""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
import qkv

ROUND = {"F32": qkv.single, "BF16": qkv.bfloat}


def heads_of(tensor):
    """A list of heads, each a list of rows."""
    (batch, heads, tokens, dim), values = tensor[1], tensor[2]
    rows = [values[i:i + dim] for i in range(0, len(values), dim)]
    return [rows[i:i + tokens] for i in range(0, batch * heads * tokens, tokens)]


def dot(a, b):
    return math.fsum(map(float.__mul__, a, b))


def head_output(q, k, v, sees, scale, stored=float, weighed=float):
    """Rows of one head; stored rounds a score, weighed a weight, after the division."""
    out = []
    columns = list(zip(*v))
    for i, row in enumerate(q):
        t = [stored(scale * dot(row, key)) if sees(i, j) else -math.inf for j, key in enumerate(k)]
        top = max(t)
        if top == -math.inf:
            out.append([0.0] * len(columns))
            continue
        weight = [math.exp(x - top) for x in t]
        total = math.fsum(weight)
        weight = [weighed(w / total) for w in weight]
        out.append([dot(weight, column) for column in columns])
    return out


def attention(q, k, v, sees, scale, **rounding):
    return [head_output(*head, sees, scale, **rounding) for head in zip(q, k, v)]


def swap_heads(outputs, heads):
    """Heads 0 and 1 of every batch entry exchanged."""
    order = list(range(len(outputs)))
    for first in range(0, len(outputs), heads):
        order[first:first + 2] = [first + 1, first]
    return [outputs[i] for i in order]


def outputs_of(data, tile):
    """{fault: output} in heads and rows; "none" is the right one."""
    q, k, v = (heads_of(data[name]) for name in "qkv")
    queries, keys, dim = len(q[0]), len(k[0]), data["q"][1][3]
    shift, scale = keys - queries, 1 / math.sqrt(dim)
    causal = lambda i, j: j <= i + shift
    right = attention(q, k, v, causal, scale)
    last = (keys - 1) // tile * tile
    return {
        "none": right,
        "zeros": [[[0.0] * len(row) for row in head] for head in right],
        "dropped-tile": attention(q, k, v, lambda i, j: j <= i + shift and j < last, scale),
        "mask-off-by-one": attention(q, k, v, lambda i, j: j <= i + shift + 1, scale),
        "swapped-heads": swap_heads(right, data["q"][1][1]),
        "missing-scale": attention(q, k, v, causal, 1.0),
        "exp2-without-log2e": attention(q, k, v, causal, scale * math.log(2)),
    }


def flatten(output):
    return [x for head in output for row in head for x in row]


def tensors_of(data, dtype, tile):
    """q, k, v of a type, and the outputs in it."""
    to = ROUND[dtype]
    kept = {name: (dtype, data[name][1], [to(x) for x in data[name][2]]) for name in "qkv"}
    shape = kept["q"][1][:3] + kept["v"][1][3:]
    faulty = {name: (dtype, shape, [to(x) for x in flatten(y)]) for name, y in outputs_of(kept, tile).items()}
    return {**kept, **faulty}


if __name__ == "__main__":
    source, target, *rest = sys.argv[1:]
    narrow = "bf16" in rest
    qkv.write(target, tensors_of(qkv.read(source), "BF16" if narrow else "F32",
                                 int(rest[-1]) if rest and rest[-1] != "bf16" else 64))
