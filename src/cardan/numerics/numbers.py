"""CasADi functions called with NumPy arrays, without CasADi's matrices: converting takes longer than most functions."""

from __future__ import annotations

import casadi as ca
import numpy as np

from cardan.frozen import dataclass, field


@dataclass(frozen=True)
class Numbers:
    """A function that CasADi evaluates, called with numpy arrays."""

    function: ca.Function  # all its inputs and outputs are dense
    _idle: list[_Buffers] = field(default_factory=list, init=False, repr=False, compare=False)

    def __call__(self, *arguments: np.ndarray) -> list[np.ndarray]:
        """The results, two-dimensional as CasADi's are."""
        try:
            buffers = self._idle.pop()
        except IndexError:  # the first call, or other threads use them all
            buffers = _Buffers(self.function)
        for own, given in zip(buffers.inputs, arguments, strict=True):
            own.reshape(given.shape)[...] = given
        buffers.evaluate()
        results = [own.copy(order="F") for own in buffers.results]
        self._idle.append(buffers)
        return results

    def __reduce__(self) -> tuple[type, tuple[ca.Function]]:
        """Only the function is pickled; its buffers hold addresses."""
        return Numbers, (self.function,)


class _Buffers:
    """Arrays that `evaluate` reads and writes; registering them in CasADi costs ten evaluations of a small function."""

    def __init__(self, function: ca.Function) -> None:
        self.inputs = [np.empty(function.numel_in(i)) for i in range(function.n_in())]
        self.results = [np.empty(function.size_out(i), order="F") for i in range(function.n_out())]
        self._buffer, self.evaluate = function.buffer()  # the buffer must live as long as `evaluate`
        for i, x in enumerate(self.inputs):
            self._buffer.set_arg(i, x.data)
        for i, y in enumerate(self.results):
            self._buffer.set_res(i, y.reshape(-1, order="F").data)
