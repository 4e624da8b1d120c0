"""Responses of a system at an instant with different joints that stick or have no friction, as calls of one function.

At an event of friction the reset computes how the mechanism would move if each of its joints stuck, or had no friction.
These responses have the same equations, so that machine code contains them once, whatever the number of joints. Most
joints have nothing to decide at an event: machine code leaves out what is not needed.
"""

from functools import cached_property

import casadi as ca

from cardan.codegen import NEEDED
from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Number
from cardan.system.contacts import Solved
from cardan.system.contacts.unknown_efforts import Active
from cardan.system.response import response

PARTS = ("a", "determinant", "is_solved", "phi", "limits", "sizes", "ways", "given", "strays")


@dataclass(frozen=True, eq=False)
class Responses:
    """(states of the blocks (nz,), where friction is active) → accelerations and efforts at the instant of the symbols.

    They may be zeros where they are not `needed`. Tests whether this solution is the only one are left out.
    """

    functions: SystemFunctions  # functions of the integrated system

    def __call__(self, z: Number, active: Active | None = None, *, needed: Number = 1) -> Solved:
        """Accelerations (nv,), efforts of friction and their limits."""
        s, x = self.functions.symbols.inputs, ca.SX(self.functions.symbols.inputs["x"])
        if z.shape[0]:
            x[x.shape[0] - z.shape[0] :] = z
        switches = ca.vertcat(ca.SX(0, 1), *((active or {}).get(k, 1) for k in self._velocities))
        return self._solved[1].with_entries(PARTS, self._function(needed, s["t"], x, s["u"], s["p"], switches))

    @cached_property
    def unknown(self) -> Solved:
        """A response of symbols, for laws that are applied to several ones."""
        found = self._solved[1]
        return found.with_entries(PARTS, ca.SX.sym("found", found.entries(PARTS).shape[0]))

    @property
    def _velocities(self) -> list[int]:
        """Velocities of the joints that friction may hold."""
        return [block.velocity for block in self.functions.system.sticking]

    @cached_property
    def _solved(self) -> tuple[Number, Solved]:
        """Symbols for where friction is active, and the response over them."""
        switches = ca.SX.sym("active", len(self._velocities))
        active = {k: switches[i] for i, k in enumerate(self._velocities)}
        return switches, response(self.functions.system, self.functions.state, active=active)

    @cached_property
    def _function(self) -> ca.Function:
        s, (switches, found) = self.functions.symbols.inputs, self._solved
        arguments = [ca.SX.sym("needed"), s["t"], s["x"], s["u"], s["p"], switches]
        names = [NEEDED, "t", "x", "u", "p", "active"], ["found"]
        return ca.Function("response", arguments, [found.entries(PARTS)], *names, {"never_inline": True})
