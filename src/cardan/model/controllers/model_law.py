"""Controllers that compute efforts from the model's own equations, or from those of a copy that differs."""

from abc import abstractmethod
from typing import Any, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.controllers.controller import ControlLaw
from cardan.model.quantities.fields import Positive
from cardan.model.quantities.scalar import ONE
from cardan.model.records.record import Record
from cardan.model.short_forms.sections import Sections


class ModelCopy(Record):
    """What a controller knows wrongly of the mechanism."""

    masses: Positive = ONE  # factor of all masses and inertias


class ModelLaw(ControlLaw):
    """A controller with one result for each joint, `name.joint`."""

    model: ModelCopy = ModelCopy()  # the equations that it computes with

    @model_validator(mode="after")
    def _has_several_results(self) -> Self:
        if self.drive is not None:
            cure = "leave drive out, and name its results, such as c.r1, in inputs or in values of sources"
            raise ModelError(Issue("the controller has a result for each joint", cure, ("drive",)))
        return self

    @abstractmethod
    def efforts(self, name: str, sections: Sections) -> dict[str, dict[str, Any]]:
        """Write out what its efforts are made of, and return their entries of `let` by joint."""

    def write(self, name: str, sections: Sections) -> None:
        efforts = self.efforts(name, sections)
        if not efforts:
            raise ModelError("the controller acts on no joint", "name the joints that it has results for")
        for joint, entry in efforts.items():
            own = {"effort": joint, **entry, "masses": self.model.masses.source}
            if self.every is None:
                self.publish(f"{name}.{joint}", own, name, sections)
                continue
            sections.put("let", f"{name}.{joint}.effort", own)
            value = self.held(f"{name}.{joint}", f"{name}.{joint}.effort", name, sections)
            self.publish(f"{name}.{joint}", value, name, sections)
