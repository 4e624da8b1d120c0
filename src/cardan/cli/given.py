"""The model that a command is given: its name or file, how it is read, and what options change in it."""

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

import cardan
from cardan.cli.options import CHANGES, READING, assignments, option, seconds
from cardan.cli.progress import Bar
from cardan.frozen import dataclass, replace
from cardan.settings import DEFAULTS, Motors, Settings

if TYPE_CHECKING:
    from cardan.model import Model
    from cardan.model.signal import Table
    from cardan.results import Trajectory

_EXAMPLES = {
    "--initial": "'ball={rpy: [0, 0, 30 deg]}'",
    "--guess": "'ball={rpy: [0, 0, 30 deg]}'",
    "--motion": "'arm={profile: quintic, points: [[0 s, 20 deg], [4 s, 70 deg]]}'",
}
_RUNS = (".nc", ".csv", ".parquet", ".mat")  # extensions of files of runs
_MODEL = typer.Argument(
    metavar="MODEL", help="A name of the gallery, or a model file (YAML, URDF, SDF, MJCF).", show_default=False
)
RUN_OR_MODEL: Any = typer.Argument(
    metavar="RUN|MODEL", help="A file that [bold]cardan simulate -o[/] wrote, or a model.", show_default=False
)
"""The argument of commands that are given a run, or a model to run."""


@dataclass(frozen=True)
class GivenModel:
    """A model as the words of a command give it; reading it judges them."""

    name: str  # of the gallery, or of a file of a model or a run
    reading: Mapping[str, Any]  # arguments of `cardan.load`
    words: Mapping[str, Any]  # values of the options among `CHANGES` that the command has

    @property
    def motors(self) -> Motors | None:
        """How motors are modelled."""
        return self.words.get("motors")

    @property
    def motions(self) -> dict[str, Any] | None:
        """Prescribed motions as a model has them; None without any."""
        return {name: entry(law, "--motion") for name, law in self._values("motions", "--motion").items()} or None

    @property
    def guesses(self) -> dict[str, float | str]:
        """Guesses by coordinate."""
        return self._values("guesses", "--guess")

    @property
    def files(self) -> list[str]:
        """What may be files that the command reads."""
        return [self.name, *map(str, self._values("inputs", "--input").values())]

    @property
    def folders(self) -> list[Path]:
        """Folders in which meshes may lie: of the model or run, of its package, and the current one."""
        from cardan.formats.xml.meshes import package_folder

        folder = Path(self.name).parent
        return [folder, package_folder(folder), Path.cwd(), *self.reading.get("allow", ())]

    @property
    def is_run(self) -> bool:
        """Whether it is the file of a run."""
        return Path(self.name).suffix.lower() in _RUNS

    def _values(self, key: str, option: str) -> dict[str, float | str]:
        return assignments(self.words.get(key), option)

    def read(self) -> "Model":
        """The model, with what the options change; its own validation judges it."""
        from cardan.errors import nearest
        from cardan.model.initial import updated
        from cardan.model.names import carrying

        model = cardan.load(self.name, **self.reading)
        parameters, inputs = self._values("parameters", "--set"), self._values("inputs", "--input")
        if inputs:
            _check_inputs(model, self.motors, inputs)
        starts = _starts(self._values("initial", "--initial"), self.guesses)
        for name in parameters:
            if name not in model.parameters:
                fault = f'the model has no parameter "{name}"; {nearest(name, model.parameters)}'
                raise typer.BadParameter(fault, param_hint="--set")
        changes: dict[str, Any] = {"parameters": {**model.parameters, **parameters}} if parameters else {}
        if inputs:
            changes["inputs"] = {**model.inputs, **{name: _signal(value) for name, value in inputs.items()}}
        if starts:
            changes["initial"] = updated(model.initial, starts, carrying(model))
        return model.replace(**changes) if changes else model

    def run(self, until: str = "") -> "Trajectory":
        """The run in a file, or that of the model."""
        if self.is_run:
            own = {"--until": until, "--set": self.words.get("parameters"), "--motors": self.motors}
            for option in (option for option, words in own.items() if words):
                fault = "a run has its end and its parameters and motors; give a model"
                raise typer.BadParameter(fault, param_hint=option)
            return cardan.load_run(self.name)
        with Bar("simulating") as bar:
            end = seconds(until, "--until") if until else None
            return cardan.simulate(self.read(), until=end, motors=self.motors, progress=bar)

    def with_meshes(self, run: "Trajectory", model: "Model") -> "Trajectory":
        """The run of the model that was read, whose pictures find its meshes wherever its file is kept."""
        from cardan.model.meshes import fingerprint
        from cardan.model.shapes import Mesh
        from cardan.safety.reading import is_inside

        meshes = [shape.file for body in model.bodies.values() for shape in body.shapes if isinstance(shape, Mesh)]
        files = sorted({os.path.abspath(file) for file in meshes if is_inside(file, self.folders)})
        known = replace(run.provenance, meshes={file: fingerprint(file) for file in files})
        return replace(run, provenance=known)


NO_MODEL = GivenModel("", {}, {})
"""The default of commands that need no model."""


def reads_model(*changes: str, settings: Sequence[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator of commands, whose first argument is a `GivenModel`: options for how it is read and changed.

    `settings` are those of a run that are options, too; the command gets them as the library takes them. Such a one,
    as --trust, counts for the reading as well.
    """
    types = {name: str if kind == float | str | None else kind for name, kind in get_type_hints(Settings).items()}
    keyword = inspect.Parameter.KEYWORD_ONLY

    def parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
        return inspect.Parameter(name, keyword, default=default, annotation=annotation)

    made = [parameter(name, CHANGES[name], None) for name in changes]
    for name in settings:
        default = "" if types[name] is str else dict(DEFAULTS)[name]
        made.append(parameter(name, Annotated[types[name], option(name)], default))
    reading = [parameter(name, *READING[name]) for name in READING if name not in settings]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            read = {name: given[name] for name in READING if given[name] != READING[name][1]}
            words = {name: given[name] for name in changes}
            for name in settings:
                if types[name] is str:
                    given[name] = seconds(given[name], f"--{name.replace('_', '-')}") if given[name] else None
            rest = {name: given[name] for name in (*own, *settings) if name != first.name}
            command(GivenModel(given[first.name], read, words), **rest)

        first, *others = inspect.signature(command).parameters.values()
        (about,) = getattr(first.annotation, "__metadata__", (_MODEL,))
        listed = [one.replace(kind=keyword) for one in others if one.kind is not inspect.Parameter.VAR_KEYWORD]
        own = [first.name, *(one.name for one in listed)]
        place = own.index("output") - 1 if "output" in own else len(listed)
        default = "" if first.default is NO_MODEL else first.default
        model = first.replace(kind=keyword, annotation=Annotated[str, about], default=default)
        vars(run)["__signature__"] = inspect.Signature([model, *listed[:place], *made, *listed[place:], *reading])
        return run

    return decorate


def _check_inputs(model: "Model", motors: Motors | None, names: Mapping[str, Any]) -> None:
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


def _starts(held: Mapping[str, float | str], guesses: Mapping[str, float | str]) -> dict[str, Any]:
    """Initial values as a model has them."""
    for name in guesses:
        if name in held:
            raise typer.BadParameter(f'"{name}" is also given to --initial, which holds it', param_hint="--guess")
    found = {name: entry(value, "--initial") for name, value in held.items()}
    return found | {name: {"guess": entry(value, "--guess")} for name, value in guesses.items()}


def entry(value: float | str, option: str) -> Any:
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


def _signal(value: float | str) -> "float | str | Table":
    """Input in the form of a model file; a text that ends in .csv names a table, which is read now to check it."""
    if not (isinstance(value, str) and value.lower().endswith(".csv")):
        return value
    from cardan.model.signal import Table

    table = Table(file=value)
    table.samples()
    return table
