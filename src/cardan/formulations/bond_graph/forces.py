"""Force laws as graphs: springs are C's and dampers R's on one relative velocity, all other forces modulated sources.

A new kind of force needs nothing here: by default its wrench is a pair of sources between the markers. A kind that
stores or dissipates along one line gets an entry of `PORTS`.
"""

from collections.abc import Callable

import casadi as ca

from cardan.bond_graphs import GraphElement
from cardan.formulations.bond_graph.bodies import BodyFlows
from cardan.formulations.bond_graph.draft import Draft, FlowPath
from cardan.formulations.bond_graph.joints import moment_reach, point_reach
from cardan.frozen import dataclass
from cardan.kinematics.loads import PointForce, load_ends
from cardan.kinematics.motion import Motion, marker_motion
from cardan.kinematics.tree import GROUND, LoadPlacement, Number, Place, Tree
from cardan.model.forces import Load, MarkerMotion
from cardan.model.forces.spring_damper import SpringDamper
from cardan.model.forces.torsion_spring import TorsionSpring
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import rotation


@dataclass(frozen=True)
class ForcePort:
    """A velocity that a force law resists: rows of the relative motion of its markers, world axes."""

    domain: str  # key of `DOMAINS`
    turn: Number  # rows (k×3) of ω_child − ω_parent
    shift: Number  # rows (k×3) of v_child − v_parent − ω_parent × d, or without the last where `carried` is false
    stiffness: Number  # zero for no spring
    displacement: Number  # of the spring (k,)
    damping: Number  # zero for no damper
    carried: bool = True  # whether the force acts on the parent at the place of the child's marker


def add_force(draft: Draft, tree: Tree, state: Motion, bodies: tuple[BodyFlows, ...], load: LoadPlacement) -> None:
    """Add a force law."""
    record, a, b = load_ends(tree, state, load)
    draft.part("force", load.name, f"{load.name} ({record.type})")
    kind = PORTS.get(type(record))
    if kind is None:
        _sources(draft, bodies, load, record, a, b)
        return
    port = kind(record, a, b)
    k, lever = port.displacement.shape[0], b.p - a.p
    parents, children = _reaches(bodies, load, port.turn, port.shift, lever if port.carried else ca.DM(3, 1))
    between = draft.relative(f"{load.name}.difference", port.domain, k, parents, children, "relative velocity")
    rate = draft.junction("1", f"{load.name}.rate", port.domain, k, "velocity of the force element")
    draft.bond(rate, between, between)
    E = ca.DM.eye(k)
    if not ca.SX(port.stiffness).is_zero():
        spring = GraphElement(
            f"{load.name}.spring", "C", ca.SX(port.stiffness * E), value=port.displacement, of=draft.of, note="spring"
        )
        draft.port(spring, rate)
    if not ca.SX(port.damping).is_zero():
        draft.port(GraphElement(f"{load.name}.damper", "R", ca.SX(port.damping * E), of=draft.of, note="damper"), rate)


def add_point_force(draft: Draft, state: Motion, bodies: tuple[BodyFlows, ...], force: PointForce) -> None:
    """Add a force that something outside of the mechanism exerts between two markers."""
    draft.part("force", force.name, f"{force.name} (port)")
    a, b = marker_motion(state, force.parent), marker_motion(state, force.child)
    E, zero = ca.DM.eye(3), ca.DM(3, 3)
    for word, domain, turn, shift, vector in (
        ("force", "translation", zero, E, ca.SX(force.f)),
        ("moment", "rotation", E, zero, ca.SX(force.n)),
    ):
        if vector.nnz():
            parents, children = _reaches(bodies, force, turn, shift, b.p - a.p)
            between = draft.relative(f"{force.name}.{word}", domain, 3, parents, children, "relative velocity")
            draft.source(f"{force.name}.{word}_source", between, vector, force.note)


def _sources(
    draft: Draft, bodies: tuple[BodyFlows, ...], load: LoadPlacement, record: Load, a: MarkerMotion, b: MarkerMotion
) -> None:
    """The wrench on the child at its marker, reversed on the parent at the same point."""
    lever, E, zero = b.p - a.p, ca.DM.eye(3), ca.DM(3, 3)
    conservative, other = record.conservative(a, b), record.other(a, b)
    for word, domain, turn, shift, values in (
        ("force", "translation", zero, E, (conservative.f, other.f)),
        ("moment", "rotation", E, zero, (conservative.n, other.n)),
    ):
        known = [(note, x) for note, x in zip(("conservative", record.type), values, strict=True) if ca.SX(x).nnz()]
        if known:
            parents, children = _reaches(bodies, load, turn, shift, lever)
            between = draft.relative(f"{load.name}.{word}", domain, 3, parents, children, "relative velocity")
        for k, (note, value) in enumerate(known):
            draft.source(f"{load.name}.{word}_source{k or ''}", between, ca.SX(value), note)


def _reaches(
    bodies: tuple[BodyFlows, ...], load: LoadPlacement | PointForce, turn: Number, shift: Number, lever: Number
) -> tuple[list[FlowPath], list[FlowPath]]:
    """How flows of both bodies make the rows; `lever` leads from the parent's marker to where the force acts on it."""
    parents = _ends(bodies, load.parent, turn - shift @ skew(lever), shift)
    return parents, _ends(bodies, load.child, turn, shift)


def _ends(bodies: tuple[BodyFlows, ...], place: Place, turn: Number, shift: Number) -> list[FlowPath]:
    """Rows of a marker's angular velocity and velocity, world axes."""
    if place.link == GROUND:
        return []
    out: dict[str, Number] = {}
    if ca.SX(shift).nnz():
        out |= point_reach(bodies, place, shift)
    if ca.SX(turn).nnz():
        body = bodies[place.link]
        R_WM = body.R @ rotation(body.T_LB).T @ rotation(place.T_LM)
        for node, M in moment_reach(bodies, place, turn @ R_WM):
            out[node] = out[node] + M if node in out else M
    return list(out.items())


def _spring_damper(record: SpringDamper, a: MarkerMotion, b: MarkerMotion) -> ForcePort:
    d, none = b.p - a.p, ca.DM(1, 3)
    k, c = record.stiffness, record.damping
    if record.axis is not None:
        n, length, _ = record._on_axis(a, b)
        return ForcePort("translation", none, n.T, k, length - record.rest_length, c)
    if not record.needs_line:
        return ForcePort("translation", ca.DM(3, 3), ca.DM.eye(3), k, d, c, carried=False)
    length = ca.norm_2(d)
    return ForcePort("translation", none, (d / length).T, k, length - record.rest_length, c)


def _torsion_spring(record: TorsionSpring, a: MarkerMotion, b: MarkerMotion) -> ForcePort:
    theta, gradient = record._twist(a, b)
    return ForcePort(
        "rotation", gradient.T, ca.DM(1, 3), record.stiffness, record._deflection(theta), record.damping, carried=False
    )


PORTS: dict[type[Load], Callable[..., ForcePort]] = {SpringDamper: _spring_damper, TorsionSpring: _torsion_spring}
"""Ports of force laws that store or dissipate along one line, by kind; all others are sources."""
