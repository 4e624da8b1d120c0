"""Initial values and parameters with which a start meets conditions on results: points, accelerations, equilibria.

Newton's method on starts; unknowns change in the order of `Starts.groups`, a later group only where the earlier ones
do not suffice, and coordinates no more than necessary.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from cardan.errors import Issue, ModelError, ModelWarning
from cardan.frozen import dataclass, replace
from cardan.model.checks.arguments import check_unit, number
from cardan.model.checks.start_conditions import start_conditions
from cardan.model.initial import EQUILIBRIUM, Solve, covered, plain_name, read_initial, updated
from cardan.model.names import carrying, motion_units, own_outputs, result_units, states
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.rank import most_independent_rows
from cardan.numerics.round_off import BITS, CLOSED, DIFFERENCE, ROUND_OFF, ROUND_OFF_OF_SUM
from cardan.simulation.arguments import Arguments
from cardan.simulation.starts.rest import at_rest
from cardan.simulation.starts.unsampled import unsampled
from cardan.system.constrained import has_constraints
from cardan.system.contacts import without_friction
from cardan.system.input_segments import values_at

RANK = DIFFERENCE  # singular values below this part of the largest one are errors of the differences

_QUATERNION = ("qw", "qx", "qy", "qz")
_OUTPUT = NumberKind("an output", "payload.com.x", None, scope="outputs")


def met(arguments: Arguments, of: Callable[[Arguments], Any]) -> Arguments | None:
    """The arguments with values of states and parameters that meet the conditions; None without conditions."""
    starts = starts_of(arguments, of)
    if starts is None:
        return None
    final = starts.arguments(_at_rest(starts) if starts.rests else _solved(starts))
    without = arguments.model.unchecked(initial=type(arguments.model.initial)())
    return replace(final, model=without, until=arguments.until).updated(times=arguments.settings["times"])


def starts_of(arguments: Arguments, of: Callable[[Arguments], Any]) -> Starts | None:
    """The starts among which one meets the conditions; None without conditions."""
    model, settings = arguments.model, arguments.settings
    initial = updated(model.initial, settings["initial"], carrying(model))
    conditions = start_conditions(model, initial)
    if not conditions:
        return None
    wanted, solves = {}, {}
    units = {**motion_units(model), **result_units(model), **dict.fromkeys(own_outputs(model), "")}
    given = resolve(model.parameters, settings["parameters"])
    for name, entry in ((name, read_initial(x)) for name, x in conditions.items()):
        if name == EQUILIBRIUM:
            continue
        if isinstance(entry, Solve):
            solves[name] = (
                given[name] if entry.solve == "equilibrium" else number(entry.solve, given, ("initial", name))
            )
            continue
        if not isinstance(entry, Scalar):
            raise ModelError(Issue(f"{name!r} is no coordinate to guess", "write a number", ("initial", name)))
        check_unit(entry, units[name], model.parameters, ("initial", name))
        wanted[name] = entry
    without = model.unchecked(initial=type(model.initial)())
    rests = EQUILIBRIUM in conditions  # then drives hold the machine, not its friction
    if rests and len(conditions) > 1:
        cure = "leave one of the two out, or write {solve: equilibrium} for a parameter"
        raise ModelError(Issue("a start at rest beside other conditions", cure, ("initial", EQUILIBRIUM)))
    smooth = unsampled(without_friction(without)) if rests else without
    shown = {f"condition_{k}": Scalar.read(name).of(_OUTPUT) for k, name in enumerate(wanted)}
    shows = smooth.unchecked(outputs=type(model.outputs)({**smooth.outputs, **shown}))
    guesses = replace(arguments, model=shows, until=None).updated(
        initial={name: x for name, x in initial.items() if name not in conditions},
        parameters={**(settings["parameters"] or {}), **solves},
        times=np.zeros(1),
    )
    is_equilibrium = any(getattr(read_initial(x), "solve", None) == "equilibrium" for x in conditions.values())
    return Starts(of(guesses), [*solves], wanted, is_equilibrium, rests)


@dataclass(frozen=True, eq=False)
class Starts:
    """The starts among which one meets the conditions, by the values w of the unknowns."""

    begin: Any  # setup at the guesses, with the wanted results among its outputs
    solves: list[str]  # parameters to solve
    wanted: dict[str, Scalar]  # values of results
    is_equilibrium: bool  # whether accelerations and rates of currents and other states shall be zero
    rests: bool = False  # whether the start shall be at rest, which decides no parameter

    @property
    def parts(self) -> tuple[list[str], list[str], list[str]]:
        """Names of the states that have initial values: coordinates, velocities, currents and other states."""
        system, known = self.begin.conditions.system, states(self.begin.arguments.model)
        names, v, z = [*map(plain_name, system.state_names)], system.tree.nq, system.tree.nq + system.tree.nv
        return names[:v], names[v:z], [name for name in names[z:] if name in known]

    @property
    def groups(self) -> tuple[list[str], ...]:
        """Names of the unknowns: parameters; in an equilibrium currents and states; coordinates; else velocities."""
        model, initial, (q, v, z) = self.begin.arguments.model, self.begin.arguments.settings["initial"], self.parts
        guessed = {name for name, x in initial.items() if isinstance(getattr(read_initial(x), "guess", None), Scalar)}
        held = {whole for name, x in initial.items() if name not in guessed for whole in covered(name, x)}
        held |= {name for name, x in model.states.items() if x.next or "initial" in x.model_fields_set}
        held |= {*model.motions} | {name for name in q if name.rpartition(".")[2] in _QUATERNION and not self.rests}
        free = (z, q) if self.is_equilibrium else ([], q, v)
        return self.solves, *([name for name in part if name not in held] for part in free)

    @property
    def resting(self) -> tuple[list[int], list[int], list[int]]:
        """Indices of the unknown states of a start at rest; of those whose rates have to vanish, and of others.

        What has a value, such as a temperature or the energy of a supply, need not rest.
        """
        (_, v, z), places = self.parts, self.begin.conditions.system.places
        still = [name for name in z if name not in self.begin.arguments.model.states]  # currents, stores of graphs
        unknown = [name for group in self.groups for name in group]
        wanted = unknown, [*v, *still], sorted(({*z} - {*still}) & {*unknown})
        chosen, strict, others = ([places[name] for name in part] for part in wanted)
        return chosen, strict, others

    @property
    def leads(self) -> np.ndarray:
        """Which unknowns of a start at rest count: of coordinates in closed loops those alone that others follow.

        The guess of one that follows does not change the start, so that no step could tell how far to go.
        """
        w, places = self.first, self.resting[0]
        count = len(w) - len(self.groups[2])
        steps = np.diag(DIFFERENCE * (1 + np.abs(w)))[count:]
        changes = [(self.state(w + h) - self.state(w - h))[places[count:]] / (2 * h.max()) for h in steps]
        slopes = np.array(changes).reshape(len(steps), len(steps))
        rank = int(np.sum(np.linalg.svd(slopes, compute_uv=False) > RANK))
        return np.isin(range(len(w)), [*range(count), *(count + k for k in most_independent_rows([slopes], rank))])

    def state(self, w: np.ndarray) -> np.ndarray:
        """The state (nx,) of a start."""
        with catch_warnings():
            simplefilter("ignore", ModelWarning)  # of trials; the run itself warns
            return np.array(self.begin.of(self.arguments(w)).start.x)

    @property
    def first(self) -> np.ndarray:
        """The unknowns at the guesses."""
        setup, (_, *others) = self.begin, self.groups
        x = [setup.start.x[setup.conditions.system.places[name]] for group in others for name in group]
        return np.array([*(float(setup.conditions.values[name]) for name in self.solves), *x])

    def arguments(self, w: np.ndarray) -> Arguments:
        """The arguments of a start."""
        old, stored = self.begin.arguments, self.groups[1]
        chosen = dict(zip((name for group in self.groups for name in group), w.tolist(), strict=True))
        solved = {name: chosen.pop(name) for name in self.solves}
        for joint in [name.removesuffix(".qw") for name in chosen if name.endswith(".qw")]:
            names = [f"{joint}.{part}" for part in _QUATERNION]
            length = float(np.linalg.norm([chosen[name] for name in names]))
            chosen |= {name: chosen[name] / length for name in names}
        at = {name: x if name in stored else {"guess": x} for name, x in chosen.items()}
        initial, parameters = old.settings["initial"] or {}, old.settings["parameters"] or {}
        own = {name: x for name, x in initial.items() if plain_name(name) not in at}
        return old.updated(initial={**own, **at}, parameters={**parameters, **solved})

    def at(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By how much a start misses each condition, and the size of the numbers it compares, over 1 as of gaps."""
        with catch_warnings():
            simplefilter("ignore", ModelWarning)  # of trials; the run itself warns
            setup = self.begin.of(self.arguments(w))
            run = setup.run()
        conditions, places = setup.conditions, setup.conditions.system.places
        target = [number(x, conditions.values, ("initial", name)) for name, x in self.wanted.items()]
        found = [float(run.array(f"condition_{k}")[0]) for k in range(len(target))]
        if self.is_equilibrium:
            (u,) = values_at(conditions.segments, np.zeros(1))
            dx = setup.task.functions.compiled("derivative")(0.0, setup.start.x, u, conditions.p)
            found += [float(dx[places[name]]) for part in self.parts[1:] for name in part]
        target += [0.0] * (len(found) - len(target))
        return np.subtract(found, target), 1 + np.fmax(np.abs(found), np.abs(target))


def _at_rest(starts: Starts) -> np.ndarray:
    """The unknowns with which the machine rests."""
    setup, open_tree = starts.begin, not has_constraints(starts.begin.conditions.system.tree)
    functions, names = setup.task.functions, setup.conditions.system.state_names
    (u,), p = values_at(setup.conditions.segments, np.zeros(1)), setup.conditions.p
    chosen, strict, others = starts.resting
    first, leads = starts.first, None if open_tree else starts.leads

    def rates(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if leads is None:
            x = np.array(setup.start.x)
            x[chosen] = w
        else:
            x = starts.state(np.where(leads, w, first))
        dx = functions.compiled("derivative")(0.0, x, u, p)
        return dx[strict], dx[others]

    return np.asarray(at_rest(first, rates, [plain_name(names[k]) for k in strict]))


def _solved(starts: Starts) -> np.ndarray:
    """The unknowns at which all conditions are met, up to the gap of closed loops.

    An energy has no derivatives at rest: where this start leads nowhere, velocities start at 1.
    """
    moving = sum(map(len, starts.groups[:3]))
    for extra in (0.0, 1.0):
        w, r, size = _nearest(starts, starts.first + np.where(np.arange(len(starts.first)) < moving, 0.0, extra))
        if np.all(np.abs(r) <= CLOSED * size):
            return w
        if moving == len(w):
            break
    k, (_, v, z) = int(np.argmax(np.abs(r) / size)), starts.parts
    names = [*starts.wanted, *(f"{name.removesuffix('.v')}.a" for name in v), *z]
    cure = "leave a value or a condition out, write {guess: …} for a coordinate, or give a better guess"
    fault = f"the start cannot meet the condition: it is off by {abs(r[k]):.3g}"
    raise ModelError(Issue(fault, cure, ("initial", names[k])))


def _nearest(starts: Starts, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The unknowns where Newton's method ends: at residuals of round-off, or where no step lessens them."""
    r, size = starts.at(w)
    for _ in range(BITS):
        step = _step(starts, w, r, size)
        if np.all(np.abs(r) <= ROUND_OFF * size):
            break
        for part in (1.0, 0.5, 0.25, 0.1, 0.01):
            new, there = starts.at(w + part * step)
            if np.linalg.norm(new / size) < np.linalg.norm(r / size):
                break
        else:
            break
        w, r, size = w + part * step, new, np.fmax(size, there)
    return w, r, size


def _step(starts: Starts, w: np.ndarray, r: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Newton's step for the smallest number of groups with which the derivatives promise to meet the conditions.

    Rows of the derivatives are scaled, and columns of what the conditions have to determine, so that units do not
    matter; the step is the shortest one in coordinates and velocities, in SI.
    """
    parameters, determined, *_ = ends = [*accumulate(map(len, starts.groups))]
    J = np.zeros((len(r), 0))
    for end in ends:
        J = np.column_stack([J, *(_column(starts, w, k, size, k < parameters) for k in range(J.shape[1], end))])
        columns = 1 / _largest(J / size[:, None], 0)
        columns[determined:] = 1.0
        rows = 1 / _largest(J * columns, 1)
        A = rows[:, None] * J * columns
        step = columns * np.linalg.lstsq(A, -rows * r, rcond=RANK)[0]
        if np.all(np.abs(r + J @ step) <= size * np.fmax(RANK * np.abs(r / size).max(initial=0), ROUND_OFF)):
            break
    _, sizes, Vt = np.linalg.svd(A)
    loose = np.abs(Vt[int(np.sum(sizes > RANK * sizes.max(initial=0))) :, :parameters]).max(axis=0, initial=0.0)
    if (loose > RANK**0.5).any():
        name = starts.solves[int(np.argmax(loose))]
        cure = "add a condition, such as an acceleration of 0, or give the coordinates values"
        raise ModelError(Issue(f"the conditions do not determine {name!r}", cure, ("initial", name)))
    return np.pad(step, (0, len(w) - len(step)))


def _largest(J: np.ndarray, axis: int) -> np.ndarray:
    """The largest sizes of entries along an axis; 1 in place of 0."""
    found = np.abs(J).max(axis=axis, initial=0.0)
    return np.where(found > 0, found, 1.0)


def _column(starts: Starts, w: np.ndarray, k: int, size: np.ndarray, is_parameter: bool) -> np.ndarray:
    """Derivatives by one unknown by central differences; the step of a parameter grows until residuals change."""
    h = np.zeros(len(w))
    h[k] = DIFFERENCE * (abs(w[k]) or 1.0 if is_parameter else 1 + abs(w[k]))
    for grows in (is_parameter, is_parameter, False):
        change = starts.at(w + h)[0] - starts.at(w - h)[0]
        if not grows or np.any(np.abs(change) > ROUND_OFF * size):
            break
        h /= DIFFERENCE
    return np.where(np.abs(change) > ROUND_OFF_OF_SUM * size, change, 0.0) / (2 * h[k])
