"""A recorded motion: columns of a run, a dataset or a CSV file as coordinates, rates and efforts of a mechanism.

An instant that stands twice in a record is a jump, as in runs whose friction reverses or whose stops are hit: its two
rows are the limits from before and after. Derivatives are those of the pieces between jumps, and of the two rows the
second counts.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import ModelError, warn
from cardan.kinematics.relative import RelativeMotion
from cardan.kinematics.tree import Coordinate, Tree
from cardan.model.signal import MAX_FILE_SIZE
from cardan.model.units import read_header_unit
from cardan.numerics.round_off import HALF_THE_DIGITS, ROUND_OFF
from cardan.results.trajectory import Trajectory
from cardan.safety.reading import read_bounded
from cardan.system.contacts import JointFriction

Array = np.ndarray
LEAST_JUDGED = 7  # instants between jumps; of fewer a factor explains nearly all
EFFORTS = {"m/s": "N", "rad/s": "N*m"}  # unit of an effort by that of the velocity


def recorded_motion(
    tree: Tree, record: Any, frictions: Sequence[JointFriction]
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """t (N,), q (N, nq), v, a, efforts on velocities (N, nv), and friction along relative motions (N, k), of a record.

    An instant that stands twice has the values after its jump.

    Friction of the model that the record does not contain is zero, with a warning.
    """
    units = _units(tree, frictions)
    found, sizes = _columns(record, units)
    if "t" not in found:
        raise ModelError("the record has no instants", "give a column t")
    columns = {name: _numbers(found[name]) for name in units if name in found}
    columns = {name: sizes[name] * column if name in sizes else column for name, column in columns.items()}
    t = columns["t"]
    if not np.isfinite(t).all():
        fault = f"row {int(np.argmin(np.isfinite(t))) + 1} of the record has no number in the column t"
        raise ModelError(fault, "write its instant, or leave the row out")
    if t.ndim != 1 or len(t) < 1 or not _grow(t):
        cure = "sort its rows by t, each instant once, or twice where values jump: before and after the jump"
        raise ModelError("the instants of the record do not grow", cure)
    for name, values in columns.items():
        if values.shape != t.shape:
            fault = f"the column {name!r} of the record has the shape {values.shape}, but there are {len(t)} instants"
            raise ModelError(fault, "give one number for each instant")
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            fault = f"the column {name!r} of the record has no finite number at t = {t[row]:.6g} s, in row {row + 1}"
            raise ModelError(fault, "write it, or leave the row out")
    q = []
    for entry in tree.coordinates:
        column = next((columns[name] for name in (f"{entry.name}.q", entry.name) if name in columns), None)
        if column is None:
            cure = f"add a column {entry.name}.q; it has {', '.join(list(found)[:8])}"
            raise ModelError(f"the coordinate {entry.name!r} is not in the record", cure)
        q.append(column)
    if tree.nq != tree.nv:
        lost = [entry.name for entry in tree.velocities if f"{entry.name}.v" not in columns]
        if lost:
            raise ModelError(f"the velocity {lost[0]!r} is not in the record", f"add a column {lost[0]}.v")
    v, a = [], []
    pieces = _pieces(t)
    longest = max(pieces, key=lambda piece: piece.stop - piece.start)
    for k, entry in enumerate(tree.velocities):
        has_velocity = f"{entry.name}.v" in columns
        v.append(columns[f"{entry.name}.v"] if has_velocity else _rates(t, q[k], pieces))
        if has_velocity and tree.nq == tree.nv:
            _check_derivative(t, (f"{entry.name}.q", q[k]), (f"{entry.name}.v", v[k]), pieces)
        if f"{entry.name}.a" in columns:
            a.append(columns[f"{entry.name}.a"])
            _check_derivative(t, (f"{entry.name}.v", v[k]), (f"{entry.name}.a", a[k]), pieces)
        else:
            a.append(_rates(t, v[k], pieces))
            measured, times = (v[k], 1) if has_velocity else (q[k], 2)
            _warn_of_noise(t[longest], measured[longest], times, a[k][longest], entry)
    tau = [_effort(columns, entry.name, len(t)) for entry in tree.velocities]
    for block in frictions:
        _warn_of_friction(block, columns)
    rubbed = [columns.get(f"{name}.friction", np.zeros(len(t))) for name in along_relative_motions(frictions)]
    whole = [np.column_stack(part) if part else np.zeros((len(t), 0)) for part in (q, v, a, tau, rubbed)]
    once = np.append(np.diff(t) > 0, True)
    return (t[once], *(part[once] for part in whole))


def _grow(t: Array) -> bool:
    """Whether instants (N,) ascend, each standing once or twice."""
    return bool((np.diff(t) >= 0).all() and (t[2:] > t[:-2]).all())


def _pieces(t: Array) -> list[slice]:
    """Rows between the jumps of a record with instants t (N,)."""
    ends = [0, *(np.flatnonzero(np.diff(t) == 0) + 1).tolist(), len(t)]
    return [slice(*ends[k : k + 2]) for k in range(len(ends) - 1)]


def along_relative_motions(frictions: Sequence[JointFriction]) -> dict[str, RelativeMotion]:
    """The motions of those that act along one motion that is no velocity of the mechanism, by name."""
    return {block.name: block.relative for block in frictions if block.relative is not None and not block.turns}


def _warn_of_friction(block: JointFriction, columns: Mapping[str, Array]) -> None:
    """Warn if a record does not contain the effort of a friction of the model."""
    if block.turns:
        why, cure = "it acts in several directions, and a record has one column", "leave friction: out of the model"
    elif f"{block.name}.friction" not in columns:
        why, cure = f"the record has no column {block.name}.friction", "add it, or leave friction: out of the model"
    else:
        return
    warn(f"friction of {block.name!r} counts as zero: {why}; {cure}")


def _columns(record: Any, units: Mapping[str, str]) -> tuple[Mapping[str, Any], Mapping[str, float]]:
    """Columns of a record by name, as they are, the instants as `t`, and sizes of their units [SI]."""
    if isinstance(record, Trajectory):
        return _RunColumns(record), {}
    if isinstance(record, str | Path):
        return _with_units(_file(Path(record), units), units, str(record))
    if hasattr(record, "data_vars"):
        return ({"t": record["time"]} if "time" in record.variables else {}) | dict(record.data_vars), {}
    if isinstance(record, Mapping) or hasattr(
        record, "columns"
    ):  # a table of pandas yields its names as a mapping does
        return _with_units([(str(name), record[name]) for name in record], units, "the record")
    fault = f"an object of type {type(record).__name__} is not a record"
    raise ModelError(fault, "give a run, a dataset, a table, columns by name or a CSV file")


def _numbers(column: Any) -> Array:
    """A column as numbers; NaN where an entry is none."""
    try:
        entries = np.asarray(column)
    except ValueError:  # entries of unlike lengths
        entries = np.asarray(column, dtype=object)
    if entries.dtype.kind in "iuf":
        return entries.astype(float)
    if entries.dtype.kind not in "OUST":  # complex numbers, dates, truth values
        return np.full(entries.shape, np.nan)
    return np.array([_number(entry) for entry in entries.ravel()]).reshape(entries.shape)


class _RunColumns(Mapping[str, Array]):
    """Results of a run as columns."""

    def __init__(self, run: Trajectory) -> None:
        self.run = run

    def __getitem__(self, name: str) -> Array:
        if name == "t":
            return self.run.t
        if name not in self.run.channels:
            raise KeyError(name)
        return self.run.array(name).reshape(len(self.run))

    def __contains__(self, name: object) -> bool:
        return name == "t" or name in self.run.channels

    def __iter__(self) -> Iterator[str]:
        return iter(["t", *self.run.channels])

    def __len__(self) -> int:
        return 1 + len(self.run.channels)


def _units(tree: Tree, frictions: Sequence[JointFriction]) -> dict[str, str]:
    """Unit of every column of a record, by its name."""
    out = {"t": "s"} | {f"{block.name}.friction": EFFORTS[block.unit] for block in frictions}
    for entry in tree.coordinates:
        out |= dict.fromkeys((entry.name, f"{entry.name}.q"), entry.unit)
    for entry in tree.velocities:
        efforts = (f"{entry.name}.{what}" for what in ("effort", "friction", "stop_force"))
        out |= {f"{entry.name}.v": entry.unit, f"{entry.name}.a": f"{entry.unit}^2"}
        out |= dict.fromkeys(efforts, EFFORTS[entry.unit])
    return out


def _with_units(
    columns: Iterable[tuple[str, Any]], units: Mapping[str, str], where: str
) -> tuple[dict[str, Any], dict[str, float]]:
    """Columns by name without the units in brackets, and the sizes of those units [SI]
    of the columns that are needed.
    """
    found: dict[str, Any] = {}
    sizes: dict[str, float] = {}
    for title, column in columns:
        name, text = _title(title)
        if name in found and name in units:
            raise ModelError(f"{where} has two columns {name!r}", "give each its own name")
        found[name] = column
        if name not in units or not text:
            continue
        try:
            unit = read_header_unit(text)
        except ModelError as error:
            fault = f"the column {name!r} of {where}: {error.issues[0].fault}"
            raise ModelError(fault, f"write its unit as [{units[name]}], or a multiple of it") from None
        if unit.dimension != read_header_unit(units[name]).dimension:
            fault = f"the column {name!r} of {where} is in {text}, but {units[name]} is needed"
            raise ModelError(fault, f"give it in {units[name]} or in a multiple of it")
        sizes[name] = float(unit.size)
    return found, sizes


def _title(title: str) -> tuple[str, str]:
    """Name and unit of a column with this title; the instants are called `t`."""
    name, _, text = (part.strip() for part in title.partition("["))
    return "t" if name == "time" else name, text.removesuffix("]").strip()


def _file(path: Path, units: Mapping[str, str]) -> list[tuple[str, Array]]:
    """Columns of a CSV file with their titles in its first line; NaN where there is no number,
    and in unneeded columns.
    """
    try:
        content = read_bounded(path, MAX_FILE_SIZE, "thin it out").decode("utf-8-sig")
        rows = [row for row in csv.reader(io.StringIO(content, newline="")) if row and not row[0].startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ModelError(f"{path} cannot be read as CSV: {error}", "give the path of a CSV file") from None
    header = rows[0] if rows else []
    if len(header) == 1 and ";" in header[0]:
        raise ModelError(f"{path} separates its columns by semicolons", "save it with commas, and decimal points")
    if len(header) < 2:
        raise ModelError(f"{path} has no columns", "its first line names them: t, x.q, x.v, x.effort")
    out = []
    for k, title in enumerate(header):
        is_needed = _title(title)[0] in units
        column = [_number(row[k]) if is_needed and k < len(row) else np.nan for row in rows[1:]]
        out.append((title, np.array(column)))
    return out


def _number(entry: Any) -> float:
    """What a text or another object says as a number; NaN where it says none."""
    try:
        return float(entry)
    except (TypeError, ValueError):
        return float("nan")


def _effort(columns: Mapping[str, Array], joint: str, count: int) -> Array:
    """Effort of a drive and of friction on a joint (N,); zero where the record has none."""
    names = [name for name in (f"{joint}.effort", f"{joint}.friction", f"{joint}.stop_force") if name in columns]
    return sum((columns[name] for name in names), np.zeros(count))


def _rates(t: Array, x: Array, pieces: Sequence[slice]) -> Array:
    """Derivatives of the quintic splines through the pieces of a column between jumps."""
    shortest = min(pieces, key=lambda piece: piece.stop - piece.start)
    count = shortest.stop - shortest.start
    if count < 6:
        before = f" from t = {t[shortest][0]:.6g} s to the next jump" if len(pieces) > 1 else ""
        fault = f"the record has {count} instants{before}, too few to derive velocities or accelerations"
        raise ModelError(fault, "give six or more, or columns .v and .a")
    return np.concatenate([_rate(t[piece], x[piece]) for piece in pieces])


def _rate(t: Array, x: Array) -> Array:
    """Derivative of the quintic spline through a column."""
    from scipy.interpolate import make_interp_spline

    return np.asarray(make_interp_spline(t, x, k=5).derivative()(t))


def _check_derivative(t: Array, x: tuple[str, Array], rate: tuple[str, Array], pieces: Sequence[slice]) -> None:
    """Refuse two columns of which the second is the derivative of the first but for a factor: a wrong unit or sign.

    Between jumps, what the first changes by is the integral of the second times this factor, to a tenth; where it is
    not, the record is too coarse or noisy to judge.
    """
    from scipy.integrate import cumulative_trapezoid

    for piece in (one for one in pieces if one.stop - one.start >= LEAST_JUDGED):
        changes = x[1][piece] - x[1][piece][0]
        integral = cumulative_trapezoid(rate[1][piece], t[piece], initial=0)
        if not np.any(integral) or np.abs(changes).max() <= HALF_THE_DIGITS * np.abs(x[1]).max():
            continue
        factor = float(changes @ integral / (integral @ integral))
        explained = np.linalg.norm(changes - factor * integral) < 0.1 * np.linalg.norm(changes)
        if explained and not 0.5 < factor < 2:
            fault = f"{x[0]!r} of the record changes by {factor:.4g} times the integral of {rate[0]!r} over t"
            raise ModelError(fault, f"check the units and signs of {x[0]}, {rate[0]} and t, and the order of the rows")


def _warn_of_noise(t: Array, x: Array, times: int, a: Array, entry: Coordinate) -> None:
    """Warn if the noise of a column x changes the accelerations `a`, its `times`-th derivative, by their median size.

    Noise of the standard deviation σ changes a derivative by σ |r|, where r is the response of all its instants to one
    sample of 1: differentiation is linear.
    """
    noise = _noise(t, x)
    response = np.zeros(len(t))
    response[len(t) // 2] = 1.0
    for _ in range(times):
        response = _rate(t, response)
    change = noise * float(np.linalg.norm(response))
    if noise > ROUND_OFF * np.abs(x).max() and change > float(np.median(np.abs(a))):
        name, unit = entry.name, entry.unit if times == 1 else entry.unit.removesuffix("/s")
        what, more = (f"{name}.v", f"{name}.a") if times == 1 else (f"{name}.q", f"{name}.v and {name}.a")
        size = f"{change:.2g} {entry.unit}^2"
        fault = f"noise of {noise:.2g} {unit} in {what!r} changes the accelerations derived from it by {size}"
        warn(f"{fault}, more than their median size; smooth the record, take longer intervals, or add {more}")


def _noise(t: Array, x: Array) -> float:
    """Standard deviation of the scatter of a column about polynomials of degree five through seven instants each.

    Sixth divided differences w · x vanish for these polynomials; divided by |w| they have the deviation of the samples.
    Their median is not disturbed by kinks of the motion: |w · x| is below 0.6745 σ for half of normal draws. A record
    of fewer than seven instants counts as free of noise.
    """
    count = len(t) - 6
    if count < 1:
        return 0.0
    windows = np.lib.stride_tricks.sliding_window_view(t, 7)
    spacing = (windows[:, :, None] - windows[:, None, :]) / np.mean(np.diff(t))
    weights = 1.0 / np.prod(spacing + np.eye(7), axis=2)
    weights /= np.linalg.norm(weights, axis=1)[:, None]
    values = np.lib.stride_tricks.sliding_window_view(x, 7)
    return float(np.median(np.abs(np.sum(weights * values, axis=1)))) / 0.6745
