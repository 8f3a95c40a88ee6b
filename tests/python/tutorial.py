"""The tutorials print what they are said to print; examples in docstrings do what they say."""

import doctest
import importlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import attest

from common import needs, optional

DIRECTORY = Path(attest.__file__).parent.parent
torch = optional("torch")
debian = torch if torch and re.match(r"2\.[6-9].*debian", torch.__version__) else None


def run(name):
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run([sys.executable, str(DIRECTORY / name)], cwd=directory, capture_output=True, text=True)
        assert not os.listdir(directory), "a tutorial leaves nothing behind"
    return done.stdout + done.stderr


class Tutorials(unittest.TestCase):
    def test_tutorial(self):
        self.assertEqual(run("tutorial.py"), (DIRECTORY / "tutorial.out").read_text())

    @needs(debian, "PyTorch 2.6 of Debian's")
    def test_torch(self):
        # shares of elements, and the last line, are of one processor
        plain = lambda text: re.sub(r"[0-9]+ (%|times)", r"N \1", text.replace((DIRECTORY / "tutorial_torch.out").read_text().splitlines()[-1] + "\n", ""))
        self.assertEqual(plain(run("tutorial_torch.py")), plain((DIRECTORY / "tutorial_torch.out").read_text()))

    def test_docstrings(self):
        attempted = 0
        for name in ("attest", "attest._arrays", "attest._assert", "attest._judge", "attest._kernel", "attest._records"):
            result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
            self.assertEqual(result.failed, 0, name)
            attempted += result.attempted
        found = doctest.DocTestFinder().find(attest.Ball, globs=vars(attest).copy())
        for test in found:
            runner = doctest.DocTestRunner()
            runner.run(test)
            self.assertEqual(runner.failures, 0)
            attempted += runner.tries
        self.assertGreater(attempted, 30)

    def test_names(self):
        """What is public has words"""
        for name in attest.__all__:
            thing = getattr(attest, name)
            if not isinstance(thing, str):
                self.assertTrue(thing.__doc__, name)
