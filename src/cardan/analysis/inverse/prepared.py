"""A mechanism ready for targets: assembled, its equations written, and the rank that they have in general."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any

import casadi as ca
import numpy as np

from cardan.analysis.inverse.equations import TargetEquations
from cardan.analysis.inverse.search import TURN, Found
from cardan.analysis.inverse.targets import GivenNumbers, goals_of
from cardan.assembly.assembler import FLAT, NEIGHBOURS, REGULAR, Assembler
from cardan.assembly.start import assembled, system_of
from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.kinematics.motion import marker_motion, motion
from cardan.model.checks.arguments import check_named
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from cardan.model.records.section import PathSection
from cardan.numerics.rank import independent_rows
from cardan.system.constrained import has_constraints
from cardan.system.system import System


@dataclass(frozen=True)
class Prepared:
    """A mechanism ready for targets of some names."""

    model: Model  # without prescribed motions
    system: System  # without motors
    assembler: Assembler  # closes its loops
    start: np.ndarray  # assembled coordinates (nq,)
    equations: TargetEquations  # loops and targets
    values: GivenNumbers  # reads the numbers of the call

    @property
    def p(self) -> np.ndarray:
        """GivenNumbers of the parameters."""
        return self.assembler.p

    @property
    def quaternions(self) -> list[list[int]]:
        """Indices of the coordinates of every quaternion."""
        tree = self.system.tree
        of_links = ([i for i in link.q if tree.coordinates[i].unit == "1"] for link in tree.links)
        return [four for four in of_links if four]

    @cached_property
    def turning(self) -> np.ndarray:
        """Whether a whole turn of a coordinate changes no equation (nq,); not so for screws and prescribed angles."""
        rng, tree = np.random.default_rng(0), self.system.tree
        angles = [k for k, entry in enumerate(tree.coordinates) if entry.unit == "rad"]
        q, y = self.start + rng.standard_normal(len(self.start)), rng.standard_normal(self.equations.ny)
        places = np.vstack([q, *(q + TURN * np.eye(len(q))[k] for k in angles)])
        (r,) = self.equations("residual", places, y, self.p)
        out = np.zeros(len(q), dtype=bool)
        out[angles] = np.max(np.abs(r[1:] - r[0]), axis=1, initial=0.0) <= 1e-9 * (1 + np.max(np.abs(r), initial=0.0))
        return out

    @cached_property
    def independence(self) -> Independence:
        """How many of the equations are independent in general."""
        return independence(self, self.equations)

    @cached_property
    def size(self) -> float:
        """Largest distance of a body or marker from the origin in the start, as the length of the mechanism [m]."""
        tree = self.system.tree
        state = motion(tree, ca.DM(self.start), ca.DM(tree.nv, 1))
        points = ca.Function(
            "points", [tree.p], [ca.SX(marker_motion(state, place).p) for place in tree.places.values()]
        )
        far = max((float(np.max(np.abs(np.array(p)))) for p in points.call([self.p])), default=0.0)
        return far or 1.0


@dataclass(frozen=True)
class Independence:
    """How many equations are independent in general, and how long their rows are."""

    rank: int  # in general
    lengths: np.ndarray  # largest lengths of the rows (rows, 1)

    def lost(self, equations: TargetEquations, found: Found, y: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Which positions (N,) are singular: fewer equations are independent there."""
        if self.rank == equations.rows:
            return np.asarray(found.ratio <= REGULAR)
        if not len(found.q):
            return np.zeros(0, dtype=bool)
        (J,) = equations("jacobian", found.q, y, p)
        J = J.reshape(len(J), equations.rows, -1) / self.lengths
        return np.asarray(np.sum(np.linalg.svd(J, compute_uv=False) > FLAT, axis=1) < self.rank)


def independence(at: Prepared, equations: TargetEquations) -> Independence:
    """Rank of some equations in general: at positions around the start, with the goals that the first of them has."""
    rng, tree = np.random.default_rng(0), at.system.tree
    if not equations.rows:
        return Independence(0, np.zeros((0, 1)))
    if has_constraints(tree):
        places = at.assembler.neighbours(at.start)
    else:
        places = [at.assembler.moved(at.start, rng.standard_normal(tree.nv)) for _ in range(NEIGHBOURS)]
    q = np.array(places)
    (y,) = equations("here", q[:1], np.zeros(equations.ny), at.p)
    (J,) = equations("jacobian", q, y[0], at.p)
    matrices = J.reshape(len(J), equations.rows, tree.nv)
    lengths = np.max(np.linalg.norm(matrices, axis=2, keepdims=True), axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    return Independence(max(len(independent_rows(matrix / lengths)) for matrix in matrices), lengths)


def prepare(model: Model, parameters: Mapping[str, Any] | None, targets: Mapping[str, Any]) -> Prepared:
    """The mechanism of a model with equations for targets."""
    check_named("targets", targets)
    if not targets:
        raise ModelError("there are no targets", 'write targets={"hand.tip.position": [x, y, z]}')
    bare = model.unchecked(motions=PathSection()) if model.motions else model
    values = {name: float(value) for name, value in resolve(bare.parameters, parameters).items()}
    return _prepared(bare, tuple(targets), tuple(values.items()))


@lru_cache(maxsize=64)
def _prepared(model: Model, names: tuple[str, ...], given: tuple[tuple[str, float], ...]) -> Prepared:
    system, functions = system_of(model, "none")
    values = dict(given)
    equations = TargetEquations(system.tree, goals_of(model, system.tree, names))
    x, _ = assembled(system, functions, model.initial, values)
    assembler = Assembler(functions, np.array(list(values.values())))
    return Prepared(model, system, assembler, x[: system.tree.nq], equations, GivenNumbers(model, values))
