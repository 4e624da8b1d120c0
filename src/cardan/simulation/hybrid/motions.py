"""Motions of a system at an instant that differ in what friction holds, as calls of one function.

An event of friction asks how the mechanism would move if each of its joints stuck, or had no friction. These motions
have the same equations, so that machine code contains them once, however many joints ask.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import casadi as ca

from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Number
from cardan.system.friction import Solved
from cardan.system.response import response
from cardan.system.unknown_efforts import Acting

__all__ = ["Motions"]


@dataclass(frozen=True, eq=False)
class Motions:
    """(states of the blocks (nz,), where friction acts) → the motion at the instant of the symbols.

    Tests whether it is the only motion are left out.
    """

    functions: SystemFunctions  # functions of the integrated system

    def __call__(self, z: Number, acting: Acting | None = None) -> Solved:
        """The motion.

        Parameters
        ----------
        z : states of the blocks (nz,).
        acting : where friction along one motion acts, by velocity; everywhere if absent.
        """
        s, x = self.functions.symbols.inputs, ca.SX(self.functions.symbols.inputs["x"])
        if z.shape[0]:
            x[x.shape[0] - z.shape[0] :] = z
        acts = ca.vertcat(ca.SX(0, 1), *((acting or {}).get(k, 1) for k in self._velocities))
        found = iter(ca.vertsplit(self._function(s["t"], x, s["u"], s["p"], acts)))
        return self._with(found)

    @property
    def _velocities(self) -> list[int]:
        """Velocities along which friction may hold a joint that has one motion."""
        return [block.velocity for block in self.functions.system.frictions if block.sticks and not block.parts]

    @cached_property
    def _solved(self) -> tuple[Number, Solved]:
        """Symbols for where friction acts, and the motion over them."""
        acts = ca.SX.sym("acts", len(self._velocities))
        acting = {k: acts[i] for i, k in enumerate(self._velocities)}
        return acts, response(self.functions.system, self.functions.state, acting=acting)

    @cached_property
    def _function(self) -> ca.Function:
        s, (acts, found) = self.functions.symbols.inputs, self._solved
        every = ca.vertcat(
            found.a, found.determinant, found.is_solved, *(x for each in _parts(found) for x in each.values())
        )
        arguments = [s["t"], s["x"], s["u"], s["p"], acts]
        return ca.Function("motion", arguments, [ca.densify(ca.SX(every))], {"never_inline": True})

    def _with(self, values: Iterator[Number]) -> Solved:
        """The record with these values, in the order of the function's result."""
        _, found = self._solved
        a = ca.vertcat(*(next(values) for _ in range(found.a.shape[0])))
        determinant, is_solved = next(values), next(values)
        phi, limits, sizes, at_rest = ({k: next(values) for k in each} for each in _parts(found))
        return Solved(a, found.lam, phi, limits, determinant, is_solved, sizes=sizes, at_rest=at_rest)


def _parts(found: Solved) -> tuple[Mapping[int, Number], ...]:
    return found.phi, found.limits, found.sizes, found.at_rest
