"""SIGKILL at random moments, of whole process groups, of parents alone, of workers alone: nothing that was
acknowledged is lost, every file is whole or not there, and the report is that of a calm campaign.

usage: kills.py ATTEST SOURCE DIR KILLS. Prints TAP. What passes does not depend on the moments.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

attest, source, directory, kills = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
os.environ["SOURCE_DATE_EPOCH"] = "0"
random.seed(int(os.environ.get("ATTEST_SEED") or "1", 0))
CHANGING = re.compile(rb"\"[a-z_]*(?:seconds|per_second)[a-z_]*\": *[0-9.e+-]+")
TRIALS = "3000"
count = 0


def tell(holds, text):
    global count
    count += 1
    print("ok" if holds else "not ok", count, "-", text, flush=True)


def start(arguments):
    return subprocess.Popen([attest, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, start_new_session=True)


def children(process):
    try:
        return [int(pid) for pid in open(f"/proc/{process.pid}/task/{process.pid}/children").read().split()]
    except OSError:
        return []


def kill(process, whom):
    """True if somebody was there to be killed."""
    if process.poll() is not None:
        return False
    try:
        if whom == "group":
            os.killpg(process.pid, signal.SIGKILL)
        elif whom == "parent":
            process.send_signal(signal.SIGKILL)
        else:
            workers = children(process)
            if not workers:
                return False
            os.kill(random.choice(workers), signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def campaign(out):
    return ["campaign", "lemma1", "theorem1", "--trials", TRIALS, "--jobs", "2", "--out", out, "--resume"]


def report(out):
    return CHANGING.sub(b"", open(out + "/report.json", "rb").read())


def hunt_campaigns(whom, number, calm):
    """Kills campaigns that go on each time; returns what went wrong."""
    out, done, ended, before = f"{directory}/{whom}", 0, 0, b""
    while done < number:
        process = start(campaign(out))
        time.sleep(random.uniform(0, 0.08))
        done += kill(process, whom)
        message = process.communicate()[1]
        if process.returncode == 0:
            ended += 1
            if report(out) != calm:
                return "another report"
            shutil.rmtree(out)
            before = b""
            continue
        if process.returncode != -9:
            return f"exit {process.returncode}: {message}"
        now = open(out + "/journal", "rb").read() if os.path.exists(out + "/journal") else b""
        if not now.startswith(before):
            return "a record was lost"
        before = now[:now.rfind(b"\nattest-record ") + 1]
    subprocess.run([attest, *campaign(out)], stdout=subprocess.DEVNULL, check=True)
    return None if report(out) == calm else "another report in the end"


def hunt_workers(number):
    """Kills workers while campaigns go on: every trial is told of, those that a kill hit are undecided."""
    out, done = f"{directory}/worker", 0
    while done < number:
        shutil.rmtree(out, ignore_errors=True)
        process, here = start(campaign(out)), 0
        while process.poll() is None:
            time.sleep(random.uniform(0, 0.02))
            here += kill(process, "worker")
        message = process.communicate()[1]
        done += here
        if process.returncode not in (0, 3):
            return f"exit {process.returncode}: {message}"
        for p in json.load(open(out + "/report.json"))["properties"]:
            told = p["passed"] + p["failed"] + p["discarded"] + p["undecided"]
            if told != p["trials"] or p["trials"] != int(TRIALS) or p["failed"]:
                return f"{p['name']}: {told} of {p['trials']} trials"
    return None


def hunt_product(name, arguments, number):
    """Kills a command that writes made: each file of it is what it should be, or is not there."""
    made, done, whole = f"{directory}/made-{name}", 0, 0
    arguments = [made if a == "MADE" else a for a in arguments]

    def files():
        if os.path.isfile(made):
            return {"": CHANGING.sub(b"", open(made, "rb").read())}
        return {f: CHANGING.sub(b"", open(f"{made}/{f}", "rb").read())
                for f in (os.listdir(made) if os.path.isdir(made) else []) if f != "lock"}

    subprocess.run([attest, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    right = files()
    while done < number:
        shutil.rmtree(made, ignore_errors=True)
        if os.path.exists(made):
            os.remove(made)
        process = start(arguments)
        time.sleep(random.uniform(0, 0.06))
        done += kill(process, "group")
        process.communicate()
        whole += process.returncode != -9
        for file, text in files().items():
            if text != right.get(file) and not (file == "journal" and right[file].startswith(text)):
                return f"{file} is not whole"
        if done + whole > 20 * number:
            return None
    return None if right else "makes nothing"


def main():
    calm_directory = f"{directory}/calm"
    subprocess.run([attest, *campaign(calm_directory)], stdout=subprocess.DEVNULL, check=True)
    calm = report(calm_directory)
    share = max(1, kills // 4)
    for whom in "group", "parent":
        wrong = hunt_campaigns(whom, share, calm)
        tell(not wrong, f"campaigns, {share} kills, {whom}: {wrong or 'nothing is lost'}")
    wrong = hunt_workers(share)
    tell(not wrong, f"workers alone, {share} kills: {wrong or 'nothing is lost'}")
    for k in "1", "2":
        subprocess.run([attest, "campaign", "lemma1", "--trials", "2000", "--shard", f"{k}/2", "--out", f"{directory}/s{k}"],
                       stdout=subprocess.DEVNULL, check=True)
    examples, few = source + "/examples", max(1, share // 3)
    qkv = examples + "/attention.safetensors"
    for name, arguments in {
            "merge": ["campaign", "merge", f"{directory}/s1", f"{directory}/s2", "-o", "MADE"],
            "audit": ["audit", examples + "/universal-pair.json", "--weights", examples + "/softmax.json", "--formats",
                      "bfloat16,binary16", "--quick", "-o", "MADE"],
            "judge": ["judge", qkv, qkv + ":y", "--kernel", "fp32-any", "-o", "MADE"]}.items():
        wrong = hunt_product(name, arguments, few)
        tell(not wrong, f"{name}, {few} kills: {wrong or 'whole or not there'}")
    print(f"1..{count}")


main()
