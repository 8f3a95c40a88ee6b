"""Attention in plain Python, right and with the faults that kernels have, for tests of the alternatives that
`attest judge` finds. Shares nothing with the library: loops over lists of floats.

A case is a function of a generator and a type ("F32", "BF16", "F16"); it returns the arguments of
attest.judge, and the outputs. CASES lists them with the name of the alternative that explains each."""

import array
import math
import struct


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def half(x):
    return struct.unpack("<e", struct.pack("<e", x))[0]


def fewer_bits(x, bits, truncate=False):
    """The binary32 number x without its last bits, rounded to nearest even or towards 0."""
    word = struct.unpack("<I", struct.pack("<f", x))[0]
    if not truncate:
        word += (1 << (bits - 1)) - 1 + (word >> bits & 1)
    return struct.unpack("<f", struct.pack("<I", word >> bits << bits))[0]


def bfloat(x):
    return fewer_bits(x, 16)


def tf32(x):
    return fewer_bits(x, 13)


ROUND = {"F32": single, "BF16": bfloat, "F16": half}
B, H, HK, S, N, D, TILE = 2, 4, 2, 16, 112, 8, 64
RSQRT = 1 / math.sqrt(D)


def tensor(rng, shape, to, size=1.0):
    if not shape:
        return to(rng.gauss(0, size))
    return [tensor(rng, shape[1:], to, size) for _ in range(shape[0])]


def flatten(x):
    return [y for z in x for y in flatten(z)] if isinstance(x, list) else [x]


def shape_of(x):
    return [len(x), *shape_of(x[0])] if isinstance(x, list) else []


class Buffer:
    """Numbers of a type, as an array of the interface that the package reads."""

    def __init__(self, values, dtype, shape=None):
        flat = flatten(values)
        self.shape = list(shape or shape_of(values))
        if dtype == "F32":
            self.data = array.array("f", flat)
        elif dtype == "F16":
            self.data = array.array("H", struct.unpack(f"<{len(flat)}H", struct.pack(f"<{len(flat)}e", *flat)))
        elif dtype == "BOOL":
            self.data = array.array("B", [bool(x) for x in flat])
        else:
            words = struct.unpack(f"<{len(flat)}I", struct.pack(f"<{len(flat)}f", *flat))
            self.data = array.array("H", [w >> 16 for w in words])
        self.dtype = dtype

    def view(self, attest):
        if self.dtype == "BOOL":
            return memoryview(self.data).cast("B").cast("?", self.shape)
        memory = memoryview(self.data).cast("B").cast("f" if self.dtype == "F32" else "H", self.shape)
        return memory if self.dtype == "F32" else attest.view(memory, {"F16": "binary16", "BF16": "bfloat16"}[self.dtype])


def head(q, k, v, bias=None, scale=RSQRT, cap=None, sink=None, base=math.e, cap_last=False, exp_error=0.0, p=float,
         store=float):
    """Rows of one head. bias[i][j] is added to the scores, -inf: the key is not seen."""
    out = []
    for i, row in enumerate(q):
        t = []
        for j, key in enumerate(k):
            x, shift = scale * math.fsum(map(float.__mul__, row, key)), bias[i][j] if bias else 0.0
            if cap and cap_last:
                x = cap * math.tanh((x + shift) / cap)
            elif cap:
                x = cap * math.tanh(x / cap) + shift
            else:
                x += shift
            t.append(x if x == -math.inf else store(x))
        out.append(finish(t, v, sink, base, exp_error, p))
    return out


def finish(t, v, sink=None, base=math.e, exp_error=0.0, p=float):
    """The output of a row with these scores."""
    top = max(t)
    if top == -math.inf:
        return [0.0] * len(v[0])
    weight = [p(base ** (x - top) * (1 + (exp_error if j % 2 else -exp_error))) for j, x in enumerate(t)]
    total = math.fsum(weight) + (0 if sink is None else base ** (sink - top))
    return [math.fsum(w * y[c] for w, y in zip(weight, v)) / total for c in range(len(v[0]))]


def flash(t, v, tile=TILE, backward=True, p=float, cast_sum=False, rescale=True):
    """A row with online softmax in tiles: P rounded by p; the row sum before that cast or after it."""
    top, total, sums = -math.inf, 0.0, [0.0] * len(v[0])
    tiles = [range(a, min(a + tile, len(t))) for a in range(0, len(t), tile)]
    for keys in reversed(tiles) if backward else tiles:
        new = max([top] + [t[j] for j in keys])
        if new == -math.inf:
            continue
        factor = math.exp(top - new) if rescale else 1.0
        weight = {j: math.exp(t[j] - new) for j in keys}
        cast = {j: p(w) for j, w in weight.items()}
        total = total * factor + math.fsum((cast if cast_sum else weight).values())
        sums = [s * factor + math.fsum(cast[j] * v[j][c] for j in keys) for c, s in enumerate(sums)]
        top = new
    return [s / total for s in sums]


def scores(q, k, bias, scale=RSQRT):
    return [[scale * math.fsum(map(float.__mul__, row, key)) + bias[i][j] for j, key in enumerate(k)] for i, row in enumerate(q)]


def mask_of(sees, rows=S, keys=N):
    return [[0.0 if sees(i, j) else -math.inf for j in range(keys)] for i in range(rows)]


def causal(more=0):
    return mask_of(lambda i, j: j <= i + N - S + more)


def twice():
    return [row[:1] + row for row in causal()]


def data(rng, dtype, heads=H, key_heads=HK, rows=S, keys=N):
    to = ROUND[dtype]
    return (tensor(rng, (B, heads, rows, D), to, 1.6), tensor(rng, (B, key_heads, keys, D), to, 1.6),
            tensor(rng, (B, key_heads, keys, D), to))


def outputs(q, k, v, dtype, form, key_head=lambda h, g: h // g, key_batch=lambda b: b):
    """form(q, k, v of a head) of every head, rounded."""
    group = len(q[0]) // len(k[0])
    return [[[[ROUND[dtype](x) for x in row] for row in form(q[b][h], k[key_batch(b)][key_head(h, group)],
                                                             v[key_batch(b)][key_head(h, group)])]
             for h in range(len(q[0]))] for b in range(len(q))]


def case(form, options=None, causal_given=True, **how):
    """A case in which heads are computed by form."""

    def make(rng, dtype):
        q, k, v = data(rng, dtype)
        given = {"causal": True} if causal_given else {}
        given.update(options or {})
        return (q, k, v), outputs(q, k, v, dtype, form, **how), given

    return make


def plain(**how):
    return lambda q, k, v: head(q, k, v, causal(), **how)


def masked(sees, **how):
    return lambda q, k, v: head(q, k, v, mask_of(sees), **how)


def wrapped(change):
    """The right output, changed as a whole."""

    def make(rng, dtype):
        q, k, v = data(rng, dtype)
        return (q, k, v), change(outputs(q, k, v, dtype, plain())), {"causal": True}

    return make


def reshaped(x, dtype):
    """The memory of (batch, tokens, heads, dim) read as (batch, heads, tokens, dim)."""
    flat, (batch, heads, tokens, dim) = flatten(transposed(x)), shape_of(x)
    at = lambda b, h, i, c: flat[((b * heads + h) * tokens + i) * dim + c]
    return [[[[at(b, h, i, c) for c in range(dim)] for i in range(tokens)] for h in range(heads)] for b in range(batch)]


def transposed(x):
    return [[list(rows) for rows in zip(*entry)] for entry in x]


def reshaped_inputs(rng, dtype):
    q, k, v = data(rng, dtype)
    out = outputs(*(reshaped(x, dtype) for x in (q, k, v)), dtype, plain())
    return tuple(transposed(x) for x in (q, k, v)), transposed(out), {"causal": True, "layout": "bshd"}


def reshaped_and_not_causal(rng, dtype):
    q, k, v = data(rng, dtype)
    out = outputs(*(reshaped(x, dtype) for x in (q, k, v)), dtype, lambda *x: head(*x))
    return tuple(transposed(x) for x in (q, k, v)), transposed(out), {"causal": True, "layout": "bshd"}


def output_memory(rng, dtype):
    """Written as (batch, heads, tokens, dim) into memory for (batch, tokens, heads, dim)."""
    q, k, v = data(rng, dtype)
    flat = flatten(outputs(q, k, v, dtype, plain()))
    at = lambda b, i, h, c: flat[((b * S + i) * H + h) * D + c]
    out = [[[[at(b, i, h, c) for c in range(D)] for h in range(H)] for i in range(S)] for b in range(B)]
    return tuple(transposed(x) for x in (q, k, v)), out, {"causal": True, "layout": "bshd"}


def other_axes(rng, dtype):
    """FlashAttention's tensors in the default layout of PyTorch."""
    q, k, v = data(rng, dtype, H, H, S, S)
    out = outputs(q, k, v, dtype, lambda *x: head(*x))
    return tuple(transposed(x) for x in (q, k, v)), transposed(out), {}


def exchanged(rng, dtype):
    q, k, v = data(rng, dtype, H, H, S, S)
    return (q, k, v), outputs(k, q, v, dtype, lambda *x: head(*x)), {}


def mask_case(form, square=False):
    def make(rng, dtype):
        keys = S if square else N
        q, k, v = data(rng, dtype, H, HK, S, keys)
        seen = [[j == 0 or rng.random() < 0.6 for j in range(keys)] for _ in range(S)]
        out = outputs(q, k, v, dtype, lambda *x: head(*x, form(seen)))
        return (q, k, v), out, {"mask": Buffer(seen, "BOOL")}

    return make


def bias_case(rng, dtype):
    q, k, v = data(rng, dtype)
    to = ROUND[dtype]
    bias = [[to(rng.gauss(0, 2)) for _ in range(N)] for _ in range(S)]
    out = outputs(q, k, v, dtype, lambda *x: head(*x, bias, cap=2.0, cap_last=True))
    return (q, k, v), out, {"mask": Buffer(bias, dtype), "softcap": 2}


def sink_case(rng, dtype):
    q, k, v = data(rng, dtype)
    out = outputs(q, k, v, dtype, plain())
    return (q, k, v), out, {"causal": True, "sink": Buffer([1.0, 2.0, 0.5, 1.5], "F32")}


def past_case(rng, dtype):
    q, k, v = data(rng, dtype)
    past = data(rng, dtype)[1:]
    return (q, k, v), outputs(q, k, v, dtype, plain()), {"causal": True, "past": tuple(Buffer(x, dtype) for x in past)}


def after_past_case(rng, dtype, first=9):
    """Of 9 past keys and N others, query i sees those up to first + i."""
    q, k, v = data(rng, dtype)
    past_k, past_v = data(rng, dtype, keys=9)[1:]
    joined = lambda past, x: [[a + b for a, b in zip(*entry)] for entry in zip(past, x)]
    bias = mask_of(lambda i, j: j <= i + first, keys=N + 9)
    out = outputs(q, joined(past_k, k), joined(past_v, v), dtype, lambda *x: head(*x, bias))
    return (q, k, v), out, {"causal": True, "past": (Buffer(past_k, dtype), Buffer(past_v, dtype))}


def lengths_case(rng, dtype):
    q, k, v = data(rng, dtype)
    return (q, k, v), outputs(q, k, v, dtype, lambda *x: head(*x)), {"lengths": [N - 40, N - 7]}


def stale(which):
    def form(q, k, v):
        last = (len(k) - 1) // TILE * TILE
        old = lambda x: x[:last] + x[last - TILE : len(x) - TILE]
        return head(q, old(k) if "k" in which else k, old(v) if "v" in which else v, causal())

    return form


def tiled(**how):
    return lambda q, k, v: [flash(t, v, **how) for t in scores(q, k, causal())]


def rounded_inputs(to, p=float):
    deep = lambda x: [[to(y) for y in row] for row in x]
    return lambda q, k, v: head(deep(q), deep(k), deep(v), causal(), p=p)


def approximate(x):
    """An exponential with an error of up to 2^-8.4."""
    return plain(exp_error=2.9e-3)(*x)


def narrow_p(rng, dtype):
    to = {"F32": bfloat, "F16": bfloat, "BF16": lambda x: fewer_bits(x, 20)}[dtype]
    return case(lambda q, k, v: head(q, k, v, causal(), p=to))(rng, dtype)


def truncated(rng, dtype):
    q, k, v = data(rng, dtype)
    down = {"F32": lambda x: toward_zero(x, single, 2.0**-24), "BF16": lambda x: fewer_bits(x, 16, True),
            "F16": lambda x: toward_zero(x, half, 2.0**-11)}[dtype]
    exact = [[plain()(q[b][h], k[b][h // 2], v[b][h // 2]) for h in range(H)] for b in range(B)]
    return (q, k, v), [[[[down(x) for x in row] for row in rows] for rows in entry] for entry in exact], {"causal": True}


def toward_zero(x, to, unit):
    y = to(x)
    return y if abs(y) <= abs(x) else to(y * (1 - 2 * unit))


def wide_output(rng, dtype):
    q, k, v = data(rng, dtype)
    return (q, k, v), outputs(q, k, v, "F32", plain()), {"causal": True, "wide": True}


def flash_case(**how):
    """A FlashAttention-2 kernel with P in the type of its inputs, beside the model of that kernel."""

    def make(rng, dtype):
        q, k, v = data(rng, dtype)
        form = lambda q, k, v: [flash(t, v, p=ROUND[dtype], **how) for t in scores(q, k, causal())]
        model = {"BF16": "bf16-flash2", "F16": "fp16-flash2"}[dtype]
        return (q, k, v), outputs(q, k, v, dtype, form), {"causal": True, "model": model}

    return make


def given_scale(rng, dtype):
    q, k, v = data(rng, dtype)
    return (q, k, v), outputs(q, k, v, dtype, plain()), {"causal": True, "scale": 0.125}


def by_rows(order):
    return lambda out: [[[rows[order(i, len(rows))] for i in range(len(rows))] for rows in entry] for entry in out]


WINDOW = {"window": (20, 0)}
NARROW = ("BF16", "F16")
ALL = ("F32", "BF16", "F16")

# name of the alternative, what is wrong, the types, the case
CASES = [
    ("zeros", "the output is 0", ALL, wrapped(lambda out: [[[[0.0] * D] * S] * H] * B)),
    ("layout-exchanged", "inputs are reshaped", ALL, reshaped_inputs),
    ("layout-exchanged", "the output is reshaped", ALL, output_memory),
    ("layout-exchanged", "axes of another library", ALL, other_axes),
    ("causal-missing", "no causal mask", ALL, case(lambda *x: head(*x))),
    ("causal-extra", "a causal mask", ALL, case(plain(), causal_given=False)),
    ("causal-other-alignment", "top-left", ALL, case(masked(lambda i, j: j <= i))),
    ("mask-off-by-one", "a key too many", ALL, case(masked(lambda i, j: j <= i + N - S + 1))),
    ("mask-off-by-one", "a key too few", ALL, case(masked(lambda i, j: j < i + N - S))),
    ("window-off-by-one", "a longer window", ALL, case(masked(lambda i, j: 0 <= i + N - S - j <= 21), WINDOW)),
    ("window-off-by-one", "a shorter window", ALL, case(masked(lambda i, j: 0 <= i + N - S - j <= 19), WINDOW)),
    ("window-ignored", "no window", ALL, case(plain(), WINDOW)),
    ("mask-ignored", "no mask", ALL, mask_case(lambda seen: None)),
    ("mask-inverted", "the mask's sense", ALL, mask_case(lambda seen: [[-math.inf if x else 0.0 for x in row] for row in seen])),
    ("mask-transposed", "the mask's axes", ALL,
     mask_case(lambda seen: [[0.0 if x else -math.inf for x in row] for row in zip(*seen)], square=True)),
    ("scale-missing", "no scale", ALL, case(plain(scale=1.0))),
    ("scale-twice", "the scale twice", ALL, case(plain(scale=0.0625), {"scale": 0.25})),
    ("scale-1/d", "1/d", ALL, case(plain(scale=1 / D), {})),
    ("scale-other", "the default scale", ALL, given_scale),
    ("kv-heads-tiled", "tiled key heads", ALL, case(plain(), key_head=lambda h, g: h % HK)),
    ("kv-head-first", "one key head for all", ALL, case(plain(), key_head=lambda h, g: 0)),
    ("kv-head-next", "the next key head", ALL, case(plain(), key_head=lambda h, g: (h // g + 1) % HK)),
    ("reversed-heads", "heads in reverse", ALL, wrapped(lambda out: [e[::-1] for e in out])),
    ("swapped-heads", "heads 0 and 1", ALL, wrapped(lambda out: [[e[1], e[0], e[2], e[3]] for e in out])),
    ("batch-ignored", "keys of batch entry 0", ALL, case(plain(), key_batch=lambda b: 0)),
    ("qk-exchanged", "q and k", ALL, exchanged),
    ("past-ignored", "no past", ALL, past_case),
    ("lengths-ignored", "padding is seen", ALL, lengths_case),
    ("softcap-after-mask", "softcap after an added mask", ALL, bias_case),
    ("softcap-after-mask", "softcap after a causal mask", ALL, case(plain(cap=1.0, cap_last=True), {"softcap": 1})),
    ("softcap-ignored", "no softcap", ALL, case(plain(), {"softcap": 3})),
    ("sink-ignored", "no sink", ALL, sink_case),
    ("sink-extra", "1 more in the sum", ALL, case(plain(sink=0.0))),
    ("scores-ignored", "equal weights", ALL, case(plain(scale=0.0))),
    ("exp2-without-log2e", "2^t", ALL, case(plain(base=2.0))),
    ("key-dropped", "without the last key", ALL, case(masked(lambda i, j: j <= i + N - S and j < N - 1))),
    ("key-dropped", "without the first key", ALL, case(masked(lambda i, j: 0 < j <= i + N - S))),
    ("key-twice", "the first key twice", ALL, case(lambda q, k, v: head(q, k[:1] + k, v[:1] + v, twice()))),
    ("dropped-tile", "without the last tile", ALL, case(masked(lambda i, j: j <= i + N - S and j < N - 32))),
    ("dropped-tile", "without the first tile", ALL, case(masked(lambda i, j: TILE <= j <= i + N - S))),
    ("no-rescale", "sums are not rescaled", ALL, case(tiled(backward=False, rescale=False))),
    ("stale-tile", "values of the tile before", ALL, case(stale("v"))),
    ("stale-tile", "keys and values of the tile before", ALL, case(stale("kv"))),
    ("value-moved", "values of the next key", ALL, case(lambda q, k, v: head(q, k, v[1:] + v[:1], causal()))),
    ("causal-other-alignment", "the mask begins after the past", ALL, after_past_case),
    ("causal-other-alignment", "the mask begins at the past", ALL, lambda rng, dtype: after_past_case(rng, dtype, 0)),
    ("row-moved", "results of the row before", ALL, wrapped(by_rows(lambda i, n: (i - 1) % n))),
    ("row-moved", "results of the next row", ALL, wrapped(by_rows(lambda i, n: (i + 1) % n))),
    ("layout-exchanged+causal-missing", "inputs reshaped, no causal mask", ALL, reshaped_and_not_causal),
    ("output-not-rounded", "no last cast", NARROW, wide_output),
    ("tile-direction", "tiles go forward", NARROW, flash_case(backward=False)),
    ("sum-of-cast", "the sum of P after its cast", NARROW, flash_case(cast_sum=True)),
    ("tf32-inputs", "TF32", ("F32",), case(rounded_inputs(tf32, tf32))),
    ("inputs-in-16-bits", "inputs in bfloat16", ("F32",), case(rounded_inputs(bfloat, bfloat))),
    ("p-in-bfloat16", "P in bfloat16", ("F32",), narrow_p),
    ("truncated-output", "a truncated output", ALL, truncated),
    ("approximate-exp", "an exp of 8 bits", ALL, case(plain(exp_error=2.9e-3))),
    ("scores-in-16-bits", "scores in bfloat16", ("F32", "F16"), case(plain(store=bfloat))),
]
MODEL = {"F32": "fp32-any", "BF16": "bf16-any", "F16": "fp16-any"}


def judge(attest, made, dtype, **more):
    """The judgement of a case."""
    (q, k, v), out, given = made
    given = dict(given, **more)
    kernel = given.pop("model", MODEL[dtype])
    outcome = Buffer(out, "F32" if given.pop("wide", False) else dtype)
    for name, value in given.items():
        if isinstance(value, Buffer):
            given[name] = value.view(attest)
        elif isinstance(value, tuple) and isinstance(value[0], Buffer):
            given[name] = tuple(x.view(attest) for x in value)
    return attest.judge(outcome.view(attest), *(Buffer(x, dtype).view(attest) for x in (q, k, v)), kernel=kernel, **given)
