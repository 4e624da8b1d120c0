"""`export_fmu`: a model as a functional mock-up unit, a zip file that other simulators run without Cardan."""

import errno
import hashlib
import io
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import cardan
from cardan.codegen.targets.c_source import c_files
from cardan.codegen.targets.c_stepper import named
from cardan.codegen.targets.identifiers import module_name
from cardan.errors import ModelError, nearest
from cardan.formats.fmu.binaries import SYSTEMS, compiled, folder_of, this_system
from cardan.formats.fmu.description import MockUp, build_description, description
from cardan.formats.fmu.machine import functions_of, machine_of
from cardan.model.model import Model, check_model
from cardan.model.records.plain import plain
from cardan.safety.writing import replacing
from cardan.settings import Motors
from cardan.simulation.exports.code_export import with_parameters

Version = Literal["3.0", "2.0"]
Kind = Literal["CoSimulation", "ModelExchange", "both"]


def export_fmu(
    model: Model,
    path: str | Path = ".",
    *,
    version: Version = "3.0",
    kind: Kind = "both",
    systems: Sequence[str] | None = None,
    motors: Motors | None = None,
    inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> Path:
    """Path of the FMU written: the model as a functional mock-up unit, with its sources in C and compiled.

    Simulators with FMI run it without Cardan. Variables have the names and units of results: inputs, parameters, states
    with their rates `der(swing.q)`, and the model's outputs; without outputs positions and velocities are offered.
    Events are located, controllers with a period are sampled, and closed loops are projected.

    Parameters
    ----------
    model : Model
        The mechanism.
    path : str or Path, optional
        A file that ends in .fmu, or a folder that exists, where the name comes from the model.
    version : "3.0" or "2.0"
        Version of the standard FMI.
    kind : "CoSimulation", "ModelExchange" or "both"
        Whether the FMU brings its own integrator, is integrated by the importer, or can be used in both ways.
    systems : sequence of str, optional
        The systems to compile for, by default this one: "x86_64-linux", "aarch64-linux", "x86_64-windows",
        "x86_64-darwin", "aarch64-darwin". Others than this one need zig: pip install ziglang.
    motors : "full", "simplified" or "none", optional
        How motors are modelled, as of `export`.
    inputs : mapping, optional
        Signals by motor in place of the model's, as of `simulate`. A number is the value at the start of an input that
        others feed; an expression is computed inside.
    parameters : mapping, optional
        Other default values of parameters: SI, or text with a unit.
    overwrite : bool
        Whether a file that exists is replaced.

    Raises
    ------
    ModelError
        There is no such version, kind, system or parameter; no compiler is installed; or the model has a part that an
        FMU cannot have (docs/fmu.md).
    FileExistsError
        The file exists already.
    OSError
        There is no such folder, or the file cannot be written.

    Example
    -------
    >>> import cardan, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = cardan.export_fmu(cardan.load("overhead_crane"), folder, kind="CoSimulation")
    >>> file.name
    'overhead_crane.fmu'
    """
    check_model(model)
    path, wanted = Path(path), tuple(systems) if systems is not None else (this_system(),)
    choices = [("version", version, get_args(Version)), ("kind", kind, get_args(Kind))]
    for word, given, known in (*choices, *(("system", system, SYSTEMS) for system in wanted)):
        if given not in known:
            raise ModelError(f"there is no {word} {given!r} of FMUs", nearest(given, known))
    name = module_name(model.name if path.is_dir() else path.stem)
    file = path / f"{name}.fmu" if path.is_dir() else path
    if file.suffix != ".fmu":
        raise ModelError(
            f"{str(path)!r} is no file of an FMU", "name a file that ends in .fmu, or a folder that exists"
        )
    if not file.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no folder", str(file.parent))
    if file.exists() and not overwrite:
        raise FileExistsError(errno.EEXIST, "the file exists, and was not to be overwritten", str(file))
    kinds = ("ModelExchange", "CoSimulation") if kind == "both" else (kind,)
    content = _zipped(_parts(with_parameters(model, parameters), name, version, kinds, wanted, motors, inputs))
    with replacing(file) as stream:
        stream.write(content)
    return file


def _parts(
    model: Model,
    name: str,
    version: str,
    kinds: Sequence[str],
    systems: Sequence[str],
    motors: Motors | None,
    inputs: Mapping[str, Any] | None,
) -> dict[str, bytes]:
    """The files of the FMU by their paths."""
    made_from = f"{cardan.__version__} {version} {motors} {inputs} {plain(model)}"
    token = "{" + hashlib.sha256(made_from.encode()).hexdigest()[:32] + "}"
    machine = machine_of(model, name, motors, inputs)
    texts = {f"{name}{ending}": text for ending, text in c_files(machine.source).items()}
    interface = f"fmi{version[0]}.c"
    code = f'\n#define MODEL_TOKEN "{token}"\n{machine.code}{functions_of(version)}'
    texts[interface] = f'#include "{name}.h"\n#include <math.h>\n#include <string.h>\n{named(code, name)}'
    compile_these = (f"{name}.c", interface)
    unit = MockUp(machine, model, token, kinds, compile_these)
    parts = {"modelDescription.xml": description(unit, version)}
    parts |= {f"sources/{file}": text.encode() for file, text in texts.items()}
    if version == "3.0":
        parts["sources/buildDescription.xml"] = build_description(unit)
    with tempfile.TemporaryDirectory() as folder:
        for file, text in texts.items():
            (Path(folder) / file).write_text(text, encoding="utf-8")
        for system in systems:
            made = compiled(Path(folder), compile_these, name, system)
            parts[f"{folder_of(system, version)}/{made.name}"] = made.read_bytes()
    return parts


def _zipped(parts: Mapping[str, bytes]) -> bytes:
    """A zip file; its entries have no date, so that the same model gives the same file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in parts.items():
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
