"""Files ⇄ records: one file here for each format, found by its extension.

In: the name of a gallery model or the path of a file. Out: a `Model`, and back. This room knows no equations.
"""

from cardan.formats.gallery import gallery
from cardan.formats.registry import load, save

__all__ = ["gallery", "load", "save"]
