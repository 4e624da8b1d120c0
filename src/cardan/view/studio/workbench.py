"""The workbench: a model file, its prepared model, its last run, and what each message of a page changes.

It knows no page and no thread: messages and answers are plain values, which JSON can hold.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cardan.errors import AssemblyError, Issue, ModelError, SolveError
from cardan.formats.yaml_edit import read_value
from cardan.results.trajectory import Trajectory
from cardan.safety.text import visible
from cardan.simulation import Setup, prepare
from cardan.view.animation.panels import panels
from cardan.view.scene import scene_document, scene_of
from cardan.view.studio.controls import controls
from cardan.view.studio.model_file import ModelFile

__all__ = ["Superseded", "Workbench"]

Message = Mapping[str, Any]
Answer = dict[str, Any]

UNTIL = 5.0  # end of the run of a model that names none [s]
PATIENCE = 1.0  # time after which a run gives way to a newer change [s]
_KEPT = 200  # texts that can be brought back
_EMPTY = "The model is empty: add a body and the joint that carries it."


class Superseded(Exception):  # noqa: N818
    """A run that was given up for a newer change."""


class Workbench:
    """What is on the table: one model file and the last run of its model.

    Parameters
    ----------
    document : ModelFile
        The model file.
    """

    def __init__(self, document: ModelFile) -> None:
        self.document = document
        self.setup: Setup | None = None
        self.run: Trajectory | None = None
        self.settings: dict[str, Any] = {"motors": None}
        self._shown: Answer | None = None  # the last run as the pages have it
        self._refused: Answer | None = None  # why the last change has no run
        self._past: list[str] = []
        self._future: list[str] = []
        self._actions: dict[str, Callable[..., Iterator[Answer]]] = {
            "set": self._set,
            "text": self._text,
            "undo": self._undo,
            "redo": self._redo,
            "settings": self._settings,
        }

    def begin(self) -> list[Answer]:
        """Prepare and run the model for the first time."""
        return list(self._renewed(lambda: False))

    def state(self) -> list[Answer]:
        """Everything that a page shows, for one that has just been opened."""
        return [self._model(), *(one for one in (self._shown, self._refused) if one is not None)]

    def answers(self, message: Message, newer: Callable[[], bool] = lambda: False) -> Iterator[Answer]:
        """What all pages have to be sent after a message; wrong ones are refused, and change nothing.

        Parameters
        ----------
        message : mapping
            What a page has sent: `do`, and what that needs.
        newer : callable
            Whether a newer change waits; a long run then ends.
        """
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
            yield from self._written(self.document.changed((section, name), value), newer)
            return
        setup = self.setup.changed(**{section: {name: value}})
        yield self._ran(setup, newer)
        self._keep(self.document.changed((section, name), value))
        self.setup = setup
        yield self._model()

    def _text(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """Another text of the file."""
        document = ModelFile(str(message.get("text", "")), self.document.folder, self.document.allow)
        yield from self._written(document, newer)

    def _undo(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        yield from self._back(self._past, self._future, newer)

    def _redo(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        yield from self._back(self._future, self._past, newer)

    def _settings(self, message: Message, newer: Callable[[], bool]) -> Iterator[Answer]:
        """How motors are modelled, and how long the run is."""
        motors = message.get("motors", self.settings["motors"])
        if motors not in (None, "full", "simplified", "none"):
            raise ModelError(Issue(f"{motors!r:.60} is no model of motors", "full, simplified or none", ("motors",)))
        if "until" in message:
            until = read_value(str(message["until"]))
            document = self.document.changed(("simulate", "until"), until)
            document.model()
            self._keep(document)
        self.settings["motors"] = motors
        yield from self._renewed(newer)

    def _back(self, source: list[str], target: list[str], newer: Callable[[], bool]) -> Iterator[Answer]:
        if not source:
            return
        target.append(self.document.text)
        self.document = ModelFile(source.pop(), self.document.folder, self.document.allow)
        yield from self._renewed(newer)

    def _written(self, document: ModelFile, newer: Callable[[], bool]) -> Iterator[Answer]:
        """Take another text, run its model, and keep the earlier picture where it has none."""
        self._keep(document)
        yield from self._renewed(newer)

    def _keep(self, document: ModelFile) -> None:
        if document.text != self.document.text:
            self._past = [*self._past[-_KEPT:], self.document.text]
            self._future = []
        self.document = document

    def _renewed(self, newer: Callable[[], bool]) -> Iterator[Answer]:
        """Read the document, prepare its model and run it."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                model = self.document.model()
                until = UNTIL if model.simulate.until is None else None
                self.setup = prepare(model, until, motors=self.settings["motors"])
            answer = self._ran(self.setup, newer, [str(one.message) for one in caught])
        except (ModelError, AssemblyError, SolveError, OSError) as error:
            if isinstance(error, ModelError):
                self.setup = None
            answer = _refusal(error, {"do": "model"})
            if not self.document.data.get("bodies") and not self.document.data.get("graphs"):
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
            scene = scene_document(scene_of(run, folders=(self.document.folder, *self.document.allow)))
            shown = panels(run, None)
        texts = [*(notices or []), *(str(one.message) for one in caught)]
        self.run, self._refused = run, None
        self._shown = {
            "kind": "run",
            "content": {"scene": scene, "panels": shown},
            "ok": run.ok,
            "message": visible(run.message or str(run.status)),
            "warnings": [visible(text) for text in dict.fromkeys(texts)],
            "computed": computed,
            "seconds": time.perf_counter() - began,
        }
        return self._shown

    def _model(self) -> Answer:
        """The model as the pages have it: its text, its controls, and what can be undone."""
        return {
            "kind": "model",
            "text": self.document.text,
            "controls": controls(self.setup) if self.setup else None,
            "until": str((self.document.data.get("simulate") or {}).get("until", f"{UNTIL:g} s")),
            "motors": self.setup.conditions.motors if self.setup else None,
            "driven": bool(self.setup and self.setup.conditions.model.motors),
            "undo": bool(self._past),
            "redo": bool(self._future),
        }


def _refusal(error: Exception, message: Message) -> Answer:
    """Why something was refused, fault by fault, and what was."""
    issues = error.issues if isinstance(error, ModelError) else [Issue(str(error.args[0] if error.args else error))]
    return {
        "kind": "refused",
        "of": {key: message[key] for key in ("do", "section", "name") if key in message},
        "issues": [
            {
                "path": list(issue.path),
                "key": visible(issue.key),
                "line": issue.line,
                "fault": visible(issue.fault),
                "cure": visible(issue.cure),
            }
            for issue in issues
        ],
    }
