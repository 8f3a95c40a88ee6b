"""What int8 weights do to every attention head of a trained model, proved.

    quantised-heads.py ATTEST DIR [nearest]

DIR has aren-transliteration.safetensors (binary32) and aren-transliteration-i8.safetensors, a
CTranslate2 model of 6 + 6 layers with 8 heads. The float model is run on a few sequences of letters, in
binary64, and decodes greedily; what each attention block is given there, rounded to binary32, are the inputs, taken exactly. For each head
the exact outputs with the float weights and with the int8 ones (q/scale, a rational) are enclosed by
`attest eval --number ball`, and so is the largest relative difference over all positions,
|o' - o| / |o| in the Euclidean norm. With "nearest" the weights are quantised once more, rounded to
nearest, not cut as the model was.

Cross attention has queries and keys of different sequences: the sequence is the memory followed by the
queries, and one more dimension of the head takes 10^4 off the scores of queries as keys, which leaves them
a weight below 2^-1000; that is added to the radius."""
import concurrent.futures
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction as F

LAYERS, HEADS, DIM, SIZE = 6, 8, 32, 4
WORDS = [[7, 22, 14, 30, 9], [12, 5, 41, 18, 26, 33, 8], [20, 11, 45, 6, 16, 37], [28, 10, 13, 24, 48, 15, 9, 31]]
FIRST, LAST, MOST = 1, 2, 10  # the tokens that begin and end an output, and how long it may be
APART = 10**4


def read(path):
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    out = {}
    for name, t in header.items():
        if name == "__metadata__":
            continue
        size, letter = {"F32": (4, "f"), "I8": (1, "b")}[t["dtype"]]
        bits = data[t["data_offsets"][0]:t["data_offsets"][1]]
        flat = struct.unpack("<%d%s" % (len(bits) // size, letter), bits)
        width = t["shape"][-1]
        out[name] = [flat[i:i + width] for i in range(0, len(flat), width)] if len(t["shape"]) == 2 else flat
    return out


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


# ---- the float model, in binary64: where inputs of attention come from ----

def linear(x, model, name):
    w, b = model[name + "/weight"], model[name + "/bias"]
    return [[sum(p * q for p, q in zip(row, v)) + c for row, c in zip(w, b)] for v in x]


def norm(x, model, name):
    out = []
    for v in x:
        mean = sum(v) / len(v)
        deviation = math.sqrt(sum((p - mean)**2 for p in v) / len(v) + 1e-5)
        out.append([single((p - mean) / deviation * g + b)
                    for p, g, b in zip(v, model[name + "/gamma"], model[name + "/beta"])])
    return out


def embed(ids, model, side):
    step = math.log(10000) / (DIM // 2 - 1)
    out = []
    for i, token in enumerate(ids):
        angles = [(i + 1) * math.exp(-step * j) for j in range(DIM // 2)]
        place = [math.sin(a) for a in angles] + [math.cos(a) for a in angles]
        out.append([math.sqrt(DIM) * e + p for e, p in zip(model[side + "/embeddings/weight"][token], place)])
    return out


def attend(q, k, v, causal):
    out = []
    for i, query in enumerate(q):
        row = []
        for h in range(HEADS):
            part = slice(SIZE * h, SIZE * (h + 1))
            seen = range(min(len(k), i + 1) if causal else len(k))
            scores = [sum(a * b for a, b in zip(query[part], k[j][part])) / 2 for j in seen]
            weight = [math.exp(s - max(scores)) for s in scores]
            row += [sum(w * v[j][part][c] for w, j in zip(weight, seen)) / sum(weight) for c in range(SIZE)]
        out.append(row)
    return out


def add(x, y):
    return [[a + b for a, b in zip(v, w)] for v, w in zip(x, y)]


def feed_forward(x, model, name):
    inner = [[max(0, p) for p in v] for v in linear(norm(x, model, name + "/layer_norm"), model, name + "/linear_0")]
    return add(x, linear(inner, model, name + "/linear_1"))


def self_attention(x, model, name, causal, seen):
    y = norm(x, model, name + "/layer_norm")
    seen.setdefault(name, []).append((y, None))
    qkv = linear(y, model, name + "/linear_0")
    cut = [[[v[DIM * p + i] for i in range(DIM)] for v in qkv] for p in range(3)]
    return add(x, linear(attend(*cut, causal), model, name + "/linear_1"))


def cross_attention(x, memory, model, name, seen):
    y = norm(x, model, name + "/layer_norm")
    seen.setdefault(name, []).append((y, memory))
    kv = linear(memory, model, name + "/linear_1")
    mixed = attend(linear(y, model, name + "/linear_0"), [v[:DIM] for v in kv], [v[DIM:] for v in kv], False)
    return add(x, linear(mixed, model, name + "/linear_2"))


def encode(ids, model, seen):
    x = embed(ids, model, "encoder")
    for i in range(LAYERS):
        x = self_attention(x, model, "encoder/layer_%d/self_attention" % i, False, seen)
        x = feed_forward(x, model, "encoder/layer_%d/ffn" % i)
    return norm(x, model, "encoder/layer_norm")


def decode(ids, memory, model, seen):
    x = embed(ids, model, "decoder")
    for i in range(LAYERS):
        x = self_attention(x, model, "decoder/layer_%d/self_attention" % i, True, seen)
        x = cross_attention(x, memory, model, "decoder/layer_%d/attention" % i, seen)
        x = feed_forward(x, model, "decoder/layer_%d/ffn" % i)
    last = norm(x, model, "decoder/layer_norm")[-1]
    scores = [sum(a * b for a, b in zip(w, last)) + c
              for w, c in zip(model["decoder/projection/weight"], model["decoder/projection/bias"])]
    return max(range(len(scores)), key=scores.__getitem__)


def run(model):
    """What every attention block sees: name -> [(its input, the memory or None)]."""
    seen = {}
    for word in WORDS:
        memory, out = encode(word, model, seen), [FIRST]
        while len(out) < MOST:
            token = decode(out, memory, model, {})
            if token == LAST:
                break
            out.append(token)
        decode(out, memory, model, seen)
    return seen


# ---- the heads, exactly ----

def exact(model, name):
    """The rows of a weight as rationals: floats, or integers over their scale."""
    scale = model.get(name + "_scale")
    return [[F(v) / F(scale[i]) if scale else F(v) for v in row] for i, row in enumerate(model[name])]


def to_nearest(model, name):
    out = []
    for row in model[name]:
        scale = single(127 / max(map(abs, row)))
        out.append([F(round(single(v * scale))) / F(scale) for v in row])
    return out


def head(model, weights, name, h, cross):
    """The attest weights of one head: tokens have a coordinate 1 behind them, for the biases, and in cross
    attention one before it that tells queries from memory."""
    part = range(SIZE * h, SIZE * (h + 1))
    first = name + "/linear_0"
    second = name + ("/linear_1" if cross else "/linear_0")
    last = name + ("/linear_2" if cross else "/linear_1")
    base = 0 if cross else DIM
    source = {"q": (first, 0), "k": (second, base), "v": (second, base + DIM)}
    m = {}
    for key, (tensor, row) in source.items():
        factor = F(1, 2) if key == "q" else 1
        w, b = weights(model, tensor + "/weight"), model[tensor + "/bias"]
        m[key] = [[factor * v for v in w[row + i]] + [0] * cross + [factor * F(b[row + i])] for i in part]
    o = [[row[i] for i in part] for row in weights(model, last + "/weight")] + [[0] * SIZE] * (1 + cross)
    if cross:
        m["q"].append([0] * DIM + [1, 0])
        m["k"].append([0] * DIM + [-APART, 0])
        m["v"].append([0] * (DIM + 2))
        o = [row + [0] for row in o]
    words = {"WQ": m["q"], "WK": m["k"], "WV": m["v"], "WO": o}
    return {"format": "attest/weights", "version": 1, "activation": "softmax", "skip": False,
            "mask": "causal" if name.startswith("decoder") and not cross else "none",
            "heads": [{k: [[str(F(v)) for v in row] for row in rows] for k, rows in words.items()}]}


def dataset(inputs):
    rows = []
    for y, memory in inputs:
        if memory is None:
            rows.append([[str(F(v)) for v in x] + ["1"] for x in y])
        else:
            rows.append([[str(F(v)) for v in x] + ["0", "1"] for x in memory] +
                        [[str(F(v)) for v in x] + ["1", "1"] for x in y])
    return {"format": "attest/dataset", "version": 1, "sequences": rows}


def ends(ball):
    mid, rad = hexadecimal(ball["mid"]), hexadecimal(ball["rad"])
    return mid, rad + F(1, 2**900)


def hexadecimal(text):
    sign = -1 if text.startswith("-") else 1
    digits, exponent = text.lstrip("-")[2:].split("p")
    whole, _, fraction = digits.partition(".")
    return sign * F(int(whole + fraction, 16), 16**len(fraction)) * F(2)**int(exponent)


def root(x, up):
    """sqrt(x), rounded down or up."""
    n = math.isqrt((x.numerator << 400) // x.denominator)
    return F(n + up, 2**200)


def length(vector):
    """The norm of a vector of balls, from below and above."""
    low = sum(max(abs(m) - r, F(0))**2 for m, r in vector)
    high = sum((abs(m) + r)**2 for m, r in vector)
    return root(low, 0), root(high, 1)


def relative(a, b, positions):
    """The largest |b - a| / |a|, from below and above."""
    low = high = F(0)
    for i, k in positions:
        x, y = [ends(v) for v in a[i][k]], [ends(v) for v in b[i][k]]
        size = length(x)
        difference = length([(q[0] - p[0], p[1] + q[1]) for p, q in zip(x, y)])
        if size[0] == 0:
            sys.exit("an output may be 0")
        low, high = max(low, difference[0] / size[1]), max(high, difference[1] / size[0])
    return low, high


def evaluate(program, directory, weights, key):
    path = os.path.join(directory, key + ".json")
    with open(path, "w") as f:
        json.dump(weights, f)
    out = subprocess.run([program, "eval", os.path.join(directory, key.split(".")[0] + ".data"), "--weights", path,
                          "--number", "ball", "--bits", "64", "--json"], capture_output=True, text=True, check=True)
    os.unlink(path)
    return json.loads(out.stdout)["outputs"]


def approximate(weights, inputs, causal):
    """The head's outputs in binary64, without attest: a check by another route."""
    m = {k: [[float(F(v)) for v in row] for row in rows] for k, rows in weights["heads"][0].items()}
    out = []
    for y, memory in inputs:
        keys, flag = (y, []) if memory is None else (memory, [0])
        times = lambda w, v: [sum(a * b for a, b in zip(row, v)) for row in w]
        q = [times(m["WQ"], x + flag + [1]) for x in y]
        k, v = ([times(m[key], x + flag + [1]) for x in keys] for key in ("WK", "WV"))
        others = [times(m["WK"], x + flag + [1]) for x in y if memory is not None]
        if any(abs(sum(a * b for a, b in zip(query, key))) > 1000 for query in q for key in k + others) or \
                any(abs(c) > 2**60 for row in v for c in row):
            sys.exit("10^4 is not enough to leave the queries out as keys")
        for i, query in enumerate(q):
            seen = range(i + 1 if causal else len(k))
            scores = [sum(a * b for a, b in zip(query, k[j])) for j in seen]
            weight = [math.exp(score - max(scores)) for score in scores]
            mixed = [sum(w * v[j][c] for w, j in zip(weight, seen)) / sum(weight) for c in range(len(v[0]))]
            out.append(times(m["WO"], mixed))
    return out


def compare(first, second, inputs, causal, found):
    largest = 0
    for a, b in zip(approximate(first, inputs, causal), approximate(second, inputs, causal)):
        largest = max(largest, math.dist(a, b) / math.hypot(*a))
    if not found[0] * F(999999, 10**6) < largest < found[1] * F(1000001, 10**6):
        sys.exit("binary64 says %g, and the enclosure %g" % (largest, found[1]))


def measure(job):
    program, directory, floats, integers, other, name, h, inputs = job
    cross = inputs[0][1] is not None
    key = name.replace("/", "_")
    first, second = head(floats, exact, name, h, cross), head(integers, other, name, h, cross)
    a = evaluate(program, directory, first, "%s.%d-float" % (key, h))
    b = evaluate(program, directory, second, "%s.%d-int8" % (key, h))
    positions = [(i, k + len(memory or [])) for i, (y, memory) in enumerate(inputs) for k in range(len(y))]
    found = relative(a, b, positions)
    compare(first, second, inputs, first["mask"] == "causal", found)
    return found


def percent(x):
    """Rounded up to hundredths."""
    return "%.2f" % (math.ceil(x * 10000) / 100)


def show(title, kind, result):
    print("\n%s\n\n| layer | %s |\n|%s" % (title, " | ".join("head %d" % h for h in range(HEADS)), "---|" * (HEADS + 1)))
    for i in range(LAYERS):
        print("| %d | %s |" % (i, " | ".join(percent(result[kind % i, h][1]) for h in range(HEADS))))


def main():
    program, data = sys.argv[1], sys.argv[2]
    floats = read(data + "/aren-transliteration.safetensors")
    integers, other = read(data + "/aren-transliteration-i8.safetensors"), exact
    if sys.argv[3:] == ["nearest"]:
        integers, other = floats, to_nearest
    seen = run(floats)
    with tempfile.TemporaryDirectory() as directory:
        for name, inputs in seen.items():
            with open(os.path.join(directory, name.replace("/", "_") + ".data"), "w") as f:
                json.dump(dataset(inputs), f)
        keys = [(name, h) for name in seen for h in range(HEADS)]
        with concurrent.futures.ProcessPoolExecutor() as pool:
            found = list(pool.map(measure, [(program, directory, floats, integers, other, n, h, seen[n]) for n, h in keys]))
    result = dict(zip(keys, found))
    print("%d positions of %d blocks; the ends of every enclosure differ by less than 10^%d" %
          (sum(len(y) for s in seen.values() for y, _ in s), len(seen),
           math.ceil(math.log10(max(high - low for low, high in found)))))
    show("Encoder, self attention", "encoder/layer_%d/self_attention", result)
    show("Decoder, self attention", "decoder/layer_%d/self_attention", result)
    show("Decoder, cross attention", "decoder/layer_%d/attention", result)
    order = sorted(high for _, high in found)
    print("\nmedian %s %%, largest %s %%" % (percent(order[len(order) // 2]), percent(order[-1])))


if __name__ == "__main__":
    main()
