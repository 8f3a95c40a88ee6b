"""What would explain a wrong output: planted faults, and what ONNX and IREE shipped. The outputs with faults come from
tests/ref/planted.py, which shares nothing with the library; the others from $ATTEST_DATA."""

import array
import json
import os
import random
import struct
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path[:0] = [os.path.join(ROOT, "tests/ref"), os.path.join(ROOT, "examples"), os.path.dirname(os.path.abspath(__file__))]

import attest
import importlib.util
import planted
from common import SEED

spec = importlib.util.spec_from_file_location("judge_onnx", os.path.join(ROOT, "examples/judge-onnx.py"))
judge_onnx = importlib.util.module_from_spec(spec)
spec.loader.exec_module(judge_onnx)
DATA = os.environ.get("ATTEST_DATA", "")

# what no model of "any" kernel can tell from a right output on these inputs
UNSEEN = {"F32": ("truncated-output",), "BF16": ("truncated-output", "approximate-exp", "sink-extra"), "F16": ()}


class Planted(unittest.TestCase):
    def run_type(self, dtype):
        for name, what, types, make in planted.CASES:
            if dtype not in types:
                continue
            with self.subTest(dtype=dtype, name=name, what=what):
                found = planted.judge(attest, make(random.Random(SEED), dtype), dtype)
                if name in UNSEEN[dtype] and found.verdict == "within":
                    continue
                names = [x["name"] for x in found.alternatives]
                self.assertEqual(found.verdict, "wrong")
                self.assertIn(name, names)
                self.assertLess(names.index(name), 4)

    def test_binary32(self):
        self.run_type("F32")

    def test_bfloat16(self):
        self.run_type("BF16")

    def test_binary16(self):
        self.run_type("F16")

    def test_right(self):
        made = planted.case(planted.plain())(random.Random(SEED), "F32")
        found = planted.judge(attest, made, "F32")
        self.assertEqual((found.verdict, found.alternatives, found.pattern), ("within", [], None))
        self.assertIsNone(found.alternatives_tried)

    def test_unexplained(self):
        """Noise has no explanation, and the text says so."""
        rng = random.Random(SEED)
        inputs, out, given = planted.case(planted.plain())(rng, "F32")
        for row in out[0][1]:
            row[3] += 1 + rng.random()
        found = planted.judge(attest, (inputs, out, given), "F32")
        self.assertEqual((found.verdict, found.alternatives), ("wrong", []))
        self.assertTrue(found.alternatives_tried["pairs"] and found.alternatives_tried["judgements"] > 50)
        self.assertIn("no known setting, model or fault explains the output", str(found))
        self.assertEqual(found.pattern["match"], "exact")
        self.assertEqual(found.pattern["sentence"], "wrong are exactly all rows of head 1 of batch entry 0, column 3")

    def test_patterns(self):
        inputs, out, given = planted.case(planted.plain())(random.Random(SEED), "F32")
        for wrong, sentence in [
            (lambda b, h, i, c: i >= 10, "the rows from 10 on of all heads of all batch entries, all columns"),
            (lambda b, h, i, c: h == 2 and i % 6 == 5, "every 6th row from 5 on of head 2 of all batch entries, all columns"),
            (lambda b, h, i, c: b == 1 and c >= 4, "all rows of all heads of batch entry 1, the columns from 4 on"),
            (lambda b, h, i, c: h % 2 == 1 and i < 3, "the rows up to 2 of every 2nd head from 1 on of all batch entries, all columns"),
            (lambda b, h, i, c: (i, c) == (3, 2), "row 3 of all heads of all batch entries, column 2"),
        ]:
            changed = [[[[x + 1 if wrong(b, h, i, c) else x for c, x in enumerate(row)] for i, row in enumerate(rows)]
                        for h, rows in enumerate(entry)] for b, entry in enumerate(out)]
            found = planted.judge(attest, (inputs, changed, given), "F32")
            self.assertEqual(found.pattern, {"layer": 0, "match": "exact", "sentence": "wrong are exactly " + sentence})

    def test_worst_is_instructive(self):
        """Of an element that is off by 2^-10 and one that is off by 1, the latter is shown."""
        inputs, out, given = planted.case(planted.plain())(random.Random(SEED), "F32")
        out[0][0][0][0] += 2**-10
        out[1][3][7][5] += 1
        worst = planted.judge(attest, (inputs, out, given), "F32").worst
        self.assertEqual([worst[x] for x in ("batch", "head", "row", "column")], [1, 3, 7, 5])
        self.assertGreater(worst["ulps"], 2**20)


def tool(name, version):
    return os.path.join(DATA, "onnx-attention", version, name)


@unittest.skipUnless(os.path.isdir(os.path.join(DATA, "onnx-attention")), "ATTEST_DATA has no onnx-attention")
class Onnx(unittest.TestCase):
    def test_first_release(self):
        """29 of the 47 outputs are wrong, and each for the reason for which upstream changed it later."""
        counts = {"within": 0, "wrong": 0}
        for name, verdict, names in judge_onnx.judge_folder(tool("", "v1.18.0")):
            counts[verdict] += 1
            with self.subTest(name):
                parts = ["layout-exchanged"] * name.startswith("3d") + ["kv-heads-tiled"] * ("gqa" in name)
                parts += ["softcap-after-mask"] * (name in AFTER)
                self.assertEqual((verdict, names), ("wrong" if parts else "within", ["+".join(parts)] if parts else []))
        self.assertEqual(counts, {"within": 18, "wrong": 29})

    def test_last_data(self):
        verdicts = [verdict for _, verdict, _ in judge_onnx.judge_folder(tool("", "final"))]
        self.assertEqual((len(verdicts), set(verdicts)), (76, {"within"}))


AFTER = ("4d_with_qk_matmul_softcap", "3d_with_past_and_present_qk_matmul_softcap")


def read_npy(path):
    """A little-endian .npy file of floats, in C order."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10 : 10 + size].decode(), {"__builtins__": {}}, {"True": True, "False": False})
    code = {"<f2": "H", "<f4": "f"}[header["descr"]]
    memory = memoryview(array.array(code, data[10 + size :])).cast("B").cast(code, list(header["shape"]))
    return attest.view(memory, "binary16") if code == "H" else memory


@unittest.skipUnless(os.path.isdir(os.path.join(DATA, "iree-attention")), "ATTEST_DATA has no iree-attention")
class Iree(unittest.TestCase):
    MODEL = """{"format": "attest/kernel-model", "version": 1, "name": "iree",
        "inputs": {"q": "binary16", "k": "binary16", "v": "binary16"},
        "score": [{"order": "any"}, {"order": "tensor", "block": 4, "fraction": 23}], "p": {"format": [null, "binary16"]},
        "sum": {"of": "any"}, "pv": [{"order": "any"}, {"order": "tensor", "block": 4, "fraction": 23}],
        "exp": {"relative": "0x1p-20"}, "final": {"relative": "0x1p-21"}, "output": {"format": "binary32"}}"""

    def judge(self, commit):
        part = lambda name: read_npy(os.path.join(DATA, "iree-attention", commit, f"attn_{name}.npy"))
        return attest.judge(part("out"), part("q"), part("k"), part("v"), mask=part("mask"), kernel=json.loads(self.MODEL))

    def test_constant_output(self):
        found = self.judge("ccf90a7be")
        self.assertEqual((found.verdict, found.wrong, found.alternatives), ("wrong", found.elements, []))
        self.assertIn("; every element of the output is -0.37254", found.pattern["sentence"])

    def test_repaired(self):
        self.assertEqual(self.judge("0fda1f9aa").verdict, "within")


if __name__ == "__main__":
    unittest.main()
