"""Overhead crane with its DC motor: the full model against the one that neglects the inductance.

The mechanism is that of Hoang & Vuong, "Differential equations of motion in matrix form of multibody systems driven by
electric motors", section 3.1: a trolley of mass mt on a rail carries a payload mp on a cable of length L, and a motor
with gear ratio r drives the trolley's wheel of radius rw. With R = r/rw [rad/m] the motor adds to the equations

    M11 += R² Im,   D11 += R² dm,   B = R Km,   La di/dt + Ra i + R Ke v = u                    (full)
    D11 += R² Km Ke / Ra,   B = R Km / Ra                                                     (simplified, La = 0)

What must come out, whatever the program:

* Once the start is over, friction and back-EMF eat the motor's torque: v = R Km u / (d Ra + R² Km Ke), d = d1 + R² dm.
  The swinging payload disturbs this by at most its horizontal pull, mp g max|tan swing|, over the total damping d_s.
* The inductance delays the start. The trolley's transfer function has the denominator (M s + d)(La s + Ra) + R² Km Ke,
  whose linear term holds d La: the full model lags behind by the time d La / (d Ra + R² Km Ke) = 0.50 ms ever after.
* The current of the full model starts at 0 and stays below u/Ra; that of the simplified model starts at u/Ra.

Run it: ``make demo`` or ``python examples/overhead_crane.py``. The figure shows figs. 6-8 of the paper and, enlarged,
the start, where alone the two models differ.
"""

import time
from pathlib import Path

import numpy as np

import cardan

PARAMETERS = {"mp": 0.85, "g": 9.81, "d1": 2.0, "R": 10 / 0.025, "Km": 1.0, "Ke": 0.1, "Ra": 1.0, "La": 1e-3, "dm": 0.1}
VOLTAGE = 10.0  # [V]
START = 0.05  # the current has settled after this time [s]
TIMES = np.union1d(np.linspace(0.0, START, 251), np.linspace(0.0, 5.0, 1001))  # [s]
FIGURE = Path("out") / "overhead_crane.png"


def main() -> None:
    """Simulate both models, print what matters, check it, draw it."""
    begin = time.perf_counter()
    full, simplified = (simulate(motors) for motors in ("full", "simplified"))
    elapsed = time.perf_counter() - begin

    print(f"overhead crane at {VOLTAGE:g} V for {full.t[-1]:g} s, full and simplified motor model")
    row = "  {:<34}{:>14}{:>14}".format
    print(row("", "full", "simplified"))
    for title, figure in FIGURES.items():
        print(row(title, *(f"{figure(run):.6g}" for run in (full, simplified))))
    print(f"  both models built, compiled and simulated in {elapsed:.2f} s")

    check(full, simplified)
    FIGURE.parent.mkdir(exist_ok=True)
    cardan.plot(
        [full, simplified],
        ["drive.current", "travel.v", "swing.q"],
        FIGURE,
        labels=["full", "simplified"],
        title="Overhead crane driven by a DC motor",
        zoom=(0.0, START),
    )
    print(f"  figure: {FIGURE.resolve()}")


def simulate(motors: str) -> cardan.Trajectory:
    """Run the crane of the gallery with one of the motor models."""
    return cardan.simulate(cardan.load("overhead_crane"), motors=motors, inputs={"drive": VOLTAGE}, times=TIMES)


FIGURES = {
    "peak current [A]": lambda run: run.array("drive.current").max(),
    "final trolley velocity [m/s]": lambda run: run.array("travel.v")[-1],
    "largest swing [deg]": lambda run: np.rad2deg(np.abs(run.array("swing.q")).max()),
    "energy balance, error [J]": lambda run: run.report.energy_error,
    "energy balance, error / turnover": lambda run: run.report.relative_energy_error,
    "constraint violation": lambda run: run.report.constraint_violation,
}


def check(full: cardan.Trajectory, simplified: cardan.Trajectory) -> None:
    """Hold the runs against what must come out."""
    p = PARAMETERS
    damping = p["d1"] + p["R"] ** 2 * p["dm"]
    total = damping + p["R"] ** 2 * p["Km"] * p["Ke"] / p["Ra"]
    speed = p["R"] * p["Km"] * VOLTAGE / p["Ra"] / total
    for run in (full, simplified):
        assert run.ok, run.message
        pull = p["mp"] * p["g"] * np.tan(np.abs(run.array("swing.q")).max())
        assert abs(run.array("travel.v")[-1] - speed) < pull / total

    lag = (simplified.array("travel.q")[-1] - full.array("travel.q")[-1]) / speed
    expected = damping * p["La"] / p["Ra"] / total
    assert abs(lag / expected - 1) < 1e-4  # the payload pulls with 0.4 N where the motor pushes with 4000 N

    assert full.array("drive.current")[0] == 0.0
    assert full.array("drive.current").max() < VOLTAGE / p["Ra"]
    assert np.isclose(simplified.array("drive.current")[0], VOLTAGE / p["Ra"], rtol=1e-12)  # round-off


if __name__ == "__main__":
    main()
