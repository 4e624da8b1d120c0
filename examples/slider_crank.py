"""Slider-crank with its DC motor: the full model against the simplified one, Baumgarte's method against projection.

The mechanism is that of Hoang & Vuong, "Differential equations of motion in matrix form of multibody systems driven by
electric motors", section 3.3: a motor with gear ratio r drives a crank l1 with a flywheel Jw, a rod l2 pushes a slider.
One loop closes, so that the equations are

    M q̈ + C q̇ + D q̇ + g = B u + Φqᵀ λ,   Φ(q) = 0.

What must come out, whatever the program:

* Over a turn of the steady motion nothing is stored, so the motor gives what friction takes: with the torque
  (r Km/Ra)(u − Ke r v) and the damping r² dm the mean of v over the crank's angle is Km r u / (r² dm Ra + r² Km Ke).
* The rod swings by asin(l1/l2) to either side, and the slider runs between l2 − l1 and l2 + l1.
* The inductance delays the start: the full model lags behind by the time d La / (d Ra + r² Km Ke), d = r² dm.
* Projection holds the loop closed to round-off, at any step. Baumgarte's Φ̈ + 2α Φ̇ + β² Φ = 0, with
  α = β = 20/s, holds it to the error of the integration, and with neither the gap grows.

Run it: ``python examples/slider_crank.py``. The first figure shows figs. 9-12 of the paper and, enlarged, the start,
the second one the gap of the loop at a fixed step.
"""

import time
from pathlib import Path

import numpy as np

import cardan

L1, L2, R = 0.2, 0.5, 10  # crank and rod [m], gear ratio
KM, KE, RA, LA, DM, VOLTAGE = 3.0, 0.1, 3.0, 1e-3, 0.1, 20.0  # motor, SI
START = 0.02  # the current has risen after this time [s]
TIMES = np.union1d(np.linspace(0.0, START, 201), np.linspace(0.0, 3.0, 1501))  # [s]
STEP = 2e-3  # of the comparison of stabilizations [s]: coarse, so that the gap is seen
FIGURES = Path("out")
RESULTS = ["drive.current", "crank.v", "rod_angle", "slide.q"]  # figs. 9 to 12


def main() -> None:
    """Simulate, print what matters, check it, draw it."""
    begin = time.perf_counter()
    full, simplified = (simulate(motors) for motors in ("full", "simplified"))
    fixed = {"method": "rk4", "step": STEP, "times": np.linspace(0.0, 3.0, 301)}
    ways = {name: simulate("simplified", stabilization=name, **fixed) for name in STABILIZATIONS}
    elapsed = time.perf_counter() - begin

    print(f"slider-crank at {VOLTAGE:g} V for {full.t[-1]:g} s, full and simplified motor model")
    row = "  {:<34}{:>14}{:>14}".format
    print(row("", "full", "simplified"))
    for title, figure in SUMMARY.items():
        print(row(title, *(f"{figure(run):.6g}" for run in (full, simplified))))
    print(f"  largest gap of the loop, Runge-Kutta 4 at {1e3 * STEP:g} ms:")
    for name, run in ways.items():
        print(f"  {STABILIZATIONS[name]:<34}{run.array('gap').max():>14.2g} m")
    print(f"  everything built, compiled and simulated in {elapsed:.2f} s")

    check(full, simplified, ways)
    FIGURES.mkdir(exist_ok=True)
    comparison = FIGURES / "slider_crank.png"
    labels = ["full", "simplified"]
    title = "Slider-crank driven by a DC motor"
    cardan.plot([full, simplified], RESULTS, comparison, labels=labels, title=title, zoom=(0.0, START))
    print(f"  figure: {comparison.resolve()}")
    print(f"  figure: {draw_gaps(ways).resolve()}")


STABILIZATIONS = {"none": "none", "baumgarte": "Baumgarte, 20/s", "projection": "projection"}


def simulate(motors: str, **options: object) -> cardan.Trajectory:
    """Run the slider-crank of the gallery with one of the motor models; its outputs are the rod's angle and the gap."""
    gap = "hypot(rod.wrist.x - slider.x, rod.wrist.y - slider.y)"  # of the joint that closes the loop
    outputs = {"rod_angle": "-(crank + pin)", "gap": gap}  # the paper's q2, clockwise
    model = cardan.load("slider_crank").replace(outputs=outputs)
    return cardan.simulate(model, motors=motors, **{"times": TIMES, **options})


def mean_speed(run: cardan.Trajectory) -> float:
    """Mean of the crank's velocity over the angle of its last whole turn [rad/s]."""
    angle, speed = run.array("crank.q"), run.array("crank.v")
    last = np.linspace(angle[-1] - 2 * np.pi, angle[-1], 1001)
    return float(np.trapezoid(np.interp(last, angle, speed), last) / (2 * np.pi))


SUMMARY = {
    "peak current [A]": lambda run: run.array("drive.current").max(),
    "mean crank velocity [rad/s]": mean_speed,
    "largest angle of the rod [deg]": lambda run: np.rad2deg(run.array("rod_angle").max()),
    "stroke of the slider [m]": lambda run: np.ptp(run.array("slide.q")),
    "energy balance, error / turnover": lambda run: run.report.relative_energy_error,
    "constraint violation": lambda run: run.report.constraint_violation,
}


def check(full: cardan.Trajectory, simplified: cardan.Trajectory, ways: dict[str, cardan.Trajectory]) -> None:
    """Hold the runs against what must come out."""
    total = R**2 * DM * RA + R**2 * KM * KE
    for run in (full, simplified):
        assert run.ok, run.message
        # the start has died away by e^(-3 s/0.1 s); the coil's energy and the mean over 1001 angles are good to 1e-4
        assert abs(mean_speed(run) / (KM * R * VOLTAGE / total) - 1) < 1e-4
        # instants lie 0.02 rad apart, so the extremes are met to half the square of that
        assert abs(run.array("rod_angle").max() - np.arcsin(L1 / L2)) < 1e-3
        assert abs(np.ptp(run.array("slide.q")) - 2 * L1) < 1e-3

    lag = (simplified.array("crank.q")[-1] - full.array("crank.q")[-1]) / simplified.array("crank.v")[-1]
    assert abs(lag / (R**2 * DM * LA / total) - 1) < 0.05  # the crank's speed varies by 3 percent over a turn
    assert full.array("drive.current")[0] == 0.0

    gaps = {name: run.array("gap").max() for name, run in ways.items()}
    assert gaps["projection"] < 1e-10 < gaps["baumgarte"] < gaps["none"]


def draw_gaps(ways: dict[str, cardan.Trajectory]) -> Path:
    """Draw the gap of the loop over time, one line for each way to stabilize it."""
    path = FIGURES / "slider_crank_gap.png"
    labels = [STABILIZATIONS[name] for name in ways]
    figure = cardan.plot(list(ways.values()), ["gap"], labels=labels, title="Slider-crank: gap")
    figure.set_size_inches(7.0, 4.0)
    (axes,) = figure.axes
    axes.set(yscale="log", ylabel="gap [m]", ylim=(1e-17, 1e-6))
    figure.savefig(path)
    return path


if __name__ == "__main__":
    main()
