"""`base_parameters`: the fewest combinations of inertial parameters on which the motion of a mechanism depends.

The regressor Y of many random states is stacked; where loops are closed it is projected on the motions that they allow,
Nᵀ Y with Φq N = 0. Columns that are combinations of earlier ones are regrouped with them.

Source: Gautier 1991, J. Robotic Systems 8:485 (numerical determination of base parameters); closed loops: Khalil &
Bennis 1995, IEEE Trans. Robotics Autom. 11:455
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import casadi as ca
import numpy as np

from cardan.analysis.sampling import Sampler, random_sample, sampler
from cardan.errors import AssemblyError
from cardan.formulations.regressor import regressors
from cardan.frozen import dataclass, field
from cardan.functions.inertial import inertial_names, inertial_values
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.relations.prescribed import refuse_followed
from cardan.model.checks.arguments import check_seed
from cardan.model.model import Model, check_model
from cardan.model.quantities.parameters import resolve
from cardan.numerics.rank import independent_rows, least_squares, null_space
from cardan.numerics.round_off import NEGLIGIBLE, SIX_DIGITS, TINY
from cardan.system.state import symbolic_state
from cardan.system.system import System, build_system

ROWS = 2  # number of equations per column of the stacked regressor: random states then show its full rank
REACH = 1.0  # distance of the random states from the initial position [m, rad]: there cos differs clearly from 1
VANISHES = 1e-7  # coefficient that counts as zero [-]: round-off
LARGEST = 4  # largest numerator or denominator of the fraction in front of such a product
CHANGED = 3  # number of sets of parameters at which an explanation is tested

_Monomial = tuple[str, float, list[float]]  # text, value here, values at the changed parameters


@dataclass(frozen=True)
class BaseParameter:
    """A combination of inertial parameters that can be identified from the motion."""

    terms: Mapping[str, float]  # factor of each inertial parameter; the first one has the factor 1
    words: str  # the combination as text; factors that are products of the model's parameters are written so
    value: float  # value of the combination, with the values of the model

    def __str__(self) -> str:
        """`link1.Izz + l1**2*link2.mass`."""
        return self.words


@dataclass(frozen=True)
class BaseParameters:
    """All base parameters of a mechanism: the rank of its regressor."""

    parameters: tuple[BaseParameter, ...]
    without_effect: tuple[str, ...]  # inertial parameters that do not influence the motion
    columns: tuple[int, ...]  # columns of the regressor that belong to the first terms
    condition: float = field(compare=False)  # condition number of these columns at unit length, in the random states

    def __len__(self) -> int:
        """Number of base parameters."""
        return len(self.parameters)


def base_parameters(model: Model, parameters: Mapping[str, Any] | None = None, *, seed: int = 0) -> BaseParameters:
    """Base inertial parameters of the bodies of a mechanism, rotors apart.

    Bodies nearer to the ground come first: in `link1.Izz + l1**2*link2.mass` the inner body leads the combination.

    Parameters
    ----------
    model : Model
        The mechanism, with loops or without.
    parameters : mapping, optional
        Other values of parameters: SI, or text with a unit.
    seed : int
        Seed of the random states.

    Raises
    ------
    AssemblyError
        The loops cannot be closed.

    Example
    -------
    >>> import cardan
    >>> [str(entry) for entry in cardan.base_parameters(cardan.load("compound_pendulum")).parameters]
    ['rod.mx', 'rod.my', 'rod.Izz']
    """
    check_model(model)
    system = build_system(model, "none")
    refuse_followed(system.tree)
    values = {name: float(value) for name, value in resolve(model.parameters, parameters).items()}
    observation = _Observation(system)
    check_seed(seed)
    W = observation.at(values, seed)
    lengths = np.linalg.norm(W, axis=0)
    shown = lengths > NEGLIGIBLE * max(np.max(lengths, initial=0.0), TINY)
    scaled = W / np.where(shown, lengths, 1.0)
    order = [k for k in observation.order if shown[k]]
    kept = [order[k] for k in independent_rows(scaled[:, order].T)]
    factors = _Factors(observation, kept, np.flatnonzero(shown), values, seed)
    pi = observation.values(values)
    found = tuple(_combination(k, factors, observation.names, pi) for k in kept)
    sizes = np.linalg.svd(scaled[:, kept], compute_uv=False) if kept else np.ones(1)
    left = tuple(name for name, effect in zip(observation.names, shown, strict=True) if not effect)
    return BaseParameters(found, left, tuple(kept), float(sizes[0] / sizes[-1]))


class _Observation:
    """The stacked regressor of a mechanism in random states of motion."""

    def __init__(self, system: System) -> None:
        self.system = system
        tree, s = system.tree, symbolic_state(system)
        a = ca.SX.sym("a", tree.nv)
        blocks = regressors(tree, s.motion, a)
        parts = constraint_terms(tree, s.motion)
        outputs = [ca.horzcat(*(blocks[body] for body in system.model.bodies)), parts.Phi_q, parts.gamma]
        inputs = [s.t, s.q, s.v, a, tree.p]
        self.function = ca.Function("Y", inputs, [ca.densify(ca.SX(x)) for x in outputs], {"cse": True})
        self.inertial = ca.Function("pi", [tree.p], [ca.densify(ca.SX(inertial_values(system.model, tree)))])
        self.names = inertial_names(system.model)
        bodies = list(system.model.bodies)
        outwards = [bodies.index(link.name) for link in tree.links]
        self.order = [10 * body + k for body in outwards for k in (1, 2, 3, 6, 5, 4, 7, 8, 9, 0)]  # mass last

    def values(self, parameters: Mapping[str, float]) -> np.ndarray:
        """π (10·bodies,)."""
        return np.array(self.inertial(list(parameters.values()))).ravel()

    def at(self, parameters: Mapping[str, float], seed: int) -> np.ndarray:
        """Rows of Nᵀ Y for random states, velocities and accelerations."""
        rng = np.random.default_rng(seed)
        drawn = sampler(self.system, parameters)
        rows: list[np.ndarray] = []
        count = ROWS * len(self.names)
        while count > 0:
            rows.append(self._rows(drawn, rng))
            count -= max(len(rows[-1]), 1)
        return np.vstack(rows)

    def _rows(self, drawn: Sampler, rng: np.random.Generator) -> np.ndarray:
        """Rows (freedoms, 10·bodies) of one state."""
        sample, p = random_sample(drawn, rng, REACH), drawn.assembler.p
        v = 3 * sample.v  # fast enough for products of velocities to count beside gravity
        a = rng.uniform(-10, 10, self.system.tree.nv)
        _, J, gamma = (np.array(x) for x in self.function(sample.t, sample.q, v, a, p))
        N = null_space(J)
        if J.size:
            a = least_squares(J, gamma.ravel()) + N @ (N.T @ a)
        Y = np.array(self.function(sample.t, sample.q, v, a, p)[0])
        return N.T @ Y


class _Factors:
    """Factors (kept, shown) that express every column by the kept ones, at several values of the parameters."""

    def __init__(
        self, observation: _Observation, kept: list[int], shown: np.ndarray, values: Mapping[str, float], seed: int
    ) -> None:
        self.kept, self.shown = kept, shown
        self.here = self._solved(observation.at(values, seed))
        self.moved = list(self._elsewhere(observation, values, seed))
        self.monomials = _monomials(values, [changed for changed, _ in self.moved])

    def words(self, row: int, column: int) -> str:
        """A factor as text: a product of parameters if one explains it, else a number."""
        here = float(self.here[row, column])
        there = [float(factors[row, column]) for _, factors in self.moved]
        for words, value, others in self.monomials:
            ratio = Fraction(here / value).limit_denominator(LARGEST)
            pairs = zip([here, *there], [value, *others], strict=True)
            if abs(ratio.numerator) <= LARGEST and all(
                math.isclose(x, ratio * y, rel_tol=SIX_DIGITS) for x, y in pairs
            ):
                return _times(ratio, words)
        return f"{here:.6g}"

    def _solved(self, W: np.ndarray) -> np.ndarray:
        """Factors by least squares, columns of unit length."""
        scale = np.linalg.norm(W[:, self.kept], axis=0)
        return np.linalg.lstsq(W[:, self.kept] / scale, W[:, self.shown], rcond=None)[0] / scale[:, None]

    def _elsewhere(
        self, observation: _Observation, values: Mapping[str, float], seed: int
    ) -> Iterator[tuple[dict[str, float], np.ndarray]]:
        """The factors for other values of the parameters that are not derived from others."""
        rng = np.random.default_rng(seed + 1)
        given = [name for name, entry in observation.system.model.parameters.items() if entry.value is not None]
        for _ in range(CHANGED if given else 0):
            changed = {name: values[name] * rng.uniform(0.8, 1.25) for name in given}
            try:
                W = observation.at(changed, seed)
            except AssemblyError:  # loops need not close with other lengths: factors then stay numbers
                continue
            whole = resolve(observation.system.model.parameters, changed)
            yield {name: float(value) for name, value in whole.items()}, self._solved(W)


def _combination(k: int, factors: _Factors, names: tuple[str, ...], pi: np.ndarray) -> BaseParameter:
    """The base parameter of the kept column k: its inertial parameter and those regrouped with it."""
    row = factors.kept.index(k)
    size = np.max(np.abs(factors.here[row]))
    terms, words = {names[k]: 1.0}, names[k]
    for column, other in enumerate(factors.shown):
        factor = float(factors.here[row, column])
        if other not in factors.kept and abs(factor) > VANISHES * size:
            terms[names[other]] = factor
            words += _added(factors.words(row, column), names[other])
    index = {name: i for i, name in enumerate(names)}
    return BaseParameter(terms, words, float(sum(factor * pi[index[name]] for name, factor in terms.items())))


def _added(factor: str, name: str) -> str:
    """` + l1**2*link2.mass`, ` - link2.Iyy`."""
    sign, size = ("-", factor[1:]) if factor.startswith("-") else ("+", factor)
    return f" {sign} {name}" if size == "1" else f" {sign} {size}*{name}"


def _monomials(values: Mapping[str, float], changed: list[dict[str, float]]) -> list[_Monomial]:
    """1, products of up to two parameters, and these divided by a parameter or its square; the shortest come first."""
    if not changed:
        return []
    usable = [name for name, value in values.items() if value]
    powers = [(), *((name,) for name in usable), *combinations_with_replacement(usable, 2)]
    below = [names for names in powers if len(set(names)) < 2]
    pairs = sorted(((over, under) for over in powers for under in below), key=lambda pair: len(pair[0] + pair[1]))
    return [
        (
            _product(over) + (f"/{_product(under)}" if under else ""),
            _quotient(values, over, under),
            [_quotient(other, over, under) for other in changed],
        )
        for over, under in pairs
        if not set(over) & set(under)
    ]


def _product(names: tuple[str, ...]) -> str:
    """`1`, `l1`, `l1*l2`, `l1**2`."""
    if len(names) == 2 and names[0] == names[1]:
        return f"{names[0]}**2"
    return "*".join(names) or "1"


def _quotient(values: Mapping[str, float], over: tuple[str, ...], under: tuple[str, ...]) -> float:
    return math.prod(values[name] for name in over) / math.prod(values[name] for name in under)


def _times(ratio: Fraction, words: str) -> str:
    """`-2*l1`, `l1**2`, `1/2`."""
    sign, size = "-" if ratio < 0 else "", str(abs(ratio))
    return sign + (size if words == "1" else words if size == "1" else f"{size}*{words}")
