#!/usr/bin/env python3
"""Cuts the attention of the first block and the first three places of the page: what `attest counterexample --show trained`
goes through.

    attest import model.safetensors --arch gpt2 --heads 4 --scale rsqrt --residual layers.0.x --activation hardmax -o hardmax.json
    examples/devil/block.py page.safetensors hardmax.json >block.safetensors

The matrices are those of the weights, which binary32 holds exactly; tests/cli/devil.sh makes the file again and compares."""
import json
import struct
import sys
from fractions import Fraction

PLACES = 3


def single(number):
    """A rational as a binary32, which it must be."""
    bits = struct.pack("<f", float(number))
    assert struct.unpack("<f", bits)[0] == number, f"{number} is no binary32"
    return bits


with open(sys.argv[1], "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    data = file.read()
with open(sys.argv[2]) as file:
    heads = json.load(file)["heads"]
windows, tokens, dim = header["ln1"]["shape"]
text = header["__metadata__"]["text"]
made, values = {"__metadata__": {"text": "".join(text[tokens * i:tokens * i + PLACES] for i in range(windows))}}, b""


def add(name, shape, piece):
    global values
    made[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(values), len(values) + len(piece)]}
    values += piece


for name in "ln1", "layers.0.x":
    first, size = header[name]["data_offsets"][0], 4 * tokens * dim
    add(name, [windows, PLACES, dim], b"".join(data[first + i * size:first + i * size + 4 * PLACES * dim] for i in range(windows)))
for h, head in enumerate(heads):
    for name, matrix in head.items():
        add(f"heads.{h}.{name}", [len(matrix), len(matrix[0])], b"".join(single(Fraction(x)) for row in matrix for x in row))
content = json.dumps(made).encode()
content += b" " * (-len(content) % 8)
sys.stdout.buffer.write(struct.pack("<Q", len(content)) + content + values)
