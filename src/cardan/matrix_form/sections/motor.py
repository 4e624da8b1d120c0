"""The section of a document on motors: the general form, its steps to the result, and its matrices for the model.

Source: Hoang & Vuong, eqs. (7)–(27)
"""

from cardan.matrix_form.letters import velocity_letters
from cardan.matrix_form.motor_form import motor_form_matrices
from cardan.matrix_form.terms import MatrixTerms
from cardan.rendering.documents.pieces import Chapter, Formula, NamedMatrix, Piece, Vector

_M, _D, _g = Vector("M", of=("q",)), Vector("D"), Vector("g", of=("q",))
_B, _Z, _G = Vector("B"), Vector("Z"), Vector("R", "G")
_LETTERS = {
    "B": _B,
    "Z": _Z,
    "RG": _G,
    **{name: Vector(name[0], name[1]) for name in ("Im", "Dm", "Km", "Ke", "Ra", "La")},
}
_Im, _Dm, _Km, _Ke, _Ra, _La = (_LETTERS[name] for name in ("Im", "Dm", "Km", "Ke", "Ra", "La"))
_Ra_inverse = Vector("R", "a", above="−1")
_RG_inverse = Vector("R", "G", above="−1")
_i, _u, _tau = Vector("i"), Vector("u"), Vector("tau", "2")

_Line = tuple[Piece, ...]


def motor_section(equations: MatrixTerms) -> Chapter:
    """The section of a model with motors."""
    system = equations._system
    v, a = velocity_letters(equations)
    parts, full, simplified = _laws(equations, v, a)
    matrices = motor_form_matrices(system, equations._change)
    return Chapter(
        "motors",
        "Motors in the general form",
        (
            "In this section M, C, D and g are those of the mechanism without its motors. Their efforts behind the "
            "gears are τ₂, and B says which velocities these act on:",
            parts,
            "Without τ₂, these are the full equations:",
            full,
            "Where the voltage of the inductances is neglected, they become the simplified ones:",
            simplified,
            _called(equations.motors),
            *_remarks(equations),
            "The matrices of this model:",
            tuple(NamedMatrix(name, _LETTERS[name], matrix) for name, matrix in matrices.items()),
        ),
    )


def _laws(equations: MatrixTerms, v: Vector, a: Vector) -> tuple[Formula, Formula, Formula]:
    """The laws of mechanism and motors apart, together, and with the voltage of the inductances neglected."""
    system = equations._system
    C = Vector("C", of=("q", v.base))
    more: _Line = ("+", Vector("Q")) if not equations.simplified()["Q"].vanishes else ()
    more += (
        ("+", Vector("Phi", "q", transposed=True), Vector("lambda"))
        if system.tree.cuts or system.tree.constraints
        else ()
    )
    more += ("+", Vector("B", "m"), Vector("tau")) if system.tree.motions else ()

    def motion(M: _Line, D: _Line, right: _Line) -> _Line:
        return (*M, a, "+", C, v, "+", *D, v, "+", _g, "=", *right, *more)

    rotors = Vector("theta", "m", dots=1)
    inertia: _Line = ("(", _M, "+", _B, _G, _Im, _G, _Z, ")")
    damping: _Line = ("(", _D, "+", _B, _G, _Dm, _G, _Z, ")")
    parts = Formula(
        (
            motion((_M,), (_D,), (_B, _tau)),
            (rotors, "=", _G, _Z, v),
            (*(_Im, Vector("theta", "m", dots=2), "+", _Dm, rotors, "="), *(_Km, _i, "−", _RG_inverse, _tau)),
            (_La, Vector("i", dots=1), "+", _Ra, _i, "=", _u, "−", _Ke, rotors),
        )
    )
    full = Formula(
        (
            motion(inertia, damping, (_B, _G, _Km, _i)),
            (_La, Vector("i", dots=1), "+", _Ra, _i, "+", _Ke, _G, _Z, v, "=", _u),
        )
    )
    M_s, D_s, B_s = Vector("M", "s"), Vector("D", "s"), Vector("B", "s")
    simplified = Formula(
        (
            (_i, "=", _Ra_inverse, "(", _u, "−", _Ke, _G, _Z, v, ")"),
            motion((M_s,), (D_s,), (B_s, _u)),
            (M_s, "=", _M, "+", _B, _G, _Im, _G, _Z),
            (D_s, "=", _D, "+", _B, _G, "(", _Dm, "+", _Km, _Ra_inverse, _Ke, ")", _G, _Z),
            (B_s, "=", _B, _G, _Km, _Ra_inverse),
        )
    )
    return parts, full, simplified


def _called(motors: str) -> str:
    if motors == "full":
        return (
            "In the rest of the document, the factors of the accelerations, velocities and currents in the full "
            "equations are called M, D and B; those of the circuits are called L, R and E."
        )
    return "In the rest of the document, the matrices with the index s are called M, D and B."


def _remarks(equations: MatrixTerms) -> list[str]:
    """What the general form leaves out."""
    tree = equations._system.tree
    out = [
        f"The rotor of {rotor.name} also turns with {tree.links[rotor.carrier].name}, on which the motor is mounted: "
        "M and C below may have more terms."
        for rotor in tree.motor_rotors
        if rotor.carrier is not None and tree.turns(rotor.carrier)
    ]
    driven = [motor.name for motor in equations._system.driven_motors]
    if driven:
        out.append(
            f"The current of {', '.join(driven)} keeps a prescribed motion: it is an unknown, and no column of B below."
        )
    return out
