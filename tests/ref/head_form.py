"""Outputs of heads with norms, gains, rotary positions, softcap and ALiBi, from the definitions: eighty digits of Python's decimals.

    head_form.py DATA WEIGHTS EVAL CERTIFY the balls of `attest eval DATA --weights WEIGHTS --json` hold what is true, and are narrow;
                                              so do those of `attest certify`, of as many pairs as Definition 2 requires

Reads the weights file itself; shares no code with attest. Fails with a line for the first output that is outside its ball.
"""
import json
import sys
from decimal import Decimal as D, getcontext
from fractions import Fraction

getcontext().prec = 90
PI = D("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651")


def number(text):
    text = str(text)
    exact = Fraction(float.fromhex(text)) if text.lstrip("-").startswith("0x") else Fraction(text)
    return D(exact.numerator) / D(exact.denominator)


def exact(text):
    """A hex float with an exponent of any size."""
    sign = -1 if text.startswith("-") else 1
    digits, power = text.lstrip("-")[2:].split("p")
    whole, _, part = digits.partition(".")
    return sign * Fraction(int(whole + part, 16), 16 ** len(part)) * Fraction(2) ** int(power)


def matrix(value):
    if isinstance(value, dict):
        return [[number(a) * number(b) for b in value["v"]] for a in value["u"]]
    return [[number(a) for a in row] for row in value]


def sine_cosine(angle):
    angle = angle % (2 * PI)
    sums, term = [D(0), D(0)], D(1)
    for n in range(150):
        sums[n % 2] += term * (1, 1, -1, -1)[n % 4]
        term *= angle / (n + 1)
    return sums[1], sums[0]


def tanh(x):
    e = (-2 * abs(x)).exp()
    return (1 - e) / (1 + e) * (1 if x >= 0 else -1)


def frequencies(rotary):
    found = []
    for i in range(rotary["dims"] // 2):
        f = (-number(rotary["theta"]).ln() * 2 * i / rotary["dims"]).exp()
        if "long_wave" in rotary:
            wave, slow = 2 * PI / f, f / number(rotary["factor"])
            low, high = number(rotary["long_wave"]), number(rotary["short_wave"])
            if wave > low:
                f = slow
            elif wave >= high:
                part = (1 / wave - 1 / low) / (1 / high - 1 / low)
                f = part * f + (1 - part) * slow
        elif "factor" in rotary:
            f /= number(rotary["factor"])
        found.append(f)
    return found


def rms(parts, gains, eps):
    """The first entries of each part, over all of them."""
    squares = [x * x for part, gain in zip(parts, gains) for x in part[:len(gain)]]
    root = (sum(squares) / len(squares) + eps).sqrt()
    return [[x / root * g for x, g in zip(part, gain)] + part[len(gain):] for part, gain in zip(parts, gains)]


def first_norm(norm, x):
    if not norm or norm["kind"] == "none":
        return x
    mean = sum(x) / len(x) if norm["kind"] == "layer" else D(0)
    root = (sum((a - mean) ** 2 for a in x) / len(x) + number(norm["eps"])).sqrt()
    return [(a - mean) / root for a in x]


class Layer:
    def __init__(self, weights):
        self.weights = weights
        self.rotary = weights.get("rotary")
        self.frequency = frequencies(self.rotary) if self.rotary else []
        self.heads = []
        for head in weights["heads"]:
            made = {name: matrix(head[name]) for name in ("WQ", "WK", "WV", "WO")}
            for name in ("bQ", "bK", "bV", "bO", "gQ", "gK"):
                made[name] = [number(x) for x in head[name]] if name in head else None
            made["alibi"] = number(head.get("alibi", 0))
            self.heads.append(made)

    def affine(self, head, letter, z):
        bias = head["b" + letter] or [D(0)] * len(head["W" + letter])
        z = z + [D(1)] if self.weights.get("homogeneous") and letter != "O" else z
        return [sum(a * b for a, b in zip(row, z)) + c for row, c in zip(head["W" + letter], bias)]

    def turned(self, x, position):
        half, turned = len(self.frequency), list(x)
        for i, f in enumerate(self.frequency):
            s, c = sine_cosine(f * position)
            turned[i], turned[i + half] = x[i] * c - x[i + half] * s, x[i + half] * c + x[i] * s
        return turned

    def sides(self, letter, z, position):
        parts = [self.affine(head, letter, z) for head in self.heads]
        norm = self.weights.get("head_norm")
        if norm:
            gains, eps = [head["g" + letter] for head in self.heads], number(norm["eps"])
            if norm.get("over") == "heads":
                parts = rms(parts, gains, eps)
            else:
                parts = [rms([p], [g], eps)[0] if g else p for p, g in zip(parts, gains)]
        return [self.turned(p, position) for p in parts]

    def shares(self, scores):
        """Weights of values, up to a factor. Scores under hardmax are rational; those that decimals do not separate are equal."""
        most = max(scores)
        if self.weights["activation"] == "softmax":
            return [(s - most).exp() for s in scores]
        top = [most - s <= abs(most) / D(10) ** (getcontext().prec - 20) for s in scores]
        if self.weights.get("ties") == "leftmost":
            return [D(j == top.index(True)) for j in range(len(scores))]
        return [D(t) for t in top]

    def outputs(self, x, added=None):
        """The skip adds the tokens, or what is given."""
        z = [first_norm(self.weights.get("norm"), t) for t in x]
        queries, keys = ([self.sides(letter, t, k) for k, t in enumerate(z)] for letter in "QK")
        cap = number(self.weights["softcap"]) if "softcap" in self.weights else None
        for k in range(len(x)):
            out = list((added or x)[k]) if self.weights.get("skip", True) else [D(0)] * len(x[k])
            for h, head in enumerate(self.heads):
                seen = range(k + 1 if self.weights.get("mask") == "causal" else len(x))
                scores = [sum(a * b for a, b in zip(queries[k][h], keys[j][h])) for j in seen]
                if cap:
                    scores = [cap * tanh(s / cap) for s in scores]
                scores = [s + head["alibi"] * j for j, s in zip(seen, scores)]
                weight = self.shares(scores)
                values = [self.affine(head, "V", z[j]) for j in seen]
                mean = [sum(w * v[r] for w, v in zip(weight, values)) / sum(weight) for r in range(len(values[0]))]
                out = [a + b for a, b in zip(out, self.affine(head, "O", mean))]
            yield out


def inside(truth, ball, what, narrow=60):
    mid, rad = exact(ball["mid"]), exact(ball["rad"])
    assert abs(Fraction(truth) - mid) <= rad + Fraction(1, 10**70), (what, truth, ball["text"])
    assert rad < Fraction(1, 2**narrow), (what, ball["text"])


def length(x):
    return sum(a * a for a in x).sqrt()


def main(data, weights, found, claim):
    data, weights, found, claim = (json.load(open(path)) for path in (data, weights, found, claim))
    layer, entries, places = Layer(weights), 0, []
    for i, sequence in enumerate(data["sequences"]):
        tokens = [tuple(Fraction(str(a)) for a in token) for token in sequence]
        x = [[number(a) for a in token] for token in sequence]
        for k, truth in enumerate(layer.outputs(x)):
            assert len(found["outputs"][i][k]) == len(x[k]), "entries of an output"
            for c, ball in enumerate(found["outputs"][i][k]):
                inside(truth[c], ball, (i, k, c))
                entries += 1
            # Definition 2 is about tokens, wherever they stand.
            seen = tokens[:k + 1] if weights.get("mask") == "causal" else tokens
            places.append(((i, k), (frozenset(seen), tokens[k]), truth))
    pairs = [(a, b) for n, a in enumerate(places) for b in places[:n] if a[1] != b[1]]
    assert claim["required_pairs"] == len(pairs), ("required pairs", len(pairs))
    apart = min(length([x - y for x, y in zip(a[2], b[2])]) for a, b in pairs)
    inside(apart, claim["min_separation"], "the least separation")
    inside(max(length(place[2]) for place in places), claim["max_norm"], "the largest norm")
    assert claim["verdict"] == "proved"
    print(f"{entries} outputs and {len(pairs)} pairs, least separation {apart:.3e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
