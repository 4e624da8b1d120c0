"""The page of the studio: one HTML text with its programs and styles inside; it loads nothing but its messages."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files

import cardan


def studio_page(host: str) -> str:
    """The page as text."""
    viewer, studio = _file("animation", "viewer", "viewer.js"), _file("studio", "program", "studio.js")
    parts = {
        "generator": f"Cardan {cardan.__version__}",
        "viewer_digest": _digest(viewer),
        "studio_digest": _digest(studio),
        "host": host,
        "style": _file("animation", "viewer", "page.css") + _file("studio", "program", "studio.css"),
        "viewer": viewer,
        "studio": studio,
    }
    return re.sub(r"@(\w+)@", lambda found: parts[found[1]], _file("studio", "program", "studio.html"))


def _digest(script: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def _file(*parts: str) -> str:
    return files("cardan.view").joinpath(*parts).read_text(encoding="utf-8")
