"""The list of files to make, and numbers as bytes; see make-binary.py."""
import itertools
import struct

FILES = {}  # name -> (bytes, what a bad file's error says or None, what is in a good one)


def add(name, data, message=None, about=None):
    assert name not in FILES and name.startswith("bad-" if message else "good-"), name
    assert message or about, name
    FILES[name] = (data, message, about)


def item(code, order, x):
    """One element of NumPy type code ('f8', 'i2', ...), or 'bf' for bfloat16."""
    if code == "bf":
        bits = struct.unpack("<I", struct.pack("<f", x))[0]
        assert bits & 0xFFFF == 0
        return struct.pack(order + "H", bits >> 16)
    letter = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
              "u1": "B", "u2": "H", "u4": "I", "u8": "Q"}[code]
    return struct.pack(order + letter, x)


def elements(code, shape, value, order="<", fortran=False):
    """value(*index) for all indices of the shape, in C or Fortran order."""
    places = itertools.product(*map(range, shape[::-1] if fortran else shape))
    return b"".join(item(code, order, value(*(p[::-1] if fortran else p))) for p in places)


def grid(i, k, c):
    return 6 * i + 2 * k + c


GRID = (2, 3, 2)
