"""Machines of three phases as sources of drives: against published results, equivalent circuits and own equations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import loads
from tests.selection import each

IMC_DOL = """cardan: 1
gravity: [0, 0, 0]
parameters: {X: 3/(100*pi), k: sqrt(1 - 0.0667)}
let: {U: 100*sqrt(2)*step(t - 0.1), x: 100*pi*t + pi/6}
drives:
  aimc:
    source: {type: induction, stator_resistance: 0.03 + 3e-5, rotor_resistance: 0.04, stator_leakage: X*(1 - k), rotor_leakage: X*(1 - k), magnetising_inductance: X*k, pole_pairs: 2, inertia: 0.29, voltages: [U*sin(x), U*sin(x - 2*pi/3), U*sin(x + 2*pi/3)]}
    train: [{inertia: 0.29, name: load}, {torque: -161.4*(load.v/(1440.45*pi/30))**2}]
"""  # noqa: E501
REFERENCE = {  # time: rotor current, stator current (in the rotor's axes), angle, speed
    0.1315: (-358.4532487 - 516.4738279j, 402.2765786 + 539.4885999j, 0.1584674157, 7.962142912),
    0.1345: (195.7929989 - 563.2764416j, -170.3341676 + 595.4988517j, 0.1860902930, 10.60428880),
    0.485: (120.4034521 - 442.5953545j, -98.02573973 + 467.8669348j, 20.93634085, 124.6752147),
    0.4899: (249.3546902 - 369.5031682j, -235.4974703 + 400.9015821j, 21.55236051, 126.7562588),
    0.785: (38.38841963 - 123.6914527j, 3.267441145 + 141.3817925j, 65.20882457, 150.8438002),
    1.5: (26.56485690 + 126.7627771j, -71.56780286 - 121.9788063j, 173.0621233, 150.8437778),
}
"""IMC_DOL of the Modelica Standard Library, published reference results (MAP-LIB_ReferenceResults).

Its windings are in delta behind a switch of 1e-5 Ω in each line, which is 3e-5 Ω in each winding.
"""


def test_an_induction_machine_started_on_the_line_is_that_of_the_modelica_standard_library():
    t = np.array([0, *REFERENCE])
    run = cardan.simulate(loads(IMC_DOL), times=t, until=1.5, rtol=1e-8)
    turn = np.exp(-2j * run["load.q"].values)
    rotor = (run["aimc.i_rd"].values + 1j * run["aimc.i_rq"].values) * turn
    stator = (run["aimc.i_d"].values + 1j * run["aimc.i_q"].values) * turn
    ours = np.array([rotor, stator, run["load.q"].values, run["load.v"].values]).T[1:]
    # the reference was computed with a tolerance of 1e-6 a step: over the run, twenty times this of the largest values
    assert np.abs((ours - list(REFERENCE.values())) / [630, 630, 173, 151]).max() < 2e-5


def test_an_induction_machine_has_the_currents_of_its_space_vectors():
    """Equations in currents as complex space vectors, by SciPy; what goes in is heat, motion and the fields' energy."""
    Rs, Rr, ls, lr, Lm, p, J, d = 0.4, 0.3, 2e-3, 3e-3, 0.06, 3, 0.02, 1e-3
    source = {"type": "induction", "stator_resistance": Rs, "rotor_resistance": Rr, "stator_leakage": ls}
    source |= {"rotor_leakage": lr, "magnetising_inductance": Lm, "pole_pairs": p, "inertia": J, "damping": d}
    source |= {"voltages": {"d": "80*cos(200*t) + 5", "q": "60*sin(200*t)"}}
    model = cardan.Model(
        gravity=[0, 0, 0],
        drives={"m": {"source": source, "train": []}},
        states={"work": {"rate": "m.power - m.losses"}},
    )
    run = cardan.simulate(model, 0.3, rtol=1e-10)

    def rates(t, y):
        i, ir, w = y
        u = 80 * np.cos(200 * t) + 5 + 60j * np.sin(200 * t)
        flux_r = Lm * i + (lr + Lm) * ir
        L = [[ls + Lm, Lm], [Lm, lr + Lm]]
        di = np.linalg.solve(L, [u - Rs * i, -Rr * ir + 1j * p * w * flux_r])
        torque = 1.5 * p * Lm * (i * np.conj(ir)).imag
        return [*di, (torque - d * w.real) / J]

    y = solve_ivp(rates, (0, 0.3), np.zeros(3, dtype=complex), method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]
    last = {name: run[f"m.{name}"].values[-1] for name in ("i_d", "i_q", "i_rd", "i_rq", "speed", "i_a", "i_b", "i_c")}
    assert [last["i_d"] + 1j * last["i_q"], last["i_rd"] + 1j * last["i_rq"]] == pytest.approx(list(y[:2]), abs=1e-6)
    assert last["speed"] == pytest.approx(y[2].real, abs=1e-6)
    assert last["i_a"] + last["i_b"] + last["i_c"] == pytest.approx(0, abs=1e-12)
    assert last["i_b"] == pytest.approx((y[0] * np.exp(-2j * np.pi / 3)).real, abs=1e-6)
    i, ir = y[:2]
    field = 0.75 * (ls * abs(i) ** 2 + lr * abs(ir) ** 2 + Lm * abs(i + ir) ** 2)
    assert run["work"].values[-1] == pytest.approx(field + J * y[2].real ** 2 / 2, rel=1e-8)


@pytest.mark.parametrize("slip", [1.0, 0.3, 0.0396965, -0.1])
def test_its_torque_over_the_slip_is_that_of_the_equivalent_circuit(slip):
    """Steady state; at the slip of 1440.45 rpm also the nominal point that the Modelica Standard Library prints."""
    speed = (1 - slip) * 50 * np.pi
    text = IMC_DOL.replace(" + 3e-5", "").replace("step(t - 0.1)", "1").replace(", {torque", ", {inertia: 1}]\n# {")
    model = loads(text + f"motions: {{load: {{value: {speed!r}*t}}}}\n")
    run = cardan.simulate(model, 15.0, times=[0, 15], rtol=1e-9)  # at rest the main flux decays in 0.5 s, else faster
    X, k = 3.0, np.sqrt(1 - 0.0667)
    branch = 1 / (1 / (1j * X * k) + 1 / (0.04 / slip + 1j * X * (1 - k)))
    I = 100 / (0.03 + 1j * X * (1 - k) + branch)
    I_r = I * branch / (0.04 / slip + 1j * X * (1 - k))
    assert run["aimc.torque"].values[-1] == pytest.approx(3 * abs(I_r) ** 2 * 0.04 / slip / (50 * np.pi), rel=1e-6)
    assert run["aimc.power"].values[-1] == pytest.approx(3 * 100 * I.real, rel=1e-6)
    if slip == 0.0396965:
        power = run["aimc.torque"].values[-1] * speed
        assert np.hypot(run["aimc.i_d"].values[-1], run["aimc.i_q"].values[-1]) / np.sqrt(2) == pytest.approx(
            100, abs=0.5
        )
        assert run["aimc.torque"].values[-1] == pytest.approx(161.4, abs=0.05)
        assert power == pytest.approx(24346, abs=5)
        assert power / run["aimc.power"].values[-1] == pytest.approx(0.927, abs=5e-4)
        assert run["aimc.power"].values[-1] / (3 * 100 * abs(I)) == pytest.approx(0.875, abs=5e-4)


PMSM = {
    "type": "pmsm",
    "resistance": 0.3,
    "inductance": [0.8e-3, 1.4e-3],
    "flux": 0.02,
    "pole_pairs": 4,
    "inertia": 3e-4,
}


def _pmsm(**keys):
    return cardan.Model(gravity=[0, 0, 0], drives={"d": {"source": PMSM | keys, "train": [{"inertia": 1e-4}]}})


def test_a_synchronous_machine_fed_by_phases_is_the_same_as_fed_along_its_axes():
    angle = "4*d.angle"
    u = [f"-3*cos({angle} - {k}*2*pi/3) - 12*sin({angle} - {k}*2*pi/3) + 7" for k in range(3)]  # and 7 V in all three
    one = cardan.simulate(_pmsm(voltages={"d": "-3", "q": "12"}), 0.2, rtol=1e-9)
    other = cardan.simulate(_pmsm(voltages=u), 0.2, rtol=1e-9)
    for name in ("i_d", "i_q", "speed", "torque", "power", "i_a", "i_c"):
        np.testing.assert_allclose(other[f"d.{name}"].values[-1], one[f"d.{name}"].values[-1], atol=1e-6)


def test_limits_shorten_the_vector_of_voltages_and_of_currents():
    run = cardan.simulate(_pmsm(voltages={"d": "-30", "q": 40}, limits={"voltage": 10}), 0.05)
    assert (run["d.u_d"].values[-1], run["d.u_q"].values[-1]) == pytest.approx((-6, 8))
    fed = cardan.simulate(_pmsm(current=["-6", "8*sin(2*pi*t)"], limits={"current": "7.5 A"}), 1.0)
    np.testing.assert_allclose(np.hypot(fed["d.i_d"], fed["d.i_q"]).max(), 7.5)
    i_d, i_q = fed["d.i_d"].values, fed["d.i_q"].values
    np.testing.assert_allclose(fed["d.torque"], 6 * (0.02 - 0.6e-3 * i_d) * i_q, atol=1e-12)
    np.testing.assert_allclose(4e-4 * fed["d_rotor.a"], fed["d.torque"], atol=1e-12)
    np.testing.assert_allclose(fed["d.power"], fed["d.torque"] * fed["d.speed"] + 0.45 * (i_d**2 + i_q**2), atol=1e-12)


@each(
    "keys, said",
    [
        ({"voltages": [1, 2]}, "three phases, not 2"),
        ({"voltages": {"d": 1, "x": 1}}, "unknown key 'x'"),
        ({"current": 3}, "two numbers"),
        ({"current": [0, 1], "voltages": [1, 2, 3]}, "currents are fed, whatever voltages"),
        ({"voltages": [1, 2, 3], "limits": {"current": 3}}, "no limit of its own"),
        ({"voltages": [1, 2, 3], "limits": {"voltage": -3}}, "the limit -3 is not positive"),
        ({"inductance": [1, 2, 3]}, "two axes, not 3"),
        ({"resistance": -1}, "resistance"),
    ],
)
def test_a_synchronous_machine_that_cannot_be_is_refused(keys, said):
    with pytest.raises(ModelError, match=said):
        _pmsm(**keys)


@each(
    "old, new, said",
    [
        ("X*(1 - k)", "0", "without any leakage"),
        ("pole_pairs: 2", "pole_pairs: 2, limits: {current: 3}", "no limit of its own"),
        ("rotor_resistance: 0.04", "rotor_resistance: -1", "rotor_resistance"),
        ("pole_pairs: 2", "pole_pairs: 2, slip: 1", "unknown key 'slip'"),
    ],
)
def test_an_induction_machine_that_cannot_be_is_refused(old, new, said):
    with pytest.raises(ModelError, match=said):
        loads(IMC_DOL.replace(old, new))
