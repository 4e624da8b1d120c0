"""Friction that slides beside drives which keep a program: rods in a chain, on the ground or on a trolley.

Written by hand in the position of the trolley and the angles of the rods from the vertical. The drives keep J v̇ = γ by
efforts τ = T μ + fixed, with the matrix T of the rule by which they share it. Accelerations and efforts are compared at
the instants of a run: 1e-8 of values of order 1 to 100, with sliding that `regularize` changes by less than round-off.
"""

from dataclasses import dataclass

import numpy as np
import pytest

import cardan

G = 9.81
TROLLEY = 3.0
MASSES, LENGTHS, CENTRES, INERTIAS = (2.0, 1.5, 0.8), (0.5, 0.4, 0.3), (0.3, 0.15, 0.1), (0.05, 0.03, 0.01)
RADIUS = 0.02


def model(rods, friction, *, drag=None, stiffness=4.0, coefficient=False, still=False, **more):
    """The chain as a model; `friction` are laws by the number of the pin, `drag` the law of the trolley's rail."""
    bodies, joints = {"trolley": {"mass": TROLLEY}}, {}
    rail = {"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x"}
    joints["rail"] = rail | ({"friction": drag} if drag else {})
    if still:
        bodies, joints = {}, {}
    for i in range(rods):
        bodies[f"rod{i + 1}"] = {
            "mass": MASSES[i],
            "com": [0, 0, -CENTRES[i]],
            "inertia": [INERTIAS[i]] * 3,
            "markers": {"end": {"position": [0, 0, -LENGTHS[i]]}, "mark": {"position": [0, 0, -0.2]}},
        }
        parent = f"rod{i}.end" if i else "ground" if still else "trolley"
        joints[f"pin{i + 1}"] = {
            "type": "revolute",
            "parent": parent,
            "child": f"rod{i + 1}",
            "axis": [0, -1, 0],
            "stiffness": stiffness,
        } | ({"friction": friction[i]} if friction.get(i) else {})
    return cardan.Model(planar="xz", gravity=[0, 0, -G], bodies=bodies, joints=joints, **more)


@dataclass
class Chain:
    """The same by hand; velocities are those of the trolley, then of the angles from the vertical."""

    rods: int
    sliding: tuple[float, ...]  # friction moments of the pins, or coefficients times their radius
    rows: object  # (t, q, v) → J (k, n), γ (k,)
    drives: np.ndarray  # (n, d) efforts of the drives
    rule: object = None  # (t, J, D) → T (d, k) and the fixed efforts (d,), with D = J M⁻¹ B; the least ones by default
    limits: tuple[float, ...] | None = None  # largest efforts of the drives, of which one may be at its limit
    follows: bool = False  # whether friction follows the load
    stiffness: float = 4.0
    still: bool = False  # whether the first pin stands on the ground

    def matrices(self, q, v):
        """M (n, n) and the efforts of weight, springs and centrifugal forces (n,)."""
        n, a, w = self.rods, q[1:], v[1:]
        M, Q = np.zeros((n + 1, n + 1)), np.zeros(n + 1)
        M[0, 0] = TROLLEY
        for i in range(n):
            arms = np.array([*LENGTHS[:i], CENTRES[i]])
            J = np.zeros((2, n + 1))
            J[0, 0] = 1
            J[0, 1 : i + 2], J[1, 1 : i + 2] = arms * np.cos(a[: i + 1]), arms * np.sin(a[: i + 1])
            bias = np.array(
                [-(arms * np.sin(a[: i + 1])) @ w[: i + 1] ** 2, (arms * np.cos(a[: i + 1])) @ w[: i + 1] ** 2]
            )
            M += MASSES[i] * J.T @ J
            M[i + 1, i + 1] += INERTIAS[i]
            Q -= MASSES[i] * J.T @ (bias + np.array([0, G]))
        Q -= self.pins.T @ (self.stiffness * (self.pins @ q))
        if self.still:
            M[0, :], M[:, 0], M[0, 0], Q[0] = 0, 0, 1, 0
        return M, Q

    @property
    def pins(self):
        """Velocities of the pins per velocity (rods, n)."""
        P = np.zeros((self.rods, self.rods + 1))
        for i in range(self.rods):
            P[i, i + 1] = 1
            if i:
                P[i, i] = -1
        return P

    def loads(self, q, v, a):
        """Sizes of the forces in the pins (rods,)."""
        n, out, f = self.rods, np.zeros(self.rods), np.zeros(2)
        for i in reversed(range(n)):
            arms, angles, w = np.array([*LENGTHS[:i], CENTRES[i]]), q[1 : i + 2], v[1 : i + 2]
            ax = a[0] + (arms * np.cos(angles)) @ a[1 : i + 2] - (arms * np.sin(angles)) @ w**2
            az = (arms * np.sin(angles)) @ a[1 : i + 2] + (arms * np.cos(angles)) @ w**2
            f = f + MASSES[i] * np.array([ax, az + G])
            out[i] = np.linalg.norm(f)
        return out

    def solve(self, t, q, v, ways):
        """v̇, efforts of the drives and moments of friction, with the ways of the pins."""
        M, Q = self.matrices(q, v)
        J, gamma = self.rows(t, q, v)
        D = J @ np.linalg.inv(M) @ self.drives
        T, fixed = (D.T, np.zeros(D.shape[1])) if self.rule is None else self.rule(t, J, D)
        found = self._solve(q, v, ways, (M, Q, J, gamma), T, fixed)
        if self.limits is not None and (np.abs(found[1]) > self.limits).any():
            k = int(np.argmax(np.abs(found[1]) / self.limits))
            fixed[k], T = np.sign(found[1][k]) * self.limits[k], T.copy()
            T[k] = 0
            found = self._solve(q, v, ways, (M, Q, J, gamma), T, fixed)
        return found

    def _solve(self, q, v, ways, equations, T, fixed):
        M, Q, J, gamma = equations
        (k, n), load = J.shape, self.loads(q, v, np.linalg.solve(M, Q))
        A = np.block([[M, -self.drives @ T], [J, np.zeros((k, k))]])
        for _ in range(200 if self.follows else 1):
            friction = -np.array(ways) * self.sliding * (load if self.follows else 1)
            x = np.linalg.solve(A, np.concatenate([Q + self.drives @ fixed + self.pins.T @ friction, gamma]))
            a, tau = x[:n], fixed + T @ x[n:]
            before, load = load, self.loads(q, v, a)
            if np.abs(load - before).max() < 1e-13 * load.max():
                break
        return a, tau, friction


FINE = {"rtol": 1e-11, "atol": 1e-12}
ANGLES = np.array([0.5, 1.1])
HEIGHT = -LENGTHS[0] * np.cos(ANGLES[0]) - LENGTHS[1] * np.cos(ANGLES[1])
SPEED = (0.5 - LENGTHS[0] * np.sin(ANGLES[0]) * 0.2) / (LENGTHS[1] * np.sin(ANGLES[1]))
MOTORS = np.array([[0, 0], [1, -1], [0, 1], [0, 0]], float)  # between ground and first rod, first and second one
TURNS = np.array([[0, 0], [1, 0], [1, 1], [1, 1]], float)  # angles of the rods per angle of the first two pins


def arm(friction, **more):
    """Two driven links keep the height of their end, a third one hangs there and swings."""
    expression = f"rod2.end.z - ({float(HEIGHT)!r}) - 0.1*sin(5*t)"
    program = {"type": "program", "expression": expression, "by": ["pin1", "pin2"], **more}
    initial = {"pin1": 0.5, "pin2": 0.6, "pin3": 0, "pin1.v": 0.2, "pin2.v": float(SPEED - 0.2), "pin3.v": -4.0}
    return model(3, friction, still=True, constraints={"line": program}, initial=initial)


def on_height(t, q, v):
    """The relation of the arm."""
    sines, cosines = LENGTHS[:2] * np.sin(q[1:3]), LENGTHS[:2] * np.cos(q[1:3])
    return np.array([[0, *sines, 0]]), np.array([-2.5 * np.sin(5 * t) - cosines @ v[1:3] ** 2])


def fixed(*parts):
    """A rule with efforts in these proportions."""
    return lambda t, J, D: (np.array(parts)[:, None], np.zeros(2))


RULES = {
    "minimum_norm": ({}, {}),
    "weights": ({"weights": {"pin1": 4}}, {"rule": lambda t, J, D: (np.diag([0.25, 1]) @ D.T, np.zeros(2))}),
    "zero": ({"zero": ["pin1"]}, {"rule": fixed(0.0, 1.0)}),
    "given": (
        {"given": {"pin1": "2*sin(3*t)"}},
        {"rule": lambda t, J, D: (np.array([[0.0], [1.0]]), np.array([2 * np.sin(3 * t), 0]))},
    ),
    "share": ({"share": {"pin1": 0.7, "pin2": 0.3}}, {"rule": fixed(0.7, 0.3)}),
    "ideal": ("ideal", {"rule": lambda t, J, D: ((J @ TURNS).T, np.zeros(2))}),
    "limits": ({"limits": {"pin2": "6 N*m"}}, {"limits": np.array([np.inf, 6.0])}),
}
SMOOTH = {"regularize": 1e-3}  # the wrist turns a hundred times as fast
LAWS = {
    "given": ({"effort": "0.6 N*m", **SMOOTH}, {"sliding": (0, 0, 0.6)}),
    "load": ({"coefficient": 0.3, "radius": RADIUS, **SMOOTH}, {"sliding": (0, 0, 0.3 * RADIUS), "follows": True}),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rule", RULES)
def test_a_wrist_rubs_while_two_motors_share_a_program(rule, law):
    (realize, by_hand), (friction, sliding) = RULES[rule], LAWS[law]
    chain = Chain(3, **sliding, rows=on_height, drives=MOTORS, still=True, **by_hand)
    mechanism = arm({2: friction}, **({"realize": realize} if realize else {}))
    run = cardan.simulate(mechanism, times=[0.0, 0.05], **FINE)
    assert run.ok, run.message
    assert run.report.energy_error < 1e-8 * run.report.energy_scale  # with the work of the drives

    def found(word, k):
        return np.array([run[f"pin{i}.{word}"].values[k] for i in (1, 2, 3)])

    reached = []
    for k, t in enumerate(run.t):
        q, v = ([0.0, *np.cumsum(found(word, k))] for word in "qv")
        way = np.sign(found("v", k)[2])
        a, tau, moments = chain.solve(t, np.array(q), np.array(v), [1, 1, way])
        np.testing.assert_allclose(np.cumsum(found("a", k)), a[1:], rtol=0, atol=1e-7)
        np.testing.assert_allclose(found("effort", k)[:2], tau, rtol=1e-8, atol=1e-8)
        assert run["pin3.friction"].values[k] == pytest.approx(moments[2], rel=1e-9)
        reached.append(abs(tau[1]))
    if rule == "limits":
        assert max(reached) == pytest.approx(6)


def test_friction_of_the_rail_is_what_its_drive_adds():
    """The motion is that without friction in the rail, whose drive adds it against the velocity; under a load, too."""
    path = {"path": {"type": "program", "expression": "rod1.mark.x - 0.2*sin(6*t)", "by": ["rail"]}}
    initial = {"pin1.v": 0, "pin1": 0.1, "rail.v": 1.2, "rail": -0.2 * np.sin(0.1)}
    smooth, rough, loaded = (
        model(1, {}, drag=drag, constraints=path, initial=initial)
        for drag in (None, {"effort": "5 N", "prescribed": True}, {"coefficient": 0.2, "prescribed": True})
    )
    times = np.linspace(0, 1.5, 16)
    one, other, third = (cardan.simulate(each, times=times, **FINE) for each in (smooth, rough, loaded))
    for run in (other, third):
        assert run["pin1.q"].values == pytest.approx(one["pin1.q"].values, abs=1e-8)
        assert run.report.energy_error < 1e-8 * run.report.energy_scale
    added = other["rail.effort"].values - one["rail.effort"].values
    assert added == pytest.approx(5 * np.sign(one["rail.v"].values), abs=1e-6)
    sticking = model(1, {}, drag={"effort": "5 N"}, constraints=path, initial=initial)
    with pytest.raises(
        cardan.ModelError, match=r"'rail' drives a motion, so that its drive and its friction .*\n.*the drive adds what"
    ):
        cardan.simulate(sticking, until=0.1)
