"""An audit of recorded queries, keys and values by another route: doc/audit.md in Python's fractions and decimals.

    audit_heads.py make FILE SEED    a safetensors file: 2 layers, 4 heads of queries, 2 of keys
    audit_heads.py compare FILE AUDIT [causal] [softcap=C] [mask] [window=L,R] [sink] [naive] [online=B] [pairwise]
                           [fma] [zero] [accumulate=FORMAT]
                                     compares every figure of every head, and those of all together, with the record

Shares no code with attest; fails with a line for each difference.
"""
import json
import math
import random
import struct
import sys
from decimal import Decimal, getcontext
from fractions import Fraction as F

getcontext().prec = 60
FORMATS = {"binary32": (24, -126), "bfloat16": (8, -126), "binary16": (11, -14), "float8_e5m2": (3, -14), "p=6": (6, -10 ** 6)}
LAYERS, BATCH, HEADS, KEY_HEADS, QUERIES, KEYS, DIM, VALUES = (0, 3), 2, 4, 2, 4, 5, 3, 2


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def make(path, seed):
    rng = random.Random(int(seed))
    header, data = {}, b""
    for layer in LAYERS:
        for name, shape in (("q", (BATCH, HEADS, QUERIES, DIM)), ("k", (BATCH, KEY_HEADS, KEYS, DIM)),
                            ("v", (BATCH, KEY_HEADS, KEYS, VALUES)), ("mask", (1, 1, QUERIES, KEYS)), ("sink", (HEADS,))):
            size = math.prod(shape)
            if name == "mask":
                values = [rng.choice((0.0, 0.0, 0.5, -float("inf"))) if i % KEYS else 0.25 for i in range(size)]
            else:
                values = [single(rng.gauss(0, 1.5)) for _ in range(size)]
            if name == "v":  # two tokens of one batch entry are alike: their keys and values are
                values[VALUES:2 * VALUES] = values[:VALUES]
            if name == "k":
                values[DIM:2 * DIM] = values[:DIM]
            if name == "q":
                values[DIM:2 * DIM] = values[:DIM]
            piece = struct.pack(f"<{size}f", *values)
            header[f"layers.{layer}.{name}"] = {"dtype": "F32", "shape": list(shape), "data_offsets": [len(data), len(data) + size * 4]}
            data += piece
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        first, last = entry["data_offsets"]
        values = struct.unpack(f"<{(last - first) // 4}f", data[8 + size + first:8 + size + last])
        tensors[name] = entry["shape"], values
    return tensors


def head(tensor, batch, index):
    (_, heads, tokens, dim), values = tensor
    start = (batch * heads + index) * tokens
    return [[F(x) for x in values[(start + i) * dim:(start + i + 1) * dim]] for i in range(tokens)]


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


class Rounded:
    def __init__(self, precision, emin, zero=False):
        self.precision, self.emin, self.whole = precision, emin, math.trunc if zero else round

    def exponent(self, x):
        e = abs(x.numerator).bit_length() - x.denominator.bit_length()
        return max(e - (abs(x) < F(2) ** e), self.emin)

    def __call__(self, x):
        if x == 0:
            return F(0)
        quantum = F(2) ** (self.exponent(x) - self.precision + 1)
        return self.whole(x / quantum) * quantum


class Exact:
    def __call__(self, x):
        return x


def power(x, fl):
    return fl(F(decimal(x).exp()))


def tanh(x, fl):
    e = decimal(2 * x).exp()
    return fl(F((e - 1) / (e + 1)))


class Way:
    """How a row is computed: the format, that of sums, their order, and the algorithm."""

    def __init__(self, fl, options=()):
        wide = next((o[11:] for o in options if o.startswith("accumulate=")), None)
        self.fl, self.sum = fl, Rounded(*FORMATS[wide], "zero" in options) if wide else fl
        self.block = next((int(o[7:]) for o in options if o.startswith("online=")), KEYS + 1)
        self.naive, self.pairwise, self.fma = ("naive" in options, "pairwise" in options, "fma" in options)

    def halves(self, terms, leaf, single):
        """The sum of terms in the order of --sum, before it is stored."""
        if len(terms) <= single or not self.pairwise:
            return leaf(terms)
        middle = (len(terms) + 1) // 2
        return self.sum(self.halves(terms[:middle], leaf, single) + self.halves(terms[middle:], leaf, single))

    def dot(self, x, y):
        def leaf(terms):
            total = self.sum(terms[0][0] * terms[0][1])
            for a, b in terms[1:]:
                total = self.sum(total + (a * b if self.fma else self.sum(a * b)))
            return total

        return self.fl(self.halves(list(zip(x, y)), leaf, 2))

    def add_up(self, terms):
        def leaf(terms):
            total = F(0)
            for p in terms:
                total = self.sum(total + p)
            return total

        return self.fl(self.halves(terms, leaf, 1))


def attend(query, keys, values, bias, sink, cap, way):
    """The output of a row, and its weights; keys: those that it sees."""
    fl = way.fl
    scale = fl(F(1 / Decimal(DIM).sqrt()))
    query, keys, values = [fl(x) for x in query], [[fl(x) for x in k] for k in keys], [[fl(x) for x in v] for v in values]
    scores = [fl(way.dot(key, query) * scale) for key in keys]
    if cap:
        scores = [fl(fl(cap) * tanh(fl(s / fl(cap)), fl)) for s in scores]
    if bias:
        scores = [fl(s + fl(b)) for s, b in zip(scores, bias)]
    top, total, mixed, weights = None, F(0), [F(0)] * VALUES, []
    for begin in range(0, len(keys), way.block):
        end, before = begin + way.block, top
        part = scores[begin:end] + ([fl(sink)] if sink is not None and end >= len(keys) else [])
        top = max(part if top is None else part + [top])
        powers = [power(s if way.naive else fl(s - top), fl) for s in part]
        sums = [way.dot([v[c] for v in values[begin:end]], powers) for c in range(VALUES)]
        if begin == 0:
            total, mixed, weights = way.add_up(powers), sums, powers
            continue
        factor = power(fl(before - top), fl)
        total = fl(fl(total * factor) + way.add_up(powers))
        mixed = [fl(fl(m * factor) + s) for m, s in zip(mixed, sums)]
        weights = [w * factor for w in weights] + powers
    return [fl(m / total) for m in mixed], [w / total for w in weights]


def rows(tensors, layer, index, causal, masked, window, sunk):
    """Of every row: query, keys, values, bias, sink, batch, row."""
    for batch in range(BATCH):
        q = head(tensors[f"layers.{layer}.q"], batch, index)
        k, v = (head(tensors[f"layers.{layer}.{t}"], batch, index * KEY_HEADS // HEADS) for t in "kv")
        mask = tensors[f"layers.{layer}.mask"][1]
        for i in range(QUERIES):
            place = i + KEYS - QUERIES
            seen = [j for j in range(KEYS) if (not causal or j <= place) and (not window or place - window[0] <= j <= place + window[1])
                    and not (masked and mask[i * KEYS + j] == -float("inf"))]
            yield (q[i], [k[j] for j in seen], [v[j] for j in seen],
                   [F(mask[i * KEYS + j]) for j in seen] if masked else None,
                   F(tensors[f"layers.{layer}.sink"][1][index]) if sunk else None, batch, i)


def norm(x):
    return decimal(sum(a * a for a in x)).sqrt()


def minus(x, y):
    return [a - b for a, b in zip(x, y)]


def measure(all_rows, cap, fl, options):
    found = [attend(*row[:5], cap, Way(fl, options)) for row in all_rows]
    truth = [attend(*row[:5], cap, Way(Exact())) for row in all_rows]
    distance = [norm(minus(a[0], b[0])) for a, b in zip(found, truth)]
    group = [(tuple(row[0]), tuple(sorted(zip(map(tuple, row[1]), map(tuple, row[2]), row[3] or [0] * len(row[1]))))) for row in all_rows]
    pairs = {"apart": 0, "by_rounding": 0, "merged": 0}
    lost = {"merged": [], "by_rounding": []}
    for b in range(len(group)):
        for a in range(b + 1, len(group)):
            if group[a] != group[b]:
                far = norm(minus(truth[a][0], truth[b][0])) > distance[a] + distance[b]
                kind = "apart" if far else "merged" if found[a][0] == found[b][0] else "by_rounding"
                pairs[kind] += 1
                if not far:
                    lost[kind].append([list(all_rows[b][5:]), list(all_rows[a][5:])])
    ulp = [decimal(abs(x - y) / F(2) ** (fl.exponent(y) - fl.precision + 1)) for a, b in zip(found, truth) for x, y in zip(a[0], b[0])]
    return {"relative": [e / norm(b[0]) for e, b in zip(distance, truth)], "ulp": ulp, "pairs": pairs, "pair": (lost["merged"] + lost["by_rounding"] + [None])[0],
            "variation": [decimal(sum(abs(x - y) for x, y in zip(a[1], b[1])) / 2) for a, b in zip(found, truth)],
            "changed": sum(b[1][a[1].index(max(a[1]))] < max(b[1]) for a, b in zip(found, truth)),
            "places": [row[5:] for row in all_rows]}


def differences(entry, m, what):
    """Returns a line for each difference from the record."""
    name = f"{what}, {entry['name']}"
    for key, got, want in (("largest error", entry["relative_error"]["max"], max(m["relative"])),
                           ("mean error", entry["relative_error"]["mean"], sum(m["relative"]) / len(m["relative"])),
                           ("largest variation", entry["weights_error"]["max"], max(m["variation"])),
                           ("mean variation", entry["weights_error"]["mean"], sum(m["variation"]) / len(m["variation"])),
                           ("max_ulp", entry["max_ulp"], max(m["ulp"])), ("mean_ulp", entry["mean_ulp"], sum(m["ulp"]) / len(m["ulp"]))):
        if got is None or not float(want) * (1 - 1e-5) <= got <= float(want) * (1 + 1e-5) + 1e-11:
            yield f"{name}: {key} is {got}, should be {float(want)}"
    for key, got, want in (("pairs", {k: entry["pairs"][k] for k in m["pairs"]}, m["pairs"]), ("argmax_changed", entry["argmax_changed"], m["changed"]),
                           ("at", tuple(entry["relative_error"]["at"]), m["places"][m["relative"].index(max(m["relative"]))]),
                           ("collisions", entry["collisions"], m["pairs"]["merged"]), ("pair", entry["pairs"]["pair"], m["pair"])):
        if got != want:
            yield f"{name}: {key} is {got}, should be {want}"


def compare(path, record, *options):
    tensors, record = read(path), json.load(open(record))
    cap = next((F(o[8:]) for o in options if o.startswith("softcap=")), None)
    window = next(([int(x) for x in o[7:].split(",")] for o in options if o.startswith("window=")), None)
    lines, cells = [], {}
    for h in record["heads"]:
        part = list(rows(tensors, h["layer"], h["head"], "causal" in options, "mask" in options, window, "sink" in options))
        for entry in h["formats"]:
            m = measure(part, cap, Rounded(*FORMATS[entry["name"]], "zero" in options), options)
            cells.setdefault(entry["name"], []).append((m, h))
            lines += differences(entry, m, f"layer {h['layer']}, head {h['head']}")
    for entry in record["formats"]:
        parts = cells[entry["name"]]
        total = {k: sum((m[k] for m, _ in parts), []) for k in ("relative", "variation", "ulp", "places")}
        total["pairs"] = {k: sum(m["pairs"][k] for m, _ in parts) for k in parts[0][0]["pairs"]}
        total["changed"] = sum(m["changed"] for m, _ in parts)
        # The pair is the first of the heads that have the worst kind of one.
        kinds = [2 if m["pairs"]["merged"] else 1 if m["pairs"]["by_rounding"] else 0 for m, _ in parts]
        first, head = parts[kinds.index(max(kinds))]
        total["pair"] = first["pair"]
        if entry["pair_head"] != ({"layer": head["layer"], "head": head["head"]} if max(kinds) else None):
            lines.append(f"all heads, {entry['name']}: the head of the pair is {entry['pair_head']}")
        lines += differences(entry, total, "all heads")
        worst = max(parts, key=lambda part: max(part[0]["relative"]))[1]
        if entry["worst_head"] != {"layer": worst["layer"], "head": worst["head"]}:
            lines.append(f"all heads, {entry['name']}: the worst head is {entry['worst_head']}")
    if [(h["layer"], h["head"]) for h in record["heads"]] != [(layer, h) for layer in LAYERS for h in range(HEADS)]:
        lines.append("not every layer and head is there")
    print("\n".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit({"make": make, "compare": compare}[sys.argv[1]](*sys.argv[2:]))
