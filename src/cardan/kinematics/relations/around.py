"""What equations of the user's may read of a mechanism in a state of motion."""

from collections.abc import Callable

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.tree import End, Number, Tree
from cardan.model.expressions.operations import CASADI
from cardan.model.forces import MarkerMotion
from cardan.model.quantities.scalar import Scalar

Lookup = Callable[[Tree, Motion, str], Number]
"""Value of a name in a state of motion of a mechanism: `scope.value`."""


def evaluate(scalar: Scalar, lookup: Callable[[str], Number]) -> Number:
    """The CasADi number a scalar stands for, its names given by `lookup`; a literal zero is a structural one."""
    if scalar.value is not None:
        return ca.DM(scalar.value) if scalar.value else ca.DM(1, 1)
    return scalar.evaluate(lookup, CASADI)


@dataclass(frozen=True)
class Around:
    """The quantities of a state of motion that a constraint may read; satisfies `model.constraints.Surroundings`."""

    tree: Tree  # the mechanism
    state: Motion  # its state of motion
    lookup: Lookup  # gives names their values

    @property
    def normal(self) -> Number | None:
        """Unit normal of the plane of a planar model; None for spatial ones."""
        return self.tree.normal

    def marker(self, place: End) -> MarkerMotion:
        """Motion of the ground, a body or a marker, in world axes."""
        return marker_motion(self.state, self.tree.place(place))

    def value(self, name: str) -> Number:
        """Value of what a name stands for."""
        return self.lookup(self.tree, self.state, name)

    def number(self, scalar: Scalar, **more: Number) -> Number:
        """Value of an expression."""
        return evaluate(scalar, lambda name: more[name] if name in more else self.value(name))
