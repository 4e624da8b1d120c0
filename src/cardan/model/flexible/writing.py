"""A flexible body as rigid parts with hinges between them that bend, twist and, in one place, stretch and shear.

A rod of length L and n segments h = L/n bends at n points: the middles of the segments, of which the first and the last
are moved out by s with s² + (L − h) s = h L/24. Each has the stiffness E I/h. With the weights h these points integrate
polynomials of the second degree along the rod exactly: from two segments on, tip forces and moments bend a clamped rod
as in the theory of Euler and Bernoulli. The parts between them are uniform rods, so that mass, centre and inertia are
those of the whole. Axial and shear compliance stand in the middle hinge alone: see decision 0041.

Source: Wittbrodt, Adamiec-Wójcik & Wojciech 2006, *Dynamics of Flexible Multibody Systems*, §3 (rigid finite elements)
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any

from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass
from cardan.model.body import Marker
from cardan.model.flexible.modal import ModalWriting, refuse_centre
from cardan.model.flexible.record import FlexibleBody, read_body
from cardan.model.place import InlinePlace
from cardan.model.plane import NORMALS
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.plain import plain
from cardan.model.records.record import Record
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import over, plus, text_of, times

_FIRST_BENDING = 1.8751040687119611  # β L of a clamped rod: cos x cosh x = −1
_ENDS = ("parent", "child")
_ARITHMETIC = re.compile(r"(?:[\d.+\-*/() ]|\de[-+]?\d|sqrt|min|max|, )+")  # of numbers alone


def hinges(n: int) -> list[float]:
    """Places at which a rod of length 1 and n segments bends."""
    h = 1 / n
    s = (math.sqrt((1 - h) ** 2 + h / 6) - (1 - h)) / 2 if n > 1 else 0.0
    inner = [(k + 0.5) * h for k in range(1, n - 1)]
    return [h / 2 - s, *inner, 1 - h / 2 + s] if n > 1 else [0.5]


def flexible_written_out(sections: Sections) -> None:
    """Write the flexible bodies of a model out, and let its joints and forces act on their parts."""
    rods = dict[str, _Rod | ModalWriting]()
    for name, data in sections.table("bodies").items():
        if not isinstance(data, Mapping) or "type" not in data:
            continue
        try:
            if data["type"] not in _KINDS:
                cure = f"write {' or '.join(_KINDS)}, or leave it out for a rigid body"
                raise ModelError(Issue(f"there is no body type {str(data['type'])!r:.60}", cure, ("type",)))
            rods[name] = _KINDS[data["type"]](name, data, sections)
        except ModelError as error:
            raise error.under("bodies", name) from None
    for section in ("joints", "forces", "constraints") if rods else ():
        for name, data in sections.table(section).items():
            try:
                moved = _moved(data, rods)
            except ModelError as error:
                raise error.under(section, name) from None
            if moved is not data:
                sections.replace(section, name, moved)
    for name, rod in rods.items():
        try:
            rod.write()
        except ModelError as error:
            raise error.under("bodies", name) from None


def _moved(data: Any, rods: Mapping[str, _Rod | ModalWriting]) -> Any:
    """A joint, force or constraint with its ends on the parts of flexible bodies; itself if it has none there."""
    found = {key: data.get(key) if isinstance(data, Mapping) else getattr(data, key, None) for key in _ENDS}
    moved = dict[str, Any]()
    for key, end in found.items():
        if (body := _body_of(end)) in rods:
            try:
                moved[key] = rods[body].end(end)
            except ModelError as error:
                raise error.under(key) from None
    return {**(plain(data) if isinstance(data, Record) else data), **moved} if moved else data


def _body_of(end: Any) -> str:
    if isinstance(end, InlinePlace):
        return end.body
    return str(end.get("body")) if isinstance(end, Mapping) else str(end).partition(".")[0]


@dataclass(frozen=True)
class _Rod:
    """A flexible body that is written out."""

    name: str
    body: FlexibleBody
    sections: Sections

    def write(self) -> None:
        """Write its parts, and what joins them."""
        refuse_centre(self.name, self.sections)
        markers: list[dict[str, Any]] = [{} for _ in self.parts]
        alias = dict[str, Any]()
        for marker, frame in self.body.markers.items():
            try:
                k, placed = self._placed(frame)
            except ModelError as error:
                raise error.under("markers", marker) from None
            alias[marker] = placed | ({"part": self.parts[k]} if k else {})
            markers[k][marker] = placed
        ends = [0.0, *self._at, 1.0]
        for k, part in enumerate(self.parts):
            own = self._part(ends[k + 1] - ends[k]) | {"markers": markers[k] if k else alias}
            if k:
                self._put("bodies", part, own | {"bends_from": self.parts[k - 1]})
            else:
                self.sections.replace("bodies", part, _computed(own))
        for k in range(self.body.segments):
            self._hinge(k)

    def end(self, end: Any) -> Any:
        """A place on the body as a place on its part."""
        if isinstance(end, str):
            marker = end.partition(".")[2]
            if marker not in self.body.markers:
                return end
            return f"{self.parts[self._part_at(self.body.markers[marker])]}.{marker}"
        place = end if isinstance(end, InlinePlace) else InlinePlace(**end)
        k, placed = self._placed(place)
        return {"body": self.parts[k], **placed}

    @property
    def parts(self) -> list[str]:
        """Names of the rigid parts, from the origin on."""
        return [self.name, *(f"{self.name}_{k + 2}" for k in range(self.body.segments))]

    @property
    def _at(self) -> list[float]:
        """Places of the hinges over the length."""
        return hinges(self.body.segments)

    def _part_at(self, frame: Marker | InlinePlace) -> int:
        """The part on which a frame rides."""
        x, length = self._value(frame.position[0]), self._value(self.body.length)
        if not -1e-9 <= x / length <= 1 + 1e-9:
            fault = f"x = {x:g} m lies beside the rod, which reaches from 0 to {length:g} m"
            raise ModelError(Issue(fault, "place it along the rod", ("position",)))
        return bisect_right(self._at, x / length)

    def _placed(self, frame: Marker | InlinePlace) -> tuple[int, dict[str, Any]]:
        """The part on which a frame rides, and the frame there."""
        k = self._part_at(frame)
        data = {key: entry for key, entry in plain(frame).items() if key not in ("part", "body")}
        x, y, z = (text_of(each) for each in frame.position)
        origin = times(repr(self._at[k - 1]), self._length) if k else "0.0"
        return k, data | {"position": [plus(x, times("-1", origin)), y, z]}

    def _value(self, scalar: Scalar) -> float:
        """The value of a number of the file, with the parameters as they stand there."""
        if scalar.value is not None:
            return scalar.value
        known = {str(name): Scalar.read(value) for name, value in self.sections.table("parameters").items()}
        values = resolve(known)
        missing = sorted(scalar.names - values.keys())
        if missing:
            raise ModelError(f"the name {missing[0]!r} is not defined", nearest(missing[0], values))
        return scalar.number(values)

    @property
    def _length(self) -> str:
        return text_of(self.body.length)

    @property
    def _planar(self) -> str:
        """The plane of a planar model; empty for none."""
        plane = str(self.sections.data.get("planar") or "")
        if plane == "yz":
            raise ModelError("the rod along x does not lie in the plane yz", "choose planar: xy or xz")
        return plane if plane in NORMALS else ""

    def _part(self, share: float) -> dict[str, Any]:
        """A rigid part, a uniform rod that begins at its origin."""
        number, length = self.body.section.numbers(), times(repr(share), self._length)
        per_length = text_of(self.body.material.density)
        mass = times(per_length, number.area, length)
        across = times(repr(1 / 12), mass, length, length)
        spin = [times(per_length, length, moment) for moment in (number.Iy, number.Iz)]
        shape = self.body.section.solid(length) | {"color": self.body.color}
        return {
            "mass": mass,
            "com": [times("0.5", length), 0, 0],
            "inertia": [plus(*spin), plus(across, spin[0]), plus(across, spin[1])],
            "shapes": [shape],
        }

    def _hinge(self, k: int) -> None:
        """What joins part k and the next."""
        begin = times(repr(self._at[k - 1]), self._length) if k else "0.0"
        at = plus(times(repr(self._at[k]), self._length), times("-1", begin))
        where: dict[str, Any] = {"parent": {"body": self.parts[k], "position": [at, 0, 0]}, "child": self.parts[k + 1]}
        name, is_middle = f"{self.name}_bend{k + 1}", k == self.body.segments // 2
        axial, shear_y, shear_z, twist, bend_y, bend_z = self._springs
        if not self._planar:
            kind = "free" if is_middle else "spherical"
            self._put("joints", name, {"type": kind} | where)
            stiff = [*((axial, shear_y, shear_z) if is_middle else ("0.0",) * 3), twist, bend_y, bend_z]
            force = {"type": "bushing"} | where | self._law(stiff)
            self._put("forces", f"{name}_spring", force)
            return
        bend, shear = (bend_z, shear_y) if self._planar == "xy" else (bend_y, shear_z)
        if not is_middle:
            axis = [*NORMALS[self._planar]]
            self._put("joints", name, {"type": "revolute", "axis": axis} | where | self._law(bend))
            return
        if self._planar == "xz":  # the joint moves in the xy plane of its markers
            turned = {"rpy": ["-90 deg", 0, 0]}
            where = {"parent": where["parent"] | turned, "child": {"body": where["child"]} | turned}
        self._put("joints", name, {"type": "planar"} | where | self._law([axial, shear, bend]))

    @property
    def _springs(self) -> tuple[str, ...]:
        """Stiffness along x, y, z of the whole rod, about x, y, z of one segment."""
        number, material, n = self.body.section.numbers(), self.body.material, str(self.body.segments)
        E, L = text_of(material.youngs_modulus), self._length
        G = self.body.shear_modulus
        shear = over(times(number.shear_factor, G, number.area), L)
        return (
            over(times(E, number.area), L),
            shear,
            shear,
            *(
                over(times(n, modulus, moment), L)
                for modulus, moment in ((G, number.J), (E, number.Iy), (E, number.Iz))
            ),
        )

    def _law(self, stiffness: Any) -> dict[str, Any]:
        """Stiffness and damping β K, β = 2 ζ/ω."""
        several = isinstance(stiffness, list)
        if self.body.damping_ratio.value == 0:
            return {"stiffness": stiffness}
        damping = [times(self._delay, each) for each in stiffness] if several else times(self._delay, stiffness)
        return {"stiffness": stiffness, "damping": damping}

    @property
    def _delay(self) -> str:
        """β [s]: damping over stiffness."""
        ratio = times("2", text_of(self.body.damping_ratio))
        if self.body.frequency is not None:
            return over(ratio, times(repr(2 * math.pi), text_of(self.body.frequency)))
        number, material = self.body.section.numbers(), self.body.material
        moments = {"xy": [number.Iz], "xz": [number.Iy]}.get(self._planar, [number.Iy, number.Iz])
        least = moments[0] if len(moments) == 1 else f"min({moments[0]}, {moments[1]})"
        inside = over(
            times(text_of(material.youngs_modulus), f"({least})"), times(text_of(material.density), number.area)
        )
        return over(times(ratio, f"({self._length})**2"), times(repr(_FIRST_BENDING**2), f"sqrt({inside})"))

    def _put(self, section: str, name: str, value: Any) -> None:
        self.sections.put(section, name, _computed(value), ("bodies", self.name))


_KINDS: dict[str, Callable[[str, Mapping[str, Any], Sections], _Rod | ModalWriting]] = {
    "flexible": lambda name, data, sections: _Rod(name, read_body(data), sections),
    "modal": ModalWriting.read,
}
"""How a flexible body of each type is read."""


def _computed(value: Any) -> Any:
    """Data with numbers in place of texts of digits alone."""
    if isinstance(value, str) and _ARITHMETIC.fullmatch(value):
        return Scalar.read(value).value
    if isinstance(value, dict):
        return {key: _computed(entry) for key, entry in value.items()}
    return [_computed(entry) for entry in value] if isinstance(value, list) else value
