"""Gravity compensation: the efforts that hold the mechanism where it is, against its weight and its springs.

Source: Siciliano et al. 2009, *Robotics*, §8.5.1
"""

from typing import Any, Literal

from cardan.model.controllers.model_law import ModelLaw
from cardan.model.short_forms.sections import Sections


class GravityCompensation(ModelLaw):
    """g(q)."""

    type: Literal["gravity_compensation"] = "gravity_compensation"
    joints: tuple[str, ...]  # for which it has results

    def efforts(self, name: str, sections: Sections) -> dict[str, dict[str, Any]]:
        return {joint: {"at_rest": True} for joint in self.joints}
