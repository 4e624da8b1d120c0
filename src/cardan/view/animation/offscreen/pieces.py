"""Every solid of a picture, its colour, and where it stands at a time; what the page's `stage.js` does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Literal

import numpy as np
from matplotlib.colors import CSS4_COLORS, is_color_like

from cardan.frozen import dataclass
from cardan.view.animation.offscreen.snapshot import Snapshot, frame
from cardan.view.animation.offscreen.solids import Surface, arc_of_moment, coil, solid_of, upright
from cardan.view.scene.look import LOOK
from cardan.view.scene.records import Arrow, Disc, Mount, Scene, ScenePart, Strut

__all__ = ["MovingSurface", "arrow_scales", "pieces", "turned_to"]

Where = Callable[[Snapshot], np.ndarray | None]
"""T (4×4) of a piece in the world, its axes scaled where it stretches; None where it is not seen."""

_SIZES = LOOK["arrow"]


@dataclass(frozen=True, eq=False)
class MovingSurface:
    """A solid that moves."""

    solid: Surface
    colour: str  # "#rrggbb"
    where: Where
    style: Literal["solid", "flat"] = "solid"  # flat: without light and shadow
    shines_through: bool = False  # seen faintly where other solids cover it


def pieces(scene: Scene, theme: str, shown: Collection[str]) -> list[MovingSurface]:
    """What a picture shows, but for paths and the grid.

    Parameters
    ----------
    scene : Scene
        The mechanism and its motion.
    theme : "light" or "dark"
        Its colours.
    shown : collection of str
        Layers that are shown.
    """
    out = [_part(scene, part, theme) for part in scene.parts if part.layer in shown]
    out += [_rotor(disc, theme) for disc in scene.rotors if disc.layer in shown]
    if "links" in shown:
        out += [piece for link in scene.links for piece in _link(link, LOOK["themes"][theme])]
    if "traces" in shown:
        radius = LOOK["path"]["ball"] * scene.size
        ball = solid_of({"type": "sphere", "radius": radius})
        out += [MovingSurface(ball, _of_body(scene, one.place.body), _fixed(one.place), "flat") for one in scene.traces]
    scales = arrow_scales(scene, shown)
    for arrow in scene.arrows:
        if arrow.layer in shown:
            out += _arrow(arrow, scene.size, scales[arrow.what])
    return [*out, *_triads(scene, shown)]


def arrow_scales(scene: Scene, shown: Collection[str]) -> dict[str, float]:
    """Length of arrows per newton and per newton metre [m]; 0 without any.

    Parameters
    ----------
    scene : Scene
        The mechanism and its motion.
    shown : collection of str
        Layers that are shown.
    """
    scales = {}
    for what in ("force", "moment"):
        largest = max([one.typical for one in scene.arrows if one.what == what and one.layer in shown], default=0.0)
        scales[what] = _SIZES["length"] * scene.size / largest if largest > 0 else 0.0
    return scales


def _part(scene: Scene, part: ScenePart, theme: str) -> MovingSurface:
    colour = _colour(part.colour, _of_body(scene, part.place.body), LOOK["themes"][theme])
    return MovingSurface(solid_of(part.form), colour, _fixed(part.place), shines_through=part.layer == "joints")


def _of_body(scene: Scene, body: str) -> str:
    return scene.colours.get(body, LOOK["still"])


def _colour(word: str, otherwise: str, roles: dict[str, str]) -> str:
    """The colour of a role, of a name as in CSS, or a number; else another one."""
    named = roles.get(word) or CSS4_COLORS.get(word.lower())
    return named or (word if len(word) == 7 and is_color_like(word) else otherwise)


def _fixed(mount: Mount) -> Where:
    return lambda now: now.place(mount)


def _rotor(disc: Disc, theme: str) -> MovingSurface:
    def where(now: Snapshot) -> np.ndarray:
        angle = float(now.between(disc.angle))
        c, s = np.cos(angle), np.sin(angle)
        return now.place(disc.place) @ frame(np.zeros(3), np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]))

    return MovingSurface(solid_of(disc.form), LOOK["themes"][theme]["pin"], where)


def _link(link: Strut, roles: dict[str, str]) -> Iterator[MovingSurface]:
    """A rod; a coil that stretches; the tube of a damper, half as long as the whole on the average, and its stem."""
    radius, rest, sizes = link.radius, max(link.length, 1e-9), LOOK["link"]

    def stretched(over: Callable[[float], tuple[float, float]]) -> Where:
        """From the first to the second number of metres on the way, as a scale of z."""

        def where(now: Snapshot) -> np.ndarray:
            a = now.point(link.a)
            way = now.point(link.b) - a
            length = max(float(np.linalg.norm(way)), 1e-9)
            start, scale = over(length)
            return frame(a + way * (start / length), turned_to(way / length) * [1, 1, scale])

        return where

    if link.kind == "rod":
        yield MovingSurface(upright(radius, radius, 0, 1), roles["rod"], stretched(lambda length: (0.0, length)))
    if link.kind.startswith("spring"):
        turns = int(np.clip(round(rest / (sizes["turn"] * radius)), *sizes["turns"]))
        helix = coil(radius, rest, turns, sizes["wire"] * radius)
        yield MovingSurface(helix, roles["spring"], stretched(lambda length: (0.0, length / rest)))
    if link.kind.endswith("damper"):
        half = rest / 2
        tube = upright(sizes["tube"] * radius, sizes["tube"] * radius, 0, half)
        stem = upright(sizes["stem"] * radius, sizes["stem"] * radius, 0, 1)
        yield MovingSurface(tube, roles["joint"], stretched(lambda length: (0.0, min(1.0, length / half))))
        yield MovingSurface(stem, roles["pin"], stretched(lambda length: (min(half, length), max(length - half, 1e-9))))


def _arrow(arrow: Arrow, size: float, scale: float) -> Iterator[MovingSurface]:
    """Shaft and head of a force; arc and head of a moment."""
    thick = _SIZES["thick"] * size
    tall = _SIZES["head_length"] * thick
    along_x = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # turns z to x

    def seen(draw: Callable[[np.ndarray, np.ndarray, float, float], np.ndarray]) -> Where:
        def where(now: Snapshot) -> np.ndarray | None:
            value = now.between(arrow.value)
            length = float(np.linalg.norm(value)) * scale
            if not thick < length < np.inf:
                return None
            R = turned_to(value / np.linalg.norm(value))
            return draw(now.point(arrow.place), R, length, min(1.0, length / (2 * tall)))

        return where

    straight = arrow.what == "force"
    if straight:
        shaft = upright(thick, thick, 0, 1, 12)
        at_shaft = seen(lambda p, R, length, head: frame(p, R * [1, 1, max(length - tall * head, 1e-9)]))
        at_head = seen(lambda p, R, length, head: frame(p + length * R[:, 2], R * head))
    else:
        arc = _SIZES["arc"]
        shaft = arc_of_moment(_SIZES["arc_thick"])
        at_shaft = seen(lambda p, R, length, head: frame(p, R * (arc * length)))
        at_head = seen(lambda p, R, length, head: frame(p + R @ [tall * head, -arc * length, 0], R @ along_x * head))
    colour = LOOK["arrows"][arrow.layer]
    yield MovingSurface(shaft, colour, at_shaft)
    yield MovingSurface(upright(0, _SIZES["head_radius"] * thick, -tall, 0, 16), colour, at_head)


def _triads(scene: Scene, shown: Collection[str]) -> Iterator[MovingSurface]:
    look = LOOK["triad"]
    for layer, bodies in (("world axes", ("ground",)), ("body axes", scene.bodies)):
        if layer not in shown:
            continue
        length = look[layer] * scene.size
        thick = look["thick"] * length
        solids = (
            upright(thick, thick, 0, length),
            upright(0, look["head_radius"] * thick, length, (1 + look["head_length"]) * length),
        )
        for body in bodies:
            for axis, colour in zip(np.eye(3), LOOK["axes"], strict=True):
                place = _fixed(Mount(body, np.zeros(3), turned_to(axis)))
                yield from (MovingSurface(solid, colour, place, "flat") for solid in solids)


def turned_to(way: np.ndarray) -> np.ndarray:
    """The shortest rotation (3×3) that turns z to a unit vector.

    Parameters
    ----------
    way : ndarray
        The unit vector (3,).
    """
    x, y, z = way
    if z < -1 + 1e-12:
        return np.diag([-1.0, 1.0, -1.0])  # as three.js turns it
    return np.array(
        [[1 - x * x / (1 + z), -x * y / (1 + z), x], [-x * y / (1 + z), 1 - y * y / (1 + z), y], [-x, -y, z]]
    )
