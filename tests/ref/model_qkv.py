"""Queries, keys and values of models by another route: sixty digits of Python's decimals, from the definitions of the layers.

    model_qkv.py make DIR KIND        model.safetensors, config.json and stream.safetensors of a small random model of this kind
    model_qkv.py outputs DIR KIND EVAL the balls of `attest eval` for layer 1, imported with its norm and 1/sqrt(s), hold what is true
    model_qkv.py compare DIR KIND QKV compares q, k, v and what is added to scores, as `attest audit --save-qkv` wrote them

Kinds: gpt2 llama qwen3 llama3 linear gemma2 gemma3 phi3 bloom neox bert. Shares no code with attest; fails with a line for each difference.
"""
import functools
import json
import math
import os
import random
import struct
import sys
from decimal import Decimal as D, getcontext

getcontext().prec = 60
PI = D("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")
LAYERS, BATCH, TOKENS = 2, 2, 5
# heads, heads of keys, size of a head, dimension
SHAPE = {"gpt2": (3, 3, 4, 12), "llama": (4, 2, 6, 10), "qwen3": (4, 1, 4, 12), "llama3": (2, 2, 8, 12), "linear": (2, 1, 4, 6),
         "gemma2": (4, 2, 4, 10), "gemma3": (2, 1, 4, 6), "phi3": (4, 2, 4, 12), "bloom": (6, 6, 2, 12), "neox": (2, 2, 8, 16), "bert": (2, 2, 5, 10)}
CONFIG = {
    "gpt2": {"n_head": 3, "layer_norm_epsilon": 1e-5},
    "llama": {"num_attention_heads": 4, "num_key_value_heads": 2, "rms_norm_eps": 1e-6, "rope_theta": 500000.0, "rope_scaling": None},
    "qwen3": {"num_attention_heads": 4, "head_dim": 4, "rms_norm_eps": 2e-6, "rope_theta": 1000000, "sliding_window": 3, "use_sliding_window": False},
    "llama3": {"num_attention_heads": 2, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
               "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                "original_max_position_embeddings": 800}},
    "linear": {"num_attention_heads": 2, "rms_norm_eps": 1e-5, "rope_scaling": {"type": "linear", "factor": 2.5}},
    "gemma2": {"num_attention_heads": 4, "rms_norm_eps": 1e-6, "attn_logit_softcapping": 5.0, "query_pre_attn_scalar": 6, "sliding_window": 4096},
    "gemma3": {"num_attention_heads": 2, "rms_norm_eps": 1e-6, "query_pre_attn_scalar": 6},
    "phi3": {"num_attention_heads": 4, "rms_norm_eps": 1e-5, "partial_rotary_factor": 0.5},
    "bloom": {"n_head": 6, "layer_norm_epsilon": 1e-5},
    "neox": {"num_attention_heads": 2, "layer_norm_eps": 1e-5, "rotary_pct": 0.25, "rotary_emb_base": 10000},
    "bert": {"num_attention_heads": 2, "position_embedding_type": "absolute"},
}


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def shapes(kind):
    """The tensors of a layer."""
    heads, groups, size, dim = SHAPE[kind]
    q, k = heads * size, groups * size
    if kind == "gpt2":
        return {"transformer.h.{}.attn.c_attn.weight": (dim, 3 * q), "transformer.h.{}.attn.c_attn.bias": (3 * q,),
                "transformer.h.{}.attn.c_proj.weight": (q, dim), "transformer.h.{}.ln_1.weight": (dim,), "transformer.h.{}.ln_1.bias": (dim,)}
    if kind == "bert":
        return {f"bert.encoder.layer.{{}}.attention.{name}": shape for part in ("query", "key", "value")
                for name, shape in ((f"self.{part}.weight", (q, dim)), (f"self.{part}.bias", (q,)))} | {
                    "bert.encoder.layer.{}.attention.output.dense.weight": (dim, q)}
    if kind in ("bloom", "neox"):
        at = "transformer.h.{}." if kind == "bloom" else "gpt_neox.layers.{}."
        inner = at + ("self_attention." if kind == "bloom" else "attention.")
        return {inner + "query_key_value.weight": (3 * q, dim), inner + "query_key_value.bias": (3 * q,), inner + "dense.weight": (dim, q),
                at + "input_layernorm.weight": (dim,), at + "input_layernorm.bias": (dim,)}
    at = "model.layers.{}."
    found = {at + "self_attn.o_proj.weight": (dim, q), at + "input_layernorm.weight": (dim,)}
    if kind == "phi3":
        found[at + "self_attn.qkv_proj.weight"] = (q + 2 * k, dim)
    else:
        found |= {at + f"self_attn.{part}_proj.weight": (rows, dim) for part, rows in (("q", q), ("k", k), ("v", k))}
    if kind in ("qwen3", "gemma3"):
        found |= {at + f"self_attn.{part}_norm.weight": (size,) for part in "qk"}
    return found


def write(path, tensors):
    header, data = {}, b""
    for name, (shape, values) in tensors.items():
        piece = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        first, last = (8 + size + x for x in entry["data_offsets"])
        code, width = {"F32": ("f", 4), "F64": ("d", 8)}[entry["dtype"]]
        tensors[name] = entry["shape"], struct.unpack(f"<{(last - first) // width}{code}", data[first:last])
    return tensors


def make(directory, kind):
    rng = random.Random(kind)
    tensors = {}
    for layer in range(LAYERS):
        for name, shape in shapes(kind).items():
            tensors[name.format(layer)] = shape, [single(rng.gauss(0.1, 0.7)) for _ in range(math.prod(shape))]
    write(os.path.join(directory, "model.safetensors"), tensors)
    # One more than there are layers, as recordings of all hidden states have it.
    stream = {f"hidden_states.{layer}": ((BATCH, TOKENS, SHAPE[kind][3]), [single(rng.gauss(0.3, 1)) for _ in range(BATCH * TOKENS * SHAPE[kind][3])])
              for layer in range(LAYERS + 1)}
    write(os.path.join(directory, "stream.safetensors"), stream)
    with open(os.path.join(directory, "config.json"), "w", encoding="utf-8") as file:
        json.dump(CONFIG[kind], file)


def matrix(tensor):
    (rows, cols), values = tensor
    return [[D(values[r * cols + c]) for c in range(cols)] for r in range(rows)]


def vector(tensor):
    return [D(x) for x in tensor[1]]


@functools.lru_cache(maxsize=None)
def sine_cosine(angle):
    """By their series, after taking off whole turns."""
    angle = angle % (2 * PI)
    sums, term, n = [D(0), D(0)], D(1), 0
    while n < 120:
        sums[n % 2] += term * (1, 1, -1, -1)[n % 4]
        n += 1
        term *= angle / n
    return sums[1], sums[0]


def norm(x, eps, centred, weight, bias=None):
    mean = sum(x) / len(x) if centred else D(0)
    root = (sum((c - mean) ** 2 for c in x) / len(x) + eps).sqrt()
    return [(c - mean) / root * w + (bias[i] if bias else 0) for i, (c, w) in enumerate(zip(x, weight))]


@functools.lru_cache(maxsize=None)
def frequencies(kind, dims):
    config = CONFIG[kind]
    theta, scaling = D(config.get("rope_theta", config.get("rotary_emb_base", 10000))), config.get("rope_scaling")
    found = []
    for i in range(dims // 2):
        f = (-(theta.ln()) * 2 * i / dims).exp()
        if kind == "linear":
            f /= D(scaling["factor"])
        if kind == "llama3":
            wave, length = 2 * PI / f, scaling["original_max_position_embeddings"]
            low, high = D(scaling["low_freq_factor"]), D(scaling["high_freq_factor"])
            if wave > length / low:
                f /= D(scaling["factor"])
            elif wave >= length / high:
                smooth = (length / wave - low) / (high - low)
                f = (1 - smooth) * f / D(scaling["factor"]) + smooth * f
        found.append(f)
    return found


def rotate(x, frequency, position):
    half, turned = len(frequency), list(x)
    for i, f in enumerate(frequency):
        s, c = sine_cosine(f * position)
        turned[i], turned[i + half] = x[i] * c - x[i + half] * s, x[i + half] * c + x[i] * s
    return turned


def projections(kind, tensors, layer):
    """For q, k, v: rows of the matrix by head, and biases."""
    heads, groups, size, _ = SHAPE[kind]
    get = lambda name: tensors[name.format(layer)]
    if kind == "bert":
        at = "bert.encoder.layer.{}.attention.self."
        rows = [matrix(get(at + part + ".weight")) for part in ("query", "key", "value")]
        biases = [vector(get(at + part + ".bias")) for part in ("query", "key", "value")]
    elif kind in ("gpt2", "bloom", "neox"):
        name = next(n for n in shapes(kind) if n.endswith("c_attn.weight") or n.endswith("query_key_value.weight"))
        whole, bias = matrix(get(name)), vector(get(name.replace("weight", "bias")))
        if kind == "gpt2":
            whole = [list(column) for column in zip(*whole)]
            order = [range(i * heads * size, (i + 1) * heads * size) for i in range(3)]
        else:
            order = [[h * 3 * size + i * size + r for h in range(heads) for r in range(size)] for i in range(3)]
        rows, biases = [[whole[r] for r in part] for part in order], [[bias[r] for r in part] for part in order]
    elif kind == "phi3":
        whole = matrix(get("model.layers.{}.self_attn.qkv_proj.weight"))
        q, k = heads * size, groups * size
        rows, biases = [whole[:q], whole[q:q + k], whole[q + k:]], [None] * 3
    else:
        rows, biases = [matrix(get(f"model.layers.{{}}.self_attn.{part}_proj.weight")) for part in "qkv"], [None] * 3
    return rows, biases


def normed(kind, tensors, layer, x):
    if kind == "bert":
        return x
    name = next(n for n in shapes(kind) if "ln_1.weight" in n or "input_layernorm.weight" in n)
    weight = vector(tensors[name.format(layer)])
    bias = tensors.get(name.replace("weight", "bias").format(layer))
    config = CONFIG[kind]
    eps = next(D(repr(config[key])) for key in ("rms_norm_eps", "layer_norm_epsilon", "layer_norm_eps") if key in config)
    if kind in ("gemma2", "gemma3"):
        weight = [1 + w for w in weight]
    return norm(x, eps, bias is not None, weight, vector(bias) if bias else None)


def form(kind, tensors, layer, matrices, x, position):
    """q, k and v of one token: lists of heads."""
    heads, groups, size, _ = SHAPE[kind]
    rows, biases = matrices
    x = normed(kind, tensors, layer, x)
    config, parts = CONFIG[kind], []
    for part, count in enumerate((heads, groups, groups)):
        y = [sum(w * c for w, c in zip(row, x)) for row in rows[part]]
        if biases[part]:
            y = [a + b for a, b in zip(y, biases[part])]
        y = [y[h * size:(h + 1) * size] for h in range(count)]
        if part < 2 and kind in ("qwen3", "gemma3"):
            weight = vector(tensors[f"model.layers.{layer}.self_attn.{'qk'[part]}_norm.weight"])
            weight = [1 + w for w in weight] if kind == "gemma3" else weight
            y = [norm(h, D(repr(config["rms_norm_eps"])), False, weight) for h in y]
        if part < 2 and kind not in ("gpt2", "bert", "bloom"):
            dims = int(size * config.get("partial_rotary_factor", config.get("rotary_pct", 1)))
            frequency = frequencies(kind, dims)
            y = [rotate(h, frequency, position) for h in y]
        parts.append(y)
    return parts


def compare(directory, kind, path):
    heads, groups, size, dim = SHAPE[kind]
    tensors, stream, found = read(os.path.join(directory, "model.safetensors")), read(os.path.join(directory, "stream.safetensors")), read(path)
    wrong, worst = [], D(0)
    names = {f"layers.{layer}.{part}" for layer in range(LAYERS) for part in ("q", "k", "v") + (("mask",) if kind == "bloom" else ())}
    if set(found) != names:
        wrong.append(f"tensors {sorted(found)}")
    for layer in range(LAYERS):
        values, matrices = stream[f"hidden_states.{layer}"][1], projections(kind, tensors, layer)
        for b in range(BATCH):
            for t in range(TOKENS):
                at = (b * TOKENS + t) * dim
                exact = form(kind, tensors, layer, matrices, [D(x) for x in values[at:at + dim]], t)
                for part, count in enumerate((heads, groups, groups)):
                    shape, numbers = found[f"layers.{layer}.{'qkv'[part]}"]
                    if shape != [BATCH, count, TOKENS, size]:
                        wrong.append(f"layer {layer} {'qkv'[part]}: shape {shape}")
                        continue
                    for h in range(count):
                        for c in range(size):
                            off = abs(D(numbers[((b * count + h) * TOKENS + t) * size + c]) - exact[part][h][c])
                            worst = max(worst, off)
                            if not off < D("1e-13"):
                                wrong.append(f"layer {layer} {'qkv'[part]} [{b},{h},{t},{c}]: off by {off:.3e}")
        if kind == "bloom":  # six heads: four slopes of a power of two, then the first and third of eight
            slopes = [D(2) ** (-2 * (h + 1)) for h in range(4)] + [D(2) ** -1, D(2) ** -3]
            shape, numbers = found[f"layers.{layer}.mask"]
            if shape != [1, 6, 1, TOKENS] or any(D(numbers[h * TOKENS + t]) != slopes[h] * t for h in range(6) for t in range(TOKENS)):
                wrong.append(f"layer {layer} mask: {numbers}")
    for line in wrong[:10]:
        print(line)
    print(f"{kind}: off by at most {worst:.2e}")
    return 1 if wrong else 0


def exact(text):
    sign = -1 if text.startswith("-") else 1
    digits, power = text.lstrip("-")[2:].split("p")
    whole, _, part = digits.partition(".")
    return sign * D(int(whole + part, 16)) / D(16) ** len(part) * D(2) ** int(power)


def rsqrt(s):
    """What programs multiply by: the binary32 number, unless it is a rational."""
    root = math.isqrt(s)
    if root * root == s:
        return D(1) / root
    near = single(1 / math.sqrt(s))
    truth = 1 / D(s).sqrt()
    step = 2.0 ** -30
    assert all(abs(D(near) - truth) <= abs(D(single(near + n * step)) - truth) for n in (-1, 1))
    return D(near)


def attended(kind, tensors, layer, stream, b):
    """The outputs of the layer for one sequence: x + Attn(norm(x))."""
    heads, groups, size, dim = SHAPE[kind]
    config, matrices = CONFIG[kind], projections(kind, tensors, layer)
    x = [[D(v) for v in stream[(b * TOKENS + t) * dim:(b * TOKENS + t + 1) * dim]] for t in range(TOKENS)]
    parts = [form(kind, tensors, layer, matrices, token, t) for t, token in enumerate(x)]
    name = next(n for n in shapes(kind) if n.endswith("o_proj.weight") or n.endswith("dense.weight"))
    output = matrix(tensors[name.format(layer)])
    scale = rsqrt(config.get("query_pre_attn_scalar", size))
    cap = D(config["attn_logit_softcapping"]) if "attn_logit_softcapping" in config else None
    slopes = [D(2) ** (-2 * (h + 1)) for h in range(4)] + [D(2) ** -1, D(2) ** -3] if kind == "bloom" else [D(0)] * heads
    for t in range(TOKENS):
        mean = []
        for h in range(heads):
            g = h // (heads // groups)
            scores = [scale * sum(a * c for a, c in zip(parts[t][0][h], parts[j][1][g])) for j in range(t + 1)]
            if cap:
                scores = [cap * (1 - 2 / ((2 * s / cap).exp() + 1)) for s in scores]
            scores = [s + slopes[h] * j for j, s in enumerate(scores)]
            weight = [(s - max(scores)).exp() for s in scores]
            mean += [sum(w * parts[j][2][g][r] for j, w in enumerate(weight)) / sum(weight) for r in range(size)]
        yield [a + sum(w * m for w, m in zip(row, mean)) for a, row in zip(x[t], output)]


def outputs(directory, kind, path):
    tensors, stream = (read(os.path.join(directory, name)) for name in ("model.safetensors", "stream.safetensors"))
    with open(path, encoding="utf-8") as file:
        found = json.load(file)["outputs"]
    wrong = entries = 0
    for b in range(BATCH):
        for t, truth in enumerate(attended(kind, tensors, 1, stream["hidden_states.1"][1], b)):
            for value, ball in zip(truth, found[b][t], strict=True):
                mid, rad = exact(ball["mid"]), exact(ball["rad"])
                entries += 1
                if abs(value - mid) > rad + D("1e-50") or rad > D("1e-15"):
                    wrong += 1
                    print(f"[{b},{t}]: {value} is not in {ball['text']}")
    print(f"{kind}: {entries - wrong} of {entries} outputs inside their balls")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit({"make": make, "compare": compare, "outputs": outputs}[sys.argv[1]](*sys.argv[2:]))
