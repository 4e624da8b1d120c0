"""A clutch of a train: friction between its two sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from cardan.model.drives.elements.friction import FrictionElement

if TYPE_CHECKING:
    from cardan.model.drives.train import Train

__all__ = ["ClutchElement"]


class ClutchElement(FrictionElement):
    """Friction between what stands before and behind it."""

    type: Literal["clutch"] = "clutch"  # type: ignore[assignment]

    def add(self, train: Train) -> None:
        train.next_segment(self.law, self.called)
