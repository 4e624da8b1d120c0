"""A capsule and a sphere."""

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_ball, nearest_on_axis


def touches(a: Placed, b: Placed) -> list[Touch]:
    """The point on the line from the centre of the sphere to the nearest one of the capsule's axis."""
    return [ball_on_ball(nearest_on_axis(a, b.p), a.shape.radius, b.p, b.shape.radius)]  # type: ignore[attr-defined]
