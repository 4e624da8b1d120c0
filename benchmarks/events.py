"""What a run pays for an event that never happens, in instructions of machine code per step.

Each run is compared with the same run without the event, which takes the same steps. The condition of the event is
`q - 1000` of the first coordinate q, which never vanishes. Instructions are counted one by one in the loop over steps
and all functions that it calls, so that other work on the machine does not disturb; steps that are rejected count too.
A count belongs to this kind of processor, whose widest vectors the compiler uses. Steps of fixed length are 1 ms long.

Counted are about the steps 7 to 18 of a run. With error control steps still grow there. Whenever a step is more than
three times as long as the last step at which all values were compared, they are compared again, which takes some 50
instructions; later steps cost as much as those of fixed length.
"""

from __future__ import annotations

from typing import Any

import cardan
from cardan.codegen.kernels import Kernel, run
from cardan.integration import METHODS
from cardan.simulation import Setup

from .instructions import count, mark
from .table import Goal, Result, Row
from .timing import Effort, Times

__all__ = ["TITLE", "measure"]

TITLE = "Looking for events"

MODELS = {
    "compound_pendulum": "pendulum",
    "overhead_crane": "swing",
    "spring_pendulum": "slider",
    "four_bar": "A",
}  # mechanisms, and a coordinate of each
STEP = 1e-3  # of methods with fixed steps [s]
FEW, MANY = 6, 18  # steps of two runs, about; what one has beyond the other is counted
COUNTS = 2  # of the same call: seldom, Python executes some hundred instructions more between the marks
GOAL = 3.0  # [%]


def measure(effort: Effort) -> Result:
    """Instructions of a step with an event and without.

    Parameters
    ----------
    effort : Effort
        How many models and methods at most.
    """
    pairs = [(name, method) for method in reversed(METHODS) for name in MODELS]
    return Result(tuple(_row(*pair) for pair in pairs[: effort.rounds]))


def _row(name: str, method: str) -> Row:
    """What an event adds to a step, in percent."""
    model, never = cardan.load(name), {"never": {"when": f"{MODELS[name]} - 1000"}}
    plain, watching = (_instructions(model, method, events) for events in (None, never))
    assert plain[0] == watching[0], "the runs take other steps with the event than without"
    what = f"{model.name}, {method}: {plain[1]:.0f} instructions a step, with an event {watching[1]:.0f}"
    more = 100.0 * (watching[1] / plain[1] - 1.0)
    return Row(what, Times((more,)), goal=Goal(limit=GOAL), show=lambda value: f"{value:.2f} %")


def _instructions(model: cardan.Model, method: str, events: dict[str, object] | None) -> tuple[int, float]:
    """Steps in the longer of two runs beyond those of the shorter, and the instructions of one of them."""
    given = {"method": method, "step": STEP if METHODS[method].fixed_step else None, "events": events}
    pace = 1.0 / _tried(cardan.prepare(model, 1.0, times=[1.0], **given))
    setups = [cardan.prepare(model, end, times=[end], **given) for end in (FEW * pace, MANY * pace)]
    steps = _tried(setups[1]) - _tried(setups[0])
    calls = [lambda setup=setup: _marked(setup) for setup in setups]
    short, long = map(min, zip(*(count(calls) for _ in range(COUNTS)), strict=True))
    return steps, (long - short) / steps


def _tried(setup: Setup) -> int:
    """Steps of a run, rejected ones too."""
    statistics = setup.run().statistics
    return statistics["steps"] + statistics["rejected"]


def _marked(setup: Setup) -> None:
    """Run it with marks around the loop over steps; only in the fork that is counted."""

    def call(kernel: Kernel, *arguments: Any) -> int:
        *records, budget = arguments
        addresses = [record.address for record in records]
        return mark(run._load(kernel).call)(*addresses, budget)

    Kernel.__call__ = call  # type: ignore[method-assign]
    assert setup.run().ok
