"""Model: what the user wrote, as one frozen record; the YAML file is the same thing.

In: keys of a model file or Python records. Out: a record whose references, dimensions and values have been checked. It
knows no index and no equation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, model_validator

from cardan.displays import shown
from cardan.errors import ModelError, in_words
from cardan.model.body import Body, Ground
from cardan.model.checks.validation import validate
from cardan.model.constraints import CONSTRAINTS, Constraint
from cardan.model.controllers import controllers_written_out
from cardan.model.drives import drives_written_out
from cardan.model.events import AnyEvent
from cardan.model.forces import FORCES, Load
from cardan.model.graphs import BondGraph
from cardan.model.gravity import Gravity, gravity_words
from cardan.model.initial import Initial
from cardan.model.joints import JOINTS, Joint
from cardan.model.motions import AnyMotion
from cardan.model.motors import MOTORS, Motor
from cardan.model.names import carrying, coordinates
from cardan.model.quantities.characteristic import read_part
from cardan.model.quantities.fields import Anything, Measure, OutputValue, Time, Tolerance
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.record import ZERO, Record
from cardan.model.records.section import PathSection, Section
from cardan.model.records.variants import OneOf
from cardan.model.short_forms.paths import paths_written_out
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.thermal import thermal_written_out
from cardan.model.signal import Signal
from cardan.model.state_equation import Equation

__all__ = ["AssembleOptions", "Model", "SimulateOptions", "check_bodies", "check_model", "with_graph"]

AnyJoint = Annotated[Joint, OneOf("joint", JOINTS)]
AnyMotor = Annotated[Motor, OneOf("motor", MOTORS)]
AnyForce = Annotated[Load, OneOf("force", FORCES)]
AnyConstraint = Annotated[Constraint, OneOf("constraint", CONSTRAINTS)]


Part = Annotated[Measure, BeforeValidator(read_part)]
"""An expression with a name, or a table over one."""

_SHOWN = 4  # names of coordinates or parameters in the three lines that describe a model


def _read_words(text: str) -> str:
    wrong = next((one for one in text if one == "\0" or "\ud800" <= one <= "\udfff"), None)
    if wrong is not None:
        fault = f"{f'{text!r:.60}'} holds U+{ord(wrong):04X}, which is not a character of a text"
        raise ModelError(fault, "delete it")
    return text


Words = Annotated[str, AfterValidator(_read_words)]
"""A text for people, which every file can hold."""


class AssembleOptions(Record):
    """How exactly the numbers of a model close its loops."""

    tolerance: Tolerance = Scalar.read(1e-6)  # rounding over the size of a loop and over a radian [-]; 0: none


class SimulateOptions(Record):
    """Settings of `cardan simulate` that the command line may override."""

    until: Time | None = None  # end of the simulated time [s]


def _version(value: Any) -> Any:
    if isinstance(value, bool) or value != 1:
        raise ModelError(
            f"{f'{value!r:.60}'} is not a version of model files that this Cardan reads", "write cardan: 1"
        )
    return 1


class Model(Record):
    """A mechanism: bodies, joints, motors, forces, and how to move it. All faults are reported together.

    Raises
    ------
    ModelError
        Something is missing, unknown, of the wrong dimension, or cannot be.

    Example
    -------
    >>> rod = Body(mass="1.3 kg", com=[0, "-0.4 m", 0])
    >>> hinge = {"type": "revolute", "parent": "ground", "child": "rod", "axis": "z"}
    >>> Model(bodies={"rod": rod}, joints={"hinge": hinge}).joints["hinge"].axis[2].value
    1.0
    """

    inside: ClassVar[Mapping[str, str]] = {"ground": "bodies"}  # the ground stands among the bodies of a file

    cardan: Annotated[Literal[1], BeforeValidator(_version)] = 1  # version of the format
    name: Words = ""  # title for people
    source: Words = ""  # where the mechanism and its numbers come from
    accept: tuple[Literal["given_power", "inertia", "motor_power", "stiffness"], ...] = ()  # known doubts
    gravity: Gravity = (ZERO, ZERO, Scalar.read(-9.81))  # world axes [m/s²]
    planar: Literal["xy", "xz", "yz"] | None = None  # all motion stays in this plane
    parameters: Section[Anything] = Section()  # numbers with names, which may depend on each other
    ground: Ground = Ground()  # what stands still; a file writes it as bodies: {ground: …}
    bodies: Section[Body] = Section()  # everything that moves
    joints: Section[AnyJoint] = Section()  # what carries the bodies; their order is that of the coordinates
    motors: Section[AnyMotor] = Section()  # what drives joints; their order is that of the inputs
    forces: Section[AnyForce] = Section()  # springs, dampers, forces and torques between markers
    constraints: Section[AnyConstraint] = Section()  # equations beside those of the joints
    graphs: Section[BondGraph] = Section()  # bond graphs made by hand: circuits, hydraulics, drives of joints
    let: PathSection[Part] = PathSection()  # names for parts of expressions, evaluated where motion matters
    motions: PathSection[AnyMotion] = PathSection()  # what coordinates or markers have to do; joints' efforts follow
    coordinates: PathSection[Measure] = PathSection()  # the coordinates in which equations are written
    inputs: PathSection[Signal] = PathSection()  # inputs of motors [V], or of joints [N, N m]
    initial: PathSection[Initial] = PathSection()  # coordinates, velocities, currents, states at t = 0; zero by default
    states: PathSection[Equation] = PathSection()  # differential equations of the user's own
    outputs: PathSection[OutputValue] = PathSection()  # expressions that become results of a run
    events: Section[AnyEvent] = Section()  # what happens where an expression passes zero
    # short forms, which are written out when the model is made, and are empty then
    drives: Section[Any] = Section()  # sources and their trains to joints
    paths: Section[Any] = Section()  # set-points from rest to rest
    controllers: Section[Any] = Section()  # laws of inputs
    thermal: Section[Any] = Section()  # temperatures of nodes, with capacities and conductances
    assemble: AssembleOptions = AssembleOptions()  # what counts as rounding where loops close
    simulate: SimulateOptions = SimulateOptions()  # defaults of a run

    @model_validator(mode="after")
    def _check(self) -> Self:
        validate(self)
        return self

    def __init__(self, /, **data: Any) -> None:
        whole = Sections(data)
        paths_written_out(whole)
        drives_written_out(whole)
        controllers_written_out(whole)
        thermal_written_out(whole)
        try:
            super().__init__(**whole.data)
        except ModelError as error:
            raise whole.told(error) from None

    def __repr__(self) -> str:
        """The model in three lines: its name; how many parts it has; its coordinates, gravity and parameters."""
        if "joints" not in self.__dict__:
            return "Model that was refused"  # debuggers show it while its error is raised
        loops = len(self.joints) - len(carrying(self))
        counts = [
            _counted(len(self.bodies), "body", "bodies"),
            _counted(len(self.joints), "joint"),
            _counted(loops, "loop"),
            _counted(len(self.constraints), "constraint"),
            _counted(len(self.motors), "motor"),
            _counted(len(self.forces), "force"),
            _counted(len(self.graphs), "graph"),
        ]
        known = list(coordinates(carrying(self)))
        lines = [
            f"Model {self.name or 'without a name'}" + (f" (planar: {self.planar})" if self.planar else ""),
            f"{', '.join(count for count in counts if count)}; gravity: {gravity_words(self)}",
            f"{_listed('coordinate', known)}; {_listed('parameter', list(self.parameters))}",
        ]
        return "\n  ".join(lines)

    __str__ = __repr__

    def _repr_html_(self) -> str | None:
        """Show the schematic and the parts in a notebook."""
        return shown(self)


def _counted(number: int, noun: str, plural: str = "") -> str:
    """A number of things in words; empty for none."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}" if number else ""


def _listed(noun: str, names: Sequence[str]) -> str:
    """A few names and how many there are."""
    shown = [*names[:_SHOWN], "…"] if len(names) > _SHOWN else names
    return f"{_counted(len(names), noun)}: {', '.join(shown)}" if names else f"no {noun}s"


def check_bodies(model: Model) -> None:
    """Refuse a model of bond graphs alone where bodies are needed."""
    if not model.bodies:
        fault = "the model has no bodies: bond graphs alone have state equations, not a mechanism's equations of motion"
        raise ModelError(fault, "write cardan.equations, or simulate it; its graphs have no mobility and no reactions")


def with_graph(model: Any) -> Any:
    """The model that consists of one bond graph called "graph", if that is what is given; else what is given."""
    return Model(graphs={"graph": model}) if isinstance(model, BondGraph) else model


def check_model(model: Any) -> None:
    """Refuse what is not a `Model`, such as its name or its file."""
    if not isinstance(model, Model):
        cure = "give what cardan.load or cardan.Model returns"
        if isinstance(model, str | PathLike):
            cure = f"load it first: cardan.load({str(model)!r})"
        elif isinstance(model, BondGraph):
            cure = 'make one of it: cardan.Model(graphs={"graph": …})'
        raise ModelError(f"{in_words(model)} is not a model", cure)
