"""Advice on keys: a colon or the blank behind it is missing, or the key has another name today."""

import re

_NO_BLANK = re.compile(r"([A-Za-z_][\w.]*):([^\s:].*)")
_NO_COLON = re.compile(r"([A-Za-z_][\w.]*)(?:\s+([^:]+))?")
_DECIMAL_COMMA = re.compile(r"\d+(?:\s.*)?")


def key_advice(text: str) -> str:
    """What to write in place of a `text` that is no key; empty where that is not clear.

    Example
    -------
    >>> key_advice("mass:0.2 kg"), key_advice("mass 0.2 kg")
    ('put a blank after the colon: mass: 0.2 kg', 'put a colon after the key: mass: 0.2 kg')
    """
    if found := _NO_BLANK.fullmatch(text):
        return f"put a blank after the colon: {found[1]}: {found[2]:.40}"
    if found := _NO_COLON.fullmatch(text):
        return f"put a colon after the key: {found[1]}: {(found[2] or ''):.40}".rstrip()
    if _DECIMAL_COMMA.fullmatch(text):
        return "a number has a decimal point, as 0.5; a comma begins the next key"
    return ""


_MOTOR = (
    "motors: have the type dc; a machine of another kind is a source of drives: dc, pmsm, induction, torque or speed"
)

_PLANNED = {
    **dict.fromkeys(("bldc", "induction", "stepper", "torque_motor"), _MOTOR),
    "thermal_resistance": "a winding that warms up is a node of thermal: {capacity: …, to: {air: 0.5 W/K}}",
}


def not_yet(word: str) -> str:
    """What to write today instead of a key or kind that does not exist yet; empty for all other words."""
    return _PLANNED.get(word, "")
