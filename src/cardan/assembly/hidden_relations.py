"""Hidden relations: equations of the state that prescribed motions imply if their drives act on higher derivatives.

The second derivatives of the components are D τ + b with the efforts τ of the drives. Where D has a constant rank r
below the number of components, r of these equations give r efforts, and the others, with these efforts put in, are
relations of the state, σ(q, v, t) = 0, that are differentiated in turn until all drives act: the path of a load on a
rope implies the angle of the rope, since the rope can only pull along itself. All these relations hold along the
motion. With closed loops the responses include the equations of the loops, and ranks are compared in closed positions.

Source: Silverman 1969, IEEE Trans. Automatic Control 14:270 (structure algorithm); Fliess, Lévine, Martin & Rouchon
1995, Int. J. Control 61:1327 (flatness; the crane)
"""

import casadi as ca
import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.functions import AssemblyFunctions
from cardan.errors import AssemblyError, Issue, ModelError
from cardan.frozen import dataclass, replace
from cardan.kinematics.constraints import constraint_terms
from cardan.kinematics.motion import coordinate_rate, normalised
from cardan.kinematics.tree import HiddenRelation, Number, Prescribed, Tree
from cardan.model.initial import entries
from cardan.model.names import carrying
from cardan.model.quantities.parameters import resolve
from cardan.numerics.largest import largest
from cardan.numerics.least_change import least_change
from cardan.numerics.rank import most_independent_rows, null_space
from cardan.numerics.round_off import NEGLIGIBLE
from cardan.system.constrained import NO_CONSTRAINTS, Selection, free_response, has_constraints
from cardan.system.contacts import JointFriction, overcome_by_drives
from cardan.system.contacts.stops import JointStops
from cardan.system.drives import acting_rows, drive_rows, hidden_rows, idle_rows, indirect_motions
from cardan.system.efforts import actuator_efforts
from cardan.system.state import State, symbolic_state
from cardan.system.system import System

ORDERS = 4  # largest number of differentiations of a component
SAMPLES = 6  # number of random states at which ranks are compared, the first one near the neutral position


def differentiated(system: System) -> System:
    """The system with the hidden relations of its motions in the tree; the same one if it has none."""
    owners = [motion for motion in indirect_motions(system.tree) for _ in range(motion.target.size)]
    if not owners or sum(len(motion.drives) for motion in indirect_motions(system.tree)) > len(owners):
        return system
    whole, system = system, _without_overcome_efforts(system)
    places = _places(system)
    if places is None:  # no position closes the loops: the start of a run explains it
        return whole
    state, orders = symbolic_state(system), [2] * len(owners)
    found = _level(system, state, places)
    while found is not None and found.rank < len(owners):
        if rough := [*system.frictions, *system.stops]:
            fault = f"the drives act only on higher derivatives of {owners[found.others[0]].name!r}, which this changes"
            key = "friction" if rough[0] in system.frictions else "limits"
            raise ModelError(Issue(fault, "leave it out, or prescribe coordinates", ("joints", rough[0].name, key)))
        relations = []
        for row, expression in zip(found.others, found.relations, strict=True):
            relations.append(_relation(system.tree, found, owners[row], row, expression))
            orders[row] += 1 if relations[-1].on_velocity else 2
            if orders[row] > ORDERS:
                raise _too_deep(system.tree, owners[row])
        if any(owners[row].is_fed_back for row in found.others):
            fault = "feedback cannot bring back what the drives do not act on before the third derivative"
            raise ModelError(Issue(fault, "leave feedback: out", (*owners[found.others[0]].path, "feedback")))
        system = replace(system, tree=replace(system.tree, hidden=(*system.tree.hidden, *relations)))
        found = _level(system, state, places)
    return replace(whole, tree=system.tree)


def _without_overcome_efforts(system: System) -> System:
    """The system without friction and end stops in the joints of drives that add what these take: they move nothing."""
    driven = overcome_by_drives(system.tree)
    rough: list[JointFriction | JointStops] = [*system.frictions, *system.stops]
    overcome_there = {block.name for block in rough if block.velocity in driven}
    kept = (block for block in system.blocks if block not in rough or block.name not in overcome_there)
    return replace(system, blocks=tuple(kept))


@dataclass(frozen=True)
class _Places:
    """States at which ranks are compared, and the equations of loops and constraints that are independent there."""

    loops: Selection
    samples: list[list[np.ndarray]]  # (t, q, v, z, u, p) of each sample


@dataclass(frozen=True)
class _Level:
    """The equations of the components at one stage of differentiation."""

    state: State
    p: Number
    rank: int
    others: tuple[int, ...]  # components whose equations determine no effort
    relations: list[Number]  # σ of these components
    parts: list[Number]  # the terms whose differences they are, for the size of round-off
    known: tuple[Number, Number]  # Φq and Φt of all equations, including the hidden relations found before
    samples: list[list[np.ndarray]]  # (t, q, v, z, u, p) of each sample


def _level(system: System, state: State, places: _Places) -> _Level | None:
    """The present stage; None if responses are not finite, which the start of a run refuses."""
    tree, samples = system.tree, places.samples
    terms = constraint_terms(tree, state.motion)
    count = terms.Phi.shape[0]
    rows = acting_rows(tree, count)
    J = terms.Phi_q[rows, :]
    a0, units = free_response(tree, state.motion, actuator_efforts(system, state), terms, places.loops)
    parts = [ca.densify(ca.SX(part)) for part in (terms.gamma[rows], J @ a0)]
    D, lack = ca.densify(J @ units), parts[0] - parts[1]
    drives = [row for row in drive_rows(tree, count) if row not in idle_rows(tree, count)]
    equations = [*places.loops.kept, *hidden_rows(tree, count), *drives]
    known = terms.Phi_q[equations, :], terms.Phi_t[equations]
    arguments = [state.t, state.q, state.v, state.z, state.u, tree.p]
    sizes = ca.densify(ca.fabs(J) @ ca.fabs(units))  # of the terms of D: entries of D far below them are round-off
    responses = ca.Function("responses", arguments, [D, sizes])
    values = np.array([[np.array(x) for x in responses(*sample)] for sample in samples])
    if not np.isfinite(values).all():
        return None
    scale = np.max(values[:, 1], axis=(0, 2), initial=0.0)
    scaled = list(values[:, 0] / np.where(scale > 0, scale, 1.0)[:, None])
    rank = max(int(np.sum(np.linalg.svd(value, compute_uv=False) > NEGLIGIBLE)) for value in scaled)
    solved = most_independent_rows(scaled[:1], rank, 1.0)
    columns = most_independent_rows([scaled[0][list(solved)].T], rank, 1.0)
    others = tuple(k for k in range(len(rows)) if k not in solved)
    if not others:
        return _Level(state, tree.p, rank, (), [], parts, known, samples)
    inner = D[list(solved), list(columns)]
    efforts = ca.solve(inner, lack[list(solved)]) if rank else ca.DM(0, 1)
    solved_part = D[list(others), list(columns)] @ efforts if rank else ca.DM(len(others), 1)
    sigmas = ca.vertsplit(ca.SX(lack[list(others)] - solved_part))
    return _Level(state, tree.p, rank, others, sigmas, parts, known, samples)


def _relation(tree: Tree, level: _Level, owner: Prescribed, row: int, sigma: Number) -> HiddenRelation:
    """The hidden relation σ = 0 that replaces the equation of a component of a motion.

    Allowed velocities are v₀ + N w, with J v₀ = −Φt and J N = 0 for all relations known so far. If σ does not depend on
    w, it is the relation σ(q, v₀, t) of positions; else it has to be linear in w.
    """
    s = level.state
    J, Phi_t = ca.substitute([ca.SX(x) for x in level.known], [s.v], [ca.SX.zeros(*s.v.shape)])  # linear in velocities
    v0 = ca.densify(least_change(J, ca.SX.ones(tree.nv), -Phi_t)[0])
    slopes_v, slopes_z, slopes_u = (ca.jacobian(sigma, x) for x in (s.v, s.z, s.u))
    law, slope = ca.substitute([sigma, slopes_v], [s.z, s.u], [ca.SX.zeros(*x.shape) for x in (s.z, s.u)])
    law, slope = ca.substitute([law, slope], [s.v], [v0])
    terms_v, terms_q = (sum(ca.norm_1(ca.jacobian(part, x)) for part in level.parts) for x in (s.v, s.q))
    arguments = [s.t, s.q, s.v, s.z, s.u, level.p]
    slopes_q = ca.jacobian(law, s.q) @ ca.jacobian(coordinate_rate(tree, s.q, s.v), s.v)
    results = [slopes_v, slopes_z, slopes_u, slopes_q, terms_v, terms_q, J, v0]
    function = ca.Function("slopes", arguments, [ca.densify(ca.SX(x)) for x in results])

    def at(sample: list[np.ndarray], turn: float) -> list[np.ndarray]:
        """The results without inputs at allowed velocities; those of another sample for another `turn`."""
        t, q, v, z, u, p = sample
        *_, J, v0 = (np.array(x) for x in function(*sample))
        N = null_space(J)
        found = [np.array(x) for x in function(t, q, v0.ravel() + turn * (N @ (N.T @ v)), z, 0 * u, p)]
        return [found[0] @ N, found[1], found[2], found[3] @ N, *found[4:]]

    values, others = ([at(sample, turn) for sample in level.samples] for turn in (1.0, -2.0))
    driven = [np.array(function(*sample)[2]) for sample in level.samples]

    by_v, by_z, by_q, size_v, size_q = (max(largest(found[k]) for found in values) for k in (0, 1, 3, 4, 5))
    if by_z > 0:
        fault = (
            f"the drives act only on higher derivatives of {owner.name!r}, which states of motors or your own change"
        )
        raise ModelError(Issue(fault, 'prescribe coordinates, or choose motors="simplified"', owner.path))
    noise = NEGLIGIBLE * size_v
    on_velocity = by_v > noise
    if on_velocity:
        if any(np.max(np.abs(a[0] - b[0])) > noise for a, b in zip(values, others, strict=True)):
            fault = f"what {owner.name!r} implies is not linear in the velocities, so that no start meets it"
            raise ModelError(Issue(fault, "prescribe coordinates in its place, or by other joints", owner.path))
        law = law + slope @ (s.v - v0)
    elif by_q <= NEGLIGIBLE * size_q:  # a relation of time alone
        raise _too_deep(tree, owner)
    inputs = tuple(int(k) for k in np.flatnonzero(np.max(np.abs(driven), axis=(0, 1))))
    return HiddenRelation(owner.name, row, ca.Function("hidden", [s.q, s.v, s.t, level.p], [law]), on_velocity, inputs)


def _places(system: System) -> _Places | None:
    """Random states, the same ones each time, in which loops are closed; None if no position closes them.

    The first one, at which equations are chosen, lies near the initial position.
    """
    tree, rng = system.tree, np.random.default_rng(0)
    values = {name: float(value) for name, value in resolve(system.model.parameters).items()}
    p, near = np.array(list(values.values())), np.array(tree.neutral)
    for name, (number, _) in entries(system.model.initial, carrying(system.model)).items():
        if system.places.get(name, tree.nq) < tree.nq:
            near[system.places[name]] = number.evaluate(values.__getitem__)
    guesses = [near + (1.0 if k else 0.1) * rng.standard_normal(tree.nq) for k in range(SAMPLES)]
    positions = [np.array(normalised(tree, ca.DM(q))).ravel() for q in guesses]
    independent, follows_time = NO_CONSTRAINTS, False
    loops = replace(tree, motions=())
    if has_constraints(loops):
        functions = AssemblyFunctions(loops)
        assembler, follows_time = Assembler(functions, p), functions.follows_time
        try:
            positions = assembler.neighbours(assembler.position(positions[0]))
            independent = assembler.selection(positions[0])
        except (AssemblyError, ModelError):
            return None
    out: list[list[np.ndarray]] = []
    for q in positions:
        v, z, u = (rng.standard_normal(n) for n in (tree.nv, system.nz, len(system.input_names)))
        t = 0.0 if follows_time else rng.uniform()  # positions are closed at time 0
        out.append([np.array(t), q, v, z, u, p])
    return _Places(independent, out)


def _too_deep(tree: Tree, owner: Prescribed) -> ModelError:
    names = ", ".join(tree.velocities[k].name for k in owner.drives)
    fault = f"the effort of {names} does not act on {owner.name!r} up to its fourth derivative"
    return ModelError(Issue(fault, "name joints in by: that move it", owner.path))
