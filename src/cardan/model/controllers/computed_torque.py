"""Computed torque: the efforts that give the mechanism, as the controller knows it, the wanted accelerations.

Source: Siciliano et al. 2009, *Robotics*, §8.5.2 (inverse dynamics control)
"""

from typing import Any, Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError, nearest
from cardan.model.controllers.model_law import ModelLaw
from cardan.model.quantities.fields import Measure
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.section import PathSection
from cardan.model.short_forms.paths import Bounds
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import plus, text_of, times


class ComputedTorque(ModelLaw):
    """M (a_ref + kd ė + kp e) + C v + D v + g along a path, or M a + C v + D v + g for given accelerations a."""

    type: Literal["computed_torque"] = "computed_torque"
    follow: str | None = None  # path of all joints
    accelerations: PathSection[Measure] | None = None  # by joint, in place of a path
    kp: Bounds = ZERO  # [1/s²], one for all joints or by joint
    kd: Bounds = ZERO  # [1/s], likewise

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.follow is None) == (self.accelerations is None):
            raise ModelError("the joints follow a path, or have given accelerations", "give follow: or accelerations:")
        if self.accelerations is not None and {"kp", "kd"} & self.model_fields_set:
            fault = "gains belong to a path, and accelerations are given"
            raise ModelError(Issue(fault, "write them in the accelerations", ("kp",)))
        return self

    def efforts(self, name: str, sections: Sections) -> dict[str, dict[str, Any]]:
        if self.accelerations is None:
            given = self._along_the_path(sections)
        else:
            given = {joint: text_of(a) for joint, a in self.accelerations.items()}
        for joint, a in given.items():
            sections.put("let", f"{name}.{joint}.acceleration", a)
        wanted = {joint: f"{name}.{joint}.acceleration" for joint in given}
        return {joint: {"accelerations": wanted} for joint in given}

    def _along_the_path(self, sections: Sections) -> dict[str, str]:
        """Accelerations that bring the joints back to the path."""
        if self.follow not in sections.path_starts:
            raise ModelError(
                Issue(f"there is no path {self.follow!r}", nearest(str(self.follow), sections.path_starts), ("follow",))
            )
        joints = list(sections.path_starts[str(self.follow)])
        found = {}
        for joint in joints:
            path, terms = f"{self.follow}.{joint}", list[str]()
            for key, gains, e in (("kd", self.kd, f"({path}.v - {joint}.v)"), ("kp", self.kp, f"({path} - {joint})")):
                terms.append(times(_gain(key, gains, joint, joints), e))
            found[joint] = plus(f"{path}.a", *(term for term in terms if term != "0.0"))
        return found


def _gain(key: str, gains: Any, joint: str, joints: list[str]) -> str:
    """The gain of a joint."""
    if not isinstance(gains, PathSection):
        return "0.0" if gains is None else text_of(gains)
    if wrong := gains.keys() ^ {*joints}:
        fault = f"{min(wrong)!r} has no gain, or no place on the path"
        raise ModelError(Issue(fault, f"name {', '.join(joints)}", (key,)))
    return text_of(gains[joint])
