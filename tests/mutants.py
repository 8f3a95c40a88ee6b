"""Random small changes of the source, seeded: which, and where.

usage: mutants.py SOURCE SEED NUMBER: so many lines, FILE LINE KIND NEW, separated by tabs: the line of the
file that becomes NEW. Rooms take turns, so that each has its share; in a room every place is as likely.
"""
import os
import random
import re
import sys

ROOMS = ["certify", "recheck", "theory", "attention", "audit", "judge", "io", "campaign"]
COMPARISON = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="]}
# What a test is not asked to notice: texts, memory before it is used and when it is given back (sanitizers do),
# progress, what only asserts.
IGNORED = re.compile(r'"|_error_set|_init\(|memset\(|_clear\(|free\(|_progress_|fclose|close\(|\bassert\b|^\s*(#|/\*|\*|//|case|default)')
STATEMENT = re.compile(r"^\s+[a-z_0-9>.\[\]\-]+(\(.*\)| [-+*/|&]?= .*|\+\+|--);$")


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
    for match in re.finditer(r"(?<![\w.])([0-9]{1,4})(?![\w.])", line):
        yield "constant", replace(match, str(int(match[1]) + 1))
        if match[1] != "0":
            yield "constant", replace(match, str(int(match[1]) - 1))
    for match in re.finditer(r"(?:[(=&|?:] ?|return )(!)[\w(*]", line):
        yield "negation", replace(match, "")
    if STATEMENT.match(line):
        yield "dropped", re.match(r"\s*", line)[0] + ";"


def places(source, room):
    folder = os.path.join(source, "src", room)
    for name in sorted(os.listdir(folder)):
        if not name.endswith((".c", ".inc")):
            continue
        path, depth, comment = f"src/{room}/{name}", 0, False
        for number, line in enumerate(open(os.path.join(source, path)).read().split("\n"), 1):
            inside = depth > 0
            depth += line.count("{") - line.count("}")
            skipped = comment or IGNORED.search(line)
            comment = (comment or "/*" in line) and "*/" not in line[line.rfind("/*"):]
            if inside and not skipped and not line.endswith(("\\", "*/")):
                for kind, new in changes(line):
                    yield path, number, kind, new


def main():
    source, seed, count = sys.argv[1], int(sys.argv[2], 0), int(sys.argv[3])
    chance = random.Random(seed)
    rooms = [list(places(source, room)) for room in ROOMS]
    for found in rooms:
        chance.shuffle(found)
    for i in range(count):
        print("\t".join(map(str, rooms[i % len(rooms)][i // len(rooms)])))


main()
