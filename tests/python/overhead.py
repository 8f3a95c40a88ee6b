"""What a call costs: microseconds on 4 x 4, or the memory of judge at HEADS x 4096 x 128, with all keys.

    PYTHONPATH=python ATTEST_LIBRARY=build/.libs/libattest.so python3 tests/python/overhead.py [HEADS [KEYS [1]]]

With the 1, an element of the output is wrong.
"""

import sys
import time

import attest

from common import gauss, generator


def median(call, count=3000):
    times = []
    for _ in range(count):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return sorted(times)[count // 2] / 1000


def small():
    rng = generator()
    q, k, v = (gauss(rng, (4, 4)) for _ in range(3))
    kernel = attest.kernel("fp32-any")
    out = attest.tolerance(q, k, v, kernel=kernel).exact
    print(f"judge {median(lambda: attest.judge(out, q, k, v, kernel=kernel)):.1f} us")
    print(f"assert_attention {median(lambda: attest.assert_attention(out, q, k, v, kernel=kernel)):.1f} us")
    print(f"tolerance {median(lambda: attest.tolerance(q, k, v, kernel=kernel)):.1f} us")


def memory(name):
    """A line of /proc/self/status, in MiB."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024


def attend(q, k, v):
    """Attention of one head, in float32."""
    weights = q @ k.T * numpy.float32(q.shape[1] ** -0.5)
    weights = numpy.exp(weights - weights.max(axis=1, keepdims=True))
    return weights @ v / weights.sum(axis=1, keepdims=True)


def large(heads, keys=4096, wrong=False):
    rng = numpy.random.default_rng(1)
    q, k, v = (rng.standard_normal((heads, rows, 128), dtype=numpy.float32) for rows in (4096, keys, keys))
    out = numpy.stack([attend(*head) for head in zip(q, k, v)])
    if wrong:
        out[0, 7, 3] += 1
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak begins anew
    before, start = memory("VmRSS"), time.monotonic()
    found = attest.judge(out, q, k, v, kernel="fp32-any")
    seconds = time.monotonic() - start
    print(
        f"{heads} heads, 4096 queries, {keys} keys, dim 128: {found.verdict}, {seconds:.0f} s, "
        f"{memory('VmHWM') - before:.0f} MiB at most beyond the {before:.0f} before"
    )


if len(sys.argv) > 1:
    import numpy

    large(int(sys.argv[1]), *map(int, sys.argv[2:]))
else:
    small()
