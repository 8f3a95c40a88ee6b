"""What the tests of the package share: modules that may be missing, and arrays."""

import array
import importlib
import os
import random
import struct
import unittest

SEED = int(os.environ.get("ATTEST_SEED") or "0x5eed", 0)


def optional(name):
    """A module, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def needs(module, name):
    """Skips a test, or a class of them, without the module."""
    return unittest.skipIf(module is None, f"there is no {name}")


def generator():
    print(f"# seed {SEED:#x} (ATTEST_SEED sets it)", flush=True)
    return random.Random(SEED)


def shaped(values, shape, code="f"):
    """A memoryview of that shape."""
    return memoryview(array.array(code, values)).cast("B").cast(code, list(shape))


def gauss(rng, shape, code="f", size=1.0):
    count = 1
    for n in shape:
        count *= n
    return shaped((size * rng.gauss(0, 1) for _ in range(count)), shape, code)


def flat(memory):
    """The elements of a memoryview of doubles."""
    raw = memory.cast("B")
    return struct.unpack(f"{len(raw) // 8}d", raw)
