"""A joint that the tree crosses from its child to its parent: same coordinates, same sign, the inverse motion."""

import casadi as ca

from cardan.frozen import dataclass
from cardan.kinematics.tree import Number
from cardan.model.joints import Joint
from cardan.spatial.inertia import Inertia
from cardan.spatial.motion import cross_motion, motion_matrix
from cardan.spatial.transforms import inverse, position, rotation


@dataclass(frozen=True)
class Reversed:
    """Law of `joint` seen from its child: the moving link is the joint's parent."""

    joint: Joint

    @property
    def declared(self) -> Joint:
        """The joint as the model has it."""
        return self.joint

    @property
    def nv(self) -> int:
        """Degrees of freedom."""
        return self.joint.nv

    def transform(self, q: Number) -> Number:
        """T_CP (4×4)."""
        return inverse(self.joint.transform(q))

    def subspace(self, q: Number) -> Number:
        """−X_PC S: twist of the parent relative to the child, parent axes."""
        return -self._to_parent(q) @ self.joint.subspace(q)

    def subspace_rate(self, q: Number, v: Number) -> Number:
        """Rate of `subspace`; d/dt X_PC = X_PC [S v ×]."""
        S = self.joint.subspace(q)
        return -self._to_parent(q) @ (cross_motion(S @ v) @ S + self.joint.subspace_rate(q, v))

    def coordinate_rate(self, q: Number, v: Number) -> Number:
        """q̇."""
        return self.joint.coordinate_rate(q, v)

    def commutator(self, a: Number, b: Number) -> Number:
        """[a, b]."""
        return self.joint.commutator(a, b)

    def normalised(self, q: Number) -> Number:
        """q with unit quaternion."""
        return self.joint.normalised(q)

    def split_inertia(self, P: Inertia) -> tuple[Inertia, Inertia]:
        """As of the joint: what is invariant under its motion is so in both directions."""
        return self.joint.split_inertia(P)

    def _to_parent(self, q: Number) -> Number:
        """X_PC (6×6)."""
        T_CP = self.transform(q)
        return motion_matrix(rotation(T_CP), position(T_CP)) if self.joint.nv else ca.DM.eye(6)
