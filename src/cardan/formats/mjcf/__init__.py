"""MJCF, the models of MuJoCo: bodies → bodies, joints → joints, masses of geoms → inertia.

In: an MJCF file and those that it includes. Out: a `Model`, with the line of everything in it. What makes a mechanism
is read or refused; what only drives or observes it is named in one warning. Source: MuJoCo's XML reference,
https://mujoco.readthedocs.io/en/stable/XMLreference.html
"""

from cardan.formats.format import Format
from cardan.formats.mjcf.reading import load_mjcf, mjcf_lines
from cardan.formats.mjcf.writing import save_mjcf

__all__ = ["FORMAT", "load_mjcf", "mjcf_lines", "save_mjcf"]

FORMAT = Format(load_mjcf, save_mjcf, mjcf_lines, is_yaml=False)
"""How MJCF files are read and written."""
