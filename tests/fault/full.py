"""A disk that is full after K bytes of a file, for commands that write one or several: exit code 4 with one
line that says so, and every file whole or not there; or all of it.

usage: full.py ATTEST SOURCE DIR [MOST]: at most MOST values of K per command, evenly spaced; every byte
without it. RLIMIT_FSIZE stands for the disk. Prints TAP, a line per command.
"""
import os
import resource
import shutil
import signal
import subprocess
import sys

import forms

attest, source, directory = sys.argv[1:4]
most = int(sys.argv[4]) if len(sys.argv) > 4 else None
os.environ["SOURCE_DATE_EPOCH"] = "0"
examples = source + "/examples"
pair, soft, qkv = f"{examples}/universal-pair.json", f"{examples}/softmax.json", f"{examples}/attention.safetensors"
made = f"{directory}/made"


def run(arguments, limit=None):
    def restrict():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run([attest, *arguments], preexec_fn=restrict, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def clear():
    shutil.rmtree(made, ignore_errors=True)
    if os.path.exists(made):
        os.remove(made)


def files():
    paths = [os.path.join(made, f) for f in os.listdir(made)] if os.path.isdir(made) else [made] * os.path.exists(made)
    return {os.path.basename(p): open(p, "rb").read() for p in paths if os.path.basename(p) != "lock"}


def whole(name, text, right):
    """A journal may end with any record; another file is what it should be."""
    if name == "journal":
        return True
    return name in right and forms.steady(text) == forms.steady(right[name])


def attack(arguments):
    clear()
    expected = run(arguments)
    right, wrong = files(), []
    end = max(map(len, right.values()))
    places = range(0, end + 1) if most is None else range(0, end + 1, max(1, end // most))
    for limit in places:
        clear()
        got = run(arguments, limit)
        if got.returncode == 4:
            if len(got.stderr.splitlines()) != 1 or b"File too large" not in got.stderr:
                wrong.append(f"{limit} bytes: {got.stderr!r}")
        elif got.returncode != expected.returncode:
            wrong.append(f"{limit} bytes: exit {got.returncode}: {got.stderr!r}")
        elif files().keys() != right.keys():
            wrong.append(f"{limit} bytes: exit {got.returncode}, but not all files")
        wrong += [f"{limit} bytes: {name} is not whole" for name, text in files().items() if not whole(name, text, right)]
    return len(places), wrong


def main():
    for k in "1", "2":
        run(["campaign", "lemma1", "--trials", "70", "--shard", f"{k}/2", "--out", f"{directory}/s{k}", "--jobs", "1"])
    commands = {
        "merge": ["campaign", "merge", f"{directory}/s1", f"{directory}/s2", "-o", made],
        "campaign": ["campaign", "lemma1", "--trials", "70", "--observe", "--out", made, "--jobs", "1"],
        "audit": ["audit", pair, "--weights", soft, "--formats", "bfloat16", "--quick", "--jobs", "1", "-o", made],
        "judge": ["judge", qkv, qkv + ":y", "--kernel", "fp32-any", "--jobs", "1", "-o", made],
        "tolerance": ["tolerance", qkv, "--kernel", "fp32-any", "--jobs", "1", "-o", made],
        "certify": ["certify", pair, "--weights", soft, "-o", made],
    }
    print(f"1..{len(commands)}")
    for i, (name, arguments) in enumerate(commands.items(), 1):
        runs, wrong = attack(arguments)
        print("ok" if not wrong else "not ok", i, "-", f"{name}: full at {runs} places, {len(wrong)} wrong", flush=True)
        for line in wrong[:5]:
            print("#", line)


main()
