"""The inverse error function as CasADi computes it: a rational start, then Newton steps.

    |x| ≤ 0.7:  y = x N(x²)/D(x²),       else:  y = ±N(z)/D(z),  z = √(−ln((1 − |x|)/2))
    y ← y − (erf y − x)/(2/√π e^(−y²)),  twice

Below −0.7 CasADi takes no Newton steps; its result there is right to six digits only, and so is every target's.
Source: `casadi/core/calculus.hpp`
"""

from __future__ import annotations

__all__ = ["INNER", "OUTER", "SLOPE", "SWITCH"]

SWITCH = 0.7
SLOPE = 1.1283791670955126  # 2/√π
INNER = (
    (-0.140543331, 0.914624893, -1.645349621, 0.886226899),
    (-0.329097515, 0.012229801, 1.442710462, -2.118377725, 1.0),
)
"""Coefficients of N and D in x², highest power first."""
OUTER = ((1.641345311, 3.429567803, -1.624906493, -1.970840454), (1.637067800, 3.543889200, 1.0))
"""Coefficients of N and D in z, highest power first."""
