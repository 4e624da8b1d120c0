"""Summary of a run in a few lines: status, extremes, balances, cost."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.errors import few
from cardan.frozen import dataclass
from cardan.numerics.round_off import EPSILON
from cardan.results.channel import check_units, shown_in
from cardan.results.extent import extent_of
from cardan.results.run_records import Occurrence, Passage
from cardan.safety.text import visible

if TYPE_CHECKING:
    from cardan.results.trajectory import Trajectory

HEADINGS = ("result", "unit", "final", "smallest", "at [s]", "largest", "at [s]")
"""Headings of the table of a summary."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The parts of a summary as texts.

    Parameters
    ----------
    model : str
        Name of the model.
    status : str
        When and how the run ended.
    rows : tuple of tuple of str
        The table, a text for each of `HEADINGS`: states, currents of the motors, outputs.
    caption : str
        The instants over which extremes are taken; empty for the whole motion.
    lines : tuple of str
        Balances and cost.
    """

    model: str
    status: str
    rows: tuple[tuple[str, ...], ...]
    caption: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The summary as plain text."""
        table = [HEADINGS, *self.rows] if self.rows else []
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        laid = []
        for row in table:
            words = [
                word.ljust(width) if i < 2 else word.rjust(width)
                for i, (word, width) in enumerate(zip(row, widths, strict=True))
            ]
            laid.append(f"  {'  '.join(words)}".rstrip())
        caption = [f"  {self.caption}"] if self.caption else []
        head = f"{self.model}: {self.status}" if self.model else self.status
        return visible("\n".join([head, *laid, *caption, *self.lines]), keep="\n")


def summary(run: "Trajectory", units: str = "rad") -> Summary:
    """Summary of a run: status; final, smallest and largest values of states, currents and outputs; balances; cost."""
    check_units(units)
    searched = run.find_extremes is not None
    values = run.arrays(_shown(run)) if len(run) else {}
    return Summary(
        run.provenance.model,
        run.message or str(run.status),
        tuple(_rows(run, values, units)),
        "" if searched else "of the returned instants",
        (*_undefined(values), *_balances(run)),
    )


def _shown(run: "Trajectory") -> list[str]:
    """Names of the states, drives' efforts, motors' currents and the model's outputs."""
    currents = [name for name in run.names if name.endswith(".current") and run.channels[name].kind == "motor"]
    efforts = [name for name in run.names if name.endswith(".effort") and run.channels[name].kind == "drive"]
    plain = [name for name in run.names if "." not in name]  # outputs have no dot; to describe a reaction takes longer
    outputs = [name for name in plain if run.channels[name].kind == "output" and not run.channels[name].components]
    return list(dict.fromkeys([*run.state_names, *efforts, *currents, *outputs]))


def _rows(run: "Trajectory", values: Mapping[str, np.ndarray], units: str) -> list[tuple[str, ...]]:
    """Final, smallest and largest values of results.

    Their instants come last. Round-off of the largest value, and of states what is below `atol`, is shown as 0. Of a
    result that is undefined at some instants the extremes are those of the others.
    """
    extremes = run.extremes(values) if len(run) else {}
    rows: list[tuple[str, ...]] = []
    for name, all_values in values.items():
        unit, factor = shown_in(run.channels[name].unit, units)
        extent, known = extremes[name], ~np.isnan(all_values)
        if np.isnan(extent).any() and known.any():
            extent = extent_of(run.t[known], all_values[known])
        figures = [float(figure) for figure in (all_values[-1], *extent)]
        own = run.provenance.atol if name in run.state_names else 0.0
        least = max(EPSILON * float(np.nanmax(np.abs([0.0, *figures]))), own)
        final, low, high = (f"{factor * _clear(figure, least) + 0.0:.6g}" for figure in figures)
        first, last = ("" if math.isnan(extent[0]) else f"{t:.4g}" for t in (extent.t_smallest, extent.t_largest))
        rows.append((name, unit, final, low, first, high, last))
    return rows


def _undefined(values: Mapping[str, np.ndarray]) -> list[str]:
    """Results that are undefined at some instants, such as a ratio where its divisor is 0, and at how many."""
    counts = {name: int(np.isnan(row).sum()) for name, row in values.items()}
    found = [f"{name} at {count} of {len(values[name])} instants" for name, count in counts.items() if count]
    if not found:
        return []
    return [f"undefined         {few(found)}; smallest and largest values are those of the other instants"]


def _clear(figure: float, least: float) -> float:
    """The figure, or 0 where it is below `least`."""
    return 0.0 if abs(figure) < least else figure


def _balances(run: "Trajectory") -> list[str]:
    """Energy balance, constraints and cost; figures that were not computed are left out."""
    report, lines = run.report, []
    if math.isfinite(report.energy_error):
        error = _clear(report.energy_error, EPSILON * report.energy_scale)
        share = f", {error / report.energy_scale:.1g} of {report.energy_scale:.3g} J" if error else ""
        lines.append(f"energy balance    {error:.2g} J{share}")
    if math.isfinite(report.constraint_violation):
        violation, rate = (
            _clear(figure, EPSILON * run.provenance.atol)
            for figure in (report.constraint_violation, report.constraint_rate)
        )
        lines.append(f"constraints       {violation:.1g}" + (f", their rate {rate:.1g}" if math.isfinite(rate) else ""))
    if run.events:
        lines.append(f"events            {_events(run.events)}")
    if run.passages:
        lines.append(f"passages          {_passages(run.passages)}")
    if steady := run.statistics.get("steady"):
        lines.append(f"currents          L di/dt = 0 in {few(steady)}: no motion is driven there")
    if independent := run.statistics.get("independent"):
        lines.append(f"integrated        {_independent(independent)}")
    if run.statistics:
        lines.append(f"effort            {_effort(run.statistics)}")
    return lines


def _events(events: Sequence[Occurrence]) -> str:
    """The first events: ``landed at t = 1.2 s (stop), …; 12 in all``."""
    shown = few(f"{event.name} at t = {event.t:.9g} s ({event.did})" for event in events)
    return f"{shown}; {len(events)} in all" if shown.endswith("…") else shown


def _passages(passages: Sequence[Passage]) -> str:
    """How many singular positions were passed, and when: ``passed 12 singular positions: t = 0.37, 0.9, … s``."""
    instants = few(f"{passage.t:.5g}" for passage in passages)
    plural = "s" if len(passages) > 1 else ""
    return f"passed {len(passages)} singular position{plural}: t = {instants} s"


def _independent(names: Sequence[str]) -> str:
    """Coordinates that were integrated: ``theta0; all others are linear in it``."""
    return f"{few(names)}; all others are linear in {'it' if len(names) == 1 else 'them'}"


def _effort(figures: Mapping[str, Any]) -> str:
    """Method, counts and time, of those that are there: ``dop853: 151 steps, 1874 evaluations, 7.5 ms``."""
    counts = [
        f"{figures[name]} {name}" for name in ("steps", "rejected", "evaluations", "jacobians") if figures.get(name)
    ]
    wall = [f"{1e3 * figures['wall']:.3g} ms"] if "wall" in figures else []
    return f"{figures.get('method', 'run')}: {', '.join([*counts, *wall])}"
