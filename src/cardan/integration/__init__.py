"""Initial value problem → solution: methods, step control, projection, dense output, ensembles.

In: a `Problem` of compiled functions, sizes, inputs and tolerances. Out: a `Solution` with its `Outcome`. It knows no
mechanism: its states are numbers, some of which are positions and velocities.
"""

from __future__ import annotations

__all__: list[str] = []
