"""The numbers of this room that were chosen, each with its reason.

r is the distance to a singular position [-]: the root of the smallest pivot of Φq M⁻¹ Φqᵀ over its usual size, so that
it grows linearly from zero. Three laws say how errors grow beside a singular position:

* round-off: an error ε of positions changes directions of velocities, hence accelerations, by ε/r²;
* tolerance: a step with the relative error rtol changes velocities by rtol/r;
* drift: two branches are about r apart, and the slope between them is about r, so that a position that drifts by δ
  belongs to its branch only while δ is small against r².

The integrator follows the same laws; what it needs of them is in `integration.loop.guard`.
"""

from __future__ import annotations

__all__ = [
    "APART",
    "ASIDE",
    "BESIDE",
    "CLOSED",
    "FOUND",
    "ITERATIONS",
    "LOST",
    "NEAR",
    "OPEN",
    "SAME",
    "SAMPLES",
    "SINGULAR",
    "SMOOTH",
    "SPACING",
    "STARTS",
    "STEP",
    "TRIES",
]

# closed loops
CLOSED = 1e-10  # residual of closed loops [m, rad]: the tolerance of projection; smaller velocities have no direction
ASIDE = 0.5  # correction over the displacement that it corrects [-]; a larger one leads to another branch
ITERATIONS = (
    60  # steps of Newton, Levenberg or golden section: an error halves in each at a singular position, 2⁻⁶⁰ < ε
)

# singular positions
SINGULAR = 1e-4  # singular value over its usual size that counts as lost [-]: closed to 1e-12, √ε/r of it is 1e-6
NEAR = 0.1  # part of the largest value that counts as small [-]: distances, shares in a dependence
SPACING = 0.1  # distance of two samples in any coordinate [rad, m]: half the width of a minimum of r in a thin loop
SAMPLES = 1_000_000  # coordinates in all samples of one run, evaluated in a second; more only where steps are more

# drift of a run that nothing projects: δ/r²
OPEN = 0.02  # drift over r² that still tells the branch [-]: with 0.03, 3 of 8000 runs of the sweep are wrong by 1 mrad
APART = 5e-3  # drift of loops that are open [m, rad], however far the singular position is

# limits of accelerations and multipliers: round-off 1e-15/r² on one side, polynomials with errors of r⁴ on the other
BESIDE = 5e-3  # r below which limits replace the equations, whose damping is 2e-11/r²: 1e-6 of an acceleration
SMOOTH = 1e-6  # difference of the polynomials of degree 4 and 2 over the accelerations [-]: errors are 1e-2 of it
LOST = 1e-5  # singular value over the largest, below which nothing is told [-]: positions to 1e-13 give 1e-3 there
TRIES = 12  # spacings of the interpolated positions, each half as large; Newton steps that close them

# search from random positions
STARTS = 30  # random positions, of which each finds one of a few sets; positions that stand for a whole run
STEP = 0.3  # longest step [rad, m]: a twentieth of a turn keeps to the nearest singular position
SAME = 1e-5  # difference of positions that are one, and of ranks [rad, m, -]
FOUND = 0.01 * SAME**2  # singular value in a position found [-]: a double zero is then known to SAME/10
