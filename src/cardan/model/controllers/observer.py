"""Observer with feedback: a state-space system that a measurement corrects.   Source: Kailath 1980, ch. 4"""

from typing import Literal

from cardan.model.controllers.state_space import Matrix, Row, StateSpace
from cardan.model.quantities.fields import Rate


class Observer(StateSpace):
    """The result is feedback · x of the observed states x: a `state_space` with a gain."""

    type: Literal["observer"] = "observer"  # type: ignore[assignment]
    gain: Matrix  # L (n, p)
    measured: tuple[Rate, ...]  # (p,)
    feedback: Row  # (n,)
