"""`workspace`: what a mechanism reaches, how well its drives move its output there, and what a payload takes.

Source: Gosselin & Angeles 1990, "Singularity analysis of closed-loop kinematic chains"; Merlet 2006, ch. 7
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

import cardan
from cardan.analysis.inverse.equations import TargetEquations
from cardan.analysis.inverse.inverse_kinematics import ranges_of, start_of, status_of
from cardan.analysis.inverse.prepared import Prepared, independence, prepare
from cardan.analysis.inverse.search import Found, Search
from cardan.analysis.inverse.solver import PositionSolver
from cardan.analysis.workspaces.filling import filled
from cardan.analysis.workspaces.quality import Scales, instant_functions, quality
from cardan.analysis.workspaces.starts import StartBlocks
from cardan.blocks import connection
from cardan.errors import Issue, ModelError, nearest
from cardan.functions.dynamics import Dynamics
from cardan.kinematics.build import velocity_of
from cardan.kinematics.tree import Tree
from cardan.model.checks.arguments import check_named, check_seed, check_size, check_unit, number
from cardan.model.model import Model, check_model
from cardan.model.names import efforts
from cardan.model.place import GROUND, split
from cardan.model.plane import in_plane
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.sections import uniform_gravity
from cardan.safety.text import visible

if TYPE_CHECKING:
    import xarray
    from distributed import Client


Output = Literal["twist", "position", "orientation"]

_QUALITIES = "condition", "manipulability", "type1", "type2"


def workspace(
    model: Model,
    of: str,
    grid: Mapping[str, Any],
    *,
    by: Sequence[str] | None = None,
    output: Output | None = None,
    length: Any = None,
    payload: Any = None,
    bearings: bool = False,
    guess: Mapping[str, Any] | None = None,
    limits: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int | None = None,
    client: Client | str | None = None,
) -> xarray.Dataset:
    """What a mechanism reaches of a grid, how well its drives move its output there, and what holding it takes.

    The map is filled from cell to cell, so that it keeps the branch of the guess where that is possible.

    Parameters
    ----------
    model : Model
        The mechanism; its prescribed motions are left out, and time is 0.
    of : str
        Body or marker that is the output: "platform", "hand.tip".
    grid : mapping
        Values by name: a list is an axis, a single value holds for all cells. Names as of `inverse_kinematics`, with
        one component each: `platform.position.x`, `platform.angle`, `shoulder`.
    by : sequence of str, optional
        Joints that drive: `A1`, or `joint.component`; by default those of the motors, else those of the prescribed
        motions, else all joints of an open chain.
    output : "position", "orientation" or "twist", optional
        Velocities of the output that count; by default its position, and its rotation too if the drives are more than
        its position has components.
    length : number or str, optional
        Length by which translations are divided to be comparable with rotations [m]; by default 1 m.
    payload : number, str or sequence, optional
        Mass at the output [kg], or force on it in world axes (3,) [N].
    bearings : bool
        Whether the largest bearing loads are computed.
    guess, limits, parameters, seed, threads : optional
        As of `inverse_kinematics`; the guess is one position.
    client : dask.distributed.Client or str, optional
        Cluster that seeks the cells that no neighbour leads to, as of `sweep`; positions agree within round-off.

    Returns
    -------
    xarray.Dataset
        With an axis for each list of the grid: `reachable`; `status` as of `inverse_kinematics`; `condition` of the
        Jacobian from drives to output, and its `manipulability`; `type1` and `type2`, distances from singular positions
        between 0 and 1 by singular values of the output's and of the drives' velocities; `effort` of every drive that
        holds the mechanism at rest, and the `largest_effort`; `bearing_force` and `bearing_moment`, the largest of all
        joints, if wanted; the coordinates `q`. NaN where no position is found.

    Raises
    ------
    ModelError
        A name is unknown, a value is impossible, or there are fewer drives than freedoms.
    AssemblyError
        The loops cannot be closed.

    Example
    -------
    >>> import cardan
    >>> axis = [-0.9, -0.45, 0.0, 0.45, 0.9, 1.0]
    >>> found = cardan.workspace(cardan.load("scara"), "link2.tip", {"link2.tip.x": axis, "link2.tip.y": 0.0})
    >>> found.reachable.values.tolist()
    [True, True, False, True, True, False]
    """
    check_model(model)
    check_seed(seed)
    _check_output(model, of, output)
    check_named("grid", grid)
    if not grid:
        raise ModelError("the grid is empty", 'write grid={"hand.tip.x": [0, 0.1, 0.2]}')
    weighted, names = loaded(model, of)
    force = dict(zip(names, force_of(payload, model, parameters), strict=True))
    at = prepare(weighted, {**(parameters or {}), **force}, grid)
    axes, y, shape = _cells(at, grid)
    driven = _driven(model, at.system.tree, by)
    rank = independence(at, TargetEquations(at.system.tree)).rank
    freedoms = at.system.tree.nv - rank
    if len(driven) < freedoms:
        fault = f"{len(driven)} drive{'s' * (len(driven) != 1)} cannot hold {freedoms} freedoms"
        raise ModelError(Issue(fault, f"name {freedoms} joints, by=[…]", ("by",)))
    scales = Scales(tuple(driven), _rows(model, output, len(driven)), _length(at, length), rank)
    start = start_of(at, guess, ())
    search = Search(
        PositionSolver(at.equations, at.p, threads), ranges_of(at, limits), y, np.repeat(start, len(y), 0), int(seed)
    )
    (first,) = at.equations("here", start, np.zeros(at.equations.ny), at.p)
    with connection(client) as cluster:
        found = filled(search, shape or (1,), first[0], partial(StartBlocks(at, threads).solved, cluster))
    return _dataset(model, at, of, axes, search, found, scales, bearings)


def _check_output(model: Model, of: str, output: str | None) -> None:
    from cardan.model.names import markers

    places = [place for place in markers(model) if split(place)[0] != GROUND]
    if of not in places:
        raise ModelError(Issue(f"there is no body or marker {of!r} that moves", nearest(str(of), places), ("of",)))
    if output is not None and output not in get_args(Output):
        raise ModelError(f"output={output!r} is not possible", 'write "position", "orientation" or "twist"')


def _cells(at: Prepared, grid: Mapping[str, Any]) -> tuple[dict[str, np.ndarray], np.ndarray, tuple[int, ...]]:
    """Values along the axes, targets of all cells (N, ny) in the order of the grid, and the numbers of cells."""
    values = {}
    for goal in at.equations.goals:
        if goal.size != 1:
            axis = f"{goal.target.name}.position.x" if goal.target.kind == "position" else "platform.angle"
            fault = f"{goal.name!r} has {goal.target.size} components, and an axis of a grid has one"
            raise ModelError(Issue(fault, f"name one, such as {axis}", ("grid", goal.name)))
        values[goal.name] = at.values.read(grid[goal.name], goal.target.unit, "grid", goal.name)
        if values[goal.name].ndim > 1 or not values[goal.name].size:
            raise ModelError(Issue("an axis of a grid is a list of numbers", "give a list", ("grid", goal.name)))
    axes, tree = {name: x for name, x in values.items() if x.ndim}, at.system.tree
    numbers = len(values) + 2 * tree.nq + tree.nv + len(_QUALITIES)  # targets, guesses, and the map
    check_size("cells", math.prod(map(len, axes.values())), numbers, "give shorter axes")
    spread = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
    shape = tuple(len(x) for x in axes.values())
    columns = [np.broadcast_to(spread.get(name, x), shape).ravel() for name, x in values.items()]
    return axes, np.stack(columns, axis=-1), shape


def _driven(model: Model, tree: Tree, by: Sequence[str] | None) -> list[int]:
    """Indices of the driven velocities."""
    known = [entry.name for entry in tree.velocities]
    if by is None:
        motors = ["".join(velocity_of(motor, model.joints)) for motor in model.motors.values()]
        moved = [joint for name, motion in model.motions.items() for joint in motion.by or (name,)]
        by = motors or moved or ([] if tree.cuts or tree.constraints else known)
        if not by:
            raise ModelError(Issue("nothing says which joints drive", f"give by=[{', '.join(known[:3])}, …]", ("by",)))
    for name in [by] if isinstance(by, str) else by:
        if name not in known:
            raise ModelError(Issue(f"{name!r} is not a joint with an effort", nearest(str(name), known), ("by",)))
    return sorted({known.index(name) for name in ([by] if isinstance(by, str) else by)})


def _rows(model: Model, output: Output | None, drives: int) -> tuple[int, ...]:
    """Rows of the twist that count."""
    axes = in_plane(model.planar) if model.planar else (0, 1, 2)
    turning = tuple(k for k in range(3) if k not in axes) if model.planar else (0, 1, 2)
    moving = tuple(3 + k for k in axes)
    chosen = output or ("twist" if drives > len(moving) else "position")
    return {"position": moving, "orientation": turning, "twist": (*turning, *moving)}[chosen]


def _length(at: Prepared, length: Any) -> float:
    if length is None:
        return 1.0
    value = at.values.read(length, "m", "length")
    if value.ndim or value <= 0:
        raise ModelError(Issue(f"length={length!r} is not a length", "give one positive number", ("length",)))
    return float(value)


def _dataset(
    model: Model,
    at: Prepared,
    of: str,
    axes: Mapping[str, np.ndarray],
    search: Search,
    found: Found,
    scales: Scales,
    bearings: bool,
) -> xarray.Dataset:
    """The dataset of all cells."""
    import xarray

    tree, good, count = at.system.tree, found.good, len(found.q)
    drives = [tree.velocities[k].name for k in scales.driven]
    units = [efforts(model.joints).get(name, "") for name in drives]
    effort, q = np.full((count, len(drives)), np.nan), np.full((count, tree.nq), np.nan)
    numbers = {name: np.full(count, np.nan) for name in _QUALITIES}
    if good.any():
        q[good] = found.q[good]
        functions = instant_functions(tree, tree.places[of])
        here = quality(at, functions, scales, found.q[good])
        effort[good] = here.effort
        for name, values in numbers.items():
            values[good] = getattr(here, name)
    unit = units[0] if len(set(units)) == 1 else ""
    if bearings:
        numbers |= _bearings(at, found.q, effort, scales)
    shape, dims = tuple(len(x) for x in axes.values()), tuple(axes)
    goals = {goal.name: goal.target.unit for goal in at.equations.goals}
    variables: dict[str, Any] = {"reachable": (dims, good.reshape(shape))}
    units_of = {"bearing_force": "N", "bearing_moment": "N*m"}
    for name, values in numbers.items():
        variables[name] = (dims, values.reshape(shape), {"units": units_of.get(name, "")})
    largest = np.max(np.abs(effort), axis=1, initial=0.0)
    variables["largest_effort"] = (dims, largest.reshape(shape), {"units": unit})
    variables["effort"] = ((*dims, "drive"), effort.reshape(*shape, len(drives)), {"units": unit})
    variables["q"] = ((*dims, "coordinate"), q.reshape(*shape, tree.nq), {"long_name": "coordinates"})
    state = status_of(at, search, found)
    variables["status"] = (dims, state.reshape(shape).astype(str))
    coords: dict[str, Any] = {name: ((name,), x, {"units": goals[name]}) for name, x in axes.items()}
    coords |= {"drive": drives, "coordinate": [entry.name for entry in tree.coordinates]}
    attributes = {
        "title": visible(f"{model.name or 'mechanism'}: workspace of {of}"),
        "source": f"Cardan {cardan.__version__}",
        "output": of,
        "length": scales.length,
    }
    return xarray.Dataset(variables, coords, attributes)


def _bearings(at: Prepared, q: np.ndarray, effort: np.ndarray, scales: Scales) -> dict[str, np.ndarray]:
    """Largest force and moment of all joints at every cell, in balance at rest."""
    dynamics, tree = Dynamics(at.model, "none"), at.system.tree
    cells = np.flatnonzero(np.isfinite(effort).all(axis=1))
    out = {name: np.full(len(q), np.nan) for name in ("bearing_force", "bearing_moment")}
    if cells.size:
        tau = np.zeros((cells.size, tree.nv))
        tau[:, list(scales.driven)] = effort[cells]
        wrenches = dynamics.reactions(q[cells], np.zeros((cells.size, tree.nv)), tau, parameters=at.values.parameters)
        each = np.nan_to_num(np.stack([*wrenches.values()], axis=1))  # what a planar model cannot know is left out
        out["bearing_moment"][cells] = np.max(np.linalg.norm(each[..., :3], axis=2), axis=1)
        out["bearing_force"][cells] = np.max(np.linalg.norm(each[..., 3:], axis=2), axis=1)
    return out


_CURE = 'give a mass, "5 kg", or a force in world axes [N], [0, 0, -50]'


def loaded(model: Model, place: str) -> tuple[Model, tuple[str, str, str]]:
    """The model with a force on its output, and the names of the parameters that are its components."""
    stem = "payload"
    while any(taken.startswith(stem) for taken in (*model.parameters, *model.forces, *model.joints, *model.bodies)):
        stem += "_"
    names = (f"{stem}_x", f"{stem}_y", f"{stem}_z")
    force = {"type": "force", "child": place, "value": list(names)}
    zero = dict.fromkeys(names, "0 N")
    return (
        model.replace(forces={**model.forces, stem: force}, parameters={**model.parameters, **zero}, motions={}),
        names,
    )


def force_of(payload: Any, model: Model, parameters: Mapping[str, Any] | None) -> np.ndarray:
    """Force of a payload (3,) in world axes [N]: the weight of a mass, or the force itself; zero without one."""
    if payload is None:
        return np.zeros(3)
    values = {name: float(value) for name, value in resolve(model.parameters, parameters).items()}
    several = isinstance(payload, list | tuple | np.ndarray)
    entries = [*payload] if several else [payload]
    if len(entries) != (3 if several else 1):
        raise ModelError(Issue(f"a payload has not {len(entries)} components", _CURE, ("payload",)))
    found = []
    for entry in entries:
        try:
            scalar = Scalar.read(entry)
        except ModelError as error:
            raise error.under("payload") from None
        check_unit(scalar, "N" if several else "kg", model.parameters, ("payload",))
        found.append(number(scalar, values, ("payload",)))
    if several:
        return np.array(found)
    gravity = uniform_gravity(model, "a payload needs one weight")
    return found[0] * np.array([number(entry, values, ("gravity",)) for entry in gravity])
