"""What every force kind satisfies. Its own test is a class with a sample: `class TestSpringDamper(ForceContract)`.

The sample acts between the markers `slider.hook` and `kite.ear` of a sliding and a flying body.
"""

from __future__ import annotations

from typing import Any, ClassVar

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from cardan.kinematics import energy
from cardan.kinematics import loads as force_laws
from cardan.kinematics.build import build
from cardan.kinematics.motion import coordinate_rate, marker_motion, motion
from cardan.model import Model
from cardan.model.forces import FORCES, Load
from cardan.spatial.rotations import skew
from tests.selection import each

ROUND_OFF = 1e-11  # some thousand operations on numbers up to ten
ENDS = {"parent": "slider.hook", "child": "kite.ear"}
UNITS = {"force": "N", "moment": "N*m"}


def between_two_bodies(**forces: Any) -> Model:
    """A slider and a flying body with forces between them; nothing else acts."""
    bodies = {
        "slider": {"mass": 1, "markers": {"hook": {"position": [0.3, 0, 0], "rpy": [0, 0, 0.5]}}},
        "kite": {
            "mass": 2,
            "com": [0, 0, 0.1],
            "inertia": [0.2, 0.3, 0.4],
            "markers": {"ear": {"position": [0.1, 0.4, 0], "rpy": [0.3, 0, 0]}},
        },
    }
    joints = {
        "slide": {"type": "prismatic", "parent": "ground", "child": "slider", "axis": "x"},
        "fly": {"type": "free", "parent": "ground", "child": "kite"},
    }
    initial = {"slide.v": 0.4, "fly.x": 1.0, "fly.y": 0.5, "fly.vy": 0.3, "fly.wz": 0.8, "fly.wx": 0.2}
    return Model(gravity=[0, 0, 0], bodies=bodies, joints=joints, forces=forces, initial=initial)


class ForceContract:
    """Balance, power, energy, units, frames, use in a plane and refusals of one force law."""

    sample: ClassVar[Load]

    @pytest.fixture
    def model(self) -> Model:
        """The sample between the two bodies."""
        return between_two_bodies(law=self.sample)

    @pytest.fixture(params=range(3))
    def state(self, request: pytest.FixtureRequest) -> tuple[np.ndarray, np.ndarray]:
        """Random positions, the quaternion at unit length, and velocities."""
        rng = np.random.default_rng(request.param)
        q, v = rng.uniform(-1, 1, 8), rng.uniform(-1, 1, 7)
        q[4] = 2.0  # less than half a turn
        q[4:] /= np.linalg.norm(q[4:])
        return q, v

    @staticmethod
    def evaluated(model: Model, state: tuple[np.ndarray, np.ndarray], *laws) -> list[np.ndarray]:
        """Values of laws of (tree, motion) at a state, by symbols."""
        tree = build(model, p=ca.DM(0, 1))
        q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
        moved = motion(tree, q, v, t=0.3)
        return [
            np.array(x) for x in ca.Function("f", [q, v], [ca.SX(law(tree, moved)) for law in laws]).call(list(state))
        ]

    def test_kind_is_registered_under_its_type(self):
        assert FORCES[self.sample.type] is type(self.sample)
        assert (self.sample.parent, self.sample.child) == tuple(ENDS.values())

    def test_it_transmits_what_it_says(self, model, state):
        n, f = self.evaluated(
            model,
            state,
            lambda tree, moved: force_laws.load_wrench(tree, moved, tree.loads[0]).n,
            lambda tree, moved: force_laws.load_wrench(tree, moved, tree.loads[0]).f,
        )
        for what, value in (("force", f), ("moment", n)):
            assert np.any(value) == (what in self.sample.transmits)

    def test_what_acts_on_the_child_acts_reversed_on_the_parent(self, model, state):
        """The wrenches on the two bodies are in balance about the origin of the world."""

        def total(tree, moved):
            acting, out = force_laws.wrenches(tree, moved), ca.SX(6, 1)
            for part in (acting.conservative, acting.other):
                for T_WL, wrench in zip(moved.T_WL, part, strict=True):
                    R, p = T_WL[:3, :3], T_WL[:3, 3]
                    f = R @ wrench[3:]
                    out += ca.vertcat(R @ wrench[:3] + skew(p) @ f, f)
            return out

        (found,) = self.evaluated(model, state, total)
        np.testing.assert_allclose(found, 0, rtol=0, atol=ROUND_OFF)

    def test_power_is_that_of_the_wrench_on_the_bodies(self, model, state):
        """−dΠ/dt for the conservative part, `load_power` for the rest: both are Σ fᵀ V over the links."""

        def power(part):
            def law(tree, moved):
                pairs = zip(getattr(force_laws.wrenches(tree, moved), part), moved.V_L, strict=True)
                return sum(ca.dot(f, V) for f, V in pairs)

            return law

        def fall(tree, moved):
            potential = ca.densify(ca.SX(energy.potential(tree, moved)))
            return -ca.jtimes(potential, moved.q, coordinate_rate(tree, moved.q, moved.v))

        a, b, c, d = self.evaluated(model, state, power("conservative"), fall, power("other"), force_laws.load_power)
        np.testing.assert_allclose(a, b, rtol=ROUND_OFF, atol=ROUND_OFF)
        np.testing.assert_allclose(c, d, rtol=ROUND_OFF, atol=ROUND_OFF)

    def test_the_conservative_part_depends_on_positions_alone(self, model, state):
        def law(tree, moved):
            record = tree.loads[0].record
            resolved = record.resolved(lambda scalar: scalar) if record.follows_motion else record
            ends = (marker_motion(moved, end) for end in (tree.loads[0].parent, tree.loads[0].child))
            wrench = resolved.conservative(*ends)
            return ca.jacobian(ca.vertcat(ca.SX(wrench.n), ca.SX(wrench.f)), moved.v)

        (by_velocity,) = self.evaluated(model, state, law)
        assert not np.any(by_velocity)

    def test_energy_balances_along_a_run(self, model):
        run = cardan.simulate(model, times=np.linspace(0, 0.5, 6), rtol=1e-10, atol=1e-12)
        assert run.ok, run.message
        assert run.report.relative_energy_error < 1e-8  # tolerance 1e-10 over some hundred steps

    @each("frame", ["world", "parent", "child"])
    def test_results_have_units_and_frames(self, model, frame):
        run = cardan.simulate(model, times=[0, 0.1], rtol=1e-8)
        for what, unit in UNITS.items():
            name = f"law.{what}" + ("" if frame == "world" else f".{frame}")
            if what in self.sample.transmits:
                assert run[name].attrs["units"] == unit
                seen = run.array(f"law.{what}")
                if frame != "world":
                    w, *xyz = run.array(f"{ENDS[frame]}.orientation").T
                    seen = Rotation.from_quat(np.transpose([*xyz, w])).inv().apply(seen)
                np.testing.assert_allclose(run.array(name), seen, rtol=0, atol=ROUND_OFF)
            else:
                with pytest.raises(KeyError):
                    run[name]

    def test_use_in_a_planar_model(self):
        """A model that is declared planar moves as the same model in space does."""
        bodies = {
            name: {"mass": 1, "inertia": [0, 0, 0.1], "markers": {marker: {"position": [0.3, 0.2, 0]}}}
            for name, marker in (("slider", "hook"), ("kite", "ear"))
        }
        joints = {name: {"type": "planar", "parent": "ground", "child": name} for name in bodies}
        initial = {"kite.x": 1.0, "kite.y": 0.4, "kite.rz": 0.3, "slider.x.v": 0.2}
        model = Model(planar="xy", bodies=bodies, joints=joints, forces={"law": self.sample}, initial=initial)
        runs = [
            cardan.simulate(given, times=np.linspace(0, 0.3, 4), rtol=1e-9)
            for given in (model, model.replace(planar=None))
        ]
        np.testing.assert_allclose(runs[0].x, runs[1].x, rtol=0, atol=1e-12)

    def test_round_trip(self, model):
        assert loads(dump(model)) == model

    @each(
        "ends, text",
        [
            ({"child": "kit"}, "forces.law.child: there is no body 'kit'"),
            ({"parent": "kite.nose"}, "forces.law.parent: the body 'kite' has no marker 'nose'"),
            ({"parent": "kite.ear"}, "forces.law.child: both ends are 'kite.ear'"),
        ],
    )
    def test_wrong_ends_are_refused(self, ends, text):
        with pytest.raises(ModelError) as error:
            between_two_bodies(law=self.sample.replace(**ends))
        assert text in str(error.value)
