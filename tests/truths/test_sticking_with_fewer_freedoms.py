"""A ball or a sleeve that sticks in a linkage, which leaves it fewer freedoms than directions, against hand-written
equations in minimal coordinates.

A crank turns about z, its end carries a ball that rubs; a rod goes from there to a block that slides along n, out of
the plane of the crank. With a second ball the rod may also spin about its axis u (two freedoms: the angle θ and the
spin rate ς), with a universal joint at the block it may not (one). The rod is symmetric about u, so that with
w = b θ̇ + u ς and the moment M of friction on the rod, d/dt(∂T/∂θ̇) − ∂T/∂θ = Q + b·M and J_s ς̇ = u·M.

Tolerances: runs at rtol 1e-10 and atol 1e-12, SciPy at 1e-11 and 1e-13 up to a speed of 1e-6, and from there with a
constant brake: 1e-7 of values of order 1.
"""

from functools import cache

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import cardan
from cardan.errors import ModelError
from tests.truths.test_sticking_in_several_directions import RUN, SLOW
from tests.vectors import cross

pytestmark = pytest.mark.exhaustive

R, L, G = 0.25, 0.7, 9.81  # crank, rod, gravity
GUIDE, N = np.array([0, 0.05, 0.2]), np.array([0.96, 0, 0.28])  # of the block
M_ROD, J_LATERAL, J_SPIN = 1.5, 0.02, 0.004  # rod, about its middle
M_BLOCK, J_CRANK = 2.0, 0.05
START = 0.5
LSODA = {"method": "LSODA", "rtol": 1e-11, "atol": 1e-13}  # directions turn fast where a ball begins to slide


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
    middle = [L / 2, 0, 0]
    return cardan.Model(
        gravity=[0, -G, 0],
        bodies={
            "ground": {"markers": {"guide": {"position": list(GUIDE)}}},
            "crank": {"mass": 1, "inertia": [J_CRANK, J_CRANK, J_CRANK], "markers": {"end": {"position": [R, 0, 0]}}},
            "rod": {
                "mass": M_ROD,
                "com": middle,
                "inertia": [J_SPIN, J_LATERAL, J_LATERAL],
                "markers": {"end": {"position": [L, 0, 0]}},
            },
            "block": {"mass": M_BLOCK},
        },
        joints=joints,
        initial={"crank": START, "slide": {"guess": 0.8}},
        forces={"f": {"type": "torque", "child": "crank", "value": [0, 0, "{} + {}*sin(4*t)".format(*push)]}},
    )


@cache
def geometry(end):
    """θ → b, u, (s, the rod's middle, u) and its first and second derivatives, m, m', V', ς/θ̇ and its derivative."""
    q = ca.SX.sym("q")
    tip = ca.vertcat(R * ca.cos(q), R * ca.sin(q), 0)
    d = GUIDE - tip
    s = -ca.dot(d, N) + ca.sqrt(ca.dot(d, N) ** 2 - ca.sumsqr(d) + L**2)
    block = GUIDE + s * ca.DM(N)
    u, middle = (block - tip) / L, (block + tip) / 2
    spin = ca.SX(0)
    if end == "universal":  # Rz(α) Ry(β) turns x to u: ω = α' z + β' y of the rod, so that ω·u = α' u_z
        spin = ca.jacobian(ca.atan2(u[1], u[0]), q) * u[2]
    du = ca.jacobian(u, q)
    b = ca.cross(u, du) + spin * u - ca.vertcat(0, 0, 1)
    moves = M_BLOCK * ca.jacobian(s, q) ** 2 + M_ROD * ca.sumsqr(ca.jacobian(middle, q)) + J_LATERAL * ca.sumsqr(du)
    m, V = J_CRANK + moves + J_SPIN * spin**2, M_ROD * G * middle[1]
    x = ca.vertcat(s, middle, u)
    dx = ca.jacobian(x, q)
    out = [b, u, x, dx, ca.jacobian(dx, q), m, ca.jacobian(m, q), ca.jacobian(V, q), spin, ca.jacobian(spin, q)]
    ends = np.cumsum([part.shape[0] for part in out])[:-1]
    whole = ca.Function("geometry", [q], [ca.vertcat(*out)])

    def parts(q):
        b, u, x, dx, ddx, *rest = np.split(whole(q).full().ravel(), ends)
        return b, u, x, dx, ddx, *(part[0] for part in rest)

    return parts


def motion(end, Q, y, M):
    """θ̈, ς̇ and the force f (3,) on the ball in the state y = (θ, θ̇, ς), under the torque Q and the moment M on the rod.

    With one freedom y has ς = 0 in place of the spin rate, and ς̇ is 0.
    """
    q, v, rate = y[:3]
    b, u, _, dx, ddx, m, dm, dV, spin, dspin = geometry(end)(q)
    a = (Q - dV + b @ M - dm * v**2 / 2) / m
    if end == "universal":
        rate, turn = spin * v, spin * a + dspin * v**2
    else:
        turn = u @ M / J_SPIN
    s, middle, lateral = np.split(dx * a + ddx * v**2, [1, 4])
    # moments about the block, with the moment of the universal joint at right angles to z and to the y of the rod
    H_dot = J_LATERAL * cross(u, lateral) + J_SPIN * (turn * u + rate * dx[4:] * v)
    moved = M_ROD * (middle + np.array([0, G, 0]))
    A, side = np.zeros((4, 4)), np.zeros(4)
    A[:3, :3] = -L * np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    side[:3] = H_dot - M - cross(L / 2 * u, moved)
    if end == "universal":
        A[:2, 3] = u[:2] / np.hypot(*u[:2])
    A[3, :3], side[3] = N, N @ moved + M_BLOCK * s[0]
    return a, turn if end == "spherical" else 0.0, np.linalg.lstsq(A, side, rcond=None)[0][:3]


def held(end, Q, q):
    """The least moment (3,) on the rod that holds it at the angle q under the torque Q, and |f|."""
    b, u, *_, dV, _, _ = geometry(end)(q)
    B = np.array([b] if end == "universal" else [b, u]).T
    M = -B @ np.linalg.solve(B.T @ B, np.eye(B.shape[1])[0] * (Q - dV))
    return M, np.linalg.norm(motion(end, Q, (q, 0.0, 0.0), M)[2])


def size(law, load, word):
    """Moment of friction under a load, of the coefficient or effort in the entry `word` of the law."""
    return law[word if word == "static" else "effort"] if "effort" in law else law[word] * law["radius"] * load


def sliding(end, law, y):
    """w (3,) and its size."""
    b, u, *_ = geometry(end)(y[0])
    w = b * y[1] + (u * y[2] if end == "spherical" else 0)
    return w, np.linalg.norm(w)


@cache
def expected(end, law, mean, swing):
    """Instants at which the ball breaks away and comes to rest; the angle of the crank and the heat there."""
    law = dict(law)

    def push(t):
        return mean + swing * np.sin(4 * t)

    def excess(t):
        M, load = held(end, push(t), START)
        return np.linalg.norm(M) - size(law, load, "static")

    start = brentq(excess, 0, np.pi / 8, xtol=1e-15)

    def rates(t, y):
        w, s = sliding(end, law, y)
        f = motion(end, push(t), y, 0 * w)[2]
        per = motion(end, push(t), y, -w / s)[2] - f
        if "effort" in law:
            F = law["effort"]
        else:  # F = k |f + F per|
            k = law["coefficient"] * law["radius"]
            F = max(np.roots([1 - k * k * (per @ per), -2 * k * k * (f @ per), -k * k * (f @ f)]))
        a, turn, _ = motion(end, push(t), y, -F * w / s)
        return np.array([y[1], a, turn, F * s])

    M, _ = held(end, push(start), START)
    b, u, *_ = geometry(end)(START)
    B = np.array([b, u]).T if end == "spherical" else b[:, None]
    c = np.linalg.lstsq(B, -M, rcond=None)[0]
    c *= 1e-9 / np.linalg.norm(c)
    first = np.array([START, c[0], c[1] if end == "spherical" else 0.0, 0.0])

    def slow(t, y):
        return sliding(end, law, y)[1] - SLOW

    slow.terminal, slow.direction = True, -1
    found = solve_ivp(rates, (start, 6), first, events=slow, **LSODA)
    t, y = found.t[-1], found.y[:, -1]
    b, u, *_ = geometry(end)(y[0])
    w, _ = sliding(end, law, y)
    _, a, turn, _ = rates(t, y)
    w_dot = b * a + (u * turn if end == "spherical" else 0)
    return start, t - (w @ w) / (w @ w_dot), y[0], y[3]


EFFORT, LOAD = {"effort": 3.3, "static": 3.8}, {"coefficient": 0.8, "static": 0.9, "radius": 0.2}
CASES = {
    "one freedom": ("universal", EFFORT, (3, 4)),
    "one freedom, load": ("universal", LOAD, (2.5, 2)),
    "two freedoms": ("spherical", EFFORT, (3, 4)),
    "two freedoms, load": ("spherical", LOAD, (2.2, 2)),
}


@pytest.mark.parametrize("cut", ["a", "b"])
@pytest.mark.parametrize("case", CASES)
def test_a_ball_in_a_linkage_breaks_away_and_comes_to_rest(case, cut):
    """Then the least moment holds the crank; the rod does not spin any more."""
    end, law, push = CASES[case]
    start, stop, angle, heat = expected(end, tuple(law.items()), *push)
    run = cardan.simulate(linkage(law, end, cut, push), until=stop + 0.05, **RUN)
    assert run.ok, run.message
    assert [event.did for event in run.events] == ["slides", "stops"]
    assert run.events[0].t == pytest.approx(start, rel=1e-9)
    assert run.events[1].t == pytest.approx(stop, abs=1e-7)
    after = run.t > stop + 1e-6
    assert np.ptp(run.array("crank.q")[after]) < 1e-12
    assert run.array("crank.q")[-1] == pytest.approx(angle, abs=1e-7)
    assert run.array("a.heat")[-1] == pytest.approx(heat, rel=1e-7)
    M, load = held(end, push[0] + push[1] * np.sin(4 * run.t[-1]), angle)
    np.testing.assert_allclose(run.array("a.friction_moment")[-1], M, rtol=0, atol=1e-6)
    assert run.array("a.friction")[-1] == pytest.approx(-np.linalg.norm(M), abs=1e-6)
    assert run.array("a.friction_limit")[-1] == pytest.approx(size(law, load, "static"), abs=1e-6)
    assert run.report.relative_energy_error < 1e-8
    assert run["a.friction"].unique == "no"
    assert run["a.friction_moment"].unique == "no, no, no"


def guided(kind, laws, cut=False):
    """Two blocks of 1 kg, one on the other, that slide along x: on guides, or on sleeves that slots keep in place."""
    parents = ["ground", *(f"b{k}" for k in range(len(laws)))]
    joints = {
        f"j{k}": {"type": kind, "parent": parent, "child": f"b{k}", "axis": "x", "friction": law}
        for k, (parent, law) in enumerate(zip(parents, laws, strict=False))
    }
    if cut:
        free = {f"free{k}": {"type": "free", "parent": "ground", "child": f"b{k}"} for k in range(len(laws))}
        joints = free | {name: joint | {"cut": True} for name, joint in joints.items()}
    slots = {
        f"slot{k}": {"type": "point_on_curve", "parent": parent, "child": f"b{k}.pin", "equations": ["y"]}
        for k, parent in enumerate(parents[:-1])
    }
    bodies = {
        each: {"mass": 1, "inertia": [0.1, 0.1, 0.1], "markers": {"pin": {"position": [0, 0, 0.3]}}}
        for each in parents[1:]
    }
    return cardan.Model(
        gravity=[0, 0, -G],
        bodies=bodies,
        joints=joints,
        constraints=slots if kind == "cylindrical" else {},
        forces={
            "f0": {"type": "force", "child": "b0", "value": ["15*sin(2*t + 1)", 0, 0]},
            "f1": {"type": "force", "child": "b1", "value": ["8*sin(3*t)", 0, 0]},
        },
    )


def instants(run, name):
    """Instants at which a joint stops or slides on; of a guide that reverses both in one event."""
    return [
        t for t, did in ((e.t, e.did) for e in run.events if e.name == name) for _ in range(1 + (did == "reverses"))
    ]


@pytest.mark.parametrize(
    ("laws", "cut"),
    [
        ([{"effort": 5.0, "static": 6.0}, {"effort": 3.0, "static": 4.0}], True),
        ([{"coefficient": 0.2, "static": 0.25}, {"coefficient": 0.3, "static": 0.4}], False),
    ],
)
def test_a_sleeve_that_cannot_turn_is_a_guide(laws, cut):
    """Two of them slide, stop, and are pushed back, each in its own time."""
    guide = cardan.simulate(guided("prismatic", laws), until=4, **RUN)
    sleeves = [law | {"radius": 0.02} for law in laws]
    run = cardan.simulate(guided("cylindrical", sleeves, cut), until=4, **RUN)
    assert run.ok, run.message
    for k in range(2):
        assert len(instants(run, f"j{k}")) > 2
        np.testing.assert_allclose(instants(run, f"j{k}"), instants(guide, f"j{k}"), rtol=0, atol=1e-8)
        np.testing.assert_allclose(
            run.array(f"b{k}.position")[-1], guide.array(f"b{k}.position")[-1], rtol=0, atol=1e-7
        )
        assert run.array(f"j{k}.heat")[-1] == pytest.approx(guide.array(f"j{k}.heat")[-1], rel=1e-7)
        for name in ("friction_limit", "sticking"):
            assert run.array(f"j{k}.{name}")[-1] == pytest.approx(guide.array(f"j{k}.{name}")[-1], rel=1e-9)


def slider_crank(kind, law, start, push):
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


@pytest.mark.parametrize("law", [{"effort": 3.0, "static": 4.0}, {"coefficient": 0.3}])
@pytest.mark.parametrize(
    ("start", "push"), [({"crank": 0.5, "crank.v": 8.0}, "0"), ({"crank": 0.5}, "1.5*sin(3*t)"), ({"crank": 0}, "2*t")]
)
def test_a_sleeve_passes_its_dead_centres_as_a_guide_does(law, start, push):
    """There nothing that friction could do would hold the crank, from rest neither."""
    guide = cardan.simulate(slider_crank("prismatic", law, start, push), until=2.2, **RUN)
    run = cardan.simulate(slider_crank("cylindrical", law | {"radius": 0.02}, start, push), until=2.2, **RUN)
    assert run.ok, run.message
    if "crank.v" in start or start["crank"]:
        np.testing.assert_allclose(instants(run, "slide"), instants(guide, "slide"), rtol=0, atol=1e-8)
        assert run.array("crank.q")[-1] == pytest.approx(guide.array("crank.q")[-1], abs=1e-7)
        assert run.array("slide.heat")[-1] == pytest.approx(guide.array("slide.heat")[-1], rel=1e-7)
    else:
        assert run.events[0].t < 1e-4  # until then the torque has turned the crank by less than 1e-11 rad


@pytest.mark.parametrize("end", ["universal", "spherical"])
def test_a_ball_that_a_motion_moves_is_refused(end):
    """Also where it leaves the spin of the rod free."""
    model = linkage(EFFORT, end)
    driven = model.replace(motions={"crank": f"{START} + 0.1*t"}, initial={"slide": {"guess": 0.8}})
    with pytest.raises(
        ModelError,
        match=r"the joint 'a' moves only together with 'crank', so that the effort that each holds at rest is not",
    ):
        cardan.simulate(driven, until=0.1)


def test_what_cannot_slide_is_refused():
    """A sleeve whose pins in two slots keep it in its place."""
    model = guided("cylindrical", [EFFORT | {"radius": 0.02}] * 2)
    stop = model.constraints["slot0"].replace(equations=["x"])
    with pytest.raises(ModelError, match=r"the joint 'j0' cannot slide in any direction"):
        cardan.simulate(model.replace(constraints={**model.constraints, "stop": stop}), until=0.1)
