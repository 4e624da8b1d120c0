"""Flexible bodies: a rod of one section and material, which splits into rigid parts with springs between them.

In: entries `{type: flexible, …}` of the section `bodies`. Out: rigid bodies, joints and forces. It knows no equations.
"""

from cardan.model.flexible.rods import outside_rods, rods
from cardan.model.flexible.writing import flexible_written_out

__all__ = ["flexible_written_out", "outside_rods", "rods"]
