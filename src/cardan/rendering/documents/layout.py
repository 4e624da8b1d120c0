"""Matrices that fit on a page: long parts get a name and a line of their own.

An entry that is too long for its matrix is called by its place, M₁₂, and written below. What long entries share, and
sums that do not fit on one line, get names κ₁, κ₂ …; cosines and sines of coordinates become c₂, s₁₂ as in robotics.
"""

import re
from collections.abc import Mapping, Sequence

from cardan.frozen import dataclass
from cardan.rendering.algebra.expression import Expression, Head, add, call, children, product, symbol, walk
from cardan.rendering.algebra.readable import Matrix
from cardan.rendering.algebra.sharing import WORTH, Rewriting, uses
from cardan.rendering.styles.glyphs import Glyph, primed
from cardan.rendering.styles.text import Text
from cardan.rendering.styles.typesetting import typeset

WIDE = 84  # most characters of a line
_PART = "κ|"  # begins the names of shared parts
_ABBREVIATED = 40  # least number of cosines and sines in long entries for which they are abbreviated


@dataclass(frozen=True)
class Definition:
    """name = Σ lines."""

    name: str  # what is defined
    lines: tuple[Expression, ...]  # parts of a sum, one line each


@dataclass(frozen=True)
class Arranged:
    """What a document shows."""

    shown: dict[str, Matrix]  # matrices with short entries
    entries: dict[str, tuple[Definition, ...]]  # long entries by matrix
    parts: tuple[Definition, ...]  # shared parts, in the order in which they use each other
    abbreviations: tuple[Definition, ...]  # cosines and sines
    glyphs: dict[str, Glyph]  # glyphs of all names, new ones included

    def width(self, rows: Sequence[Sequence[Expression]]) -> int:
        """Characters of a matrix in text."""
        style = Text(self.glyphs)
        return sum(3 + max(len(typeset(e, style)) for e in column) for column in zip(*rows, strict=True))


class _Arranging(Rewriting):
    def __init__(self, glyphs: Mapping[str, Glyph], numbers: Mapping[str, int]) -> None:
        super().__init__({})
        self.glyphs = dict(glyphs)
        self.taken = set(self.glyphs.values())
        self.numbers = numbers
        self.many = max(numbers.values(), default=0) > 9  # whether numbers in an index are separated by commas
        self.parts: list[Definition] = []
        self.abbreviations: dict[Expression, str] = {}

    def call(self, name: str, wanted: Glyph) -> None:
        """Set a new name with the wanted glyph, primed where another name has it."""
        self.glyphs[name] = primed(wanted, self.taken)
        self.taken.add(self.glyphs[name])

    def width(self, e: Expression) -> int:
        """Characters of one line of text."""
        return len(typeset(e, Text(self.glyphs)).replace("_", ""))

    def share(self, long: Sequence[Expression]) -> None:
        """Give names to parts that several long expressions use."""
        found = uses(long)
        functions = ("sin", "cos")
        self._abbreviate([(e, count) for e, count in found.items() if e.kind == Head.CALL and e.name in functions])
        for e, count in found.items():
            least = WORTH if e.kind == Head.SUM or e.name == "shared" else 2 * WORTH
            if (e.kind == Head.CALL and e.name != "shared") or count < 2 or e.operations < least:
                continue
            if self.rewritten(e).operations >= least:
                self.define(e, self.made[e])

    def _abbreviate(self, found: list[tuple[Expression, int]]) -> None:
        if sum(count for _, count in found) < _ABBREVIATED:
            return
        for e, count in found:
            index = self._index(e.args[0])
            if count > 1 and index is not None:
                name = f"{e.name[0]}|{index}"
                self.call(name, Glyph(e.name[0], index))
                self.abbreviations[e] = name
                self.names[e] = symbol(name)

    def _index(self, angle: Expression) -> str | None:
        """4+6 of the angle q4 + q6; None if it is no sum of coordinates."""
        out = ""
        for k, term in enumerate(angle.args if angle.kind == Head.SUM else (angle,)):
            sign, base = (1, term) if term.kind == Head.SYMBOL else (0, term)
            if term.kind == Head.PRODUCT and term.number in (1, -1) and len(term.args) == 1 and term.args[0][1] == 1:
                sign, base = int(term.number), term.args[0][0]
            if sign == 0 or base.kind != Head.SYMBOL or base.name not in self.numbers:
                return None
            out += ("-" if sign < 0 else "," if k and self.many else "") + str(self.numbers[base.name])
        return out

    def define(self, e: Expression, written: Expression) -> Expression:
        """The new name of `e`, whose definition is `written`: `e` with parts replaced by their names."""
        if written.kind == Head.CALL and written.name == "shared":
            written = written.args[0]
        lines = self.lines(written)
        name = f"{_PART}{len(self.parts) + 1}"
        self.call(name, Glyph("kappa", str(len(self.parts) + 1)))
        self.parts.append(Definition(name, lines))
        self.names[e] = self.made[e] = symbol(name)
        return self.names[e]

    def lines(self, e: Expression) -> tuple[Expression, ...]:
        """A sum as lines that fit; sums inside a term that is too wide get names."""
        if e.kind == Head.CALL and e.name == "shared":
            e = e.args[0]
        terms = [self._fitting(term) for term in (e.args if e.kind == Head.SUM else (e,))]
        out: list[Expression] = []
        line: list[Expression] = []
        used = 0
        for term in terms:
            width = self.width(term) + 3
            if line and used + width > WIDE:
                out.append(_sum(line))
                line, used = [], 0
            line.append(term)
            used += width
        return (*out, _sum(line))

    def _fitting(self, term: Expression) -> Expression:
        while self.width(term) > WIDE:
            sums = [one for one in _inner_sums(term) if self.width(one) > WIDE // 4]
            if not sums:
                return term
            widest = max(sums, key=self.width)
            name = self.define(widest, widest)
            term = _replaced(term, widest, name)
        return term


def _sum(terms: Sequence[Expression]) -> Expression:
    """A sum in this very order, so that a line may begin with a minus."""
    return terms[0] if len(terms) == 1 else Expression(Head.SUM, args=tuple(terms))


def _inner_sums(term: Expression) -> list[Expression]:
    found: list[Expression] = []
    stack = list(children(term))
    while stack:
        e = stack.pop()
        if e.kind == Head.SUM:
            found.append(e)
        else:
            stack.extend(children(e))
    return found


def _replaced(e: Expression, old: Expression, new: Expression) -> Expression:
    if e == old:
        return new
    if e.kind == Head.SUM:
        return add(*(_replaced(term, old, new) for term in e.args))
    if e.kind == Head.PRODUCT:
        return product(e.number, [(_replaced(base, old, new), exponent) for base, exponent in e.args])
    return call(e.name, *(_replaced(arg, old, new) for arg in e.args)) if e.args else e


def arrange(
    matrices: Mapping[str, Matrix],
    glyphs: Mapping[str, Glyph],
    coordinates: Sequence[str],
    heads: Mapping[str, Glyph],
    lines: Mapping[str, Sequence[Glyph]],
) -> Arranged:
    """What a document shows of some matrices."""
    work = _Arranging(glyphs, _numbers([glyphs[name] for name in coordinates], coordinates))
    chosen = {
        name: [(r, 0) for r in range(matrix.shape[0])] if name in lines else _too_long(work, matrix)
        for name, matrix in matrices.items()
    }
    long = [(name, matrices[name].rows[r][c]) for name, places in chosen.items() for r, c in places]
    work.share([entry for _, entry in dict.fromkeys(long)])
    called: dict[tuple[str, Expression], str] = {}
    shown, entries = {}, {}
    for name, matrix in matrices.items():
        definitions = []
        rows = [list(row) for row in matrix.rows]
        for r, c in chosen[name]:
            entry = matrix.rows[r][c]
            if name in lines:
                place = f"{name}|{r + 1}"
                work.glyphs[place] = lines[name][r]
                definitions.append(Definition(place, work.lines(work.rewritten(entry))))
                continue
            written = work.rewritten(entry)
            if written.kind == Head.SYMBOL and written.name.startswith(_PART):
                rows[r][c] = written
                definitions.append(Definition("", (written,)))
                continue
            if (name, entry) not in called:
                place = f"{name}|{r + 1}{',' if max(matrix.shape) > 9 else ''}{c + 1}"
                index = place.partition("|")[2] if matrix.columns > 1 else str(r + 1)
                head = heads[name]
                named = Glyph(head.base, f"{head.index},{index}" if head.index else index, head.dots)
                work.call(place, named)
                called[name, entry] = place
                definitions.append(Definition(place, work.lines(written)))
            rows[r][c] = symbol(called[name, entry])
        shown[name] = Matrix(tuple(map(tuple, rows)), matrix.columns, matrix.rough)
        entries[name] = tuple(definitions)
    parts = _in_order_of_use([line for made in entries.values() for one in made for line in one.lines], work)
    entries = {name: tuple(one for one in made if one.name) for name, made in entries.items()}
    return Arranged(shown, entries, parts, _sorted_abbreviations(work), work.glyphs)


def _numbers(own: Sequence[Glyph], coordinates: Sequence[str]) -> dict[str, int]:
    """Numbers by which cosines and sines of coordinates are called."""
    indexed = len({one.base for one in own}) == 1 and all(one.index.isdecimal() for one in own)
    return {name: int(own[k].index) if indexed else k + 1 for k, name in enumerate(coordinates)}


def _in_order_of_use(lines: Sequence[Expression], work: _Arranging) -> tuple[Definition, ...]:
    """The shared parts, numbered in the order in which a reader needs them; those that nothing uses are left out."""
    known = {part.name: part for part in work.parts}
    order: dict[str, Definition] = {}

    def visit(expressions: Sequence[Expression]) -> None:
        for one in expressions:
            for e in walk(one):
                if e.kind == Head.SYMBOL and e.name in known and e.name not in order:
                    visit(known[e.name].lines)
                    order[e.name] = known[e.name]

    visit(lines)
    numbers = sorted((work.glyphs.pop(name) for name in order), key=lambda one: int(one.index))
    work.glyphs |= dict(zip(order, numbers, strict=True))
    return tuple(order.values())


def _sorted_abbreviations(work: _Arranging) -> tuple[Definition, ...]:
    """Cosines and sines by the numbers of their coordinates: c₁, s₁, c₂, s₂, c₁₂."""

    def place(entry: tuple[Expression, str]) -> tuple[int, list[int], str]:
        letter, _, index = entry[1].partition("|")
        numbers = [*map(int, re.findall(r"\d+" if work.many else r"\d", index))]
        return len(numbers), numbers, f"{letter}{index}"

    return tuple(Definition(name, (e,)) for e, name in sorted(work.abbreviations.items(), key=place))


def _too_long(work: _Arranging, matrix: Matrix) -> list[tuple[int, int]]:
    """Places of entries that make the matrix wider than a page; those of one column only if they do not fit a line.

    Numbers stand where they are.
    """
    widths = {
        (r, c): work.width(entry) if entry.operations < 400 else 10**6
        for r, row in enumerate(matrix.rows)
        for c, entry in enumerate(row)
        if entry.kind != Head.NUMBER
    }
    if matrix.columns == 1:
        return [place for place, width in widths.items() if width > WIDE]
    chosen: set[tuple[int, int]] = {place for place, width in widths.items() if width > WIDE // 2}
    while True:
        columns = [
            max((5 if (r, c) in chosen else widths.get((r, c), 5) for r in range(matrix.shape[0])), default=0) + 2
            for c in range(matrix.columns)
        ]
        longest = max((place for place in widths if place not in chosen), key=widths.__getitem__, default=None)
        if sum(columns) <= WIDE or longest is None or widths[longest] <= 5:
            return sorted(chosen)
        chosen |= {place for place, width in widths.items() if width == widths[longest]}
