"""Triangle meshes from files, and the solids that closed ones enclose.

In: paths of STL, OBJ and glTF files. Out: corners of triangles; volume, centre and inertia; corners
of convex hulls. It knows no body.
"""

from cardan.model.meshes.files import fingerprint, read_mesh
from cardan.model.meshes.hull import hull_of_mesh
from cardan.model.meshes.solid import TEN, solid_of_mesh

__all__ = ["TEN", "fingerprint", "hull_of_mesh", "read_mesh", "solid_of_mesh"]
