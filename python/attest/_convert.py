"""python3 -m attest convert: tensors that PyTorch saved, as a safetensors file."""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
import os
import struct
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence, Tuple

from ._library import Error, InputError

_DTYPES = {
    "torch.float64": "F64", "torch.float32": "F32", "torch.float16": "F16", "torch.bfloat16": "BF16",
    "torch.float8_e4m3fn": "F8_E4M3", "torch.float8_e5m2": "F8_E5M2", "torch.bool": "BOOL",
    "torch.int64": "I64", "torch.int32": "I32", "torch.int16": "I16", "torch.int8": "I8", "torch.uint8": "U8",
}  # fmt: skip


def _tensors(value: Any, name: str = "") -> Iterator[Tuple[str, Any]]:
    """The tensors in nested dictionaries and lists; their names are joined by dots. Other values have the tensor None."""
    if hasattr(value, "data_ptr") and hasattr(value, "element_size"):
        yield name or "tensor", value
        return
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, (list, tuple)):
        items = list(enumerate(value))
    else:
        yield name, None
        return
    for key, inner in items:
        yield from _tensors(inner, f"{name}.{key}" if name else str(key))


def _bytes(name: str, x: Any) -> Tuple[str, List[int], bytes]:
    """dtype, shape and elements of a tensor."""
    dtype = _DTYPES.get(str(x.dtype))
    if dtype is None:
        raise InputError(f"{name}: tensors of {x.dtype} have no type in safetensors")
    x = x.detach().cpu()
    if x.is_neg():
        x = x.resolve_neg()
    x = x.contiguous()
    size = x.numel() * x.element_size()
    return dtype, list(x.shape), ctypes.string_at(x.data_ptr(), size) if size else b""


def convert(source: Path, target: Path) -> Tuple[List[str], List[str]]:
    """Writes the tensors of a file of ``torch.save``; returns their names, and those of values that are no tensors."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise Error("convert needs PyTorch: install torch, or write a safetensors file where it is") from None
    try:
        loaded = torch.load(str(source), map_location="cpu", weights_only=True)
    except OSError as error:
        raise Error(f"{source}: {error.strerror or error}") from None
    except Exception as error:  # of pickle, zip or torch
        first = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f"{source}: PyTorch cannot load it with weights_only=True: {first[0]:.200}") from None
    header: Dict[str, Any] = {}
    pieces: List[bytes] = []
    others: List[str] = []
    end = 0
    for name, x in _tensors(loaded):
        if x is None:
            others.append(name or "the value")
            continue
        dtype, shape, data = _bytes(name, x)
        if name in header:
            raise InputError(f"{source}: two tensors have the name {name}")
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + len(data)]}
        end += len(data)
        pieces.append(data)
    if not header:
        raise InputError(f"{source}: there is no tensor in it")
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with open(fresh, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for data in pieces:
                file.write(data)
        os.replace(fresh, target)
    except OSError as error:
        raise Error(f"{target}: {error.strerror or error}") from None
    finally:
        if fresh.exists():
            fresh.unlink()
    return list(header), others


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m attest convert",
        description="Write the tensors of a file of torch.save as a safetensors file. Nested names are joined by dots.",
    )
    parser.add_argument("source", metavar="FILE", type=Path, help="a file that torch.save wrote")
    parser.add_argument("-o", "--output", metavar="OUT", type=Path, required=True, help="the safetensors file")
    given = parser.parse_args(arguments)
    try:
        names, others = convert(given.source, given.output)
    except Error as error:
        print(f"attest: {error}", file=sys.stderr)
        return 2
    print(f"{given.output}: {len(names)} tensors: {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}")
    if others:
        print(f"attest: left out, not tensors: {', '.join(others[:20])}", file=sys.stderr)
    return 0
