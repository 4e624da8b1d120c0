"""Spatial mathematics: rotations, 4×4 transforms, twists, wrenches and rigid-body inertias.

In: CasADi numbers (SX or DM). Out: CasADi numbers of the same kind. It knows no mechanism and no name.
"""

from cardan.spatial import inertia, motion, rotations, transforms

__all__ = ["inertia", "motion", "rotations", "transforms"]
