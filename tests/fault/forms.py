"""Forms of all commands, small enough to be run thousands of times, and the inputs that they read.

What a form writes is called made. A form ends with exit code 0, 1, or 3 where its verdict stays open.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys


# Times and rates, which are others in every run: as text, in JSON, in observations, in JUnit.
CHANGING = re.compile(rb"\([0-9.e+]+/s\)|[0-9.e+-]+ s\b|\"(?:[a-z_]*(?:seconds|per_second|rate)[a-z_]*|execute:test)\": *\"?[0-9a-fx.+p-]+\"?|"
                      rb" time=\"[0-9.e+-]+\"")


def steady(text):
    """What is the same in every run."""
    return CHANGING.sub(b"", text)


def write_safetensors(path, tensors):
    """tensors: name -> (dtype, shape, bytes)."""
    header, body = {}, b""
    for name, (dtype, shape, values) in tensors.items():
        header[name] = dict(dtype=dtype, shape=shape, data_offsets=[len(body), len(body) + len(values)])
        body += values
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


def write_json(path, value):
    with open(path, "w") as file:
        json.dump(value, file)


def prepare(works, directory, source, own):
    """Makes the inputs in directory; works(arguments, directory) runs a command that must work, own is a shared object
    with properties, or None."""
    pair, soft, hard = (f"{source}/examples/{name}.json" for name in ("universal-pair", "softmax", "hardmax"))
    os.mkdir(directory)
    write_safetensors(f"{directory}/qkv.safetensors", {name: ("BF16", [rows, 4], b"".join(
        struct.pack("<f", (7 * i % 11 - 5) / 8)[2:] for i in range(rows * 4))) for name, rows in (("q", 3), ("k", 5), ("v", 5))} | {
            "factor": ("F32", [], struct.pack("<f", 0.5)),
            "pages": ("BF16", [3, 2, 1, 4], b"".join(struct.pack("<f", (7 * i % 11 - 5) / 8)[2:] for i in range(24))),
            "cu_q": ("I32", [3], struct.pack("<3i", 0, 1, 3)), "cu_k": ("I64", [3], struct.pack("<3q", 0, 2, 5)),
            "lengths": ("U8", [2], bytes([3, 2])), "table": ("I32", [2, 2], struct.pack("<4i", 2, 0, 1, -1)),
            "lse": ("F32", [3], struct.pack("<3f", 1, 2, 3)),
            "out_parts": ("F32", [2, 3, 1], struct.pack("<6f", *[1] * 6)), "lse_parts": ("F32", [2, 3], struct.pack("<6f", *[0] * 6)),
            "merged": ("F32", [3, 1], struct.pack("<3f", 1, 1, 1))})
    dataset = {"format": "attest/dataset", "version": 1, "sequences": [[[1, 0], [2, 1]], [[1, 0], [3, 1]]]}
    write_json(f"{directory}/labels.json", dataset | {"labels": [[[1], [2]], [[3], [4]]]})
    one = [[1, 0], [0, 1]]
    head = {"WQ": one, "WK": one, "WV": one, "WO": one, "bQ": [1, 0], "bK": [0, 1], "bV": [1, 1], "bO": [0, "1/2"], "gQ": [1, 2],
            "gK": [2, 1], "alibi": "1/2"}
    write_json(f"{directory}/form.json", {"format": "attest/weights", "version": 1, "activation": "softmax", "mask": "causal", "heads": [head],
                                       "rotary": {"dims": 2, "theta": "100"}, "norm": {"kind": "rms", "eps": "1e-5"},
                                       "head_norm": {"eps": "1e-6", "over": "head"}, "softcap": "5"})
    with open(f"{directory}/numbers", "w") as file:
        file.write("3f800000 40000000\n")
    with open(f"{directory}/number", "w") as file:
        file.write("3f800000\n")
    with open(f"{directory}/words", "w") as file:
        file.write("one A\ntwo B\n\none A\n")
    os.mkdir(f"{directory}/model")
    subprocess.run([sys.executable, f"{source}/tests/ref/model_qkv.py", "make", f"{directory}/model", "llama"], check=True,
                   stdout=subprocess.DEVNULL)
    shards = ["campaign", "lemma1", "--trials", "70", "--jobs", "1", "--out"]
    for arguments in (
            ["certify", pair, "--weights", soft, "-o", "proved.json"],
            ["certify", pair, "--weights", hard, "-o", "refuted.json"],
            ["certify", "labels.json", "--weights", "form.json", "-o", "formed.json"],
            ["counterexample", "-o", "counterexample.json"],
            [*shards, "shard1", "--shard", "1/2"], [*shards, "shard2", "--shard", "2/2"],
            ["campaign", "lemma1", "--trials", "200", "--jobs", "1", "--out", "begun"],
            ["audit", pair, "--weights", soft, "--formats", "bfloat16", "--jobs", "1", "-o", "audited"],
            ["audit", pair, "--weights", soft, "--formats", "p=2", "--jobs", "1", "--quick", "-o", "collided"],
            ["construct", pair, "--strategy", "gap", "-o", "rank1.json"],
            ["certify", pair, "--weights", "rank1.json", "-m", "first-difference", "-o", "first.json"],
            ["simulate", "qkv.safetensors", "--kernel", "hopper-bf16-64", "-o", "out.safetensors"],
            ["memorize", "labels.json", "-o", "network.json"],
            ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "-o", "judged.json"],
            ["approximate", "--function", "sum", "--grid", "4", "--csv", "errors.csv"]):
        works(arguments, directory)
    os.truncate(f"{directory}/begun/journal", os.path.getsize(f"{directory}/begun/journal") // 2)
    os.mkdir(f"{directory}/kept")
    shutil.copy(f"{source}/tests/corpus/lemma1-tightest.json", f"{directory}/kept")
    os.mkdir(f"{directory}/records")
    for name in ("proved.json", "counterexample.json", "judged.json", "errors.csv", "audited", "collided", "shard1"):
        copy = shutil.copytree if os.path.isdir(f"{directory}/{name}") else shutil.copy
        copy(f"{directory}/{name}", f"{directory}/records/{name}")
    if own:
        works(["campaign", "own-search", "--load", own, "--trials", "50", "--jobs", "1", "--out", "own"], directory)
        shutil.copy(next(f"{directory}/own/{name}" for name in os.listdir(f"{directory}/own") if name.startswith("own-search")), f"{directory}/own.json")


def commands(source, own):
    """All forms, as lists of arguments."""
    examples = f"{source}/examples"
    pair, soft, hard = (f"{examples}/{name}.json" for name in ("universal-pair", "softmax", "hardmax"))
    model = ["--arch", "llama", "--model", "model/model.safetensors", "--activations", "model/stream.safetensors", "--stream",
             "hidden_states.{}", "--layer", "0"]
    forms = [
        ["show"], ["show", "--json"], ["show", "theorem2"], ["show", "theorem2", "--json"], ["show", "delta"],
        ["show", "kernel", "bf16-flash2"], ["show", "kernel", "bf16-flash2", "--json"],
        ["eval", pair, "--weights", hard], ["eval", pair, "--weights", soft, "--json"],
        ["separated", pair], ["separated", pair, "--eps", "1/2", "--json"],
        ["certify", pair, "--weights", soft], ["certify", pair, "--weights", hard, "--json"],
        ["certify", pair, "--weights", soft, "-m", "ball", "-o", "made"],
        ["certify", pair, "--weights", hard, "-m", "exact", "--delta", "1/100", "--r", "14"],
        ["check", "proved.json", "refuted.json"], ["check", "proved.json", "--json"],
        ["construct", pair, "--strategy", "tuned"], ["construct", pair, "--strategy", "gap", "--json"],
        ["construct", pair, "--strategy", "theorem", "-o", "made"],
        ["counterexample"], ["counterexample", "--json"], ["counterexample", "-o", "made"],
        ["replay", "counterexample.json"], ["replay", "counterexample.json", "--json"],
        ["memorize", "labels.json"], ["memorize", "labels.json", "--json"],
        ["approximate", "--function", "sum", "--grid", "4"], ["approximate", "--function", "sum", "--grid", "4", "--json"],
        ["audit", pair, "--weights", soft, "--formats", "bfloat16", "--jobs", "1", "--quick"],
        ["audit", pair, "--weights", soft, "--formats", "bfloat16", "--jobs", "1", "--quick", "--json"],
        ["campaign", "lemma1", "--trials", "10", "--jobs", "1"],
        ["campaign", "merge", "shard1", "shard2", "-o", "made"], ["campaign", "status", "shard1"],
        ["report", "audited", "-o", "made"],
        ["import", f"{examples}/attention.safetensors", "--list"],
        ["tolerance", "qkv.safetensors", "--kernel", "bf16-any", "--jobs", "1"],
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--jobs", "1"],
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--json", "--jobs", "1"],
        ["simulate", "qkv.safetensors", "--kernel", "hopper-bf16-64", "-o", "made"],
        ["range", "qkv.safetensors", "--kernel", "fp8-lazy"],
        ["dot", "tc:hopper", "fp16", "numbers", "numbers"],
        # other forms of the same commands
        ["eval", pair, "--weights", soft, "--number", "binary16"], ["eval", pair, "--weights", soft, "--number", "double"],
        ["eval", pair, "--weights", soft, "--bits", "300", "-o", "made"], ["eval", "labels.json", "--weights", "network.json"],
        ["separated", pair, "--r-min", "1/2", "--r-max", "100"],
        ["certify", pair, "--weights", "rank1.json", "-m", "first-difference", "-o", "made"],
        ["certify", pair, "--weights", soft, "-m", "filter", "--json"], ["check", "first.json"],
        ["construct", pair, "--strategy", "tuned", "--json"], ["construct", pair, "--strategy", "gap", "-o", "made"],
        ["counterexample", "--list"], ["counterexample", "--list", "--json"], ["counterexample", "--show", "leftmost-zero"],
        ["counterexample", "--weights", hard, "--vocabulary", pair, "--json"], ["counterexample", "--search"],
        ["replay", "collided/collision-p-2.json"],
        ["memorize", "labels.json", "--positional", "-o", "made"], ["memorize", "words", "--embed", "hash:4"],
        ["approximate", "--function", "product", "--grid", "4", "-o", "made"],
        ["approximate", "--function", "sum", "--grid", "4", "--csv", "made"],
        ["audit", pair, "--construct", "tuned", "--formats", "p=12", "--jobs", "1", "--quick", "-o", "made"],
        ["audit", pair, "--weights", hard, "--formats", "binary16", "--jobs", "1", "--quick", "--report", "made"],
        ["audit", pair, "--weights", soft, "--formats", "bfloat16", "--jobs", "1", "--quick", "--gate", "audited/audit.json"],
        ["heads", "qkv.safetensors", "--formats", "bfloat16", "--jobs", "1"],
        ["heads", "qkv.safetensors", "--formats", "bfloat16", "--jobs", "1", "--all", "--json"],
        ["campaign", "lemma1", "--trials", "10", "--jobs", "1", "--json"], ["campaign", "lemma1", "--trials", "10", "--jobs", "1", "--tap"],
        ["campaign", "lemma1", "--trials", "10", "--jobs", "1", "--observe", "--out", "made"],
        ["campaign", "merge", "shard1", "shard2", "-o", "made", "--json"], ["campaign", "merge", "shard1", "-o", "made", "--partial"],
        ["campaign", "status", "shard1", "shard2", "--json"],
        ["report", "shard1", "-o", "made"], ["report", "shard1", "--tap"], ["report", "audited", "--csv", "made"],
        ["report", "shard1", "--junit", "made"], ["report", "audited", "--svg", "made"], ["report", "audited", "--json", "-o", "made"],
        ["import", f"{examples}/devil/model.safetensors", "--arch", "gpt2", "--heads", "4", "--scale", "rsqrt", "-o", "made"],
        ["tolerance", "qkv.safetensors", "--kernel", "bf16-any", "--jobs", "1", "--json", "--check", "1e-3,1e-3"],
        ["tolerance", "qkv.safetensors", "--kernel", "bf16-any", "--jobs", "1", "-o", "made"],
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--jobs", "1", "--lse", "qkv.safetensors", "--json"],
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--jobs", "1", "--lse", "qkv.safetensors:lse"],
        ["judge", "--merge", "qkv.safetensors", "qkv.safetensors:merged", "--kernel", "fp32-any", "--lse", "qkv.safetensors"],
        ["judge", "--merge", "qkv.safetensors", "qkv.safetensors:merged", "--kernel", "fp32-any", "--json"],
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--jobs", "1", "--against",
         "out.safetensors"],
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--jobs", "1", "-o", "made"],
        ["range", "qkv.safetensors", "--kernel", "fp8-lazy", "--json"], ["dot", "tc:volta", "fp16", "numbers", "numbers", "--json"],
        ["campaign", "new", "mine", "-o", "made"],
        # weights with positions, norms, biases and a softcap
        ["eval", "labels.json", "--weights", "form.json"], ["certify", "labels.json", "--weights", "form.json", "--json"],
        ["check", "formed.json"],
        # several processes
        ["certify", pair, "--weights", soft, "--jobs", "2"], ["check", "proved.json", "--jobs", "2"],
        ["separated", pair, "--jobs", "2"], ["memorize", "labels.json", "--jobs", "2"],
        ["approximate", "--function", "sum", "--grid", "4", "--jobs", "2"],
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--jobs", "2"],
        ["audit", pair, "--weights", soft, "--formats", "bfloat16,p=3", "--jobs", "2", "--quick"],
        ["campaign", "lemma1", "--trials", "10", "--jobs", "2"],
        # audits of models, of kernels, in parts
        ["heads", *model, "--formats", "bfloat16", "--jobs", "1"], ["heads", *model, "--formats", "p=4", "--jobs", "1", "--save-qkv", "made"],
        ["audit", pair, "--weights", soft, "--stage", "kv=e4m3fn:per-head,p=bfloat16", "--formats", "binary32", "--jobs", "1", "--quick"],
        ["heads", "qkv.safetensors", "--kernel", "hopper-bf16-64", "--formats", "bfloat16", "--jobs", "1"],
        ["heads", "qkv.safetensors", "--all", "--parts", "made", "--shard", "1/1", "--formats", "p=4", "--jobs", "1"],
        ["heads", "qkv.safetensors", "--all", "--parts", "made", "--slurm", "2", "--dry-run"],
        ["audit", pair, "--weights", soft, "--compare", "--formats", "p=4", "--jobs", "1", "--quick"],
        ["audit", pair, "--weights", soft, "--round", "stochastic", "--formats", "p=4", "--jobs", "1", "--sweep", "2..6"],
        # campaigns that go on, that find something, of own properties, for Slurm
        ["campaign", "lemma1", "--trials", "200", "--jobs", "1", "--out", "made", "--resume"],
        ["campaign", "theorem1", "--without", "collinear", "--trials", "5", "--jobs", "1", "--out", "made"],
        ["campaign", "lemma1", "--trials", "5", "--jobs", "1", "--corpus", "kept", "--junit", "made"],
        ["campaign", "all", "--trials", "100", "--out", "made", "--slurm", "3", "--dry-run", "--sbatch", "--partition='a b'"],
        # what is replayed, found and shown
        *(["replay", f"{source}/tests/corpus/{name}.json"] for name in (
            "contextual-11-bits", "saturation-without-safe-threshold", "theorem2-tightest", "approximate-tightest",
            "softmax_jacobian-tightest", "separatedness-tightest")),
        ["counterexample", "--weights", hard, "--vocabulary", pair, "--least"],
        ["import", f"{examples}/attention.safetensors", "--list", "--json"],
        ["import", "model/model.safetensors", "--arch", "llama", "--layer", "1", "--head", "0/4", "--scale", "rsqrt", "-o", "made"],
        ["report", "records", "-o", "made"], ["report", "records", "--json"],
        ["show", "kernels"], ["show", "--color", "always"], ["help", "audit"], ["--version"],
        # kernels that quantise
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--quantise", "kv=e4m3fn:per-head", "--jobs", "1"],
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--scale", "3", "--causal", "--jobs", "1"],
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--rows", "2", "--printed", "2", "--jobs", "1"],
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--cu-seqlens-q", "cu_q", "--cu-seqlens-k", "cu_k",
         "--jobs", "1"],
        ["tolerance", "qkv.safetensors", "--kernel", "bf16-any", "--cu-seqlens-q", "cu_q", "--k", "pages", "--v", "pages", "--lengths",
         "lengths", "--block-table", "table", "--jobs", "1"],
        ["judge", "qkv.safetensors", "out.safetensors", "--kernel", "bf16-any", "--past-k", "k", "--past-v", "v", "--jobs", "1"],
        ["tolerance", "qkv.safetensors", "--kernel", "bf16-any", "--k-descale", "factor", "--softcap", "5", "--jobs", "1"],
        ["simulate", "qkv.safetensors", "--kernel", "hopper-bf16-64", "--q-descale", "factor", "--causal", "-o", "made"],
        ["range", "qkv.safetensors", "--kernel", "fp8-lazy", "--max-error", "1/8", "-o", "made"],
        ["dot", "tc:hopper", "e4m3fn", "numbers", "numbers", "number", "--promote", "32", "-o", "made"],
        # the tour and the races
        ["demo", "-o", "made"],
    ]
    if own:
        forms += [["campaign", "own-order", "--load", own, "--trials", "10", "--jobs", "1"], ["replay", "own.json", "--load", own]]
    return forms
