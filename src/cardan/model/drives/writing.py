"""Drives written out: bodies that turn about an axis of the carrier, their joints, motors, forces and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cardan.errors import Issue, ModelError, nearest
from cardan.model.drives.building import built_train, drive_of, others_first
from cardan.model.drives.drive import Drive
from cardan.model.drives.frictions import PlacedFriction, friction_of, loss_of, plain, with_gear
from cardan.model.drives.train import Segment, Train, TrainPlace
from cardan.model.joints import JOINTS
from cardan.model.joints.friction import Friction
from cardan.model.place import GROUND
from cardan.model.plane import NORMALS
from cardan.model.quantities.fields import read_direction
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.plain import plain_value
from cardan.model.short_forms.sections import Driven, Sections
from cardan.model.short_forms.text import negative, over, plus, text_of, times


def drives_written_out(sections: Sections) -> None:
    """Write the drives of a model out: all trains are built, then all parts have names, then all is written."""
    drives = sections.records("drives", Drive, "drive", "{joint: …, source: {…}, train: […]}")
    trains, writings = dict[str, Train](), dict[str, _Writing]()
    for name in others_first(drives):
        with sections.writing("drives", name):
            trains[name] = built_train(name, drives[name], trains)
    for name, drive in drives.items():
        with sections.writing("drives", name):
            writings[name] = _Writing(sections, name, drive, trains[name])
            writings[name].begin_names()
    for name, writing in writings.items():
        with sections.writing("drives", name):
            writing.write(writings)
    _untwisted(sections, list(trains.values()))


class _Writing:
    """What one drive brings."""

    def __init__(self, sections: Sections, name: str, drive: Drive, train: Train) -> None:
        self.sections, self.name, self.drive, self.train = sections, name, drive, train
        self.is_straight = False  # whether the joint slides
        self.joint = None if drive.joint is None else self._joint(drive.joint)
        self.free = [segment for segment in train.segments if not segment.is_joint]
        self.origin: _Writing | None = None  # of the drive in whose train this one begins

    def begin_names(self) -> None:
        """Name the coordinates, once all trains are built; the rotor of a motor in front of them has its inertia."""
        first = self.train.first.settled()
        if self.train.motor is not None and not self._has_motor_at_joint:
            first.segment.inertias.append((first, text_of(Scalar.read(self.train.rotor_inertia)), ""))
        for segment in self.free:
            named = [(place, name) for place, _, name in segment.inertias if name]
            if segment.reference is None and named:
                segment.reference = named[0][0]
            own = [name for place, name in named if place.factor() == "1.0"]
            default = f"{self.name}_{segment.number}" if segment.number else f"{self.name}_rotor"
            segment.coordinate = own[0] if own else segment.coordinate or default
        if self.joint is not None:
            self.train.segment.coordinate = str(self.drive.joint)
            if self.train.whole:
                self.train.ratios[str(self.drive.joint)] = self.train.whole

    def write(self, writings: Mapping[str, _Writing]) -> None:
        """Put everything into the sections."""
        self.origin = writings[drive_of(self.drive.begin)] if self.drive.begin else None
        train, first = self.train, self.train.first
        current, direct = (*train.currents, "", "")[:2]
        current = f"{self.name}.current" if train.motor is not None else current
        self.sections.drives[self.name] = Driven(
            first.angle(), first.speed(), current, train.ratios, train.voltages, direct, train.decoupling, train.limits
        )
        for state, rate in train.states.items():
            self.sections.put("states", state, {"rate": rate} | ({} if state in train.currents else {"initial": 0}))
        self._motor()
        for segment in self.free:
            self._body(segment)
        if self.joint is not None:
            self._on_joint(self.train.segment)
        for name, terms in train.relations.items():
            self.sections.put("constraints", name, {"type": "coupler", "terms": _summed(terms)})
        for name, (text, is_let) in self.train.shown.items():
            if is_let:
                self.sections.put("let", name, text())
            self.sections.put("outputs", name, name if is_let else text())

    def _joint(self, name: str) -> dict[str, Any]:
        joints = self.sections.table("joints")
        if name not in joints:
            cure = nearest(name, joints)
            raise ModelError(Issue(f"there is no joint {name!r}", cure, ("joint",)))
        joint = plain_value(joints[name])
        kind = JOINTS.get(str(joint.get("type"))) if isinstance(joint, Mapping) else None
        if kind is None or len(kind.velocities) != 1:
            fault = f"the joint {name!r} has not one motion"
            raise ModelError(Issue(fault, "drive a revolute, prismatic or screw joint", ("joint",)))
        self.is_straight = kind.velocities[0][1] == "m/s"
        return dict(joint)

    @property
    def _carrier(self) -> tuple[Any, list[str]]:
        """Where rotors turn, and the components of their unit axis there."""
        body, axis = self.drive.carrier, self.drive.axis
        if self.origin is not None and self.joint is None and body is None and axis is None:
            return self.origin._carrier
        parent = None if self.joint is None else self.joint.get("parent", GROUND)
        at = parent.get("body") if isinstance(parent, Mapping) else str(parent).partition(".")[0]
        if self.joint is not None and body in (None, at) and axis is None:
            if self.is_straight and not self.drive.linear and self._planar:  # rotors in the plane feel no turn of it
                return GROUND, _unit(self._plain_axis)
            return parent, _unit(self.joint.get("axis", "z"))
        if axis is None and body not in (None, GROUND):
            fault = f"the axis of the rotors on {body!r} is not known"
            raise ModelError(Issue(fault, "give axis: in the axes of the carrier", ("carrier",)))
        return body or GROUND, _unit(axis or self._plain_axis)

    @property
    def _planar(self) -> str:
        """The plane of a planar model; empty for none."""
        plane = self.sections.data.get("planar")
        return str(plane) if plane in NORMALS else ""

    @property
    def _plain_axis(self) -> Any:
        """The axis of a machine of its own: z, but in a planar model the normal, or in the plane if it slides."""
        if self.drive.linear or not self._planar:
            return "x" if self._planar == "xy" else "z"
        return [*NORMALS[self._planar]]

    @property
    def _has_motor_at_joint(self) -> bool:
        """Whether the motor turns with the joint, so that its record has the rotor."""
        segment = self.train.first.settled().segment
        return self.joint is not None and segment.is_joint and segment.gear is None

    def _motor(self) -> None:
        source, place = self.drive.source, self.train.first.settled()
        segment = place.segment
        if self.train.motor is not None and source is not None:
            where: dict[str, Any] = {"joint": segment.coordinate, "ratio": plain(place.factor())}
            if self._has_motor_at_joint:
                where |= {"rotor_inertia": self.train.rotor_inertia}
                if self.drive.carrier is not None:
                    where["mounted_on"] = self.drive.carrier
                if self.drive.axis is not None:
                    where["rotor_axis"] = plain_value(self.drive.axis)
            self.sections.put("motors", self.name, {**self.train.motor, **where})
        bus, own = self.train.supply
        if bus:
            self._draw(bus, own)
        for event, when in self.train.events.items():
            self.sections.note(f"{self.name}_{event}_limit", when)
        if self.train.heats is not None:
            self.sections.heats.setdefault(self.train.heats, []).append(f"{self.name}.losses")
            self.sections.put("outputs", f"{self.name}.temperature", self.train.heats)
        if self.train.given_speed:
            state = f"{self.name}_angle"
            self.sections.put("states", state, {"rate": self.train.given_speed})
            self.sections.put("motions", segment.coordinate, {"value": over(state, place.factor())})

    def _draw(self, bus: str, own: Any) -> None:
        """Draw current from a supply, which may be one of its own."""
        supplies = self.sections.supplies
        if own is not None:
            supplies[bus] = own
        if bus not in supplies:
            cure = nearest(bus, supplies) if supplies else "add supplies: {bus: {voltage: 48 V}}"
            raise ModelError(Issue(f"there is no supply {bus!r}", cure, ("source", "supply")))
        self.sections.loads.setdefault(bus, []).append(self.train.draws)

    def _body(self, segment: Segment) -> None:
        """The body and the joint of a segment, and what turns it."""
        parts = [times(place.factor(), place.factor(), moment) for place, moment, _ in segment.inertias]
        moment = plus(*parts) if parts else "0.0"
        if moment == "0.0" and not segment.is_related:
            beside = "behind its shaft" if segment.number else "at its source"
            fault = f"the part number {segment.number + 1} of the train, {beside}, has no inertia"
            raise ModelError(Issue(fault, "add {inertia: …} to it", ("train",)))
        parent, axis = self._carrier
        n = [*zip("xyz", axis, strict=True)]
        entries = [times(moment, a, b) for (i, a), (j, b) in _PAIRS(n)]
        name, is_linear = segment.coordinate, segment.is_linear
        own = {"mass": plain(moment)} if is_linear else {"inertia": [plain(entry) for entry in entries]}
        self.sections.put("bodies", name, own)
        if segment.before is not None:
            parent = segment.before.settled().segment.coordinate
        kind = "force" if is_linear else "torque"
        joint: dict[str, Any] = {
            "type": "prismatic" if is_linear else "revolute",
            "parent": parent,
            "child": name,
            "axis": [plain(each) for each in axis],
        }
        own_parts = [each for each in self.train.segments if not each.is_joint]
        if self.joint is not None:
            joint["drawn"] = {"at": self.drive.joint, "before": len(own_parts) - own_parts.index(segment)}
        elif segment.number:
            joint["drawn"] = {"before": -segment.number}
        laws, clutch = list(segment.frictions), segment.clutch
        if clutch is not None and clutch.law is not None:
            laws.append((TrainPlace(segment, ("1.0", "1.0")), clutch.law, self.train.prefixed(clutch.called)))
        if law := self._friction(segment, laws):
            joint["friction"] = law
        if clutch is not None and clutch.one_way:
            joint["limits"] = {"one_way": True}
            rubs = f"{name}.friction + " if laws else ""
            self.train.show(f"{clutch.called}.{kind}", lambda: f"{rubs}{name}.stop_force", is_let=False)
            self.train.show(f"{clutch.called}.loss", lambda: f"-{rubs[:-3]}*{name}.v" if rubs else "0", is_let=False)
        else:
            self._frictions_shown(segment, laws)
        self.sections.put("joints", name, joint)
        if torque := _sum(segment):
            value = [plain(times(torque, each)) for each in axis]
            force = {"type": kind, "parent": self._carrier[0], "child": name, "value": value, "frame": "parent"}
            self.sections.put("forces", f"{name}_{kind}", force)

    def _on_joint(self, segment: Segment) -> None:
        """What the joint gets: inertia, friction and an effort."""
        assert self.joint is not None
        changed, name = self.joint, segment.coordinate
        parts = [times(place.factor(), place.factor(), moment) for place, moment, _ in segment.inertias]
        if parts:
            if isinstance(changed.get("armature"), list):
                raise ModelError(Issue("the joint lists its armature", "write one number", ("joint",)))
            own = [text_of(Scalar.read(changed["armature"]))] if "armature" in changed else []
            changed["armature"] = plain(plus(*own, *parts))
        if segment.frictions or segment.gear is not None:
            own_law = changed.get("friction")
            place = TrainPlace(segment, segment.reference.ratio, is_behind=True)  # type: ignore[union-attr]
            laws = [(place, Friction(**own_law), "")] if own_law else []
            changed["friction"] = self._friction(segment, [*laws, *segment.frictions])
            self._frictions_shown(segment, [*laws, *segment.frictions])
        self.sections.replace("joints", name, changed)
        if torque := _sum(segment):
            kind = "force" if self.is_straight else "torque"
            value = [plain(times(torque, each)) for each in _unit(changed.get("axis", "z"))]
            ends = {key: changed[key] for key in ("parent", "child")}
            self.sections.put(
                "forces", f"{self.name}_effort", {"type": kind, **ends, "value": value, "frame": "parent"}
            )

    def _friction(self, segment: Segment, laws: Sequence[PlacedFriction]) -> dict[str, Any]:
        """The friction of the coordinate of a segment."""
        if segment.gear is None:
            return friction_of(laws, is_prescribed=segment.coordinate in self.sections.table("motions"))
        train, torque = self.train, ""
        carrier = self.drive.carrier or (GROUND if self.joint is not None and segment.is_joint else self._carrier[0])
        for is_so, what, cure in (
            (segment.clutch is not None, "hangs on a clutch", "put a shaft between"),
            (segment.is_related, "stands beside a planetary gear, or where trains join", "put a shaft between"),
            (
                bool(train.given_speed) and segment is train.first.settled().segment,
                "has a given speed",
                "put a shaft between",
            ),
            (carrier != GROUND, "rides on a body that may turn", "write carrier: ground"),
        ):
            if is_so:
                fault = f"the gear with losses {segment.gear[0].called!r} {what}, which is not supported"
                raise ModelError(Issue(fault, cure, ("train",)))
        if train.motor is not None and segment is train.first.settled().segment:
            factor, name = train.first.factor(), segment.coordinate
            constant, damping = (text_of(Scalar.read(train.motor[key])) for key in ("torque_constant", "rotor_damping"))
            torque = plus(
                times(factor, constant, f"{self.name}.current"), times("-1", factor, factor, damping, f"{name}.v")
            )
        law, name, (gear, front) = with_gear(segment, laws, torque), segment.coordinate, segment.gear
        if not any(place.is_behind for place, _, _ in laws):  # else what sticks behind the gear hides what it passes on
            acts, inertia = (str(law["gear"][key]) for key in ("torque", "inertia"))
            whole = plus(acts, times("-1", inertia, f"{name}.a"), f"{name}.friction")
            what = "force" if segment.is_joint and self.is_straight else "torque"
            behind = over(front.factor(), text_of(gear.ratio))
            self.sections.put("outputs", f"{train.prefixed(gear.called)}.{what}", over(whole, behind))
        return law

    def _frictions_shown(self, segment: Segment, laws: Sequence[PlacedFriction]) -> None:
        """Results of the friction of a segment, where a single element has it, and of a gear with losses."""
        name = segment.coordinate
        if segment.gear is not None:
            called, whole = self.train.prefixed(segment.gear[0].called), f"-{name}.friction*{name}.v"
            self.sections.put("outputs", f"{called}.loss", f"{whole} - {loss_of(laws, name)}" if laws else whole)
            for law in (each for each in laws if each[2]):
                self.sections.put("outputs", f"{law[2]}.loss", loss_of([law], name))
        elif len(laws) == 1 and laws[0][2]:
            place, _, called = laws[0]
            self.sections.put(
                "outputs",
                f"{called}.{'force' if segment.is_linear else 'torque'}",
                over(f"{name}.friction", place.factor()),
            )
            self.sections.put("outputs", f"{called}.loss", f"-{name}.friction*{name}.v")


def _untwisted(sections: Sections, trains: Sequence[Train]) -> None:
    """Initial values of the segments with which no shaft is twisted and no clutch slips, from those that are given."""
    initial = sections.table("initial")
    segments = [segment for train in trains for segment in train.segments]
    clutches = [(each.before, TrainPlace(each, ("1.0", "1.0"))) for each in segments if each.before is not None]
    for end in ("", ".v"):
        pairs = [pair for train in trains for pair in train.joints]
        pairs += [pair for pair in clutches if pair[1].segment.coordinate + end not in initial]
        sums = [[("1.0", one), ("-1.0", other)] for one, other in pairs]
        sums += [terms for train in trains for terms in train.relations.values()]
        known = {
            segment: text_of(Scalar.read(initial[segment.coordinate + end]))
            for segment in segments
            if segment.clutch is None and isinstance(initial.get(segment.coordinate + end), int | float | str)
        }
        left = [[(times(factor, at.factor()), at.settled().segment) for factor, at in terms] for terms in sums]
        while found := [terms for terms in left if len({each for _, each in terms} - known.keys()) == 1]:
            (segment,) = {each for _, each in found[0]} - known.keys()
            own = plus(*(factor for factor, each in found[0] if each is segment))
            others = plus(*(times(factor, known[each]) for factor, each in found[0] if each is not segment))
            known[segment] = over(negative(others), own)
            if not segment.is_joint and segment.clutch is None:
                value, name = plain(known[segment]), segment.coordinate + end
                guess = value if end else {"guess": value if segment.is_linear else _angle(value)}
                if name not in initial:
                    sections.put("initial", name, guess, ("drives", segment.drive))


def _summed(terms: Sequence[tuple[str, TrainPlace]]) -> dict[str, float | str]:
    """Factors of the coordinates in a sum of factors and angles."""
    total = dict[str, str]()
    for factor, place in terms:
        for name, each in place.terms().items():
            total[name] = plus(total.get(name, "0.0"), times(factor, each))
    return {name: plain(each) for name, each in total.items()}


def _PAIRS(n: list[tuple[str, str]]) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Entries xx, yy, zz, xy, xz, yz."""
    return [(n[i], n[j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def _angle(value: float | str) -> float | str:
    """An angle, whose unit is meant."""
    return f"{value!r} rad" if isinstance(value, float) else value


def _unit(axis: Any) -> list[str]:
    """Components of a unit vector."""
    parts = [text_of(Scalar.read(entry)) for entry in read_direction(plain_value(axis))]
    length = "sqrt(" + " + ".join(f"({part})**2" for part in parts) + ")"
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return [over(part, length) for part in parts]
    size = sum(number * number for number in numbers) ** 0.5
    return [repr(number / size) for number in numbers]


def _sum(segment: Segment) -> str:
    """The torque on the coordinate of a segment; empty for none."""
    return " + ".join(times(place.factor(), f"({torque})") for place, torque in segment.torques)
