"""Loads as an engineer looks at them: a bearing's force as a polar curve, a drive in the torque–speed plane."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cardan.analysis.loads.bearing_loads import load_in
from cardan.analysis.run_results import model_of, parameters_of
from cardan.analysis.sizing import Sizing
from cardan.errors import nearest
from cardan.loads.reactions import FRAMES, Frame
from cardan.results.trajectory import Trajectory, check_run
from cardan.safety.text import for_plot
from cardan.view.plot import check_image, legend_texts
from cardan.view.style import RUN_COLOURS, RUN_DASHES, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PAIRS = {"yz": (1, 2), "xz": (0, 2), "xy": (0, 1)}


def plot_bearing(
    runs: Trajectory | Sequence[Trajectory],
    joint: str,
    path: str | Path | None = None,
    *,
    frame: Frame = "child",
    labels: Sequence[str] | None = None,
) -> "Figure":
    """Return a figure of the force in a joint as a curve of its two largest components, and write it to a file.

    In the axes of the child the curve shows which side of the pin carries the load, in those of the parent which side
    of the bush. A point marks the first instant.

    Parameters
    ----------
    runs : Trajectory or sequence of Trajectory
        What to draw.
    joint : str
        Name of a joint.
    path : str or Path, optional
        Image to write; the extension chooses the format (png, pdf, svg).
    frame : "child", "parent" or "world"
        Axes in which the force is drawn.
    labels : sequence of str, optional
        One per run, for the legend; by default as of `plot`.

    Raises
    ------
    ModelError
        If something else than runs is given, or a run carries no model.
    KeyError
        If there is no such joint, or the file of the run lacks reactions.
    ValueError
        If there is no such frame, labels and runs differ in number, or matplotlib does not know the image format.
    FileNotFoundError
        If there is no folder for the image.
    """
    drawn = _checked(runs, path)
    if frame not in FRAMES:
        raise ValueError(f'frame "{frame}" is none of {", ".join(FRAMES)}')
    loads = [load_in(run, joint, "force", frame) for run in drawn]
    sizes = np.max([np.nan_to_num(np.nanmax(np.abs(load), axis=0, initial=0.0)) for load in loads], axis=0)
    least = int(np.argmin(sizes[::-1]))  # of equal ones z
    plane = list(_PAIRS)[2 - least]
    figure, axes = _panel()
    for k, load in enumerate(loads):
        x, y = (load[:, i] for i in _PAIRS[plane])
        _curve(axes, x, y, k)
        axes.plot(x[:1], y[:1], "o", color=RUN_COLOURS[k % len(RUN_COLOURS)], markersize=4)
    axes.plot([0], [0], "+", color="0.3")
    axes.set_aspect("equal", "datalim")
    axes.margins(0.05)
    where = "world axes" if frame == "world" else f"axes of the {frame}"
    axes.set_xlabel(for_plot(f"{joint}: force along {plane[0]} [N], {where}"))
    axes.set_ylabel(for_plot(f"force along {plane[1]} [N]"))
    return _finished(figure, axes, drawn, labels, path)


def plot_drive(
    runs: Trajectory | Sequence[Trajectory],
    motor: str,
    path: str | Path | None = None,
    *,
    labels: Sequence[str] | None = None,
) -> "Figure":
    """Return a figure of a motor's torque over its speed, with the point that loads it equally in continuous duty.

    The point has the RMS torque and the mean of the speed's magnitude over the run; it has to lie under the motor's
    characteristic for continuous duty, the curve under that for short duty.

    Parameters
    ----------
    runs : Trajectory or sequence of Trajectory
        What to draw.
    motor : str
        Name of a motor, or of the coordinate of a driven joint, whose effort and velocity are drawn.
    path : str or Path, optional
        Image to write; the extension chooses the format (png, pdf, svg).
    labels : sequence of str, optional
        One per run, for the legend; by default as of `plot`.

    Raises
    ------
    ModelError
        If something else than runs is given.
    KeyError
        If there is no such motor or coordinate.
    ValueError
        If there is nothing to draw, labels and runs differ in number, or matplotlib does not know the image format.
    FileNotFoundError
        If there is no folder for the image.
    """
    drawn = _checked(runs, path)
    figure, axes = _panel()
    units = ("", "")
    for k, run in enumerate(drawn):
        names = _drive(run, motor)
        speed, torque = (run.array(name) for name in names)
        units = (run.channels[names[0]].unit, run.channels[names[1]].unit)
        _curve(axes, speed, torque, k)
        point = _mean(run.t, np.abs(speed)), np.sqrt(_mean(run.t, torque**2))
        axes.plot(*([x] for x in point), "o", color=RUN_COLOURS[k % len(RUN_COLOURS)])
        text = "\n".join(map(for_plot, (f"RMS {point[1]:.3g} {units[1]}", f"at {point[0]:.3g} {units[0]}")))
        axes.annotate(text, point, (6, 6), textcoords="offset points", fontsize="small")
        _envelope(axes, run, motor)
    axes.axhline(0, color="0.6", linewidth=0.8)
    axes.axvline(0, color="0.6", linewidth=0.8)
    axes.margins(0.05)
    axes.set_xlabel(for_plot(f"{motor}: speed [{units[0]}]"))
    axes.set_ylabel(for_plot(f"{'force' if units[1] == 'N' else 'torque'} [{units[1]}]"))
    return _finished(figure, axes, drawn, labels, path)


def _envelope(axes: "Axes", run: Trajectory, motor: str) -> None:
    """Draw what a motor of constant numbers gives at rest currents under the largest voltage of a run, both ways."""
    if motor not in (known := model_of(run).motors if run.provenance.source else {}) or f"{motor}.voltage" not in run:
        return
    record, values = known[motor], parameters_of(run)
    numbers = [getattr(record, key) for key in ("resistance", "torque_constant", "back_emf_constant")]
    if any(not scalar.names <= values.keys() for scalar in numbers):
        return
    R, K, Ke = (float(scalar.evaluate(values.__getitem__)) for scalar in numbers)
    U, w = float(np.abs(run.array(f"{motor}.voltage")).max()), run.array(f"{motor}.speed")
    ends = np.array([w.min(initial=0.0), w.max(initial=0.0)])
    for sign in (1, -1):
        label = for_plot(f"at {U:.3g} V, the largest voltage") if sign == 1 else None
        axes.plot(ends, K * (sign * U - Ke * ends) / R, "--", color="0.5", linewidth=0.9, label=label)


def _checked(runs: Trajectory | Sequence[Trajectory], path: str | Path | None) -> list[Trajectory]:
    if path is not None:
        check_image(Path(path))
    drawn = [runs] if isinstance(runs, Trajectory | str) else list(runs)
    for run in drawn:
        check_run(run)
    if not drawn or not all(map(len, drawn)):
        raise ValueError("there is no instant to draw")
    return drawn


def _panel() -> tuple["Figure", "Axes"]:
    figure, ((axes,),) = new_figure(1, 1, shared=False)
    figure.set_size_inches(6.0, 5.0)
    return figure, axes


def _curve(axes: "Axes", x: np.ndarray, y: np.ndarray, k: int) -> None:
    axes.plot(x, y, color=RUN_COLOURS[k % len(RUN_COLOURS)], linestyle=RUN_DASHES[k % len(RUN_DASHES)])


def _drive(run: Trajectory, motor: str) -> tuple[str, str]:
    """Names of speed and torque."""
    for names in ((f"{motor}.speed", f"{motor}.torque"), (f"{motor}.v", f"{motor}.effort")):
        if all(name in run.channels for name in names):
            return names
    known = [name.removesuffix(end) for name in run.names for end in (".torque", ".effort") if name.endswith(end)]
    raise KeyError(f'no motor or driven coordinate is called "{motor}"; {nearest(motor, known)}')


def _mean(t: np.ndarray, values: np.ndarray) -> float:
    """Mean over time by trapezoids."""
    return float(np.diff(t) @ (values[1:] + values[:-1]) / 2 / (t[-1] - t[0])) if len(t) > 1 else float(values[0])


def _finished(
    figure: "Figure", axes: "Axes", drawn: list[Trajectory], labels: Sequence[str] | None, path: str | Path | None
) -> "Figure":
    from matplotlib.lines import Line2D

    texts, (lines, known) = legend_texts(drawn, labels), axes.get_legend_handles_labels()
    if known and not any(texts):
        axes.legend(lines, known, frameon=False)
    if any(texts):
        looks = [(RUN_COLOURS[k % len(RUN_COLOURS)], RUN_DASHES[k % len(RUN_DASHES)]) for k in range(len(drawn))]
        handles = [Line2D([], [], color=color, linestyle=dashes) for color, dashes in looks]
        axes.legend(handles, texts, frameon=False)
    models = {run.provenance.model for run in drawn}
    figure.suptitle(for_plot(models.pop()) if len(models) == 1 else "", x=0.01, ha="left")
    if path is not None:
        figure.savefig(Path(path))
    return figure


def plot_sizing(found: Sizing, path: str | Path | None = None, choice: int = 0) -> "Figure":
    """Return a figure of what a choice of motor and gear has to give, torque over speed, within what it can give.

    Parameters
    ----------
    found : Sizing
        What `size` returned.
    path : str or Path, optional
        Image to write; the extension chooses the format (png, pdf, svg).
    choice : int
        Number of the choice among `found.choices`.

    Raises
    ------
    IndexError
        If there is no such choice.
    ValueError
        If matplotlib does not know the image format.
    FileNotFoundError
        If there is no folder for the image.
    """
    if path is not None:
        check_image(Path(path))
    one, duty = found.choices[choice], found.duty
    speed, torque = one.motor_motion(duty)
    figure, axes = _panel()
    _curve(axes, speed, torque, 0)
    point, text = (float(duty.mean(np.abs(speed))), one.rms_torque), for_plot(f"RMS {one.rms_torque:.3g} N*m")
    axes.plot(*([x] for x in point), "o", color=RUN_COLOURS[0])
    axes.annotate(text, point, (6, 6), textcoords="offset points", fontsize="small")
    reach = max(float(np.abs(speed).max()), float(np.nan_to_num(one.motor.max_speed)))
    w = np.linspace(-reach, reach, 401)
    for text, highest, dashes in (("peak", one.motor.max_torque, "-"), ("continuous", one.motor.rated_torque, "--")):
        upper, lower = np.fmin(highest, one.motor.torque_at(w)), np.fmax(-highest, -one.motor.torque_at(-w))
        axes.plot(w, upper, dashes, color="0.5", linewidth=0.9, label=text)
        axes.plot(w, lower, dashes, color="0.5", linewidth=0.9)
    axes.axhline(0, color="0.6", linewidth=0.8)
    axes.axvline(0, color="0.6", linewidth=0.8)
    axes.margins(0.05)
    axes.set_xlabel(for_plot("speed of the motor [rad/s]"))
    axes.set_ylabel(for_plot("torque of the motor [N*m]"))
    axes.legend(frameon=False)
    title = f"{one.motor.name}, ratio {one.ratio:g}: {one.used:.0%} used, limited by {one.limited_by}"
    figure.suptitle(for_plot(title), x=0.01, ha="left")
    if path is not None:
        figure.savefig(Path(path))
    return figure
