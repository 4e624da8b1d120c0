"""Motors under prescribed motions: steady currents of those that drive none, voltages where the acceleration jumps."""

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan import Model, ModelError, ModelWarning

MOTOR = {
    "type": "dc",
    "ratio": 50,
    "resistance": 0.8,
    "inductance": "5 mH",
    "torque_constant": 0.05,
    "back_emf_constant": 0.05,
    "rotor_inertia": 2e-5,
    "rotor_damping": 1e-5,
}
PLAIN = {
    "ratio": 1,
    "resistance": 1,
    "torque_constant": 1,
    "back_emf_constant": 1,
    "rotor_inertia": 0,
    "rotor_damping": 0,
}
ROUND_OFF = 1e-10  # relative, of loops and motions that hold to round-off


def two_sliders(law, voltage="2 + 3*sin(4*t)"):
    """Two carriages that a coupler holds together; the first motor follows a law, the second runs on its voltage."""
    return Model(
        bodies={"a": {"mass": 2}, "b": {"mass": 3}},
        joints={k: {"type": "prismatic", "parent": "ground", "child": k, "axis": "x"} for k in ("a", "b")},
        constraints={"gear": {"type": "coupler", "terms": {"a": 1, "b": -1}}},
        motors={"first": {**MOTOR, "joint": "a"}, "second": {**MOTOR, "joint": "b"}},
        inputs={"second": voltage},
        motions={"a": law},
    )


def by_hand(x_t, x_tt, u):
    """Currents of both motors: R i + Ke ω = u in the second, the whole balance of forces for the first."""
    r, R, K, J, d = 50, 0.8, 0.05, 2e-5, 1e-5
    second = (u - K * r * x_t) / R
    force = (5 + 2 * r**2 * J) * x_tt + 2 * r**2 * d * x_t - r * K * second
    return force / (r * K), second


def test_currents_of_motors_that_drive_no_motion_are_steady():
    t = np.linspace(0, 2, 41)
    loads = cardan.kinetostatics(two_sliders("0.2*sin(3*t)"), t)
    x_t, x_tt, u = 0.6 * np.cos(3 * t), -1.8 * np.sin(3 * t), 2 + 3 * np.sin(4 * t)
    first, second = by_hand(x_t, x_tt, u)
    assert loads.state_names == ("a.q", "b.q", "a.v", "b.v")
    assert loads.array("second.current") == pytest.approx(second, rel=ROUND_OFF, abs=ROUND_OFF)
    assert loads.array("first.current") == pytest.approx(first, rel=ROUND_OFF, abs=ROUND_OFF)
    second_rate = (12 * np.cos(4 * t) - 0.05 * 50 * x_tt) / 0.8
    force_rate = (5 + 2 * 50**2 * 2e-5) * -5.4 * np.cos(3 * t) + 2 * 50**2 * 1e-5 * x_tt - 2.5 * second_rate
    voltage = 0.8 * first + 5e-3 * force_rate / 2.5 + 2.5 * x_t
    assert loads.array("first.voltage") == pytest.approx(voltage, rel=ROUND_OFF, abs=ROUND_OFF)
    assert "L di/dt = 0 in second" in str(loads)
    assert loads["second.current"].attrs["long_name"] == "(u − Ke ω)/R: L di/dt = 0"
    assert loads.report.relative_energy_error < 1e-8


def test_voltages_whose_rates_are_unknown_are_refused():
    table = {"table": [[0, 0], [1, 5], [2, 3]]}
    with pytest.raises(ModelError, match=r"inputs\.second.*rate of this voltage"):
        cardan.kinetostatics(two_sliders("0.2*sin(3*t)", table), [0.0, 1.0])
    loads = cardan.kinetostatics(two_sliders("0.2*sin(3*t)", table), [0.0, 0.5], motors="simplified")
    assert loads.array("second.voltage") == pytest.approx([0, 2.5])


TRAPEZOID = {"profile": "trapezoid", "points": [[0, 0], [3, 0.6]]}
OUTPUTS = {"lost": "first.voltage - 2.5*a.v", "torque": "0.05*first.current"}


def jumping(law):
    model = two_sliders(law, "0")
    return model.replace(outputs=OUTPUTS)


def test_a_voltage_is_nan_where_the_acceleration_jumps():
    """The trapezoid of speed has three parts of one second; its acceleration jumps at the ends of each."""
    t = np.linspace(0, 3, 7)
    loads = cardan.kinetostatics(jumping(TRAPEZOID), t)
    with pytest.warns(ModelWarning, match=r"current of 'first' jumps at t = 1, 2, 3 s") as said:
        voltage = loads.array("first.voltage")
    jump = np.isin(t, [1, 2, 3])
    assert np.array_equal(np.isnan(voltage), jump)
    for name in ("first.power", "lost"):
        assert np.array_equal(np.isnan(loads.array(name)), jump)
    assert len(said) == 1
    x_t, x_tt = np.minimum(0.3 * np.minimum(t, 3 - t), 0.3), 0.3 * ((t < 1).astype(float) - ((t >= 2) & (t < 3)))
    first, _ = by_hand(x_t, x_tt, 0)
    assert loads.array("first.current") == pytest.approx(first, rel=ROUND_OFF, abs=ROUND_OFF)  # after the jump
    assert np.isfinite(loads.array("torque")).all()
    force_rate = 2 * 50**2 * 1e-5 * x_tt + 2.5**2 * x_tt / 0.8
    expected = 0.8 * first + 5e-3 * force_rate / 2.5 + 2.5 * x_t
    assert voltage[~jump] == pytest.approx(expected[~jump], rel=ROUND_OFF, abs=ROUND_OFF)


@each("periods", [1, 7])
@each("instants", [None, 2, 301])
def test_extremes_are_those_beside_the_jumps(periods, instants):
    """The voltage of a trapezoid is the largest just before its acceleration ends, by hand; two rows stand there."""
    r, R, K, d, a, v = 50, 0.8, 0.05, 1e-5, 0.3, 0.3
    first, _ = by_hand(v, a, 0)
    force_rate = 2 * r**2 * d * a + (r * K) ** 2 * a / R
    highest = R * first + 5e-3 * force_rate / (r * K) + r * K * v
    law = {"profile": "trapezoid", "points": [[0, 0], [3, 0.6], [6, 0]], "period": "6 s"}
    times = None if instants is None else np.linspace(0, 6 * periods, instants)
    loads = cardan.kinetostatics(jumping(law).replace(simulate={"until": 6 * periods}), times)
    with pytest.warns(ModelWarning, match=r"'first' jumps at t = 1, 2, 4, 5[, ]"):
        extent = loads.extremes(["first.voltage"])["first.voltage"]
    assert extent == (pytest.approx(-highest, rel=ROUND_OFF), pytest.approx(highest, rel=ROUND_OFF))
    if times is None:
        u = loads.array("first.voltage")
        assert np.isfinite(u).all()
        assert u.max() == pytest.approx(highest, rel=ROUND_OFF)
        for jump in (1, 2, 4, 5):
            rows = np.abs(loads.t - jump) < 1e-12
            assert rows.sum() in (2, 3)  # its sides, and the instant itself where it is one of those evenly spaced
            assert np.ptp(loads.array("first.current")[rows]) > 0.5


@each("values", [{"way": [0.6, 1.2]}, {"T": [3.0, 2.4]}])
def test_reductions_of_sweeps_beside_the_jumps(values):
    """u = R i + L di/dt + K v with i = m a/K: the largest just before the acceleration ends, with R = K = m = 1."""
    model = Model(
        gravity=[0, 0, 0],
        bodies={"box": {"mass": 1}},
        joints={"rail": {"type": "prismatic", "parent": "ground", "child": "box", "axis": "x"}},
        motors={"drive": {**MOTOR, "joint": "rail", **PLAIN}},
        parameters={"T": 3.0, "way": 0.6},
        motions={"rail": {"profile": "trapezoid", "points": [[0, 0], ["T", "way"]]}},
    )
    outputs = ["max(drive.voltage)", "max(2*drive.voltage)", "mean(rail.v)", "drive.voltage"]
    found = cardan.sweep(model, 2.3, parameters=values, outputs=outputs)
    T, way = np.broadcast_arrays(values.get("T", 3.0), values.get("way", 0.6))
    v = 1.5 * way / T
    highest = v + 3 * v / T
    assert found["max(drive.voltage)"].values == pytest.approx(highest, rel=ROUND_OFF)
    assert found["max(2*drive.voltage)"].values == pytest.approx(2 * highest, rel=ROUND_OFF)
    end = v * (T / 3) / 2 + v * T / 3 + v * (2.3 - 2 * T / 3) - 1.5 * v / T * (2.3 - 2 * T / 3) ** 2
    assert found["mean(rail.v)"].values == pytest.approx(end / 2.3, rel=1e-9)  # rows stand at its kinks


@each(
    "law, motors",
    [
        ({"profile": "s_curve", "points": [[0, 0], [3, 0.6]]}, "full"),
        ({"profile": "quintic", "points": [[0, 0], [3, 0.6]]}, "full"),
        (TRAPEZOID, "simplified"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_voltage_is_finite_where_the_current_does_not_jump(law, motors):
    loads = cardan.kinetostatics(jumping(law), motors=motors)
    assert np.isfinite(loads.array("first.voltage")).all()


def test_a_current_jumps_with_the_effort_of_another_motor():
    """A steady current jumps with its voltage, and the current of the motor that keeps the motion with it."""
    model = two_sliders("0.2*sin(3*t)", "5*step(t - 0.5)")
    with pytest.warns(ModelWarning, match=r"'first' jumps at t = 0\.5 s"):
        voltage = cardan.kinetostatics(model, [0.0, 0.25, 0.5, 1.0]).array("first.voltage")
    assert np.array_equal(np.isnan(voltage), [False, False, True, False])
