"""Two spheres."""

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_ball


def touches(a: Placed, b: Placed) -> list[Touch]:
    """The point on the line of their centres."""
    return [ball_on_ball(a.p, a.shape.radius, b.p, b.shape.radius)]  # type: ignore[attr-defined]
