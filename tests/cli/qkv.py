#!/usr/bin/env python3
"""Queries, keys and values for the tests of judge, tolerance and simulate, and attention in plain
Python beside them. Written from the formats' definitions, with struct alone.

    qkv.py make DIR             the files
    qkv.py inside BOUND [causal]   every exact value lies between lo and hi, and within bound
    qkv.py mix A B OUT             out of A in even rows, of B in odd ones
"""
import json
import math
import struct
import sys
import zipfile

HEADS, TOKENS, DIM = 2, 16, 8
SHAPE = (1, HEADS, TOKENS, DIM)


def numbers(seed, count):
    """Multiples of 1/4 up to 2, which every type has."""
    out = []
    for _ in range(count):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(((seed >> 33) % 17 - 8) / 4)
    return out


def small(x, exponent_bits, fraction_bits):
    """The word of x in a small float; x has it, and is normal or 0."""
    sign = (x < 0) << (exponent_bits + fraction_bits)
    if x == 0:
        return sign
    m, e = math.frexp(abs(x))
    return sign | (e - 1 + 2**(exponent_bits - 1) - 1) << fraction_bits | int((2 * m - 1) * 2**fraction_bits)


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def bfloat(x):
    """x rounded to bfloat16, ties to even."""
    word = struct.unpack("<I", struct.pack("<f", x))[0]
    return struct.unpack("<f", struct.pack("<I", (word + 0x7fff + (word >> 16 & 1)) & 0xffff0000))[0]


PACK = {
    "F64": lambda x: struct.pack("<d", x), "F32": lambda x: struct.pack("<f", x),
    "F16": lambda x: struct.pack("<e", x), "BF16": lambda x: struct.pack("<f", x)[2:],
    "F8_E4M3": lambda x: bytes([small(x, 4, 3)]), "F8_E5M2": lambda x: bytes([small(x, 5, 2)]),
    "BOOL": lambda x: bytes([bool(x)]), "U8": lambda x: bytes([int(x)]),
}
READ = {"F64": ("<d", 8), "F32": ("<f", 4), "F16": ("<e", 2)}


def write(path, tensors):
    """A safetensors file of {name: (dtype, shape, values)}."""
    header, data = {}, b""
    for name, (dtype, shape, values) in tensors.items():
        piece = b"".join(map(PACK[dtype], values))
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack("<Q", content[:8])[0]
    tensors = {}
    for name, x in json.loads(content[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + o for o in x["data_offsets"])
        if x["dtype"] == "BF16":
            values = [struct.unpack("<f", b"\0\0" + content[i:i + 2])[0] for i in range(begin, end, 2)]
        else:
            code, step = READ[x["dtype"]]
            values = [struct.unpack(code, content[i:i + step])[0] for i in range(begin, end, step)]
        tensors[name] = (x["dtype"], tuple(x["shape"]), values)
    return tensors


def npy(descr, code, shape, values, fortran=False):
    if fortran:
        order = []
        for place in range(len(values)):
            index, at = [], place
            for length in shape:
                index.append(at % length)
                at //= length
            flat = 0
            for i, length in zip(index, shape):
                flat = flat * length + i
            order.append(values[flat])
        values = order
    text = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, tuple(shape))
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + b"".join(struct.pack(code, x) for x in values)


def attention(q, k, v, sees=lambda i, j: j <= i, scale=1 / math.sqrt(DIM)):
    out = []
    for h in range(HEADS):
        row = lambda t, i: t[(h * TOKENS + i) * DIM:(h * TOKENS + i + 1) * DIM]
        for i in range(TOKENS):
            seen = [j for j in range(TOKENS) if sees(i, j)]
            weight = [math.exp(scale * math.fsum(a * b for a, b in zip(row(q, i), row(k, j)))) for j in seen]
            total = math.fsum(weight)
            out += [math.fsum(w * row(v, j)[c] for w, j in zip(weight, seen)) / total if seen else 0.0 for c in range(DIM)]
    return out


def make(directory):
    count = HEADS * TOKENS * DIM
    data = {"q": numbers(1, count), "k": numbers(2, count), "v": numbers(3, count)}
    path = lambda name: directory + "/" + name
    for dtype in ("F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2"):
        write(path(dtype + ".safetensors"), {n: (dtype, SHAPE, x) for n, x in data.items()})
    write(path("flat.safetensors"), {n: ("F32", SHAPE[1:], x) for n, x in data.items()})
    for name, descr, code, fortran in [("le", "<f4", "<f", False), ("be", ">f8", ">d", False),
                                       ("fortran", ">f2", ">e", True)]:
        for n, x in data.items():
            with open(path("%s-%s.npy" % (name, n)), "wb") as file:
                file.write(npy(descr, code, SHAPE, x, fortran))
    for name, method in [("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)]:
        with zipfile.ZipFile(path(name + ".npz"), "w", method) as archive:
            for n, x in data.items():
                archive.writestr(n + ".npy", npy("<f4", "<f", SHAPE, x))
    q, k, v = data["q"], data["k"], data["v"]
    right = attention(q, k, v)
    side = [right[(h * TOKENS + i) * DIM + c] for i in range(TOKENS) for h in range(HEADS) for c in range(DIM)]
    half = HEADS * TOKENS * DIM // HEADS
    outputs = {
        "right": right, "zeros": [0.0] * count, "swapped-heads": right[half:] + right[:half],
        "dropped-tile": attention(q, k, v, lambda i, j: j <= i and j < TOKENS // 2),
        "mask-off-by-one": attention(q, k, v, lambda i, j: j <= i + 1),
        "missing-scale": attention(q, k, v, scale=1), "everything": attention(q, k, v, lambda i, j: True),
        "exp2-without-log2e": attention(q, k, v, scale=math.log(2) / math.sqrt(DIM)),
        "window": attention(q, k, v, lambda i, j: i - 2 <= j <= i + 1),
        "none": attention(q, k, v, lambda i, j: j <= i and j % 4 != 3),
    }
    tensors = {n: ("F32", SHAPE, [single(x) for x in y]) for n, y in outputs.items()}
    tensors["out"] = tensors["right"]
    tensors["side"] = ("F32", (1, TOKENS, HEADS * DIM), [single(x) for x in side])
    tensors["bf16"] = ("BF16", SHAPE, [bfloat(x) for x in right])
    row = [3 * DIM <= i < 4 * DIM for i in range(TOKENS * DIM)] * HEADS
    for name, x in [("zero-row", 0.0), ("nan-row", math.nan)]:
        tensors[name] = ("F32", SHAPE, [x if empty else single(y) for empty, y in zip(row, right)])
    ulp = tensors["right"][2][:]
    ulp[5] = single(ulp[5] * (1 + 2**-23))
    tensors["ulp"] = ("F32", SHAPE, ulp)
    for name, x in [("nan", math.nan), ("inf", math.inf)]:
        tensors[name] = ("F32", SHAPE, right[:77] + [x] + right[78:])
    write(path("out.safetensors"), tensors)
    write(path("layers.safetensors"), {
        "l.%d.%s" % (layer, n): ("F32", SHAPE, x if layer == 0 else x[1:] + x[:1])
        for layer in (0, 3) for n, x in data.items()})
    write(path("padded.safetensors"), {
        "l.%02d.%s" % (layer, n): ("F32", SHAPE, x) for layer in (0, 10) for n, x in data.items()})
    shifted = attention(*(x[1:] + x[:1] for x in (q, k, v)))
    write(path("layers-out.safetensors"), {"layers.0.out": tensors["right"], "layers.3.out": ("F32", SHAPE, shifted)})
    extra = {n: ("F32", SHAPE, x) for n, x in data.items()}
    extra["seen"] = ("BOOL", (TOKENS, TOKENS), [j <= i and j % 4 != 3 for i in range(TOKENS) for j in range(TOKENS)])
    extra["holes"] = ("BOOL", (TOKENS, TOKENS), [j <= i != 3 for i in range(TOKENS) for j in range(TOKENS)])
    extra["bytes"] = ("U8",) + extra["seen"][1:]
    extra["added"] = ("F32", (1, 1, TOKENS, TOKENS), [0.0 if x else -math.inf for x in extra["seen"][2]])
    extra["sink"] = ("F32", (HEADS,), [-30.0] * HEADS)
    extra["bad"] = ("F32", SHAPE, q[:40] + [math.nan] + q[41:])
    extra["huge"] = ("F32", SHAPE, [2.0**126 * x for x in q])
    extra["wide"] = ("F64", SHAPE, [0.1] + q[1:])
    extra["short"] = ("F32", (1, HEADS, TOKENS // 2, DIM), q[:count // 2])
    extra["three"] = ("F32", (1, 3, 1, DIM), q[:3 * DIM])
    write(path("extra.safetensors"), extra)


def inside(path, causal):
    count = HEADS * TOKENS * DIM
    q, k, v = (numbers(seed, count) for seed in (1, 2, 3))
    exact = attention(q, k, v, (lambda i, j: j <= i) if causal else (lambda i, j: True))
    x = read(path)
    assert all(x[n][0] == "F64" and x[n][1] == SHAPE for n in ("bound", "lo", "hi"))
    return all(lo <= o <= hi and max(hi - o, o - lo) <= bound * (1 + 1e-9) + 1e-12
               for o, bound, lo, hi in zip(exact, x["bound"][2], x["lo"][2], x["hi"][2]))


def mix(a, b, out):
    a, b = read(a)["out"], read(b)["out"]
    values = [x if i // DIM % 2 == 0 else y for i, (x, y) in enumerate(zip(a[2], b[2]))]
    write(out, {"out": (a[0], a[1], values)})
    return a[2] != b[2]


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    elif sys.argv[1] == "inside":
        sys.exit(not inside(sys.argv[2], len(sys.argv) > 3))
    else:
        sys.exit(not mix(*sys.argv[2:]))
