"""A family of results, which are described and computed together."""

from collections.abc import Callable

import numpy as np

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.loads.reactions import Frame
from cardan.results.channel import Channel
from cardan.system.state import State
from cardan.system.system import System

Describe = Callable[[System], list[Channel]]
"""Descriptions of a family's results in a system."""
Values = Callable[[System, State, Number, Number], list[Number]]
"""Their values in a state with accelerations v̇ (nv,) and multipliers λ (c,), in the same order."""


@dataclass(frozen=True)
class Family:
    """Results that are described and computed together.

    Values are expressions; whether a family needs accelerations or multipliers is read from these expressions.
    """

    channels: Describe  # descriptions of the results
    values: Values  # their values
    on_request: bool = False  # whether they are found by name but not listed, as there are too many of them
    continued: Callable[[np.ndarray], np.ndarray] | None = None  # makes values (N, size) continuous over the instants
    frame: Frame | None = None  # axes of reactions, whose components loops may leave undetermined; None for others
