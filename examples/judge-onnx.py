#!/usr/bin/env python3
"""Judges the test cases of ONNX's operator Attention: are the expected outputs right, and if not, why not?

    judge-onnx.py DIR

DIR is the folder of ONNX's node tests (onnx/backend/test/data/node), with folders test_attention_* of model.onnx,
input_0.pb ... and output_0.pb; or a folder of safetensors files q, k, v, out, mask, past_key, past_value and
nonpad_kv_seqlen with the attributes of each case in cases.json. Every case is judged by the model fp32-any, or of
binary16 by fp16-any and fp16-eager; a wrong one is printed with what would explain it. Uses the standard library and the
package attest only."""

import array
import json
import os
import struct
import sys

import attest

# ---- protobuf: just enough for TensorProto and ModelProto (onnx/onnx.proto) ----


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def fields(data):
    """(number, value) of every field: an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            size = {1: 8, 5: 4}[key & 7]
            value, at = data[at : at + size], at + size
        yield key >> 3, value


def integers_of(values):
    """Repeated integers, packed or one by one."""
    for value in values:
        if isinstance(value, int):
            yield value
        else:
            at = 0
            while at < len(value):
                number, at = varint(value, at)
                yield number


def collect(data):
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


TYPES = {1: "F32", 7: "I64", 9: "BOOL", 10: "F16", 11: "F64", 16: "BF16"}


def tensor_proto(data):
    """(type, shape, bytes) of a TensorProto."""
    x = collect(data)
    kind = TYPES.get(x.get(2, [0])[0])
    if kind is None:
        raise ValueError(f"tensors of the type {x.get(2)} are not read")
    shape = list(integers_of(x.get(1, [])))
    if 9 in x:
        return kind, shape, bytes(x[9][0])
    if kind == "F32":
        return kind, shape, b"".join(x.get(4, []))
    if kind == "F64":
        return kind, shape, b"".join(x.get(10, []))
    if kind == "I64":
        return kind, shape, b"".join(struct.pack("<Q", n) for n in integers_of(x.get(7, [])))
    size = "<B" if kind == "BOOL" else "<H"
    return kind, shape, b"".join(struct.pack(size, n) for n in integers_of(x.get(5, [])))


def attention_node(data):
    """The attributes and the names of the inputs of the node Attention of a model; None: it has no such node."""
    for graph in collect(data).get(7, []):
        for node in collect(graph).get(1, []):
            x = collect(node)
            if x.get(4, [b""])[0] != b"Attention":
                continue
            attributes = {}
            for attribute in x.get(5, []):
                a = collect(attribute)
                name = a[1][0].decode()
                attributes[name] = struct.unpack("<f", a[2][0])[0] if 2 in a else a[3][0] if 3 in a else None
            return attributes, [name.decode() for name in x.get(1, [])]
    return None


INPUTS = ["q", "k", "v", "mask", "past_key", "past_value", "nonpad_kv_seqlen"]


def node_tests(folder):
    """(name, attributes, tensors) of every case of Attention."""
    for name in sorted(os.listdir(folder)):
        model = os.path.join(folder, name, "model.onnx")
        if not name.startswith("test_attention") or not os.path.exists(model):
            continue
        with open(model, "rb") as file:
            node = attention_node(file.read())
        if node is None:  # the operator expanded into others
            continue
        attributes, names = node
        tensors, place = {}, 0
        for number, given in enumerate(names):
            if given:
                with open(os.path.join(folder, name, "test_data_set_0", f"input_{place}.pb"), "rb") as file:
                    tensors[INPUTS[number]] = tensor_proto(file.read())
                place += 1
        with open(os.path.join(folder, name, "test_data_set_0", "output_0.pb"), "rb") as file:
            tensors["out"] = tensor_proto(file.read())
        yield name[len("test_attention_") :], attributes, tensors


# ---- safetensors ----


def safetensors(folder):
    with open(os.path.join(folder, "cases.json")) as file:
        cases = json.load(file)
    for name in sorted(cases):
        with open(os.path.join(folder, name + ".safetensors"), "rb") as file:
            data = file.read()
        size = struct.unpack("<Q", data[:8])[0]
        tensors = {}
        for key, x in json.loads(data[8 : 8 + size]).items():
            if key != "__metadata__":
                first, last = x["data_offsets"]
                tensors[key] = x["dtype"], x["shape"], data[8 + size + first : 8 + size + last]
        yield name, cases[name], tensors


# ---- the arguments of attest.judge ----

CODES = {"F32": "f", "F64": "d", "F16": "H", "BF16": "H", "I64": "q", "BOOL": "B"}


def view(tensor, shape=None):
    kind, own, data = tensor
    memory = memoryview(array.array(CODES[kind], data)).cast("B")
    shape = list(shape or own)
    if kind == "BOOL":
        return memory.cast("?", shape)
    memory = memory.cast(CODES[kind], shape)
    return attest.view(memory, {"F16": "binary16", "BF16": "bfloat16"}[kind]) if kind in ("F16", "BF16") else memory


def split_heads(tensor, heads):
    """(batch, tokens, heads * dim) as (batch, tokens, heads, dim)."""
    batch, tokens, columns = tensor[1]
    return view(tensor, [batch, tokens, heads, columns // heads])


def exchange(tensor):
    """Axes 1 and 2 of a tensor with four axes, exchanged."""
    kind, (batch, heads, tokens, dim), data = tensor
    size = dim * {"F32": 4, "F64": 8}.get(kind, 2)
    rows = (data[((b * heads + h) * tokens + i) * size :][:size] for b in range(batch) for i in range(tokens) for h in range(heads))
    return kind, [batch, tokens, heads, dim], b"".join(rows)


def full_mask(mask, queries, keys, sees):
    """The mask with all its columns (ONNX pads a shorter one with hidden keys), and without the keys that sees hides."""
    kind, shape, data = mask or ("BOOL", [1, keys], b"\1" * keys)
    columns, code = shape[-1], "?" if kind == "BOOL" else "e" if kind == "F16" else CODES[kind]
    values = struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)
    rows = [values[i : i + columns] for i in range(0, len(values), columns)]
    if len(shape) == 1 or shape[-2] == 1:
        rows = [row for row in rows for _ in range(queries)]
        shape = [*shape[:-2], queries, columns]
    hidden = False if kind == "BOOL" else float("-inf")
    out = [
        row[j] if j < columns and sees(n % queries, j) else hidden for n, row in enumerate(rows) for j in range(keys)
    ]
    return kind, [*shape[:-1], keys], struct.pack(f"<{len(out)}{code}", *out)


def arguments(attributes, tensors):
    """out, q, k, v and the options."""
    options = {}
    q, k, v, out = (tensors[x] for x in ("q", "k", "v", "out"))
    flat, queries = len(q[1]) == 3, q[1][-2]
    past, mask, lengths = tensors.get("past_key"), tensors.get("mask"), tensors.get("nonpad_kv_seqlen")
    keys = k[1][-2] + (past[1][2] if past else 0)
    if flat:
        heads, key_heads = attributes["q_num_heads"], attributes["kv_num_heads"]
        arrays = [split_heads(out, heads), split_heads(q, heads), split_heads(k, key_heads), split_heads(v, key_heads)]
        options["layout"] = "bshd"
    else:
        arrays = [view(x) for x in (out, q, k, v)]
    if past:
        options["past"] = tuple(view(exchange(tensors[x]) if flat else tensors[x]) for x in ("past_key", "past_value"))
    if lengths:
        options["lengths"] = view(lengths)
    sees = lambda i, j: True
    if attributes.get("is_causal"):
        if lengths:
            options["causal"] = True  # query i sees the keys up to its length - queries + i
        elif not past:
            options["causal"] = "top-left"
        else:
            sees = lambda i, j: j <= i + past[1][2]
            mask = mask or ("BOOL", [1, keys], b"\1" * keys)
    if mask:
        options["mask"] = view(full_mask(mask, queries, keys, sees))
    if attributes.get("scale"):
        options["scale"] = attributes["scale"]
    if attributes.get("softcap"):
        options["softcap"] = attributes["softcap"]
    return arrays, options


def judge(attributes, tensors):
    """The judgement by the first model of which the output is within, else by the first model."""
    arrays, options = arguments(attributes, tensors)
    found = []
    for kernel in {"F16": ["fp16-any", "fp16-eager"], "BF16": ["bf16-any", "bf16-eager"]}.get(tensors["q"][0], ["fp32-any"]):
        found.append(attest.judge(*arrays, kernel=kernel, **options))
        if found[-1].ok:
            return found[-1]
    return found[0]


def read(folder):
    return safetensors(folder) if os.path.exists(os.path.join(folder, "cases.json")) else node_tests(folder)


def judge_folder(folder):
    """(name, verdict, names of the alternatives) of every case."""
    for name, attributes, tensors in read(folder):
        found = judge(attributes, tensors)
        yield name, found.verdict, [x["name"] for x in found.alternatives]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    counts, explained = {}, 0
    for name, attributes, tensors in read(sys.argv[1]):
        found = judge(attributes, tensors)
        counts[found.verdict] = counts.get(found.verdict, 0) + 1
        explained += bool(found.alternatives)
        if not found.ok:
            print(f"{name}: {found.verdict}, {found.wrong} of {found.elements} elements")
            for other in found.alternatives:
                print(f"    {other['sentence']} ({other['name']})")
    words = ", ".join(f"{counts[x]} {x}" for x in ("within", "wrong", "undecided") if x in counts) or "none"
    print(f"{sum(counts.values())} cases: {words}" + (f"; {explained} of the wrong ones explained" if counts.get("wrong") else ""))
    return 1 if counts.get("wrong") else 3 if counts.get("undecided") else 0


if __name__ == "__main__":
    sys.exit(main())
