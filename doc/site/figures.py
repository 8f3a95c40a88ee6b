"""The page of figures, generated. Bounds and errors are the current output of the program for the files in examples/;
speeds depend on the machine and are read from bench/records/ (`bench/bench-baselines --json`)."""
import glob
import json
import os
import subprocess

from told import shown


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join("–" if cell is None else f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in line) + " |"
                     for line in lines)


def command(*arguments):
    return "    attest " + " ".join(arguments)


def formats(program, examples):
    asked = ("audit", "examples/universal-pair.json", "--weights", "examples/softmax.json")
    record = shown(program, *(each.replace("examples", examples, 1) if each.startswith("examples/") else each for each in asked))
    rows = [(f"`{each['name']}`", each["max_ulp"], each["bound_ulp"], each["relative_error"]["max"], each["collisions"], each["verdict"])
            for each in record["formats"]]
    return ["## A head in floating-point formats",
            command(*asked, "--json"),
            "The largest error of an output in units in the last place, the bound that was known before, the largest relative error, "
            f"and what becomes of {record['dataset']['required_pairs']} required pairs. The head collapses below {record['collapse_bits']} bits; "
            f"from {record['certified_bits']} on that it does not is proved.",
            table(["format", "largest error (ulp)", "bound (ulp)", "relative error", "collisions", "verdict"], rows)]


def strategies(program, examples):
    asked = ("audit", "examples/universal-pair.json", "--construct", "all", "--formats", "binary32", "--quick")
    record = shown(program, *(each.replace("examples", examples, 1) if each.startswith("examples/") else each for each in asked))
    rows = [(each["strategy"], each["collapse_bits"], each["certified_bits"], each["theory_bits"]) for each in record["constructions"]]
    return ["## Theory and truth",
            command(*asked, "--json"),
            "Bits that a significand needs, for heads built by each strategy: what was observed (– where more than 4096), what is proved of "
            "these very weights, and the bits that the closed formula of Theorem 2 requires.",
            table(["strategy", "collapse", "certified", "theorem"], rows)]


def tolerance(program, path, kernel):
    """None if the inputs are not in the format of the model."""
    asked = [program, "tolerance", path, "--kernel", kernel, "--causal", "--json"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def kernels(program, examples, listed):
    rows = []
    for name in (each["name"] for each in listed["kernels"]):
        bound = tolerance(program, os.path.join(examples, "attention.safetensors"), name)
        if bound:
            rows.append((f"`{name}`", bound["median_bound"], bound["max_bound"], f"{bound['finite']} of {bound['elements']}"))
    return ["## What a correct kernel may differ",
            command("tolerance", "examples/attention.safetensors", "--kernel", "MODEL", "--causal", "--json"),
            "Proved bounds on the distance to the exact value, over all elements of the output, for every shipped model that takes these inputs.",
            table(["model", "median", "largest", "elements with a bound"], rows)]


def speeds(path):
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    rows = [(each["work"], each["fast"], each["baseline"], f"{each['seconds'] * 1e6:.3g}", f"{each['ratio']:.3g}") for each in record["races"]]
    return [f"## Speed: {record['cpu']}, {record['kernel']}",
            "`bench/bench-baselines --json`",
            "Races in one process on one core, contestants taking turns: how many times faster the first one is than the second. "
            f"Recorded with attest {record['versions']['attest']}.",
            table(["work", "first", "second", "µs", "times faster"], rows)]


def page(program, tree):
    examples = os.path.join(tree, "examples")
    listed = json.loads(subprocess.run([program, "show", "--json"], check=True, capture_output=True, text=True).stdout)
    parts = ["# Figures", "Every number on this page is what the command above it prints; none is typed. `doc/judge-measured.md` and "
             "`doc/quantised-heads.md` have longer measurements."]
    parts += formats(program, examples) + strategies(program, examples) + kernels(program, examples, listed)
    for path in sorted(glob.glob(os.path.join(tree, "bench", "records", "*.json"))):
        parts += speeds(path)
    return "\n\n".join(parts) + "\n"
