"""Machines against closed forms: quick return and scissor lift of the gallery, the Stewart platform of the examples.

Positions follow from trigonometry. With one freedom the power of the drive is the rate of the energy less the power of
the load; of the Stewart platform the principle of virtual work gives the forces of its legs.
"""

from pathlib import Path

import casadi as ca
import numpy as np

import cardan

G = 9.81


def drive_effort(energy, load, rate, t, at):
    """The effort of the drive at the instants `at`, from dE/dt = effort · rate + load; all expressions of t."""
    return np.array(ca.Function("effort", [t], [(ca.gradient(energy, t) - load) / rate])(at[None])).ravel()


def velocity(x, t):
    return ca.jtimes(x, t, ca.SX(1))


# --- quick return ---------------------------------------------------------------------------------------------------
D, R, LEVER, LINK, H, OMEGA = 0.3, 0.12, 0.6, 0.25, 0.56, 2 * np.pi


def test_the_quick_return_cuts_slowly_between_the_positions_of_the_textbook():
    beta = np.arcsin(R / D)  # of the lever in its extreme positions, where it is at right angles to the crank
    ends = np.array([np.pi + beta, 2 * np.pi - beta]) / OMEGA
    run = cardan.kinetostatics(cardan.load("quick_return"), ends)
    # the lever turns back there: no velocity, up to the round-off of one projected velocity
    np.testing.assert_allclose(run["ram.v"], 0, atol=1e-12)
    np.testing.assert_allclose(np.cos(run["pivot.q"]), [-R / D, R / D], rtol=1e-12)
    x = [s * LEVER * R / D - np.sqrt(LINK**2 - (H - LEVER * np.cos(beta)) ** 2) for s in (-1, 1)]
    np.testing.assert_allclose(run["ram.q"], x, rtol=1e-12)
    # time ratio of cut and return
    np.testing.assert_allclose((1 - np.diff(ends)) / np.diff(ends), (np.pi + 2 * beta) / (np.pi - 2 * beta))


def test_the_quick_return_takes_the_torque_of_its_power_balance():
    t = ca.SX.sym("t")
    pin = ca.vertcat(R * ca.cos(OMEGA * t), D + R * ca.sin(OMEGA * t))
    angle = ca.atan2(pin[1], pin[0])  # between 0 and π
    end = LEVER * ca.vertcat(ca.cos(angle), ca.sin(angle))
    x = end[0] - ca.sqrt(LINK**2 - (H - end[1]) ** 2)
    link = ca.atan2(end[1] - H, end[0] - x)
    middle = (end + ca.vertcat(x, H)) / 2
    v = velocity(x, t)
    kinetic = (
        1.5 * ca.sumsqr(velocity(pin, t))
        + (12 * LEVER**2 / 3 + 1e-3) * velocity(angle, t) ** 2
        + 3 * ca.sumsqr(velocity(middle, t))
        + 3 * LINK**2 / 12 * velocity(link, t) ** 2
        + 60 * v**2
    ) / 2
    potential = G * (1.5 * pin[1] + 12 * end[1] / 2 + 3 * middle[1])
    load = 2000 * (1 - ca.tanh(v / 0.02)) / 2 * v
    times = np.linspace(0, 1, 101)
    run = cardan.kinetostatics(cardan.load("quick_return"), times)
    effort = drive_effort(kinetic + potential, load, OMEGA, t, times)
    np.testing.assert_allclose(run["crank.effort"], effort, rtol=1e-9, atol=1e-9 * np.max(np.abs(effort)))
    np.testing.assert_allclose(run["ram.q"], np.array(ca.Function("x", [t], [x])(times[None])).ravel(), rtol=1e-10)


# --- scissor lift ---------------------------------------------------------------------------------------------------
BAR, M, FOOT, TABLE = 1.6, 25.0, 8.0, 560.0


def test_the_scissor_lift_holds_its_load_by_virtual_work():
    run = cardan.kinetostatics(cardan.load("scissor_lift"), [0.0, 6.0])  # at rest at both ends
    angle = run["hinge.q"].values
    np.testing.assert_allclose(np.cos(angle), [1.5 / BAR, 0.9 / BAR], rtol=1e-12)
    np.testing.assert_allclose(run["height"], 2 * BAR * np.sin(angle), rtol=1e-12)
    np.testing.assert_allclose(run["drive.effort"], -(2 * TABLE + 4 * M) * G / np.tan(angle), rtol=1e-10)


def test_the_scissor_lift_takes_the_force_of_its_power_balance():
    t = ca.SX.sym("t")
    s = t / 6
    x = 1.5 - 0.6 * (10 * s**3 - 15 * s**4 + 6 * s**5)
    angle = ca.acos(x / BAR)
    z, w = BAR * ca.sin(angle), velocity(angle, t)
    bars = [ca.vertcat(x / 2, k * z / 2) for k in (1, 1, 3, 3)]
    kinetic = (
        sum(M * ca.sumsqr(velocity(bar, t)) + M * BAR**2 / 12 * w**2 for bar in bars)
        + FOOT * velocity(x, t) ** 2
        + TABLE * velocity(2 * z, t) ** 2
    ) / 2
    potential = G * (sum(M * bar[1] for bar in bars) + TABLE * 2 * z)
    times = np.linspace(0.1, 5.9, 59)  # it moves there
    run = cardan.kinetostatics(cardan.load("scissor_lift"), times)
    effort = drive_effort(kinetic + potential, 0, velocity(x, t), t, times)
    np.testing.assert_allclose(run["drive.effort"], effort, rtol=1e-8)


def test_the_scissor_lift_in_space_has_bars_that_are_held_more_than_once():
    found = cardan.mobility(cardan.load("scissor_lift").replace(planar=None, motions={}))
    # two crossings and the roller: each crossing has three equations out of the plane, the roller one
    assert (found.degrees_of_freedom, found.grubler, len(found.redundant)) == (1, -6, 7)


# --- Stewart platform -----------------------------------------------------------------------------------------------
BASE, TOP = np.radians([10, 110, 130, 230, 250, 350]), np.radians([50, 70, 170, 190, 290, 310])


def test_the_stewart_platform_takes_the_forces_of_virtual_work():
    times = np.linspace(0, 1, 11)
    run = cardan.kinetostatics(cardan.load(Path(__file__).parents[2] / "examples" / "stewart_platform.yaml"), times)
    lengths, forces = legs()
    slides = [f"leg{k}_slide" for k in range(1, 7)]
    for k, at in enumerate(times):
        np.testing.assert_allclose([run[f"{slide}.q"][k] for slide in slides], lengths(at).full().ravel(), rtol=1e-10)
        wanted = forces(at).full().ravel()
        found = [run[f"{slide}.effort"][k] for slide in slides]
        np.testing.assert_allclose(found, wanted, atol=1e-8 * np.max(np.abs(wanted)))


def legs():
    """Functions of t: lengths and forces of the legs. A thin rod has the inertia of two points √(1/12) of its length
    from its middle, each of half its mass, so that virtual work is that of points: Σ m (a − g) · δr = Σ f δl.
    """
    t, q = ca.SX.sym("t"), ca.SX.sym("q", 6)  # position, and a small turn (world axes) from the attitude at t
    roll = np.radians(10) * ca.sin(4 * np.pi * t)
    R = ca.vertcat(
        ca.horzcat(1, 0, 0), ca.horzcat(0, ca.cos(roll), -ca.sin(roll)), ca.horzcat(0, ca.sin(roll), ca.cos(roll))
    )
    place = ca.vertcat(0, 0, 1.1 + 0.1 * ca.sin(2 * np.pi * t))
    turned = (ca.SX.eye(3) + ca.skew(q[3:])) @ R
    points, lengths = [], []
    for base, top in zip(BASE, TOP, strict=True):
        b = 0.8 * ca.vertcat(np.cos(base), np.sin(base), 0)
        p = place + q[:3] + turned @ (0.5 * ca.vertcat(np.cos(top), np.sin(top), 0))
        n, length = (p - b) / ca.norm_2(p - b), ca.norm_2(p - b)
        lengths.append(length)
        for offset in 0.4 + 0.8 * np.array([-1, 1]) / np.sqrt(12):
            points += [(2.5, b + offset * n), (1.5, p - offset * n)]
    points.append((60.0, place + q[:3]))
    at_rest = ca.DM.zeros(6, 1)
    work = ca.SX.zeros(6, 1)
    for mass, r in points:
        path = ca.substitute(r, q, at_rest)
        a = velocity(velocity(path, t), t) + ca.vertcat(0, 0, G)
        work += mass * ca.jacobian(r, q).T @ a
    work[3] += 4 * velocity(velocity(roll, t), t)  # the platform turns about x alone
    J = ca.jacobian(ca.vertcat(*lengths), q)
    J, work = (ca.substitute(x, q, at_rest) for x in (J, work))
    lengths = ca.substitute(ca.vertcat(*lengths), q, at_rest)
    return ca.Function("lengths", [t], [lengths]), ca.Function("forces", [t], [ca.solve(J.T, work)])
