"""Cascade of a drive: position (P), speed (PI) and current (PI), with the speed of the set-point fed forward.

Source: Isermann 2005, *Mechatronic Systems*, §2.4; Leonhard 2001, *Control of Electrical Drives*, ch. 15
"""

from functools import partial
from typing import Literal

from cardan.errors import Issue, ModelError, nearest
from cardan.model.controllers.controller import ControlLaw, ResultLimits, pi_law
from cardan.model.controllers.pi import integral_gain
from cardan.model.quantities.fields import Anything, PositiveTime, Rate
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.record import Record
from cardan.model.short_forms.sections import Driven, Sections
from cardan.model.short_forms.text import plus, text_of, times


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
        forward = () if self.feed_forward is None else (text_of(self.feed_forward),)
        value = self._loop("speed", self.speed, f"{wanted} - {driven.speed}", forward, driven, name, sections)
        if self.current is None:
            return value
        if not driven.current:
            fault = f"the source of the drive {self.drive!r} has no current"
            raise ModelError(Issue(fault, "leave current: out", ("current",)))
        return self._loop("current", self.current, f"{value} - {driven.current}", (), driven, name, sections)

    def give_voltages(self, name: str, value: str, driven: Driven, sections: Sections) -> None:
        if self.current is None:
            super().give_voltages(name, value, driven, sections)
        assert self.current is not None
        direct = self._loop("direct", self.current, f"-{driven.direct}", (), driven, name, sections)
        for key, voltage, added in zip(driven.voltages, (value, direct), driven.decoupling, strict=True):
            self.publish(key, self.held(key, plus(voltage, added), name, sections), name, sections)
        if name != self.drive:
            self.publish(name, driven.voltages[0], name, sections)

    def _loop(
        self,
        what: str,
        loop: InnerLoop,
        error: str,
        forward: tuple[str, ...],
        driven: Driven,
        name: str,
        sections: Sections,
    ) -> str:
        """The result of the loop of the error of some quantity, within its limits, else within those of the source."""
        result = "current" if what == "speed" and self.current is not None else "voltage"
        size, is_input = driven.limits.get(result, ""), result == "voltage" and not driven.voltages
        limits = (f"-({size})", size) if size else None
        if loop.limits is not None:
            limits = text_of(loop.limits[0]), text_of(loop.limits[1])
        event = "" if what == "direct" else f"{self.drive}_{result}_limit"
        bounded = partial(self.within, limits, event, name, sections=sections, is_result=is_input)
        gains = integral_gain(loop.kp, loop.ki, loop.time)
        sections.put("let", f"{name}.{what}_error", error)
        value = pi_law(
            self, name, f"{what}_", f"{name}.{what}_error", gains, forward, bounded if limits else None, sections
        )
        sections.put("let", f"{name}.{what}_out", value)
        return f"{name}.{what}_out"
