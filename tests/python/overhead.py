"""What a call costs: microseconds on 4 x 4, and the memory of judge at 32 x 4096 x 128 where --large is given.

    PYTHONPATH=python ATTEST_LIBRARY=build/.libs/libattest.so python3 tests/python/overhead.py [--large]
"""

import resource
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


def large():
    import numpy

    rng = numpy.random.default_rng(1)
    shape = (1, 32, 4096, 128)
    # keys of which one counts alone: exact values are cheap then, and memory is the same
    q, k, v = (rng.standard_normal(shape, dtype=numpy.float32) for _ in range(3))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.monotonic()
    found = attest.judge(v, q, k, v, kernel="fp32-any", window=(0, 0))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{shape}: {found.verdict}, {time.monotonic() - start:.0f} s, {(after - before) / 1024:.0f} MiB beyond the {before / 1024:.0f} before")


small()
if "--large" in sys.argv:
    large()
