"""Planar 3-RRR manipulator with three DC motors: the full model against the simplified one, and the platform's path.

The mechanism is that of Hoang & Vuong, "Differential equations of motion in matrix form of multibody systems driven by
electric motors", section 3.4: three cranks, driven by motors at the corners of a triangle, move a platform through
three rods in a horizontal plane. Three loops close; the rods have no mass of their own and are constant distances.
The paper prints the equations, eq. (39), and no figure; these show what its figures show of the other mechanisms.

What must come out, whatever the program:

* Rods keep their length, so the three loops stay closed.
* Electric power is accounted for: what comes in and what the ideal motor adds is stored or lost.
* The inductance is small beside the motion: La/Ra = 0.33 ms against periods of the voltages above 0.7 s. The currents
  differ by about La/Ra times the rate of the simplified one's, and the platform moves almost alike.
* Nothing but the rods acts on the platform: the sum of their forces is its mass times its acceleration.

Run it: ``python examples/planar_3rrr.py``. The first figure compares the two models, the second one shows the path.
"""

import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import cardan

RA, LA = 3.0, 1e-3  # [ohm], [H]
ROD = 0.35  # [m]
MASS = 1.5 + 3 * 0.8 / 2  # of the platform with its halves of the rods [kg]
START = 0.02  # the currents have settled after this time [s]
TIMES = np.union1d(np.linspace(0.0, START, 101), np.linspace(0.0, 2.5, 1001))  # [s]
FIGURES = Path("out")
RESULTS = ["motor1.current", "crank1.v", "x", "y", "phi"]
LEGS = (1, 2, 3)


def main() -> None:
    """Simulate both models, print what matters, check it, draw it."""
    begin = time.perf_counter()
    full, simplified = (simulate(motors) for motors in ("full", "simplified"))
    elapsed = time.perf_counter() - begin

    print(f"planar 3-RRR manipulator for {full.t[-1]:g} s, full and simplified motor model")
    row = "  {:<34}{:>14}{:>14}".format
    print(row("", "full", "simplified"))
    for title, figure in SUMMARY.items():
        print(row(title, *(f"{figure(run):.6g}" for run in (full, simplified))))
    print(f"  both models built, compiled and simulated in {elapsed:.2f} s")

    check(full, simplified)
    FIGURES.mkdir(exist_ok=True)
    comparison = FIGURES / "planar_3rrr.png"
    labels = ["full", "simplified"]
    title = "Planar 3-RRR manipulator"
    cardan.plot([full, simplified], RESULTS, comparison, labels=labels, title=title, zoom=(0.0, START))
    print(f"  figure: {comparison.resolve()}")
    print(f"  figure: {draw_path(full).resolve()}")


def simulate(motors: str) -> cardan.Trajectory:
    """Run the manipulator of the gallery with one of the motor models."""
    return cardan.simulate(cardan.load("planar_3rrr"), motors=motors, times=TIMES)


def farthest(run: cardan.Trajectory) -> float:
    """Largest distance of the platform's centre from where it started [m]."""
    return float(np.hypot(run.array("x") - run.array("x")[0], run.array("y") - run.array("y")[0]).max())


SUMMARY = {
    "largest current [A]": lambda run: max(np.abs(run.array(f"motor{k}.current")).max() for k in LEGS),
    "largest crank velocity [rad/s]": lambda run: max(np.abs(run.array(f"crank{k}.v")).max() for k in LEGS),
    "platform's farthest way [mm]": lambda run: 1e3 * farthest(run),
    "platform's largest turn [deg]": lambda run: np.rad2deg(np.ptp(run.array("phi"))),
    "largest pull in a rod [N]": lambda run: max(run.array(f"rod{k}.tension").max() for k in LEGS),
    "energy balance, error / turnover": lambda run: run.report.relative_energy_error,
    "constraint violation": lambda run: run.report.constraint_violation,
}


def check(full: cardan.Trajectory, simplified: cardan.Trajectory) -> None:
    """Hold the runs against what must come out."""
    for run in (full, simplified):
        assert run.ok, run.message
        assert run.report.relative_energy_error < 1e-7  # 10 tolerances of a step
        for k in LEGS:
            rod = run.array(f"platform.B{k}.position") - run.array(f"crank{k}.A.position")
            assert np.abs(np.linalg.norm(rod, axis=1) - ROD).max() < 1e-12  # round-off of the projection
        pull = sum(run.array(f"rod{k}.force") for k in LEGS)
        mass_times_acceleration = MASS * np.column_stack([run.array(f"platform.{axis}.a") for axis in "xy"])
        assert np.abs(pull[:, :2] - mass_times_acceleration).max() < 1e-9  # [N]; Newton, with nothing but the rods

    settled = full.t > START
    for k in LEGS:
        current = simplified.array(f"motor{k}.current")
        lag = LA / RA * np.abs(np.gradient(current, full.t)).max()
        difference = np.abs(full.array(f"motor{k}.current") - current)[settled].max()
        assert difference < 3 * lag  # the lag itself, and what the other two motors' lags make of the motion
    for name in ("x", "y"):
        assert np.abs(full.array(name) - simplified.array(name)).max() < 0.02 * farthest(full)


def draw_path(run: cardan.Trajectory) -> Path:
    """Draw the path of the platform's centre, and the mechanism where it starts and where it ends."""
    figure = Figure(figsize=(9.0, 5.2), dpi=150, layout="constrained")
    whole, near = figure.subplots(1, 2, width_ratios=[1.3, 1.0])
    for instant, colour, label in ((0, "0.65", "at 0 s"), (-1, "#0072b2", f"at {run.t[-1]:g} s")):
        draw_mechanism(whole, run, instant, colour, label)
    for axes in (whole, near):
        axes.plot(run.array("x"), run.array("y"), color="#d55e00", label="path of the centre")
        axes.set(aspect="equal", xlabel="x [m]", ylabel="y [m]")
        axes.grid(color="0.88", linewidth=0.6)
        axes.set_axisbelow(True)
    for instant, colour in ((0, "0.65"), (-1, "#0072b2")):
        near.plot(run.array("x")[instant], run.array("y")[instant], "o", color=colour)
    whole.legend(loc="upper left", frameon=False)
    figure.suptitle("Planar 3-RRR manipulator: path of the platform, enlarged on the right", x=0.01, ha="left")
    path = FIGURES / "planar_3rrr_path.png"
    figure.savefig(path)
    return path


def draw_mechanism(axes, run: cardan.Trajectory, instant: int, colour: str, label: str) -> None:
    """Draw cranks, rods and platform at one instant."""
    corners = np.array([run.array(f"platform.B{k}.position")[instant, :2] for k in LEGS])
    axes.fill(*corners.T, color=colour, alpha=0.3)
    for k, corner in zip(LEGS, corners, strict=True):
        base, elbow = (run.array(f"{name}.position")[instant, :2] for name in (f"base.O{k}", f"crank{k}.A"))
        axes.plot(*np.array([base, elbow, corner]).T, "o-", color=colour, markersize=4, label=label if k == 1 else None)


if __name__ == "__main__":
    main()
