"""PyTorch's scaled_dot_product_attention on the CPU, judged over 200 random shapes in each of three formats.

Which model its kernels keep to, and why, is told in python/tutorial.py.
"""

import tempfile
import unittest

import attest

from common import generator, needs, optional

torch = optional("torch")
SHAPES = 200


def sdpa(q, k, v, mask, causal, scale):
    """The function of PyTorch 2, or what 1.13 has in its place: without scale and grouped heads."""
    functional = torch.nn.functional
    if hasattr(functional, "scaled_dot_product_attention"):
        grouped = {"enable_gqa": True} if q.shape[1] != k.shape[1] else {}
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal, scale=scale, **grouped)
    return functional._scaled_dot_product_attention(q, k, v, mask, 0.0, False, causal)[0]


def old_bfloat16():
    """PyTorch 1.13 rounds everything to bfloat16: q and k when they are scaled, scores, exponentials and then weights. Two such
    roundings are within one to 7 bits."""
    bits = "p=7:emin=-126:emax=127"
    return attest.kernel(
        "bf16-eager",
        name="torch-1.13",
        scale={"where": "query", "format": bits, "store": None},
        score={"order": "any", "store": "bfloat16"},
        p={"format": bits},
        sum={"of": "any"},
        pv={"order": "any"},
    )


class Kernels:
    """Which model is right for a call."""

    def __init__(self):
        self.new = hasattr(torch.nn.functional, "scaled_dot_product_attention")
        self.old = None if self.new else old_bfloat16()

    def choose(self, q, k, v):
        single = q.dtype == torch.float32
        bits = "fp16" if q.dtype == torch.float16 else "bf16"
        if not self.new:
            return "fp32-math" if single else self.old
        if q.shape[1] != k.shape[1] or q.shape[3] != v.shape[3]:
            return "fp32-math" if single else bits + "-math"
        return "fp32-torch-cpu" if single else bits + "-torch-cpu"


def draw(rng, type, new, i):
    """Arguments of sdpa: shapes, masks, scales, grouped heads."""
    batch, heads = rng.randint(1, 2), rng.choice([1, 2, 4])
    shared = rng.choice([h for h in (1, 2, 4) if heads % h == 0]) if new else heads
    rows, keys = (rng.randint(1, 6), rng.randint(500, 1100)) if i % 20 == 0 else (rng.randint(1, 20), rng.randint(1, 70))
    dim = rng.choice([1, 3, 8, 16, 32, 64])
    columns = dim if rng.random() < 0.8 else dim + 3
    tensor = lambda *shape: torch.tensor([rng.gauss(0, 1) for _ in range(shape[0] * shape[1] * shape[2] * shape[3])]).view(shape)
    q = (rng.choice([0.3, 1, 3]) * tensor(batch, heads, rows, dim)).to(type)
    k, v = tensor(batch, shared, keys, dim).to(type), tensor(batch, shared, keys, columns).to(type)
    kind = rng.choice(["none", "causal", "bool", "float"])
    mask = None
    if kind == "bool":
        mask = torch.tensor([rng.random() < 0.7 for _ in range(rows * keys)]).view(rows, keys)
    elif kind == "float" and (new or type == torch.float32):
        mask = tensor(batch, 1, rows, keys).to(type)  # 1.13 rounds scores and mask to bfloat16 once more: no model says that
    return q, k, v, mask, kind == "causal", rng.choice([None, 0.125, 0.3]) if new else None


@needs(torch, "PyTorch")
class ScaledDotProductAttention(unittest.TestCase):
    def judge(self, type):
        rng, kernels = generator(), Kernels()
        largest = {}
        for i in range(SHAPES):
            q, k, v, mask, causal, scale = draw(rng, type, kernels.new, i)
            out = sdpa(q, k, v, mask, causal, scale)
            kernel = attest.kernel(kernels.choose(q, k, v))
            found = attest.assert_attention(
                out, q, k, v, kernel=kernel, mask=mask, scale=scale, causal="top-left" if causal else False,
                empty_row="zero" if kernels.new else "nan", save=False,
            )  # fmt: skip
            ratio = max(float(head["max_ratio"]) for head in found.heads)
            largest[kernel.name] = max(largest.get(kernel.name, 0), ratio)
        print(f"# PyTorch {torch.__version__}, largest error/bound: {largest}", flush=True)

    def test_float32(self):
        self.judge(torch.float32 if torch else None)

    def test_bfloat16(self):
        self.judge(torch.bfloat16 if torch else None)

    def test_float16(self):
        if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
            self.skipTest("PyTorch 1.13 computes products of 16-bit floats in another way")
        self.judge(torch.float16 if torch else None)

    def test_wrong_model(self):
        """A wrong model, and wrong options: the failure names the element and the reason"""
        torch.manual_seed(1)
        q, k, v = (torch.randn(1, 2, 24, 32).bfloat16() for _ in range(3))
        out = sdpa(q, k, v, None, False, None)
        with tempfile.TemporaryDirectory() as directory:
            with self.assertRaisesRegex(attest.AttentionError, "(?s)outside what any kernel of bf16-math can return.*worst element: head .*, row .*exact.*(may|must) be.*attest judge"):
                attest.assert_attention(out, q, k, v, kernel="bf16-math", save=directory)  # P is rounded, which that model denies
        out = sdpa(q, k, v, None, True, None)
        found = attest.judge(out, q, k, v, kernel=Kernels().choose(q, k, v))
        self.assertEqual((found.verdict, found.wrong_rows[0]["rows"][0]), ("wrong", 0))
        self.assertEqual(attest.judge(torch.zeros_like(out), q, k, v, kernel="bf16-any").returned_by_faults, ["zeros"])


flash = getattr(getattr(getattr(torch, "ops", None), "aten", None), "_scaled_dot_product_flash_attention_for_cpu", None)


@needs(flash, "a PyTorch whose flash attention on a CPU returns its log-sum-exp")
class FlashLogSumExp(unittest.TestCase):
    """The output and the log-sum-exp of the flash kernel, on which PyTorch's backward rests."""

    def judge(self, type):
        rng, rows, largest = generator(), 0, 0.0
        kernel = "fp32-torch-cpu" if type == torch.float32 else "bf16-torch-cpu"
        for i in range(SHAPES):
            q, k, v, mask, causal, scale = draw(rng, type, True, i)
            k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v[..., : q.shape[3]]))
            if mask is not None and mask.dtype == torch.bool:  # the kernel takes numbers
                mask = torch.zeros(mask.shape, dtype=type).masked_fill(~mask, -float("inf"))
            if mask is not None:
                mask = mask.expand(q.shape[0], q.shape[1], q.shape[2], k.shape[2])
            if v.shape[3] != q.shape[3] or (causal and q.shape[2] > k.shape[2]):
                continue
            out, lse = flash(q, k, v, 0.0, causal, attn_mask=mask, scale=scale)
            found = attest.assert_attention(
                out, q, k, v, kernel=kernel, mask=mask, scale=scale, causal="top-left" if causal else False,
                lse=lse, save=False,
            )  # fmt: skip
            rows += found.lse["rows"]
            largest = max(largest, float(found.lse["worst"]["ratio"]))
        print(f"# PyTorch {torch.__version__}, {rows} log-sum-exps of {kernel}, largest error/bound {largest}", flush=True)

    def test_float32(self):
        self.judge(torch.float32 if torch else None)

    def test_bfloat16(self):
        self.judge(torch.bfloat16 if torch else None)

    def test_other_base(self):
        torch.manual_seed(2)
        q, k, v = (torch.randn(1, 2, 24, 32) for _ in range(3))
        out, lse = flash(q, k, v, 0.0, False)
        found = attest.judge(out, q, k, v, kernel="fp32-torch-cpu", lse=lse * 1.4426950408889634)
        self.assertEqual((found.verdict, found.lse["verdict"]), ("within", "wrong"))
        self.assertEqual([a["name"] for a in found.lse["alternatives"]], ["lse-other-base"])


def eager(q, k, v, mask, scale, cap):
    """Attention as the models of Transformers write it: every result but the softmax's in the type of the inputs."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = torch.matmul(q, k.transpose(2, 3))
    if scale != 1:
        scores = scores * scale
    if cap:
        scores = torch.tanh(scores / cap) * cap
    if mask is not None:
        scores = scores + mask
    return torch.matmul(torch.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype), v)


@needs(torch, "PyTorch")
class Eager(unittest.TestCase):
    def test_bias_and_softcap(self):
        """Additive biases, position biases without a scale (T5), softcaps of 50 (Gemma 2), grouped heads"""
        self.judge(torch.bfloat16 if torch else None, "bf16-eager")

    def test_binary16(self):
        self.judge(torch.float16 if torch else None, "fp16-eager")

    def judge(self, type, kernel):
        if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
            self.skipTest("PyTorch 1.13 computes products of 16-bit floats in another way")
        # Each case needs the stores: biases above most scores, scores above the cap.
        cases = {"bias": (1, 0.125, None, 3), "T5": (0.3, 1, None, 10), "Gemma 2": (30, None, 50, 0), "both": (1, 0.0625, 50, 10)}
        unstored = attest.kernel(kernel, mask={"store": None}, softcap={"store": None})
        wrong = dict.fromkeys(cases, 0)
        rng = generator()
        normal = lambda *shape: torch.tensor([rng.gauss(0, 1) for _ in range(shape[0] * shape[1] * shape[2])]).view(1, *shape)
        for i in range(30):
            heads, rows, keys, dim = rng.choice([2, 4]), rng.randint(1, 20), rng.randint(1, 150), rng.choice([8, 32, 64])
            queries = rng.choice([0.3, 1, 3]) * normal(heads, rows, dim)
            k, v = (normal(heads // (1 + i % 2), keys, dim).to(type) for _ in range(2))
            for name, (factor, scale, cap, size) in cases.items():
                q, scale = (factor * queries).to(type), scale or dim**-0.5
                mask = (size * normal(heads, rows, keys)).to(type) if size else None
                out = eager(q, k, v, mask, scale, cap)
                attest.assert_attention(out, q, k, v, kernel=kernel, mask=mask, scale=scale, softcap=cap, save=False)
                wrong[name] += attest.judge(out, q, k, v, kernel=unstored, mask=mask, scale=scale, softcap=cap).wrong
        self.assertTrue(all(wrong.values()), f"elements that are wrong without the stores of {kernel}: {wrong}")
