"""Arrays of all kinds: what is read, that it is not copied, and what is refused."""

import array
import struct
import unittest

import attest
from attest._arrays import BF16, E4M3, E5M2, F16, F32, F64, Array

from common import needs, optional, shaped

numpy, torch = optional("numpy"), optional("torch")
Q = [[1.0, 0.5], [0.25, -2.0], [3.0, 1.5]]


def exact(q, k=None, v=None, **options):
    """The exact result where q is k and v."""
    k = q if k is None else k
    return attest.tolerance(q, k, k if v is None else v, kernel="fp64-any", **options).exact.tolist()


class FakeDtype:
    def __init__(self, name):
        self.name = name


class Fake:
    """An array of ml_dtypes: NumPy takes its elements for bytes, but they have a name."""

    def __init__(self, name, typestr, data, shape):
        self.dtype = FakeDtype(name)
        self.data = data
        self.__array_interface__ = {"typestr": typestr, "shape": shape, "data": (data.buffer_info()[0], True), "version": 3}


class Arrays(unittest.TestCase):
    def setUp(self):
        self.expected = exact(Q)

    def flat(self):
        return [x for row in Q for x in row]

    def test_buffers(self):
        for code in "fd":
            self.assertEqual(exact(shaped(self.flat(), (3, 2), code)), self.expected)
        constant = memoryview(struct.pack("6f", *self.flat())).cast("f", [3, 2])  # read-only, as bytes are
        self.assertEqual(exact(constant), self.expected)

    def test_not_copied(self):
        data = array.array("f", self.flat())
        view = attest.view(memoryview(data).cast("B").cast("f", [3, 2]))
        self.assertEqual((view.address, view.type, view.strides), (data.buffer_info()[0], F32, (8, 4)))

    def test_saved_in_order(self):
        """Elements are saved with the last index fastest, whatever the strides"""
        data = array.array("f", self.flat())
        turned = Array(data, data.buffer_info()[0], F32, (2, 3), (4, 8))
        self.assertEqual(struct.unpack("6f", turned.tobytes()), tuple(row[i] for i in range(2) for row in Q))

    def test_bits_with_a_name(self):
        bits = array.array("H", [struct.unpack("<I", struct.pack("<f", x))[0] >> 16 for x in self.flat()])
        memory = memoryview(bits).cast("B").cast("H", [3, 2])
        self.assertEqual(exact(attest.view(memory, "bfloat16")), self.expected)
        self.assertEqual(exact(attest.view(memory, "bf16"), v=shaped(self.flat(), (3, 2))), self.expected)
        with self.assertRaisesRegex(attest.InputError, 'attest.view\\(x, "bfloat16"\\)'):
            exact(memory)
        with self.assertRaisesRegex(attest.InputError, "not F8_E4M3"):
            attest.view(memory, "float8_e4m3fn")
        with self.assertRaisesRegex(attest.InputError, "no format 'fp8'"):
            attest.view(memory, "fp8")

    def test_eight_bits(self):
        e4m3 = array.array("B", [0x38, 0x30, 0x28, 0xC0, 0x44, 0x3C])  # 1, 0.5, 0.25, -2, 3, 1.5
        e5m2 = array.array("B", [0x3C, 0x38, 0x34, 0xC0, 0x42, 0x3E])
        for name, data in (("float8_e4m3fn", e4m3), ("float8_e5m2", e5m2)):
            self.assertEqual(exact(attest.view(memoryview(data).cast("B", [3, 2]), name)), self.expected)

    def test_ml_dtypes(self):
        """Types that NumPy does not know are known by their names."""
        bits = array.array("H", [struct.unpack("<I", struct.pack("<f", x))[0] >> 16 for x in self.flat()])
        self.assertEqual(attest.view(Fake("bfloat16", "<V2", bits, (3, 2))).type, BF16)
        self.assertEqual(exact(Fake("bfloat16", "<V2", bits, (3, 2))), self.expected)
        for name, type in (("float8_e4m3fn", E4M3), ("float8_e5m2", E5M2)):
            self.assertEqual(attest.view(Fake(name, "|V1", array.array("B", [0] * 6), (3, 2))).type, type)
        with self.assertRaisesRegex(attest.InputError, "float8_e3m4"):
            attest.view(Fake("float8_e3m4", "|V1", array.array("B", [0] * 6), (3, 2)))

    def test_lists(self):
        with self.assertRaisesRegex(attest.InputError, "different lengths"):
            exact([[1.0], [1.0, 2.0]])
        with self.assertRaisesRegex(attest.InputError, "not an array of numbers"):
            exact([["a"]])
        with self.assertRaisesRegex(attest.InputError, "object is not an array"):
            exact(object())
        with self.assertRaisesRegex(attest.InputError, "1 axes"):
            exact([1.0])

    def test_masks(self):
        q = [[0.0], [0.0]]
        for mask in ([[True, False], [False, True]], [[0.0, float("-inf")], [float("-inf"), 0.0]]):
            self.assertEqual(exact(q, v=[[1.0], [3.0]], mask=mask), [[1.0], [3.0]])
        self.assertEqual(exact(q, v=[[1.0], [3.0]], mask=[[True], [False]]), [[2.0], [0.0]])  # for all keys

    @needs(numpy, "NumPy")
    def test_numpy(self):
        x = numpy.array(Q)
        for type, code in (("f8", F64), ("f4", F32), ("f2", F16), (">f8", F64), (">f4", F32), (">f2", F16)):
            self.assertEqual(exact(x.astype(type)), self.expected)
            self.assertEqual(attest.view(x.astype(type)).type, code)
        self.assertEqual(attest.view(x).address, x.__array_interface__["data"][0])
        strange = numpy.full((2, 7, 3), numpy.nan)
        strange[1, 5::-2] = x.T[0], x.T[1], x.T[0]
        self.assertEqual(exact(strange[1, 5:2:-2].T), self.expected)  # negative strides, transposed
        self.assertEqual(exact(numpy.broadcast_to(x[:1], (3, 2))), exact([Q[0]] * 3))
        self.assertIs(numpy.asarray(attest.tolerance(x, x, x, kernel="fp64-any").lo).base is None, False)  # a view
        with self.assertRaisesRegex(attest.InputError, "int64"):
            exact(x.astype("i8"))
        for type in ("complex128", "object", "longdouble", "M8[ns]"):
            with self.assertRaisesRegex(attest.InputError, "not floating-point numbers of a supported format"):
                exact(x.astype("i8").astype(type))
        with self.assertRaisesRegex(attest.InputError, "q is empty"):
            exact(x[:0])

    @needs(torch, "PyTorch")
    def test_torch(self):
        x = torch.tensor(Q, requires_grad=True)
        self.assertEqual(attest.view(x).address, x.data_ptr())
        for type in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
            self.assertEqual(exact(x.to(type)), self.expected)
        self.assertEqual(exact(x.t().contiguous().t()), self.expected)
        self.assertEqual(exact((-x).neg()), self.expected)
        lazy = torch.complex(torch.zeros(3, 2), -torch.tensor(Q)).conj().imag  # a lazy negation
        self.assertEqual(exact(lazy), self.expected)
        with self.assertRaisesRegex(attest.InputError, "torch.int32"):
            exact(x.to(torch.int32))
        with self.assertRaisesRegex(attest.InputError, "meta"):
            exact(torch.empty(3, 2, device="meta"))
        with self.assertRaisesRegex(attest.InputError, "strided"):
            exact(torch.eye(3).to_sparse())
