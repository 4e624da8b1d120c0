"""Files ⇄ records: one file here for each format, found by its extension.

In: the name of a gallery model, the path of a file, or a table of an arm. Out: a `Model`, and back. This room knows no
equations.
"""

from cardan.formats.denavit_hartenberg import from_dh
from cardan.formats.gallery import gallery
from cardan.formats.registry import load, save

__all__ = ["from_dh", "gallery", "load", "save"]
