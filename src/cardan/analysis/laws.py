"""The laws that `verify` checks: quantities over the symbols of a state, and their residuals in a state of numbers.

Source: central differences of fourth order with h = ε^(1/5) are exact to ε^(4/5): Fornberg 1988, Table 1; the step that
fits is the one from which a shorter one changes the entries least: Ridders 1982, Adv. Eng. Software 4:75. Two steps
whose round-off agrees by chance do not fit: round-off grows as 1/h, and all shorter steps show it.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial

import casadi as ca
import numpy as np

from cardan.analysis.loads.balance import acting_wrenches, momentum_rates
from cardan.analysis.sampling import Sample, sampler
from cardan.formulations import compatibility
from cardan.formulations.terms import Terms
from cardan.frozen import dataclass, replace
from cardan.kinematics import energy
from cardan.kinematics.constraints import constraint_rows, constraint_terms, with_feedback
from cardan.kinematics.motion import coordinate_rate
from cardan.kinematics.tree import Number, Tree
from cardan.numerics.largest import largest
from cardan.numerics.rank import most_independent_rows
from cardan.system.constrained import has_constraints
from cardan.system.drives import drive_efforts, loop_rows, solved_rows
from cardan.system.efforts import applied_efforts
from cardan.system.energies import powers, total_energy
from cardan.system.motor_matrices import motor_matrices
from cardan.system.response import accelerations_and_multipliers, all_forces, state_derivative
from cardan.system.state import State
from cardan.system.system import System

REFERENCE = "composite_body"
TERMS = ("M", "C", "D", "g", "Q", "B")
H = float(np.finfo(float).eps ** (1 / 5))  # longest step of central differences [rad, m, s]: for waves of length 2π
FINER = 10
"""Number of steps, each a quarter of the last: for waves 4⁸ times as short, as of screws of small lead, and programs
that begin at this instant; the shortest one only judges the others."""

Values = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class CheckTolerance:
    """How large a residual may be, and why."""

    value: float  # largest residual over the size of what is compared [-]
    reason: str  # what makes the residual differ from zero


Residual = tuple[str, float, CheckTolerance]


EXACT = CheckTolerance(1e-11, "round-off of some thousand operations")
SOLVED = CheckTolerance(1e-8, "round-off, amplified by the solution for accelerations")
DIFFERENCED = CheckTolerance(1e-8, "central differences: ε^(4/5) = 3e-13, amplified by fifth derivatives")


def quantities_of(system: System, s: State, terms: Mapping[str, Terms]) -> dict[str, Number]:
    """Every quantity that the checks compare, as an expression of the symbols of a state."""
    tree, x = system.tree, terms[REFERENCE]
    q_dot = coordinate_rate(tree, s.q, s.v)
    a, lam = accelerations_and_multipliers(system, s)
    electric, parts = motor_matrices(system), constraint_terms(tree, s.motion)
    drive = electric.B @ (s.motion.z[: len(system.circuits)] if system.motors == "full" else s.u)
    M_dot = ca.reshape(ca.jtimes(ca.densify(ca.vec(ca.SX(x.M))), s.q, q_dot), tree.nv, tree.nv)
    total, acting = acting_wrenches(tree, s.motion, a, lam, all_forces(system, s))
    return {f"{name}_of_{key}": getattr(value, name) for key, value in terms.items() for name in TERMS} | {
        "M_dot": M_dot,
        "kinetic": energy.kinetic(tree, s.motion),
        "potential": energy.potential(tree, s.motion),
        "a": a,
        "enforced": _enforced(tree, parts.Phi_q, lam),
        "drives": drive_efforts(tree, lam),
        "D": x.D + electric.D,
        "drive": drive + applied_efforts(system, s),
        "dE": ca.gradient(ca.SX(total_energy(system, s)), s.x),
        "dx": state_derivative(system, s),
        "powers": powers(system, s),
        "Phi": parts.Phi,
        "rate": parts.rate,
        "Phi_q": parts.Phi_q,
        "gamma": parts.gamma,
        "held": with_feedback(tree, s.motion, parts, parts.gamma),
        "momentum": momentum_rates(tree, s.motion, a),
        "total": total,
        "acting": acting,
    }


def _enforced(tree: Tree, Phi_q: Number, lam: Number) -> Number:
    """Efforts (nv,) of the multipliers: Φqᵀ λ of loops and constraints, and those of drives where they act."""
    loops = len(loop_rows(tree, lam.shape[0]))
    return Phi_q[:loops, :].T @ lam[:loops, :] + drive_efforts(tree, lam)


class Probe:
    """Evaluates the compared quantities in a state of a system."""

    def __init__(self, system: System, s: State, quantities: Mapping[str, Number]) -> None:
        self.system = system
        self.sampler = sampler(system)
        self.on_velocity = np.array([row.on_velocity for row in constraint_rows(system.tree, s.motion)], dtype=bool)
        parts: list[tuple[str, ...]] = [(), ("Phi",), ("rate",), ("potential",)]
        self._functions = {part: _function(system, s, {k: quantities[k] for k in part or quantities}) for part in parts}

    def __call__(self, sample: Sample, *names: str) -> Values:
        """Values of the named quantities, or of all."""
        function = self._functions[names]
        values = function.call([sample.t, sample.q, sample.v, sample.z, sample.u, self.sampler.assembler.p])
        return {name: np.array(value) for name, value in zip(function.name_out(), values, strict=True)}

    def slopes(self, sample: Sample, name: str) -> np.ndarray:
        """Central differences (rows, nv) of a quantity along the displacements of every velocity."""

        def along(direction: np.ndarray, step: float) -> np.ndarray:
            q = self.sampler.assembler.moved(sample.q, step * direction)
            return self(replace(sample, q=q), name)[name].ravel()

        return np.array([_slope(partial(along, e), H) for e in np.eye(self.system.tree.nv)]).T

    def slope_in_time(self, sample: Sample, a: np.ndarray, name: str) -> np.ndarray:
        """Central difference (rows,) of a quantity linear in v, along the motion with the accelerations a (nv,)."""

        def along(dt: float) -> np.ndarray:
            q = self.sampler.assembler.moved(sample.q, dt * sample.v)
            return self(replace(sample, t=sample.t + dt, q=q, v=sample.v + dt * a), name)[name].ravel()

        return _slope(along, H / max(1.0, largest(sample.v)))


def _slope(f: Callable[[float], np.ndarray], h: float) -> np.ndarray:
    """Derivative of f at 0 with the step, up to h, that fits all entries together."""
    found = np.array([_difference(f, h / 4**k) for k in range(FINER)])
    powers = 4.0 ** np.arange(FINER - 1)
    changes = np.abs(np.diff(found, axis=0)).max(axis=1, initial=0.0) / powers
    error = np.maximum.accumulate(changes[::-1])[::-1] * powers  # at least the round-off of every shorter step
    return found[np.argmin(error[:-1]) + 1]


def _difference(f: Callable[[float], np.ndarray], h: float) -> np.ndarray:
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


def _function(system: System, s: State, quantities: Mapping[str, Number]) -> ca.Function:
    """Function of (t, q, v, z, u, p)."""
    outputs = [ca.densify(ca.SX(x)) for x in quantities.values()]
    inputs = [s.t, s.q, s.v, s.z, s.u, system.tree.p]
    return ca.Function("quantities", inputs, outputs, list("tqvzup"), list(quantities))


def residuals(probe: Probe, sample: Sample, others: Iterable[str]) -> list[Residual]:
    """Every check in one state."""
    x = probe(sample)
    return [
        *(_agreement(x, other) for other in sorted(others)),
        *_matrices(x, sample.v),
        *_energies(probe, x, sample),
        _equation(x, sample.v),
        *(_constraints(probe, x, sample) if has_constraints(probe.system.tree) else ()),
        *_compatible(probe.system, x, sample.v),
        _balance(probe.system.tree, x),
    ]


def _agreement(x: Values, other: str) -> Residual:
    """Another formulation against the first."""
    M = x[f"M_of_{REFERENCE}"]
    pairs = [(x[f"{name}_of_{other}"], x[f"{name}_of_{REFERENCE}"]) for name in TERMS]
    tolerance = SOLVED if other == "articulated_body" else EXACT  # its M comes from the factors of the solution
    return f"{other} agrees with {REFERENCE}", max(_relative(a - b, b, M) for a, b in pairs), tolerance


def _matrices(x: Values, v: np.ndarray) -> list[Residual]:
    """Properties of M and C alone."""
    M, C, M_dot = x[f"M_of_{REFERENCE}"], x[f"C_of_{REFERENCE}"], x["M_dot"]
    sizes = np.linalg.eigvalsh((M + M.T) / 2) if M.size else np.zeros(1)
    skew = M_dot - 2 * C
    return [
        ("M is symmetric", _relative(M - M.T, M), EXACT),
        ("M is not negative", _relative(np.minimum(sizes[:1], 0), sizes), EXACT),
        ("dM/dt - 2C is skew", _relative(skew + skew.T, M_dot, M), EXACT),
        ("kinetic energy is v'Mv/2", _relative(x["kinetic"] - v @ M @ v / 2, M), EXACT),
    ]


def _energies(probe: Probe, x: Values, sample: Sample) -> list[Residual]:
    """g against differences of Π; dE/dt by the chain rule against the powers."""
    M, g = x[f"M_of_{REFERENCE}"], x[f"g_of_{REFERENCE}"].ravel()
    gradient = probe.slopes(sample, "potential").ravel()
    rates, powers = x["dE"] * x["dx"], x["powers"].ravel()
    return [
        ("g is the gradient of the potential energy", _relative(gradient - g, g, x["potential"], M), DIFFERENCED),
        ("energy changes by the powers", _relative(np.sum(rates) - powers @ [1, 1, 1, -1], rates, powers, M), SOLVED),
    ]


def _equation(x: Values, v: np.ndarray) -> Residual:
    """M v̇ + C v + D v + g − B u − Q − efforts of λ; the accelerations are the simulation's, found without M and C."""
    M, C, g, Q = (x[f"{name}_of_{REFERENCE}"] for name in ("M", "C", "g", "Q"))
    v = v[:, None]
    terms = [M @ x["a"], C @ v, x["D"] @ v, g, -x["drive"], -Q, -x["enforced"]]
    return "accelerations solve the matrix equation", _relative(sum(terms), *terms, M), SOLVED


def _constraints(probe: Probe, x: Values, sample: Sample) -> list[Residual]:
    """Φq against differences of Φ, γ against a difference of Φ̇ along the motion, which keeps the loops closed."""
    J, a, gamma = x["Phi_q"], x["a"].ravel(), x["gamma"].ravel()
    off = (probe.slopes(sample, "Phi") - J)[~probe.on_velocity]
    w = a / max(1.0, largest(a))  # γ is the same for all: large ones, of light bodies, would bury it in round-off
    left = probe.slope_in_time(sample, w, "rate") - (J @ w - gamma)
    solved = solved_rows(probe.system.tree, len(J))
    kept = (J @ a - x["held"].ravel())[solved]  # feedback changes what accelerations keep
    driven = x["drive"] / (largest(x[f"M_of_{REFERENCE}"]) or 1.0)  # accelerations have the round-off of loads
    return [
        ("Phi_q is the derivative of Phi", _relative(off, J), DIFFERENCED),
        ("gamma is the rest of the second derivative", _relative(left, gamma, J), DIFFERENCED),
        (
            "accelerations keep the loops closed",
            _relative(kept, x["held"], gamma, J @ a, J, driven),
            _solved(probe.system.tree),
        ),
    ]


def _compatible(system: System, x: Values, v: np.ndarray) -> list[Residual]:
    """Reactions and accelerations by the principle of compatibility, against those of the multipliers."""
    loops = [row for row in system.choice.kept if row in loop_rows(system.tree, len(x["Phi_q"]))]
    if not loops:
        return []
    A, f, f0 = x[f"M_of_{REFERENCE}"], x["Phi_q"][loops], -x["gamma"].ravel()[loops]
    C, g, Q = (x[f"{name}_of_{REFERENCE}"] for name in ("C", "g", "Q"))
    force = (x["drive"] + x["drives"] + Q - g).ravel() - (C + x["D"]) @ v
    dependent = most_independent_rows([f.T], len(f))
    independent = [k for k in range(f.shape[1]) if k not in dependent]
    numbers = ca.DM(A), ca.DM(force), ca.DM(f), ca.DM(f0)
    a = np.array(compatibility.reduced_accelerations(*numbers, independent))
    sizes = x["a"], x["gamma"], np.ones(1)
    out = [("D A v̇ = D (Q + Q⁰ − Q*) gives the accelerations", _relative(a - x["a"], *sizes), SOLVED)]
    if np.linalg.matrix_rank(A) == len(A):
        R = np.array(compatibility.compatibility(*numbers, independent).R)
        reaction = x["enforced"] - x["drives"]
        out.append(("F R + F₀ = 0 and N R = 0 give the reactions", _relative(R - reaction, R, force, A), SOLVED))
    return out


def _solved(tree: Tree) -> CheckTolerance:
    """The tolerance of what loops decide, which rounded numbers may leave open."""
    return CheckTolerance(10 * tree.rounding, "rounded numbers leave loops open") if tree.rounded else SOLVED


def _balance(tree: Tree, x: Values) -> Residual:
    """Newton's and Euler's equations of every body."""
    sizes = x["acting"], x["momentum"], x[f"M_of_{REFERENCE}"]
    return "reactions balance every body", _relative(x["total"] - x["momentum"], *sizes), _solved(tree)


def _relative(difference: np.ndarray, *sizes: np.ndarray) -> float:
    """Largest entry of a difference divided by the largest compared entry; 0 if all are zero."""
    off, size = largest(difference), max(largest(size) for size in sizes)
    return off / size if off else 0.0
