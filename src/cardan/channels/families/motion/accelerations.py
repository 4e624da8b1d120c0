"""Accelerations and angular accelerations of bodies and markers, world axes: `payload.acceleration`.

Source: Khalil & Dombre 2002, §9.5 (accelerations of a body's points by the tensor U = [α×] + [ω×]²)
"""

from cardan.channels.families.places import moving_places, vector
from cardan.formulations import newton_euler
from cardan.kinematics.tree import Number
from cardan.results.channel import Channel
from cardan.spatial.transforms import position, rotation
from cardan.system.state import State
from cardan.system.system import System


def channels(system: System) -> list[Channel]:
    """Acceleration of the origin and angular acceleration, for each body and marker of the `system`."""
    out = []
    for name in moving_places(system):
        out += [
            vector(f"{name}.acceleration", "m/s^2", "acceleration of the origin, world axes"),
            vector(f"{name}.angular_acceleration", "rad/s^2", "angular acceleration, world axes"),
        ]
    return out


def values(system: System, state: State, a: Number, lam: Number) -> list[Number]:
    """v̇ and ω̇ (3,) of each, in a `state` of the `system` with accelerations `a` (nv,); `lam` is not needed."""
    out = []
    links = newton_euler.link_accelerations(system.tree, state.motion, a, gravity=False)
    for place in moving_places(system).values():
        R_WL, link = rotation(state.motion.T_WL[place.link]), links[place.link]
        out += [R_WL @ (link.a + link.U @ position(place.T_LM)), R_WL @ link.alpha]
    return out
