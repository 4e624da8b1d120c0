"""The records of a scene: what a drawing shows, without a word about how it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from cardan.frozen import dataclass

SYMBOL = 0.02
"""Size of a joint's symbol over the diagonal of the mechanism [-]."""

Form = Mapping[str, Any]
"""A solid by its `type` and sizes [m]: box, cylinder, cone, sphere, bowl, ring, coil, gear or mesh."""

Layer = Literal["shapes", "masses", "joints", "ground", "motors", "gears"]
"""What a part belongs to; viewers show and hide it by layer."""

StrutLook = Literal["spring", "damper", "spring_damper", "rod"]


@dataclass(frozen=True, eq=False)
class Mount:
    """A frame fixed to a body."""

    body: str  # "ground" or a body
    p: np.ndarray  # its origin in body axes (3,) [m]
    R: np.ndarray  # its axes in body axes (3×3)

    def shifted(self, z: float) -> Mount:
        """The frame a distance [m] farther along its z."""
        return Mount(self.body, self.p + self.R[:, 2] * z, self.R)


@dataclass(frozen=True, eq=False)
class ScenePart:
    """A solid that is fixed to a body."""

    owner: str  # body, joint, motor or constraint that it stands for
    layer: Layer  # what shows and hides it
    form: Form  # its solid
    place: Mount  # its own frame; cylinders, cones and coils stand along z
    colour: str  # "#rrggbb", or the name of a role: joint, pin, ground, motor


@dataclass(frozen=True, eq=False)
class Disc:
    """A disc that turns against the body that carries it."""

    owner: str  # motor or gear
    layer: Layer  # what shows and hides it
    form: Form  # its solid
    place: Mount  # z is the axis of rotation
    angle: np.ndarray  # over time (N,) [rad]


@dataclass(frozen=True, eq=False)
class Strut:
    """What connects two places and changes its length with them."""

    owner: str  # force element or constraint
    kind: StrutLook  # what it looks like
    a: Mount  # place on the parent
    b: Mount  # place on the child
    radius: float  # of a coil or a rod [m]
    length: float  # mean distance over time [m]


@dataclass(frozen=True)
class Ring:
    """A section of a rod that bends: the mean of one on a part and one on the next, weighted by 1 − u and u."""

    a: str  # part
    b: str  # the next one
    u: float  # weight of b
    xa: float  # centre along x of a [m]
    xb: float  # along x of b [m]


@dataclass(frozen=True, eq=False)
class BentRod:
    """A rod that bends, drawn as one solid through rings."""

    owner: str  # body
    outline: np.ndarray  # corners of its section (n, 2) along y and z, counter-clockwise seen from x [m]
    is_round: bool  # without edges along it
    rings: tuple[Ring, ...]  # from its origin on
    colour: str  # "#rrggbb" or the name of a colour


@dataclass(frozen=True, eq=False)
class Trace:
    """The path of a point."""

    name: str  # "payload.hook"
    place: Mount  # the point


@dataclass(frozen=True, eq=False)
class Arrow:
    """A force or moment over time."""

    name: str  # the result that it shows
    layer: Literal["reactions", "drives", "applied", "springs", "gravity"]  # what shows and hides it
    what: Literal["force", "moment"]  # straight, or around its axis
    place: Mount  # where it acts
    value: np.ndarray  # components in world axes over time (N, 3) [N] or [N m]
    path: np.ndarray | None = None  # of one that moves on its body: where it acts (N, 3), world [m]

    @property
    def typical(self) -> float:
        """Root mean square of its size over time: a short peak at the start does not make all other arrows small."""
        return float(np.sqrt(np.mean(np.sum(self.value**2, axis=1))))


@dataclass(frozen=True, eq=False)
class Scene:
    """A mechanism and its motion as a picture needs them."""

    title: str  # name of the model
    instants: np.ndarray  # (N,) [s]
    bodies: tuple[str, ...]  # names of all bodies, in the order of the file
    positions: np.ndarray  # origins of the bodies (N, bodies, 3) [m]
    orientations: np.ndarray  # unit quaternions w, x, y, z (N, bodies, 4)
    colours: Mapping[str, str]  # by body
    parts: tuple[ScenePart, ...]  # solids fixed to bodies
    rotors: tuple[Disc, ...]  # of motors
    links: tuple[Strut, ...]  # springs, dampers and rods
    rods: tuple[BentRod, ...]  # rods that bend
    traces: tuple[Trace, ...]  # paths
    arrows: tuple[Arrow, ...]  # loads
    up: np.ndarray  # unit vector (3,) in the world
    normal: np.ndarray | None  # of the plane of a planar model (3,)
    low: np.ndarray  # smallest coordinates that the mechanism reaches (3,) [m]
    high: np.ndarray  # largest (3,) [m]
    size: float  # mean diagonal of the mechanism [m]; symbols follow it
