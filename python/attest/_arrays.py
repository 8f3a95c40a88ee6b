"""Views of arrays of any library, as attest needs them: address, format, shape and strides.

Nothing is copied, except for nested lists and arrays of the other byte order.
"""

from __future__ import annotations

import array as _array
import ctypes
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._library import InputError, Tensor

F64, F32, F16, BF16, E4M3, E5M2, BOOL = range(7)
SIZE = (8, 4, 2, 2, 1, 1, 1)
SAFETENSORS = ("F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2", "BOOL")

# what formats are called: by attest, by NumPy and ml_dtypes, by PyTorch, by safetensors
_NAMES: Dict[str, int] = {
    "binary64": F64, "float64": F64, "fp64": F64, "torch.float64": F64,
    "binary32": F32, "float32": F32, "fp32": F32, "torch.float32": F32,
    "binary16": F16, "float16": F16, "fp16": F16, "torch.float16": F16,
    "bfloat16": BF16, "bf16": BF16, "torch.bfloat16": BF16,
    "float8_e4m3fn": E4M3, "torch.float8_e4m3fn": E4M3,
    "float8_e5m2": E5M2, "torch.float8_e5m2": E5M2,
    "bool": BOOL, "torch.bool": BOOL,
    **{name: i for i, name in enumerate(SAFETENSORS)},
}  # fmt: skip
_BUFFER = {"d": F64, "f": F32, "e": F16, "?": BOOL}
_TYPESTR = {"f8": F64, "f4": F32, "f2": F16, "b1": BOOL}
_OTHER_ORDER = ">" if sys.byteorder == "little" else "<"


class Array:
    """A view of an array, with the name of its format.

    Made by :func:`view`; every function that takes arrays accepts it.
    """

    __slots__ = ("owner", "address", "type", "shape", "strides")

    def __init__(self, owner: object, address: int, type: int, shape: Sequence[int], strides: Optional[Sequence[int]]):
        self.owner = owner  # keeps the memory
        self.address = address
        self.type = type
        self.shape = tuple(shape)
        self.strides = tuple(strides) if strides is not None else _contiguous(self.shape, SIZE[type])

    def __repr__(self) -> str:
        return f"attest.view(<{SAFETENSORS[self.type]} {'x'.join(map(str, self.shape))}>)"

    def tobytes(self) -> bytes:
        """The elements, the last index fastest."""
        return b"".join(self._pieces(self.address, 0))

    def _pieces(self, address: int, axis: int) -> List[bytes]:
        size = SIZE[self.type]
        if axis == len(self.shape):
            return [ctypes.string_at(address, size)]
        count, stride = self.shape[axis], self.strides[axis]
        if axis == len(self.shape) - 1 and (stride == size or count == 1):
            return [ctypes.string_at(address, count * size)]
        pieces = []
        for i in range(count):
            pieces += self._pieces(address + i * stride, axis + 1)
        return pieces


def _contiguous(shape: Sequence[int], size: int) -> Tuple[int, ...]:
    strides = []
    for n in reversed(shape):
        strides.append(size)
        size *= n
    return tuple(reversed(strides))


class _Buffer(ctypes.Structure):
    """The structure of a buffer (PEP 3118), which CPython fills in."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


def _address_of(memory: memoryview) -> int:
    """The address of a memoryview, which may be read-only. The view keeps the memory."""
    buffer = _Buffer()
    api = ctypes.pythonapi
    if api.PyObject_GetBuffer(ctypes.py_object(memory), ctypes.byref(buffer), 0x11C):  # FULL_RO
        raise InputError("this buffer cannot be read")
    address = buffer.buf or 0
    api.PyBuffer_Release(ctypes.byref(buffer))
    return address


def _type_of(name: str, wanted: Optional[int], size: int, what: str) -> int:
    """The type of elements by this name, or the type that the caller wants."""
    found = _NAMES.get(name)
    if wanted is not None and wanted != found:
        if found is not None or SIZE[wanted] != size:
            raise InputError(f"{what}: elements of {name} are not {SAFETENSORS[wanted]}")
        return wanted
    if found is None:
        raise InputError(
            f"{what}: elements of {name} are not floating-point numbers of a supported format; "
            'for integers that contain their bits, name the format: attest.view(x, "bfloat16")'
        )
    return found


def _from_torch(x: Any, wanted: Optional[int], what: str) -> Array:
    if x.device.type == "meta":
        raise InputError(f"{what}: the tensor is on the device meta and has no values")
    if x.device.type != "cpu":  # a copy; the original stays where it is
        x = x.detach().cpu()
    if x.layout.__str__() != "torch.strided":
        raise InputError(f"{what}: the tensor is not strided: .to_dense() makes it so")
    if x.is_neg():
        x = x.resolve_neg()
    size = x.element_size()
    type = _type_of(str(x.dtype), wanted, size, what)
    return Array(x, x.data_ptr(), type, tuple(x.shape), [s * size for s in x.stride()])


def _swapped(memory: memoryview, size: int) -> _array.array[Any]:
    """A copy in this machine's byte order."""
    copy = _array.array({8: "Q", 4: "I", 2: "H"}[size], memory.tobytes())
    copy.byteswap()
    return copy


def _from_interface(x: Any, wanted: Optional[int], what: str) -> Array:
    interface: Dict[str, Any] = x.__array_interface__
    typestr: str = interface["typestr"]
    type = _TYPESTR.get(typestr[1:]) if wanted is None else None
    size = int(typestr[2:]) if typestr[2:].isdigit() else 0  # objects and dates are not numbers
    if type is None:  # ml_dtypes' are bytes to NumPy, but have a name
        name = getattr(getattr(x, "dtype", None), "name", typestr)
        type = _type_of(name, wanted, size, what)
    shape = interface["shape"]
    if typestr[0] == _OTHER_ORDER and size > 1:
        copy = _swapped(memoryview(x.view(f"V{size}") if hasattr(x, "view") else x), size)
        return Array(copy, copy.buffer_info()[0], type, shape, None)
    return Array(x, interface["data"][0], type, shape, interface.get("strides"))


def _from_buffer(memory: memoryview, wanted: Optional[int], what: str) -> Array:
    code = memory.format.lstrip("@=<>!")
    type = _BUFFER.get(code) if wanted is None else None
    if type is None:
        name = SAFETENSORS[_BUFFER[code]] if code in _BUFFER else f"type '{memory.format}'"
        type = _type_of(name, wanted, memory.itemsize, what)
    shape = memory.shape or ()
    if memory.format[0] == _OTHER_ORDER and memory.itemsize > 1:
        copy = _swapped(memory, memory.itemsize)
        return Array(copy, copy.buffer_info()[0], type, shape, None)
    return Array(memory, _address_of(memory), type, shape, memory.strides)


def _flatten(x: Any, what: str) -> Tuple[List[float], List[int]]:
    """The numbers of nested lists, and their shape."""
    if not isinstance(x, (list, tuple)):
        try:
            return [float(x)], []
        except (TypeError, ValueError):
            raise InputError(f"{what}: {x!r:.60} is not an array of numbers") from None
    numbers: List[float] = []
    inner: Optional[List[int]] = None
    for item in x:
        more, shape = _flatten(item, what)
        if inner is not None and shape != inner:
            raise InputError(f"{what}: the lists have different lengths")
        inner = shape
        numbers += more
    return numbers, [len(x)] + (inner or [])


def _is_bool(x: Any) -> bool:
    return _is_bool(x[0]) if isinstance(x, (list, tuple)) and x else isinstance(x, bool)


def _from_lists(x: Any, wanted: Optional[int], what: str) -> Array:
    if wanted is not None:
        raise InputError(f"{what}: lists of numbers have no format: they are taken exactly")
    numbers, shape = _flatten(x, what)
    if _is_bool(x):
        values: _array.array[Any] = _array.array("B", map(int, numbers))
        return Array(values, values.buffer_info()[0], BOOL, shape, None)
    values = _array.array("d", numbers)
    return Array(values, values.buffer_info()[0], F64, shape, None)


def view(x: Any, format: Optional[str] = None, *, what: str = "the array") -> Array:
    """Returns a view of an array; nothing is copied where that can be avoided.

    Arrays are those of NumPy (also with the types of ml_dtypes), tensors of PyTorch (of those on a GPU, a copy),
    everything with the buffer protocol or ``__array_interface__``, and nested lists of numbers,
    which are taken as binary64. ``format`` names the format of which integers contain the bits:

    >>> import array
    >>> bits = array.array("H", [0x3F80, 0x4000, 0xBF80, 0])   # 1, 2, -1, 0 in bfloat16
    >>> view(memoryview(bits).cast("B").cast("H", [2, 2]), "bfloat16")
    attest.view(<BF16 2x2>)
    """
    wanted = None
    if format is not None:
        wanted = _NAMES.get(format)
        if wanted is None:
            raise InputError(f"there is no format {format!r} here; there are {', '.join(SAFETENSORS)} and their other names")
    if isinstance(x, Array):
        if wanted is not None and wanted != x.type:
            raise InputError(f"{what}: elements of {SAFETENSORS[x.type]} are not {SAFETENSORS[wanted]}")
        return x
    if hasattr(x, "data_ptr") and hasattr(x, "element_size"):
        return _from_torch(x, wanted, what)
    if hasattr(x, "__array_interface__"):
        return _from_interface(x, wanted, what)
    if isinstance(x, (list, tuple, float, int)):
        return _from_lists(x, wanted, what)
    try:
        memory = memoryview(x)
    except TypeError:
        raise InputError(f"{what}: {type(x).__name__} is not an array") from None
    return _from_buffer(memory, wanted, what)


def tensor(x: Array, shape: Sequence[int], strides: Sequence[int]) -> Tensor:
    """The library's structure; missing leading axes have length 1."""
    missing = 4 - len(shape)
    ones = (1,) * missing
    zeros = (0,) * missing
    return Tensor(x.address, x.type, (*ones, *shape), (*zeros, *strides))


def integers(x: Any, what: str, axes: int) -> Tuple[_array.array[int], Tuple[int, ...]]:
    """A copy of an array of integers as 64-bit ones, and its shape. Any library's array has tolist()."""
    if hasattr(x, "detach"):
        x = x.detach().cpu()
    rows = x.tolist() if hasattr(x, "tolist") else x
    if axes == 1:
        rows = [rows]
    try:
        shape = (len(rows), len(rows[0]))
        flat = [i for row in rows for i in row]
        if any(len(row) != shape[1] for row in rows) or any(isinstance(i, bool) for i in flat):
            raise TypeError
        return _array.array("q", flat), shape[2 - axes :]
    except (TypeError, IndexError, OverflowError):
        name = "integers" if axes == 1 else "rows of integers"
        raise InputError(f"{what} is not an array of {name}") from None


def doubles(count: int, shape: Sequence[int]) -> Tuple[memoryview, int]:
    """Allocates results: a memoryview of this shape, and its address."""
    room = bytearray(8 * count)
    address = ctypes.addressof(ctypes.c_char.from_buffer(room))
    return memoryview(room).cast("d", list(shape)), address
