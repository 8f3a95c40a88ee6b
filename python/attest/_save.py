"""Problems in files, and the command of the program that judges them again."""

from __future__ import annotations

import json
import os
import shlex
import struct
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, Dict, List, Optional, Sequence, Tuple, cast

from ._arrays import SAFETENSORS, SIZE, Array
from ._kernel import Kernel, kernels
from ._library import InputError, Tensor
from ._lse import Lse
from ._program import run_json
from ._problem import Number, Problem, exact

Part = Tuple[str, Array, Tensor]


Integers = Tuple[str, Any, Tuple[int, ...]]


def _write(file: BinaryIO, parts: Sequence[Part], integers: Sequence[Integers] = ()) -> None:
    """safetensors: a header of JSON, and the bytes of the arrays one after another."""
    header: Dict[str, Any] = {}
    end = 0
    for name, x, part in parts:
        shape = [part.shape[1]] if name == "sink" else list(part.shape[: 2 if "descale" in name else 3 if name == "lse" else 4])
        size = SIZE[x.type]
        for n in shape:
            size *= n
        header[name] = {"dtype": SAFETENSORS[x.type], "shape": shape, "data_offsets": [end, end + size]}
        end += size
    for name, values, axes in integers:
        header[name] = {"dtype": "I64", "shape": list(axes), "data_offsets": [end, end + 8 * len(values)]}
        end += 8 * len(values)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write(struct.pack("<Q", len(text)) + text)
    for _, x, part in parts:
        file.write(Array(x.owner, x.address, x.type, part.shape, part.stride).tobytes())
    for _, values, _ in integers:
        file.write(values.tobytes())


def write_safetensors(path: Path, parts: Sequence[Part], integers: Sequence[Integers] = ()) -> None:
    """The file appears whole or not at all."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(fresh, "wb") as file:
            _write(file, parts, integers)
        os.replace(fresh, path)
    finally:
        if fresh.exists():
            fresh.unlink()


def _kernel_option(kernel: Kernel, path: Path) -> str:
    """A shipped model by its name; another one is saved beside the tensors."""
    from ._kernel import kernel as load

    name = kernel.name
    if name in kernels() and load(name).model == kernel.model:
        return name
    beside = path.with_suffix(".kernel.json")
    beside.write_text(json.dumps(kernel.model, indent=2) + "\n")
    return str(beside)


def save_case(
    path: Path, problem: Problem, kernel: Kernel, out: Optional[Array], output: Optional[Tensor], lse: Optional[Lse] = None
) -> List[str]:
    """Saves a problem, its output and its log-sum-exp; returns the arguments of the program that judge them again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parts: List[Part] = list(problem.parts)
    if out is not None and output is not None:
        parts.append(("out", out, output))
    if lse is not None:
        parts.append(("lse", lse.array, lse.tensor))
    write_safetensors(path, parts, problem.arrays)
    arguments = [str(path)] * (1 if out is None else 2)
    more = [f"--lse={path}"] + lse.options if lse is not None else []
    return arguments + [f"--kernel={_kernel_option(kernel, path)}"] + problem.options + more


def command(arguments: Sequence[str]) -> str:
    """A line for a shell."""
    return " ".join(["attest", "judge"] + [shlex.quote(a) for a in arguments])


def judge_given(problem: Problem, kernel: Kernel, given: Tuple[Number, Number], jobs: int) -> Dict[str, Any]:
    """The result of ``attest tolerance --check`` for a given tolerance."""
    try:
        atol, rtol = given
    except (TypeError, ValueError):
        raise InputError(f"given: {given!r:.60} is not (ATOL, RTOL)") from None
    with tempfile.TemporaryDirectory(prefix="attest-") as directory:
        arguments = save_case(Path(directory) / "qkv.safetensors", problem, kernel, None, None)
        pair = f"{exact(atol, 'given')},{exact(rtol, 'given')}"
        record = run_json("tolerance", *arguments, f"--check={pair}", f"--jobs={jobs}")
    return cast(Dict[str, Any], record["given"])
