"""The bushing keeps the contract of forces."""

from contextlib import nullcontext

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cardan
from cardan.errors import ModelError
from cardan.model.forces.bushing import Bushing
from tests.contracts.force_contract import ENDS, ForceContract

ROOT, DRAG = np.random.default_rng(1).uniform(-1, 1, (2, 6, 6))
K, C = 2 * ROOT @ ROOT.T, 0.1 * DRAG @ DRAG.T


class TestBushing(ForceContract):
    sample = Bushing(**ENDS, stiffness=K.tolist(), damping=C.tolist(), preload=[0.1, 0, 0.2, 0, 0.1, 0])


def bushing(**keys):
    """A block on a bushing, 0.1 m from the origin of the world."""
    return cardan.Model(
        gravity=[0, 0, 0],
        bodies={"block": {"mass": 2, "inertia": [0.1, 0.2, 0.3]}},
        joints={"fly": {"type": "free", "parent": "ground", "child": "block"}},
        forces={"mount": {"type": "bushing", "child": "block", **keys}},
    )


def test_both_ends_play_the_same_part():
    """With the ends exchanged, the wrenches on both bodies are the same, in a turn by 2 rad and a large shift."""
    e = [0.4, -0.2, 0.3, *Rotation.from_rotvec([1.2, -1.4, 0.8]).as_quat(scalar_first=True)]
    v = [0.3, 0.1, -0.4, 1.0, -2.0, 0.5]
    found = []
    for ends in ({"child": "block"}, {"parent": "block", "child": "ground"}):
        dynamics = cardan.compile(bushing(stiffness=K.tolist(), damping=C.tolist(), **ends), motors="none")
        found.append(dynamics.forward_dynamics(e, v, np.zeros(6)))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)


def test_dampers_take_the_power_of_the_rate_of_what_springs_store():
    """Of one direction: Π = ½ k e², the power of the spring −k e ė, that of the damper −c ė²; so ė² = P²/(2 k Π)."""
    start = {"fly.x": 0.4, "fly.y": -0.2, "fly.z": 0.3, "fly.vx": 0.3, "fly.vy": 0.1, "fly.vz": -0.4}
    start |= {"fly.wx": 1.0, "fly.wy": -2.0, "fly.wz": 0.5}
    turn = Rotation.from_rotvec([1.2, -1.4, 0.8]).as_quat(scalar_first=True)
    start |= {f"fly.q{key}": value for key, value in zip("wxyz", turn, strict=True)}

    def power(**keys):
        run = cardan.simulate(bushing(**keys), times=[0], initial=start)
        rates = {"force": "velocity", "moment": "angular_velocity"}
        found = sum(run.array(f"mount.{load}")[0] @ run.array(f"block.{rate}")[0] for load, rate in rates.items())
        return found, run.array("energy.potential")[0]

    for unit in np.eye(6):
        stored, potential = power(stiffness=(5 * unit).tolist())
        lost, _ = power(stiffness=[0] * 6, damping=(2 * unit).tolist())
        assert lost == pytest.approx(-2 * stored**2 / (2 * 5 * potential), rel=1e-12)  # round-off


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.05, 0.064, 3.1])
def test_a_turn_about_one_axis_is_met_by_stiffness_times_angle(angle):
    """Below and above the angle at which the series of the rotation vector ends, 2 asin √1e-3 = 0.063."""
    model = bushing(stiffness=[1, 2, 3, 4, 5, 6], preload=[0, 0, 0, 0, 0, 0.5])
    quaternion = dict(zip("wxyz", [np.cos(angle / 2), 0, 0, np.sin(angle / 2)], strict=True))
    run = cardan.simulate(model, times=[0], initial={f"fly.q{k}": x for k, x in quaternion.items()})
    np.testing.assert_allclose(run.array("mount.moment")[0], [0, 0, 0.5 - 6 * angle], rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"stiffness": [1, 2, 3]}, r"forces.mount.stiffness: a bushing has six directions, not 3 entries\n.*six rows"),
        ({"stiffness": "stiff"}, r"six directions, not 'stiff'"),
        (
            {"stiffness": (np.eye(6) + np.eye(6, k=2)).tolist()},
            r"not symmetric: row 1 has 1 where column 1 has 0\n.*same",
        ),
        ({"damping": [1, 1, -1, 0, 0, 0]}, r"forces.mount.damping: the damping would drive some motion\n.*eigenvalues"),
        ({"stiffness": ["1 N", 0, 0, 0, 0, 0]}, r"but a stiffness is needed here"),
    ],
)
def test_what_no_bushing_is_is_refused(keys, said):
    with pytest.raises(ModelError, match=said):
        bushing(**keys)


@pytest.mark.parametrize("beyond", [0.99, 1.01])
def test_a_run_says_where_its_ends_turn_past_half_a_turn(beyond):
    """J ω² > k π² turns a block about z past half a turn, at (1/ω₀) asin(1/1.01) with ω₀² = k/J. Fixed steps of 10 ms
    do not meet half a turn itself, where a run with error control may end for want of a direction."""
    model = bushing(stiffness=[1e3, 1e3, 1e3, 2.7, 2.7, 2.7]).replace(
        bodies={"block": {"mass": 2, "inertia": [0.3, 0.3, 0.3]}},
        initial={"fly.wz": 3 * np.pi * beyond},
    )
    with nullcontext() if beyond < 1 else pytest.warns(match="'mount' turn past half a turn before t = 0.4") as said:
        cardan.simulate(model, until=1.0, method="rk4", step=0.01)
    if said is not None:
        t = float(str(said[0].message).partition("t = ")[2].partition(" ")[0])
        assert t == pytest.approx(
            np.arcsin(1 / beyond) / 3, abs=1e-3 + 0.01
        )  # an instant of the run, and the spin's 1e-3
