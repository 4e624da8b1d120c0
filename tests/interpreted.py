"""Functions of one state as CasADi itself evaluates them: for laws that do not depend on machine code, which takes long
to make of the large functions of random mechanisms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import casadi as ca
import numpy as np

__all__ = ["interpreted"]


def interpreted(function: ca.Function, shapes: Mapping[str, tuple[int, ...]] | None = None) -> Callable:
    """What `compile_function` returns, without machine code and for one state; outputs are columns."""
    assert all(function.size2_out(k) == 1 for k in range(function.n_out()))

    def call(*arrays: np.ndarray) -> np.ndarray | tuple[np.ndarray, ...]:
        given = [ca.DM(np.reshape(array, function.size_in(k))) for k, array in enumerate(arrays)]
        found = tuple(np.array(x, dtype=float).ravel() for x in function.call(given))
        return found if len(found) > 1 else found[0]

    return call
