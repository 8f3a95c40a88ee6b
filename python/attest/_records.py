"""certify, construct, audit: claims about datasets and weights, decided by the program."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._library import InputError
from ._program import run_json
from ._problem import Number, exact

PathLike = Union[str, "os.PathLike[str]"]
Data = Union[PathLike, Mapping[str, Any], Sequence[Any]]


def _plain(x: Any, what: str) -> Any:
    """Numbers as exact strings, arrays as nested lists."""
    if isinstance(x, Mapping):
        return {str(key): _plain(value, what) for key, value in x.items()}
    if isinstance(x, (str, bool)) or x is None:
        return x
    if hasattr(x, "tolist"):
        x = x.tolist()
    if isinstance(x, (list, tuple)):
        return [_plain(value, what) for value in x]
    return x if isinstance(x, int) and abs(x) < 2**53 else exact(x, what)


def _is_path(x: Any) -> bool:
    return isinstance(x, (str, os.PathLike))


def _write(directory: str, name: str, record: Mapping[str, Any]) -> str:
    path = Path(directory) / f"{name}.json"
    path.write_text(json.dumps(record))
    return str(path)


def _dataset(data: Data, directory: str) -> str:
    """The path of a dataset: the given file, or a new one with the given sequences."""
    if _is_path(data):
        return os.fspath(data)  # type: ignore[arg-type]
    plain = _plain(data, "the dataset")
    record = plain if isinstance(plain, dict) else {"sequences": plain}
    return _write(directory, "dataset", {"format": "attest/dataset", "version": 1, **record})


def _weights(weights: Union[PathLike, Mapping[str, Any]], directory: str) -> str:
    if _is_path(weights):
        return os.fspath(weights)  # type: ignore[arg-type]
    if not isinstance(weights, Mapping):
        raise InputError("weights: a file or a dict is expected")
    return _write(directory, "weights", {"format": "attest/weights", "version": 1, **_plain(weights, "the weights")})


def _option(arguments: List[str], name: str, value: Any) -> None:
    if value is not None:
        arguments.append(f"--{name}={value if isinstance(value, str) else exact(value, name)}")


def certify(
    dataset: Data,
    weights: Union[PathLike, Mapping[str, Any]],
    *,
    r: Optional[Number] = None,
    delta: Optional[Number] = None,
    method: Optional[str] = None,
    max_bits: Optional[int] = None,
    max_terms: Optional[int] = None,
    certificate: Optional[PathLike] = None,
) -> Dict[str, Any]:
    """Is this attention layer a contextual mapping on the dataset? The record of ``attest certify``.

    The dataset is a file, a list of sequences of tokens, or a dict of the format attest/dataset;
    weights are a file or a dict of the format attest/weights. Numbers are taken exactly: floats as the numbers that
    they are, :class:`~fractions.Fraction`, ``"3/7"``. ``certificate`` is a file to write.

    >>> eye = [[1, 0], [0, 1]]
    >>> head = {"activation": "softmax", "heads": [{"WQ": eye, "WK": eye, "WV": eye, "WO": eye}]}
    >>> found = certify([[[1, 0], [0, 1]], [[1, 1], [0, 2]]], head)
    >>> found["verdict"], found["required_pairs"] > 0
    ('proved', True)
    """
    with tempfile.TemporaryDirectory(prefix="attest-") as directory:
        arguments = ["certify", _dataset(dataset, directory), f"--weights={_weights(weights, directory)}"]
        _option(arguments, "r", r)
        _option(arguments, "delta", delta)
        _option(arguments, "method", method)
        _option(arguments, "max-bits", max_bits)
        _option(arguments, "max-terms", max_terms)
        if certificate is not None:
            arguments.append(f"--output={os.fspath(certificate)}")
        return run_json(*arguments)


def construct(
    dataset: Data,
    *,
    strategy: Optional[str] = None,
    r_min: Optional[Number] = None,
    r_max: Optional[Number] = None,
    eps: Optional[Number] = None,
) -> Dict[str, Any]:
    """Weights of one softmax head that tell every context of the dataset apart, and their certificate.

    >>> found = construct([[[1, 0], [0, 1]], [[1, 1], [0, 2]]], strategy="tuned")
    >>> found["certificate"]["verdict"], found["weights"]["activation"]
    ('proved', 'softmax')
    """
    with tempfile.TemporaryDirectory(prefix="attest-") as directory:
        arguments = ["construct", _dataset(dataset, directory)]
        _option(arguments, "strategy", strategy)
        _option(arguments, "r-min", r_min)
        _option(arguments, "r-max", r_max)
        _option(arguments, "eps", eps)
        return run_json(*arguments)


def audit(
    dataset: Data,
    *,
    weights: Union[None, PathLike, Mapping[str, Any]] = None,
    construct: Optional[str] = None,
    formats: Union[None, str, Sequence[str]] = None,
    accumulate: Optional[str] = None,
    softmax: Optional[str] = None,
    sweep: Optional[str] = None,
) -> Dict[str, Any]:
    """At which precision do contexts collapse? The record of ``attest audit``.

    >>> data = [[[1, 0], [0, 1]], [[1, 1], [0, 2]]]
    >>> found = audit(data, construct="tuned", formats=["binary64", "bfloat16"], sweep="2..64")
    >>> [f["name"] for f in found["formats"]]
    ['binary64', 'bfloat16']
    """
    with tempfile.TemporaryDirectory(prefix="attest-") as directory:
        arguments = ["audit", _dataset(dataset, directory)]
        if weights is not None:
            arguments.append(f"--weights={_weights(weights, directory)}")
        _option(arguments, "construct", construct)
        if formats is not None:
            _option(arguments, "formats", formats if isinstance(formats, str) else ",".join(formats))
        _option(arguments, "accumulate", accumulate)
        _option(arguments, "softmax", softmax)
        _option(arguments, "sweep", sweep)
        return run_json(*arguments)
