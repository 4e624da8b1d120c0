"""Kineto-statics: the loads of a mechanism whose motions are all prescribed."""

from __future__ import annotations

from cardan.simulation.kinetostatics.analysis import kinetostatics

__all__ = ["kinetostatics"]
