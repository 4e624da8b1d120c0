"""Starts at rest: twists of shafts, currents and states of controllers that hold a machine where it is.

Accelerations and rates of currents are made zero; among the values that do so, those are taken with which the other
states rest too, as far as the given values allow. Friction holds nothing: the drives carry the machine.

Source: Newton's method with row and column equilibration, Golub & Van Loan 2013, §3.5.2; steps shortened by the natural
monotonicity test, Deuflhard 2011, *Newton Methods for Nonlinear Problems*, §3.3.2
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.numerics.round_off import BITS, DIFFERENCE, HALF_THE_DIGITS, WRITTEN

ROUNDS = 10  # of scaling, each of which lessens the spread of the sizes


def at_rest(w: np.ndarray, rates: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], names: list[str]) -> Any:
    """The unknowns (n,), near w, at which the rates (m,) called `names` are zero, and the others as near as can be.

    `rates(w)` gives both: those that have to vanish, and the others (k,).
    """
    for shortened in (False, True):  # whole steps cross gaps and stops of laws; shortened ones bear large turns
        last, missed = _newton(w, rates, len(names), shortened=shortened)
        if np.all(missed <= 0):
            return last
    name = names[int(np.argmax(missed))]
    cure = "leave the value of a coordinate open ({guess: …}), or give the drives something to hold it with"
    fault = f"no start at rest is found: the rate of {name!r} stays"
    raise ModelError(Issue(fault, cure, ("initial", "equilibrium")))


def _newton(w: np.ndarray, rates: Callable[[np.ndarray], Any], m: int, *, shortened: bool) -> tuple[Any, np.ndarray]:
    """The unknowns (n,) to which Newton's method comes, and by how much the first m rates miss zero: 0 at most.

    Steps may be shortened while the next one would not be shorter.
    """
    J, found = _slopes(w, rates)
    rows, columns = _scales(J)
    for _ in range(BITS):
        A = rows[:, None] * J * columns
        step = _step(A, -rows * found, m)
        for part in 0.5 ** np.arange(BITS) if shortened else ():
            there = np.concatenate(rates(w + part * columns * step))
            ahead = _step(A, -rows * there, m) if np.isfinite(there).all() else np.array([np.inf])
            if np.linalg.norm(ahead) <= (1 - part / 4) * np.linalg.norm(step):
                step = part * step
                break
        w = w + columns * step
        size = np.abs(rows[:, None] * J) @ (1 + np.abs(w))
        J, found = _slopes(w, rates)
        if np.all(np.abs(step) <= WRITTEN * (1 + np.abs(w / columns))):
            break
    return w, np.abs(rows * found)[:m] - HALF_THE_DIGITS * size[:m]


def change_at_rest(J: np.ndarray, rates: np.ndarray, m: int) -> np.ndarray:
    """The change (n,) of the unknowns that keeps the first m of some rates zero, and others as near as they can be.

    The rates (m + k,) are those at fixed unknowns, J (m + k, n) their derivatives by these.
    """
    rows, columns = _scales(J)
    return np.asarray(columns * _step(rows[:, None] * J * columns, -rows * rates, m))


def _step(A: np.ndarray, b: np.ndarray, m: int) -> np.ndarray:
    """The x (n,) with A x = b in the first m rows, and as near to it as it can be in the others."""
    step = np.linalg.lstsq(A[:m], b[:m], rcond=HALF_THE_DIGITS)[0]
    _, sizes, Vt = np.linalg.svd(A[:m])
    free = Vt[int(np.sum(sizes > HALF_THE_DIGITS * sizes.max(initial=0.0))) :].T
    if free.size and len(A) > m:
        B = A[m:] @ free
        B[np.abs(B) <= HALF_THE_DIGITS * np.abs(A[m:]).max()] = 0.0  # round-off of directions that change no rate
        step = step + free @ np.linalg.lstsq(B, b[m:] - A[m:] @ step, rcond=HALF_THE_DIGITS)[0]
    return np.asarray(step)


def _slopes(w: np.ndarray, rates: Callable[[np.ndarray], Any]) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives (m + k, n) of all rates by central differences, and the rates (m + k,).

    A rate that nothing changes, such as in the gap of a shaft, is looked at over longer and longer steps.
    """

    def whole(x: np.ndarray) -> np.ndarray:
        return np.concatenate(rates(x))

    here = whole(w)
    J = np.zeros((len(here), len(w)))
    for step in (DIFFERENCE, np.sqrt(DIFFERENCE), 1.0):
        dead = ((here != 0) | (step == DIFFERENCE)) & ~J.any(axis=1)
        for k in range(len(w)) if dead.any() else ():
            h = np.zeros(len(w))
            h[k] = step * (1 + abs(w[k]))
            J[dead, k] = ((whole(w + h) - whole(w - h)) / (2 * h[k]))[dead]
    if not np.isfinite([*here, *J.ravel()]).all():
        cure = "look for a division by zero, a root of something negative, or a size that no machine has"
        raise ModelError(Issue("no start at rest is found: a rate is not finite", cure, ("initial", "equilibrium")))
    return J, here


def _scales(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scales of rows and columns with which the largest entries of each are near 1."""
    rows, columns = np.ones(J.shape[0]), np.ones(J.shape[1])
    for _ in range(ROUNDS):
        for axis, scale in ((1, rows), (0, columns)):
            largest = np.abs(rows[:, None] * J * columns).max(axis=axis, initial=0.0)
            scale /= np.sqrt(np.where(largest > 0, largest, 1.0))
    return rows, columns
