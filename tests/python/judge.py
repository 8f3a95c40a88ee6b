"""judge, tolerance, simulate and assert_attention: numbers beside closed forms, messages, signals, threads."""

import json
import math
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import attest

from common import flat, gauss, generator, needs, optional, shaped

torch = optional("torch")


def attend(q, k, v, scale=1.0):
    """Attention on lists, in doubles."""
    out = []
    for row in q:
        scores = [scale * sum(a * b for a, b in zip(row, key)) for key in k]
        weights = [math.exp(s - max(scores)) for s in scores]
        out.append([sum(w * x[c] for w, x in zip(weights, v)) / sum(weights) for c in range(len(v[0]))])
    return out


class Judging(unittest.TestCase):
    def test_exact_values(self):
        """Exact values are those of plain Python, and bounds hold them"""
        rng = generator()
        for _ in range(20):
            rows, keys, dim, columns = (rng.randint(1, 6) for _ in range(4))
            q, k, v = ([[rng.gauss(0, 1) for _ in range(c)] for _ in range(r)] for r, c in ((rows, dim), (keys, dim), (keys, columns)))
            x = attest.tolerance(q, k, v, kernel="fp64-any")
            expected = [y for row in attend(q, k, v, dim**-0.5) for y in row]
            for y, lo, hi, exact, bound in zip(expected, *map(flat, (x.lo, x.hi, x.exact, x.bound))):
                self.assertLess(abs(y - exact), 1e-13)
                self.assertTrue(lo <= exact <= hi and 0 <= bound < 1e-11)

    def test_options(self):
        q, v = [[0.0]] * 3, [[1.0], [2.0], [4.0]]

        def exact(**options):
            return flat(attest.tolerance(q, q, v, kernel="fp64-any", **options).exact)

        for options, expected in (
            ({"causal": True}, (1, 1.5, 7 / 3)),
            ({"causal": "top-left"}, (1, 1.5, 7 / 3)),
            ({"window": (0, 0)}, (1, 2, 4)),
            ({"window": (1, 0)}, (1, 1.5, 3)),
            ({"window": (None, 0)}, (1, 1.5, 7 / 3)),
            ({"sink": 0.0}, (7 / 4, 7 / 4, 7 / 4)),
            ({"sink": [0.0], "causal": True}, (1 / 2, 1, 7 / 4)),
            ({"mask": [[False, False, True]]}, (4, 4, 4)),
            ({"v_descale": 3.0}, (7, 7, 7)),
            ({"v_descale": [[0.5]], "causal": True, "q_descale": [2.0], "k_descale": 1.0}, (1 / 2, 3 / 4, 7 / 6)),
            ({"mask": [[False, False, False]]}, (0, 0, 0)),
        ):
            for a, b in zip(exact(**options), expected):
                self.assertAlmostEqual(a, b, places=12, msg=options)
        self.assertTrue(all(map(math.isnan, exact(mask=[[False] * 3], empty_row="nan"))))
        sinks = attest.tolerance([[[0.0]]] * 2, [[[0.0]]] * 2, [[[1.0]]] * 2, kernel="fp64-any", sink=[0.0, math.log(3)])
        for a, b in zip(flat(sinks.exact), (1 / 2, 1 / 4)):  # each head has its own
            self.assertAlmostEqual(a, b, places=12)
        one = attest.tolerance([[1.0]], [[0.0], [1.0]], [[0.0], [1.0]], kernel="fp64-any", scale=Fraction(1, 3), softcap="2")
        self.assertAlmostEqual(one.exact[0, 0], 1 / (1 + math.exp(-2 * math.tanh(1 / 6))), places=12)

    def test_outputs_side_by_side(self):
        rng = generator()
        q, k, v = (gauss(rng, (2, 3, 5, 4)) for _ in range(3))
        out = attest.tolerance(q, k, v, kernel="fp32-any").exact
        values = flat(out)
        beside = [values[((b * 3 + h) * 5 + i) * 4 + c] for b in range(2) for i in range(5) for h in range(3) for c in range(4)]
        self.assertEqual(attest.judge(shaped(beside, (2, 5, 12)), q, k, v, kernel="fp32-any").verdict, "within")
        beside[17] += 1
        found = attest.judge(shaped(beside, (2, 5, 12)), q, k, v, kernel="fp32-any").worst
        self.assertEqual([found[key] for key in ("batch", "head", "row", "column")], [0, 1, 1, 1])

    def test_refusals(self):
        q = [[1.0, 2.0]]
        good = {"kernel": "fp64-any"}
        for words, call in (
            ("q\\[0\\]\\[0\\]\\[0\\]\\[1\\] is not finite", lambda: attest.tolerance([[1.0, math.nan]], q, q, **good)),
            ("vectors of q have 1", lambda: attest.tolerance([[1.0]], q, q, **good)),
            ("out: the shape \\(1, 3\\)", lambda: attest.judge([[1.0, 2.0, 3.0]], q, q, q, **good)),
            ("not a number of the model's input formats", lambda: attest.tolerance([[0.1]], [[0.1]], [[0.1]], kernel="bf16-any")),
            ("no schedule|none with the number 0", lambda: attest.simulate(q, q, q, **good)),
            ("scale", lambda: attest.tolerance(q, q, q, scale="x", **good)),
            ("above 0", lambda: attest.tolerance(q, q, q, scale=-1, **good)),
            ("nan is not finite", lambda: attest.tolerance(q, q, q, scale=math.nan, **good)),
            ("causal", lambda: attest.tolerance(q, q, q, causal="left", **good)),
            ("window", lambda: attest.tolerance(q, q, q, window=3, **good)),
            ("empty_row", lambda: attest.tolerance(q, q, q, empty_row="one", **good)),
            ("jobs", lambda: attest.tolerance(q, q, q, jobs=0, **good)),
            ("mask's shape", lambda: attest.tolerance(q, q, q, mask=[[True, True]], **good)),
            ("v_descale\\[0\\]\\[0\\], -1, is no", lambda: attest.tolerance(q, q, q, v_descale=-1.0, **good)),
            ("k_descale has shape \\(1, 2\\)", lambda: attest.tolerance(q, q, q, k_descale=[1.0, 1.0], **good)),
            ("q_descale must be one number", lambda: attest.tolerance(q, q, q, q_descale=[[[1.0]]], **good)),
            ("sink must have one number", lambda: attest.tolerance(q, q, q, sink=[0.0, 1.0], **good)),
            ("there is no such member", lambda: attest.kernel({"nonsense": 1})),
        ):
            with self.subTest(words), self.assertRaisesRegex(attest.InputError, words):
                call()
        with self.assertRaisesRegex(attest.Error, "cannot open"):
            attest.kernel("./none.json")

    def test_simulate(self):
        """A simulated kernel is within its own model, and its output moved by a bit is not"""
        rng = generator()
        bits = lambda x: x if x == 0 else math.ldexp(round(math.ldexp(x, 8 - math.frexp(x)[1])), math.frexp(x)[1] - 8)
        q, k, v = (shaped((bits(rng.gauss(0, 1)) for _ in range(2 * 70 * 8)), (2, 70, 8)) for _ in range(3))
        x = attest.simulate(q, k, v, kernel="hopper-bf16-64", causal=True)
        self.assertEqual(x.format, "bfloat16")
        self.assertEqual(attest.judge(x.out, q, k, v, kernel="hopper-bf16-64", causal=True).verdict, "within")
        self.assertTrue(all(lo <= out <= hi for lo, out, hi in zip(*map(flat, (x.lo, x.out, x.hi)))))
        x.out[1, 69, 7] *= 1 + 2**-6
        self.assertEqual(attest.judge(x.out, q, k, v, kernel="hopper-bf16-64", causal=True).wrong, 1)

    def test_overflow_is_undecided(self):
        big = [[2.0**127, 2.0**127]]
        found = attest.judge([[1.0, 1.0]], big, big, big, kernel="fp32-any")
        self.assertEqual((found.verdict, found.ok), ("undecided", False))
        with self.assertRaisesRegex(attest.AttentionError, "undecided: 2 of 2 elements"):
            attest.assert_attention([[1.0, 1.0]], big, big, big, kernel="fp32-any", save=False)


class Overflow(unittest.TestCase):
    def test_many_keys(self):
        """Sums of 20 000 rounded terms grow by no more than the terms: nothing overflows"""
        for kernel, size in (("bf16-torch-cpu", 4.0), ("bf16-torch-cpu", 1.0)):
            found = attest.tolerance([[0.0]], [[0.0]] * 20000, [[size]] * 20000, kernel=kernel)
            self.assertTrue(math.isfinite(flat(found.bound)[0]), kernel)
        found = attest.tolerance([[0.0]], [[0.0]] * 60000, [[1.0]] * 60000, kernel="bf16-torch-cpu")
        self.assertLess(flat(found.bound)[0], 1, "what underflows grows no faster than the sums")
        rng = generator()
        q, k = ([[round(rng.gauss(0, 2) * 64) / 64 for _ in range(4)] for _ in range(n)] for n in (1, 20000))
        v = [[rng.choice((-4.0, 4.0))] for _ in range(20000)]
        found = attest.tolerance(q, k, v, kernel="fp16-llama-cpu")
        self.assertTrue(math.isfinite(flat(found.bound)[0]), "weights of 20 000 keys that add up to far less than 20 000")


class Messages(unittest.TestCase):
    def test_uncast(self):
        """What is not a number of the output format lacks a final cast, however near it is."""
        found = attest.judge([[[[1 + 2**-9]]]], [[[[1.0]]]], [[[[1.0]]]], [[[[1.0]]]], kernel="bf16-any")
        self.assertEqual((found.verdict, found.record["uncast"], found.worst["uncast"]), ("wrong", 1, True))
        self.assertIn("1 of them are not numbers of bfloat16, the output format of the model: a final cast is missing", str(found))
        several = attest.kernel("bf16-any", output={"format": ["bfloat16", "binary16"]})
        self.assertEqual(several.output_formats, ["bfloat16", "binary16"])
        self.assertEqual(attest.judge([[[[1 + 2**-9]]]], [[[[1.0]]]], [[[[1.0]]]], [[[[1.0]]]], kernel=several).verdict, "within")

    def test_failure(self):
        """A failure names the wrong element and its place, and so does the command that replays it"""
        rng = generator()
        q, k = (gauss(rng, (2, 2, 8, 4)) for _ in range(2))
        v = gauss(rng, (2, 2, 8, 4), size=3)
        out = shaped(flat(attest.tolerance(q, k, v, kernel="fp32-any", causal=True).exact), (2, 2, 8, 4))
        for i in range(2, 6):
            for c in range(4):
                out[1, 0, i, c] = 9.0
        mine = attest.kernel("fp32-any", name="mine", max={"tile": 4})
        with tempfile.TemporaryDirectory() as directory:
            with self.assertRaises(attest.AttentionError) as caught:
                attest.assert_attention(out, q, k, v, kernel=mine, causal=True, mask=shaped([0.0] * 64, (8, 8)), save=directory)
            text = str(caught.exception)
            for words in ("proved wrong: 16 of 128", "wrong are exactly the rows 2 to 5 of head 0 of batch entry 1, all columns", "worst element: batch 1, head 0", "may be", "output       9"):
                self.assertIn(words, text)
            command = caught.exception.replay
            self.assertIn(command, text)
            saved = list(Path(directory).glob("*.safetensors"))
            self.assertEqual(len(saved), 1)
            program = os.environ["ATTEST_PROGRAM"]
            done = subprocess.run(command.replace("attest", f"'{program}'", 1) + " --json", shell=True, capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(json.loads(done.stdout)["wrong_rows"], caught.exception.judgement.wrong_rows)

    def test_changed_model(self):
        """A shipped model with members of one's own keeps its name, and is saved whole"""
        mine = attest.kernel("fp32-any", max={"tile": 4})
        self.assertEqual(mine.name, "fp32-any")
        with tempfile.TemporaryDirectory() as directory:
            with self.assertRaises(attest.AttentionError) as caught:
                attest.assert_attention([[9.0]], [[0.0]], [[0.0]], [[1.0]], kernel=mine, save=directory)
            (saved,) = Path(directory).glob("*.kernel.json")
            self.assertIn(f"--kernel={saved}", caught.exception.replay)
            self.assertEqual(json.loads(saved.read_text()), mine.model)

    def test_fault(self):
        v = [[1.0], [2.0], [4.0]]
        found = attest.judge([[0.0]] * 3, [[0.0]] * 3, [[0.0]] * 3, v, kernel="fp32-any")
        self.assertEqual(found.returned_by_faults, ["zeros"])
        self.assertIn("within if the output is 0: was it written at all? (zeros)", str(found))
        with self.assertRaises(AttributeError):
            found.nonsense

    def test_tfloat32(self):
        """Bounds that also contain the results of rounded inputs, and bounds that do not"""
        v = [[(i + 1) / 3] for i in range(6)]
        for kernel, formats in ((attest.kernel("fp32-any", exp={"relative": "0x1p-4"}), ["tfloat32"]), ("fp32-any", [])):
            found = attest.judge(shaped([3.5 / 3], (1, 1)), [[0.0]], [[0.0]] * 6, shaped((row[0] for row in v), (6, 1)), kernel=kernel)
            self.assertEqual((found.verdict, found.cannot_distinguish), ("within", formats))
            self.assertEqual("cannot tell TF32 from binary32" in str(found), bool(formats))

    def test_ball(self):
        found = attest.judge([[2.5]], [[0.0]], [[0.0], [0.0]], [[1.0], [3.0]], kernel="fp32-any")
        self.assertIn(2, found.exact)
        self.assertIsInstance(found.exact.lower, Fraction)
        with self.assertRaises(OverflowError):
            attest.Ball.from_record({"mid": "0x1p-99999999999", "rad": "0x0p+0"})


class Running(unittest.TestCase):
    """The library at work: signals and threads"""

    def setUp(self):
        rng = generator()
        self.long = gauss(rng, (1, 4, 1500, 32))

    def stop(self, handler, error, jobs):
        old = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            start = time.monotonic()
            with self.assertRaises(error):
                while True:
                    attest.tolerance(self.long, self.long, self.long, kernel="fp32-any", jobs=jobs)
            return time.monotonic() - start
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)

    def test_interrupt(self):
        """What a signal's handler raises ends the work soon"""
        def interrupt(number, frame):
            raise KeyboardInterrupt

        def late(number, frame):
            raise TimeoutError("too late")

        self.stop(interrupt, KeyboardInterrupt, 1)
        self.stop(late, TimeoutError, 2)

    def test_again(self):
        """A handler that raises nothing does not end it"""
        calls = []
        old = signal.signal(signal.SIGALRM, lambda *_: calls.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        try:
            x = gauss(generator(), (1, 1, 600, 16))
            while not calls:  # a machine may be quicker than the timer
                attest.tolerance(x, x, x, kernel="fp32-any")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)

    def test_lock_released(self):
        """Other threads run while the library works"""
        turns, most, done = 0, 0, threading.Event()
        x = gauss(generator(), (1, 1, 900, 32))

        def work():
            nonlocal most
            for _ in range(20):  # on a busy machine others may not get a turn
                before = turns
                attest.tolerance(x, x, x, kernel="fp32-any")
                most = max(most, turns - before)
                if most > 5:
                    break
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            turns += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(most, 5)

    def test_threads(self):
        """Threads that share a kernel find what one finds"""
        rng = generator()
        kernel = attest.kernel("bf16-flash2", inputs={"q": "fp32", "k": "fp32", "v": "fp32"})
        cases = [gauss(rng, (1, 2, 20, 8)) for _ in range(8)]
        find = lambda x: attest.judge(x, x, x, x, kernel=kernel).json
        alone = [find(x) for x in cases]
        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(find, cases)), alone)

    def test_jobs(self):
        x = gauss(generator(), (1, 3, 70, 8))
        self.assertEqual(*(attest.judge(x, x, x, x, kernel="fp32-any", jobs=jobs).json for jobs in (1, 3)))
