"""What a document is made of: letters, formulas, tables, matrices with names, sections."""

from cardan.frozen import dataclass
from cardan.rendering.algebra.expression import Expression
from cardan.rendering.algebra.readable import Matrix


@dataclass(frozen=True)
class Vector:
    """A bold letter: M, q̇, Φq, R_a⁻¹."""

    base: str  # letter, or the English name of a Greek one
    index: str = ""  # bold as well
    dots: int = 0  # derivatives with respect to time
    transposed: bool = False  # whether a T stands above
    of: tuple[str, ...] = ()  # letters of the arguments
    above: str = ""  # exponent or upper index


@dataclass(frozen=True)
class Letter:
    """A letter in italics, or the signs "sum" and "tr", with an index and an exponent or upper index."""

    base: str  # letter, or the English name of a Greek one
    index: str = ""  # below right
    above: str = ""  # exponent or upper index
    dots: int = 0  # derivatives with respect to time


@dataclass(frozen=True)
class EntryTable:
    """The entries of a matrix."""

    rows: tuple[tuple[Expression, ...], ...]  # rows of expressions


Piece = str | Vector | Letter | Expression | EntryTable


@dataclass(frozen=True)
class Formula:
    """Lines of mathematics under one number."""

    lines: tuple[tuple[Piece, ...], ...]  # a line is a sequence of pieces; texts are signs


@dataclass(frozen=True)
class SymbolTable:
    """Rows of symbols and words."""

    head: tuple[str, ...]  # titles of the columns
    rows: tuple[tuple[str | Expression, ...], ...]  # cells


@dataclass(frozen=True)
class Paragraph:
    """A piece of the document."""

    heading: str = ""  # heading of a section
    text: str = ""  # a paragraph
    table: SymbolTable | None = None  # symbols and their meaning
    formula: Formula | None = None  # equations


@dataclass(frozen=True)
class NamedMatrix:
    """A matrix of a section: its letter, and what stands between the two."""

    name: str  # in files of data, unique within its section
    letter: Vector  # how it is called
    matrix: Matrix
    meaning: tuple[Piece, ...] = ()  # what it is by others, written between its letter and its entries
    heads: tuple[tuple[str, int], ...] = ()  # symbols and their dots that its rows are, each in a line of its own


@dataclass(frozen=True)
class Chapter:
    """A section of a document, with matrices of its own."""

    name: str  # in files of data
    title: str  # its heading
    content: tuple[str | Formula | SymbolTable | tuple[NamedMatrix, ...], ...]  # paragraphs, formulas, tables, matrices
    is_last: bool = False  # whether it stands behind the terms, not before the equations of motion
    replaces: tuple[str, ...] = ()  # terms of the document that it gives in another form, and that are not repeated

    @property
    def matrices(self) -> dict[str, NamedMatrix]:
        """The matrices by name."""
        return {one.name: one for part in self.content if isinstance(part, tuple) for one in part}
