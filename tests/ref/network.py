"""Runs an attest/network file from its definition, in Python's decimals: no code shared with attest.

    network.py NETWORK DATA [DIGITS]

Prints the largest difference between an output and a label, and fails unless it is below
10^(10-DIGITS) times the largest number that occurs on the way. With the word "values" as a fourth
argument prints the outputs instead.
"""
import hashlib
import json
import re
import sys
from decimal import Decimal, getcontext
from fractions import Fraction


def number(text):
    """What interface and files call a number, exactly."""
    text = str(text)
    match = re.fullmatch(r"(-?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)(?:[pP]([+-]?\d+))?", text)
    if match:
        sign, whole, part, exponent = match.groups()
        value = Fraction(int(whole + part, 16), 16 ** len(part)) * Fraction(2) ** int(exponent or 0)
        return -value if sign else value
    return Fraction(text)


def matrix(entry):
    if isinstance(entry, dict):
        return [[number(u) * number(v) for v in entry["v"]] for u in entry["u"]]
    return [[number(x) for x in row] for row in entry]


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def apply(rows, x):
    return [sum((a * b for a, b in zip(row, x)), 0) for row in rows]


def embed(word, dim):
    """hash:D as documented: 16-bit pieces u of sha256(counter, word), entry (2u - 65535) / 65536."""
    out, counter = [], 0
    while len(out) < dim:
        digest = hashlib.sha256(bytes([counter]) + word).digest()
        out += [Fraction(2 * (digest[i] * 256 + digest[i + 1]) - 65535, 65536) for i in range(0, 32, 2)]
        counter += 1
    return out[:dim]


def read_words(path, network):
    sequences, labels, current, tags = [], [], [], {tag: i for i, tag in enumerate(network["tags"])}
    dim = int(network["embed"].split(":")[1])
    for line in open(path, "rb").read().split(b"\n") + [b""]:
        columns = [c for c in re.split(rb"[ \t]+", line.rstrip(b"\r")) if c]
        if columns and columns[0] != b"-DOCSTART-":
            current.append((embed(columns[0], dim), [Fraction(tags[columns[-1].decode()])]))
        elif not columns and current:
            sequences.append([x for x, _ in current])
            labels.append([y for _, y in current])
            current = []
    return sequences, labels


def read_data(path, network):
    if "embed" in network:
        return read_words(path, network)
    data = json.load(open(path), parse_float=str)
    vectors = lambda rows: [[[number(x) for x in token] for token in row] for row in rows]
    return vectors(data["sequences"]), vectors(data.get("labels", []))


def encode(sequence, network):
    dim, positional = network["dim"], network.get("positional")
    tokens = [token + [Fraction(0)] * (dim - len(token)) for token in sequence]
    if positional:
        for k, token in enumerate(tokens):
            token[positional["axis"]] += (k + 1) * number(positional["step"])
    return tokens


def attention(tokens, weights):
    """Softmax by the formula, without taking the maximum out."""
    out = [[decimal(x) for x in token] for token in tokens]
    for head in weights["heads"]:
        wq, wk, wv, wo = (matrix(head[name]) for name in ("WQ", "WK", "WV", "WO"))
        keys = [apply(wk, x) for x in tokens]
        values = [[decimal(v) for v in apply(wo, apply(wv, x))] for x in tokens]
        for k, x in enumerate(tokens):
            seen = k + 1 if weights["mask"] == "causal" else len(tokens)
            query = apply(wq, x)
            weight = [decimal(sum(a * b for a, b in zip(keys[j], query))).exp() for j in range(seen)]
            total = sum(weight)
            for c in range(len(x)):
                out[k][c] += sum(weight[j] * values[j][c] for j in range(seen)) / total
    return out


def feed_forward(z, layer, exact):
    convert = (lambda x: x) if exact else decimal
    out = [x for x in z] if layer["skip"] else [convert(Fraction(0))] * len(z)
    for group in layer["groups"]:
        along = sum((convert(number(a)) * b for a, b in zip(group["direction"], z)), convert(Fraction(0)))
        for bias, column in zip(group["bias"], group["output"]):
            unit = along + convert(number(bias))
            if unit > 0:
                out = [o + unit * convert(number(w)) for o, w in zip(out, column)]
    return [o + convert(number(b)) for o, b in zip(out, layer["bias"])]


def run(sequence, network):
    tokens, seen = encode(sequence, network), False
    for layer in network["layers"]:
        if layer["type"] == "attention":
            tokens, seen = attention(tokens, layer["weights"]), True
        else:
            tokens = [feed_forward(z, layer, not seen) for z in tokens]
    return [token[: network["output_dim"]] for token in tokens]


def largest(network):
    numbers = [abs(number(x)) for layer in network["layers"] if layer["type"] == "feed-forward"
               for group in layer["groups"] for column in group["output"] + [group["bias"]] for x in column]
    return max(numbers + [Fraction(1)])


def main():
    network = json.load(open(sys.argv[1]))
    digits = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    getcontext().prec = digits
    sequences, labels = read_data(sys.argv[2], network)
    worst = Decimal(0)
    for i, sequence in enumerate(sequences):
        out = run(sequence, network)
        if sys.argv[4:] == ["values"]:
            for k, token in enumerate(out):
                print(i, k, *token)
            continue
        for token, label in zip(out, labels[i]):
            assert len(token) == len(label), "the output has another size than the label"
            worst = max([worst] + [abs(a - decimal(b)) for a, b in zip(token, label)])
    if sys.argv[4:] == ["values"]:
        return 0
    size = decimal(largest(network))
    print("largest difference %.3E, largest number %.3E" % (worst, size))
    return 0 if worst <= size * size * Decimal(10) ** (10 - digits) and worst < Decimal("1e-9") else 1


if __name__ == "__main__":
    sys.exit(main())
