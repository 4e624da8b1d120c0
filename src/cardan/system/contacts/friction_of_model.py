"""The friction of a model: a record for each motion that rubs, of joints and of points on paths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import casadi as ca

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.kinematics.build import MotorModel
from cardan.kinematics.motion import Motion
from cardan.kinematics.relations.moving_axes import has_path, moving_axes
from cardan.kinematics.relative import RelativeMotion, closing_motions, sliding_motion
from cardan.kinematics.scope import evaluate, parameter_value, value
from cardan.kinematics.tree import Tree
from cardan.model.forces import Wrench
from cardan.model.joints.friction import Friction
from cardan.model.model import Model
from cardan.model.names import friction_results
from cardan.model.quantities.lets import reached
from cardan.model.quantities.scalar import ZERO
from cardan.system.contacts.friction import JointFriction

LENGTHS = {"m/s": "m", "rad/s": "rad"}  # unit of the bend of a bristle, by that of the velocity


@dataclass(frozen=True)
class _Place:
    """A motion that rubs, where it stands in the model."""

    name: str  # of the motion
    owner: str  # joint or constraint
    law: Friction
    section: str = "joints"  # of the model
    pin: int | None = None  # number of the motion in a joint whose motions rub apart
    relative: RelativeMotion | None = None  # where it is no velocity of the tree
    directions: int = 1  # in which it slides

    @property
    def parts(self) -> tuple[RelativeMotion, ...]:
        """The motions along each direction of one that slides in several and may be held; none for others."""
        holds = self.directions > 1 and (self.law.can_stick or self.law.prescribed)
        return tuple(self.relative.parts(self.directions)) if holds and self.relative is not None else ()


def _places(model: Model, tree: Tree) -> Iterator[_Place]:
    """The motions that rub: of all joints, then of all constraints, in file order."""
    laws = {link.joint: link.law.declared for link in tree.links} | {cut.joint: cut.law for cut in tree.cuts}
    closing = {one.name: one for cut in tree.cuts for one in closing_motions(cut)}
    for owner, joint in model.joints.items():
        if joint.friction is None:
            continue
        place = _Place(owner, owner, joint.friction)
        if joint.nv > 1 and not joint.rubs_apart:
            relative = sliding_motion(owner, laws[owner], *map(tree.place, tree.ends[owner]))
            yield replace(place, relative=relative, directions=laws[owner].sliding().shape[0])
            continue
        for k, (suffix, _) in enumerate(joint.rubbing):
            name, pin = owner + suffix, k if joint.rubs_apart else None
            yield replace(place, name=name, pin=pin, relative=closing.get(name))
    for owner, record in model.constraints.items():
        if record.friction is not None:
            yield _Place(owner, owner, record.friction, "constraints", relative=_on_path(tree, owner))


def frictions(model: Model, tree: Tree, motors: MotorModel) -> tuple[JointFriction, ...]:
    """Friction of all joints, then of all constraints that have it, in file order."""
    velocities, further, out = {entry.name: k for k, entry in enumerate(tree.velocities)}, tree.nv, []
    for place in _places(model, tree):
        out.append(_friction(tree, place, further if place.relative is not None else velocities[place.name]))
        further += 0 if place.relative is None else 1 + len(place.parts)
    return tuple(out)


def _friction(tree: Tree, place: _Place, velocity: int) -> JointFriction:
    """Friction of one motion, with its states: its slip sign and direction, or the bend of bristles, and its heat."""
    name, law, relative, parts = place.name, place.law, place.relative, place.parts
    moving = law.moving(tree.parameters)
    constant = partial(evaluate, lookup=partial(parameter_value, tree.parameters, tree.p))
    unit = tree.velocities[velocity].unit if relative is None else relative.unit
    states: list[tuple[str, str]] = []
    if law.bristle is not None:
        states = [("bristle", LENGTHS[unit])]
    elif law.can_stick:
        states = [("slip", "1"), *((f"direction{k + 1}", "1") for k in range(len(parts)))]
    return JointFriction(
        name=name,
        owner=place.owner,
        names=(*(f"{name}.{what}" for what, _ in states), f"{name}.heat"),
        units=(*(each for _, each in states), "J"),
        initial=(ZERO,) * (len(states) + 1),
        velocity=velocity,
        unit=unit,
        law=law.still(moving).resolved(constant).unchecked(gear=law.gear),
        moving=tuple(moving.items()),
        tree=tree,
        relative=relative,
        section=place.section,
        pin=place.pin,
        turns=place.directions > 1,
        parts=parts,
        held=tuple(velocity + 1 + k for k in range(len(parts))),
        own=_own_velocities(tree, name) if parts else (),
    )


def _own_velocities(tree: Tree, joint: str) -> tuple[int, ...]:
    """Velocities of the tree that rest where the surfaces of a joint do; none if the joint closes a loop."""
    for link in tree.links:
        if link.joint == joint:
            law = link.law.declared
            rubs = ca.sparsify(ca.SX(law.sliding() @ law.subspace(ca.SX.sym("q", law.nq))))
            return tuple(k for k, column in zip(link.v, ca.horzsplit(rubs), strict=True) if column.nnz())
    return ()


def _on_path(tree: Tree, name: str) -> RelativeMotion:
    """The motion of the point of a constraint along its path."""
    if not has_path(tree, name, value):
        fault = "the equations leave the point no curve along which it could rub"
        cure = "in a plane give one equation in x, y and z, in space two; on a surface write a planar joint, or given:"
        raise ModelError(Issue(fault, cure, ("constraints", name, "friction")))
    record = tree.bound[name]
    assert record.places is not None, "only constraints between places have friction"
    parent, child = (tree.place(end) for end in record.places)

    def direction(state: Motion) -> Wrench:
        axes = moving_axes(tree, state, name, value)
        assert axes is not None, "it has a path"
        return Wrench(ca.DM(3, 1), axes.R[:, 0])

    return RelativeMotion(name, name, "m/s", parent, child, direction)


def without_friction(model: Model) -> Model:
    """The model with friction and end stops left out; the model itself if there are none."""
    joints = {
        name: joint.replace(friction=None, limits=None)
        for name, joint in model.joints.items()
        if joint.friction is not None or joint.limits is not None
    }
    rough = {
        name: record.replace(friction=None) for name, record in model.constraints.items() if record.friction is not None
    }
    if not (joints or rough):
        return model
    lost, outputs = {*friction_results(model)}, model.outputs
    return model.replace(
        joints={**model.joints, **joints},
        constraints={**model.constraints, **rough},
        outputs={name: one for name, one in outputs.items() if not reached(one.names, outputs) & lost},
    )
