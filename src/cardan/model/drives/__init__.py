"""Drives: an ordered train of elements from a source to a joint, written out as parts of the mechanism.

In: the section `drives` of a model. Out: the data of its bodies, joints, motors, forces and results. A kind of element
or source is one file, which is named as its key, and one word here.
"""

from cardan.model.drives.drive import Drive
from cardan.model.drives.writing import drives_written_out

__all__ = ["Drive", "drives_written_out"]
