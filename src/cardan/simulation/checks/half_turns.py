"""Warning of bushings and beams whose ends turn past half a turn, where their moment changes its sign at once."""

import casadi as ca
import numpy as np

from cardan.channels import RunChannels
from cardan.errors import warn
from cardan.kinematics.motion import marker_motion
from cardan.model.flexible import outside_rods
from cardan.spatial.rotations import to_quaternion


def check_half_turns(channels: RunChannels) -> None:
    """Warn where the quaternion w ≥ 0 of the relative rotation turns round from one instant of the run to the next."""
    functions, (t, x, _, p) = channels.solver.functions, channels.instants
    model, loads = functions.system.model, functions.system.tree.loads
    own = outside_rods(model.forces, model.bodies)  # springs inside a rod turn by what one segment bends
    elastic = [load for load in loads if load.name in own and load.record.turns_less_than_half]
    if not elastic or len(t) < 2:
        return
    inputs, motion = [functions.symbols.inputs[key] for key in ("t", "x", "p")], functions.state.motion
    axes = [(marker_motion(motion, load.parent).R, marker_motion(motion, load.child).R) for load in elastic]
    law = ca.Function("turns", inputs, [ca.vertcat(*(to_quaternion(parent.T @ child) for parent, child in axes))])
    e = np.array(law(t[None], x.T, p)).reshape(len(elastic), 4, -1)
    for load, passed in zip(elastic, np.sum(e[..., 1:] * e[..., :-1], axis=1) < 0, strict=True):
        if passed.any():
            when = f"before t = {t[1:][passed][0]:.6g} s"
            fault = f"the ends of {load.name!r} turn past half a turn {when}, where its moment changes its sign at once"
            warn(f"{fault}; for such turns use a joint with a stiffness or a torsion_spring")
