"""The sections of a model as one record: what `Model` checks, and what checks and names read."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator

from cardan.errors import ModelError
from cardan.model.body import Body, Ground
from cardan.model.constraints import CONSTRAINTS, Constraint
from cardan.model.contacts import CONTACTS, Contact
from cardan.model.events import AnyEvent
from cardan.model.forces import FORCES, Load
from cardan.model.graphs import BondGraph
from cardan.model.gravity import Gravity, PointGravity
from cardan.model.initial import Initial
from cardan.model.joints import JOINTS, Joint
from cardan.model.motions import AnyMotion
from cardan.model.motors import MOTORS, Motor
from cardan.model.quantities.characteristic import read_part
from cardan.model.quantities.fields import Anything, Measure, OutputValue, Time, Tolerance
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.kinds import OneOf
from cardan.model.records.record import ZERO, Record
from cardan.model.records.section import DottedSection, PathSection, Section
from cardan.model.sampled.program import UnitProgram
from cardan.model.signal import Signal
from cardan.model.state_equation import Equation

AnyJoint = Annotated[Joint, OneOf("joint", JOINTS)]
AnyMotor = Annotated[Motor, OneOf("motor", MOTORS)]
AnyForce = Annotated[Load, OneOf("force", FORCES)]
AnyConstraint = Annotated[Constraint, OneOf("constraint", CONSTRAINTS)]
AnyContact = Annotated[Contact, OneOf("contact", CONTACTS, default="hunt_crossley")]


Part = Annotated[Measure, BeforeValidator(read_part)]
"""An expression with a name, or a table over one."""


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


class ModelSections(Record):
    """The sections of a model, each right by itself."""

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
    contacts: DottedSection[AnyContact] = DottedSection()  # bodies that touch, by their shapes
    graphs: Section[BondGraph] = Section()  # bond graphs made by hand: circuits, hydraulics, drives of joints
    let: PathSection[Part] = PathSection()  # names for parts of expressions, evaluated where motion matters
    motions: PathSection[AnyMotion] = PathSection()  # what coordinates or markers have to do; joints' efforts follow
    coordinates: PathSection[Measure] = PathSection()  # the coordinates in which equations are written
    inputs: PathSection[Signal] = PathSection()  # inputs of motors [V], or of joints [N, N m]
    initial: PathSection[Initial] = PathSection()  # coordinates, velocities, currents, states at t = 0; zero by default
    states: PathSection[Equation] = PathSection()  # differential equations of the user's own
    programs: Section[UnitProgram] = Section()  # functional mock-up units, which compute held states
    outputs: PathSection[OutputValue] = PathSection()  # expressions that become results of a run
    events: Section[AnyEvent] = Section()  # what happens where an expression passes zero
    # short forms, which are written out when the model is made, and are empty then
    drives: Section[Any] = Section()  # sources and their trains to joints
    paths: Section[Any] = Section()  # set-points from rest to rest
    controllers: Section[Any] = Section()  # laws of inputs
    supplies: Section[Any] = Section()  # voltages that motors share
    thermal: Section[Any] = Section()  # temperatures of nodes, with capacities and conductances
    assemble: AssembleOptions = AssembleOptions()  # what counts as rounding where loops close
    simulate: SimulateOptions = SimulateOptions()  # defaults of a run


def uniform_gravity(model: ModelSections, needed_by: str = "") -> tuple[Scalar, Scalar, Scalar]:
    """Components of the gravity of the `model`; zeros where it depends on the place."""
    gravity = model.gravity
    if not isinstance(gravity, PointGravity) and not any(
        entry.names & {"x", "y", "z"} - model.parameters.keys() for entry in gravity
    ):
        return gravity
    if needed_by:
        raise ModelError(f"gravity depends on the place, and {needed_by}", "write gravity as three numbers")
    return (ZERO, ZERO, ZERO)


def gravity_words(model: ModelSections) -> str:
    """The gravity of the `model` as text."""
    gravity = model.gravity
    if isinstance(gravity, PointGravity):
        return f"towards [{', '.join(map(str, gravity.center))}], mu {gravity.mu}"
    return f"[{', '.join(map(str, gravity))}]"
