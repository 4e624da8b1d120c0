"""Error messages: fault and cure in one block, with an exit code; the traceback only on request."""

import functools
import inspect
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from cardan.cli.terminal import err
from cardan.cli.wording import in_options
from cardan.errors import AssemblyError, DoubtWarning, Issue, ModelError, SolveError
from cardan.safety.text import visible

Debug = Annotated[bool, typer.Option("--debug", help="Show the whole traceback of an error.")]
"""The option that every command has."""


JUDGING = ("show", "simulate")
"""Commands that print doubts about the values of a model, which its author can accept; others would repeat them."""


class ExitCode(IntEnum):
    """Exit codes of the process."""

    DONE = 0
    FAILED = 1
    WRONG_INPUT = 2
    INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def guarded(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the option --debug, which converts its errors into one readable block and an exit code."""

    @functools.wraps(command)
    def run(*arguments: Any, debug: bool = False, **options: Any) -> None:
        with warnings.catch_warnings():
            printer = _WarningPrinter()
            warnings.showwarning = printer.show
            try:
                command(*arguments, **options)
                printer.show_doubts(command.__name__)
            except typer.BadParameter as error:
                error.message = visible(in_options(error.message), keep="\n")
                raise
            except (typer.Exit, typer.Abort):  # also of a run that did not come to its end
                printer.show_doubts(command.__name__)
                raise
            except KeyboardInterrupt:
                err().print("interrupted")
                raise typer.Exit(ExitCode.INTERRUPTED) from None
            except Exception as error:
                if debug:
                    traceback.print_exc()
                raise typer.Exit(_report(error, options)) from None

    own = inspect.signature(command)
    added = inspect.Parameter("debug", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Debug)
    vars(run)["__signature__"] = own.replace(parameters=[*own.parameters.values(), added])
    return run


def _report(error: Exception, options: Mapping[str, Any]) -> ExitCode:
    """Print an error and return its exit code; an error that no room documents is reported as a defect of Cardan."""
    code, console = _code(error), err()
    if code is not None:
        console.print("error", style="bold red", end="")
        console.print(": ", end="")
        console.print(in_options(_text(error, options)), soft_wrap=True)
        return code
    console.print("unexpected error in Cardan", style="bold red", end="")
    console.print(f": {type(error).__name__}: ", end="")
    console.print(str(error), soft_wrap=True)
    console.print("This is a defect, not your input. Run again with --debug and report what it says.", soft_wrap=True)
    return ExitCode.FAILED


def _text(error: Exception, options: Mapping[str, Any]) -> str:
    """The text of an error; errors of the operating system are rewritten to begin with the file, like all others."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError):
        return f"there is not enough memory; ask for fewer instants or values\n    {error}".rstrip()
    return placed(error, options)


def _code(error: Exception) -> ExitCode | None:
    """Exit code of an error that some room documents; None for all others."""
    from cardan.results import RunFileError

    if isinstance(error, ModelError | AssemblyError | RunFileError | OSError | MemoryError):
        return ExitCode.WRONG_INPUT
    return ExitCode.FAILED if isinstance(error, SolveError) else None


class _WarningPrinter:
    """Prints a warning as one line, without source code, and each one once; doubts that can be accepted on request."""

    def __init__(self) -> None:
        self._printed: set[str] = set()
        self._doubts: list[Warning] = []

    def show(self, message: Warning | str, *_: Any, **__: Any) -> None:
        """Print a warning, or keep it for `show_doubts`."""
        if isinstance(message, DoubtWarning):
            self._doubts.append(message)
            return
        self._print(message)

    def show_doubts(self, command: str) -> None:
        """Print the doubts about the model, once the command has done its work, if it judges models."""
        for message in self._doubts if command in JUDGING else ():
            self._print(message)

    def _print(self, message: Warning | str) -> None:
        text = in_options(str(message))
        if text not in self._printed:
            self._printed.add(text)
            console = err()
            console.print("warning", style="bold yellow", end="")
            console.print(": ", end="")
            console.print(text, soft_wrap=True)


_GIVEN = {
    "parameters": ("parameters", "--set"),
    "inputs": ("inputs", "--input"),
    "initial": ("initial", "--initial"),
    "guesses": ("initial", "--guess"),
}
"""Section of the model and option, by the argument of a command that changes it."""


def placed(error: Exception, options: Mapping[str, Any]) -> str:
    """Return the text of an error with the option, or the file and line, of every fault in the model."""
    model = str(options.get("model") or "")
    if isinstance(error, ModelError) and error.file is None:
        given, lines = _given(options), _lines(model)
        outputs = next((f"--{argument}" for argument in ("outputs", "of") if options.get(argument)), None)
        if outputs is not None:
            given |= {one.path[:2]: outputs for one in error.issues if one.path[:1] == ("outputs",)}
        return str(ModelError([_issue(one, given, model, lines) for one in error.issues]))
    if isinstance(error, AssemblyError) and error.owner:
        if option := _given(options).get(error.path):
            return f"{option}: {error}"
        lines = _lines(model)
        places = (error.path, ("joints", error.owner), ("constraints", error.owner))
        line = next((lines[place] for place in places if place in lines), None)
        return str(error) if line is None else f"{model}:{line}: {error}"
    return str(error)


def _issue(issue: Issue, given: Mapping[Any, str], model: str, lines: Mapping[Any, int]) -> Issue:
    """The issue at its option, or with the line of the nearest key that stands in the file."""
    if option := given.get(issue.path[:2]):
        return replace(issue, path=(option, *issue.path[2:]))
    found = next((lines[issue.path[:end]] for end in range(len(issue.path), 0, -1) if issue.path[:end] in lines), None)
    return issue if found is None else replace(issue, fault=f"{issue.fault} ({model}:{found})")


def _given(options: Mapping[str, Any]) -> dict[Any, str]:
    """Option by the path of every value that a command got."""
    return {
        (section, word.partition("=")[0].strip()): f"{option} {word.partition('=')[0].strip()}"
        for argument, (section, option) in _GIVEN.items()
        for word in options.get(argument) or ()
        if isinstance(word, str)
    }


def _lines(model: str) -> Mapping[Any, int]:
    """Line of every key of the model's file; none for a model of the gallery, whose file is not the user's."""
    from cardan.formats.registry import format_of

    try:
        return format_of(Path(model)).lines(Path(model)) if Path(model).is_file() else {}
    except ModelError:
        return {}
