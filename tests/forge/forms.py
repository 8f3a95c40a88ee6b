"""Forged certificates of real heads: norm, head_norm, rotary, softcap, ALiBi, biases, residual, homogeneous, output_dim.

    forms.py ATTEST COUNT SEED [INSTANCE]

Draws layers and data, lets `attest certify` write a certificate, alters it by a little or by a lot, and gives it to
`attest check`. What is true is known from tests/ref/head_form.py, a hundred digits of Python's decimals that share no
code with attest. What is false must not hold; what is true must not fail and holds, unless it is true by less than the
slack leaves open: then it may be undecided, and the slack is the reason that is given. INSTANCE repeats one of them and
keeps its files.
"""
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from decimal import Decimal as D, getcontext, ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ref"))
import head_form

getcontext().prec = 300
if hasattr(sys, "set_int_max_str_digits"):  # 2^-20000 has 6000 digits
    sys.set_int_max_str_digits(0)
PER_INSTANCE, MOST_KEPT = 25, 5
TINIEST = D("1e-400")
EXTREME = (["1", "-1e6", "-2e6"], ["1", "-1e9", "-2e9"], ["1e9", "1", "-3e-9"], ["1e-30", "1", "1e12"])
FORMS = ["norm", "head_norm", "rotary", "softcap", "alibi", "bias", "residual", "homogeneous", "output_dim"]


# --- layers and data ---

def entry(draw):
    return draw.choice(["0", "1", "-1", "1/2", "-3/2", "2", "0.3", "-7/10", "5/3"])


def rows(draw, n, m, one=entry):
    return [[one(draw) for _ in range(m)] for _ in range(n)]


def draw_head(draw, forms, size, dim, output_dim):
    head = {name: rows(draw, size, dim) for name in ("WQ", "WK", "WV")}
    if draw.random() < 0.15:
        head["WQ"] = head["WK"] = [["0"] * dim] * size
    elif draw.random() < 0.1:
        head["WK"] = {"u": rows(draw, 1, size)[0], "v": rows(draw, 1, dim)[0]}
    head["WO"] = rows(draw, output_dim, size) + [["0"] * size] * (dim - output_dim)
    if "bias" in forms:
        head |= {"b" + letter: rows(draw, 1, size)[0] for letter in "QKV"} | {"bO": rows(draw, 1, dim)[0]}
    if "head_norm" in forms:
        gains = draw.randint(1, size)
        head |= {"g" + letter: ["1", "3/4", "-2", "1/5"][:gains] for letter in "QK"}
    if "alibi" in forms:
        head["alibi"] = draw.choice(["-1/2", "-1/256", "3", "1e9"])
    return head


def draw_rotary(draw, size):
    rotary = {"dims": draw.choice([2, 2, 4]) if size >= 4 else 2,
              "theta": draw.choice(["1", "10000", "7", "1/9", "1e40"])}
    if draw.random() < 0.3:
        rotary["factor"] = draw.choice(["8", "1/3", "1e30"])
    if "factor" in rotary and draw.random() < 0.5:
        rotary |= {"long_wave": draw.choice(["8192", "7"]), "short_wave": draw.choice(["2", "13/2"])}
    return rotary


def draw_layer(draw, dim, extreme):
    """Weights of tokens of dim entries; forms that exclude each other are not drawn together."""
    weights = {"format": "attest/weights", "version": 1, "activation": "softmax", "skip": draw.random() < 0.8,
               "mask": draw.choice(["none", "none", "causal"]), "heads": []}
    forms = set(draw.sample(FORMS, draw.randint(1, 4)))
    if forms & {"bias", "residual", "norm", "homogeneous"}:
        forms -= {"output_dim"}
    if "bias" in forms:
        forms -= {"homogeneous"}
    if draw.random() < 0.15:  # of rational scores
        weights |= {"activation": "hardmax", "ties": draw.choice(["uniform", "leftmost"])}
        forms -= {"norm", "head_norm", "rotary", "softcap"}
    size = draw.choice([2, 2, 3, 4] if "rotary" in forms else [1, 2, 2, 3])
    output_dim = draw.randint(1, dim) if "output_dim" in forms else dim
    one = "homogeneous" in forms
    for _ in range(draw.choice([1, 1, 2])):
        weights["heads"].append(draw_head(draw, forms, size, dim + one, output_dim))
    if one:
        weights["homogeneous"] = True
    if "output_dim" in forms:
        weights |= {"output_dim": output_dim, "skip_from": draw.randint(0, dim - output_dim)}
    if "norm" in forms:
        weights["norm"] = {"kind": draw.choice(["layer", "rms"]), "eps": draw.choice(["1e-5", "1", "1e-12", "1e40"])}
    if "head_norm" in forms:
        weights["head_norm"] = {"eps": draw.choice(["1e-6", "1/3", "1e-40", "1e40", "1e20000"]),
                                "over": draw.choice(["head", "heads"])}
    if "rotary" in forms:
        weights["rotary"] = draw_rotary(draw, size)
    if "softcap" in forms:
        weights["softcap"] = draw.choice(["1", "30", "50", "1e-60", "1e40", "1/1000"])
    if "residual" in forms and weights["skip"]:
        weights["residual"] = "stream"
    return weights


def draw_data(draw, dim, extreme, residual):
    pool = [[draw.choice(extreme) if extreme else entry(draw) for _ in range(dim)] for _ in range(3)]
    shape = [[draw.randrange(3) if draw.random() < 0.4 else k % 3 for k in range(draw.randint(1, 3))]
             for _ in range(draw.randint(1, 3))]
    data = {"format": "attest/dataset", "version": 1, "sequences": [[pool[t] for t in s] for s in shape]}
    if residual:
        data["stream"] = [rows(draw, len(s), dim) for s in shape]
    return data


class Truth:
    """Separations of required pairs and norms, as fractions that are off by less than tau."""

    def __init__(self, data, weights):
        layer, self.place = head_form.Layer(weights), []
        numbers = lambda rows: [[head_form.number(a) for a in row] for row in rows]
        fractions = lambda row: tuple(Fraction(a) for a in row)
        for i, sequence in enumerate(data["sequences"]):
            added = data.get("stream", data["sequences"])[i]
            token = [fractions(a) + fractions(b) for a, b in zip(sequence, added)]
            start, count = weights.get("skip_from", 0), weights.get("output_dim", len(sequence[0]))
            added = [row[start:start + count] for row in added]
            for k, out in enumerate(layer.outputs(numbers(sequence), numbers(added))):
                seen = token[:k + 1] if weights["mask"] == "causal" else token
                self.place.append(([i, k], (frozenset(seen), token[k]), out))
        # What is far below tau counts as 0: a fraction of it would fill the memory.
        length = lambda x: Fraction(max(head_form.length(x), TINIEST) - TINIEST)
        self.apart = {(tuple(a[0]), tuple(b[0])): length([x - y for x, y in zip(a[2], b[2])])
                      for a in self.place for b in self.place if a[1] != b[1]}
        self.norm = {tuple(a[0]): length(a[2]) for a in self.place}
        self.tau = (1 + max(self.norm.values())) / 10**60


# --- certificates ---

def hexadecimal(x):
    power = x.denominator.bit_length() - 1
    assert x.denominator == 1 << power
    return ("-" if x < 0 else "") + "0x%xp%d" % (abs(x.numerator), -power)


def dyadic(x, bits, up):
    """x rounded to so many bits, away from 0 or towards it."""
    if x == 0:
        return x
    power = Fraction(2) ** (x.numerator.bit_length() - x.denominator.bit_length() - bits + 1)
    return -(-x // power) * power if up else x // power * power


def decimal(x, digits, rounding):
    x = dyadic(x, 400, rounding == ROUND_CEILING)  # of few digits, whatever the exponent
    exact = D(x.numerator) / D(x.denominator)
    if exact == 0:
        return exact
    return exact.quantize(D(1).scaleb(exact.adjusted() - digits + 1), rounding=rounding)


class Ball:
    def __init__(self, ball):
        self.mid, self.rad = head_form.exact(ball["mid"]), head_form.exact(ball["rad"])
        self.log2, self.text = ball.get("log2"), ball.get("text")
        self.made = self.rad
        self.says = {"log2": True, "text": True}

    def set(self, mid, rad):
        self.mid, self.rad, self.log2, self.text = dyadic(mid, 300, False), dyadic(rad, 30, True), None, None
        self.says = {"log2": True, "text": True}

    def written(self):
        members = {"mid": hexadecimal(self.mid), "rad": hexadecimal(self.rad), "log2": self.log2, "text": self.text}
        return {key: value for key, value in members.items() if value is not None}


def change_log2(ball, draw):
    if ball.mid <= ball.rad:
        return
    exact = (D(ball.mid.numerator) / D(ball.mid.denominator)).ln() / D(2).ln()
    if exact == 0:
        return
    unit = D(1).scaleb(exact.adjusted() - 14)
    right = exact.quantize(unit)
    if right.adjusted() != exact.adjusted():
        return
    off = draw.choice([0, 1, 2, -2, 3, -3, 7, 15, 10**9])
    ball.log2, ball.says["log2"] = format(right + off * unit, "f"), abs(off) <= 2


def change_text(ball, draw):
    middle = D(0) if abs(ball.mid) < TINY * 2 else decimal(ball.mid, draw.choice([3, 10, 30]), ROUND_FLOOR)
    need = abs(ball.mid - Fraction(middle)) + ball.rad
    if need < Fraction(1, 10**99990):  # numbers of files end at 1e-100000
        return
    true = draw.random() < 0.5
    room = decimal(need * (draw.choice([1, 1, 3]) if true else Fraction(draw.choice(["1", "1", "1/3"]))), 4,
                   ROUND_CEILING if true else ROUND_FLOOR)
    ball.text, ball.says["text"] = f"[{middle:.60e} +/- {room:e}]", Fraction(room) >= need


# A midpoint that no radius of a slack is beside.
TINY = Fraction(1, 2**779473)

# Of the radius that certify wrote, which is the slack and a little more.
STEPS = [Fraction(1, 1000), Fraction(1, 3), Fraction(3, 4), Fraction(99, 100), Fraction(5, 4), Fraction(5, 2), Fraction(2)**9,
         Fraction(2)**40, Fraction(2)**90]


def near(draw, x, step):
    """A number near x, on one side or the other."""
    if draw.random() < 0.2:
        return abs(x * draw.choice([Fraction(1, 2), 2, Fraction(1001, 1000), Fraction(999, 1000)]))
    return abs(x + draw.choice([-1, 1]) * draw.choice(STEPS) * (step or Fraction(1, 2**130)))


def change_ball(ball, x, draw):
    """An enclosure of x, or nearly one."""
    rad = draw.choice(STEPS) * (ball.made or Fraction(1, 2**130)) if draw.random() < 0.8 else Fraction(0)
    ball.set(draw.choice([x, ball.mid, near(draw, x, ball.made), x + rad, x - rad]), rad)
    if draw.random() < 0.03:
        ball.set(TINY, draw.choice([Fraction(0), rad, 2 * x]))


def change(kind, c, truth, draw):
    """Alters the certificate c."""
    sep, norm = c["min_separation"], c["max_norm"]
    least = min(truth.apart.values(), default=None)
    largest = max(truth.norm.values())
    if kind == "delta" and sep:
        c["delta"] = near(draw, draw.choice([least, least, draw.choice(list(truth.apart.values()))]), sep.made)
    elif kind == "r":
        c["r"] = near(draw, largest, norm.made)
    elif kind == "separation" and sep:
        change_ball(sep, least, draw)
    elif kind == "norm":
        change_ball(norm, largest, draw)
    elif kind == "pair" and sep:
        c["pair"] = [list(p) for p in draw.choice(list(truth.apart))] if draw.random() < 0.8 else [
            draw.choice(truth.place)[0], draw.choice([draw.choice(truth.place)[0], [0, 9], [9, 0]])]
        if tuple(map(tuple, c["pair"])) in truth.apart and draw.random() < 0.5:  # with an enclosure that is true of it
            sep.set(truth.apart[tuple(map(tuple, c["pair"]))], 2 * (sep.made or Fraction(1, 2**90)))
    elif kind == "place":
        c["max_norm_at"] = draw.choice([draw.choice(truth.place)[0], [0, 9]])
        if draw.random() < 0.5 and tuple(c["max_norm_at"]) in truth.norm:
            norm.set(truth.norm[tuple(c["max_norm_at"])], 2 * (norm.made or Fraction(1, 2**90)))
    elif kind == "verdict":
        c["verdict"] = draw.choice(["proved", "refuted", "undecided"])
    elif kind == "log2":
        change_log2(draw.choice([norm, sep or norm]), draw)
    elif kind == "text":
        change_text(draw.choice([norm, sep or norm]), draw)
    elif kind == "precision":
        c["method"], c["precision_bits"] = draw.choice(["ball", "exact", "luck"]), draw.choice([1, 53, 10**6])
    elif kind == "several":
        for _ in range(draw.randint(2, 3)):
            change(draw.choice(KINDS[1:-1]), c, truth, draw)


KINDS = ["unaltered", "delta", "r", "separation", "norm", "pair", "place", "verdict", "log2", "text", "precision", "several"]


class Judgement:
    """Statements, each with what it is true by (below 0: false by) in units of the radius that certify wrote."""

    def __init__(self, c, truth):
        self.true, self.false, self.room = True, False, None  # room: the least that a statement is true by
        self.surely_false = False
        sep, norm = c["min_separation"], c["max_norm"]
        self.tau = truth.tau
        self.say(all(norm.says.values()) and (not sep or all(sep.says.values())))
        if sep:
            pair = tuple(map(tuple, c["pair"]))
            self.say(pair in truth.apart)
            if pair in truth.apart:
                self.by(truth.apart[pair] - sep.mid + sep.rad, sep.made)
                self.by(sep.mid + sep.rad - truth.apart[pair], sep.made)
                self.by(min(truth.apart.values()) - sep.mid + sep.rad, sep.made)
        at = tuple(c["max_norm_at"])
        self.say(at in truth.norm)
        if at in truth.norm:
            self.by(truth.norm[at] - norm.mid + norm.rad, norm.made)
            self.by(norm.mid + norm.rad - max(truth.norm.values()), norm.made)
        if c["verdict"] == "proved":
            if truth.apart:
                self.by(min(truth.apart.values()) - c["delta"], sep.made)
            if c["r"] is not None:
                self.by(c["r"] - max(truth.norm.values()), norm.made)
        elif c["verdict"] == "refuted" and not self.false:
            ways = [(c["delta"] - truth.apart[pair], sep.made)] if sep else []
            ways += [(truth.norm[at] - c["r"], norm.made)] if c["r"] is not None else []
            if ways:
                self.by(*max(ways, key=lambda way: way[0] / (way[1] or self.tau)))
            else:
                self.say(False)

    def say(self, true):
        self.true, self.false, self.surely_false = self.true and true, self.false or not true, self.surely_false or not true

    def by(self, distance, made):
        room = distance / (made or self.tau)
        self.true, self.false = self.true and distance > self.tau, self.false or distance < -self.tau
        self.room = room if self.room is None else min(room, self.room)
        # Twice the radius is four times the slack: what is evaluated is then beyond the slack as well.
        self.surely_false = self.surely_false or (room < -2 and distance < -self.tau)


def wrong(kind, c, judgement, answer, reason):
    """What is wrong with the answer, or None."""
    if judgement.false and answer == "holds":
        return "false, and holds"
    if judgement.surely_false and answer != "fails":
        return "false by more than the slack, and does not fail"
    if not judgement.true:
        return None
    if answer in ("fails", "refused"):
        return "true, and " + answer
    if c["verdict"] == "undecided":
        return None if answer == "undecided" else "undecided, and decided"
    if answer == "undecided" and "closer than the error of the weights" not in reason:
        return "true, and undecided for another reason than the slack"
    if answer == "undecided" and (kind in ("unaltered", "precision") or judgement.room is None or judgement.room > 2):
        return "true by more than the slack, and undecided"
    return None


# --- the program ---

def run(attest, *arguments):
    return subprocess.run([attest, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600)


def certify(attest, data, weights, truth, draw):
    """The certificate that the program makes, or None."""
    options = []
    if draw.random() < 0.6 and truth.apart:
        options += ["--delta", str(near(draw, min(truth.apart.values()), Fraction(1, 2**draw.choice([20, 60, 110, 125]))))]
    if draw.random() < 0.5:
        options += ["--r", str(near(draw, max(truth.norm.values()), Fraction(1, 2**draw.choice([20, 60, 110, 125]))))]
    json.dump(data, open("data.json", "w"))
    json.dump(weights, open("weights.json", "w"))
    ended = run(attest, "certify", "data.json", "--weights", "weights.json", *options, "-o", "made.json")
    if ended.returncode == 3 and re.search("undecided: scores|too large for a bound|may divide by 0", ended.stderr):
        return None, None
    if ended.returncode not in (0, 1, 3) or not os.path.exists("made.json"):
        return None, f"certify ends with {ended.returncode}: {ended.stderr.strip()}"
    return json.load(open("made.json")), None


def parsed(made):
    c = dict(made, delta=Fraction(made["delta"]), r=None if made.get("r") is None else Fraction(made["r"]))
    c["min_separation"] = Ball(made["min_separation"]) if made.get("pair") else None
    c["max_norm"] = Ball(made["max_norm"])
    return c


def written(c):
    o = dict(c, delta=str(c["delta"]), r=None if c["r"] is None else str(c["r"]), max_norm=c["max_norm"].written())
    o["min_separation"] = c["min_separation"].written() if c["min_separation"] else None
    return o


def run_instance(attest, draw, tally):
    """Returns a list of what is wrong."""
    for name in os.listdir("."):
        os.remove(name)
    dim = draw.choice([1, 1, 2, 3])
    extreme = draw.choice(EXTREME) if draw.random() < 0.2 else None
    weights = draw_layer(draw, dim, extreme)
    data = draw_data(draw, dim, extreme, "residual" in weights)
    truth = Truth(data, weights)
    made, trouble = certify(attest, data, weights, truth, draw)
    if not made:
        return [trouble] if trouble else []
    if re.search(r"p[-+]?\d{7}", json.dumps(made)):  # without slack, balls may be tiny: t-forge alters these
        ended = run(attest, "check", "made.json")
        return [] if ended.returncode == 0 or (ended.returncode == 3 and made["verdict"] == "undecided") else [
            f"made.json: check ends with {ended.returncode}: {ended.stdout}{ended.stderr}"]
    forged = []
    for n in range(PER_INSTANCE):
        kind = KINDS[n] if n < len(KINDS) else draw.choice(KINDS[1:])
        c = parsed(made)
        change(kind, c, truth, draw)
        json.dump(written(c), open(f"{n:02}.json", "w"))
        forged.append((kind, c))
    ended = run(attest, "check", *(f"{n:02}.json" for n in range(PER_INSTANCE)))
    if ended.returncode not in (0, 1, 2, 3):
        return [f"check ends with {ended.returncode}: {ended.stderr.strip()}"]
    said = {int(line[:2]): line[9:].strip().replace(",", ":", 1).partition(":")
            for line in ended.stdout.splitlines() if re.match(r"\d\d\.json: ", line)}
    found = []
    for n, (kind, c) in enumerate(forged):
        answer, _, reason = said.get(n, ("refused", "", ""))
        judgement = Judgement(c, truth)
        judged = "false" if judgement.false else "true" if judgement.true else "either"
        tally[kind, judged, answer.strip()] += 1
        what = wrong(kind, c, judgement, answer.strip(), reason)
        if what:
            found.append(f"{n:02}.json ({kind}): {what}:{reason}")
    return found


def main(attest, count, seed, only=None):
    tally, found, instances, number = Counter(), [], 0, 0
    attest = os.path.abspath(attest)
    place = os.path.join(os.getcwd(), "forms.work")
    os.makedirs(place, exist_ok=True)
    os.chdir(place)
    while sum(tally.values()) + len(found) < int(count) and len(found) < MOST_KEPT:
        number = int(only) if only is not None else number
        wrong_here = run_instance(attest, random.Random(f"{seed} {number}"), tally)
        found += [f"instance {number}: {line}" for line in wrong_here]
        instances, number = instances + 1, number + 1
        if only is not None:
            break
    print(f"# {'kind':11} | false: holds fails undecided refused | true: holds fails undecided refused | either")
    for kind in KINDS:
        cells = ["%8d" % tally[kind, judged, answer] for judged in ("false", "true")
                 for answer in ("holds", "fails", "undecided", "refused")]
        either = sum(n for key, n in tally.items() if key[:2] == (kind, "either"))
        print(f"# {kind:11} | {' '.join(cells[:4])} | {' '.join(cells[4:])} | {either}")
    total = lambda judged, answer: sum(n for key, n in tally.items() if key[1:] == (judged, answer))
    for line in found:
        print("# " + line)
    print(f"# {sum(tally.values())} certificates of {instances} layers; python3 forms.py ATTEST 1 {seed} INSTANCE repeats one")
    print(f"{'not ' if found else ''}ok - {total('false', 'fails')} false ones fail, {total('true', 'holds')} true ones hold, "
          f"{total('true', 'undecided')} are within the slack, or say that they are undecided")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
