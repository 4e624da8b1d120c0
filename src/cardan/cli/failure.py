"""Error messages: fault and cure in one block, with an exit code; the traceback only on request."""

import functools
import traceback
import warnings
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Annotated, Any

import typer

from cardan.cli.places import placed
from cardan.cli.terminal import err
from cardan.cli.wording import in_options
from cardan.errors import AssemblyError, DoubtWarning, ModelError, SolveError
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
    """Return a command that converts its errors into one readable block and an exit code."""

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
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
                if options.get("debug"):
                    traceback.print_exc()
                raise typer.Exit(_report(error, options)) from None

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
