"""The problem of attention: Q, K, V and options, checked and converted for the library."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, List, Optional, Sequence, Tuple, Union

from ._arrays import BOOL, SAFETENSORS, Array, integers, tensor, view
from ._library import QKV, InputError, Tensor

Number = Union[int, float, Fraction, Decimal, str]
Causal = Union[bool, str]
Window = Optional[Tuple[Optional[int], Optional[int]]]
LAYOUTS = ("bhsd", "bshd", "hsd", "shd", "sd")


def exact(value: Any, what: str) -> str:
    """A number as the library reads it, exactly: floats become hexadecimal."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        raise InputError(f"{what}: {value!r} is not a number")
    if isinstance(value, (int, Fraction, Decimal)):
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{what}: {value!r:.60} is not a number") from None
    if number != number or number in (float("inf"), float("-inf")):
        raise InputError(f"{what}: {number} is not finite")
    return number.hex()


class Problem:
    """The library's structure ``qkv``, and the arrays that it points to."""

    __slots__ = ("qkv", "q", "k", "v", "shape", "rank", "options", "parts", "layout", "queries", "arrays")

    def __init__(
        self,
        q: Any,
        k: Any,
        v: Any,
        scale: Optional[Number],
        causal: Causal,
        window: Window,
        mask: Any,
        softcap: Optional[Number],
        sink: Any,
        empty_row: str,
        factors: Sequence[Any] = (None, None, None),
        layout: Optional[str] = None,
        cu_seqlens: Any = None,
        lengths: Any = None,
        block_table: Any = None,
        past: Any = None,
    ):
        if layout is not None and layout not in LAYOUTS:
            raise InputError(f"layout: {layout!r} is not one of {', '.join(LAYOUTS)}")
        self.layout = layout
        self.q, self.k, self.v = view(q, what="q"), view(k, what="k"), view(v, what="v")
        self.queries: List[int] = []  # of each sequence, where they are packed
        self.arrays: List[Tuple[str, Any, Tuple[int, ...]]] = []  # of integers
        packed, paged = cu_seqlens is not None, block_table is not None
        tokens_first = layout in ("bshd", "shd") or (layout is None and packed)
        cache_first = layout in (None, "bshd", "shd") if paged else tokens_first
        self.options: List[str] = []  # of the program
        self.parts: List[Tuple[str, Array, Tensor]] = []  # as they are saved
        x = self.qkv = QKV()
        x.q = self._part("q", self.q, tokens_first)
        x.k, x.v = self._part("k", self.k, cache_first, paged), self._part("v", self.v, cache_first, paged)
        if past is not None:
            self._set_past(past, tokens_first)
        self._set_sequences(cu_seqlens, lengths, block_table)
        self.rank = len(self.q.shape)
        batch, heads, rows, _ = x.q.shape
        self.shape: Tuple[int, int, int, int] = (batch, heads, rows, x.v.shape[3])  # of the output
        if scale is not None:
            self._option("scale", exact(scale, "scale"))
            x.scale = self.options[-1][8:].encode()
        if softcap is not None:
            self._option("softcap", exact(softcap, "softcap"))
            x.softcap = self.options[-1][10:].encode()
        if causal:
            self._set_causal(causal)
        if window is not None:
            self._set_window(window)
        if mask is not None:
            self._set_mask(view(mask, what="mask"))
        if sink is not None:
            self._set_sink(view(sink, what="sink"))
        for name, factor in zip(("q_descale", "k_descale", "v_descale"), factors):
            if factor is not None:
                self._set_factor(name, view(factor, what=name))
        if empty_row != "zero":
            if empty_row != "nan":
                raise InputError(f"empty_row: {empty_row!r} is neither 'zero' nor 'nan'")
            x.empty_is_nan = True
            self._option("empty-row", "nan")

    def _option(self, name: str, value: str) -> None:
        self.options.append(f"--{name}={value}")

    def _part(self, name: str, x: Array, tokens_first: bool = False, pages: bool = False) -> Tensor:
        if pages and len(x.shape) != 4:
            order = "page size, heads" if tokens_first else "heads, page size"
            raise InputError(f"{name} has {len(x.shape)} axes: a cache in pages has the axes (pages, {order}, dim)")
        if not pages and self.layout is not None and len(x.shape) != len(self.layout):
            raise InputError(f"{name} has {len(x.shape)} axes: the layout {self.layout} has {len(self.layout)}")
        if not 2 <= len(x.shape) <= 4:
            raise InputError(
                f"{name} has {len(x.shape)} axes: (batch, heads, tokens, dim), (heads, tokens, dim) or (tokens, dim) is expected"
            )
        if x.type == BOOL:
            raise InputError(f"{name}: truth values are not numbers")
        if 0 in x.shape:
            raise InputError(f"{name} is empty: its shape is {x.shape}")
        shape, strides = list(x.shape), list(x.strides)
        if tokens_first and len(shape) > 2:
            shape[-3], shape[-2] = shape[-2], shape[-3]
            strides[-3], strides[-2] = strides[-2], strides[-3]
        part = tensor(x, shape, strides)
        self.parts.append((name, x, part))
        return part

    def _set_past(self, past: Any, tokens_first: bool) -> None:
        try:
            past_k, past_v = past
        except (TypeError, ValueError):
            raise InputError("past is not a pair (keys, values)") from None
        self.qkv.past_k = self._part("past_k", view(past_k, what="past_k"), tokens_first)
        self.qkv.past_v = self._part("past_v", view(past_v, what="past_v"), tokens_first)
        self.options += ["--past-k=past_k", "--past-v=past_v"]

    def _integers(self, name: str, x: Any, axes: int = 1) -> None:
        values, shape = integers(x, name, axes)
        sequences = shape[0] - name.startswith("cu_")
        if sequences < 1 or 0 in shape:
            raise InputError(f"{name} has no sequence")
        if self.qkv.sequences not in (0, sequences):
            raise InputError(f"{name} is for {sequences} sequences, but the arrays before it are for {self.qkv.sequences}")
        self.qkv.sequences = sequences
        setattr(self.qkv, name, values.buffer_info()[0])
        self.arrays.append((name, values, shape))
        self._option(name.replace("_", "-"), name)

    def _set_sequences(self, cu_seqlens: Any, lengths: Any, block_table: Any) -> None:
        if cu_seqlens is not None:
            pair = isinstance(cu_seqlens, (tuple, list)) and len(cu_seqlens) == 2 and hasattr(cu_seqlens[0], "__len__")
            offsets_q, offsets_k = cu_seqlens if pair else (cu_seqlens, cu_seqlens)
            self._integers("cu_seqlens_q", offsets_q)
            if block_table is None:
                self._integers("cu_seqlens_k", offsets_k)
            offsets = self.arrays[0][1]
            self.queries = [offsets[i + 1] - offsets[i] for i in range(len(offsets) - 1)]
        if lengths is not None:
            self._integers("lengths", lengths)
        if block_table is not None:
            self._integers("block_table", block_table, 2)
            self.qkv.blocks = self.arrays[-1][2][1]
        if cu_seqlens is not None or block_table is not None:
            self._option("layout", "bhsd")  # in which parts are saved

    def _set_causal(self, causal: Causal) -> None:
        if causal is not True and causal not in ("bottom-right", "top-left"):
            raise InputError(f"causal: {causal!r} is not True, False, 'bottom-right' or 'top-left'")
        self.qkv.causal = 2 if causal == "top-left" else 1
        self.options.append("--causal=top-left" if causal == "top-left" else "--causal")

    def _set_window(self, window: Sequence[Optional[int]]) -> None:
        try:
            left, right = (-1 if side is None else int(side) for side in window)
        except (TypeError, ValueError):
            raise InputError(f"window: {window!r:.60} is not (LEFT, RIGHT), two numbers of keys or None") from None
        x = self.qkv
        x.windowed, x.left, x.right = True, max(left, -1), max(right, -1)
        self._option("window", f"{x.left},{x.right}")

    def _set_mask(self, mask: Array) -> None:
        if not 1 <= len(mask.shape) <= 4:
            raise InputError(f"the mask has {len(mask.shape)} axes, not 1 to 4")
        shape, strides = list(mask.shape), list(mask.strides)
        keys = self.qkv.k.shape[2]
        if shape[-1] == 1 and keys != 1:  # one value for all keys
            shape[-1], strides[-1] = keys, 0
        self.qkv.mask = part = tensor(mask, shape, strides)
        self.parts.append(("mask", mask, part))
        self._option("mask", "mask")

    def _set_sink(self, sink: Array) -> None:
        heads = self.shape[1]
        stride = sink.strides[-1] if sink.shape else 0
        if sink.shape not in ((heads,), ()) or sink.type == BOOL:
            raise InputError(f"the sink must have one number for each of the {heads} heads, or be one number")
        self.qkv.sink = part = Tensor(sink.address, sink.type, (1, heads, 1, 1), (0, stride, 0, 0))
        self.parts.append(("sink", sink, part))
        self._option("sink", "sink")

    def _set_factor(self, name: str, x: Array) -> None:
        if len(x.shape) > 2 or x.type == BOOL:
            raise InputError(f"{name} must be one number, one for each head, or of shape (batch, heads)")
        missing = 2 - len(x.shape)
        shape, strides = (1,) * missing + x.shape, (0,) * missing + x.strides
        part = Tensor(x.address, x.type, (*shape, 1, 1), (*strides, 0, 0))
        setattr(self.qkv, name, part)
        self.parts.append((name, x, part))
        self._option(name.replace("_", "-"), name)

    @property
    def count(self) -> int:
        batch, heads, rows, columns = self.shape
        return batch * heads * rows * columns

    @property
    def result_shape(self) -> Tuple[int, ...]:
        """The shape of results: with as many axes as q, and in its layout; packed: (tokens, heads, columns)."""
        return self._in_layout(self.shape)[4 - self.rank :]

    @property
    def tokens_first(self) -> bool:
        """Whether tokens come before heads in q and in results."""
        return self.rank > 2 and (self.layout in ("bshd", "shd") or (self.layout is None and bool(self.queries)))

    def _in_layout(self, shape: Tuple[int, int, int, int]) -> Tuple[int, int, int, int]:
        batch, heads, rows, columns = shape
        return (batch, rows, heads, columns) if self.tokens_first else shape

    def in_layout(self, flat: memoryview) -> memoryview:
        """Results as the library returns them, sequence by sequence and head by head, in the layout of q."""
        batch, heads, rows, columns = self.shape
        if not self.tokens_first and not self.queries:
            return flat.cast("B").cast("d", list(self.result_shape))
        source, room = flat.cast("B"), bytearray(flat.nbytes)
        size, place, token = 8 * columns, 0, 0
        for count in self.queries or [rows] * batch:
            for h in range(heads):
                for i in range(count):
                    row = (token + i) * heads + h if self.tokens_first else h * rows + token + i
                    room[row * size : (row + 1) * size] = source[place : place + size]
                    place += size
            token += count
        return memoryview(room).cast("d", list(self.result_shape))

    def heads(self) -> List[Tuple[int, int, int]]:
        """Batch entry, head and number of elements of every head, in the order of the library's results."""
        batch, heads, rows, columns = self.shape
        queries = self.queries or [rows] * batch
        return [(b, h, n * columns) for b, n in enumerate(queries) for h in range(heads) if n]

    def output(self, out: Array) -> Tensor:
        """The library's structure of an output, whose heads are an axis or side by side."""
        batch, heads, rows, columns = self.shape
        if out.type == BOOL:
            raise InputError("out: an output has numbers, not truth values")
        rank = len(out.shape)
        for exchanged in (self.tokens_first, not self.tokens_first):
            wanted = (batch, rows, heads, columns) if exchanged else self.shape
            if 2 <= rank <= 4 and (1,) * (4 - rank) + out.shape == wanted:
                part = tensor(out, out.shape, out.strides)
                if exchanged:
                    s = part.stride
                    part = Tensor(out.address, out.type, self.shape, (s[0], s[2], s[1], s[3]))
                return part
        if rank in (2, 3) and (1,) * (3 - rank) + out.shape == (batch, rows, heads * columns):
            strides = (0,) * (3 - rank) + out.strides
            return Tensor(out.address, out.type, self.shape, (strides[0], strides[2] * columns, strides[1], strides[2]))
        raise InputError(
            f"out: the shape {out.shape} does not fit q and v: {self._in_layout(self.shape)}, or {(batch, rows, heads * columns)} "
            "with the heads side by side, is expected"
        )


def format_name(x: Array) -> str:
    return SAFETENSORS[x.type]
