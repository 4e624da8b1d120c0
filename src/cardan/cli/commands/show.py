"""`cardan show`: the content of a model file as tables."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import cardan
from cardan.cli.failure import guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.terminal import out, styled, table

if TYPE_CHECKING:
    from cardan.analysis import SingularSet
    from cardan.model import Model


_SECTIONS = (
    *("parameters", "bodies", "joints", "motors", "forces", "contacts", "constraints", "motions", "coordinates"),
    *("let", "states", "programs", "inputs", "initial", "outputs", "events"),
)
_PLURALS = {"graphs": "bond graphs"}
_LONGEST = 300  # characters of a list that is shown whole: four lines


@guarded
@reads_model()
def show(
    model: GivenModel,
    reach: Annotated[
        str,
        typer.Option(help="A body or marker: print where the mechanism that moves it is singular.", metavar="MARKER"),
    ] = "",
    base_parameters: Annotated[
        bool, typer.Option("--base-parameters", help="Print the inertial parameters that motion can identify.")
    ] = False,
    yaml: Annotated[
        bool, typer.Option("--yaml", help="Print the model file itself; of another format, as YAML.")
    ] = False,
) -> None:
    """Show the bodies, joints, motors, forces and parameters of a MODEL, its loops and its degrees of freedom.

    [dim]cardan show overhead_crane[/]

    [dim]cardan show manipulator_6dof --reach link6[/]   where the hand of an arm is singular

    [dim]cardan show slider_crank --reach slider[/]   its dead centres

    [dim]cardan show overhead_crane --yaml > my_crane.yaml[/]   a start for a model of your own

    [dim]cardan show robot.urdf --base free --stops --yaml > robot.yaml[/]   a robot that nothing holds

    [dim]cardan show robot.xml --contacts --yaml > robot.yaml[/]   a robot that stands on its feet
    """
    loaded = model.read()
    console = out()
    if yaml:
        console.print(_text(model.name, loaded), soft_wrap=True, end="")
        return
    from cardan.cli.commands.mobility import mobility_lines
    from cardan.model.names import carrying, coordinates
    from cardan.model.records.plain import plain
    from cardan.model.sections import gravity_words

    console.print(styled(loaded.name or model.name), end="")
    console.print(f": {_counts(loaded)}")
    if loaded.source:
        console.print(loaded.source, style="dim")
    console.print(f"coordinates: {', '.join(coordinates(carrying(loaded))) or 'none'}")
    console.print(f"gravity: {gravity_words(loaded)}")
    if loaded.planar:
        console.print(f"planar: {loaded.planar}")
    if loaded.simulate.until is not None:
        console.print(f"simulated until: {loaded.simulate.until}")
    lines = [*(mobility_lines(loaded) if loaded.bodies else ()), *_graph_lines(loaded), *_solid_lines(loaded)]
    lines += [*motor_lines(loaded), *(reach_lines(loaded, reach) if reach else ())]
    for line in [*lines, *(base_parameter_lines(loaded) if base_parameters else ())]:
        console.print(line, soft_wrap=True)
    keys = plain(loaded)
    for section in _SECTIONS:
        if keys.get(section):
            rows = [(name, *_cells(entry)) for name, entry in keys[section].items()]
            used = [column for column in range(4) if column == 0 or any(row[column] for row in rows)]
            cells = ([row[column] for column in used] for row in rows)
            console.print(table(cells, section, *("" for _ in used[1:])))


def _graph_lines(model: "Model") -> list[str]:
    """Size and states of every bond graph, and in words which stores follow others."""
    from cardan.model.graphs import causality_words, graph_states, wires

    lines = []
    for name, graph in model.graphs.items():
        states = ", ".join(f"{name}.{state}" for state in graph_states(graph))
        size = f"{len(graph.elements)} elements, {len(wires(graph))} bonds"
        lines.append(f"graph {name}: {size}; states: {states or 'none'}")
        lines += [f"  {words}" for words in causality_words(graph)]
    return lines


def _solid_lines(model: "Model") -> list[str]:
    """One line for each body whose mass is that of its shapes."""
    from cardan.model import resolve

    values, lines = resolve(model.parameters), []
    for name, body in model.bodies.items():
        if body.is_solid:
            found = body.resolved(lambda scalar: scalar.evaluate(values.__getitem__))
            com, I_C = (", ".join(f"{float(x) + 0.0:.4g}" for x in entry) for entry in (found.com, found.inertia))
            lines.append(
                f"{name}, from its shapes: mass {float(found.mass):.4g} kg, com [{com}] m, inertia [{I_C}] kg*m^2"
            )
    return lines


def _text(name: str, model: "Model") -> str:
    """The text of a model file with its comments, or the text of the model where its file is none in YAML."""
    from cardan.formats.gallery import gallery_path, is_in_gallery
    from cardan.formats.registry import format_of
    from cardan.formats.yaml import dump
    from cardan.formats.yaml_text import read_text

    path = gallery_path(name) if is_in_gallery(name) else Path(name)
    return read_text(path) if format_of(path).is_yaml else dump(model)


def _counts(model: "Model") -> str:
    """Numbers of bodies, joints and so on, as text."""
    words = {"bodies": "body", "joints": "joint", "motors": "motor", "forces": "force", "constraints": "constraint"}
    words |= {"contacts": "contact", "graphs": "bond graph", "events": "event"}
    counts = {section: len(getattr(model, section)) for section in words}
    return ", ".join(
        f"{count} {words[section] if count == 1 else _PLURALS.get(section, section)}"
        for section, count in counts.items()
        if count
    )


def _cells(entry: Any) -> tuple[str, str, str]:
    """Type, places and other keys of a record; a plain number goes into the last column."""
    if not isinstance(entry, Mapping):
        return "", "", str(entry)
    places = " → ".join(_place(entry[key]) for key in ("parent", "child") if key in entry)
    rest = [_words(key, value) for key, value in entry.items() if key not in ("type", "parent", "child")]
    return str(entry.get("type", "")), places, ", ".join(rest)


def _place(end: Any) -> str:
    """The end of a joint, force or constraint: its name, or body and numbers of a frame given on the spot."""
    if not isinstance(end, Mapping):
        return str(end)
    numbers = [_words(key, value) for key, value in end.items() if key != "body"]
    return f"{end['body']} ({', '.join(numbers)})" if numbers else str(end["body"])


def _words(key: str, value: Any) -> str:
    """A key and its value, shortened where the value is a collection of records or fills a page."""
    if key == "shapes":
        return f"{len(value)} {'shape' if len(value) == 1 else 'shapes'}"
    if key == "table":
        return f"table of {len(value)} rows"
    if isinstance(value, Mapping):
        if key == "do":
            return "do set " + ", ".join(f"{name}: {_value(entry)}" for name, entry in value["set"].items())
        if any(isinstance(entry, Mapping) for entry in value.values()):
            return f"{key} {', '.join(str(name) for name in value)}"
        return f"{key} ({', '.join(_words(name, entry) for name, entry in value.items())})"
    if key == "inertia" and list(value[3:]) == [0, 0, 0]:
        value = value[:3]
    if isinstance(value, list) and len(_value(value)) > _LONGEST:
        return f"{len(value)} {key}"
    return f"{key} {_value(value)}"


def _value(value: Any) -> str:
    """A number, text or list of them, as a model file has it."""
    if not isinstance(value, list | tuple):
        return str(value)
    entries = [entry for entry in value if entry is not None]  # a point of a profile without a time
    shown = [_value(entry) for entry in entries]
    return shown[0] if len(entries) < len(value) == 2 else f"[{', '.join(shown)}]"


def motor_lines(model: "Model") -> list[str]:
    """Return the carrier and the time constants of each motor for `cardan show`; no times if assembly fails."""
    from cardan.analysis import motor_times

    if not model.motors:
        return []
    lines = _stators(model)
    try:
        return [*lines, *(f"{name}: {times}" for name, times in motor_times(model).items())]
    except cardan.AssemblyError:
        return lines


def _stators(model: "Model") -> list[str]:
    """Which body carries the stator of each motor with inertia, and what its turning adds."""
    from cardan.kinematics.build import build
    from cardan.model.motors.stators import stators
    from cardan.model.place import GROUND

    tree, lines = build(model), []
    carrier = {rotor.name: rotor.carrier for rotor in tree.motor_rotors}
    for name, body in stators(model).items():
        if (link := carrier[name]) is not None and tree.turns(link):
            words = f"stator on {body}, with whose turning the rotor's spin couples (exact)"
        elif model.motors[name].mounted_on == GROUND:
            words = "mounted_on: ground, so that only r² Im is added (the papers' form)"
        else:
            words = f"stator on {body}, which does not turn: the rotor adds r² Im"
        lines.append(f"{name}: {words}")
    return lines


def base_parameter_lines(model: "Model") -> list[str]:
    """Return the lines that `cardan show --base-parameters` prints."""

    found = cardan.base_parameters(model)
    lines = [f"  {entry} = {round(entry.value, 12):.6g}" for entry in found.parameters]
    return [f"{len(found)} base parameters of {10 * len(model.bodies)} inertial parameters", *lines]


def reach_lines(model: "Model", marker: str) -> list[str]:
    """Return the lines that `cardan show --reach` prints for a marker."""
    from cardan.model.names import carrying, coordinates

    report = cardan.singular_positions(model, marker)
    here = f", in the initial position {report.here}" if report.singular else ""
    units, ways = coordinates(carrying(model)), "way" if report.rank == 1 else "ways"
    return [
        f"{marker} can be moved in {report.rank} independent {ways}{here}",
        *(f"singular, {_kind(found, model)}: {_where(found, units)}" for found in report.sets),
    ]


def _kind(found: "SingularSet", model: "Model") -> str:
    """`rank 5` for an arm; for a mechanism with loops the kind of singularity and its meaning."""
    from cardan.model.names import carrying

    closed = len(carrying(model)) < len(model.joints) or bool(model.constraints)
    return f"{found.kind} ({found.meaning})" if closed else f"rank {found.rank}"


def _where(found: "SingularSet", units: "Mapping[str, str]") -> str:
    """`q4 = 90 deg`; of a curve or surface one example."""
    values = ", ".join(f"{name} = {_in_unit(value, units.get(name, ''))}" for name, value in found.where.items())
    return f"for example {values}" if found.example else values


def _in_unit(value: float, unit: str) -> str:
    if unit == "rad":
        return f"{round(math.degrees(value), 3) + 0.0:g} deg"
    return f"{round(value, 6) + 0.0:g} {unit}".rstrip()
