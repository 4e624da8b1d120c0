"""The record of a linear system: its matrices with their names, its modes and its frequency response."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.errors import few
from cardan.frozen import dataclass, replace
from cardan.numerics.round_off import ROUND_OFF
from cardan.simulation.linear.control_systems import control_package, label

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Mode:
    """A motion e^(λ t) of a linear system."""

    eigenvalue: complex  # λ [1/s]
    shape: Mapping[str, complex]  # share of each state, the largest is 1

    @property
    def frequency(self) -> float:
        """Undamped natural frequency abs(λ) [rad/s]."""
        return abs(self.eigenvalue)

    @property
    def damping(self) -> float:
        """Damping ratio −Re λ / abs(λ) [-]: 1 for a decay, 0 for λ = 0."""
        return -self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue else 0.0


@dataclass(frozen=True)
class Linearization:
    """δẋ = A δx + B δu, δy = C δx + D δu, around a state of a mechanism at t = 0.

    In closed loops the states are independent coordinates and velocities, and the others follow from them. δu is added
    to what the inputs of the model are, feedback included.
    """

    A: Array  # (n, n)
    B: Array  # (n, m)
    C: Array  # (p, n)
    D: Array  # (p, m)
    states: tuple[str, ...]  # names of x: `swing.q`, `swing.v`, `drive.current`
    inputs: tuple[str, ...]  # names of u
    outputs: tuple[str, ...]  # names or expressions of y
    x: Mapping[str, float]  # the state around which it is linear, all coordinates and velocities [SI]
    u: Mapping[str, float]  # the inputs there [SI]
    y: Mapping[str, float]  # the outputs there [SI]
    rates: Mapping[str, float]  # rates of `states` there [SI per s]: all zero in an equilibrium
    state_units: tuple[str, ...]  # units of `states`, empty where unknown
    input_units: tuple[str, ...]  # units of `inputs`
    output_units: tuple[str, ...]  # units of `outputs`

    @property
    def modes(self) -> tuple[Mode, ...]:
        """Eigenvalues with their shapes, slowest first; of a complex pair the one with Im λ > 0 comes first."""
        values, shapes = np.linalg.eig(self.A) if self.A.size else (np.zeros(0), np.zeros((0, 0)))
        order = np.lexsort((-values.imag, values.real, np.round(np.abs(values), 9)))  # both of a pair have one length
        return tuple(
            Mode(
                complex(value), dict(zip(self.states, (shape / shape[np.argmax(np.abs(shape))]).tolist(), strict=True))
            )
            for value, shape in zip(values[order], shapes.T[order], strict=True)
        )

    @property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """Eigenvalues of A [1/s], in the order of `modes` (n,)."""
        return np.array([mode.eigenvalue for mode in self.modes], dtype=complex)

    @property
    def is_stable(self) -> bool:
        """Whether all motions decay: no eigenvalue has a real part of zero, up to round-off, or above."""
        size = float(np.linalg.norm(self.A, 2)) if self.A.size else 0.0
        return bool(np.all(self.eigenvalues.real < -ROUND_OFF * size))

    def response(self, frequencies: Array | float) -> NDArray[np.complex128]:
        """Frequency response C (jω − A)⁻¹ B + D, from each input to each output.

        Parameters
        ----------
        frequencies : array_like (…)
            ω [rad/s].

        Returns
        -------
        ndarray (…, p, m)
            Amplitude and phase of each output over each input; infinite or NaN at an eigenvalue.
        """
        w = np.asarray(frequencies, dtype=float)
        system = 1j * w[..., None, None] * np.eye(len(self.A)) - self.A
        found = np.linalg.solve(system, np.broadcast_to(self.B, (*w.shape, *self.B.shape)))
        return np.asarray(self.C @ found + self.D, dtype=np.complex128)

    def to_control(self, *, units: bool = False) -> Any:
        """The same system as `control.StateSpace`, with its names; without outputs the states are its outputs.

        Parameters
        ----------
        units : bool
            Whether labels have units, as plots show them: `travel [m]`.

        Returns
        -------
        control.StateSpace
            The same matrices. Colons stand for the dots of names of inputs and outputs, which python-control refuses:
            `payload:com:x`.

        Raises
        ------
        ImportError
            The package control is not installed.
        """
        seen = self if self.outputs else replace(
            self, C=np.eye(len(self.A)), D=np.zeros(self.B.shape), outputs=self.states, output_units=self.state_units
        )  # fmt: skip
        groups = ((self.inputs, self.input_units), (seen.outputs, seen.output_units))
        labels = [
            [label(*pair) for pair in zip(names, of if units else [""] * len(names), strict=True)]
            for names, of in groups
        ]
        names = {"states": list(self.states), "inputs": labels[0], "outputs": labels[1]}
        return control_package().ss(self.A, self.B, seen.C, seen.D, **names)

    def __repr__(self) -> str:
        """The result in three lines: states, inputs and outputs, eigenvalues."""
        upper = [_written(mode.eigenvalue) for mode in self.modes if mode.eigenvalue.imag >= 0.0]
        judged = "stable" if self.is_stable else "not all motions decay"
        lines = [
            f"Linearization: {judged}; states {few(self.states) or 'none'}",
            f"inputs {few(self.inputs) or 'none'}; outputs {few(self.outputs) or 'none'}",
            f"eigenvalues [1/s]: {few(upper) or 'none'}",
        ]
        return "\n  ".join(lines)


def _written(value: complex) -> str:
    """An eigenvalue, or both of a pair."""
    return f"{value.real:.4g} ± {value.imag:.4g}j" if value.imag else f"{value.real:.4g}"
