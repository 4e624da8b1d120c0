"""Names for parts that expressions share, so that a text contains each part once."""

from collections.abc import Collection, Mapping, Sequence

from cardan.frozen import dataclass
from cardan.rendering.algebra.expression import Expression, Head, add, call, children, product, symbol
from cardan.rendering.algebra.readable import Matrix

_LONG = 400  # an entry with more operations has its shared parts named
WORTH = 4  # least operations of a part that gets a name


class Rewriting:
    """Replaces expressions by symbols, whose `names` may grow: inner expressions before those that contain them."""

    def __init__(self, names: dict[Expression, Expression]) -> None:
        self.names = names
        self.made: dict[Expression, Expression] = {}

    def rewritten(self, e: Expression) -> Expression:
        """`e` with every named part replaced by its symbol, inner parts first."""
        stack = [e]
        while stack:
            one = stack[-1]
            missing = [] if one in self.names else [child for child in children(one) if child not in self.made]
            if one in self.made or not missing:
                stack.pop()
                if one not in self.made:
                    self.made[one] = self.names.get(one) or self._rebuilt(one)
            else:
                stack.extend(missing)
        return self.made[e]

    def _rebuilt(self, e: Expression) -> Expression:
        if e.kind == Head.SUM:
            return add(*(self.made[term] for term in e.args))
        if e.kind == Head.PRODUCT:
            return product(e.number, [(self.made[base], exponent) for base, exponent in e.args])
        return call(e.name, *(self.made[arg] for arg in e.args)) if e.args else e


def uses(expressions: Sequence[Expression]) -> dict[Expression, int]:
    """Number of uses of every part of some `expressions`, in another part or as one of them; inner parts come first."""
    counts: dict[Expression, int] = {}
    order: dict[Expression, int] = {}
    stack = [(e, False) for e in reversed(expressions)]
    while stack:
        e, done = stack.pop()
        if done:
            order[e] = 0
            continue
        counts[e] = counts.get(e, 0) + 1
        if counts[e] == 1:
            stack.append((e, True))
            stack.extend((child, False) for child in reversed(children(e)))
    return {e: counts[e] for e in order}


@dataclass(frozen=True)
class Shared:
    """Matrices, and what the names in them stand for."""

    matrices: dict[str, Matrix]  # by name
    parts: dict[str, Expression]  # by name; each contains only names before its own


def named_parts(matrices: Mapping[str, Matrix], taken: Collection[str]) -> Shared:
    """Matrices with names for parts that long entries use more than once; unchanged if no entry is long."""
    entries = [entry for matrix in matrices.values() for row in matrix.rows for entry in row]
    long = [entry for entry in dict.fromkeys(entries) if entry.operations > _LONG]
    work, parts = Rewriting({}), dict[str, Expression]()
    for e, count in uses(long).items():
        if count < 2 or e.operations < WORTH or (e.kind == Head.CALL and e.name in ("sin", "cos")):
            continue
        written = work.rewritten(e)
        if written.operations >= WORTH:
            name = _free(f"k{len(parts) + 1}", taken)
            parts[name] = written.args[0] if written.kind == Head.CALL and written.name == "shared" else written
            work.names[e] = work.made[e] = symbol(name)
    chosen = {entry: work.rewritten(entry) for entry in long}
    out = {
        name: Matrix(
            tuple(tuple(chosen.get(entry, entry) for entry in row) for row in matrix.rows), matrix.columns, matrix.rough
        )
        for name, matrix in matrices.items()
    }
    return Shared(out, parts)


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "_"
    return name
