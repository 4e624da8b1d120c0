"""Assembly of closed loops: positions, consistent velocities, independent equations and independent coordinates.

In: a System, initial values, parameters. Out: a consistent state, or an error that names the loop and its gap.
"""

from __future__ import annotations
