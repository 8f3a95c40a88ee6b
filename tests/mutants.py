"""Random small changes of the source, seeded: which, and where.

usage: mutants.py SOURCE SEED NUMBER: so many lines, FILE LINE KIND NEW, separated by tabs: the line of the
file that becomes NEW. Rooms take turns, so that each has its share; in a room every place is as likely, and its
lot does not depend on what stands elsewhere: an edit of the source draws few other changes.
"""
import hashlib
import os
import re
import sys

ROOMS = ["certify", "recheck", "theory", "attention", "audit", "judge", "io", "model", "format", "campaign"]
COMPARISON = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}
# What a test is not asked to notice: texts, memory before it is used and when it is given back (sanitizers do),
# progress, what only asserts.
IGNORED = re.compile(r'"|_error_set|_init\(|memset\(|_clear\(|free\(|_progress_|fclose|close\(|\bassert\b|^\s*(#|/\*|\*|//|case|default)')
# What may be larger: room for more than is used, the numbers by which a comparison says less or more.
LARGER = re.compile(r"_alloc\(|_resize\(|_grow\(|\? -1 : 1;")
# The bits of a ball's operation: it encloses with one more or less, too.
BITS = re.compile(r"\barb_\w+\(.*, ([3-9][0-9]|[0-9]{3,})\)+;$")
# Functions that this machine cannot run.
ABSENT = [] if "avx512bw" in open("/proc/cpuinfo").read() else ['target("avx512']
STATEMENT = re.compile(r"^\s+(?:ATTEST_TRY|[a-z_0-9>.\[\]\-]+)(\(.*\)| [-+*/|&]?= .*|\+\+|--);$")


def changes(line):
    """All small changes of one line of code: kind, new line."""
    def replace(match, text):
        return line[:match.start(1)] + text + line[match.end(1):]

    for match in re.finditer(r" (<=|>=|==|!=|<|>) ", line):
        for text in COMPARISON[match[1]]:
            yield "comparison", replace(match, text)
    for match in re.finditer(r" (&&|\|\|)(?: |$)", line):
        yield "logic", replace(match, "||" if match[1] == "&&" else "&&")
    for match in re.finditer(r"[\w)\]] ([-+])=? [\w(*&]", line):
        yield "sign", replace(match, "-" if match[1] == "+" else "+")
    bits = BITS.search(line)
    for match in re.finditer(r"(?<![\w.])([0-9]{1,4})(?![\w.])", line):
        if bits and match.start(1) == bits.start(1):
            continue
        if not LARGER.search(line):
            yield "constant", replace(match, str(int(match[1]) + 1))
        if match[1] != "0":
            yield "constant", replace(match, str(int(match[1]) - 1))
    for match in re.finditer(r"(?:[(=&|?:] ?|return )(!)[\w(*]", line):
        yield "negation", replace(match, "")
    if STATEMENT.match(line):
        yield "dropped", re.match(r"\s*", line)[0] + ";"


def places(source, room):
    directory = os.path.join(source, "src", room)
    for name in sorted(os.listdir(directory)):
        if not name.endswith((".c", ".inc")):
            continue
        path, depth, comment, absent = f"src/{room}/{name}", 0, False, False
        for number, line in enumerate(open(os.path.join(source, path)).read().split("\n"), 1):
            inside = depth > 0
            depth += line.count("{") - line.count("}")
            absent = any(text in line for text in ABSENT) or absent and line != "}"
            skipped = comment or IGNORED.search(line)
            comment = (comment or "/*" in line) and "*/" not in line[max(line.rfind("/*"), 0):]
            if inside and not skipped and not absent and not line.endswith(("\\", "*/")):
                for kind, new in changes(line):
                    yield path, number, kind, new, line


def drawn(source, room, seed):
    """The changes of a room in the order of their lots; equal lines of a file are told apart by their order."""
    seen, lots = {}, []
    for path, number, kind, new, old in places(source, room):
        key = (path, old.strip(), new.strip())
        seen[key] = seen.get(key, 0) + 1
        lot = hashlib.sha256(repr((seed, key, seen[key])).encode()).digest()
        lots.append((lot, (path, number, kind, new)))
    return [place for _, place in sorted(lots)]


def main():
    source, seed, count = sys.argv[1], int(sys.argv[2], 0), int(sys.argv[3])
    rooms = [drawn(source, room, seed) for room in ROOMS]
    for i in range(count):
        print("\t".join(map(str, rooms[i % len(rooms)][i // len(rooms)])))


main()
