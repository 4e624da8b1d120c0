"""Small mechanisms that rub, by their laws of friction; with the instant t0 in place of 0 in their inputs."""

import numpy as np

import cardan

G = 9.81
MASS, COM, J = 2.0, np.array([0.1, -0.05, -0.4]), np.diag([0.11, 0.17, 0.06])
BALL = {"mass": MASS, "com": list(COM), "inertia": list(np.diag(J))}
ROD = {"mass": 3.0, "com": [0.12, 0, -0.03], "inertia": [0.02, 0.3, 0.3]}
L1, L2 = 0.2, 0.5  # crank and rod of the plane slider-crank
L, BASE, M, INERTIA = 0.3, 0.4, 1.0, 0.01  # of the five-bar linkage
FIVE = ("a", "b", "c", "d", "e")
START = {"a": 1.7, "e": 1.4}
LONG, SHORT, ARM = 0.5, 0.15, 0.2  # of the palletizer
GUIDE, N = np.array([0, 0.05, 0.2]), np.array([0.96, 0, 0.28])  # of the block of the spatial linkage
R_CRANK, L_ROD, M_ROD, J_LATERAL, J_SPIN, M_BLOCK, J_CRANK = 0.25, 0.7, 1.5, 0.02, 0.004, 2.0, 0.05


def one_body(joint, body, cut=False, **more):
    """A body on the ground by one joint; with `cut` it moves freely, and the joint closes a loop."""
    joints = {"joint": {"parent": "ground", "child": "body", **joint}}
    if cut:
        joints = {"free": {"type": "free", "parent": "ground", "child": "body"}} | joints
        joints["joint"]["cut"] = True
    return cardan.Model(gravity=[0, 0, -G], bodies={"body": body}, joints=joints, **more)


def slider_crank(laws, initial, **more):
    """A slider-crank at an angle of the crank; the wrist closes its loop."""
    ends = {"crank": ("ground", "crank"), "pin": ("crank.B", "rod"), "wrist": ("rod.C", "slider")}
    joints = {
        name: {"type": "revolute", "parent": parent, "child": child, "axis": "z"}
        for name, (parent, child) in ends.items()
    }
    joints["slide"] = {"type": "prismatic", "parent": "ground", "child": "slider", "axis": "x"}
    for name, law in laws.items():
        joints[name]["friction"] = law
    bodies = {
        "crank": {"mass": 1, "com": [0.1, 0, 0], "inertia": [0, 0, 0.02], "markers": {"B": {"position": [L1, 0, 0]}}},
        "rod": {"mass": 1, "com": [0.25, 0, 0], "inertia": [0, 0, 0.03], "markers": {"C": {"position": [L2, 0, 0]}}},
        "slider": {"mass": 0.5},
    }
    guesses = {"pin": {"guess": -1.0}, "slide": {"guess": 0.6}}
    return cardan.Model(
        planar="xy", gravity=[0, -G, 0], bodies=bodies, joints=joints, initial={**guesses, **initial}, **more
    )


def ladder(theta, mu, nu):
    """A uniform rod of 2 m on a floor and against a wall, at the angle theta [rad] to the floor."""
    upright = {"body": "ground", "rpy": [np.pi / 2, 0, 0]}
    plane = {"type": "planar", "parent": upright, "child": {"body": "rod", "rpy": [np.pi / 2, 0, 0]}}
    paths = {"level": ("low", "x", mu), "wall": ("high", "z", nu)}
    return cardan.Model(
        planar="xz",
        bodies={
            "rod": {
                "mass": 8,
                "inertia": [0, 8 / 3, 0],
                "markers": {"low": {"position": [1, 0, 0]}, "high": {"position": [-1, 0, 0]}},
            }
        },
        joints={"free": plane},
        constraints={
            name: {
                "type": "point_on_line",
                "child": f"rod.{end}",
                "axis": axis,
                "friction": {"coefficient": coefficient},
            }
            for name, (end, axis, coefficient) in paths.items()
        },
        initial={"free.x": float(np.cos(theta)), "free.y": {"guess": 0.9}, "free.rz": {"guess": -theta}},
    )


def five_bar(friction, g=0.0, **more):
    """The linkage a–b–c–d–e in a plane, with cranks at a and e."""
    ends = {
        "a": ("ground", "b1"),
        "b": ("b1.tip", "b2"),
        "e": ({"body": "ground", "position": [BASE, 0, 0]}, "b4"),
        "d": ("b4.tip", "b3"),
        "c": ("b2.tip", "b3.tip"),
    }
    joints = {
        name: {"type": "revolute", "parent": parent, "child": child, "axis": "z"}
        for name, (parent, child) in ends.items()
    }
    for name, law in friction.items():
        joints[name]["friction"] = law
    body = {"mass": M, "com": [L / 2, 0, 0], "inertia": [0, 0, INERTIA], "markers": {"tip": {"position": [L, 0, 0]}}}
    initial = {**START, "b": {"guess": -1.2}, "d": {"guess": 1.2}, **more.pop("initial", {})}
    bodies = {f"b{k}": body for k in (1, 2, 3, 4)}
    parameters = {"g": g, **more.pop("parameters", {})}
    return cardan.Model(
        planar="xy", parameters=parameters, gravity=[0, "-g", 0], bodies=bodies, joints=joints, initial=initial, **more
    )


def palletizer(friction, **more):
    """Two cranks A, B about one axis, a rod C parallel to A, an arm D parallel to B: three joints turn as A − B."""

    def bar(length, mass):
        inertia = [0, 0, mass * length**2 / 12]
        return {
            "mass": mass,
            "com": [length / 2, 0, 0],
            "inertia": inertia,
            "markers": {"tip": {"position": [length, 0, 0]}},
        }

    arm = {"mass": 2, "com": [ARM, 0, 0], "inertia": [0, 0, 0.05], "markers": {"rear": {"position": [-SHORT, 0, 0]}}}
    ends = {"jA": ("ground", "A"), "jB": ("ground", "B"), "jBC": ("B.tip", "C")}
    ends |= {"jAD": ("A.tip", "D"), "jCD": ("C.tip", "D.rear")}
    joints = {
        name: {"type": "revolute", "parent": parent, "child": child, "axis": "z", "friction": friction}
        for name, (parent, child) in ends.items()
    }
    return cardan.Model(
        planar="xy",
        gravity=[0, -G, 0],
        joints=joints,
        initial={"jA": 1.4, "jB": 2.8, "jBC": {"guess": -1.4}, "jAD": {"guess": 4.54}},
        bodies={"A": bar(LONG, 3), "B": bar(SHORT, 1), "C": bar(LONG, 1), "D": arm},
        **more,
    )


def linkage(friction, end="spherical", cut="b", push=(3, 4)):
    """The crank, the rod and the block; `end` is the joint between rod and block, push(t) the torque on the crank."""
    joints = {
        "crank": {"type": "revolute", "parent": "ground", "child": "crank", "axis": "z"},
        "slide": {"type": "prismatic", "parent": "ground.guide", "child": "block", "axis": list(N)},
        "a": {"type": "spherical", "parent": "crank.end", "child": "rod", "friction": friction},
        "b": {"type": end, "parent": "block", "child": "rod.end"},
    }
    if end == "universal":
        joints["b"]["axes"] = ["z", "y"]
    joints[cut]["cut"] = True
    middle = [L_ROD / 2, 0, 0]
    return cardan.Model(
        parameters={"t0": 0},
        gravity=[0, -G, 0],
        bodies={
            "ground": {"markers": {"guide": {"position": list(GUIDE)}}},
            "crank": {
                "mass": 1,
                "inertia": [J_CRANK, J_CRANK, J_CRANK],
                "markers": {"end": {"position": [R_CRANK, 0, 0]}},
            },
            "rod": {
                "mass": M_ROD,
                "com": middle,
                "inertia": [J_SPIN, J_LATERAL, J_LATERAL],
                "markers": {"end": {"position": [L_ROD, 0, 0]}},
            },
            "block": {"mass": M_BLOCK},
        },
        joints=joints,
        initial={"crank": 0.5, "slide": {"guess": 0.8}},
        forces={"f": {"type": "torque", "child": "crank", "value": [0, 0, "{} + {}*sin(4*(t + t0))".format(*push)]}},
    )


def spatial_slider_crank(kind, law, start, push):
    """A slider-crank without redundant equations; a sleeve in place of its guide is kept from turning by a slot."""
    body = {"mass": 1, "inertia": [0.1, 0.1, 0.1]}
    return cardan.Model(
        gravity=[0, 0, 0],
        bodies={
            "crank": body | {"markers": {"end": {"position": [0.2, 0, 0]}}},
            "rod": body | {"markers": {"end": {"position": [0.6, 0, 0]}}},
            "block": body | {"markers": {"pin": {"position": [0, 0, 0.3]}}},
        },
        joints={
            "crank": {"type": "revolute", "parent": "ground", "child": "crank", "axis": "z"},
            "slide": {"type": kind, "parent": "ground", "child": "block", "axis": "x", "friction": law},
            "a": {"type": "universal", "parent": "crank.end", "child": "rod", "axes": ["z", "y"]},
            "b": {"type": "spherical", "parent": "rod.end", "child": "block"},
        },
        constraints={"slot": {"type": "point_on_curve", "child": "block.pin", "equations": ["y"]}}
        if kind == "cylindrical"
        else {},
        initial=start,
        forces={"f": {"type": "torque", "child": "crank", "value": [0, 0, push]}},
    )
