"""A sphere in a bowl."""

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_in_bowl


def touches(a: Placed, b: Placed) -> list[Touch]:
    """The point on the line of their centres."""
    return [ball_in_bowl(a.p, a.shape.radius, b)]  # type: ignore[attr-defined]
