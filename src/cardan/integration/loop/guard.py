"""What singular positions need of the integrator: which steps to refuse, where the velocities turned."""

from __future__ import annotations

import math

from cardan.codegen.kernels import Address, doubles
from cardan.integration.loop.evaluation import square
from cardan.integration.loop.records import ProblemRecord, RunRecord

# r: distance to a singular position [-]
CLEAR = 0.1  # r above which one converged projection suffices; below it, residual/r² still turns the velocities
NOISE = 1e-11  # turn of velocities by round-off, times r² [-]: of chains of a hundred loops
PASSAGE = 1e4  # largest residual beside a singular position over the tolerance of projection [-]; later steps reduce it
TURN = 0.1  # relative change of the velocities by a projection that is no correction of an error any more [-]
TURNED = 1e-3  # relative change of the velocities by a projection for which a step is tried once more [-]
MOVED = 30.0  # change of positions between steps by projection, in errors allowed [-]; regular steps stay below 10


def turned_at_first_try(problem: ProblemRecord, run: RunRecord) -> bool:
    """Return whether the projection of this step has turned the velocities, in its first try.

    A stage that comes to lie on a singular position by chance takes part with an acceleration without bound; a step
    that ends elsewhere has other stages.
    """
    return run.attempts == 0 and run.part == 0 and turned(problem, run)


def ends_badly(problem: ProblemRecord, run: RunRecord) -> bool:
    """Return whether a step, in its first try, ends so near a singular position that its velocities are not well known.

    Round-off of positions turns them by some NOISE over the square of the distance. The step comes from twice as far
    at least; one that ends elsewhere leads over the position.
    """
    bad = min(math.sqrt(NOISE / problem.rtol), 0.5 * CLEAR)
    return run.attempts == 0 and run.nearness_new < bad and run.nearness > 2.0 * bad


def turned(problem: ProblemRecord, run: RunRecord) -> bool:
    """Return whether a projection has turned the velocities by more than the error of a step."""
    return run.turn > max(TURNED, 10.0 * problem.rtol)


def displacement(problem: ProblemRecord, run: RunRecord, row: Address) -> float:
    """Return how far a projection has moved the positions of `row`, over the error allowed; 0 without one."""
    if problem.project == 0:
        return 0.0
    x, free, atol, largest = doubles(row), doubles(run.x_free), doubles(problem.atol), 0.0
    for i in range(problem.nq):
        largest = max(largest, abs(x[i] - free[i]) / (atol[i] + problem.rtol * abs(free[i])))
    return largest


def measure_turn(problem: ProblemRecord, run: RunRecord, x: Address) -> None:
    """Remember how far the projection that led to x has turned the velocities, if that is the most of this step."""
    change, before, after = 0.0, 0.0, 0.0
    slow = math.sqrt(problem.project_tolerance)  # velocity that has no direction: its square is below the tolerance
    free, state, start = doubles(run.x_free), doubles(x), doubles(run.x)
    for i in range(problem.nq, problem.nq + problem.nv):
        change += square(state[i] - free[i])
        before += square(start[i])
        after += square(free[i])
    run.turn = max(run.turn, math.sqrt(change) / (math.sqrt(max(before, after)) + slow))


def note_jump(run: RunRecord) -> None:
    """Remember the start of the first step whose projection has turned the velocities; begin the next step without."""
    if run.turn > TURN and run.jumped == 0:
        run.jumped = 1
        run.t_jump = doubles(run.log_t)[run.logged - 1] if run.logged > 0 else run.t
    run.turn = 0.0
