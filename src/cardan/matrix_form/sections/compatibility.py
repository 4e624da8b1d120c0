"""The sections of a document on the principle of compatibility: transmission matrices, A and its derivatives, F and N,
which the source calls D, the letter of damping in the rest of the document.

Source: Do Sanh, Dinh Van Phong & Do Dang Khoa 2013, eqs. (5)–(12), (25)–(31), corrected in docs/errata.md
"""

import casadi as ca
import numpy as np

from cardan.assembly.start import ready_system
from cardan.formulations import compatibility
from cardan.formulations.trace_lagrange import BodyMatrices, body_matrices
from cardan.kinematics.motion import motion
from cardan.kinematics.tree import Number
from cardan.matrix_form.accelerations import MOST
from cardan.matrix_form.letters import velocity_letters
from cardan.matrix_form.terms import MatrixTerms
from cardan.numerics.rank import most_independent_rows
from cardan.rendering import Matrix, readable
from cardan.rendering.documents.pieces import Chapter, Formula, NamedMatrix, Piece, Vector
from cardan.system.blocks.circuits import without_limits
from cardan.system.drives import fed_back_rows, hidden_rows

_Content = list[str | Formula | tuple[NamedMatrix, ...]]


def compatibility_matrices(equations: MatrixTerms) -> dict[str, Matrix]:
    """The matrices of the method by name, each entry in a short form.

    t_i (4×4) of the i-th body in the frame that carries it, t_i1 and t_i2 its first and second derivative by the body's
    coordinate; A, dA_i, Q0, Qstar; of constraints f, f0, N and, up to three velocities, F, F0.
    """
    inputs, found = _expressions(equations)
    names = {
        "q": equations.coordinates,
        "v": equations.velocities,
        "z": (*equations.currents, *equations.states),
        "u": [f"{name}.effort" for name in equations.inputs] if equations.motors == "none" else equations.inputs,
        "t": ("t",),
        "p": equations.parameters,
    }
    results = ca.cse([ca.SX(x) for x in found.values()])
    function = ca.Function("compatibility", list(inputs.values()), results, list(inputs), list(found))
    return readable(function, names, equations.budget)


def compatibility_sections(equations: MatrixTerms) -> tuple[Chapter, ...]:
    """The sections on the principle of compatibility."""
    found = compatibility_matrices(equations)
    parts = [_transmission(equations, found), _inertia(equations, found)]
    return (*parts, _reactions(equations, found)) if "f" in found else tuple(parts)


def _expressions(equations: MatrixTerms) -> tuple[dict[str, Number], dict[str, Number]]:
    """Symbols, and all matrices as expressions of them."""
    function, tree = equations._function, equations._system.tree
    inputs = dict(zip(function.name_in(), function.sx_in(), strict=True))
    terms = dict(zip(function.name_out(), function.call(list(inputs.values())), strict=True))
    q, v, A = inputs["q"], inputs["v"], terms["M"]
    out: dict[str, Number] = {}
    for place, body in enumerate(_bodies(equations, q), 1):
        out[f"t_{place}"] = body.T
        moving = [k for k in range(q.shape[0]) if ca.depends_on(ca.SX(body.T), q[k])]
        if len(moving) == 1:
            first = _slope(body.T, q[moving[0]])
            out |= {f"t_{place}1": first, f"t_{place}2": _slope(first, q[moving[0]])}
    out["A"] = A
    force = terms["Q"] - terms["g"] - terms["D"] @ v
    if equations.motors != "full":
        force += terms["B"] @ inputs["u"]
    elif equations.currents:
        force += terms["B"] @ inputs["z"][: len(equations.currents)]
    if tree.nq == tree.nv:
        slopes, Q0, Q_star = compatibility.inertia_forces(A, q, v)
        out |= {f"dA_{k}": slope for k, slope in enumerate(slopes, 1)} | {"Q0": Q0, "Qstar": Q_star}
        force += Q0 - Q_star
    else:
        force -= terms["C"] @ v
    rows = _independent_equations(equations, terms["Phi_q"].shape[0])
    if rows:
        f, f0 = terms["Phi_q"][rows, :], -terms["gamma"][rows]
        independent = _independent(equations, inputs, f)
        out |= {"f": f, "f0": f0, "N": compatibility.allowed(f, independent)}
        if tree.nv <= MOST:
            F = f @ ca.inv_minor(ca.densify(A))
            out |= {"F": F, "F0": F @ force + f0}
    return inputs, out


def _slope(x: Number, by: Number) -> Number:
    """Derivative of a matrix by a number."""
    return ca.reshape(ca.jacobian(ca.vec(ca.densify(ca.SX(x))), by), *x.shape)


def _bodies(equations: MatrixTerms, y: Number) -> list[BodyMatrices]:
    """The matrices of all bodies over the coordinates y of the equations, in file order."""
    tree, change = equations._system.tree, equations._change
    q = y if change is None else change.T @ (y - change.b)
    found = {body.name: body for body in body_matrices(tree, motion(tree, q, ca.DM(tree.nv, 1)))}
    return [found[name] for name in equations.model.bodies if name in found]


def _independent_equations(equations: MatrixTerms, count: int) -> list[int]:
    """Rows of the `count` constraint equations that are independent, those of feedback included."""
    if not count:
        return []
    ready = ready_system(without_limits(equations.model), equations.motors)
    hidden = hidden_rows(ready.tree, count + len(ready.tree.hidden))
    kept = [*ready.choice.kept, *fed_back_rows(ready.tree, count + len(hidden))]
    return sorted(k - len(hidden) * (k >= hidden.stop) for k in kept if k not in hidden)


def _independent(equations: MatrixTerms, inputs: dict[str, Number], f: Number) -> list[int]:
    """Velocities that determine the others, by pivoting in a position without special values."""
    rng, values = np.random.default_rng(0), []
    for symbol in inputs.values():
        values.append(ca.DM(rng.uniform(0.3, 1.3, symbol.shape)))
    J = np.array(ca.Function("f", list(inputs.values()), [f])(*values).full())
    dependent = most_independent_rows([J.T], len(J))
    return [k for k in range(J.shape[1]) if k not in dependent]


def _transmission(equations: MatrixTerms, found: dict[str, Matrix]) -> Chapter:
    """t_i with its derivatives."""
    bodies = list(equations.model.bodies)
    content: _Content = [
        "The matrix of body i, counted in the order of the file, leads from its frame to the frame of the body that "
        "carries it; indices 1 and 2 behind i mark its first and second derivative by the body's own coordinate. "
        "Bodies: " + ", ".join(f"{k} {name}" for k, name in enumerate(bodies, 1)) + "."
    ]
    for place, _ in enumerate(bodies, 1):
        names = [name for name in (f"t_{place}", f"t_{place}1", f"t_{place}2") if name in found]
        content.append(tuple(NamedMatrix(name, Vector("t", name.removeprefix("t_")), found[name]) for name in names))
    return Chapter("transmission", "Transmission matrices", tuple(content))


def _inertia(equations: MatrixTerms, found: dict[str, Matrix]) -> Chapter:
    """A, its derivatives, Q⁰ and Q*."""
    v, a = velocity_letters(equations)
    applied: tuple[Piece, ...] = (Vector("Q", "a"), "=", Vector("Q"), "−", Vector("D"), v, "−", Vector("g"))
    if equations.motors != "full" or equations.currents:
        applied += ("+", Vector("B"), Vector("i" if equations.motors == "full" else "u"))
    law: tuple[Piece, ...] = (
        Vector("A"),
        a,
        "=",
        Vector("Q", "a"),
        "+",
        Vector("Q", above="0"),
        "−",
        Vector("Q", above="*"),
    )
    content: _Content = [
        "With all forces but inertia and the reactions R in Qₐ, and q̇ᵢ* the velocities times the i-th one:",
        Formula((applied, (*law, "+", Vector("R")))),
        (NamedMatrix("A", Vector("A"), found["A"]),),
    ]
    slopes = tuple(
        NamedMatrix(name, Vector("A", f"q,{name.removeprefix('dA_')}"), found[name])
        for name in found
        if name.startswith("dA_") and not found[name].vanishes
    )
    if slopes:
        content += ["Derivatives of A by the coordinates, those that are not zero:", slopes]
    if "Q0" in found:
        content += [
            "Forces of inertia: entry i of Q⁰ is ½ q̇ᵀ A_q,ᵢ q̇, and Q* is the sum of A_q,ᵢ q̇ q̇ᵢ:",
            (
                NamedMatrix("Q0", Vector("Q", above="0"), found["Q0"]),
                NamedMatrix("Qstar", Vector("Q", above="*"), found["Qstar"]),
            ),
        ]
    return Chapter("compatibility", "Principle of compatibility", tuple(content), replaces=("M",))


def _reactions(equations: MatrixTerms, found: dict[str, Matrix]) -> Chapter:
    """F, F₀ and N."""
    _, a = velocity_letters(equations)
    content: _Content = [
        "Constraints, those that drives keep included, without those that follow from the others:",
        Formula(((Vector("f"), a, "+", Vector("f", "0"), "=", "0"),)),
        (NamedMatrix("f", Vector("f"), found["f"]), NamedMatrix("f0", Vector("f", "0"), found["f0"])),
        "Reactions, and the efforts of drives among them, are compatible with the constraints if",
        Formula(
            (
                (Vector("F"), Vector("R"), "+", Vector("F", "0"), "=", "0", ","),
                (Vector("F"), "=", Vector("f"), Vector("A", above="−1")),
                (
                    Vector("F", "0"),
                    "=",
                    Vector("F"),
                    "(",
                    Vector("Q", "a"),
                    "+",
                    Vector("Q", above="0"),
                    "−",
                    Vector("Q", above="*"),
                    ")",
                    "+",
                    Vector("f", "0"),
                ),
            )
        ),
    ]
    if "F" in found:
        content.append((NamedMatrix("F", Vector("F"), found["F"]), NamedMatrix("F0", Vector("F", "0"), found["F0"])))
    else:
        content.append(f"F and F₀ are written for up to {MOST} velocities.")
    content += [
        "Ideal constraints give N R = 0, where each row of N holds all accelerations per unit of one independent one:",
        (NamedMatrix("N", Vector("N"), found["N"]),),
    ]
    return Chapter("reactions", "Reactions", tuple(content))
