"""Rates of accelerations, multipliers and efforts of friction: by their equations, and by those of their solution."""

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.simulation.hybrid.contacts.rubbing import place
from cardan.simulation.hybrid.event_functions import EventFunctions
from cardan.system.rates import with_rates
from cardan.system.response import response
from tests.selection import few
from tests.truths.rubbing_mechanisms import linkage, palletizer

PIN = {"coefficient": 0.1, "radius": "20 mm"}
CROSS = {"coefficient": 0.1, "radius": "10 mm", "length": "20 mm"}
GIVEN = {"effort": 0.5}
EFFORT, LOAD = {"effort": 3.3, "static": 3.8}, {"coefficient": 0.8, "static": 0.9, "radius": 0.2}


def loaded(name, laws):
    model = cardan.load(name)
    assert laws.keys() <= model.joints.keys()
    joints = {k: joint.replace(friction=laws[k]) if k in laws else joint for k, joint in model.joints.items()}
    return model.replace(joints=joints)


def stacked():
    """Pendulums on each other between end stops; the second one rubs, too."""
    bodies, joints, parent = {}, {}, "ground"
    for k in range(3):
        bodies[f"b{k}"] = {
            "mass": 1 + k,
            "com": [0.1, 0, -0.2],
            "inertia": [0.01, 0.02, 0.01],
            "markers": {"end": {"position": [0, 0, -0.4]}},
        }
        joints[f"s{k}"] = {
            "type": "revolute",
            "parent": parent,
            "child": f"b{k}",
            "axis": "y",
            "limits": {"lower": -0.2, "upper": 0.2, "restitution": 0.3},
        }
        parent = f"b{k}.end"
    joints["s1"]["friction"] = GIVEN
    return cardan.Model(bodies=bodies, joints=joints)


def universals():
    """Two bodies on universal joints: four pins, each rubs under its load."""
    bodies = {
        "a": {
            "mass": 2,
            "com": [0, 0, -0.3],
            "inertia": [0.1, 0.12, 0.02],
            "markers": {"end": {"position": [0, 0, -0.6]}},
        },
        "b": {"mass": 1, "com": [0, 0, -0.2], "inertia": [0.05, 0.06, 0.01]},
    }
    pins = {"type": "universal", "axes": ["x", "y"], "friction": CROSS}
    joints = {"u": {**pins, "parent": "ground", "child": "a"}, "w": {**pins, "parent": "a.end", "child": "b"}}
    return cardan.Model(bodies=bodies, joints=joints, initial={"u.r1": 0.3, "w.r2": 0.4})


def massless():
    """A four-bar linkage whose mass matrix is singular without its loop."""
    model = loaded("four_bar", {"A": GIVEN})
    bodies = {**model.bodies, "coupler": model.bodies["coupler"].replace(mass=0, inertia=[0, 0, 0])}
    return model.replace(bodies=bodies)


def ball():
    """A ball in its socket, which sticks in all its directions."""
    ball = {"type": "spherical", "parent": "ground", "child": "b", "friction": {"coefficient": 0.2, "radius": "20 mm"}}
    bodies = {"b": {"mass": 1, "com": [0.1, 0, -0.4], "inertia": [0.1, 0.12, 0.03]}}
    return cardan.Model(bodies=bodies, joints={"socket": ball})


CASES = {
    "stops and given friction on a tree": (stacked, {}),
    "given friction in a loop": (lambda: loaded("four_bar", {"A": GIVEN}), {}),
    "given friction of one freedom": (lambda: loaded("slider_crank", {"crank": GIVEN, "slide": GIVEN}), {}),
    "given friction beside a massless rod": (massless, {}),
    "one pin": (lambda: loaded("slider_crank", {"crank": PIN}), {}),
    "pins of one freedom": (lambda: loaded("slider_crank", {"crank": PIN, "pin": PIN}), {}),
    "pins of two freedoms, three of them of one": (lambda: palletizer(GIVEN), {}),
    "with drift brought back": (lambda: loaded("slider_crank", {"crank": PIN}), {"stabilization": "baumgarte"}),
    "universal joints": (universals, {}),
    "a ball": (ball, {}),
    "a ball with one freedom": (lambda: linkage(EFFORT, "universal"), {}),
    "a ball with one freedom under its load": (lambda: linkage(LOAD, "universal"), {}),
    "a ball with two freedoms": (lambda: linkage(EFFORT), {}),
}


def states(setup, functions, rng):
    """Values of (t, x, u, p, ẋ): velocities that friction or stops hold are zero and stay so.

    If a joint of one freedom with others is held, all velocities are zero, and so are the rates of the coordinates.
    """
    s, system, x = functions.symbols.inputs, functions.system, np.array(setup.start.x)
    nq, nv = functions.coordinates.counts
    x[:nq] += 0.1 * rng.standard_normal(nq)
    x[nq : nq + nv] = rng.standard_normal(nv)
    dx = rng.standard_normal(len(x))
    dx[nq + nv :] = 0
    blocks = [*(block for block in system.frictions if block.sticks), *(b for b in system.stops if b.is_rigid)]
    together = {k for group in system.choice.together for k in getattr(group, "velocities", group)}
    held = set()
    for block in blocks:
        at = place(functions, block.names[0])
        if getattr(block, "parts", ()):
            x[at] = rng.choice([0.0, 1.0])
            direction = rng.standard_normal(len(block.names) - 2)
            x[at + 1 : at + 1 + len(direction)] = direction / np.linalg.norm(direction)
        else:
            x[at] = rng.choice([-1.0, 0.0, 1.0])
        stands = (x[at] == 0) == (block in system.frictions)
        if stands:
            held |= set(range(nv)) if block.velocity in together or block.velocity >= nv else {block.velocity}
    x[[nq + k for k in held]] = dx[[nq + k for k in held]] = 0
    if held.issuperset(range(nv)):
        dx[:nq] = 0
    return 0.3, x, rng.standard_normal(s["u"].shape[0]), setup.task.problem.p, dx


@pytest.mark.parametrize("case", few(CASES, 5))
def test_rates_are_those_of_the_solution(case):
    """They are what CasADi makes of the solution, operation by operation; 1e-9 is what round-off makes of both."""
    make, options = CASES[case]
    setup = cardan.prepare(make(), until=0.1, motors="none", **options)
    functions = setup.task.moving
    s = functions.symbols.inputs
    dx = ca.SX.sym("dx", s["x"].shape[0])
    along = ca.vertcat(s["t"], s["x"]), ca.vertcat(1, dx)

    def law(found):
        mappings = found.phi, found.limits, found.slopes
        return ca.vertcat(found.a, found.lam, *(x for each in mappings for x in each.values()))

    inputs = [s["t"], s["x"], s["u"], s["p"], dx]
    plain = ca.densify(ca.SX(law(response(functions.system, functions.state))))
    expected = ca.Function("plain", inputs, [plain, ca.densify(ca.jtimes(plain, *along))])
    found = ca.Function("rates", inputs, list(with_rates(functions.system, functions.state, along, law)))
    rng, compared = np.random.default_rng(5), 0
    for _ in range(24):
        given = states(setup, functions, rng)
        (x, dx_dt), (y, dy_dt) = ([np.array(part).ravel() for part in f(*given)] for f in (expected, found))
        assert np.allclose(y, x, rtol=1e-9, atol=1e-9, equal_nan=True)
        if np.isfinite(dx_dt).all():
            assert np.abs(dy_dt - dx_dt).max() < 1e-9 * (1 + np.abs(dx_dt).max())
            compared += 1
    assert compared > 12


def test_rates_of_crossing_functions_are_their_slopes():
    """Central differences along the motion; their steps leave 1e-6 of a smooth function."""
    setup = cardan.prepare(
        universals(), until=0.1, initial={"u.r1.v": 0.4, "u.r2.v": 0.7, "w.r1.v": 0.3, "w.r2.v": 0.2}
    )
    functions, plan = setup.task.moving, setup.task.plan
    x, p, h = np.array(setup.start.x), setup.task.problem.p, 1e-5
    made = EventFunctions(functions, plan).crossing_law()
    dx = np.array(functions.interpreted("derivative")(x=x, p=p)["rates"]).ravel()[: len(x)]
    s = np.ones(made.size1_in(4))
    rate = np.array(made(0, x, [], p, s, dx)[1]).ravel()
    after, before = (np.array(made(0, x + side * h * dx, [], p, s, dx)[0]).ravel() for side in (1, -1))
    assert np.allclose(rate, (after - before) / (2 * h), rtol=1e-6, atol=1e-6 * np.abs(rate).max())
    assert np.abs(rate).max() > 0.1
