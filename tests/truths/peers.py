"""Reference solutions of ordinary differential equations that were written down by hand."""

import numpy as np
from scipy.integrate import solve_ivp

__all__ = ["reference"]


def reference(rates, x0, times, stiff=False):
    """States (N, n) of ẋ = rates(t, x) at the instants `times`, by SciPy.

    Parameters
    ----------
    rates : right-hand side.
    x0 : (n,) start at t = 0.
    times : (N,) instants [s].
    stiff : Radau IIA instead of Dormand and Prince's method of order 8.
    """
    method, rtol = ("Radau", 1e-11) if stiff else ("DOP853", 1e-12)
    run = solve_ivp(rates, (0, times[-1]), x0, method, times, rtol=rtol, atol=1e-13)
    assert run.success, run.message
    return np.array(run.y.T)
