"""The engines compared with, given the same mechanism; each is imported only here.

Both get the fastest form of the model: aligned revolute joints in Pinocchio, nothing but smooth dynamics in MuJoCo.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import cardan

from .links import Link, links
from .mechanisms import states

__all__ = ["PEERS", "Missing", "condition", "mujoco_model", "pinocchio_model", "require", "versions"]

PEERS = {"pinocchio": "pin", "mujoco": "mujoco", "scipy": "scipy"}
"""Distribution on PyPI by import name."""
SAMPLES = 32  # states whose condition numbers are looked at


class Missing(Exception):  # noqa: N818 - a reason to skip, not an error
    """A peer is not installed."""


def versions() -> dict[str, str]:
    """Versions of the peers that are installed, by import name."""
    found = {}
    for name, distribution in PEERS.items():
        try:
            found[name] = version(distribution)
        except PackageNotFoundError:
            continue
    return found


def require(*names: str) -> None:
    """Nothing, if these peers are installed.

    Parameters
    ----------
    *names : str
        Keys of PEERS.

    Raises
    ------
    Missing
        One of them is not; the text says how to install it.
    """
    absent = [PEERS[name] for name in names if name not in versions()]
    if absent:
        raise Missing(f"{', '.join(absent)} not installed: `pip install 'cardan[peers]'`")


def pinocchio_model(model: cardan.Model) -> Any:
    """A `pinocchio.Model` of a tree of revolute joints.

    Parameters
    ----------
    model : Model
        The mechanism.
    """
    import pinocchio as pin

    out = pin.Model()
    for link in links(model):
        place = pin.SE3(link.T[:3, :3], link.T[:3, 3])
        joint = out.addJoint(link.parent + 1, pin.JointModelRZ(), place, link.name)
        out.appendBodyToJoint(joint, pin.Inertia(link.mass, link.com, link.inertia), pin.SE3.Identity())
    out.gravity.linear = np.array([entry.value for entry in model.gravity])
    return out


def condition(model: cardan.Model) -> float:
    """Condition number of the mass matrix, the worst of some states: how much forward dynamics magnify rounding.

    Parameters
    ----------
    model : Model
        A tree of revolute joints.
    """
    import pinocchio as pin

    peer = pinocchio_model(model)
    data = peer.createData()
    q, _, _ = states(peer.nq, SAMPLES)
    upper = [np.triu(pin.crba(peer, data, row)) for row in q]
    return max(float(np.linalg.cond(M + np.triu(M, 1).T)) for M in upper)


def mujoco_model(model: cardan.Model, step: float) -> Any:
    """A `mujoco.MjModel` of a tree of revolute joints: RK4, no contacts, no constraints, no sensors.

    Parameters
    ----------
    model : Model
        The mechanism.
    step : float
        Time step [s].
    """
    import mujoco

    out = mujoco.MjModel.from_xml_string(_mjcf(model, step))
    kept = {"mjDSBL_GRAVITY", "mjDSBL_ACTUATION"}  # everything else is switched off; applied efforts need ACTUATION
    for name, bit in mujoco.mjtDisableBit.__members__.items():
        if name.startswith("mjDSBL") and name not in kept:
            out.opt.disableflags |= int(bit)
    return out


def _mjcf(model: cardan.Model, step: float) -> str:
    chain = links(model)
    gravity = _row(entry.value for entry in model.gravity)
    return (
        f'<mujoco><compiler angle="radian" inertiafromgeom="false"/>'
        f'<option timestep="{step!r}" integrator="RK4" gravity="{gravity}"/>'
        f"<worldbody>{_bodies(chain, -1)}</worldbody></mujoco>"
    )


def _bodies(chain: list[Link], parent: int) -> str:
    """The bodies that hang on a link, with all that hangs on them."""
    return "".join(_body(chain, i) for i, link in enumerate(chain) if link.parent == parent)


def _body(chain: list[Link], i: int) -> str:
    link = chain[i]
    J = link.inertia
    tensor = _row([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
    return (
        f'<body pos="{_row(link.T[:3, 3])}" xyaxes="{_row([*link.T[:3, 0], *link.T[:3, 1]])}">'
        f'<inertial pos="{_row(link.com)}" mass="{link.mass!r}" fullinertia="{tensor}"/>'
        f'<joint name="{link.name}" type="hinge" axis="0 0 1"/>{_bodies(chain, i)}</body>'
    )


def _row(numbers: Any) -> str:
    return " ".join(repr(float(number)) for number in numbers)
