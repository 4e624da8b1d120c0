"""The page of an animation or of plots: one HTML text with its program, its style and its content inside.

The content is JSON in which no character can end the element that holds it; the browser runs no other program than the
one whose digest the page names, and loads nothing.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import cardan
from cardan.safety.text import for_markup


def page(title: str, content: Mapping[str, Any], viewer: str = "cardan.view.animation") -> str:
    """The page as text."""
    parts = {
        "title": for_markup(title),
        "generator": f"Cardan {cardan.__version__}",
        "digest": viewer_digest(viewer),
        "style": _file(viewer, "page.css"),
        "content": _harmless(json.dumps(content, allow_nan=False, separators=(",", ":"))),
        "script": _file(viewer, "viewer.js"),
    }
    return re.sub(r"@(\w+)@", lambda found: parts[found[1]], _file(viewer, "page.html"))


def viewer_digest(viewer: str = "cardan.view.animation") -> str:
    """Name by which a page allows the viewer's program and no other, as a Content-Security-Policy has it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(_file(viewer, 'viewer.js').encode()).digest()).decode()}"


def _file(viewer: str, name: str) -> str:
    return files(viewer).joinpath("viewer", name).read_text(encoding="utf-8")


def _harmless(text: str) -> str:
    """JSON in which < > & are written as numbers: it means the same and ends no element."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
