"""Pictures and films of the page, which a browser draws without a display."""

from __future__ import annotations

import io
from base64 import b64decode
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from cardan.errors import ModelError
from cardan.safety.text import visible
from cardan.safety.writing import replacing
from cardan.view.animation.browser import opened

__all__ = ["film", "pictures", "printed"]

Result = TypeVar("Result")

_ENCODING = (
    *("-c:v", "libx264", "-preset", "veryfast", "-crf", "18"),  # what ffmpeg's guide calls visually lossless
    *("-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0,scale=out_range=tv,format=yuv420p"),  # H.264 wants even numbers
    *("-colorspace", "smpte170m", "-movflags", "+faststart"),  # colours as JPEG has them
)

MOST_PICTURES = 3600
"""Pictures of a film: two minutes at 30 per second."""


def pictures(html: str, size: tuple[int, int], instants: Sequence[float]) -> list[bytes]:
    """A PNG of the mechanism at each instant.

    Parameters
    ----------
    html : str
        The page.
    size : tuple of int
        Width and height in pixels.
    instants : sequence of float
        The instants [s].

    Raises
    ------
    ModelError
        There is no browser.
    """
    return _apart(lambda: _pictures(html, size, instants))


def _pictures(html: str, size: tuple[int, int], instants: Sequence[float]) -> list[bytes]:
    with opened(html, size) as page:
        page.evaluate("() => window.cardan.picture()")
        return [_picture(page, t) for t in instants]


def _picture(page: Any, t: float) -> bytes:
    page.evaluate("t => { window.cardan.time = t; }", t)
    return bytes(page.screenshot())


def printed(html: str) -> bytes:
    """A page as PDF, on A4.

    Parameters
    ----------
    html : str
        The page.

    Raises
    ------
    ModelError
        There is no browser.
    """
    return _apart(lambda: _printed(html))


def _printed(html: str) -> bytes:
    margins = dict.fromkeys(("top", "right", "bottom", "left"), "16mm")
    with opened(html, (1000, 1400)) as page:
        return bytes(page.pdf(format="A4", margin=margins, print_background=True))


def film(html: str, path: Path, size: tuple[int, int], rate: float, span: tuple[float, float], speed: float) -> None:
    """Write a GIF or MP4 of the motion.

    Parameters
    ----------
    html : str
        The page.
    path : Path
        Where to.
    size : tuple of int
        Width and height in pixels.
    rate : float
        Pictures per second.
    span : tuple of float
        First and last instant [s].
    speed : float
        Seconds of motion per second of film.

    Raises
    ------
    ModelError
        There is no browser, the film would be too long, or ffmpeg cannot encode it.
    """
    count = max(2, round((span[1] - span[0]) / speed * rate) + 1)
    if count > MOST_PICTURES:
        fault = f"a film of {count} pictures, {count / rate:.0f} s"
        raise ModelError(fault, f"give a higher speed or a lower rate: {MOST_PICTURES} pictures at most")
    instants = [min(span[1], span[0] + k * speed / rate) for k in range(count)]
    write = _write_gif if path.suffix.lower() == ".gif" else _write_mp4

    def work() -> None:
        with closing(_frames(html, size, instants)) as frames:  # the browser, also where the encoder ends early
            write(frames, path, rate)

    _apart(work)


def _apart(work: Callable[[], Result]) -> Result:
    """The result of some work in a thread of its own: notebooks run an event loop in theirs, beside which Playwright's
    plain functions do not work."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(work).result()


def _frames(html: str, size: tuple[int, int], instants: list[float]) -> Generator[bytes]:
    """JPEG pictures of the mechanism at some instants.

    The page makes them itself from its canvas and the texts over it. Screenshots would have the browser draw the whole
    page each time, in software: twice the time of the processor.
    """
    with opened(html, size) as page:
        page.evaluate("() => window.cardan.picture()")
        for t in instants:
            yield b64decode(page.evaluate("t => window.cardan.film(t)", t))


def _write_gif(frames: Iterator[bytes], path: Path, rate: float) -> None:
    from PIL import Image

    pictures = [Image.open(io.BytesIO(frame)).convert("P", palette=Image.Palette.ADAPTIVE) for frame in frames]
    duration = max(20, round(1000 / rate))  # viewers slow down what is shorter [ms]
    with replacing(path) as stream:
        pictures[0].save(
            stream, "GIF", save_all=True, append_images=pictures[1:], duration=duration, loop=0, optimize=False
        )


def _write_mp4(frames: Iterator[bytes], path: Path, rate: float) -> None:
    from imageio_ffmpeg import get_ffmpeg_exe

    with TemporaryDirectory(prefix="cardan-") as folder:
        draft, said = Path(folder) / "film.mp4", Path(folder) / "said"
        command = [get_ffmpeg_exe(), "-v", "error", "-f", "image2pipe", "-c:v", "mjpeg", "-framerate", f"{rate:g}"]
        with said.open("w+b") as errors:
            encoder = Popen([*command, "-i", "-", *_ENCODING, str(draft)], stdin=PIPE, stderr=errors)
            try:
                assert encoder.stdin is not None
                with suppress(BrokenPipeError), encoder.stdin as pipe:  # it says why it has ended
                    for frame in frames:
                        pipe.write(frame)
            finally:
                encoder.wait()
        if encoder.returncode:
            reason = visible(said.read_text(errors="replace").strip().rpartition("\n")[2])
            raise ModelError(f"{path}: the film cannot be encoded: {reason or 'ffmpeg has ended'}", "write a .gif")
        with replacing(path) as stream:
            stream.write(draft.read_bytes())
