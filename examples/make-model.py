#!/usr/bin/env python3
"""Makes a small GPT-like model and embedded sequences, to try `attest import` on.

    make-model.py [--directory DIR] [--dim 32] [--heads 2] [--vocabulary 24] [--length 8]
                  [--sequences 12] [--dtype F32|F16|BF16|F64] [--seed 1]

model.safetensors       one attention layer as GPT-2 stores it: wte.weight (V, d), wpe.weight
                        (n, d), h.0.attn.c_attn.weight (d, 3d) with q, k, v side by side,
                        h.0.attn.c_proj.weight (d, d), and their biases
embeddings.safetensors  the tensor x (N, n, d): what the layer sees, token plus position,
                        normalised

The weights are random: the file has the layout of a real model, not its knowledge. Plain Python,
no packages; the same numbers everywhere.

    attest import model.safetensors --fused-qkv h.0.attn.c_attn.weight --transpose \\
        --bias-qkv h.0.attn.c_attn.bias --o h.0.attn.c_proj.weight \\
        --bias-o h.0.attn.c_proj.bias --head 0/2 --scale 1/4 --mask causal -o head.json
    attest eval embeddings.safetensors --homogeneous --weights head.json
"""
import argparse
import json
import os
import random
import struct


def normal(source):
    """Twelve uniform numbers make a nearly normal one, by additions that round alike everywhere."""
    return sum(source.random() for _ in range(12)) - 6.0


def vector(source, size, deviation):
    return [deviation * normal(source) for _ in range(size)]


def matrix(source, rows, cols, deviation):
    return [vector(source, cols, deviation) for _ in range(rows)]


def normalise(x):
    """Layer normalisation without gain and bias."""
    mean = sum(x) / len(x)
    variance = sum((c - mean) ** 2 for c in x) / len(x)
    return [(c - mean) / (variance + 1e-5) ** 0.5 for c in x]


def pack(dtype, x):
    if dtype == "BF16":  # round to the nearest: the upper half of a binary32, ties to even
        bits = struct.unpack("<I", struct.pack("<f", x))[0]
        return struct.pack("<H", (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)
    return struct.pack({"F64": "<d", "F32": "<f", "F16": "<e"}[dtype], x)


def flatten(value):
    return [x for part in value for x in flatten(part)] if isinstance(value, list) else [value]


def shape(value):
    return [len(value)] + shape(value[0]) if isinstance(value, list) else []


def write_safetensors(path, dtype, tensors):
    header, data = {}, b""
    for name, value in tensors.items():
        content = b"".join(pack(dtype, x) for x in flatten(value))
        header[name] = {"dtype": dtype, "shape": shape(value),
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def make(arguments):
    source, d = random.Random(arguments.seed), arguments.dim
    wte = matrix(source, arguments.vocabulary, d, 0.14)
    wpe = matrix(source, arguments.length, d, 0.05)
    model = {
        "wte.weight": wte,
        "wpe.weight": wpe,
        "h.0.attn.c_attn.weight": matrix(source, d, 3 * d, 1.5 / d**0.5),
        "h.0.attn.c_attn.bias": vector(source, 3 * d, 0.1),
        "h.0.attn.c_proj.weight": matrix(source, d, d, 0.5 / d**0.5),
        "h.0.attn.c_proj.bias": vector(source, d, 0.1),
    }
    text = [[int(source.random() * arguments.vocabulary) for _ in range(arguments.length)]
            for _ in range(arguments.sequences)]
    x = [[normalise([a + b for a, b in zip(wte[token], wpe[place])])
          for place, token in enumerate(sequence)] for sequence in text]
    return model, {"x": x}


def main():
    parser = argparse.ArgumentParser(description="makes a small GPT-like model")
    parser.add_argument("--directory", "--folder", default=".")
    for name, value in [("dim", 32), ("heads", 2), ("vocabulary", 24), ("length", 8),
                        ("sequences", 12), ("seed", 1)]:
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--dtype", choices=["F64", "F32", "F16", "BF16"], default="F32")
    arguments = parser.parse_args()
    if arguments.dim % arguments.heads:
        parser.error("the dimension must be a multiple of the number of heads")
    os.makedirs(arguments.directory, exist_ok=True)
    model, embeddings = make(arguments)
    write_safetensors(os.path.join(arguments.directory, "model.safetensors"), arguments.dtype, model)
    write_safetensors(os.path.join(arguments.directory, "embeddings.safetensors"), arguments.dtype,
                      embeddings)


if __name__ == "__main__":
    main()
