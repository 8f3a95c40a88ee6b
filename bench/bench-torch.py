#!/usr/bin/env python3
"""Softmax attention of libattest against PyTorch, on one core: interleaved, best of many.

    bench/bench-torch.py [LIBATTEST.so]

`make bench` runs it where PyTorch is installed (Debian: python3-torch).
"""

import ctypes
import os
import sys
import time

# PyTorch's matrix products are those of its BLAS, whose threads torch.set_num_threads does not
# know: OpenBLAS would take a thread per processor. It reads these when it is loaded.
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

SIZES = ((4096, 4, 1), (4096, 4, 4), (2048, 8, 4), (1024, 16, 8), (256, 64, 16), (16, 256, 64), (1, 2048, 64))
SECONDS = 1.5


def best_times(contestants):
    best = [float("inf")] * len(contestants)
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        for i, run in enumerate(contestants):
            start = time.perf_counter()
            run()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def race(function, torch, batch, n, d):
    generator = torch.Generator().manual_seed(1)
    q, k, v = (torch.rand(batch, n, d, dtype=torch.float64, generator=generator) * 2 - 1 for _ in range(3))
    out = torch.empty_like(q)

    def attest():
        function(out.data_ptr(), q.data_ptr(), k.data_ptr(), v.data_ptr(), batch, n, d, None)

    def peer():
        return torch.bmm(torch.softmax(torch.bmm(q, k.transpose(1, 2)), -1), v)

    ours, theirs = best_times((attest, peer))
    difference = (peer() - out).abs().max().item()
    pairs = batch * n * n
    print(f"{batch:5} {n:5} {d:3}  {ours / pairs * 1e9:7.2f} {theirs / pairs * 1e9:8.2f} {theirs / ours:6.1f}x  {difference:.1e}")


def blas():
    """Whose matrix products PyTorch calls, and on how many threads, as far as one can ask."""
    if not any("libopenblas" in line for line in open("/proc/self/maps")):
        return "not OpenBLAS"
    try:
        library = ctypes.CDLL("libopenblas.so.0")
    except OSError:
        return "an OpenBLAS of its own"
    library.openblas_get_corename.restype = ctypes.c_char_p
    return f"OpenBLAS, core {library.openblas_get_corename().decode()}, {library.openblas_get_num_threads()} thread(s)"


def main():
    try:
        import torch
    except ImportError:
        print("bench-torch: no PyTorch here")
        return
    torch.set_num_threads(1)
    library = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else ".libs/libattest.so")
    library.attest_kernel_name.restype = ctypes.c_char_p
    function = library.attest_kernel_softmax_attention
    function.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_size_t] * 3 + [ctypes.c_void_p]
    print(f"kernel {library.attest_kernel_name().decode()}, PyTorch {torch.__version__} on {blas()}; ns per (query, key)")
    print("batch     n   d   attest  PyTorch   ratio  largest difference")
    with torch.no_grad():
        for size in SIZES:
            race(function, torch, *size)


main()
