"""URDF, the robot descriptions of ROS: links → bodies, joints → joints, mimic → couplers, and back.

In: a URDF file. Out: a `Model`, with the line of everything in it; and the other way a tree of joints that URDF knows.
What stands in only one of the two formats is named in one warning. Source: the URDF specification of ROS,
https://wiki.ros.org/urdf/XML
"""

from cardan.formats.format import Format
from cardan.formats.urdf.reading import load_urdf, urdf_lines
from cardan.formats.urdf.writing import save_urdf

__all__ = ["FORMAT", "load_urdf", "save_urdf", "urdf_lines"]

FORMAT = Format(load_urdf, save_urdf, urdf_lines, is_yaml=False)
"""How URDF files are read and written."""
