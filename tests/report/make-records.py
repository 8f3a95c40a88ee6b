#!/usr/bin/env python3
"""Writes one record of every kind into a directory, with names that mean harm.

usage: make-records.py DIR

The values are made up and the same each time; the keys are those that the commands write."""
import json
import math
import pathlib
import sys

HOSTILE = "</title></svg><script>alert('x')</script><img src=x onerror=alert(1)>\" ' & <!-- \u202e\u0007"
FORMATS = (("binary64", 53), ("binary32", 24), ("tfloat32", 11), ("bfloat16", 8), ("binary16", 11),
           ("float8_e4m3fn", 4), ("float8_e5m2", 3))


def ball(log2):
    if log2 is None:
        return {"mid": "0x0p+0", "rad": "0x0p+0", "text": "0"}
    return {"mid": f"0x1p{math.floor(log2)}", "rad": f"0x1p{math.floor(log2) - 60}",
            "log2": f"{log2:.10f}", "text": f"about 2^{log2:.2f}"}


def collisions(bits, collapse):
    return 0 if collapse and bits >= collapse else 1 + int(190 / 2 ** (bits / 8))


def formats(collapse, separation):
    rows = []
    for name, bits in FORMATS:
        count = collisions(bits, collapse)
        rows.append({
            "name": name, "precision": bits, "verdict": "collapses" if count else "survives",
            "collisions": count, "nonfinite": 3 if bits == 3 else 0,
            "min_separation": ball(None if count else separation),
            "closest": None if count else [[0, 1], [2, 1]], "pair": [[0, 0], [1, 0]] if count else None,
            "file": "pair.json" if count else None, "max_ulp": 0.7 + 53 / bits, "mean_ulp": 0.2 + 3 / bits,
            "bound_ulp": 40 + 400 / bits,
            "stages": {s: {"max_ulp": (i + 1) * 9 / bits, "mean_ulp": i / bits}
                       for i, s in enumerate(("input", "score", "max", "exp", "sum", "mix", "division", "output"))}})
    return rows


def audit(strategy, collapse, certified, theory, separation):
    widths = [{"bits": p, "collisions": collisions(p, collapse), "nonfinite": 0,
               "log2_separation": None if collisions(p, collapse) else separation + 2 ** (-p / 6)}
              for p in [*range(2, 33), 40, 48, 53, 64, 96, 128, 192, 256]]
    return {"format": "attest/audit", "version": 1,
            "dataset": {"path": "data/" + HOSTILE, "sha256": "23" * 32, "name": "dataset " + HOSTILE,
                        "sequences": 20, "longest": 3, "dim": 2, "tokens": 6, "required_pairs": "1" + "0" * 30},
            "weights": {"path": None, "sha256": None, "strategy": strategy},
            "arithmetic": {"round": "nearest", "softmax": HOSTILE, "sum": "pairwise", "fma": True,
                           "accumulate": "binary32"},
            "formats": formats(collapse, separation), "collapse_bits": collapse,
            "certified_bits": certified, "theory_bits": theory,
            "collapse": {"from": 1, "cap": 256, "proved_from": None, "widths": [],
                         "curve": widths},
            "certified": {"verdict": "proved", "min_separation": ball(separation)},
            "theory": {"delta": ball(-theory), "r": ball(3)},
            "kernel": {"name": "avx2", "entries": 640, "rows": 320, "exact_rows": 4,
                       "rows_without_bound": 0, "bounds_broken": 0, "max_ulp": 2.25,
                       "ulp": [{"from": 0 if e == -8 else 2.0 ** e, "to": 2.0 ** (e + 1),
                                "count": 1 + int(900 * math.exp(-(e + 2) ** 2 / 3))} for e in range(-8, 3)],
                       "pessimism": [{"from": 2.0 ** e, "to": None if e == 13 else 2.0 ** (e + 1),
                                      "count": 1 + int(900 * math.exp(-(e - 6) ** 2 / 5))} for e in range(14)]},
            "algorithms": [{"softmax": s, "sum": o, "fma": f, "formats": formats(collapse, separation)}
                           for s in ("naive", "shifted", "online") for o in ("sequential", "pairwise")
                           for f in (False, True)],
            "versions": {"attest": "0.1.0", "mpfr": "4.2.0"}}


def campaign():
    rows = []
    for i, name in enumerate(("theorem1", "lemma_f", "lemma1", "theorem2", "masked", HOSTILE)):
        failed, undecided, discarded = 3 * (name == "masked"), 240 * (i == 2), 9000 * (i % 2)
        rows.append({"name": name, "verdict": "violated" if failed else "undecided" if undecided else "held",
                     "as_expected": not failed and not undecided, "trials": 100000,
                     "passed": 100000 - failed - undecided - discarded, "failed": failed,
                     "discarded": discarded, "undecided": undecided,
                     "tightest": {"log2_margin": "-inf" if i == 3 else -7.5 * i, "file": "t.json"} if i else None,
                     "counterexamples": ["masked.1.json"] if failed else [],
                     "labels": {HOSTILE: 12, "collinear": 400}, "seconds": 1.5, "trials_per_second": 66666.7})
    return {"format": "attest/campaign-report", "version": 1, "seed": "0x5eed", "properties": rows,
            "summary": {"held": 4, "violated_as_expected": 0, "failed": 1, "flaky": 0, "undecided": 1, "not_run": 0,
                        "confirmed": 4, "tests": 6, "trials": 600000}}


def counterexample(definition):
    return {"format": "attest/counterexample", "version": 1, "property": HOSTILE,
            "dataset": {"format": "attest/dataset", "version": 1, "name": HOSTILE,
                        "sequences": [[["1", "0"], ["3/7", "7" * 100000]], [["1", "0"]]]},
            "parameters": {HOSTILE: HOSTILE}, "seed": "0x1", "found_by": HOSTILE, "shrink_steps": 4,
            "violates": {"definition": definition, "pair": [[0, 0], [1, 0]]}}


def main():
    directory = pathlib.Path(sys.argv[1])
    records = {
        "audit-tuned.json": audit("tuned", 17, 24, 2210, -15.4),
        "side/audit.json": {**audit("theorem", None, 79157, 1130760, -79152.04), "constructions": [
            {**audit("theorem", None, 79157, 1130760, -79152.04), "strategy": "theorem", "algorithms": []},
            {**audit("gap", 49, 88, 1130760, -80.4), "strategy": "gap", "kernel": None},
            {"strategy": "tuned", "hypothesis": "collinear", "explanation": HOSTILE}]},
        "night/report.json": campaign(),
        "night/masked.1.json": counterexample("contextual-mapping"),
        "night/theorem2.tightest.json": counterexample("none"),
        "certificate.json": {
            "format": "attest/certificate", "version": 1, "claim": "contextual-mapping", "verdict": "proved",
            "method": HOSTILE, "precision_bits": 128, "r": None, "delta": "0", "min_separation": ball(-6.09),
            "pair": [[0, 0], [1, 0]], "max_norm": ball(3.75),
            "inputs": [{"role": "dataset", "path": HOSTILE, "sha256": "0" * 64}]},
        "construct.json": {"strategy": "gap", "delta": ball(-642457), "bits_promised": 642460,
                           "bits_certified": 21, "certificate": {"min_separation": ball(-15.9)}},
        "kernel/judge.json": {
            "format": "attest/judgement", "version": 1, "kernel": HOSTILE, "verdict": "wrong", "elements": 8192,
            "within": 4096, "wrong": 4095, "undecided": 1, "worst": {"ratio": "inf", "output": "nan"},
            "heads": [{"layer": 0, "batch": 0, "head": h, "verdict": ("within", "wrong")[h], "rows": 64, "columns": 64,
                       "within": 4096, "wrong": 4095 * h, "undecided": h, "max_ratio": 0.5 + 1e6 * h} for h in (0, 1)],
            "wrong_rows": [{"layer": 0, "batch": 0, "head": 1, "rows": [32, 63], "columns": [0, 63], "wrong": 2000},
                           {"layer": 0, "batch": 0, "head": 1, "rows": [HOSTILE], "columns": None, "wrong": 1}],
            "histogram": [{"from": 0, "to": 2**-16, "count": 4}, {"from": 2**-16, "to": 2**-15, "count": 4091},
                          {"from": 2**-15, "to": None, "count": 4096}],
            "returned_by_faults": ["dropped-tile", HOSTILE]},
        "memorize.json": {"verdict": "proved", "classes": 12, "hidden_units": 24, "parameters": 60,
                          "parameters_dense": 130, "paper_parameters": 64, "network": None},
        "a <b> & 'c' \".json": {"function": HOSTILE, "grid": 8, "l1": ball(-3), "l2": ball(-2),
                                "l1_bound": "1/2", "l2_bound": ball(0)},
        "other.json": {"format": HOSTILE},
        "weights.json": {"format": "attest/weights", "version": 1},
    }
    for grid in (2, 4, 16, 32):
        log2 = math.log2(grid)
        records[f"approximate-{grid}.json"] = {
            "function": "sine", "grid": grid, "l1": ball(-1.2 * log2 - 1), "l2": ball(-1.1 * log2 - 1),
            "l1_bound": ball(-log2), "l2_bound": ball(-log2 + 1)}
    for name, record in records.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=1) + "\n")
    (directory / "table.csv").write_text(
        "function,d,n,grid,l1_low,l1_high,l1_bound,l2_low,l2_high,l2_bound,units\r\n"
        "<b>,1,2,2,0.3,0.4,2,0.3,0.35,1.5,10\r\n<b>,1,2,4,0.1,0.2,1,0.15,0.18,0.75,38\n")
    (directory / "other.csv").write_text("a,b\n1,2\n")
    (directory / "notes.txt").write_text("no record\n")


main()
