"""An entry of the catalogue: the law of a function, its arrays with their shapes, and its description."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from cardan.codegen import Port
from cardan.frozen import dataclass

Exported = Literal["by default", "with constraints", "with motions", "unless loads are open", "on request", "never"]
"""When `export` writes a function. "unless loads are open": where friction is a function of q, v and the
accelerations; "never": only the solvers of this package call it."""


@dataclass(frozen=True, slots=True)
class Operand:
    """An input or output of a function."""

    rank: int  # axes of its array for one state: 0 a number, 1 a column, 2 a matrix
    meaning: str  # meaning and unit; `{}` stands for the name of a body


INPUTS = {
    "q": Operand(1, "coordinates"),
    "v": Operand(1, "velocities"),
    "a": Operand(1, "accelerations, the rates of v"),
    "tau": Operand(1, "efforts on the velocities"),
    "x": Operand(1, "state (q, v, currents)"),
    "u": Operand(1, "inputs"),
    "t": Operand(0, "time [s]"),
    "p": Operand(1, "parameters"),
    "along": Operand(1, "direction of (t, x, u)"),
}
"""The arrays that functions take, by name."""

STATE = ("t", "x", "u", "p")
"""Inputs of the functions that solvers call."""


@dataclass(frozen=True)
class Entry:
    """A function of the catalogue."""

    law: Callable[..., Any]
    """`law(symbols)`, or `law(symbols, argument)`: an expression of the `Symbols` for each output, several in a tuple.
    """
    inputs: tuple[str, ...]
    """Names of `INPUTS`, in order; t and p follow if the function depends on them without naming them."""
    outputs: Mapping[str, Operand]  # the results in their order, by name
    words: str  # description of the results, in a sentence or two
    exported: Exported = "never"  # when `export` writes the function
    argument: str = ""  # name of the argument that is not an array: "place"; empty if there is none
    each_body: bool = False  # whether there is one output for every body: `T` stands for `T_crank`, `T_rod` and so on
    beside: tuple[str, ...] = ()  # symbols whose values make one more array of a batch, after p

    @property
    def is_table(self) -> bool:
        """Whether the function returns its results by name rather than in order."""
        return self.each_body or len(self.outputs) > 1

    def ports(self, bodies: Mapping[str, Any]) -> list[str]:
        """Names of the outputs for a model with these `bodies`."""
        return [f"{name}_{body}" for name in self.outputs for body in bodies] if self.each_body else [*self.outputs]

    def operand(self, port: str) -> Operand:
        """What the input or output `port` is."""
        if port in self.outputs:
            return self.outputs[port]
        if port in INPUTS:
            return INPUTS[port]
        name, _, body = port.partition("_")
        pattern = self.outputs[name]
        return Operand(pattern.rank, pattern.meaning.format(body))

    def shape(self, port: Port) -> tuple[int, ...]:
        """Array shape of an input or output for one state."""
        return (port.rows, port.columns)[: self.operand(port.name).rank]
