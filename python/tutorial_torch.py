#!/usr/bin/env python3
"""PyTorch's scaled_dot_product_attention on a CPU, examined by attest, in cells.

It needs PyTorch 2.5 or later. tutorial_torch.out is its output with PyTorch 2.6 of Debian 13, which tests compare;
comments name the results that may differ in another build.
"""

# %% Random inputs with scores of some size.
import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa

import attest

torch.manual_seed(1)
q, k, v = (2 * torch.randn(1, 4, 64, 32) for _ in range(3))


def show(title, found):
    print(f"{title}: {found.verdict}" + (f", {100 * found.wrong / found.elements:.0f} % of the elements" if found.wrong else ""))


# %% 1. There are two kernels. A flash kernel in tiles of 512 keys, from the first to the last, is taken for four axes and heads
# that are alike in number and dim; grouped heads (in 2.6), values of another dim and three axes go to "math".
# In binary32 both are within their models, and within fp32-any, which is weaker.
show("flash, float32, fp32-torch-cpu", attest.judge(sdpa(q, k, v), q, k, v, kernel="fp32-torch-cpu"))
few = (k[:, :2], v[:, :2])
grouped = sdpa(q, *few, enable_gqa=True)
show("math, float32, fp32-math", attest.judge(grouped, q, *few, kernel="fp32-math"))

# %% 2. is_causal lets the first query see the first key alone, also where there are more keys than queries: "top-left".
short = q[:, :, :40]
causal = sdpa(short, k, v, is_causal=True)
show("causal, top-left", attest.judge(causal, short, k, v, kernel="fp32-torch-cpu", causal="top-left"))
show("causal, as most other kernels have it", attest.judge(causal, short, k, v, kernel="fp32-torch-cpu", causal=True))

# %% 3. On bfloat16, math computes in binary32 and rounds once, at the end.
q, k, v = q.bfloat16(), k.bfloat16(), v.bfloat16()
few = (k[:, :2], v[:, :2])
show("math, bfloat16, bf16-math", attest.judge(sdpa(q, *few, enable_gqa=True), q, *few, kernel="bf16-math"))

# %% 4. The flash kernel does not: it rounds its weights, so it is not a kernel of bf16-math.
out = sdpa(q, k, v)
show("flash, bfloat16, bf16-math", attest.judge(out, q, k, v, kernel="bf16-math"))

# %% 5. It is not even a kernel of bf16-any, that is, of any order, tiles or matrix unit, as long as scores stay in binary32.
# They do not if the BLAS has no product of bfloat16 that adds in binary32: then PyTorch computes one
# in bfloat16 and converts it. Scores are rounded to 8 bits, and scores of size 30 are wrong by up to 1/16.
# (A build with MKL, as those from PyPI on x86, passes here.)
show("flash, bfloat16, bf16-any", attest.judge(out, q, k, v, kernel="bf16-any"))
stored = attest.kernel("bf16-torch-cpu", name="scores in bfloat16", pv={"accumulate": "binary32", "products": "rounded", "depth": None})
show("... scores in bfloat16", attest.judge(out, q, k, v, kernel=stored))

# %% 6. The product with V is rounded in the same way, tile by tile, which is visible if weights are alike. A model with both
# roundings fits; it is shipped as bf16-torch-cpu.
flat = q / 64
alike = sdpa(flat, k, v, is_causal=True)
show("flat weights, scores in bfloat16", attest.judge(alike, flat, k, v, kernel=stored, causal="top-left"))
show("... what a tile adds, too: bf16-torch-cpu", attest.judge(alike, flat, k, v, kernel="bf16-torch-cpu", causal="top-left"))
show("and with large scores", attest.judge(out, q, k, v, kernel="bf16-torch-cpu"))

# %% 7. The cost: the same inputs through both kernels, and the largest error of each.
exact = torch.tensor(attest.tolerance(q, k, v, kernel="bf16-math").exact.tolist()).double()
with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
    math = sdpa(q, k, v)
error = [float((x.double() - exact).abs().max()) for x in (out, math)]
print(f"flash errs {error[0] / error[1]:.0f} times as much as math")

# %% 8. A row that sees no key is 0 in both kernels.
mask = torch.ones(64, 64, dtype=torch.bool)
mask[3] = False
show("an empty row", attest.judge(sdpa(q, k, v, attn_mask=mask), q, k, v, kernel="bf16-torch-cpu", mask=mask, empty_row="zero"))

# %% 9. With AVX-512 its exp is one of "20 ulp", and 0 already below 2^-125.5, where numbers are not yet subnormal: the
# contribution of such weights to the output is lost, even with values of 2^120. Models allow this up to 2^-124.
one = torch.zeros(1, 1, 1, 1) + 1
keys = torch.full((1, 1, 16, 1), -87.0)
keys[..., 0, 0] = 0
values = torch.full((1, 1, 16, 1), 2.0**120)
values[..., 0, 0] = 0
lost = attest.judge(sdpa(one, keys, values, scale=1.0), one, keys, values, kernel="fp32-torch-cpu", scale=1)
if torch.backends.cpu.get_cpu_capability() == "AVX512":
    print(f"exp(-87) with AVX-512: {lost.verdict}; returned {lost.worst['output']}, exact {float(lost.exact):.4f}")
