"""Options of the command line that change a model: its parameters, inputs and initial values."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import cardan
from cardan.cli.options import Reading, assignments
from cardan.settings import Motors

if TYPE_CHECKING:
    from cardan.model import Model
    from cardan.model.signal import Table
    from cardan.results import Trajectory

_EXAMPLES = {
    "--initial": "'ball={rpy: [0, 0, 30 deg]}'",
    "--guess": "'ball={rpy: [0, 0, 30 deg]}'",
    "--motion": "'arm={profile: quintic, points: [[0 s, 20 deg], [4 s, 70 deg]]}'",
}


def read_model(
    source: str,
    motors: Motors | None,
    parameters: Sequence[str] | None,
    driven: dict[str, float | str],
    initial: Sequence[str] | None,
    guesses: Sequence[str] | None,
    reading: Reading,
) -> "Model":
    """The model in a file or of the gallery, with what the options of a run change."""
    loaded = cardan.load(source, **reading)
    _check_inputs(loaded, motors, driven)
    begin = starts(assignments(initial, "--initial"), assignments(guesses, "--guess"))
    return changed(loaded, assignments(parameters, "--set"), driven, begin)


def picture_folders(source: str, reading: Reading) -> list[Path]:
    """The folders in which meshes of a model or a run may lie: its own, that of its package, and the current one."""
    from cardan.formats.xml.meshes import package_folder

    folder = Path(source).parent
    return [folder, package_folder(folder), Path.cwd(), *reading.get("allow", ())]


def with_meshes(run: "Trajectory", model: "Model", source: str, reading: Reading) -> "Trajectory":
    """The run of a model, whose pictures find its meshes wherever its file is kept."""
    from cardan.frozen import replace
    from cardan.model.meshes import fingerprint
    from cardan.model.shapes import Mesh
    from cardan.safety.reading import is_inside

    folders = picture_folders(source, reading)
    shapes = [shape for body in model.bodies.values() for shape in body.shapes]
    files = {
        os.path.abspath(shape.file) for shape in shapes if isinstance(shape, Mesh) and is_inside(shape.file, folders)
    }
    known = replace(run.provenance, meshes={file: fingerprint(file) for file in sorted(files)})
    return replace(run, provenance=known)


def _check_inputs(model: "Model", motors: Motors | None, names: Iterable[str]) -> None:
    """Refuse inputs that the model knows but that are not driven with this motor model."""
    from cardan.model.names import carrying, efforts
    from cardan.system.system import motor_model

    are_off = motor_model(model, motors) == "none"
    joints = efforts(carrying(model))
    taken, others = (joints, model.motors) if are_off else (model.motors, joints)
    for name in names:
        if name in others and name not in taken:
            cure = "leave --motors none out" if are_off else "add --motors none"
            what = "voltage of a motor" if are_off else "effort of a joint"
            raise typer.BadParameter(
                f'"{name}" is the {what}, which is not an input here; {cure}', param_hint="--input"
            )


def starts(held: dict[str, float | str], guesses: dict[str, float | str]) -> dict[str, Any]:
    """Initial values as a model has them."""
    for name in guesses:
        if name in held:
            raise typer.BadParameter(f'"{name}" is also given to --initial, which holds it', param_hint="--guess")
    found = {name: _entry(value, "--initial") for name, value in held.items()}
    return found | {name: {"guess": _entry(value, "--guess")} for name, value in guesses.items()}


def laws(given: dict[str, float | str]) -> dict[str, Any]:
    """Prescribed motions as a model has them."""
    return {name: _entry(value, "--motion") for name, value in given.items()}


def _entry(value: float | str, option: str) -> Any:
    """A value; `true`, and one in braces or brackets, is read as in a model file."""
    if value == "true":
        return True
    if not (isinstance(value, str) and value.startswith(("{", "["))):
        return value
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe", pure=True).load(value)
    except YAMLError:
        cure = f"write it as in a model file: {_EXAMPLES[option]}"
        raise typer.BadParameter(f'"{value}" cannot be read; {cure}', param_hint=option) from None


def changed(
    model: "Model", parameters: dict[str, float | str], inputs: dict[str, float | str], initial: dict[str, Any]
) -> "Model":
    """Model with what the command line says instead; the model's own validation judges it."""
    from cardan.errors import nearest
    from cardan.model.initial import updated
    from cardan.model.names import carrying

    for name in parameters:
        if name not in model.parameters:
            raise typer.BadParameter(
                f'the model has no parameter "{name}"; {nearest(name, model.parameters)}', param_hint="--set"
            )
    signals = {name: _signal(value) for name, value in inputs.items()}
    given: dict[str, Mapping[str, Any]] = {"parameters": parameters, "inputs": signals, "initial": initial}
    changes: dict[str, Any] = {
        section: {**getattr(model, section), **values} for section, values in given.items() if values
    }
    if initial:
        changes["initial"] = updated(model.initial, initial, carrying(model))
    return model.replace(**changes) if changes else model


def _signal(value: float | str) -> "float | str | Table":
    """Input in the form of a model file; a text that ends in .csv names a table, which is read now to check it."""
    if not (isinstance(value, str) and value.lower().endswith(".csv")):
        return value
    from cardan.model.signal import Table

    table = Table(file=value)
    table.samples()
    return table
