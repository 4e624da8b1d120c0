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

    def __call__(self, *arguments: np.ndarray) -> list[np.ndarray]:
        """The results, two-dimensional as CasADi's are.

        Parameters
        ----------
        *arguments : ndarray
            One for each input, columns one after the other.
        """
        try:
            bench = self._idle.pop()
        except IndexError:  # none yet, or other threads have them all
            bench = _Bench(self.function)
        for own, given in zip(bench.inputs, arguments, strict=True):
            own.reshape(given.shape)[...] = given
        bench.evaluate()
        results = [own.copy(order="F") for own in bench.results]
        self._idle.append(bench)
        return results

    @cached_property
    def _idle(self) -> list[_Bench]:
        return []

    def __reduce__(self) -> tuple[type, tuple[ca.Function]]:
        """The function travels; its benches hold addresses."""
        return Numbers, (self.function,)


class _Bench:
    """Arrays that `evaluate` reads and writes; to tell CasADi of them takes ten times as long as a small function."""

    def __init__(self, function: ca.Function) -> None:
        self.inputs = [np.empty(function.numel_in(i)) for i in range(function.n_in())]
        self.results = [np.empty(function.size_out(i), order="F") for i in range(function.n_out())]
        self._buffer, self.evaluate = function.buffer()  # the one has to live as long as the other
        for i, x in enumerate(self.inputs):
            self._buffer.set_arg(i, x.data)
        for i, y in enumerate(self.results):
            self._buffer.set_res(i, y.reshape(-1, order="F").data)
