"""Machine code found on disk by the inputs of a function, without building the function.

Building an expression graph takes longer than loading its machine code. The caller gives everything that determines the
graph (a model, the name of a formulation …) as a key. If no source file of the package has changed, the machine code
stored for that key is loaded without building the graph.
"""

import functools
from collections.abc import Callable, Mapping
from pathlib import Path

import casadi as ca

from cardan.codegen.callables.compiled import Compiled
from cardan.codegen.callables.native import Native, load_native
from cardan.codegen.machine import cache
from cardan.codegen.machine.build import describe, machine_code
from cardan.codegen.machine.engine import best_lanes
from cardan.codegen.machine.machine_code import MachineCode
from cardan.codegen.program.program import Port, Program, flatten


def cached_program(
    key: bytes,
    build: Callable[[], ca.Function],
    shapes: Mapping[str, tuple[int, ...]] | Callable[[Port], tuple[int, ...]] | None = None,
) -> Compiled:
    """The compiled form of `build()`, which is called only if its machine code is not on disk."""
    recipe = _Recipe(key, build)
    known = recipe.description
    if callable(shapes):
        shapes = {port.name: shapes(port) for port in (*known.inputs, *known.outputs)}
    return Compiled(known.inputs, known.outputs, shapes or {}, known.length, recipe)


def cached_native(
    key: bytes, build: Callable[[], ca.Function], *, lanes: int | None = 0, apart: bool = False
) -> Native:
    """The function `build()` at an address; it is called only if its machine code is not on disk."""
    recipe = _Recipe(key, build, apart)
    return load_native(recipe(best_lanes(recipe.description.length) if lanes is None else lanes))


class _Recipe:
    """Machine code by number of lanes.

    From disk under the caller's key, else from the function, which is built once.
    """

    def __init__(self, key: bytes, build: Callable[[], ca.Function], apart: bool = False) -> None:
        self._key = key
        self._build = build
        self._apart = apart

    def __call__(self, lanes: int) -> MachineCode:
        what = f"{lanes}{' apart' if self._apart else ''}"
        return self._remembered(what, lambda: machine_code(self.program, lanes, apart=self._apart))

    @property
    def description(self) -> MachineCode:
        """Ports and length alone, without code: they are needed before it is known for how many lanes to compile."""
        return self._remembered("description", lambda: describe(self.program))

    def _remembered(self, what: str, make: Callable[[], MachineCode]) -> MachineCode:
        material = b"\0".join([b"built from", _PACKAGE, self._key, what.encode()])
        return MachineCode.from_bytes(cache.remember(material, lambda: make().to_bytes()))

    @functools.cached_property
    def program(self) -> Program:
        """The result of `build` as a program."""
        return flatten(self._build(), calls=True)

    def __reduce__(self) -> tuple:
        """Another process gets the program: `build` may be a closure, which cannot travel."""
        return functools.partial, (machine_code, self.program)


_PACKAGE = f"{cache.source_hash(Path(__file__).parents[2])} {ca.CasadiMeta.version()}".encode()
"""Source of this package and version of CasADi. The source is read at import, since it is the imported one that makes
functions: a process that was started before a file changed would else store what the old source makes under the key of
the new one."""
