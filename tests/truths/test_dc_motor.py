"""Start of a DC motor with permanent magnet: exact solution of its equations, and the Modelica library's numbers.

Source: Modelica Standard Library, Electrical.Machines.Examples.DCMachines.DCPM_Start, values at 2 s.
"""

import numpy as np
import pytest
from scipy.linalg import expm

import cardan
from tests.selection import each

MODEL = "dc_motor_start"
RA, LA, K, J, LOAD = 0.05, 1.5e-3, 0.6366197723675815, 0.3, 63.66
TIMES = np.linspace(0, 2, 41)
TOLERANCE = 1e-8  # on currents up to 1e3 A and angles up to 2e2 rad: rtol 1e-12 with some hundred steps

MODELICA = {"i": 99.97434664106567, "phi": 210.22598365106813, "w": 149.22784527717297}
MODELICA_TOLERANCE = {
    "i": 2e-4,
    "phi": 2e-5,
    "w": 2e-5,
}  # acceptance of the benchmark: its run has 1e-8


def exact(times):
    """(φ, ω, i) by the matrix exponential, from one change of the inputs to the next.

    ẋ = A x + b + c t with x = (φ, ω, i, u, u̇): the voltage's ramp makes two more states.
    """
    corners = [(0.0, 0.0, 0.0), (0.2, 125.0, 0.0), (1.0, 0.0, 0.0), (1.5, 0.0, LOAD)]  # from here on: du/dt, load
    out, x = [], np.zeros(6)  # φ, ω, i, u, du/dt, load
    x_of, start = {}, 0.0
    A = np.zeros((6, 6))
    A[0, 1], A[1, 2], A[1, 5] = 1, K / J, -1 / J
    A[2, 1], A[2, 2], A[2, 3], A[3, 4] = -K / LA, -RA / LA, 1 / LA, 1
    for begin, slope, load in corners:
        x = expm(A * (begin - start)) @ x
        x[4:] = slope, load
        x_of[begin], start = x.copy(), begin
    for t in times:
        begin = max(corner for corner in x_of if corner <= t)
        out.append(expm(A * (t - begin)) @ x_of[begin])
    return np.array(out)[:, :3]


@each("method", ["dop853", "tsit5", "rodas5p"])
def test_exact_solution(method):
    """The ramp of the table and the step of the load are steps of the integration, too."""
    motion = cardan.simulate(cardan.load(MODEL), times=TIMES, method=method, rtol=1e-12, atol=1e-12)
    assert motion.ok
    assert motion.state_names == ("bearing.q", "bearing.v", "machine.current")
    np.testing.assert_allclose(motion.x, exact(TIMES), atol=TOLERANCE, rtol=0)


def test_modelica():
    motion = cardan.simulate(cardan.load(MODEL), rtol=1e-10)
    ours = dict(zip(("phi", "w", "i"), motion.x[-1], strict=True))
    for name, value in MODELICA.items():
        assert ours[name] == pytest.approx(value, abs=MODELICA_TOLERANCE[name])


def test_the_model_of_an_ideal_machine_keeps_the_power_balance():
    motion = cardan.simulate(cardan.load(MODEL), rtol=1e-10)
    assert np.abs(motion.array("work.conversion")).max() < 1e-12 * motion.report.energy_scale  # Km = Ke: round-off only
    assert motion.report.energy_error < 1e-8 * motion.report.energy_scale
