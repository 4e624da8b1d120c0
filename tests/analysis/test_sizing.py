"""Sizing of drives against closed forms; catalogues that cannot be read."""

import numpy as np
import pytest

import cardan
from cardan.analysis.sizing import CatalogueMotor, duty_of, read_catalogue
from cardan.errors import ModelError
from tests.selection import each

J, A, W = 3.0, 0.5, 4.0  # a rotor that swings to A sin(W t)
MOTOR = CatalogueMotor("m", 0.5, 0.1, 1e-4, rated_torque=0.4, max_torque=1.0, max_speed=300.0, voltage=48.0)


@pytest.fixture(scope="module")
def swinging():
    """Ten periods of a rotor that follows a sine."""
    rotor = {"type": "revolute", "parent": "ground", "child": "rotor", "axis": "z"}
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"rotor": {"inertia": [1, 1, J]}},
        joints={"r": rotor},
        motions={"r": f"{A}*sin({W}*t)"},
    )
    return cardan.kinetostatics(model, np.linspace(0, 20 * np.pi / W, 20001))


def test_the_duty_of_a_swinging_rotor(swinging):
    duty = duty_of(swinging, "r")
    torque = J * A * W**2
    assert duty.peak_torque == pytest.approx(torque, rel=1e-6)
    assert duty.rms_torque == pytest.approx(torque / np.sqrt(2), rel=1e-6)
    assert duty.peak_speed == pytest.approx(A * W, rel=1e-9)
    assert duty.mean_speed == pytest.approx(A * W * 2 / np.pi, rel=1e-6)
    assert duty.peak_power == pytest.approx(torque * A * W / 2, rel=1e-6)
    assert duty.braking_power == pytest.approx(torque * A * W / 2, rel=1e-6)
    assert duty.energy == pytest.approx(0, abs=1e-9)
    assert "RMS" in repr(duty)


def test_a_choice_uses_what_the_laws_say(swinging):
    N = 60.0
    (one,) = cardan.size(swinging, "r", catalogue=[MOTOR], ratios=[N]).choices
    torque = (J / N + 1e-4 * N) * A * W**2
    peak_voltage = np.hypot(0.5 * torque / 0.1, 0.1 * N * A * W)  # sine of the torque beside cosine of the speed
    assert one.peak_torque == pytest.approx(torque, rel=1e-6)
    assert one.losses == pytest.approx(0.5 * (torque / 0.1) ** 2 / 2, rel=1e-6)
    expected = {
        "continuous torque": torque / np.sqrt(2) / 0.4,
        "peak torque": torque / 1.0,
        "speed": N * A * W / 300,
        "voltage": peak_voltage / 48,
        "heating": np.nan,
    }
    assert one.shares == pytest.approx(expected, rel=1e-6, nan_ok=True)
    assert one.used == max(x for x in one.shares.values() if x == x)
    assert one.shares[one.limited_by] == one.used
    assert one.is_possible == (one.used <= 1)
    assert one.inertia_ratio == pytest.approx(J / N**2 / 1e-4, rel=1e-12)


def test_peaks_and_means_take_both_sides_of_a_jump():
    slide = {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x"}
    model = cardan.Model(bodies={"b": {"mass": 5}}, joints={"s": slide}, inputs={"s": "if(t < 1.3, 2, -3)"})
    duty = duty_of(cardan.simulate(model, 2.0), "s")
    assert duty.peak_torque == 3
    assert duty.rms_torque == pytest.approx(np.sqrt((1.3 * 4 + 0.7 * 9) / 2), rel=1e-12)
    assert duty.load_inertia == 5


def test_inertia_at_the_crank_of_a_closed_loop_is_that_of_its_dynamics():
    """A torque of 1 N m more at the crank accelerates it by 1/J more; the rotor of its motor is no load."""
    crank = cardan.load("slider_crank")
    run = cardan.simulate(crank, 0.2)
    dyn, k = cardan.compile(crank, motors="none"), 100
    q, v = (np.array([run.array(f"{name}.{end}")[k] for name in ("crank", "pin", "slide")]) for end in "qv")
    a = [dyn.forward_dynamics(q, v, tau * np.eye(len(v))[0])[0] for tau in (0.0, 1.0)]
    assert run.array("crank.inertia")[k] == pytest.approx(1 / (a[1] - a[0]), rel=1e-9)


def test_a_rotor_in_front_of_a_stiff_shaft_is_left_out_as_without_the_shaft():
    def driven(train):
        return cardan.Model(
            gravity=[0, 0, 0],
            bodies={"arm": {"inertia": [0, 0, 2]}},
            joints={"r": {"type": "revolute", "parent": "ground", "child": "arm", "axis": "z"}},
            drives={
                "a": {
                    "joint": "r",
                    "source": {"type": "dc", "resistance": 1, "inductance": 1e-3, "constant": 0.1, "inertia": 5e-3},
                    "train": [*train, {"gear": 10}],
                }
            },
            inputs={"a": "5*sin(8*t)"},
        )

    stiff = [{"shaft": {"stiffness": 1e4, "damping": 2.0}}]
    rigid, elastic = (duty_of(cardan.simulate(driven(train), 2.0), "a") for train in ([], stiff))
    assert elastic.rms_torque == pytest.approx(rigid.rms_torque / 10, rel=1e-3)
    assert (rigid.load_inertia, np.isnan(elastic.load_inertia)) == (pytest.approx(2), True)


def test_losses_of_a_gear_act_against_the_flow_of_power(swinging):
    (one,) = cardan.size(
        swinging, "r", catalogue=[CatalogueMotor("m", 1, 1, 1e-12)], ratios=[1.0], efficiency=0.8
    ).choices
    square = (J * A * W**2) ** 2 / 2  # mean square of the load, half of it driving, half braking
    assert one.rms_torque**2 == pytest.approx(
        square * (1 / 0.8**2 + 0.8**2) / 2, rel=1e-3
    )  # trapezoids where the load jumps


def test_possible_choices_come_first_the_fullest_in_front(swinging):
    found = cardan.size(swinging, "r", ratios=np.arange(1, 101))
    used = [one.used for one in found.choices if one.is_possible]
    assert used == sorted(used, reverse=True)
    assert [one.is_possible for one in found.choices] == sorted(
        (one.is_possible for one in found.choices), reverse=True
    )
    assert f"{len(used)} of {len(found.choices)} choices" in repr(found)
    assert len(found.table(5).splitlines()) == 6


def test_a_motor_of_a_run_is_sized_at_its_joint():
    run = cardan.simulate(cardan.load("manutec_r3"))
    duty = duty_of(run, "a5")
    np.testing.assert_allclose(duty.speed, run["r5.v"])
    np.testing.assert_allclose(duty.torque, run["a5.output_torque"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no motor"),
        ("name,resistance,constant\nm,1,2\n", "has no column 'inertia'"),
        ("name,resistance,constant,inertia,colour\nm,1,2,3,4\n", "column 'colour' that has no meaning"),
        ("name,resistance,constant,inertia [kg]\nm,1,2,3\n", "unit of the column 'inertia .kg.'"),
        ("name,resistance,constant,inertia\nm,1,two,3\n", "line 2: 'two' is no number .constant."),
        ("name,resistance,constant,inertia\nm,1,,3\n", "line 2: constant is missing"),
        ("name,resistance,constant,inertia\nm,1,-2,3\n", "line 2: constant is -2"),
    ],
)
def test_a_catalogue_that_cannot_be_is_refused_by_its_line(tmp_path, text, said):
    path = tmp_path / "motors.csv"
    path.write_text(text)
    with pytest.raises(ModelError, match=said):
        read_catalogue(path)


def test_a_catalogue_has_units(tmp_path):
    path = tmp_path / "motors.csv"
    path.write_text(
        "# ours\nname,resistance [ohm],constant [mN*m/A],inertia [g*cm^2],max_speed [rpm]\nm,1,50,30,3000\n"
    )
    (motor,) = read_catalogue(path)
    assert (motor.constant, motor.inertia, motor.max_speed) == pytest.approx((0.05, 3e-6, 100 * np.pi))
    with pytest.raises(ModelError, match="cannot be read"):
        read_catalogue(tmp_path / "none.csv")


@each(
    "options, said",
    [
        ({"drive": "q"}, "no motor and no driven coordinate 'q'"),
        ({"ratios": [0]}, "a gear ratio is zero"),
        ({"ratios": []}, "a gear ratio is zero"),
        ({"efficiency": 1.2}, "an efficiency of 1.2"),
    ],
)
def test_what_cannot_be_is_refused(swinging, options, said):
    with pytest.raises(ModelError, match=said):
        cardan.size(swinging, **{"drive": "r", **options})


def test_runs_that_failed_or_did_nothing_are_refused():
    fallen = {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x"}
    model = cardan.Model(
        bodies={"b": {"mass": 1}}, joints={"s": fallen}, inputs={"s": "1/(0.5 - t)**2"}, gravity=[0, 0, 0]
    )
    with pytest.raises(ModelError, match="did not end as it should"):
        duty_of(cardan.simulate(model, 1.0), "s")
    motor = {"type": "dc", "joint": "s", "resistance": 1, "torque_constant": 0.1, "back_emf_constant": 0.1}
    still = cardan.simulate(model.replace(inputs={}, motors={"m": motor}), 0.1, motors="simplified")
    with pytest.raises(ModelError, match="neither moves nor gives a torque"):
        duty_of(still, "m")


def test_a_joint_that_a_machine_of_three_phases_drives_is_not_sized_as_if_it_had_no_torque():
    source = {"type": "pmsm", "resistance": 1, "inductance": 1e-3, "flux": 0.05, "pole_pairs": 2, "current": [0, 1]}
    joint = {"type": "revolute", "parent": "ground", "child": "arm", "axis": "z"}
    model = cardan.Model(
        bodies={"arm": {"inertia": [1, 1, 1]}},
        joints={"r": joint},
        drives={"a": {"joint": "r", "source": source, "train": [{"gear": 20}]}},
    )
    with pytest.raises(ModelError, match="nothing whose torque is known drives 'r' in this run"):
        cardan.size(cardan.simulate(model, 0.1), "r")
