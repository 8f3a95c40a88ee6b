"""Every allocation fails, once and from then on, over all commands: exit code 4 with one line, or the
right output with the right exit code; never a crash, never other output. In the workers of campaigns, too: a trial
that there is no memory for is undecided, and says so.

usage: allocations.py ATTEST PRELOAD SOURCE MOST: at most MOST places per command and kind, evenly spaced;
"stacks": of the allocations that the same calls lead to, the first, the second, the middle one and the last;
"all". ATTEST_COMMANDS='a regular expression' runs the commands that match. Prints TAP, a line per command.
"""
import collections
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import forms

attest, preload, source = (os.path.abspath(path) for path in sys.argv[1:4])
most = sys.argv[4]
own = os.path.abspath(os.path.join(os.environ.get("builddir", "."), "tests/load/.libs/own-property.so"))
own = own if os.path.exists(own) else None
work = tempfile.mkdtemp()
# The tour takes seconds: so many places of it, and none in a short test. It prints the hashes of files with times.
LONG, UNSTEADY = {"demo": 8}, ("demo",)


def environment(**variables):
    return dict(os.environ, SOURCE_DATE_EPOCH="0", **variables)


def works(arguments, directory, **variables):
    """A run without failures: what is refused would show nothing."""
    got = subprocess.run([attest, *arguments], cwd=directory, env=environment(**variables), timeout=300,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert got.returncode in (0, 1, 3), (arguments, got.returncode, got.stderr)
    return got


class Server:
    """A command that preload.c has stopped before main, and forks for every place that is to fail."""

    def __init__(self, arguments, directory):
        self.process = subprocess.Popen([attest, *arguments], cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment(LD_PRELOAD=preload, ATTEST_PRELOAD_SERVER=work))

    def run(self, place):
        self.process.stdin.write(f"{place}\n".encode())
        self.process.stdin.flush()
        status, = struct.unpack("=i", self.process.stdout.read(4))
        said = (open(os.path.join(work, name), "rb").read() for name in ("stdout", "stderr"))
        return subprocess.CompletedProcess(place, os.waitstatus_to_exitcode(status), *said)

    def end(self):
        self.process.communicate()


WITH_WORKERS = ("campaign", "counterexample", "demo")
DIED = re.compile(rb"out of memory|workers? died|\"kind\": \"memory\"")


def product(directory):
    """What -o made: the bytes of the file, or of the files in the directory."""
    made = os.path.join(directory, "made")
    if os.path.isdir(made):
        paths = (os.path.join(place, name) for place, _, names in os.walk(made) for name in names if name != "journal")
        return sorted((path, forms.steady(open(path, "rb").read())) for path in paths)
    return forms.steady(open(made, "rb").read()) if os.path.exists(made) else None


def clear(directory, arguments):
    made = os.path.join(directory, "made")
    shutil.rmtree(made, ignore_errors=True)
    if os.path.exists(made):
        os.remove(made)
    if "--resume" in arguments:
        shutil.copytree(os.path.join(directory, "begun"), made)


def wrong(right, made, got, directory, arguments):
    """What is wrong with a run under failure, or None."""
    code, steady = got.returncode, arguments[0] not in UNSTEADY
    isolated = arguments[0] in WITH_WORKERS or "--load" in arguments  # a property of the user's own has a process, too
    if code == 4:
        lines = [line for line in got.stderr.splitlines() if line not in right.stderr.splitlines()]  # a remark is no error
        if len(lines) != 1 or not lines[0].startswith(b"attest: "):
            return f"exit 4 with {len(lines)} lines: {got.stderr[:200]!r}"
        return None
    if isolated and code in (right.returncode, 3) and DIED.search(got.stdout):
        return None  # what a worker of a campaign had no memory for is undecided, or not shrunk, and that is said
    if code != right.returncode:
        return f"exit {code}, {right.returncode} is right: {got.stderr[:200]!r}"
    if steady and forms.steady(got.stdout) != forms.steady(right.stdout):
        return "other output, exit %d" % code
    if steady and product(directory) != made:
        return "another file, exit %d" % code
    return None


def choose(stacks, command):
    """Which allocations fail: a sorted list of their numbers, from pairs of number and stack."""
    number = max(k for k, _ in stacks)
    if most == "all":
        return range(1, number + 1)
    if most != "stacks" or command in LONG:
        return range(1, number + 1, max(1, number // (LONG.get(command) or int(most))))
    alike = collections.defaultdict(list)
    for k, stack in sorted(set(stacks)):
        alike[stack].append(k)
    return sorted({k for ks in alike.values() for k in (ks[0], ks[1 % len(ks)], ks[len(ks) // 2], ks[-1])})


def attack(arguments, directory):
    """Failures of one command: how many allocations, runs, exits with 4 there are, and what went wrong."""
    told = os.path.join(work, "stacks")
    clear(directory, arguments)
    works(arguments, directory, LD_PRELOAD=preload, ATTEST_PRELOAD_STACKS=told)
    with open(told, "rb") as file:
        stacks = list(struct.iter_unpack("=QQ", file.read()))
    os.remove(told)
    clear(directory, arguments)
    right = works(arguments, directory)
    made = product(directory)
    places, complaints, said = choose(stacks, arguments[0]), [], 0
    server = Server(arguments, directory)
    for place in (f"{k}{kind}" for k in places for kind in ("", "+")):
        clear(directory, arguments)
        got = server.run(place)
        said += got.returncode == 4
        trouble = wrong(right, made, got, directory, arguments)
        if trouble:
            complaints.append(f"allocation {place}: {trouble}")
    server.end()
    return len(set(k for k, _ in stacks)), 2 * len(places), said, complaints


def main():
    directory, failed = os.path.join(work, "in"), 0
    forms.prepare(works, directory, source, own)
    chosen = re.compile(os.environ.get("ATTEST_COMMANDS", "."))
    commands = [(a, " ".join(os.path.basename(word) for word in a)) for a in forms.commands(source, own)]
    commands = [(a, shown) for a, shown in commands if chosen.search(shown) and not (most.isdigit() and a[0] in LONG)]
    print(f"1..{len(commands)}")
    for i, (arguments, shown) in enumerate(commands, 1):
        number, runs, said, complaints = attack(arguments, directory)
        print("ok" if not complaints else "not ok", i, "-", f"{shown}: {number} allocations, {runs} failures, {said} exits 4, "
              f"{runs - said - len(complaints)} right, {len(complaints)} wrong", flush=True)
        for line in complaints[:5]:
            print("#", line)
        failed += bool(complaints)
    shutil.rmtree(work)
    sys.exit(failed > 0)


main()
