"""Errors for a mechanism that cannot be assembled: the loop, its gap, the nearest position and what to change."""

from collections.abc import Mapping, Sequence
from math import ceil, log10

import numpy as np

from cardan.assembly.hinge_axes import out_of_line
from cardan.errors import AssemblyError, few
from cardan.kinematics.tree import GROUND, Rounded, Tree
from cardan.model.sections import AssembleOptions

USUAL = AssembleOptions().tolerance.value  # a smaller gap is not too wide for it, but is no rounding

SHARED = 0.3  # share of the largest gap above which another equation is named as contradicting it [-]
NAMED = 1e-6  # share of the largest residual rate above which an equation is named [-]; the others are round-off


def does_not_close(
    tree: Tree, labels: Sequence[tuple[str, str]], Phi: np.ndarray, q: np.ndarray, p: np.ndarray
) -> AssemblyError:
    """The error for equations that cannot hold together."""
    if not np.isfinite(Phi).all():
        return _undefined(tree, labels[int(np.flatnonzero(~np.isfinite(Phi))[0])][0], q)
    worst = int(np.argmax(np.abs(Phi)))
    owner, component = labels[worst]
    large = np.abs(Phi) > SHARED * abs(Phi[worst])
    others = sorted({name for (name, _), is_large in zip(labels, large, strict=True) if is_large} - {owner})
    values = _values(tree, q)
    gap, fault = _gap(tree, labels, Phi, worst)
    odd = out_of_line(tree, owner, p)
    cure = f"{odd}: check it" if odd else _cure(tree, owner, component, others)
    text = f"{fault}{_against(others)}; nearest: {_listed(values)}\n    {cure}"
    return AssemblyError(text, owner=owner, gap=gap, values=values)


def _undefined(tree: Tree, owner: str, q: np.ndarray) -> AssemblyError:
    """The error for an equation of `owner` that has no value at the guess q."""
    values = _values(tree, q)
    text = (
        f"{owner!r} has no value at the guess {_listed(values)}\n"
        "    give guesses at which its roots, logarithms and quotients exist, name: {guess: value}"
    )
    return AssemblyError(text, owner=owner, values=values)


def over_determined(tree: Tree, guess: np.ndarray, q: np.ndarray, group: str, held: Sequence[str]) -> AssemblyError:
    """The error for too many held coordinates: `group` has to be released, or several of them if it is empty."""
    values = _values(tree, q)
    if not group:
        moved = ", ".join(repr(motion.name) for motion in tree.motions)
        beside, left = (f" beside the motions {moved}", " that is left free") if moved else ("", "")
        text = (
            f"the held coordinates {', '.join(held)} over-determine the mechanism{beside}\n"
            f"    make guesses of them, name: {{guess: value}}, until one is held per degree of freedom{left}"
        )
        return AssemblyError(text, values=values)
    given = _values(tree, guess)
    changes = ", ".join(
        f"{name} = {given[name]:.6g} cannot be kept (a position that closes has {values[name]:.6g})"
        for name in values
        if name == group or name.startswith(f"{group}.q")
    )
    rest = ", ".join(name for name in dict.fromkeys(held) if name != group and not name.startswith(f"{group}.w"))
    fixed = f" while {rest} {'is' if ',' not in rest else 'are'} held" if rest else ""
    text = (
        f"the held coordinate {group!r} over-determines the mechanism: {changes}{fixed}\n"
        f"    make a guess of it, {group}: {{guess: …}}, or of another held coordinate"
    )
    return AssemblyError(text, owner=group, values=values, path=("initial", group))


def cannot_move(tree: Tree, equations: int) -> str:
    """What locks a mechanism that its constraints allow no motion, in words."""
    owners = [*(cut.joint for cut in tree.cuts), *tree.constraints, *(motion.name for motion in tree.motions)]
    surplus = equations - tree.nv
    more = (
        f" ({equations} equations, {surplus} more than velocities: some are redundant as well)" if surplus > 0 else ""
    )
    reason = f"its {tree.nv} velocities are fixed by {', '.join(owners)}{more}"
    return f"the mechanism cannot move: {reason if tree.nv else 'all joints that carry its bodies are fixed'}"


def open_by_rounding(fault: str, nearly: Sequence[Rounded], values: Mapping[str, float] | None = None) -> AssemblyError:
    """The error for a mechanism that rounded numbers may lock or keep from closing."""
    share = max(one.gap / one.size for one in nearly)
    wider = "" if share <= USUAL else f"set assemble: {{tolerance: {10.0 ** ceil(log10(share)):.0e}}}, or "
    text = (
        f"{fault}; without {listed_gaps(nearly)} it could, and these gaps would stay so small\n"
        f"    if rounded numbers make the gap, {wider}write them in full, such as sqrt(2)/2 or 45 deg; "
        "or remove redundant equations: spherical for revolute"
    )
    return AssemblyError(text, owner=nearly[0].owner, gap=nearly[0].gap, values=values)


def listed_gaps(rounded: Sequence[Rounded]) -> str:
    """Equations and the largest gap of each: 'C' (force along z: 1e-07 m)."""
    return ", ".join(f"{one.owner!r} ({one.component}: {one.gap:.2g} {one.unit})" for one in rounded)


def half_a_turn_off(joint: str) -> AssemblyError:
    """The error for a loop that closes with its joint the wrong way round."""
    text = (
        f"from this guess the loop closes with {joint!r} half a turn off: its child the wrong way round\n"
        "    give guesses from which the joint is less than a quarter of a turn off, name: {guess: value}"
    )
    return AssemblyError(text, owner=joint)


def contradictory_rates(labels: Sequence[tuple[str, str]], rate: np.ndarray) -> AssemblyError:
    """The error for equations that a position satisfies together but no velocities."""
    large = np.abs(rate) > NAMED * np.max(np.abs(rate))
    owners = list(dict.fromkeys(name for (name, _), is_large in zip(labels, large, strict=True) if is_large))
    if len(owners) == 1:
        fault = f"no velocities satisfy {owners[0]!r} at t = 0: its derivatives vanish in this position"
        cure = "start from another position, or let it follow time more gently at first"
    else:
        fault = f"no velocities satisfy {', '.join(map(repr, owners))} together at t = 0"
        cure = "let them follow time alike, or leave one of them out"
    text = f"{fault}\n    {cure}"
    return AssemblyError(text, owner=owners[0])


def touches_zero(owner: str) -> AssemblyError:
    """The error for an equation that no force can enforce, because its derivatives are zero where it holds."""
    text = (
        f"{owner!r} cannot be enforced: its derivatives vanish where it holds, so that no force can hold it\n"
        "    write the quantity itself, not its square or absolute value, or leave the limit of the mechanism's reach"
    )
    return AssemblyError(text, owner=owner, gap=0.0)


def too_small(owner: str, size: float) -> AssemblyError:
    """The error for an equation whose derivatives are as small as round-off."""
    text = (
        f"{owner!r} is as small as round-off: its derivatives are {size:.1g} in SI units\n"
        "    describe the mechanism in a larger unit of length: 1 m for 1 mm, and masses, forces and gravity to match"
    )
    return AssemblyError(text, owner=owner)


def loop_joints(tree: Tree, owner: str) -> tuple[str, ...]:
    """Joints of the loop that the cut joint `owner` closes, without `owner`; empty for a constraint."""
    for cut in tree.cuts:
        if cut.joint == owner:
            paths = [() if end.link == GROUND else tree.path(end.link) for end in (cut.parent, cut.child)]
            inside = set(paths[0]) ^ set(paths[1])
            return tuple(link.joint for i, link in enumerate(tree.links) if i in inside)
    return ()


def _loop(tree: Tree, owner: str) -> str:
    joints = loop_joints(tree, owner)
    return f" the loop of {', '.join(joints)}" if joints else ""


def _gap(tree: Tree, labels: Sequence[tuple[str, str]], Phi: np.ndarray, worst: int) -> tuple[float, str]:
    """Size and description of the gap: between a joint's points or angles, or in one equation of a constraint."""
    owner, component = labels[worst]
    if owner in tree.constraints:
        gap = float(abs(Phi[worst]))
        return gap, f"{owner!r} {tree.constraints[owner].gap(gap)}"
    if _is_motion(tree, owner):
        gap = float(abs(Phi[worst]))
        return gap, f"the motion of {owner!r} cannot be followed: at the nearest position {gap:.3g} is missing"
    kind = component.partition(" ")[0]
    parts = [x for (name, what), x in zip(labels, Phi, strict=True) if name == owner and what.startswith(kind)]
    gap, unit = float(np.linalg.norm(parts)), "m" if kind == "force" else "rad"
    where = f"at the nearest position a gap of {gap:.3g} {unit} is left ({component})"
    return gap, f"{owner!r} does not close{_loop(tree, owner)}: {where}"


def _cure(tree: Tree, owner: str, component: str, others: Sequence[str]) -> str:
    """Advice on what to change."""
    if _is_motion(tree, owner):
        return "change the motion or the lengths, or start from a better guess"
    if owner in tree.constraints:
        fault = "they may contradict each other: leave one of them out" if others else "check its numbers"
        return f"{fault}, or start from a better guess"
    if component.startswith("moment"):
        hint = "directions that have to agree, such as hinges that have to be parallel, do not"
        return f"check the axes and markers of the loop ({hint}), or close it with a joint of more freedom: spherical"
    parts = "lengths and markers" if tree.normal is not None else "lengths, markers and directions of axes"
    return f"check the {parts} of the loop, or start from a better guess"


def _is_motion(tree: Tree, owner: str) -> bool:
    return any(motion.name == owner for motion in tree.motions)


def _against(others: Sequence[str]) -> str:
    return f", against {', '.join(map(repr, others))}" if others else ""


def _values(tree: Tree, q: np.ndarray) -> dict[str, float]:
    return {entry.name: float(x) for entry, x in zip(tree.coordinates, q, strict=True)}


def _listed(values: dict[str, float]) -> str:
    return few(f"{name} = {x:.4g}" for name, x in values.items())
