"""Mechanisms that fold flat: all links in line, where the branches of their motion meet; with closed forms."""

from __future__ import annotations

from typing import Any

from cardan.model.model import Model

__all__ = ["flat_slider_crank", "parallelogram", "three_cranks", "three_sliders"]

G = 9.81
START = 0.3  # of the slider-crank [rad]
SPEED = 7.0  # enough to turn over [rad/s]


def bar(length: float) -> dict[str, Any]:
    """A slender bar of 1 kg along x with a marker at its far end."""
    inertia = length**2 / 12
    tip = {"tip": {"position": [length, 0, 0]}}
    return {"mass": 1, "com": [length / 2, 0, 0], "inertia": [0, inertia, inertia], "markers": tip}


def hinge(parent: str, child: str) -> dict[str, Any]:
    """A revolute joint about z."""
    return {"type": "revolute", "parent": parent, "child": child, "axis": "z"}


def parallelogram(speed: float = 2.0, angle: float = 0.5, size: float = 1.0) -> Model:
    """Cranks of 1 m and a coupler of 2 m, times `size`, no weight: the cranks turn alike at constant speed.

    They do so whatever the masses are.
    The other branch, on which they turn against each other, meets this one at crank angles kπ.
    """
    return Model(
        gravity=[0, 0, 0],
        planar="xy",
        bodies={
            "frame": {"markers": {"D": {"position": [2 * size, 0, 0]}}},
            "left": bar(size),
            "coupler": bar(2 * size),
            "right": bar(size),
        },
        joints={
            "frame": {"type": "fixed", "parent": "ground", "child": "frame"},
            "A": hinge("frame", "left"),
            "B": hinge("left.tip", "coupler"),
            "D": hinge("frame.D", "right"),
            "C": hinge("coupler.tip", "right.tip") | {"cut": True},
        },
        initial={"A": angle, "A.v": speed, "B": {"guess": -angle}, "D": {"guess": angle}, "D.v": speed},
    )


def three_cranks(angle: float, speed: float, planar: bool = True, size: float = 1.0) -> Model:
    """The parallelogram with a third crank between the others, which is redundant: Grübler counts no freedom."""
    two = parallelogram(speed, angle, size)
    end, middle = {"position": [2 * size, 0, 0]}, {"position": [0.7 * size, 0, 0]}
    frame = {"markers": {"D": end, "E": middle}}
    coupler = bar(2 * size) | {"markers": {"tip": end, "middle": middle}}
    return two.replace(
        planar="xy" if planar else None,
        bodies={**two.bodies, "frame": frame, "coupler": coupler, "third": bar(size)},
        joints={
            **two.joints,
            "E": hinge("frame.E", "third"),
            "F": hinge("coupler.middle", "third.tip") | {"cut": True},
        },
        initial={"A": angle, "A.v": speed}
        | {name: {"guess": x} for name, x in zip("BDE", (-angle, angle, angle), strict=True)},
    )


def flat_slider_crank(driven: bool = False) -> Model:
    """Crank and rod of 1 m each, a slider of 0.5 kg along x that meets the crank's pivot at crank angles π/2 + kπ.

    Either the slide goes on, x = 2 cos φ, or it rests while crank and rod turn together. `driven`: φ follows time.
    """
    drive = {"drive": {"type": "expression", "expression": f"crank - {START} - {SPEED}*t"}}
    return Model(
        gravity=[0, -G, 0],
        planar="xy",
        bodies={"crank": bar(1), "rod": bar(1), "slider": {"mass": 0.5}},
        joints={
            "crank": hinge("ground", "crank"),
            "pin": hinge("crank.tip", "rod"),
            "wrist": hinge("rod.tip", "slider"),
            "slide": {"type": "prismatic", "parent": "ground", "child": "slider", "axis": "x"},
        },
        constraints=drive if driven else {},
        initial={"crank": START, "crank.v": SPEED, "pin": {"guess": -2 * START}, "slide": {"guess": 1.9}},
    )


def three_sliders(size: float, speed: float) -> Model:
    """A slider of 1 kg on y held by two rods of length `size` to sliders of 0.5 and 0.7 kg on x, no angles at all.

    Those on x move against each other; both meet the origin at once, where they might as well go on together.
    """
    slide = {"type": "prismatic", "parent": "ground"}
    rod = {"type": "distance", "parent": "P", "length": size}
    at = 0.3 * size
    return Model(
        gravity=[0, -G, 0],
        planar="xy",
        bodies={"P": {"mass": 1}, "Q": {"mass": 0.5}, "R": {"mass": 0.7}},
        joints={
            "y": slide | {"child": "P", "axis": "y"},
            "x": slide | {"child": "Q", "axis": "x"},
            "r": slide | {"child": "R", "axis": "x"},
        },
        constraints={"left": rod | {"child": "Q"}, "right": rod | {"child": "R"}},
        initial={"y": {"guess": 0.95 * size}, "x": at, "x.v": -speed, "r": {"guess": -at}, "r.v": speed},
    )
