"""libattest: where it is, its structures and functions, how its failures become exceptions."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import shutil
import sys
import threading
from ctypes import POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_long, c_size_t, c_ssize_t, c_uint, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Generator, Iterator, List, Optional

__version__ = "0.2.0"

SONAME = "libattest.so.0"


class Error(Exception):
    """Something went wrong that is not the caller's data: a file, the library, the program."""


class InputError(Error, ValueError):
    """An argument or an input file is invalid; the text contains the reason and the place."""


class Tensor(Structure):
    _fields_ = [("data", c_void_p), ("type", c_int), ("shape", c_size_t * 4), ("stride", c_ssize_t * 4)]


class QKV(Structure):
    _fields_ = [
        ("q", Tensor),
        ("k", Tensor),
        ("v", Tensor),
        ("scale", c_char_p),
        ("softcap", c_char_p),
        ("causal", c_int),
        ("windowed", c_bool),
        ("left", c_long),
        ("right", c_long),
        ("mask", Tensor),
        ("sink", Tensor),
        ("empty_is_nan", c_bool),
        ("mask_before_softcap", c_bool),
        ("q_descale", Tensor),
        ("k_descale", Tensor),
        ("v_descale", Tensor),
        ("past_k", Tensor),
        ("past_v", Tensor),
        ("sequences", c_size_t),
        ("cu_seqlens_q", c_void_p),
        ("cu_seqlens_k", c_void_p),
        ("lengths", c_void_p),
        ("block_table", c_void_p),
        ("blocks", c_size_t),
    ]


class Options(Structure):
    _fields_ = [
        ("jobs", c_size_t),
        ("report", c_void_p),
        ("report_context", c_void_p),
        ("proceed", c_void_p),
        ("proceed_context", c_void_p),
        ("rows", c_void_p),
        ("row_count", c_size_t),
        ("sample", c_size_t),
        ("seed", c_uint64),
        ("printed", c_bool),
        ("decimals", c_uint),
    ]


class LseOptions(Structure):
    _fields_ = [("base", c_char_p), ("empty", c_char_p)]


class Bounds(Structure):
    _fields_ = [(name, c_void_p) for name in ("lo", "hi", "exact", "error", "bound")] + [("unbounded", c_char_p)]


class Failure(Structure):
    _fields_ = [("status", c_int), ("text", c_char * 512)]


OK, DOMAIN, UNABLE, FORMAT, IO, NOMEM, USAGE, STOPPED = range(8)


def _prefixes() -> Iterator[Path]:
    """Where attest may be installed: around this package, and around the program."""
    yield from Path(__file__).resolve().parents
    program = shutil.which("attest")
    if program:
        yield Path(program).resolve().parent.parent


def _candidates() -> Iterator[str]:
    """Paths at which the library may be installed, the likeliest first."""
    given = os.environ.get("ATTEST_LIBRARY")
    if given:
        yield given
        return
    triplet = getattr(sys.implementation, "_multiarch", "")
    for prefix in _prefixes():
        for directory in ("lib", "lib64", f"lib/{triplet}" if triplet else "lib"):
            path = prefix / directory / SONAME
            if path.is_file():
                yield str(path)
    yield SONAME  # where the loader looks
    yield from (f"{directory}/{SONAME}" for directory in ("/usr/local/lib", "/usr/local/lib64"))


def _open() -> ctypes.CDLL:
    reasons: List[str] = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            reasons.append(str(error))
            continue
        library.attest_version.restype = c_char_p
        version = library.attest_version().decode()
        if version.split(".")[:2] != __version__.split(".")[:2]:
            raise ImportError(f"{path} is attest {version}, and this package is for {__version__}: install both of one version")
        return library
    reason = reasons[0] if reasons else "no such file"
    raise ImportError(
        f"libattest was not found ({reason}): install attest, or set ATTEST_LIBRARY to the path of its {SONAME}"
    )


def _declare(library: ctypes.CDLL) -> None:
    pointer = POINTER(c_void_p)
    functions = {
        "attest_judge_model_load": (c_int, [pointer, c_char_p, POINTER(Failure)]),
        "attest_judge_model_parse": (c_int, [pointer, c_char_p, c_size_t, POINTER(Failure)]),
        "attest_judge_model_format": (c_void_p, [c_void_p]),
        "attest_judge_model_free": (None, [c_void_p]),
        "attest_judge_model_shipped_name": (c_char_p, [c_size_t]),
        "attest_judge_bound": (
            c_int,
            [POINTER(Bounds), POINTER(QKV), c_void_p, POINTER(Options), POINTER(Failure)],
        ),
        "attest_judge_simulate": (
            c_int,
            [c_void_p, c_void_p, c_void_p, POINTER(QKV), c_void_p, c_size_t, POINTER(Options), POINTER(Failure)],
        ),
        "attest_judgement_make": (
            c_int,
            [pointer, POINTER(Tensor), POINTER(QKV), c_void_p, POINTER(Options), POINTER(Failure)],
        ),
        "attest_judgement_verdict": (c_int, [c_void_p]),
        "attest_judgement_format": (c_void_p, [c_void_p]),
        "attest_judgement_free": (None, [c_void_p]),
        "attest_lse_judgement_make": (
            c_int,
            [pointer, POINTER(Tensor), POINTER(QKV), c_void_p, POINTER(LseOptions), POINTER(Options), POINTER(Failure)],
        ),
        "attest_lse_judgement_format": (c_void_p, [c_void_p]),
        "attest_lse_judgement_free": (None, [c_void_p]),
        "attest_judge_element": (c_int, [c_double, c_double, c_double]),
    }
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments


lib = _open()  # a CDLL: Python's lock is released while its functions run
_declare(lib)
_free = ctypes.CDLL(None).free
_free.argtypes = [c_void_p]
_free.restype = None


def take_text(address: Optional[int]) -> str:
    """Returns the string at an address, and frees it."""
    if not address:
        raise MemoryError("attest: memory ran out")
    try:
        return ctypes.string_at(address).decode()
    finally:
        _free(address)


_caught: List[BaseException] = []


def _listen() -> Generator[bool, Optional[int], None]:
    """Yields whether work is to go on, which is so until the handler of a signal raises (Ctrl-C).

    The library calls send(), which enters no Python function: handlers of pending signals run
    after the yield, inside of try. In a function they would run before the try.
    """
    go_on = True
    while True:
        try:
            yield go_on
            go_on = True
        except GeneratorExit:
            return
        except BaseException as error:  # for the thread that called the library, not for ctypes
            # without this frame: clearing the frames of a traceback, as unittest does, would end it
            traceback = error.__traceback__
            _caught.append(error.with_traceback(traceback and traceback.tb_next))
            go_on = False


_Proceed = ctypes.CFUNCTYPE(c_bool, c_void_p)


class _Listener:
    """The callback that the library polls. A signal between two calls ends it; then a new one is made."""

    def __init__(self) -> None:
        self.generator = _listen()
        next(self.generator)
        self.function = _Proceed(self.generator.send)
        self.address = ctypes.cast(self.function, c_void_p).value

    @property
    def alive(self) -> bool:
        return self.generator.gi_frame is not None


_listener = _Listener()
_main = threading.main_thread()


class _Caches:
    """Frees the caches of FLINT for a thread when the thread ends."""

    def __del__(self, clean: Any = lib.flint_cleanup) -> None:
        clean()


_thread = threading.local()


def options(jobs: int) -> Options:
    """The options of a call. Only the main thread polls, since handlers of signals run there."""
    if not isinstance(jobs, int) or jobs < 1:
        raise InputError(f"jobs: {jobs!r} is not a number of processes")
    global _listener
    if threading.current_thread() is not _main:
        if not hasattr(_thread, "caches"):
            _thread.caches = _Caches()
        return Options(jobs)
    if not _listener.alive:
        _listener = _Listener()
    return Options(jobs, proceed=_listener.address)


def check(status: int, failure: Failure) -> None:
    """Raises the exception of a status, with the library's message."""
    if status == OK:
        return
    text: str = failure.text.decode(errors="replace")
    if status == STOPPED:
        caught = _caught.pop() if _caught else KeyboardInterrupt()
        _caught.clear()
        raise caught
    if status == NOMEM:
        raise MemoryError(text)
    raise (InputError if status in (FORMAT, USAGE, DOMAIN) else Error)(text)


def version() -> str:
    """The version of the library."""
    text: str = lib.attest_version().decode()
    return text
