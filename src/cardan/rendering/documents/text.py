"""A document as Unicode text for a terminal."""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import count
from textwrap import fill

from cardan.rendering.algebra.expression import Expression
from cardan.rendering.documents.document import Document, blocks
from cardan.rendering.documents.pieces import EntryTable, Formula, Letter, Paragraph, Piece, SymbolTable, Vector
from cardan.rendering.styles.glyphs import GREEK
from cardan.rendering.styles.text import Text, with_index
from cardan.rendering.styles.typesetting import typeset

PAGE = 100  # most characters of a line of words
_DOTS = ("", "\u0307", "\u0308")


def text(document: Document) -> str:
    """The whole document; lines are at most some 100 characters wide."""
    made, glyphs = blocks(document)
    style, numbers = Text(glyphs), count(1)
    title = f"{document.title}\n{'=' * len(document.title)}\n"
    return "\n".join([title, *(_block(block, style, numbers) for block in made)])


def _block(block: Paragraph, style: Text, numbers: Iterator[int]) -> str:
    if block.heading:
        return f"{block.heading}\n{'-' * len(block.heading)}\n"
    if block.text:
        return f"{fill(block.text, PAGE, break_long_words=False)}\n"
    if block.table is not None:
        return _table(block.table, style)
    return "" if block.formula is None else _formula(block.formula, style, next(numbers))


def _table(table: SymbolTable, style: Text) -> str:
    rows = [table.head, *([_cell(cell, style) for cell in row] for row in table.rows)]
    widths = [max(_width(row[k]) for row in rows) for k in range(len(table.head))]
    return "".join(
        "  " + "   ".join(_padded(cell, w) for cell, w in zip(row, widths, strict=True)).rstrip() + "\n" for row in rows
    )


def _cell(cell: str | Expression, style: Text) -> str:
    return typeset(cell, style) if isinstance(cell, Expression) else cell


def _width(line: str) -> int:
    """Columns of a terminal."""
    return sum(not unicodedata.combining(letter) for letter in line)


def _padded(line: str, width: int) -> str:
    return line + " " * (width - _width(line))


def _formula(formula: Formula, style: Text, number: int) -> str:
    rows: list[str] = []
    for line in formula.lines:
        rows += _line(line, style)
    label = f"({number})"
    return "\n".join(f"{label:<6}{row}" if k == 0 else f"      {row}" for k, row in enumerate(rows)) + "\n"


def _line(line: Sequence[Piece], style: Text) -> list[str]:
    """Pieces side by side; those with several rows are centred."""
    parts = [_piece(piece, style) for piece in line]
    if line[0] == "":
        parts[0] = ["     "]
    height = max(len(part) for part in parts)
    out = [""] * height
    for k, part in enumerate(parts):
        space = " " if line[k] != "(" and line[k + 1 : k + 2] != (")",) else ""
        width = max(map(_width, part))
        above = (height - len(part)) // 2
        for n in range(height):
            row = part[n - above] if above <= n < above + len(part) else ""
            out[n] += _padded(row, width) + (space if width else "")
    return [row.rstrip() for row in out]


def _piece(piece: Piece, style: Text) -> list[str]:
    if isinstance(piece, str):
        return [piece]
    if isinstance(piece, Expression):
        return [typeset(piece, style)]
    if isinstance(piece, Letter):
        return [_letter(piece)]
    return [_vector(piece)] if isinstance(piece, Vector) else _grid(piece, style)


def _letter(letter: Letter) -> str:
    if letter.base == "sum":
        return with_index("Σ", letter.index) if not letter.above else f"Σ_{{{letter.index}}}^{{{letter.above}}}"
    return with_index(GREEK.get(letter.base, letter.base) + _DOTS[letter.dots], letter.index) + _raised(letter.above)


def _raised(above: str) -> str:
    """An exponent −1, or an upper index."""
    return {"": "", "−1": "⁻¹"}.get(above, f"^{above}")


def _vector(vector: Vector) -> str:
    out = GREEK.get(vector.base, vector.base) + _DOTS[vector.dots]
    is_word = len(vector.index) > 2 and vector.index[:1].isalpha()
    out = f"{out}q" if vector.index == "q" else f"{out}_{vector.index}" if is_word else with_index(out, vector.index)
    out += _raised(vector.above) + ("ᵀ" if vector.transposed else "")
    arguments = ", ".join("q\u0307" if k and of == "q" else of for k, of in enumerate(vector.of))
    return f"{out}({arguments})" if arguments else out


def _grid(grid: EntryTable, style: Text) -> list[str]:
    cells = [[typeset(entry, style) for entry in row] for row in grid.rows]
    widths = [max(_width(row[k]) for row in cells) for k in range(len(cells[0]))]
    last = len(cells) - 1
    out = []
    for k, row in enumerate(cells):
        left, right = (
            ("[", "]")
            if last == 0
            else ("⎡⎣⎢"[(k == last) + 2 * (0 < k < last)], "⎤⎦⎥"[(k == last) + 2 * (0 < k < last)])
        )
        out.append(left + "   ".join(_padded(cell, w) for cell, w in zip(row, widths, strict=True)) + right)
    return out
