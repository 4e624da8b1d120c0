"""The friction of a model: a record for each motion of a joint, and each point on a surface, that has friction."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from cardan.frozen import dataclass
from cardan.kinematics.build import MotorModel
from cardan.kinematics.relations.moving_axes import has_surface
from cardan.kinematics.relative import RelativeMotion, closing_motions, sliding_motion
from cardan.kinematics.scope import evaluate, parameter_value, value
from cardan.kinematics.tree import Tree
from cardan.model.joints.friction import Friction
from cardan.model.model import Model
from cardan.model.names import friction_results
from cardan.model.quantities.lets import reached
from cardan.model.quantities.scalar import ZERO
from cardan.system.contacts.friction import JointFriction
from cardan.system.contacts.rubbing_motions import (
    on_path,
    on_surface,
    own_velocities,
    rubbing_motions,
    tangents,
    turning,
)

LENGTHS = {"m/s": "m", "rad/s": "rad"}  # unit of the bend of a bristle, by that of the velocity
OF_SURFACE = 3  # components of a direction along a surface, in the axes of its parent marker


@dataclass(frozen=True)
class _Rubbing:
    """Motions along which joints and constraints rub, by name, where these are not velocities of the tree."""

    relative: Mapping[str, RelativeMotion]  # of joints that close loops, or slide in several directions; of points
    directions: Mapping[str, int]  # number of directions of those that slide in several
    surfaces: tuple[str, ...]  # constraints that leave their point a surface

    def components(self, name: str) -> int:
        """Number of components of the direction in which a joint or point slides."""
        return OF_SURFACE if name in self.surfaces else self.directions.get(name, 1)

    def parts(self, name: str, law: Friction) -> tuple[RelativeMotion, ...]:
        """The motions along each direction of one that slides in several and may be held; none for others."""
        holds = law.can_stick or law.prescribed
        return tuple(self.relative[name].parts(self.directions[name])) if holds and name in self.directions else ()


def _rubbing(model: Model, tree: Tree) -> _Rubbing:
    """Motions of the joints and constraints of a model that have friction."""
    laws = {link.joint: link.law.declared for link in tree.links} | {cut.joint: cut.law for cut in tree.cuts}
    joints = {name: joint for name, joint in model.joints.items() if joint.friction is not None}
    several = [name for name, joint in joints.items() if joint.nv > 1 and not joint.rubs_apart]
    cuts = [cut for cut in tree.cuts if cut.law.friction is not None and cut.joint not in several]
    rough = [name for name, record in model.constraints.items() if record.friction is not None]
    surfaces = tuple(name for name in rough if has_surface(tree, name, value))
    motions = [one for cut in cuts for one in closing_motions(cut)]
    motions += [sliding_motion(name, laws[name], *map(tree.place, tree.ends[name])) for name in several]
    motions += [on_surface(tree, name) if name in surfaces else on_path(tree, name) for name in rough]
    directions = {name: laws[name].sliding().shape[0] for name in several} | dict.fromkeys(surfaces, 2)
    return _Rubbing({one.name: one for one in motions}, directions, surfaces)


@dataclass(frozen=True)
class _Place:
    """A motion that rubs, where it stands in the model."""

    name: str  # of the motion
    owner: str  # joint or constraint
    section: str  # of the model
    pin: int | None  # number of the motion in a joint whose motions rub apart
    law: Friction


def _places(model: Model) -> list[_Place]:
    """The motions that rub: of all joints, then of all constraints, in file order."""
    out = []
    for owner, joint in model.joints.items():
        if joint.friction is not None:
            out += [_Place(owner + end, owner, "joints", pin, joint.friction) for end, pin in rubbing_motions(joint)]
    for owner, record in model.constraints.items():
        if record.friction is not None:
            out.append(_Place(owner, owner, "constraints", None, record.friction))
    return out


def frictions(model: Model, tree: Tree, motors: MotorModel) -> tuple[JointFriction, ...]:
    """Friction of all joints, then of all constraints that have it, in file order."""
    rubbing, further = _rubbing(model, tree), tree.nv
    velocities, out = {entry.name: k for k, entry in enumerate(tree.velocities)}, []
    for place in _places(model):
        velocity, parts = velocities.get(place.name, further), rubbing.parts(place.name, place.law)
        if place.name in rubbing.relative:
            velocity = further
            further += 1 + len(parts)
        out.append(_friction(tree, rubbing, place, velocity, parts))
    return tuple(out)


def _friction(
    tree: Tree, rubbing: _Rubbing, place: _Place, velocity: int, parts: tuple[RelativeMotion, ...]
) -> JointFriction:
    """Friction of one motion, with its states: its slip sign or direction, or the bends of bristles, and its heat."""
    name, law, relative = place.name, place.law, rubbing.relative.get(place.name)
    moving, constant = (
        law.moving(tree.parameters),
        partial(evaluate, lookup=partial(parameter_value, tree.parameters, tree.p)),
    )
    is_surface, has_bristle = name in rubbing.surfaces, law.bristle is not None
    unit = tree.velocities[velocity].unit if relative is None else relative.unit
    states: list[tuple[str, str]] = []
    if has_bristle:
        states = [(each, LENGTHS[unit]) for each in law.bristles(rubbing.components(name))]
    elif law.can_stick:
        components = range(1, 1 + (rubbing.components(name) if parts else 0))
        states = [("slip", "1"), *((f"direction{k}", "1") for k in components)]
    return JointFriction(
        name=name,
        owner=place.owner,
        names=(*(f"{name}.{what}" for what, _ in states), f"{name}.heat"),
        units=(*(each for _, each in states), "J"),
        initial=(*(ZERO for _ in states), ZERO),
        velocity=velocity,
        unit=unit,
        law=law.still(moving).resolved(constant).unchecked(gear=law.gear),
        moving=tuple(moving.items()),
        tree=tree,
        relative=relative,
        section=place.section,
        pin=place.pin,
        turns=name in rubbing.directions,
        parts=parts,
        held=tuple(velocity + 1 + k for k in range(len(parts))),
        own=own_velocities(tree, name) if parts else (),
        tangents=partial(tangents, tree, name) if parts and is_surface else None,
        turning=partial(turning, tree, name) if has_bristle and is_surface else None,
    )


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
