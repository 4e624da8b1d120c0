"""The functions of one system as callables: interpreted, compiled, in columns of a batch, or at an address.

Each is made on first use and kept. docs/functions.md lists the kinds of callable and who uses each.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import casadi as ca

from cardan.assembly.independent_coordinates import Pattern
from cardan.assembly.start import system_of
from cardan.codegen import Compiled, Gradual, GradualLanes, Native, cached_native, compile_function
from cardan.frozen import dataclass, field, replace
from cardan.functions.catalogue import CATALOGUE
from cardan.functions.coordinates import AllCoordinates, Coordinates, IndependentCoordinates
from cardan.functions.entry import STATE, Entry
from cardan.functions.symbols import Symbols
from cardan.kinematics.build import MotorModel
from cardan.kinematics.relations.prescribed import refuse_followed
from cardan.kinematics.tree import Number
from cardan.loads.reactions import Frame
from cardan.loads.uniqueness import Distribution, row_by_row, sensitivity
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.plain import plain, plain_value
from cardan.model.records.section import Section
from cardan.system.constrained import Selection, has_constraints
from cardan.system.drives import unselected_rows
from cardan.system.inertia_check import check_inertia_for, generic_mass_matrix
from cardan.system.response import Response
from cardan.system.state import State
from cardan.system.system import System

APART = {"name", "source", "inputs", "outputs", "simulate"}  # sections of a model that no function depends on

Callables = TypeVar("Callables")


@dataclass(frozen=True, eq=False)
class SystemFunctions:
    """The functions of the catalogue for one system."""

    coordinates: Coordinates  # which coordinates of which system are integrated
    expressions: Mapping[str, Scalar]  # inputs that are expressions of time, by name
    _made: dict[tuple[Any, ...], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def symbols(self) -> Symbols:
        """The symbols of all functions, with expressions in place of the inputs they define."""
        return Symbols(self.coordinates, self.expressions)

    @property
    def system(self) -> System:
        """The mechanism with its motors; in independent coordinates it has no constraints."""
        return self.coordinates.system

    @property
    def state(self) -> State:
        """The state of the symbols."""
        return self.symbols.state

    @property
    def accelerations_and_multipliers(self) -> Response:
        """Expressions of v̇ (nv,) and λ (c,) of the state."""
        return self.symbols.accelerations_and_multipliers

    def interpreted(self, name: str, argument: str = "") -> ca.Function:
        """CasADi Function of the law `name`, with named inputs and outputs; CasADi's interpreter evaluates it."""
        return self._kept(ca.Function, (name, argument), lambda: self._function(name, argument))

    def compiled(self, name: str) -> Compiled:
        """The function `name` in machine code, for arrays with leading axes."""
        return self._kept(Compiled, (name,), lambda: self._compiled(name))

    def batch(self, name: str) -> Gradual:
        """The function `name` over many states: a list with an array (N, size) for each output.

        It is interpreted at first and becomes machine code when that pays.
        """
        return self._kept(Gradual, (name,), lambda: self._batch(name))

    def address(self, name: str, *, lanes: int | None = 0, first: int | None = None) -> Native:
        """The function `name` at an address, for loops in machine code; no expressions are built if it is on disk."""
        return self._kept(
            Native,
            (name, lanes, first),
            lambda: cached_native(
                self._origin + f"\n{name} {first}".encode(), lambda: self._shortened(name, first), lanes=lanes
            ),
        )

    def native(
        self, build: Callable[[], ca.Function], *made_from: str, lanes: int | None = 0, apart: bool = False
    ) -> Native:
        """A function that is not in the catalogue at an address;
        it is built only if its machine code is not on disk.
        """
        return cached_native("\n".join([self._origin.decode(), *made_from]).encode(), build, lanes=lanes, apart=apart)

    @property
    def _origin(self) -> bytes:
        """Everything that these functions are made from, written out."""
        return self._kept(bytes, ("origin",), self._written_out)

    def _written_out(self) -> bytes:
        system, pattern = self.coordinates.made_from
        given = json.dumps(plain_value(Section(self.expressions)))
        return origin(system.model, system.motors, given, repr(system.choice), repr(pattern))

    def _shortened(self, name: str, first: int | None) -> ca.Function:
        """CasADi Function of the law `name`, or of the first entries of its result."""
        whole = self.interpreted(name)
        if first is None:
            return whole
        given = whole.sx_in()
        return ca.Function(name, given, [whole(*given)[:first]])

    def lanes(self, name: str) -> GradualLanes:
        """The function `name` at an address, for several states side by side, once that pays."""
        return self._kept(GradualLanes, (name,), lambda: GradualLanes(lambda: self.interpreted(name)))

    def columns(self, name: str, values: Sequence[Number], *beside: Number) -> Gradual:
        """A function of (t, x, u, p) that is not in the catalogue, over many states."""
        return self._columns(name, {f"y{k}": value for k, value in enumerate(values)}, beside)

    @property
    def drifts(self) -> bool:
        """Whether errors of integration can violate constraints or the unit length of quaternions."""
        tree = self.system.tree
        return tree.nq > tree.nv or has_constraints(tree)

    @property
    def equations(self) -> int:
        """Number of equations of the constraints, redundant ones included."""
        return int(self.symbols.constraints.Phi.shape[0])

    def check_inertia(self, values: tuple[float, ...]) -> None:
        """Refuse values of the parameters with which a coordinate has no inertia, as `check_inertia_for` does.

        The values that have passed last are not checked again.
        """
        reduced = self.system.reduced
        mass_matrix = self._kept(ca.Function, ("mass matrix",), lambda: generic_mass_matrix(reduced))
        if self._made.get(("checked",)) != values:
            check_inertia_for(reduced, mass_matrix, values)
            self._made["checked",] = values

    def distribution(self, frame: Frame) -> Distribution:
        """How the reactions in the axes of a frame depend on the multipliers of closed loops."""
        return self._kept(Distribution, (frame,), lambda: self._distribution(frame))

    def _function(self, name: str, argument: str) -> ca.Function:
        entry, symbols = CATALOGUE[name], self.symbols.inputs
        inputs, results = {key: symbols[key] for key in entry.inputs}, self._results(entry, argument)
        if any(ca.depends_on(result, symbols["t"]) for result in results.values()):
            inputs.setdefault("t", symbols["t"])
        if not inputs.keys() & {"x", "z"} and ca.depends_on(ca.veccat(*results.values()), symbols["z"]):
            refuse_followed(self.system.tree)
        if self.system.tree.parameters:
            inputs.setdefault("p", symbols["p"])
        return _joined(name, inputs, results)

    def _batch(self, name: str) -> Gradual:
        entry = CATALOGUE[name]
        return self._columns(name, self._results(entry), [self.symbols.inputs[more] for more in entry.beside])

    def _columns(self, name: str, results: Mapping[str, Number], beside: Sequence[Number]) -> Gradual:
        inputs = {key: self.symbols.inputs[key] for key in STATE}
        if beside:
            inputs["beside"] = ca.vertcat(*beside)
        dense = {port: ca.densify(ca.SX(result)) for port, result in results.items()}
        return Gradual(_joined(name, inputs, dense), {"t": ()})

    def _results(self, entry: Entry, argument: str = "") -> dict[str, Number]:
        """Expressions of the outputs by name."""
        made = entry.law(self.symbols, argument) if entry.argument else entry.law(self.symbols)
        results = made if isinstance(made, tuple) else (made,)
        ports = entry.ports(self.system.model.bodies)
        return {port: ca.SX(result) for port, result in zip(ports, results, strict=True)}

    def _compiled(self, name: str) -> Compiled:
        entry, function = CATALOGUE[name], self.interpreted(name)
        ports = {port: function.size_in(port) for port in function.name_in()}
        ports |= {port: function.size_out(port) for port in function.name_out()}
        return compile_function(function, {port: size[: entry.operand(port).rank] for port, size in ports.items()})

    def _distribution(self, frame: Frame) -> Distribution:
        idle = unselected_rows(self.system.tree, self.equations)
        parts = sensitivity(self.system.tree, self.state.motion, frame, idle=idle)
        matrices = [ca.SX(part) for part in (parts.Phi_q, parts.W, parts.H)]
        function = self.columns("distribution", [row_by_row(matrix) for matrix in matrices])
        return Distribution(parts.labels, tuple(matrix.shape for matrix in matrices), function)

    def _kept(self, kind: type[Callables], key: tuple[Any, ...], make: Callable[[], Callables]) -> Callables:
        """The result of `make`, made once for each kind of callable and key."""
        if (kind, *key) not in self._made:
            self._made[kind, *key] = make()
        found: Callables = self._made[kind, *key]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        """Machine code is not pickled; the other process makes it again."""
        system, pattern = self.coordinates.made_from
        return functions_of, (system.model, system.motors, tuple(self.expressions.items()), system.choice, pattern)


@lru_cache(maxsize=128)
def functions_of(
    model: Model,
    motors: MotorModel,
    expressions: tuple[tuple[str, Scalar], ...],
    choice: Selection,
    pattern: Pattern | None = None,
) -> SystemFunctions:
    """Functions of a mechanism for simulation; equal arguments return the same record with its machine code."""
    system = replace(system_of(model, motors)[0], choice=choice)
    coordinates = AllCoordinates(system) if pattern is None else IndependentCoordinates(system, pattern)
    return SystemFunctions(coordinates, dict(expressions))


def origin(model: Model, motors: MotorModel, *beside: str) -> bytes:
    """Everything that functions are made from, written out: a key under which their machine code is kept."""
    sections = {name: section for name, section in plain(model).items() if name not in APART}
    return "\n".join([json.dumps(sections), motors, *beside]).encode()


def user_functions_of(system: System) -> SystemFunctions:
    """Functions of a system whose inputs are all arguments; accelerations are exact, or NaN in a singular position."""
    return SystemFunctions(AllCoordinates(replace(system, choice=replace(system.choice, exact=True))), {})


def _joined(name: str, inputs: Mapping[str, Number], outputs: Mapping[str, Number]) -> ca.Function:
    """Function of named inputs and outputs with common subexpressions computed once."""
    shared = ca.cse(list(outputs.values())) if outputs else []  # a model of bond graphs alone has no bodies to place
    return ca.Function(name, list(inputs.values()), shared, list(inputs), list(outputs))
