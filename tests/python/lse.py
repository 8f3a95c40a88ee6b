"""Log-sum-exps: numbers beside closed forms, options, messages, the command that judges them again."""

import math
import os
import shlex
import subprocess
import tempfile
import unittest

import attest

from common import generator


def log_sums(q, k, scale, sees=lambda i, j: True, sink=()):
    """In doubles."""
    out = []
    for i, row in enumerate(q):
        scores = [scale * sum(a * b for a, b in zip(row, key)) for j, key in enumerate(k) if sees(i, j)] + list(sink)
        out.append(max(scores) + math.log(sum(math.exp(s - max(scores)) for s in scores)) if scores else -math.inf)
    return out


def attend(q, k, v, scale, sees=lambda i, j: True):
    out = []
    for i, row in enumerate(q):
        scores = [scale * sum(a * b for a, b in zip(row, key)) if sees(i, j) else -math.inf for j, key in enumerate(k)]
        weights = [math.exp(s) for s in scores]
        out.append([sum(w * x[c] for w, x in zip(weights, v)) / sum(weights) for c in range(len(v[0]))])
    return out


def plain(rng, shape):
    """A list of rows."""
    return [[rng.gauss(0, 1) for _ in range(shape[1])] for _ in range(shape[0])]


class LogSumExp(unittest.TestCase):
    def problem(self):
        rng = generator()
        q, k, v = (plain(rng, (n, 4)) for n in (5, 7, 7))
        return q, k, v, attend(q, k, v, 0.5), log_sums(q, k, 0.5)

    def test_within(self):
        q, k, v, out, lse = self.problem()
        found = attest.judge(out, q, k, v, kernel="fp64-any", lse=lse)
        self.assertTrue(found.ok)
        self.assertEqual((found.lse["rows"], found.lse["within"], found.record["lse"]["base"]), (5, 5, "e"))
        self.assertEqual(attest.judge(out, q, k, v, kernel="fp64-any").lse, None)
        found = attest.assert_attention(out, q, k, v, kernel="fp64-any", lse=[x / math.log(2) for x in lse], lse_base=2)
        self.assertEqual((found.lse["verdict"], found.lse["base"]), ("within", "2"))
        seen = lambda i, j: j <= i + 2
        found = attest.judge(attend(q, k, v, 0.5, seen), q, k, v, kernel="fp64-any", causal=True, lse=log_sums(q, k, 0.5, seen))
        self.assertTrue(found.ok)
        found = attest.judge(out, q, k, v, kernel="fp64-any", lse=log_sums(q, k, 0.5, sink=[0.25]), sink=0.25)
        self.assertEqual((found.verdict, found.lse["verdict"]), ("wrong", "within"))

    def test_wrong(self):
        q, k, v, out, lse = self.problem()
        for wrong in ([x + 1e-9 for x in lse], [math.nan] * 5, [math.inf] * 5):
            found = attest.judge(out, q, k, v, kernel="fp64-any", lse=wrong)
            self.assertEqual((found.verdict, found.lse["verdict"], found.lse["wrong"], found.ok), ("within", "wrong", 5, False))
            self.assertIn("log-sum-exp proved wrong: 5 of 5 rows", str(found))
        found = attest.judge(out, q, k, v, kernel="fp64-any", lse=[x / math.log(2) for x in lse])
        self.assertEqual([a["name"] for a in found.lse["alternatives"]], ["lse-other-base"])
        self.assertIn("within in the other base: is the base e right?", str(found))

    def test_empty_rows(self):
        q, v = [[0.0], [1.0]], [[1.0]]
        mask = [[True], [False]]
        for value, word in ((-math.inf, "neg-inf"), (math.inf, "pos-inf"), (0.0, "zero"), (math.nan, "nan")):
            for other in ("neg-inf", "pos-inf", "zero", "nan", "any"):
                found = attest.judge([[1.0], [0.0]], q, [[1.0]], v, kernel="fp32-any", mask=mask, lse=[0.0, value], empty_lse=other)
                self.assertEqual(found.lse["verdict"], "within" if other in (word, "any") else "wrong", (word, other))

    def test_refused(self):
        q, k, v, out, lse = self.problem()
        for options, text in (
            ({"lse": lse[1:]}, "does not fit q"),
            ({"lse": [lse] * 2}, "does not fit q"),
            ({"lse": lse, "lse_base": 10}, 'there is no "10"'),
            ({"lse": lse, "empty_lse": "one"}, 'there is no "one"'),
            ({"lse_base": 2}, "need a log-sum-exp"),
        ):
            with self.assertRaisesRegex(attest.InputError, text):
                attest.judge(out, q, k, v, kernel="fp64-any", **options)

    def test_replay(self):
        """The command of a failure judges the same log-sum-exp again"""
        q, k, v, out, lse = self.problem()
        wrong = lse[:-1] + [lse[-1] + 1]
        with tempfile.TemporaryDirectory() as directory:
            with self.assertRaises(attest.AttentionError) as caught:
                attest.assert_attention(out, q, k, v, kernel="fp64-any", lse=wrong, empty_lse="zero", save=directory)
            words = shlex.split(caught.exception.replay)
            again = subprocess.run([os.environ["ATTEST_PROGRAM"]] + words[1:], capture_output=True, text=True)
        self.assertEqual(again.returncode, 1)
        self.assertIn("log-sum-exp proved wrong: 1 of 5 rows", again.stdout)
        self.assertIn("--empty-lse=zero", words)
