"""`animate`: a run as a page that plays it, a picture or a film."""

import errno
from collections.abc import Generator, Mapping, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Literal

from cardan.errors import ModelError, nearest
from cardan.frozen import dataclass, field
from cardan.results.trajectory import Trajectory
from cardan.safety.writing import replacing
from cardan.view.animation.browser import apart, check_drawable
from cardan.view.animation.page import page
from cardan.view.animation.panels import panels
from cardan.view.scene import Scene, scene_document, scene_of

FORMATS = (".html", ".mp4", ".gif", ".png")
"""What an animation can be written as."""

LAYERS = (
    "shapes",
    "masses",
    "joints",
    "ground",
    "motors",
    "gears",
    "links",
    "traces",
    "applied",
    "reactions",
    "drives",
    "springs",
    "gravity",
    "labels",
    "grid",
    "world axes",
    "body axes",
)
"""What can be shown and hidden."""

Look = Literal["start", "front", "side", "top", "oblique"]
Theme = Literal["light", "dark"]


@dataclass(frozen=True, eq=False)
class Animation:
    """A moving picture of a run; in a notebook it shows itself.

    Parameters
    ----------
    scene : Scene
        What it shows.
    panels : sequence of mapping
        Results over time beside it.
    options : mapping
        How it begins: layers, camera, speed, colours.
    """

    scene: Scene
    panels: Sequence[Mapping[str, Any]] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def html(self) -> str:
        """One page with everything inside; it plays without a network."""
        content = {"scene": scene_document(self.scene), "panels": list(self.panels), "options": dict(self.options)}
        return page(self.scene.title, content)

    def save(
        self,
        path: str | Path,
        *,
        size: tuple[int, int] | None = None,
        rate: float | None = None,
        at: float | None = None,
    ) -> Path:
        """Write the animation and return its path; a file is written whole or not at all.

        Parameters
        ----------
        path : str or Path
            Where to: .html, .mp4, .gif or .png.
        size : tuple of int, optional
            Width and height of pictures and films in pixels; by default (1280, 720), of a GIF (640, 360).
        rate : float, optional
            Pictures per second of a film; by default 30, of a GIF 20: it stores each picture without loss.
        at : float, optional
            Instant of a .png [s]; the first by default.

        Raises
        ------
        ModelError
            The extension is another one, a size or rate is not positive, the instant lies outside of the run, or what
            draws pictures and films is not installed.
        FileNotFoundError
            There is no such folder.
        OSError
            The file cannot be written.
        """
        path = Path(path)
        size, rate = film_defaults(path, size, rate)
        check_animation(path, size, rate)
        if path.suffix.lower() == ".html":
            with replacing(path) as stream:
                stream.write(self.html.encode())
            return path
        from cardan.view.animation.pictures import film, film_instants

        t, suffix = self.scene.instants, path.suffix.lower()
        if at is not None and not t[0] <= at <= t[-1]:
            raise ModelError(f"the instant {at:g} s lies outside of the run", f"give one from {t[0]:g} to {t[-1]:g} s")
        if suffix == ".png":
            (content,) = apart(lambda: [*_drawn(self, size, [float(t[0] if at is None else at)], suffix)])
            with replacing(path) as stream:
                stream.write(content)
        else:
            instants = film_instants((float(t[0]), float(t[-1])), self._speed(), rate)
            film(lambda: _drawn(self, size, instants, suffix), path, rate)
        return path

    def _speed(self) -> float:
        """Seconds of motion per second of film; a run that is short or long takes six seconds."""
        span = float(self.scene.instants[-1] - self.scene.instants[0])
        return float(self.options.get("speed") or (1.0 if 2 <= span <= 20 or not span else span / 6))

    def __repr__(self) -> str:
        """What it shows."""
        t = self.scene.instants
        return f"<Animation of {self.scene.title}: {t[0]:g} to {t[-1]:g} s>"

    def _repr_html_(self) -> str:
        """The page in a frame of its own."""
        inner = escape(self.html, quote=True)
        return (
            f'<iframe srcdoc="{inner}" sandbox="allow-scripts" style="width:100%;height:560px;border:0" '
            'title="animation"></iframe>'
        )


def _drawn(animation: Animation, size: tuple[int, int], instants: Sequence[float], suffix: str) -> Generator[bytes]:
    """Pictures of an animation at some instants for a file with an extension."""
    from cardan.view.animation.pictures import page_frames, page_pictures

    if suffix == ".png":
        return page_pictures(animation.html, size, instants)
    return page_frames(animation.html, size, instants, FRAMES[suffix])


FRAMES: dict[str, Literal["png", "jpeg"]] = {".png": "png", ".gif": "png", ".mp4": "jpeg"}
"""What the pictures of a file are drawn as; what JPEG changes from picture to picture would make a GIF three times as
large."""


def film_defaults(path: Path, size: tuple[int, int] | None, rate: float | None) -> tuple[tuple[int, int], float]:
    """Pixels and pictures per second of a file: those that are wanted, else what suits its kind."""
    usual = ((640, 360), 20.0) if path.suffix.lower() == ".gif" else ((1280, 720), 30.0)
    return size or usual[0], usual[1] if rate is None else rate


def animate(
    run: Trajectory,
    path: str | Path | None = None,
    *,
    plots: Sequence[str] | None = None,
    trace: Sequence[str] | None = None,
    show: Sequence[str] = (),
    hide: Sequence[str] = (),
    follow: str = "",
    look: Look = "start",
    theme: Theme | None = None,
    speed: float | None = None,
    units: str = "rad",
    size: tuple[int, int] | None = None,
    rate: float | None = None,
    at: float | None = None,
    allow: Sequence[str | Path] | None = None,
) -> Animation:
    """Return a moving picture of a run, and write it to a file if a path is given.

    Bodies have their shapes, or rods between their joints and balls at their masses; arrows follow the loads.

    Parameters
    ----------
    run : Trajectory
        From `simulate` or `kinetostatics`, or a file of one.
    path : str or Path, optional
        Where to: .html (one page that plays without a network), .png, .gif or .mp4.
    plots : sequence of str, optional
        Results beside the motion; by default the first outputs of the model, else coordinates that move.
    trace : sequence of str, optional
        Bodies and markers whose paths are shown; by default those in the outputs, else markers without a joint.
    show, hide : sequence of str
        Layers that are shown or hidden at the start: "reactions", "drives", "springs", "gravity", "applied", "labels",
        "grid", "world axes", "body axes", "traces", "shapes", "masses", "joints", "ground", "motors", "gears", "links".
    follow : str
        Body that the camera goes along with.
    look : "start", "front", "side", "top" or "oblique"
        Where the camera stands.
    theme : "light" or "dark", optional
        By default that of the system.
    speed : float, optional
        Seconds of motion per second; by default 1 for runs of 2 to 20 s, others take six seconds.
    units : "rad" or "deg"
        What angles in the plots are shown in.
    size, rate, at
        Pixels, pictures per second and instant of pictures and films: see `Animation.save`.
    allow : sequence of str or Path, optional
        Folders in which the meshes of the bodies may lie; by default any. A run whose file comes from somebody else
        names files itself.

    Raises
    ------
    ModelError
        It is not a run, or not one that a picture can be made of; there is no such layer, body, marker, camera or
        colour; the speed is not positive; or the file cannot be made, as `Animation.save` says.
    KeyError
        The run has no result of such a name.
    ValueError
        Angles are wanted in other units.
    OSError
        The file cannot be written.

    Example
    -------
    >>> import cardan
    >>> run = cardan.simulate(cardan.load("compound_pendulum"), until=0.1)
    >>> cardan.animate(run, show=["reactions"]).html[:15]
    '<!doctype html>'
    """
    if path is not None:
        check_animation(Path(path), *film_defaults(Path(path), size, rate))
    scene = scene_of(run, trace, None if allow is None else [Path(one) for one in allow])
    _check_options(scene, [*show, *hide], follow, look, theme, speed)
    options = {
        "show": list(show),
        "hide": list(hide),
        "follow": follow,
        "look": look,
        "theme": theme,
        "speed": speed,
        "play": True,
    }
    animation = Animation(scene, panels(run, plots, units), options)
    if path is not None:
        animation.save(path, size=size, rate=rate, at=at)
    return animation


def _check_options(
    scene: Scene, layers: Sequence[str], follow: str, look: str, theme: str | None, speed: float | None
) -> None:
    for name in layers:
        if name not in LAYERS:
            raise ModelError(f"there is no layer {name!r:.60} to show or hide", nearest(name, LAYERS, most=None))
    if follow and follow not in scene.bodies:
        raise ModelError(f"there is no body {follow!r:.60} to follow", nearest(follow, scene.bodies))
    for word, value, known in (("look", look, Look.__args__), ("theme", theme, (None, *Theme.__args__))):  # type: ignore[attr-defined]
        if value not in known:
            raise ModelError(f"{word}={value!r:.60} is not possible", f"write one of {', '.join(filter(None, known))}")
    if speed is not None and not 0 < speed < float("inf"):
        raise ModelError(f"the speed is {speed:g}", "give a positive number: seconds of motion per second")


def check_animation(path: Path, size: tuple[int, int] = (1280, 720), rate: float = 30.0) -> None:
    """Refuse a file that an animation cannot be written to, before anything is computed for it."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ModelError(f'{path}: no animation has the extension "{path.suffix}"', f"use one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no folder", str(path.parent))
    if not all(64 <= pixels <= 4096 for pixels in size):
        raise ModelError(f"a picture of {size[0]} × {size[1]} pixels", "give a width and a height from 64 to 4096")
    if not 1 <= rate <= 120:
        raise ModelError(f"{rate:g} pictures per second", "give a number from 1 to 120")
    if suffix != ".html":
        check_drawable(suffix)
