"""Many like cases: which of them run by default (the others are `exhaustive`), and which are one test together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any

import pytest

REPRESENTATIVES = frozenset(
    {
        "overhead_crane",  # motors, a point mass on a rope
        "slider_crank",  # a planar loop
        "four_bar_spatial",  # a loop in space
        "bricard",  # redundant equations
        "heavy_top",  # a ball joint, no loop
        "planar_manipulator",  # three loops with motors
        "positioning_axis",  # a drive, a cascade, backlash and friction
        "balancing_robot",  # sampled feedback
        "door_closer",  # friction and stops
        "digging_machine",  # several loops under forces
        "bouncing_ball",  # a contact with bristles
        "motor_flexible_shaft",  # a bond graph alone
    }
)
"""Mechanisms of the gallery in which each of its kinds stands at least once."""


def few(cases: Iterable[Any], count: int) -> list[Any]:
    """All cases, of which the first `count` run by default."""
    return [case if i < count else _exhaustive(case) for i, case in enumerate(cases)]


def of_gallery(cases: Iterable[Any]) -> list[Any]:
    """All cases (names, or tuples that begin with one), of which those of the representatives run by default."""
    return [
        case if (case[0] if isinstance(case, tuple) else case) in REPRESENTATIVES else _exhaustive(case)
        for case in cases
    ]


def _exhaustive(case: Any) -> Any:
    """The case with the mark."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.exhaustive)


def each(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: one test of all `cases` of the arguments `names`, which lists those that fail."""
    keys, cases = names.replace(",", " ").split(), list(cases)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def together(*arguments: Any, **given: Any) -> None:
            faults = []
            for case in cases:
                values = dict(zip(keys, case if len(keys) > 1 else (case,), strict=True))
                try:
                    test(*arguments, **given, **values)
                except (Exception, pytest.fail.Exception) as fault:
                    faults.append((values, fault))
            if faults:
                text = "\n\n".join(f"{values}:\n{type(fault).__name__}: {fault}" for values, fault in faults)
                raise AssertionError(f"{len(faults)} of {len(cases)} cases\n{text}") from faults[0][1]

        own = signature(test)
        left = [parameter for name, parameter in own.parameters.items() if name not in keys]
        together.__signature__ = own.replace(parameters=left)  # type: ignore[attr-defined]
        return together

    return decorate
