"""What a run can be asked for: reactions by Newton's and Euler's laws, efforts, motors, energies, outputs."""

import numpy as np
import pytest

import cardan
from tests.mechanisms import random_model, random_state
from tests.selection import each

STEP = 1e-4  # of the central differences [s]
TIMES = 0.01 + STEP * np.array([-1, 0, 1])
# Differences of second order: STEP² × third derivatives up to 1e3; and the run's 1e-13 over STEP: 1e-5 of the loads
DIFFERENCE = 1e-5


def start(model, seed):
    """Initial values of a random state."""
    q, v = random_state(model, seed)
    names = cardan.compile(model, "none").state_names
    return dict(zip(names, [*q, *v], strict=True))


@each("seed", [0, 4, 7])
def test_reactions_are_what_newton_and_euler_ask_for(seed):
    """m a = Σ F + m g and dL/dt = Σ M about the centre of mass of every body, over all its joints, reversed ones too.

    The reaction of a joint acts from the parent on the child, its moment about the child marker; it is the total, with
    springs, dampers and efforts along the free axes.
    """
    model = random_model(seed, motors=False, forces=False)
    dyn = cardan.compile(model, "none")
    options = {"inputs": dict.fromkeys(dyn.input_names, 0.3), "initial": start(model, seed)}
    run = cardan.simulate(model, times=TIMES, motors="none", rtol=1e-13, atol=1e-13, **options)
    nq = sum(joint.nq for joint in model.joints.values())
    q, v = run.x[:, :nq], run.x[:, nq:]
    poses = dyn.forward_kinematics(q)
    gravity = np.array([float(entry.value) for entry in model.gravity])
    for name, body in model.bodies.items():
        c = run.array(f"{name}.com.position")
        twist = (dyn.jacobian(q, f"{name}.com") @ v[:, :, None])[:, :, 0]
        R = poses[name][:, :3, :3]
        I_C = R @ central_tensor(body) @ R.transpose(0, 2, 1)
        mass = float(body.mass.value)
        force = mass * (twist[2, 3:] - twist[0, 3:]) / (2 * STEP) - mass * gravity
        L = (I_C @ twist[:, :3, None])[:, :, 0]
        moment = (L[2] - L[0]) / (2 * STEP)
        for joint, record in model.joints.items():
            F, M = run.array(f"{joint}.reaction_force")[1], run.array(f"{joint}.reaction_moment")[1]
            arm = run.array(f"{record.child}.position")[1] - c[1]
            for end, sign in ((record.child, 1), (record.parent, -1)):
                if end.partition(".")[0] == name:
                    force, moment = force - sign * F, moment - sign * (M + np.cross(arm, F))
        scale = max(np.abs(run.array(f"{joint}.reaction_moment")).max() for joint in model.joints)
        np.testing.assert_allclose(force, 0, rtol=0, atol=DIFFERENCE * (10 + scale))
        np.testing.assert_allclose(moment, 0, rtol=0, atol=DIFFERENCE * (10 + scale))


def central_tensor(body):
    """Tensor (3, 3) of a body record."""
    xx, yy, zz, xy, xz, yz = (float(entry.value) for entry in body.inertia)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_accelerations_are_rates_of_velocities():
    model = random_model(3)
    run = cardan.simulate(model, times=TIMES, initial=start(model, 3), rtol=1e-13, atol=1e-13)
    for name in (name for name in run.names if name.endswith(".a")):
        slope = np.diff(run.array(f"{name[:-2]}.v")[[0, 2]])[0] / (2 * STEP)
        assert run.array(name)[1] == pytest.approx(slope, abs=DIFFERENCE * 1e3)  # accelerations up to 1e3


@each("motors", ["full", "simplified"])
def test_motor_and_its_joint(motors):
    """τ = Km i on the rotor, and r τ on the joint."""
    run = cardan.simulate(cardan.load("overhead_crane"), times=np.linspace(0, 1, 11), motors=motors)
    current = run.array("drive.current")
    np.testing.assert_allclose(run.array("drive.torque"), current, rtol=1e-15)
    np.testing.assert_allclose(run.array("travel.effort"), 10 / 0.025 * current, rtol=1e-14)
    np.testing.assert_array_equal(run.array("swing.effort"), 0)
    np.testing.assert_array_equal(run.array("drive.voltage"), 10)
    assert "travel.effort" in run.names
    assert run["travel.effort"].attrs["units"] == "N"
    assert run["swing.effort"].attrs["units"] == "N*m"


def test_energies_and_outputs():
    run = cardan.simulate(cardan.load("overhead_crane"), times=np.linspace(0, 1, 11))
    q, v, i = run.x[:, :2], run.x[:, 2:4], run.x[:, 4]
    kinetic, potential = cardan.compile(cardan.load("overhead_crane")).energy(q, v)
    np.testing.assert_allclose(run.array("energy.kinetic"), kinetic, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(run.array("energy.potential"), potential, rtol=1e-13)
    total = kinetic + potential + 0.5 * 1e-3 * i**2
    np.testing.assert_allclose(run.array("energy.total"), total, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run.array("load_x"), q[:, 0] + 0.7 * np.sin(q[:, 1]), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(run.array("load_z"), -0.7 * np.cos(q[:, 1]), rtol=1e-13)
    speed = v[:, 0] + 0.7 * v[:, 1] * np.cos(q[:, 1])
    np.testing.assert_allclose(run.array("load_speed"), speed, rtol=0, atol=1e-14)
    np.testing.assert_allclose(run.array("payload.com.position")[:, 0], run.array("load_x"), rtol=0, atol=1e-15)
