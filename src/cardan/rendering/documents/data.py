"""A document as JSON, and as a SymPy script that makes the same matrices."""

import json
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from keyword import iskeyword
from typing import Any

from cardan.rendering.algebra.readable import Matrix
from cardan.rendering.algebra.sharing import named_parts
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
        return [
            {
                key: value
                for key, value in (("name", q.name), ("unit", q.unit), ("value", q.value), ("meaning", q.meaning))
                if value
            }
            for q in entries
        ]

    shared = named_parts(document.all_matrices, _names(document))

    def matrix(name: str) -> dict[str, Any]:
        found = shared.matrices[name]
        return {"shape": list(found.shape), "entries": _entries(found, style)}

    content: dict[str, Any] = {
        "title": document.title,
        "source": document.source,
        "motors": document.motors,
        "coordinates": quantities(document.coordinates),
        "velocities": quantities(document.velocities),
        "currents": quantities(document.currents),
        "states": quantities(document.states),
        "rated": list(document.rated),
        "inputs": quantities(document.inputs),
        "parameters": quantities(document.parameters),
        "multipliers": quantities(document.multipliers),
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
    names, heads = _names(document), {name: name.replace(".", "_") for name in document.all_matrices}
    words = _identifiers(names, {*heads.values()})
    shared = named_parts(document.all_matrices, {*names, *words.values(), *heads.values(), *_RESERVED})
    style = _Script(words | {name: name for name in shared.parts})
    lines = [
        f'"""{for_comment(document.title)}: the equations of motion as SymPy matrices."""',
        "",
        "from sympy import *  # noqa: F403",
        "",
        *([f"# {document.left}", ""] if document.left else []),
        *(f"{word} = Symbol({name!r})" for name, word in words.items()),
        "",
    ]
    lines += [f"{name} = {typeset(part, style)}" for name, part in shared.parts.items()]
    lines += [""] if shared.parts else []
    for name, matrix in shared.matrices.items():
        rows = ",\n    ".join(typeset(entry, style) for row in matrix.rows for entry in row)
        inner = f"[\n    {rows},\n]" if rows else "[]"
        lines.append(f"{heads[name]} = Matrix({matrix.shape[0]}, {matrix.shape[1]}, {inner})")
    return "\n".join(lines) + "\n"


class _Script(Grammar):
    """The grammar as Python with SymPy."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def number(self, value: Any) -> str:
        """Fractions as SymPy's."""
        is_fraction = isinstance(value, Fraction) and value.denominator != 1
        return f"Rational({value.numerator}, {value.denominator})" if is_fraction else super().number(value)

    def symbol(self, name: str) -> str:
        """The word of the script for a name."""
        return self.names.get(name, name)

    def function(self, name: str, args: Sequence[str], bare: bool, exponent: int) -> str:
        """SymPy's names."""
        if name == "low":
            text = f"({' + '.join(f'Piecewise((1, {args[0]} >= {knot}), (0, True))' for knot in args[2:-1]) or '0'})"
        elif name == "read":
            pieces = (f"({value}, {args[0]} < {2 * k + 1}/S(2))" for k, value in enumerate(args[1:]))
            text = f"Piecewise({', '.join(pieces)})"
        elif name in ("interpolate", "slope"):
            text = _piecewise(name, *args)
        elif name == "fmod":
            text = "({0} - {1}*sign({0}/{1})*floor(Abs({0}/{1})))".format(*(f"({arg})" for arg in args))
        else:
            form = _SYMPY.get(name, f"{name}({', '.join(args)})" if args else name)
            text = form.format(*args, all=", ".join(args))
        return text if exponent == 1 else self.power(text, exponent)

    def relation(self, name: str, left: str, right: str) -> str:
        """SymPy's relations, which are no truths before there are numbers."""
        return f"{name.capitalize()}({left}, {right})"

    def joined(self, name: str, conditions: Sequence[str]) -> str:
        """SymPy's logic."""
        return f"{name.capitalize()}({', '.join(conditions)})"

    def chosen(self, condition: str, value: str) -> str:
        """SymPy's Piecewise."""
        return f"Piecewise(({value}, {condition}), (0, True))"


def _piecewise(name: str, x: str, *samples: str) -> str:
    """A table of lines, or of their slopes, as SymPy's Piecewise."""
    pairs = list(zip(samples[::2], samples[1::2], strict=True))
    outside = ("0", "0") if name == "slope" else (samples[1], samples[-1])
    lines = [f"({outside[0]}, {x} < {samples[0]})"]
    for (x0, y0), (x1, y1) in pairwise(pairs):
        if x0 != x1:
            slope = f"({y1} - ({y0}))/({x1} - ({x0}))"
            lines.append(f"({slope if name == 'slope' else f'{y0} + {slope}*({x} - ({x0}))'}, {x} < {x1})")
    return f"Piecewise({', '.join(lines)}, ({outside[1]}, True))"


_SYMPY = {
    **{"abs": "Abs({0})", "ceil": "ceiling({0})", "min": "Min({all})", "max": "Max({all})", "pow": "Pow({0}, {1})"},
    **{"hypot": "sqrt(({0})**2 + ({1})**2)", "log1p": "log(1 + {0})", "expm1": "(exp({0}) - 1)"},
    **{"inf": "oo", "-inf": "(-oo)"},
}
"""What SymPy has no function of the same name for."""


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


_RESERVED = {
    *(
        "Symbol",
        "Matrix",
        "Rational",
        "Piecewise",
        "Lt",
        "Le",
        "Gt",
        "Ge",
        "Eq",
        "Ne",
        "And",
        "Or",
        "Not",
        "Abs",
        "Min",
    ),
    *("Max", "Pow", "sin", "cos"),
    *("tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "log", "sqrt"),
    *("sign", "floor", "ceiling", "erf", "pi", "oo", "nan", "S"),
}
"""What the script uses of SymPy."""
