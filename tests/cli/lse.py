#!/usr/bin/env python3
"""Log-sum-exps and parts for the tests of judge --lse and --merge, beside the files of qkv.py:
computed in plain Python, to nearest.

    lse.py make DIR
"""
import math
import sys

from qkv import DIM, HEADS, SHAPE, TOKENS, attention, numbers, single, write

COUNT = HEADS * TOKENS * DIM
LN2 = math.log(2)


def scores(q, k, h, i, scale):
    row = lambda t, j: t[(h * TOKENS + j) * DIM:(h * TOKENS + j + 1) * DIM]
    return [scale * math.fsum(a * b for a, b in zip(row(q, i), row(k, j))) for j in range(TOKENS)]


def log_sum(x):
    return max(x) + math.log(math.fsum(math.exp(y - max(x)) for y in x)) if x else -math.inf


def lses(q, k, sees, scale=1 / math.sqrt(DIM), change=lambda t: t, sink=()):
    out = []
    for h in range(HEADS):
        for i in range(TOKENS):
            t = scores(q, k, h, i, scale)
            out.append(log_sum([change(t[j]) for j in range(TOKENS) if sees(i, j)] + list(sink)))
    return out


def make(directory):
    q, k, v = (numbers(seed, COUNT) for seed in (1, 2, 3))
    causal = lambda i, j: j <= i
    rows = SHAPE[:3]
    right = lses(q, k, causal)
    holes = lses(q, k, lambda i, j: j <= i != 3)
    tensors = {
        "lse": right, "other": [x / LN2 for x in right], "softcap": lses(q, k, causal, change=lambda t: 2 * math.tanh(t / 2)),
        "sink": lses(q, k, causal, sink=[1.5]), "none": lses(q, k, lambda i, j: True), "holes": holes,
        "scale": lses(q, k, causal, scale=1),
        "wrong": [x + (1e-4 if i == 21 else 0) for i, x in enumerate(right)],
    }
    files = {n: ("F32", rows, [single(y) for y in x]) for n, x in tensors.items()}
    for name, x in [("holes-pos", math.inf), ("holes-zero", 0.0), ("holes-nan", math.nan)]:
        files[name] = ("F32", rows, [x if y == -math.inf else y for y in files["holes"][2]])
    files["flat"] = ("F32", rows[1:], files["lse"][2])
    files["last"] = ("F32", rows + (1,), files["lse"][2])
    files["short"] = ("F32", (1, HEADS, TOKENS - 1), files["lse"][2][:HEADS * (TOKENS - 1)])
    files["double"] = ("F64", rows, right)
    files["holes-out"] = ("F32", SHAPE, [single(x) for x in attention(q, k, v, lambda i, j: j <= i != 3)])
    files["sunk-out"] = ("F32", SHAPE, [
        single(x * math.exp(l - s)) for r, (l, s) in enumerate(zip(right, tensors["sink"]))
        for x in attention(q, k, v)[r * DIM:(r + 1) * DIM]])
    files["logit"] = ("F32", (HEADS,), [1.5] * HEADS)
    files["holes-mask"] = ("BOOL", (TOKENS, TOKENS), [j <= i != 3 for i in range(TOKENS) for j in range(TOKENS)])
    for n, x in zip("qkv", (q, k, v)):
        files[n] = ("F32", SHAPE, x)
    write(directory + "/lse.safetensors", files)

    # the keys in four parts
    parts, part_lses = [], []
    for p in range(4):
        sees = lambda i, j: j <= i and j // (TOKENS // 4) == p
        parts += attention(q, k, v, sees)
        part_lses += lses(q, k, sees)
    merged = {
        "out_parts": ("F32", (4,) + SHAPE, [single(x) for x in parts]),
        "lse_parts": ("F32", (4,) + rows, [single(x) for x in part_lses]),
    }
    out, total = [], []
    for r in range(HEADS * TOKENS):
        l = [merged["lse_parts"][2][p * HEADS * TOKENS + r] for p in range(4)]
        most = max(l)
        w = [math.exp(x - most) for x in l]
        total.append(most + math.log(math.fsum(w)))
        for c in range(DIM):
            o = [merged["out_parts"][2][(p * HEADS * TOKENS + r) * DIM + c] for p in range(4)]
            out.append(math.fsum(a * b for a, b in zip(w, o)) / math.fsum(w))
    merged["out"] = ("F32", SHAPE, [single(x) for x in out])
    merged["lse"] = ("F32", rows, [single(x) for x in total])
    mean = [math.fsum(merged["out_parts"][2][p * COUNT + i] for p in range(4)) / 4 for i in range(COUNT)]
    merged["mean"] = ("F32", SHAPE, [single(x) for x in mean])
    write(directory + "/parts.safetensors", merged)
    bad = dict(merged)
    bad["lse_parts"] = ("F32", (4,) + rows, [math.nan] + merged["lse_parts"][2][1:])
    write(directory + "/bad-parts.safetensors", bad)
    bad["lse_parts"] = ("F32", (3,) + rows, merged["lse_parts"][2][:3 * HEADS * TOKENS])
    write(directory + "/short-parts.safetensors", bad)
    binary = dict(merged)
    binary["lse_parts"] = ("F32", (4,) + rows, [single(x / LN2) for x in part_lses])
    binary["lse"] = ("F32", rows, [single(x / LN2) for x in total])
    write(directory + "/binary-parts.safetensors", binary)


if __name__ == "__main__":
    make(sys.argv[2])
