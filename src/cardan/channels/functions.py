"""The channels of a system as functions of instants and states, made family by family on first use."""

from enum import IntEnum
from functools import cached_property, lru_cache

import casadi as ca
import numpy as np

from cardan.channels.families import FAMILIES
from cardan.codegen import Gradual
from cardan.frozen import dataclass, field, replace
from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.relations.ideal_parts import ideal_parts, with_ideal_parts
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel


class Need(IntEnum):
    """What has to be known in addition to states and inputs to compute a result; a larger need contains the smaller."""

    NOTHING = 0
    ACCELERATIONS = 1
    MULTIPLIERS = 2


@dataclass(frozen=True)
class FamilyFunction:
    """Values of all channels of one family, in their order."""

    columns: Gradual  # function of (t, x, u, p, what `need` says): one column for each channel
    need: Need  # what its expressions depend on


@dataclass(frozen=True, eq=False)
class ChannelFunctions:
    """Descriptions of a system's channels, and the functions that give their values."""

    functions: SystemFunctions  # functions of the system
    _made: dict[str, FamilyFunction] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def families(self) -> dict[str, dict[str, Channel]]:
        """Channels by name, beyond the state, by the name of their family."""
        system = self.functions.system
        return {
            name: {channel.name: channel for channel in family.channels(system)} for name, family in FAMILIES.items()
        }

    @cached_property
    def family_of(self) -> dict[str, str]:
        """The family of every channel, in the order in which channels are listed."""
        return {channel: name for name, channels in self.families.items() for channel in channels}

    @property
    def on_request(self) -> frozenset[str]:
        """Names of the channels that are found by name but not listed."""
        return frozenset(name for name, family in self.family_of.items() if FAMILIES[family].on_request)

    def describe(self, name: str) -> Channel:
        """The channel called `name`; its description does not contain the uniqueness of a reaction."""
        return self.families[self.family_of[name]][name]

    def family(self, name: str) -> FamilyFunction:
        """The function of the family called `name`; it is made once."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def accelerations(self, t: np.ndarray, x: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Accelerations (N, nv) of a system without constraints, at instants `t`, states `x`,
        inputs `u` and with `p`.
        """
        return np.array(self.functions.batch("accelerations")(t, x, u, p)[0])

    @cached_property
    def unknowns(self) -> tuple[Number, Number]:
        """Symbols of the accelerations (nv,) and multipliers (c,)."""
        return ca.SX.sym("a", self.functions.system.tree.nv), ca.SX.sym("lam", self.functions.equations)

    def expressions(self, family: str) -> list[Number]:
        """Values of all channels of a family, over the symbols of the functions and the `unknowns`."""
        functions, (a, lam) = self.functions, self.unknowns
        state, tree = functions.state, functions.system.tree
        moving = with_ideal_parts(tree, state.motion, ideal_parts(tree, state.motion, lam))
        return FAMILIES[family].values(functions.system, replace(state, motion=moving), a, lam)

    def _make(self, name: str) -> FamilyFunction:
        functions, (a, lam), values = self.functions, self.unknowns, self.expressions(name)
        sizes = [len(channel.columns) for channel in self.families[name].values()]
        assert [ca.SX(value).numel() for value in values] == sizes, f"the values of {name!r} do not fit its channels"
        whole = ca.vertcat(ca.SX(0, 1), *(ca.SX(value) for value in values))
        if ca.depends_on(whole, lam):
            return FamilyFunction(functions.columns(name, values, a, lam), Need.MULTIPLIERS)
        if ca.depends_on(whole, a):
            return FamilyFunction(functions.columns(name, values, a), Need.ACCELERATIONS)
        return FamilyFunction(functions.columns(name, values), Need.NOTHING)


@lru_cache(maxsize=64)
def channel_functions(functions: SystemFunctions) -> ChannelFunctions:
    """The channels of a system; a second call returns the same object with its machine code."""
    return ChannelFunctions(functions)


def check_outputs(functions: SystemFunctions) -> None:
    """Refuse outputs that a system cannot compute, before anything runs."""
    if functions.system.model.outputs:
        channel_functions(functions).family("outputs")
