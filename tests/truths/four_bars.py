"""N four-bar linkages side by side (IFToMM benchmark A02): N + 1 equal cranks on the ground, N couplers."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from cardan.model.model import Model

__all__ = ["four_bars", "reference", "stacked"]

G = 9.81


def four_bars(n: int) -> Model:
    """The mechanism with n loops, cranks vertical and turning such that the points B move at 1 m/s along x."""
    rod = {"mass": 1, "com": [0, 0.5, 0], "inertia": [1 / 12, 0, 1 / 12], "markers": {"tip": {"position": [0, 1, 0]}}}
    coupler = {
        "mass": 1,
        "com": [0.5, 0, 0],
        "inertia": [0, 1 / 12, 1 / 12],
        "markers": {"tip": {"position": [1, 0, 0]}},
    }
    bases = {f"A{k}": {"position": [k, 0, 0]} for k in range(n + 1)}
    hinge = {"type": "revolute", "axis": "-z"}  # clockwise: the angle from the upward vertical to the right
    joints: dict[str, dict[str, object]] = {"base": {"type": "fixed", "parent": "ground", "child": "base"}}
    for k in range(n + 1):
        joints[f"theta{k}"] = hinge | {"parent": f"base.A{k}", "child": f"crank{k}"}
    for k in range(n):
        joints[f"phi{k}"] = hinge | {"parent": f"crank{k}.tip", "child": f"coupler{k}"}
        joints[f"B{k + 1}"] = hinge | {"parent": f"coupler{k}.tip", "child": f"crank{k + 1}.tip", "cut": True}
    return Model(
        name=f"{n} four-bar linkages",
        gravity=[0, -G, 0],
        planar="xy",
        bodies={
            "base": {"markers": bases},
            **{f"crank{k}": rod for k in range(n + 1)},
            **{f"coupler{k}": coupler for k in range(n)},
        },
        joints=joints,
        initial={"theta0": 0, "theta0.v": 1},
    )


def reference(n: int, times: np.ndarray) -> np.ndarray:
    """B0 (N, 2) at the instants: the cranks turn alike and the couplers shift.

    [(n+1)/3 + n] m L² θ̈ = [(n+1)/2 + n] m g L sin θ, θ from the upward vertical.
    """
    factor = ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * G
    run = solve_ivp(
        lambda t, y: [y[1], factor * np.sin(y[0])], (0, times[-1]), [0, 1], "DOP853", times, rtol=1e-13, atol=1e-14
    )
    return np.column_stack([np.sin(run.y[0]), np.cos(run.y[0])])


def stacked(n: int, motors: bool = False) -> Model:
    """N four-bar linkages, each on the coupler of the one before; the first stands on a turntable.

    Motors may drive the outermost crank: one rides on the link below, one on the turntable.
    """

    def rod(length: float, **markers: object) -> dict[str, object]:
        return {
            "mass": 2 * length,
            "com": [length / 2, 0, 0],
            "inertia": [0.001, length**3 / 6, length**3 / 6],
            "markers": {"tip": {"position": [length, 0, 0]}} | {k: {"position": p} for k, p in markers.items()},
        }

    bodies = {"table": rod(0.9, left=[0, 0.1, 0], right=[0.9, 0.1, 0])}
    joints = {"turn": {"type": "revolute", "parent": "ground", "child": "table", "axis": "z"}}
    left, right = "table.left", "table.right"
    for k in range(n):
        bodies |= {f"a{k}": rod(0.3), f"b{k}": rod(0.8, left=[0.1, 0.1, 0], right=[1, 0.1, 0]), f"c{k}": rod(0.6)}
        joints |= {
            f"A{k}": {"type": "revolute", "axis": "z", "parent": left, "child": f"a{k}"},
            f"B{k}": {"type": "revolute", "axis": "z", "parent": f"a{k}.tip", "child": f"b{k}"},
            f"D{k}": {"type": "revolute", "axis": "z", "parent": right, "child": f"c{k}"},
            f"C{k}": {"type": "revolute", "axis": "z", "parent": f"b{k}.tip", "child": f"c{k}.tip", "cut": True},
        }
        left, right = f"b{k}.left", f"b{k}.right"
    coils = {"type": "dc", "resistance": 1, "torque_constant": 0.1, "back_emf_constant": 0.1}
    rotors = coils | {"rotor_inertia": 0.02, "ratio": 7}
    drives = {
        "near": rotors | {"joint": f"A{n - 1}", "mounted_on": f"b{n - 2}"},
        "far": rotors | {"joint": f"B{n - 1}", "mounted_on": "table"},
    }
    start = {f"A{k}": 1.0 for k in range(n)} | {f"B{k}": {"guess": -0.7} for k in range(n)}
    start |= {f"D{k}": {"guess": 1.9} for k in range(n)} | {"turn.v": 1}
    return Model(
        name=f"{n} stacked four-bar linkages",
        bodies=bodies,
        joints=joints,
        motors=drives if motors else {},
        initial=start,
    )
