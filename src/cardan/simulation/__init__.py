"""System + time → trajectory: methods as tables, one compiled loop for all models, inputs as segments.

In: a Model, a time span, tolerances. Out: a Trajectory with its status. It knows no joint and no law of motion.
"""

from __future__ import annotations

from cardan.integration.warm import warm
from cardan.simulation.simulator import simulate

__all__ = ["simulate", "warm"]
