#!/usr/bin/env python3
"""Makes attention.safetensors: q, k, v of 2 heads of 32 tokens in binary32, the output y of causal
attention, and the output of a kernel that leaves out the last 16 keys.

    examples/make-attention.py examples/attention.safetensors
"""
import json
import math
import random
import struct
import sys

HEADS, TOKENS, DIM = 2, 32, 8


def attention(q, k, v, keys=TOKENS):
    out = []
    for h in range(HEADS):
        row = lambda t, i: t[(h * TOKENS + i) * DIM:(h * TOKENS + i + 1) * DIM]
        for i in range(TOKENS):
            weight = [math.exp(math.fsum(a * b for a, b in zip(row(q, i), row(k, j))) / math.sqrt(DIM))
                      for j in range(min(i + 1, keys))]
            out += [math.fsum(w * row(v, j)[c] for j, w in enumerate(weight)) / math.fsum(weight) for c in range(DIM)]
    return out


draw = random.Random(1)
tensors = {name: [round(16 * draw.gauss(0, 1)) / 16 for _ in range(HEADS * TOKENS * DIM)] for name in "qkv"}
tensors["y"] = attention(**tensors)
tensors["dropped"] = attention(tensors["q"], tensors["k"], tensors["v"], TOKENS - 16)
header, data = {}, b""
for name, values in tensors.items():
    piece = struct.pack("<%df" % len(values), *values)
    header[name] = {"dtype": "F32", "shape": [HEADS, TOKENS, DIM], "data_offsets": [len(data), len(data) + len(piece)]}
    data += piece
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
