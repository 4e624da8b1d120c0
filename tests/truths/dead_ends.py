"""Mechanisms whose motion cannot go on, and the instant at which it ends, from geometry alone."""

from __future__ import annotations

import numpy as np

from cardan.model.model import Model
from tests.truths.flat_mechanisms import bar, hinge

__all__ = ["cusp", "four_bar_beyond_reach", "slide_beyond_stroke", "stretched_chain", "winch_beyond_reach"]

G = 9.81


def slide_beyond_stroke() -> tuple[Model, float]:
    """A crank of 1 m, a rod of 2 m and a slide that is pushed along 2.5 m + 0.4 m/s t: the stroke ends at 3 m."""
    model = Model(
        gravity=[0, -G, 0],
        planar="xy",
        bodies={"crank": bar(1), "rod": bar(2), "slider": {"mass": 0.5}},
        joints={
            "crank": hinge("ground", "crank"),
            "pin": hinge("crank.tip", "rod"),
            "wrist": hinge("rod.tip", "slider"),
            "slide": {"type": "prismatic", "parent": "ground", "child": "slider", "axis": "x"},
        },
        constraints={"drive": {"type": "expression", "expression": "slide - 2.5 - 0.4*t"}},
        initial={"crank": {"guess": 0.8}, "pin": {"guess": -1.2}, "slide": {"guess": 2.5}},
    )
    return model, 0.5 / 0.4


def four_bar_beyond_reach() -> tuple[Model, float]:
    """A crank turned at 0.5 rad/s until coupler and rocker are in line (law of cosines): it cannot turn fully."""
    crank, coupler, rocker, span, start, speed = 1.0, 0.9, 0.8, 1.5, 0.6, 0.5
    model = Model(
        gravity=[0, -G, 0],
        planar="xy",
        bodies={
            "frame": {"markers": {"D": {"position": [span, 0, 0]}}},
            "crank": bar(crank),
            "coupler": bar(coupler),
            "rocker": bar(rocker),
        },
        joints={
            "frame": {"type": "fixed", "parent": "ground", "child": "frame"},
            "A": hinge("frame", "crank"),
            "B": hinge("crank.tip", "coupler"),
            "C": hinge("coupler.tip", "rocker.tip"),
            "D": hinge("frame.D", "rocker"),
        },
        constraints={"drive": {"type": "expression", "expression": f"A - {start} - {speed}*t"}},
        initial={"A": {"guess": start}, "B": {"guess": -1}, "D": {"guess": 2}},
    )
    reach = np.arccos((crank**2 + span**2 - (coupler + rocker) ** 2) / (2 * crank * span))
    return model, (reach - start) / speed


def winch_beyond_reach() -> tuple[Model, float]:
    """Two bars of 1 m whose tip is held at a distance of 1.2 m + 0.5 m/s t: both are stretched at 2 m."""
    distance = "two.tip.x**2 + two.tip.y**2 - (1.2 + 0.5*t)**2"
    model = Model(
        gravity=[0, -G, 0],
        planar="xy",
        bodies={"one": bar(1), "two": bar(1)},
        joints={"a": hinge("ground", "one"), "b": hinge("one.tip", "two")},
        constraints={"winch": {"type": "expression", "expression": distance}},
        initial={"a": -1.0, "b": {"guess": 1.8}},
    )
    return model, 0.8 / 0.5


def cusp() -> tuple[Model, float]:
    """A bead at 1 m/s along y² = x³ from x = 0.5 m to the cusp, where its velocity would have to turn about.

    The arc from 0 to x is 8/27 ((1 + 9x/4)^(3/2) − 1).
    """
    x = 0.5
    model = Model(
        gravity=[0, 0, 0],
        planar="xy",
        bodies={"guide": {"mass": 0}, "bead": {"mass": 1}},
        joints={
            "px": {"type": "prismatic", "parent": "ground", "child": "guide", "axis": "x"},
            "py": {"type": "prismatic", "parent": "guide", "child": "bead", "axis": "y"},
        },
        constraints={"wire": {"type": "expression", "expression": "py**2 - px**3"}},
        initial={"px": x, "py": {"guess": x**1.5}, "px.v": -1 / np.sqrt(1 + 9 * x / 4)},
    )
    return model, 8 / 27 * ((1 + 9 * x / 4) ** 1.5 - 1)


def stretched_chain() -> tuple[Model, float]:
    """Three bars in line, together as long as their span: the only position they have, though Φq lets them move."""
    model = Model(
        gravity=[0, -G, 0],
        planar="xy",
        bodies={
            "frame": {"markers": {"D": {"position": [2, 0, 0]}}},
            "crank": bar(1),
            "coupler": bar(0.5),
            "rocker": bar(0.5),
        },
        joints={
            "frame": {"type": "fixed", "parent": "ground", "child": "frame"},
            "A": hinge("frame", "crank"),
            "B": hinge("crank.tip", "coupler"),
            "C": hinge("coupler.tip", "rocker.tip"),
            "D": hinge("frame.D", "rocker"),
        },
        initial={"A": 0.0, "B": 0.0, "D": {"guess": np.pi}, "A.v": 1.0},
    )
    return model, 0.0
