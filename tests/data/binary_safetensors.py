"""The safetensors files; see make-binary.py."""
import struct

from binary_common import GRID, add, elements, grid


def tensors(text, data, length=None):
    text = text.encode("utf-8") if isinstance(text, str) else text
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def info(dtype, shape, begin, end):
    return '{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}' % (
        dtype, ",".join(map(str, shape)), begin, end)


def make_safetensors():
    def good(name, content, about):
        add("good-grid-%s.safetensors" % name, content, about=about)

    for dtype, code, size in [("F64", "f8", 8), ("F32", "f4", 4), ("F16", "f2", 2),
                              ("BF16", "bf", 2)]:
        good(dtype.lower(), tensors('{"x":%s}' % info(dtype, GRID, 0, 12 * size),
                                    elements(code, GRID, grid)), "the grid as " + dtype)
    data = elements("f4", GRID, grid)
    one = '{"x":%s}' % info("F32", GRID, 0, 48)
    good("padded", tensors(one + " " * 13, data), "spaces after the header")
    good("metadata", tensors(
        '{"__metadata__":{"format":"pt","":"\\u00e9\\n\\ud83d\\ude00"},' + one[1:], data),
        "metadata with escapes")
    good("null-metadata", tensors('{"__metadata__":null,' + one[1:], data),
         "null for the metadata, as MLX writes it")
    good("spaces", tensors(
        '{ "x" :\n{"data_offsets" : [ 0 , 48 ],\t"shape":[2, 3, 2] ,\r"dtype": "F32"} }', data),
        "white space inside the header, another order of keys")
    good("unaligned", tensors(
        '{"a":%s,"x":%s,"b":%s,"empty":%s,"odd":%s}' % (
            info("U8", [3], 0, 3), info("F32", GRID, 3, 51), info("I64", [], 51, 59),
            info("F64", [0, 4], 51, 51), info("F4", [3], 59, 61)),
        b"abc" + data + b"\0" * 10),
        "tensors of other types around it, an empty one, no alignment")
    good("2d", tensors('{"x":%s}' % info("F32", (6, 2), 0, 48), data),
         "shape (6, 2): one sequence")
    good("unicode", tensors(
        '{"\\u0078":%s,"t\u00e9\\"\\\\\\/":%s}' % (info("F32", GRID, 0, 48),
                                                info("F32", [1], 48, 52)), data + b"\0" * 4),
        "names with escapes")
    layer(good, data)
    bad_safetensors(data, one)


def layer(good, data):
    """The grid beside an attention layer of H = 2, s = 1, d = 3, for the importer's fuzzer."""
    infos, at = ['"x":' + info("F32", GRID, 0, 48)], 48
    for name, shape in [("q", (2, 3)), ("k", (2, 3)), ("v", (2, 3)), ("o", (3, 2)),
                        ("qkv", (6, 3)), ("bq", (2,)), ("bo", (3,)), ("bqkv", (6,))]:
        size = 1
        for length in shape:
            size *= length
        infos.append('"%s":%s' % (name, info("BF16", shape, at, at + 2 * size)))
        data += elements("bf", (size,), lambda i: i % 5 - 2.0)
        at += 2 * size
    good("layer", tensors("{%s}" % ",".join(infos), data), "beside an attention layer")


def bad_safetensors(data, one):
    def bad(name, content, message):
        add("bad-%s.safetensors" % name, content, message)

    def header_only(name, text, message, content=data):
        bad(name, tensors(text, content), message)

    bad("length-only", struct.pack("<Q", 0), "nor an .npz archive")
    bad("length-huge", tensors(one, data, 2**64 - 1), "nor an .npz archive")
    bad("length-beyond", tensors(one, b"", len(one) + 1), "nor an .npz archive")
    bad("length-short", tensors(one, data, len(one) - 1), "column 59: the text ends too early")
    bad("length-zero", tensors(one, data, 0), "there is no JSON text")
    header_only("space-first", " " + one, "nor an .npz archive")
    header_only("array", "[1]", "nor an .npz archive")
    header_only("tail", one + "x", "text after the end of the object")
    header_only("newline-tail", one + "\n", "nothing but spaces")
    header_only("open", one[:-1], "the text ends too early")
    header_only("comma", one[:-1] + ",}", "a key in double quotes is expected")
    header_only("no-colon", one.replace('"x":', '"x" '), "':' is expected")
    header_only("number", '{"x":1}', "x: an object is expected")
    header_only("empty-tensor", '{"x":{}}', 'x: "dtype" is missing')
    header_only("no-dtype", '{"x":{"shape":[2,3,2],"data_offsets":[0,48]}}',
                'x: "dtype" is missing')
    header_only("no-shape", '{"x":{"dtype":"F32","data_offsets":[0,48]}}',
                'x: "shape" is missing')
    header_only("no-offsets", '{"x":{"dtype":"F32","shape":[2,3,2]}}',
                'x: "data_offsets" is missing')
    header_only("dtype-twice", one.replace('"shape"', '"dtype":"F32","shape"'),
                "x: the same key stands twice")
    header_only("unknown-key", one.replace('"shape"', '"y":1,"shape"'),
                "x: dtype, shape and data_offsets are expected and no more")
    header_only("dtype-number", one.replace('"F32"', "32"), "a string")
    header_only("dtype-long", one.replace("F32", "F" * 99), "short word")
    header_only("dtype-i32", one.replace("F32", "I32"), "has dtype I32")
    header_only("dtype-unknown", one.replace("F32", "Q7"), "has dtype Q7")
    for name, text, message in [("negative", "[2,3,-2]", "whole number"),
                                ("float", "[2,3,2.0]", "whole number"),
                                ("exponent", "[2,3,2e0]", "whole number"),
                                ("leading-zero", "[2,3,02]", "not a JSON number"),
                                ("string", '[2,3,"2"]', "whole number"),
                                ("2^64", "[2,3,18446744073709551616]", "below 2^64"),
                                ("overflow", "[4294967296,4294967296,12]", "another size"),
                                ("less", "[2,3,1]", "another size"),
                                ("more", "[2,3,4]", "another size"),
                                ("zero", "[2,0,2]", "another size"),
                                ("open", "[2,3,2", "unexpected character ':'"),
                                ("null", "null", "x.shape: an array is expected"),
                                ("1d", "[12]", "shape (12,)"),
                                ("4d", "[1,2,3,2]", "shape (1, 2, 3, 2)"),
                                ("rank33", "[" + "1," * 32 + "12]", "too many dimensions")]:
        header_only("shape-" + name, one.replace("[2,3,2]", text), message)
    for name, text, message in [("outside", "[0,52]", "outside the file"),
                                ("reversed", "[48,0]", "outside the file"),
                                ("gap", "[4,48]", "leaves a gap"),
                                ("unused", "[0,44]", "another size"),
                                ("huge", "[0,18446744073709551615]", "outside the file"),
                                ("one", "[0]", "two numbers are expected"),
                                ("three", "[0,48,48]", "two numbers are expected")]:
        header_only("offsets-" + name, one.replace("[0,48]", text), message)
    bad("data-long", tensors(one, data + b"\0"), "belong to no tensor")
    bad("data-short", tensors(one, data[:-1]), "outside the file")
    two = '{"x":%s,"y":%s}'
    header_only("overlap", two % (info("F32", GRID, 0, 48), info("F32", [1], 44, 48)),
                "overlaps another one")
    header_only("same", two % (info("F32", GRID, 0, 48), info("F32", GRID, 0, 48)),
                "overlaps another one")
    header_only("gap", two % (info("F32", GRID, 0, 48), info("F32", [1], 52, 56)),
                "leaves a gap", data + b"\0" * 8)
    header_only("name-twice", '{"x":%s,"x":%s}' % (info("F32", GRID, 0, 48),
                                                   info("F32", [1], 48, 52)),
                "the same key stands twice", data + b"\0" * 4)
    header_only("name-twice-escaped", '{"x":%s,"\\u0078":%s}' % (
        info("F32", GRID, 0, 48), info("F32", [1], 48, 52)), "the same key stands twice", data + b"\0" * 4)
    header_only("metadata-twice", '{"__metadata__":{},"__metadata__":{},' + one[1:], "the same key stands twice")
    header_only("metadata-number", '{"__metadata__":{"a":1},' + one[1:], "a string")
    header_only("metadata-nested", '{"__metadata__":{"a":{}},' + one[1:], "a string")
    header_only("name-nul", one.replace('"x"', '"x\\u0000"'), "\\u0000 in a string")
    header_only("name-surrogate", one.replace('"x"', '"\\ud800"'), "half a surrogate pair")
    header_only("name-low-surrogate", one.replace('"x"', '"\\udc00"'), "half a surrogate pair")
    header_only("name-half-pair", one.replace('"x"', '"\\ud800\\u0041"'), "half a surrogate pair")
    header_only("name-escape", one.replace('"x"', '"\\x41"'), "a bad escape")
    header_only("name-hex", one.replace('"x"', '"\\u00g0"'), "a bad escape")
    header_only("name-control", one.replace('"x"', '"\t"'), "a control character")
    for name, raw in [("latin1", b"\xe9"), ("overlong", b"\xc0\xaf"), ("cut", b"\xe2\x82"),
                      ("cesu", b"\xed\xa0\x80"), ("beyond", b"\xf4\x90\x80\x80"),
                      ("overlong3", b"\xe0\x80\xaf"), ("continuation", b"\x80")]:
        header_only("name-" + name, one.encode().replace(b'"x"', b'"' + raw + b'"'),
                    "this is not UTF-8")
    header_only("name-open", '{"x', "the text ends inside a string")
    header_only("no-tensors", "{}", "0 tensors", b"")
    header_only("nan", one, "[0][2][1] is NaN", elements(
        "f4", GRID, lambda i, k, c: float("nan") if (i, k, c) == (0, 2, 1) else 0.0))
    bad("nan-bf16", tensors('{"x":%s}' % info("BF16", GRID, 0, 24),
                            b"\0\0" * 5 + b"\xc0\x7f" + b"\0\0" * 6), "[0][2][1] is NaN")
    bad("inf-f16", tensors('{"x":%s}' % info("F16", GRID, 0, 24),
                           b"\0\0" * 5 + b"\0\x7c" + b"\0\0" * 6), "[0][2][1] is infinite")
