"""The engines compared with, given the same mechanism; each is imported only here.

Both get the fastest form of the model: aligned revolute joints in Pinocchio, nothing but smooth dynamics in MuJoCo.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import cardan
from cardan.model.quantities.parameters import resolve

from .links import Closure, Link, closures, depth_first, links
from .mechanisms import states

__all__ = ["PEERS", "Missing", "condition", "gravity", "mjcf", "mujoco_model", "pinocchio_model", "require", "versions"]

PEERS = {"pinocchio": "pin", "mujoco": "mujoco", "exudyn": "exudyn", "meshcat": "meshcat", "scipy": "scipy"}
PEERS |= {"distributed": "distributed", "zarr": "zarr"}
"""Distribution on PyPI by import name."""
TINY = 1e-9  # inertia that MuJoCo wants about the axis of a slender rod, across a plane of motion [kg m²]
FIRM = 'iterations="100" tolerance="1e-10"'
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
        raise Missing(f"{', '.join(absent)} not installed: `pip install -e '.[peers]'`")


def pinocchio_model(model: cardan.Model) -> Any:
    """A `pinocchio.Model` of a mechanism, its cut joints left open.

    Parameters
    ----------
    model : Model
        As of `links`.
    """
    import pinocchio as pin

    out, chain = pin.Model(), links(model)
    for i in depth_first(chain):  # the only order that Pinocchio's algorithms are made for
        link = chain[i]
        parent = out.getJointId(chain[link.parent].joint) if link.parent >= 0 else 0
        place = pin.SE3(link.T[:3, :3], link.T[:3, 3])
        kind = pin.JointModelRZ() if link.kind == "revolute" else pin.JointModelPZ()
        joint = out.addJoint(parent, kind, place, link.joint)
        out.appendBodyToJoint(joint, pin.Inertia(link.mass, link.com, link.inertia), pin.SE3.Identity())
    out.gravity.linear = gravity(model)
    return out


def gravity(model: cardan.Model) -> np.ndarray:
    """Acceleration of a falling body (3,) [m/s²], world axes.

    Parameters
    ----------
    model : Model
        The mechanism.
    """
    values = resolve(model.parameters)
    return np.array([float(entry.evaluate(values.__getitem__)) for entry in model.gravity])


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


def mujoco_model(model: cardan.Model, step: float, actuators: str = "") -> Any:
    """A `mujoco.MjModel` of a mechanism: RK4, no contacts, no sensors; loops are closed as firmly as can be.

    Parameters
    ----------
    model : Model
        As of `links`.
    step : float
        Time step [s].
    actuators : str
        MuJoCo's XML of actuators.
    """
    import mujoco

    out = mujoco.MjModel.from_xml_string(mjcf(model, step).replace("</mujoco>", f"{actuators}</mujoco>"))
    kept = {"mjDSBL_GRAVITY", "mjDSBL_ACTUATION"}  # everything else is switched off; applied efforts need ACTUATION
    if out.neq:
        kept |= {"mjDSBL_CONSTRAINT", "mjDSBL_EQUALITY", "mjDSBL_WARMSTART"}
    if out.dof_damping.any():
        kept |= {"mjDSBL_DAMPER", "mjDSBL_PASSIVE"}
    for name, bit in mujoco.mjtDisableBit.__members__.items():
        if name.startswith("mjDSBL") and name not in kept:
            out.opt.disableflags |= int(bit)
    return out


def mjcf(model: cardan.Model, step: float) -> str:
    """The same mechanism as MuJoCo's XML.

    Parameters
    ----------
    model : Model
        As of `links`.
    step : float
        Time step [s].
    """
    chain = links(model) if model.planar is None else _rounded(model)
    loops = closures(model)
    bodies = "".join(_body(model, chain, loops, i) for i, link in enumerate(chain) if link.parent == -1)
    equalities = "".join(_connect(closure, step) for closure in loops)
    return (
        f'<mujoco><compiler angle="radian" inertiafromgeom="false" boundinertia="{TINY}"/>'
        f'<option timestep="{step!r}" integrator="RK4" gravity="{_row(gravity(model))}" {FIRM if loops else ""}/>'
        f"<worldbody>{bodies}</worldbody><equality>{equalities}</equality></mujoco>"
    )


def _rounded(model: cardan.Model) -> list[Link]:
    """Links of a planar mechanism with a ball's inertia: the same across the plane, where alone it is felt.

    MuJoCo refuses what no solid body can have, such as a thin wheel that is given by one moment of inertia.
    """
    normal = {"xy": [0, 0, 1], "xz": [0, 1, 0], "yz": [1, 0, 0]}[model.planar or "xy"]
    axes: list[np.ndarray] = []  # of the links in the world; the plane's normal stays where it is when they turn
    out = []
    for link in links(model):
        axes.append((axes[link.parent] if link.parent >= 0 else np.eye(3)) @ link.T[:3, :3])
        n = axes[-1].T @ normal
        out.append(replace(link, inertia=np.eye(3) * (n @ link.inertia @ n)))
    return out


def _body(model: cardan.Model, chain: list[Link], loops: list[Closure], i: int) -> str:
    """A body with all that hangs on it."""
    link = chain[i]
    J = link.inertia
    tensor = _row([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
    damping = model.joints[link.joint].damping
    loss = "" if damping is None else f'damping="{float(damping.value)!r}"'
    kind = "hinge" if link.kind == "revolute" else "slide"
    ends = [(f"{loop.joint}.a", loop.point_a) for loop in loops if loop.a == i]
    ends += [(f"{loop.joint}.b", loop.point_b) for loop in loops if loop.b == i]
    sites = "".join(f'<site name="{name}" pos="{_row(point)}"/>' for name, point in ends)
    outer = "".join(_body(model, chain, loops, k) for k, other in enumerate(chain) if other.parent == i)
    return (
        f'<body name="{link.joint}" pos="{_row(link.T[:3, 3])}" xyaxes="{_row([*link.T[:3, 0], *link.T[:3, 1]])}">'
        f'<inertial pos="{_row(link.com)}" mass="{link.mass!r}" fullinertia="{tensor}"/>'
        f'<joint name="{link.joint}" type="{kind}" axis="0 0 1" {loss}/>{sites}{outer}</body>'
    )


def _connect(closure: Closure, step: float) -> str:
    """A loop closed at a point, with a time constant of two steps, which is the shortest stable one."""
    sites = f'site1="{closure.joint}.a" site2="{closure.joint}.b"'
    return f'<connect {sites} solref="{2 * step!r} 1" solimp="0.9999 0.9999 0.001 0.5 2"/>'


def _row(numbers: Any) -> str:
    return " ".join(repr(float(number)) for number in numbers)
