"""The sections of a document on the matrix method: basic matrices, their products and derivatives, coefficients.

T_trans1, T_trans2, T_trans3 translate along x, y, z; T_rot4, T_rot5, T_rot6 rotate about them.

Source: Hroncová, eqs. (1)–(13), corrected in docs/errata.md
"""

from collections.abc import Sequence

import casadi as ca

from cardan.formulations.trace_lagrange import BodyMatrices, body_matrices, is_gravity_alone
from cardan.kinematics.motion import motion
from cardan.kinematics.tree import Number
from cardan.matrix_form.letters import velocity_letters
from cardan.matrix_form.terms import MatrixTerms
from cardan.matrix_form.trace_coefficients import trace_matrices
from cardan.rendering import Matrix, readable
from cardan.rendering.algebra.expression import ONE, ZERO, Expression, Head, call, multiply, number
from cardan.rendering.documents.pieces import Chapter, Formula, Letter, NamedMatrix, Piece, Vector
from cardan.spatial.transforms import inverse
from cardan.system.state import symbolic_state

_Line = tuple[Piece, ...]

_A0, _av, _ag, _aF = Vector("A", "0"), Vector("a", "v"), Vector("a", "g"), Vector("a", "F")


def trace_sections(equations: MatrixTerms) -> tuple[Chapter, ...]:
    """The sections on Lagrange's equations in trace form."""
    names = {"q": equations.coordinates, "p": equations.parameters}
    q = ca.SX.sym("q", len(equations.coordinates))
    bodies = _in_file_order(equations, q)
    found = readable(_function(equations, bodies, q), names, equations.budget)
    coefficients = trace_matrices(equations._system, equations._change, names, equations.budget)
    return (
        _basic(bodies, found),
        _products(bodies, found),
        _derivatives(equations, bodies, found),
        _inertias(bodies, found),
        _lagrange(equations, coefficients),
    )


def _in_file_order(equations: MatrixTerms, y: Number) -> list[BodyMatrices]:
    """The matrices of all bodies over the coordinates y of the equations."""
    tree, change = equations._system.tree, equations._change
    q = y if change is None else change.T @ (y - change.b)
    found = {body.name: body for body in body_matrices(tree, motion(tree, q, ca.DM(tree.nv, 1)))}
    return [
        _in_new_coordinates(found[name], change.T) if change else found[name]
        for name in equations.model.bodies
        if name in found
    ]


def _in_new_coordinates(body: BodyMatrices, T: Number) -> BodyMatrices:
    """The derivatives by the coordinates y with q̇ = T ẏ."""
    n, zero = T.shape[1], ca.DM(4, 4)
    symmetric = body.by_two | {(k, j): x for (j, k), x in body.by_two.items()}
    by = {m: sum((T[k, m] * x for k, x in body.by.items()), zero) for m in range(n)}
    two = {
        (a, b): sum((T[j, a] * T[k, b] * x for (j, k), x in symmetric.items()), zero)
        for a in range(n)
        for b in range(a, n)
    }
    return BodyMatrices(body.name, body.parent, body.T, body.constant, body.B, by, two, body.I)


def _function(equations: MatrixTerms, bodies: Sequence[BodyMatrices], q: Number) -> ca.Function:
    outputs: dict[str, Number] = {}
    for place, body in enumerate(bodies, 1):
        outputs[f"T_{place}"], outputs[f"constant_{place}"] = body.T, body.constant
        outputs[f"variable_{place}"] = inverse(body.constant) @ body.T
        outputs[f"B_{place}"], outputs[f"I_{place}"] = body.B, body.I
        outputs |= {f"B_{place}_{k + 1}": x for k, x in body.by.items()}
        outputs |= {f"B_{place}_{j + 1}_{k + 1}": x for (j, k), x in body.by_two.items()}
    inputs = [q, equations._system.tree.p]
    return ca.Function("bodies", inputs, ca.cse([ca.SX(x) for x in outputs.values()]), ["q", "p"], [*outputs])


def _index(*numbers: int) -> str:
    """Numbers of an index or upper index."""
    return ("," if max(numbers) > 9 else "").join(map(str, numbers))


def _members(bodies: Sequence[BodyMatrices], body: BodyMatrices) -> str:
    """34 for the body that is member 4 on member 3."""
    number = {"ground": 1} | {one.name: k for k, one in enumerate(bodies, 2)}
    return _index(number[body.parent], number[body.name])


def _basic(bodies: Sequence[BodyMatrices], found: dict[str, Matrix]) -> Chapter:
    """T_12, T_23 …: constant part, variable part, product."""
    content: list[str | tuple[NamedMatrix, ...]] = [
        "Member 1 is the ground; the members after it are "
        + ", ".join(f"{k} {body.name}" for k, body in enumerate(bodies, 2))
        + ". Each matrix leads from the frame of a body to the frame of the body that carries it; its constant part "
        "comes before its variable part. Basic matrices: trans1, trans2, trans3 translate along x, y, z; rot4, rot5, "
        "rot6 rotate about them."
    ]
    for place, body in enumerate(bodies, 1):
        members = _members(bodies, body)
        factors = [basic_factors(found[f"{part}_{place}"]) for part in ("constant", "variable")]
        T = Vector("T", members)
        if None not in factors:
            meaning: list[Piece] = []
            for name, argument in (factor for part in factors for factor in part or ()):
                meaning += [Vector("T", name), "(", argument, ")"]
            content.append((NamedMatrix(f"T_{place}", T, found[f"T_{place}"], tuple(meaning)),))
            continue
        constant, variable = Vector("T", members, above="c"), Vector("T", members, above="v")
        content.append(
            (
                NamedMatrix(f"T_{place}", T, found[f"T_{place}"], (constant, variable)),
                NamedMatrix(f"constant_{place}", constant, found[f"constant_{place}"]),
                NamedMatrix(f"variable_{place}", variable, found[f"variable_{place}"]),
            )
        )
    return Chapter("basic_matrices", "Basic matrices", tuple(content))


def _products(bodies: Sequence[BodyMatrices], found: dict[str, Matrix]) -> Chapter:
    """B_l, the frame of body l in the world."""
    number = {body.name: k for k, body in enumerate(bodies, 1)}
    matrices = []
    for place, body in enumerate(bodies, 1):
        before = (Vector("B", _index(number[body.parent])),) if body.parent in number else ()
        meaning = (*before, Vector("T", _members(bodies, body)))
        matrices.append((NamedMatrix(f"B_{place}", Vector("B", _index(place)), found[f"B_{place}"], meaning),))
    words = "The frame of body l, counted from 1 in the order of the file, in the world:"
    return Chapter("products", "Transformation matrices", (words, *matrices))


def _derivatives(equations: MatrixTerms, bodies: Sequence[BodyMatrices], found: dict[str, Matrix]) -> Chapter:
    """∂B_l/∂q_k and ∂²B_l/∂q_j∂q_k, those that are not zero."""
    n = equations._system.tree.nv
    first = [
        NamedMatrix(name, Vector("B", _index(place), above=_index(k + 1)), found[name])
        for place, body in enumerate(bodies, 1)
        for k in sorted(body.by)
        if not found[name := f"B_{place}_{k + 1}"].vanishes
    ]
    second = [
        NamedMatrix(name, Vector("B", _index(place), above=_index(j + 1, k + 1)), found[name])
        for place, body in enumerate(bodies, 1)
        for j, k in sorted(body.by_two)
        if not found[name := f"B_{place}_{j + 1}_{k + 1}"].vanishes
    ]
    words = (
        f"An upper index k, from 1 to {n}, means the derivative by the k-th coordinate; two of them mean the second "
        "derivative. All that are not listed are zero, or follow from the symmetry of second derivatives."
    )
    return Chapter("derivatives", "Derivatives of the transformation matrices", (words, tuple(first), tuple(second)))


def _inertias(bodies: Sequence[BodyMatrices], found: dict[str, Matrix]) -> Chapter:
    """Pseudo-inertias I_l."""
    matrices = tuple(
        NamedMatrix(f"I_{place}", Vector("I", _index(place)), found[f"I_{place}"]) for place, _ in enumerate(bodies, 1)
    )
    words = (
        "The matrix of body l about the origin of its frame: ½ tr(I) E − I of the inertia tensor I about that point, "
        "the mass times the centre of mass in the last row and column, and the mass."
    )
    return Chapter("pseudo_inertias", "Pseudo-inertias", (words, matrices))


def _lagrange(equations: MatrixTerms, found: dict[str, Matrix]) -> Chapter:
    """The equations with their coefficients, and the matrix form."""
    system = equations._system
    n = system.tree.nv
    v, a = velocity_letters(equations)
    is_gravity = is_gravity_alone(system.tree, symbolic_state(system).motion)
    form = Formula(
        (
            (_A0, a, "+", _av, "+", _ag, "=", _aF),
            (a, "=", Vector("A", "0", above="−1"), "(", _aF, "−", _av, "−", _ag, ")"),
            (_aF, "=", *_forces(equations, v, is_gravity)),
        )
    )
    rotors = ["Rotors of motors are bodies of their own, which turn on those that carry them."] * bool(
        system.tree.rotors
    )
    same = "M = A₀, C times the velocities is a_v" + (", g = a_g" if is_gravity else "")
    return Chapter(
        "coefficients",
        "Lagrange's equations in trace form",
        (
            "The k-th equation, with σ = 1 where j = i, else 2, the acceleration of gravity g_W in the world, and the "
            "centre of mass r of each body in its frame, as columns with the fourth entries 0 and 1:",
            _trace_laws(n, v),
            *rotors,
            "Coefficients of the accelerations; row k, column i of A₀:",
            (NamedMatrix("a0", _A0, found["a0"]),),
            "Coefficients of the velocities; row j, column i of A₁ₖ belongs to the k-th equation:",
            tuple(
                NamedMatrix(f"a1_{k}", Vector("A", f"1{k}" if k < 10 else f"1,{k}"), found[f"a1_{k}"])
                for k in range(1, n + 1)
                if not found[f"a1_{k}"].vanishes
            ),
            "Coefficients of gravity:",
            (NamedMatrix("a2", _ag, found["a2"]),),
            "In matrix form, where entry k of a_v is the double sum of the k-th equation:",
            form,
            f"In the equations of motion {same}.",
        ),
        replaces=("M", "C", *(("g",) if is_gravity else ())),
    )


def _trace_laws(n: int, v: Vector) -> Formula:
    """The k-th equation, and its coefficients as traces."""
    rate = "q" if v.base == "q" else "v"

    def velocity(index: str, more: int = 0) -> Letter:
        return Letter(rate, index, dots=v.dots + more)

    B_k: _Line = (Vector("B", "l", above="k"),)
    law: _Line = (
        Letter("sum", "i=1", str(n)),
        Letter("a", "0k", "i"),
        velocity("i", 1),
        "+",
        Letter("sum", "j=1", str(n)),
        Letter("sum", "i=j", str(n)),
        Letter("a", "1k", "ji"),
        velocity("j"),
        velocity("i"),
        "+",
        Letter("a", "2k"),
        "=",
        Letter("Q", "k"),
    )
    by_trace: _Line = (Vector("I", "l"), Vector("B", "l", above="k", transposed=True), ")")
    sum_l, sigma = Letter("sum", "l"), Letter("sigma", "ji")
    g_W = Letter("g", "W")
    return Formula(
        (
            law,
            (Letter("a", "0k", "i"), "=", sum_l, Letter("tr"), "(", Vector("B", "l", above="i"), *by_trace),
            (Letter("a", "1k", "ji"), "=", sigma, sum_l, Letter("tr"), "(", Vector("B", "l", above="ji"), *by_trace),
            (
                Letter("a", "2k"),
                "=",
                "−",
                sum_l,
                Letter("m", "l"),
                Vector(g_W.base, "W", transposed=True),
                *B_k,
                Vector("r", "l"),
            ),
        )
    )


def _forces(equations: MatrixTerms, v: Vector, is_gravity: bool) -> _Line:
    """What stands on the right of the matrix form."""
    tree, terms = equations._system.tree, equations.simplified()
    forces: _Line = ()
    if not terms["B"].vanishes:
        forces += ("+", Vector("B"), Vector("i" if equations.motors == "full" else "u"))
    if not terms["Q"].vanishes:
        forces += ("+", Vector("Q"))
    if tree.cuts or tree.constraints:
        forces += ("+", Vector("Phi", "q", transposed=True), Vector("lambda"))
    if tree.motions:
        forces += ("+", Vector("B", "m"), Vector("tau"))
    if not terms["D"].vanishes:
        forces += ("−", Vector("D"), v)
    if not is_gravity:
        forces += ("−", "(", Vector("g", of=("q",)), "−", _ag, ")")
    return forces[1:] if forces and forces[0] == "+" else forces or ("0",)


_COSINE = ((1, 1), (2, 2), (0, 0))  # where the cosine stands, by axis
_SINE = ((2, 1), (0, 2), (1, 0))  # where the sine stands with a plus


def basic_factors(matrix: Matrix) -> list[tuple[str, Expression]] | None:
    """(name, argument) of the basic matrices whose product a matrix is; none if it is the identity.

    None where it is no translation and no rotation about one axis.
    """
    along = [matrix.rows[k][3] for k in range(3)]
    turned = [row[:3] for row in matrix.rows[:3]]
    if turned == [[*_identity(k)] for k in range(3)] or turned == [_identity(k) for k in range(3)]:
        return [(f"trans{k + 1}", entry) for k, entry in enumerate(along) if entry != ZERO]
    for axis in range(3):
        angle = _angle(turned, axis)
        if angle is not None and all(entry == ZERO for entry in along):
            return [(f"rot{axis + 4}", angle)]
    return None


def _identity(row: int) -> tuple[Expression, ...]:
    return tuple(ONE if row == column else ZERO for column in range(3))


def _angle(rows: list[tuple[Expression, ...]], axis: int) -> Expression | None:
    """The angle about an axis; None for any other rotation."""
    i, j = _COSINE[axis]
    cosine = rows[i][j]
    if cosine.kind != Head.CALL or cosine.name != "cos":
        return None
    row, column = _SINE[axis]
    i, j, k = column, row, axis  # i turns to j about k
    angle = cosine.args[0]
    for sign in (1, -1):
        signed = multiply(number(sign), angle)
        sine = multiply(number(sign), call("sin", angle))
        wanted = {(i, i): cosine, (j, j): cosine, (j, i): sine, (i, j): multiply(number(-1), sine), (k, k): ONE}
        if all(rows[r][c] == wanted.get((r, c), ZERO) for r in range(3) for c in range(3)):
            return signed
    return None
