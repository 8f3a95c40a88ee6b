"""Finds and runs the program attest."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, cast

from ._library import Error, InputError


def _candidates() -> Iterator[str]:
    for prefix in Path(__file__).resolve().parents:
        yield str(prefix / "bin" / "attest")
    yield shutil.which("attest") or ""
    library = os.environ.get("ATTEST_LIBRARY")
    if library:
        yield str(Path(library).resolve().parent.parent / "bin" / "attest")


def find_program() -> str:
    """The path of the program: $ATTEST_PROGRAM, or the one that is installed."""
    given = os.environ.get("ATTEST_PROGRAM")
    for path in [given] if given else _candidates():
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise Error(
        f"ATTEST_PROGRAM: {given} is not a program"
        if given
        else "the program attest was not found: install it, or set ATTEST_PROGRAM to its path"
    )


def run_json(*arguments: str) -> Dict[str, Any]:
    """The record that a command prints under --json. A claim that fails or is undecided has a record, too."""
    command = [find_program(), *arguments, "--json"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode in (0, 1, 3) and done.stdout.startswith("{"):
        return cast(Dict[str, Any], json.loads(done.stdout))
    words = done.stderr.strip()
    if words.startswith("attest: "):
        words = words[len("attest: ") :]
    if done.returncode == 5:
        raise KeyboardInterrupt
    raise (InputError if done.returncode in (1, 2, 3) else Error)(words or f"{command[0]} ended with {done.returncode}")
