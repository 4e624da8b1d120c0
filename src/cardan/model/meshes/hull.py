"""Convex hulls of meshes, for contacts: read once for each version of a file."""

import os
from functools import lru_cache
from pathlib import Path

import numpy as np

from cardan.errors import ModelError
from cardan.model.meshes.files import read_mesh

MOST_CORNERS = 100  # each is a point with states and events of its own


def hull_of_mesh(file: str) -> list[list[float]]:
    """Corners (n, 3) of the convex hull of the mesh in a `file`, in its units."""
    found = Path(file).stat() if os.path.isfile(file) else None
    return _hull(file, found and found.st_mtime_ns)


@lru_cache(maxsize=64)
def _hull(file: str, time: int | None) -> list[list[float]]:
    from scipy.spatial import ConvexHull, QhullError

    points = np.unique(read_mesh(Path(file)).reshape(-1, 3), axis=0)
    try:
        corners = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        raise ModelError(f"{file} is flat, and has no convex hull", "give its corners as a shape of points") from None
    if len(corners) > MOST_CORNERS:
        fault = f"the convex hull of {file} has {len(corners)} corners, and contacts take {MOST_CORNERS}"
        raise ModelError(fault, "use a coarser mesh, spheres and capsules, or a shape of points")
    return np.asarray(corners).tolist()
