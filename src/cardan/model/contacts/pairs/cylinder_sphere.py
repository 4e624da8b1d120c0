"""A cylinder and a sphere."""

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_cylinder


def touches(a: Placed, b: Placed) -> list[Touch]:
    """The point of the cylinder that is nearest to the centre of the sphere."""
    return [ball_on_cylinder(b.p, b.shape.radius, a).turned_round()]  # type: ignore[attr-defined]
