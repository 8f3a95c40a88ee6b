#!/usr/bin/env python3
"""Questions for the tests of attest range and of quantised inputs, and what they must give, in plain
Python: struct for binary32, fractions for exact values.

    range.py make DIR          the files: two.safetensors, many.safetensors, spread.safetensors, random.safetensors and
                                  quantised.safetensors, the keys and values of the last by int8:per-token
    range.py threshold EPS        log2(464) - 8 - log2(1 + EPS), and the same of 448
    range.py same A B             two outputs are the same, bit for bit
    range.py within OUT QKV R     every row of out is within R of the exact attention of QKV
"""
import json
import math
import random
import struct
import sys
from fractions import Fraction

TOKENS, DIM = 12, 16


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def write(path, tensors):
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        piece = struct.pack("<%df" % len(values), *values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        piece = data[8 + size + first:8 + size + last]
        code = {"F32": "f", "F64": "d"}[entry["dtype"]]
        out[name] = list(struct.unpack("<%d%s" % (len(piece) // (4 if code == "f" else 8), code), piece)), piece
    return out


def per_token(values):
    """int8, one scale for each token: fl(amax / 127), RNE(fl(x fl(127 / amax))), value q scale."""
    out = []
    for i in range(0, len(values), DIM):
        token = values[i:i + DIM]
        most = max(map(abs, token))
        scale, inverse = single(most / 127), single(127 / most)
        out += [single(float(round(Fraction(single(x * inverse)))) * scale) for x in token]
    return out


def make(directory):
    generator = random.Random(7)
    draw = lambda: [single(generator.gauss(0, 1)) for _ in range(TOKENS * DIM)]
    q, k, v = draw(), draw(), draw()
    shape = [TOKENS, DIM]
    write(directory + "/two.safetensors", {"q": ([1, 1], [1.0]), "k": ([2, 1], [0.0, 1.0]), "v": ([2, 1], [0.0, 1.0])})
    write(directory + "/many.safetensors", {"q": ([1, 1], [1.0]), "k": ([2000, 1], [0.0] * 2000), "v": ([2000, 1], [1.0] * 2000)})
    # scores 0, -100, -200: what is far below vanishes
    write(directory + "/spread.safetensors",
          {"q": ([1, 1], [1.0]), "k": ([3, 1], [0.0, -100.0, -200.0]), "v": ([3, 1], [1.0, 1.0, 1.0])})
    write(directory + "/large.safetensors", {"q": ([1, 1], [2.0**100]), "k": ([2, 1], [2.0**100, 1.0]), "v": ([2, 1], [1.0, 2.0])})
    write(directory + "/random.safetensors", {"q": (shape, q), "k": (shape, k), "v": (shape, v)})
    write(directory + "/quantised.safetensors", {"q": (shape, q), "k": (shape, per_token(k)), "v": (shape, per_token(v))})


def within(out, qkv, most):
    tensors = read(qkv)
    q, k, v = (tensors[name][0] for name in "qkv")
    rows = read(out)["out"][0]
    for i in range(TOKENS):
        scores = [sum(q[i * DIM + c] * k[j * DIM + c] for c in range(DIM)) / math.sqrt(DIM) for j in range(TOKENS)]
        weights = [math.exp(s - max(scores)) for s in scores]
        exact = [sum(w * v[j * DIM + c] for j, w in enumerate(weights)) / sum(weights) for c in range(DIM)]
        off = math.dist(exact, rows[i * DIM:(i + 1) * DIM]) / math.hypot(*exact)
        if off > most:
            print("row", i, "is off by", off)
            return 1
    return 0


command, arguments = sys.argv[1], sys.argv[2:]
if command == "make":
    make(arguments[0])
elif command == "threshold":
    error = math.log2(1 + float(arguments[0]))
    print(math.log2(464) - 8 - error, math.log2(448) - 8 - error)
elif command == "same":
    sys.exit(read(arguments[0])["out"][1] != read(arguments[1])["out"][1])
else:
    sys.exit(within(arguments[0], arguments[1], float(arguments[2])))
