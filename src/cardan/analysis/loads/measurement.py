"""`measured_reaction`: the reaction of a constraint from a recorded motion and the efforts of the drives.

With everything but the reaction on the left, M v̇ + C v + D v + g − Q − τ = Jᵀ R + Φqᵀ λ gives the force R on the child
of the constraint; λ are the multipliers of the other constraints, and τ contains the friction of joints and of these.

Source: Do Sanh, Dinh Van Phong & Do Dang Khoa 2013, eqs. 17, 21–23; least squares: Draper & Smith 1998, §1.4
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np

from cardan.analysis.loads.record import along_relative_motions, recorded_motion
from cardan.analysis.loads.residuals import RecordResidual, record_residuals
from cardan.assembly.start import system_of
from cardan.errors import Issue, ModelError, nearest
from cardan.formulations import newton_euler
from cardan.frozen import dataclass, field
from cardan.kinematics.constraints import constraint_rows, constraint_terms
from cardan.kinematics.motion import Motion, marker_motion, motion
from cardan.kinematics.relations.moving_axes import has_path, moving_axes
from cardan.kinematics.relative import RelativeMotion
from cardan.kinematics.scope import value
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model, check_bodies, check_model
from cardan.model.quantities.parameters import resolve
from cardan.numerics.round_off import ROUND_OFF
from cardan.results import load_run
from cardan.results.trajectory import Trajectory
from cardan.spatial.rotations import skew
from cardan.system.system import motor_model

Array = np.ndarray


@dataclass(frozen=True)
class FrictionFit:
    """Friction over normal force: R_t = −μ |N| sign(speed), by least squares through the origin."""

    coefficient: float  # μ [-]
    standard_error: float  # of μ, from the scatter about the line [-]
    samples: int  # instants at which the point moves


@dataclass(frozen=True)
class MeasuredReaction:
    """The reaction of a constraint over the instants of a record at which the efforts determine it."""

    constraint: str  # its name
    t: Array  # instants (N,) [s]
    world: Array  # force on the child (N, 3), world axes [N]
    path: Array | None  # the same along tangent, normal and binormal (N, 3); None without a path
    speed: Array | None  # of the point along the tangent (N,) [m/s]; None without a path
    missing: float  # largest effort that no reaction explains, over the largest effort [-]
    friction: FrictionFit | None  # None without a path, or where the point rests
    residuals: tuple[RecordResidual, ...] = ()  # how far the record leaves each constraint and joint that closes a loop
    in_plane: tuple[int, ...] = field(default=(0, 1, 2))  # world components that the record determines
    left_out: Array = field(default_factory=lambda: np.zeros(0))  # instants of the record without a determined one [s]

    def given(self, law: str = "friction") -> dict[str, Any]:
        """The reaction as `given:` of the constraint in a model.

        Parameters
        ----------
        law : "friction" or "log"
            The fitted friction, or the force over time in world axes.

        Raises
        ------
        ModelError
            There is no such law, or no friction was fitted.
        """
        if law == "log":
            rows = [self._rows(k) if k in self.in_plane else 0 for k in range(3)]
            return {"frame": "world", "value": rows}
        if law != "friction":
            raise ModelError(f"law={law!r} is not possible", 'write "friction" or "log"')
        if self.friction is None:
            raise ModelError("no friction was fitted: there is no path, or its point rests", 'write law="log"')
        normal = "abs(normal)" if len(self.in_plane) == 2 else "hypot(normal, binormal)"
        return {"frame": "path", "value": [f"-{self.friction.coefficient!r}*{normal}*sign(speed)", 0, 0]}

    def _rows(self, k: int) -> dict[str, Any]:
        rows = [[float(t), float(f)] for t, f in zip(self.t, self.world[:, k], strict=True)]
        return {"table": rows, "of": "t", "interpolation": "cubic" if len(rows) > 3 else "linear", "outside": "hold"}

    def columns(self) -> dict[str, Array]:
        """Columns of a table, their units in the names: `t [s]`, `x [N]`, …, `tangential [N]`, …, `speed [m/s]`."""
        out = {"t [s]": self.t} | {f"{axis} [N]": self.world[:, k] for k, axis in enumerate("xyz")}
        if self.path is not None and self.speed is not None:
            names = ("tangential", "normal", "binormal")
            out |= {f"{name} [N]": self.path[:, k] for k, name in enumerate(names)} | {"speed [m/s]": self.speed}
        return out

    def __str__(self) -> str:
        """Largest forces, the fitted friction, and how much the record leaves unexplained."""
        lines = [f"reaction of {self.constraint} at {len(self.t)} instants"]
        if self.left_out.size:
            count = f"{self.left_out.size} instant{'s' if self.left_out.size > 1 else ''}"
            lines.append(f"  left out     {count} at which the efforts do not determine it, such as a dead centre")
        known = [(k, "xyz"[k]) for k in self.in_plane]
        axes = [f"{axis} {self.world[:, k].min():.6g} to {self.world[:, k].max():.6g} N" for k, axis in known]
        lines.append("  world        " + ", ".join(axes))
        if self.path is not None:
            names = "tnb"[: len(self.in_plane)]
            ends = [
                f"{name} {self.path[:, k].min():.6g} to {self.path[:, k].max():.6g} N" for k, name in enumerate(names)
            ]
            lines.append("  path         " + ", ".join(ends))
        if self.friction is not None:
            fit = self.friction
            lines.append(f"  friction     {fit.coefficient:.6g} ± {fit.standard_error:.2g}, {fit.samples} instants")
        lines.append(f"  unexplained  {self.missing:.2g} of the largest effort")
        for k, one in enumerate(self.residuals):
            head = "               " if k else "  residual     "
            unit = "" if one.unit == "1" else f" {one.unit}"
            lines.append(f"{head}{one.name} {one.size:.2g}{unit} at t = {one.t:.6g} s")
        return "\n".join(lines)


def measured_reaction(model: Model, record: Any, constraint: str) -> MeasuredReaction:
    """Return the reaction of a constraint that a recorded motion and the efforts of its drives imply.

    Parameters
    ----------
    model : Model
        The mechanism; a given part of this constraint's reaction is left aside.
    record : Trajectory, Dataset, DataFrame, mapping, str or path
        A run, a dataset over time, a table of pandas, columns by name, or a CSV file. Columns: `t`, and for each
        coordinate its value `x.q` or `x`, its velocity `x.v`, acceleration `x.a` and effort `x.effort`; for each joint
        and other constraint `x` with friction in the model `x.friction`; of a CSV file, a table or a mapping with
        units in brackets, `x.q [mm]`, if they are not SI. Other columns are not read. Velocities and accelerations that
        are missing are derivatives of quintic splines; efforts that are missing are zero, with a warning where they are
        friction. An instant may stand twice, as at a jump of a run: splines end there, and of both rows the second
        counts, that after the jump.
    constraint : str
        Its name: one between two places, or one whose `given` names them.

    Raises
    ------
    ModelError
        There is no such constraint, it has no place, a coordinate is not in the record, or the efforts determine the
        reaction at no instant.

    Example
    -------
    >>> import cardan
    >>> machine = cardan.load("digging_machine")
    >>> run = cardan.simulate(machine, times=[0.0, 0.1])
    >>> found = cardan.measured_reaction(machine, run, "line")
    >>> bool(abs(found.world - run.array("line.force"))[:, :2].max() < 1e-6)  # in the plane
    True
    """
    check_model(model)
    check_bodies(model)
    places = _places(model, constraint)
    plain = _without_given(model, constraint)
    record = load_run(record) if _is_run(record) else record
    system = system_of(plain, motor_model(plain, _motors(record)))[0]
    tree = system.tree
    others = [block for block in system.frictions if block.owner != constraint]  # its own is a part of its reaction
    t, q, v, a, tau, phi = recorded_motion(tree, record, others)
    rubbing = along_relative_motions(others)
    force, needed, rubbed, place, axes, speed = _functions(plain, tree, constraint, places, rubbing)(t, q, v, a)
    unknown = _in_plane(tree)
    sides = needed - tau - np.einsum("njk,nk->nj", rubbed, phi)
    is_known = np.array([_determines(A, len(unknown)) for A in force])
    if not is_known.any():
        fault = f"the efforts do not determine the reaction of {constraint!r} at t = {t[0]:.6g} s"
        cure = "its point must move in as many ways as its force has components, beside the other constraints"
        raise ModelError(Issue(fault, cure, ("constraints", constraint)))
    residuals = record_residuals(plain, tree, t, q, v)
    left_out, t, force, sides, place = t[~is_known], *(each[is_known] for each in (t, force, sides, place))
    axes, speed = (None if each is None else each[is_known] for each in (axes, speed))
    world = np.full((len(t), 3), np.nan)
    missing = 0.0
    for k, A in enumerate(force):
        forces, *_ = np.linalg.lstsq(A, sides[k], rcond=None)
        world[k, unknown] = forces[: len(unknown)]
        missing = max(missing, float(np.abs(A @ forces - sides[k]).max(initial=0)))
    scale = max(float(np.abs(needed).max(initial=0)), float(np.abs(tau).max(initial=0)), np.finfo(float).tiny)
    path = None if axes is None else np.einsum("nij,ni->nj", axes, np.nan_to_num(world))
    fit = None if path is None or speed is None else _friction(path, speed, _moves(t, place, speed))
    return MeasuredReaction(
        constraint, t, world, path, speed, missing / scale, fit, residuals, tuple(unknown), left_out
    )


def _determines(A: Array, count: int) -> bool:
    """Whether efforts determine a reaction, whose `count` components have the first columns of A, at an instant."""
    return bool(np.linalg.matrix_rank(A) >= count + np.linalg.matrix_rank(A[:, count:]))


def _places(model: Model, constraint: str) -> tuple[Any, Any]:
    if not isinstance(constraint, str):
        fault = f"{f'{constraint!r:.60}'} is not the name of a constraint"
        raise ModelError(fault, f"write one of {', '.join(model.constraints) or '(the model has none)'}")
    if constraint not in model.constraints:
        raise ModelError(f"there is no constraint {constraint!r}", nearest(constraint, model.constraints))
    places = model.constraints[constraint].places
    if places is None:
        cure = "add given: {child: a body or a marker, value: [0, 0, 0]}, where its force acts"
        raise ModelError(Issue("the constraint has no place", cure, ("constraints", constraint)))
    return places


def _without_given(model: Model, constraint: str) -> Model:
    """The model with zero for the given part of one constraint, in world axes."""
    record = model.constraints[constraint]
    if record.given is None:
        return model
    given = {"value": [0, 0, 0], "parent": record.given.parent, "child": record.given.child}
    return model.replace(constraints={**model.constraints, constraint: record.replace(given=given)})


def _is_run(record: Any) -> bool:
    """Whether a record is the file of a run."""
    return isinstance(record, str | Path) and Path(record).suffix.lower() in (".nc", ".parquet")


def _motors(record: Any) -> str | None:
    return record.provenance.settings.get("motors") if isinstance(record, Trajectory) else None


def _in_plane(tree: Tree) -> list[int]:
    """World components of a force that the efforts can determine."""
    return [k for k in range(3) if tree.normal is None or not float(tree.normal[k])]


def _functions(
    model: Model, tree: Tree, constraint: str, places: tuple[Any, Any], rubbing: Mapping[str, RelativeMotion]
) -> Any:
    """Function of (t, q, v, a) of N instants.

    It returns the matrices of the unknowns, efforts needed, those per unit of friction along the relative motions
    `rubbing`, the place of the child, axes of the path, and the speed along it.
    """
    p = list(resolve(model.parameters).values())
    symbols = ca.SX.sym("t"), ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), ca.SX.sym("a", tree.nv)
    time, q, v, a = symbols
    state = motion(tree, q, v, t=time)
    owners = [row.owner for row in constraint_rows(tree, state)]
    driven = {one.name for one in tree.motions}
    others = [k for k, owner in enumerate(owners) if owner != constraint and owner not in driven]
    E = _lever(tree, state, places)[:, _in_plane(tree)]
    matrix = ca.horzcat(E, constraint_terms(tree, state).Phi_q[others, :].T)
    axes, speed = ca.SX(3, 3), ca.SX(1, 1)
    on_path = has_path(tree, constraint, value)
    if on_path:
        along = moving_axes(tree, state, constraint, value)
        assert along is not None, "the constraint has a path"
        axes, speed = along.R, along.speed
    rubbed = ca.horzcat(ca.SX(tree.nv, 0), *(one.jacobian(state).T for one in rubbing.values()))
    place = marker_motion(state, tree.place(places[1])).p
    found = [matrix, newton_euler.inverse_dynamics(tree, state, a), rubbed, place, axes, speed]
    function = ca.Function("reaction", [*symbols, tree.p], [ca.densify(ca.SX(x)) for x in found])

    def at(t: Array, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array, Array, Array | None, Array | None]:
        parts = [[np.array(x) for x in function(*row, p)] for row in zip(t, q, v, a, strict=True)]
        A, needed, J, x, R, s = (np.array(column) for column in zip(*parts, strict=True))
        return A, needed[:, :, 0], J, x[:, :, 0], R if on_path else None, s[:, 0, 0] if on_path else None

    return at


def _lever(tree: Tree, state: Motion, places: tuple[Any, Any]) -> Number:
    """Efforts on the velocities per unit force on the child of a constraint (nv, 3), world axes."""
    w = ca.SX.sym("w", tree.nv)
    virtual = motion(tree, state.q, w, t=state.t)
    a, b = (marker_motion(virtual, tree.place(end)) for end in places)
    return ca.jacobian(b.v - a.v - skew(a.w) @ (b.p - a.p), w).T


def _moves(t: Array, place: Array, speed: Array) -> Array:
    """Whether the point moves at each instant.

    Projection leaves round-off of the speed where friction of a run holds the point: such a speed would not take it
    beyond the round-off of its place.
    """
    size = np.abs(speed)
    span = t[-1] - t[0]
    least = max(size.max(), np.abs(place).max() / span) if span else 0.0
    return np.asarray(size > ROUND_OFF * least)


def _friction(path: Array, speed: Array, moves: Array) -> FrictionFit | None:
    """Friction over normal force, from the instants at which the point moves; None if there are fewer than two."""
    normal = np.hypot(path[:, 1], path[:, 2])
    moving = moves & (normal > 0)
    count = int(moving.sum())
    if count < 2:
        return None
    x, y = normal[moving], -path[moving, 0] * np.sign(speed[moving])
    mu = float(x @ y / (x @ x))
    scatter = float(np.sum((y - mu * x) ** 2)) / (count - 1)
    return FrictionFit(mu, float(np.sqrt(scatter / (x @ x))), count)
