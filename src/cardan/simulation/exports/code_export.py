"""`export`: the functions of a model as source files for other programs, in C, Python with NumPy, or CasADi."""

import errno
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from cardan.assembly.start import ready_system
from cardan.codegen.targets.c_source import c_files
from cardan.codegen.targets.c_stepper import Stepper
from cardan.codegen.targets.casadi_source import casadi_files
from cardan.codegen.targets.identifiers import module_name
from cardan.codegen.targets.python_source import python_files
from cardan.codegen.targets.source import Source
from cardan.errors import ModelError, nearest
from cardan.frozen import dataclass
from cardan.functions.source import source
from cardan.model.model import Model, check_model
from cardan.model.records.section import MAX_NAME
from cardan.safety.writing import write_text
from cardan.settings import Motors
from cardan.simulation.exports.c_stepper import stepper_source
from cardan.simulation.setup import prepare
from cardan.system.system import motor_model

Target = Literal["c", "python", "casadi"]


@dataclass(frozen=True, slots=True)
class _Language:
    """A language of exported files."""

    endings: tuple[str, ...]  # endings of its files; the first is that of the path the user gives
    files: Callable[[Source], dict[str, str]]  # writes the texts of all files, by ending


TARGETS = {
    "c": _Language((".c", ".h"), c_files),
    "python": _Language((".py",), python_files),
    "casadi": _Language((".casadi",), casadi_files),
}
"""The languages that `export` writes."""


def export(
    model: Model,
    path: str | Path = ".",
    *,
    to: Target | None = None,
    functions: Sequence[str] = (),
    stepper: Stepper | None = None,
    motors: Motors | None = None,
    parameters: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> list[Path]:
    """Paths of the files written: functions of a model as source code that runs without Cardan.

    * c: NAME.h and NAME.c, C99 that includes only <math.h> and allocates no memory; every name begins with NAME_.
    * python: NAME.py, functions of arrays with leading batch axes that import only NumPy.
    * casadi: NAME_FUNCTION.casadi for `casadi.Function.load`, and NAME.json with the descriptions of all of them.

    The text depends only on the model and the version of Cardan. Parameters stay inputs; their values in the file are
    defaults.

    Parameters
    ----------
    model : Model
        The mechanism.
    path : str or Path, optional
        A file, whose stem becomes NAME, or a folder that exists, where NAME comes from the model's name.
    to : "c", "python" or "casadi", optional
        The language; by default it follows from the ending of `path`.
    functions : sequence of str, optional
        Methods of `Dynamics` by name, "jacobian:PLACE" among them, and "controllers": a step of the sampled
        controllers of the model. By default all except jacobian, coriolis_matrix, regressor and controllers, and
        those of constraints and motions only where the model has any.
    stepper : "rk4", "semi_implicit_euler" or "tsit5", optional
        In place of these functions a step of the motion by this method, in C (docs/export.md).
    motors : "full", "simplified" or "none", optional
        How motors are modelled: with currents as states, with L di/dt = 0, or left out; by default full if the model
        has motors, else none.
    parameters : mapping, optional
        Other default values of parameters: SI, or text with a unit.
    overwrite : bool
        Whether files that exist are replaced.

    Raises
    ------
    ModelError
        There is no such language, function, stepper, marker or parameter, or no language is given; or the model has
        events, which a step does not locate.
    FileExistsError
        A file exists already; nothing was written.
    OSError
        There is no such folder, or a file cannot be written.

    Example
    -------
    >>> import cardan, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = export(cardan.load("spring_pendulum"), f"{folder}/pendulum.c", functions=["mass_matrix"])
    >>> [file.name for file in files]
    ['pendulum.h', 'pendulum.c']
    """
    return exported(
        model,
        path,
        to=to,
        functions=functions,
        stepper=stepper,
        motors=motors,
        parameters=parameters,
        overwrite=overwrite,
    )[0]


def exported(
    model: Model,
    path: str | Path,
    *,
    to: str | None,
    functions: Sequence[str],
    stepper: str | None,
    motors: Motors | None,
    parameters: Mapping[str, Any] | None,
    overwrite: bool,
) -> tuple[list[Path], str]:
    """The files that `export` writes, and what the call of a step computes, in words; empty without a step."""
    check_model(model)
    path = Path(path)
    language = _language(path, to)
    name = _name(model, path)
    folder = path if path.is_dir() else path.parent
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no folder", str(folder))
    changed, words = with_parameters(model, parameters), ""
    if stepper is not None:
        if language is not TARGETS["c"] or functions:
            raise ModelError(
                "a step is written in C alone, without other functions", "write to another C file for these"
            )
        written, words = stepper_source(changed, name, stepper, motors)
    else:
        system = ready_system(changed, motor_model(changed, motors))
        written = source(system, functions, name, partial(_starts, changed, motors))
    texts = {folder / f"{name}{ending}": text for ending, text in language.files(written).items()}
    taken = next((file for file in texts if file.exists()), None)
    if taken and not overwrite:
        raise FileExistsError(errno.EEXIST, "the file exists, and was not to be overwritten", str(taken))
    for file, text in texts.items():
        write_text(file, text)
    return list(texts), words


def _starts(model: Model, motors: Motors | None) -> dict[str, float]:
    """Values of the states at the start of a run."""
    setup = prepare(model, times=[0.0], motors=motors)
    return dict(zip(setup.conditions.system.state_names, setup.start.x.tolist(), strict=True))


def _language(path: Path, to: str | None) -> _Language:
    """The language that is named, or that of the ending of the path."""
    by_ending = next((name for name, language in TARGETS.items() if path.suffix.lower() in language.endings), None)
    wanted = to or (None if path.is_dir() else by_ending)
    if to is not None and to not in TARGETS:
        raise ModelError(f"cannot export to {to!r}", nearest(to, TARGETS))
    if wanted is None:
        endings = ", ".join(language.endings[0] for language in TARGETS.values())
        raise ModelError(
            f"{str(path)!r} does not say which language",
            f"say to which: {', '.join(TARGETS)}; or end a file in {endings}",
        )
    if not path.is_dir() and by_ending != wanted:
        cure = f"name a file that ends in {TARGETS[wanted].endings[0]}, or a folder that exists"
        raise ModelError(f"{str(path)!r} is no file of the language {wanted}", cure)
    return TARGETS[wanted]


def _name(model: Model, path: Path) -> str:
    """The start of all names of files and functions."""
    if path.is_dir():
        return module_name(model.name[:MAX_NAME])
    if module_name(path.stem) != path.stem:
        cure = f"call it {module_name(path.stem)}{path.suffix}"
        raise ModelError(f"{path.stem!r} cannot begin the names in {str(path)!r}", cure)
    return path.stem


def with_parameters(model: Model, parameters: Mapping[str, Any] | None) -> Model:
    """The model with other values of parameters."""
    for name in parameters or ():
        if name not in model.parameters:
            raise ModelError(f"there is no parameter {name!r}", nearest(name, model.parameters))
    return model.replace(parameters={**model.parameters, **parameters}) if parameters else model
