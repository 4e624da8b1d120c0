"""Forces between markers, gathered as one wrench per link.   Source: docs/notation.md §7"""

from collections.abc import Sequence

import casadi as ca

from cardan.frozen import dataclass, field
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.relations.moving_axes import moving_axes
from cardan.kinematics.scope import resolve, value
from cardan.kinematics.tree import GROUND, LoadPlacement, Number, Place, Tree
from cardan.model.forces import MarkerMotion, Wrench
from cardan.model.forces.load import Load
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import position, rotation


@dataclass(frozen=True)
class Wrenches:
    """Wrench on every link at the link origin, link axes, moment first; None where nothing acts."""

    conservative: tuple[Number | None, ...]  # parts that have a potential
    other: tuple[Number | None, ...]  # all other parts


@dataclass(frozen=True)
class PointForce:
    """A force that something outside of the tree exerts on the child marker, its opposite on the parent there too."""

    name: str  # of what exerts it
    parent: Place  # marker that takes the opposite force
    child: Place  # marker at which the force acts
    f: Number  # (3,) on the child, world axes [N]
    n: Number = field(default_factory=lambda: ca.DM(3, 1))  # moment (3,) on the child, its opposite on the parent [N m]
    through: str = ""  # joint or constraint that transmits it, so that its reaction contains it; empty for none
    note: str = "port of a graph"  # what exerts it, in words


def point_wrenches(tree: Tree, state: Motion, forces: Sequence[PointForce]) -> tuple[Number | None, ...]:
    """Sum of some forces on every link: wrench at the link origin, link axes, moment first; None where nothing acts."""
    total: list[Number | None] = [None] * len(tree.links)
    for force in forces:
        _add(total, state, force.parent, force.child, Wrench(force.n, force.f))
    return tuple(total)


def wrenches(tree: Tree, state: Motion) -> Wrenches:
    """Sum of all force laws on every link."""
    return Wrenches(_gather(tree, state, "conservative"), _gather(tree, state, "other"))


def potential(tree: Tree, state: Motion) -> Number:
    """Potential energy [J] of all force laws."""
    total: Number = ca.DM(1, 1)
    for load in tree.loads:
        if load.given:
            continue  # known as a force alone
        record, a, b = load_ends(tree, state, load)
        total = total + record.potential(a, b)
    return total


def load_power(tree: Tree, state: Motion, virtual: Motion | None = None) -> Number:
    """Power [W] that the non-conservative part of all force laws feeds into the mechanism."""
    return sum((_power(tree, state, load, virtual) for load in tree.loads), ca.DM(1, 1))


def given_powers(tree: Tree, state: Motion) -> dict[str, Number]:
    """Power [W] that the given part of each constraint's reaction feeds into the mechanism,
    by the constraint's name.
    """
    return {load.name: _power(tree, state, load) for load in tree.loads if load.given}


def _power(tree: Tree, state: Motion, load: LoadPlacement, virtual: Motion | None = None) -> Number:
    """Power [W] of the non-conservative part of one force law; `virtual` as for `load_power`."""
    record, a, b = load_ends(tree, state, load)
    wrench = record.other(a, b)
    if virtual is not None:
        a, b = marker_motion(virtual, load.parent), marker_motion(virtual, load.child)
    at_child = a.v + skew(a.w) @ (b.p - a.p)
    return ca.dot(wrench.f, b.v - at_child) + ca.dot(wrench.n, b.w - a.w)


def load_wrench(tree: Tree, state: Motion, load: LoadPlacement) -> Wrench:
    """Whole wrench of the force law `load` on its child, at the child marker, world axes."""
    record, a, b = load_ends(tree, state, load)
    conservative, other = record.conservative(a, b), record.other(a, b)
    return Wrench(conservative.n + other.n, conservative.f + other.f)


def load_ends(tree: Tree, state: Motion, load: LoadPlacement) -> tuple[Load, MarkerMotion, MarkerMotion]:
    """The law with numbers in it, and the motion of its parent and child markers."""
    record = resolve(tree, load.record, state)
    if load.on_path:
        along = moving_axes(tree, state, load.name, value)
        assert along is not None, "paths are checked when the system is built"
        record = record.in_world(along.R)
    return record, marker_motion(state, load.parent), marker_motion(state, load.child)


def _gather(tree: Tree, state: Motion, law: str) -> tuple[Number | None, ...]:
    """Sum of the wrenches `law` ("conservative" or "other") per link."""
    total: list[Number | None] = [None] * len(tree.links)
    for load in tree.loads:
        if load.given and law == "conservative":
            continue
        record, a, b = load_ends(tree, state, load)
        _add(total, state, load.parent, load.child, getattr(record, law)(a, b))
    return tuple(total)


def _add(total: list[Number | None], state: Motion, parent: Place, child: Place, wrench: Wrench) -> None:
    """Add a wrench at the child marker in world axes, and its opposite on the parent, to those of their links."""
    p_W = marker_motion(state, child).p
    for place, sign in ((child, 1), (parent, -1)):
        if place.link != GROUND:
            R_LW, r = rotation(state.T_WL[place.link]).T, position(place.T_LM)
            if place is not child:
                r = r + R_LW @ (p_W - marker_motion(state, place).p)
            f, known = R_LW @ wrench.f, total[place.link]
            own = sign * ca.vertcat(R_LW @ wrench.n + skew(r) @ f, f)
            total[place.link] = own if known is None else known + own
