"""The channels of a system as functions of instants and states, made family by family when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import casadi as ca

from cardan.channels.measures import FAMILIES, Measure, measures, outputs
from cardan.codegen import Gradual
from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Number

__all__ = ["ChannelFunctions", "channel_functions"]


@dataclass(frozen=True, eq=False)
class ChannelFunctions:
    """Descriptions of a system's channels, and functions that give their values."""

    functions: SystemFunctions  # of the system

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """Every channel beyond the state, by name."""
        return {measure.name: measure for measure in measures(self.functions.system)}

    @cached_property
    def on_request(self) -> frozenset[str]:
        """Names of channels that say the same as another one, in other axes."""
        return frozenset(name for name, measure in self.measures.items() if measure.on_request)

    @cached_property
    def outputs(self) -> list[Number]:
        """Values of the model's own outputs, as expressions.

        Raises
        ------
        ModelError
            An output names a current, and motors are off.
        """
        return outputs(self.functions.system, self.functions.state)

    def family(self, name: str) -> Gradual:
        """Values of the `measures` of the family `name`, in their order; the function is made once."""
        if name not in self._made:
            functions = self.functions
            values = FAMILIES[name].expressions(
                functions.system, functions.state, lambda: functions.accelerations_and_multipliers
            )
            self._made[name] = functions.columns(name, values)
        return self._made[name]

    def reactions(self, family: str) -> Gradual:
        """Values of `measures` of a family of reactions, of (t, x, (u, v̇, λ), p): from a solution that is given."""
        name = f"{family}_given"
        if name not in self._made:
            functions, tree = self.functions, self.functions.system.tree
            a, lam = ca.SX.sym("a", tree.nv), ca.SX.sym("lam", functions.equations)
            values = FAMILIES[family].expressions(functions.system, functions.state, lambda: (a, lam))
            self._made[name] = functions.columns(name, values, a, lam)
        return self._made[name]

    @cached_property
    def _made(self) -> dict[str, Gradual]:
        return {}


def channel_functions(functions: SystemFunctions) -> ChannelFunctions:
    """The channels of a system; asked for again, they are the same ones with their machine code.

    Parameters
    ----------
    functions : functions of the system.
    """
    return _KEPT.setdefault(functions, ChannelFunctions(functions))


_KEPT: WeakKeyDictionary[SystemFunctions, ChannelFunctions] = WeakKeyDictionary()
