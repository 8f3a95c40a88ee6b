#!/usr/bin/env python3
"""The shell examples of documents, run and compared; TAP.

    tests/cli/examples.py PROGRAM TREE DOCUMENT...            # ATTEST_DATA: a directory of models
    tests/cli/examples.py --write PROGRAM TREE DOCUMENT...    # puts in what is printed

An indented block whose lines begin with "$ " is commands and what they print, standard error too; a line "..." stands for any
lines. The commands of a document run one after another in a directory of their own, which has examples/, build/attest and the
models that lie beside the document; "$?" is
the exit code of the command before. A document that says "<!-- needs: FILE... -->" is skipped where ATTEST_DATA has no such files.
Indented lines that begin with "attest " are usage: the program must know the command and all options (it is asked for --help).
"""
import glob
import os
import re
import subprocess
import sys
import tempfile


def blocks(lines):
    """(first line, [lines]) of each indented block."""
    block = []
    for number, line in enumerate(lines + [""]):
        if line.startswith("    ") or block and not line and number + 1 < len(lines) and lines[number + 1].startswith("    "):
            block.append(line[4:])
        else:
            if block:
                yield number - len(block), block
            block = []


def commands(block):
    """[command, [output lines], first line of the output, behind its last] of a block"""
    found = []
    number = 0
    while number < len(block):
        if block[number].startswith("$ "):
            command = [block[number][2:]]
            while command[-1].endswith("\\") and number + 1 < len(block):
                number += 1
                command.append(block[number])
            found.append(["\n".join(command), [], number + 1, number + 1])
        elif found:
            found[-1][1].append(block[number])
            found[-1][3] = number + 1
        number += 1
    return found


def matches(expected, got):
    """Whether lines are as expected, "..." standing for any."""
    pattern = "".join("(?:.*\n)*" if line.strip() == "..." else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in got)) is not None


def shell(command, directory, code=0):
    environment = dict(os.environ, PATH=os.path.join(directory, "bin") + os.pathsep + os.environ["PATH"], COLUMNS="80", LC_ALL="C.UTF-8")
    done = subprocess.run(["sh", "-c", f"(exit {code})\n{command}"], cwd=directory, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return [line.rstrip() for line in done.stdout.splitlines()], done.returncode


def builtin_theft(directory):
    """Whether the property engine is our own, whose draws the documents show."""
    return "theft: builtin" in shell("attest --version", directory)[0]


def furnish(directory, program, tree, needs):
    """The directory that examples run in."""
    for name in "bin", "build":
        os.mkdir(os.path.join(directory, name))
        path = os.path.join(directory, name, "attest")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexec '{program}' \"$@\"\n")
        os.chmod(path, 0o755)
    os.symlink(os.path.join(tree, "examples"), os.path.join(directory, "examples"))
    for path in needs:
        os.symlink(path, os.path.join(directory, os.path.basename(path)))


class Tap:
    count = 0

    def result(self, passed, name, remarks=()):
        self.count += 1
        print(f"{'ok' if passed else 'not ok'} {self.count} - {name}")
        for remark in () if passed else remarks:
            print("# " + remark)


def run(tap, path, directory, write):
    """The examples of one document."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    name, code, changes = os.path.basename(path), 0, []
    for first, block in blocks(lines):
        for command, expected, begin, end in commands(block):
            got, code = shell(command, directory, code)
            good = matches(expected, got)
            title = f"{name}: {command.splitlines()[0]}"
            if not good and "attest campaign " in command and not builtin_theft(directory):
                tap.result(True, title + " # SKIP which instances are drawn is the engine's choice")
            elif write and not good:
                changes.append((first + begin, first + end, got))
            else:
                tap.result(good, title, ["expected:", *expected, "got:", *got])
        for usage in re.sub(r" *\\\n *", " ", "\n".join(block)).splitlines():
            if re.match(r"attest [a-z]", usage) and not re.search(r"\[|\.\.\.$|…", usage):
                usage = re.split(r" *(?:  #|&&|[|>;])", usage)[0]
                got, wrong = shell(usage + " --help", directory)
                tap.result(wrong == 0, f"{name}: known: {usage}", got)
    for begin, end, got in reversed(changes):
        lines[begin:end] = ["    " + line if line else "" for line in got]
    if changes:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        print(f"# {path}: {len(changes)} outputs written")


def main(arguments):
    write = arguments[:1] == ["--write"]
    program, tree, *documents = arguments[write:]
    tap = Tap()
    for path in documents:
        with open(path, encoding="utf-8") as file:
            said = re.search(r"<!-- needs: (.*?) -->", file.read())
        needs = [os.path.join(os.environ.get("ATTEST_DATA", ""), each) for each in said[1].split()] if said else []
        needs += glob.glob(os.path.join(os.path.dirname(os.path.abspath(path)), "*.safetensors"))
        if not all(map(os.path.isfile, needs)):
            tap.count += 1
            print(f"ok {tap.count} - {os.path.basename(path)} # SKIP ATTEST_DATA has no {said[1]}")
            continue
        with tempfile.TemporaryDirectory() as directory:
            furnish(directory, os.path.abspath(program), os.path.abspath(tree), needs)
            run(tap, path, directory, write)
    print(f"1..{tap.count}")


main(sys.argv[1:])
