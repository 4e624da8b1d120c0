"""CasADi target: each function as CasADi saves it; as JSON their names, units and meanings, which CasADi does not keep.

`casadi.Function.load` reads a function back without Cardan.
"""

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import casadi as ca

from cardan.codegen.targets.source import Routine, Source, operation_count


def casadi_files(source: Source) -> dict[str, str]:
    """Texts by file ending: "_FUNCTION.casadi" for each function, and ".json"."""
    functions = {f"_{routine.name}.casadi": _saved(routine.function) for routine in source.routines}
    words = {
        "about": source.about,
        "arrays": {listing.symbol: _without_empty(asdict(listing)) for listing in source.listings},
        "functions": {routine.name: _words(routine) for routine in source.routines},
    }
    return {**functions, ".json": json.dumps(words, indent=2, ensure_ascii=False) + "\n"}


def _saved(function: ca.Function) -> str:
    """What CasADi writes; its `serialize` gives another format, which `load` does not read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "function.casadi"
        function.save(str(path))
        return path.read_text(encoding="ascii")


def _words(routine: Routine) -> dict[str, Any]:
    return {
        "summary": routine.summary,
        "inputs": [_without_empty(asdict(argument)) for argument in routine.inputs],
        "outputs": [_without_empty(asdict(argument)) for argument in routine.outputs],
        "operations": operation_count(routine.program),
    }


def _without_empty(words: dict[str, Any]) -> dict[str, Any]:
    """What says something; an empty shape is that of a number."""
    return {key: value for key, value in words.items() if value or key in ("names", "shape")}
