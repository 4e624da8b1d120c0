"""The workbench: a model file, its prepared model, its last run, and what each message of a page changes.

It knows no page and no thread: messages and answers are plain values, which JSON can hold.
"""

import base64
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from cardan.errors import AssemblyError, Issue, ModelError, Path, SolveError, nearest, warn
from cardan.formats.renaming import Renaming, renamed
from cardan.formats.yaml_edit import read_value
from cardan.formats.yaml_tree import MAX_DEPTH
from cardan.kinematics.build import MotorModel
from cardan.model.records.section import check_name
from cardan.results.trajectory import Trajectory
from cardan.safety.text import visible
from cardan.simulation import Setup, prepare
from cardan.view.animation.panels import panels
from cardan.view.plot import check_known
from cardan.view.scene import scene_document, scene_of
from cardan.view.scene.document import packed
from cardan.view.scene.motion import ShownMotion
from cardan.view.studio.controls import controls
from cardan.view.studio.forms import forms
from cardan.view.studio.model_file import SECTIONS, ModelFile
from cardan.view.studio.pulling import Pull
from cardan.view.studio.saving import content
from cardan.view.studio.topics import topic_page

Message = Mapping[str, Any]
Answer = dict[str, Any]

UNTIL = 5.0  # end of the run of a model that names none [s]
PATIENCE = 1.0  # time after which a run gives way to a newer change [s]
_FAR = 1e9  # where no pointer can be [m]
_KEPT = 200  # texts that can be brought back
_EMPTY = "The model is empty: add a body and the joint that carries it."


class Superseded(Exception):  # noqa: N818
    """A run that was given up for a newer change."""


class Workbench:
    """What is on the table: one model file and the last run of its model.

    Parameters
    ----------
    file : ModelFile
        The model file.
    """

    def __init__(self, file: ModelFile) -> None:
        self.file = file
        self.setup: Setup | None = None
        self.run: Trajectory | None = None
        self._pull: Pull | None = None
        self.settings: dict[str, Any] = {"motors": None, "overlay": False, "plots": None}
        self.structures = 0  # number of model texts read so far: for a new one the page builds its fields anew
        self._shown: Answer | None = None  # the last run as the pages have it
        self._refused: Answer | None = None  # why the last change has no run
        self._last: tuple[str, ...] = ()  # the value that was changed last
        self._past: list[str] = []
        self._future: list[str] = []
        self._actions: dict[str, Callable[..., Iterator[Answer]]] = {
            "set": self._set,
            "text": self._text,
            "undo": self._undo,
            "redo": self._redo,
            "settings": self._settings,
            "forms": self._forms,
            "entry": self._entry,
            "rename": self._rename,
            "pull": self._pulled,
            "drop": self._dropped,
            "topic": self._topic,
            "save": self._save,
            "reread": self._reread,
        }

    def begin(self, newer: Callable[[], bool] = lambda: False) -> list[Answer]:
        """Prepare and run the model for the first time."""
        return list(self._renewed(newer))

    def state(self) -> list[Answer]:
        """Everything that a page shows, for one that has just been opened."""
        return [one for one in (self._shown, self._model(), self._refused) if one is not None]

    def answers(self, message: Message, newer: Callable[[], bool] = lambda: False) -> Iterator[Answer]:
        """What all pages have to be sent after a message; wrong ones are refused, and change nothing."""
        action = self._actions.get(str(message.get("do")))
        if action is None:
            yield _refusal(ModelError(f"the studio does not know {message.get('do')!r:.60}"), message)
            return
        try:
            yield from action(message, newer)
        except (ModelError, AssemblyError, SolveError, KeyError, OSError) as error:
            yield _refusal(error, message)

    def _set(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """Another value of a parameter, an input or an initial value."""
        section, name, text = (str(message.get(key, "")) for key in ("section", "name", "text"))
        if section not in ("parameters", "inputs", "initial"):
            raise ModelError(f"there are no values in {section!r:.60}", "parameters, inputs and initial have values")
        try:
            value = read_value(text)
        except ModelError as error:
            raise error.under(section, name) from None
        if value is None or self.setup is None:
            yield from self._written(self.file.changed((section, name), value), newer)
            return
        setup = self.setup.changed(**{section: {name: value}})
        try:
            answer = self._ran(setup, newer)
        except Superseded:  # by another change, which is to find this one
            self._accept(setup, (section, name), value)
            raise
        yield answer
        self._accept(setup, (section, name), value)
        yield self._model()

    def _accept(self, setup: Setup, path: tuple[str, str], value: Any) -> None:
        """Take a setup with a new value; changes of the same value one after the other are undone together."""
        again, before = path == self._last, self.file.text
        self._keep(self.file.changed(path, value))
        if again and self.file.text != before:
            self._past.pop()
        self.setup, self._last = setup, path

    def _text(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """Another text of the file."""
        file = replace(self.file, text=str(message.get("text", "")))
        yield from self._written(file, newer)

    def _forms(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """The forms to build with."""
        yield {"kind": "forms", "forms": forms()}

    def _entry(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """Write the entry of a section that a form has sent, or delete the entry."""
        path = message.get("path")
        if not (isinstance(path, list) and 1 <= len(path) <= 2 and all(isinstance(one, str) for one in path)):
            raise ModelError(f"{path!r:.60} leads to no entry", "give a section, and the name of an entry")
        section, *names = path
        if section not in SECTIONS:
            raise ModelError(f"there is no section {section!r:.60}", nearest(section, SECTIONS))
        value = message.get("value")
        if value is not None:
            value = _typed(value, (section, *names))
        if message.get("new"):
            self._check_new(section, names)
        yield from self._written(self.file.changed((section, *names), value), newer)

    def _rename(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """Another name for an entry or a marker, which every reference follows; a model that was right stays right."""
        path, name = message.get("path"), str(message.get("name", ""))
        if not (isinstance(path, list) and all(isinstance(one, str) for one in path)):
            raise ModelError(f"{path!r:.60} leads to no entry", "give a section, and the name of an entry")
        renaming = Renaming(self.file.data, tuple(path), name)
        file = replace(self.file, text=renamed(self.file.text, tuple(path), name))
        if self.setup is not None:
            file.model()
        if self.settings["plots"] is not None:
            self.settings["plots"] = [renaming.result(one) for one in self.settings["plots"]]
        self._keep(file)
        self.structures += 1
        yield self._model()  # the new name at once; the run, which is the same but for its names, follows
        yield from self._renewed(newer)

    def _pulled(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """The mechanism with a point of a body at, or near, where the pointer is."""
        if self.setup is None:
            raise ModelError("the model does not run, so that nothing can be pulled", "mend it first")
        body = str(message.get("body"))
        if body not in self.setup.conditions.model.bodies:
            raise ModelError(f"there is no body {body!r:.60}", nearest(body, self.setup.conditions.model.bodies))
        point, target = (_point(message.get(key)) for key in ("point", "target"))
        if self._pull is None or self._pull.setup is not self.setup:
            self._pull = Pull.of(self.setup)
        yield {"kind": "pose", "poses": self._pull.move(body, point, target)}

    def _dropped(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """The position that was pulled to becomes the start."""
        pull, self._pull = self._pull, None
        if pull is None or self.setup is not pull.setup:
            return
        initial = pull.start(self.file.section("initial"))
        file = self.file
        for name, value in initial.items():
            file = file.changed(("initial", name), value)
        yield from self._written(file, newer)

    def _check_new(self, section: str, names: list[str]) -> None:
        """Refuse a name that cannot be one, or that is taken."""
        for name in names:
            try:
                for part in name.split("."):
                    check_name(part)
            except ModelError as error:
                raise error.under(section, name) from None
            if name in self.file.section(section):
                raise ModelError(Issue(f"{name!r} stands in {section} already", "choose another name", (section, name)))

    def _undo(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        yield from self._back(self._past, self._future, newer)

    def _redo(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        yield from self._back(self._future, self._past, newer)

    def _settings(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """How motors are modelled, whether the other way is laid over, which plots there are, how long the run is."""
        motors = message.get("motors", self.settings["motors"])
        if motors not in (None, "full", "simplified", "none"):
            raise ModelError(Issue(f"{motors!r:.60} is no model of motors", "full, simplified or none", ("motors",)))
        if "until" in message:
            until = read_value(str(message["until"]))
            file = self.file.changed(("simulate", "until"), until)
            file.model()
            self._keep(file)
        plots = message.get("plots", self.settings["plots"])
        if plots is not None and not (isinstance(plots, list) and all(isinstance(one, str) for one in plots)):
            raise ModelError(Issue("the plots are not a list of names", "", ("plots",)))
        if plots and self.run is not None:
            panels(self.run, plots)
        overlay = bool(message.get("overlay", self.settings["overlay"]))
        self.settings = {"motors": motors, "overlay": overlay, "plots": plots}
        yield from self._renewed(newer)

    def _topic(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """A page about the model of the last run."""
        topic = str(message.get("topic"))
        if self.run is None or self.setup is None:
            raise ModelError("there is no run yet", "mend the model first")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            motors = self.setup.conditions.motors
            text = topic_page(topic, self.file.model(), self.run, motors, dark=bool(message.get("dark")))
        yield {"kind": "topic", "topic": topic, "html": text}

    def _save(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """A file to take home; the model's own file is written where it is."""
        what = str(message.get("what"))
        if what == "own file":
            saved = self.file.written(over=message.get("over") is True)
            self.file = saved or self.file
            yield {"kind": "saved" if saved else "overtaken", "name": str(self.file.path and self.file.path.name)}
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            name, data = content(what, self.file.text, self.run)
        yield {"kind": "file", "name": name, "data": base64.b64encode(data).decode()}

    def _reread(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """The text of the model's own file as it is now; that of the studio can be brought back."""
        yield from self._written(self.file.reread(), newer)

    def _back(self, source: list[str], target: list[str], newer: Callable[[], bool]) -> Iterator[Answer]:
        if not source:
            return
        self._last = ()
        target.append(self.file.text)
        self.file = replace(self.file, text=source.pop())
        yield from self._renewed(newer)

    def _written(self, file: ModelFile, newer: Callable[[], bool]) -> Iterator[Answer]:
        """Take another text, run its model, and keep the earlier picture where it has none."""
        self._keep(file)
        yield from self._renewed(newer)

    def _keep(self, file: ModelFile) -> None:
        self._last = ()
        if file.text != self.file.text:
            self._past = [*self._past[-_KEPT:], self.file.text]
            self._future = []
        self.file = file

    def _renewed(self, newer: Callable[[], bool]) -> Iterator[Answer]:
        """Read the model file, prepare its model and run it."""
        self.structures += 1
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model = self.file.model()
                until = UNTIL if model.simulate.until is None else None
                self.setup = prepare(model, until, motors=self.settings["motors"])
            answer = self._ran(self.setup, newer, [str(one.message) for one in caught])
        except (ModelError, AssemblyError, SolveError, OSError) as error:
            self.setup = None
            answer = _refusal(error, {"do": "model"})
            if not self.file.data.get("bodies") and not self.file.data.get("graphs"):
                answer = {"kind": "refused", "of": {"do": "model"}, "issues": [], "empty": _EMPTY}
            self._refused = answer
        yield answer
        yield self._model()

    def _ran(self, setup: Setup, newer: Callable[[], bool], notices: list[str] | None = None) -> Answer:
        """Run a setup and keep what the pages show of it."""
        began = time.perf_counter()

        def look(fraction: float) -> None:
            if time.perf_counter() - began > PATIENCE and newer():
                raise Superseded

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run = setup.run(progress=look)
            computed = time.perf_counter() - began
            scene = self._scene(setup, run)
            names = self.settings["plots"]
            known = None if names is None else [one for one in names if _has(run, one)]
            shown = panels(run, known)
            if self.settings["overlay"] and setup.conditions.model.motors:
                shown = self._overlaid(setup, run, shown, known)
        texts = [*(notices or []), *(str(one.message) for one in caught)]
        self.run, self._refused = run, None
        self._shown = {
            "kind": "run",
            "content": {"scene": scene, "panels": shown},
            "ok": run.ok,
            "message": visible(run.message or str(run.status), "\n"),
            "warnings": [visible(text, "\n") for text in dict.fromkeys(texts)],
            "computed": computed,
            "seconds": time.perf_counter() - began,
        }
        return self._shown

    def _scene(self, setup: Setup, run: Trajectory) -> Answer:
        """The picture of a run; of a model of bond graphs alone its title and its instants."""
        model = setup.conditions.model
        if model.bodies:
            return scene_document(scene_of(run, folders=(self.file.folder, *self.file.allow)))
        instants = run.t[ShownMotion(run).shown]
        return {"title": model.name or "bond graph", "instants": packed(instants), "bodies": []}

    def _overlaid(self, setup: Setup, run: Trajectory, shown: list[Answer], names: list[str] | None) -> list[Answer]:
        """The panels with those of a run in which motors are modelled the other way."""
        motors = setup.conditions.motors
        other: MotorModel = "simplified" if motors == "full" else "full"
        try:
            arguments = replace(setup.arguments, motors=other)
            twin = Setup.of(arguments.updated(times=run.t[ShownMotion(run).shown])).run()
            values = {one["name"]: one["values"] for one in panels(twin, names)} if twin.ok else {}
        except (ModelError, AssemblyError, KeyError) as error:
            warn(f"motors cannot be modelled the other way, {other}: {error.args[0]}")
            return shown
        own = {"label": motors, "other label": other}
        return [{**one, **own, "other": values[one["name"]]} if one["name"] in values else one for one in shown]

    def _model(self) -> Answer:
        """The model as the pages have it: its text, its controls, and what can be undone."""
        return {
            "kind": "model",
            "text": self.file.text,
            "controls": controls(self.setup) if self.setup else None,
            "until": str(self.file.section("simulate").get("until", f"{UNTIL:g} s")),
            "motors": self.setup.conditions.motors if self.setup else self.settings["motors"],
            "driven": bool(self.file.section("motors")),
            "overlay": self.settings["overlay"],
            "plots": self.settings["plots"],
            "results": list(self.run.names) if self.run is not None else [],
            "structure": self.structures,
            "data": self.file.data,
            "file": self.file.path.name if self.file.path is not None else "",
            "undo": bool(self._past),
            "redo": bool(self._future),
        }


def _typed(value: Any, path: Path) -> Any:
    """The value of a form whose texts are YAML as it was typed; what is empty is left out."""
    if len(path) > MAX_DEPTH:
        raise ModelError(Issue("the entry is nested too deeply", "", path))
    if isinstance(value, dict):
        typed = {str(key): _typed(entry, (*path, str(key))) for key, entry in value.items()}
        return {key: entry for key, entry in typed.items() if entry is not None} or None
    if isinstance(value, list):
        return [one for k, entry in enumerate(value) if (one := _typed(entry, (*path, k))) is not None] or None
    if not isinstance(value, str):
        return value
    try:
        return read_value(value)
    except ModelError as error:
        raise error.under(*path) from None


def _point(value: Any) -> list[float]:
    """Three numbers that a page has sent."""
    numbers = value if isinstance(value, list) else []
    if len(numbers) != 3 or not all(isinstance(x, int | float) and abs(x) < _FAR for x in numbers):
        raise ModelError(f"{value!r:.60} is not a point", "give three coordinates in metres")
    return [float(x) for x in numbers]


def _has(run: Trajectory, name: str) -> bool:
    """Whether a run has a result of this name."""
    try:
        check_known(run, name)
    except KeyError:
        return False
    return True


def _refusal(error: Exception, message: Message) -> Answer:
    """Why something was refused, fault by fault, and what was."""
    issues = error.issues if isinstance(error, ModelError) else [Issue(str(error.args[0] if error.args else error))]
    return {
        "kind": "refused",
        "of": {key: message[key] for key in ("do", "section", "name", "path") if key in message},
        "issues": [
            {
                "path": list(issue.path),
                "key": visible(issue.key),
                "line": issue.line,
                "fault": visible(issue.fault, "\n"),
                "cure": visible(issue.cure, "\n"),
            }
            for issue in issues
        ],
    }
