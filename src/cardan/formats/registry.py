"""Formats by extension: `load` and `save` find the right one."""

import os
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Literal

from cardan.errors import Issue, ModelError, nearest
from cardan.formats.format import Format
from cardan.formats.gallery import gallery, gallery_path, is_in_gallery
from cardan.model.model import Model, check_model

_YAML, _URDF, _MJCF, _SDF = (".yaml", ".yml"), (".urdf", ".xacro"), (".xml", ".mjcf"), (".sdf", ".world")
FORMATS: Mapping[str, str] = {
    **dict.fromkeys(_YAML, "yaml"),
    **dict.fromkeys(_URDF, "urdf"),
    **dict.fromkeys(_MJCF, "mjcf"),
    **dict.fromkeys(_SDF, "sdf"),
}
"""Module in `cardan.formats` for each file extension; it is imported when such a file is read or written."""
_BY_FMU = "export it as an FMU, which a model can have as a controller, or its mechanism as URDF or MJCF"
_BY_URDF = "export it as URDF, with a converter of its program"
_CURES = {
    **dict.fromkeys(
        (".nc", ".csv", ".parquet", ".mat"), "a run is shown by cardan plot, cardan animate, cardan report"
    ),
    **dict.fromkeys((".slx", ".mdl", ".mo", ".fmu", ".ssp"), _BY_FMU),
    **dict.fromkeys((".adm", ".cmd", ".usd", ".usda", ".usdc", ".usdz"), _BY_URDF),
    **dict.fromkeys((".step", ".stp", ".iges", ".igs", ".sldasm", ".iam", ".fcstd"), f"{_BY_URDF}: CAD has no joints"),
}
"""What helps with files of other programs, by their extension."""


def load(
    name_or_path: str | os.PathLike[str],
    *,
    allow: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
    base: Literal["fixed", "free"] = "fixed",
    stops: bool = False,
    contacts: bool = False,
    strict: bool = False,
    inertia: Literal["given", "minimal"] = "given",
    regularize: float | str | None = None,
    accept: Sequence[str] = (),
    keyframe: str | None = None,
    trust: bool = False,
) -> Model:
    """The model in a file or in the gallery.

    Parameters
    ----------
    name_or_path : str or path
        Name of a gallery model, such as "overhead_crane", or path of a file in YAML, URDF, SDF or MJCF.
        A text with a folder or an extension in it is a path.
    allow : path or iterable of paths
        Folders from which the model may read files, such as tables of inputs; without them only from the folder of
        its own file and those below it; URDF, SDF and MJCF files also read meshes and included files of the package in
        which they lie. Links are followed before a file is judged.
    base : "fixed" or "free"
        Whether the root link of a URDF file is held by the ground or flies.
    stops : bool
        Whether the position limits in a robot's file become end stops, which joints hit.
    contacts : bool
        Whether the geoms of an MJCF file and the collision shapes of a URDF or SDF file become contacts.
    strict : bool
        Whether a bad value in a robot's file, such as a negative moment of inertia, is refused; otherwise a warning
        says what is taken in its place.
    inertia : "given" or "minimal"
        Whether the links of a URDF file that have no inertia, and move nothing that has, get the least that lets a run
        compute their accelerations.
    regularize : float or text, optional
        Speed over which the friction of joints in a robot's file changes its sign [rad/s or m/s]: joints creep in
        place of sticking. By default they stick.
    accept : sequence of str
        Doubts about a robot's file that do not apply, as `accept` of a model file has them, such as "inertia".
    keyframe : str, optional
        Name of the keyframe of an MJCF file that is the start; "none" for the positions in which the file describes
        the bodies. By default it is the first.
    trust : bool
        Whether the macros of a xacro file may run: they are expressions of Python, and include other files.

    Raises
    ------
    ModelError
        There is no such model or folder, files of this format have no such option, or the model is wrong; the message
        names file, line, key, fault and cure, for all faults found.

    Example
    -------
    >>> load("compound_pendulum").name
    'compound pendulum'
    """
    if not isinstance(name_or_path, str | os.PathLike):
        raise ModelError(
            f"{name_or_path!r:.60} is no name and no path", 'give a text, such as "overhead_crane" or "crane.yaml"'
        )
    path = Path(name_or_path)
    if isinstance(name_or_path, str) and not path.suffix and len(path.parts) == 1:
        if not is_in_gallery(name_or_path):
            fault = f"there is no model {name_or_path!r} in the gallery"
            raise ModelError(fault, f"{nearest(name_or_path, gallery())}; a file needs its extension, such as .yaml")
        path = gallery_path(name_or_path)
    if len(path.parts) == 1 and is_in_gallery(path.stem) and path.suffix in FORMATS and not path.exists():
        raise ModelError(f"there is no file {path}", f"the gallery has a model of this name: {path.stem}")
    given: dict[str, object] = {"base": base, "inertia": inertia, "regularize": regularize, "accept": accept}
    given |= {"keyframe": keyframe, "stops": stops, "contacts": contacts, "strict": strict, "trust": trust}
    return format_of(path).load(path, folders_of(allow), **options_for(path, given))


def options_for(path: Path, given: Mapping[str, object]) -> dict[str, object]:
    """The options that differ from their defaults; refused by name where the reader of the format has them not."""
    form = format_of(path)
    asked = {name: value for name, value in given.items() if value != _DEFAULTS[name]}
    known = getattr(form.load, "__kwdefaults__", None) or {}
    cure = f"leave it out; such files have {', '.join(known)}" if known else "leave it out; the file says it itself"
    if "trust" not in known:
        asked.pop("trust", None)  # a permission that such files do not need
    issues = [Issue(f"{name}= is no option of {path.suffix} files", cure) for name in asked if name not in known]
    words = {"base": ("fixed", "free"), "inertia": ("given", "minimal")}
    for name, choices in words.items():
        if given.get(name, choices[0]) not in choices:
            issues.append(Issue(f"{name} is {given[name]!r:.60}", f"write {' or '.join(map(repr, choices))}"))
    if issues:
        raise ModelError(issues)
    return asked


_DEFAULTS: Mapping[str, object] = load.__kwdefaults__ or {}


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file; `load` of that file gives an equal model.

    Parameters
    ----------
    model : Model
        What to write.
    path : str or path
        Where; its extension says in which format. The file appears whole or not at all.

    Raises
    ------
    ModelError
        It is no model, or no format has this extension.
    OSError
        The file cannot be written.
    """
    check_model(model)
    format_of(Path(path)).save(model, Path(path))


def format_of(path: Path) -> Format:
    """How files with the extension of `path` are read and written."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        cure = _CURES.get(suffix, f"known: {', '.join(FORMATS)}")
        raise ModelError(f"{path.name!r} has no extension of a model file", cure)
    return import_module(f"cardan.formats.{FORMATS[suffix]}").FORMAT


def folders_of(allow: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The folders that are allowed; refused where one is not there."""
    folders = [Path(one) for one in ([allow] if isinstance(allow, str | os.PathLike) else allow)]
    for folder in folders:
        if not folder.is_dir():
            raise ModelError(f"there is no folder {folder}, which is to be allowed", "give the path of a folder")
    return folders
