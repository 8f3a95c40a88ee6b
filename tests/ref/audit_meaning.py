"""What the errors of an audit mean, by another route: doc/arithmetic.md in Python's fractions and decimals.

    audit_meaning.py make DATA WEIGHTS SEED     draws a small dataset and a softmax layer of two heads
    audit_meaning.py compare DATA WEIGHTS AUDIT compares relative_error, weights_error, argmax_changed and
                                                pairs of every format in the record

Shares no code with attest; fails with a line for each difference.
"""
import json
import random
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
FORMATS = {"binary32": (24, -126), "bfloat16": (8, -126), "binary16": (11, -14), "float8_e5m2": (3, -14)}


def make(data, weights, seed):
    rng = random.Random(int(seed))
    entry = lambda scale: str(Fraction(rng.randint(-1000, 1000), 1000) * scale)
    matrix = lambda rows, cols, scale: [[entry(scale) for _ in range(cols)] for _ in range(rows)]
    tokens = matrix(7, 4, 2)
    json.dump({"format": "attest/dataset", "version": 1,
               "sequences": [rng.sample(tokens, rng.randint(2, 6)) for _ in range(4)]}, open(data, "w"))
    heads = [{"WQ": matrix(3, 4, 1), "WK": matrix(3, 4, 1), "WV": matrix(3, 4, 1), "WO": matrix(4, 3, 1)} for _ in range(2)]
    json.dump({"format": "attest/weights", "version": 1, "activation": "softmax", "skip": bool(int(seed) % 2),
               "mask": "causal" if int(seed) % 3 else "none", "heads": heads}, open(weights, "w"))


class Rounded:
    """Numbers of p bits with a least exponent, to nearest, ties to even."""

    def __init__(self, precision, emin):
        self.precision, self.emin = precision, emin

    def __call__(self, x):
        if x == 0:
            return Fraction(0)
        e = abs(x.numerator).bit_length() - x.denominator.bit_length()
        e -= abs(x) < Fraction(2) ** e
        quantum = Fraction(2) ** (max(e, self.emin) - self.precision + 1)
        return round(x / quantum) * quantum  # Python rounds halves to even

    def exp(self, x):
        return self(Fraction(decimal(x).exp()))


class Exact:
    def __call__(self, x):
        return x

    def exp(self, x):
        return Fraction(decimal(x).exp())


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def dot(x, y, fl):
    total = fl(x[0] * y[0])
    for a, b in zip(x[1:], y[1:]):
        total = fl(total + fl(a * b))
    return total


def attend(weights, sequence, fl):
    """Outputs, and the weights of every head, of one sequence."""
    tokens = [[fl(Fraction(x)) for x in token] for token in sequence]
    outputs, shares = [], []
    read = lambda m: [[fl(Fraction(x)) for x in row] for row in m]
    heads = [{name: read(head[name]) for name in head} for head in weights["heads"]]
    for k, token in enumerate(tokens):
        seen = tokens[:k + 1] if weights["mask"] == "causal" else tokens
        out = list(token) if weights["skip"] else None
        for head in heads:
            query = [dot(row, token, fl) for row in head["WQ"]]
            keys = [[dot(row, t, fl) for row in head["WK"]] for t in seen]
            values = [[dot(row, t, fl) for row in head["WV"]] for t in seen]
            scores = [dot(key, query, fl) for key in keys]
            powers = [fl.exp(fl(s - max(scores))) for s in scores]
            total = Fraction(0)
            for p in powers:
                total = fl(total + p)
            mean = [fl(dot(powers, [v[c] for v in values], fl) / total) for c in range(len(values[0]))]
            result = [dot(row, mean, fl) for row in head["WO"]]
            out = result if out is None else [fl(a + b) for a, b in zip(out, result)]
            shares.append([p / total for p in powers])
        outputs.append(out)
    return outputs, shares


def norm(x):
    return decimal(sum(a * a for a in x)).sqrt()


def minus(x, y):
    return [a - b for a, b in zip(x, y)]


def measure(data, weights, fl):
    computed, exact, shares, truth, group = [], [], [], [], []
    for i, sequence in enumerate(data["sequences"]):
        for got, want, out, part in ((computed, shares, *attend(weights, sequence, fl)), (exact, truth, *attend(weights, sequence, Exact()))):
            got.extend(out)
            want.extend(part)
        for k, token in enumerate(sequence):
            seen = sequence[:k + 1] if weights["mask"] == "causal" else sequence
            group.append((frozenset(map(tuple, seen)), tuple(token)))
    distance = [norm(minus(a, b)) for a, b in zip(computed, exact)]
    relative = [e / norm(b) for e, b in zip(distance, exact)]
    variation = [decimal(sum(abs(a - b) for a, b in zip(p, q)) / 2) for p, q in zip(shares, truth)]
    pairs = {"apart": 0, "by_rounding": 0, "merged": 0}
    places = [[i, k] for i, sequence in enumerate(data["sequences"]) for k in range(len(sequence))]
    lost = {"merged": [], "by_rounding": []}
    for a in range(len(group)):
        for b in range(a + 1, len(group)):
            if group[a] != group[b]:
                far = norm(minus(exact[a], exact[b])) > distance[a] + distance[b]
                kind = "apart" if far else "merged" if computed[a] == computed[b] else "by_rounding"
                pairs[kind] += 1
                if not far:
                    lost[kind].append([places[a], places[b]])
    return {"relative": relative, "variation": variation, "pairs": pairs, "pair": (lost["merged"] + lost["by_rounding"] + [None])[0],
            "changed": sum(q[p.index(max(p))] < max(q) for p, q in zip(shares, truth))}


def compare(data, weights, record):
    wrong = 0
    data, weights, record = (json.load(open(f)) for f in (data, weights, record))

    def near(what, name, got, want):
        nonlocal wrong
        if got is None or not float(want) * (1 - 1e-5) <= got <= float(want) * (1 + 1e-5) + 1e-11:
            wrong += 1
            print(f"{name}: {what} is {got}, should be {float(want)}")

    for entry in record.get("graded", {"widths": []})["widths"]:
        if entry["bits"] in (2, 3, 5, 8, 13, 24):
            m = measure(data, weights, Rounded(entry["bits"], -10 ** 6))["relative"]
            near("the largest error", f"p={entry['bits']}", entry["max"], max(m))
            near("the mean error", f"p={entry['bits']}", entry["mean"], sum(m) / len(m))
    for entry in record["formats"]:
        if entry["name"] not in FORMATS:
            continue
        m = measure(data, weights, Rounded(*FORMATS[entry["name"]]))
        near("the largest error", entry["name"], entry["relative_error"]["max"], max(m["relative"]))
        near("the mean error", entry["name"], entry["relative_error"]["mean"], sum(m["relative"]) / len(m["relative"]))
        near("the largest variation", entry["name"], entry["weights_error"]["max"], max(m["variation"]))
        near("the mean variation", entry["name"], entry["weights_error"]["mean"], sum(m["variation"]) / len(m["variation"]))
        at = entry["relative_error"]["at"]
        place = sum(len(s) for s in data["sequences"][:at[0]]) + at[1]
        for what, got, want in (("pairs", {k: entry["pairs"][k] for k in m["pairs"]}, m["pairs"]),
                                ("argmax_changed", entry["argmax_changed"], m["changed"]), ("the pair", entry["pairs"]["pair"], m["pair"]),
                                ("the worst place", place, m["relative"].index(max(m["relative"])))):
            if got != want:
                wrong += 1
                print(f"{entry['name']}: {what} is {got}, should be {want}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit({"make": make, "compare": compare}[sys.argv[1]](*sys.argv[2:]))
