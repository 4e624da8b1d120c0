"""Prescribed motions in a call: those it gives, and kineto-statics, the loads of a mechanism that only follows them."""

from __future__ import annotations

from cardan.simulation.motions.given import with_motions
from cardan.simulation.motions.kinetostatics import kinetostatics

__all__ = ["kinetostatics", "with_motions"]
