"""A box and a sphere."""

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_box


def touches(a: Placed, b: Placed) -> list[Touch]:
    """The point of the box that is nearest to the centre of the sphere."""
    return [ball_on_box(b.p, b.shape.radius, a).turned_round()]  # type: ignore[attr-defined]
