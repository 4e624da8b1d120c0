"""What hand-written equations are compared with: SciPy's solutions of them, and exact identities of SymPy matrices."""

import numpy as np
import sympy
from scipy.integrate import solve_ivp

__all__ = ["reference", "vanishes"]


def reference(rates, x0, times):
    """States (N, n) of ẋ = rates(t, x) at the instants `times`, good to 3e-11; LSODA, since circuits are stiff."""
    run = solve_ivp(rates, (0, times[-1]), x0, "LSODA", times, rtol=1e-13, atol=1e-15)
    assert run.success, run.message
    return np.array(run.y.T)


def vanishes(matrix):
    """Whether a SymPy matrix of rational functions of sines and cosines is identically zero.

    Exact: numerators are reduced modulo sin² + cos² − 1, which is prime over the rest of the symbols.
    """
    return all(_is_zero(entry) for entry in matrix)


def _is_zero(entry):
    entry = sympy.expand_trig(entry)
    angles = sorted({f.args[0] for f in entry.atoms(sympy.sin, sympy.cos)}, key=str)
    pairs = [sympy.symbols(f"sin_{k} cos_{k}") for k in range(len(angles))]
    for angle, (s, c) in zip(angles, pairs, strict=True):
        entry = entry.subs({sympy.sin(angle): s, sympy.cos(angle): c})
    numerator = sympy.expand(sympy.fraction(sympy.together(entry))[0])
    if numerator == 0 or not pairs:
        return numerator == 0
    unknowns = [symbol for pair in pairs for symbol in pair]
    return sympy.reduced(numerator, [s**2 + c**2 - 1 for s, c in pairs], *unknowns)[1].expand() == 0
