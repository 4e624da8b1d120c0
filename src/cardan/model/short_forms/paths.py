"""Paths: set-points from rest to rest, of one or several coordinates, as names of expressions.

A path `go` of the coordinate `r1` brings `go.r1`, its speed `go.r1.v`, its acceleration `go.r1.a`, and `go.end`, the
instant at which all have arrived.   Source: Biagiotti & Melchiorri 2008, §2.1.7, §2.2.2, §3.2
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from cardan.errors import Issue, ModelError, nearest
from cardan.model.quantities.fields import Anything, Time
from cardan.model.quantities.scalar import ZERO, Scalar
from cardan.model.records.record import Record
from cardan.model.records.section import PathSection
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import plus, text_of, times

_PEAKS = {"quintic": ("1.875", "10/sqrt(3)"), "cycloid": ("2", "2*pi")}  # of speed and acceleration over T = 1
_SHARES = {
    "quintic": ("x**3*(10 - 15*x + 6*x**2)", "30*x**2*(1 - x)**2", "60*x*(1 - x)*(1 - 2*x)"),
    "cycloid": ("x - sin(2*pi*x)/(2*pi)", "1 - cos(2*pi*x)", "2*pi*sin(2*pi*x)"),
}
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_Bounds = tuple[Callable[[str, str], str], Callable[[str, str], str]]
_MIN_MAX: _Bounds = (lambda x, bound: f"min({x}, {bound})", lambda x, bound: f"max({bound}, {x})")
_BRANCHES: _Bounds = (
    lambda x, bound: f"if({x} < {bound}, {x}, {bound})",
    lambda x, bound: f"if({x} < {bound}, {bound}, {x})",
)  # the same, whose derivatives at an instant that bounds are those just after it
_SMALL = "1e-300"  # distance in place of none


def _each(value: Any) -> Any:
    """Limits by coordinate; one number holds for all, under the name ""."""
    if value is None or isinstance(value, Mapping):
        return value
    return Scalar.read(value)


Bounds = Annotated[PathSection[Anything] | Scalar | None, BeforeValidator(_each)]


class PathRecord(Record):
    """A way from rest to rest."""

    profile: Literal["trapezoid", "quintic", "cycloid"] = "trapezoid"  # of the speed over time
    begin: PathSection[Anything] = Field(alias="from")  # values by coordinate
    to: PathSection[Anything]
    start: Time = ZERO  # [s]
    duration: Time | None = None  # [s]; without it the limits decide
    max_speed: Bounds = None  # by coordinate, or one for all
    max_acceleration: Bounds = None  # likewise
    together: bool = True  # all coordinates arrive together

    @model_validator(mode="after")
    def _check(self) -> Self:
        if list(self.begin) != list(self.to) and {*self.begin} != {*self.to}:
            missing = min({*self.begin} ^ {*self.to})
            raise ModelError(Issue(f"{missing!r} has no begin or no end", "name it in from: and in to:"))
        if not self.to:
            raise ModelError(Issue("the path moves nothing", "write to: {r1: 60 deg}", ("to",)))
        limited = (self.max_speed, self.max_acceleration)
        if self.duration is not None and any(each is not None for each in limited):
            raise ModelError("a path has a duration or limits", "give one of the two")
        if self.duration is None and None in limited:
            raise ModelError("nothing decides how long the path takes", "give duration, or both limits")
        for key, bound in (("max_speed", self.max_speed), ("max_acceleration", self.max_acceleration)):
            if isinstance(bound, PathSection) and (wrong := bound.keys() ^ self.to.keys()):
                name = min(wrong)
                fault = f"{name!r} has no limit" if name in self.to else f"the path does not move {name!r}"
                raise ModelError(Issue(fault, "name each coordinate of to:", (key,)))
        return self

    def write(self, name: str, sections: Sections) -> None:
        """Write it out."""
        axes = list(self.to)
        sections.put("parameters", f"{name}_start", text_of(self.start))
        groups = {name: axes} if self.together else {f"{name}_{axis.replace('.', '_')}": [axis] for axis in axes}
        for own, group in groups.items():
            self._timed(own, group, sections)
        for key, text in self._laws(name, groups, _MIN_MAX).items():
            sections.put("let", key, text)
        sections.path_laws |= self._laws(name, groups, _BRANCHES)
        ends = [f"{own}_time" for own in groups]
        longest = ends[0] if len(ends) == 1 else f"max({', '.join(ends)})"
        sections.put("parameters", f"{name}_end", f"{name}_start + {longest}")
        sections.put("let", f"{name}.end", f"{name}_end")
        sections.rename_in("simulate", "until", f"{name}.end", f"{name}_end")
        for axis in axes:
            sections.path_starts.setdefault(name, {})[axis] = text_of(self.begin[axis])

    def _timed(self, own: str, axes: list[str], sections: Sections) -> None:
        """The time that the way takes, and of a trapezoid that of its acceleration, as parameters."""
        if self.duration is not None:
            sections.put("parameters", f"{own}_time", text_of(self.duration))
            if self.profile == "trapezoid":
                sections.put("parameters", f"{own}_ramp", f"{own}_time/3")
            return
        speed, acceleration = (
            _least(self._bound(limits, axis) + f"/max({_SMALL}, abs({self._way(axis)}))" for axis in axes)
            for limits in (self.max_speed, self.max_acceleration)
        )
        if self.profile == "trapezoid":
            sections.put("parameters", f"{own}_peak", f"min({speed}, sqrt({acceleration}))")
            sections.put("parameters", f"{own}_ramp", f"{own}_peak/({acceleration})")
            sections.put("parameters", f"{own}_time", f"1/{own}_peak + {own}_ramp")
            return
        v, a = _PEAKS[self.profile]
        sections.put("parameters", f"{own}_time", f"max({v}/({speed}), sqrt({a}/({acceleration})))")

    def _bound(self, limits: Any, axis: str) -> str:
        return text_of(limits[axis] if isinstance(limits, PathSection) else limits)

    def _way(self, axis: str) -> str:
        return plus(text_of(self.to[axis]), times("-1", text_of(self.begin[axis])))

    def _laws(self, name: str, groups: Mapping[str, list[str]], bounds: _Bounds) -> dict[str, str]:
        """What its names mean; each group of coordinates, by its own name, moves together."""
        out, (least, most) = dict[str, str](), bounds
        for own, group in groups.items():
            share = self._shares(own, least(most(f"t - {name}_start", "0"), f"{own}_time"), bounds)
            out |= {f"{own}_share{end}": text for end, text in zip(("", ".v", ".a"), share, strict=True)}
            for axis in group:
                begin = text_of(self.begin[axis])
                way = f"({plus(text_of(self.to[axis]), times('-1', begin))})"
                out[f"{name}.{axis}"] = plus(begin, times(way, f"{own}_share"))
                out |= {f"{name}.{axis}.{end}": times(way, f"{own}_share.{end}") for end in "va"}
        return out

    def _shares(self, own: str, x: str, bounds: _Bounds) -> tuple[str, str, str]:
        """Share of the way that is done, its rate and the rate of this, at the time x since the start."""
        T, (least, most) = f"{own}_time", bounds
        if self.profile != "trapezoid":
            texts = (re.sub(r"\bx\b", f"({x}/{T})", text) for text in _SHARES[self.profile])
            share, rate, second = texts
            return share, f"({rate})/{T}", f"({second})/{T}**2"
        ramp = f"{own}_ramp"
        lead = f"1/({ramp}*({T} - {ramp}))"  # acceleration
        late = most(f"{x} - ({T} - {ramp})", "0")
        share = f"{lead}*({least(x, ramp)}**2/2 + {ramp}*{most(f'{x} - {ramp}', '0')} - {late}**2/2)"
        rate = f"{lead}*({least(x, ramp)} - {late})"
        second = f"{lead}*(step({x} - 1e-300) - step({x} - {ramp}) - step({x} - ({T} - {ramp})) + step({x} - {T}))"
        return share, rate, second


def paths_written_out(sections: Sections) -> None:
    """Write the paths of a model out, and the start at one of them, `initial: {at: go}`."""
    for name, path in sections.records("paths", PathRecord, "path", "{from: {…}, to: {…}, duration: 2 s}").items():
        with sections.writing("paths", name):
            path.write(name, sections)
    if sections.path_laws and "motions" in sections.data:
        sections.data["motions"] = _spelled_out(sections.data["motions"], sections.path_laws)
    initial = sections.table("initial")
    at = initial.get("at")
    names = at if isinstance(at, list) else [at] if isinstance(at, str) and at in sections.path_starts else []
    if not names:
        return
    if wrong := [f"{name}" for name in names if not isinstance(name, str) or name not in sections.path_starts]:
        cure = nearest(wrong[0], sections.path_starts)
        raise ModelError(Issue(f"there is no path {wrong[0]!r}", cure, ("initial", "at")))
    starts = {key: value for name in names for key, value in sections.path_starts[name].items()}
    sections.data["initial"] = {**starts, **{key: value for key, value in initial.items() if key != "at"}}


def _spelled_out(value: Any, laws: Mapping[str, str]) -> Any:
    """What motions say, with the laws of paths in place of their names: a motion names t and parameters only."""
    if isinstance(value, str):
        return _NAME.sub(
            lambda found: f"({_spelled_out(laws[found[0]], laws)})" if found[0] in laws else found[0], value
        )
    if isinstance(value, Mapping):
        return {key: _spelled_out(entry, laws) for key, entry in value.items()}
    return [_spelled_out(entry, laws) for entry in value] if isinstance(value, list) else value


def _least(texts: Iterable[str]) -> str:
    """The least of several."""
    several = list(texts)
    return several[0] if len(several) == 1 else reduce(lambda a, b: f"min({a}, {b})", several)
