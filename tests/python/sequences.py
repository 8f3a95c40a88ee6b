"""Layouts, packed, padded and paged sequences, past keys, samples of rows, printed outputs: judgements like those of
each sequence alone, here and by the program; and convert."""

import array
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import attest
from attest._kernel import kernel as load_kernel
from attest._problem import Problem
from attest._save import save_case

from common import flat, generator, needs, optional, shaped

torch = optional("torch")
PROGRAM = os.environ["ATTEST_PROGRAM"]
PLAIN = dict(scale=None, causal=False, window=None, mask=None, softcap=None, sink=None, empty_row="zero")


def numbers(rng, count):
    return [rng.randint(-7, 7) / 4 for _ in range(count)]


def tokens(rng, count, heads, dim):
    """[token][head] -> list of numbers"""
    return [[numbers(rng, dim) for _ in range(heads)] for _ in range(count)]


def by_tokens(x):
    """(tokens, heads, dim)"""
    return shaped([c for token in x for head in token for c in head], (len(x), len(x[0]), len(x[0][0])))


def by_heads(x):
    """(heads, tokens, dim)"""
    heads = len(x[0])
    return shaped([c for h in range(heads) for token in x for c in token[h]], (heads, len(x), len(x[0][0])))


def offsets(lengths):
    found = [0]
    for n in lengths:
        found.append(found[-1] + n)
    return found


class Sequences(unittest.TestCase):
    def setUp(self):
        self.rng = generator()
        rng = self.rng
        self.queries, self.keys = [3, 1, 4], [5, 2, 7]
        self.q = [tokens(rng, n, 4, 6) for n in self.queries]
        self.k = [tokens(rng, n, 2, 6) for n in self.keys]
        self.v = [tokens(rng, n, 2, 3) for n in self.keys]
        self.options = {"kernel": "fp32-any", "causal": True}
        self.alone = [
            attest.tolerance(*map(by_heads, (q, k, v)), **self.options) for q, k, v in zip(self.q, self.k, self.v)
        ]
        # (tokens, heads, columns) of all sequences
        self.exact = []
        for bounds, n in zip(self.alone, self.queries):
            values = flat(bounds.exact)
            self.exact += [values[(h * n + i) * 3 + c] for i in range(n) for h in range(4) for c in range(3)]
        self.all = {"cu_seqlens": (offsets(self.queries), offsets(self.keys))}
        self.packed = [by_tokens(sum(x, [])) for x in (self.q, self.k, self.v)]

    def check_program(self, judgement, out, arrays, options):
        """The program prints the same about the saved problem."""
        given = {**PLAIN, **{name: value for name, value in options.items() if name != "kernel"}}
        problem = Problem(*arrays, **given)
        view = attest.view(out)
        with tempfile.TemporaryDirectory() as directory:
            case = save_case(Path(directory) / "case.safetensors", problem, load_kernel("fp32-any"), view, problem.output(view))
            printed = subprocess.run([PROGRAM, "judge", "--json", *case], capture_output=True, text=True)
        record = json.loads(printed.stdout)
        self.assertEqual({key: record[key] for key in judgement.record}, judgement.record)

    def test_packed(self):
        bounds = attest.tolerance(*self.packed, **self.all, **self.options)
        self.assertEqual(bounds.exact.shape, (8, 4, 3))
        self.assertEqual(list(flat(bounds.exact)), self.exact)
        self.assertEqual([(h["batch"], h["head"]) for h in bounds.record["heads"]], [(b, h) for b in range(3) for h in range(4)])
        values = [float(x) for x in flat(shaped(self.exact, (8, 4, 3), "d"))]
        values[(6 * 4 + 1) * 3 + 2] += 1  # sequence 2, row 2, head 1
        out = shaped(values, (8, 4, 3), "f")
        judgement = attest.judge(out, *self.packed, **self.all, **self.options)
        self.assertEqual(judgement.verdict, "wrong")
        worst = judgement.worst
        self.assertEqual([worst[key] for key in ("batch", "row", "head", "column")], [2, 2, 1, 2])
        self.check_program(judgement, out, self.packed, {**self.all, **self.options})
        with self.assertRaisesRegex(attest.AttentionError, "sequence 2, head 1, row 2"):
            attest.assert_attention(out, *self.packed, save=False, **self.all, **self.options)

    def test_one_array_of_offsets(self):
        both = {"cu_seqlens": array.array("i", offsets(self.keys))}
        q = by_tokens(sum(self.k, []))
        bounds = attest.tolerance(q, self.packed[1], self.packed[2], **both, **self.options)
        self.assertEqual(bounds.exact.shape, (14, 2, 3))

    def test_pages(self):
        size, order = 3, [4, 2, 0, 6, 1, 5, 3]
        table, pages, place = [], {}, 0
        for b, n in enumerate(self.keys):
            row = []
            for i in range(3):
                if i * size < n:
                    page = order[place]
                    place += 1
                    pages[page] = (b, i)
                else:
                    page = -1
                row.append(page)
            table.append(row)

        def cache(x, dim):
            nan = [float("nan")] * dim
            values = []
            for page in range(7):
                for slot in range(size):
                    for h in range(2):
                        b, i = pages.get(page, (0, 99))
                        j = i * size + slot
                        values += x[b][j][h] if j < len(x[b]) else nan
            return shaped(values, (7, size, 2, dim))

        arrays = (self.packed[0], cache(self.k, 6), cache(self.v, 3))
        options = {"cu_seqlens": offsets(self.queries), "lengths": self.keys, "block_table": table}
        bounds = attest.tolerance(*arrays, **options, **self.options)
        self.assertEqual(list(flat(bounds.exact)), self.exact)
        out = shaped(self.exact, (8, 4, 3), "f")
        judgement = attest.judge(out, *arrays, **options, **self.options)
        self.assertEqual(judgement.verdict, "within")
        self.check_program(judgement, out, arrays, {**options, **self.options})
        table[1][0] = 7
        with self.assertRaisesRegex(attest.InputError, r"block_table\[1\]\[0\] is 7"):
            attest.tolerance(*arrays, **options, **self.options)

    def test_lengths(self):
        rng = self.rng
        q, k, v = (numbers(rng, 2 * 4 * 3 * 5), numbers(rng, 2 * 2 * 6 * 5), numbers(rng, 2 * 2 * 6 * 5))
        arrays = (shaped(q, (2, 4, 3, 5)), shaped(k, (2, 2, 6, 5)), shaped(v, (2, 2, 6, 5)))
        bounds = attest.tolerance(*arrays, lengths=[6, 2], **self.options)
        first, second = (
            attest.tolerance(
                shaped(q[b * 60 : b * 60 + 60], (4, 3, 5)),
                *(shaped([x[((b * 2 + h) * 6 + j) * 5 + c] for h in range(2) for j in range(n) for c in range(5)], (2, n, 5)) for x in (k, v)),
                **self.options,
            )
            for b, n in ((0, 6), (1, 2))
        )
        self.assertEqual(flat(bounds.bound), flat(first.bound) + flat(second.bound))
        with self.assertRaisesRegex(attest.InputError, r"lengths\[1\] is 7"):
            attest.tolerance(*arrays, lengths=[6, 7], **self.options)

    def test_past(self):
        q, k, v = self.q[2], self.k[2], self.v[2]
        joined = attest.tolerance(*map(by_heads, (q, k, v)), **self.options)
        past = (by_heads(k[:4]), by_heads(v[:4]))
        divided = attest.tolerance(by_heads(q), by_heads(k[4:]), by_heads(v[4:]), past=past, **self.options)
        self.assertEqual(flat(joined.lo), flat(divided.lo))
        out = shaped(flat(joined.exact), (4, 4, 3), "f")
        arrays = (by_heads(q), by_heads(k[4:]), by_heads(v[4:]))
        judgement = attest.judge(out, *arrays, past=past, **self.options)
        self.check_program(judgement, out, arrays, {"past": past, **self.options})
        with self.assertRaisesRegex(attest.InputError, "past_k has shape"):
            attest.tolerance(*arrays, past=(by_heads([t[:1] for t in k[:4]]), past[1]), **self.options)

    def test_layout(self):
        q, k, v = self.q[2], self.k[2], self.v[2]
        heads_first = attest.tolerance(*map(by_heads, (q, k, v)), **self.options)
        tokens_first = attest.tolerance(*map(by_tokens, (q, k, v)), layout="shd", **self.options)
        self.assertEqual(tokens_first.exact.shape, (4, 4, 3))
        self.assertEqual(tokens_first.exact[1, 2, 0], heads_first.exact[2, 1, 0])
        out = by_tokens([[[heads_first.exact[h, i, c] for c in range(3)] for h in range(4)] for i in range(4)])
        judgement = attest.judge(out, *map(by_tokens, (q, k, v)), layout="shd", **self.options)
        self.assertEqual(judgement.verdict, "within")
        self.check_program(judgement, out, list(map(by_tokens, (q, k, v))), {"layout": "shd", **self.options})
        with self.assertRaisesRegex(attest.InputError, "layout"):
            attest.tolerance(*map(by_tokens, (q, k, v)), layout="hs", **self.options)
        with self.assertRaisesRegex(attest.InputError, "the layout bshd has 4"):
            attest.tolerance(*map(by_tokens, (q, k, v)), layout="bshd", **self.options)

    def test_sample(self):
        out = shaped(self.exact, (8, 4, 3), "f")
        some = attest.judge(out, *self.packed, rows=10, seed=3, **self.all, **self.options)
        self.assertEqual(some.sample, {"rows": 10, "of": 32, "seed": 3})
        self.assertEqual((some.elements, some.verdict), (30, "within"))
        all = attest.judge(out, *self.packed, rows=99, **self.all, **self.options)
        self.assertEqual((all.elements, all.sample), (96, None))

    def test_printed(self):
        rounded = shaped([round(x, 3) for x in self.exact], (8, 4, 3), "d")
        options = {"kernel": "fp32-any", "causal": True}
        self.assertEqual(attest.judge(rounded, *self.packed, **self.all, **options).verdict, "wrong")
        found = attest.judge(rounded, *self.packed, printed=3, **self.all, **options)
        self.assertEqual((found.verdict, found.printed), ("within", 3))
        self.assertEqual(attest.judge(rounded, *self.packed, printed=6, **self.all, **options).verdict, "wrong")
        with self.assertRaisesRegex(attest.InputError, "printed"):
            attest.judge(rounded, *self.packed, printed=301, **self.all, **options)

    def test_mistakes(self):
        for options, expected in (
            ({"cu_seqlens": [0, 3, 2, 8]}, r"cu_seqlens_q\[2\] is 2, below"),
            ({"cu_seqlens": ([0, 3, 4, 8], [0, 5, 7, 13])}, r"cu_seqlens_k\[3\], the last one, is 13"),
            ({"cu_seqlens": ([0, 3, 4, 8], [0, 5, 14])}, "is for 2 sequences"),
            ({"cu_seqlens": [[0, 1], [2]]}, "cu_seqlens_q is for|is for 0 sequences|has no sequence|not an array"),
            ({"cu_seqlens": ["a", "b"]}, "not an array of integers"),
            ({"block_table": [1, 2], "lengths": [1, 2]}, "axes"),
        ):
            with self.subTest(options), self.assertRaisesRegex(attest.InputError, expected):
                attest.tolerance(*self.packed, **options, **self.options)


class FakeDevice:
    type = "cuda"

    def __str__(self):
        return "cuda:0"


class OnGpu:
    """A tensor on a GPU, as far as attest sees it: the numbers are elsewhere until cpu() is called."""

    device = FakeDevice()

    def __init__(self, memory):
        self.memory = memory

    def data_ptr(self):
        raise AssertionError("the address of a GPU")

    def element_size(self):
        return 4

    def detach(self):
        return self

    def cpu(self):
        return OnCpu(self.memory)


class OnCpu(OnGpu):
    device = type("", (), {"type": "cpu"})()
    layout = type("", (), {"__str__": lambda self: "torch.strided"})()
    dtype = "torch.float32"

    def is_neg(self):
        return False

    def data_ptr(self):
        return attest.view(self.memory).address

    @property
    def shape(self):
        return self.memory.shape

    def stride(self):
        return [s // 4 for s in self.memory.strides]


class Devices(unittest.TestCase):
    def test_copied(self):
        q = shaped([1, 0, 0, 1], (2, 2))
        on_gpu = attest.judge(OnGpu(q), OnGpu(q), OnGpu(q), OnGpu(q), kernel="fp32-any")
        self.assertEqual(on_gpu.json, attest.judge(q, q, q, q, kernel="fp32-any").json)


FAKE_TORCH = '''
import ctypes, pickle

class Tensor:
    def __init__(self, dtype, shape, data):
        self.dtype, self.shape, self.data = dtype, shape, ctypes.create_string_buffer(data, len(data))
    def data_ptr(self): return ctypes.addressof(self.data)
    def element_size(self): return len(self.data) // self.numel()
    def numel(self):
        count = 1
        for n in self.shape: count *= n
        return count
    def detach(self): return self
    def cpu(self): return self
    def contiguous(self): return self
    def is_neg(self): return False

def load(path, map_location, weights_only):
    assert map_location == "cpu" and weights_only is True
    if path.endswith("bad.pt"):
        raise pickle.UnpicklingError("Weights only load failed.\\nDetails")
    open(path).close()
    return {"layer": {"q": Tensor("torch.bfloat16", (2, 1), b"\\x80\\x3f\\x00\\x40")},
            "list": [Tensor("torch.int64", (1,), bytes(8))], "step": 7}
'''


class Convert(unittest.TestCase):
    def run_convert(self, directory, source, fake=True):
        path = os.pathsep.join([str(Path(directory) / "fake"), os.environ.get("PYTHONPATH", "")])
        (Path(directory) / "fake" / "torch").mkdir(parents=True, exist_ok=True)
        text = FAKE_TORCH if fake else "raise ImportError('none')"
        (Path(directory) / "fake" / "torch" / "__init__.py").write_text(text)
        command = [sys.executable, "-m", "attest", "convert", f"{directory}/{source}", "-o", f"{directory}/run.safetensors"]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})

    def test_convert(self):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "run.pt").write_text("")
            done = self.run_convert(directory, "run.pt")
            self.assertEqual((done.returncode, done.stderr), (0, "attest: left out, not tensors: step\n"))
            self.assertIn("2 tensors: layer.q, list.0", done.stdout)
            saved = (Path(directory) / "run.safetensors").read_bytes()
            size = 8 + int.from_bytes(saved[:8], "little")
            header = json.loads(saved[8:size])
            self.assertEqual(header["layer.q"], {"dtype": "BF16", "shape": [2, 1], "data_offsets": [0, 4]})
            self.assertEqual(header["list.0"]["dtype"], "I64")
            self.assertEqual(saved[size : size + 4], b"\x80\x3f\x00\x40")

    def test_failures(self):
        with tempfile.TemporaryDirectory() as directory:
            for source, fake, expected in (
                ("bad.pt", True, "weights_only=True: Weights only load failed."),
                ("missing.pt", True, "missing.pt: No such file"),
                ("run.pt", False, "convert needs PyTorch"),
            ):
                done = self.run_convert(directory, source, fake)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(expected, done.stderr)
                self.assertEqual(sorted(p.name for p in Path(directory).iterdir()), ["fake"])

    @needs(torch, "PyTorch")
    def test_torch(self):
        with tempfile.TemporaryDirectory() as directory:
            torch.save({"q": torch.ones(2, 3, dtype=torch.bfloat16), "n": torch.arange(3)}, f"{directory}/run.pt")
            command = [sys.executable, "-m", "attest", "convert", f"{directory}/run.pt", "-o", f"{directory}/run.safetensors"]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b'"dtype": "BF16"', (Path(directory) / "run.safetensors").read_bytes())
