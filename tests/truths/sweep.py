"""N four-bar linkages through their singular positions: every method, way to close loops and many settings.

    python -m tests.truths.sweep                  # all of it, some ten minutes
    python -m tests.truths.sweep --n 2 --settings 5

A run is *right* where it completes on its branch, at the position of the reduced equation of motion; *honest* where it
ends early with a status that says so, right until then; anything else is *wrong*.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

import cardan
from tests.truths.four_bars import four_bars, reference

__all__ = ["BRANCH", "METHODS", "WAYS", "Judged", "judge", "options", "sweep"]

TIMES = np.linspace(0, 10, 201)
BRANCH = 0.05  # difference of crank angles that no run on its branch has [rad]
SEEN = 1e-3  # of a link: a position with less error is right, whatever a tight setting promised [rad]
SETTINGS = 40
METHODS = {  # loosest and tightest setting; allowed error over a power of the setting, and this power
    "dop853": (1e-2, 1e-12, 3e4, 1.0),
    "tsit5": (1e-2, 1e-11, 3e4, 1.0),
    "rodas5p": (1e-2, 1e-10, 3e4, 1.0),
    "auto": (1e-2, 1e-12, 3e4, 1.0),
    "rk4": (1e-1, 1e-3, 1e4, 4.0),
    "semi_implicit_euler": (5e-2, 1e-3, 3e2, 2.0),
}
WAYS: dict[str, dict[str, Any]] = {  # to keep loops closed
    "embedded": {},  # in one coordinate, which all others are linear in
    "projection": {"embed": False},
    "baumgarte": {"stabilization": "baumgarte"},
    "none": {"stabilization": "none"},
}


class Judged(NamedTuple):
    """How one run went."""

    kind: str  # right, honest or wrong
    status: str
    error: float  # of the first crank angle, over the returned instants [rad]
    apart: float  # largest difference of two crank angles [rad]


def options(method: str, count: int = SETTINGS) -> Iterator[tuple[float, dict[str, Any]]]:
    """Settings of a method, from loose to tight, and the arguments they make."""
    loose, tight, _, _ = METHODS[method]
    fixed = METHODS[method][3] > 1
    for value in np.geomspace(loose, tight, count):
        yield value, {"step": value} if fixed else {"rtol": value, "atol": value / 100}


def judge(n: int, method: str, setting: float, **arguments: Any) -> Judged:
    """One run against the reduced equation."""
    run = cardan.simulate(_model(n), times=TIMES, method=method, **arguments)
    angles = np.array([run.array(f"theta{k}.q") for k in range(n + 1)])
    apart = float(np.max(np.abs(_turn(angles - angles[0])), initial=0.0))
    error = float(np.max(np.abs(_turn(angles[0] - _angle(n)[: len(run)])), initial=0.0))
    _, _, factor, power = METHODS[method]
    # an error of 1 rad and more is no branch but energy lost by loose settings: the crank stays short of the top
    near = error < max(SEEN, factor * setting**power) or factor * setting**power > 0.3
    sound = apart < BRANCH and near
    kind = "wrong" if not sound else "right" if run.ok else "honest"
    return Judged(kind, str(run.status), error, apart)


def sweep(
    n: int, method: str, way: str, count: int = SETTINGS
) -> tuple[Counter[str], Counter[str], list[tuple[float, Judged]]]:
    """Kinds and statuses of all settings by their number, and what was wrong."""
    found = [(x, judge(n, method, x, **WAYS[way], **more)) for x, more in options(method, count)]
    wrong = [(setting, outcome) for setting, outcome in found if outcome.kind == "wrong"]
    return Counter(o.kind for _, o in found), Counter(o.status for _, o in found), wrong


@lru_cache
def _model(n: int) -> cardan.Model:
    return four_bars(n)


@lru_cache
def _angle(n: int) -> np.ndarray:
    return np.arctan2(*reference(n, TIMES).T)


def _turn(angle: np.ndarray) -> np.ndarray:
    return (angle + np.pi) % (2 * np.pi) - np.pi


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, nargs="+", default=[1, 2, 40], help="loops")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS, help="to keep loops closed")
    parser.add_argument("--settings", type=int, default=SETTINGS, help="steps or tolerances of each method")
    given = parser.parse_args()
    print(f"{'N':>3} {'method':20} {'way':14} {'right':>5} {'honest':>6} {'wrong':>5}  statuses")
    total: Counter[str] = Counter()
    for n in given.n:
        for method in given.methods:
            for way in given.ways:
                counts, statuses, wrong = sweep(n, method, way, given.settings)
                total += counts
                shown = " ".join(
                    f"{counts[name]:{width}}" for name, width in (("right", 5), ("honest", 6), ("wrong", 5))
                )
                told = ", ".join(f"{status} {count}" for status, count in statuses.most_common())
                print(f"{n:3} {method:20} {way:14} {shown}  {told}", flush=True)
                for setting, outcome in wrong:
                    print(
                        f"      {setting:.2e}: {outcome.status}, error {outcome.error:.1e}, apart {outcome.apart:.1e}"
                    )
    print(", ".join(f"{count} {name}" for name, count in total.most_common()))


if __name__ == "__main__":
    main()
