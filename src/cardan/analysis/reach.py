"""`singular_positions`: where a marker cannot move in every way, the drives do not hold it, or branches meet.

On open arms the smallest singular value that is not always zero is brought to zero from random positions by Newton's
method along its gradient uᵀ (∂J/∂q) w; then as many coordinates as possible are released again, so that a condition
such as q4 = 90° remains. Mechanisms with loops: `loop_singularities`.

Source: singular value and its derivative: Golub & Van Loan 2013, §8.6; singular arms: Siciliano et al. 2009, §3.3
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import casadi as ca
import numpy as np

from cardan.analysis.assembly import assembled_system
from cardan.analysis.loop_singularities import loop_reach
from cardan.analysis.mobility import driven_velocities
from cardan.assembly.assembler import Assembler
from cardan.errors import Issue, ModelError, nearest
from cardan.kinematics.jacobian import jacobian
from cardan.kinematics.motion import coordinate_rate, motion
from cardan.kinematics.tree import Tree
from cardan.model.model import Model
from cardan.singular.singularity import SingularSet
from cardan.system.constrained import has_constraints

__all__ = ["Reach", "singular_positions"]

Part = Literal["twist", "position", "orientation"]
_ROWS = {"twist": slice(0, 6), "position": slice(3, 6), "orientation": slice(0, 3)}

STARTS = 40  # random positions from which is searched: each finds one of the few singular sets of an arm
SAMPLES = 12  # random positions that decide what holds in general
ITERATIONS = 40  # of Newton's method, which needs about ten
STALLED = (12, 1e-2)  # after so many steps a singular value above this one has a least value that is not zero
FOUND = 1e-13  # singular value: at a double zero, as of cos² q, its coordinate is then known to 3e-7
LOST = 1e-9  # singular value of a lost rank; in random positions it is larger by far
SAME = 1e-5  # coordinates [rad or m] that are one
STEP = 0.5  # longest step of the search [rad or m]


@dataclass(frozen=True)
class Reach:
    """What velocities a mechanism can give a marker, and where it is singular."""

    marker: str
    of: Part  # what of its motion: "twist", "position" or "orientation"
    rank: int  # of the Jacobian in general: independent velocities of the marker that the loops allow
    here: int  # the same in the initial position
    sets: tuple[SingularSet, ...]  # singular positions, as far as found; of loops the nearest first

    @property
    def singular(self) -> bool:
        """Whether the initial position is singular."""
        return self.here < self.rank


def singular_positions(
    model: Model,
    marker: str,
    initial: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    of: Part = "twist",
    seed: int = 0,
) -> Reach:
    """Rank of a marker's Jacobian, and the singular positions of an arm or of a mechanism with loops.

    Type 1: the marker can move in fewer ways than in general, so that the joints or drives can move while it stands.
    With loops also type 2, in which the mechanism can move while its drives stand, and branches of motion that meet.
    Where such positions form a curve or surface in all coordinates, the one nearest to the initial position is told.

    Parameters
    ----------
    model : Model
        The mechanism.
    marker : str
        Body or marker, such as "hand.tip": what the mechanism is to move.
    initial : mapping, optional
        Coordinates beside the model's or instead of them, as of `assemble`.
    parameters : mapping, optional
        Other values of parameters: SI, or text with a unit.
    of : "twist", "position" or "orientation"
        All six velocities of the marker, those of its origin, or its angular velocity.
    seed : int
        Of the random positions in which is searched; another one may find further sets.

    Raises
    ------
    ModelError
        There is no such marker or part.
    AssemblyError
        The loops cannot be closed.

    Example
    -------
    >>> import cardan
    >>> reach = cardan.singular_positions(cardan.load("manipulator_6dof"), "link6")
    >>> reach.rank, [(sorted(found.where), found.rank) for found in reach.sets]
    (6, [(['q4'], 5), (['q4'], 5)])
    >>> reach = cardan.singular_positions(cardan.load("slider_crank"), "slider")
    >>> sorted((found.kind, round(found.where["slide"], 3)) for found in reach.sets)
    [('type 1', -0.7), ('type 1', -0.3), ('type 1', 0.3), ('type 1', 0.7)]
    """
    system, assembler, x, _ = assembled_system(model, initial, parameters)
    tree = system.tree
    if marker not in tree.places:
        raise ModelError(Issue(f"there is no body or marker {marker!r}", nearest(marker, tree.places)))
    if of not in get_args(Part):
        raise ModelError(Issue(f"of={of!r} is no part of a motion", 'write "twist", "position" or "orientation"'))
    if has_constraints(tree):
        driven = driven_velocities(model, tree)
        found = loop_reach(tree, assembler, x[: tree.nq], tree.places[marker], _ROWS[of], driven, seed)
        return Reach(marker, of, found.rank, found.here, found.sets)
    search = _Search(tree, assembler, _function(tree, marker, of), np.random.default_rng(seed))
    sets: list[SingularSet] = []
    for _ in range(STARTS if search.rank else 0):
        q = search.singular()
        if q is not None and not any(search.belongs(q, known) for known in sets):
            _add(sets, search.released(q))
    return Reach(marker, of, search.rank, search.rank_at(x[: tree.nq]), tuple(sets))


def _function(tree: Tree, marker: str, of: Part) -> ca.Function:
    """J (rows, n) and its derivative (rows · n, n) along the velocities, of (q, p)."""
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    J = ca.densify(ca.SX(jacobian(tree, motion(tree, q, ca.DM(tree.nv, 1)), tree.places[marker])[_ROWS[of], :]))
    along = ca.jacobian(ca.vec(J), q) @ ca.jacobian(coordinate_rate(tree, q, v), v)
    return ca.Function("reach", [q, tree.p], [J, ca.densify(along)])


class _Search:
    """Random positions and their singular values; rows and columns of the Jacobian weigh alike."""

    def __init__(self, tree: Tree, assembler: Assembler, function: ca.Function, rng: np.random.Generator) -> None:
        self.tree, self.assembler, self.function, self.rng = tree, assembler, function, rng
        self.angles = np.array([entry.unit == "rad" for entry in tree.coordinates], dtype=bool)
        samples = [np.array(function(self.random(), assembler.p)[0]) for _ in range(SAMPLES)]
        self.rows = _scale(np.max([np.linalg.norm(J, axis=1) for J in samples], axis=0))
        scaled = [J / self.rows[:, None] for J in samples]
        self.columns = _scale(np.max([np.linalg.norm(J, axis=0) for J in scaled], axis=0))
        self.rank = max(self._rank(J / self.columns) for J in scaled)

    def random(self) -> np.ndarray:
        """Coordinates (nq,): angles anywhere, lengths up to 1 m, quaternions of unit length."""
        reach = np.where(self.angles, np.pi, 1.0)
        return self.assembler.moved(self.rng.uniform(-reach, reach), np.zeros(self.tree.nv))

    def rank_at(self, q: np.ndarray) -> int:
        """Rank of the Jacobian at q (nq,)."""
        return self._rank(self._at(q)[0])

    def singular(self) -> np.ndarray | None:
        """A position (nq,) where the rank is lost; None where the search ends elsewhere."""
        q = self.random()
        size, gradient = self._smallest(q)
        for count in range(ITERATIONS):
            if size < FOUND:
                return q
            if not gradient @ gradient > LOST**2 or (count > STALLED[0] and size > STALLED[1]):
                return None
            step = -size * gradient / (gradient @ gradient)
            step *= min(1.0, STEP / np.linalg.norm(step))
            places = [self.assembler.moved(q, factor * step) for factor in (1, 2)]  # 2: where the zero is double
            trials = [(*self._smallest(place), place) for place in places]
            size, gradient, q = min(trials, key=lambda trial: trial[0])
        return None

    def released(self, q: np.ndarray) -> SingularSet:
        """The set of q (nq,): each coordinate that others may replace at random is let go."""
        held = np.ones(self.tree.nq, dtype=bool)
        for k in range(self.tree.nq):
            held[k] = False
            if not all(self.rank_at(self._with(q, held)) < self.rank for _ in range(SAMPLES)):
                held[k] = True
        rank = max(self.rank_at(self._with(q, held)) for _ in range(SAMPLES))
        values = self._by_name(q)
        where = {name: values[name] for name, kept in zip(values, held, strict=True) if kept}
        return SingularSet(where, rank, example=len(where) > 1)

    def belongs(self, q: np.ndarray, known: SingularSet) -> bool:
        """Whether q (nq,) has the values of a known set."""
        values = self._by_name(q)
        return all(abs(values[name] - value) < SAME for name, value in known.where.items())

    def _by_name(self, q: np.ndarray) -> dict[str, float]:
        """Coordinates by name, angles in (−π, π]."""
        turned = np.where(self.angles, (q + np.pi - SAME) % (2 * np.pi) - np.pi + SAME, q)
        return {entry.name: float(x) for entry, x in zip(self.tree.coordinates, turned, strict=True)}

    def _with(self, q: np.ndarray, held: np.ndarray) -> np.ndarray:
        return np.where(held, q, self.random())

    def _at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        J, along = (np.array(x) for x in self.function(q, self.assembler.p))
        scale = np.outer(self.rows, self.columns)
        return J / scale, along / scale.ravel(order="F")[:, None]

    def _smallest(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """The singular value that generally differs from zero, and its gradient (n,)."""
        J, along = self._at(q)
        U, sizes, Vt = np.linalg.svd(J)
        pair = np.outer(U[:, self.rank - 1], Vt[self.rank - 1]).ravel(order="F")
        return float(sizes[self.rank - 1]), pair @ along

    @staticmethod
    def _rank(J: np.ndarray) -> int:
        return int(np.sum(np.linalg.svd(J, compute_uv=False) > LOST))


def _scale(lengths: np.ndarray) -> np.ndarray:
    return np.where(lengths > 0, lengths, 1.0)


def _add(sets: list[SingularSet], found: SingularSet) -> None:
    """Keeps a set that is new; of one in several coordinates, which is a curve or surface, one example is enough."""
    for known in sets:
        if known.where.keys() == found.where.keys() and (
            len(found.where) > 1 or all(abs(known.where[name] - value) < SAME for name, value in found.where.items())
        ):
            return
    sets.append(found)
