"""Strategies of Hypothesis: datasets, and Q, K, V, with the corners in which kernels go wrong.

    from hypothesis import given
    from attest.strategies import qkv

    @given(qkv(format="bfloat16"))
    def test_kernel(x):
        out = kernel(*map(to_bfloat16, (x.q, x.k, x.v)))
        attest.assert_attention(out, x.q, x.k, x.v, kernel="bf16-any")
"""

from __future__ import annotations

import array
import math
from fractions import Fraction
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from hypothesis import strategies as st

__all__ = ["QKV", "datasets", "qkv"]

CORNERS = ("plain", "ties", "near-ties", "large-scores", "cancelling", "tiny", "outlier")


class QKV(NamedTuple):
    """Queries, keys and values: memoryviews of floats (doubles for binary64), of shape
    (batch, heads, tokens, dim), whose values are numbers of the format; and the corner they are of."""

    q: memoryview
    k: memoryview
    v: memoryview
    corner: str


# significand bits, least and largest exponent, largest number
_FORMATS = {
    "binary64": (53, -1022, 1.7976931348623157e308),
    "binary32": (24, -126, 3.4028234663852886e38),
    "binary16": (11, -14, 65504.0),
    "bfloat16": (8, -126, 3.3895313892515355e38),
    "float8_e4m3fn": (4, -6, 448.0),
    "float8_e5m2": (3, -14, 57344.0),
}


def _round(x: float, format: str) -> float:
    """The number of the format that is nearest to x, or the largest one."""
    bits, least, largest = _FORMATS[format]
    if x == 0 or format == "binary64":
        return x
    exponent = max(math.frexp(x)[1] - 1, least) - bits + 1
    rounded = math.ldexp(round(math.ldexp(x, -exponent)), exponent)
    return math.copysign(min(abs(rounded), largest), x)


def _pack(values: Sequence[float], shape: Tuple[int, ...], format: str) -> memoryview:
    code = "d" if format == "binary64" else "f"
    data = array.array(code, (_round(x, format) for x in values))
    return memoryview(data).cast("B").cast(code, list(shape))


def _vectors(draw: Any, count: int, dim: int, size: float) -> List[List[float]]:
    """Numbers up to a size; one draw for each, so that they shrink to small integers."""
    number = st.integers(-64, 64).map(lambda n: size * n / 64)
    return [[draw(number) for _ in range(dim)] for _ in range(count)]


def _heads(draw: Any, corner: str, rows: int, keys: int, dim: int, columns: int, format: str) -> List[List[List[float]]]:
    """The vectors of one head: q, k, v."""
    eps = 2.0 ** (1 - _FORMATS[format][0])
    limit = min(_FORMATS[format][2], 2.0**40)
    q = _vectors(draw, rows, dim, 2)
    k = _vectors(draw, keys, dim, 2)
    v = _vectors(draw, keys, columns, 4)
    if corner in ("ties", "near-ties"):  # keys that are alike, or differ in their last bits
        for j in range(1, keys):
            step = draw(st.integers(-2, 2)) if corner == "near-ties" else 0
            k[j] = [x * (1 + step * eps) for x in k[draw(st.integers(0, j - 1))]]
    elif corner == "large-scores":  # of the size that exp lives on, and beyond
        size = min(draw(st.sampled_from([8.0, 16.0, 64.0])), limit / 64)
        q = [[size * x for x in row] for row in q]
    elif corner == "cancelling":  # values whose mean is next to nothing beside them
        size = min(draw(st.sampled_from([1.0, 1e3, 1e6])), limit / 64)
        for j in range(keys):
            v[j] = [size * abs(x) * (-1) ** j * (1 + eps * draw(st.integers(0, 2))) for x in v[j]]
    elif corner == "tiny":  # down to where numbers become subnormal
        size = 2.0 ** draw(st.integers(_FORMATS[format][1], -4))
        v = [[size * x for x in row] for row in v]
    elif corner == "outlier":  # one key that takes it all, and one that is lost
        j = draw(st.integers(0, keys - 1))
        k[j] = [min(32 * abs(x) + 1, limit) for x in k[j]]
        v[j] = [x / 64 for x in v[j]]
    return [q, k, v]


@st.composite
def qkv(
    draw: Any,
    format: str = "binary32",
    *,
    max_batch: int = 2,
    max_heads: int = 3,
    max_tokens: int = 8,
    max_dim: int = 8,
    grouped: bool = True,
    corner: Optional[str] = None,
) -> QKV:
    """Queries, keys and values of a format, in one of the corners: ``plain``, ``ties`` (keys that are
    alike), ``near-ties`` (that differ in their last bits), ``large-scores``, ``cancelling`` values,
    ``tiny`` ones, an ``outlier`` among the keys. ``grouped``: several heads of queries may share one of keys.
    """
    if format not in _FORMATS:
        raise ValueError(f"there is no format {format!r} here; there are {', '.join(_FORMATS)}")
    kind = corner or draw(st.sampled_from(CORNERS))
    if kind not in CORNERS:
        raise ValueError(f"there is no corner {kind!r}; there are {', '.join(CORNERS)}")
    batch, shared = draw(st.integers(1, max_batch)), draw(st.integers(1, max_heads))
    group = draw(st.integers(1, max(1, max_heads // shared))) if grouped else 1
    rows, keys = draw(st.integers(1, max_tokens)), draw(st.integers(1, max_tokens))
    dim, columns = draw(st.integers(1, max_dim)), draw(st.integers(1, max_dim))
    parts: List[List[float]] = [[], [], []]
    for _ in range(batch * shared):
        for part, vectors in zip(parts, _heads(draw, kind, group * rows, keys, dim, columns, format)):
            part += [x for vector in vectors for x in vector]
    return QKV(
        _pack(parts[0], (batch, group * shared, rows, dim), format),
        _pack(parts[1], (batch, shared, keys, dim), format),
        _pack(parts[2], (batch, shared, keys, columns), format),
        kind,
    )


@st.composite
def datasets(
    draw: Any,
    *,
    max_sequences: int = 4,
    max_tokens: int = 4,
    max_dim: int = 3,
) -> List[List[List[Fraction]]]:
    """Sequences of tokens of exact numbers, for :func:`attest.certify` and the others.

    Tokens are drawn from a small vocabulary, so that the same token occurs in many contexts; some are near
    others, down to 10^-30, and some are large.
    """
    dim = draw(st.integers(1, max_dim))
    number = st.one_of(
        st.integers(-4, 4).map(Fraction),
        st.fractions(min_value=-2, max_value=2, max_denominator=12),
        st.sampled_from([Fraction(10) ** 6, -Fraction(10) ** 6, Fraction(1, 10**9)]),
    )
    token = st.lists(number, min_size=dim, max_size=dim)
    words: List[List[Fraction]] = draw(st.lists(token, min_size=1, max_size=4))
    if draw(st.booleans()):
        near = Fraction(1, 10 ** draw(st.integers(3, 30)))
        words.append([words[0][0] + near, *words[0][1:]])
    sequence = st.lists(st.sampled_from(words), min_size=1, max_size=max_tokens)
    found: List[List[List[Fraction]]] = draw(st.lists(sequence, min_size=1, max_size=max_sequences))
    return found
