"""What of a model can be set while it runs: parameters, inputs and initial values, each with its unit and its text."""

import re
from typing import Any

from cardan.errors import ModelError
from cardan.formats.yaml_edit import written
from cardan.model.names import Names, states
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.plain import plain
from cardan.model.records.record import Record
from cardan.simulation import Setup

_CLOSED = 12  # decimals to which assembly closes loops
_NUMBER = re.compile(r"\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*(.*?)\s*")


def controls(setup: Setup) -> dict[str, list[dict[str, Any]]]:
    """Controls by section, "parameters", "inputs" and "initial": name, unit, text, and what a slider needs."""
    model, given, conditions = setup.conditions.model, setup.arguments.settings, setup.conditions
    system = conditions.system
    parameters = {**model.parameters, **(given["parameters"] or {})}
    units = dict(zip(system.input_names, system.input_units, strict=True))
    inputs = {name: {**model.inputs, **(given["inputs"] or {})}.get(name) for name in units}
    own = {name.removesuffix(".q"): value for name, value in {**model.initial, **(given["initial"] or {})}.items()}
    begin = dict(zip(system.state_names, setup.start.x, strict=True))
    moved = {
        f"{name}{end}" for name in Names(model).prescribed for end in ("", ".v")
    }  # motions decide where they start
    known = {name: unit for name, unit in states(model).items() if not name.endswith(".q") and name not in moved}
    initial = {name: own.get(name) for name in (*known, *(one for one in own if one not in known))}
    return {
        "parameters": [_control(name, value, "", result=conditions.values[name]) for name, value in parameters.items()],
        "inputs": [_control(name, value, units[name]) for name, value in inputs.items()],
        "initial": [
            _control(name, value, known.get(name, ""), result=_begin(begin, name))
            for name, value in initial.items()
            if name in own or not _is_quaternion(name)
        ],
    }


def _control(name: str, value: Any, unit: str, result: float | None = None) -> dict[str, Any]:
    """One control: its text, and number and unit of the text where a slider can move it."""
    shown: Any = plain(value) if isinstance(value, Record) else value.source if isinstance(value, Scalar) else value
    shown = plain(shown) if isinstance(shown, Record) else shown
    text = "" if shown is None else shown if isinstance(shown, str) else written(shown)
    guess = isinstance(shown, dict) and set(shown) == {"guess"} and not isinstance(shown["guess"], dict)
    inner = str(shown["guess"]) if guess else text
    number = _NUMBER.fullmatch(inner) if _is_literal(inner) else None
    return {
        "name": name,
        "unit": unit,
        "text": text,
        "guess": guess,
        "number": float(number[1]) if number else None,
        "suffix": number[2] if number else "",
        "result": None if result is None else float(f"{result:.6g}"),
    }


def _is_literal(text: str) -> bool:
    """Whether a text is a number or a quantity, and neither an expression nor a table."""
    if _is_number(text):
        return True
    try:
        return bool(Scalar.read(text).unit)
    except ModelError:
        return False


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _begin(values: dict[str, float], name: str) -> float | None:
    """The value at t = 0 of a state under the name that a user gives it."""
    return next((round(float(values[one]), _CLOSED) for one in (name, f"{name}.q", f"{name}.v") if one in values), None)


def _is_quaternion(name: str) -> bool:
    return name.rpartition(".")[2] in ("qw", "qx", "qy", "qz")
