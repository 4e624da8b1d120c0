"""A rod that may spin between two balls, on a crank: all rub with coefficients, so that what they hold follows from the
loads, and the loads from what they hold.

The comparison is written by hand in the freedoms θ of the crank and ς of the spin: loads from the balance of rod and
block, limits by a fixed point, and the motion that decides as the root of the derivative of what friction can take.

Tolerances: as of `test_rods_between_two_balls`.
"""

from functools import cache

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import brentq

import cardan
from cardan.kinematics.relative import slip_of_velocity
from cardan.system.friction import JointGroup, Rub, Rubbing, SharedLimits, Stuck, with_friction
from tests.truths.test_rods_between_two_balls import END, NAMES, UP, ByHand, rod, told, values, with_sleeve
from tests.truths.test_sticking_in_several_directions import RUN
from tests.truths.test_sticking_with_fewer_freedoms import M_ROD, G, geometry, motion

pytestmark = pytest.mark.exhaustive

RADII = {"crank": 0.2, "a": 0.2, "b": 0.1}
SLIPPERY = {"crank": (0.3, 0.35), "a": (0.05, 0.06), "b": (0.1, 0.12)}
EVEN = {"crank": (0.22, 0.253), "a": (0.27, 0.31), "b": (0.34, 0.392)}
CASES = {  # coefficients that slide and that stick, torque on the crank, and on the rod about its axis
    "all together": (EVEN, (1.6, 2.8), (0.1, 0.6)),
    "the crank rests alone": (SLIPPERY, (2.0, 2.4), (0, 0.2)),
}
UNITS = np.vstack([np.zeros(3), np.eye(3)])


class UnderLoad(ByHand):
    """As `ByHand`, with coefficients; p are the effort of the crank and the moments of the balls along their ways."""

    def __init__(self, limits, push, twist):
        super().__init__(limits, push, twist)
        radii = np.array([RADII[name] for name in NAMES])
        self.slides, self.holds = self.slides * radii, self.holds * radii

    def loads(self, t, y, ways, p):
        """Accelerations of both freedoms, and the forces across the crank's bearing and on both ends of the rod."""
        _, u, _, dx, ddx, *_ = geometry("spherical")(y[0])
        first, second = p[1] * ways[1], p[2] * ways[2]
        Q = self.push(t) + p[0] * ways[0][0] + UP @ second + u[2] * self.twist(t)
        a, turn, force = motion("spherical", Q, y, first + second + self.twist(t) * u)
        other = M_ROD * (dx[1:4] * a + ddx[1:4] * y[1] ** 2 + [0, G, 0]) - force
        return np.array([a, turn]), [force[:2] + np.array([0, G]), force, other]

    def solved(self, t, y, ways, sizes):
        """(p, accelerations) with p = sizes · loads; a crank with the way 0 rests, and its effort follows from that."""
        units = ways if ways[0][0] else [np.ones(1), *ways[1:]]
        known, *rest = ((a, np.concatenate(f)) for a, f in (self.loads(t, y, units, p) for p in UNITS))
        A, C = (np.array([each[k] - known[k] for each in rest]).T for k in (0, 1))
        p = np.zeros(3)
        for _ in range(200):
            bearing, force, other = np.split(known[1] + C @ p, [2, 5])
            new = -sizes * [np.linalg.norm(f) for f in (bearing, force, other)]
            if not ways[0][0]:
                new[0] = -(known[0][0] + A[0, 1:] @ new[1:]) / A[0, 0]
            if np.abs(new - p).max() < 1e-15:
                break
            p = new
        return p, known[0] + A @ p

    def decisive(self, t, q):
        """The part of the limits at rest, and the motion in which it is needed: limits by a fixed point."""
        Q, rows = self.needed(t, q), self.rows(q)
        across, y, limits, before = np.array([-Q[1], Q[0]]), np.array([q, 0, 0]), self.holds, 0.0
        for _ in range(200):

            def slope(k, limits=limits):
                ways = [B @ (Q + k * across) for B in rows]
                return sum(F * w @ B @ across / np.linalg.norm(w) for F, w, B in zip(limits, ways, rows, strict=True))

            c = Q + brentq(slope, -50, 50, xtol=1e-15, rtol=1e-15) * across
            ways = [B @ c / np.linalg.norm(B @ c) for B in rows]
            part = Q @ c / sum(F * np.linalg.norm(B @ c) for F, B in zip(limits, rows, strict=True))
            p = -part * limits
            p[0] = -(Q[0] + sum(p[k] * ways[k] @ rows[k] for k in (1, 2))[0]) / ways[0][0]  # at rest: what is left
            _, forces = self.loads(t, y, ways, p)
            limits = self.holds * [np.linalg.norm(f) for f in forces]
            if abs(part - before) < 1e-15:
                break
            before = part
        return part, c

    def _sliding(self, t, y, way, sizes):
        w = [np.array([way]), *(B @ y[1:3] for B in self.rows(y[0])[1:])]
        ways = [w[0], *(each / (np.linalg.norm(each) or 1.0) for each in w[1:])]
        return *self.solved(t, y, ways, sizes), ways, w

    def rates(self, t, y, way):
        p, a, _, w = self._sliding(t, y, way, self.slides)
        heat = -sum(p[k] * np.linalg.norm(w[k]) for k in (1, 2)) - p[0] * way * y[1]
        return np.array([y[1], *a, heat]), p[0]

    def spare(self, t, y):
        p, _, ways, _ = self._sliding(t, y, 0.0, self.slides)
        _, (bearing, *_) = self.loads(t, y, [np.ones(1), *ways[1:]], p)
        return self.holds[0] * np.linalg.norm(bearing) - abs(p[0])


@cache
def expected(case):
    limits, push, twist = CASES[case]
    law = UnderLoad(limits, lambda t: push[0] + push[1] * np.sin(4 * t), lambda t: twist[0] + twist[1] * np.sin(3 * t))
    return law.run(END)


@cache
def under_load(cut="b"):
    """The linkage with coefficients; its parameters are also gravity and a preload of the crank's bearing."""
    laws = {
        name: {"coefficient": f"{name}_slides", "static": f"{name}_sticks", "radius": RADII[name]} for name in NAMES
    }
    laws["crank"]["preload"] = "preload"
    model = rod(laws | {"crank": {"effort": 1.0}}, cut)
    crank = model.joints["crank"].replace(friction=laws["crank"])
    parameters = {**model.parameters, "g": G, "preload": 0.0}
    return model.replace(joints={**model.joints, "crank": crank}, parameters=parameters, gravity=[0, "-g", 0])


@pytest.mark.parametrize("cut", ["a", "b"])
@pytest.mark.parametrize("case", CASES)
def test_a_rod_between_loaded_balls_sticks_slides_and_comes_to_rest(case, cut):
    run = cardan.simulate(under_load(cut), parameters=values(*CASES[case]), until=END, method="dop853", **RUN)
    assert run.ok, run.message
    assert run.report.relative_energy_error < 1e-9  # what friction takes is what the balance misses
    happened, q, (v, _), heat = expected(case)
    due = told(happened)
    assert [(event.name, event.did) for event in run.events] == [(name, did) for _, name, did in due]
    np.testing.assert_allclose([event.t for event in run.events], [t for t, *_ in due], rtol=0, atol=1e-8)
    assert run.array("crank.q")[-1] == pytest.approx(q, abs=1e-6)  # directions of slow balls are open by 0.1 rad
    assert run.array("crank.v")[-1] == pytest.approx(v, abs=1e-6)
    assert sum(run.array(f"{name}.heat")[-1] for name in NAMES) == pytest.approx(heat, rel=1e-7)
    assert run["a.friction"].unique == "no"


def test_balls_without_loads_hold_nothing():
    """Without weight the preloaded crank balances its torque; the least torque about its axis spins the rod."""
    weightless = values(EVEN, (0.1, 0), (0, 0)) | {"g": 0.0, "preload": 10.0}
    held, spun = (
        cardan.simulate(under_load(), parameters=weightless | {"twist": twist}, until=0.1, method="dop853", **RUN)
        for twist in (0.0, 1e-6)
    )
    assert held.ok, held.message
    assert not held.events
    assert held.array("crank.friction")[-1] == pytest.approx(-0.1, rel=1e-12)
    assert spun.ok, spun.message
    assert {"a", "b"} <= {event.name for event in spun.events if event.t == 0}


@pytest.mark.parametrize(("start", "push"), [({"crank": 0}, "2*t"), ({"crank": 0.5, "crank.v": 8.0}, "0")])
def test_a_loaded_sleeve_that_nothing_turns_is_a_guide(start, push):
    """It starts at its dead centre, where it holds nothing, or passes it without an event."""
    runs = []
    for kind, radius in (("prismatic", {}), ("cylindrical", {"radius": 0.02})):
        model = with_sleeve(kind, start, push)
        slide = model.joints["slide"].replace(friction={"coefficient": 0.3, "static": 0.35, **radius})
        model = model.replace(joints={**model.joints, "slide": slide})
        runs.append(cardan.simulate(model, until=2.0, method="dop853", **RUN))
    guide, sleeve = runs
    assert sleeve.ok, sleeve.message
    assert sleeve.report.relative_energy_error < 1e-9
    due = [event for event in guide.events if event.did != "reverses"]
    assert [event.name for event in sleeve.events] == [event.name for event in due]
    np.testing.assert_allclose([each.t for each in sleeve.events], [each.t for each in due], rtol=0, atol=1e-9)
    for name in ("crank.q", "crank.v", "slide.heat"):
        assert sleeve.array(name)[-1] == pytest.approx(guide.array(name)[-1], abs=1e-7)


def at_rest(sets, balls):
    """Joints of two freedoms at rest under loads, as a function of their velocities B per velocity of the freedoms, the
    force q, contact forces c + C φ and coefficients: efforts, the part of the limits, velocities as they begin to move,
    and the least determinant.
    """
    pins = [k for each in sets for k in each]
    n, heads = len(pins) + 4 * balls, [len(pins) + 4 * k for k in range(balls)]
    group = JointGroup(sets, 2, tuple((k, (k + 1, k + 2, k + 3)) for k in heads), tuple(heads))
    joints = [*pins, *heads]
    B, q, mu = ca.SX.sym("B", n, 2), ca.SX.sym("q", 2), ca.SX.sym("mu", len(joints))
    c, C = ca.SX.sym("c", 3, len(joints)), ca.SX.sym("C", 3 * len(joints), n)
    M = ca.DM([[2.0, 0.5], [0.5, 0.3]])  # masses of the freedoms
    stuck = [Stuck(k, slip_of_velocity(n, k), ca.SX(k in heads), ()) for k in range(n)]

    def contacts(a, lam, efforts):
        phi = ca.vertcat(*(efforts[k] for k in range(n)))
        return {k: [c[:, i] + C[3 * i : 3 * i + 3, :] @ phi] for i, k in enumerate(joints)}

    rubs = {k: Rub(lambda a: ca.SX(0), 0, mu[i], 0, mu[i], 0, slip_of_velocity(n, k)) for i, k in enumerate(joints)}
    shared = SharedLimits(group, {k: (ca.SX(0), ca.SX(1)) for k in joints})
    a = B @ ca.solve(M, ca.horzcat(q, B.T))
    found = with_friction(a, ca.SX(0, 1 + n), stuck, Rubbing(rubs, contacts), [shared])
    begins = ca.vertcat(*(found.begins[k] for k in group.motions))
    least = ca.mmin(ca.vertcat(*found.slopes.values()))
    places = [[k] for k in pins] + [[k + 1, k + 2, k + 3] for k in heads]
    efforts = ca.vertcat(*(found.phi[k] for k in range(n)))
    return ca.Function("rest", [B, q, c, C, mu], [efforts, found.parts[heads[0]], begins, least]), places


@pytest.mark.parametrize(
    ("sets", "balls"), [((), 2), (((0,),), 2), (((0,), (1,)), 1), (((0, 1), (2,)), 2), (((0,), (1,), (2,)), 3)]
)
def test_the_part_of_the_limits_is_the_least_one_under_the_loads(sets, balls):
    """Of random joints: efforts in balance need no more than this part of the limits that they cause, and by the power
    in the motion that decides no efforts need less. A tenth of the joints hardly moves in one direction.
    """
    random, (rest, places) = np.random.default_rng(3), at_rest(sets, balls)
    n, joints, found = rest.size1_in(0), len(places), 0
    for _ in range(40):
        B, q, mu = random.normal(size=(n, 2)), random.normal(size=2), random.uniform(0.1, 0.9, joints)
        for each in sets:
            B[list(each)] = random.normal(size=(len(each), 1)) * random.normal(size=2)
        if random.random() < 0.1:
            B[places[-1], 1] = random.normal() * B[places[-1], 0] + 1e-2 * random.normal(size=3)
        c = random.normal(size=(3, joints)) * 10 ** random.uniform(-1, 1, joints)
        C = 0.2 * random.normal(size=(3 * joints, n))
        phi, part, begins, least = (np.array(each).squeeze() for each in rest(B, q, c, C, mu))
        if part > 1:  # friction cannot hold this
            continue
        found += 1
        own = [k for each in places for k in each]
        np.testing.assert_allclose(B[own].T @ phi[own], -q, rtol=0, atol=1e-11)
        F = [mu[i] * np.linalg.norm(c[:, i] + C[3 * i : 3 * i + 3] @ phi) for i in range(joints)]
        used = max(np.linalg.norm(phi[k]) / f for k, f in zip(places, F, strict=True))
        way = np.linalg.lstsq(B[own], begins, rcond=None)[0]
        assert used == pytest.approx(part, abs=1e-9)
        takes = sum(f * np.linalg.norm(B[k] @ way) for k, f in zip(places, F, strict=True))
        assert q @ way / takes == pytest.approx(part, abs=1e-9)  # of eight steps
        assert least > 0
    assert found > 15
