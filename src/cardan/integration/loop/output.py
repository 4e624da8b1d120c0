"""Output of a run: states at the requested instants, and the log of steps.

Several instants are projected side by side, in arrays [entry][lane]. Newton's method goes on until the last lane has
converged. A lane that has converged keeps its state: an instant gets the steps that it would get alone, so that results
do not depend on which instants share a call.
"""

from __future__ import annotations

from cardan.codegen.kernels import LINE, Address, call, doubles, line, lines, select
from cardan.integration.loop.evaluation import advance_from, combine, combine_rows, copy, segment_time, smallest_step
from cardan.integration.loop.guard import CLEAR, MOVED, PASSAGE, displacement, note_jump, turned
from cardan.integration.loop.method_record import MethodRecord
from cardan.integration.loop.projection import PROJECTIONS, approach, settle
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord


def emit_start(problem: ProblemRecord, run: RunRecord) -> None:
    """Write the requested instants at the start."""
    times = doubles(problem.times)
    while run.requested < problem.instants and times[run.requested] <= run.t:
        put(problem, run, times[run.requested], run.x)
        run.requested += 1


def put(problem: ProblemRecord, run: RunRecord, t: float, row: Address) -> None:
    """Append an instant, with the state and the quadratures in `row`, to those that are returned."""
    n, works = problem.n, problem.size - problem.n
    copy(row, run.X + BYTES * run.outputs * n, n)
    copy(row + BYTES * n, run.W + BYTES * run.outputs * works, works)
    doubles(run.T)[run.outputs] = t
    run.outputs += 1


def emit(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float, h: float, measured: int) -> bool:
    """Write the requested instants in (t, t_new] from the step x → x_new, and its end if that is returned too.

    The continuous extension is that of a step over `h`, which an event may have cut at t_new; its correction is
    `measured` then.

    At t_new itself, up to round-off, the state is x_new; before it the continuous extension of `method`, led to x_new
    and projected. Near a singular position a projection may turn the velocities: there only the positions are
    projected, or nothing if the projection does not converge; the motion goes on from x_new in any case. Return whether
    the extension fulfils the constraints at every instant written.
    """
    times, row, sound, single = doubles(problem.times), run.x_out, True, 0
    scale = 1.0 if method.increments != 0 else h
    turn, nearness = run.turn, run.nearness_new  # of the step's end
    run.moved = 0.0
    end = t_new - smallest_step(problem, t_new)
    if problem.project != 0 and measured == 0 and run.requested < problem.instants and times[run.requested] < end:
        measure_correction(method, problem, run, scale)
    many = run.requested + method.dense_rows - 1  # from so many instants on, powers of θ take less time
    expanded = run.extended  # in a step that was searched for events
    if expanded == 0 and many < problem.instants and times[many] < end:
        expand(method, problem, run, scale)
        expanded = 1
    while run.requested < problem.instants and times[run.requested] <= t_new:
        now = times[run.requested]
        if now < end and single == 0 and run.lanes > 0:
            single = -emit_lanes(method, problem, run, end, h, scale, expanded)
        if single < 0:
            run.requested -= single + 1  # that many are written
            single = 0
        elif now >= end:
            put(problem, run, now, run.x_new)
        else:
            single = max(single - 1, 0)
            extend_to(method, problem, run, (now - run.t) / h, scale, expanded, row)
            run.turn = 0.0
            closed = settle(problem, run, now, row)
            if closed and (run.nearness_new >= CLEAR or not turned(problem, run)):
                run.moved = max(displacement(problem, run, row), run.moved)
            else:
                first = problem.nq if closed else 0
                copy(run.x_free + BYTES * first, row + BYTES * first, problem.n - first)
                sound = sound and approach(problem, run, now, run.x_free) <= max(
                    PASSAGE * problem.project_tolerance, 10.0 * problem.rtol
                )
            put(problem, run, now, row)
        run.requested += 1
    run.turn, run.nearness_new = turn, nearness
    before = doubles(run.T)[run.outputs - 1] if run.outputs > 0 else 0.0
    if t_new - before >= problem.gap and run.outputs < problem.rows:
        put(problem, run, t_new, run.x_new)
    return sound and run.moved <= MOVED


def emit_lanes(
    method: MethodRecord, problem: ProblemRecord, run: RunRecord, end: float, h: float, scale: float, expanded: int
) -> int:
    """Write the next requested instants before `end`, as many as there are lanes, projected side by side.

    Return their number; or minus that, with no output, where one of them is near a singular position, or is the only
    one: they are to be projected one by one. `scale` and `expanded` are those of `extend_to`.
    """
    times, count, stride = doubles(problem.times), 0, BYTES * problem.stride
    while count < run.lanes and run.requested + count < problem.instants and times[run.requested + count] < end:
        count += 1
    if count < 2:
        return -count
    for lane in range(run.lanes):
        k = min(lane, count - 1)
        now, row = times[run.requested + k], run.lane_rows + stride * k
        if k == lane:
            extend_to(method, problem, run, (now - run.t) / h, scale, expanded, row)
        spread(problem, run, now, row, lane)
    if not converge(problem, run):
        return -count
    found, state = doubles(run.lane_input + BYTES * run.lanes), doubles(run.x_out)
    for lane in range(count):
        copy(run.lane_rows + stride * lane, run.x_free, problem.n)
        copy(run.lane_rows + stride * lane, run.x_out, problem.size)
        for i in range(problem.n):
            state[i] = found[i * run.lanes + lane]
        run.moved = max(displacement(problem, run, run.x_out), run.moved)
        put(problem, run, times[run.requested + lane], run.x_out)
    return count


def extend_to(
    method: MethodRecord,
    problem: ProblemRecord,
    run: RunRecord,
    theta: float,
    scale: float,
    expanded: int,
    row: Address,
) -> None:
    """Write the continuous extension at `theta` into `row`, led to the end of the step: of the stages times `scale`, or
    where they are `expanded` from the rows of `expand`.
    """
    if expanded == 0:
        weigh(method.dense, method.dense_rows, method.stages, theta, run.weights)
        interpolate(problem, run, method.stages, scale, row)
        if problem.project != 0:
            correct(problem, run, theta, row)
        return
    weights, rows, beta = doubles(run.weights), method.dense_rows, 1.0
    for r in range(rows):
        beta *= theta if r % 2 == 0 else 1.0 - theta
        weights[r] = beta
    if problem.project != 0:
        weights[rows] = share(theta)
        rows += 1
    combine_rows(problem, run.powers, run.weights, rows, problem.size, row)
    advance_from(run, 1.0, problem.size, row)


def differentiate(
    method: MethodRecord, problem: ProblemRecord, run: RunRecord, theta: float, h: float, row: Address
) -> None:
    """Write the slope of the continuous extension at `theta` of a step over `h` into `row`, after `expand`."""
    weights, rows, beta, slope = doubles(run.weights), method.dense_rows, 1.0, 0.0
    for r in range(rows):
        factor = theta if r % 2 == 0 else 1.0 - theta
        slope = slope * factor + (beta if r % 2 == 0 else -beta)
        beta *= factor
        weights[r] = slope / h
    if problem.project != 0:
        weights[rows] = 6.0 * theta * (1.0 - theta) / h
        rows += 1
    combine_rows(problem, run.powers, run.weights, rows, problem.size, row)


def expand(method: MethodRecord, problem: ProblemRecord, run: RunRecord, scale: float) -> None:
    """Write the rows that θ, θ(1−θ), θ²(1−θ), … multiply in the continuous extension, of the stages times `scale`, and
    last what `correct` adds.
    """
    for r in range(method.dense_rows):
        row = run.powers + BYTES * r * problem.stride
        combine(problem, run, method.dense + BYTES * r * method.stages, method.stages, problem.size, row)
        entries = doubles(row)
        for i in range(problem.size):
            entries[i] = scale * entries[i]
    if problem.project != 0:
        last, missing = doubles(run.powers + BYTES * method.dense_rows * problem.stride), doubles(run.errors)
        for i in range(problem.n):
            last[i] = missing[problem.stride + i]
        for i in range(problem.n, problem.size):
            last[i] = 0.0


def weigh(dense: Address, rows: int, stages: int, theta: float, weights: Address) -> None:
    """Write the `weights` of the `stages` at `theta`: Σ_r β_r(θ) dense[r] over the `rows`, β = θ, θ(1−θ), θ²(1−θ), …"""
    table, row = doubles(dense), doubles(weights)
    for s in range(stages):
        row[s] = 0.0
    beta = 1.0
    for r in range(rows):
        beta *= theta if r % 2 == 0 else 1.0 - theta
        for s in range(stages):
            row[s] += beta * table[r * stages + s]


def interpolate(problem: ProblemRecord, run: RunRecord, stages: int, scale: float, row: Address) -> None:
    """Write x + scale Σ_s weights[s] K[s] into `row`, s over the `stages`."""
    size, x, target, change = problem.size, doubles(run.x), doubles(row), doubles(run.errors)
    combine(problem, run, run.weights, stages, size, run.errors)
    for i in range(size):
        target[i] = x[i] + scale * change[i]


def measure_correction(method: MethodRecord, problem: ProblemRecord, run: RunRecord, scale: float) -> None:
    """Write what the projection has added to the end of the step, x_new − x(θ = 1), into the second row of `errors`.

    Its continuous extension is of the stages times `scale`.
    """
    missing = doubles(run.errors + BYTES * problem.stride)
    weigh(method.dense, method.dense_rows, method.stages, 1.0, run.weights)
    interpolate(problem, run, method.stages, scale, run.errors + BYTES * problem.stride)
    x_new = doubles(run.x_new)
    for i in range(problem.n):
        missing[i] = x_new[i] - missing[i]


def correct(problem: ProblemRecord, run: RunRecord, theta: float, row: Address) -> None:
    """Add the share of the correction at `theta` to `row`."""
    missing, target = doubles(run.errors + BYTES * problem.stride), doubles(row)
    part = share(theta)
    for i in range(problem.n):
        target[i] += part * missing[i]


def share(theta: float) -> float:
    """Return the share of the correction at `theta`; its slope is zero at both ends (cubic Hermite)."""
    return theta * theta * (3.0 - 2.0 * theta)


def log(problem: ProblemRecord, run: RunRecord) -> None:
    """Append the state at t to the log of steps, if it is far enough from the last entry."""
    note_jump(run)
    T, count = doubles(run.log_t), run.logged
    if count < problem.log_rows and (count == 0 or run.t - T[count - 1] >= problem.log_gap):
        copy(run.x, run.log_x + BYTES * count * problem.size, problem.size)
        doubles(run.log_nearness)[count] = run.nearness
        T[count] = run.t
        run.logged += 1


def spread(problem: ProblemRecord, run: RunRecord, t: float, row: Address, lane: int) -> None:
    """Write (t, x, u(t), p) into one lane of the input, with x in `row`."""
    n, m, s, lanes = problem.n, problem.m, run.segment, run.lanes
    goal, state, given = doubles(run.lane_input), doubles(row), doubles(run.input)
    c0, c1, c2, c3 = doubles(problem.c0), doubles(problem.c1), doubles(problem.c2), doubles(problem.c3)
    now = segment_time(problem, run, t)
    goal[lane] = now
    for i in range(n):
        goal[(1 + i) * lanes + lane] = state[i]
    d = now - doubles(problem.begin)[s]
    for j in range(m):
        k = s * m + j
        goal[(1 + n + j) * lanes + lane] = c0[k] + d * (c1[k] + d * (c2[k] + d * c3[k]))
    for i in range(1 + n + m, problem.after):
        goal[i * lanes + lane] = given[i]


def converge(problem: ProblemRecord, run: RunRecord) -> bool:
    """Project the states in the lanes of the input, in place; return whether all could be, away from singular
    positions: near these, one state at a time is examined closer.
    """
    n, lanes = problem.n, run.lanes
    found, closed = doubles(run.lane_output), doubles(run.lane_closed)
    for lane in range(LINE):
        closed[lane] = 0.0
    for _ in range(PROJECTIONS):
        call(run.project_lanes, run.lane_input, run.lane_output, run.work)
        take_open_lanes(problem, run)
        still_open = 0
        for lane in range(lanes):
            if closed[lane] == 0.0:
                if not found[(n + 1) * lanes + lane] >= CLEAR:  # NaN too
                    return False
                if found[n * lanes + lane] <= problem.project_tolerance:
                    closed[lane], closed[lane + LINE - lanes] = 1.0, 1.0
                else:
                    still_open += 1
        if still_open == 0:
            return True
    return False


def take_open_lanes(problem: ProblemRecord, run: RunRecord) -> None:
    """Copy the states of the output that have not yet converged into the input."""
    size, closed = problem.n * run.lanes, doubles(run.lane_closed)
    origin, goal = lines(run.lane_output), lines(run.lane_input + BYTES * run.lanes)
    for i in range(size // LINE):
        goal[i] = select(lines(run.lane_closed)[0] == line(0.0), origin[i], goal[i])
    single, place = doubles(run.lane_output), doubles(run.lane_input + BYTES * run.lanes)
    for i in range(size - size % LINE, size):
        if closed[i % LINE] == 0.0:
            place[i] = single[i]
