"""Names for tables: interpolate(x, x0, y0, x1, y1, …) becomes f1(x), and its slope f1'(x)."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from cardan.rendering.algebra.expression import Expression, Head, call
from cardan.rendering.algebra.readable import Matrix
from cardan.rendering.algebra.sharing import Rewriting, uses

_TABLES = {"interpolate": "", "slope": "'"}


def with_named_tables(
    matrices: Mapping[str, Matrix], taken: Collection[str]
) -> tuple[dict[str, Matrix], dict[str, tuple[Expression, ...]]]:
    """The matrices with names for their tables, and x0, y0, x1, y1, … of each table by name."""
    entries = [entry for matrix in matrices.values() for row in matrix.rows for entry in row]
    names: dict[tuple[Expression, ...], str] = {}
    work = Rewriting({})
    for e in uses(entries):  # inner ones first
        if e.kind == Head.CALL and e.name in _TABLES:
            x, *samples = e.args
            name = names.setdefault(tuple(samples), _free(len(names) + 1, taken))
            work.names[e] = call(name + _TABLES[e.name], work.rewritten(x))
    if not names:
        return dict(matrices), {}
    named = {
        name: replace(matrix, rows=tuple(tuple(work.rewritten(entry) for entry in row) for row in matrix.rows))
        for name, matrix in matrices.items()
    }
    return named, {name: samples for samples, name in names.items()}


def _free(number: int, taken: Collection[str]) -> str:
    name = f"f{number}"
    while name in taken:
        name += "_"
    return name
