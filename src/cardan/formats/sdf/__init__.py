"""SDF, the models and worlds of Gazebo: links → bodies, joints → joints, also those that close loops.

In: an SDF file and those that it includes. Out: a `Model`, with the line of everything in it. What a model does not
hold is named in one warning. Source: the SDFormat specification, http://sdformat.org/spec
"""

from cardan.formats.format import Format
from cardan.formats.sdf.reading import load_sdf, save_sdf, sdf_lines

__all__ = ["FORMAT", "load_sdf", "save_sdf", "sdf_lines"]

FORMAT = Format(load_sdf, save_sdf, sdf_lines, is_yaml=False)
"""How SDF files are read; they are not written."""
