"""Accelerations under constraints in time that grows with the number of bodies: articulated clusters of links.

Links whose coordinates share an equation, with the links between them, are a cluster: it stands on one link, its base,
and its equations contain no other motion. Seen from the base, a cluster is an inertia and a bias force, as a link with
its joint is in the articulated-body algorithm, which is the case of one link and no equation.

Source: Jain 2009, local constraint embedding; Featherstone 2008, §7.3 (articulated bodies), §8.5 (loops)
"""

from collections.abc import Sequence

import casadi as ca

from cardan.formulations import composite_body, saddle
from cardan.formulations.articulated_body import inertia_to_parent, symmetric
from cardan.formulations.saddle import Saddle
from cardan.frozen import dataclass
from cardan.kinematics.motion import JointMotion, Motion
from cardan.kinematics.tree import GROUND, Number, Tree
from cardan.numerics import entries, sparse_ldl
from cardan.numerics.round_off import TINY
from cardan.spatial import inertia
from cardan.spatial.motion import force_to_parent, motion_to_child


@dataclass(frozen=True)
class Cluster:
    """Links that stand on one base, from the base to the tips, and what they share."""

    base: int  # link, or GROUND
    links: tuple[int, ...]
    v: tuple[int, ...]  # their velocities
    rows: tuple[int, ...]  # indices of the equations between them


@dataclass(frozen=True)
class _Part:
    """What a cluster is made of."""

    system: Saddle  # factors of its own coordinates and equations, on a base at rest
    rows: tuple[int, ...]  # indices of these equations among all
    H: Number  # inertia (n×n) of its own coordinates
    U: Number  # wrench on the base per acceleration of its coordinates (6×n), axes of the base
    slides: Number  # 1 for each of its velocities, 0 for those that are locked
    response: tuple[Number, Number]  # accelerations (n×6) and multipliers per acceleration of the base, less a sign


@dataclass(frozen=True)
class Articulated:
    """Factors of the equations of all clusters, for several right-hand sides: used as `Saddle` is."""

    tree: Tree
    joints: tuple[JointMotion, ...]
    clusters: tuple[Cluster, ...]  # outer ones before those that carry them
    parts: tuple[_Part, ...]  # of each cluster
    c: int  # equations, redundant ones included

    @property
    def n(self) -> int:
        """Number of velocities."""
        return self.tree.nv

    def solve(self, f: Number, gamma: Number, *, refined: bool = False) -> tuple[Number, Number]:
        """(v̇, λ): M v̇ = f + Φqᵀ λ and Φq v̇ = γ; λ (c,) is zero where a row was left out."""
        return _solve(self, f, gamma)[:2]

    def solve_locked(self, f: Number) -> tuple[Number, Number]:
        """(v̇, φ) without equations: M v̇ = f + φ, where v̇ or φ is zero as velocities are locked or slide."""
        v, _, phi = _solve(self, f, ca.DM(0, f.shape[1]))
        return v, phi

    @property
    def pivots(self) -> dict[int, Number]:
        """Pivot of each equation that is solved, by its index."""
        return {part.rows[i]: pivot for part in self.parts for i, pivot in part.system.pivots.items()}

    @property
    def sizes(self) -> dict[int, Number]:
        """Squared length of each of their rows in the metric in which it is solved, by its index."""
        return {part.rows[i]: size for part in self.parts for i, size in part.system.sizes.items()}

    @property
    def inertias(self) -> dict[int, Number]:
        """Pivot of each velocity."""
        return {
            k: part.system.factors.D[i]
            for cluster, part in zip(self.clusters, self.parts, strict=True)
            for i, k in enumerate(cluster.v)
        }


def partition(tree: Tree, rows: Sequence[set[int]]) -> tuple[Cluster, ...]:
    """The clusters for equations that touch these coordinates, outer ones before those that carry them."""
    link_of = {k: i for i, link in enumerate(tree.links) for k in link.v}
    root = list(range(len(tree.links)))

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    def joined(links: set[int]) -> None:
        first = find(min(links))
        for i in links:
            root[find(i)] = first

    for row in rows:
        joined({link_of[k] for k in row})
    for rotor in tree.rotors:
        if rotor.carrier not in (None, GROUND):
            driven, *inwards = tree.path(link_of[rotor.v])
            between = inwards[: inwards.index(rotor.carrier)] if rotor.carrier in inwards else [rotor.carrier]
            joined({driven, *between})
    while True:
        groups: dict[int, set[int]] = {}
        for i in range(len(tree.links)):
            groups.setdefault(find(i), set()).add(i)
        whole = {first: _with_between(tree, links) for first, links in groups.items() if len(links) > 1}
        grown = [links for first, links in whole.items() if any(find(i) != first for i in links)]
        if not grown:
            break
        for links in grown:
            joined(links)
    order = sorted(groups.values(), key=min, reverse=True)
    out = []
    for links in order:
        own = tuple(sorted(links))
        v = tuple(k for i in own for k in tree.links[i].v)
        mine = tuple(r for r, row in enumerate(rows) if row and row <= set(v))
        out.append(Cluster(tree.links[own[0]].parent, own, v, mine))
    return tuple(out)


def _with_between(tree: Tree, links: set[int]) -> set[int]:
    """These links with all those between them, so that they stand on one base."""
    chains = [(*reversed(tree.path(tree.links[i].parent)), i) for i in links]
    shared = 0
    while all(len(chain) - 1 > shared for chain in chains) and len({chain[shared] for chain in chains}) == 1:
        shared += 1
    return {i for chain in chains for i in chain[shared:]}


def equations(
    tree: Tree,
    state: Motion,
    Phi_q: Number,
    kept: Sequence[int],
    *,
    damped: Sequence[float] = (),
    weight: float = 0.0,
) -> Saddle | Articulated:
    """Factors for the rows `kept` of Φq (c×n), of full rank: by clusters or of the mass matrix of all links, whichever
    is the shorter program. `damped` are sizes of pivots as in `saddle`, `weight` is the α of M + α ΦqᵀΦq.
    """
    touched = saddle.columns(Phi_q)
    found = () if are_shared(tree) else partition(tree, [touched[row] for row in kept])
    candidates: list[Saddle | Articulated] = []
    if len(found) > 1:
        candidates.append(articulated(tree, state, found, Phi_q, kept, damped=damped, weight=weight))
    if not candidates or composite_body.least_length(tree) < _length(candidates[0]):
        M = saddle.weighted(composite_body.mass_matrix(tree, state), Phi_q[list(kept), :], weight)
        candidates.append(saddle.saddle(M, Phi_q, kept, damped))
    return min(candidates, key=_length) if len(candidates) > 1 else candidates[0]


def inertia_pivots(tree: Tree, state: Motion) -> list[Number]:
    """Pivots of M over its diagonal, by velocity: zero where nothing that a coordinate moves has inertia."""
    if are_shared(tree):
        M = composite_body.mass_matrix(tree, state)
        pivots, whole = sparse_ldl.factor(M, composite_body.elimination_order(tree)).D, ca.diag(M)
    else:
        pivots = articulated(tree, state, partition(tree, ()), ca.SX(0, tree.nv), ()).inertias
        whole = composite_body.mass_diagonal(tree, state)
    return [pivots[k] / ca.fmax(whole[k], TINY) for k in range(tree.nv)]


def are_shared(tree: Tree) -> bool:
    """Whether links share coordinates, as the nodes of a body of type modal do."""
    return any(link.shares for link in tree.links)


def _length(system: Saddle | Articulated) -> int:
    """Number of operations of a solution."""
    f, gamma = ca.SX.sym("f", system.n), ca.SX.sym("gamma", system.c)
    results = [ca.SX(x) for x in system.solve(f, gamma)]
    return int(ca.Function("length", ca.symvar(ca.veccat(*results)), results).n_instructions())


def articulated(
    tree: Tree,
    state: Motion,
    clusters: Sequence[Cluster],
    Phi_q: Number,
    kept: Sequence[int],
    *,
    damped: Sequence[float] = (),
    weight: float = 0.0,
    slides: Number | None = None,
) -> Articulated:
    """Factors for the rows `kept` of Φq (c×n), of full rank, in these clusters of their coordinates.

    `slides` (n,) is 0 for velocities that are locked, where there are such and no equations. A locked joint hands the
    whole inertia behind it to its base (Featherstone 2008, §9.4).
    """
    I = [inertia.matrix(link.inertia) for link in tree.links]
    small = dict(zip(kept, damped, strict=True)) if damped else {}
    parts = []
    for cluster in clusters:
        H, U, carried = _own(tree, state, cluster, I)
        rows = [kept[r] for r in cluster.rows]
        J = Phi_q[rows, list(cluster.v)] if rows else ca.DM(0, len(cluster.v))
        D = ca.DM.ones(len(cluster.v)) if slides is None else slides[list(cluster.v)]
        held = H if slides is None else ca.diag(D) @ H @ ca.diag(D) + ca.diag(1 - D)
        system = saddle.saddle(
            saddle.weighted(held, J, weight), J, range(len(rows)), [small[r] for r in rows] if small else ()
        )
        response = system.solve(_rows(D, U.T), ca.DM(len(rows), 6))
        if cluster.base != GROUND:
            I[cluster.base] = I[cluster.base] + symmetric(carried - U @ response[0])
        parts.append(_Part(system, tuple(rows), H, U, D, response))
    return Articulated(tree, state.joints, tuple(clusters), tuple(parts), Phi_q.shape[0])


def _own(tree: Tree, state: Motion, cluster: Cluster, I: Sequence[Number]) -> tuple[Number, Number, Number]:
    """(H, U, I): inertia (n×n) of the cluster's own coordinates, the wrench U (6×n) on its base per acceleration of
    these, and its inertia (6×6) where they are held; axes of the base. `I` are articulated inertias of the links.
    """
    composite, at = {i: I[i] for i in cluster.links}, {k: n for n, k in enumerate(cluster.v)}
    H: dict[tuple[int, int], Number] = {}
    U: list[Number] = [ca.DM(6, 1)] * len(at)
    carried: Number = ca.DM(6, 6)

    def add(j: int, k: int, value: Number) -> None:
        H[j, k] = H[k, j] = H.get((j, k), 0) + value

    def carry(k: int, i: int, F: Number) -> dict[int, Number]:
        """Efforts of a wrench F on a link, by coordinate; what it does to the base is added to column k of U."""
        efforts: dict[int, Number] = {}
        while i in composite:
            joint = state.joints[i]
            efforts |= zip((at[j] for j in tree.links[i].v), ca.vertsplit(joint.S.T @ F), strict=True)
            F, i = force_to_parent(joint.R, joint.p, F), tree.links[i].parent
        U[k] = U[k] + F
        return efforts

    for i in reversed(cluster.links):
        link, joint = tree.links[i], state.joints[i]
        F = composite[i] @ joint.S
        for column, k in enumerate(link.v):
            for j, effort in carry(at[k], i, F[:, column]).items():
                if j <= at[k]:
                    add(j, at[k], effort + float(j == at[k] and k in tree.still))
        inwards = inertia_to_parent(joint.R, joint.p, composite[i])
        if link.parent in composite:
            composite[link.parent] = composite[link.parent] + inwards
        else:
            carried = carried + inwards
    for rotor in tree.rotors:
        if rotor.v in at:
            k, spin = at[rotor.v], rotor.ratio * rotor.inertia
            add(k, k, rotor.ratio * spin)
            if rotor.carrier not in (None, GROUND):
                for j, effort in carry(k, rotor.carrier, ca.vertcat(spin * rotor.axis, ca.DM(3, 1))).items():
                    add(j, k, effort * (1 + (j == k)))
    return entries.matrix(H, len(at), len(at)), ca.horzcat(ca.DM(6, 0), *U), carried


def _rows(D: Number, x: Number) -> Number:
    """The rows of x times the entries of D, which are numbers 1 where no velocity is locked."""
    return x if isinstance(D, ca.DM) else ca.diag(D) @ x


def _solve(given: Articulated, f: Number, gamma: Number) -> tuple[Number, Number, Number]:
    """Inwards what each cluster does on a base at rest, outwards what its base adds; and what holds its velocities."""
    tree, columns = given.tree, f.shape[1]
    wrenches: list[Number] = [ca.DM(6, columns)] * len(tree.links)  # that accelerate what stands outwards
    at_rest = []
    for cluster, part in zip(given.clusters, given.parts, strict=True):
        efforts = {k: f[k, :] for k in cluster.v}
        on_base: Number = ca.DM(6, columns)
        for i in reversed(cluster.links):
            link, joint = tree.links[i], given.joints[i]
            own = joint.S.T @ wrenches[i]
            efforts |= {k: efforts[k] - own[row, :] for row, k in enumerate(link.v)}
            inwards = force_to_parent(joint.R, joint.p, wrenches[i])
            if link.parent in cluster.links:
                wrenches[link.parent] = wrenches[link.parent] + inwards
            else:
                on_base = on_base + inwards
        u = ca.vertcat(ca.DM(0, columns), *(efforts[k] for k in cluster.v))
        x, lam = part.system.solve(_rows(part.slides, u), gamma[list(part.rows), :] if part.rows else ca.DM(0, columns))
        at_rest.append((u, x, lam))
        if cluster.base != GROUND:
            wrenches[cluster.base] = wrenches[cluster.base] + on_base + part.U @ x
    (v, phi), multipliers = ([ca.DM(1, columns)] * tree.nv for _ in range(2)), [ca.DM(1, columns)] * given.c
    a: dict[int, Number] = {}
    for cluster, part, (u, x, lam) in reversed(list(zip(given.clusters, given.parts, at_rest, strict=True))):
        if cluster.base != GROUND:
            x, lam = x - part.response[0] @ a[cluster.base], lam - part.response[1] @ a[cluster.base]
            u = u - part.U.T @ a[cluster.base]
        if not isinstance(part.slides, ca.DM):
            for k, value in zip(cluster.v, ca.vertsplit(_rows(1 - part.slides, part.H @ x - u)), strict=True):
                phi[k] = value
        own = dict(zip(cluster.v, ca.vertsplit(x), strict=True)) if cluster.v else {}
        for k, value in own.items():
            v[k] = value
        for row, value in zip(part.rows, ca.vertsplit(lam) if part.rows else (), strict=True):
            multipliers[row] = value
        for i in cluster.links:
            link, joint = tree.links[i], given.joints[i]
            inner: Number = a[link.parent] if link.parent != GROUND else ca.DM(6, columns)
            a[i] = motion_to_child(joint.R, joint.p, inner)
            if link.v:
                a[i] = a[i] + joint.S @ ca.vertcat(*(own[k] for k in link.v))
    return tuple(ca.vertcat(ca.DM(0, columns), *each) for each in (v, multipliers, phi))
