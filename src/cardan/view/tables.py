"""Tables of results in HTML, for reports and notebooks; every text of a model is shown and never obeyed."""

from collections.abc import Iterable, Mapping, Sequence

from cardan.analysis.loads.bearing_loads import QUANTITIES, BearingLoads
from cardan.analysis.mobility import Mobility
from cardan.analysis.sizing.duty import Duty
from cardan.analysis.verification import Verification
from cardan.model.model import Model
from cardan.model.names import carrying, coordinates
from cardan.model.quantities.parameters import resolve
from cardan.model.sections import gravity_words
from cardan.results.summary import HEADINGS, Summary
from cardan.safety.text import for_markup

NUMBERS = "text-align: right; font-variant-numeric: tabular-nums"
"""Style of cells with numbers."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """A table; empty without rows."""
    right = set(numbers)

    def cells(kind: str, row: Sequence[str]) -> str:
        texts = (
            f"<{kind} style='{NUMBERS if k in right else 'text-align: left'}'>{for_markup(text)}</{kind}>"
            for k, text in enumerate(row)
        )
        return f"<tr>{''.join(texts)}</tr>"

    body = "\n".join(cells("td", row) for row in rows)
    return (
        f'<table class="legend">\n<thead>{cells("th", head)}</thead>\n<tbody>{body}</tbody>\n</table>\n' if body else ""
    )


def paragraph(text: str) -> str:
    """A paragraph; empty without a text."""
    return f"<p>{for_markup(text)}</p>\n" if text else ""


def parameter_table(model: Model, values: Mapping[str, float] | None = None) -> str:
    """Parameters with their definitions and values."""
    own = {name: float(value) for name, value in resolve(model.parameters).items()}
    shown = own if values is None else {**own, **values}
    rows = [
        (name, str(scalar), f"{shown[name]:.6g}", "" if shown[name] == own[name] else "changed in this run")
        for name, scalar in model.parameters.items()
    ]
    changed = any(row[3] for row in rows)
    head = ("parameter", "definition", "value (SI)", *[""][: int(changed)])
    return table(head, [row[: len(head)] for row in rows], [2])


def mobility_tables(found: Mobility) -> str:
    """Degrees of freedom, loops and redundant constraints in words, and a table of which reactions are unique."""
    taken = found.degrees_of_freedom - found.remaining
    lines = [
        f"Degrees of freedom: {found.degrees_of_freedom} (Grübler's count: {found.grubler})"
        + (f"; {taken} of them prescribed by motions." if taken else ".")
    ]
    lines += [f"Loop: {', '.join([*joints, f'{cut} (cut)'])}." for cut, joints in found.loops.items()]
    if found.redundant:
        lines.append(f"Redundant constraints, one choice of them: {'; '.join(map(str, found.redundant))}.")
    lines += [f"Singular position, {entry.kind}: {entry.meaning}." for entry in found.singularities]
    lines += [f"{found.advice}."] if found.advice else []
    rows = []
    for name, unique in found.unique.items():
        words = [
            "unknown" if hidden else "yes" if one else "no"
            for one, hidden in zip(unique, found.unknown[name], strict=True)
        ]
        rows.append((name, words[0] if len(set(words)) == 1 else ", ".join(words)))
    return "".join(map(paragraph, lines)) + table(("reaction", "unique"), rows)


def verification_table(found: Verification) -> str:
    """Every check with its residual, tolerance and verdict."""
    held = len(found.checks) - len(found.failed)
    name = found.model or "a model without a name"
    head = f"Verification of {name}: {held} of {len(found.checks)} checks hold (random states: {found.states})."
    rows = [
        (check.name, f"{check.residual:.1e}", f"{check.tolerance:.0e}", "ok" if check.ok else "FAILED", check.reason)
        for check in found.checks
    ]
    shown = table(("check", "residual", "tolerance", "", "reason for the tolerance"), rows, [1, 2])
    return paragraph(head) + shown + "".join(paragraph(f"Left out: {words}") for words in found.left_out)


def load_table(found: BearingLoads) -> str:
    """Largest, RMS and cubic mean load of every joint, and whether the equations determine it."""
    shown = [row for row in found.rows if row.frame == "world"]
    rows = [
        (row.joint, row.quantity, QUANTITIES[row.quantity], *found.magnitudes(row), "yes" if row.is_unique else "no")
        for row in shown
    ]
    words = (
        "The equations do not determine how joints share a load that is not unique; the distribution of minimum norm "
        "is given."
    )
    note = "" if all(row.is_unique for row in shown) else paragraph(words)
    return table(("joint", "load", "unit", "largest", "RMS", "cubic mean", "unique"), rows, [3, 4, 5]) + note


def duty_table(duties: Sequence[Duty]) -> str:
    """What a motion asks of some motors; empty without any."""
    heads = ("peak torque", "RMS torque", "peak speed", "peak power", "braking power", "work", "load inertia")
    rows = [
        (one.drive, *(f"{x:.4g}" for x in (one.peak_torque, one.rms_torque, one.peak_speed, one.peak_power)),
         *(f"{x:.4g}" for x in (one.braking_power, one.energy, one.load_inertia)))
        for one in duties
    ]  # fmt: skip
    return table(("motor, at its joint [SI]", *heads), rows, range(1, 8)) if rows else ""


def summary_tables(found: Summary) -> str:
    """Final, smallest and largest results of a run, and its balances."""
    lines = [line.partition("  ") for line in found.lines]
    balances = table(("", ""), [(name, words.strip()) for name, _, words in lines])
    return table(HEADINGS, found.rows, range(2, len(HEADINGS))) + paragraph(found.caption) + balances


def model_tables(model: Model) -> str:
    """Counts of a model's parts, its coordinates, gravity and parameters."""
    sections = ("bodies", "joints", "constraints", "motors", "forces", "contacts", "graphs")
    rows = [(section, ", ".join(getattr(model, section))) for section in sections if getattr(model, section)]
    rows.append(("coordinates", ", ".join(coordinates(carrying(model))) or "none"))
    rows.append(("gravity", gravity_words(model)))
    rows += [("planar", model.planar)] if model.planar else []
    return table(("", ""), rows) + parameter_table(model)
