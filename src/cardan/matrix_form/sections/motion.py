"""The section of a document on prescribed motions: their laws, their drives, and Φ_m(q, t) = 0 with its derivatives.

The laws stand in the equations as w(t), ẇ and ẅ.   Source: docs/motions.md
"""

import itertools

import casadi as ca

from cardan.kinematics.motion import coordinate_rate, motion
from cardan.kinematics.relations.prescribed import gaps
from cardan.kinematics.tree import Prescribed, Tree
from cardan.matrix_form.terms import MatrixTerms
from cardan.model.motions.targets import MotionTarget
from cardan.numerics.entries import column
from cardan.rendering import Quantity, readable
from cardan.rendering.algebra.expression import symbol
from cardan.rendering.documents.pieces import Chapter, NamedMatrix, SymbolTable, Vector
from cardan.safety.text import visible
from cardan.system.drives import drive_velocities

_LETTERS = {
    "B_m": Vector("B", "m"),
    "Phi_m": Vector("Phi", "m"),
    "Phi_mq": Vector("Phi", "m,q"),
    "gamma_m": Vector("gamma", "m"),
}


def motion_laws(equations: MatrixTerms) -> tuple[Quantity, ...]:
    """The laws of all components of the prescribed motions, as symbols: `shoulder.law`, `hand.position.x.law`."""
    return tuple(
        Quantity(f"{name}.law", prescribed.target.unit, meaning=f"law of the motion {name}, a function of t")
        for prescribed in _with_law(equations._system.tree)
        for name in _components(prescribed.name, prescribed.target)
    )


def _with_law(tree: Tree) -> list[Prescribed]:
    """Motions with a law of time: all but the relations of programs."""
    return [prescribed for prescribed in tree.motions if prescribed.record is not None]


def _components(name: str, target: MotionTarget) -> list[str]:
    """Names of the components of a motion."""
    if target.size == 1:
        return [name]
    parts = ("roll", "pitch", "yaw") if target.kind == "orientation" else [*("xyz"[k] for k in target.components)]
    return [f"{name}.{part}" for part in parts]


def motion_section(equations: MatrixTerms) -> Chapter:
    """The section of a model with prescribed motions."""
    system = equations._system
    tree, laws = system.tree, motion_laws(equations)
    names = [law.name for law in laws]
    words = [
        visible(one)
        for prescribed in tree.motions
        if prescribed.record is not None
        for one in prescribed.record.words()
    ]
    rows = tuple(
        (symbol(name), name.removesuffix(".law"), word, ", ".join(drives))
        for name, word, drives in zip(names, words, _drives(tree), strict=True)
    )
    table: tuple[str | SymbolTable, ...] = (
        "The efforts τ of the drives are unknowns, as multipliers are; they keep these motions:",
        SymbolTable(("law", "prescribes", "is", "drives"), rows),
    )
    symbols = {
        "q": equations.coordinates,
        "v": equations.velocities,
        "w": names,
        "wv": [f"{name}.v" for name in names],
        "wa": [f"{name}.a" for name in names],
        "t": ("t",),
        "p": equations.parameters,
    }
    found = readable(_function(equations), symbols, equations.budget)
    turned = [f"The current of {motor.name} follows from the effort on its joint." for motor in system.driven_motors]
    return Chapter(
        "motions",
        "Prescribed motions" if rows else "Program constraints",
        (
            *(table if rows else ()),
            *_programs(tree),
            *_shared(tree),
            *turned,
            tuple(NamedMatrix(name, letter, found[name]) for name, letter in _LETTERS.items()),
        ),
        is_last=True,
    )


def _drives(tree: Tree) -> list[list[str]]:
    """Joints that drive each component: one each, or all joints of a motion that has more of them than components."""
    out = []
    for prescribed in _with_law(tree):
        names = [tree.velocities[k].name for k in prescribed.drives]
        size = prescribed.target.size
        out += [[name] for name in names] if len(names) == size else [names] * size
    return out


def _programs(tree: Tree) -> list[str]:
    """What the drives of programs keep, and which joints they are."""
    return [
        visible(
            f"The efforts of {', '.join(tree.velocities[k].name for k in prescribed.drives)} are unknowns, as "
            f"multipliers are; they keep the program {prescribed.name}: {prescribed.program.words} = 0."
        )
        for prescribed in tree.motions
        if prescribed.program is not None
    ]


def _shared(tree: Tree) -> list[str]:
    """How drives share motions with fewer components than drives."""
    return [
        visible(f"The drives of {prescribed.name} share it by the rule: {prescribed.realize.words}.")
        for prescribed in tree.motions
        if len(prescribed.drives) > prescribed.target.size
    ]


def _function(equations: MatrixTerms) -> ca.Function:
    """B_m, Φ_m, Φ_m,q and γ_m over q, v, the laws with their derivatives, and p."""
    tree, change = equations._system.tree, equations._change
    drives = drive_velocities(tree)
    q, v, y, rate = (
        ca.SX.sym(name, size) for name, size in zip("qvyr", (tree.nq, tree.nv, tree.nq, tree.nv), strict=True)
    )
    of_time = _with_law(tree)
    sizes = [prescribed.target.size for prescribed in of_time]
    t, w, wv, wa = ca.SX.sym("t"), *(ca.SX.sym(name, sum(sizes)) for name in ("w", "wv", "wa"))
    each = ca.vertsplit(w, [0, *itertools.accumulate(sizes)])
    wanted = {prescribed.name: ca.vertsplit(values) for prescribed, values in zip(of_time, each, strict=True)}
    found = [ca.SX(row) for row in gaps(tree, motion(tree, q, v, t=t), wanted)]
    on_velocity = [prescribed.on_velocity for prescribed in tree.motions for _ in range(prescribed.target.size)]
    Phi = ca.SX(column([ca.SX(1, 1) if rate else row for row, rate in zip(found, on_velocity, strict=True)]))
    q_dot = coordinate_rate(tree, q, v)
    Phi_dot = ca.jtimes(Phi, q, q_dot) + ca.jtimes(Phi, w, wv) + ca.jacobian(Phi, t)
    Phi_dot += column([row if rate else ca.SX(1, 1) for row, rate in zip(found, on_velocity, strict=True)])
    gamma = -(
        ca.jtimes(Phi_dot, q, q_dot) + ca.jtimes(Phi_dot, w, wv) + ca.jtimes(Phi_dot, wv, wa) + ca.jacobian(Phi_dot, t)
    )
    Phi_q, B = ca.jacobian(Phi_dot, v), ca.DM.eye(tree.nv)[:, list(drives)]
    found = [ca.SX(B), Phi, Phi_q, gamma]
    if change is not None:
        found = ca.substitute(found, [q, v], [change.T @ (y - change.b), change.T @ rate])
        found = [change.T.T @ found[0], found[1], found[2] @ change.T, found[3]]
        q, v = y, rate
    inputs = {"q": q, "v": v, "w": w, "wv": wv, "wa": wa, "t": t, "p": tree.p}
    return ca.Function("motions", [*inputs.values()], found, [*inputs], [*_LETTERS])
