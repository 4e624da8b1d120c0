"""Cascade of a drive: position (P), speed (PI) and current (PI), with the speed of the set-point fed forward.

Source: Isermann 2005, *Mechatronic Systems*, §2.4; Leonhard 2001, *Control of Electrical Drives*, ch. 15
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from cardan.errors import Issue, ModelError, nearest
from cardan.model.controllers.controller import ControlLaw, ResultLimits, limited, pi_law
from cardan.model.controllers.pi import integral_gain
from cardan.model.quantities.fields import Anything, PositiveTime, Rate
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.record import Record
from cardan.model.short_forms.sections import Driven, Sections
from cardan.model.short_forms.text import plus, text_of, times

__all__ = ["Cascade", "InnerLoop", "PositionLoop"]


class PositionLoop(Record):
    """Speed per error of the position."""

    kp: Anything  # [1/s]


class InnerLoop(Record):
    """A PI controller of speed or current."""

    kp: Anything = ZERO  # result per error
    ki: Anything | None = None  # result per error and second
    time: PositiveTime | None = None  # kp/ki, in place of ki [s]
    limits: ResultLimits = None  # of its result


class Cascade(ControlLaw):
    """The drive follows a set-point; all loops are on the side of the motor."""

    type: Literal["cascade"] = "cascade"
    drive: str
    follow: str  # name of the set-point of a coordinate: of a path `go.r1`, whose speed is `go.r1.v`
    position: PositionLoop | None = None  # without it the speed of the set-point is followed
    speed: InnerLoop  # current, or the input, per error of the speed
    current: InnerLoop | None = None  # without it the result of the speed loop is the input
    feed_forward: Rate | None = None  # is added to what the speed loop asks for

    def law(self, name: str, sections: Sections) -> str:
        driven = sections.drives.get(self.drive)
        if driven is None:
            cure = nearest(self.drive, sections.drives)
            raise ModelError(Issue(f"there is no drive {self.drive!r}", cure, ("drive",)))
        coordinate = self.follow.partition(".")[2] or self.follow
        ratio = driven.ratios.get(coordinate)
        if ratio is None:
            fault = f"the drive {self.drive!r} does not move {coordinate!r}, whose set-point is {self.follow!r}"
            raise ModelError(Issue(fault, f"known: {', '.join(driven.ratios)}", ("follow",)))
        wanted = times(ratio, f"{self.follow}.v")
        if self.position is not None:
            apart = f"({times(ratio, self.follow)} - {driven.angle})"
            wanted = plus(wanted, times(text_of(self.position.kp), apart))
        self.put(sections, "let", f"{name}.speed_error", f"{wanted} - {driven.speed}", name)
        forward = () if self.feed_forward is None else (text_of(self.feed_forward),)
        most = driven.limits.get("voltage" if self.current is None else "current", "")
        value = self._loop("speed", self.speed, f"{name}.speed_error", forward, most, name, sections)
        if self.current is None:
            return value
        if not driven.current:
            fault = f"the source of the drive {self.drive!r} has no current"
            raise ModelError(Issue(fault, "leave current: out", ("current",)))
        self.put(sections, "let", f"{name}.current_error", f"{value} - {driven.current}", name)
        most = driven.limits.get("voltage", "")
        return self._loop("current", self.current, f"{name}.current_error", (), most, name, sections)

    def give_voltages(self, name: str, value: str, driven: Driven, sections: Sections) -> None:
        if self.current is None:
            super().give_voltages(name, value, driven, sections)
        assert self.current is not None
        self.put(sections, "let", f"{name}.direct_error", f"-{driven.direct}", name)
        gains = integral_gain(self.current.kp, self.current.ki, self.current.time)
        direct = pi_law(
            self,
            name,
            "direct_",
            f"{name}.direct_error",
            gains,
            (),
            _bounds(self.current, driven.limits.get("voltage", "")),
            sections,
        )
        for key, voltage, added in zip(driven.voltages, (value, direct), driven.decoupling, strict=True):
            self.publish(key, self.held(key, plus(voltage, added), name, sections), name, sections)
        if name != self.drive:
            self.publish(name, driven.voltages[0], name, sections)

    def _loop(
        self, what: str, loop: InnerLoop, error: str, forward: tuple[str, ...], most: str, name: str, sections: Sections
    ) -> str:
        """The result of an inner loop."""
        gains = integral_gain(loop.kp, loop.ki, loop.time)
        value = pi_law(self, name, f"{what}_", error, gains, forward, _bounds(loop, most), sections)
        self.put(sections, "let", f"{name}.{what}_out", value, name)
        return f"{name}.{what}_out"


def _bounds(loop: InnerLoop, most: str) -> Callable[[str], str] | None:
    """What keeps the result of a loop within its limits, else within those of the source, of the size `most`."""
    if loop.limits is None and most:
        return lambda text: f"max(-({most}), min({most}, {text}))"
    return None if loop.limits is None else partial(limited, limits=loop.limits)
