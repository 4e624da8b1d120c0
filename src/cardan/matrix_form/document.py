"""The document of a model's equations: all terms as symbols or numbers, with names, units and values of the symbols."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cardan.errors import ModelError, nearest
from cardan.kinematics.constraints import ConstraintRow, constraint_rows, with_time
from cardan.kinematics.motion import motion
from cardan.matrix_form.accelerations import ACCELERATIONS
from cardan.matrix_form.sections import chapters, feedback_names, motion_laws
from cardan.matrix_form.terms import MatrixTerms, graph_inputs
from cardan.model.likely import coordinate_units, multiplier_units
from cardan.model.model import Model
from cardan.model.names import user_states
from cardan.model.quantities.lets import needed
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.state_equation import StateEquation
from cardan.model.units import DIMENSIONLESS, describe, read_unit
from cardan.rendering import Document, Matrix, Quantity, number
from cardan.rendering.algebra.expression import Head
from cardan.rendering.algebra.sharing import uses
from cardan.rendering.documents.writers import FORMATS
from cardan.safety.text import visible
from cardan.system.drives import drive_rows, drive_velocities
from cardan.system.state import symbolic_state


def render(equations: MatrixTerms, format: str, at: Mapping[str, Any] | None, only: Sequence[str]) -> str:
    """The document in a format."""
    if format not in FORMATS:
        raise ModelError(f"equations cannot be written as {format!r}", nearest(format, FORMATS))
    known = (*equations.terms, ACCELERATIONS)
    for name in only:
        if name not in known:
            raise ModelError(f"equations have no term {name!r}", nearest(name, known))
    if at is not None and ACCELERATIONS in only:
        cure = "leave out the values; cardan.compile(model).forward_dynamics gives numbers"
        raise ModelError("accelerations are written in symbols only", cure)
    return FORMATS[format](written(equations, at, only))


def written(equations: MatrixTerms, at: Mapping[str, Any] | None = None, only: Sequence[str] = ()) -> Document:
    """The document of equations."""
    at = None if at is None else _in_full(equations, at)
    system = equations._system
    tree, model = system.tree, equations.model
    changed = equations._change is not None
    units = _changed_units(model) if changed else [entry.unit for entry in tree.coordinates]
    rates = [_rate(unit) for unit in units] if changed else [entry.unit for entry in tree.velocities]
    groups = {
        "coordinates": _coordinates(equations, units),
        "velocities": _quantities(equations.velocities, rates),
        "currents": _quantities(equations.currents, ["A"] * len(equations.currents)),
        "states": _states(equations),
        "inputs": _inputs(equations),
    }
    written_in = {"t": "s"}
    for group in reversed(groups.values()):  # an effort has the name of its joint, which stands for the coordinate
        written_in |= {quantity.name: quantity.unit for quantity in group}
    if at is None:
        matrices = equations.simplified(only)
    else:
        numbers = _numbers(equations, at, written_in)
        matrices = {name: matrix for name, matrix in numbers.items() if not only or name in only}
    is_derived = at is None and not only  # the whole document, in symbols
    laws = motion_laws(equations) if is_derived else ()
    efforts = len(drive_velocities(tree)) if is_derived else 0
    document = Document(
        title=visible(model.name) or "Equations of motion",
        source=visible(model.source),
        motors=equations.motors,
        coordinates=groups["coordinates"],
        velocities=groups["velocities"],
        currents=groups["currents"],
        states=groups["states"],
        rated=tuple(name for graph in system.graphs for name in graph.names),
        inputs=groups["inputs"],
        parameters=(),
        multipliers=_multipliers(equations),
        matrices=matrices,
        at=None if at is None else tuple((name, _shown(value)) for name, value in at.items()),
        whole=not only,
        sections=chapters(equations) if is_derived else (),
        laws=laws,
        definitions=feedback_names(equations) if is_derived else (),
        efforts=efforts,
        with_time=any(_with_time(equations, without=efforts)),
        unwritten=_unwritten(equations) if not only else (),
    )
    shown = document.all_matrices
    return replace(document, parameters=_parameters(equations, at or {}, shown), unsimplified=left_as_derived(shown))


def _unwritten(equations: MatrixTerms) -> tuple[str, ...]:
    """What no matrix contains: friction that follows the load, impacts, and contacts."""
    system = equations._system
    rubbing = ", ".join(block.name for block in system.frictions if block.law.follows_load)
    hit = ", ".join(block.name for block in system.stops if block.is_rigid)
    touching = equations.model.contacts
    return (
        *([f"Not written: friction that follows the load of its joint ({rubbing})."] if rubbing else []),
        *([f"Not written: impacts and forces of stops that do not yield ({hit})."] if hit else []),
        *([f"Not written: forces of contacts ({', '.join(touching)})."] if touching else []),
    )


def _with_time(equations: MatrixTerms, without: int) -> list[bool]:
    """Whether t stands in each constraint; `without` counts the last ones that are left out."""
    system = equations._system
    found = with_time(system.tree, symbolic_state(system).motion)
    return found[: len(found) - without]


def left_as_derived(matrices: Mapping[str, Matrix]) -> tuple[str, ...]:
    """Entries of the matrices that the budget was too small to simplify: `M[1, 2]`, counted from 1."""
    return tuple(
        f"{name}[{row + 1}, {column + 1}]" for name, matrix in matrices.items() for row, column in sorted(matrix.rough)
    )


def _in_full(equations: MatrixTerms, at: Mapping[str, Any]) -> dict[str, Any]:
    """Values by the names of the equations; a model file may write swing.q for swing and ball.wx for ball.wx.v."""
    others = {name.removesuffix(".v"): name for name in equations.velocities}
    others |= {f"{name}.q": name for name in equations.coordinates}
    taken = {*equations.coordinates, *equations.parameters, *(equations.inputs if equations.motors != "none" else ())}
    names = {given: given if given in taken else others.get(given, given) for given in at}
    for given, name in names.items():
        if given != name and name in at:
            raise ModelError(f"{given!r} and {name!r} are the same", "keep one of them")
    return {names[given]: value for given, value in at.items()}


def _shown(value: Any) -> str:
    """A value as a person writes it: 1.0 is 1."""
    return f"{value:.15g}" if isinstance(value, float) else visible(str(value))


def _quantities(names: Any, units: Any, meaning: str = "") -> tuple[Quantity, ...]:
    return tuple(Quantity(name, unit, meaning=meaning) for name, unit in zip(names, units, strict=True))


def _inputs(equations: MatrixTerms) -> tuple[Quantity, ...]:
    """Efforts or voltages, and the sources of bond graphs that are inputs."""
    kind = "effort" if equations.motors == "none" else "voltage"
    meanings = {name: f"input of the bond graph {graph}" for name, graph in graph_inputs(equations._system).items()}
    inputs = zip(equations.inputs, equations._system.input_units, strict=True)
    return tuple(Quantity(name, unit, meaning=meanings.get(name, kind)) for name, unit in inputs)


def _coordinates(equations: MatrixTerms, units: Sequence[str]) -> tuple[Quantity, ...]:
    """Coordinates of the joints, or those that the model defines in their place."""
    if equations._change is None:
        return _quantities(equations.coordinates, units)
    written = zip(equations.model.coordinates.items(), units, strict=True)
    return tuple(Quantity(name, unit, meaning=visible(str(scalar))) for (name, scalar), unit in written)


def _changed_units(model: Model) -> list[str]:
    """Units of the coordinates that the model defines."""
    return list(coordinate_units(model).values())


def _rate(unit: str) -> str:
    """Unit of a velocity, from the unit of its coordinate."""
    return unit and f"{unit}/s"


def _law(model: Model, equation: StateEquation) -> str:
    """What changes a state of the user's own."""
    if equation.next is None:
        return f"rate {_explained(model, equation.rate)}"
    return f"next {_explained(model, equation.next)} every {visible(str(equation.every))}"


def _states(equations: MatrixTerms) -> tuple[Quantity, ...]:
    """The user's own states with their rates."""
    model = equations.model
    units, written = user_states(model), model.states
    own = tuple(Quantity(name, units[name], meaning=f"state, {_law(model, written[name])}") for name in written)
    graphs = [(graph, k) for graph in equations._system.graphs for k in range(len(graph.names))]
    return (
        *own,
        *(Quantity(g.names[k], g.units[k], meaning=f"state of the bond graph {g.name}") for g, k in graphs),
        *_friction_states(equations),
    )


_RUBBING = {
    "slip": ("sigma", "", "1 or −1 while the joint slides, 0 while it sticks"),
    **{
        f"direction{k}": ("d", f",{k}", "direction of sliding after the last event or turn, 0 while it sticks")
        for k in (1, 2, 3)
    },
    "bristle": ("z", "", "bend of the bristles"),
    "heat": ("W", "", "heat of friction"),
    "stop": ("s", "", "−1 at the lower stop, 1 at the upper one, else 0"),
    "impulse": ("p", "", "impulse of the last impact at a stop"),
    "impact_heat": ("W", ",impact", "energy that impacts at stops have taken"),
    "impact_work": ("A", "", "energy that moving constraints have put in at these impacts"),
}
"""States of friction and of end stops: letter, what follows the joint's name in its index, meaning."""


def _friction_states(equations: MatrixTerms) -> list[Quantity]:
    """The states of friction and of end stops."""
    return [
        Quantity(name, unit, meaning=meaning, letter=letter, index=f"{block.name}{index}")
        for block in (*equations._system.frictions, *equations._system.stops)
        for name, unit in zip(block.names, block.units, strict=True)
        for letter, index, meaning in [_RUBBING[name.removeprefix(f"{block.name}.")]]
    ]


def _explained(model: Model, scalar: Scalar) -> str:
    """An expression with the definitions of the names in it that stand for parts of expressions."""
    parts = [f"{name} = {model.let[name]}" for name in needed(scalar.names, model.let)]
    return visible(f"{scalar} with {', '.join(parts)}" if parts else str(scalar))


def _parameters(equations: MatrixTerms, at: Mapping[str, Any], matrices: Mapping[str, Matrix]) -> tuple[Quantity, ...]:
    """The model's own parameters, and of the symbols for numbers of bodies those that occur."""
    definitions, meanings = equations.model.parameters, equations._meaning
    occurring = _symbols(matrices) if meanings else set()
    values = resolve(definitions, {name: value for name, value in at.items() if name in definitions})

    def definition(name: str) -> str:
        """What the model, or the caller, writes; of a symbol for a number of a body also what it is."""
        written, meaning = str(at.get(name, definitions[name])), meanings.get(name)
        return visible(f"{written}, {meaning}" if meaning else written)

    return tuple(
        Quantity(name, value=f"{float(values[name]):.10g}", meaning=definition(name))
        for name in equations.parameters
        if name not in meanings or name in occurring
    )


def _symbols(matrices: Mapping[str, Matrix]) -> set[str]:
    """Names of all symbols in the entries of some matrices."""
    entries = [entry for matrix in matrices.values() for row in matrix.rows for entry in row]
    return {e.name for e in uses(entries) if e.kind == Head.SYMBOL}


def _multipliers(equations: MatrixTerms) -> tuple[Quantity, ...]:
    tree = equations._system.tree
    rows = constraint_rows(tree, motion(tree, np.array(tree.neutral), np.zeros(tree.nv)))
    first = {row.owner: k for k, row in reversed(list(enumerate(rows)))}
    of_constraint = multiplier_units(equations.model)
    drives = drive_rows(tree, len(rows))

    def unit(k: int, row: ConstraintRow) -> str:
        """Unit of the multiplier of a row: of the constraint's equation, or of a closed joint's force or moment."""
        if k in drives:
            return "N" if tree.velocities[drives[k]].unit == "m/s" else "N*m"
        if row.owner in tree.constraints:
            return of_constraint(row.owner, k - first[row.owner])
        return "N*m" if row.component.startswith("moment") else "N"

    return tuple(
        Quantity(row.owner, unit(k, row), meaning=f"multiplier: {row.component}{row.divisor and ' over '}{row.divisor}")
        for k, row in enumerate(rows)
    )


def _numbers(equations: MatrixTerms, at: Mapping[str, Any], units: Mapping[str, str]) -> dict[str, Matrix]:
    """The terms as numbers at given values; `units` are those of all names except parameters."""
    groups = {"q": equations.coordinates, "v": equations.velocities, "t": ("t",)}
    if equations.motors == "full":
        groups["currents"] = equations.currents
    groups["states"] = equations.states
    free = equations.inputs if equations.motors == "simplified" else graph_inputs(equations._system)
    groups["inputs"] = tuple(name if name in free else "" for name in equations.inputs)  # other inputs are zero
    known = [*(name for names in groups.values() for name in names if name), *equations.parameters]
    for name in at:
        if name not in known:
            raise ModelError(f"there is no {name!r} at which equations could be evaluated", nearest(name, known))
    neutral = dict(zip(equations.coordinates, _neutral(equations), strict=True))
    values = {
        group: np.array([_si(name, at.get(name, neutral.get(name, 0.0)), units) for name in names])
        for group, names in groups.items()
    }
    values["t"] = values["t"][0]
    terms = equations.evaluate(**values, parameters={name: at[name] for name in equations.parameters if name in at})
    return {name: _matrix(array, equations.shape(name)) for name, array in terms.items()}


def _neutral(equations: MatrixTerms) -> Sequence[float]:
    """Default coordinates: zero, and no rotation for a quaternion."""
    tree = equations._system.tree
    return tree.neutral if equations._change is None else [0.0] * tree.nq


def _si(name: str, value: Any, units: Mapping[str, str]) -> float:
    scalar = Scalar.read(value)
    if scalar.value is None:
        raise ModelError(f"{value!r} is not a number", 'write a number in SI units, or a quantity such as "20 deg"')
    if scalar.dimension is not None and units[name]:
        expected = DIMENSIONLESS if units[name] == "1" else read_unit(units[name]).dimension
        if scalar.dimension != expected:
            wanted = 'a number, or an angle such as "20 deg"' if units[name] == "rad" else describe(expected)
            raise ModelError(f"{name}: {value!r} is {describe(scalar.dimension)}", f"write {wanted}")
    return scalar.value


def _matrix(array: np.ndarray, shape: tuple[int, int]) -> Matrix:
    rows = array.reshape(shape).tolist()
    return Matrix(tuple(tuple(number(_short(x)) for x in row) for row in rows), shape[1])


def _short(value: float) -> float:
    """The value rounded to six digits."""
    return float(f"{value:.6g}") + 0.0
