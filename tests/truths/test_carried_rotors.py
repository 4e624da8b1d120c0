"""Motors on bodies that turn: momentum of a satellite with a reaction wheel, and an arm with its rotors as bodies."""

from __future__ import annotations

import numpy as np
import pytest

import cardan
from tests.selection import each

CLOSE = 1e-7  # relative: two runs at rtol 1e-10, whose errors grow by less than a factor 1000 over the time


def dc(joint: str, **changes: object) -> dict[str, object]:
    """A motor with a gear."""
    keys = {"type": "dc", "joint": joint, "resistance": 1, "inductance": "1 mH", "torque_constant": 0.05}
    return keys | {"back_emf_constant": 0.05, "rotor_inertia": 0.01} | changes


@each("r", [1, -3])
def test_a_reaction_wheel_turns_its_satellite(r):
    """(Is + Iw + Im) ψ̇ + (Iw + r Im) φ̇ = 0: nothing turns the two from outside."""
    Is, Iw, Im = 1.0, 0.002, 0.01
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"sat": {"mass": 10, "inertia": [1, 1, Is]}, "wheel": {"mass": 0.1, "inertia": [Iw, Iw, Iw]}},
        joints={
            "yaw": {"type": "revolute", "parent": "ground", "child": "sat", "axis": "z"},
            "spin": {"type": "revolute", "parent": "sat", "child": "wheel", "axis": "z"},
        },
        motors={"m": dc("spin", ratio=r)},
        inputs={"m": 10},
    )
    run = cardan.simulate(model, until=20, rtol=1e-10)
    yaw, spin = run["yaw.v"].values, run["spin.v"].values
    np.testing.assert_allclose((Is + Iw + Im) * yaw, -(Iw + r * Im) * spin, rtol=0, atol=1e-8 * np.ptp(spin))
    assert abs(yaw[-1]) > 0.1
    cardan.verify(model)


def arm(**keys: object) -> cardan.Model:
    """Turret, upper arm and forearm, in which gravity and three voltages act."""
    return cardan.Model(
        bodies={
            "turret": {"mass": 3, "inertia": [0.02, 0.02, 0.03]},
            "upper": {"mass": 2, "com": [0.2, 0, 0], "inertia": [0.002, 0.03, 0.03]},
            "fore": {"mass": 1, "com": [0.1, 0.02, 0], "inertia": [0.001, 0.01, 0.01]},
            **keys.pop("bodies", {}),
        },
        joints={
            "yaw": {"type": "revolute", "parent": "ground", "child": "turret", "axis": "z"},
            "shoulder": {"type": "revolute", "parent": "turret", "child": "upper", "axis": "y", "damping": 0.1},
            "elbow": {
                "type": "revolute",
                "parent": {"body": "upper", "position": [0.4, 0, 0]},
                "child": "fore",
                "axis": [0, 1, 1],
                "damping": 0.1,
            },
            **keys.pop("joints", {}),
        },
        inputs={"m1": 4, "m2": "3*sin(5*t)", "m3": "2*cos(3*t)"},
        initial={"shoulder": 0.5, "elbow": -0.8, "yaw.v": 0.5},
        **keys,
    )


def test_an_arm_is_the_arm_whose_rotors_are_bodies():
    """Each rotor as a body of its moment of inertia Im n nᵀ on the carrier, geared to the joint by an equation."""
    ratios, carriers, ends = (10, 8, -12), ("ground", "turret", "upper"), ("yaw", "shoulder", "elbow")
    axes, Im = ([0, 0, 1], [0, 1, 0], [0, 1, 1]), (4e-3, 3e-3, 2e-3)
    kept = arm(motors={f"m{k + 1}": dc(ends[k], ratio=ratios[k], rotor_inertia=Im[k]) for k in range(3)})
    bodies, joints, gears = {}, {}, {}
    for k, axis in enumerate(axes):
        n = np.array(axis) / np.linalg.norm(axis)
        I = Im[k] * np.outer(n, n)
        bodies[f"rotor{k}"] = {"mass": 0, "inertia": [*np.diag(I), I[0, 1], I[0, 2], I[1, 2]]}
        joints[f"r{k}"] = {"type": "revolute", "parent": carriers[k], "child": f"rotor{k}", "axis": axis}
        gears[f"g{k}"] = {"type": "expression", "expression": f"r{k} - {ratios[k]}*({ends[k]} - {[0, 0.5, -0.8][k]})"}
    motors = {f"m{k + 1}": dc(f"r{k}", rotor_inertia=0) for k in range(3)}
    apart = arm(bodies=bodies, joints=joints, constraints=gears, motors=motors)
    t = np.linspace(0, 1, 11)
    one, other = (cardan.simulate(model, times=t, rtol=1e-10) for model in (kept, apart))
    for name in ("yaw.v", "shoulder.v", "elbow.v", "m2.current", "m3.current", "yaw.reaction_force"):
        scale = np.ptp(other[name].values)
        np.testing.assert_allclose(one[name].values, other[name].values, rtol=0, atol=CLOSE * scale, err_msg=name)
    moments = other["yaw.reaction_moment"].values[:, :2]  # the component z is the effort of the gear, here that of g0
    np.testing.assert_allclose(one["yaw.reaction_moment"].values[:, :2], moments, rtol=0, atol=CLOSE * np.ptp(moments))
    plain = {name: motor.replace(mounted_on="ground") for name, motor in kept.motors.items()}
    paper = cardan.simulate(kept.replace(motors=plain), times=t, rtol=1e-10)
    assert np.abs(paper["elbow.v"].values - one["elbow.v"].values).max() > 1e-2 * np.ptp(one["elbow.v"].values)


def test_a_trolley_feels_the_torque_on_a_stator_that_it_carries():
    """The motion is that of r² Im alone; the rail takes −Im r φ̈, the torque on the stator."""
    keys = {
        "bodies": {"trolley": {"mass": 2}, "disc": {"mass": 1, "inertia": [0.1, 0.2, 0.1]}},
        "joints": {
            "travel": {"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x"},
            "turn": {"type": "revolute", "parent": "trolley", "child": "disc", "axis": "y"},
        },
        "inputs": {"m": 10},
    }
    r, Im = 5, 0.01
    runs = [
        cardan.simulate(cardan.Model(**keys, motors={"m": dc("turn", ratio=r, **on)}), until=1)
        for on in ({}, {"mounted_on": "ground"})
    ]
    own, paper = runs
    np.testing.assert_array_equal(own["turn.v"].values, paper["turn.v"].values)
    moment = own["travel.reaction_moment"].values[:, 1] - paper["travel.reaction_moment"].values[:, 1]
    np.testing.assert_allclose(moment, r * Im * own["turn.a"].values, rtol=1e-9, atol=1e-12)


def test_a_motor_rides_on_the_body_that_it_drives():
    """(I + (r + 1)² Im) φ̈ = r Km U/R at rest: the rotor turns with its stator, too."""
    I, r, Im = 0.1, 5, 0.01
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"disc": {"mass": 1, "inertia": [I, I, I]}},
        joints={"turn": {"type": "revolute", "parent": "ground", "child": "disc", "axis": "z"}},
        motors={"m": dc("turn", ratio=r, mounted_on="disc")},
        inputs={"m": 10},
    )
    run = cardan.simulate(model, until=0.1, motors="simplified")
    assert run.array("turn.a")[0] == pytest.approx(r * 0.05 * 10 / (I + (r + 1) ** 2 * Im), rel=1e-12)
    cardan.verify(model)


def test_axes_that_turn_against_the_parent_need_a_carrier():
    bodies = {"a": {"mass": 1, "inertia": [1, 1, 1]}, "b": {"mass": 1, "inertia": [1, 1, 1]}}
    joints = {
        "base": {"type": "universal", "parent": "ground", "child": "a", "axes": ["x", "y"]},
        "wrist": {"type": "universal", "parent": "a", "child": "b", "axes": ["x", "y"]},
    }
    cardan.Model(bodies=bodies, joints=joints, motors={"m": dc("base.r2"), "n": dc("wrist.r1")})
    with pytest.raises(cardan.ModelError, match=r"motors\.m\.mounted_on: the axis of 'wrist\.r2' turns against 'a'"):
        cardan.Model(bodies=bodies, joints=joints, motors={"m": dc("wrist.r2")})
