"""What a motion prescribes: a coordinate, or components of the position or orientation of a body or marker.

Source: docs/motions.md
"""

from collections.abc import Iterator, Mapping
from math import inf, pi
from typing import Literal

from cardan.errors import Issue
from cardan.frozen import dataclass
from cardan.model.place import GROUND, split
from cardan.model.plane import in_plane
from cardan.model.records.known_names import KnownNames

_AXES = "xyz"


@dataclass(frozen=True)
class MotionTarget:
    """The quantity that a motion prescribes."""

    kind: Literal["coordinate", "position", "orientation", "angle", "relation"]  # what its values are
    name: str  # coordinate, or body or body.marker, or program constraint
    components: tuple[int, ...] = ()  # world axes of a position
    unit: str = "rad"  # unit of its values: "m" or "rad"

    @property
    def size(self) -> int:
        """Number of values."""
        return {"coordinate": 1, "angle": 1, "orientation": 3, "relation": 1}.get(self.kind, len(self.components))

    @property
    def whole(self) -> float:
        """What may be missing at the end of a period: a turn of an angle; infinite where nothing may."""
        return 2 * pi if self.kind in ("angle", "coordinate") and self.unit == "rad" else inf


def target_of(
    name: str, coordinates: Mapping[str, str], places: tuple[str, ...], planar: str | None
) -> MotionTarget | None:
    """The target that `name` stands for: `shoulder`, `platform.position`, `hand.tip.position.x`; None if nothing."""
    coordinate = name.removesuffix(".q") if name.removesuffix(".q") in coordinates else ""
    if coordinate and coordinates[coordinate] != "1":
        return MotionTarget("coordinate", coordinate, unit=coordinates[coordinate])
    place, _, last = name.rpartition(".")
    if last == "position" and place in places:
        return MotionTarget("position", place, in_plane(planar) if planar else (0, 1, 2), "m")
    if last == "orientation" and place in places and not planar:
        return MotionTarget("orientation", place)
    if last == "angle" and place in places and planar:
        return MotionTarget("angle", place)
    if last in _AXES and place.removesuffix(".position") in places:
        return MotionTarget("position", place.removesuffix(".position"), (_AXES.index(last),), "m")
    return None


def target_issues(names: KnownNames) -> Iterator[Issue]:
    """What is wrong with the names of the motions of a model, and with the joints that drive them."""
    model, driven = names.model, dict[str, str]()
    for name, record in model.constraints.items():
        for joint in record.drives:
            if joint in driven:
                fault = f"the joint {joint!r} drives {driven[joint]!r} already"
                yield Issue(fault, "let another joint drive one of the two", ("constraints", name, "by"))
            driven[joint] = name
    for name, motion in model.motions.items():
        path, target = ("motions", name), names.target(name)
        if target is None:
            yield _unknown(names, name)
            continue
        if target.kind == "coordinate" and name.endswith(".q"):
            yield Issue("a motion is named as the coordinate", f"write {target.name}:", path)
        if target.size != motion.size:
            yield _size(name, target, motion.size, model.planar)
        if target.kind != "coordinate" and motion.by is None:
            cure = f"add by: [{', '.join(list(names.efforts)[: target.size])}], the joints whose efforts keep it"
            yield Issue(f"nothing says which joints drive {name!r}", cure, path)
            continue
        by = (target.name,) if motion.by is None else motion.by
        if len(by) < target.size:
            cure = f"name {target.size} joints, one for each component"
            yield Issue(
                f"{len(by)} joint{'s' * (len(by) > 1)} cannot keep {target.size} components", cure, (*path, "by")
            )
        else:
            yield from (issue.under(*path, "realize") for issue in motion.realize.issues(by, target.size))
        for k, joint in enumerate(by):
            if joint not in names.efforts:
                at = path if motion.by is None else (*path, "by", k)
                yield Issue(f"{joint!r} is not a joint with an effort", names.advice(joint, names.efforts), at)
            elif joint in driven:
                fault = f"the joint {joint!r} drives {driven[joint]!r} already"
                yield Issue(fault, "let another joint drive one of the two", path)
            driven[joint] = name
    yield from _rings(names)


def _unknown(names: KnownNames, name: str) -> Issue:
    model, (place, _, last) = names.model, name.rpartition(".")
    if last == "orientation" and model.planar and place in names.places:
        return Issue("a body of a planar model has an angle", f"write {place}.angle", ("motions", name))
    if last == "angle" and not model.planar and place in names.places:
        return Issue(
            "an angle belongs to planar models", f"write {place}.orientation: [roll, pitch, yaw]", ("motions", name)
        )
    joint = name.rpartition(".")[0] or name
    if joint in model.joints and any(unit == "1" for unit in names.coordinates_of(joint).values()):
        child = split(model.joints[joint].child)[0]
        cure = f"prescribe {child}.orientation: {{value: [roll, pitch, yaw], by: […]}} and {child}.position"
        return Issue(f"{name!r} is part of a quaternion", cure, ("motions", name))
    ends = ("angle",) if model.planar else ("orientation",)
    known = [*names.coordinates, *(f"{p}.{end}" for p in names.places if p != GROUND for end in ("position", *ends))]
    return Issue(f"there is no coordinate or place {name!r}", names.advice(name, known), ("motions", name))


def _size(name: str, target: MotionTarget, size: int, planar: str | None) -> Issue:
    fault = f"{name!r} has {target.size} component{'s' * (target.size > 1)}, not {size}"
    axes = ", ".join(_AXES[k] for k in target.components)
    cures = {"position": f"write value: [{axes}]", "orientation": "write value: [roll, pitch, yaw]"}
    return Issue(fault, cures.get(target.kind, "write one value"), ("motions", name))


def _rings(names: KnownNames) -> Iterator[Issue]:
    """Motions that follow each other in a ring."""
    model, done = names.model, set[str]()

    def follow(name: str, trail: tuple[str, ...]) -> Iterator[Issue]:
        if name in trail:
            ring = " → ".join((*trail[trail.index(name) :], name))
            yield Issue(
                f"motions follow each other in a ring: {ring}", "give one of them an expression of t", ("motions", name)
            )
            return
        if name in done or name not in model.motions:
            return
        for scalar in getattr(model.motions[name], "value", ()):
            for other in sorted(scalar.names):
                yield from follow(other, (*trail, name))
        done.add(name)

    for name in model.motions:
        yield from follow(name, ())
