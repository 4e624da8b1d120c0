"""Pictures of a scene by VTK as files."""

from __future__ import annotations

import io
from collections.abc import Collection, Generator, Sequence

from cardan.view.scene.records import Scene

__all__ = ["drawn"]


def drawn(
    scene: Scene,
    size: tuple[int, int],
    instants: Sequence[float],
    form: str,
    *,
    theme: str,
    look: str,
    shown: Collection[str],
    follow: str,
) -> Generator[bytes]:
    """The scene at some instants.

    Parameters
    ----------
    scene : Scene
        The mechanism and its motion.
    size : tuple of int
        Width and height in pixels.
    instants : sequence of float
        The instants [s].
    form : "png" or "jpeg"
        What the pictures are written as.
    theme, look, shown, follow
        Colours, direction of the camera, layers, and the body that the camera goes along with: as `Stage` takes them.

    Raises
    ------
    ModelError
        This machine has no OpenGL.
    """
    from PIL import Image

    from cardan.view.animation.offscreen.stage import Stage

    stage = Stage(scene, size, theme=theme, look=look, shown=shown, follow=follow)
    for t in instants:
        stream = io.BytesIO()
        Image.fromarray(stage.picture(t)).save(stream, form, quality=92)  # as the page's JPEG
        yield stream.getvalue()
