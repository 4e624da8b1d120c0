"""Junction-structure matrices as text: each block with the elements of its rows and columns, entries in symbols.

Source: Wang & Tao 2013, eqs. 8–12
"""

from collections.abc import Mapping, Sequence

import casadi as ca

from cardan.analysis.bond_graph import MechanismBondGraph
from cardan.bond_graphs.matrices import COLUMNS, ROWS, FieldEntry
from cardan.kinematics.tree import Number
from cardan.rendering import Matrix, readable
from cardan.rendering.documents.text import PAGE
from cardan.rendering.styles.grammar import Grammar
from cardan.rendering.styles.typesetting import typeset

_PAGE = PAGE - 2  # most characters of a line behind two blanks, unless one column needs more
_LONG = 40  # most characters of an entry in its matrix; longer ones stand below
_WORDS = {
    **{"i1": "momenta on which drives act", "i2": "momenta", "s": "springs", "L": "losses", "E": "gyration"},
    **{"u1": "drives", "u2": "constraint forces", "u3": "sources", "u4": "unknown flows", "C": "constraints"},
}


def junction_text(graph: MechanismBondGraph) -> list[str]:
    """Lines with all junction-structure matrices that are not zero.

    A matrix that is too wide for a page stands in groups of columns; these leave out rows and columns of zeros.
    """
    J, lines = graph.matrices, list[str]()
    found = _written(graph, {name: block for name, block in J.items() if block.nnz()})
    for row, column in ((row, column) for row in ROWS for column in COLUMNS if f"J_{row}{column}" in found):
        name = f"J_{row}{column}"
        rows, columns = _labels(graph, J.entries(row)), _labels(graph, J.entries(column, given=True))
        lines += ["", f"{name} ({len(rows)} × {len(columns)}): {_WORDS[row]} from {_WORDS[column]}"]
        lines += _grid(name, found[name], rows, columns)
    return lines


def _written(graph: MechanismBondGraph, blocks: Mapping[str, Number]) -> dict[str, Matrix]:
    """The matrices in symbols with the names of the model."""
    system, state, tree = graph.system, graph.state, graph.system.tree
    inputs = {"t": state.t, "q": state.q, "x": ca.vertcat(state.v, state.z), "u": state.u, "p": tree.p}
    names = {"t": ["t"], "q": [entry.name for entry in tree.coordinates], "x": system.state_names[tree.nq :]}
    names |= {"u": system.input_names, "p": tree.parameters}
    outputs = [ca.densify(ca.SX(block)) for block in blocks.values()]
    return readable(ca.Function("junctions", [*inputs.values()], outputs, [*inputs], [*blocks]), names)


def _labels(graph: MechanismBondGraph, entries: Sequence[FieldEntry]) -> list[str]:
    """Elements, with the component counted from 1 where there are several."""
    return [name if graph.graph.ports[name][0].size == 1 else f"{name}[{k + 1}]" for name, k in entries]


def _grid(name: str, matrix: Matrix, rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    """The matrix with labels, in groups of columns where it is too wide, and its long entries below."""
    cells = [[typeset(entry, Grammar()) for entry in row] for row in matrix.rows]
    long = {(i, j): x for i, row in enumerate(cells) for j, x in enumerate(row) if len(x) > _LONG}
    for i, j in long:
        cells[i][j] = f"{name}[{i + 1}, {j + 1}]"
    table = [["", *columns], *([label, *row] for label, row in zip(rows, cells, strict=True))]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    is_wide = sum(widths) + 3 * len(columns) > _PAGE
    groups = list[list[int]]([[]])
    for j in range(1, len(widths)):
        if is_wide and all(row[j] == "0" for row in table[1:]):
            continue
        if groups[-1] and widths[0] + sum(widths[k] + 3 for k in (*groups[-1], j)) > _PAGE:
            groups.append([])
        groups[-1].append(j)
    lines = [
        f"  {row[0]:<{widths[0]}}" + "".join(f"{row[j]:>{widths[j] + 3}}" for j in group)
        for group in groups
        for i, row in enumerate(table)
        if i == 0 or not is_wide or any(row[j] != "0" for j in group)
    ]
    return [*lines, *(f"  {cells[i][j]} = {x}" for (i, j), x in long.items())]
