"""A clutch of a train: friction between its two sides, or a freewheel.

Source: Otter, Elmqvist & Mattsson 1999, Hybrid modeling in Modelica, CACSD'99 (one-way clutch: 0 ≤ w ⊥ τ + F ≥ 0)
"""

from typing import Any, Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.drives.elements.friction import FrictionElement, check_units
from cardan.model.drives.train import Train
from cardan.model.joints.friction import Friction


class ClutchElement(FrictionElement):
    """Friction between what stands before and behind it; one way, what stands behind is never slower."""

    type: Literal["clutch"] = "clutch"  # type: ignore[assignment]
    law: Friction | None = None  # type: ignore[assignment]
    one_way: bool = False  # whether it is a freewheel, with friction while it runs free

    @classmethod
    def read(cls, value: Any, name: str) -> Self:
        if not isinstance(value, dict) or "one_way" not in value:
            return super().read(value, name)
        keys = {key: entry for key, entry in value.items() if key != "one_way"}
        law = super().read(keys, name).law if keys else None
        return cls(name=name, law=law, one_way=value["one_way"])

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.law is None and not self.one_way:
            raise ModelError(Issue("nothing acts in the clutch", "give it an effort, or one_way: true"))
        return self

    def add(self, train: Train) -> None:
        if self.law is not None:
            check_units(self.law, train, self.type)
        train.next_segment(self)
