"""The axes of a sweep: which arguments vary, over which values, and which of them vary together."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.model.checks.arguments import check_named, check_unit
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.system.system import System

Argument = str  # "parameters", "inputs" or "initial"


@dataclass(frozen=True, eq=False)
class Varied:
    """One argument that varies."""

    argument: Argument  # which argument of the call it belongs to
    name: str  # of the parameter, input or state
    label: str  # its name in the dataset
    dims: tuple[str, ...]  # names of the axes along which it varies
    values: np.ndarray  # over these axes, in SI units
    coords: Mapping[str, Any]  # labels of these axes, where the caller gave them


class Member(NamedTuple):
    """The arguments in which the runs of a sweep differ, for one of them."""

    parameters: dict[str, Any]  # values by name
    inputs: dict[str, Any]  # signals by name
    initial: dict[str, Any]  # initial values by name


@dataclass(frozen=True, eq=False)
class SweepGrid:
    """All runs of a sweep: the product of its axes; runs are counted with the last axis fastest."""

    axes: Mapping[str, int]  # number of values along each axis, by name
    varied: tuple[Varied, ...]  # arguments that vary
    fixed: Mapping[Argument, Mapping[str, Any]]  # arguments that do not, as they were given

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values along each axis."""
        return tuple(self.axes.values())

    @property
    def size(self) -> int:
        """Number of runs."""
        return math.prod(self.shape)

    def values(self, argument: Argument) -> dict[str, np.ndarray]:
        """Values (B,) of everything that varies in an argument, by name."""
        return {entry.name: self._spread(entry) for entry in self.varied if entry.argument == argument}

    def rows(self, items: range) -> Iterator[tuple[Varied, np.ndarray]]:
        """Everything that varies, with its values (b,) in some runs."""
        places = np.unravel_index(np.arange(items.start, items.stop), self.shape)
        along = dict(zip(self.axes, places, strict=True))
        for entry in self.varied:
            yield entry, entry.values[tuple(along[name] for name in entry.dims)]

    def member(self, index: int) -> Member:
        """The arguments of one run, by its number `index`."""
        place = dict(zip(self.axes, np.unravel_index(index, self.shape), strict=True))
        chosen = {argument: dict(given) for argument, given in self.fixed.items()}
        for entry in self.varied:
            chosen[entry.argument][entry.name] = float(entry.values[tuple(place[name] for name in entry.dims)])
        return Member(**chosen)

    def _spread(self, entry: Varied) -> np.ndarray:
        """Values (B,) of an entry for all runs."""
        index = [slice(None) if name in entry.dims else None for name in self.axes]
        order = [entry.dims.index(name) for name in self.axes if name in entry.dims]
        return np.broadcast_to(entry.values.transpose(order)[tuple(index)], self.shape).ravel()


def units_of(system: System) -> dict[Argument, dict[str, str]]:
    """SI unit of every input and state, by argument and name."""
    states = {name: system.state_units[k] for name, k in system.places.items()}
    return {"inputs": dict(zip(system.input_names, system.input_units, strict=True)), "initial": states}


def read_grid(system: System, given: Mapping[Argument, Any]) -> SweepGrid:
    """The grid that the arguments of a sweep span: a list is an axis of its own name, a `DataArray` has its axes.

    An argument that varies keeps its name in the dataset; the initial value of a state that is a result,
    such as `swing.v`, is `initial.swing.v`.
    """
    fixed: dict[Argument, dict[str, Any]] = {}
    varied: list[Varied] = []
    units = units_of(system)
    for argument, entries in given.items():
        check_named(argument, entries)
        fixed[argument] = {name: x for name, x in (entries or {}).items() if not _varies(x)}
        for name, x in (entries or {}).items():
            if _varies(x):
                varied.append(_read(system, units, argument, name, x))
    _check_names(varied)
    return SweepGrid(_axes(varied), tuple(varied), fixed)


def _axes(varied: list[Varied]) -> dict[str, int]:
    """Number of values along each axis; arguments that vary along the same axis need the same number and labels."""
    axes: dict[str, int] = {}
    labels: dict[str, Any] = {}
    for entry in varied:
        path = entry.argument, entry.name
        for name, count in zip(entry.dims, entry.values.shape, strict=True):
            if axes.setdefault(name, count) != count:
                fault = f"the axis {name!r} has {count} values here and {axes[name]} before"
                raise ModelError(Issue(fault, "give lists of one length, or another axis", path))
        for name, given in entry.coords.items():
            if not np.array_equal(labels.setdefault(name, given), given):
                fault = f"the axis {name!r} has other labels here than before"
                raise ModelError(Issue(fault, "give the same labels in the same order, or another axis", path))
    return axes


def _varies(x: Any) -> bool:
    return isinstance(x, list | tuple | range | xarray.DataArray) or (isinstance(x, np.ndarray) and x.ndim > 0)


def _read(
    system: System, units: Mapping[Argument, Mapping[str, str]], argument: Argument, name: str, given: Any
) -> Varied:
    """An argument that varies, its entries in SI units."""
    labelled = isinstance(given, xarray.DataArray)
    entries = np.asarray(given.values if labelled else _listed(given, (argument, name)))
    if not entries.size:
        raise ModelError(Issue("the list is empty", "give one value at least", (argument, name)))
    if entries.dtype.kind in "iuf":
        values = entries.astype(float)
    else:
        unit = units.get(argument, {}).get(name)
        flat = [_number(system.model, unit, x, (argument, name, k)) for k, x in enumerate(entries.ravel().tolist())]
        values = np.array(flat).reshape(entries.shape)
    if not np.isfinite(values).all():
        raise ModelError(Issue("a value is not finite", "give finite numbers", (argument, name)))
    label = f"initial.{name}" if argument == "initial" and name in system.state_names else name
    dims = tuple(map(str, given.dims)) if labelled else (label,)
    coords = {str(key): given.coords[key].values for key in given.dims if key in given.coords} if labelled else {}
    return Varied(argument, name, label, dims, values, coords)


def _listed(given: Any, path: tuple[str, str]) -> np.ndarray:
    """The entries of a list, texts among them."""
    if isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "iuf":
        return given.astype(float)
    entries = np.empty(len(given), dtype=object)
    for k, x in enumerate(given):
        if np.ndim(x):
            raise ModelError(Issue("the list has lists in it", "give one list, or a DataArray with named axes", path))
        entries[k] = x
    plain = all(isinstance(x, int | float | np.integer | np.floating) and not isinstance(x, bool) for x in entries)
    return entries.astype(float) if plain else entries


def _number(model: Model, unit: str | None, given: Any, path: tuple[str, str, int]) -> float:
    """A number or a text with a unit, in SI units; of a parameter by its definition."""
    argument, name, _ = path
    if argument == "parameters":
        return float(resolve(model.parameters, {name: given})[name])
    try:
        scalar = Scalar.read(given)
    except ModelError as error:
        raise error.under(*path) from None
    if unit is not None:
        check_unit(scalar, unit, model.parameters, path)
    if scalar.value is None:
        cure = "give numbers or texts with a unit; for other laws vary a parameter that the expression names"
        raise ModelError(Issue(f"{str(scalar)!r} is an expression", cure, path))
    return float(scalar.value)


def _check_names(varied: list[Varied]) -> None:
    """Refuse a parameter and an input of the same name: their axes would have one name too."""
    seen: dict[str, Argument] = {}
    for entry in varied:
        if seen.setdefault(entry.label, entry.argument) != entry.argument:
            fault = f"{entry.label!r} varies in {seen[entry.label]} and in {entry.argument}"
            raise ModelError(
                Issue(fault, "vary one of them, and the other in a second sweep", (entry.argument, entry.name))
            )
