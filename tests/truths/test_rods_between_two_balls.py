"""A rod between two balls that rub, on a crank that rubs: it may spin, so that two freedoms are held by three joints.

The linkage is that of `test_sticking_with_fewer_freedoms`, with the two freedoms θ of the crank and ς of the spin of
the rod. The comparison is written by hand in these, from event to event. What friction can hold is found on a grid of
the directions of motion and by minimisation between its points.

Tolerances: runs at rtol 1e-10 and atol 1e-12, SciPy at 1e-11 and 1e-13 up to a speed of 1e-6, and from there with a
constant brake: 1e-7 of values of order 1.
"""

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize, minimize_scalar

import cardan
from cardan.errors import ModelError
from tests.truths.test_balls_that_move_only_together import with_crank
from tests.truths.test_sticking_in_several_directions import RUN, SLOW
from tests.truths.test_sticking_with_fewer_freedoms import J_SPIN, LSODA, START, geometry, linkage

pytestmark = pytest.mark.exhaustive

UP = np.array([0, 0, 1])
NAMES = ("crank", "a", "b")
TORQUES, WORDS = ("mean", "swing", "twist", "wave"), ("slides", "sticks")
RADIUS = 0.02  # of the sleeve
END = 3.0


def rod(laws, cut="b"):
    """The linkage with friction in crank and balls, and a torque on the rod about its axis; torques are parameters."""
    values = dict.fromkeys((*TORQUES, *(f"{name}_{word}" for name in NAMES for word in WORDS)), 1.0)
    model = linkage({"effort": 1.0}, cut=cut).replace(parameters=values)
    push = {"type": "torque", "child": "crank", "value": [0, 0, "mean + swing*sin(4*t)"]}
    twist = {"type": "torque", "child": "rod", "value": ["twist + wave*sin(3*t)", 0, 0], "frame": "child"}
    joints = {name: model.joints[name].replace(friction=law) for name, law in laws.items()}
    return model.replace(joints={**model.joints, **joints}, forces={"push": push, "twist": twist})


@cache
def with_efforts(cut="b"):
    return rod({name: {"effort": f"{name}_slides", "static": f"{name}_sticks"} for name in NAMES}, cut)


def values(limits, push, twist):
    """Parameters of a rod: friction that slides and that sticks, mean and amplitude of the torques."""
    own = {f"{name}_{word}": x for name, pair in limits.items() for word, x in zip(WORDS, pair, strict=True)}
    return own | dict(zip(TORQUES, (*push, *twist), strict=True))


class ByHand:
    """The two freedoms c = (θ̇, ς) from event to event."""

    def __init__(self, limits, push, twist):
        self.slides, self.holds = (np.array([limits[name][k] for name in NAMES]) for k in (0, 1))
        self.push, self.twist = push, twist

    def rows(self, q):
        """Sliding velocities of crank, first and second ball, per velocity of the freedoms."""
        b, u = geometry("spherical")(q)[:2]
        return [np.array([[1.0, 0.0]]), np.column_stack([b, u]), np.column_stack([b + UP, u])]

    def needed(self, t, q):
        return np.array([self.push(t) - geometry("spherical")(q)[7], self.twist(t)])

    def decisive(self, t, q):
        """The largest part Q·c/h(c) of the limits at rest, and the motion c of which it is."""
        Q, rows = self.needed(t, q), self.rows(q)
        across = np.array([-Q[1], Q[0]])

        def h(k):
            return sum(F * np.linalg.norm(B @ (Q + k * across)) for F, B in zip(self.holds, rows, strict=True))

        grid = np.linspace(-20, 20, 401)
        k = int(np.argmin([h(each) for each in grid]))
        at = minimize_scalar(h, bracket=(grid[k - 1], grid[k], grid[k + 1]), tol=1e-10).x
        kink = -Q[0] / across[0] if across[0] else np.inf  # where the crank rests
        if np.isfinite(kink) and h(kink) <= h(at) * (1 + 1e-12):
            return Q @ Q / h(kink), np.array([0.0, Q @ Q / across[1] * np.sign(across[1] * Q[1])]) if Q[1] else None
        return Q @ Q / h(at), Q + at * across

    def efforts(self, y, way):
        """Generalised friction (2,) of all joints that slide and have a speed."""
        ways = [np.array([way]), *(B @ y[1:3] for B in self.rows(y[0])[1:])]
        sizes = [abs(way), *(np.linalg.norm(w) for w in ways[1:])]
        return [
            -F * B.T @ (w / size) if size else np.zeros(2)
            for F, B, w, size in zip(self.slides, self.rows(y[0]), ways, sizes, strict=True)
        ]

    def rates(self, t, y, way):
        """(θ̇, θ̈, ς̇, power of friction) while the crank slides this way, or rests with 0; and its effort at rest."""
        *_, m, dm, _, _, _ = geometry("spherical")(y[0])
        own = self.efforts(y, way)
        Q = self.needed(t, y[0]) + sum(own) - [dm * y[1] ** 2 / 2, 0]
        power = -sum(own) @ y[1:3]
        return np.array([y[1], Q[0] / m if way else 0.0, Q[1] / J_SPIN, power]), -Q[0]

    def spare(self, t, y):
        """What the crank at rest could hold beyond what it has to."""
        return self.holds[0] - abs(self.rates(t, y, 0.0)[1])

    def run(self, end):
        """(instant, way of the crank, whether the balls slide) at each event; θ, c and heat at the end."""
        t, q, c, heat, way, slides, happened = 0.0, START, np.zeros(2), 0.0, 0.0, False, []
        while t < end:
            if not slides:
                grid = np.linspace(t, end, 301)
                k = next((k for k in range(1, 301) if self.decisive(grid[k], q)[0] > 1), None)
                if k is None:
                    break
                t = brentq(lambda time, at=q: self.decisive(time, at)[0] - 1, grid[k - 1], grid[k], xtol=1e-15)
                c = self.decisive(t, q)[1]
                c, slides = c * 1e-9 / np.linalg.norm(c), True
                way = np.sign(c[0])
                happened.append((t, way, slides))

            def rates(time, y, way=way):
                return self.rates(time, y, way)[0]

            def slow(time, y):
                return min(np.linalg.norm(B @ y[1:3]) for B in self.rows(y[0])[1:]) - SLOW

            def passes(time, y, way=way, begun=t):
                return way * y[1] if way and time > begun + 1e-9 else 1.0

            def leaves(time, y, way=way):
                return 1.0 if way else self.spare(time, y)

            events = [slow, passes, leaves]
            for event in events:
                event.terminal, event.direction = True, -1
            found = solve_ivp(rates, (t, end), [q, *c, heat], events=events, **LSODA)
            t, y = found.t[-1], found.y[:, -1]
            q, c, heat = y[0], y[1:3], y[3]
            if found.status == 0:
                break
            if len(found.t_events[0]):
                a = rates(t, y)[1:3]
                t, c, slides, way = t - (c @ c) / (c @ a), np.zeros(2), False, 0.0
                assert self.decisive(t, q)[0] < 1
            elif len(found.t_events[1]):
                c[0] = 0.0
                y = np.array([q, *c, heat])
                way = 0.0 if self.spare(t, y) >= 0 else -np.sign(self.rates(t, y, 0.0)[1])
            else:
                way = -np.sign(self.rates(t, y, 0.0)[1])
            happened.append((t, way, slides))
        return happened, q, c, heat


EFFORTS = {"crank": (0.5, 0.6), "a": (2.0, 2.4), "b": (1.5, 1.8)}  # sliding, static
LIGHT = {"crank": (2.0, 2.2), "a": (0.2, 0.22), "b": (0.1, 0.12)}
EVEN = {"crank": (1.0, 1.2), "a": (0.5, 0.6), "b": (0.4, 0.4)}
CASES = {  # limits, torque on the crank, and on the rod about its axis: mean and amplitude
    "both freedoms at once": (EFFORTS, (3, 4), (0, 0)),
    "the crank first": (LIGHT, (1.6, 3.0), (0, 0.5)),
    "the crank just before": (EVEN, (1.6, 2.5), (0.2, 1.0)),
    "the rod first": ({**LIGHT, "crank": (1.5, 1.7)}, (1.6, 2.5), (0.2, 0.5)),
    "the rod alone": ({**EVEN, "crank": (2.5, 2.6)}, (1.6, 2.0), (0, 1.5)),
}


@cache
def expected(case):
    limits, push, twist = CASES[case]
    law = ByHand(limits, lambda t: push[0] + push[1] * np.sin(4 * t), lambda t: twist[0] + twist[1] * np.sin(3 * t))
    return law, *law.run(END)


def told(happened):
    """What the log says of (instant, way of the crank, whether the balls slide), in the order of the joints."""
    out, before, slid = [], 0.0, False
    for t, way, slides in happened:
        if way != before:
            ahead = "forwards" if way > 0 else "backwards"
            out.append((t, "crank", "stops" if not way else f"slides {ahead}" if not before else "reverses"))
        if slides != slid:
            out += [(t, name, "slides" if slides else "stops") for name in "ab"]
        before, slid = way, slides
    return out


@pytest.mark.parametrize("cut", ["a", "b"])
@pytest.mark.parametrize("case", CASES)
def test_a_rod_that_may_spin_sticks_slides_and_comes_to_rest(case, cut):
    run = cardan.simulate(with_efforts(cut), parameters=values(*CASES[case]), until=END, method="dop853", **RUN)
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-9
    _, happened, q, (v, _), heat = expected(case)
    due = told(happened)
    assert [(event.name, event.did) for event in run.events] == [(name, did) for _, name, did in due]
    np.testing.assert_allclose([event.t for event in run.events], [t for t, *_ in due], rtol=0, atol=1e-8)
    assert run.array("crank.q")[-1] == pytest.approx(q, abs=1e-6)  # directions of slow balls are open by 0.1 rad
    assert run.array("crank.v")[-1] == pytest.approx(v, abs=1e-6)
    assert sum(run.array(f"{name}.heat")[-1] for name in NAMES) == pytest.approx(heat, rel=1e-7)


def test_what_they_hold_uses_the_least_part_of_their_limits():
    """Of all efforts in balance the optimisation finds those whose largest part of a limit is least."""
    found = values(*CASES["the crank first"])
    run = cardan.simulate(with_efforts(), parameters=found, until=0.1, method="dop853", **RUN)
    law = expected("the crank first")[0]
    Q, rows = law.needed(0.1, START), law.rows(START)
    efforts = [run.array("crank.friction")[-1:], *(run.array(f"{name}.friction_moment")[-1] for name in "ab")]
    assert run["a.friction_moment"].unique == "no, no, no"
    np.testing.assert_allclose(sum(B.T @ f for B, f in zip(rows, efforts, strict=True)), -Q, rtol=0, atol=1e-12)

    def within(y):
        return y[0] * law.holds - [abs(y[1]), np.linalg.norm(y[2:5]), np.linalg.norm(y[5:])]

    best = minimize(
        lambda y: y[0], [1.0, *-0.1 * np.ones(7)], method="SLSQP", options={"ftol": 1e-13, "maxiter": 500},
        constraints=[
            {"type": "eq", "fun": lambda y: np.hstack([B.T for B in rows]) @ y[1:] + Q},
            {"type": "ineq", "fun": within},
        ],
    )  # fmt: skip
    assert best.success, best.message
    used = [np.linalg.norm(f) for f in efforts] / law.holds
    assert max(used) == pytest.approx(best.fun, rel=1e-6)  # of the optimisation
    assert max(used) == pytest.approx(law.decisive(0.1, START)[0], rel=1e-12)


REFUSED = r"several freedoms, .* stick in several directions; this is supported for two freedoms, .*\n.*universal joint"


def test_stops_by_impact_of_such_joints_are_refused_and_beside_them():
    model = with_efforts()
    stopped = model.joints["crank"].replace(limits={"upper": 2.0, "restitution": 0.5})
    with pytest.raises(ModelError, match=r"'crank' stops by impact and moves only together with 'a', 'b'"):
        cardan.simulate(model.replace(joints={**model.joints, "crank": stopped}), until=0.1)
    ball = {
        "type": "prismatic",
        "parent": "ground",
        "child": "ball",
        "axis": "z",
        "limits": {"lower": 0, "restitution": 1},
    }
    beside = model.replace(bodies={**model.bodies, "ball": {"mass": 1.0}}, joints={**model.joints, "falls": ball})
    with pytest.raises(ModelError, match=REFUSED):
        cardan.simulate(beside, until=0.1)


def test_three_freedoms_are_refused():
    """The rod of the slider-crank spins between two balls, and the sleeve turns."""
    model = with_sleeve("cylindrical", {"crank": 0.5}, "t")
    ball = {"type": "spherical", "parent": "crank.end", "child": "rod", "friction": {"effort": 1.0}}
    with pytest.raises(ModelError, match=REFUSED):
        cardan.simulate(model.replace(joints={**model.joints, "a": ball}), until=0.1)


def with_sleeve(kind, start, push, twist="0"):
    """A slider-crank whose sleeve, unlike a guide, may turn; both rub, and the bearing of the crank does."""
    model = with_crank(kind, 0.5, push, **({"radius": RADIUS} if kind == "cylindrical" else {}))
    force = {"type": "torque", "child": "block", "value": [twist, 0, 0]}
    return model.replace(initial=start, constraints={}, forces={**model.forces, "twist": force})


@pytest.mark.parametrize(
    ("start", "push"),
    [({"crank": 0.5}, "1.5*sin(3*t)"), ({"crank": 0.5}, "3*t"), ({"crank": 0.5, "crank.v": 8.0}, "0")],
)
def test_a_sleeve_that_nothing_turns_is_a_guide(start, push):
    """It passes dead centres, where its velocity is zero while the crank turns, without an event."""
    guide, sleeve = (
        cardan.simulate(with_sleeve(kind, start, push), until=2.0, **RUN) for kind in ("prismatic", "cylindrical")
    )
    assert sleeve.ok, sleeve.message
    assert sleeve.report.relative_energy_error < 1e-9
    due = [event for event in guide.events if event.did != "reverses"]
    assert [(each.name, each.did.split()[0]) for each in sleeve.events] == [
        (each.name, each.did.split()[0]) for each in due
    ]
    np.testing.assert_allclose([each.t for each in sleeve.events], [each.t for each in due], rtol=0, atol=1e-9)
    for name in ("crank.q", "crank.v", "crank.heat", "slide.heat"):
        assert sleeve.array(name)[-1] == pytest.approx(guide.array(name)[-1], abs=1e-7)


@pytest.mark.parametrize(("push", "twist"), [(1.5, 0.05), (0.2, 0.1), (0.0, 0.1)])
def test_a_sleeve_that_is_turned_breaks_away_with_the_crank(push, twist):
    """Its surface has the velocity (r ω, g θ̇); under torques in proportion to t the part of the limits is so too."""
    model = with_sleeve("cylindrical", {"crank": 0.5}, f"{push}*t", f"{twist}*t")
    run = cardan.simulate(model, until=1.5, **RUN)
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-9
    g = -0.2 * np.sin(0.5) - 0.04 * np.sin(0.5) * np.cos(0.5) / np.sqrt(0.36 - 0.04 * np.sin(0.5) ** 2)

    def needed(k):  # limits of crank and sleeve over the force, in the motion θ̇ = sin k, ω = cos k
        rubs = 0.4 * abs(np.sin(k)) + 4.0 * np.hypot(RADIUS * np.cos(k), g * np.sin(k))
        return rubs / (push * np.sin(k) + twist * np.cos(k))

    bounds = (-np.arctan2(twist, push) + 1e-3, np.pi - np.arctan2(twist, push) - 1e-3)
    smooth = min(
        minimize_scalar(needed, bounds=each, method="bounded", options={"xatol": 1e-12}).fun
        for each in ((bounds[0], 0), (0, bounds[1]))
    )
    kink = needed(0.0)  # the crank rests
    assert run.events[0].t == pytest.approx(min(smooth, kink), rel=1e-10)
    names = {event.name for event in run.events if event.t < run.events[0].t + 1e-9}
    assert names == ({"slide"} if kink <= smooth else {"crank", "slide"})
