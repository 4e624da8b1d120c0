"""The parallel manipulator 3-RRRT: driving moments by virtual work, reactions by Newton and Euler for each free body.

Independent of Cardan's kinematics: the angles of a chain follow in closed form from the platform's position, and
Lagrange's equations over the platform's coordinates give the moments.
"""

import casadi as ca
import numpy as np
import pytest

import cardan

L, M = (0.4, 0.1, 0.8), (1.0, 0.25, 2.0)
R, r, PLATFORM, G = 0.4, 0.1, 1.5, 9.81
CHAINS = {"A": 0.0, "B": 2 * np.pi / 3, "C": 4 * np.pi / 3}
EXACT = 1e-9  # relative: two derivations in doubles, round-off amplified by the loops' solution


def chain(x, gamma):
    """θ1, θ2, θ3 of a chain with its elbow outward, and the positions of its joints, for the platform at x."""
    e_r, z = ca.DM([np.cos(gamma), np.sin(gamma), 0]), ca.DM([0, 0, 1])
    k = ca.cross(e_r, z)
    d = x + (r - R) * e_r
    u, w, across = ca.dot(d, e_r), ca.dot(d, z), ca.dot(d, k)
    s3 = across / L[2]
    far = L[1] + L[2] * ca.sqrt(1 - s3**2)  # bodies 2 and 3 in the plane of the chain
    reach = ca.sqrt(u**2 + w**2)
    inner = ca.acos((L[0] ** 2 + reach**2 - far**2) / (2 * L[0] * reach))
    theta1 = ca.atan2(w, u) - inner
    theta12 = ca.atan2(w - L[0] * ca.sin(theta1), u - L[0] * ca.cos(theta1))

    def along(angle):
        return ca.cos(angle) * e_r + ca.sin(angle) * z

    base = R * e_r
    knee = base + L[0] * along(theta1)
    wrist = knee + L[1] * along(theta12)
    return theta1, theta12, ca.asin(s3), (base, knee, wrist, x + r * e_r)


def driving_moments():
    """Function (x, ẋ, ẍ) → moments of A1, B1, C1."""
    x, v, a = (ca.SX.sym(name, 3) for name in "xva")
    angles, T, V = [], PLATFORM * ca.sumsqr(v) / 2, PLATFORM * G * x[2]
    for gamma in CHAINS.values():
        theta1, theta12, theta3, points = chain(x, gamma)
        angles.append(theta1)
        e_r, z = ca.DM([np.cos(gamma), np.sin(gamma), 0]), ca.DM([0, 0, 1])
        k, n = ca.cross(e_r, z), ca.cos(theta12) * e_r + ca.sin(theta12) * z
        w1, w2, w3 = (ca.jtimes(angle, x, v) for angle in (theta1, theta12, theta3))
        spins = (k * w1, k * w2, k * w2 + ca.cross(n, k) * w3)
        for m, length, start, end, spin in zip(M, L, points, points[1:], spins, strict=False):
            centre = (start + end) / 2
            # the inertia is the same about all axes of the body
            T += m * ca.sumsqr(ca.jtimes(centre, x, v)) / 2 + m * length**2 / 12 * ca.sumsqr(spin) / 2
            V += m * G * centre[2]
    momentum = ca.gradient(T, v)
    force = ca.jtimes(momentum, ca.vertcat(x, v), ca.vertcat(v, a)) - ca.gradient(T - V, x)
    J = ca.jacobian(ca.vertcat(*angles), x)
    return ca.Function("moments", [x, v, a], [ca.solve(J.T, force), ca.vertcat(*angles)])


def moments_along(loads):
    """Moments (N, 3) and angles of the driven joints for the platform's motion in the results."""
    rows = zip(*(loads.array(f"platform.{what}") for what in ("position", "velocity", "acceleration")), strict=True)
    found = [[np.array(part).ravel() for part in MOMENTS(*row)] for row in rows]
    return np.array([one[0] for one in found]), np.array([one[1] for one in found])


MOMENTS = driving_moments()


@pytest.fixture(scope="module")
def loads():
    return cardan.kinetostatics(cardan.load("parallel_3rrrt"), np.linspace(0, 4, 121))


def test_the_platform_follows_its_circle_and_does_not_turn(loads):
    assert loads.ok
    t = loads.t
    circle = np.transpose([0.05 * np.cos(np.pi * t / 2), 0.05 * np.sin(np.pi * t / 2), np.full(t.size, 0.8)])
    assert loads.array("platform.position") == pytest.approx(circle, abs=1e-12)
    assert loads.array("platform.orientation") == pytest.approx(np.tile([1, 0, 0, 0], (t.size, 1)), abs=1e-10)


def test_the_driving_moments_do_the_virtual_work(loads):
    moments, angles = moments_along(loads)
    for k, name in enumerate(CHAINS):
        assert loads.array(f"{name}1.q") == pytest.approx(angles[:, k], abs=1e-10)
        assert loads.array(f"{name}1.effort") == pytest.approx(moments[:, k], rel=EXACT)


def test_the_three_moments_are_one_curve_shifted_by_thirds_of_the_period(loads):
    A, B, C = (loads.array(f"{name}1.effort") for name in CHAINS)
    assert B[40:] == pytest.approx(A[:-40], rel=EXACT)
    assert C[80:] == pytest.approx(A[:-80], rel=EXACT)


@pytest.mark.exhaustive
def test_random_motions_of_the_platform_take_the_moments_of_virtual_work():
    rng, model = np.random.default_rng(3), cardan.load("parallel_3rrrt")
    for _ in range(3):
        c, w = rng.uniform(-0.06, 0.06, (3, 2)), rng.uniform(1, 4, (3, 2))
        value = [f"{c[i, 0]!r}*sin({w[i, 0]!r}*t) + {c[i, 1]!r}*cos({w[i, 1]!r}*t)" for i in range(3)]
        value[2] = f"0.8 + {value[2]}"
        value = [text.replace("np.float64(", "").replace(")*", "*").replace("+ -", "- ") for text in value]
        motion = {"platform.position": {"value": value, "by": ["A1", "B1", "C1"]}}
        loads = cardan.kinetostatics(model, np.linspace(0, 3, 31), motions=motion)
        assert loads.ok, loads.message
        moments, _ = moments_along(loads)
        for k, name in enumerate(CHAINS):
            assert loads.array(f"{name}1.effort") == pytest.approx(moments[:, k], rel=EXACT, abs=1e-9)


def test_the_wrenches_of_the_joints_balance_every_body(loads):
    def wrench(joint):
        return loads.array(f"{joint}.reaction_force"), loads.array(f"{joint}.reaction_moment")

    def joint_at(joint):
        """Where the wrench of a joint acts: the origin of its child marker."""
        body = "platform" if joint.endswith("4") else f"{joint[0].lower()}{joint[1]}"
        place = f"platform.{joint[0]}" if joint.endswith("4") else body
        return loads.array(f"{place}.position")

    weight = np.array([0, 0, -G])
    for name in CHAINS:
        for k in (1, 2, 3):
            body, m, length = f"{name.lower()}{k}", M[k - 1], L[k - 1]
            start, end = loads.array(f"{body}.position"), loads.array(f"{body}.end.position")
            centre = (start + end) / 2
            a = (loads.array(f"{body}.acceleration") + loads.array(f"{body}.end.acceleration")) / 2
            (f, n), (f_next, n_next) = wrench(f"{name}{k}"), wrench(f"{name}{k + 1}")
            assert f - f_next + m * weight == pytest.approx(m * a, abs=1e-8)
            spin = loads.array(f"{body}.angular_acceleration") * m * length**2 / 12
            moment = n + np.cross(joint_at(f"{name}{k}") - centre, f)
            moment -= n_next + np.cross(joint_at(f"{name}{k + 1}") - centre, f_next)
            assert moment == pytest.approx(spin, abs=1e-8)  # forces of some 10 N, round-off of the loops' solution
    (f, n), p = zip(*(wrench(f"{name}4") for name in CHAINS), strict=True), loads.array("platform.position")
    assert sum(f) + PLATFORM * weight == pytest.approx(PLATFORM * loads.array("platform.acceleration"), abs=1e-8)
    turning = sum(n) + sum(np.cross(joint_at(f"{name}4") - p, force) for name, force in zip(CHAINS, f, strict=True))
    assert turning == pytest.approx(np.zeros_like(p), abs=1e-8)
    for name in CHAINS:
        for k in (1, 2, 3, 4):
            for part in ("reaction_force", "reaction_moment"):
                assert set(loads.channels[f"{name}{k}.{part}"].unique) == {"yes"}


def test_mobility_counts_freedoms_with_and_without_motions():
    found = cardan.mobility(cardan.load("parallel_3rrrt"))
    assert (found.degrees_of_freedom, found.grubler, found.remaining) == (3, 3, 0)
    assert not found.redundant
    assert cardan.mobility(cardan.load("four_bar")).remaining == 1
