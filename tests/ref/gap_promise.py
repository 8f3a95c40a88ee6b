#!/usr/bin/env python3
"""What the strategy `gap` promises, from the formulas of proofs-notes/sharp_gap.md in doubles.

gap_promise.py           over what Lemma F promised at a score gap of 1.4456: the table of that note, by how
                         many gaps the scores reach; fails where a promise became less
gap_promise.py DATA OUT  fails unless OUT, of construct --strategy gap --json, promises that for DATA
"""
import json
import sys
from fractions import Fraction
from math import exp, log2, sqrt

GAPS = [1.317, 1.32, 1.34, 1.4, 1.5]


def bound(g, t, m):
    q = exp(-g)
    return exp(-t) * ((t - m) * (1 - 2 * q) - g * q / (1 - q))


def sharp(g, t):
    q = exp(-g)
    return bound(g, t, g * q / (1 + q) if t < 2 * g else g * q / (1 - q) ** 2)


def lemma_f(g, t):
    q = exp(-g)
    return bound(g, t, g * q / (1 - q))


def promise(g, reach):
    """kappa is a multiple of g, and divides."""
    return min(sharp(g, g), sharp(g, 2 * g), sharp(g, reach * g)) / g


def gain(reach):
    g = 1.4456
    return max(promise(h, reach) for h in GAPS) / (min(lemma_f(g, g), lemma_f(g, reach * g)) / g)


def table():
    for reach in (2, 3, 5, 8, 10, 15, 20, 40):
        print("%4d %.3g" % (reach, gain(reach)))
    least = min((gain(1 + i / 100), 1 + i / 100) for i in range(6000))
    print("least %.3f at a reach of %.2f" % least)
    return least[0] >= 1


def agrees(data, out):
    tokens = {tuple(Fraction(x) for x in t) for s in data["sequences"] for t in s}
    v = [Fraction(x) for x in out["direction"]]
    values = sorted(sum(a * b for a, b in zip(v, t)) for t in tokens)
    unit = min(map(abs, values)) * min(b - a for a, b in zip(values, values[1:]))
    kappa, r_max = Fraction(out["kappa"]), Fraction(out["r_max"])
    best = max(GAPS, key=lambda g: promise(g, float(2 * r_max * r_max / unit)))
    w = sqrt(sum(float(Fraction(x[0])) ** 2 for x in out["weights"]["heads"][0]["WO"]))
    delta = w * float(unit) / float(r_max) * promise(best, float(2 * r_max * r_max / unit))
    print(best, float(kappa * unit), log2(delta), out["delta"]["log2"])
    near = Fraction(str(best)) <= kappa * unit <= Fraction(str(best)) * (1 + Fraction(1, 2**60))
    return near and abs(log2(delta) - float(out["delta"]["log2"])) < 1e-9 * abs(log2(delta))


if len(sys.argv) == 3:
    sys.exit(not agrees(json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))))
sys.exit(not table())
