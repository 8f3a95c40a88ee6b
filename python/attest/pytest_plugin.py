"""pytest: the fixture ``attention``, and a section of the report on what was judged.

The plugin is loaded by pytest where attest is installed as a package (its entry point is
``attest``), or by ``-p attest.pytest_plugin``. Options: ``--attest-save DIR`` says where failures
are saved; the ini value ``attest-kernel`` is the kernel model of calls that name none.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional

import pytest

from . import _assert
from ._judge import Judgement


SHOWN = 10  # judgements of a test that fails


class Attention:
    """The fixture: calls :func:`attest.assert_attention` with the defaults of the test."""

    def __init__(self, defaults: Dict[str, Any]):
        self.defaults = defaults

    def __call__(self, out: Any, q: Any, k: Any, v: Any, **options: Any) -> Judgement:
        chosen = {**self.defaults, **options}
        if "kernel" not in chosen:
            raise pytest.UsageError("no kernel model: give kernel=..., or set attest-kernel in the ini file")
        return _assert.assert_attention(out, q, k, v, **chosen)


class _Session:
    """The judgements of each test."""

    def __init__(self) -> None:
        self.test = ""
        self.lines: Dict[str, List[str]] = {}
        self.replays: Dict[str, str] = {}  # the last failure of a test
        self.calls = self.elements = 0
        self.verdicts = {"within": 0, "wrong": 0, "undecided": 0}
        self.closest = 0.0  # the largest error over bound of what passed
        self.closest_test = ""

    def observe(self, judgement: Judgement, replay: Optional[str]) -> None:
        self.calls += 1
        self.verdicts[judgement.verdict] += 1
        self.elements += judgement.elements
        ratio = max((float(head["max_ratio"]) for head in judgement.heads), default=0.0)
        if judgement.ok and math.isfinite(ratio) and ratio >= self.closest:
            self.closest, self.closest_test = ratio, self.test
        line = f"{judgement.verdict}: {judgement.elements} elements by {judgement.kernel.name}, largest error/bound {ratio:.4g}"
        self.lines.setdefault(self.test, []).append(line)
        if replay:
            self.replays[self.test] = replay

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.test = nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Adds the judgements of a failing test to its report."""
        lines = self.lines.get(report.nodeid)
        if report.when == "call" and report.failed and lines:
            shown = lines if len(lines) <= SHOWN else [f"({len(lines) - SHOWN} more before)"] + lines[-SHOWN:]
            report.sections.append(("attest", "\n".join(shown)))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.calls:
            return
        terminalreporter.section("attest")
        counts = ", ".join(f"{n} {verdict}" for verdict, n in self.verdicts.items() if n)
        terminalreporter.line(f"{self.calls} outputs judged ({self.elements} elements): {counts}")
        if self.closest_test:
            terminalreporter.line(f"largest error/bound that passed: {self.closest:.4g} in {self.closest_test}")
        for test, replay in self.replays.items():
            terminalreporter.line(f"{test}\n    {replay}")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("attest", "outputs of attention kernels")
    group.addoption("--attest-save", metavar="DIR", default=None, help="save outputs that fail to DIR")
    parser.addini("attest-kernel", "the kernel model of assertions that name none", default="")


def pytest_configure(config: pytest.Config) -> None:
    session = _Session()
    config.pluginmanager.register(session, "attest-session")
    _assert.observers.append(session.observe)


def pytest_unconfigure(config: pytest.Config) -> None:
    session = config.pluginmanager.unregister(name="attest-session")
    if isinstance(session, _Session):
        _assert.observers.remove(session.observe)


@pytest.fixture
def attention(request: pytest.FixtureRequest) -> Attention:
    """``attention(out, q, k, v, kernel=...)`` asserts that the output is right; :func:`attest.assert_attention`."""
    defaults: Dict[str, Any] = {}
    name = request.config.getini("attest-kernel")
    directory = request.config.getoption("--attest-save")
    if name:
        defaults["kernel"] = name
    if directory:
        defaults["save"] = directory
    return Attention(defaults)
