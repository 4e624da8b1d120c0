"""Search for events within a step: where crossing functions change their sign.

At the end of a step the functions g and their rates are known there. Where no g would reach zero within a step at its
rate, here and at the start, the cubics through both ends keep their signs: there is no event, and nothing more is
computed; after such a step the functions themselves say by one number more whether that is still so (calm steps). Nor
is anything computed where g is nearly straight between both ends. Elsewhere an event is searched for where a sign has
changed, where values and slopes at both ends do not show that g keeps its sign, or just after an event, where g is
still round-off, if it is not monotone from there. Then g and its rates are sampled along the continuous extension: at
eighths of the step, and after an event at instants that grow fourfold from the shortest step on, since the next event
may follow at once. A part at whose ends values and slopes do not show that g passes zero once at most is halved until
they do. The first change of sign is located by the Illinois method, bisected every third time. A step that is taken
again up to an event is sampled in its last eighth.

What is missed: a function that crosses zero and comes back within a step or part although its values and slopes at both
ends are those of a curve far from zero, a straight or a monotone one, as they may happen to be where a sine turns about
once in between.

Source: Dowell & Jarratt, BIT 11 (1971) 168 (Illinois method); Shampine & Thompson, Comput. Math. Appl. 39 (2000) 43
(events on continuous extensions); Fritsch & Carlson, SIAM J. Numer. Anal. 17 (1980) 238 (monotone cubics); Farin,
Curves and Surfaces for CAGD (2002), 4.3 (a cubic lies in the hull of its control points).
"""

from __future__ import annotations

import math

from cardan.codegen.kernels import Address, call, doubles
from cardan.integration.events import EITHER, FALLING, INVARIANT, RISING
from cardan.integration.loop.evaluation import copy, load, smallest_step
from cardan.integration.loop.method_record import MethodRecord
from cardan.integration.loop.output import differentiate, expand, extend_to, measure_correction
from cardan.integration.loop.records import BYTES, ProblemRecord, RunRecord
from cardan.numerics.round_off import EPSILON

PARTS = 8.0  # equal parts of a step at whose ends the functions are sampled
GROWTH = 4.0  # ratio of instants that are sampled just after an event
KNOWN = 2.0  # |g| over its noise above which the sign of g is known. Above 1: an event may leave |g| equal to the
# noise, as all events do of a motion that slides along g = 0, and such a sign has to count as round-off
EXPECTED = 0.5  # side, without its sign, on which a function has not been seen since its last event, but should be
REACH = 3.0  # ratio of the longest step that keeps its sign after an end that is far to the step that ended there
SAMPLES = 200  # largest number of samples for one root, and to halve parts of a step; a root may need 3·53


def measure(problem: ProblemRecord, run: RunRecord, t: float, x: Address, rates: Address, target: Address) -> None:
    """Write (g, dg/dt) at (t, x), where dx/dt are the `rates`, into `target`."""
    load(problem, run, t, x)
    call(problem.crossings, run.input, target, run.work, rates)


def measure_end(problem: ProblemRecord, run: RunRecord) -> None:
    """Write (g, dg/dt) at the end of a step that an attempt has just made into `g_new`.

    The last thing that an attempt does is to evaluate f at its end: (t, x, u, p) is in the input row.
    """
    call(problem.crossings, run.input, run.g_new, run.work, run.end_rates)


def stays_calm(problem: ProblemRecord, run: RunRecord) -> bool:
    """Return whether all functions are far from zero at both ends of a calm step; write `g_new`.

    Then the step has no events; that is so in nearly every step. The functions judge it themselves.
    """
    if run.calm == 0:
        return False
    measure_end(problem, run)
    return doubles(run.near)[0] <= 0.0


def stays_clear(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float) -> bool:
    """Return whether a step to t_new has no events for certain; write `g_new`.

    If all functions are far from zero at its end, the next step may be calm.
    """
    h = t_new - run.t
    if problem.crossed > 0:
        if run.calm == 0:  # else `stays_calm` has done it
            measure_end(problem, run)
        if not (h <= run.reach and are_far(problem, run, h)):
            return stays_straight(method, problem, run, t_new)
        expect_calm(method, problem, run, h)
    return True


def expect_calm(method: MethodRecord, problem: ProblemRecord, run: RunRecord, h: float) -> None:
    """Note that all functions are far from zero at the end of a step h: a step of up to REACH h may follow.

    The steps that follow are calm if they are no longer than this `reach`, and all functions are far from zero for it
    at their ends: the functions judge that by s = ± 1/reach. Of runs side by side none is calm.
    """
    s, side = doubles(run.input + BYTES * problem.after), doubles(run.side)
    run.reach = REACH * h
    run.calm = 0
    if problem.width == 1 and run.clear == 1:
        run.calm, run.near = 1 if method.last >= 0 else 2, run.g_new + BYTES * 2 * problem.crossed
        for j in range(problem.crossed):
            s[j] = side[j] / run.reach


def are_far(problem: ProblemRecord, run: RunRecord, h: float) -> bool:
    """Return whether all functions are far from zero, on their sides, at the end of a step h."""
    k, g, side = problem.crossed, doubles(run.g_new), doubles(run.side)
    for j in range(k):
        distance = side[j] * g[j]
        if not is_far(distance, h * g[k + j]):
            return False
    return True


def is_far(distance: float, change: float) -> bool:
    """Return whether a function at this `distance` from zero would not reach it in a step at its rate, to either side.

    The `change` is that of the step at this rate. The cubic through the values a, b and changes da, db at the ends of a
    step lies between the least and the largest of a, a + da/3, b − db/3 and b (Bézier): if both ends are far, or the
    first is with da/3, it stays on its side of zero. A function that rests at zero is far.
    """
    return abs(change) <= distance


def stays_straight(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float) -> bool:
    """Return whether a step to t_new that may end near zero surely has no events; measure `g` where it is not known.

    It has none if it begins where all is clear, and each function stays on its side of zero and is nearly straight, or
    is zero throughout. Then the functions at its end become those at the start of the next one.
    """
    if run.t_g != run.t:
        measure(problem, run, run.t, run.x, run.K + BYTES * method.first_row * problem.stride, run.g)
        run.t_g = run.t
    run.reach, run.calm = 0.0, 0
    if run.clear == 0:
        return False
    h, old = t_new - run.t, run.g
    k, g, g_new, side = problem.crossed, doubles(run.g), doubles(run.g_new), doubles(run.side)
    for j in range(k):
        least = min(side[j] * g[j], side[j] * g_new[j])
        if not is_straight(least, g_new[j] - g[j], h * g[k + j], h * g_new[k + j]):
            return False
    far = are_far(problem, run, h)
    run.g, run.g_new, run.t_g = run.g_new, old, t_new
    if far:
        expect_calm(method, problem, run, h)
    return True


def is_straight(least: float, change: float, da: float, db: float) -> bool:
    """Return whether a function that begins and ends on one side of zero, at the distance `least` or more, stays there.

    It is nearly straight: its slopes da and db at both ends are its `change` up to this distance. The cubic through
    these values is off the chord by θ(1 − θ) ((1 − θ) (da − change) − θ (db − change)): by a quarter of it at most.
    """
    return abs(da - change) <= least and abs(db - change) <= least


def is_clear(problem: ProblemRecord, run: RunRecord) -> int:
    """Return 1 if at t all signs of functions are known, no event is ahead or at hand or has only just been made.

    The sign of a function that is zero is known while it rests there.
    """
    k, g, noise, fired, directions = (
        problem.crossed,
        doubles(run.g),
        doubles(run.noise),
        doubles(run.fired),
        doubles(problem.directions),
    )
    if run.aimed == 1 or run.unfollowed > 0:
        return 0
    for j in range(k):
        if fired[j] != 0.0 or noise[j] != 0.0 or (directions[j] == INVARIANT and g[j] < 0.0):
            return 0
        if g[j] == 0.0 and g[k + j] != 0.0:
            return 0
    return 1


def detect(method: MethodRecord, problem: ProblemRecord, run: RunRecord, t_new: float) -> int:
    """Detect the first event in the step to t_new; return 1 and set `theta` and `fired` if there is one, else 0.

    The functions at its end are in `g_new`.
    """
    h, fired = t_new - run.t, doubles(run.fired)
    if not is_near(problem, run, h):
        return 0
    run.searched = 1
    for j in range(problem.crossed):
        fired[j] = 0.0
    copy(run.side, run.side_new, problem.crossed)
    copy(run.noise, run.noise_new, problem.crossed)
    method.extend(problem, run, t_new)
    scale = 1.0 if method.increments != 0 else h
    if problem.project != 0:
        measure_correction(method, problem, run, scale)
        run.measured = 1
    expand(method, problem, run, scale)
    run.extended = 1
    return bracket(method, problem, run, h)


def is_near(problem: ProblemRecord, run: RunRecord, h: float) -> bool:
    """Return whether a function changes its sign over the step, may do so within it, or has a sign not known at t."""
    k, near = problem.crossed, False
    g, g_new, noise = doubles(run.g), doubles(run.g_new), doubles(run.noise)
    side, directions = doubles(run.side), doubles(problem.directions)
    for j in range(k):
        a, b, rate, rate_new = g[j], g_new[j], g[k + j], g_new[k + j]
        if abs(a) <= noise[j]:
            still = a == 0.0 and b == 0.0 and rate == 0.0 and rate_new == 0.0
            gone = abs(b) > noise[j] and not happens(int(directions[j]), side[j], b)
            near = near or not (still or (gone and crosses_once(a, b, h * rate, h * rate_new)))
        elif happens(int(directions[j]), side[j], b):
            near = True
        elif a * b > 0.0 and not (a < 0.0 and directions[j] == INVARIANT):
            near = near or not crosses_once(a, b, h * rate, h * rate_new)
    return near


def happens(direction: int, side: float, value: float) -> bool:
    """Return whether a function of this `direction`, last seen on a `side` of zero, makes its event with a `value`."""
    if direction == INVARIANT:
        return value < 0.0
    if direction == RISING:
        return side < 0.0 and value > 0.0
    if direction == FALLING:
        return side > 0.0 and value < 0.0
    return direction == EITHER and side * value < 0.0


def crosses_once(a: float, b: float, da: float, db: float) -> bool:
    """Return whether the cubic from a to b with slopes da and db crosses zero once at most: not at all if a b > 0.

    It is nearly straight; or monotone, as it is with slopes between 0 and twice that of the chord (Fritsch & Carlson
    1980: up to three times).
    """
    change, least = b - a, min(abs(a), abs(b))
    return (a * b > 0.0 and is_straight(least, change, da, db)) or (
        abs(da - change) <= abs(change) and abs(db - change) <= abs(change)
    )


def note_signs(problem: ProblemRecord, values: Address, sides: Address, noises: Address) -> None:
    """Note the signs of the functions that have the `values` now, of those that are known, in `sides` and `noises`."""
    g, side, noise = doubles(values), doubles(sides), doubles(noises)
    for j in range(problem.crossed):
        if abs(g[j]) > KNOWN * noise[j]:
            side[j], noise[j] = 1.0 if g[j] > 0.0 else -1.0, 0.0


def bracket(method: MethodRecord, problem: ProblemRecord, run: RunRecord, h: float) -> int:
    """Sample the functions along the step over `h` up to the first event; return 1 if there is one, else 0."""
    k, low, first, found, end, left = problem.crossed, 0.0, 1.0 / PARTS, 0, run.t + h, SAMPLES
    g, at, noise, fired = doubles(run.g), doubles(run.g_at), doubles(run.noise_new), doubles(run.fired)
    side, directions, shortest = doubles(run.side_new), doubles(problem.directions), smallest_step(problem, end) / h
    copy(run.g, run.g_low, 2 * k)
    if run.aimed == 1 and abs(end - run.cut) <= smallest_step(problem, end):
        first = 1.0 - first  # the step that was cut here had no event before
    for j in range(k):
        if abs(g[j]) <= noise[j]:
            first = min(first, smallest_step(problem, run.t) / h)
    while low < 1.0 and found == 0:
        theta = next_sample(low, first)
        sample_slopes(method, problem, run, h, theta)
        while left > 0 and theta - low > shortest and not is_resolved(problem, run, (theta - low) * h):
            theta = low + 0.5 * (theta - low)
            sample_slopes(method, problem, run, h, theta)
            left -= 1
        for j in range(k):
            fired[j] = 0.0
            if abs(at[j]) > noise[j] and happens(int(directions[j]), side[j], at[j]):
                fired[j], found = 1.0, 1
        if found == 0:
            note_signs(problem, run.g_at, run.side_new, run.noise_new)
            copy(run.g_at, run.g_low, 2 * k)
            low = theta
        else:
            locate(method, problem, run, h, low, theta)
    return found


def next_sample(low: float, first: float) -> float:
    """Return the instant after `low` at which the functions are sampled, `first` being the first one."""
    if low < first:
        return first
    if low * GROWTH < 1.0 / PARTS:
        return low * GROWTH
    return min((float(int(PARTS * low + 1e-9)) + 1.0) / PARTS, 1.0)


def is_resolved(problem: ProblemRecord, run: RunRecord, h: float) -> bool:
    """Return whether each function crosses zero once at most in a part h of the step, from `g_low` to `g_at`.

    Of those whose sign is not known at its start, or that have no slopes, nothing is required.
    """
    k, low, at, noise = problem.crossed, doubles(run.g_low), doubles(run.g_at), doubles(run.noise_new)
    for j in range(k):
        da, db = h * low[k + j], h * at[k + j]
        if abs(low[j]) > noise[j] and math.isfinite(da + db) and not crosses_once(low[j], at[j], da, db):
            return False
    return True


def locate(method: MethodRecord, problem: ProblemRecord, run: RunRecord, h: float, low: float, high: float) -> None:
    """Set `theta` to the first event between `low` and `high`, and `fired` to the events that happen there together."""
    k, roots, fired = problem.crossed, doubles(run.roots), doubles(run.fired)
    run.theta = high
    for j in range(k):
        if fired[j] != 0.0:
            roots[j] = root(method, problem, run, h, low, high, j)
            run.theta = min(run.theta, roots[j])
    width = 2.0 * max(problem.event_tolerance, 4.0 * EPSILON * abs(run.t + run.theta * h)) / h
    together = run.theta
    for j in range(k):
        if fired[j] != 0.0 and roots[j] <= run.theta + width:
            together = max(together, roots[j])
        else:
            fired[j] = 0.0
    run.theta = together


def root(
    method: MethodRecord, problem: ProblemRecord, run: RunRecord, h: float, low: float, high: float, j: int
) -> float:
    """Return where function j has just crossed zero between `low` and `high`.

    Just after an event its sign at `low` may be unknown. If an invariant begins beyond zero, its next event happens at
    once; else where it has just passed its noise: an event within the noise would change nothing, over and over again.
    """
    at_high, noise, count = doubles(run.g_at)[j], doubles(run.noise_new)[j], 0
    at_once = noise > 0.0 and doubles(problem.directions)[j] == INVARIANT
    level = noise if at_high > 0.0 else -noise
    at_low, at_high = doubles(run.g_low)[j] - level, at_high - level
    g, last = doubles(run.g_try), 0
    if doubles(run.g)[j] * at_high > 0.0 and (at_once or at_low * at_high > 0.0):
        return 0.0
    if at_low == 0.0:  # it has been at this level since the last event: it crosses where it leaves it
        at_low = -1e-300 * at_high
    width = max(problem.event_tolerance, 4.0 * EPSILON * abs(run.t + high * h)) / h
    while high - low > max(width, 4.0 * EPSILON * high) and count < SAMPLES:
        count += 1
        middle = low + (high - low) * at_low / (at_low - at_high)
        if count % 3 == 0 or not (low < middle and middle < high):
            middle = 0.5 * (low + high)
        sample(method, problem, run, h, middle, run.g_try)
        if (g[j] - level) * at_high > 0.0:
            high, at_high = middle, g[j] - level
            if last == 1:
                at_low = 0.5 * at_low
            last = 1
        else:
            low, at_low = middle, g[j] - level
            if last == -1:
                at_high = 0.5 * at_high
            last = -1
        if at_low == 0.0:
            at_low = -1e-300 * at_high
    return high


def sample(
    method: MethodRecord, problem: ProblemRecord, run: RunRecord, h: float, theta: float, target: Address
) -> None:
    """Write g at `theta` of the step over `h` into `target`.

    The rates written behind it are no use: they are computed with dx/dt at the start of the step.
    """
    extend_to(method, problem, run, theta, 1.0, 1, run.x_stage)
    rates = run.K + BYTES * method.first_row * problem.stride
    measure(problem, run, run.t + theta * h, run.x_stage, rates, target)


def sample_slopes(method: MethodRecord, problem: ProblemRecord, run: RunRecord, h: float, theta: float) -> None:
    """Write (g, dg/dt) at `theta` of the step over `h` into `g_at`, along the continuous extension."""
    if theta >= 1.0:
        copy(run.g_new, run.g_at, 2 * problem.crossed)
        return
    extend_to(method, problem, run, theta, 1.0, 1, run.x_stage)
    differentiate(method, problem, run, theta, h, run.errors)
    measure(problem, run, run.t + theta * h, run.x_stage, run.errors, run.g_at)
