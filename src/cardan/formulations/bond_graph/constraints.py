"""Closed loops and further equations as graphs: each owner's rows are one 0-junction, by derivatives of its equations.

Equations that name coordinates or velocities of joints reach the joints' own 1-junctions. Efforts at a 0-junction are
the multipliers λ, with the sign of docs/notation.md where the flow that they work on is Φ̇.

Source: Wang & Tao 2013, eq. 12 and §3 (augmentation); virtual power: Haug 1989, §11.3
"""

import casadi as ca

from cardan.formulations.bond_graph.bodies import BodyFlows, spin_name, velocity_name
from cardan.formulations.bond_graph.draft import Draft, FlowPath
from cardan.formulations.bond_graph.joints import axis_name, constrain
from cardan.frozen import dataclass, replace
from cardan.kinematics.constraints import ConstraintRow, constraint_rows
from cardan.kinematics.motion import Motion, coordinate_rate
from cardan.kinematics.tree import Number, Tree
from cardan.numerics.entries import column
from cardan.spatial.rotations import skew
from cardan.spatial.transforms import pose, position, rotation


@dataclass(frozen=True, eq=False)
class ClosureRows:
    """Rows of one closing joint or constraint: what they make of the flows of bodies and joints."""

    owner: str  # name of the joint or constraint
    indices: list[int]  # its rows among all equations
    bodies: list[Number]  # rows by link (k×6): turn and shift of the link's origin, world axes
    joints: Number  # rows by velocity (k×nv)
    rate: Number  # Φt (k,)
    part: str  # what owns them: a "joint" that closes a loop, a "constraint", or a "motion" that drives keep

    @property
    def velocities(self) -> list[int]:
        """Velocities of joints that the rows name."""
        return [k for k in range(self.joints.shape[1]) if ca.SX(self.joints[:, k]).nnz()]


def equations(tree: Tree, state: Motion, *, motions: bool = False) -> list[ClosureRows]:
    """Equations of closing joints and constraints by owner, in the order of `constraint_rows`; or those of motions."""
    direct = {motion.name for motion in tree.motions if motion.is_direct}

    def wanted(row: ConstraintRow) -> bool:
        return row.owner not in direct and bool(ca.SX(row.expression).nnz()) if motions else True

    every = constraint_rows(tree, state)
    chosen = [i for i, row in enumerate(every) if row.by_drives == motions and wanted(row)]
    if not chosen:
        return []
    rows = [every[i] for i in chosen]
    by_bodies, by_joints, rate = _rates(tree, state, chosen)
    cut = {joint.joint for joint in tree.cuts}
    out = []
    for owner in dict.fromkeys(row.owner for row in rows):
        own = [i for i, row in enumerate(rows) if row.owner == owner]
        blocks = [ca.sparsify(J[own, :]) for J in by_bodies]
        part = "motion" if motions else "joint" if owner in cut else "constraint"
        out.append(ClosureRows(owner, own, blocks, ca.sparsify(by_joints[own, :]), rate[own], part))
    return out


def _rates(tree: Tree, state: Motion, chosen: list[int]) -> tuple[list[Number], Number, Number]:
    """Φ̇ of chosen rows by twists of links at their origins in world axes, by velocities of joints, and by time."""
    e = [ca.SX.sym("e", 6) for _ in tree.links]
    q, v = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
    frames = tuple(
        pose((ca.DM.eye(3) + skew(x[:3])) @ rotation(T), position(T) + x[3:])
        for x, T in zip(e, state.T_WL, strict=True)
    )
    twists = tuple(
        V + ca.vertcat(rotation(T).T @ x[:3], rotation(T).T @ x[3:])
        for x, T, V in zip(e, state.T_WL, state.V_L, strict=True)
    )
    t = ca.SX.sym("t")
    placed = constraint_rows(tree, replace(state, T_WL=frames, q=q, t=t))
    moving = constraint_rows(tree, replace(state, V_L=twists, v=v))
    at, at_v = [placed[i] for i in chosen], [moving[i] for i in chosen]
    Phi = ca.SX(column([ca.DM(1, 1) if row.on_velocity else row.expression for row in at]))
    rate = ca.SX(column([row.expression if row.on_velocity else ca.DM(1, 1) for row in at_v]))
    every, none = ca.vertcat(*e), ca.DM.zeros(6 * len(e))
    symbols, values = ca.vertcat(every, q, t), ca.vertcat(none, state.q, state.t)
    along = ca.jacobian(coordinate_rate(tree, q, v), v)
    at_rest = (ca.vertcat(every, v), ca.vertcat(none, state.v))
    by_bodies = ca.substitute(ca.jacobian(Phi, every), symbols, values)
    by_bodies = by_bodies + ca.substitute(ca.jacobian(rate, every), *at_rest)
    by_joints = ca.substitute(ca.jacobian(Phi, q) @ along, symbols, values)
    by_joints = by_joints + ca.substitute(ca.jacobian(rate, v), *at_rest)
    by_time = ca.substitute(ca.jacobian(Phi, t), symbols, values)
    still = ca.substitute(rate, ca.vertcat(every, v), ca.vertcat(none, state.v))
    flows = ca.vertcat(
        *(ca.vertcat(rotation(T) @ V[:3], rotation(T) @ V[3:]) for T, V in zip(state.T_WL, state.V_L, strict=True))
    )
    velocity_rows = [i for i, row in enumerate(at) if row.on_velocity]
    for i in velocity_rows:
        by_time[i] = still[i] - by_bodies[i, :] @ flows - by_joints[i, :] @ state.v
    return ca.horzsplit(ca.sparsify(by_bodies), 6), ca.sparsify(by_joints), ca.sparsify(by_time)


def add_equation(draft: Draft, tree: Tree, state: Motion, bodies: tuple[BodyFlows, ...], equation: ClosureRows) -> None:
    """Add the rows of a closing joint or constraint; velocities that they name have 1-junctions already."""
    titles = {"joint": f"{equation.owner} (closes a loop)", "motion": f"motion of {equation.owner}"}
    notes = {"joint": "equations of the loop", "motion": "prescribed motion"}
    draft.part(equation.part, equation.owner, titles.get(equation.part, equation.owner))
    reaches: list[FlowPath] = []
    for J, body, T_WL in zip(equation.bodies, bodies, state.T_WL, strict=True):
        turn, shift = J[:, :3], J[:, 3:]
        com_W = body.R @ body.com + rotation(T_WL) @ position(body.T_LB)  # from the link's origin
        if shift.nnz():
            reaches.append((velocity_name(body.name), shift))
        if J.nnz():
            reaches.append((spin_name(body.name), (turn + shift @ skew(com_W)) @ body.R))
    reaches += [(axis_name(tree.velocities[k].name), equation.joints[:, k]) for k in equation.velocities]
    size = len(equation.indices)
    domain = _domain(tree, equation)
    constrain(
        draft,
        f"{equation.owner}.{'motion' if equation.part == 'motion' else 'closure'}",
        domain,
        size,
        [],
        reaches,
        note=notes.get(equation.part, "equation"),
        rate=-equation.rate,
    )


def _domain(tree: Tree, equation: ClosureRows) -> str:
    """Domain of the rows: rotation where only turns stand in them."""
    shifts = any(ca.SX(J[:, 3:]).nnz() for J in equation.bodies)
    along = any(tree.velocities[k].unit == "m/s" for k in equation.velocities)
    return "translation" if shifts or along else "rotation"
