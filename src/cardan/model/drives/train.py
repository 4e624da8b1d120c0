"""A train as it is built from its source on: segments that turn rigidly together, joined by shafts and clutches.

A segment has one coordinate. The speed of each of its places is this coordinate's times a ratio. The last segment is
that of the joint, if the drive has one; every other one is a body that turns about an axis of the carrier. Speeds of
several segments may be related (planetary gears, ends of trains in others), which takes an equation each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cardan.errors import ModelError
from cardan.frozen import dataclass, field
from cardan.model.joints.friction import Friction
from cardan.model.short_forms.text import over, plus, times

if TYPE_CHECKING:
    from cardan.model.drives.elements.clutch import ClutchElement
    from cardan.model.drives.elements.gear import GearElement

_ONE = ("1.0", "1.0")


@dataclass(eq=False)
class Segment:
    """What turns together."""

    number: int  # in its train, from 0, the first one
    drive: str  # that brings it
    is_linear: bool = False  # whether it slides
    clutch: ClutchElement | None = None  # by which it hangs on the one before
    before: TrainPlace | None = None  # in front of this clutch
    inertias: list[tuple[TrainPlace, str, str]] = field(default_factory=list)  # place, moment of inertia, own name
    frictions: list[tuple[TrainPlace, Friction, str]] = field(default_factory=list)  # place, law, name
    torques: list[tuple[TrainPlace, str]] = field(default_factory=list)  # place, torque
    reference: TrainPlace | None = None  # whose speed is that of the coordinate
    coordinate: str = ""
    is_joint: bool = False  # whether its coordinate is that of a joint of the model
    is_related: bool = False  # whether an equation relates its speed to others
    into: tuple[TrainPlace, TrainPlace] | None = None  # a place of it, and the one of another segment that this became
    gear: tuple[GearElement, TrainPlace] | None = None  # a gear with losses in it, and its front


@dataclass(frozen=True, eq=False)
class TrainPlace:
    """A place of a segment: its speed is numerator over denominator times that of the segment's first place."""

    segment: Segment
    ratio: tuple[str, str]
    is_behind: bool = False  # whether a gear with losses of the segment stands in front of it

    def settled(self) -> TrainPlace:
        """The same place, of the segment that its own has become."""
        if self.segment.into is None:
            return self
        one, other = self.segment.into
        above = times(self.ratio[0], other.ratio[0], one.ratio[1])
        below = times(self.ratio[1], other.ratio[1], one.ratio[0])
        return TrainPlace(other.segment, (above, below), other.is_behind).settled()

    def check_behind(self) -> None:
        """Refuse that another train begins or ends in front of a gear with losses."""
        gear = self.segment.gear
        if gear is not None and not self.is_behind:
            fault = f"trains join in front of the gear with losses {gear[0].called!r}, which is not supported"
            raise ModelError(fault, "put a shaft between, or join them behind it")

    def factor(self) -> str:
        """Its speed over that of the coordinate."""
        place = self.settled()
        (above, below), reference = place.ratio, place.segment.reference
        above_r, below_r = _ONE if reference is None else reference.ratio
        return over(times(above, below_r), times(below, above_r))

    def terms(self) -> dict[str, str]:
        """Factors of the coordinates whose sum is its angle."""
        place, factor = self.settled(), self.factor()
        found, before = {place.segment.coordinate: factor}, place.segment.before
        if before is not None:
            found |= {name: times(factor, each) for name, each in before.terms().items()}
        return found

    def angle(self, end: str = "") -> str:
        """Its angle, as an expression; with the end ".v" its speed."""
        return plus(*(times(factor, f"{name}{end}") for name, factor in self.terms().items()))

    def speed(self) -> str:
        """Its speed, as an expression."""
        return self.angle(".v")


@dataclass(eq=False)
class Train:
    """A train from the source to the element that was added last."""

    name: str  # of the drive
    is_linear: bool  # whether its parts slide
    first: TrainPlace  # where it begins
    segments: list[Segment]  # that it brings
    segment: Segment  # that is reached
    ratio: tuple[str, str] = _ONE  # of the place reached
    is_behind: bool = False  # whether this place stands behind a gear with losses of the segment
    whole: str = "1.0"  # speed of the source over that of the place reached, were all shafts stiff; empty for none
    ratios: dict[str, str] = field(default_factory=dict)  # the same of named inertias and of the joint
    shown: dict[str, tuple[Callable[[], str], bool]] = field(default_factory=dict)  # name → text, whether motion is let
    joints: list[tuple[TrainPlace, TrainPlace]] = field(default_factory=list)  # both sides of each shaft
    places: dict[str, tuple[TrainPlace, str]] = field(default_factory=dict)  # where others begin or end, and `whole`
    relations: dict[str, list[tuple[str, TrainPlace]]] = field(default_factory=dict)  # by name: Σ factor · speed = 0
    motor: dict[str, object] | None = None  # data of the motor, if the source is one
    rotor_inertia: float | str = 0.0  # of this motor
    heats: str | None = None  # thermal node into which its losses flow
    supply: tuple[str, Any] = ("", None)  # name of the supply of its motor, and the supply itself if it is its own
    draws: str = ""  # current that the motor draws from it
    events: dict[str, str] = field(default_factory=dict)  # what is positive beyond a limit, by its name
    states: dict[str, str] = field(default_factory=dict)  # rates of states of the source
    currents: tuple[str, ...] = ()  # that drives the torque, and the other one
    voltages: tuple[str, ...] = ()  # which a controller has to give, for both
    decoupling: tuple[str, ...] = ()  # what a controller adds to these, so that both currents are alone
    limits: dict[str, str] = field(default_factory=dict)  # of voltage and current, which controllers keep too
    given_speed: str = ""  # of a source that prescribes it

    @classmethod
    def begun(cls, name: str, is_linear: bool, other: Train | None = None, at: str = "") -> Train:
        """A train with its first segment, or one that begins at a place of another train."""
        if other is None:
            segment = Segment(0, name, is_linear)
            return cls(name, is_linear, TrainPlace(segment, _ONE), [segment], segment)
        place, whole = other.places[at]
        place = place.settled()
        place.check_behind()
        return cls(name, is_linear, place, [], place.segment, place.ratio, place.is_behind, whole, other.ratios)

    @property
    def place(self) -> TrainPlace:
        """The place reached."""
        return TrainPlace(self.segment, self.ratio, self.is_behind)

    def prefixed(self, name: str) -> str:
        """The name of a result of the drive."""
        return f"{self.name}.{name}"

    def gear(self, ratio: str) -> None:
        """What follows is so many times slower."""
        above, below = self.ratio
        self.ratio = above, times(below, ratio)
        self.whole = self.whole and times(self.whole, ratio)

    def mesh(self, gear: GearElement, front: TrainPlace) -> None:
        """The place reached stands behind a gear with losses."""
        if self.segment.gear is not None:
            fault = "two gears with losses turn one part of the train"
            raise ModelError(fault, "give one of them the losses of both, or put a shaft between")
        self.segment.gear, self.is_behind = (gear, front), True

    def act(self, torque: str) -> None:
        """A torque at the place reached."""
        self.segment.torques.append((self.place, torque))

    def carry(self, called: str, name: str, inertia: str, way: str) -> None:
        """An inertia at the place reached."""
        place = self.place
        self.segment.inertias.append((place, inertia, name))
        if name and self.whole:
            self.ratios[name] = self.whole
        self.show(f"{called}.{way}", place.angle)
        self.show(f"{called}.v", place.speed)

    def next_segment(self, clutch: ClutchElement | None = None) -> None:
        """What follows turns for itself, but for what acts in a clutch."""
        if clutch is not None:
            self.refer()
        before = None if clutch is None else self.place
        number = len(self.segments) + (self.first.segment.drive != self.name)
        self.segment = Segment(number, self.name, self.is_linear, clutch, before)
        self.ratio, self.is_behind = _ONE, False
        self.segments.append(self.segment)
        if clutch is not None:
            self.refer()

    def refer(self) -> None:
        """The coordinate of the segment reached is that of its place; where it is another's, of one beside it."""
        if self.segment.reference is not None and self.segment.reference.ratio != self.ratio:
            self.turn_with()
        self.segment.reference = self.place

    def turn_with(self) -> None:
        """What follows turns with what is reached, and has a coordinate of its own."""
        before = self.place
        self.next_segment()
        self.relate(f"end{self.segment.number}", ("1.0", before), ("-1.0", self.place))
        self.joints.append((before, self.place))

    def relate(self, name: str, *terms: tuple[str, TrainPlace]) -> None:
        """An equation: the sum of factors and speeds is zero."""
        self.relations[f"{self.name}_{name}"] = list(terms)
        for _, place in terms:
            place.settled().segment.is_related = True

    def mark(self, name: str) -> None:
        """The place reached has a name, at which other trains begin or end."""
        place = self.place
        self.show(f"{name}.angle", place.angle)
        self.show(f"{name}.v", place.speed)
        self.places[name] = place, self.whole

    def end_in(self, other: Train, at: str) -> None:
        """It ends at a place of another train, with which it turns."""
        place, whole = other.places[at]
        place = place.settled()
        if self.whole and whole:
            self.ratios |= {name: over(times(self.whole, ratio), whole) for name, ratio in other.ratios.items()}
        rubs_behind_clutch = bool(self.segment.frictions) and place.segment.clutch is not None
        hangs = (self.segment.clutch or self.segment.gear) is not None
        if hangs or self.segment.drive != self.name or rubs_behind_clutch:
            self.relate("end", ("1.0", self.place), ("-1.0", place))
            self.joints.append((self.place, place))
            return
        place.check_behind()
        own, target = self.segment, place.segment
        own.into = self.place, place
        self.segments.remove(own)
        target.is_related |= own.is_related
        target.inertias += [(one.settled(), moment, name) for one, moment, name in own.inertias]
        target.frictions += [(one.settled(), law, name) for one, law, name in own.frictions]
        target.torques += [(one.settled(), torque) for one, torque in own.torques]

    def show(self, name: str, text: Callable[[], str], *, is_let: bool = True) -> None:
        """A result of the drive; expressions may name it where motion matters, if `is_let`."""
        whole = self.prefixed(name)
        if whole in self.shown:
            element = name.partition(".")[0]
            raise ModelError(f"two elements are called {element!r}", "give one of them a name: {…, name: …}")
        self.shown[whole] = text, is_let
