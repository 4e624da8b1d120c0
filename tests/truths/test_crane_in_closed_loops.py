"""Cranes whose load follows a path while closed loops move the upper end of the rope, against the flat closed form.

The rope pulls along itself, T n = m (a + g e_z) with the acceleration a of the load, so that the path gives the angle
and the tension. Where the line of the rope meets the path of its upper end stands the linkage, whose drive needs the
effort that its own energy and the pull of the rope give by Lagrange's equation in its one coordinate.

Source: Fliess, Lévine, Martin & Rouchon 1995, Int. J. Control 61:1327, §5 (the crane)
"""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import cardan
from cardan import AssemblyError, Model, ModelError

pytestmark = pytest.mark.exhaustive


CLOSE = 1e-8  # four derivatives of the path through the linkage: some thousand round-offs of their largest terms
LOAD, G = 40.0, 9.81
t, s = sp.symbols("t s")  # time, coordinate of the linkage
INSTANTS = np.linspace(0, 3, 31)


def rope(x, z):
    """Angle of the rope from the vertical and its tension, along the path (x, z) of the load."""
    ax, az = sp.diff(x, t, 2), sp.diff(z, t, 2) + G
    return sp.atan2(-ax, az), LOAD * sp.sqrt(ax**2 + az**2)


def effort(linkage, end, coordinate, angle, tension):
    """Effort of the drive of a linkage: Lagrange's equation of its energies (T/ṡ², V) under the rope at its `end`.

    Parameters
    ----------
    linkage : kinetic energy over ṡ², and potential energy, as functions of s.
    end : upper end of the rope (x, z), as functions of s.
    coordinate : s as an expression of t.
    angle, tension : of the rope.
    """
    half, V = linkage
    rate = sp.diff(coordinate, t)
    own = 2 * half * sp.diff(rate, t) + sp.diff(half, s) * rate**2 + sp.diff(V, s)
    pull = tension * (sp.sin(angle) * sp.diff(end[0], s) - sp.cos(angle) * sp.diff(end[1], s))
    return (own - pull).subs(s, coordinate)


@cache
def at_instants(expression):
    """Values of an expression of time."""
    return sp.lambdify(t, expression, cse=True)(INSTANTS)


def check(found, expected):
    """Compare results with expressions of time."""
    assert found.ok, found.message
    for name, expression in expected.items():
        values = at_instants(expression)
        assert found.array(name) == pytest.approx(values, abs=CLOSE * np.abs(values).max()), name


R, L, CRANK, ROD, TROLLEY = 1.0, 2.5, 8.0, 6.0, 60.0


def crank_crane(planar=True, by=("crank", "hoist"), **more):
    """A crane whose trolley a crank moves by a rod; the crank's centre of mass is its pin, the rod's the trolley."""
    turning = {"mass": 0, "inertia": [0, CRANK, 0] if planar else [CRANK, CRANK, CRANK]}
    down = {"type": "prismatic", "parent": "rope", "child": "load", "axis": [0, 0, -1]}
    return Model(
        **({"planar": "xz"} if planar else {}),
        gravity=[0, 0, -G],
        bodies={
            "disc": {"mass": 5, "inertia": turning["inertia"]},
            "rod": {"mass": ROD, "inertia": [0.1, 0.1, 0.1], "com": [L, 0, 0]},
            "trolley": {"mass": TROLLEY},
            "rope": {},
            "load": {"mass": LOAD},
        },
        joints={
            "crank": {"type": "revolute", "parent": "ground", "child": "disc", "axis": [0, -1, 0]},
            "pin": {"type": "revolute", "parent": {"body": "disc", "position": [R, 0, 0]}, "child": "rod", "axis": "y"},
            "travel": {"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x"},
            "eye": {
                "type": "revolute",
                "parent": {"body": "rod", "position": [L, 0, 0]},
                "child": "trolley",
                "axis": "y",
            },
            "swing": {"type": "revolute", "parent": "trolley", "child": "rope", "axis": [0, -1, 0]},
            "hoist": down,
        },
        motions={
            "load.x": {"value": "2.6 + 0.3*sin(t)", "by": [by[0]]},
            "load.z": {"value": "-4 + 0.2*cos(2*t)", "by": [by[1]]},
        },
        initial={
            "crank": {"guess": "70 deg"},
            "pin": {"guess": "90 deg"},
            "travel": {"guess": 2.6},
            "hoist": {"guess": 4},
        },
        **more,
    )


@cache
def crank_closed_form():
    x, z = sp.Rational(13, 5) + 0.3 * sp.sin(t), -4 + 0.2 * sp.cos(2 * t)
    angle, tension = rope(x, z)
    hoist = -z / sp.cos(angle)
    travel = x - hoist * sp.sin(angle)
    crank = sp.acos((travel**2 + R**2 - L**2) / (2 * R * travel))
    place = R * sp.cos(s) + sp.sqrt(L**2 - R**2 * sp.sin(s) ** 2)
    tilt = sp.asin(R * sp.sin(s) / L)
    half = (CRANK + (TROLLEY + ROD) * sp.diff(place, s) ** 2 + 0.1 * sp.diff(tilt, s) ** 2) / 2
    moment = effort((half, sp.Integer(0)), (place, sp.Integer(0)), crank, angle, tension)
    return {
        "swing.q": angle,
        "hoist.q": hoist,
        "travel.q": travel,
        "crank.q": crank,
        "hoist.effort": -tension,
        "crank.effort": moment,
    }


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("way", [cardan.kinetostatics, cardan.simulate])
def test_a_crank_moves_the_trolley(way, planar):
    """In space three of the five equations of the rod's second pin are redundant."""
    check(way(crank_crane(planar), times=INSTANTS), crank_closed_form())


JIB, DEPTH, JIB_MASS, HEAD = 4.0, 0.8, 90.0, 30.0


def test_a_parallelogram_carries_the_end_of_the_rope():
    """Jib and tie rod keep the head upright; all positions of the linkage are linear in one angle."""
    bar = {"mass": JIB_MASS, "inertia": [0, JIB_MASS * JIB**2 / 12, 0], "com": [JIB / 2, 0, 0]}
    axis, low = {"axis": [0, -1, 0]}, {"position": [0, 0, -DEPTH]}
    model = Model(
        planar="xz",
        gravity=[0, 0, -G],
        bodies={"jib": bar, "tie": bar, "head": {"mass": HEAD, "com": [0.3, 0, 0]}, "rope": {}, "load": {"mass": LOAD}},
        joints={
            "luff": {"type": "revolute", "parent": "ground", "child": "jib", **axis},
            "lower": {"type": "revolute", "parent": {"body": "ground", **low}, "child": "tie", **axis},
            "top": {"type": "revolute", "parent": {"body": "jib", "position": [JIB, 0, 0]}, "child": "head", **axis},
            "eye": {
                "type": "revolute",
                "parent": {"body": "tie", "position": [JIB, 0, 0]},
                "child": {"body": "head", **low},
                **axis,
            },
            "swing": {"type": "revolute", "parent": {"body": "head", "position": [0.5, 0, 0]}, "child": "rope", **axis},
            "hoist": {"type": "prismatic", "parent": "rope", "child": "load", "axis": [0, 0, -1]},
        },
        motions={"load.position": {"value": ["4 + 0.3*sin(t)", "-1 + 0.2*cos(2*t)"], "by": ["luff", "hoist"]}},
        initial={name: {"guess": "30 deg"} for name in ("luff", "lower")}
        | {"top": {"guess": "-30 deg"}, "hoist": {"guess": 3}},
    )
    x, z = 4 + 0.3 * sp.sin(t), -1 + 0.2 * sp.cos(2 * t)
    angle, tension = rope(x, z)
    across, up = x - 0.5, z  # of the load from the centre of the circle on which the rope begins
    b = up * sp.cos(angle) - across * sp.sin(angle)
    hoist = -b + sp.sqrt(b**2 - across**2 - up**2 + JIB**2)
    luff = sp.atan2(up + hoist * sp.cos(angle), across - hoist * sp.sin(angle))
    half = (2 * JIB_MASS * JIB**2 / 3 + HEAD * JIB**2) / 2
    V = (2 * JIB_MASS / 2 + HEAD) * G * JIB * sp.sin(s)
    end = 0.5 + JIB * sp.cos(s), JIB * sp.sin(s)
    moment = effort((half, V), end, luff, angle, tension)
    expected = {"swing.q": angle, "hoist.q": hoist, "luff.q": luff, "hoist.effort": -tension, "luff.effort": moment}
    for way in (cardan.kinetostatics, cardan.simulate):
        check(way(model, times=INSTANTS), expected)


def test_the_crank_alone_is_refused():
    model = crank_crane()
    alone = model.replace(motions={"load.x": model.motions["load.x"]}, initial={**model.initial, "hoist": 4})
    with pytest.raises(ModelError, match=r"effort of crank does not act on 'load\.x' up to its fourth derivative"):
        cardan.simulate(alone, until=1)


def test_loops_that_close_nowhere_are_refused_by_name():
    model = crank_crane()
    far = model.joints["travel"].replace(parent={"body": "ground", "position": [0, 0, 10]})
    with pytest.raises(AssemblyError, match="eye"):
        cardan.kinetostatics(model.replace(joints={**model.joints, "travel": far}), [0.0])
