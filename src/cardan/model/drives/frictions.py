"""Friction of the elements of a train as that of a coordinate, with the losses of a gear.

Source: docs/drives.md
"""

from collections.abc import Sequence
from typing import Any

from cardan.errors import Issue, ModelError
from cardan.model.drives.train import Segment, TrainPlace
from cardan.model.joints.friction import Friction
from cardan.model.records.plain import plain_value
from cardan.model.short_forms.text import absolute, over, plus, text_of, times

PlacedFriction = tuple[TrainPlace, Friction, str]
"""Place in a train, friction there, and the name of its element."""


def friction_of(laws: Sequence[PlacedFriction], *, is_prescribed: bool) -> dict[str, Any]:
    """The friction of a coordinate, of that at several places; empty for none. The drive of a motion adds it."""
    if not laws:
        return {}
    follows = {"prescribed": True} if is_prescribed or any(law.prescribed for _, law, _ in laws) else {}
    if len(laws) == 1:
        place, law, _ = laws[0]
        return _scaled(law, place.factor()) | (follows if law.can_stick else {})
    out = _added(laws)
    is_viscous = out["effort"] == 0 and out["static"] == 0
    return {"type": "viscous", "viscous": out["viscous"]} if is_viscous else out | follows


def with_gear(segment: Segment, laws: Sequence[PlacedFriction], torque: str) -> dict[str, Any]:
    """The friction of the coordinate of a segment with a gear that has losses; a motor adds a `torque` in front."""
    assert segment.gear is not None, "asked for gears with losses only"
    gear, front = segment.gear
    bearings: list[PlacedFriction] = (
        [] if gear.friction is None else [(TrainPlace(segment, front.ratio, True), gear.friction, "")]
    )
    torques = [times(place.factor(), f"({each})") for place, each in segment.torques if not place.is_behind]
    inertias = [times(p.factor(), p.factor(), moment) for p, moment, _ in segment.inertias if not p.is_behind]
    losses = {
        "efficiency": gear.efficiency.source,
        "reverse_efficiency": plain(text_of(gear.reverse)),
        "torque": plain(plus(*filter(None, (torque, *torques)))),
        "inertia": plain(plus(*inertias)),
    }
    in_front = _added([law for law in laws if not law[0].is_behind])
    return {**_added([*laws, *bearings]), "gear": losses | {key: x for key, x in in_front.items() if x != 0}}


def loss_of(laws: Sequence[PlacedFriction], coordinate: str) -> str:
    """Heat per second of friction while it slides, of laws at places of the segment of a coordinate."""
    known, speed = _added(laws), f"abs({coordinate}.v)"
    return times(plus(str(known["effort"]), times(str(known["viscous"]), speed)), speed)


def plain(text: str) -> float | str:
    """A number where a text is one."""
    try:
        return float(text)
    except ValueError:
        return text


def _added(laws: Sequence[PlacedFriction]) -> dict[str, float | str]:
    """Numbers of the sum of plain friction at several places."""
    scaled = [_scaled(law, place.factor()) for place, law, _ in laws]
    for each in scaled:
        if each.get("type", "coulomb") not in ("coulomb", "viscous") or each.keys() - _ADDED:
            fault = "friction at several places of one part of the train, of which one is not plain Coulomb friction"
            raise ModelError(Issue(fault, "give effort, static and viscous alone, or put a shaft between", ("train",)))

    def whole(key: str, default: str = "") -> float | str:
        return plain(plus(*(_not_negative(each.get(key, each.get(default, 0.0))) for each in scaled)))

    return {"effort": whole("effort"), "static": whole("static", "effort"), "viscous": whole("viscous")}


def _not_negative(number: float | str) -> str:
    """A number of friction as a summand: an expression counts as zero where it is negative."""
    return f"max(0, {number})" if isinstance(number, str) else repr(number)


_ADDED = {"type", "effort", "static", "viscous", "prescribed"}
_POWERS = {"effort": 1, "static": 1, "viscous": 2, "bristle": 2, "bristle_damping": 2, "speed": -1, "regularize": -1}
"""Power of the ratio by which each number of friction changes."""


def _scaled(law: Friction, factor: str) -> dict[str, Any]:
    """Friction at a place with this ratio as friction of the coordinate."""
    size, out = absolute(factor), plain_value(law)
    for key, power in _POWERS.items():
        if key in out:
            text = text_of(getattr(law, key))
            out[key] = plain(times(text, *[size] * power) if power > 0 else over(text, size))
    return out
