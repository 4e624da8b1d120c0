"""Energies of drives over a period, against closed forms."""

import numpy as np
import pytest

import cardan
from cardan import Model, ModelError, ModelWarning
from tests.selection import each

m, r, R, K, J, d, D = 2.0, 50.0, 0.8, 0.05, 2e-5, 1e-5, 4.0
MOTOR = {
    "type": "dc",
    "joint": "x",
    "ratio": r,
    "resistance": R,
    "inductance": "5 mH",
    "torque_constant": K,
    "back_emf_constant": K,
    "rotor_inertia": J,
    "rotor_damping": d,
}
MOVED, LOSS = m + r**2 * J, D + r**2 * d  # inertia [kg] and damping [N s/m] on the joint
THERE_AND_BACK = {"profile": "trapezoid", "points": [[0, 0], [1.5, 0.3], [3, 0]], "period": "4 s"}


def carriage(law, **motors):
    joint = {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x", "damping": D}
    return Model(bodies={"a": {"mass": m}}, joints={"x": joint}, motions={"x": law}, **motors)


def test_a_harmonic_motion_takes_the_energy_of_its_closed_form():
    A, w = 0.2, 3.0
    T = 2 * np.pi / w
    run = cardan.kinetostatics(carriage("0.2*sin(3*t)", motors={"drive": MOTOR}), [0.0])
    found = cardan.energy_per_cycle(run, T).of("drive")
    work = LOSS * (A * w) ** 2 * T / 2
    heat = R / (r * K) ** 2 * ((MOVED * A * w**2) ** 2 + (LOSS * A * w) ** 2) * T / 2
    assert found.work == pytest.approx(work, rel=1e-8)  # the tolerance of the quadrature, rtol of the run
    assert found.heat == pytest.approx(heat, rel=1e-8)
    assert found.electrical == pytest.approx(heat + work, rel=1e-8)


@each("motors", ["full", "simplified"])
def test_jumps_of_the_current_take_no_energy(motors):
    """A trapezoid there and back, then a rest: the period is that of the motion."""
    run = cardan.kinetostatics(carriage(THERE_AND_BACK, motors={"drive": MOTOR}), [0.0, 4.0], motors=motors)
    found = cardan.energy_per_cycle(run)
    V, a = 0.3, 0.6  # 0.3 m in 1.5 s, of which 0.5 s speed up and 0.5 s slow down
    squares = 2 * (V**2 * 0.5 + 2 * V**2 * 0.5 / 3)  # ∮ v² dt
    work = LOSS * squares
    heat = R / (r * K) ** 2 * (MOVED**2 * a**2 * 2.0 + LOSS**2 * squares)  # ∮ v a dt = 0
    row = found.of("drive")
    assert found.period == 4
    assert row.work == pytest.approx(work, rel=1e-8)
    assert row.heat == pytest.approx(heat, rel=1e-8)
    assert row.electrical == pytest.approx(heat + work, rel=1e-8)


def test_a_drive_without_a_motor_does_the_work_of_the_losses():
    run = cardan.kinetostatics(carriage(THERE_AND_BACK), [0.0])
    found = cardan.energy_per_cycle(run)
    assert found.of("x").work == pytest.approx(D * 2 * (0.3**2 * 0.5 + 0.3**2 / 3), rel=1e-8)
    assert np.isnan(found.of("x").electrical)
    assert str(found).splitlines()[1].split() == ["x", "–", "–", "0.6"]
    with pytest.raises(KeyError, match='no drive is called "y"'):
        found.of("y")


def test_a_run_from_a_file_has_the_same_energies(tmp_path):
    run = cardan.kinetostatics(carriage(THERE_AND_BACK), [0.0, 1.0])
    cardan.save_run(run, tmp_path / "run.nc")
    read, made = (cardan.energy_per_cycle(one) for one in (cardan.load_run(tmp_path / "run.nc"), run))
    assert str(read) == str(made)


@each(
    "law, period, fault",
    [
        ("0.2*sin(3*t)", None, "the motion 'x' has no key period"),
        ("0.2", None, "no motions with a period"),
        ("0.2*sin(3*t)", 2.0, r"begins with x\.v = 0\.6 and ends with 0\.576102"),
        ("0.2*sin(3*t)", -1.0, "the period is -1 s"),
        ("0.2*sin(3*t)", "2 m", "a value in s is needed"),
    ],
)
def test_what_is_no_period_is_refused(law, period, fault):
    run = cardan.kinetostatics(carriage(law), [0.0])
    with pytest.raises(ModelError, match=fault):
        cardan.energy_per_cycle(run, period)


def test_periods_that_do_not_fit_and_motions_that_cannot_be_followed_are_refused():
    model = carriage(THERE_AND_BACK)
    other = {"profile": "quintic", "points": [[0, 0], [1, 1], [2, 0]], "period": "3 s"}
    both = model.replace(
        bodies={"a": {"mass": 1}, "b": {"mass": 1}},
        joints={**model.joints, "y": {"type": "prismatic", "parent": "a", "child": "b", "axis": "y"}},
        motions={"x": THERE_AND_BACK, "y": other},
    )
    run = cardan.kinetostatics(both, [0.0])
    with pytest.raises(ModelError, match=r"the motions have the periods 4 s, 3 s"):
        cardan.energy_per_cycle(run)
    assert cardan.energy_per_cycle(run, 12).of("y").work == pytest.approx(0, abs=1e-9)


def test_a_period_that_leads_beyond_the_reach_is_refused():
    model = cardan.load("four_bar")
    run = cardan.kinetostatics(model, [0.0], motions={"D": "1.9 + 1.5*sin(t)"})
    with pytest.raises(ModelError, match="no position nearby follows the motions"):
        cardan.energy_per_cycle(run, "2*pi")


@pytest.mark.filterwarnings("error")
def test_a_table_is_integrated_from_row_to_row_without_further_warnings():
    """The cubic spline through a table has jumps of the jerk at its rows, and no work is lost in a spring."""
    rows = [[0, 0], [0.05, 0.002], [0.1, 0.008], [0.15, 0.015], [0.2, 0.02], [0.3, 0.016], [0.4, 0.003], [0.5, 0]]
    model = carriage({"table": rows, "period": "0.5 s"})
    spring = {**model.joints, "x": model.joints["x"].replace(damping=0.0, stiffness=400.0, effort_limit=1.0)}
    with pytest.warns(ModelWarning, match="beyond the effort_limit"):
        run = cardan.kinetostatics(model.replace(joints=spring), np.linspace(0, 0.5, 51))
    assert cardan.energy_per_cycle(run).of("x").work == pytest.approx(0, abs=1e-12)


def test_inputs_that_do_not_repeat_are_refused():
    other = {**MOTOR, "joint": "y"}
    model = Model(
        bodies={"a": {"mass": m}, "b": {"mass": m}},
        joints={k: {"type": "prismatic", "parent": "ground", "child": c, "axis": "x"} for k, c in ("xa", "yb")},
        constraints={"gear": {"type": "coupler", "terms": {"x": 1, "y": -1}}},
        motors={"first": MOTOR, "second": other},
        inputs={"second": "2 + t"},
        motions={"x": THERE_AND_BACK},
    )
    with pytest.raises(ModelError, match=r"begins with second\.current = 2\.5 and ends with 7\.5"):
        cardan.energy_per_cycle(cardan.kinetostatics(model, [0.0]))
