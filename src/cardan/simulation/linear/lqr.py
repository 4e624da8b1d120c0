"""State feedback that minimises a quadratic cost, of the linear system of a mechanism.

Source: Anderson & Moore 1990, *Optimal Control: Linear Quadratic Methods*, ch. 2 (continuous), §3.3 (sampled)
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm, solve_continuous_are, solve_discrete_are

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass, replace
from cardan.model.checks.arguments import number
from cardan.model.model import Model, check_model
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.round_off import HALF_THE_DIGITS
from cardan.simulation.linear.linearization import Array, Linearization
from cardan.simulation.linear.linearize import linearize


@dataclass(frozen=True)
class OptimalFeedback:
    """δu = −K δx around a state of a mechanism."""

    K: Array  # (m, n) gains
    S: Array  # (n, n) cost of a start x: xᵀ S x
    eigenvalues: NDArray[np.complex128]  # (n,) of the controlled system [1/s]
    linear: Linearization  # the system, with the names of its states and inputs
    every: float | None  # period of a sampled controller [s]; None: continuous

    @property
    def gains(self) -> dict[str, dict[str, float]]:
        """Gains by the name of the input, then of the state: `gains["drive"]["swing.v"]`."""
        names = [name.removesuffix(".q") for name in self.linear.states]
        rows = zip(self.linear.inputs, self.K.tolist(), strict=True)
        return {name: dict(zip(names, row, strict=True)) for name, row in rows}

    def controllers(self) -> dict[str, dict[str, Any]]:
        """Entries of `controllers`, one for each input: `cardan.Model(..., controllers=found.controllers())`."""
        held = {name.removesuffix(".q"): self.linear.x[name] for name in self.linear.states if self.linear.x.get(name)}
        sampled = {} if self.every is None else {"every": self.every}
        return {
            name: {
                "type": "state_feedback",
                "drive": name,
                "gains": gains,
                "reference": {state: float(x) for state, x in held.items()},
                "feed_forward": float(self.linear.u[name]),
                **sampled,
            }
            for name, gains in self.gains.items()
        }

    def __repr__(self) -> str:
        """The gains of each input, and the slowest eigenvalue."""
        slowest = self.eigenvalues[np.argmax(self.eigenvalues.real)]
        lines = [
            f"{name}: " + ", ".join(f"{state} {gain:.5g}" for state, gain in gains.items())
            for name, gains in self.gains.items()
        ]
        return "\n  ".join([f"OptimalFeedback: slowest eigenvalue {slowest:.4g} 1/s; gains", *lines])


def lqr(
    model: Model, Q: Any, R: Any = 1.0, *, every: float | str | None = None, equilibrium: bool = True, **where: Any
) -> OptimalFeedback:
    """The state feedback δu = −K δx that minimises ∫ δxᵀ Q δx + δuᵀ R δu dt of a mechanism near a state of rest.

    Parameters
    ----------
    model : Model
        The mechanism.
    Q : mapping, sequence (n,) or ndarray (n, n)
        Weights of the states: by name (`{"swing": 10, "travel": 1}`, the others 0), in their order, or as a matrix.
    R : float, mapping, sequence (m,) or ndarray (m, m)
        Weights of the inputs, likewise; one number holds for all. Inputs that a mapping does not name are not used.
    every : float or str, optional
        Period of a sampled controller [s], whose input is held in between; the cost is summed over the samples.
    equilibrium : bool
        Whether to search for the equilibrium near the initial position.
    **where : initial, parameters, motors, inputs, motions
        As for `linearize`. Without `inputs` those of the model are left out, so that K replaces its controllers.

    Returns
    -------
    OptimalFeedback
        The gains with their names, the cost and the eigenvalues.

    Raises
    ------
    ModelError
        A weight has an unknown name or a wrong shape; no feedback makes the mechanism stable; as `linearize`.
    AssemblyError, SolveError
        As `linearize`.

    Example
    -------
    >>> import cardan
    >>> found = cardan.lqr(cardan.load("overhead_crane"), {"travel": 100, "swing": 10})
    >>> bool((found.eigenvalues.real < 0).all()), list(found.gains["drive"])
    (True, ['travel', 'swing', 'travel.v', 'swing.v', 'drive.current'])
    """
    check_model(model)
    where.setdefault("inputs", dict.fromkeys(model.inputs, 0.0))
    linear = linearize(model, equilibrium=equilibrium, **where)
    Qs = _weights(Q, [name.removesuffix(".q") for name in linear.states], "Q")
    Rs = _weights(R, linear.inputs, "R")
    if isinstance(R, Mapping):
        used = [k for k, name in enumerate(linear.inputs) if name in R]
        linear, Rs = _driven_by(linear, used), Rs[np.ix_(used, used)]
    period = None if every is None else number(Scalar.read(every), resolve(model.parameters), ("every",))
    if period is not None and not period > 0:
        raise ModelError(Issue(f"a period of {period:g} s is not possible", "give a positive time", ("every",)))
    if not np.linalg.eigvalsh(Rs).min(initial=1.0) > 0 or not np.linalg.eigvalsh(Qs).min(initial=0.0) > -1e-12:
        raise ModelError("the weights are no cost", "R has to be positive definite, and Q not negative")
    n, m = linear.B.shape
    A, B = linear.A, linear.B
    if period is not None:
        whole = expm(np.block([[A, B], [np.zeros((m, n + m))]]) * period)
        A, B = whole[:n, :n], whole[:n, n:]
    cure = "give weights to what drifts, inputs that reach it, or leave out states that nothing moves"
    unstable = ModelError("no feedback of these inputs with these weights makes the mechanism stable", cure)
    try:
        S = (solve_continuous_are if period is None else solve_discrete_are)(A, B, Qs, Rs)
    except np.linalg.LinAlgError:
        raise unstable from None
    K = np.linalg.solve(Rs, B.T @ S) if period is None else np.linalg.solve(Rs + B.T @ S @ B, B.T @ S @ A)
    found = np.linalg.eigvals(A - B @ K).astype(complex)
    found = found if period is None else np.log(found) / period
    if not found.real.max(initial=-1.0) < -HALF_THE_DIGITS * np.abs(found).max(initial=0.0):
        raise unstable
    return OptimalFeedback(K, S, found, linear, period)


def _driven_by(linear: Linearization, used: Sequence[int]) -> Linearization:
    """The system with some of its inputs."""
    if not used:
        raise ModelError(Issue("no input has a weight", f"give one to {' or '.join(linear.inputs)}", ("R",)))
    inputs, units = (tuple(x[k] for k in used) for x in (linear.inputs, linear.input_units))
    return replace(linear, B=linear.B[:, used], D=linear.D[:, used], inputs=inputs, input_units=units)


def _weights(given: Any, names: Sequence[str], what: str) -> Array:
    """A matrix of weights of named things; those that are not named have none."""
    if isinstance(given, Mapping):
        for name in given:
            if name.removesuffix(".q") not in names:
                raise ModelError(Issue(f"there is no {name!r} among {', '.join(names)}", nearest(name, names), (what,)))
        short = {name.removesuffix(".q"): float(x) for name, x in given.items()}
        return np.diag([short.get(name, 0.0) for name in names])
    found = np.asarray(given, dtype=float)
    if found.ndim == 0:
        return float(found) * np.eye(len(names))
    found = np.diag(found) if found.ndim == 1 else found
    if found.shape != (len(names), len(names)):
        fault = f"{what} has the shape {found.shape}, and there are {len(names)} of: {', '.join(names)}"
        raise ModelError(Issue(fault, "give weights by name", (what,)))
    return (found + found.T) / 2
