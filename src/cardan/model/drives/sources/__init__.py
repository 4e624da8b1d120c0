"""Kinds of sources of a drive, one file each, which is named as the `type` of the source."""

from cardan.model.drives.sources.source import DriveSource
from cardan.model.records.kinds import Kinds

__all__ = ["SOURCES", "DriveSource"]

SOURCES = Kinds(__name__, "dc", "pmsm", "induction", "torque", "speed")
"""All kinds of sources by their `type`."""
