#!/usr/bin/env python3
"""Sequences of different lengths for the tests of judge: packed, padded, in pages, with past keys and in
other layouts, and attention in plain Python beside them. Written from the definitions, with struct alone.

    sequences.py make DIR             the files
    sequences.py same A B             the results of two problems, but for their files and settings
    sequences.py inside OUT BOUND     packed: every element of out lies between lo and hi
"""
import json
import math
import struct
import sys

HEADS, KEY_HEADS, DIM, COLUMNS = 4, 2, 6, 3
QUERIES, KEYS = (3, 1, 4), (5, 2, 7)
PAGE, PAGES = 3, 8
CODE = {"F32": "f", "F64": "d", "I64": "q", "I32": "i", "U8": "B"}


def numbers(seed, count):
    out = []
    for _ in range(count):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        out.append(((seed >> 33) % 17 - 8) / 4)
    return out


def write(path, tensors):
    header, data = {}, b""
    for name, (dtype, shape, values) in tensors.items():
        piece = struct.pack(f"<{len(values)}{CODE[dtype]}", *values)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(piece)]}
        data += piece
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    with open(path, "rb") as file:
        raw = file.read()
    size = 8 + struct.unpack("<Q", raw[:8])[0]
    found = {}
    for name, x in json.loads(raw[8:size]).items():
        first, last = (size + end for end in x["data_offsets"])
        code = CODE[x["dtype"]]
        found[name] = struct.unpack(f"<{(last - first) // struct.calcsize(code)}{code}", raw[first:last]), x["shape"]
    return found


def sequences(seed, lengths, heads, dim):
    """[sequence][token][head] -> a list of dim numbers"""
    return [
        [[numbers(seed + 100 * b + 10 * i + h, dim) for h in range(heads)] for i in range(n)] for b, n in enumerate(lengths)
    ]


def attend(q, k, v):
    """[token][head] -> outputs of a causal sequence; its last query sees its last key."""
    out = []
    for i, token in enumerate(q):
        row = []
        for h, query in enumerate(token):
            seen = range(max(0, i + len(k) - len(q) + 1))
            shared = h * KEY_HEADS // HEADS
            scores = [sum(a * b for a, b in zip(query, k[j][shared])) / math.sqrt(DIM) for j in seen]
            most = max(scores, default=0)
            weights = [math.exp(s - most) for s in scores]
            total = sum(weights)
            row.append([sum(w * v[j][shared][c] for w, j in zip(weights, seen)) / total if scores else 0.0 for c in range(COLUMNS)])
        out.append(row)
    return out


def by_tokens(x):
    """Values of (tokens, heads, dim)"""
    return [c for token in x for head in token for c in head]


def by_heads(x):
    """Values of (heads, tokens, dim)"""
    return [c for h in range(len(x[0])) for token in x for c in token[h]]


def offsets(lengths):
    return [sum(lengths[:b]) for b in range(len(lengths) + 1)]


def make(directory):
    q, k, v = sequences(1, QUERIES, HEADS, DIM), sequences(2, KEYS, KEY_HEADS, DIM), sequences(3, KEYS, KEY_HEADS, COLUMNS)
    out = [attend(*x) for x in zip(q, k, v)]
    queries, keys = sum(QUERIES), sum(KEYS)
    flat = by_tokens(sum(out, []))
    printed = [round(x, 4) for x in flat]
    packed = {
        "q": ("F32", (queries, HEADS, DIM), by_tokens(sum(q, []))),
        "k": ("F32", (keys, KEY_HEADS, DIM), by_tokens(sum(k, []))),
        "v": ("F32", (keys, KEY_HEADS, COLUMNS), by_tokens(sum(v, []))),
        "out": ("F32", (queries, HEADS, COLUMNS), flat),
        "printed": ("F64", (queries, HEADS, COLUMNS), printed),
        "wrong": ("F32", (queries, HEADS, COLUMNS), [x + (i == (6 * HEADS + 1) * COLUMNS + 2) for i, x in enumerate(flat)]),
        "cu_q": ("I32", (4,), offsets(QUERIES)),
        "cu_k": ("I64", (4,), offsets(KEYS)),
        "late": ("I32", (4,), [1, 3, 4, 8]),
        "falling": ("I32", (4,), [0, 5, 4, 14]),
        "short": ("U8", (4,), [0, 5, 7, 13]),
        "few": ("I32", (3,), [0, 5, 14]),
        "lengths": ("I64", (3,), KEYS),
        "long": ("I64", (3,), [5, 3, 7]),
        "mask": ("U8", (8, 14), [1] * (8 * 14)),
    }
    write(f"{directory}/packed.safetensors", packed)

    # pages: in an order of their own, with NaN where there is no key
    order, table, cache = [4, 2, 0, 6, 1, 5], [], {}
    for b, n in enumerate(KEYS):
        row = [-1] * 3
        for i in range((n + PAGE - 1) // PAGE):
            row[i] = order.pop()
            cache[row[i]] = (b, i)
        table += row

    def pages(x, heads, dim):
        values = []
        for page in range(PAGES):
            for slot in range(PAGE):
                b, i = cache.get(page, (0, 99))
                j = i * PAGE + slot
                values += [c for head in x[b][j] for c in head] if j < len(x[b]) else [math.nan] * (heads * dim)
        return values

    paged = dict(packed)
    paged["k"] = ("F32", (PAGES, PAGE, KEY_HEADS, DIM), pages(k, KEY_HEADS, DIM))
    paged["v"] = ("F32", (PAGES, PAGE, KEY_HEADS, COLUMNS), pages(v, KEY_HEADS, COLUMNS))
    paged["table"] = ("I32", (3, 3), table)
    paged["outside"] = ("I32", (3, 3), [PAGES if i == 3 else x for i, x in enumerate(table)])
    paged["above"] = ("I32", (3,), [5, 10, 7])
    paged["below"] = ("I32", (3,), [5, -2, 7])
    write(f"{directory}/paged.safetensors", paged)

    # a sequence alone, in each layout, and divided into past and present keys
    x = (q[0], k[0], v[0], out[0])
    names, heads, dims = ("q", "k", "v", "out"), (HEADS, KEY_HEADS, KEY_HEADS, HEADS), (DIM, DIM, COLUMNS, COLUMNS)
    one = {}
    for name, part, h, dim in zip(names, x, heads, dims):
        one[name] = ("F32", (h, len(part), dim), by_heads(part))
        one[f"{name}_shd"] = ("F32", (len(part), h, dim), by_tokens(part))
        one[f"{name}_bshd"] = ("F32", (1, len(part), h, dim), by_tokens(part))
    for name, part, dim in (("k", k[0], DIM), ("v", v[0], COLUMNS)):
        one[f"past_{name}"] = ("F32", (KEY_HEADS, 4, dim), by_heads(part[:4]))
        one[f"new_{name}"] = ("F32", (KEY_HEADS, 1, dim), by_heads(part[4:]))
    write(f"{directory}/one.safetensors", one)

    # padded keys of as many queries
    q2 = sequences(5, (2, 2, 2), HEADS, DIM)
    capacity = max(KEYS)

    def pad(x, dim):
        values = []
        for part in x:
            rows = part + [[[math.nan] * dim] * KEY_HEADS] * (capacity - len(part))
            values += by_heads(rows)
        return values

    padded = {
        "q": ("F32", (3, HEADS, 2, DIM), [c for part in q2 for c in by_heads(part)]),
        "k": ("F32", (3, KEY_HEADS, capacity, DIM), pad(k, DIM)),
        "v": ("F32", (3, KEY_HEADS, capacity, COLUMNS), pad(v, COLUMNS)),
        "out": ("F32", (3, HEADS, 2, COLUMNS), [c for x in zip(q2, k, v) for c in by_heads(attend(*x))]),
        "lengths": ("I32", (3,), KEYS),
        "long": ("I32", (3,), [5, 8, 7]),
        "real": ("F32", (3,), [5, 2, 7]),
        "seen": ("U8", (2, capacity), [1] * (2 * capacity)),
        "narrow": ("U8", (2, 6), [1] * 12),
    }
    write(f"{directory}/padded.safetensors", padded)
    # shapes that fit with tokens before heads only
    write(
        f"{directory}/bshd.safetensors",
        {name: ("F32", (1, *shape, 4), numbers(7, shape[0] * shape[1] * 4)) for name, shape in {"q": (6, 4), "k": (5, 2), "v": (5, 2), "out": (6, 4)}.items()},
    )


def same(left, right):
    keep = ("verdict", "elements", "within", "wrong", "undecided", "worst", "heads", "wrong_rows", "histogram")
    a, b = (json.load(open(path)) for path in (left, right))
    for key in keep:
        if a[key] != b[key]:
            sys.exit(f"{key}: {a[key]}, not {b[key]}")


def inside(out, bound):
    values, shape = read(out)["out"]
    found = read(bound)
    for name in ("lo", "hi", "bound"):
        if found[name][1] != shape:
            sys.exit(f"{name} has shape {found[name][1]}, not {shape}")
    for x, lo, hi in zip(values, found["lo"][0], found["hi"][0]):
        if not lo <= x <= hi:
            sys.exit(f"{x} is not in [{lo}, {hi}]")


if __name__ == "__main__":
    {"make": make, "same": same, "inside": inside}[sys.argv[1]](*sys.argv[2:])
