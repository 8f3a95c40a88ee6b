"""The pytest plugin and the strategies of Hypothesis."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

import attest

from common import flat, needs, optional, shaped

pytest, hypothesis = optional("pytest"), optional("hypothesis")

TESTS = '''
import attest

Q, K, V = [[1.0], [0.0]], [[0.0], [0.0]], [[1.0], [3.0]]

def test_right(attention):
    assert attention([[2.0], [2.0]], Q, K, V, kernel="fp64-any").ok

def test_default(attention):
    attention([[2.0], [2.0]], Q, K, V)

def test_wrong(attention):
    attention([[2.0], [2.0]], Q, K, V)
    attention([[2.0], [7.0]], Q, K, V)

def test_plain():
    attest.assert_attention([[2.0], [2.0]], Q, K, V, kernel="fp32-any")
'''


@needs(pytest, "pytest")
class Plugin(unittest.TestCase):
    def run_pytest(self, directory, *arguments):
        (Path(directory) / "test_attention.py").write_text(TESTS)
        (Path(directory) / "pytest.ini").write_text("[pytest]\nattest-kernel = fp32-any\n")
        command = [sys.executable, "-m", "pytest", "-p", "attest.pytest_plugin", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(command, cwd=directory, capture_output=True, text=True)

    def test_report(self):
        """The fixture, the section of a failure, the summary, and the command in it"""
        with tempfile.TemporaryDirectory() as directory:
            done = self.run_pytest(directory)
            text = done.stdout
            self.assertEqual(done.returncode, 1, text + done.stderr)
            for words in (
                "1 failed, 3 passed",
                "proved wrong: 1 of 2 elements are outside what any kernel of fp32-any can return",
                "- attest -",
                "within: 2 elements by fp32-any",
                "5 outputs judged (10 elements): 4 within, 1 wrong",
                "largest error/bound that passed",
            ):
                self.assertIn(words, text)
            command = re.findall(r"^    (attest judge .*)$", text, re.MULTILINE)[0]
            self.assertIn("attest-failures/test_attention.py-test_wrong.safetensors", command)
            again = subprocess.run(command.replace("attest", os.environ["ATTEST_PROGRAM"], 1).split(), cwd=directory, capture_output=True, text=True)
            self.assertEqual((again.returncode, again.stdout.splitlines()[0][:26]), (1, "proved wrong: 1 of 2 eleme"))

    def test_save(self):
        with tempfile.TemporaryDirectory() as directory:
            self.run_pytest(directory, "--attest-save=here")
            self.assertEqual([path.name for path in (Path(directory) / "here").iterdir()], ["test_attention.py-test_wrong.safetensors"])

    def test_nothing_judged(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertNotIn("- attest -", self.run_pytest(directory, "-k", "nothing").stdout)


if hypothesis:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    from attest.strategies import _FORMATS, CORNERS, _round, datasets, qkv

    quick = settings(max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@needs(hypothesis, "Hypothesis")
class Strategies(unittest.TestCase):
    def test_qkv(self):
        """In every corner values are of their format, shapes fit, and exact results are within"""
        kernels = {"binary64": "fp64-any", "binary32": "fp32-any", "bfloat16": "bf16-any", "binary16": "fp16-any", "float8_e4m3fn": None, "float8_e5m2": None}

        def check(drawn):
            format, x = drawn
            kernel = kernels[format] or attest.kernel("fp32-any", inputs={"q": format, "k": format, "v": format})
            bounds = attest.tolerance(x.q, x.k, x.v, kernel=kernel)  # refuses what is not of the format
            self.assertEqual(bounds.exact.shape, (*x.q.shape[:3], x.v.shape[3]))
            self.assertTrue(all(lo <= y <= hi for lo, y, hi in zip(*map(flat, (bounds.lo, bounds.exact, bounds.hi)))))

        for corner in CORNERS:
            drawn = st.sampled_from(sorted(kernels)).flatmap(lambda f: st.tuples(st.just(f), qkv(f, corner=corner)))
            settings(quick, max_examples=6)(given(drawn)(check))()

    def test_round(self):
        """Numbers are rounded to the format: to nearest, ties to even, at most the largest"""
        for format, (bits, least, largest) in _FORMATS.items():
            eps = 2.0 ** (1 - bits)
            for x, expected in ((1 + eps / 2, 1), (1 + eps * 0.75, 1 + eps), (1 + eps * 1.5, 1 + 2 * eps), (-eps, -eps)):
                if format != "binary64":
                    self.assertEqual(_round(x, format), expected, format)
            self.assertEqual(_round(-1e308, format), -min(largest, 1e308))
            self.assertEqual(_round(2.0**least * (1 + eps), format), 2.0**least * (1 + eps))

    def test_fault_is_found_and_shrunk(self):
        """A kernel that forgets the scale is found, and the example shrinks"""
        found = []

        @settings(quick, max_examples=300)
        @given(qkv())
        def check(x):
            exact = attest.tolerance(x.q, x.k, x.v, kernel="fp32-any", scale="none").exact
            wrong = shaped(flat(exact), exact.shape, "f")
            found.append(x)
            attest.assert_attention(wrong, x.q, x.k, x.v, kernel="fp32-any", save=False)

        with self.assertRaises(attest.AttentionError) as caught:
            check()
        q, k = found[-1].q, found[-1].k
        self.assertEqual((q.shape[:2], k.shape[:3]), ((1, 1), (1, 1, 2)))
        self.assertLessEqual(q.shape[2], 2)
        self.assertIn("scale-missing", str(caught.exception))

    def test_datasets(self):
        @quick
        @given(datasets())
        def check(data):
            self.assertTrue(all(isinstance(x, Fraction) for sequence in data for token in sequence for x in token))
            self.assertEqual(len({len(token) for sequence in data for token in sequence}), 1)

        check()

        @settings(quick, max_examples=5)
        @given(datasets())
        def decide(data):
            dim = len(data[0][0])
            eye = [[int(i == j) for j in range(dim)] for i in range(dim)]
            found = attest.certify(data, {"activation": "hardmax", "heads": [{"WQ": eye, "WK": eye, "WV": eye, "WO": eye}]})
            self.assertIn(found["verdict"], ("proved", "refuted"))

        decide()

    def test_refusals(self):
        for arguments in ({"format": "fp8"}, {"corner": "none"}):
            with self.assertRaisesRegex(ValueError, "there is no (format|corner)"):
                settings(quick, max_examples=1)(given(qkv(**arguments))(lambda x: None))()
