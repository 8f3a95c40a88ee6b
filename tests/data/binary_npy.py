"""The .npy files; see make-binary.py."""
import struct

from binary_common import GRID, add, elements, grid


def npy_raw(header, data, version=1, pad=64):
    text = header.encode("latin-1")
    width = 2 if version == 1 else 4
    text += b" " * (-(8 + width + len(text) + 1) % pad) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def header(descr="<f8", fortran=False, shape=GRID):
    return "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, fortran, shape)


def npy(code="f8", shape=GRID, value=grid, order="<", fortran=False, **more):
    descr = ("|" if code[1] == "1" else order) + code
    return npy_raw(header(descr, fortran, shape),
                   elements(code, shape, value, order, fortran), **more)


def make_npy():
    def good(name, content, about):
        add("good-grid-%s.npy" % name, content, about=about)

    for code in "f2 f4 f8 i2 i4 i8 u2 u4 u8".split():
        good(code + "-le", npy(code), "the grid as little-endian " + code)
        good(code + "-be", npy(code, order=">"), "the grid as big-endian " + code)
    good("i1", npy("i1"), "the grid as i1")
    good("u1", npy("u1"), "the grid as u1")
    good("f8-fortran", npy("f8", fortran=True), "Fortran order")
    good("i2-be-fortran", npy("i2", order=">", fortran=True), "Fortran order, big-endian")
    good("version2", npy(version=2), "version 2.0")
    good("version3", npy(version=3), "version 3.0")
    good("unaligned", npy(pad=1), "a header without padding: no double is aligned")
    data = elements("f8", GRID, grid)
    good("keys", npy_raw('{\n "shape" :(2 ,3,\t2),"fortran_order":False,"descr":"<f8"}', data),
         "another order of keys, double quotes, odd white space")
    good("python2", npy_raw("{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L, 2L), }",
                            data), "lengths as Python 2 wrote them")
    extremes()
    bad_npy(data)


def extremes():
    """Three tokens of one entry each: what the tests write down again as exact numbers."""
    def three(name, code, about, *values):
        add("good-%s.npy" % name, npy(code, (1, 3, 1), lambda i, k, c: values[k]), about=about)

    text = "least, most negative and minus zero"
    three("extremes-f8", "f8", text, 5e-324, -1.7976931348623157e308, -0.0)
    three("extremes-f4", "f4", text, 2.0**-149, -(2 - 2.0**-23) * 2.0**127, -0.0)
    three("extremes-f2", "f2", text, 2.0**-24, -65504.0, -0.0)
    three("extremes-i8", "i8", "integers that are no doubles", 2**63 - 1, -2**63, 2**53 + 1)
    three("extremes-u8", "u8", "integers that are no doubles", 2**64 - 1, 2**53 + 1, 0)
    three("large-i8", "i8", "large integers that are doubles", 2**62, -2**63, 2**53)


def bad_npy(data):
    good = npy()

    def bad(name, content, message):
        add("bad-%s.npy" % name, content, message)

    bad("empty", b"", "not an .npy file")
    bad("magic-only", good[:6], "ends too early")
    bad("version4", good[:6] + b"\4\0" + good[8:], "version 4.0")
    bad("version1.1", good[:7] + b"\1" + good[8:], "version 1.1")
    bad("header-cut", good[:40], "ends too early")
    bad("header-length", good[:8] + b"\xff\xff" + good[10:], "at most")
    bad("header-length32", npy(version=2)[:8] + b"\xff" * 4 + npy(version=2)[12:], "at most")
    bad("short", good[:-1], "takes 96 bytes of data, but there are 95")
    bad("long", good + b"\0", "takes 96 bytes of data, but there are 97")
    shape = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }"
    for name, text, message in [
            ("shape-1d", "(12,)", "shape (12,): a dataset has shape (N, n, d)"),
            ("shape-2d", "(6, 2)", "shape (6, 2): a dataset"),
            ("shape-4d", "(1, 2, 3, 2)", "shape (1, 2, 3, 2): a dataset"),
            ("shape-scalar", "()", "takes 8 bytes"),
            ("shape-huge", "(4294967296, 4294967296, 4294967296)", "too large"),
            ("shape-overflow", "(2, 3, 99999999999999999999)", "fits in memory"),
            ("shape-negative", "(2, 3, -2)", "a length"),
            ("shape-number", "12", "a shape such as"),
            ("shape-list", "[2, 3, 2]", "a shape such as"),
            ("shape-parenthesis", "(12)", "',' or ')'"),
            ("shape-expression", "(2, 3, 1+1)", "',' or ')'"),
            ("shape-leading-zero", "(2, 03, 2)", "leading zeros"),
            ("shape-commas", "(2,, 3, 2)", "a length"),
            ("shape-open", "(2, 3, 2", "a length"),
            ("shape-float", "(2.0, 3, 2)", "',' or ')'"),
            ("shape-rank33", "(" + "1, " * 33 + ")", "at most 32 dimensions")]:
        bad(name, npy_raw(shape % text, data), message)
    bad("shape-wrapped", npy_raw(shape % "(2, 9223372036854775808, 2)", data), "too large")
    bad("shape-zero", npy_raw(shape % "(0, 3, 2)", b""), "empty")
    bad("shape-zero-length", npy_raw(shape % "(2, 0, 2)", b""), "empty")
    bad("shape-zero-dim", npy_raw(shape % "(2, 3, 0)", b""), "empty")
    bad("shape-zero-huge", npy_raw(shape % "(9999999999999999999, 9999999999999999999, 0)", b""),
        "empty")
    for name, descr in [("complex", "<c16"), ("bytes", "|S8"),
                        ("text", "<U2"), ("object", "|O"), ("date", "<M8[ns]"),
                        ("longdouble", "<f16"), ("native", "=f8"), ("no-order", "f8"),
                        ("bar", "|f8"), ("i3", "<i3"), ("space", "<f8 "), ("name", "float64"),
                        ("empty", "")]:
        bad("dtype-" + name, npy_raw(header(descr), data), "dtype '%s'" % descr)
    bad("dtype-bool", npy_raw(header("|b1"), data[:12]), "truth values")
    bad("dtype-sixteen", npy_raw(header("<" + "f" * 15), data), "a dtype such as '<f8'")  # as long as its room
    bad("dtype-structured", npy_raw(
        "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (2, 3, 2), }", data),
        "structured")
    whole = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 2), }"
    for name, text, message in [
            ("no-descr", "{'fortran_order': False, 'shape': (2, 3, 2), }", "'descr' is missing"),
            ("no-order", "{'descr': '<f8', 'shape': (2, 3, 2), }", "'fortran_order' is missing"),
            ("no-shape", "{'descr': '<f8', 'fortran_order': False, }", "'shape' is missing"),
            ("twice", whole[:-1] + "'shape': (2, 3, 2)}", "'shape' occurs twice"),
            ("unknown", whole[:-1] + "'x': 1}", "unknown key 'x'"),
            ("order-number", whole.replace("False", "0"), "True or False"),
            ("order-lower", whole.replace("False", "false"), "True or False"),
            ("no-dictionary", "__import__('os').system('true')", "'{'"),
            ("tail", whole + " or 1", "nothing after"),
            ("open", whole[:-1], "'descr', 'fortran_order' or 'shape'"),
            ("no-colon", whole.replace(":", " "), "':'"),
            ("no-comma", whole.replace("False,", "False"), "',' or '}'"),
            ("escape", whole.replace("<f8", "\\x3cf8"), "a dtype such as"),
            ("long-key", whole.replace("shape", "s" * 100), "'descr', 'fortran_order'"),
            ("quote", whole.replace("'<f8'", "'<f8\""), "dtype '<f8")]:
        bad("header-" + name, npy_raw(text, data), message)
    bad("header-blank", npy_raw("", data), "'{'")
    bad("header-nul", npy_raw(whole + "\0", data), "nothing after")
    for name, code, value, message in [
            ("nan-f8", "f8", float("nan"), "[0][2][1] is NaN"),
            ("inf-f8", "f8", float("inf"), "[0][2][1] is infinite"),
            ("minus-inf-f4", "f4", float("-inf"), "[0][2][1] is infinite"),
            ("nan-f2", "f2", float("nan"), "[0][2][1] is NaN")]:
        def one(i, k, c, value=value):
            return value if (i, k, c) == (0, 2, 1) else grid(i, k, c)
        bad(name, npy(code, value=one), message)
        bad(name + "-fortran", npy(code, value=one, fortran=True), message)
