"""Every allocation fails, once and from then on, over all commands: exit code 4 with one line, or the
right output with the right exit code; never a crash, never other output.

usage: allocations.py ATTEST PRELOAD SOURCE [MOST]: at most MOST places per command and kind, evenly
spaced; all of them without it. ATTEST_COMMANDS='a regular expression' runs the commands that match.
Prints TAP, a line per command.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

attest, preload, source = (os.path.abspath(path) for path in sys.argv[1:4])
most = int(sys.argv[4]) if len(sys.argv) > 4 else None
examples = os.path.join(source, "examples")
work = tempfile.mkdtemp()
pair, soft, hard = (f"{examples}/{name}.json" for name in ("universal-pair", "softmax", "hardmax"))


def run(arguments, folder, **variables):
    environment = dict(os.environ, SOURCE_DATE_EPOCH="0", **variables)
    return subprocess.run([attest, *arguments], cwd=folder, env=environment, timeout=300,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def works(arguments, folder, **variables):
    """A run without failures: what is refused would show nothing."""
    got = run(arguments, folder, **variables)
    assert got.returncode in (0, 1), (arguments, got.returncode, got.stderr)
    return got


def prepare():
    """Inputs of the commands below, made once."""
    import array, json, struct
    folder = os.path.join(work, "in")
    os.mkdir(folder)
    for arguments in (["certify", pair, "--weights", soft, "-o", "proved.json"],
                      ["certify", pair, "--weights", hard, "-o", "refuted.json"],
                      ["counterexample", "-o", "counterexample.json"],
                      ["campaign", "lemma1", "--trials", "70", "--shard", "1/2", "--out", "shard1", "--jobs", "1"],
                      ["campaign", "lemma1", "--trials", "70", "--shard", "2/2", "--out", "shard2", "--jobs", "1"],
                      ["audit", pair, "--weights", soft, "--formats", "bfloat16", "--jobs", "1", "-o", "audited"],
                      ["audit", pair, "--weights", soft, "--formats", "p=2", "--jobs", "1", "--quick", "-o", "collided"],
                      ["construct", pair, "--strategy", "gap", "-o", "rank1.json"],
                      ["certify", pair, "--weights", "rank1.json", "-m", "first-difference", "-o", "first.json"]):
        works(arguments, folder)
    header, body = {}, b""
    for name, rows in (("q", 3), ("k", 5), ("v", 5)):
        values = b"".join(struct.pack("<f", (7 * i % 11 - 5) / 8)[2:] for i in range(rows * 4))
        header[name] = dict(dtype="BF16", shape=[rows, 4], data_offsets=[len(body), len(body) + len(values)])
        body += values
    text = json.dumps(header).encode()
    with open(f"{folder}/qkv.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)
    works(["simulate", "qkv.safetensors", "--kernel", "hopper-bf16-64", "-o", "out.safetensors"], folder)
    with open(f"{folder}/numbers", "w") as file:
        file.write("3f800000 40000000\n")
    with open(f"{folder}/labels.json", "w") as file:
        json.dump({"format": "attest/dataset", "version": 1, "sequences": [[[1, 0], [2, 1]], [[1, 0], [3, 1]]],
                   "labels": [[[1], [2]], [[3], [4]]]}, file)
    works(["memorize", "labels.json", "-o", "network.json"], folder)
    with open(f"{folder}/words", "w") as file:
        file.write("one A\ntwo B\n\none A\n")
    return folder


COMMANDS = [
    ["list"], ["list", "--json"], ["show", "theorem2"], ["show", "theorem2", "--json"], ["show", "delta"],
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
    ["merge", "shard1", "shard2", "-o", "made"], ["status", "shard1"],
    ["report", "audited", "-o", "made"],
    ["import", f"{examples}/attention.safetensors", "--list"],
    ["tolerance", "qkv.safetensors", "--kernel", "bf16-any", "--jobs", "1"],
    ["judge", "qkv.safetensors", "--output", "out.safetensors", "--kernel", "bf16-any", "--jobs", "1"],
    ["judge", "qkv.safetensors", "--output", "out.safetensors", "--kernel", "bf16-any", "--json", "--jobs", "1"],
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
    ["audit", "--qkv", "qkv.safetensors", "--formats", "bfloat16", "--jobs", "1"],
    ["audit", "--qkv", "qkv.safetensors", "--formats", "bfloat16", "--jobs", "1", "--all", "--json"],
    ["campaign", "lemma1", "--trials", "10", "--jobs", "1", "--json"], ["campaign", "lemma1", "--trials", "10", "--jobs", "1", "--tap"],
    ["campaign", "lemma1", "--trials", "10", "--jobs", "1", "--observe", "--out", "made"],
    ["merge", "shard1", "shard2", "-o", "made", "--json"], ["merge", "shard1", "-o", "made", "--partial"],
    ["status", "shard1", "shard2", "--json"],
    ["report", "shard1", "-o", "made"], ["report", "shard1", "--tap"], ["report", "audited", "--csv", "made"],
    ["report", "shard1", "--junit", "made"], ["report", "audited", "--svg", "made"], ["report", "audited", "--json", "-o", "made"],
    ["import", f"{examples}/devil/model.safetensors", "--arch", "gpt2", "--heads", "4", "--scale", "rsqrt", "-o", "made"],
    ["tolerance", "qkv.safetensors", "--kernel", "bf16-any", "--jobs", "1", "--json", "--given", "1e-3,1e-3"],
    ["tolerance", "qkv.safetensors", "--kernel", "bf16-any", "--jobs", "1", "-o", "made"],
    ["judge", "qkv.safetensors", "--output", "out.safetensors", "--kernel", "bf16-any", "--jobs", "1", "--against",
     "out.safetensors"],
    ["judge", "qkv.safetensors", "--output", "out.safetensors", "--kernel", "bf16-any", "--jobs", "1", "-o", "made"],
    ["range", "qkv.safetensors", "--kernel", "fp8-lazy", "--json"], ["dot", "tc:volta", "fp16", "numbers", "numbers", "--json"],
    ["new-property", "mine", "-o", "made"],
]
CHANGING = re.compile(rb"\([0-9.e+]+/s\)|[0-9.e+-]+ s\b|\"[a-z_]*seconds[a-z_]*\": *[0-9.e+-]+|"
                      rb"\"[a-z_]*rate[a-z_]*\": *[0-9.e+-]+")


def product(folder):
    """What -o made: the bytes of the file, or of the files in the folder."""
    made = os.path.join(folder, "made")
    if os.path.isdir(made):
        return sorted((name, CHANGING.sub(b"", open(os.path.join(made, name), "rb").read()))
                      for name in os.listdir(made) if name != "journal")
    return open(made, "rb").read() if os.path.exists(made) else None


def clear(folder):
    made = os.path.join(folder, "made")
    shutil.rmtree(made, ignore_errors=True)
    if os.path.exists(made):
        os.remove(made)


def wrong(right, made, got, folder):
    """What is wrong with a run under failure, or None."""
    code = got.returncode
    if code == 4:
        lines = got.stderr.splitlines()
        if len(lines) != 1 or not lines[0].startswith(b"attest: "):
            return f"exit 4 with {len(lines)} lines: {got.stderr[:200]!r}"
        return None
    if code != right.returncode:
        return f"exit {code}, {right.returncode} is right: {got.stderr[:200]!r}"
    if CHANGING.sub(b"", got.stdout) != CHANGING.sub(b"", right.stdout):
        return "other output, exit %d" % code
    if product(folder) != made:
        return "another file, exit %d" % code
    return None


def attack(arguments, folder):
    """Failures of one command: how many runs, and what went wrong."""
    count = os.path.join(work, "count")
    clear(folder)
    right = works(arguments, folder, LD_PRELOAD=preload, ATTEST_PRELOAD_COUNT=count)
    made = product(folder)
    number = int(open(count).read())
    step = 1 if not most else max(1, number // most)
    places, complaints = range(1, number + 1, step), []
    for k in places:
        for kind in ("", "+"):
            clear(folder)
            try:
                got = run(arguments, folder, LD_PRELOAD=preload, ATTEST_PRELOAD=f"{k}{kind}")
                trouble = wrong(right, made, got, folder)
            except subprocess.TimeoutExpired:
                trouble = "hangs"
            if trouble:
                complaints.append(f"allocation {k}{kind} of {number}: {trouble}")
    return 2 * len(places), complaints


def main():
    folder, failed = prepare(), 0
    chosen = re.compile(os.environ.get("ATTEST_COMMANDS", "."))
    commands = [(a, " ".join(os.path.basename(word) for word in a)) for a in COMMANDS]
    commands = [(a, shown) for a, shown in commands if chosen.search(shown)]
    print(f"1..{len(commands)}")
    for i, (arguments, shown) in enumerate(commands, 1):
        runs, complaints = attack(arguments, folder)
        print("ok" if not complaints else "not ok", i, "-", f"{shown}: {runs} failures, {len(complaints)} wrong",
              flush=True)
        for line in complaints[:5]:
            print("#", line)
        failed += bool(complaints)
    shutil.rmtree(work)
    sys.exit(failed > 0)


main()
