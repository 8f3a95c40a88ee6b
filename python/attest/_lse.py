"""The log-sum-exp that a kernel returns beside its output."""

from __future__ import annotations

import json
from ctypes import byref, c_void_p
from typing import Any, Dict, List, NamedTuple, Optional, cast

from ._arrays import BOOL, Array, view
from ._kernel import Kernel
from ._library import Failure, InputError, LseOptions, Tensor, check, lib, options as make_options, take_text
from ._problem import Problem


class Lse(NamedTuple):
    """A log-sum-exp of a problem: its array, its place in four axes, and the options that judge it."""

    array: Array
    tensor: Tensor
    base: Optional[str]
    empty: Optional[str]

    @property
    def options(self) -> List[str]:
        """Arguments of the program."""
        return [f"--{name}={value}" for name, value in (("lse-base", self.base), ("empty-lse", self.empty)) if value is not None]


def lse(problem: Problem, values: Any, base: Any, empty: Optional[str]) -> Optional[Lse]:
    """None without values. The shape is (batch, heads, queries), or the last axes of it."""
    if values is None:
        if base is not None or empty is not None:
            raise InputError("lse_base and empty_lse need a log-sum-exp: lse=")
        return None
    array = view(values, what="lse")
    wanted = problem.shape[:3]
    missing = 3 - len(array.shape)
    if array.type == BOOL or missing not in (0, 1, 2) or (1,) * missing + array.shape != wanted:
        raise InputError(f"lse: the shape {array.shape} does not fit q: {wanted}, one number for every batch entry, head and query, is expected")
    part = Tensor(array.address, array.type, (*wanted, 1), (*((0,) * missing + array.strides), 0))
    return Lse(array, part, None if base is None else str(base), empty)


def judge_lse(problem: Problem, model: Kernel, given: Lse, jobs: int) -> Dict[str, Any]:
    """The member "lse" of what ``attest judge --json`` prints."""
    pointer, failure = c_void_p(), Failure()
    how = LseOptions(given.base and given.base.encode(), given.empty and given.empty.encode())
    status = lib.attest_lse_judgement_make(
        byref(pointer),
        byref(given.tensor),
        byref(problem.qkv),
        model._pointer,
        byref(how),
        byref(make_options(jobs)),
        byref(failure),
    )
    check(status, failure)
    try:
        return cast(Dict[str, Any], json.loads(take_text(lib.attest_lse_judgement_format(pointer))))
    finally:
        lib.attest_lse_judgement_free(pointer)


def describe_lse(found: Dict[str, Any], name: str) -> List[str]:
    """The verdict, and where it is wrong the worst row."""
    if found["verdict"] == "within":
        return [f"log-sum-exp within: all {found['rows']} rows are within what a kernel of {name} can return"]
    if found["verdict"] == "undecided":
        return [f"log-sum-exp undecided: {found['undecided']} of {found['rows']} rows: {found['reason']}"]
    worst = found["worst"]
    lines = [f"log-sum-exp proved wrong: {found['wrong']} of {found['rows']} rows are outside what any kernel of {name} can return"]
    if found["wrong_empty"]:
        lines.append(f"{found['wrong_empty']} of them see no key: is empty_lse right?")
    lines += [alternative["sentence"] for alternative in found["alternatives"]]
    lines += [
        f"worst row: batch {worst['batch']}, head {worst['head']}, row {worst['row']}",
        f"  returned     {worst['output']}",
        f"  exact        {worst['exact']['text'] if worst['exact'] else 'of an empty sum'}",
        f"  may be       {worst['lo']} to {worst['hi']}",
    ]
    return lines
