"""assert_attention: one line in a test suite."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, List, Optional, Union

from ._arrays import view
from ._judge import Judgement, judge_problem
from ._kernel import Kernel, KernelLike, kernel as load_kernel
from ._lse import Lse, lse as make_lse
from ._message import describe
from ._problem import Causal, Number, Problem, Window
from ._save import command, save_case

DIRECTORY = "attest-failures"

# called with the judgement, and the command that replays it or None, of every assertion
observers: List[Callable[[Judgement, Optional[str]], None]] = []


class AttentionError(AssertionError):
    """An output is wrong or undecided. ``judgement`` describes it, ``replay`` is the command that repeats the judgement."""

    def __init__(self, text: str, judgement: Judgement, replay: str):
        super().__init__(text)
        self.judgement = judgement
        self.replay = replay


def _case_name() -> str:
    """The name of the running test of pytest, or of the calling line."""
    test = os.environ.get("PYTEST_CURRENT_TEST")
    if test:
        name = test.rsplit(" (", 1)[0]
    else:
        frame = sys._getframe(1)
        while frame.f_back and frame.f_globals.get("__name__", "").startswith("attest."):
            frame = frame.f_back
        name = f"{Path(frame.f_code.co_filename).stem}-{frame.f_lineno}"
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[-120:] or "case"


def _save(directory: Path, problem: Problem, model: Kernel, out: Any, lse: Optional[Lse]) -> str:
    output = view(out)
    path = directory / f"{_case_name()}.safetensors"
    return command(save_case(path, problem, model, output, problem.output(output), lse))


def _keep(
    save: Union[None, bool, str, "os.PathLike[str]"], problem: Problem, model: Kernel, out: Any, lse: Optional[Lse]
) -> Optional[str]:
    if save is False:
        return None
    chosen = save if not isinstance(save, bool) and save is not None else os.environ.get("ATTEST_SAVE")
    if chosen:
        return _save(Path(chosen), problem, model, out, lse)
    try:
        return _save(Path(DIRECTORY), problem, model, out, lse)
    except OSError:  # a directory that is not ours to write
        return _save(Path(tempfile.gettempdir()) / f"{DIRECTORY}-{os.getuid()}", problem, model, out, lse)


def assert_attention(
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
    lse: Any = None,
    lse_base: Union[None, str, int] = None,
    empty_lse: Optional[str] = None,
    jobs: int = 1,
    save: Union[None, bool, str, "os.PathLike[str]"] = None,
) -> Judgement:
    """Asserts that this output is one that a kernel of the model may return on these inputs.

    Arguments as :func:`judge`'s. A failure shows the element, its exact value, the bound, what
    was returned, which rows are wrong, what would explain it, and the command that judges it again
    from a file: in the directory ``save``, ``$ATTEST_SAVE``, or ``attest-failures``, named
    after the test, so that of many failures of one test the last is kept; ``save=False`` saves
    nothing. An undecided output fails, too.

    >>> q, k, v = [[1.0], [0.0]], [[0.0], [0.0]], [[1.0], [3.0]]
    >>> assert_attention([[2.0], [2.0]], q, k, v, kernel="fp32-any").ok
    True
    >>> assert_attention([[1.0], [1.0]], q, k, v, kernel="fp32-any", save=False)
    Traceback (most recent call last):
        ...
    attest.AttentionError: proved wrong: 2 of 2 elements are outside what any kernel of fp32-any can return
      wrong are exactly all rows of head 0; every element of the output is 1
    within if the last tile of 1 keys is left out (dropped-tile)
    within if the last key is left out (key-dropped)
    worst element: head 0, row 0, column 0
      output       1
      exact        [2.0000000000000 +/- 2.05e-14]
      may be       1.9999969 to 2.0000031, within 3.09944155e-06 of the exact value
      error/bound  322638.767
    """
    model = load_kernel(kernel)
    factors = (q_descale, k_descale, v_descale)
    problem = Problem(
        q, k, v, scale, causal, window, mask, softcap, sink, empty_row, factors, layout, cu_seqlens, lengths, block_table, past
    )
    judged_lse = make_lse(problem, lse, lse_base, empty_lse)
    judgement = judge_problem(problem, out, model, jobs, lse=judged_lse)
    if judgement.ok:
        for observe in observers:
            observe(judgement, None)
        return judgement
    replay = _keep(save, problem, model, out, judged_lse)
    for observe in observers:
        observe(judgement, replay)
    text = describe(judgement) + (f"\nto see it again: {replay}" if replay else "")
    raise AttentionError(text, judgement, replay or "")
