"""Laws traced once over symbols and then called as one CasADi Function each.

A law of many small matrices takes longer to handle in Python than its operations do. The Function gives the same graph,
simplified in the same way: what follows from zeros and ones in the operands vanishes.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import casadi as ca

Law = Callable[..., Any]


def traced(*shapes: tuple[int, int]) -> Callable[[Law], Law]:
    """Decorator for a law over matrices of these `shapes`, SX or DM, that gives a matrix or a tuple of matrices.

    Zeros that come out are structural.

    Example
    -------
    >>> @traced((3, 1), (3, 1))
    ... def cross(a, b):
    ...     return ca.cross(a, b)
    >>> print(cross(ca.DM([1, 0, 0]), ca.SX.sym("y", 3)))
    [00, (-y_2), y_1]
    """

    def decorated(law: Law) -> Law:
        symbols = [ca.SX.sym("x", *shape) for shape in shapes]
        traces = law(*symbols)
        function = ca.Function("law", symbols, list(traces) if isinstance(traces, tuple) else [traces])

        @wraps(law)
        def called(*operands: Any) -> Any:
            found = function(*operands)
            return tuple(map(_sparse, found)) if isinstance(found, tuple) else _sparse(found)

        return called

    return decorated


def _sparse(A: Any) -> Any:
    """The matrix without zeros that are written down."""
    return ca.sparsify(A) if A.has_zeros() else A
