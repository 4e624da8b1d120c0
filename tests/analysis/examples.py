"""Mechanisms whose mobility and reactions textbooks tell."""

from __future__ import annotations

from typing import Any

from cardan.model.model import Model

HINGE_DISTANCE = 2.0


def bar(length: float, mass: float = 1.0) -> dict[str, Any]:
    """A slender bar along x with a marker at its far end."""
    inertia = mass * length**2 / 12
    return {
        "mass": mass,
        "com": [length / 2, 0, 0],
        "inertia": [1e-3, inertia, inertia],
        "markers": {"tip": {"position": [length, 0, 0]}},
    }


def hinge(parent: str, child: str, axis: Any = "z", **more: Any) -> dict[str, Any]:
    """A revolute joint."""
    return {"type": "revolute", "parent": parent, "child": child, "axis": axis, **more}


def base(position: list[float]) -> dict[str, Any]:
    """A body without motion that stands for a second point of the ground."""
    return {"mass": 1, "markers": {"end": {"position": position}}}


def four_bar(lengths=(1.0, 2.0, 1.5), span=2.0, planar: str | None = None, **more: Any) -> Model:
    """Crank, coupler and rocker on a ground link of length `span` along x; `rocker` closes the loop at the ground."""
    crank, coupler, rocker = lengths
    return Model(
        planar=planar,
        gravity=[0, -9.81, 0],
        bodies={"crank": bar(crank), "coupler": bar(coupler), "rocker": bar(rocker), "frame": base([span, 0, 0])},
        joints={
            "mount": {"type": "fixed", "parent": "ground", "child": "frame"},
            "a": hinge("ground", "crank"),
            "b": hinge("crank.tip", "coupler"),
            "c": hinge("coupler.tip", "rocker.tip"),
            "d": hinge("frame.end", "rocker"),
        },
        **more,
    )


def door(first: str = "low", hinges: int = 2) -> Model:
    """A door on hinges one above the other, its weight beside them; the hinge `first` carries it in the tree."""
    heights = {"low": 0.0, "high": HINGE_DISTANCE, "middle": HINGE_DISTANCE / 2}
    names = [first, *(name for name in heights if name != first)]
    markers = {name: {"position": [0, 0, z]} for name, z in heights.items()}
    chosen = [name for name in names if hinges == 3 or name != "middle"]
    return Model(
        bodies={
            "frame": {"mass": 1, "markers": markers},
            "door": {"mass": 30, "com": [0.4, 0, 1.0], "inertia": [10, 10, 1.6], "markers": markers},
        },
        joints={
            "mount": {"type": "fixed", "parent": "ground", "child": "frame"},
            **{name: hinge(f"frame.{name}", f"door.{name}") for name in chosen},
        },
        initial={first: 0.3},
    )


def bricard() -> Model:
    """Bricard's mechanism, IFToMM A04: five rods and six hinges of which any one equation follows from the others."""
    points = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    bodies: dict[str, Any] = {"frame": base([0, 0, 1])}
    joints: dict[str, Any] = {"mount": {"type": "fixed", "parent": "ground", "child": "frame"}}
    for k in range(5):
        along = [float(b - a) for a, b in zip(points[k], points[k + 1], strict=True)]
        across = [1 / 12 * (1 - abs(x)) + 1e-4 for x in along]
        bodies[f"rod{k}"] = {
            "mass": 1,
            "com": [x / 2 for x in along],
            "inertia": across,
            "markers": {"tip": {"position": along}},
        }
        joints[f"h{k}"] = hinge("ground" if k == 0 else f"rod{k - 1}.tip", f"rod{k}", list(axes[k]))
    joints["h5"] = hinge("frame.end", "rod4.tip", list(axes[5]), cut=True)
    return Model(gravity=[0, -9.81, 0], bodies=bodies, joints=joints)


def planar_3rrr() -> Model:
    """Hoang & Vuong's 3RRR with massless rods as distances; see docs/errata.md."""
    import numpy as np

    alpha = np.array([7 * np.pi / 6, -np.pi / 6, np.pi / 2])
    bodies: dict[str, Any] = {
        "frame": {"mass": 1, "markers": {}},
        "platform": {"mass": 1.5, "inertia": [1, 1, 0.05], "markers": {}},
    }
    joints: dict[str, Any] = {"mount": {"type": "fixed", "parent": "ground", "child": "frame"}}
    constraints, motors, initial = {}, {}, {"platform.x": 0.02, "platform.y": -0.01, "platform.rz": 0.1}
    for k, (angle, guess) in enumerate(zip(alpha, (1.2568, 3.4512, -0.7485), strict=True), start=1):
        at = [float(np.cos(angle)), float(np.sin(angle)), 0.0]
        bodies["frame"]["markers"][f"o{k}"] = {"position": [1.2 / 3**0.5 * x for x in at]}
        bodies["platform"]["markers"][f"b{k}"] = {"position": [0.4 / 3**0.5 * x for x in at]}
        bodies[f"crank{k}"] = bar(0.35)
        joints[f"crank{k}"] = hinge(f"frame.o{k}", f"crank{k}")
        constraints[f"rod{k}"] = {
            "type": "distance",
            "parent": f"crank{k}.tip",
            "child": f"platform.b{k}",
            "length": 0.35,
        }
        motors[f"motor{k}"] = {
            "type": "dc", "joint": f"crank{k}", "ratio": 10, "resistance": 3, "inductance": 1e-3,
            "torque_constant": 1, "back_emf_constant": 1, "rotor_inertia": 1e-3, "rotor_damping": 0.1,
        }  # fmt: skip
        initial[f"crank{k}"] = {"guess": guess}
    joints["platform"] = {"type": "planar", "parent": "ground", "child": "platform"}
    return Model(
        gravity=[0, 0, 0], planar="xy", bodies=bodies, joints=joints, constraints=constraints, motors=motors,
        initial=initial,
    )  # fmt: skip


def chain() -> Model:
    """Two bars in a row, nothing closed."""
    return Model(
        bodies={"one": bar(1), "two": bar(1)},
        joints={"shoulder": hinge("ground", "one", "y"), "elbow": hinge("one.tip", "two", "y")},
    )


def triangle(lengths=(1.0, 1.0), span=1.0, planar: str | None = "xy") -> Model:
    """Two bars on the ground, hinged at all three corners: nothing can move."""
    return Model(
        planar=planar,
        bodies={"left": bar(lengths[0]), "right": bar(lengths[1]), "frame": base([span, 0, 0])},
        joints={
            "mount": {"type": "fixed", "parent": "ground", "child": "frame"},
            "a": hinge("ground", "left"),
            "b": hinge("frame.end", "right"),
            "top": hinge("left.tip", "right.tip"),
        },
        initial={"a": {"guess": 1.0}, "b": {"guess": 2.0}},
    )
