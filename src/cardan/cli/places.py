"""Where a fault stands: in an option, or in a line of the model's file."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cardan.errors import AssemblyError, Issue, ModelError

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
