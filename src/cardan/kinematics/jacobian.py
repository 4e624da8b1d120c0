"""Jacobian of a marker: its twist per velocity, world axes, angular part first, at the marker's origin.

Source: Featherstone 2008, §4.1 (columns S_i moved to the point)
"""

import casadi as ca

from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import GROUND, Number, Place, Tree
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import position, rotation


def jacobian(tree: Tree, state: Motion, place: Place) -> Number:
    """J (6×nv) with (ω; ṗ) = J v of the marker, world axes [rad/s; m/s per unit of v]."""
    columns: list[Number] = [ca.DM(6, 1)] * tree.nv
    if place.link != GROUND:
        p_W = position(state.T_WL[place.link] @ place.T_LM)
        for index in tree.path(place.link):
            link = tree.links[index]
            R_WL = rotation(state.T_WL[index])
            S = state.joints[index].S
            w, u = R_WL @ S[:3, :], R_WL @ S[3:, :]
            r = p_W - position(state.T_WL[index])
            J = ca.vertcat(w, u - skew(r) @ w)
            for k, column in zip(link.v, ca.horzsplit(J) if link.v else (), strict=True):
                columns[k] = column
    return ca.horzcat(*columns) if columns else ca.DM(6, 0)
