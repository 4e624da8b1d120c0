"""Motors whose currents decay fast: exact solutions of their linear equations, at the ends of steps and between them.

Source: the matrix exponential. The errors are those of 2001 instants, in units of atol + rtol max |x|.
"""

from functools import cache
from pathlib import Path

import numpy as np
from scipy.linalg import expm

import cardan
from tests.selection import each

MODEL = Path(__file__).parent / "models" / "geared_motor_pid.yaml"
TIMES = np.linspace(0, 5, 2001)
POLES = [-392, -4 - 5.4j, -4 + 5.4j, -0.45]
MOST = 50  # error over tolerance: some ten errors of steps, which decay, and five times as much between their ends


@cache
def exact():
    """(axle.q, axle.v, drive.current, e) at the instants: ẋ = A x + b from rest, with b in the last column."""
    r, K, R, L, J, d, kp, ki, kd = 50, 0.05, 1.000875, 2.5e-3, 1, 0.1, 19.134242, 7.966224, 0.821125
    A = np.zeros((5, 5))
    A[0, 1] = 1
    A[1, 1:3] = -d / J, r * K / J
    A[2] = np.array([-kp, -kd - r * K, -R, ki, kp]) / L
    A[3, 0], A[3, 4] = -1, 1
    found = sorted(np.linalg.eigvals(A[:4, :4]), key=lambda pole: (pole.real, pole.imag))
    np.testing.assert_allclose(found, POLES, rtol=1e-6)  # digits of the gains
    step, x = expm(A * TIMES[1]), np.eye(5)[4]  # powers of it lose 2000 round-offs
    return np.array([x[:4], *((x := step @ x)[:4] for _ in TIMES[1:])])


def error(x, rtol):
    """The largest error of any state over its tolerance, with the atol that goes with rtol."""
    return np.max(np.abs(x - exact()) / (0.01 * rtol + rtol * np.abs(exact()).max(axis=0)))


@each("rtol", [1e-6, 1e-8, 1e-11])
@each("method", ["auto", "tsit5", "dop853", "rodas5p"])
def test_the_current_keeps_its_tolerance(method, rtol):
    run = cardan.simulate(cardan.load(MODEL), times=TIMES, method=method, rtol=rtol)
    assert run.ok
    assert run.state_names == ("axle.q", "axle.v", "drive.current", "e")
    assert error(run.x, rtol) < MOST


@each("name, motors", [("worm_hoist", "full"), ("manutec_r3", "simplified")])
def test_decays_beside_other_motions_keep_their_tolerance_between_the_ends_of_steps(name, motors):
    """Heat that grows smoothly, or other axes, hide what is left of the current's decay; `tsit5` resolves it."""
    model = cardan.load(name)
    times = np.linspace(0, 1.2, 2001)
    truth, run = (
        cardan.simulate(model, motors=motors, times=times, method=method, rtol=rtol)
        for method, rtol in (("tsit5", 1e-13), ("dop853", 1e-10))
    )
    assert run.ok
    tolerance = 1e-12 + 1e-10 * np.abs(truth.x).max(axis=0)
    assert np.max(np.abs(run.x - truth.x) / tolerance) < MOST


@each("method", ["auto", "dop853"])
def test_so_it_does_in_a_sweep(method):
    """Eight trajectories side by side, of which the first is the exact one."""
    inductances = 2.5e-3 * np.linspace(1, 2, 8)
    found = cardan.sweep(
        cardan.load(MODEL),
        parameters={"L": inductances},
        times=TIMES,
        method=method,
        outputs=["axle.q", "drive.current"],
    )
    x = np.stack([found["axle.q"][0], exact()[:, 1], found["drive.current"][0], exact()[:, 3]], axis=-1)
    assert error(x, 1e-8) < MOST
