"""Kernel models."""

from __future__ import annotations

import json
import os
from ctypes import byref, c_void_p
from functools import lru_cache
from typing import Any, Dict, List, Mapping, Union, cast

from ._library import Failure, InputError, check, lib, take_text


class Kernel:
    """A kernel model. Made by :func:`kernel`; it may be used again and again, by any thread."""

    __slots__ = ("_pointer", "_model", "__weakref__")

    def __init__(self, pointer: c_void_p):
        self._pointer = pointer
        self._model: Dict[str, Any] = {}

    def __del__(self, free: Any = lib.attest_judge_model_free) -> None:
        free(self._pointer)

    @property
    def model(self) -> Dict[str, Any]:
        """The model as a dict, with all members, including defaults."""
        if not self._model:
            self._model = json.loads(take_text(lib.attest_judge_model_format(self._pointer)))
        return self._model

    @property
    def name(self) -> str:
        return cast(str, self.model["name"])

    @property
    def comment(self) -> str:
        return cast(str, self.model["comment"] or "")

    @property
    def schedules(self) -> int:
        """How many schedules it has: only a model with schedules can be simulated."""
        return len(self.model.get("schedules", ()))

    @property
    def output_formats(self) -> List[str]:
        """The formats that the results may have, one of them or several."""
        outputs = self.model["output"]
        formats: List[str] = []
        for output in outputs if isinstance(outputs, list) else [outputs]:
            named = output["format"]
            formats += [f for f in (named if isinstance(named, list) else [named]) if f not in formats]
        return formats

    @property
    def output_format(self) -> str:
        """The format of the results, "binary64" if the model allows several."""
        formats = self.output_formats
        return formats[0] if len(formats) == 1 else "binary64"

    def __repr__(self) -> str:
        return f"<attest.Kernel {self.name}>"


KernelLike = Union[Kernel, str, "os.PathLike[str]", Mapping[str, Any]]


def _parse(model: Mapping[str, Any]) -> Kernel:
    complete = {"format": "attest/kernel-model", "version": 1, **model}
    text = json.dumps(complete, default=str).encode()
    pointer, failure = c_void_p(), Failure()
    check(lib.attest_judge_model_parse(byref(pointer), text, len(text), byref(failure)), failure)
    return Kernel(pointer)


def _load(name: str) -> Kernel:
    pointer, failure = c_void_p(), Failure()
    check(lib.attest_judge_model_load(byref(pointer), os.fsencode(name), byref(failure)), failure)
    return Kernel(pointer)


_load_shipped = lru_cache(maxsize=64)(_load)


def _merge(model: Dict[str, Any], members: Mapping[str, Any]) -> Dict[str, Any]:
    merged = {**model, "comment": None}
    merged.pop("comment")
    for key, value in members.items():
        old = merged.get(key)
        both = isinstance(old, dict) and isinstance(value, Mapping)
        merged[key] = {**cast(Dict[str, Any], old), **value} if both else value
    return merged


def kernel(source: KernelLike, **members: Any) -> Kernel:
    """A kernel model: a shipped one by its name, a file, or a dict; with members that replace its own.

    >>> kernel("fp32-any")
    <attest.Kernel fp32-any>
    >>> mine = kernel("bf16-flash2", name="mine", max={"tile": 64})
    >>> mine.model["max"]["tile"], mine.model["max"]["direction"]
    (64, 'backward')
    >>> kernel("fp31-any")
    Traceback (most recent call last):
        ...
    attest.InputError: there is no kernel model "fp31-any": did you mean 'fp32-any'? ('attest show kernels' lists them; the name of a file has a slash or ends in .json)
    """
    if isinstance(source, Kernel):
        found = source
    elif isinstance(source, str):
        found = _load(source) if "/" in source or source.endswith(".json") else _load_shipped(source)
    elif isinstance(source, Mapping):
        return _parse({**source, **members})
    elif isinstance(source, os.PathLike):
        path = os.fspath(source)
        found = _load(path if "/" in path else "./" + path)
    else:
        raise InputError(f"kernel: {source!r:.60} is neither a kernel model nor the name of one")
    return _parse(_merge(found.model, members)) if members else found


def kernels() -> List[str]:
    """The names of the shipped models.

    >>> "bf16-flash2" in kernels()
    True
    """
    names: List[str] = []
    while True:
        name = lib.attest_judge_model_shipped_name(len(names))
        if name is None:
            return names
        names.append(name.decode())
