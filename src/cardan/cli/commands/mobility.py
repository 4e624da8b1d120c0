"""`cardan mobility`: degrees of freedom, loops, redundancy, singular positions, and which reactions are unique."""

from typing import TYPE_CHECKING

from cardan.cli.failure import guarded
from cardan.cli.options import ModelName, Reading, reads_models
from cardan.cli.terminal import out

if TYPE_CHECKING:
    from rich.table import Table

    from cardan.analysis import Mobility
    from cardan.model import Model


@guarded
@reads_models
def mobility(model: ModelName, *, reading: Reading) -> None:
    """Print what a MODEL can do in its assembled position: freedoms, loops, redundancy, unique reactions.

    [dim]cardan mobility door_two_hinges[/]
    """
    import cardan

    report, console = cardan.mobility(cardan.load(model, **reading)), out()
    for line in [*_freedoms(report), *_loops(report), *_redundant(report), *_singular(report)]:
        console.print(line, soft_wrap=True)
    if report.unique:
        console.print(_table(report))


def _table(report: "Mobility") -> "Table":
    """One row per reaction: whether each of its components is unique."""
    from rich import box
    from rich.table import Table

    table = Table("reaction", "unique", box=box.SIMPLE_HEAD, pad_edge=False)
    for name, unique in report.unique.items():
        words = [
            "unknown" if hidden else "yes" if one else "no"
            for one, hidden in zip(unique, report.unknown[name], strict=True)
        ]
        table.add_row(name, words[0] if len(set(words)) == 1 else ", ".join(words))
    return table


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
