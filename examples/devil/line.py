#!/usr/bin/env python3
"""Cuts one head on one line of the page: what `attest demo` begins its story of a trained head with.

    examples/devil/line.py examples/devil/page.safetensors >src/cli/demo_head.inc

q, k and v of layer 0, head 2, window 0, rounded to bfloat16 as a kernel would be given them: a safetensors file, as C. The test
of the demo makes it again and compares."""
import json
import struct
import sys

LAYER, WINDOW, HEAD = 0, 0, 2


def bfloat16(value):
    """The upper half of a binary32, to nearest, ties to even."""
    bits = struct.unpack("<I", value)[0]
    return struct.pack("<H", (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)


with open(sys.argv[1], "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    data = file.read()
made, values = {"__metadata__": {"text": header["__metadata__"]["text"][:32]}}, b""
for name in "qkv":
    tensor = header[f"layers.{LAYER}.{name}"]
    _, heads, tokens, dim = tensor["shape"]
    first = tensor["data_offsets"][0] + 4 * (WINDOW * heads + HEAD) * tokens * dim
    piece = b"".join(bfloat16(data[at:at + 4]) for at in range(first, first + 4 * tokens * dim, 4))
    made[name] = {"dtype": "BF16", "shape": [1, tokens, dim], "data_offsets": [len(values), len(values) + len(piece)]}
    values += piece
text = json.dumps(made).encode()
text += b" " * (-len(text) % 8)
content = struct.pack("<Q", len(text)) + text + values
print("/* demo_head.inc -- a head of the trained model; made by examples/devil/line.py. */")
print("/* clang-format off */")
for at in range(0, len(content), 20):
    print("    " + ", ".join(f"{byte}" for byte in content[at:at + 20]) + ",")
