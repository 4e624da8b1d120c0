"""Wrenches that joints and constraints transmit, and which of them the equations of motion determine.

In: accelerations and multipliers of a state. Out: reactions, their uniqueness, the minimum-norm choice of the others.
"""

from __future__ import annotations
