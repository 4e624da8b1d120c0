"""Colours, sizes and camera of every picture in space: one table that scenes and the page's program read.

Lengths are over the size of the mechanism, those of arrows' heads over the thickness of the arrow, widths of paths in
pixels, angles in degrees.
"""

import json
from importlib.resources import files
from typing import Any

LOOK: dict[str, Any] = json.loads(files("cardan.view.scene").joinpath("look.json").read_text(encoding="utf-8"))
"""The table, from `look.json`, which the page's program has inside."""
