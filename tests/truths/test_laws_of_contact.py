"""Friction and end stops in small mechanisms of every kind against their laws: Newton and Euler for each body,
complementarity, dissipation, restart (`ContactContract`). No equation of motion is needed.

Tolerances: those of `tests.contracts.contact_contract`; runs at rtol 1e-10 and atol 1e-12.
"""

import numpy as np
import pytest

import cardan
from cardan.formats.yaml import loads
from tests.contracts.contact_contract import RUN, check
from tests.selection import few
from tests.truths import rubbing_mechanisms as of
from tests.truths.rods_on_a_trolley import model as rods

PIN, THICK = {"coefficient": 0.2, "radius": 0.02}, {"coefficient": 0.3, "radius": 0.04, "length": 0.1}
EFFORTS = {"crank": {"effort": 0.2}, "pin": {"effort": 0.1}, "wrist": {"effort": 0.1}, "slide": {"effort": 1.0}}
LOADS = {"crank": PIN, "pin": PIN, "wrist": PIN, "slide": {"coefficient": 0.2}}
MIXED = LOADS | {"pin": {"effort": 0.3}, "slide": {"coefficient": 0.2, "static": 0.4}}
FIVE = dict(zip(of.FIVE, ({"effort": effort} for effort in (0.25, 0.1, 0.15, 0.12, 0.3)), strict=True))
T0 = {"parameters": {"t0": 0}}
SPIN = {"joint.wx.v": 1.5, "joint.wy.v": -2.0, "joint.wz.v": 3.0}
BLOCK = """
cardan: 1
parameters: {t0: 0}
bodies: {block: {mass: 2, com: [0.05, 0, 0.1], inertia: [0.1, 0.1, 0.1]}}
joints: {j: {type: prismatic, parent: ground, child: block, axis: [0.9, 0, -0.3], friction: {LAW}}}
inputs: {j: 25*sin(3*(t + t0))}
"""


def block(law):
    """A block on an incline, shaken along it."""
    return loads(BLOCK.replace("LAW", law))


def crank(laws, torque="0", gravity=of.G, joint="slide", limits=None, cut=None, **initial):
    """The plane slider-crank with a torque on its crank, with end stops of one joint."""
    model = of.slider_crank(laws, {"crank": 1.2, **initial}, inputs={"crank": torque}, **T0)
    joints = dict(model.joints)
    if limits:
        joints[joint] = joints[joint].replace(limits=limits)
    return model.replace(gravity=[0, -gravity, 0], joints=joints)


def carrying(laws, kind, **load):
    """A slider-crank in a horizontal plane, whose slider carries a block."""
    model = crank(laws, gravity=0, **{"crank": 0.7, "crank.v": 4.0})
    load = {"type": kind, "parent": "slider", "child": "load", **load}
    bodies = {**model.bodies, "load": {"mass": 0.4, "inertia": [0, 0, 0.01]}}
    return model.replace(bodies=bodies, joints={**model.joints, "load": load})


def two_balls():
    """The spatial linkage with a ball at each end of its rod; both rub, and the crank does."""
    model = of.linkage({"effort": 2.0, "static": 2.5}, "spherical", "b", (3, 12))
    joints = dict(model.joints)
    joints["crank"] = joints["crank"].replace(friction={"effort": 1.0, "static": 1.4})
    joints["b"] = joints["b"].replace(friction={"effort": 1.5})
    rod = model.bodies["rod"]
    rod = rod.replace(markers={**rod.markers, "pin": {"position": [0.7, 0.1, 0]}})
    slot = {"type": "point_on_curve", "parent": "block", "child": "rod.pin", "equations": ["z"]}
    return model.replace(bodies={**model.bodies, "rod": rod}, joints=joints, constraints={"spin": slot})


def ball_and_pin():
    """The linkage, with the loads of a ball and of the bearing of its crank."""
    model = of.linkage({"coefficient": 0.8, "static": 0.9, "radius": 0.2}, "universal", "b", (2.5, 5))
    pin = model.joints["crank"].replace(friction={"coefficient": 0.3, "static": 0.4, "radius": 0.05})
    return model.replace(joints={**model.joints, "crank": pin})


def plate(law, cart=None, **limits):
    """A plate on a cart that a force pushes to and fro."""
    guide = {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"} | (
        {"friction": cart} if cart else {}
    )
    return cardan.Model(
        bodies={"cart": {"mass": 3}, "plate": {"mass": 2, "com": [0.02, 0, 0.1], "inertia": [0.1, 0.1, 0.2]}},
        joints={"guide": guide, "j": {"type": "planar", "parent": "cart", "child": "plate", "friction": law}},
        forces={"f": {"type": "force", "child": "cart", "value": ["30*sin(5*(t + t0))", 0, 0]}},
        **T0,
    )


def universal(law, cut=False):
    """A body under a universal joint."""
    return of.one_body({"type": "universal", "axes": ["x", "y"], "friction": law}, of.BALL, cut=cut, **T0)


def trolley():
    """Two rods whose trolley moves a mark of the first one."""
    path = {"type": "program", "expression": "rod1.mark.x - 0.2*sin(6*t)", "by": ["rail"]}
    start = {"pin1": 0.1, "rail": -0.2 * np.sin(0.1), "rail.v": 1.2, "pin1.v": 0, "pin2.v": 0}
    laws = {0: {"effort": "1.6 N*m"}, 1: {"effort": "0.4 N*m", "static": "0.45 N*m"}}
    return rods(2, laws, constraints={"path": path}, initial=start)


def arm(law, realize):
    """Two driven rods keep the height of their end; a third one hangs there on a pin that rubs."""
    line = {"type": "program", "expression": "rod2.end.z + 0.6 - 0.1*sin(5*t)", "by": ["pin1", "pin2"]}
    start = {"pin1": 0.5, "pin2": {"guess": 0.6}, "pin3": 0, "pin1.v": 0.2, "pin3.v": 0}
    return rods(3, {2: law}, still=True, constraints={"line": line | {"realize": realize}}, initial=start)


def pendulums():
    """Two links on a carriage that carries a slider, all with friction and stops."""
    return loads("""
cardan: 1
planar: xy
gravity: [0, -9.81, 0]
parameters: {t0: 0}
bodies:
  inner: {mass: 1, com: [0.15, 0, 0], inertia: [0, 0, 0.01], markers: {tip: {position: [0.3, 0, 0]}}}
  outer: {mass: 1, com: [0.15, 0, 0], inertia: [0, 0, 0.01]}
  carriage: {mass: 2}
  slider: {mass: 1}
joints:
  c: {type: prismatic, axis: x, parent: ground, child: carriage, friction: {coefficient: 0.26},
      limits: {lower: -0.32, upper: 0.37, restitution: 0.5}}
  a: {type: revolute, axis: z, parent: carriage, child: inner, friction: {effort: 0.16, static: 0.208},
      limits: {lower: -2.2, upper: -0.9, restitution: 0.5}}
  b: {type: revolute, axis: z, parent: inner.tip, child: outer, friction: {effort: 0.24},
      limits: {lower: -0.7, upper: 0.7, stiffness: 300, damping: 0.3}}
  d: {type: prismatic, axis: x, parent: carriage, child: slider, friction: {coefficient: 0.26, static: 0.364},
      limits: {lower: -0.3, upper: 0.3, restitution: 0.5}}
initial: {a: -1.79, b: 0.48, a.v: -2.47, b.v: 0.5}
inputs: {a: 0.53*sin(3.18*(t + t0) + 1.43), b: 0.97*sin(2.4*(t + t0) + 1.25), c: 4.24*sin(2.4*(t + t0)),
         d: 5.8*sin(3.18*(t + t0) + 1.25)}
""")


SHAKEN = {"a": "sin(3*(t + t0))", "e": "0.7*sin(2*(t + t0))"}
# name: mechanism, end of the run [s], instant of the restart or None, settings
MECHANISMS = {
    "block, static and viscous": (
        lambda: block("coefficient: 0.3, static: 0.4, viscous: 0.7, preload: 2 N"),
        3,
        1.3,
        {},
    ),
    "block, ends of its guide": (lambda: block("coefficient: 0.2, static: 0.25, length: 0.3"), 2, 1.3, {}),
    "block, smooth": (lambda: block("effort: 9, regularize: 0.1, viscous: 1"), 1, 0.5, {}),
    "screw press": (lambda: cardan.load("screw_press"), 3, None, {}),
    "door closer": (lambda: cardan.load("door_closer"), 4, None, {}),
    "slider-crank, efforts": (lambda: crank(EFFORTS, "3*sin(3*(t + t0))"), 2, 0.9, {}),
    "slider-crank, loads": (lambda: crank(LOADS, "3*sin(3*(t + t0))"), 2, 0.9, {}),
    "slider-crank, stop": (
        lambda: crank(
            MIXED, "-8 + 8*(t + t0)", limits={"lower": 0.3, "upper": 0.588, "restitution": 0.4}, **{"crank.v": -1.0}
        ),
        1.4,
        None,
        {},
    ),
    "slider-crank, plate": (lambda: carrying(MIXED, "planar", friction={"effort": 1.5}), 1.0, None, {}),
    "slider-crank, bouncing block": (
        lambda: carrying(MIXED, "prismatic", axis="x", limits={"lower": -0.05, "upper": 0.05, "restitution": 0.5}),
        1.0,
        None,
        {},
    ),
    "five-bar": (lambda: of.five_bar(FIVE, inputs=SHAKEN, parameters={"t0": 0}), 3, 1.6, {"method": "dop853"}),
    "palletizer": (
        lambda: of.palletizer({"effort": 3.0}, inputs={"jA": "15*sin(3*(t + t0))", "jB": "10*cos(4*(t + t0))"}, **T0),
        2,
        1.05,
        {"method": "dop853"},
    ),
    "ball": (
        lambda: of.one_body(
            {"type": "spherical", "friction": {"coefficient": 0.4, "radius": 0.05, "static": 0.6}}, of.BALL, **T0
        ),
        2,
        0.5,
        {"initial": SPIN},
    ),
    "sleeve": (
        lambda: of.one_body(
            {"type": "cylindrical", "axis": "x", "friction": {"coefficient": 0.15, "radius": 0.04, "length": 0.2}},
            of.ROD,
            **T0,
        ),
        1.5,
        0.4,
        {"initial": {"joint.d.v": 2.0, "joint.r.v": 9.0}},
    ),
    "plate on a cart": (lambda: plate({"coefficient": 0.25, "static": 0.3}, {"coefficient": 0.1}), 2, None, {}),
    "universal joint": (
        lambda: universal(THICK),
        2,
        0.1,
        {"initial": {"joint.r1": 0.2, "joint.r2": -0.1, "joint.r1.v": 2.5, "joint.r2.v": -2.0}},
    ),
    "ladder": (lambda: of.ladder(0.6, 0.3, 0.2), 0.3, None, {}),
    "ball in a linkage": (lambda: of.linkage({"effort": 3.3, "static": 3.8}, "universal"), 1.2, None, {}),
    "ball in a linkage that spins": (
        lambda: of.linkage({"coefficient": 0.8, "static": 0.9, "radius": 0.2}, "spherical", push=(2.2, 2)),
        1.2,
        None,
        {},
    ),
    "two balls and a pin": (two_balls, 2.2, None, {}),
    "ball and pin under loads": (ball_and_pin, 2.2, None, {}),
    "carriage, links, stops": (pendulums, 2, None, {"method": "dop853"}),
    "trolley that moves a rod": (trolley, 1.5, None, {}),
    "arm, efforts in shares": (lambda: arm({"effort": 0.6}, {"share": {"pin1": 0.7, "pin2": 0.3}}), 0.6, None, {}),
    "arm, limits and load": (
        lambda: arm({"coefficient": 0.3, "static": 0.35, "radius": 0.02}, {"limits": {"pin2": "12 N*m"}}),
        0.6,
        None,
        {},
    ),
    "bristles of a block": (
        lambda: block("type: lugre, effort: 4, static: 6, speed: 0.1, bristle: 2e4, bristle_damping: 120"),
        0.5,
        None,
        {"method": "rodas5p"},
    ),
    "bristles under a load": (
        lambda: block("type: lugre, coefficient: 0.3, static: 0.4, speed: 0.1, bristle: 2e3, bristle_damping: 5"),
        0.5,
        None,
        {"method": "rodas5p"},
    ),
}


SLOW = {"slider-crank, plate", "slider-crank, bouncing block", "ball in a linkage that spins", "palletizer", "ladder",
        "two balls and a pin", "slider-crank, loads", "ball in a linkage", "door closer", "sleeve",
        "arm, efforts in shares", "arm, limits and load"}  # fmt: skip
"""Compiled for seconds, of whose kinds others run by default."""


@pytest.mark.parametrize("name", few(sorted(MECHANISMS, key=lambda name: name in SLOW), len(MECHANISMS) - len(SLOW)))
def test_laws(name):
    make, until, restart, call = MECHANISMS[name]
    model = make()
    run = cardan.simulate(model, until=until, **RUN, **call)
    check(model, run, restart, **RUN, **call)
