"""`bearing_loads`: what every joint has to carry over a run: largest, RMS and cubic mean, components.

The equivalent load of a bearing is P = (∫|F|³ |ω| dt / ∫|ω| dt)^(1/3), ω the angular speed
between the bodies of the joint, or the speed of sliding where it cannot turn. Integrals are sums of trapezoids.

Source: ISO 281:2007, §5 with L ∝ P⁻³; ISO 14728-1 for guides; docs/loads.md
"""

import csv
import io

import numpy as np

from cardan.analysis.run_results import axes_of, marker_on_body, model_of, results, turned
from cardan.displays import shown
from cardan.errors import nearest
from cardan.frozen import dataclass
from cardan.loads.reactions import FRAMES, Frame
from cardan.model.joints import Joint
from cardan.numerics.round_off import ROUND_OFF
from cardan.results.trajectory import Trajectory, check_run

QUANTITIES = {"force": "N", "moment": "N*m"}


@dataclass(frozen=True)
class LoadStatistics:
    """The force or moment that a joint transmits, over a run."""

    joint: str
    quantity: str  # "force" or "moment", the latter about the child marker
    frame: str  # "world", or axes that turn with the marker on the "parent" or "child"
    largest: float  # of the magnitude [N or N m]
    rms: float  # root mean square of the magnitude over time
    cubic_mean: float  # of the magnitude, weighted by the speed of the joint; NaN where the joint never moves
    smallest: tuple[float, float, float]  # of each component; NaN where a planar model cannot know it
    greatest: tuple[float, float, float]  # likewise
    is_unique: bool  # whether the equations determine every component


@dataclass(frozen=True)
class BearingLoads:
    """Loads of all joints over a run; as text a table, `csv` for a file."""

    model: str
    rows: tuple[LoadStatistics, ...]  # by joint, quantity and frame

    def of(self, joint: str, quantity: str = "force", frame: str = "world") -> LoadStatistics:
        """The force or moment of a joint.

        Parameters
        ----------
        joint : str
            Its name.
        quantity : "force" or "moment"
            Which of them.
        frame : "world", "parent" or "child"
            Axes of the components.

        Raises
        ------
        KeyError
            There is no such row.
        """
        for row in self.rows:
            if (row.joint, row.quantity, row.frame) == (joint, quantity, frame):
                return row
        cure = nearest(joint, dict.fromkeys(row.joint for row in self.rows))
        raise KeyError(f'no row has joint "{joint}", quantity "{quantity}" and frame "{frame}"; {cure}')

    def magnitudes(self, row: LoadStatistics) -> tuple[str, str, str]:
        """Largest, RMS and cubic mean as text; 0 where round-off of the largest load of the table is all there is.

        Parameters
        ----------
        row : LoadStatistics
            A row of the table.
        """
        noise = ROUND_OFF * max((r.largest for r in self.rows if not np.isnan(r.largest)), default=0.0)

        def text(x: float) -> str:
            return "–" if np.isnan(x) else "0" if x <= noise else f"{x:.5g}"

        return text(row.largest), text(row.rms), text(row.cubic_mean)

    @property
    def csv(self) -> str:
        """The table as comma-separated values, one row per joint, quantity and frame."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        ends = [f"{axis}_{end}" for axis in "xyz" for end in ("min", "max")]
        writer.writerow(["joint", "quantity", "unit", "frame", "largest", "rms", "cubic_mean", *ends, "unique"])
        for row in self.rows:
            pairs = [x for pair in zip(row.smallest, row.greatest, strict=True) for x in pair]
            numbers = [repr(float(x)) for x in (row.largest, row.rms, row.cubic_mean, *pairs)]
            unit = QUANTITIES[row.quantity]
            writer.writerow([row.joint, row.quantity, unit, row.frame, *numbers, "yes" if row.is_unique else "no"])
        return stream.getvalue()

    def _repr_html_(self) -> str | None:
        """Show the loads as a table in a notebook."""
        return shown(self)

    def __repr__(self) -> str:
        """The magnitudes as a table."""
        head = ("joint", "", "unit", "largest", "RMS", "cubic mean")
        shown = [row for row in self.rows if row.frame == "world"]
        table: list[tuple[str, ...]] = [head]
        for row in shown:
            name = row.joint if row.is_unique else f"{row.joint} *"
            table.append((name, row.quantity, QUANTITIES[row.quantity], *self.magnitudes(row)))
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = [
            "  ".join(w.ljust(n) if k < 3 else w.rjust(n) for k, (w, n) in enumerate(zip(row, widths, strict=True)))
            for row in table
        ]
        if not all(row.is_unique for row in shown):
            lines.append("* statics does not determine how joints share this load: the minimum-norm distribution")
        return "\n".join(lines)

    __str__ = __repr__


def bearing_loads(run: Trajectory) -> BearingLoads:
    """Largest, RMS and cubic mean of the loads of all joints, and the range of their components in three frames.

    Parameters
    ----------
    run : Trajectory
        From `simulate` or `kinetostatics`, or a file of one. Its instants have to show the loads.

    Raises
    ------
    ModelError
        It is no run, or carries no model.
    KeyError
        The run was read from a file that lacks reactions.

    Example
    -------
    >>> import cardan, numpy as np
    >>> run = cardan.kinetostatics(cardan.load("basket_arm"), np.linspace(0, 4, 401))
    >>> round(bearing_loads(run).of("basket").largest, 1)
    1222.4
    """
    check_run(run)
    joints = {name: joint for name, joint in model_of(run).joints.items() if joint.nv < 6}
    rows = []
    for name, joint in joints.items():
        speed = joint_speed(run, name, joint)
        for quantity in QUANTITIES:
            channel = f"{name}.reaction_{quantity}"
            results(run, [channel])
            is_unique = "no" not in run.channels[channel].unique
            for frame in FRAMES:
                load = load_in(run, name, quantity, frame)
                rows.append(_statistics(run.t, name, quantity, frame, load, speed, is_unique))
    return BearingLoads(run.provenance.model, tuple(rows))


def load_in(run: Trajectory, joint: str, quantity: str, frame: Frame) -> np.ndarray:
    """Force or moment (N, 3) that the parent of a `joint` exerts on its child, in world axes or those of a marker."""
    joints = model_of(run).joints
    if joint not in joints:
        raise KeyError(f'no joint is called "{joint}"; {nearest(joint, joints)}')
    load = results(run, [f"{joint}.reaction_{quantity}"])[f"{joint}.reaction_{quantity}"]
    if frame == "world":
        return load
    body, _, R_BM = marker_on_body(run, getattr(joints[joint], frame))
    return turned(axes_of(run, [body])[body] @ R_BM, load)


def joint_speed(run: Trajectory, name: str, joint: Joint) -> np.ndarray:
    """Speed (N,) between the bodies of a joint: of turning [rad/s], of sliding where it cannot turn [m/s]."""
    units = {unit for _, unit in joint.velocities}
    if not units:
        return np.zeros(len(run))
    parent, child = (marker_on_body(run, end) for end in (joint.parent, joint.child))
    if "rad/s" in units:
        return np.linalg.norm(
            _of_body(run, child[0], "angular_velocity") - _of_body(run, parent[0], "angular_velocity"), axis=1
        )
    axes = axes_of(run, [parent[0], child[0]])
    p_C, v_C = _point(run, child, axes[child[0]])
    w, v, p = (_of_body(run, parent[0], what) for what in ("angular_velocity", "velocity", "position"))
    return np.linalg.norm(v_C - v - np.cross(w, p_C - p), axis=1)


def _of_body(run: Trajectory, body: str, what: str) -> np.ndarray:
    """A vector (N, 3) of a body; zero of the ground."""
    return np.zeros((len(run), 3)) if body == "ground" else results(run, [f"{body}.{what}"])[f"{body}.{what}"]


def _point(
    run: Trajectory, marker: tuple[str, np.ndarray, np.ndarray], R_WB: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity (N, 3) of the origin of a marker."""
    body, r_B, _ = marker
    r = R_WB @ r_B
    velocity = _of_body(run, body, "velocity") + np.cross(_of_body(run, body, "angular_velocity"), r)
    return _of_body(run, body, "position") + r, velocity


def _statistics(
    t: np.ndarray, joint: str, quantity: str, frame: str, load: np.ndarray, speed: np.ndarray, is_unique: bool
) -> LoadStatistics:
    from scipy.integrate import trapezoid

    magnitude = np.sqrt(np.nansum(load**2, axis=1)) if len(load) else np.zeros(0)
    if len(t) < 2:
        rms = float(magnitude[0]) if len(t) else np.nan
        cubic = rms if len(t) and speed[0] else np.nan
    else:
        rms = float(np.sqrt(trapezoid(magnitude**2, t) / (t[-1] - t[0])))
        way = trapezoid(speed, t)
        cubic = float(np.cbrt(trapezoid(magnitude**3 * speed, t) / way)) if way > 0 else np.nan
    ends = (np.min(load, axis=0), np.max(load, axis=0)) if len(t) else (np.full(3, np.nan),) * 2
    smallest, greatest = ((float(x), float(y), float(z)) for x, y, z in ends)
    largest = float(magnitude.max()) if len(t) else np.nan
    return LoadStatistics(joint, quantity, frame, largest, rms, cubic, smallest, greatest, is_unique)
