"""Kinds of controllers, one file each, which is named as the `type` of the controller, and how they are written out.

In: the section `controllers` of a model. Out: names of `let`, states and inputs. The result of a controller has its
name: inputs, outputs, `let` and other controllers may use it.
"""

from collections.abc import Mapping
from typing import Any, cast

from cardan.model.controllers.controller import ControlLaw
from cardan.model.records.kinds import Kinds, OneOf
from cardan.model.records.section import check_name
from cardan.model.short_forms.sections import Sections

__all__ = ["CONTROLLERS", "ControlLaw", "controllers_written_out"]

CONTROLLERS = Kinds(
    __name__,
    "p",
    "pi",
    "pid",
    "cascade",
    "state_feedback",
    "transfer_function",
    "state_space",
    "hysteresis",
    "delay",
    "lookup",
    "observer",
    "computed_torque",
    "gravity_compensation",
    "fmu",
)
"""All kinds of controllers by their `type`."""


def controllers_written_out(sections: Sections) -> None:
    """Write the controllers of a model out."""
    for name, data in sections.taken("controllers").items():
        with sections.writing("controllers", name):
            check_name(name)
            entry: Any = {str(key): x for key, x in data.items()} if isinstance(data, Mapping) else data
            cast("ControlLaw", OneOf("controller", CONTROLLERS).read(entry)).write(name, sections)
