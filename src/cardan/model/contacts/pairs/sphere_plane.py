"""A sphere on a half space."""

from cardan.model.contacts.pairs.geometry import Placed, Touch, ball_on_plane


def touches(a: Placed, b: Placed) -> list[Touch]:
    """The lowest point."""
    r = a.shape.radius  # type: ignore[attr-defined]
    return [ball_on_plane(a.p, r, b, radius=r, lever=r)]
