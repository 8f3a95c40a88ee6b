"""Dot products of matrix units, in rationals. dot.py SEED CASES DIR writes for every unit, format and
result a.txt, b.txt, c.txt and what is to come out, d.txt; and prints "UNIT FORMAT OUT PROMOTE DIR".
dot.py binary: lines of 32 binary digits to lines of 8 hexadecimal ones."""
import os
import random
import struct
import sys
from fractions import Fraction as F

#            n, F of fp16 and bf16, n of tf32, least exponent, with binary16 results
UNITS = {"tc:volta": (4, 23, 0, None, -19), "tc:ampere": (8, 24, 4, -132, -20), "tc:ada": (8, 24, 4, -132, -20),
         "tc:hopper": (16, 25, 8, -133, -21), "tc:blackwell": (16, 25, 8, -133, -21)}
FORMATS = {"binary16": (11, -14, 15), "bfloat16": (8, -126, 127), "tfloat32": (11, -126, 127),
           "float8_e4m3fn": (4, -6, 8), "float8_e5m2": (3, -14, 15)}
INF, MINUS_INF, NAN = "inf", "-inf", "nan"


def floor_log2(x):
    x = abs(x)
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if F(2)**e <= x else e - 1


def cut(x, unit):
    """x toward zero to a multiple of the unit."""
    n = abs(x) // unit
    return n * unit if x > 0 else -n * unit


def nearest(x, p, emin, emax):
    if isinstance(x, str) or x == 0:
        return x
    unit = F(2)**(max(floor_log2(x), emin) - p + 1)
    r = round(x / unit) * unit
    if abs(r) >= F(2)**(emax + 1):
        return INF if r > 0 else MINUS_INF
    return r


def result(x, half):
    return nearest(x, 11, -14, 15) if half else nearest(x, 24, -126, 127)


def wild(c, a, b):
    """Whether something is not finite: then what comes out, else None."""
    if not any(isinstance(x, str) for x in [c] + a + b):
        return None
    signs = set()
    for x in [c] + [(p, q) for p, q in zip(a, b)]:
        p, q = x if isinstance(x, tuple) else (x, F(1))
        if NAN in (p, q):
            return NAN
        if isinstance(p, str) or isinstance(q, str):
            if p == 0 or q == 0:
                return NAN
            sp = -1 if p == MINUS_INF or not isinstance(p, str) and p < 0 else 1
            sq = -1 if q == MINUS_INF or not isinstance(q, str) and q < 0 else 1
            signs.add(sp * sq)
    if len(signs) == 2:
        return NAN
    return INF if 1 in signs else MINUS_INF


def block(c, a, b, fraction, emin, half, least):
    special = wild(c, a, b)
    if special is not None:
        return special
    terms = [(p * q, max(floor_log2(p), emin) + max(floor_log2(q), emin)) for p, q in zip(a, b) if p * q]
    if c:
        terms.append((c, max(floor_log2(c), -14 if half else -126)))
    if not terms:
        return F(0)
    top = max(e for _, e in terms)
    if least is not None:
        top = max(top, least)
    total = sum(cut(x, F(2)**(top - fraction)) for x, _ in terms)
    if half:
        return nearest(total, 11, -14, 15)
    if total == 0:
        return F(0)
    bits = min(fraction, 23)
    r = cut(total, F(2)**max(floor_log2(total) - bits, -149))
    if abs(r) >= F(2)**128:
        return INF if r > 0 else MINUS_INF
    return r


def add(x, y, half):
    special = wild(x, [y], [F(1)])
    return result(x + y, half) if special is None else special


def chain(c, a, b, unit, name, half):
    n, fraction, n_tf32, least, least_half = UNITS[unit]
    emin = FORMATS[name][1]
    least = least_half if half else least
    eight = name.startswith("float8")
    if eight and (unit == "tc:blackwell" or unit == "tc:hopper" and half):
        for i in range(0, len(a), 32):
            d = F(0)
            for part in ((0, 1), (2, 3)):
                k = [j for j in range(i, min(i + 32, len(a))) if j % 4 in part]
                d = block(d, [a[j] for j in k], [b[j] for j in k], 25, -14, half, least)
            c = add(c, d, half)
        return c
    if eight:
        n, fraction = (32 if unit == "tc:hopper" else 16), 13
    elif name == "tfloat32":
        n = n_tf32
    for i in range(0, len(a), n):
        c = block(c, a[i:i + n], b[i:i + n], fraction, emin, half, least)
    return c


def dot(c, a, b, unit, name, half, promote):
    c = result(c, half)
    if not promote:
        return chain(c, a, b, unit, name, half)
    for i in range(0, len(a), promote):
        c = add(c, chain(F(0), a[i:i + promote], b[i:i + promote], unit, name, half), half)
    return c


def draw(rng, name, kind):
    p, emin, emax = FORMATS[name]
    if rng.random() < 0.1:
        return F(0)
    if kind == "special" and rng.random() < 0.1:
        return rng.choice([NAN] if name == "float8_e4m3fn" else [INF, MINUS_INF, NAN])
    sign = rng.choice([-1, 1])
    if kind == "tiny":
        e = rng.randrange(emin - 1, emin + min(12, emax - emin))
    elif kind == "huge":
        e = rng.randrange(emax - 3, emax)
    elif kind == "wide":
        e = rng.randrange(max(emin, -40), min(emax, 40))
    else:
        e = rng.randrange(max(-4, emin), 3)
    return sign * F(rng.randrange(1 if e < emin else 1 << (p - 1), 1 << p)) * F(2)**(max(e, emin) - p + 1)


def word(x):
    if x == NAN:
        return "7fffffff"
    return struct.pack(">f", float(x)).hex()


def allowed(unit, name, half):
    if name.startswith("float8"):
        return unit in ("tc:ada", "tc:hopper", "tc:blackwell")
    return name == "binary16" or unit != "tc:volta" and not half


def write(directory, unit, name, half, promote, cases, length, rng):
    os.makedirs(directory)
    lines = {"a": [], "b": [], "c": [], "d": []}
    for i in range(cases):
        kind = ["plain", "wide", "tiny", "huge", "special"][i % 5]
        a = [draw(rng, name, kind) for _ in range(length)]
        b = [draw(rng, name, "plain" if kind == "special" else kind) for _ in range(length)]
        c = nearest(draw(rng, "tfloat32", "plain") * (1 + F(rng.randrange(4096), 2**23)), 24, -126, 127)
        if kind in ("tiny", "special") and rng.random() < 0.5:
            c = rng.choice([F(0), F(2)**-149, -F(2)**-126, F(2)**-24] + [INF] * (kind == "special"))
        if not isinstance(c, str) and all(not isinstance(x, str) for x in a + b) and rng.random() < 0.2:
            c = nearest(-sum(x * y for x, y in zip(a, b)), 24, -126, 127)  # cancels
        lines["a"].append(" ".join(map(word, a)) + " ")
        lines["b"].append(" ".join(map(word, b)) + " ")
        lines["c"].append(word(c))
        lines["d"].append(word(dot(c, a, b, unit, name, half, promote)))
    for key, text in lines.items():
        with open(os.path.join(directory, key + ".txt"), "w") as f:
            f.write("\n".join(text) + "\n")
    print(unit, name, "binary16" if half else "binary32", promote, directory)


def main():
    if sys.argv[1] == "binary":
        for line in sys.stdin:
            print("%08x" % int(line, 2))
        return
    rng, number_of = random.Random(int(sys.argv[1])), 0
    for unit in UNITS:
        for name in FORMATS:
            for half in (False, True):
                for length, promote in ((rng.choice([1, 3, 7]), 0), (rng.choice([16, 32, 40]), 0), (70, 64)):
                    if allowed(unit, name, half):
                        number_of += 1
                        write(os.path.join(sys.argv[3], str(number_of)), unit, name, half, promote,
                              int(sys.argv[2]), length, rng)


main()
