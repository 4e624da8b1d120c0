"""Products of basic matrices: which of the six motions along and about the axes a 4×4 matrix is made of.

T_trans1, T_trans2, T_trans3 translate along x, y, z; T_rot4, T_rot5, T_rot6 rotate about them.

Source: Hroncová, eqs. (1)–(6)
"""

from cardan.rendering import Matrix
from cardan.rendering.algebra.expression import ONE, ZERO, Expression, Head, call, multiply, number

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
