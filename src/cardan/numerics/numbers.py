"""CasADi functions of numpy arrays, without the detour through CasADi's matrices: it takes longer than most of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

__all__ = ["Numbers"]


@dataclass(frozen=True)
class Numbers:
    """A function that CasADi evaluates, called with numpy arrays.

    Parameters
    ----------
    function : casadi.Function
        All its inputs and outputs are dense.
    """

    function: ca.Function

    @cached_property
    def _shapes(self) -> tuple[tuple[int, int], ...]:
        return tuple(self.function.size_out(i) for i in range(self.function.n_out()))

    def __call__(self, *arguments: np.ndarray) -> list[np.ndarray]:
        """The results, two-dimensional as CasADi's are.

        Parameters
        ----------
        *arguments : ndarray
            One for each input, columns one after the other.
        """
        function = self.function
        results = [np.empty(shape, order="F") for shape in self._shapes]
        inputs = [np.ascontiguousarray(x, dtype=float).ravel() for x in arguments]
        buffer, evaluate = function.buffer()
        for i, x in enumerate(inputs):
            buffer.set_arg(i, x.data)
        for i, y in enumerate(results):
            buffer.set_res(i, y.reshape(-1, order="F").data)
        evaluate()
        return results
