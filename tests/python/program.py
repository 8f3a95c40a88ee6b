"""The package and the program give the same results, byte for byte, on 100 random inputs."""

import json
import os
import re
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

import attest
from attest._arrays import view
from attest._problem import Problem
from attest._save import save_case

from common import flat, gauss, generator, shaped

PROGRAM = os.environ["ATTEST_PROGRAM"]
NAN = b"\xff" * 7 + b"\x7f"  # the NaN that the program writes
KERNELS = ("fp32-any", "fp32-flash2", "fp32-llama-cpu", "fp32-torch-cpu", "fp32-math", "bf16-any", "bf16-flash2", "hopper-bf16-64")


def run(command, *arguments):
    done = subprocess.run([PROGRAM, command, *arguments, "--json", "--jobs=1"], capture_output=True, text=True)
    if done.returncode not in (0, 1, 3):
        raise AssertionError(done.stderr)
    return done.stdout


def texts(x):
    """Replaces numbers by their text as the program prints it."""
    if isinstance(x, dict):
        return {key: texts(value) for key, value in x.items()}
    if isinstance(x, list):
        return [texts(value) for value in x]
    return "%.17g" % x if isinstance(x, (int, float)) else x


def to_bfloat16(memory):
    """Truncates binary32 numbers to bfloat16."""
    raw = memory.cast("B")
    words = struct.unpack(f"{len(raw) // 4}I", raw)
    return memoryview(bytearray(struct.pack(f"{len(words)}I", *(w & 0xFFFF0000 for w in words)))).cast("f", list(memory.shape))


def draw(rng, kernel):
    """Draws the arrays of a problem and options for it, each with some probability."""
    batch, shared, group = rng.randint(1, 2), rng.randint(1, 2), rng.randint(1, 2)
    rows, keys, dim, columns = rng.randint(1, 9), rng.randint(1, 12), rng.randint(1, 9), rng.randint(1, 6)
    size = rng.choice([0.1, 1, 5])
    arrays = {
        "q": gauss(rng, (batch, shared * group, rows, dim), size=size),
        "k": gauss(rng, (batch, shared, keys, dim)),
        "v": gauss(rng, (batch, shared, keys, columns)),
    }
    if "bf16" in kernel:
        arrays = {name: to_bfloat16(x) for name, x in arrays.items()}
    options = {}
    if rng.random() < 0.5:
        options["scale"] = rng.choice(["none", 0.3, "3/7", 1])
    if rng.random() < 0.4:
        options["causal"] = rng.choice([True, "top-left"])
    if rng.random() < 0.3:
        options["window"] = rng.choice([(2, None), (1, 1), (None, 3)])
    if rng.random() < 0.3:
        if rng.random() < 0.5:
            options["mask"] = shaped([rng.random() < 0.7 for _ in range(rows * keys)], (rows, keys), "B").cast("B").cast("?", [rows, keys])
        else:
            options["mask"] = gauss(rng, (batch, 1, rows, keys))
    if rng.random() < 0.2 and "torch" not in kernel:
        options["sink"] = gauss(rng, (shared * group,))
    if rng.random() < 0.2 and kernel not in ("hopper-bf16-64",):
        options["softcap"] = rng.choice([5, "30"])
    if rng.random() < 0.2:
        options["empty_row"] = "nan"
    return arrays, options


class Program(unittest.TestCase):
    def compare(self, rng, kernel, directory):
        arrays, options = draw(rng, kernel)
        bounds = attest.tolerance(*arrays.values(), kernel=kernel, **options)
        values = [x if rng.random() < 0.98 else x + rng.choice([1e-3, 1, float("nan"), float("inf")]) for x in flat(bounds.exact)]
        out = shaped(values, bounds.exact.shape, rng.choice("df"))
        judgement = attest.judge(out, *arrays.values(), kernel=kernel, **options)

        filled = {"scale": None, "causal": False, "window": None, "mask": None, "softcap": None, "sink": None, "empty_row": "zero", **options}
        problem = Problem(*arrays.values(), **filled)
        output = view(out)
        arguments = save_case(Path(directory) / "case.safetensors", problem, attest.kernel(kernel), output, problem.output(output))
        printed = run("judge", *arguments)
        # The program also prints the names of the command, the files and the kernel.
        inputs = re.compile(r'(?<=\n)  "(?!format|version).*?(?=  "verdict")', re.DOTALL)
        self.assertEqual(judgement.json, inputs.sub("", printed, count=1))

        arguments = arguments[1:]  # without the output
        printed = json.loads(run("tolerance", *arguments, f"-o{directory}/bound.safetensors"), parse_float=str, parse_int=str)
        record = texts(bounds.record)
        self.assertEqual({key: printed[key] for key in record}, record)
        saved = (Path(directory) / "bound.safetensors").read_bytes()
        header = json.loads(saved[8 : 8 + struct.unpack("<Q", saved[:8])[0]])
        for name in ("bound", "lo", "hi"):
            first, last = (8 + struct.unpack("<Q", saved[:8])[0] + end for end in header[name]["data_offsets"])
            # The bits of a NaN may differ.
            expected = b"".join(NAN if x != x else struct.pack("d", x) for x in flat(getattr(bounds, name)))
            self.assertEqual(saved[first:last], expected, name)
        return judgement.verdict

    def test_same(self):
        """100 random inputs: judge, tolerance and its arrays"""
        rng = generator()
        verdicts = []
        with tempfile.TemporaryDirectory() as directory:
            for i in range(100):
                with self.subTest(i):
                    verdicts.append(self.compare(rng, KERNELS[i % len(KERNELS)], directory))
        print("#", {v: verdicts.count(v) for v in set(verdicts)})
        self.assertEqual(len(verdicts), 100)
        self.assertTrue({"within", "wrong"} <= set(verdicts))

    def test_simulate(self):
        rng = generator()
        with tempfile.TemporaryDirectory() as directory:
            q, k, v = (to_bfloat16(gauss(rng, (2, 70, 8))) for _ in range(3))
            x = attest.simulate(q, k, v, kernel="hopper-bf16-64")
            problem = Problem(q, k, v, None, False, None, None, None, None, "zero")
            arguments = save_case(Path(directory) / "case.safetensors", problem, attest.kernel("hopper-bf16-64"), None, None)
            run("simulate", *arguments, f"-o{directory}/out.safetensors")
            saved = (Path(directory) / "out.safetensors").read_bytes()
            size = 8 + struct.unpack("<Q", saved[:8])[0]
            header = json.loads(saved[8:size])
            for name in ("lo", "hi"):
                first, last = header[name]["data_offsets"]
                self.assertEqual(saved[size + first : size + last], bytes(getattr(x, name).cast("B")))
            first, last = header["out"]["data_offsets"]
            bits = struct.unpack(f"{(last - first) // 2}H", saved[size + first : size + last])
            self.assertEqual(flat(x.out), struct.unpack(f"{len(bits)}f", struct.pack(f"{len(bits)}I", *(b << 16 for b in bits))))

    def test_given(self):
        q, v = [[0.0]] * 3, [[1.0], [2.0], [4.0]]
        wide, narrow = (attest.tolerance(q, q, v, kernel="fp32-any", given=given).given for given in ((5, 0), (1e-9, 0)))
        self.assertIn("zeros", wide["accepts"])
        self.assertFalse(wide["refuses_correct"])
        self.assertEqual(narrow["accepts"], [])
        with self.assertRaisesRegex(attest.InputError, "ATOL"):
            attest.tolerance(q, q, v, kernel="fp32-any", given=1)

    def test_main(self):
        """python -m attest is the program"""
        import sys

        done = subprocess.run([sys.executable, "-m", "attest", "--version"], capture_output=True, text=True)
        self.assertEqual(done.stdout, subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout)
        self.assertTrue(done.stdout)
        done = subprocess.run([sys.executable, "-m", "attest", "nonsense"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        environment = {**os.environ, "ATTEST_PROGRAM": "/nowhere/attest"}
        done = subprocess.run([sys.executable, "-m", "attest"], capture_output=True, text=True, env=environment)
        self.assertEqual((done.returncode, done.stderr), (1, "attest: ATTEST_PROGRAM: /nowhere/attest is not a program\n"))
