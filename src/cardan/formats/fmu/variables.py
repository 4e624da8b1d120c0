"""Variables of an FMU in the order of their references: time, inputs, parameters, states, rates, outputs, events."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

import casadi as ca

from cardan.codegen.targets.source import Source
from cardan.frozen import dataclass, replace
from cardan.model.model import Model
from cardan.model.quantities.lets import reached
from cardan.model.records.walk import scalars
from cardan.model.units import dimension_of
from cardan.results.channel import Channel
from cardan.simulation.setup import Setup
from cardan.system.constrained import has_constraints

T = TypeVar("T")
BASE_UNITS = ("m", "kg", "s", "A", "K", "mol", "cd")
"""SI base units by the names of FMI, in the order of `Dimension`."""


@dataclass(frozen=True)
class FmuVariable:
    """A number that an importer reads or sets."""

    name: str
    kind: str  # "inside", or one of those in the description: "time", "input", "parameter", …
    unit: str = ""  # empty where it is not known
    start: float | None = None  # None where it is computed
    is_output: bool = False  # whether the FMU offers it to others
    of: int | None = None  # reference of the state of a rate
    follows: tuple[int, ...] | None = None  # references of time, inputs and states that decide on an output
    meaning: str = ""  # in words
    reference: int = 0  # its number in the sources

    @property
    def is_open(self) -> bool:
        """Whether importers may set it."""
        return self.kind in ("input", "parameter") or (self.kind == "state" and self.start is not None)


def base_unit(unit: str) -> dict[str, int] | None:
    """Exponents of the base units of FMI in a unit of Cardan; None where it is not known, or has none.

    Example
    -------
    >>> base_unit("N*m"), base_unit("rad/s"), base_unit("")
    ({'m': 2, 'kg': 1, 's': -2}, {'s': -1, 'rad': 1}, None)
    """
    dimension = dimension_of(unit)
    if dimension is None or any(power != int(power) for power in dimension):
        return None
    found = {name: int(power) for name, power in zip(BASE_UNITS, dimension, strict=True) if power}
    return found | ({"rad": 1} if unit.startswith("rad") else {})


def some(entries: Iterable[T], one: T) -> list[T]:
    """These entries, or the one if there are none: in C there is no array without entries."""
    return [*entries] or [one]


def variables_of(
    setup: Setup, source: Source, outputs: Sequence[Channel], fed: Sequence[Sequence[int]]
) -> tuple[FmuVariable, ...]:
    """What a machine begins with, by reference; `fed` has the places of the inputs that each output depends on.

    Those of the kind "inside" are not for importers.
    """
    listed = {one.symbol: one for one in source.listings}
    inside, definitions = dict(setup.conditions.expressions), setup.conditions.model.parameters
    fixed, hidden = _unchangeable(setup), FmuVariable("", "inside")
    u, p, x = (zip(listed[key].names, listed[key].units, listed[key].values, strict=True) for key in "upx")
    given = [FmuVariable(name, "inside" if name in inside else "input", _known(unit), y) for name, unit, y in u]
    parameters = []
    for name, unit, y in p:
        kind = "constant" if name in fixed else "calculated" if definitions[name].names else "parameter"
        parameters.append(FmuVariable(name, kind, _known(unit), None if kind == "calculated" else y))
    parameters += [hidden for _ in setup.task.plan.switches]
    found = [FmuVariable("time", "time", "s"), *some(given, hidden), *some(parameters, hidden)]
    tree = setup.conditions.system.tree
    first, moving, free = len(found), tree.nq + tree.nv, _is_free(setup)
    for k, (name, unit, y) in enumerate(x):
        offered = not outputs and k < moving
        follows = (first + k,) if offered else None
        found.append(FmuVariable(name, "state", _known(unit), y if free else None, offered, follows=follows))
    found += [
        FmuVariable(f"der({one.name})", "rate", rate_unit(one.unit), of=first + k)
        for k, one in enumerate(found[first:])
    ]
    states, made = range(first, first + (len(found) - first) // 2), []
    for one, places in zip(outputs, fed, strict=True):
        follows = (0, *(1 + j for j in places if given[j].kind == "input"), *states)
        made.append(FmuVariable(one.name, "output", one.unit, None, True, follows=follows, meaning=one.description))
    found += [*some(made, hidden), *some([FmuVariable(name, "event") for name in _events(setup)], hidden)]
    taken = Counter(one.name for one in found)  # names of parameters may be those of outputs
    return tuple(
        replace(one, reference=k, name=f"{one.name} ({one.kind})" if taken[one.name] > 1 else one.name)
        for k, one in enumerate(found)
    )


def _is_free(setup: Setup) -> bool:
    """Whether initial values can be chosen one by one: loops, friction and stops tie them to each other."""
    return not setup.task.plan.contacts and not has_constraints(setup.conditions.system.tree)


def rate_unit(unit: str) -> str:
    """The unit of the rate of a quantity.

    Example
    -------
    >>> rate_unit("m"), rate_unit("rad/s"), rate_unit("1"), rate_unit("")
    ('m/s', 'rad/s^2', '1/s', '')
    """
    if not unit:
        return ""
    return f"{unit}^2" if unit.endswith("/s") else f"{unit}/s"


def _known(unit: str) -> str:
    return "" if unit == "SI" else unit


def _events(setup: Setup) -> list[str]:
    """Names of the crossing functions."""
    plan = setup.task.plan
    words = [name for name, _ in plan.events] + [f"{name} {did}" for name, did in plan.contacts]
    words += [switch.name for switch in plan.switches for _ in range(switch.crossings)]
    return [f"event {k}: {word}" for k, word in enumerate(words)]


def _unchangeable(setup: Setup) -> set[str]:
    """Parameters on which the start, periods, delays and instants of switchings depend: numbers in the sources."""
    model, plan = setup.conditions.model, setup.task.plan
    names = {name for path, scalar in scalars(model) if path[0] == "initial" for name in scalar.names}
    if has_constraints(setup.conditions.system.tree):  # where the loops close follows from them
        Phi, symbols = setup.task.functions.symbols.constraints.Phi, setup.task.functions.symbols.inputs["p"]
        own = zip(model.parameters, ca.vertsplit(symbols), strict=True)
        names |= {name for name, symbol in own if ca.depends_on(ca.SX(Phi), symbol)}
    names |= {name for sample in plan.sampled for name in sample.every.names} | set(setup.conditions.delaying)
    if setup.conditions.segments.a.size > 1:
        timed = [scalar for _, scalar in scalars(model) if "t" in reached(scalar.names, model.let)]
        timed += [scalar for path, scalar in scalars(model) if path[0] == "motions"]
        names |= {name for scalar in timed for name in reached(scalar.names, model.let)}
    return _with_sources(model, names)


def _with_sources(model: Model, names: Iterable[str]) -> set[str]:
    """Parameters with those that they are computed from."""
    return {name for name in reached(names, model.parameters) if name in model.parameters}
