#!/usr/bin/env python3
"""A tour of attest for Python, in cells: run it as a script, or cell by cell in an editor that supports `# %%`.

It needs only attest. Its output is in tutorial.out, and tests compare it.
tutorial_torch.py continues with PyTorch's own kernels.
"""

# %% A kernel to be tested: attention in binary32, key by key, as online softmax does it.
import array
import math
import random
import struct

import attest


def f32(x: float) -> float:
    return struct.unpack("f", struct.pack("f", x))[0]


def attention(q, k, v, keys=None):
    """Rows of q on the first keys (default: all); every operation is rounded to binary32."""
    out = []
    scale = f32(len(q[0]) ** -0.5)
    for row in q:
        top, total, acc = -math.inf, 0.0, [0.0] * len(v[0])
        for key, value in list(zip(k, v))[:keys]:
            score = 0.0
            for a, b in zip(row, key):
                score = f32(score + f32(a * b))
            score = f32(score * scale)
            new = max(top, score)
            old, p = f32(math.exp(top - new)), f32(math.exp(f32(score - new)))
            total = f32(f32(total * old) + p)
            acc = [f32(f32(x * old) + f32(p * y)) for x, y in zip(acc, value)]
            top = new
        out.append([f32(x / total) for x in acc])
    return out


rng = random.Random(1)
q, k, v = ([[f32(rng.gauss(0, 1)) for _ in range(8)] for _ in range(n)] for n in (4, 48, 48))
out = attention(q, k, v)

# %% Is the output right? One line, without a guessed tolerance.
print(attest.assert_attention(out, q, k, v, kernel="fp32-any").verdict)

# %% The proved bounds: an interval for every element, around the exact value.
bounds = attest.tolerance(q, k, v, kernel="fp32-any")
print(f"element (0, 0): returned {out[0][0]:.8f}, exact {bounds.exact[0, 0]:.10f}, within {bounds.bound[0, 0]:.2g}")

# %% A more specific model has narrower bounds. This kernel goes from key to key.
narrow = attest.tolerance(q, k, v, kernel="fp32-llama-cpu")
print(f"any kernel in binary32: {bounds.bound[0, 0]:.2g}; key by key: {narrow.bound[0, 0]:.2g}")
print(attest.judge(out, q, k, v, kernel="fp32-llama-cpu").verdict)

# %% A fault: the last tile of 16 keys is dropped. The failure names the element, the exact value, what is
# allowed, which rows are wrong, and a command that judges it again (left out here: it has a path).
mine = attest.kernel("fp32-any", name="my-kernel", max={"tile": 16})
try:
    attest.assert_attention(attention(q, k, v, keys=32), q, k, v, kernel=mine, save=False)
except AssertionError as failure:
    print(failure)

# %% Would a usual tolerance have seen it? On small values it would not, and a proved one does.
small = [[x / 256 for x in row] for row in v]
dropped = attention(q, k, small, keys=32)
error = max(abs(a - b) for x, y in zip(dropped, attention(q, k, small)) for a, b in zip(x, y))
print(f"largest error {error:.2g}: allclose(atol=1e-2) passes, attest says {attest.judge(dropped, q, k, small, kernel=mine).verdict}")
given = attest.tolerance(q, k, small, kernel=mine, given=(1e-2, 0)).given
print("atol=1e-2 accepts:", ", ".join(given["accepts"]))

# %% 16-bit and 8-bit numbers come with the name of their format where Python has no type for them.
bits = array.array("H", [struct.unpack("I", struct.pack("f", x))[0] >> 16 for row in q for x in row])
brain = attest.view(memoryview(bits).cast("B").cast("H", [4, 8]), "bfloat16")
print(brain, attest.tolerance(brain, brain, brain, kernel="bf16-flash2"))

# %% A concrete kernel can be run bit by bit.
concrete = attest.simulate(brain, brain, brain, kernel="hopper-bf16-64")
print(attest.judge(concrete.out, brain, brain, brain, kernel="hopper-bf16-64").verdict, concrete.format)

# %% Claims about a layer on data, decided exactly: does attention tell every context apart?
data = [[["1/3", 0], [0, 1]], [["0.334", 0], [0, 1]], [["1/3", 0], [0, 2]], [[1, 1], [0, 2]]]
built = attest.construct(data, strategy="tuned")
claim = attest.certify(data, built["weights"])
separation = attest.Ball.from_record(claim["min_separation"])
print(claim["verdict"], f"{float(separation):.6f}", separation.lower > 0)

# %% At which precision is this ability lost?
audit = attest.audit(data, weights=built["weights"], formats=["binary32", "bfloat16", "float8_e4m3fn"], sweep="2..256")
print({f["name"]: f["collisions"] for f in audit["formats"]}, audit["collapse_bits"])
