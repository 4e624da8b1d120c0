"""Positions of a mechanism as the messages about the end of a run write them."""

import numpy as np

from cardan.errors import few
from cardan.kinematics.tree import Tree
from cardan.numerics.round_off import WRITTEN
from cardan.singular.tolerances import SAME


def position_in_words(tree: Tree, q: np.ndarray) -> str:
    """Values of the first coordinates as text, such as `A = 0.5 rad, S = 0 m`.

    Values within the accuracy of a singular position, over the largest one of their unit, are written as zero.
    """
    largest = {"rad": 1.0}
    for one, value in zip(tree.coordinates, q, strict=True):
        largest[one.unit] = max(abs(float(value)), largest.get(one.unit, 0.0))
    parts = [
        f"{one.name} = {0.0 if abs(value) < max(WRITTEN, SAME * largest[one.unit]) else value:.4g} {one.unit}"
        for one, value in zip(tree.coordinates, q, strict=True)
    ]
    return few(parts)
