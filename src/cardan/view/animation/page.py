"""The page of an animation: one HTML text with its program, its style and its content inside.

The content is JSON in which no character can end the element that holds it; the browser runs no other program than the
one whose digest the page names, and loads nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

import cardan
from cardan.safety.text import for_markup

__all__ = ["page"]


def page(title: str, content: Mapping[str, Any]) -> str:
    """The page as text.

    Parameters
    ----------
    title : str
        Name of the page.
    content : mapping
        Scene, panels and options in plain values.
    """
    script = _file("viewer.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "title": for_markup(title),
        "generator": f"Cardan {cardan.__version__}",
        "digest": f"sha256-{digest}",
        "style": _file("page.css"),
        "content": _harmless(json.dumps(content, allow_nan=False, separators=(",", ":"))),
        "script": script,
    }
    return re.sub(r"@(\w+)@", lambda found: parts[found[1]], _file("page.html"))


@lru_cache(maxsize=4)
def _file(name: str) -> str:
    return files("cardan.view.animation").joinpath("viewer", name).read_text(encoding="utf-8")


def _harmless(text: str) -> str:
    """JSON in which < > & are written as numbers: it means the same and ends no element."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
