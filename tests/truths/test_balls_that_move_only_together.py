"""Balls, sleeves and pins that rub in one spatial linkage of one freedom: they rest, stick and break away together.

The linkage is that of `test_sticking_with_fewer_freedoms`, in which a slot keeps the second ball to the motion of the
universal joint. The comparison is its one equation in the crank angle: with the velocities g_i of the joints per
velocity of the crank, vectors those of balls, m θ̈ + m' θ̇²/2 = Q − V' − σ Σ F_i |g_i|; the loads follow from the
equations of Newton and Euler.

Tolerances: runs at rtol 1e-10 and atol 1e-12 over some ten events, SciPy at 1e-12 and 1e-13.
"""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize, root

import cardan
from tests.truths.test_sticking_in_several_directions import RUN
from tests.truths.test_sticking_with_fewer_freedoms import START, G, geometry, linkage, motion, slider_crank

pytestmark = pytest.mark.exhaustive

UP = np.array([0, 0, 1])
END = 2.2
EFFORTS = {"crank": (1.0, 1.4), "a": (2.0, 2.5), "b": (1.5, 1.5)}  # sliding, static
LOADS = {"crank": (0.3, 0.4, 0.05), "a": (0.8, 0.9, 0.2)}  # coefficients and radii


def rubbing(laws, push, end="universal", cut="b"):
    model = linkage(laws["a"], end, cut, push)
    return model.replace(joints={**model.joints, **{k: model.joints[k].replace(friction=laws[k]) for k in laws}})


def two_balls(cut):
    """The linkage with a ball at each end of the rod; both rub, and the crank does."""
    laws = {name: {"effort": sliding, "static": static} for name, (sliding, static) in EFFORTS.items()}
    model = rubbing(laws, (3, 12), "spherical", cut)
    rod = model.bodies["rod"]
    rod = rod.replace(markers={**rod.markers, "pin": {"position": [0.7, 0.1, 0]}})
    slot = {"type": "point_on_curve", "parent": "block", "child": "rod.pin", "equations": ["z"]}
    return model.replace(bodies={**model.bodies, "rod": rod}, constraints={"spin": slot})


def speeds(q):
    """g of each joint, per velocity of the crank; the block at the second ball does not turn."""
    b = geometry("universal")(q)[0]
    return {"crank": np.ones(1), "a": b, "b": b + UP}


class Efforts:
    """What given efforts of friction do: m θ̈ and their power per speed while all slide, and the part in use at rest."""

    def __init__(self, push):
        self.push = push

    def needed(self, t, q):
        return self.push(t) - geometry("universal")(q)[7]

    def limit(self, q, k):
        return sum(EFFORTS[name][k] * np.linalg.norm(g) for name, g in speeds(q).items())

    def part(self, t, q):
        return self.needed(t, q) / self.limit(q, 1)

    def sliding(self, t, q, v, way):
        *_, m, dm, _, _, _ = geometry("universal")(q)
        held = self.limit(q, 0)
        return (self.needed(t, q) - dm * v**2 / 2 - way * held) / m, held


class Loads(Efforts):
    """The same of friction under loads of the crank's bearing and of the ball at its end."""

    def sizes(self, f, k):
        """Moments of friction in the crank's bearing and the ball, under the force f of the ball on the rod."""
        in_bearing = f + np.array([0, G, 0])  # the crank, of 1 kg, has its centre of mass in its bearing
        loads = {"crank": np.linalg.norm(in_bearing[:2]), "a": np.linalg.norm(f)}
        return np.array([LOADS[name][k] * LOADS[name][2] * load for name, load in loads.items()])

    def response(self, t, y):
        """θ̈ and the force f on the ball (4,), and what unit moments in bearing and ball add to them (4, 2)."""
        b = geometry("universal")(y[0])[0]
        along, y = b / np.linalg.norm(b), (*y, 0.0)

        def at(Q, M):
            a, _, f = motion("universal", Q, y, M)
            return np.array([a, *f])

        free, Q = at(self.push(t), 0 * b), self.push(t)
        return free, np.column_stack([at(Q + 1, 0 * b) - free, at(Q, along) - free])

    def part(self, t, q):
        free, per = self.response(t, (q, 0.0))

        def left(u):
            a, *f = free - u[0] * (per @ u[1:])
            return [a, *(u[1:] - self.sizes(f, 1))]

        return root(left, [self.needed(t, q) / 3, 1.0, 1.0], tol=1e-14).x[0]

    def sliding(self, t, q, v, way):
        free, per = self.response(t, (q, v))
        F, last = np.ones(2), np.zeros(2)
        while abs(F - last).max() > 1e-13:
            F, last = self.sizes((free - way * (per @ F))[1:], 0), F
        return (free - way * (per @ F))[0], F @ [1, np.linalg.norm(geometry("universal")(q)[0])]


@cache
def by_hand(law):
    """Angle and velocity at the end, heat, and what happens on the way: (instant, way) of the crank, 0 for rest."""
    t, q, v, way, heat, happened = 0.0, START, 0.0, 0.0, 0.0, []
    while t < END:
        if way == 0:
            grid = np.linspace(t, END, 201)
            k = next((k for k in range(1, 201) if abs(law.part(grid[k], q)) > 1), None)
            if k is None:
                break
            t = brentq(lambda time, at=q: abs(law.part(time, at)) - 1, grid[k - 1], grid[k], xtol=1e-15)
            way, v = float(np.sign(law.part(t, q))), 0.0
            happened.append((t, way))

        def rates(time, y, way=way):
            a, held = law.sliding(time, y[0], y[1], way)
            return [y[1], a, way * held * y[1]]

        def rests(time, y, begun=t, way=way):
            return y[1] if time > begun + 1e-6 else way

        rests.terminal, rests.direction = True, -way
        run = solve_ivp(rates, (t, END), [q, v, heat], "DOP853", events=rests, rtol=1e-11, atol=1e-13)
        t, (q, v, heat) = run.t[-1], run.y[:, -1]
        if run.status == 1:
            part, v = law.part(t, q), 0.0
            way = 0.0 if abs(part) <= 1 else float(np.sign(part))
            happened.append((t, way))
    return q, v, heat, happened


PUSHED = Efforts(lambda t: 3 + 12 * np.sin(4 * t))


def words(name, way, before):
    """What the log says of a joint as the crank changes its way."""
    slides = "slides" if name != "crank" else f"slides {'forwards' if way > 0 else 'backwards'}"
    if way == 0 or before == 0:
        return [slides] if way else ["stops"]
    return ["stops", slides] if name != "crank" else ["reverses"]


def check(run, names, expected):
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-9
    q, v, heat, happened = expected
    assert {0.0, 1.0} <= {way for _, way in happened}
    before = [0.0, *(way for _, way in happened)]
    for name in names:
        told = [(event.t, event.did) for event in run.events if event.name == name]
        due = [(t, did) for (t, way), last in zip(happened, before, strict=False) for did in words(name, way, last)]
        assert [did for _, did in told] == [did for _, did in due]
        np.testing.assert_allclose([t for t, _ in told], [t for t, _ in due], rtol=0, atol=1e-9)
    assert run.array("crank.q")[-1] == pytest.approx(q, abs=1e-8)
    assert run.array("crank.v")[-1] == pytest.approx(v, abs=1e-8)
    assert sum(run.array(f"{name}.heat")[-1] for name in names) == pytest.approx(heat, rel=1e-8)


@pytest.mark.parametrize("cut", ["a", "b"])
def test_two_balls_and_a_pin_stick_and_break_away_together(cut):
    run = cardan.simulate(two_balls(cut), until=END, **RUN)
    check(run, EFFORTS, by_hand(PUSHED))
    k = np.searchsorted(run.t, 0.08)  # before the first one breaks away
    moments = [run.array(f"{name}.friction_moment")[k] for name in "ab"]
    g, needed = speeds(START), PUSHED.needed(run.t[k], START)
    assert run["a.friction_moment"].unique == "no, no, no"
    assert g["a"] @ moments[0] + g["b"] @ moments[1] + run.array("crank.friction")[k] == pytest.approx(-needed)
    limits = np.array([EFFORTS[name][1] for name in EFFORTS])
    used = [abs(run.array("crank.friction")[k]), *(np.linalg.norm(each) for each in moments)] / limits

    def within(y):
        sizes = [abs(y[1]), np.linalg.norm(y[2:5]), np.linalg.norm(y[5:])]
        return y[0] * limits - sizes

    best = minimize(
        lambda y: y[0], [1.0, *-0.1 * np.ones(7)], method="SLSQP", options={"ftol": 1e-12, "maxiter": 500},
        constraints=[
            {"type": "eq", "fun": lambda y: y[1] + g["a"] @ y[2:5] + g["b"] @ y[5:] + needed},
            {"type": "ineq", "fun": within},
        ],
    )  # fmt: skip
    assert best.success, best.message
    np.testing.assert_allclose(used, best.fun, rtol=1e-6)  # of the optimisation
    np.testing.assert_allclose(used, abs(PUSHED.part(run.t[k], START)), rtol=1e-12)


def test_a_ball_and_a_pin_under_their_loads_stick_and_break_away_together():
    laws = {name: {"coefficient": mu, "static": nu, "radius": r} for name, (mu, nu, r) in LOADS.items()}
    run = cardan.simulate(rubbing(laws, (2.5, 5)), until=END, **RUN)
    law = Loads(lambda t: 2.5 + 5 * np.sin(4 * t))
    check(run, LOADS, by_hand(law))
    k = np.searchsorted(run.t, 0.08)
    for name in LOADS:
        used = run.array(f"{name}.friction")[k] / run.array(f"{name}.friction_limit")[k]
        assert abs(used) == pytest.approx(abs(law.part(run.t[k], START)), rel=1e-9)


def with_crank(kind, start, push, **radius):
    model = slider_crank(kind, {"effort": 3.0, "static": 4.0, **radius}, {"crank": start}, push)
    crank = model.joints["crank"].replace(friction={"effort": 0.3, "static": 0.4})
    return model.replace(joints={**model.joints, "crank": crank})


def test_a_sleeve_and_a_pin_hold_as_a_guide_and_a_pin_do():
    models = with_crank("prismatic", 0.5, "1.5*sin(3*t)"), with_crank("cylindrical", 0.5, "1.5*sin(3*t)", radius=0.02)
    guide, sleeve = (cardan.simulate(model, until=2.0, **RUN) for model in models)
    assert sleeve.ok, sleeve.message
    assert [(event.name, event.did.split()[0]) for event in sleeve.events] == [
        (event.name, event.did.split()[0]) for event in guide.events
    ]
    at = [[event.t for event in run.events] for run in (sleeve, guide)]
    np.testing.assert_allclose(*at, rtol=0, atol=1e-9)
    for name in ("crank.q", "crank.heat", "slide.heat"):
        assert sleeve.array(name)[-1] == pytest.approx(guide.array(name)[-1], abs=1e-8)


@pytest.mark.parametrize(("kind", "radius"), [("cylindrical", {"radius": 0.02}), ("prismatic", {})])
def test_a_slider_at_its_dead_centre_slides_as_soon_as_it_moves(kind, radius):
    """There the crank alone holds the torque, up to 2 t = 0.4; the slider goes back and forth in one turn."""
    run = cardan.simulate(with_crank(kind, 0.0, "2*t", **radius), until=2.0, **RUN)
    assert run.ok, run.message

    def slide(q):  # velocity of the slider per velocity of the crank
        root = np.sqrt(0.36 - 0.04 * np.sin(q) ** 2)
        return -0.2 * np.sin(q) - 0.04 * np.sin(q) * np.cos(q) / root

    def mass(q):  # crank, the rod's mass at the end of the crank, its turning, and the slider
        turn = 0.2 * np.cos(q) / np.sqrt(0.36 - 0.04 * np.sin(q) ** 2)
        return 0.1 + 0.04 + 0.1 * turn**2 + slide(q) ** 2

    def rates(t, y):
        slope = mass(y[0] + 1e-30j).imag / 1e-30
        return [y[1], (2 * t - 0.3 - 3 * abs(slide(y[0])) - slope * y[1] ** 2 / 2) / mass(y[0])]

    def dead_centre(t, y):
        return np.sin(y[0]) if t > 0.3 else 1.0

    def other(t, y):
        return -np.sin(y[0]) if t > 0.3 else 1.0

    t, y, passes = 0.2, np.zeros(2), []
    dead_centre.terminal = other.terminal = True
    dead_centre.direction = other.direction = -1
    while t < 2:
        event = other if len(passes) % 2 else dead_centre
        found = solve_ivp(rates, (t, 2.0), y, "DOP853", events=event, rtol=1e-12, atol=1e-13)
        t, y = found.t[-1], found.y[:, -1]
        passes += [t] if found.status == 1 else []
    assert len(passes) > 2
    told = [
        event.t for event in run.events if event.did in ("stops", "reverses") and event.t > 0.2 + 1e-7
    ]  # later than round-off
    np.testing.assert_allclose(told, passes, rtol=0, atol=1e-7)  # it begins with a speed of 1e-9
    assert run.array("crank.q")[-1] == pytest.approx(y[0], abs=1e-6)
    assert run.array("slide.heat")[-1] > 0


@pytest.mark.parametrize(
    ("kind", "start", "radius"),
    [("prismatic", 0.5, {}), ("prismatic", 0.0, {}), ("cylindrical", 0.5, {"radius": 0.02})],
)
def test_a_guide_that_has_no_load_leaves_the_torque_to_the_pin(kind, start, radius):
    """The force of the rod on the guide has the ratio of a slope to its friction: at rest both are zero.

    So the pin alone holds the torque, up to 2 t = 0.4, in any position. While the guide slides, its load is the force
    of the rod across it. The rod has its centre of mass at the pin of the crank.
    """
    mu, t = 0.3, 0.2
    model = slider_crank(kind, {"coefficient": mu, **radius}, {"crank": start}, "2*t")
    crank = model.joints["crank"].replace(friction={"effort": 0.3, "static": 0.4})
    run = cardan.simulate(model.replace(joints={**model.joints, "crank": crank}), until=1.0, **RUN)
    assert run.ok, run.message

    def angle(q):  # of the rod
        return -np.arcsin(np.sin(q) / 3)

    def turn(q):  # velocity of the rod per velocity of the crank
        return -np.cos(q) / np.sqrt(9 - np.sin(q) ** 2)

    def slide(q):  # velocity of the slider per velocity of the crank
        return -0.2 * np.sin(q) - 0.6 * np.sin(angle(q)) * turn(q)

    def rates(t, y):
        q, w, _ = y
        b, g = turn(q), slide(q)
        db, dg = turn(q + 1e-30j).imag / 1e-30, slide(q + 1e-30j).imag / 1e-30
        x, y = 0.6 * np.cos(angle(q)), 0.6 * np.sin(angle(q))
        mass, bent = 0.14 + 0.1 * b**2 + g**2, (0.1 * b * db + g * dg) * w**2
        for sign in (1, -1):  # of the force f across the guide
            rubs = mu * sign * np.sign(g * w)  # times f against the slider
            a, f = np.linalg.solve([[mass, g * rubs], [0.1 * b - y * g, x - y * rubs]],
                                   [2 * t - 0.3 - bent, (y * dg - 0.1 * db) * w**2])  # fmt: skip
            if f * sign >= 0:
                return [w, a, mu * abs(f * g * w)]
        raise AssertionError("no force fits")

    found = solve_ivp(rates, (t, 1.0), [start, 0, 0], "DOP853", rtol=1e-11, atol=1e-13)
    assert run.events[0].t == pytest.approx(t, abs=1e-9)
    assert (run.events[0].name, run.events[0].did) == ("crank", "slides forwards")
    assert run.array("crank.q")[-1] == pytest.approx(found.y[0, -1], abs=1e-8)
    assert run.array("slide.heat")[-1] == pytest.approx(found.y[2, -1], rel=1e-7)
    assert np.diff(run.array("slide.heat")).min() > -1e-15  # round-off
