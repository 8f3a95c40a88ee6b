"""Errors in ulp where exact outputs cancel, by another route: Python's fractions.

    audit_ulp.py make DATA WEIGHTS CASE   one sequence, and a head whose queries are 0: outputs are means of values
    audit_ulp.py compare CASE AUDIT       compares max_ulp, mean_ulp and worst of every format in the record

Shares no code with attest; fails with a line for each difference.
"""
import json
import sys
from decimal import Decimal, getcontext
from fractions import Fraction as F

getcontext().prec = 40
FORMATS = {"binary64": (53, -1022), "binary32": (24, -126), "bfloat16": (8, -126), "binary16": (11, -14),
           "p=24": (24, None), "p=8": (8, None)}
# Two values per token; outputs are their means. All are exact, so that the means are known exactly.
CASES = {
    # exactly 0, and computed as 0
    "right": [(1, F(3)), (-1, F(-3))],
    # not 0, but 2^-301 of what is added up; computed as 0
    "tiny": [(1, F(1)), (-1 - F(2) ** -300, F(2))],
    # exactly 0, and missed: unbounded exponents have no ulp there
    "missed": [(F(1, 10), 1), (F(2, 10), 1), (F(-3, 10), 1)],
    # not 0, computed as something else than 0, after much is cancelled
    "near": [(F(1, 10), 1), (F(2, 10), 1), (F(-3, 10) + F(2) ** -250, F(1, 3))],
    # errors of more ulp than doubles hold
    "huge": [(F(1, 10) * 2 ** 1000, 1), (F(2, 10) * 2 ** 1000, 1), (F(-3, 10) * 2 ** 1000, 1)],
    # beyond the largest number of the small formats: not finite, no error
    "beyond": [(F(10) ** 60, 1), (F(10) ** 60, 2)],
}


def rounded(x, precision, emin):
    if x == 0:
        return F(0)
    e = exponent(x) if emin is None else max(exponent(x), emin)
    quantum = F(2) ** (e - precision + 1)
    return round(x / quantum) * quantum


def exponent(x):
    e = abs(x.numerator).bit_length() - x.denominator.bit_length()
    return e - (abs(x) < F(2) ** e)


def make(data, weights, case):
    tokens = [[str(F(x)) for x in token] for token in CASES[case]]
    json.dump({"format": "attest/dataset", "version": 1, "sequences": [tokens]}, open(data, "w"))
    json.dump({"format": "attest/weights", "version": 1, "activation": "softmax", "skip": False,
               "heads": [{"WQ": [[0, 0], [0, 0]], "WK": [[1, 0], [0, 1]], "WV": [[1, 0], [0, 1]],
                          "WO": [[1, 0], [0, 1]]}]}, open(weights, "w"))


def expected(values, precision, emin):
    """[largest, mean], None: infinitely many ulp."""
    fl = lambda x: rounded(x, precision, emin)
    errors = []
    for c in range(2):
        column = [F(v[c]) for v in values]
        exact = sum(column) / len(column)
        total = F(0)
        for x in column:
            total = fl(total + fl(x))
        error = abs(fl(total / fl(F(len(column)))) - exact)
        if exact == 0 and emin is None:
            if error:
                return None
            errors.append(F(0))
            continue
        e = emin if exact == 0 else exponent(exact) if emin is None else max(exponent(exact), emin)
        errors.append(error / F(2) ** (e - precision + 1))
    return max(errors), sum(errors) / 2


def compare(case, record):
    wrong = 0
    for entry in json.load(open(record), parse_float=Decimal, parse_int=Decimal)["formats"]:
        want = None if entry["nonfinite"] else expected(CASES[case], *FORMATS[entry["name"]])
        for i, key in enumerate(("max_ulp", "mean_ulp")):
            got, truth = entry[key], want and Decimal(want[i].numerator) / Decimal(want[i].denominator)
            # from above: six digits, and what a ball's radius may add
            if (got is None) != (truth is None) or truth is not None and not (
                    truth * (1 - Decimal("1e-5")) <= got <= truth * (1 + Decimal("1e-5")) + Decimal("1e-20")):
                wrong += 1
                print(f"{case}, {entry['name']}: {key} is {got}, should be {truth}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit({"make": make, "compare": compare}[sys.argv[1]](*sys.argv[2:]))
