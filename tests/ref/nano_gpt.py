"""A small pre-LN GPT in plain Python: what each head of a checkpoint adds, from a residual stream.

    nano_gpt.py tokens MODEL PARTIALS DIR     writes DIR/layer{0,1,2}.safetensors (F64: x, ln1)
                                                 after the recorded blocks were reproduced
    nano_gpt.py compare MODEL TOKENS LAYER HEAD OUTPUTS.json [x]
                                                 a head's outputs (with the skip x) against doubles
    nano_gpt.py recorded MODEL PARTIALS HEAD OUTPUTS.json
                                                 block 0's head against what PyTorch recorded, within
                                                 a bound on any order of binary32 operations

Shares no code with the program. LayerNorm has eps = 1e-5, gelu is the tanh formula (minGPT).
"""
import json
import math
import struct
import sys
from fractions import Fraction

DIM, HEADS, LAYERS, SIZE = 48, 3, 3, 16
U = 2.0**-24


def load(path):
    raw = open(path, "rb").read()
    size = struct.unpack("<Q", raw[:8])[0]
    tensors = {}
    for name, t in json.loads(raw[8 : 8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + o for o in t["data_offsets"])
        width = {"F32": 4, "F64": 8}[t["dtype"]]
        letter = {"F32": "f", "F64": "d"}[t["dtype"]]
        tensors[name] = struct.unpack("<%d%s" % ((end - begin) // width, letter), raw[begin:end])
    return tensors


def save(path, tensors):
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        block = struct.pack("<%dd" % len(values), *values)
        header[name] = {"dtype": "F64", "shape": shape, "data_offsets": [len(data), len(data) + len(block)]}
        data += block
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)


def rows(values, width):
    return [list(values[i : i + width]) for i in range(0, len(values), width)]


def linear(x, weight, bias):
    """weight is out x in, flat."""
    n = len(x)
    return [b + sum(map(float.__mul__, weight[r * n : (r + 1) * n], x)) for r, b in enumerate(bias)]


def norm(x, gamma, beta):
    mean = sum(x) / len(x)
    root = math.sqrt(sum((a - mean) ** 2 for a in x) / len(x) + 1e-5)
    return [(a - mean) / root * g + b for a, g, b in zip(x, gamma, beta)]


def gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


class Model:
    def __init__(self, path):
        self.tensor = load(path)

    def get(self, layer, name):
        return self.tensor["transformer.h.%d.%s" % (layer, name)]

    def attend(self, layer, z):
        """What each head mixes: mixed[h][k] of SIZE numbers, for one causal sequence of normed tokens."""
        qkv = [linear(t, self.get(layer, "attn.c_attn.weight"), self.get(layer, "attn.c_attn.bias")) for t in z]
        mixed = []
        for h in range(HEADS):
            q, k, v = ([t[p * DIM + h * SIZE : p * DIM + (h + 1) * SIZE] for t in qkv] for p in range(3))
            head = []
            for i in range(len(z)):
                score = [sum(map(float.__mul__, q[i], k[j])) / math.sqrt(SIZE) for j in range(i + 1)]
                e = [math.exp(s - max(score)) for s in score]
                total = sum(e)
                head.append([sum(e[j] * v[j][r] for j in range(i + 1)) / total for r in range(SIZE)])
            mixed.append(head)
        return mixed

    def project(self, layer, h, y):
        """What head h adds to the stream, without the bias."""
        w = self.get(layer, "attn.c_proj.weight")
        return [sum(w[c * DIM + h * SIZE + r] * y[r] for r in range(SIZE)) for c in range(DIM)]

    def normed(self, layer, x, which):
        return norm(x, self.get(layer, "ln_%d.weight" % which), self.get(layer, "ln_%d.bias" % which))

    def block(self, layer, xs):
        z = [self.normed(layer, x, 1) for x in xs]
        mixed = self.attend(layer, z)
        out = []
        for k, x in enumerate(xs):
            y = [sum(p) for p in zip(*(self.project(layer, h, mixed[h][k]) for h in range(HEADS)))]
            x = [a + b + c for a, b, c in zip(x, y, self.get(layer, "attn.c_proj.bias"))]
            m = linear(self.normed(layer, x, 2), self.get(layer, "mlp.c_fc.weight"), self.get(layer, "mlp.c_fc.bias"))
            m = linear([gelu(a) for a in m], self.get(layer, "mlp.c_proj.weight"), self.get(layer, "mlp.c_proj.bias"))
            out.append([a + b for a, b in zip(x, m)])
        return out


def tokens(model, partials, directory):
    model, recorded = Model(model), load(partials)
    n = 11
    stream = rows(recorded["x"], DIM)
    sequences = [stream[i : i + n] for i in range(0, len(stream), n)]
    for layer in range(LAYERS):
        z = [[model.normed(layer, x, 1) for x in s] for s in sequences]
        flat = [[a for s in t for x in s for a in x] for t in (sequences, z)]
        shape = [len(sequences), n, DIM]
        save("%s/layer%d.safetensors" % (directory, layer), {"x": (shape, flat[0]), "ln1": (shape, flat[1])})
        sequences = [model.block(layer, s) for s in sequences]
        worst = max(abs(a - b) for a, b in zip((a for s in sequences for x in s for a in x), recorded["block%d" % layer]))
        print("block%d reproduced within %.3g" % (layer, worst))
        assert worst < 4e-6
        # what PyTorch recorded goes on, so that no layer is charged with another's rounding
        stream = rows(recorded["block%d" % layer], DIM)
        sequences = [stream[i : i + n] for i in range(0, len(stream), n)]


def outputs(path):
    return [[[value(v) for v in t] for t in s]
            for s in json.load(open(path))["outputs"]]


def value(v):
    return float.fromhex(v["mid"]) if isinstance(v, dict) else float(Fraction(v))


def compare(model, path, layer, head, computed, skip=None):
    model, data = Model(model), load(path)
    z, x, n, out = rows(data["ln1"], DIM), rows(data["x"], DIM), 11, outputs(computed)
    heads = range(HEADS) if head == "all" else [int(head)]
    layer, worst = int(layer), 0.0
    bias = model.get(layer, "attn.c_proj.bias") if head == "all" else [0.0] * DIM
    for i in range(len(z) // n):
        mixed = model.attend(layer, z[i * n : (i + 1) * n])
        for k in range(n):
            assert len(out[i][k]) == DIM
            y = [sum(p) for p in zip(bias, *(model.project(layer, h, mixed[h][k]) for h in heads))]
            if skip:
                y = [a + b for a, b in zip(y, x[i * n + k])]
            worst = max([worst] + [abs(a - b) for a, b in zip(y, out[i][k])])
    print("largest difference %.3g" % worst)
    assert worst < 1e-13


def gamma(n):
    return n * U / (1 - n * U)


def bound_of(model, h, z, i):
    """For query i: a bound on what any order of binary32 operations makes of the SIZE mixed entries."""
    w, b = model.get(0, "attn.c_attn.weight"), model.get(0, "attn.c_attn.bias")

    def part(p, t):
        value, error = [], []
        for r in range(p * DIM + h * SIZE, p * DIM + (h + 1) * SIZE):
            row = w[r * DIM : (r + 1) * DIM]
            value.append(abs(b[r] + sum(map(float.__mul__, row, t))))
            error.append(gamma(DIM + 2) * (abs(b[r]) + sum(abs(a * c) for a, c in zip(row, t))))
        return value, error

    q, k, v = (([part(p, t) for t in z[: i + 1]]) for p in range(3))
    size = [sum((a + d) * (c + e) for a, d, c, e in zip(*q[i], *k[j])) / 4 for j in range(i + 1)]
    error = max(sum(a * e + c * d + d * e for a, d, c, e in zip(*q[i], *k[j])) / 4 + gamma(SIZE + 3) * size[j]
                for j in range(i + 1)) + 2 * U * max(size)
    # every weight off by the factor e^(2 error), exp by 4 ulp, the sum by i + 1 additions, the quotient
    factor = math.exp(2 * error) * (1 + gamma(i + 16)) - 1
    return [max(v[j][0][r] for j in range(i + 1)) * (factor + gamma(i + 4) * (1 + factor))
            + max(v[j][1][r] for j in range(i + 1)) * (1 + factor) for r in range(SIZE)]


def recorded(model, partials, head, computed):
    model, data, h, n = Model(model), load(partials), int(head), 11
    z, y, out, ratio = rows(data["ln1"], DIM), rows(data["y"], DIM), outputs(computed), 0.0
    w = model.get(0, "attn.c_proj.weight")
    for i in range(len(z) // n):
        for k in range(n):
            limit = bound_of(model, h, z[i * n : (i + 1) * n], k)
            mixed = [Fraction(a) for a in y[i * n + k][h * SIZE : (h + 1) * SIZE]]
            for c in range(DIM):
                row = w[c * DIM + h * SIZE : c * DIM + (h + 1) * SIZE]
                exact = sum(Fraction(a) * b for a, b in zip(row, mixed))  # of the recording
                most = sum(abs(a) * b for a, b in zip(row, limit)) + 1e-15
                ratio = max(ratio, abs(float(exact - Fraction(out[i][k][c]))) / most)
    print("at most %.3g of the bound" % ratio)
    assert 0 < ratio < 1


if __name__ == "__main__":
    {"tokens": tokens, "compare": compare, "recorded": recorded}[sys.argv[1]](*sys.argv[2:])
