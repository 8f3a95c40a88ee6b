"""Formats of at most 8 bits, and block formats, against rationals.

Formats: every code's value from the definition of its bits; casts at every number, at every
middle between neighbours, and next to both. Block formats: each rule once more, from doc/formats.md,
with a function that rounds a rational to binary32. Argument: the program quantise-echo."""
import bisect
import functools
import math
import random
import struct
import subprocess
import sys
from fractions import Fraction as F

NAN = "nan"
failed = count = 0


def ok(good, what):
    global failed, count
    count += 1
    failed += not good
    print("%sok %d - %s" % ("" if good else "not ", count, what))


echo = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(question):
    echo.stdin.write(question + "\n")
    echo.stdin.flush()
    return echo.stdout.readline().split()


# ---- the values of codes, from the layout of the bits ----
#                    exponent, fraction bits, bias, what is missing
FORMATS = {"float8_e4m3fn": (4, 3, 7, "fn"), "float8_e5m2": (5, 2, 15, "ieee"),
           "float8_e4m3fnuz": (4, 3, 8, "fnuz"), "float8_e5m2fnuz": (5, 2, 16, "fnuz"),
           "float6_e3m2fn": (3, 2, 3, "all"), "float6_e2m3fn": (2, 3, 1, "all"),
           "float4_e2m1fn": (2, 1, 1, "all"), "float8_e8m0fnu": (8, 0, 127, "scale")}


@functools.lru_cache(None)
def values(name):
    """The value of each code: a Fraction, "inf", "-inf", "nan" or "-0"."""
    e, m, bias, kind = FORMATS[name]
    out = []
    for code in range(1 << (e + m + (kind != "scale"))):
        field, fraction, sign = code >> m & (1 << e) - 1, code & (1 << m) - 1, code >> (e + m)
        if kind == "scale":
            out.append(NAN if code == 255 else F(2) ** (code - bias))
            continue
        size = (F(fraction) * F(2) ** (1 - bias - m) if field == 0 else
                (1 + F(fraction, 1 << m)) * F(2) ** (field - bias))
        if kind == "fnuz" and code == 1 << (e + m) or kind == "fn" and code & 0x7f == 0x7f:
            out.append(NAN)
        elif kind == "ieee" and field == (1 << e) - 1:
            out.append(NAN if fraction else "-inf" if sign else "inf")
        else:
            out.append("-0" if sign and size == 0 else -size if sign else size)
    return out


@functools.lru_cache(None)
def sizes(name):
    """The numbers >= 0, in order, which is that of the codes."""
    return [v for v in values(name) if isinstance(v, F) and v >= 0]


def text(x):
    """A Fraction that is a double, or a special, as the program writes it."""
    return x if isinstance(x, str) else float(x).hex()


def read(word):
    x = float.fromhex(word)
    if math.isnan(x):
        return NAN
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    return "-0" if x == 0 and math.copysign(1, x) < 0 else F(x)


def cast(x, name, saturating=False):
    """x, exact, to nearest: by the list of all values, which a code's parity orders."""
    kind, positive = FORMATS[name][3], sizes(name)
    sign = -1 if x < 0 else 1
    size, i = abs(x), bisect.bisect_right(positive, abs(x)) - 1
    if kind == "scale":
        if x <= 0:
            return NAN
        if i < 0:
            return positive[0]
        below, above = positive[i], 2 * positive[i]
        nearest = below if size - below < above - size else above
        return NAN if nearest > positive[-1] else nearest
    below = positive[i]
    above = positive[i + 1] if i + 1 < len(positive) else 2 * below - positive[i - 1]
    if size - below == above - size:
        nearest = below if i % 2 == 0 else above
    else:
        nearest = below if size - below < above - size else above
    if nearest > positive[-1]:
        if saturating or kind == "all":
            nearest = positive[-1]
        else:
            return "inf" if kind == "ieee" and sign > 0 else "-inf" if kind == "ieee" else NAN
    if nearest == 0:
        return "-0" if sign < 0 and kind != "fnuz" else F(0)
    return sign * nearest


def step(x, up):
    """The double next to x > 0."""
    bits = struct.unpack("<q", struct.pack("<d", float(x)))[0] + (1 if up else -1)
    return F(struct.unpack("<d", struct.pack("<q", bits))[0])


def test_format(name):
    words = ask("decode " + name)
    expected = values(name)
    got = [read(w) for w in words[0::2]]
    ok(len(got) == len(expected) and all(a == b for a, b in zip(got, expected)) and
       set(words[1::2]) == {"1"}, "%s: the values of all %d codes, and back" % (name, len(expected)))
    numbers = sorted(v for v in expected if isinstance(v, F) and v > 0)
    points = set(numbers)
    for a, b in zip([F(0)] + numbers, numbers + [2 * numbers[-1] - numbers[-2]]):
        points |= {(a + b) / 2}
    points |= {2 * numbers[-1], 4 * numbers[-1], numbers[0] / 4, F(1, 3 * 2**60)}
    points = {F(float(p)) for p in points if p < F(2)**1000}
    points |= {step(p, up) for p in points for up in (0, 1)}
    points = sorted(points) + sorted(-p for p in points)
    for saturating in (False, True) if name != "float8_e8m0fnu" else (False,):
        suffix = ":saturating" if saturating else ""
        got = [read(w) if not w.startswith("differ") else w
               for w in ask("cast %s%s %s" % (name, suffix, " ".join(text(p) for p in points)))]
        expected = [cast(p, name, saturating) for p in points]
        wrong = [(text(p), g, e) for p, g, e in zip(points, got, expected) if g != e]
        ok(not wrong and len(got) == len(points),
           "%s%s: %d casts at and beside numbers and middles, by doubles and by MPFR %s" %
           (name, suffix, len(points), wrong[:2]))
        special = [read(w) for w in ask("cast %s%s inf -inf nan 0x0p+0 -0x0p+0" % (name, suffix))]
        ok(special == specials(name, saturating), "%s%s: specials %s" % (name, suffix, special))


def specials(name, saturating):
    """What inf, -inf, NaN, 0 and -0 become."""
    kind = FORMATS[name][3]
    most = max(v for v in values(name) if isinstance(v, F))
    if kind == "scale":
        return [NAN] * 5
    if kind == "all":
        return [most, -most, "-0", F(0), "-0"]
    ends = [most, -most] if saturating else ["inf", "-inf"] if kind == "ieee" else [NAN, NAN]
    return ends + [NAN, F(0), F(0) if kind == "fnuz" else "-0"]


# ---- binary32, and the rules of block formats ----

def binary(x, p, emin, emax):
    """x to nearest even with p bits; beyond the range "inf" or "-inf"."""
    if x == 0:
        return F(0)
    unit = F(2)**(max(log2_floor(abs(x)), emin) - p + 1)
    r = round(x / unit) * unit  # Python's round is to even
    if abs(r) >= F(2)**(emax + 1):
        return "inf" if r > 0 else "-inf"
    return r


def f32(x):
    return binary(x, 24, -126, 127)


def f16(x):
    return binary(x, 11, -14, 15)


FLT_MAX = (2 - F(2)**-23) * F(2)**127


def div32(a, b):
    return "inf" if b == 0 else f32(a / b)


def half_away(x):
    return math.floor(abs(x) + F(1, 2)) * (1 if x >= 0 else -1)


def log2_floor(x):
    """floor(log2 x), x > 0: the lengths of numerator and denominator leave two choices."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if F(2)**e <= x else e - 1


def amax(x):
    return max(abs(v) for v in x)


def most(name):
    return sizes(name)[-1]


def plain(v):
    return F(0) if v == "-0" else v


def element(x, name):
    return plain(cast(x, name, True))


def away(x, name):
    """Halves away from zero, clamped."""
    numbers = sizes(name)
    size = min(abs(x), numbers[-1])
    i = bisect.bisect_right(numbers, size) - 1
    best = numbers[i]
    if i + 1 < len(numbers) and numbers[i + 1] - size <= size - best:
        best = numbers[i + 1]
    return best if x >= 0 else -best


def mx(x, name, rule):
    a, emax = amax(x), {"float8_e4m3fn": 8, "float8_e5m2": 15, "float6_e3m2fn": 4}.get(name, 2)
    if rule in ("mx", "mx-even"):
        s = log2_floor(a or F(2)**-126) - emax
    elif rule == "te":
        v = f32(a * f32(1 / most(name)))
        s = -127 if v == 0 else log2_floor(v) + (v != F(2)**log2_floor(v))
    elif rule == "vllm":
        bits = struct.unpack("<I", struct.pack("<f", float(a)))[0] + (1 << 21)
        s = (bits >> 23) - 127 - 2
    else:
        s = -127 if a == 0 else math.floor(log2_float(a)) - 2
    s = min(127, max(-127, s))
    scale = F(2)**s
    if rule == "mx":
        return [(away(v / scale, name), scale, 1, 0) for v in x]
    if rule == "llama":
        return [(llama(v, scale), scale, 1, 0) for v in x]
    return [(element(v / scale, name), scale, 1, 0) for v in x]


def log2_float(a):
    """log2 rounded to binary32: exact enough unless it lies next to an integer, where series tell."""
    e = log2_floor(a)
    if a == F(2)**e:
        return F(e)
    top = F(2)**(e + 1)
    if a / top > F(99, 100):
        d = 1 - a / top  # log2 = e + 1 + log1p(-d)/ln 2
        series = -sum(d**k / k for k in range(1, 9))
        return f32(e + 1 + series / F(math.log(2)))
    return F(e) + F(1, 2)  # only its floor is asked for


def llama(x, scale):
    """The first with the least error, the error being a binary32 number."""
    best, found = None, None
    for v in map(plain, values("float4_e2m1fn")):
        error = abs(f32(v * scale - x))
        if best is None or error < best:
            best, found = error, v
    return found


def nvfp4_te(x, tensor):
    g = F(1) if tensor == 0 else div32(F(2688), tensor)
    g = FLT_MAX if g == "inf" else g
    e = f32(amax(x) * f32(g * f32(F(1, 6))))
    s = element(FLT_MAX if e == "inf" else e, "float8_e4m3fn")
    product = f32(s * f32(1 / g))
    inverse = div32(F(1), product)
    inverse = FLT_MAX if inverse == "inf" else inverse
    out = []
    for v in x:
        p = f32(v * inverse)
        p = F(2)**200 if p == "inf" else -F(2)**200 if p == "-inf" else p
        out.append((element(p, "float4_e2m1fn"), s, g, 0))
    return out


def nvfp4_llama(x):
    v = f32(amax(x) / 6)
    codes = sizes("float8_e4m3fn")
    if v >= 248:
        s = F(448)
    elif v < F(2)**-6:
        s = F(min(7, math.floor(f32(f32(v * 512) + F(1, 2)))), 512)
    else:
        below = max(c for c in codes if c <= v)
        above = min(c for c in codes if c > v)
        s = above if v - below >= above - v else below
    return [(llama(w, s), s, 1, 0) for w in x]


def integer(p, rounding, low, high):
    return NAN if isinstance(p, str) else F(min(high, max(low, rounding(p))))


def times(a, b):
    if isinstance(b, str):
        return NAN
    return f32(a * b)


def q8_0(x, rule):
    a = amax(x)
    d = f32(a / 127)
    if rule == "x86":
        inverse = div32(F(127), a) if a else F(0)
    else:
        inverse = div32(F(1), d) if d else F(0)
    rounding = half_away if rule == "" else round
    return [(integer(times(v, inverse), rounding, -128, 127), f16(d), 1, 0) for v in x]


def q4_0(x):
    m = F(0)
    for v in x:
        if abs(v) > abs(m):
            m = v
    d = f32(m / -8)
    inverse = div32(F(1), d) if d else F(0)
    out = []
    for v in x:
        p = times(v, inverse)
        out.append((NAN if isinstance(p, str) else F(min(15, int(f32(p + F(17, 2)))) - 8),
                    f16(d), 1, 0))
    return out


def int8(x):
    a = amax(x)
    factor = div32(F(127), a) if a else F(0)
    return [(integer(times(v, factor), round, -128, 127), f32(a / 127), 1, 0) for v in x]


def ct2(x, bits, rounding=round):
    a = amax(x)
    scale = div32(F(127 if bits == 8 else 1024), a) if a or bits == 16 else F(1)
    high = (1 << (bits - 1)) - 1
    return [(integer(times(v, scale), rounding, -high - 1, high), F(1), scale, 0) for v in x]


def kivi(x, bits):
    low, high, top = min(x), max(x), (1 << bits) - 1
    width = f16(high - low)
    scale = f16(width / top) if width != "inf" else "inf"
    out = []
    for v in x:
        d = f16(v - low)
        if scale == 0 or scale == "inf" and d == "inf":
            q = NAN if d == 0 or scale == "inf" else F(top)
        elif scale == "inf":
            q = F(0)
        else:
            p = "inf" if d == "inf" else f16(d / scale)
            q = F(top) if p == "inf" else F(round(min(max(p, 0), top)))
        out.append((q, scale, 1, low))
    return out


def scaled(x, name, scale, span):
    s = scale or f32(amax(x) / span) or F(1)
    return [(element(f32(v / s), name), s, 1, 0) for v in x]


RULES = {}
for e, m in (("mxfp8_e4m3fn", "float8_e4m3fn"), ("mxfp8_e5m2", "float8_e5m2"),
             ("mxfp6_e3m2fn", "float6_e3m2fn"), ("mxfp6_e2m3fn", "float6_e2m3fn"),
             ("mxfp4", "float4_e2m1fn")):
    for r in ["mx", "mx-even"] + (["te"] if "8" in e else ["vllm", "llama"] if "4" in e else []):
        RULES["%s:%s" % (e, r)] = (1, 32, lambda x, t, m=m, r=r: mx(x, m, r))
RULES.update({
    "nvfp4:te": (1, 16, nvfp4_te), "nvfp4:te-2d": (16, 16, nvfp4_te),
    "nvfp4:llama": (1, 16, lambda x, t: nvfp4_llama(x)),
    "q8_0": (1, 32, lambda x, t: q8_0(x, "")), "q8_0:x86": (1, 32, lambda x, t: q8_0(x, "x86")),
    "q8_0:arm": (1, 32, lambda x, t: q8_0(x, "arm")), "q4_0": (1, 32, lambda x, t: q4_0(x)),
    "int8:per-tensor": ("tensor", 0, lambda x, t: int8(x)), "int8:per-head": (0, 0, lambda x, t: int8(x)),
    "int8:per-token": (1, 0, lambda x, t: int8(x)), "int8:per-channel": (0, 1, lambda x, t: int8(x)),
    "int8:ct2": (1, 0, lambda x, t: ct2(x, 8)), "int16:ct2": ("tensor", 0, lambda x, t: ct2(x, 16)),
    "int8:ct2-trunc": (1, 0, lambda x, t: ct2(x, 8, int)),
    "int16:ct2-trunc": ("tensor", 0, lambda x, t: ct2(x, 16, int)),
    "kivi2:k": (32, 1, lambda x, t: kivi(x, 2)), "kivi2:v": (1, 32, lambda x, t: kivi(x, 2)),
    "kivi4:k:8": (8, 1, lambda x, t: kivi(x, 4)), "kivi4:v:16": (1, 16, lambda x, t: kivi(x, 4)),
    "kivi2:k:9": (9, 1, lambda x, t: kivi(x, 2)), "kivi2:v:1048576": (1, 1 << 20, lambda x, t: kivi(x, 2)),
    "e4m3fn:per-head": (0, 0, lambda x, t: scaled(x, "float8_e4m3fn", 0, F(448))),
    "e4m3fn:per-tensor:range=200": ("tensor", 0, lambda x, t: scaled(x, "float8_e4m3fn", 0, F(200))),
    "float8_e5m2:per-token": (1, 0, lambda x, t: scaled(x, "float8_e5m2", 0, F(57344))),
    "e4m3fn:scale=0.125": ("tensor", 0, lambda x, t: scaled(x, "float8_e4m3fn", F(1, 8), 0)),
    "e4m3fn:saturating": ("tensor", 0, lambda x, t: scaled(x, "float8_e4m3fn", F(1), 0)),
})


def draw(rng, kind, narrow):
    """A number of binary32 or, for KIVI, of binary16: halves of steps, and all sizes."""
    if kind == 0:
        x = F(rng.randrange(-64, 65), rng.choice([1, 2, 4, 8]))
    elif kind == 1:
        x = F(rng.gauss(0, 1))
    elif kind == 2:
        x = F(rng.randrange(-2**24, 2**24)) * F(2)**rng.randrange(-150, 100)
    elif kind == 5:  # equal magnitudes of both signs
        x = F(rng.choice([-4, -2, -1, 0, 1, 2, 4]))
    elif kind == 3:
        x = F(rng.choice([-1, 1]) * (2**24 - rng.randrange(1, 40))) * F(2)**rng.randrange(-60, 60)
    else:
        x = F(0)
    if narrow:
        x = max(min(x, F(60000)), -F(60000))
        return f16(x)
    return f32(x)


INVERSES = ("q8_0", "q8_0:x86", "q8_0:arm", "int8:per-tensor", "int8:per-token", "int8:ct2")


def draw_largest(rng, kind):
    """The largest number of a group: with exact steps; one of which two reciprocals of the step part; large."""
    if kind == 0:
        return F(127 * 8) * F(2)**rng.randrange(-9, 4)
    if kind == 2:
        return f32(F(rng.uniform(1480, 2700)))
    while True:
        a = f32(F(rng.uniform(1, 2)) * F(2)**rng.randrange(-6, 7))
        if div32(F(127), a) != div32(F(1), f32(a / 127)):
            return a


def draw_step(rng, largest, inverse):
    """The middle of two steps of a grid, or beside it; with two reciprocals, one that tells them apart, if one comes up."""
    steps = 127 if inverse else rng.choice([127, 127, 8, 6, 1024])
    for _ in range(30 if inverse else 1):
        x = (F(rng.randrange(steps)) + F(1, 2)) * largest / steps
        x = min(f32(x + rng.choice([-1, 0, 0, 1]) * x / 2**24), largest)
        if inverse and round(times(x, inverse[0])) != round(times(x, inverse[1])):
            break
    return x


def draw_steps(rng, kind, name, count):
    largest = draw_largest(rng, kind)
    inverse = [div32(F(127), largest), div32(F(1), f32(largest / 127))] if kind == 1 and name in INVERSES else None
    out, narrow = [], "kivi" in name
    for i in range(count):
        sought = inverse if i % 16 == 5 else None
        x = rng.choice([-1, 1]) * (largest if i % 16 == 0 else draw_step(rng, largest, sought))
        out.append(f16(x) if narrow else x)
    return out


def expect(name, x, heads, tokens, dim):
    """Element, factor, divisor and offset of each."""
    down, across, rule = RULES[name]
    out, t = [None] * len(x), amax(x)
    if down == "tensor":
        return rule(x, t)
    for h in range(heads):
        for t0 in range(0, tokens, down or tokens):
            for c0 in range(0, dim, across or dim):
                at = [(h * tokens + i) * dim + c for i in range(t0, min(tokens, t0 + (down or tokens)))
                      for c in range(c0, min(dim, c0 + (across or dim)))]
                for i, r in zip(at, rule([x[i] for i in at], t)):
                    out[i] = r
    return out


def test_block(name, rng):
    wrong, numbers = [], 0
    for trial in range(9):
        heads, tokens, dim = rng.choice([(1, 1, 32), (2, 3, 40), (1, 33, 3), (2, 17, 6), (1, 3, 64)])
        kind = trial
        narrow, size = "kivi" in name, heads * tokens * dim
        x = draw_steps(rng, kind - 6, name, size) if kind > 5 else [draw(rng, kind, narrow) for _ in range(size)]
        got = ask("block %s %d %d %d %s" % (name, heads, tokens, dim, " ".join(text(v) for v in x)))
        for i, (e, (y, factor, divisor, offset)) in enumerate(zip(x, expect(name, x, heads, tokens, dim))):
            word = got[7 * i:7 * i + 7]
            if len(word) < 7:
                wrong.append(" ".join(got[:20]))
                break
            numbers += 1
            same = [plain(read(w)) for w in (word[0], word[2], word[3], word[4])]
            if same != [y, factor, divisor, offset]:
                wrong.append((float(e), [str(v) for v in same], str(y), str(factor), str(divisor)))
            elif isinstance(y, F) and isinstance(factor, F) and isinstance(divisor, F):
                value = y * factor / divisor + offset
                if F(word[6]) != value or float.fromhex(word[5]) != value_double(value):
                    wrong.append((word, str(value)))
            elif word[6] != "none" and not (isinstance(y, F) and isinstance(factor, F)):
                wrong.append(word)
    ok(not wrong and numbers > 0, "%s: %d numbers %s" % (name, numbers, wrong[:2]))


def value_double(x):
    return x.numerator / x.denominator  # Python divides integers correctly rounded


for name in FORMATS:
    test_format(name)
rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
for name in RULES:
    test_block(name, rng)
for name, part in (("mxfp4", "mxfp4:mx, mxfp4:mx-even, mxfp4:vllm, mxfp4:llama"), ("nvfp4", "nvfp4:te"),
                   ("mxfp8", "mxfp8_e5m2:te"), ("kivi2", "kivi2:k"), ("int8", "int8:ct2"), ("fp8", "float8_e4m3fn"),
                   ("q9_0", "unknown format"), ("e4m3fn:per-heap", "unknown format"), ("kivi2:k:0", "unknown"),
                   ("kivi2:k:64x", "unknown"), ("kivi2:k:1048577", "unknown"), ("kivi2:k:x", "unknown"), ("q8_0:64", "unknown"),
                   ("e4m3fn:range=3", "needs a group"), ("e8m0fnu:per-head", "has no scale itself"), ("p=60", "not doubles"),
                   ("e4m3fn:scale=0.1", "unknown format"), ("e4m3fn:scale=-1", "unknown format")):
    answer = " ".join(ask("block %s 1 1 1 0x1p+0" % name))
    ok(answer.startswith("error: ") and part in answer, "%s is refused: %s" % (name, answer))
ok(" ".join(ask("block q8_0 1 1 2 0x1p+0 inf")).startswith("error: head 0, token 0, channel 1"), "inf is refused")
ok("binary16" in " ".join(ask("block kivi2:k 1 1 1 0x1.0001p+0")), "KIVI takes binary16")
print("1..%d" % count)
echo.stdin.close()
sys.exit(failed > 0)
