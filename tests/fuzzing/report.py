"""Counts of random mechanisms that are right, refused, wrong or end in a traceback, and their differences."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.errors import AssemblyError, ModelError, SolveError

__all__ = ["ROUND_OFF", "Differences", "NoAnswerError", "judge", "main", "separate"]

ROUND_OFF = (
    1e-8  # difference over the largest number of the same kind: random mechanisms amplify round-off by up to 1e7
)


class NoAnswerError(Exception):
    """Cardan gives no answer, and says why."""


class Differences:
    """Comparisons of one mechanism, of which those that differ are kept."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self.largest = 0.0

    def compare(self, what: str, found: Any, expected: Any, allowed: float = ROUND_OFF) -> None:
        """Keep a difference larger than `allowed`, relative to the largest number if that is above 1."""
        found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
        size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        error = float(np.max(np.abs(found - expected), initial=0.0)) / size
        self.largest = max(self.largest, error)
        if not error <= allowed:  # NaN differs
            self.all.append(f"{what}: {error:.1e} of {size:.3g}")

    def note(self, what: str) -> None:
        """Keep a fault in words."""
        self.all.append(what)


def separate(w: np.ndarray, joints: Sequence[str]) -> dict[str, np.ndarray]:
    """Moment and force (6,) by joint, of a column with force before moment."""
    parts = w[: 6 * len(joints)].reshape(-1, 2, 3)[:, ::-1]
    return {name: part.ravel() for name, part in zip(joints, parts, strict=True)}


def judge(check: Callable[[int], Differences], seed: int) -> tuple[str, str, float]:
    """right, refused, wrong or traceback; what to say about it; and the largest difference."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = check(seed)
    except (ModelError, AssemblyError, SolveError, NoAnswerError) as error:
        return "refused", str(error), 0.0
    except Exception:
        return "traceback", traceback.format_exc(), 0.0
    return "wrong" if found.all else "right", "; ".join(found.all), found.largest


def main(words: str | None, check: Callable[[int], Differences], count: int) -> int:
    """Check as many mechanisms as asked for, print those that are not right and a summary; 1 if any was wrong."""
    parser = argparse.ArgumentParser(description=words, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1, help="number of the first mechanism")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    largest = 0.0
    begin = time.monotonic()
    for done, seed in enumerate(range(given.seed, given.seed + given.count), 1):
        kind, text, error = judge(check, seed)
        largest = max(largest, error) if kind == "right" else largest
        counts[kind] += 1
        if kind != "right":
            print(f"--- {seed} {kind}: {text}", flush=True)
        if done % 100 == 0:
            print(f"{done} of {given.count}: {_summary(counts)}; {time.monotonic() - begin:.0f} s", file=sys.stderr)
    print(f"{_summary(counts)}; largest difference of those right {largest:.1e}")
    return min(counts["wrong"] + counts["traceback"], 1)


def _summary(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("right", "refused", "wrong", "traceback"))
