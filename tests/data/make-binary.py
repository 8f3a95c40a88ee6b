#!/usr/bin/env python3
"""Makes the binary files of this directory: good-* and bad-*.npy, .npz and .safetensors.

    make-binary.py [DIR]      writes them to DIR (default: here)

Plain Python 3, no NumPy; the same bytes everywhere, because the deflate streams are written by
hand. Beside them: binary.md, the tables for people, and binary.list, with a line
"NAME<tab>TEXT" per file, where TEXT is what the error message of a bad file must contain.
"""
import os
import sys

from binary_common import FILES
from binary_npy import make_npy
from binary_npz import make_npz
from binary_safetensors import make_safetensors


INTRODUCTION = """# Binary test files

Made by `make-binary.py`, which also writes this page. The grid is the dataset of shape (2, 3, 2)
whose entry [i][k][c] is 6i + 2k + c; the weights have H = 2, s = 2, d = 3 and count 0, 1, 2, ...
from 0 in WQ, 20 in WK, 40 in WV, 60 in WO. `tests/io/binary.c` reads every good file and
every beginning of it, and takes the errors below as what it expects.
"""


def table(title, columns, rows):
    lines = ["", "## " + title, "", "| %s |" % " | ".join(columns), "|---" * len(columns) + "|"]
    return lines + ["| `%s` | %s |" % row for row in rows]


def write(directory, name, data):
    with open(os.path.join(directory, name), "wb") as file:
        file.write(data)


def main():
    directory = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    make_npy()
    make_npz()
    make_safetensors()
    files = sorted(FILES.items())
    good = [(name, about) for name, (_, message, about) in files if not message]
    bad = [(name, "`%s`" % message.replace("|", "\\|")) for name, (_, message, _) in files
           if message]
    page = INTRODUCTION.splitlines()
    page += table("Good files", ["file", "what is in it"], good)
    page += table("Bad files", ["file", "its error says"], bad)
    for name, (data, _, _) in files:
        write(directory, name, data)
    write(directory, "binary.md", ("\n".join(page) + "\n").encode())
    write(directory, "binary.list", "".join(
        "%s\t%s\n" % (name, message or "") for name, (_, message, _) in files).encode())


if __name__ == "__main__":
    main()
