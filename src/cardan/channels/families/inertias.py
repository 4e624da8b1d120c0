"""Inertia that a drive of a coordinate sees, without the rotor of its motor.

Open chains: the diagonal of M, with all other coordinates held. Closed loops of one freedom: 2 E/v², with the kinetic
energy E of all that moves; not a number at rest, and where loops have several freedoms.
"""

import casadi as ca

from cardan.formulations import composite_body
from cardan.kinematics import energy
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.system.drives import drive_rows
from cardan.system.state import State
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """Inertia at every coordinate of the `system`."""
    units = {"m/s": "kg", "rad/s": "kg*m^2"}
    text = "inertia that moves with it, without the rotor of its motor"
    return [Channel(f"{one.name}.inertia", units[one.unit], (), "joint", text) for one in system.tree.velocities]


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """Their values in a `state`; accelerations `a` and multipliers `lam` have no part in them."""
    tree, v = system.tree, ca.SX(state.v)
    own = ca.SX(tree.nv, 1)
    for rotor in tree.motor_rotors:
        own[rotor.v] += rotor.ratio**2 * rotor.inertia
    if not (tree.cuts or tree.constraints):
        found = ca.diag(composite_body.mass_matrix(tree, state.motion))
    else:
        loops = {*system.choice.kept} - {*drive_rows(tree, lam.shape[0])}
        energy_of_all = energy.kinetic(tree, state.motion) if tree.nv - len(loops) == 1 else ca.SX.nan()
        found = 2 * energy_of_all / v**2
    return [found[k] - own[k] for k in range(tree.nv)]
