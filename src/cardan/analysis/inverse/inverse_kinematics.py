"""`inverse_kinematics`: positions of a mechanism in which bodies, markers or coordinates have given values.

Source: Siciliano et al. 2009, §3.7 (inverse kinematics algorithms); Nocedal & Wright 2006, §10.3
"""

from collections.abc import Mapping
from numbers import Integral
from typing import Any, Literal

import numpy as np

from cardan.analysis.inverse.prepared import Prepared, prepare
from cardan.analysis.inverse.search import TURN, Found, Ranges, Search
from cardan.analysis.inverse.solver import PositionSolver
from cardan.analysis.inverse.targets import goal_values, spread
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.model.checks.arguments import check_named, check_seed
from cardan.model.model import Model, check_model
from cardan.model.names import advice

MANY = 200  # largest number of branches of "all": where an arm can turn about its target there are infinitely many


@dataclass(frozen=True)
class InverseKinematics:
    """Positions for a batch of targets; every array has the leading axes (…) of the targets."""

    q: Mapping[str, np.ndarray]  # coordinates by name (…) [m, rad, -]; nearest ones where a target is not met
    status: np.ndarray  # (…): "found", "singular", "limits" or "unreachable"
    gaps: Mapping[str, np.ndarray]  # distance left to every target (…) [m, rad]
    branches: Mapping[str, np.ndarray]  # solutions by coordinate (…, K), the one in `q` first, NaN after the last
    number: np.ndarray  # number of solutions (…)
    freedoms: int  # freedoms that the targets leave open

    @property
    def gap(self) -> np.ndarray:
        """Largest of the distances left to the targets (…) [m or rad]."""
        return np.asarray(np.max([*self.gaps.values()], axis=0))

    @property
    def ok(self) -> bool:
        """Whether all targets are met within the limits."""
        return bool(np.all((self.status == "found") | (self.status == "singular")))

    def __repr__(self) -> str:
        """The result in three lines: how many targets have which status, the largest gap, and freedoms left open."""
        kinds = [(kind, int(np.sum(self.status == kind))) for kind in ("found", "singular", "limits", "unreachable")]
        count = ", ".join(f"{number} {kind}" for kind, number in kinds if number) or "no targets"
        lines = [f"InverseKinematics: {count}", f"largest distance left: {np.max(self.gap, initial=0.0):.3g}"]
        if self.freedoms:
            one = self.freedoms == 1
            lines.append(
                f"the targets leave {self.freedoms} freedom{'' if one else 's'} open: least change from the guess"
            )
        elif np.max(self.number, initial=0) > 1:
            lines.append(f"up to {np.max(self.number)} branches")
        return "\n  ".join(lines)


def inverse_kinematics(
    model: Model,
    targets: Mapping[str, Any],
    *,
    guess: Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
    branches: int | Literal["all"] = 1,
    parameters: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> InverseKinematics:
    """Positions of a mechanism with closed loops in which all targets are met, for many targets at once.

    Levenberg's method from the guess solves Φ(q) = 0, g(q) = y: each step is the smallest change of the coordinates
    that meets all equations to first order, damped by the squared residual. Where it fails, it starts again from
    solutions of other targets and from random positions. Where the targets leave freedoms open, the result is the
    position with the least change from the guess, Σ (q − q0)² over all coordinates but quaternions, near the one found.

    Parameters
    ----------
    model : Model
        The mechanism; its prescribed motions are left out, and time is 0.
    targets : mapping
        Values by name: a coordinate `shoulder` (…), a position `hand.tip.position` (…, 3), of planar models (…, 2), a
        component of it `hand.tip.position.x` (…), the `platform.angle` of a planar model (…), or an orientation
        `hand.orientation` as roll, pitch, yaw (…, 3), quaternions w, x, y, z (…, 4) or rotation matrices (…, 3, 3);
        `{"rpy": …}`, `{"quaternion": …}` and `{"rotation": …}` say which. SI, or texts with units; leading axes are
        broadcast.
    guess : mapping, optional
        Coordinates (…) from which the search starts, one for all targets or one for each; by default those of the
        assembled mechanism.
    limits : mapping, optional
        Smallest and largest allowed value of coordinates: `{"elbow": (0, "150 deg")}`.
    branches : int or "all"
        Largest number of solutions of each target, 200 for "all"; further ones are found by random starts.
    parameters : mapping, optional
        Other values of parameters: SI, or text with a unit.
    seed : int
        Seed of the random positions.
    threads : int, optional
        Threads for many targets; by default `$CARDAN_NUM_THREADS`, or 1.

    Returns
    -------
    InverseKinematics
        Coordinates `q`, the `status` of every target and its `gap`, the distance left. "singular": the target is met
        where an equation depends on the others, so that some small motion of it needs infinite speed; "limits": only
        with coordinates outside their limits; "unreachable": no position was found, and `q` is the nearest one found.

    Raises
    ------
    ModelError
        A name is unknown, a value has a wrong shape or unit, or targets that leave freedoms open are to have branches.
    AssemblyError
        The loops of the mechanism cannot be closed.

    Example
    -------
    >>> import cardan
    >>> found = cardan.inverse_kinematics(cardan.load("scara"), {"link2.tip.position": [0.5, 0.4]}, branches="all")
    >>> found.status.item(), found.branches["joint2"].round(6).tolist()
    ('found', [1.570796, -1.570796])
    """
    check_model(model)
    check_seed(seed)
    most = _most(branches)
    at = prepare(model, parameters, targets)
    goals = at.equations.goals
    read = {goal.name: goal_values(goal, targets[goal.name], at.values) for goal in goals}
    guesses = _guesses(at, guess)
    shape, y = spread(read, {f"guess of {name}": x[..., None] for name, x in guesses.items()})
    start = _spread_guess(at, guesses, shape)
    search = Search(PositionSolver(at.equations, at.p, threads), ranges_of(at, limits), y, start, int(seed))
    free = at.system.tree.nv - at.independence.rank
    if most > 1 and free:
        fault = f"the targets leave {free} freedom{'s' * (free > 1)} open, so their solutions are not separate branches"
        raise ModelError(fault, "add targets, or leave branches out")
    found = search.run()
    if free and found.met.any():
        found = search.nearer(found)
    status = status_of(at, search, found)
    far = np.flatnonzero(status == "unreachable")
    if far.size:
        found.q[far] = search.ranges.turned(search.solver.nearest(found.q[far], search.y[far]), search.guess[far])
    kept, number = found.q[:, None], found.good.astype(int)
    if most > 1:
        kept, number = search.branches(found, most)
    else:
        kept = np.where(found.good[:, None, None], kept, np.nan)
    (gaps,) = at.equations("gaps", found.q, search.y, at.p) if len(found.q) else (np.zeros((0, len(goals))),)
    names = [entry.name for entry in at.system.tree.coordinates]
    return InverseKinematics(
        {name: found.q[:, k].reshape(shape) for k, name in enumerate(names)},
        status.reshape(shape),
        {goal.name: gaps[:, k].reshape(shape) for k, goal in enumerate(goals)},
        {name: kept[:, :, k].reshape(*shape, kept.shape[1]) for k, name in enumerate(names)},
        number.reshape(shape),
        free,
    )


def _most(branches: Any) -> int:
    if isinstance(branches, str) and branches == "all":
        return MANY
    if isinstance(branches, Integral) and not isinstance(branches, bool) and int(branches) >= 1:
        return int(branches)
    raise ModelError(f"branches={f'{branches!r:.60}'} is not possible", 'write "all", or a number from 1 on')


def ranges_of(at: Prepared, limits: Mapping[str, Any] | None) -> Ranges:
    """Where coordinates may be, and where random starts are drawn: a turn, or as far as the mechanism is long."""
    check_named("limits", limits)
    coordinates = at.system.tree.coordinates
    names, units = [entry.name for entry in coordinates], [entry.unit for entry in coordinates]
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    for name, pair in (limits or {}).items():
        known = [entry for entry, unit in zip(names, units, strict=True) if unit != "1"]
        if name not in known:
            fault = f"there is no coordinate {name!r} with limits"
            raise ModelError(Issue(fault, advice(at.model, name, known), ("limits", name)))
        k = names.index(name)
        ends = at.values.read(pair, units[k], "limits", name)
        if ends.shape != (2,) or ends[0] > ends[1]:
            raise ModelError(Issue("limits are a smaller and a larger value", "write (lower, upper)", ("limits", name)))
        low[k], high[k] = ends
    reach = np.array([TURN / 2 if unit == "rad" else at.size for unit in units])
    return Ranges(low, high, reach, at.turning)


def start_of(at: Prepared, guess: Mapping[str, Any] | None, shape: tuple[int, ...]) -> np.ndarray:
    """Coordinates (N, nq) from which the search for targets with the leading axes `shape` starts."""
    guesses = _guesses(at, guess)
    for name, x in guesses.items():
        if x.ndim and x.shape != shape:
            raise ModelError(Issue(f"the guess has the shape {x.shape}", "give one value", ("guess", name)))
    return _spread_guess(at, guesses, shape)


def _guesses(at: Prepared, guess: Mapping[str, Any] | None) -> dict[str, np.ndarray]:
    check_named("guess", guess)
    units = {entry.name: entry.unit for entry in at.system.tree.coordinates}
    for name in guess or {}:
        if name not in units:
            fault = f"there is no coordinate {name!r}"
            raise ModelError(Issue(fault, advice(at.model, name, units), ("guess", name)))
    return {name: at.values.read(value, units[name], "guess", name) for name, value in (guess or {}).items()}


def _spread_guess(at: Prepared, guesses: Mapping[str, np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """Coordinates (N, nq) from which the search starts."""
    q = np.broadcast_to(at.start, (int(np.prod(shape)), len(at.start))).copy()
    for k, entry in enumerate(at.system.tree.coordinates):
        if entry.name in guesses:
            q[:, k] = np.broadcast_to(guesses[entry.name], shape).ravel()
    for four in at.quaternions:
        length = np.linalg.norm(q[:, four], axis=1, keepdims=True)
        if not length.all():
            name = at.system.tree.coordinates[four[0]].name
            raise ModelError(Issue("the quaternion has length 0", "guess (1, 0, 0, 0)", ("guess", name)))
        q[:, four] /= length
    return q


def status_of(at: Prepared, search: Search, found: Found) -> np.ndarray:
    """Status (N,) of every target: "found", "singular", "limits" or "unreachable"."""
    singular = found.good & at.independence.lost(at.equations, found, search.y, at.p)
    kinds = [singular, found.good, found.met]
    return np.select(kinds, ["singular", "found", "limits"], "unreachable")
