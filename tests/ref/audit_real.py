"""A trained head at d = 48 in several formats, by another route: gpt-nano-sort of $ATTEST_DATA in Python's floats.

    audit_real.py make DIR DATA WEIGHTS HEAD    what enters block 0 of the model, and one of its heads with biases
    audit_real.py compare DATA WEIGHTS AUDIT       compares relative errors, and the order of the formats by them

Products and sums of numbers of at most 25 bits, rounded once more from binary64, are rounded correctly. Shares no code with attest.
"""
import json
import math
import struct
import sys

FORMATS = {"binary32": (24, -126), "bfloat16": (8, -126), "binary16": (11, -14), "float8_e4m3fn": (4, -6), "float8_e5m2": (3, -14)}
D, S, HEADS = 48, 16, 3


def read(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            tensors[name] = entry["shape"], struct.unpack(f"<{(last - first) // 4}f", data[8 + size + first:8 + size + last])
    return tensors


def find(tensors, *parts):
    return next(value for name, value in tensors.items() if all(part in name for part in parts))


def rows(values, width):
    return [list(values[i:i + width]) for i in range(0, len(values), width)]


def make(directory, data, weights, head):
    head = int(head)
    model, partials = read(f"{directory}/gpt-nano-sort.safetensors"), read(f"{directory}/partials.safetensors")
    (batch, length, _), values = find(partials, "ln1")
    tokens = rows(values, D)
    json.dump({"format": "attest/dataset", "version": 1, "name": "what enters block 0",
               "sequences": [[[x.hex() for x in token] + [1] for token in tokens[i * length:(i + 1) * length]] for i in range(batch)]}, open(data, "w"))
    fused, bias = rows(find(model, "h.0.", "c_attn.weight")[1], D), find(model, "h.0.", "c_attn.bias")[1]
    part = lambda k, scale: [[(x * scale).hex() for x in fused[i] + [bias[i]]] for i in range(k * D + head * S, k * D + (head + 1) * S)]
    out = rows(find(model, "h.0.", "attn.c_proj.weight")[1], D)
    wo = [[x.hex() for x in row[head * S:(head + 1) * S]] for row in out] + [[0] * S]
    json.dump({"format": "attest/weights", "version": 1, "activation": "softmax", "mask": "causal", "skip": False,
               "heads": [{"WQ": part(0, 0.25), "WK": part(1, 1), "WV": part(2, 1), "WO": wo}]}, open(weights, "w"))


def rounding(precision, emin):
    def fl(x):
        if x == 0:
            return x
        quantum = math.ldexp(1, max(math.frexp(x)[1] - 1, emin) - precision + 1)
        return round(x / quantum) * quantum
    return fl


def attend(sequence, head, fl):
    def dot(x, y):
        total = fl(x[0] * y[0])
        for a, b in zip(x[1:], y[1:]):
            total = fl(total + fl(a * b))
        return total

    tokens, matrices = [[fl(x) for x in t] for t in sequence], {name: [[fl(x) for x in row] for row in m] for name, m in head.items()}
    q, k, v = ([[dot(row, t) for row in matrices[name]] for t in tokens] for name in ("WQ", "WK", "WV"))
    for i in range(len(tokens)):
        scores = [dot(key, q[i]) for key in k[:i + 1]]
        powers = [fl(math.exp(fl(s - max(scores)))) for s in scores]
        total = 0.0
        for p in powers:
            total = fl(total + p)
        mean = [fl(dot(powers, [u[c] for u in v[:i + 1]]) / total) for c in range(S)]
        yield [dot(row, mean) for row in matrices["WO"]]


def number(x):
    return float.fromhex(x) if isinstance(x, str) else float(x)


def compare(data, weights, record):
    load = lambda rows: [[number(x) for x in row] for row in rows]
    sequences = [load(s) for s in json.load(open(data))["sequences"]]
    head = {name: load(m) for name, m in json.load(open(weights))["heads"][0].items()}
    entries = {f["name"]: f["relative_error"] for f in json.load(open(record))["formats"]}
    exact = [out for s in sequences for out in attend(s, head, lambda x: x)]
    wrong, truth = 0, {}
    for name, shape in FORMATS.items():
        found = [out for s in sequences for out in attend(s, head, rounding(*shape))]
        errors = [math.dist(a, b) / math.hypot(*b) for a, b in zip(found, exact)]
        truth[name] = sum(errors) / len(errors)
        for key, want in (("max", max(errors)), ("mean", truth[name])):
            if not abs(entries[name][key] - want) <= 1e-5 * want + 1e-12:
                wrong += 1
                print(f"{name}: {key} is {entries[name][key]}, should be {want}")
    order = lambda values: sorted(values, key=values.get)
    if order({name: entries[name]["mean"] for name in FORMATS}) != order(truth):
        wrong += 1
        print(f"the order should be {order(truth)}")
    print(f"# by mean error: {', '.join(f'{name} {truth[name]:.3g}' for name in order(truth))}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit({"make": make, "compare": compare}[sys.argv[1]](*sys.argv[2:]))
