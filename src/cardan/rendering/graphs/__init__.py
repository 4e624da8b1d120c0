"""Pictures of bond graphs.

In: a `Graph` and its `Causality`. Out: a drawing in SVG, by way of its geometry, in which every overlap can be found.
This folder knows no machine and no drawing library.
"""

from cardan.rendering.graphs.picture import picture
from cardan.rendering.graphs.svg import as_svg

__all__ = ["as_svg", "picture"]
