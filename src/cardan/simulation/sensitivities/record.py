"""The record of a run's derivatives: by result and by parameter, with units."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.errors import ModelError, few, nearest
from cardan.frozen import dataclass, field
from cardan.results.status import Status

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sensitivities:
    """Results y of a run over time, and their derivatives ∂y/∂θ by parameters and initial values θ, in SI units.

    ``found["swing", "k"]`` is one derivative (N,), ``found["swing"]`` those by all parameters (N, k), as optimisers and
    least squares take them; `value` gives the result itself. A position `swing` is also called `swing.q`.
    """

    t: Array  # (N,) [s]
    parameters: tuple[str, ...]  # θ
    results: tuple[str, ...]  # y: states, then outputs
    values: Array  # (N, r)
    derivatives: Array  # (N, r, k)
    units: tuple[str, ...]  # of the results; empty where unknown
    parameter_units: tuple[str, ...]  # likewise
    sizes: Array  # (k,) sizes of the parameters, 1 in place of 0
    status: Status = Status.COMPLETED  # how the run ended
    message: str = ""  # in a sentence
    statistics: Mapping[str, Any] = field(default_factory=dict)  # method, steps, evaluations, …

    @property
    def ok(self) -> bool:
        """Whether the run reached its end, or an event that stops it."""
        return self.status.ok

    def value(self, name: str) -> Array:
        """A result over time (N,).

        Parameters
        ----------
        name : str
            Of a state or output, `swing` or `swing.q`.
        """
        return self.values[:, self._place(name)]

    def __getitem__(self, key: str | tuple[str, str]) -> Array:
        """Derivatives of a result over time: by one parameter (N,), or by all (N, k)."""
        if isinstance(key, str):
            return self.derivatives[:, self._place(key)]
        result, parameter = key
        return self.derivatives[:, self._place(result), self._parameter(parameter)]

    def unit(self, result: str, parameter: str) -> str:
        """Unit of a derivative: `m/(N/m)`; empty where that of the result or of the parameter is unknown.

        Parameters
        ----------
        result, parameter : str
            Their names.
        """
        y, theta = self.units[self._place(result)], self.parameter_units[self._parameter(parameter)]
        below = f"({theta})" if {*theta} & {*"*/^"} else theta
        return f"{y}/{below}" if y and theta else ""

    def columns(self, results: Sequence[str] | None = None) -> dict[str, Array]:
        """The instants, and each derivative (N,) by its name with its unit: `swing by L [rad/m]`.

        Parameters
        ----------
        results : sequence of str, optional
            Names of states and outputs; by default all.
        """
        shown = results or self.results
        pairs = ((result, parameter) for result in shown for parameter in self.parameters)
        return {"t [s]": self.t, **{f"{y} by {p} [{self.unit(y, p)}]": self[y, p] for y, p in pairs}}

    def table(self, results: Sequence[str] | None = None) -> str:
        """Each derivative in a line: at the end, where it is largest, and that times θ, the change of y by 100 %.

        Parameters
        ----------
        results : sequence of str, optional
            Names of states and outputs; by default all.
        """
        shown = results or self.results
        width, wide = (max(map(len, names)) for names in ((*shown, "result"), (*self.parameters, "parameter")))
        head = f"{'result':{width}}  {'parameter':{wide}} {'at the end':>12} {'largest':>12} {'at t [s]':>9}"
        lines = [f"{head} {'per 100 %':>11}  unit"]
        for result in shown:
            for parameter, size in zip(self.parameters, self.sizes, strict=True):
                values = self[result, parameter]
                k = int(np.argmax(np.abs(values)))
                figures = f"{values[-1]:12.5g} {values[k]:12.5g} {self.t[k]:9.4g} {values[k] * size:11.4g}"
                lines.append(f"{result:{width}}  {parameter:{wide}} {figures}  {self.unit(result, parameter)}".rstrip())
        return "\n".join(lines)

    def _place(self, name: str) -> int:
        """Index of a result."""
        for full in (name, f"{name}.q", f"{name}.v"):
            if full in self.results:
                return self.results.index(full)
        raise ModelError(f"there is no result {name!r}", nearest(name, self.results))

    def _parameter(self, name: str) -> int:
        """Index of a parameter."""
        if name not in self.parameters:
            raise ModelError(f"the run is not differentiated by {name!r}", nearest(name, self.parameters))
        return self.parameters.index(name)

    def __repr__(self) -> str:
        """What is known by what, in a line."""
        return f"Sensitivities: {self.message}; {few(self.results)} by {few(self.parameters)}"
