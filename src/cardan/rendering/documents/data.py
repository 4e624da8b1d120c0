"""A document as JSON, and as a SymPy script that makes the same matrices."""

import json
import re
from collections.abc import Sequence
from keyword import iskeyword
from typing import Any

from cardan.rendering.algebra.expression import Expression, symbol
from cardan.rendering.algebra.readable import Matrix
from cardan.rendering.algebra.sharing import Rewriting, named_parts
from cardan.rendering.algebra.sympy_target import sympy_expression
from cardan.rendering.documents.document import Document, Quantity
from cardan.rendering.styles.grammar import Grammar
from cardan.rendering.styles.typesetting import typeset
from cardan.safety.text import for_comment


def data(document: Document) -> str:
    """Names, units and entries as JSON.

    Entries are texts in the grammar of model files: + - * / **, parentheses, functions, names with dots. Fractions are
    exact; floats have all their digits. What long entries use more than once has a name of its own under "parts", which
    may use the names before it. Sections with matrices of their own have these under "sections", with the names of
    their "rows" where these define something; "rated" are the states whose rates the matrix "rates" holds. Beyond that
    grammar, slope(x, x0, y0, x1, y1, …) is the derivative of interpolate(x, x0, y0, x1, y1, …), and a table of another
    kind is read(i, values …) where i, counted from 0, is a sum of low(x, knots …), the interval of x, and whole
    numbers.
    """
    style = Grammar()

    def quantities(entries: Sequence[Quantity]) -> list[dict[str, str]]:
        keys = ("name", "unit", "value", "meaning")
        return [{key: value for key in keys if (value := getattr(q, key))} for q in entries]

    shared = named_parts(document.all_matrices, _names(document))

    def matrix(name: str) -> dict[str, Any]:
        found = shared.matrices[name]
        return {"shape": list(found.shape), "entries": _entries(found, style)}

    content: dict[str, Any] = {
        **{name: getattr(document, name) for name in ("title", "source", "motors")},
        **{name: quantities(getattr(document, name)) for name in ("coordinates", "velocities", "currents", "states")},
        "rated": list(document.rated),
        **{name: quantities(getattr(document, name)) for name in ("inputs", "parameters", "multipliers")},
        "at": None if document.at is None else dict(document.at),
        "parts": {name: typeset(part, style) for name, part in shared.parts.items()},
        "matrices": {name: matrix(name) for name in document.matrices},
        "sections": {
            section.name: {
                name: matrix(f"{section.name}.{name}")
                | ({"rows": [head.removeprefix("u|") for head, _ in one.heads]} if one.heads else {})
                for name, one in section.matrices.items()
            }
            for section in document.sections
        },
        "unsimplified": list(document.unsimplified),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _names(document: Document) -> list[str]:
    """What symbols are called in the model."""
    moving = (document.coordinates, document.velocities, document.currents, document.states)
    groups = (document.parameters, *moving, document.inputs)
    efforts = document.inputs if document.motors == "none" and "accelerations" in document.matrices else ()
    laws = [f"{law.name}{rate}" for law in document.laws for rate in ("", ".v", ".a")]
    names = [
        *(q.name for group in (*groups, document.definitions) for q in group),
        *(f"{q.name}.effort" for q in efforts),
        "t",
        *laws,
    ]
    return [*dict.fromkeys(names)]


def _entries(matrix: Matrix, style: Grammar) -> list[list[str]]:
    return [[typeset(entry, style) for entry in row] for row in matrix.rows]


def script(document: Document) -> str:
    """A Python script that makes all matrices with SymPy; nothing but SymPy is needed to run it."""
    from sympy.printing.str import StrPrinter

    class Printer(StrPrinter):
        """Floats with all their digits; fractions that Python does not divide."""

        def _print_Float(self, value: Any) -> str:
            return repr(float(value))

        def _print_Rational(self, value: Any) -> str:
            return f"Rational({value.p}, {value.q})"

    names, heads = _names(document), {name: name.replace(".", "_") for name in document.all_matrices}
    words = _identifiers(names, {*heads.values()})
    shared = named_parts(document.all_matrices, {*names, *words.values(), *heads.values(), *_RESERVED})
    own = Rewriting({symbol(name): symbol(word) for name, word in words.items()})
    printer = Printer()
    known: dict[Expression, Any] = {}

    def code(e: Expression) -> str:
        return str(printer.doprint(sympy_expression(own.rewritten(e), known)))

    lines = [
        f'"""{for_comment(document.title)}: the equations of motion as SymPy matrices."""',
        "",
        "from sympy import *  # noqa: F403",
        "",
        *([f"# {document.left}", ""] if document.left else []),
        *(f"{word} = Symbol({name!r})" for name, word in words.items()),
        "",
    ]
    lines += [f"{name} = {code(part)}" for name, part in shared.parts.items()]
    lines += [""] if shared.parts else []
    for name, matrix in shared.matrices.items():
        rows = ",\n    ".join(code(entry) for row in matrix.rows for entry in row)
        inner = f"[\n    {rows},\n]" if rows else "[]"
        lines.append(f"{heads[name]} = Matrix({matrix.shape[0]}, {matrix.shape[1]}, {inner})")
    return "\n".join(lines) + "\n"


def _identifiers(names: Sequence[str], taken: set[str]) -> dict[str, str]:
    """A Python identifier for every name; none hides a function of SymPy that the script uses."""
    taken = taken | _RESERVED
    out: dict[str, str] = {}
    for name in names:
        word = re.sub(r"\W", "_", name)
        while word in taken or iskeyword(word):
            word += "_"
        out[name] = word
        taken.add(word)
    return out


_RESERVED = frozenset(
    [
        *("Symbol", "Matrix", "Rational", "Piecewise", "Eq", "Ne", "Abs", "Min", "Max", "sign", "floor", "ceiling"),
        *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        *("exp", "log", "sqrt", "erf", "pi", "oo", "nan", "zoo", "E", "I"),
    ]
)
"""What the script uses of SymPy."""
