"""The JSON reader against Python's: random documents, whole and damaged. Both accept the same
ones and find the same in them, except for what our reader refuses on purpose (see refused_here).
Arguments: the program json-echo, how many documents, a seed."""
import json
import random
import subprocess
import sys

WORDS = ["", "a", "b", "format", "é", "\U0001f600", "\u20ac\u0080", "a\tb\n\r\b\f", "\"\\/", "\x7f",
         "1/3", "0x1p-3", "x" * 300]
NUMBERS = ["0", "-0", "7", "-12", "0.5", "1e9", "1E-9", "2.5e+7", "18446744073709551616",
           "-9223372036854775809", "1" * 400, "1e400", "123456789012345678901.25"]


class Number(str):
    """A number is its text."""


class Refused(Exception):
    pass


def escaped(rng, text):
    out = []
    for c in text:
        if c in "\"\\" or c < " ":
            kind = rng.choice([json.dumps(c)[1:-1], "\\u%04x" % ord(c)])
        elif rng.random() < 0.2:
            units = c.encode("utf-16-be").hex()
            kind = "".join("\\u" + units[i:i + 4] for i in range(0, len(units), 4))
        else:
            kind = c
        out.append(kind if kind != "/" or rng.random() < 0.5 else "\\/")
    return '"%s"' % "".join(out)


def space(rng):
    return rng.choice(["", "", "", " ", "\n", "\t", "\r\n", "  "])


def value(rng, depth):
    kind = rng.randrange(8 if depth < 34 else 6)
    if kind == 0:
        return rng.choice(["true", "false", "null"])
    if kind <= 2:
        return escaped(rng, "".join(rng.choice(WORDS) for _ in range(rng.randrange(3))))
    if kind <= 5:
        return rng.choice(NUMBERS)
    if kind == 6:
        return array(rng, depth)
    return document(rng, depth)


def joined(rng, brackets, items):
    return brackets[0] + ",".join(space(rng) + item + space(rng) for item in items) + brackets[1]


def array(rng, depth):
    return joined(rng, "[]", [value(rng, depth + 1) for _ in range(rng.randrange(5))])


def document(rng, depth=0):
    names = [rng.choice(WORDS) + rng.choice(["", "", str(rng.randrange(10**6))])
             for _ in range(rng.choice([0, 1, 2, 3, 5, 20]))]
    if rng.random() < 0.9:
        names = list(dict.fromkeys(names))
    return joined(rng, "{}", [escaped(rng, name) + space(rng) + ":" + value(rng, depth + 1)
                              for name in names])


def nested(rng):
    depth = rng.randrange(28, 36)
    kinds = [rng.choice(["[%s]", '{"a":%s}']) for _ in range(depth)]
    text = "1"
    for kind in ['{"a":%s}'] + kinds:
        text = kind % text
    return text


def damaged(rng, data):
    """The bytes with one to three changes."""
    data = bytearray(data)
    snippets = [b"\\u0000", b"\\ud800", b"\\udc00\\ud800", b"NaN", b"-Infinity", b"01", b"1.", b".5",
                b"\xef\xbb\xbf", b"\xc0\xaf", b"\xed\xa0\x80", b"\x00", b"//", b"'", b"+1", b"\\x",
                b",", b":", b"]", b"}", b"[", b"{", b'"', b"\\", b"e", b"-", b"\t", b" ", b"tru"]
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            del data[at:at + rng.choice([1, 1, 1, 2, 5, 10**6])]
        elif kind == 1:
            data[at:at] = rng.choice(snippets)
        elif kind == 2:
            data[at:at + 1] = rng.choice(snippets)
        elif at < len(data):
            data[at] = rng.randrange(256)
    return bytes(data)


def constant(text):
    raise Refused(text)


def pairs(members):
    if len(dict(members)) != len(members):
        raise Refused("a key twice")
    return dict(members)


def refused_here(found, depth=1):
    """Zero characters, halves of surrogate pairs, nesting beyond 32."""
    if isinstance(found, str):
        return "\0" in found or any("\ud800" <= c <= "\udfff" for c in found)
    if isinstance(found, dict):
        return depth > 32 or any(refused_here(key) or refused_here(inner, depth + 1)
                                 for key, inner in found.items())
    return isinstance(found, list) and (
        depth > 32 or any(refused_here(inner, depth + 1) for inner in found))


def expected(data):
    """What Python finds in the document; None: it is to be refused."""
    try:
        found = json.loads(data.decode("utf-8"), parse_int=Number, parse_float=Number,
                           parse_constant=constant, object_pairs_hook=pairs)
    except (ValueError, Refused, RecursionError):
        return None
    return found if isinstance(found, dict) and not refused_here(found) else None


def same(a, b):
    """Equal, and numbers are no strings."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def agree(data, line):
    wanted = expected(data)
    if wanted is None or line.startswith("refused: "):
        return (wanted is None) == line.startswith("refused: ")
    return same(expected(line.encode()), wanted)


def main():
    rng = random.Random(int(sys.argv[3]))
    documents = []
    for i in range(int(sys.argv[2])):
        text = (nested(rng) if i % 10 == 0 else document(rng)).encode()
        documents.append(damaged(rng, text) if i % 2 else text)
    sent = b"".join(b"%d\n%s" % (len(data), data) for data in documents)
    run = subprocess.run([sys.argv[1]], input=sent, stdout=subprocess.PIPE, check=True)
    lines = run.stdout.decode("utf-8").split("\n")[:-1]
    wrong = [(data, line) for data, line in zip(documents, lines) if not agree(data, line)]
    for data, line in wrong[:5]:
        print("# %r\n# %s" % (data, line))
    refused = sum(line.startswith("refused: ") for line in lines)
    print("%s 1 - %d documents, of which both refuse %d" % (
        "not ok" if wrong or len(lines) != len(documents) else "ok", len(documents), refused))
    enough = min(refused, len(documents) - refused) > len(documents) // 5
    print("%s 2 - enough of either kind\n1..2" % ("ok" if enough else "not ok"))


main()
