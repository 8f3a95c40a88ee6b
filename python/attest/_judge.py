"""judge, tolerance, simulate: kernels' outputs beside proved bounds."""

from __future__ import annotations

import json
import math
import struct
from ctypes import byref, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union, cast

from ._arrays import doubles, view
from ._ball import Ball
from ._kernel import Kernel, KernelLike, kernel as load_kernel
from ._library import Bounds, Failure, InputError, check, lib, options as make_options, take_text
from ._lse import Lse, judge_lse, lse as make_lse
from ._problem import Causal, Number, Problem, Window

VERDICTS = ("within", "wrong", "undecided")


class Judgement:
    """The judgement of an output; :func:`judge` makes it.

    ``verdict`` is ``"within"``, ``"wrong"`` or ``"undecided"``. The other members have
    the names and values of ``attest judge --json``: ``elements``, ``worst``, ``heads``,
    ``wrong_rows``, ``pattern``, ``histogram``, ``alternatives`` and so on; ``record`` has them all.
    ``lse`` is the judgement of the log-sum-exp, a dictionary with its own ``verdict``, or None.
    """

    def __init__(self, pointer: c_void_p, kernel: Kernel, entry: str = "batch"):
        self.kernel = kernel
        self.entry = entry  # what messages call an entry of the batch
        self.lse: Optional[Dict[str, Any]] = None
        self.verdict = VERDICTS[lib.attest_judgement_verdict(pointer)]
        self._pointer = pointer
        self._json: Optional[str] = None
        self._record: Optional[Dict[str, Any]] = None

    def __del__(self, free: Any = lib.attest_judgement_free) -> None:
        free(self._pointer)

    @property
    def ok(self) -> bool:
        """Every element is within, and every row of a log-sum-exp. Nothing else is a pass."""
        return self.verdict == "within" and (self.lse is None or self.lse["verdict"] == "within")

    @property
    def json(self) -> str:
        """The record of the output, byte for byte as the program prints it."""
        if self._json is None:
            self._json = take_text(lib.attest_judgement_format(self._pointer))
        return self._json

    @property
    def record(self) -> Dict[str, Any]:
        if self._record is None:
            self._record = cast(Dict[str, Any], json.loads(self.json))
            if self.lse is not None:
                self._record["lse"] = self.lse
        return self._record

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            try:
                return self.record[name]
            except KeyError:
                pass
        raise AttributeError(f"a judgement has no {name!r}")

    def __repr__(self) -> str:
        return f"<attest.Judgement {self.verdict}: {self.within} of {self.elements} elements within {self.kernel.name}>"

    def __str__(self) -> str:
        from ._message import describe

        return describe(self)

    @property
    def exact(self) -> Optional[Ball]:
        """The exact value of the worst element."""
        return Ball.from_record(self.worst["exact"]) if self.worst else None


def judge(
    out: Any,
    q: Any,
    k: Any,
    v: Any,
    *,
    kernel: KernelLike,
    scale: Optional[Number] = None,
    causal: Causal = False,
    window: Window = None,
    mask: Any = None,
    softcap: Optional[Number] = None,
    sink: Any = None,
    q_descale: Any = None,
    k_descale: Any = None,
    v_descale: Any = None,
    empty_row: str = "zero",
    layout: Optional[str] = None,
    cu_seqlens: Any = None,
    lengths: Any = None,
    block_table: Any = None,
    past: Any = None,
    rows: Optional[int] = None,
    seed: int = 1,
    printed: Optional[int] = None,
    lse: Any = None,
    lse_base: Union[None, str, int] = None,
    empty_lse: Optional[str] = None,
    jobs: int = 1,
) -> Judgement:
    """Is this output of an attention kernel right?

    For every element an interval is computed that contains the results of all kernels of the model;
    an element outside of it is proved wrong. ``q``, ``k`` and ``v`` are the inputs of the kernel,
    after its casts, of shape (batch, heads, tokens, dim), (heads, tokens, dim) or
    (tokens, dim); ``out`` has the shape of ``q`` with the dim of ``v``, or the heads side by side.

    ``scale`` is an exact number, ``"none"`` or, by default, 1/sqrt(dim); ``causal`` is True if
    the last query sees the last key, or ``"top-left"`` (PyTorch's ``is_causal``) if the first query
    sees the first key only; ``window`` is (keys before, keys after), None for no limit; ``mask``
    contains truth values (True: the key is seen) or numbers that are added to the scores;
    ``empty_row`` is the output of a row without keys, ``"zero"`` or ``"nan"``; ``q_descale``,
    ``k_descale`` and ``v_descale`` are the factors of q, k and v in kernels on 8-bit floats: a
    number, one for each head, or of shape (batch, heads). ``jobs`` processes share the
    work.

    ``layout`` names the axes of q, k, v and out: ``"bhsd"`` (PyTorch), ``"bshd"``
    (FlashAttention), ``"hsd"``, ``"shd"`` or ``"sd"``. ``cu_seqlens`` is the offsets of packed
    sequences, one array for queries and keys or a pair of them; q, k, v and out then have the shape
    (tokens, heads, dim). ``lengths`` is the number of valid keys of each batch entry;
    ``block_table`` the pages of each entry, k and v then being caches of shape
    (pages, page size, heads, dim), or (pages, heads, page size, dim) with the layout bhsd.
    ``past`` is a pair of keys and values before those of k and v.
    ``rows`` judges a sample of so many rows, drawn by ``seed``; ``printed`` is the number of
    decimals to which the output was rounded when it was printed.

    ``lse`` is the log-sum-exp that the kernel returned, of shape (batch, heads, queries), which is
    judged, too; ``lse_base`` is ``"e"`` or ``"2"`` and ``empty_lse`` what a row without keys has,
    ``"neg-inf"``, ``"pos-inf"``, ``"zero"``, ``"nan"`` or ``"any"``, by default as the model has them.

    >>> q, k, v = [[1.0], [0.0]], [[0.0], [0.0]], [[1.0], [3.0]]
    >>> judge([[2.0], [2.0]], q, k, v, kernel="fp32-any")
    <attest.Judgement within: 2 of 2 elements within fp32-any>
    >>> found = judge([[2.0], [2.5]], q, k, v, kernel="fp32-any")
    >>> found.verdict, found.worst["row"], 2 in found.exact, found.exact.rad < 1e-12
    ('wrong', 1, True, True)
    >>> found = judge([[2.0], [2.0]], q, k, v, kernel="fp32-any", lse=[1.0, 1.0], lse_base=2)
    >>> found.verdict, found.lse["verdict"], found.ok
    ('within', 'within', True)
    """
    model = load_kernel(kernel)
    factors = (q_descale, k_descale, v_descale)
    problem = Problem(
        q, k, v, scale, causal, window, mask, softcap, sink, empty_row, factors, layout, cu_seqlens, lengths, block_table, past
    )
    return judge_problem(problem, out, model, jobs, rows, seed, printed, make_lse(problem, lse, lse_base, empty_lse))


def judge_problem(
    problem: Problem,
    out: Any,
    model: Kernel,
    jobs: int,
    rows: Optional[int] = None,
    seed: int = 1,
    printed: Optional[int] = None,
    lse: Optional[Lse] = None,
) -> Judgement:
    settings = make_options(jobs)
    if rows is not None:
        if rows < 1:
            raise InputError(f"rows: {rows!r} is not a number of rows above 0")
        settings.sample, settings.seed = rows, seed
    if printed is not None:
        if not 0 <= printed <= 300:
            raise InputError(f"printed: {printed!r} is not a number of decimals from 0 to 300")
        settings.printed, settings.decimals = True, printed
    output = view(out, what="out")
    pointer, failure = c_void_p(), Failure()
    status = lib.attest_judgement_make(
        byref(pointer),
        byref(problem.output(output)),
        byref(problem.qkv),
        model._pointer,
        byref(settings),
        byref(failure),
    )
    check(status, failure)
    found = Judgement(pointer, model, "sequence" if problem.arrays else "batch")
    if lse is not None:
        found.lse = judge_lse(problem, model, lse, jobs)
    return found


def _summarize(bounds: Sequence[float]) -> Dict[str, Any]:
    finite = sorted(b for b in bounds if math.isfinite(b))
    return {
        "elements": len(bounds),
        "finite": len(finite),
        "max_bound": finite[-1] if finite else None,
        "median_bound": finite[len(finite) // 2] if finite else None,
    }


class Tolerance:
    """Proved bounds for every output element; :func:`tolerance` makes it.

    ``lo``, ``hi``, ``exact``, ``error`` and ``bound`` are memoryviews of doubles, of the output's
    shape: ``numpy.asarray(x.bound)`` is an array without a copy. Every kernel of the model
    returns a number in [lo, hi], no farther than ``bound`` from the exact result, which is no
    farther than ``error`` from ``exact``. ``reason`` explains why some bounds are infinite, or is None.
    ``given`` is the result for a given tolerance, if there was one.
    """

    def __init__(self, problem: Problem, arrays: Sequence[memoryview], reason: Optional[str]):
        self.lo, self.hi, self.exact, self.error, self.bound = map(problem.in_layout, arrays)
        self.reason = reason
        self.given: Optional[Dict[str, Any]] = None
        self._by_heads = arrays[-1]
        self._heads = problem.heads()

    def _flat(self) -> Tuple[float, ...]:
        raw = self._by_heads.cast("B")
        return struct.unpack(f"{len(raw) // 8}d", raw)

    @property
    def record(self) -> Dict[str, Any]:
        """The summary that ``attest tolerance --json`` prints: "elements", "max_bound", "heads", ..."""
        flat = self._flat()
        heads, place = [], 0
        for b, h, size in self._heads:
            heads.append({"layer": 0, "batch": b, "head": h, **_summarize(flat[place : place + size])})
            place += size
        return {
            **_summarize(flat),
            "reason": self.reason,
            "heads": heads,
            **({"given": self.given} if self.given is not None else {}),
        }

    def __repr__(self) -> str:
        found = _summarize(self._flat())
        largest = "none is finite" if found["max_bound"] is None else f"at most {found['max_bound']:.4g}"
        return f"<attest.Tolerance of {found['elements']} elements, {largest}>"


def tolerance(
    q: Any,
    k: Any,
    v: Any,
    *,
    kernel: KernelLike,
    scale: Optional[Number] = None,
    causal: Causal = False,
    window: Window = None,
    mask: Any = None,
    softcap: Optional[Number] = None,
    sink: Any = None,
    q_descale: Any = None,
    k_descale: Any = None,
    v_descale: Any = None,
    empty_row: str = "zero",
    layout: Optional[str] = None,
    cu_seqlens: Any = None,
    lengths: Any = None,
    block_table: Any = None,
    past: Any = None,
    given: Optional[Tuple[Number, Number]] = None,
    jobs: int = 1,
) -> Tolerance:
    """How far any kernel of the model may be from the exact result, for every element.

    Arguments as :func:`judge`'s. ``given`` is a tolerance (ATOL, RTOL) to be judged on these inputs:
    which faulty outputs it accepts, and whether a correct kernel can fail it.

    >>> q, k, v = [[1.0], [0.0]], [[0.0], [0.0]], [[1.0], [3.0]]
    >>> bounds = tolerance(q, k, v, kernel="fp32-any")
    >>> bounds.exact.tolist(), bounds.bound[0, 0] < 1e-5
    ([[2.0], [2.0]], True)
    >>> tolerance(q, k, v, kernel="fp32-any", given=(5, 0)).given["accepts"][:2]
    ['zeros', 'dropped-tile']
    """
    model = load_kernel(kernel)
    factors = (q_descale, k_descale, v_descale)
    problem = Problem(
        q, k, v, scale, causal, window, mask, softcap, sink, empty_row, factors, layout, cu_seqlens, lengths, block_table, past
    )
    rooms = [doubles(problem.count, problem.result_shape) for _ in range(5)]
    bounds, failure = Bounds(*(address for _, address in rooms)), Failure()
    status = lib.attest_judge_bound(
        byref(bounds), byref(problem.qkv), model._pointer, byref(make_options(jobs)), byref(failure)
    )
    check(status, failure)
    reason = bounds.unbounded.decode() if bounds.unbounded else None
    found = Tolerance(problem, [room for room, _ in rooms], reason)
    if given is not None:
        from ._save import judge_given

        found.given = judge_given(problem, model, given, jobs)
    return found


class Simulation:
    """The output of a kernel with a schedule; :func:`simulate` makes it.

    ``out``, ``lo`` and ``hi`` are memoryviews of doubles; ``format`` names the format of the
    numbers in ``out``, which are computed with a correctly rounded exp. For any exp that the model
    allows the output lies between ``lo`` and ``hi``.
    """

    def __init__(self, problem: Problem, arrays: Sequence[memoryview], format: str):
        self.out, self.lo, self.hi = map(problem.in_layout, arrays)
        self.format = format


def simulate(
    q: Any,
    k: Any,
    v: Any,
    *,
    kernel: KernelLike,
    schedule: int = 0,
    scale: Optional[Number] = None,
    causal: Causal = False,
    window: Window = None,
    mask: Any = None,
    softcap: Optional[Number] = None,
    sink: Any = None,
    q_descale: Any = None,
    k_descale: Any = None,
    v_descale: Any = None,
    empty_row: str = "zero",
    layout: Optional[str] = None,
    cu_seqlens: Any = None,
    lengths: Any = None,
    block_table: Any = None,
    past: Any = None,
    jobs: int = 1,
) -> Simulation:
    """The output of the kernel with this schedule of the model, bit for bit.

    >>> q, k, v = [[1.0], [0.0]], [[0.0], [0.0]], [[1.0], [3.0]]
    >>> simulate(q, k, v, kernel="hopper-bf16-64").out.tolist()
    [[2.0], [2.0]]
    """
    model = load_kernel(kernel)
    factors = (q_descale, k_descale, v_descale)
    problem = Problem(
        q, k, v, scale, causal, window, mask, softcap, sink, empty_row, factors, layout, cu_seqlens, lengths, block_table, past
    )
    rooms = [doubles(problem.count, problem.result_shape) for _ in range(3)]
    addresses: List[int] = [address for _, address in rooms]
    failure = Failure()
    status = lib.attest_judge_simulate(
        *addresses, byref(problem.qkv), model._pointer, schedule, byref(make_options(jobs)), byref(failure)
    )
    check(status, failure)
    return Simulation(problem, [room for room, _ in rooms], model.output_format)
