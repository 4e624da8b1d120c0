"""A document as one HTML page: MathML with its font, a short style sheet, no scripts and nothing from the network."""

import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from unicodedata import lookup

from cardan.rendering.algebra.expression import Expression
from cardan.rendering.documents.document import Document, blocks
from cardan.rendering.documents.pieces import EntryTable, Formula, Letter, Paragraph, Piece, SymbolTable, Vector
from cardan.rendering.styles.glyphs import GREEK
from cardan.rendering.styles.mathml import MathML
from cardan.rendering.styles.typesetting import typeset
from cardan.safety.text import for_markup

FONT = Path(__file__).parent / "font" / "math.woff"
"""A part of STIX Two Math: without a mathematical font, browsers stretch no brackets, and dots touch their letters."""

_STYLE = """
body { font: 16px/1.5 Georgia, "DejaVu Serif", serif; max-width: 60rem; margin: 2rem auto; padding: 0 1.5rem;
       color: #1a1a1a; background: #fff; }
h1 { font-size: 1.7rem; margin-bottom: 0.2rem; } h2 { font-size: 1.2rem; margin: 1.8rem 0 0.6rem; }
table.legend { border-collapse: collapse; font-size: 0.95rem; }
table.legend th { text-align: left; font-weight: normal; font-style: italic; border-bottom: 1px solid #999; }
table.legend th, table.legend td { padding: 0.15rem 1.2rem 0.15rem 0; vertical-align: top; }
div.equation { display: flex; align-items: center; margin: 0.4rem 0; padding: 0.3rem 0;
               overflow-x: auto; overflow-y: hidden; }
div.equation math { flex: 1; } div.equation span.number { padding-left: 1rem; color: #444; }
math { font-family: "Cardan Math", "STIX Two Math", "Latin Modern Math", "Cambria Math", "DejaVu Math TeX Gyre", math;
       font-size: 1.15rem; } mtd { padding: 0.22em 0.5em; }
img { max-width: 100%; }
"""


def html(document: Document) -> str:
    """The whole page."""
    title = for_markup(document.title)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n<title>{title}</title>\n'
        f"<style>{style_sheet(font_address())}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{html_body(document)}</body>\n</html>\n"
    )


def style_sheet(font: str) -> str:
    """The style sheet of a page."""
    return f'\n@font-face {{ font-family: "Cardan Math"; src: url("{font}") format("woff"); }}{_STYLE}'


def math_style(scope: str) -> str:
    """The style sheet of formulas and tables alone, for a document inside another page."""
    face = f'@font-face {{ font-family: "Cardan Math"; src: url("{font_address()}") format("woff"); }}'
    rules = _STYLE[_STYLE.index("div.equation {") : _STYLE.index("img {")]
    return face + re.sub(r"(^|\} )(?=[a-z])", rf"\1{scope}", rules, flags=re.MULTILINE)


def font_address() -> str:
    """The font as a data address, so that a page stands alone."""
    return f"data:font/woff;base64,{b64encode(FONT.read_bytes()).decode()}"


def html_body(document: Document) -> str:
    """The body of the page, below its title."""
    made, glyphs = blocks(document)
    style, numbers = MathML(glyphs), count(1)
    return "".join(_block(block, style, numbers) for block in made)


def _block(block: Paragraph, style: MathML, numbers: Iterator[int]) -> str:
    if block.heading:
        return f"<h2>{for_markup(block.heading)}</h2>\n"
    if block.text:
        return f"<p>{for_markup(block.text)}</p>\n"
    if block.table is not None:
        return _table(block.table, style)
    return "" if block.formula is None else _formula(block.formula, style, next(numbers))


def _table(table: SymbolTable, style: MathML) -> str:
    head = "".join(f"<th>{for_markup(cell)}</th>" for cell in table.head)
    rows = "".join(f"<tr>{''.join(f'<td>{_cell(cell, style)}</td>' for cell in row)}</tr>\n" for row in table.rows)
    return f'<table class="legend">\n<tr>{head}</tr>\n{rows}</table>\n'


def _cell(cell: str | Expression, style: MathML) -> str:
    return f"<math>{typeset(cell, style)}</math>" if isinstance(cell, Expression) else for_markup(cell)


def _formula(formula: Formula, style: MathML, number: int) -> str:
    if len(formula.lines) == 1:
        inner = "".join(_piece(piece, style) for piece in formula.lines[0])
        inner = f"<mrow>{inner}</mrow>"
    else:
        inner = f'<mtable displaystyle="true">{"".join(_line(line, style) for line in formula.lines)}</mtable>'
    return f'<div class="equation"><math display="block">{inner}</math><span class="number">({number})</span></div>\n'


def _line(line: Sequence[Piece], style: MathML) -> str:
    """Two cells: what stands before the first sign, and the rest."""
    signs = [k for k, piece in enumerate(line) if piece == "="]
    cut = 1 if line[0] == "" else signs[0]
    left, right = ("".join(_piece(piece, style) for piece in part) for part in (line[:cut], line[cut:]))
    space = '<mspace width="2em"/>' if line[0] == "" else ""
    return (
        f'<mtr><mtd style="text-align: right; padding-right: 0"><mrow>{left}</mrow></mtd>'
        f'<mtd style="text-align: left"><mrow>{space}{right}</mrow></mtd></mtr>'
    )


def _piece(piece: Piece, style: MathML) -> str:
    if isinstance(piece, str):
        if piece == ",":
            return '<mo>,</mo><mspace width="1.2em"/>'
        if piece in ("(", ")"):
            return f'<mo stretchy="false">{piece}</mo>'
        return "" if not piece else f"<mn>{piece}</mn>" if piece.isdigit() else f"<mo>{piece}</mo>"
    if isinstance(piece, Expression):
        return typeset(piece, style)
    if isinstance(piece, Vector):
        return _vector(piece)
    return _letter(piece) if isinstance(piece, Letter) else _grid(piece, style)


def _letter(letter: Letter) -> str:
    if letter.base == "sum":
        return _attached("<mo>∑</mo>", _small(letter.index), _small(letter.above), "munderover")
    upright = ' mathvariant="normal"' if len(letter.base) > 1 and letter.base not in GREEK else ""
    base = _dotted(f"<mi{upright}>{GREEK.get(letter.base, letter.base)}</mi>", letter.dots)
    return _attached(base, _small(letter.index), _small(letter.above))


def _small(text: str) -> str:
    return f'<mi mathvariant="normal">{for_markup(text)}</mi>' if text else ""


def _dotted(base: str, dots: int) -> str:
    return f'<mover accent="true">{base}<mo>{"˙¨"[dots - 1]}</mo></mover>' if dots else base


def _attached(base: str, below: str, above: str, kind: str = "msubsup") -> str:
    """A letter with what stands below and above it; `kind` is msubsup or munderover."""
    if below and above:
        return f"<{kind}>{base}{below}{above}</{kind}>"
    name = {"msubsup": ("msub", "msup"), "munderover": ("munder", "mover")}[kind][0 if below else 1]
    return f"<{name}>{base}{below or above}</{name}>" if below or above else base


def _bold(letter: str) -> str:
    """A letter, bold in Unicode itself: MATHEMATICAL BOLD CAPITAL M, MATHEMATICAL BOLD SMALL GAMMA."""
    size = "CAPITAL" if letter[0].isupper() else "SMALL"
    name = "LAMDA" if letter == "lambda" else letter.upper()  # as Unicode spells it
    return f"<mi>{lookup(f'MATHEMATICAL BOLD {size} {name}')}</mi>"


def _vector(vector: Vector) -> str:
    text = _dotted(_bold(vector.base), vector.dots)
    index = "".join(_bold(letter) if letter.isalpha() else f"<mn>{letter}</mn>" for letter in vector.index)
    index = index if len(vector.index) < 2 else f"<mrow>{index}</mrow>"
    above = _small(vector.above) + _small("T" if vector.transposed else "")
    above = f"<mrow>{above}</mrow>" if vector.above and vector.transposed else above
    text = _attached(text, index, above)
    arguments = "<mo>,</mo>".join(_argument(k, of) for k, of in enumerate(vector.of))
    if arguments:
        text += f'<mrow><mo stretchy="false">(</mo>{arguments}<mo stretchy="false">)</mo></mrow>'
    return text


def _argument(k: int, letter: str) -> str:
    if letter == "t":
        return "<mi>t</mi>"
    return _vector(Vector(letter, dots=1 if k and letter == "q" else 0))


def _grid(grid: EntryTable, style: MathML) -> str:
    cells = ("".join(f"<mtd>{typeset(entry, style)}</mtd>" for entry in row) for row in grid.rows)
    rows = "".join(f"<mtr>{row}</mtr>" for row in cells)
    return f'<mrow><mo fence="true">[</mo><mtable displaystyle="true">{rows}</mtable><mo fence="true">]</mo></mrow>'
