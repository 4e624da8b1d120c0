"""A train as it is built from its source on: segments that turn rigidly together, joined by shafts and clutches.

A segment has one coordinate. The speed of each of its places is this coordinate's times a ratio. The last segment is
that of the joint, if the drive has one; every other one is a body that turns about an axis of the carrier.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING

from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.model.joints.friction import Friction
from cardan.model.short_forms.text import over, plus, times

if TYPE_CHECKING:
    from cardan.model.drives.elements.clutch import ClutchElement

__all__ = ["Segment", "Train", "TrainPlace"]

_ONE = ("1.0", "1.0")


@dataclass(eq=False)
class Segment:
    """What turns together."""

    number: int  # from 0, the first one
    clutch: ClutchElement | None = None  # by which it hangs on the one before
    before: TrainPlace | None = None  # in front of this clutch
    inertias: list[tuple[TrainPlace, str, str]] = field(default_factory=list)  # place, moment of inertia, own name
    frictions: list[tuple[TrainPlace, Friction, str]] = field(default_factory=list)  # place, law, name
    torques: list[tuple[TrainPlace, str]] = field(default_factory=list)  # place, torque
    reference: TrainPlace | None = None  # whose speed is that of the coordinate
    coordinate: str = ""

    def angle(self) -> str:
        """Its angle at the reference."""
        return self.coordinate if self.before is None else plus(self.coordinate, self.before.angle())

    def speed(self) -> str:
        """Its speed at the reference."""
        own = f"{self.coordinate}.v"
        return own if self.before is None else plus(own, self.before.speed())


@dataclass(frozen=True, eq=False)
class TrainPlace:
    """A place of a segment: its speed is numerator over denominator times that of the segment's first place."""

    segment: Segment
    ratio: tuple[str, str]

    def factor(self) -> str:
        """Its speed over that of the coordinate."""
        (above, below), reference = self.ratio, self.segment.reference
        above_r, below_r = _ONE if reference is None else reference.ratio
        return over(times(above, below_r), times(below, above_r))

    def angle(self) -> str:
        """Its angle, as an expression."""
        return times(self.factor(), self.segment.angle())

    def speed(self) -> str:
        """Its speed, as an expression."""
        return times(self.factor(), self.segment.speed())


@dataclass(eq=False)
class Train:
    """A train from the source to the element that was added last."""

    name: str  # of the drive
    segments: list[Segment] = field(default_factory=lambda: [Segment(0)])
    ratio: tuple[str, str] = _ONE  # of the place reached
    whole: str = "1.0"  # speed of the source over that of the place reached, were all shafts stiff
    ratios: dict[str, str] = field(default_factory=dict)  # the same of named inertias and of the joint
    shown: dict[str, tuple[Callable[[], str], bool]] = field(default_factory=dict)  # name → text, whether motion is let
    joints: list[tuple[TrainPlace, TrainPlace]] = field(default_factory=list)  # both sides of each shaft
    motor: dict[str, object] | None = None  # data of the motor, if the source is one
    rotor_inertia: float | str = 0.0  # of this motor
    heats: str | None = None  # thermal node into which its losses flow
    states: dict[str, str] = field(default_factory=dict)  # rates of states of the source
    currents: tuple[str, ...] = ()  # that drives the torque, and the other one
    voltages: tuple[str, ...] = ()  # which a controller has to give, for both
    decoupling: tuple[str, ...] = ()  # what a controller adds to these, so that both currents are alone
    given_speed: str = ""  # of a source that prescribes it

    @property
    def segment(self) -> Segment:
        """The segment reached."""
        return self.segments[-1]

    @property
    def place(self) -> TrainPlace:
        """The place reached."""
        return TrainPlace(self.segment, self.ratio)

    def prefixed(self, name: str) -> str:
        """The name of a result of the drive."""
        return f"{self.name}.{name}"

    def gear(self, ratio: str) -> None:
        """What follows is so many times slower."""
        above, below = self.ratio
        self.ratio = above, times(below, ratio)
        self.whole = times(self.whole, ratio)

    def act(self, torque: str) -> None:
        """A torque at the place reached."""
        self.segment.torques.append((self.place, torque))

    def next_segment(self, clutch: ClutchElement | None = None) -> None:
        """What follows turns for itself, but for what acts in a clutch."""
        before = None if clutch is None else self.place
        if before is not None:
            self.refer(self.segment, before)
        self.segments.append(Segment(len(self.segments), clutch, before))
        self.ratio = _ONE
        if before is not None:
            self.refer(self.segment, self.place)

    def refer(self, segment: Segment, place: TrainPlace) -> None:
        """The coordinate of a segment is that of a place."""
        if segment.reference is not None and segment.reference.ratio != place.ratio:
            fault = "a gear stands between two clutches, or between a clutch and the joint"
            raise ModelError(fault, "put the gear in front of both, or a shaft beside it")
        segment.reference = place

    def show(self, name: str, text: Callable[[], str], *, is_let: bool = True) -> None:
        """A result of the drive; expressions may name it where motion matters, if `is_let`."""
        whole = self.prefixed(name)
        if whole in self.shown:
            element = name.partition(".")[0]
            raise ModelError(f"two elements are called {element!r}", "give one of them a name: {…, name: …}")
        self.shown[whole] = text, is_let
