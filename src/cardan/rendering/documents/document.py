"""A document of equations: blocks of text, tables and numbered equations that every format can set."""

from collections.abc import Mapping, Sequence

from cardan.frozen import dataclass, field, replace
from cardan.rendering.algebra.expression import Expression, Head, is_negative, multiply, number, symbol
from cardan.rendering.algebra.readable import Matrix
from cardan.rendering.documents.layout import WIDE, Arranged, Definition, arrange
from cardan.rendering.documents.pieces import (
    Chapter,
    EntryTable,
    Formula,
    NamedMatrix,
    Paragraph,
    Piece,
    SymbolTable,
    Vector,
)
from cardan.rendering.documents.tables import with_named_tables
from cardan.rendering.styles.glyphs import Glyph, glyph, numbered, primed

RATES = "rates"
"""Name of the column with the rates of states, in the order of `Document.rated`."""

_MARGIN = 12  # characters for the letter of a matrix and the signs around it
_LISTED = 8  # most unsimplified entries of a matrix that are listed one by one


@dataclass(frozen=True)
class Quantity:
    """A coordinate, velocity, input or parameter."""

    name: str  # in the model
    unit: str = ""  # SI
    value: str = ""  # as the model gives it
    meaning: str = ""  # in words
    letter: str = ""  # that it is set with, in place of its name
    index: str = ""  # of this letter


@dataclass(frozen=True)
class Document:
    """The equations of a model, and what a reader must know about them."""

    title: str  # name of the mechanism
    source: str  # where it comes from
    motors: str  # how motors are modelled: full, simplified, none
    coordinates: tuple[Quantity, ...]  # q
    velocities: tuple[Quantity, ...]  # v
    currents: tuple[Quantity, ...]  # i
    inputs: tuple[Quantity, ...]  # u
    parameters: tuple[Quantity, ...]  # with their values
    multipliers: tuple[Quantity, ...]  # λ, with what each enforces
    matrices: Mapping[str, Matrix]  # by their names in `Equations`
    unsimplified: tuple[str, ...] = ()  # entries that were left as derived
    at: tuple[tuple[str, str], ...] | None = None  # (name, value) where the matrices were evaluated
    whole: bool = True  # whether no term is left out
    states: tuple[Quantity, ...] = ()  # the user's own, with their rates
    rated: tuple[str, ...] = ()  # names of the states whose rates stand in the column `RATES`
    sections: tuple[Chapter, ...] = ()  # how the terms come about
    unwritten: tuple[str, ...] = ()  # sentences: what acts on the mechanism and stands in no matrix
    with_time: bool = False  # whether t stands in the constraints
    laws: tuple[Quantity, ...] = ()  # laws of prescribed motions
    definitions: tuple[Quantity, ...] = ()  # names for parts of expressions, which a section defines
    efforts: int = 0  # how many of the multipliers, the last ones, are efforts of drives and stand in a section

    @property
    def all_matrices(self) -> dict[str, Matrix]:
        """The matrices, and those of the sections as `section.name`."""
        of_sections = {
            f"{section.name}.{name}": one.matrix for section in self.sections for name, one in section.matrices.items()
        }
        return {**self.matrices, **of_sections}

    @property
    def terms(self) -> dict[str, Matrix]:
        """The matrices, those of the constraints without the equations of prescribed motions."""
        kept = len(self.multipliers) - self.efforts
        return {
            name: replace(matrix, rows=matrix.rows[:kept]) if name in _CONSTRAINTS else matrix
            for name, matrix in self.matrices.items()
        }

    @property
    def replaced(self) -> set[str]:
        """Terms that a section gives in another form."""
        return {name for section in self.sections for name in section.replaces}

    @property
    def shown(self) -> dict[str, Matrix]:
        """All matrices that the document shows."""
        return {name: matrix for name, matrix in (self.all_matrices | self.terms).items() if name not in self.replaced}

    @property
    def left(self) -> str:
        """A sentence that lists the entries which the budget left unsimplified; empty if there are none."""
        names = ", ".join(word for name in self.shown for word in _left(self, name))
        return f"Left as derived, because simplifying would have taken more than the budget: {names}" if names else ""


def _left(document: Document, name: str) -> list[str]:
    """Unsimplified entries of one matrix by place, or their number where they are many."""
    entries = [entry for entry in document.unsimplified if entry.partition("[")[0] == name]
    return entries if len(entries) <= _LISTED else [f"{len(entries)} entries of {name}"]


LETTERS = {
    "M": Vector("M"), "C": Vector("C"), "D": Vector("D"), "g": Vector("g"), "B": Vector("B"), "Q": Vector("Q"),
    "Phi": Vector("Phi"), "Phi_q": Vector("Phi", "q"), "gamma": Vector("gamma"),
    "L": Vector("L"), "R": Vector("R"), "E": Vector("E"),
}  # fmt: skip
_CONSTRAINTS = ("Phi", "Phi_q", "gamma")
_HEADS = {name: Glyph(vector.base, vector.index) for name, vector in LETTERS.items()}
_ACCELERATIONS = "accelerations"
_WORDS = {
    "M": "Mass matrix",
    "C": "Coriolis and centrifugal terms",
    "D": "Damping",
    "g": "Gradient of the potential energy",
    "B": "Input matrix",
    "Q": "Other forces",
}


@dataclass
class _Writing:
    """Blocks of a document that have been written so far."""

    document: Document
    glyphs: dict[str, Glyph] = field(default_factory=dict)
    arranged: Arranged = field(init=False)
    out: list[Paragraph] = field(default_factory=list)


def blocks(document: Document) -> tuple[list[Paragraph], dict[str, Glyph]]:
    """The document as blocks, and the glyphs of all symbols in it."""
    work = _Writing(document, _glyphs(document))
    names = [quantity.name for quantity in document.coordinates]
    moving, dots = (names, 2) if _are_rates(document) else ([v.name for v in document.velocities], 1)
    lines = {_ACCELERATIONS: [replace(work.glyphs[name], dots=dots) for name in moving]}
    lines[RATES] = [replace(work.glyphs[name], dots=1) for name in document.rated]
    for section in document.sections:
        for name, one in section.matrices.items():
            if one.heads:
                lines[f"{section.name}.{name}"] = [replace(work.glyphs[head], dots=dots) for head, dots in one.heads]
    shown, tables = with_named_tables(document.shown, work.glyphs)
    work.arranged = arrange(shown, work.glyphs, names, _HEADS | _section_heads(document), lines)
    work.glyphs = work.arranged.glyphs
    _opening(work)
    _legend(work)
    _values(work)
    _tables(work, tables)
    before = [section for section in document.sections if not section.is_last]
    early = any(work.arranged.entries[f"{section.name}.{name}"] for section in before for name in section.matrices)
    if early:
        _abbreviations(work)
    for section in document.sections:
        if not section.is_last:
            _section(work, section)
    if document.whole and (document.velocities or not document.rated):
        _law(work)
    if not early:
        _abbreviations(work)
    _matrices(work, "Terms", ("M", "C", "D", "g", "B", "Q"))
    _matrices(work, "Motors", ("L", "R", "E"))
    _constraints(work)
    for section in document.sections:
        if section.is_last:
            _section(work, section)
    _in_lines(work, "State equations of bond graphs", RATES)
    _in_lines(work, "Accelerations", _ACCELERATIONS)
    _vanishing(work)
    work.out.extend(Paragraph(text=words) for words in document.unwritten)
    return work.out, work.glyphs


def _section_heads(document: Document) -> dict[str, Glyph]:
    """Letters of the matrices in sections, for their entries."""
    out = {}
    for section in document.sections:
        for name, one in section.matrices.items():
            index = f"{one.letter.index}^{one.letter.above}" if one.letter.above else one.letter.index
            out[f"{section.name}.{name}"] = Glyph(one.letter.base, index)
    return out


def _glyphs(document: Document) -> dict[str, Glyph]:
    glyphs: dict[str, Glyph] = {"t": Glyph("t")}
    for quantity in (*document.parameters, *document.states, *document.definitions):
        one = Glyph(quantity.letter, quantity.index) if quantity.letter else glyph(quantity.name)
        taken = glyphs.values()
        glyphs[quantity.name] = primed(Glyph(quantity.name), taken) if one in taken else one
    coordinates = [quantity.name for quantity in document.coordinates]
    glyphs |= numbered("q", coordinates, glyphs, keep=True)
    velocities = [quantity.name for quantity in document.velocities]
    if _are_rates(document):
        dotted = {f"{name}.v": Glyph(glyphs[name].base, glyphs[name].index, 1) for name in coordinates}
        glyphs |= {name: dotted[name] for name in velocities}
    else:
        glyphs |= numbered("v", velocities, glyphs)
    glyphs |= numbered("i", [quantity.name for quantity in document.currents], glyphs)
    glyphs |= {f"u|{name}": one for name, one in _inputs(document, glyphs).items()}
    glyphs |= {name: glyphs[f"u|{name}"] for name in _input_names(document) if name not in glyphs}
    glyphs |= {f"{name}.effort": glyphs[f"u|{name}"] for name in _input_names(document)}
    laws = [quantity.name for quantity in document.laws]
    efforts = [f"{k}" for k in range(document.efforts)]
    numbers = numbered("w", laws, glyphs)
    glyphs |= numbers
    glyphs |= {f"{name}.v": replace(one, dots=1) for name, one in numbers.items()}
    glyphs |= {f"{name}.a": replace(one, dots=2) for name, one in numbers.items()}
    glyphs |= {f"tau|{k}": one for k, one in enumerate(numbered("tau", efforts, glyphs).values())}
    return glyphs | {
        f"lam|{k}": one for k, one in enumerate(numbered("lambda", _multipliers(document), glyphs).values())
    }


def _input_names(document: Document) -> list[str]:
    return [quantity.name for quantity in document.inputs]


def _inputs(document: Document, glyphs: Mapping[str, Glyph]) -> dict[str, Glyph]:
    return numbered("u", _input_names(document), glyphs)


def _multipliers(document: Document) -> list[str]:
    return [f"{k}" for k in range(len(document.multipliers) - document.efforts)]


def _are_rates(document: Document) -> bool:
    """Whether the velocities are the rates of the coordinates."""
    return [f"{q.name}.v" for q in document.coordinates] == [v.name for v in document.velocities]


def _opening(work: _Writing) -> None:
    document = work.document
    if document.source:
        work.out.append(Paragraph(text=f"Source: {document.source}."))
    if document.at is not None:
        values = ", ".join(f"{name} = {value}" for name, value in document.at) or "zero"
        rest = "other parameters have the values below, everything else is zero"
        if any(quantity.name.endswith(".qw") for quantity in document.coordinates):
            rest += ", and a quaternion that is not named is no rotation"
        work.out.append(Paragraph(text=f"The terms are evaluated at {values}; {rest}."))
    if document.left:
        work.out.append(Paragraph(text=f"{document.left}."))


def _legend(work: _Writing) -> None:
    document = work.document
    work.out.append(Paragraph(heading="Symbols"))
    rows: list[tuple[str | Expression, ...]] = []
    for quantity in document.coordinates:
        rows.append((symbol(quantity.name), quantity.name, quantity.unit, quantity.meaning or "coordinate"))
    if not _are_rates(document):
        rows += [(symbol(v.name), v.name, v.unit, "velocity") for v in document.velocities]
    rows += [(symbol(i.name), i.name, i.unit, "current") for i in document.currents]
    rows += [(symbol(s.name), s.name, s.unit, s.meaning) for s in document.states]
    rows += [(symbol(f"u|{u.name}"), u.name, u.unit, u.meaning) for u in document.inputs]
    rows += [
        (symbol(f"lam|{k}"), quantity.name, quantity.unit, quantity.meaning)
        for k, quantity in enumerate(document.multipliers[: len(document.multipliers) - document.efforts])
        if "Phi_q" not in document.matrices or not document.terms["Phi_q"].vanishes  # no λ in the equations
    ]
    kept = len(document.multipliers) - document.efforts
    rows += [
        (symbol(f"tau|{k}"), effort.name, effort.unit, effort.meaning.removeprefix("multiplier: "))
        for k, effort in enumerate(document.multipliers[kept:])
    ]
    rows += [(symbol(law.name), law.name, law.unit, law.meaning) for law in document.laws]
    work.out.append(Paragraph(table=SymbolTable(("symbol", "name", "unit", "meaning"), tuple(rows))))


def _values(work: _Writing) -> None:
    if work.document.parameters:
        rows = tuple((symbol(p.name), p.name, p.meaning, p.value) for p in work.document.parameters)
        work.out.append(Paragraph(heading="Parameters"))
        work.out.append(Paragraph(table=SymbolTable(("symbol", "name", "definition", "value (SI)"), rows)))


def _tables(work: _Writing, tables: Mapping[str, Sequence[Expression]]) -> None:
    """The places and values of tables."""
    if not tables:
        return
    names = ", ".join(tables)
    words = (
        f"{names}: linear between the places, with the first and the last value outside of them; where one place has "
        "two values, the function jumps from the first to the second. A prime means the slope."
    )
    work.out += [Paragraph(heading="Tables"), Paragraph(text=words)]
    for name, samples in tables.items():
        shown = [f"{float(sample.number):.10g}" for sample in samples]
        rows = tuple(zip(shown[::2], shown[1::2], strict=True))
        work.out.append(Paragraph(table=SymbolTable(("place", name), rows)))


def _law(work: _Writing) -> None:
    """The equations of motion without terms that are zero."""
    document, matrices = work.document, work.document.terms
    rates = _are_rates(document)
    v, a = (Vector("q", dots=1), Vector("q", dots=2)) if rates else (Vector("v"), Vector("v", dots=1))

    def there(name: str) -> bool:
        return name in matrices and not matrices[name].vanishes

    left: list[Piece] = [Vector("M", of=("q",)), a]
    left += ["+", Vector("C", of=("q", v.base)), v] if there("C") else []
    left += ["+", Vector("D"), v] if there("D") else []
    left += ["+", Vector("g", of=("q",))] if there("g") else []
    right: list[Piece] = []
    if there("B"):
        right += ["+", Vector("B"), Vector("i" if document.motors == "full" else "u")]
    right += ["+", Vector("Q")] if there("Q") else []
    right += ["+", Vector("Phi", "q", transposed=True), Vector("lambda")] if there("Phi_q") else []
    right += ["+", Vector("B", "m"), Vector("tau")] if document.efforts else []
    lines: list[tuple[Piece, ...]] = [(*left, "=", *(right[1:] or ["0"]))]
    if "L" in matrices and matrices["L"].rows:
        lines.append(
            (Vector("L"), Vector("i", dots=1), "+", Vector("R"), Vector("i"), "+", Vector("E"), v, "=", Vector("u"))
        )
    if there("Phi_q"):
        Phi = Vector("Phi", of=("q", "t") if document.with_time else ("q",))
        positions: list[Piece] = []  # where only velocities are restricted
        if there("Phi"):
            positions = [Phi, "=", "0", ","]
        lines.append((*positions, Vector("Phi", "q"), a, "=", Vector("gamma")))
    if document.efforts:
        Phi_m, gamma_m = Vector("Phi", "m", of=("q", "t")), Vector("gamma", "m")
        lines.append((Phi_m, "=", "0", ",", Vector("Phi", "m,q"), a, "=", gamma_m))
    work.out.append(Paragraph(heading="Equations of motion"))
    work.out.append(Paragraph(formula=Formula(tuple(lines))))


def _section(work: _Writing, section: Chapter) -> None:
    """Paragraphs, formulas and tables of a section; its matrices side by side as far as they fit."""
    work.out.append(Paragraph(heading=section.title))
    for part in section.content:
        if isinstance(part, str):
            work.out.append(Paragraph(text=part))
        elif isinstance(part, Formula):
            work.out.append(Paragraph(formula=part))
        elif isinstance(part, SymbolTable):
            work.out.append(Paragraph(table=part))
        else:
            _named_matrices(work, section.name, part)


def _named_matrices(work: _Writing, section: str, matrices: Sequence[NamedMatrix]) -> None:
    """Matrices side by side as far as they fit, and below them their long entries."""
    line: list[Piece] = []
    used, below = 0, list[Definition]()

    def flush() -> None:
        if line:
            work.out.append(Paragraph(formula=Formula((tuple(line),))))
        work.out.extend(Paragraph(formula=_defined(one)) for one in below)
        line.clear()
        below.clear()

    for one in matrices:
        name = f"{section}.{one.name}"
        if one.heads:
            work.out += [Paragraph(formula=_defined(entry)) for entry in work.arranged.entries[name]]
            continue
        rows = work.arranged.shown[name].rows
        width = work.arranged.width(rows) + _MARGIN
        if used + width > WIDE:
            flush()
            used = 0
        used += width
        line += [","] if line else []
        line += [one.letter, "=", *((*one.meaning, "=") if one.meaning else ()), EntryTable(rows)]
        below += work.arranged.entries[name]
    flush()


def _abbreviations(work: _Writing) -> None:
    arranged = work.arranged
    if not arranged.abbreviations and not arranged.parts:
        return
    work.out.append(Paragraph(heading="Abbreviations"))
    lines: list[tuple[Piece, ...]] = []
    for k in range(0, len(arranged.abbreviations), 4):
        line: list[Piece] = []
        for one in arranged.abbreviations[k : k + 4]:
            line += [",", symbol(one.name), "=", one.lines[0]] if line else [symbol(one.name), "=", one.lines[0]]
        lines.append(tuple(line))
    if lines:
        work.out.append(Paragraph(formula=Formula(tuple(lines))))
    work.out += [Paragraph(formula=_defined(one)) for one in arranged.parts]


def _defined(definition: Definition) -> Formula:
    """name = first line, further lines under it, each with its sign."""
    first, *rest = definition.lines
    return Formula(((symbol(definition.name), "=", first), *(("", *_signed(line)) for line in rest)))


def _signed(line: Expression) -> tuple[Piece, ...]:
    """The sign of a line's first term, and the line without it."""
    first, *others = line.args if line.kind == Head.SUM else (line,)
    if not is_negative(first):
        return "+", line
    first = multiply(number(-1), first)
    return "−", Expression(Head.SUM, args=(first, *others)) if others else first


def _matrices(work: _Writing, heading: str, names: Sequence[str]) -> None:
    arranged, matrices = work.arranged, work.document.terms
    replaced = work.document.replaced
    shown = [name for name in names if name in matrices and name not in replaced and not matrices[name].vanishes]
    if not shown:
        return
    work.out.append(Paragraph(heading=heading))
    for name in shown:
        if name in _WORDS:
            work.out.append(Paragraph(text=f"{_WORDS[name]}:"))
        work.out.append(Paragraph(formula=Formula(((LETTERS[name], "=", EntryTable(arranged.shown[name].rows)),))))
        work.out += [Paragraph(formula=_defined(one)) for one in arranged.entries[name]]


def _constraints(work: _Writing) -> None:
    if len(work.document.multipliers) > work.document.efforts:
        _matrices(work, "Constraints", _CONSTRAINTS)


def _in_lines(work: _Writing, heading: str, name: str) -> None:
    """One line for each entry of a column, without a vector of them."""
    if name in work.document.matrices:
        work.out.append(Paragraph(heading=heading))
        work.out += [Paragraph(formula=_defined(one)) for one in work.arranged.entries[name]]


def _vanishing(work: _Writing) -> None:
    matrices = {name: matrix for name, matrix in work.document.terms.items() if name in LETTERS}
    zero = [name for name, matrix in matrices.items() if matrix.vanishes and all(matrix.shape)]
    if "Phi_q" in matrices and "Phi_q" not in zero:
        # rows of Φ are zero for equations that restrict velocities alone
        zero = [name for name in zero if name != "Phi"]
    if zero:
        line: list[Piece] = []
        for name in zero:
            line += [",", LETTERS[name], "=", "0"] if line else [LETTERS[name], "=", "0"]
        work.out.append(Paragraph(text="All other terms vanish:"))
        work.out.append(Paragraph(formula=Formula((tuple(line),))))
