"""Singular positions: how near a motion comes to them, whether it keeps its branch, and what accelerations are there.

In: the log of a run's steps, or instants and states. Out: distances, passages, events, accelerations and multipliers.
It knows no result by name and no option of a run.
"""

from __future__ import annotations

__all__: list[str] = []
