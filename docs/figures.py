"""Draw motions and loads of some mechanisms of the gallery for their pages, into docs/mechanisms.

python docs/figures.py [FOLDER]
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import cardan
from cardan.view.style import RUN_COLOURS, RUN_DASHES

HERE = Path(__file__).parent
Curve = tuple[str, np.ndarray, np.ndarray]
"""Label, values over the horizontal and the vertical axis."""


def basket_arm() -> Figure:
    """Path of the basket, its coordinates, and the moments of the three drives."""
    loads = cardan.kinetostatics(cardan.load("basket_arm"))
    t, x, y = loads.t, loads.array("x"), loads.array("y")
    figure, panels = _panels(5)
    _draw(panels[0], "Path of the basket (fig. 5)", "x [m]", "y [m]", [("", x, y)])
    panels[0].set_aspect("equal", adjustable="datalim")
    _draw(panels[1], "Position of the basket (fig. 6)", "t [s]", "[m]", [("x", t, x), ("y", t, y)])
    for axes, name, number in zip(panels[2:], ("M1", "M2", "SFORCE_1"), (7, 8, 9), strict=True):
        _draw(axes, f"{name} (fig. {number})", "t [s]", "[N m]", [("", t, loads.array(name))])
    return figure


def parallel_3rrrt() -> Figure:
    """Moments of the three drives, and the constraint forces of three joints of every chain."""
    loads = cardan.kinetostatics(cardan.load("parallel_3rrrt"))
    t = loads.t
    figure, panels = _panels(6)
    for axes, chain, number in zip(panels, "ABC", (12, 13, 14), strict=False):
        title = f"Driving moment of {chain}1 (fig. {number})"
        _draw(axes, title, "t [s]", "[N m]", [("", t, loads.array(f"{chain}1.effort"))])
    between = {"platform – a3, b3, c3 (fig. 15)": 4, "base – a1, b1, c1 (fig. 16)": 1, "a2 – a3, … (fig. 17)": 3}
    for axes, (title, joint) in zip(panels[3:], between.items(), strict=True):
        forces = {chain: loads.array(f"{chain}{joint}.reaction_force") for chain in "ABC"}
        curves = [(f"{chain}{joint}", t, np.linalg.norm(force, axis=1)) for chain, force in forces.items()]
        _draw(axes, f"Force {title}", "t [s]", "[N]", curves)
    return figure


def digging_machine() -> Figure:
    """Path of the scoop along its line, angles, moments of both drives, and how well the line is kept."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cardan.ModelWarning)  # the law of the soil feeds energy in at first
        run = cardan.simulate(cardan.load("digging_machine"))
    t, x, y = run.t, run.array("reach"), run.array("height")
    figure, panels = _panels(5)
    _draw(panels[0], "Path of the scoop", "x [m]", "y [m]", [("", x, y)])
    panels[0].set_aspect("equal", adjustable="datalim")
    _draw(panels[1], "Angles", "t [s]", "[rad]", [(name, t, run.array(f"{name}.q")) for name in ("phi1", "phi2")])
    _draw(panels[2], "Speeds", "t [s]", "[rad/s]", [(name, t, run.array(f"{name}.v")) for name in ("phi1", "phi2")])
    _draw(
        panels[3],
        "Moments of the drives",
        "t [s]",
        "[N m]",
        [(name, t, run.array(f"{name}.effort")) for name in ("phi1", "phi2")],
    )
    _draw(panels[4], "Residual of the line", "t [s]", "[m]", [("", t, run.array("line.residual"))])
    return figure


def crane_load_path() -> Figure:
    """Path of the load, positions and speeds of both drives, angle of the rope, and what the drives exert."""
    run = cardan.simulate(cardan.load("crane_load_path"))
    t, load = run.t, run.array("load.position")
    figure, panels = _panels(5)
    _draw(panels[0], "Path of the load", "x [m]", "z [m]", [("", load[:, 0], load[:, 2])])
    panels[0].set_aspect("equal", adjustable="datalim")
    over = {"Position": ("q", "m"), "Speed": ("v", "m/s"), "Forces of the drives": ("effort", "N")}
    for axes, (title, (result, unit)) in zip(panels[1:], over.items(), strict=False):
        curves = [(joint, t, run.array(f"{joint}.{result}")) for joint in ("travel", "hoist")]
        _draw(axes, title, "t [s]", f"[{unit}]", curves)
    _draw(panels[4], "Angle of the rope", "t [s]", "[deg]", [("", t, np.degrees(run.array("swing.q")))])
    return figure


def shaper() -> Figure:
    """Position and speed of the tool, cutting force over time and stroke, force across, and the moment of the crank."""
    run = cardan.simulate(cardan.load("shaper"))
    t, tool = run.t, run.array("tool")
    along, across, _ = run.array("cut.force.path").T
    figure, panels = _panels(6)
    _draw(panels[0], "Position of the tool", "t [s]", "[m]", [("", t, tool)])
    _draw(panels[1], "Speed of the tool", "t [s]", "[m/s]", [("", t, run.array("speed"))])
    _draw(panels[2], "Cutting force", "t [s]", "[kN]", [("", t, along / 1000)])
    _draw(panels[3], "Cutting force over the stroke", "tool [m]", "[kN]", [("", tool, along / 1000)])
    _draw(panels[4], "Force across the line", "t [s]", "[kN]", [("", t, across / 1000)])
    _draw(panels[5], "Moment of the crank", "t [s]", "[N m]", [("", t, run.array("crank.effort"))])
    return figure


def screw_press() -> Figure:
    """Spindle of the press: angle, speed, force on the workpiece, friction and its limit."""
    run = cardan.simulate(cardan.load("screw_press"))
    friction, limit = run.array("turn.friction"), run.array("turn.friction_limit")
    figure, panels = _panels(4)
    _draw(panels[0], "Angle of the wheel", "t [s]", "[rad]", [("", run.t, run.array("turn.q"))])
    _draw(panels[1], "Speed of the wheel", "t [s]", "[rad/s]", [("", run.t, run.array("turn.v"))])
    _draw(panels[2], "Force on the workpiece", "t [s]", "[kN]", [("", run.t, run.array("pressed") / 1000)])
    _draw(panels[3], "Friction of the thread", "t [s]", "[N m]", [("effort", run.t, friction), ("limit", run.t, limit)])
    return figure


def stick_slip_slider() -> Figure:
    """Block on the belt: spring and speed over time, friction, and the limit cycle."""
    run = cardan.simulate(cardan.load("stick_slip_slider"))
    t, length, speed = run.t, run.array("spring_length"), run.array("run.v") + run.array("slip.v")
    figure, panels = _panels(4)
    _draw(panels[0], "Stretch of the spring", "t [s]", "[m]", [("", t, length)])
    _draw(panels[1], "Speed", "t [s]", "[m/s]", [("block", t, speed), ("belt", t, run.array("run.v"))])
    _draw(panels[2], "Friction on the block", "t [s]", "[N]", [("", t, run.array("slip.friction"))])
    _draw(panels[3], "Limit cycle", "stretch [m]", "speed [m/s]", [("", length, speed)])
    return figure


def door_closer() -> Figure:
    """Angle and speed of the door, its last degree, the gust, the moment of the stop, and the angle of the arm."""
    run = cardan.simulate(cardan.load("door_closer"))
    t, angle = run.t, np.degrees(run.array("hinge.q"))
    last, gust = (t > 4.53) & (t < 4.63), (t > 8.8) & (t < 10.0)
    figure, panels = _panels(6)
    _draw(panels[0], "Angle of the door", "t [s]", "[deg]", [("", t, angle)])
    _draw(panels[1], "Speed", "t [s]", "[rad/s]", [("", t, run.array("hinge.v"))])
    _draw(panels[2], "The last degree", "t [s]", "[deg]", [("", t[last], angle[last])])
    _draw(panels[3], "Gust at the latched door", "t [s]", "[deg]", [("", t[gust], angle[gust])])
    _draw(panels[4], "Moment of the stop", "t [s]", "[N m]", [("", t, run.array("hinge.stop_force"))])
    _draw(panels[5], "Arm on the door", "door [deg]", "arm [deg]", [("", angle, np.degrees(run.array("spindle.q")))])
    return figure


MOTORS = {  # results over time, the motor whose start is enlarged, its end [s]; the point whose path is drawn
    "overhead_crane": (("travel.q", "swing.q", "drive.current"), "drive.current", 0.03, "payload.hook"),
    "planar_3rrr": (("x", "y", "motor1.current"), "motor1.current", 0.03, "platform"),
    "planar_manipulator": (("shoulder.q", "elbow.q", "motor1.current"), "motor1.current", 0.06, "link2.tip"),
    "slider_crank": (("crank.v", "slide.q", "drive.current"), "drive.current", 0.03, "rod.com"),
}
"""Mechanisms of Hoang & Vuong, whose figures compare full motors with simplified ones."""


def motors(name: str) -> Figure:
    """Full motors against simplified ones, the start enlarged, and the path of a point on the mechanism."""
    names, enlarged, end, point = MOTORS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cardan.ModelWarning)  # printed motor constants, docs/errata.md
        model = cardan.load(name)
        runs = {kind: cardan.simulate(model, motors=kind, times=_dense(model, end)) for kind in ("full", "simplified")}
    figure, panels = _panels(5)
    for axes, result in zip(panels, (*names, enlarged), strict=False):
        start = axes is panels[3]
        curves = []
        for kind, run in runs.items():
            seen = run.t <= (end if start else run.t[-1])
            curves.append((kind, run.t[seen], run.array(result)[seen]))
        unit = runs["full"].channels[result].unit
        _draw(axes, f"{result}, the start" if start else result, "t [s]", f"[{unit}]", curves)
    _path(panels[4], model, runs["full"], point)
    return figure


def _dense(model: cardan.Model, end: float) -> np.ndarray:
    """Instants of the whole motion, and many more at its start."""
    until = model.simulate.until.value
    return np.unique(np.concatenate([np.linspace(0, end, 201), np.linspace(0, until, 801)]))


def _path(axes: Axes, model: cardan.Model, run: cardan.Trajectory, point: str) -> None:
    """The path of a point, and the mechanism at its first, middle and last instant."""
    across, up = ("xyz".index(axis) for axis in model.planar)

    def at(place: str) -> np.ndarray:
        name, _, marker = place.partition(".")
        where = f"{name}.{marker}.position" if marker else f"{name}.position"
        return run.array(where)[:, [across, up]]

    links = [(body, f"{body}.{marker}") for body, record in model.bodies.items() for marker in ("com", *record.markers)]
    links += [(rod.parent, rod.child) for rod in model.constraints.values() if rod.type == "distance"]
    for k, shade in ((0, "0.75"), (len(run) // 2, "0.6"), (-1, "0.35")):
        for a, b in links:
            (x0, y0), (x1, y1) = at(a)[k], at(b)[k]
            axes.plot([x0, x1], [y0, y1], color=shade, linewidth=2.2, solid_capstyle="round")
    path = at(point)
    _draw(axes, f"Path of {point}", f"{model.planar[0]} [m]", f"{model.planar[1]} [m]", [("", path[:, 0], path[:, 1])])
    axes.set_aspect("equal", adjustable="datalim")


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(9.0, 5.2), dpi=110, layout="constrained")
    panels = figure.subplots(2, 3)
    for axes in panels.flat[count:]:
        axes.remove()
    return figure, list(panels.flat[:count])


def _draw(axes: Axes, title: str, across: str, up: str, curves: list[Curve]) -> None:
    for k, (label, x, y) in enumerate(curves):
        axes.plot(x, y, color=RUN_COLOURS[k], linestyle=RUN_DASHES[k], label=label)
    axes.set_title(title, fontsize=9)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(color="0.88", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if len(curves) > 1:
        axes.legend(fontsize=8, frameon=False, ncol=3, loc="upper center", bbox_to_anchor=(0.5, -0.22))


def main(folder: Path) -> None:
    """Write all figures."""
    moved = (crane_load_path, digging_machine, door_closer, screw_press, shaper, stick_slip_slider)
    for draw in (basket_arm, parallel_3rrrt, *moved):
        draw().savefig(folder / f"{draw.__name__}.png", metadata={"Software": None})
    for name in MOTORS:
        motors(name).savefig(folder / f"{name}.png", metadata={"Software": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=HERE / "mechanisms", help="other than docs/mechanisms")
    main(parser.parse_args().folder)
