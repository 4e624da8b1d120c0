"""The user's own differential equations, the section `states:` of a model: blocks that exchange no power."""

from functools import partial

import casadi as ca

from cardan.errors import ModelError
from cardan.frozen import dataclass, replace
from cardan.kinematics.build import MotorModel
from cardan.kinematics.motion import Motion, motion
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import Number, Tree
from cardan.model.model import Model
from cardan.model.names import currents, solved_units
from cardan.model.names import user_states as units_of
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.entries import column
from cardan.system.blocks.block import Block


@dataclass(frozen=True, kw_only=True)
class UserState(Block):
    """One state with its rate."""

    rate: Scalar  # as the user wrote it
    tree: Tree  # which gives the names in `rate` their meaning

    def rates(self, motion: Motion, z: Number, u: Number) -> Number:
        return column([evaluate(self.rate, partial(value, self.tree, motion))])


def user_states(model: Model, tree: Tree, motors: MotorModel) -> tuple[UserState, ...]:
    """The states of the section `states:`, in file order."""
    units = units_of(model)
    blocks = tuple(
        UserState(
            name=name,
            names=(name,),
            units=(units[name],),
            initial=(equation.initial,),
            signals=(name,),
            rate=equation.rate,
            tree=tree,
        )
        for name, equation in model.states.items()
    )
    for block in blocks:
        _check_names(model, block)
    return blocks


def _check_names(model: Model, block: UserState) -> None:
    """Refuse a rate that names what the system does not have, such as a current without motors."""
    tree = block.tree
    still = motion(tree, ca.DM(tree.neutral), ca.DM.zeros(tree.nv))
    solved = {*solved_units(model), *currents(model)}
    results = {name for name in solved if tree.motor_rotors or name.partition(".")[0] not in model.motors}
    at_rest = replace(still, results=lambda name: ca.DM(0) if name in results else None)
    for name in sorted(block.rate.names - results):
        try:
            value(tree, at_rest, name)
        except ModelError as error:
            raise error.under("states", block.name, "rate") from None
