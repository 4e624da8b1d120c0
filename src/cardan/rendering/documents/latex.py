"""A document as LaTeX: an article with packages that every distribution has, ready to compile."""

import re
from collections.abc import Sequence

from cardan.rendering.algebra.expression import Expression, Head
from cardan.rendering.documents.document import Document, blocks
from cardan.rendering.documents.pieces import EntryTable, Formula, Letter, Paragraph, Piece, SymbolTable, Vector
from cardan.rendering.styles.glyphs import GREEK
from cardan.rendering.styles.latex import Latex
from cardan.rendering.styles.typesetting import typeset

_PREAMBLE = r"""\documentclass[a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath}
\usepackage{graphicx}
\usepackage[margin=22mm]{geometry}
\usepackage{longtable}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\sloppy
\setcounter{MaxMatrixCols}{40}
\allowdisplaybreaks
"""

_LINE = 400  # widest matrix between its letter and its number [pt]

_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "²": r"$^2$", "³": r"$^3$", "·": r"$\cdot$", "Ω": r"$\Omega$", "−": "$-$", "°": r"$^\circ$", "–": "--",
    "λ": r"$\lambda$", "Φ": r"$\Phi$", "<": "$<$", ">": "$>$", "|": "$|$",
}  # fmt: skip


def latex(document: Document) -> str:
    """The whole document."""
    made, glyphs = blocks(document)
    style = Latex(glyphs)
    title = rf"\title{{{_text(document.title)}}}" + "\n\\author{}\n\\date{}\n"
    body = "\n".join(_block(block, style) for block in made)
    return f"{_PREAMBLE}{title}\\begin{{document}}\n\\maketitle\n{body}\\end{{document}}\n"


def latex_formula(document: Document) -> str:
    """The equations alone, without legend and tables, as one display for a notebook."""
    made, glyphs = blocks(document)
    style = Latex(glyphs)
    lines = [_line(line, style) for block in made if block.formula for line in block.formula.lines]
    return "$\\displaystyle\n\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$"


def _block(block: Paragraph, style: Latex) -> str:
    if block.heading:
        return rf"\section*{{{_text(block.heading)}}}" + "\n"
    if block.text:
        return f"{_text(block.text)}\n"
    if block.table is not None:
        return _table(block.table, style)
    return "" if block.formula is None else _formula(block.formula, style)


def _text(text: str) -> str:
    return "".join(_letter(letter) for letter in text)


def _letter(letter: str) -> str:
    """A letter in running text; what the fonts of an article do not have is a question mark, so that it compiles."""
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    greek = next((name for name, one in GREEK.items() if one == letter), "")
    if greek:
        return rf"$\{greek}$"
    return letter if letter < "\u0180" or letter in "—‘’“”„…" else "?"


def _table(table: SymbolTable, style: Latex) -> str:
    columns = "l" * (len(table.head) - 1) + "p{70mm}" if table.head[-1] == "meaning" else "l" * len(table.head)
    rows = [" & ".join(rf"\emph{{{cell}}}" for cell in table.head) + r" \\ \hline\endhead"]
    rows += [" & ".join(_cell(cell, style) for cell in row) + r" \\" for row in table.rows]
    return rf"\begin{{longtable}}[l]{{{columns}}}" + "\n" + "\n".join(rows) + "\n\\end{longtable}\n"


def _cell(cell: str | Expression, style: Latex) -> str:
    return f"${typeset(cell, style)}$" if isinstance(cell, Expression) else _text(cell)


def _formula(formula: Formula, style: Latex) -> str:
    lines = [_line(line, style) for line in formula.lines]
    inner = lines[0].replace("&", "", 1) if len(lines) == 1 and r"\begin{bmatrix}" in lines[0] else None
    if inner is None:
        inner = "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"
    return f"\\begin{{equation}}\n{inner}\n\\end{{equation}}\n"


def _line(line: Sequence[Piece], style: Latex) -> str:
    """Pieces side by side, aligned at the first sign."""
    if line and line[0] == "":
        return rf"&\quad {' '.join(_piece(piece, style) for piece in line if piece != '')}"
    out, aligned = [], False
    for piece in line:
        text = _piece(piece, style)
        if piece == "=" and not aligned:
            text, aligned = "&=", True
        out.append(text + (r" \quad" if piece == "," else ""))
    return " ".join(out)


def _piece(piece: Piece, style: Latex) -> str:
    if isinstance(piece, str):
        return "-" if piece == "−" else piece
    if isinstance(piece, Expression):
        return typeset(piece, style)
    if isinstance(piece, Vector):
        return _vector(piece)
    return _mathematical(piece) if isinstance(piece, Letter) else _grid(piece, style)


def _mathematical(letter: Letter) -> str:
    known = rf"\{letter.base}" if letter.base in GREEK or letter.base == "sum" else letter.base
    base = rf"\operatorname{{{letter.base}}}" if len(letter.base) > 1 and known == letter.base else known
    base = rf"\{'d' * letter.dots}ot{{{base}}}" if letter.dots else base
    return base + _around(letter.index, letter.above)


def _around(index: str, above: str) -> str:
    """What stands below and above a letter."""
    return (f"_{{{index}}}" if index else "") + (f"^{{{above.replace('−', '-')}}}" if above else "")


def _vector(vector: Vector) -> str:
    letter = rf"\boldsymbol{{\{vector.base}}}" if vector.base in GREEK else rf"\mathbf{{{vector.base}}}"
    dotted = rf"\{'d' * vector.dots}ot{{{letter}}}" if vector.dots else letter
    index = rf"\mathbf{{{vector.index}}}" if vector.index else ""
    above = vector.above + (r"\mathsf{T}" if vector.transposed else "")
    arguments = ", ".join(_argument(k, of) for k, of in enumerate(vector.of))
    return dotted + _around(index, above) + (f"({arguments})" if arguments else "")


def _argument(k: int, letter: str) -> str:
    if letter == "t":
        return letter
    return rf"\dot{{\mathbf{{{letter}}}}}" if k and letter == "q" else rf"\mathbf{{{letter}}}"


def _grid(grid: EntryTable, style: Latex) -> str:
    cells = [[typeset(entry, style) for entry in row] for row in grid.rows]
    rows = [" & ".join(row) for row in cells]
    tall = any(re.search(r"\\t?frac|\\sqrt", row) for row in rows)
    matrix = r"\begin{bmatrix}" + (r" \\[2pt] " if tall else r" \\ ").join(rows) + r"\end{bmatrix}"
    numbers = all(entry.kind == Head.NUMBER for row in grid.rows for entry in row)
    too_wide = numbers and _width(cells) > _LINE  # all others have been arranged to fit
    return rf"\resizebox{{0.85\linewidth}}{{!}}{{${matrix}$}}" if too_wide else matrix


def _width(cells: Sequence[Sequence[str]]) -> float:
    """About how wide a matrix of numbers is [pt]."""
    return sum(5 * max(map(len, column)) + 10 for column in zip(*cells, strict=True))
