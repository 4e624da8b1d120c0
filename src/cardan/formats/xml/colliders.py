"""Which shapes of a description meet, and how their surfaces combine: by MuJoCo's rules.

Shapes on bodies that do not move against each other never meet, nor do those of a body and of the body that carries
it, the world excepted; of all others those whose bits match.

Source: MuJoCo's documentation, Computation, "Collision detection", and Modeling, "Contact parameters"
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from cardan.frozen import dataclass
from cardan.model.place import GROUND


@dataclass(frozen=True)
class Surface:
    """How a shape, or a pair of shapes, touches; the values are those that MuJoCo takes where a file gives none."""

    condim: int = 3  # 1: without friction, 3: sliding, 4: spinning too, 6: rolling too
    friction: tuple[float, float, float] = (1.0, 0.005, 0.0001)  # against sliding [-], spinning and rolling [m]
    solref: tuple[float, float] = (0.02, 1.0)  # time [s] and damping ratio; or −stiffness [1/s²] and −damping [1/s]
    impedance: float = 0.95  # largest one, the second number of solimp
    solmix: float = 1.0  # weight of solref and solimp
    priority: int = 0  # the surface with the higher one counts alone
    pyramid: float = 1.0  # ratio of impedances of a friction cone that is a pyramid; 0 of a round one


PLAIN = Surface()
"""The surface of a shape about which a file says nothing."""


@dataclass(frozen=True)
class Collider:
    """A shape that may touch others."""

    body: str  # or the ground
    name: str  # of the shape
    kind: str  # of the shape; one that models do not have where it cannot be a shape
    contype: int = 1  # its bits
    conaffinity: int = 1  # bits of the shapes that it touches
    surface: Surface = PLAIN  # how it touches


@dataclass(frozen=True)
class Encounter:
    """Two shapes that may touch."""

    a: Collider
    b: Collider
    surface: Surface  # of both


def encounters(
    colliders: Sequence[Collider],
    carriers: Mapping[str, tuple[str, bool]],
    excluded: Collection[frozenset[str]] = (),
    *,
    neighbours: bool = False,
) -> Iterator[Encounter]:
    """The pairs of shapes that may touch; `carriers` has the carrier of each body, and whether it is fixed there."""

    def held(body: str) -> str:
        """The body to which others are fixed, and it with them."""
        while body != GROUND and carriers[body][1]:
            body = carriers[body][0]
        return body

    above = {one: held(carriers[one][0]) for one in carriers if not carriers[one][1]}
    for a, b in combinations(colliders, 2):
        A, B = held(a.body), held(b.body)
        is_next = GROUND not in (A, B) and (above.get(A) == B or above.get(B) == A)
        apart = A != B and (neighbours or not is_next) and frozenset((a.body, b.body)) not in excluded
        if apart and (a.contype & b.conaffinity or b.contype & a.conaffinity):
            yield Encounter(a, b, combined(a.surface, b.surface))


def combined(a: Surface, b: Surface) -> Surface:
    """The surface of a pair: that of the higher priority, or the larger friction and a mean of the rest."""
    if a.priority != b.priority:
        return max(a, b, key=lambda one: one.priority)
    both = a.solmix + b.solmix
    share = a.solmix / both if both > 0 else 0.5
    timed = min(a.solref[0], b.solref[0]) > 0
    mean = share * np.array(a.solref) + (1 - share) * np.array(b.solref)
    solref = mean if timed else np.minimum(a.solref, b.solref)
    return Surface(
        max(a.condim, b.condim),
        tuple(map(max, zip(a.friction, b.friction, strict=True))),  # type: ignore[arg-type]
        (float(solref[0]), float(solref[1])),
        share * a.impedance + (1 - share) * b.impedance,
        pyramid=a.pyramid,
    )
