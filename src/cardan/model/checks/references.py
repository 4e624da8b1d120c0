"""Checks of names: what a record refers to has to exist, and the joints have to make a tree of the bodies."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from cardan.errors import MOST, Issue, ModelError, nearest
from cardan.model.body import Body
from cardan.model.initial import EQUILIBRIUM, Attitude, Guess, Solve, attitude_issues, covered, plain_name
from cardan.model.motions.following import following_issues
from cardan.model.motions.targets import target_issues
from cardan.model.motors.stators import stator_issues
from cardan.model.names import (
    COMPONENTS,
    VECTORS,
    Names,
    advice,
    carrying,
    closing_coordinates,
    coordinates,
    driven_joints,
    efforts,
    graph_inputs,
    motion_units,
    own_outputs,
    result_units,
    states,
    user_states,
)
from cardan.model.place import GROUND, split
from cardan.model.quantities.lets import needed, reached
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.walk import elements
from cardan.model.sections import ModelSections
from cardan.model.shapes import Box, Cylinder
from cardan.model.topology import how_to_free, spanning_tree

_RIVALS = (
    ("parameters", "joints", "joint"),
    ("parameters", "bodies", "body"),
    ("motors", "joints", "joint"),
    ("constraints", "joints", "joint"),
    ("constraints", "forces", "force"),
    ("contacts", "joints", "joint"),
    ("contacts", "forces", "force"),
    ("contacts", "constraints", "constraint"),
    ("contacts", "bodies", "body"),
    ("contacts", "motors", "motor"),
    ("contacts", "states", "state"),
    ("contacts", "graphs", "graph"),
    ("states", "parameters", "parameter"),
    ("states", "joints", "joint"),
    ("states", "bodies", "body"),
    ("states", "motors", "motor"),
    ("let", "parameters", "parameter"),
    ("let", "joints", "joint"),
    ("let", "bodies", "body"),
    ("let", "motors", "motor"),
    ("let", "states", "state"),
    ("outputs", "states", "state"),
    ("outputs", "joints", "joint"),
    ("outputs", "bodies", "body"),
    ("outputs", "motors", "motor"),
    ("graphs", "parameters", "parameter"),
    ("graphs", "joints", "joint"),
    ("graphs", "bodies", "body"),
    ("graphs", "motors", "motor"),
    ("graphs", "states", "state"),
    ("graphs", "let", "name of let"),
    ("graphs", "outputs", "output"),
)
"""Sections whose names must differ, because expressions or results would have two meanings."""
_TAKEN_BY_POINTS = frozenset([*COMPONENTS, *VECTORS, "com"])


def reference_issues(model: ModelSections) -> list[Issue]:
    """Everything that is wrong with the names in a model."""
    checks = (_names, _rods, _lets, _elements, _inputs, _initial, event_issues)
    issues = list(islice((issue for check in checks for issue in check(model)), MOST))
    if any(issue.path[::2] in (("joints", "parent"), ("joints", "child")) for issue in issues):
        # which joints carry bodies, and so have coordinates, is not known: other sections would get wrong advice
        return [issue for issue in issues if issue.path[0] in ("bodies", "joints")]
    if issues:
        return issues
    names = Names(model)
    of_motions = target_issues(names), following_issues(names), _beside_motions(names)
    return list(islice(chain(_tree(model), stator_issues(model), *of_motions), MOST))


def _names(model: ModelSections) -> Iterator[Issue]:
    if not model.bodies and not model.graphs:
        yield Issue("the model has no bodies", "add bodies: and joints: that carry them", ("bodies",))
    for section, rival, what in _RIVALS:
        for name in getattr(model, section):
            if name in getattr(model, rival):
                yield Issue(f"a {what} has the name {name!r} too", "rename one of them", (section, name))
    shapes = {GROUND: model.ground.shapes, **{body: record.shapes for body, record in model.bodies.items()}}
    for body, own in shapes.items():
        yield from _shape_names(body, [shape.name for shape in own if shape.name])
    carriers = {GROUND: model.ground.markers, **{body: record.markers for body, record in model.bodies.items()}}
    for body, markers in carriers.items():
        for name in markers:
            if name in _TAKEN_BY_POINTS:
                fault = f"the marker name {name!r} is reserved, because {body}.{name} has a meaning already"
                yield Issue(fault, "choose another name", ("bodies", body, "markers", name))


def _rods(model: ModelSections) -> Iterator[Issue]:
    for name, body in model.bodies.items():
        before = model.bodies.get(body.bends_from)
        if body.bends_from and not (before and _is_piece(before) and _is_piece(body)):
            fault = "bends_from stands for a piece of a rod, and this body or the one before it is none"
            yield Issue(fault, "write the rod as a body of type: flexible", ("bodies", name, "bends_from"))


def _is_piece(body: Body) -> bool:
    return len(body.shapes) == 1 and isinstance(body.shapes[0], Box | Cylinder)


def _shape_names(body: str, shapes: list[str]) -> Iterator[Issue]:
    for name in sorted({name for name in shapes if shapes.count(name) > 1}):
        yield Issue(f"two shapes have the name {name!r}", "rename one of them", ("bodies", body, "shapes"))


def _lets(model: ModelSections) -> Iterator[Issue]:
    try:
        needed(model.let, model.let)
    except ModelError as error:
        for issue in error.issues:
            yield replace(issue, cure="write one of them without the others").under("let")
    try:
        own = own_outputs(model)
        needed(own, own)
    except ModelError as error:
        for issue in error.issues:
            yield replace(issue, cure="write one of them without the others").under("outputs")


def _elements(model: ModelSections) -> Iterator[Issue]:
    names = Names(model)
    for path, element in elements(model):
        yield from (issue.under(*path) for issue in element.name_issues(names))
    for name, constraint in model.constraints.items():
        if constraint.given is not None:
            found = constraint.given.issues(names, has_places=constraint.ends is not None)
            yield from (issue.under("constraints", name, "given") for issue in found)
        yield from (issue.under("constraints", name, "friction") for issue in constraint.friction_issues())


def _inputs(model: ModelSections) -> Iterator[Issue]:
    known = {*model.motors, *efforts(carrying(model)), *graph_inputs(model)}
    for name in model.inputs:
        if name not in known and name.partition(".")[0] in model.graphs:
            yield Issue(f"there is no input {name!r}", nearest(name, graph_inputs(model)), ("inputs", name))
        elif name not in known:
            fault = f"there is no motor {name!r}" if model.motors else f"no motor and no joint takes the input {name!r}"
            yield Issue(fault, advice(model, name, model.motors or efforts(carrying(model))), ("inputs", name))


def _initial(model: ModelSections) -> Iterator[Issue]:
    known, positions, closing = states(model), coordinates(carrying(model)), closing_coordinates(model)
    results = {**result_units(model), **motion_units(model), **own_outputs(model)} if model.initial else {}
    seen: dict[str, str] = {}
    for name, value in model.initial.items():
        path, plain = ("initial", name), plain_name(name)
        entry = value.guess if isinstance(value, Guess) else value
        if isinstance(entry, Attitude):
            yield from attitude_issues(name, entry, carrying(model))
            for whole in covered(name, entry):
                if seen.setdefault(whole, name) != name:
                    yield Issue(f"{name!r} and {seen[whole]!r} are the same coordinate", "keep one of them", path)
            continue
        if isinstance(value, Solve):
            if name == EQUILIBRIUM:
                continue
            if name not in model.parameters:
                yield Issue(f"there is no parameter {name!r}", nearest(name, model.parameters), path)
            elif model.parameters[name].names:
                yield Issue(f"{name!r} follows from other parameters", "solve one of these", path)
            continue
        if isinstance(value, Scalar) and name not in known and name in results:
            continue
        guessed = isinstance(value, Guess) and plain in closing
        if name not in known and not guessed:
            guess = f", or guess it: {{{name}: {{guess: …}}}}" if name in closing else ""
            cure = f"{advice(model, name, known)}{guess}"
            yield Issue(f"there is no coordinate, velocity, current or state {name!r}", cure, path)
        elif plain in seen:
            yield Issue(f"{name!r} and {seen[plain]!r} are the same coordinate", "keep one of them", path)
        elif isinstance(value, Guess) and plain not in positions and not guessed:
            yield Issue(f"{name!r} is not a coordinate, only coordinates are guessed", "write a plain value", path)
        seen[plain] = name


def _beside_motions(names: Names) -> Iterator[Issue]:
    """Initial values and inputs that motions decide."""
    model = names.model
    for name in model.initial:
        coordinate = name.removesuffix(".q").removesuffix(".v")
        if coordinate in names.prescribed and not hasattr(model.initial[name], "guess"):
            cure = "leave it out; the motion gives its value at t = 0"
            yield Issue(f"a motion prescribes {coordinate!r}", cure, ("initial", name))
    yield from driven_issues(model, model.inputs, model.initial)


def driven_issues(model: ModelSections, inputs: Iterable[str] = (), initial: Iterable[str] = ()) -> Iterator[Issue]:
    """Inputs and initial currents that motions decide."""
    driven = driven_joints(model)
    motors = {name: driven[motor.joint] for name, motor in model.motors.items() if motor.joint in driven}
    for name, motion in motors.items():
        record = model.motors[name]
        law = set() if record.applied is None else reached(record.applied.names, model.let)
        if record.demand == "duty" or any(one.endswith(".current") for one in law):
            fault = f"the motion of {motion!r} decides the voltage of the motor {name!r}, which has a law of its own"
            cure = "leave out of its source demand: duty, limits of the current's rate and the supply's resistance"
            yield Issue(fault, cure, ("motors", name))
    for name in inputs:
        if name in motors:
            fault = f"the motion of {motors[name]!r} drives the motor {name!r}"
            yield Issue(fault, "leave the input out; its voltage is a result", ("inputs", name))
        elif name in driven and name not in model.motors:
            fault = f"the motion of {driven[name]!r} drives the joint {name!r}"
            yield Issue(fault, "leave the input out; the effort is a result", ("inputs", name))
    for name in initial:
        if name.endswith(".current") and name.removesuffix(".current") in motors:
            motor = name.removesuffix(".current")
            fault = f"the motion of {motors[motor]!r} drives the motor {motor!r}"
            yield Issue(fault, "leave the current out; it is a result", ("initial", name))


def _tree(model: ModelSections) -> Iterator[Issue]:
    jointed = {split(end)[0] for joint in model.joints.values() for end in (joint.parent, joint.child)}
    topology = spanning_tree(model.joints, model.bodies)
    one_way = [split(joint.parent)[0] for joint in model.joints.values() if not joint.both_ways]
    if hanging := [body for body in one_way if body in topology.lost and body in jointed]:
        fault = f"the modal body {hanging[0]!r} hangs at interface nodes alone, and no joint holds its frame"
        cure = "name the body itself in a joint, and take its modes with that place held"
        yield Issue(fault, cure, ("bodies", hanging[0]))
        return
    for body in topology.lost:
        if body not in jointed:
            cure = f"add one to joints, such as {{type: free, parent: ground, child: {body}}}"
            yield Issue(f"the body {body!r} has no joint", cure, ("bodies", body))
        else:
            cure = "add a joint with parent: ground (type free for a flying body); one with cut: true carries nothing"
            yield Issue(f"no chain of joints leads from the ground to {body!r}", cure, ("bodies", body))
    for name in topology.cut:
        yield from _cut(model, name)


def _cut(model: ModelSections, name: str) -> Iterator[Issue]:
    """What a joint that closes a loop cannot have, since its coordinate is not one of the mechanism's."""
    joint, path = model.joints[name], ("joints", name)
    for key in joint.coordinate_keys:
        cure = how_to_free(name, model.joints, model.bodies)
        yield Issue(f"the joint closes a loop, so it has no coordinate for its {key}", cure, (*path, key))
    for motor, record in model.motors.items():
        if record.driven[0] == name:
            cure = how_to_free(name, model.joints, model.bodies)
            yield Issue(f"the joint {name!r} closes a loop, so no motor can drive it", cure, ("motors", motor, "joint"))


def event_issues(model: ModelSections) -> Iterator[Issue]:
    """What the events of a `model` name that does not exist or cannot be set, and conditions that never change."""
    if not model.events:
        return
    shown = {name: scalar for name, scalar in model.outputs.items() if name not in scalar.names}
    known = {**shown, **model.let}
    for name, event in model.events.items():
        if not event.is_note and reached(event.when.names, known) <= {*model.parameters, *known}:
            fault = f"{str(event.when)!r} never changes, so that it passes no zero"
            yield Issue(fault, "name t, a coordinate, a velocity or a point", ("events", name, "when"))
    inputs = set(model.motors) | set(efforts(carrying(model))) | set(graph_inputs(model))
    driven = {name for name, motor in model.motors.items() if motor.joint in driven_joints(model)} | set(
        driven_joints(model)
    )
    states = set(user_states(model))
    for name, event in model.events.items():
        if isinstance(event.do, str):
            continue
        for target in event.do.set:
            path = ("events", name, "do", "set", target)
            if target in driven:
                yield Issue(f"{target!r} is driven by a prescribed motion", "set another input", path)
            elif target not in inputs | states:
                fault = f"{target!r} is neither an input nor a state of the section states"
                yield Issue(fault, nearest(target, [*model.motors, *states, *efforts(carrying(model))]), path)
