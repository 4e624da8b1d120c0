"""What every motor kind satisfies. Its own test is a class with a sample: `class TestDc(MotorContract)`.

The sample drives the joint `hinge` and loses no power between circuit and rotor; it has a resistance and an inductance.
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from cardan.model import Model
from cardan.model.motors import MOTORS, Motor
from cardan.model.units import read_unit
from tests.selection import each

ROUND_OFF = 1e-13  # some ten operations on numbers up to ten
JOINT = {"joint": "hinge"}


class MotorContract:
    """Law, power from the voltage to the shaft, full against simplified model, units and refusals of one motor."""

    sample: ClassVar[Motor]

    def machine(self, **changes: Any) -> Model:
        """A wheel on a hinge, driven by the sample; a cart on a rail, and a brick welded to it."""
        ground = {"parent": "ground", "axis": "x"}
        return Model(
            bodies={"wheel": {"mass": 1, "inertia": [0.1, 0.1, 0.1]}, "cart": {"mass": 2}, "brick": {}},
            joints={
                "hinge": ground | {"type": "revolute", "child": "wheel", "damping": 0.2},
                "rail": ground | {"type": "prismatic", "child": "cart"},
                "weld": {"type": "fixed", "parent": "cart", "child": "brick"},
            },
            motors={"drive": self.sample.replace(**changes)},
            inputs={"drive": f"10 {self.sample.input_unit}"},
        )

    @pytest.fixture
    def motor(self) -> Motor:
        """The sample with numbers in it."""
        return self.sample.resolved(lambda scalar: ca.DM(scalar.value))

    def test_kind_is_registered_under_its_type(self):
        assert MOTORS[self.sample.type] is type(self.sample)
        assert self.sample.joint == JOINT["joint"]

    def test_the_law_is_linear(self, motor):
        """Second derivatives of torque, back-EMF and current rate vanish: the matrices hold all of the motor."""
        x = ca.SX.sym("x", 3)
        i, w, u = ca.vertsplit(x)
        laws = ca.vertcat(motor.torque(i), motor.back_emf(w), motor.current_rate(i, w, u), motor.steady_current(w, u))
        slope = ca.jacobian(laws, x)
        assert not ca.depends_on(slope, x)
        assert not np.any(np.array(ca.Function("f", [x], [laws])(0)))  # no torque without current, no voltage at rest

    def test_power_goes_from_the_voltage_to_the_shaft(self, motor):
        """u i = R i² + d/dt ½ L i² + τ ω."""
        i, w, u = 0.7, -3.0, 12.0
        stored = motor.inductance * i * motor.current_rate(i, w, u)
        shaft = motor.torque(i) * w
        assert float(motor.resistance * i**2 + stored + shaft) == pytest.approx(u * i, rel=ROUND_OFF)

    def test_the_simplified_current_is_where_the_full_one_settles(self, motor):
        for w, u in ((0.0, 1.0), (2.0, -5.0)):
            settled = motor.steady_current(w, u)
            assert float(motor.current_rate(settled, w, u)) == pytest.approx(0, abs=ROUND_OFF / float(motor.inductance))

    def test_full_and_simplified_runs_settle_alike(self):
        runs = [
            cardan.simulate(self.machine(), motors=motors, times=[0, 60], rtol=1e-10)
            for motors in ("full", "simplified")
        ]
        for name in ("hinge.v", "drive.current"):
            full, simplified = (run.array(name)[-1] for run in runs)
            assert full == pytest.approx(simplified, rel=1e-6)
            assert abs(full) > 1e-3

    def test_energy_balances_in_both_models(self):
        for motors in ("full", "simplified"):
            run = cardan.simulate(self.machine(), motors=motors, times=np.linspace(0, 1, 5), rtol=1e-10, atol=1e-12)
            assert run.report.relative_energy_error < 1e-8  # tolerance 1e-10 over some hundred steps

    def test_the_gear_reflects_inertia_and_damping(self):
        """M += r² Im, D += r² dm."""
        model = self.machine(ratio=3, rotor_inertia=0.02, rotor_damping=0.05)
        bare = cardan.compile(model, motors="none")
        full = cardan.compile(model, motors="full")
        change = full.mass_matrix([0, 0]) - bare.mass_matrix([0, 0])
        np.testing.assert_allclose(change, np.diag([9 * 0.02, 0]), rtol=0, atol=ROUND_OFF)

    def test_the_input_has_a_unit(self):
        unit = self.sample.input_unit
        assert read_unit(unit).size == 1
        with pytest.raises(ModelError, match=f"a value in {unit} is needed"):
            self.machine().replace(inputs={"drive": "1 kg"})

    def test_round_trip(self):
        assert loads(dump(self.machine())) == self.machine()

    def test_no_doubt_about_the_sample(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.machine()

    @each(
        "changes, text",
        [
            ({"joint": "hing"}, "motors.drive.joint: there is no joint 'hing'"),
            ({"joint": "hinge.r"}, "motors.drive.joint: 'hinge.r' is not one motion of the joint 'hinge'"),
            ({"mounted_on": "cat"}, "motors.drive.mounted_on: there is no body 'cat'"),
            ({"ratio": "2 m"}, "motors.drive.ratio: '2 m' is a length, but a gear ratio is needed"),
            ({"joint": "rail", "ratio": "2 m"}, "a gear ratio of a linear joint is needed"),
            ({"resistance": 0}, "resistance is positive"),
            ({"joint": "weld"}, "motors.drive.joint: the joint 'weld' does not move"),
        ],
    )
    def test_what_cannot_be_is_refused(self, changes, text):
        with pytest.raises(ModelError) as error:
            self.machine(**changes)
        assert text in str(error.value)
