"""The names that a model gives to its coordinates, velocities, currents, states and points, and their units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.graphs import bond_graph
from cardan.model.joints import Joint
from cardan.model.motions.targets import MotionTarget, target_of
from cardan.model.place import GROUND, InlinePlace, split
from cardan.model.quantities.lets import let_units
from cardan.model.quantities.parameters import dimensions
from cardan.model.sections import ModelSections, uniform_gravity
from cardan.model.state_equation import state_units
from cardan.model.topology import how_to_free, loop, spanning_tree
from cardan.model.units import Dimension, dimension_of

if TYPE_CHECKING:
    from cardan.model.body import Body
    from cardan.model.quantities.scalar import Scalar
    from cardan.model.records.section import Section

COMPONENTS = tuple(prefix + axis for prefix in ("", "v", "w") for axis in "xyz")
"""What may follow a point's name: position, velocity [m/s], and angular velocity of its frame [rad/s], in world
axes."""
_POINT_UNITS = {"": "m", "v": "m/s", "w": "rad/s"}
_VELOCITIES = {"velocity": "m/s", "angular_velocity": "rad/s"}
_ACCELERATIONS = {"acceleration": "m/s^2", "angular_acceleration": "rad/s^2"}
VECTORS = ("position", "orientation", *_VELOCITIES, *_ACCELERATIONS)
"""Results of a body or marker with several components, which may follow its name and be followed by one of them."""


def carrying(model: ModelSections) -> dict[str, Joint]:
    """The joints of the `model` that carry a body, in file order; the others close loops and have no coordinates."""
    return dict(_carrying(model.joints, model.bodies))


@lru_cache(maxsize=64)
def _carrying(joints: Section[Joint], bodies: Section[Body]) -> Mapping[str, Joint]:
    chosen = set(spanning_tree(joints, bodies).carrying)
    return {name: joint for name, joint in joints.items() if name in chosen}


def advice(model: ModelSections, name: str, known: Iterable[str]) -> str:
    """What to write in place of an unknown `name` of a coordinate, of those `known`.

    A joint that is cut has none, and one of several motions has no coordinate or velocity of its own name.
    """
    joint, _, end = name.partition(".")
    if joint in model.joints.keys() - carrying(model).keys():
        own = {joint, *coordinates({joint: model.joints[joint]}), *velocities({joint: model.joints[joint]})}
        if name in own or name.rpartition(".")[0] in own:
            others = ", ".join(loop(joint, model.joints, model.bodies))
            free = how_to_free(joint, model.joints, model.bodies)
            cure = f"name joints that carry its loop ({others}), or {free}" if others else ""
            return f"{joint!r} closes a loop and has no coordinate; {cure}".rstrip("; ")
    names = list(known)
    if end in ("", "q", "v") and joint in model.joints:
        one = {joint: model.joints[joint]}
        if motions := [each for each in (*coordinates(one), *velocities(one)) if each in names and each != joint]:
            return f"{joint!r} has {', '.join(motions)}"
    return nearest(name, names)


def coordinates(joints: Mapping[str, Joint]) -> dict[str, str]:
    """Unit of every coordinate of the `joints`, in file order: `{"travel": "m", "platform.rz": "rad"}`."""
    return {name + suffix: unit for name, joint in joints.items() for suffix, unit in joint.coordinates}


def closing_coordinates(model: ModelSections) -> dict[str, str]:
    """Unit of every coordinate that joints of the `model` that close loops would have, those of quaternions excepted.

    Such a coordinate can be guessed, no more.
    """
    cut = {name: joint for name, joint in model.joints.items() if name not in carrying(model)}
    return coordinates({name: joint for name, joint in cut.items() if (".qw", "1") not in joint.coordinates})


def velocities(joints: Mapping[str, Joint]) -> dict[str, str]:
    """Unit of every velocity of the `joints` under the name it has in expressions: `travel.v`, `ball.wx`."""
    return {
        name + suffix + (".v" if joint.has_rate_coordinates else ""): unit
        for name, joint in joints.items()
        for suffix, unit in joint.velocities
    }


def efforts(joints: Mapping[str, Joint]) -> dict[str, str]:
    """Unit of the effort on every velocity of the `joints`: `{"travel": "N", "ball.wx": "N*m"}`."""
    return {
        name + suffix: "N" if unit == "m/s" else "N*m"
        for name, joint in joints.items()
        for suffix, unit in joint.velocities
    }


def driven_joints(model: ModelSections) -> dict[str, str]:
    """Motion or program that decides the effort of each joint it drives, by name of the effort: `shoulder`."""
    programs = {joint: name for name, record in model.constraints.items() for joint in record.drives}
    return programs | {joint: name for name, motion in model.motions.items() for joint in motion.by or (name,)}


def currents(model: ModelSections) -> dict[str, str]:
    """Unit of the current of every motor of the `model`: `{"drive.current": "A"}`."""
    return {f"{name}.current": "A" for name in model.motors}


def demands(model: ModelSections) -> dict[str, str]:
    """Unit of the input of every motor of the `model` whose voltage follows it by a law: `{"drive.demand": "V"}`."""
    return {f"{name}.demand": motor.input_unit for name, motor in model.motors.items() if motor.applied is not None}


def states(model: ModelSections) -> dict[str, str]:
    """Unit of everything in the `model` that has an initial value; a coordinate may also be written `travel.q`."""
    return {**_machine_states(model), **user_states(model)}


def user_states(model: ModelSections) -> dict[str, str]:
    """Unit of every state of the section `states:` of the `model`, in file order; empty where it cannot be inferred."""
    if not model.states:
        return {}
    known = {**_points(model), "t": "s", **_machine_states(model), **solved_units(model)}
    return state_units(model.states, known | _let_units(model, known), model.parameters)


def _machine_states(model: ModelSections) -> dict[str, str]:
    joints = carrying(model)
    positions = coordinates(joints)
    moving = velocities(joints)
    written_out = {f"{name}.q": unit for name, unit in positions.items()}
    written_out |= {f"{name}.v": unit for name, unit in moving.items() if not name.endswith(".v")}
    return {**positions, **moving, **currents(model), **graph_states(model), **written_out}


def graph_states(model: ModelSections) -> dict[str, str]:
    """Unit of the momentum or displacement of every free store in the graphs of the `model`: `{"drive.shaft.x": …}`."""
    return {
        f"{name}.{state}": unit
        for name, graph in model.graphs.items()
        for state, unit in bond_graph.graph_states(graph).items()
    }


def graph_inputs(model: ModelSections) -> dict[str, str]:
    """Unit of every source without a value in the graphs of the `model`: `{"drive.u": "V"}`."""
    return {
        f"{name}.{source}": unit
        for name, graph in model.graphs.items()
        for source, unit in bond_graph.graph_inputs(graph).items()
    }


def _graph_results(model: ModelSections) -> dict[str, str]:
    """Unit of the effort, flow and power of every bond in the graphs of the `model`."""
    return {
        f"{name}.{result}": unit
        for name, graph in model.graphs.items()
        for result, unit in bond_graph.graph_results(graph).items()
    }


def markers(model: ModelSections) -> tuple[str, ...]:
    """Every place of the `model` that a joint or a force may act at: ground, bodies, their `com` and markers."""
    placed = [
        place
        for name, body in model.bodies.items()
        for place in (name, f"{name}.com", *(f"{name}.{marker}" for marker in body.markers))
    ]
    return (GROUND, *(f"{GROUND}.{marker}" for marker in model.ground.markers), *placed)


def _moving(model: ModelSections) -> list[str]:
    """Every place of the `model` that can move."""
    return [place for place in markers(model) if split(place)[0] != GROUND]


def motion_units(model: ModelSections) -> dict[str, str]:
    """Unit of everything in the `model` that an expression may name where motion matters, parameters excepted."""
    speeds = {f"{name}.speed": "m/s" for name, record in model.constraints.items() if record.given is not None}
    units = {**_points(model), "t": "s", **states(model), **speeds}
    units |= demands(model)
    return units | _let_units(model, units)


def _let_units(model: ModelSections, units: Mapping[str, str]) -> dict[str, str]:
    """Unit of every name of the section `let:` of the `model`; `units` are those of the other names that move."""
    if not model.let:
        return {}
    try:
        known: dict[str, Dimension | None] = dict(dimensions(model.parameters))
    except ModelError:  # which the check of the parameters reports
        known = {}
    return let_units(model.let, known | {name: dimension_of(unit) for name, unit in units.items()})


def _points(model: ModelSections) -> dict[str, str]:
    """Unit of every component of the position and the velocities of every place, and of the speed of every motor."""
    places = markers(model)[1:]
    points = {
        f"{place}{position}.{component}": _POINT_UNITS[component[:-1]]
        for place in places
        for position in ("", ".position")
        for component in COMPONENTS
    }
    speeds = {f"{name}.speed": "rad/s" for name in model.motors}
    return {**points, **_components(places, _VELOCITIES), **speeds}


def result_units(model: ModelSections) -> dict[str, str]:
    """Unit of every further name in outputs of the `model`: results that follow from accelerations or inputs."""
    places = _moving(model)
    joints = efforts(model.joints)
    return {
        **solved_units(model),
        **{f"{place}.orientation.{component}": "" for place in places for component in "wxyz"},
        **_components(places, _ACCELERATIONS),
        **{f"{name}.input_torque": "N*m" for name in model.motors},
        **_graph_results(model),
        **friction_results(model),
        **contact_results(model),
        **_load_units(model),
        **{f"{name}.output_torque": joints.get(motor.joint, "") for name, motor in model.motors.items()},
    }


def own_outputs(model: ModelSections) -> dict[str, Scalar]:
    """The outputs of the `model` whose names stand for nothing else, so that other outputs and events may name them."""
    return {name: one for name, one in model.outputs.items() if name not in {*model.let, *model.parameters}}


def _load_units(model: ModelSections) -> dict[str, str]:
    """Unit of every component of loads and of every energy; empty for multipliers."""
    found = dict[str, str]()
    for name, force in model.forces.items():
        found |= _components([name], {what: "N" if what == "force" else "N*m" for what in force.transmits})
    for name, one in model.constraints.items():
        found |= _components([name], {"force": "N"}) if one.places is not None else {f"{name}.force": ""}
        found |= {f"{name}.{measure.name}": measure.unit for measure in one.measures}
    if uniform_gravity(model) != model.gravity:
        heavy = [f"{name}.weight" for name, body in model.bodies.items() if body.is_solid or body.mass.value != 0]
        found |= _components(heavy, {"force": "N"})
    return found | dict.fromkeys(("energy.kinetic", "energy.potential", "energy.total"), "J")


def solved_units(model: ModelSections) -> dict[str, str]:
    """Unit of every result of the equations of motion that rates of states and inputs of the `model` may name."""
    own, found = {"voltage": "V", "torque": "N*m", "power": "W", "losses": "W"}, efforts(carrying(model))
    return {
        **{f"{name}.a": "m/s^2" if unit == "N" else "rad/s^2" for name, unit in found.items()},
        **{f"{name}.effort": unit for name, unit in found.items()},
        **{f"{name}.{result}": unit for name in model.motors for result, unit in own.items()},
        **_components(model.joints, {"reaction_force": "N", "reaction_moment": "N*m"}),
    }


def friction_results(model: ModelSections) -> dict[str, str]:
    """Unit of every number that friction and end stops of the `model` add to the results."""
    rubbing = [
        (name + suffix, joint.friction, unit)
        for name, joint in model.joints.items()
        if joint.friction is not None
        for suffix, unit in joint.rubbing
    ]
    rubbing += [(name, one.friction, "m/s") for name, one in model.constraints.items() if one.friction is not None]
    found = {f"{name}.{result}": unit for name, law, at in rubbing for result, unit in law.results(at).items()}
    turning = [name for name, joint in model.joints.items() if joint.friction is not None and joint.sliding_unit]
    found |= _components(turning, {"friction_force": "N", "friction_moment": "N*m"})
    stopping = {name + suffix for name, joint in model.joints.items() for suffix in joint.stops}
    return found | {f"{name}.stop_force": unit for name, unit in efforts(model.joints).items() if name in stopping}


def contact_results(model: ModelSections) -> dict[str, str]:
    """Unit of every number that contacts of the `model` add to the results."""
    numbers = {"normal": "N", "gap": "m", "slip": "m/s", "touching": "1", "heat": "J"}
    found = _components(model.contacts, {"force": "N", "point": "m"})
    return found | {f"{name}.{what}": unit for name in model.contacts for what, unit in numbers.items()}


def _components(places: Iterable[str], vectors: Mapping[str, str]) -> dict[str, str]:
    """Unit of every component x, y, z of some vectors of all places."""
    return {f"{place}.{name}.{axis}": unit for place in places for name, unit in vectors.items() for axis in "xyz"}


@dataclass(frozen=True)
class Names:
    """The names of a model, worked out once for the checks of all its records."""

    model: ModelSections  # a model whose records are right by themselves

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Every place that a record may act at."""
        return markers(self.model)

    @property
    def carrying(self) -> dict[str, Joint]:
        """The joints that carry a body."""
        return carrying(self.model)

    @property
    def coordinates(self) -> dict[str, str]:
        """Unit of every coordinate of the mechanism."""
        return coordinates(carrying(self.model))

    def coordinates_of(self, joint: str) -> dict[str, str]:
        """Unit of every coordinate of a `joint`."""
        return coordinates({joint: self.model.joints[joint]})

    @property
    def efforts(self) -> dict[str, str]:
        """Unit of the effort on every velocity of the mechanism."""
        return efforts(carrying(self.model))

    def target(self, name: str) -> MotionTarget | None:
        """What the motion called `name` prescribes; None if there is no such coordinate or place."""
        return target_of(name, self.coordinates, self.places, self.model.planar)

    @property
    def prescribed(self) -> tuple[str, ...]:
        """The coordinates that motions prescribe."""
        return tuple(name for name in self.model.motions if name in self.coordinates)

    @cached_property
    def motion(self) -> dict[str, str]:
        """Unit of everything that an expression may name where motion matters, parameters excepted."""
        return motion_units(self.model)

    @property
    def solved(self) -> dict[str, str]:
        """Unit of everything that rates of states and inputs may name, parameters excepted."""
        return self.motion | solved_units(self.model)

    @property
    def kinematic(self) -> frozenset[str]:
        """Names of t, coordinates, velocities and points, which are known without the equations of motion."""
        joints = carrying(self.model)
        written_out = (f"{name}.q" for name in self.coordinates)
        return frozenset({"t", *self.coordinates, *written_out, *velocities(joints), *_points(self.model)})

    @cached_property
    def results(self) -> dict[str, str]:
        """Unit of everything that an output may name, parameters excepted."""
        return self.motion | result_units(self.model)

    def advice(self, name: str, known: Iterable[str]) -> str:
        """What to write in place of an unknown `name` of a coordinate, of those `known`."""
        return advice(self.model, name, known)

    def place_issues(self, **places: str | InlinePlace) -> Iterator[Issue]:
        """Of the `places`, given by their keys in a record, those that do not exist."""
        for key, place in places.items():
            if isinstance(place, InlinePlace):
                if place.body not in self._bodies:
                    fault = f"there is no body {place.body!r}"
                    yield Issue(fault, nearest(split(place.body)[0], self._bodies), (key, "body"))
            elif place not in self.places:
                yield self._missing(place, key)

    @property
    def _bodies(self) -> tuple[str, ...]:
        return (GROUND, *self.model.bodies)

    def _missing(self, place: str, key: str) -> Issue:
        body, marker = split(place)
        if marker and body in self.places:
            own = [other for other in self.places if split(other)[0] == body and other != body]
            owner = "the ground" if body == GROUND else f"the body {body!r}"
            return Issue(f"{owner} has no marker {marker!r}", nearest(place, own), (key,))
        return Issue(f"there is no body {body!r}", nearest(body, self._bodies), (key,))
