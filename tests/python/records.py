"""certify, construct and audit: records of the program, numbers taken exactly."""

import json
import os
import subprocess
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

import attest

from common import needs, optional

numpy = optional("numpy")
EYE = [[1, 0], [0, 1]]
HARD = {"activation": "hardmax", "heads": [{"WQ": EYE, "WK": EYE, "WV": EYE, "WO": EYE}]}
SOFT = {**HARD, "activation": "softmax"}
DATA = [[[1, 0], [0, 1]], [[1, 1], [0, 2]]]


class Records(unittest.TestCase):
    def test_same_as_the_program(self):
        with tempfile.TemporaryDirectory() as directory:
            data, weights = Path(directory) / "data.json", Path(directory) / "weights.json"
            data.write_text(json.dumps({"format": "attest/dataset", "version": 1, "sequences": DATA}))
            weights.write_text(json.dumps({"format": "attest/weights", "version": 1, **SOFT}))
            printed = subprocess.run([os.environ["ATTEST_PROGRAM"], "certify", data, "--weights", weights, "--json"], capture_output=True, text=True)
            printed = json.loads(printed.stdout)
            for found in (attest.certify(data, weights), attest.certify(str(data), SOFT), attest.certify(DATA, weights)):
                for key in ("verdict", "min_separation", "max_norm", "required_pairs", "pair"):
                    self.assertEqual(found[key], printed[key])

    def test_verdicts(self):
        """What is refuted is a record, not an exception"""
        twice = [[[1, 0], [1, 0], [0, 1]], [[1, 0], [0, 1]]]
        found = attest.certify(twice, HARD)
        self.assertIn(found["verdict"], ("proved", "refuted"))
        self.assertEqual(attest.certify(DATA, SOFT, delta=1000)["verdict"], "refuted")
        separation = attest.Ball.from_record(attest.certify(DATA, SOFT)["min_separation"])
        self.assertEqual(attest.certify(DATA, SOFT, delta=separation.lower)["verdict"], "proved")
        self.assertEqual(attest.certify(DATA, SOFT, delta=separation.upper + 1)["verdict"], "refuted")

    def test_certificate(self):
        with tempfile.TemporaryDirectory() as directory:
            data, weights, certificate = (str(Path(directory) / f"{name}.json") for name in ("data", "weights", "certificate"))
            Path(data).write_text(json.dumps({"format": "attest/dataset", "version": 1, "sequences": DATA}))
            Path(weights).write_text(json.dumps({"format": "attest/weights", "version": 1, **SOFT}))
            attest.certify(data, weights, certificate=certificate)
            self.assertEqual(subprocess.run([os.environ["ATTEST_PROGRAM"], "check", certificate], capture_output=True).returncode, 0)

    def test_exact_numbers(self):
        """0.1 is the double, Fraction(1, 10) the decimal"""
        def certify(x, y):
            return attest.certify([[[x, 0], [0, 1]], [[y, 0], [0, 1]]], SOFT)

        tiny = attest.Ball.from_record(certify(0.1, Fraction(1, 10))["min_separation"])
        self.assertTrue(0 < tiny.lower <= tiny.upper < Fraction(1, 10**16))
        self.assertGreater(certify(0.1, "0.1")["required_pairs"], certify("1/10", Fraction(1, 10))["required_pairs"])

    def test_construct_and_audit(self):
        built = attest.construct(DATA, strategy="tuned")
        self.assertEqual(attest.certify(DATA, built["weights"])["verdict"], "proved")
        found = attest.audit(DATA, weights=built["weights"], formats=["binary64"], sweep="2..64")
        self.assertEqual(found["formats"][0]["collisions"], 0)
        self.assertIsInstance(found["collapse_bits"], int)

    def test_refusals(self):
        for words, call in (
            ("'nonsense'", lambda: attest.construct(DATA, strategy="nonsense")),
            ("no sequences", lambda: attest.certify([], SOFT)),
            ("cannot open", lambda: attest.certify("/nowhere/data.json", SOFT)),
            ("not finite", lambda: attest.certify([[[float("nan")]]], SOFT)),
            ("a file or a dict", lambda: attest.certify(DATA, [1])),
        ):
            with self.subTest(words), self.assertRaisesRegex(attest.InputError, words):
                call()

    @needs(numpy, "NumPy")
    def test_numpy(self):
        found = attest.certify(numpy.array(DATA, dtype="f4"), {**SOFT, "heads": [{key: numpy.eye(2) for key in ("WQ", "WK", "WV", "WO")}]})
        self.assertEqual(found["min_separation"], attest.certify(DATA, SOFT)["min_separation"])
