"""Runs with events: user events, sampled inputs and switchings by motion as the `Events` of the integrator's problem.

In: the model, the signals of a call, the functions of a system. Out: a model with states for what is held, crossing
functions and a reset as machine code. It does not know how events are found.
"""

from __future__ import annotations

__all__: list[str] = []
