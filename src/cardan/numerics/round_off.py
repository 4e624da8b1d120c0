"""What rounding leaves of a number that would be zero, over the size of the numbers it was computed from.

A test for zero takes one of these; a number of its own beside them needs a derivation.
"""

BITS = 53  # digits of a double, and most steps of Newton's method: where roots coincide, each step halves the error
EPSILON = 2.0**-52  # distance from 1 to the next double [-]
DIFFERENCE = EPSILON ** (1 / 3)  # step of a central difference over the size: truncation and round-off balance [-]
HALF_THE_DIGITS = EPSILON**0.5  # error of Newton's method of which one more step would leave round-off [-]
ROUND_OFF_OF_SUM = 64 * EPSILON  # round-off of one sum of products [-]
ROUND_OFF = 1e-12  # round-off of a position, a factorisation or a solution for a whole mechanism: 4500 roundings [-]
SINGULAR = 1e-13  # pivot or eigenvalue over the largest that is round-off of a factorisation: hundreds of roundings [-]
NEGLIGIBLE = 1e-9  # share of the whole that counts as zero or as no change [-]: a thousand times the round-off
SIX_DIGITS = 1e-6  # what writing a number with seven digits changes [-]; a forgotten sign or wrong unit changes more
CLOSED = 1e-10  # largest residual of closed loops in a state of a run; slower motions have no direction [m, rad; /s]
WRITTEN = 1e-9  # difference of two numbers that a person wrote, or computed, to be equal [-]
TINY = 1e-300  # least divisor, and least square of a root: no number beside any other, but not zero
GAP = 4.0  # distance from a jump beyond which an expression is smooth [round-off of t]; t/c may be evaluated as t·(1/c)
ABSOLUTE = 0.01  # absolute over relative tolerance where only the latter is given [-]: 1e-10 beside 1e-8


def absolute_tolerance(rtol: float) -> float:
    """Return the absolute tolerance of a state of size 1 that goes with a relative one, round-off at least."""
    return max(ABSOLUTE * rtol, ROUND_OFF_OF_SUM)
