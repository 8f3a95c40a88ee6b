#!/usr/bin/env python3
"""Kernels with descale factors in plain Python: fractions, rounded by definition, decimals for exp2.
Written from doc/kernel-models.md alone.

    descale.py make DIR    the questions (factors.safetensors; plain.safetensors is the same, not
                              quantised), the models and what their kernels return (NAME.out)
    descale.py same A B       two outputs are the same, bit for bit
    descale.py exact BOUND    every bound is how far lo and hi are from the exact output
"""
import json
import random
import struct
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
HEADS, KEY_HEADS, ROWS, KEYS, DIM, VALUES = 4, 2, 3, 11, 4, 3
TILE, LANES, OFFSET = 4, 2, 8
SCALE, CAP = Fraction(1, 3), Fraction(5, 2)


def to(x, bits, least, most=None):
    """x rounded to nearest even with this many bits and least exponent, saturating at most."""
    x = Fraction(x)
    if x == 0:
        return x
    size, e = abs(x), 0
    while size >= Fraction(2) ** (e + 1):
        e += 1
    while size < Fraction(2) ** e:
        e -= 1
    unit = Fraction(2) ** (max(e, least) - bits + 1)
    size = round(size / unit) * unit  # round() takes halves to even
    if most is not None:
        size = min(size, Fraction(most))
    return size if x > 0 else -size


def f32(x):
    return to(x, 24, -126)


def bf16(x):
    return to(x, 8, -126)


def e4m3(x):
    return to(x, 4, -6, 448)


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def exp2(x):
    return f32(Fraction((decimal(x) * Decimal(2).ln()).exp()))


def exp(x):
    return f32(Fraction(decimal(x).exp()))


def tanh(x):
    e = (decimal(2 * abs(x))).exp()
    return f32(Fraction((e - 1) / (e + 1)) * (1 if x >= 0 else -1))


LOG2E = Fraction(1 / Decimal(2).ln())


def dot(a, b):
    """Products rounded, and added one after another."""
    s = None
    for x, y in zip(a, b):
        s = f32(x * y) if s is None else f32(s + f32(x * y))
    return s


class Folded:
    """exp2(fma(s, k, -c)), k = fl(fl(fl(scale) log2 e) fl(dq dk)); a reciprocal times dv."""
    def __init__(self, dq, dk, dv):
        self.dv = dv
        self.k = f32(f32(f32(SCALE) * LOG2E) * f32(dq * dk))

    def score(self, s):
        return s

    def reference(self, m):
        return f32(f32(m * self.k) - OFFSET)

    def weight(self, s, reference):
        return exp2(f32(s * self.k - reference))

    def rescale(self, old, new):
        return exp2(f32(f32(old - new) * self.k))

    def output(self, o, total):
        return f32(o * f32(f32(1 / total) * self.dv))


class Capped(Folded):
    """s becomes tanh(fl(s x)), x = fl(fl(scale / c) fl(dq dk)), and k = fl(fl(c) log2 e); a division, times dv."""
    def __init__(self, dq, dk, dv):
        self.dv = dv
        self.x = f32(f32(SCALE / CAP) * f32(dq * dk))
        self.k = f32(f32(CAP) * LOG2E)

    def score(self, s):
        return tanh(f32(s * self.x))

    def output(self, o, total):
        return f32(f32(o / total) * self.dv)


class Separate:
    """t = fl(s fl(fl(scale) fl(dq dk))), exp(fl(t - m)); a division, times dv."""
    def __init__(self, dq, dk, dv):
        self.dv = dv
        self.scale = f32(f32(SCALE) * f32(dq * dk))

    def score(self, s):
        return f32(s * self.scale)

    def reference(self, m):
        return m

    def weight(self, s, reference):
        return exp(f32(s - reference)) * 2 ** OFFSET

    def rescale(self, old, new):
        return exp(f32(old - new))

    def output(self, o, total):
        return f32(f32(o / total) * self.dv)


def row(kernel, q, keys, values):
    """Tiles from the last to the first, the running maximum, P = e4m3(2^8 e^x), lanes of the row sum."""
    m, lanes, o = None, [None] * LANES, [None] * VALUES
    for first in reversed(range(0, KEYS, TILE)):
        tile = range(first, min(first + TILE, KEYS))
        s = {j: kernel.score(dot(q, keys[j])) for j in tile}
        new = max(s.values()) if m is None else max(m, max(s.values()))
        if m is not None and new > m:
            a = kernel.rescale(m, new)
            lanes = [None if x is None else f32(x * a) for x in lanes]
            o = [f32(x * a) for x in o]
        m = new
        reference = kernel.reference(m)
        w = {j: kernel.weight(s[j], reference) for j in tile}
        for j in tile:
            n = (j - first) % LANES
            lanes[n] = w[j] if lanes[n] is None else f32(lanes[n] + w[j])
        for j in reversed(tile):
            for c in range(VALUES):
                term = f32(e4m3(w[j]) * values[j][c])
                o[c] = term if o[c] is None else f32(o[c] + term)
    total = lanes[0]
    for x in lanes[1:]:
        total = f32(total + x)
    return [bf16(kernel.output(x, total)) for x in o]


def exact(q, keys, values, factors, cap):
    """The exact output in decimals."""
    dq, dk, dv = map(decimal, factors)
    t = []
    for k in keys:
        s = decimal(sum(a * b for a, b in zip(q, k))) * decimal(SCALE) * dq * dk
        if cap:
            e = (2 * s / decimal(CAP)).exp()
            s = decimal(CAP) * (e - 1) / (e + 1)
        t.append(s.exp())
    return [dv * sum(w * decimal(v[c]) for w, v in zip(t, values)) / sum(t) for c in range(VALUES)]


def write(path, tensors):
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        piece = struct.pack("<%df" % len(values), *map(float, values))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    code = {"F32": "f", "F64": "d", "BF16": "H"}
    out = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            piece, c = data[8 + size + first:8 + size + last], code[entry["dtype"]]
            values = struct.unpack("<%d%s" % (len(piece) // struct.calcsize(c), c), piece)
            if c == "H":
                values = struct.unpack("<%df" % len(values), struct.pack("<%dI" % len(values), *(x << 16 for x in values)))
            out[name] = list(values)
    return out


def draw(heads, tokens, dim, size):
    generator = random.Random(heads * 1000 + tokens * 10 + dim)
    return [f32(Fraction(generator.gauss(0, 1)) * size) for _ in range(heads * tokens * dim)]


def quantise(x, heads):
    """float8_e4m3fn with one scale for each head: fl(amax / 448), e4m3(fl(x / scale))."""
    elements, factors, count = [], [], len(x) // heads
    for h in range(heads):
        part = x[h * count:(h + 1) * count]
        scale = f32(max(map(abs, part)) / 448)
        factors.append(scale)
        elements += [e4m3(f32(y / scale)) for y in part]
    return elements, factors


def question():
    """Numbers before quantising; elements and factors of each tensor."""
    q, k, v = draw(HEADS, ROWS, DIM, 2), draw(KEY_HEADS, KEYS, DIM, 1), draw(KEY_HEADS, KEYS, VALUES, 40)
    return (q, k, v), quantise(q, HEADS), quantise(k, KEY_HEADS), quantise(v, KEY_HEADS)


def heads(tensors):
    """For every query head: its rows, keys, values and factors."""
    _, (q, dq), (k, dk), (v, dv) = tensors
    cut = lambda x, h, tokens, dim: [x[(h * tokens + i) * dim:(h * tokens + i + 1) * dim] for i in range(tokens)]
    for h in range(HEADS):
        g = h * KEY_HEADS // HEADS
        yield cut(q, h, ROWS, DIM), cut(k, g, KEYS, DIM), cut(v, g, KEYS, VALUES), (dq[h], dk[g], dv[g])


MODEL = {"format": "attest/kernel-model", "version": 1,
         "inputs": {"q": "float8_e4m3fn", "k": "float8_e4m3fn", "v": "float8_e4m3fn"},
         "score": {"order": "sequential"}, "pv": {"order": "backward"},
         "max": {"kind": "online", "tile": TILE, "direction": "backward"}, "sum": {"lanes": LANES},
         "p": {"format": "float8_e4m3fn", "offset": OFFSET}, "final": {"place": "after"}, "output": {"format": "bfloat16"}}
SCHEDULE = {"scores": "sequential", "pv": "backward", "tile": TILE, "direction": "backward", "lanes": LANES, "rescale": 0,
            "divide": "after"}
KERNELS = {"folded": (Folded, "folded-binary32", "folded", "reciprocal"),
           "capped": (Capped, "folded-binary32", "folded", "division"),
           "separate": (Separate, "separate", "score", "division")}


def make(directory):
    tensors = question()
    (q, k, v), (eq, dq), (ek, dk), (ev, dv) = tensors
    sq, sk, sv = [HEADS, ROWS, DIM], [KEY_HEADS, KEYS, DIM], [KEY_HEADS, KEYS, VALUES]
    write(directory + "/factors.safetensors",
          {"q": (sq, eq), "k": (sk, ek), "v": (sv, ev), "q_descale": ([1, HEADS], dq), "k_descale": ([KEY_HEADS], dk),
           "v_descale": ([1, KEY_HEADS], dv), "one": ([], [1]), "half": ([], [0.5]), "three": ([3], [1, 1, 1]),
           "zero": ([1], [0]), "large": ([1], [2.0 ** 41]), "batches": ([2, 2], [1, 1, 1, 1]), "deep": ([1, 1, 1], [1])})
    write(directory + "/plain.safetensors", {"q": (sq, q), "k": (sk, k), "v": (sv, v)})
    json.dump(dict(MODEL, name="open"), open(directory + "/open.json", "w"))
    for name, (kernel, constant, where, quotient) in KERNELS.items():
        model = dict(MODEL, name=name, scale={"where": where},
                     schedules=[dict(SCHEDULE, constant=constant, quotient=quotient)])
        json.dump(model, open("%s/%s.json" % (directory, name), "w"))
        out = [x for rows, keys, values, factors in heads(tensors) for r in rows
               for x in row(kernel(*factors), r, keys, values)]
        write("%s/%s.out" % (directory, name), {"out": ([HEADS, ROWS, VALUES], out)})


def check_exact(path, cap):
    bound = read(path)
    want = [x for rows, keys, values, factors in heads(question()) for r in rows
            for x in exact(r, keys, values, factors, cap)]
    for i, x in enumerate(want):
        lo, hi, b = (Decimal(bound[n][i]) for n in ("lo", "hi", "bound"))
        far = max(hi - x, x - lo)
        if not far <= b <= far + Decimal("1e-9"):
            sys.exit("element %d: %s is not %s from [%s, %s]" % (i, x, b, lo, hi))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    elif sys.argv[1] == "same":
        a, b = read(sys.argv[2])["out"], read(sys.argv[3])["out"]
        sys.exit(struct.pack("<%dd" % len(a), *a) != struct.pack("<%dd" % len(b), *b))
    else:
        check_exact(sys.argv[2], len(sys.argv) > 3)
