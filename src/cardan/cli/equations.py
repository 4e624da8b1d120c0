"""`cardan equations`: the matrices of the equations of motion, to read or to paste."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import cardan
from cardan.cli.failure import Debug, guarded
from cardan.cli.options import Formulation, ModelName, Motors, listed
from cardan.cli.terminal import out

if TYPE_CHECKING:
    from collections.abc import Callable

    import sympy

__all__ = ["equations"]

_MATRICES = ("M", "C", "D", "g", "Q", "B", "L", "R", "E")
_LAW = {
    "full": "M(q) v' + C(q,v) v + D v + g(q) = B i + Q,   L i' + R i + E v = u",
    "simplified": "M(q) v' + C(q,v) v + D v + g(q) = B u + Q,   u = voltages",
    "none": "M(q) v' + C(q,v) v + D v + g(q) = B u + Q,   u = joint efforts",
}
_UNDRIVEN = "M(q) v' + C(q,v) v + D v + g(q) = Q"


@guarded
def equations(
    model: ModelName,
    motors: Annotated[Motors, typer.Option(help="How much of the motors the equations contain.")] = "full",
    formulation: Annotated[Formulation, typer.Option(help="The method that derives them.")] = "composite_body",
    only: Annotated[str, typer.Option(help="Matrices to print, such as [bold]M,C[/].", show_default="all")] = "",
    style: Annotated[Literal["pretty", "latex", "python"], typer.Option("--as", help="How to write them.")] = "pretty",
    debug: Debug = False,
) -> None:
    """Print the equations of motion of a MODEL as matrices.

    [dim]cardan equations overhead_crane[/]

    [dim]cardan equations overhead_crane --motors simplified --only M,D,B --as latex[/]
    """
    wanted = listed(only) or list(_MATRICES)
    for symbol in wanted:
        if symbol not in _MATRICES:
            raise typer.BadParameter(f'no matrix "{symbol}"; there are {", ".join(_MATRICES)}', param_hint="--only")
    found = cardan.equations(cardan.load(model), motors=motors, formulation=formulation)
    write = _writer(style)
    console = out()
    if style == "pretty":
        console.print(_LAW[motors] if found.inputs else _UNDRIVEN, markup=False)
        console.print(f"coordinates: {', '.join(found.coordinates)}", markup=False)
        console.print(f"inputs:      {', '.join(found.inputs) or 'none'}", markup=False)
    for symbol in wanted:
        matrix = getattr(found, symbol)
        if matrix is not None and 0 not in matrix.shape:
            console.print()
            console.print(write(symbol, matrix), markup=False, soft_wrap=True)


def _writer(style: str) -> "Callable[[str, Any], str]":
    """Text of a named SymPy matrix in the style that was asked for."""
    import sympy

    if style == "latex":
        return lambda symbol, matrix: f"{symbol} = {sympy.latex(matrix)}"
    if style == "python":
        return lambda symbol, matrix: f"{symbol} = {_python(matrix)}"
    return lambda symbol, matrix: sympy.pretty(sympy.Eq(sympy.Symbol(symbol), matrix, evaluate=False), wrap_line=False)


def _python(matrix: "sympy.Matrix") -> str:
    """Nested lists over `math` functions; the dots in names become underscores."""
    import sympy

    names = {symbol: sympy.Symbol(symbol.name.replace(".", "_")) for symbol in matrix.free_symbols}
    rows = matrix.xreplace(names).tolist()
    texts = (", ".join(sympy.pycode(entry, fully_qualified_modules=False) for entry in row) for row in rows)
    return f"[{', '.join(f'[{text}]' for text in texts)}]"
