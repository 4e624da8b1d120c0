"""The tuned numbers of this room, each with its derivation.

r is the distance to a singular position [-]: the root of the smallest pivot of Φq M⁻¹ Φqᵀ over its usual size, so that
it grows linearly from zero. Three laws say how errors grow beside a singular position:

* round-off: an error ε of positions changes directions of velocities, hence accelerations, by ε/r²;
* tolerance: a step with the relative error rtol changes velocities by rtol/r;
* drift: two branches are about r apart and meet at an angle of about r, so that a position with the drift δ belongs to
  its branch only as long as δ is small compared with r².

The integrator follows the same laws; `integration.loop.guard` contains its thresholds.
"""

# closed loops
ASIDE = 0.5  # largest correction over the displacement that it corrects [-]; a larger one leads to another branch
ITERATIONS = 60  # largest number of iterations: at a singular position each one halves the error, and 2⁻⁶⁰ < ε

# singular positions
SINGULAR = 1e-4  # singular value over its usual size that counts as zero [-]: its error in a closed position is 1e-6
NEAR = 0.1  # share of the largest value that counts as small [-]: for distances, and for parts of a dependence
SPACING = 0.1  # distance of two samples in any coordinate [rad, m]: half the width of a minimum of r in a thin loop
SAMPLES = 1_000_000  # number of coordinates in all samples of a run: one second; larger only if the run has more steps

# drift of a run without projection: δ/r²
OPEN = 0.02  # largest drift over r² on a known branch [-]: with 0.03, 3 of 8000 test runs are wrong by 1 mrad
APART = 5e-3  # drift at which loops count as open, at any distance from singular positions [m, rad]

# limits of accelerations and multipliers: round-off 1e-15/r² on one side, polynomials with errors of r⁴ on the other
BESIDE = 5e-3  # distance r below which limits replace the equations [-]: there damping changes accelerations by 1e-6
SMOOTH = 1e-6  # largest difference of polynomials of degree 4 and 2 over the accelerations [-]; errors are 1e-2 of it
LOST = 1e-5  # singular value over the largest below which limits are NaN [-]: errors of 1e-13 in positions give 1e-3
TRIES = 12  # number of spacings tried, each half of the last, and of Newton steps that close an interpolated position

# search from random positions
STARTS = 30  # number of random start positions, each leading to one set; number of positions that represent a run
STEP = 0.3  # longest Newton step [rad, m]: a twentieth of a turn leads to the nearest singular position
SAME = 1e-5  # largest difference of positions that count as one, and of singular values that count as zero [rad, m, -]
FOUND = 0.01 * SAME**2  # largest singular value in a position found [-]: a double zero is then known to SAME/10
