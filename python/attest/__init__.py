"""attest: proved tolerances for attention, and claims about it that are decided exactly.

    import attest

    attest.assert_attention(out, q, k, v, kernel="bf16-flash2", causal=True)

An output is judged by what every kernel of a model may return on these inputs, element by
element: what lies outside is proved wrong. The work is done by libattest and the program attest, which
are to be installed.
"""

from ._arrays import Array, view
from ._assert import AttentionError, assert_attention
from ._ball import Ball
from ._judge import Judgement, Simulation, Tolerance, judge, simulate, tolerance
from ._kernel import Kernel, kernel, kernels
from ._library import Error, InputError, __version__, version
from ._records import audit, certify, construct

__all__ = [
    "Array",
    "AttentionError",
    "Ball",
    "Error",
    "InputError",
    "Judgement",
    "Kernel",
    "Simulation",
    "Tolerance",
    "__version__",
    "assert_attention",
    "audit",
    "certify",
    "construct",
    "judge",
    "kernel",
    "kernels",
    "simulate",
    "tolerance",
    "version",
    "view",
]

for _public in (Array, AttentionError, Ball, Error, InputError, Judgement, Kernel, Simulation, Tolerance):
    _public.__module__ = __name__
