#!/usr/bin/env python3
"""least_texts.py PAGE HARDMAX: the least texts that the heads of HARDMAX merge, by brute force over whole numbers.

Texts are made of the characters of the page, each at a place where it stands there; they are written with the number of texts
gone through. Shares nothing with attest but the files."""
import itertools
import json
import struct
import sys
from fractions import Fraction

with open(sys.argv[1], "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    data = file.read()
weights = json.load(open(sys.argv[2]))
windows, places, dim = header["ln1"]["shape"]
text = header["__metadata__"]["text"]
SCALE = 1 << 160  # a multiple of every denominator


def whole(number):
    product = Fraction(number) * SCALE
    assert product.denominator == 1
    return product.numerator


def token(i, k):
    at = header["ln1"]["data_offsets"][0] + 4 * dim * (i * places + k)
    return [whole(x) for x in struct.unpack(f"<{dim}f", data[at:at + 4 * dim])] + [SCALE]


def apply(matrix, x):
    return [sum(a * b for a, b in zip(row, x)) for row in matrix]


heads = [{name: [[whole(x) for x in row] for row in matrix] for name, matrix in head.items()} for head in weights["heads"]]
seen = {}  # (place, character): queries, keys, what is added, head by head
alphabet = []


def open_place(k):
    alphabet.append([])
    for i in range(windows):
        character = text[places * i + k]
        if (k, character) not in seen:
            x = token(i, k)
            seen[k, character] = [(apply(h["WQ"], x), apply(h["WK"], x), apply(h["WO"], apply(h["WV"], x))) for h in heads]
            alphabet[k].append(character)


def output(word):
    """What the heads add at the last character; ties do not occur."""
    added = [0] * (dim + 1)
    for h in range(len(heads)):
        query = seen[len(word) - 1, word[-1]][h][0]
        scores = [sum(a * b for a, b in zip(query, seen[k, c][h][1])) for k, c in enumerate(word)]
        assert scores.count(max(scores)) == 1
        best = scores.index(max(scores))
        added = [a + b for a, b in zip(added, seen[best, word[best]][h][2])]
    return tuple(added)


shorter = 0
for length in range(1, places + 1):
    open_place(length - 1)
    words, found = list(itertools.product(*alphabet)), {}
    for word in words:
        found.setdefault((word[-1], output(word)), []).append(word)
    merged = [group for group in found.values() if len(group) > 1]
    if merged:
        order = {word: i for i, word in enumerate(words)}
        pair = min(merged, key=lambda group: order[group[0]])[:2]
        print("".join(pair[0]), "".join(pair[1]), shorter, len(words), sum(map(len, merged)), sep="\n")
        break
    shorter += len(words)
