"""What is meant by a text that stands where a key and its value should: a colon or the blank after it is missing."""

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
