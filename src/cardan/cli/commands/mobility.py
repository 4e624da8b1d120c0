"""`cardan mobility`: degrees of freedom, loops, redundancy, singular positions, and which reactions are unique."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cardan.cli.failure import guarded
from cardan.cli.given import GivenModel, reads_model
from cardan.cli.terminal import out, table

if TYPE_CHECKING:
    from cardan.analysis import Mobility
    from cardan.model import Model


@guarded
@reads_model()
def mobility(model: GivenModel) -> None:
    """Print what a MODEL can do in its assembled position: freedoms, loops, redundancy, unique reactions.

    [dim]cardan mobility door_two_hinges[/]
    """
    import cardan

    report, console = cardan.mobility(model.read()), out()
    for line in [*_freedoms(report), *_loops(report), *_redundant(report), *_singular(report)]:
        console.print(line, soft_wrap=True)
    if report.unique:
        console.print(table(_rows(report), "reaction", "unique"))


def _rows(report: "Mobility") -> Iterator[list[str]]:
    """One row per reaction: whether each of its components is unique."""
    for name, unique in report.unique.items():
        words = [
            "unknown" if hidden else "yes" if one else "no"
            for one, hidden in zip(unique, report.unknown[name], strict=True)
        ]
        yield [name, words[0] if len(set(words)) == 1 else ", ".join(words)]


def mobility_lines(model: "Model") -> list[str]:
    """Return the lines on mobility that `cardan show` prints; for a model that cannot be assembled, the reason."""
    import cardan

    try:
        report = cardan.mobility(model)
    except cardan.AssemblyError as error:
        return [f"cannot be assembled: {error}"]
    return [*_freedoms(report), *_loops(report), *_redundant(report), *_singular(report), *_loose(report)]


def _freedoms(report: "Mobility") -> list[str]:
    grubler = "" if report.grubler == report.degrees_of_freedom else f" (Grübler's count: {report.grubler})"
    led = "; it moves as time prescribes" if report.prescribed and report.degrees_of_freedom == 0 else ""
    kept = report.degrees_of_freedom - report.remaining
    led = f"; {kept} of them prescribed" if kept else led
    lines = [f"degrees of freedom: {report.degrees_of_freedom}{grubler}{led}"]
    return [*lines, report.advice] if report.advice else lines


def _loops(report: "Mobility") -> list[str]:
    return [f"loop: {', '.join([*joints, f'{cut} (cut)'])}" for cut, joints in report.loops.items()]


def _redundant(report: "Mobility") -> list[str]:
    if not report.redundant:
        return []
    return ["redundant constraints, one choice of them: " + "; ".join(map(str, report.redundant))]


def _singular(report: "Mobility") -> list[str]:
    return [f"singular position, {entry.kind}: {entry.meaning}" for entry in report.singularities]


def _loose(report: "Mobility") -> list[str]:
    """Joints and constraints with a component that is not unique; unknown components of planar models do not count."""
    loose = [
        name.rpartition(".")[0]
        for name, unique in report.unique.items()
        if any(not one and not hidden for one, hidden in zip(unique, report.unknown[name], strict=True))
    ]
    return [f"reactions not unique: {', '.join(dict.fromkeys(loose))}"] if loose else []
