"""Motions that end where the mechanism does: the status says so, at the right time, and the part before is kept."""

import numpy as np
import pytest

import cardan
from cardan.results import Status
from tests.selection import each, few
from tests.truths.dead_ends import (
    cusp,
    four_bar_beyond_reach,
    slide_beyond_stroke,
    stretched_chain,
    winch_beyond_reach,
)

STEP = 1e-2
METHODS = [
    {"method": "dop853"},
    {"method": "tsit5", "rtol": 1e-4, "atol": 1e-6},
    {"method": "rodas5p"},
    {"method": "rk4", "step": STEP},
    {"method": "semi_implicit_euler", "step": STEP / 10},
    {"method": "dop853", "stabilization": "baumgarte"},
    {"method": "dop853", "stabilization": "none"},
    {"method": "rk4", "step": STEP, "stabilization": "none"},
]


@pytest.mark.parametrize("options", METHODS, ids=lambda options: "-".join(map(str, options.values())))
@pytest.mark.parametrize("mechanism", [slide_beyond_stroke, four_bar_beyond_reach, winch_beyond_reach])
def test_what_is_prescribed_leads_beyond_reach(mechanism, options):
    model, end = mechanism()
    run = cardan.simulate(model, until=5, **options)
    assert run.status is Status.DEAD_END
    # a few steps: with error control they shrink towards the end, and drift carries a motion some steps beyond it
    allowed = (5.5 if options.get("stabilization") else 2) * STEP  # drift makes it uncertain some steps before
    assert run.statistics["reached"] == pytest.approx(end, abs=allowed)
    (relation,) = model.constraints
    text = (
        f"dead end at t = {run.statistics['reached']:.9g} s: the loops cannot follow {relation!r} beyond the position "
    )
    assert text + f"{next(iter(model.joints if relation == 'winch' else model.initial))} = " in run.message
    assert len(run) > 200
    assert np.isfinite(run.x).all()
    assert run.t[-1] <= run.statistics["reached"]


@each("mechanism", [slide_beyond_stroke, four_bar_beyond_reach, winch_beyond_reach])
def test_the_dead_end_is_reached(mechanism):
    """The way left shrinks with each step: the end is found to far below the tolerance of steps."""
    model, end = mechanism()
    run = cardan.simulate(model, until=5, method="dop853")
    assert run.statistics["reached"] == pytest.approx(end, abs=1e-8)
    assert run.report.constraint_violation < 1e-10
    assert run.passages == ()


@each("options", METHODS[:-1])
def test_a_cusp_locks(options):
    """Within ∛1e-10 of the cusp the curve and its continuation meet the tolerance of projection alike: 5e-4 m.

    What nothing holds there drifts: which of its steps is the first that could be on either branch is chance, and so is
    whether a motion leads on from there. Certain is that the run ends before the cusp and says so.
    """
    model, end = cusp()
    run = cardan.simulate(model, until=2, **options)
    held = options.get("stabilization") != "none"
    assert run.status is Status.LOCKED or (run.status is Status.BRANCH_LOST and not held)
    assert held or run.statistics["reached"] < end
    # 1 m/s: 5e-4 s, or the last step that is certain; what nothing holds is uncertain while its drift could turn it
    allowed = 0.15 if options.get("stabilization") else 3e-3 + options.get("step", 0.0)
    assert run.statistics["reached"] == pytest.approx(end, abs=allowed)
    assert ("no motion leads on" in run.message) == (run.status is Status.LOCKED)


@pytest.mark.parametrize("options", few(METHODS, 2), ids=lambda options: "-".join(map(str, options.values())))
def test_a_stretched_chain_is_locked_from_the_start(options):
    model, _ = stretched_chain()
    run = cardan.simulate(model, until=1, **options)
    assert run.status is Status.LOCKED
    assert run.statistics["reached"] <= STEP
    assert len(run) >= 1


@each(
    "relation",
    [
        {"motions": {"slide": {"value": "2.5 + 0.4*t", "by": ["crank"]}}},
        {"constraints": {"line": {"type": "program", "velocity": "slide.v - 0.4", "by": ["crank"]}}},
        {"constraints": {"line": {"type": "program", "expression": "slide - 2.5 - 0.4*t", "by": ["crank"]}}},
    ],
)
def test_a_dead_end_names_what_cannot_be_followed_and_the_position(relation):
    """At 3 m crank and rod lie in the line of the slide: their angles are round-off, and so written as zero."""
    ((name, _),) = next(iter(relation.values())).items()
    model = slide_beyond_stroke()[0].replace(**{"constraints": {}, **relation})
    run = cardan.simulate(model, until=5)
    assert run.status is Status.DEAD_END
    assert f"cannot follow {name!r} beyond the position crank = 0 rad, pin = 0 rad, slide = 3 m" in run.message
    assert "over time" not in run.message
