"""Initial values and parameters with which a start meets conditions on results: points, accelerations, equilibria.

Newton's method on runs of one instant; parameters change first, and coordinates without a value no more than necessary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from cardan.errors import Issue, ModelError, ModelWarning
from cardan.model.checks.arguments import check_unit, number
from cardan.model.checks.start_conditions import start_conditions
from cardan.model.initial import Guess, Solve, covered, plain_name, read_initial, updated
from cardan.model.names import carrying, coordinates, efforts, motion_units, own_outputs, result_units, velocities
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.round_off import ROUND_OFF, ROUND_OFF_OF_SUM
from cardan.simulation.arguments import Arguments

__all__ = ["met"]

ITERATIONS = 50  # largest number of steps; Newton's method needs fewer than 10 near a solution
STEP = np.finfo(float).eps ** (1 / 3)  # of a central difference, over 1 + the size: truncation equals round-off
RANK = STEP  # singular values of scaled derivatives below this are errors of the differences

_QUATERNION = ("qw", "qx", "qy", "qz")
_OUTPUT = NumberKind("an output", "payload.com.x", None, scope="outputs")


def met(arguments: Arguments, of: Callable[[Arguments], Any]) -> Arguments | None:
    """The arguments with values of states and parameters that meet the conditions; None without conditions."""
    model, joints = arguments.model, carrying(arguments.model)
    initial = updated(model.initial, arguments.initial, joints)
    conditions = start_conditions(model, initial)
    if not conditions:
        return None
    solves = {name: entry for name, x in conditions.items() if isinstance(entry := read_initial(x), Solve)}
    plain = {name: x for name, x in initial.items() if name not in conditions}
    values = {name: float(x) for name, x in resolve(model.parameters, arguments.parameters).items()}
    units = {**motion_units(model), **result_units(model), **dict.fromkeys(own_outputs(model), "")}
    wanted: dict[str, Scalar] = {name: read_initial(x) for name, x in conditions.items() if name not in solves}  # type: ignore[misc]
    if any(solve.solve == "equilibrium" for solve in solves.values()):
        wanted |= {f"{name}.a": Scalar.read(0) for name in efforts(joints) if f"{name}.a" not in wanted}
    for name, entry in wanted.items():
        if not isinstance(entry, Scalar):
            raise ModelError(Issue(f"{name!r} is no coordinate to guess", "write a number", ("initial", name)))
        check_unit(entry, units[name], model.parameters, ("initial", name))
    moving = [*coordinates(joints)]
    if turned := next(filter(_is_velocity, wanted), None):
        if model.constraints or len(joints) < len(model.joints):
            cure = "give velocities of joints: the others follow"
            raise ModelError(
                Issue("velocities of points start trees only, and here are loops", cure, ("initial", turned))
            )
        moving += velocities(joints)
    guesses = {
        plain_name(name): number(x.guess, values, ("initial", name))
        for name, y in plain.items()
        if isinstance(x := read_initial(y), Guess) and isinstance(x.guess, Scalar)
    }
    held = {whole for name, x in plain.items() for whole in covered(name, x)} - guesses.keys() | model.motions.keys()
    free = [name for name in moving if name not in held and name.rpartition(".")[2] not in _QUATERNION]
    without = model.unchecked(initial=type(model.initial)())
    shown = {f"condition_{k}": Scalar.read(name).of(_OUTPUT) for k, name in enumerate(wanted)}
    asked = without.unchecked(outputs=type(model.outputs)({**model.outputs, **shown}))
    bare = replace(arguments, model=asked, times=np.zeros(1), until=None)

    def trial(w: np.ndarray) -> Arguments:
        chosen = dict(zip((*solves, *free), w.tolist(), strict=True))
        at = {name: {"guess": chosen[name]} if name in coordinates(joints) else chosen[name] for name in free}
        own = {name: x for name, x in plain.items() if plain_name(name) not in at}
        parameters = {**(arguments.parameters or {}), **{name: chosen[name] for name in solves}}
        return replace(bare, initial={**own, **at}, parameters=parameters)

    def residual(w: np.ndarray) -> np.ndarray:
        with catch_warnings():
            simplefilter("ignore", ModelWarning)  # of trials; the run itself warns
            run = of(trial(w)).run()
        here = values | {name: float(x) for name, x in zip(solves, w, strict=False)}
        found = zip(shown, wanted.items(), strict=True)
        return np.array([run.array(one)[0] - number(x, here, ("initial", name)) for one, (name, x) in found])

    starts = {
        name: values[name] if x.solve == "equilibrium" else number(x.solve, values, ("initial", name))
        for name, x in solves.items()
    }
    w = np.array([*starts.values(), *(guesses.get(name, 0.0) for name in free)])
    w = _solved(residual, w, tuple(wanted), tuple(solves))
    final = trial(w)
    return replace(final, model=without, times=arguments.times, until=arguments.until)


def _is_velocity(name: str) -> bool:
    return "velocity." in name or name.rpartition(".")[2] in ("vx", "vy", "vz", "wx", "wy", "wz")


def _solved(
    residual: Callable[[np.ndarray], np.ndarray], w: np.ndarray, wanted: tuple[str, ...], solves: tuple[str, ...]
) -> np.ndarray:
    """The unknowns, parameters first, at which the residuals vanish."""
    r, k = residual(w), len(solves)
    scale = 1 + np.abs(r)
    for _ in range(ITERATIONS):
        J, rows, columns = _scaled(_jacobian(residual, w))
        alone = np.linalg.matrix_rank(J[:, :k], RANK) if k else 0
        used = k if alone == np.linalg.matrix_rank(J, RANK) else len(w)
        _, sizes, Vt = np.linalg.svd(J[:, :used])
        rank = int(np.sum(sizes > RANK))
        loose = np.abs(Vt[rank:, :k]).max(axis=0, initial=0.0)
        if (loose > RANK**0.5).any():
            name = solves[int(np.argmax(loose))]
            cure = "add a condition, such as an acceleration of 0, or give the coordinates values"
            raise ModelError(Issue(f"the conditions do not determine {name!r}", cure, ("initial", name)))
        if np.all(np.abs(r) <= ROUND_OFF * scale):
            return w
        step = np.zeros(len(w))
        step[:used] = np.linalg.lstsq(J[:, :used], -rows * r, rcond=RANK)[0] * columns[:used]
        for part in (1.0, 0.5, 0.25, 0.1, 0.01):
            if np.linalg.norm(new := residual(w + part * step)) < np.linalg.norm(r):
                break
        else:
            break
        w, r = w + part * step, new
    name = wanted[int(np.argmax(np.abs(r) / scale))]
    cure = "leave a value or a condition out, write {guess: …} for a coordinate, or give a better guess"
    raise ModelError(
        Issue(f"the start cannot meet the condition: it is off by {np.abs(r).max():.3g}", cure, ("initial", name))
    )


def _scaled(J: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives with rows and columns over their largest entries, so that units do not matter; the factors."""
    rows = 1 / np.where(J.any(axis=1), np.abs(J).max(axis=1, initial=0), 1)
    J = rows[:, None] * J
    columns = 1 / np.where(J.any(axis=0), np.abs(J).max(axis=0, initial=0), 1)
    return J * columns, rows, columns


def _jacobian(residual: Callable[[np.ndarray], np.ndarray], w: np.ndarray) -> np.ndarray:
    """Derivatives of the residuals by central differences."""
    columns = []
    for k, x in enumerate(w):
        step = np.zeros(len(w))
        step[k] = STEP * (1 + abs(x))
        after, before = residual(w + step), residual(w - step)
        is_change = np.abs(after - before) > ROUND_OFF_OF_SUM * (1 + np.abs(after))
        columns.append(is_change * (after - before) / (2 * step[k]))
    return np.column_stack(columns) if columns else np.zeros((len(residual(w)), 0))
