"""Pictures and films of a page, which a browser draws without a display; films of any pictures."""

from __future__ import annotations

import io
from base64 import b64decode
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from cardan.errors import ModelError
from cardan.safety.text import visible
from cardan.safety.writing import replacing
from cardan.view.animation.browser import apart, opened

if TYPE_CHECKING:
    from PIL.Image import Image

_ENCODING = (
    *("-c:v", "libx264", "-preset", "veryfast", "-crf", "18"),  # what ffmpeg's guide calls visually lossless
    *("-vf", "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0,scale=out_range=tv,format=yuv420p"),  # H.264 wants even numbers
    *("-colorspace", "smpte170m", "-movflags", "+faststart"),  # colours as JPEG has them
)

MOST_PICTURES = 3600
"""Pictures of a film: two minutes at 30 per second."""

_SAMPLES = 8
"""Pictures of a GIF from which its colours are taken."""


def pictures(html: str, size: tuple[int, int], instants: Sequence[float]) -> list[bytes]:
    """A PNG of the mechanism at each instant."""
    return apart(lambda: [*page_pictures(html, size, instants)])


def page_pictures(html: str, size: tuple[int, int], instants: Sequence[float]) -> Generator[bytes]:
    """Screenshots of the mechanism as PNG at some instants."""
    with opened(html, size) as page:
        page.evaluate("() => window.cardan.picture()")
        for t in instants:
            page.evaluate("t => { window.cardan.time = t; }", t)
            yield bytes(page.screenshot())


def printed(html: str) -> bytes:
    """A page as PDF, on A4."""
    return apart(lambda: _printed(html))


def _printed(html: str) -> bytes:
    margins = dict.fromkeys(("top", "right", "bottom", "left"), "16mm")
    with opened(html, (1000, 1400)) as page:
        return bytes(page.pdf(format="A4", margin=margins, print_background=True))


def film(frames: Callable[[], Generator[bytes]], path: Path, rate: float) -> None:
    """Write a GIF or MP4."""
    write = _write_gif if path.suffix.lower() == ".gif" else _write_mp4

    def work() -> None:
        with closing(frames()) as drawn:  # the browser, also where the encoder ends early
            write(drawn, path, rate)

    apart(work)


def film_instants(span: tuple[float, float], speed: float, rate: float) -> list[float]:
    """Instants [s] of the pictures of a film."""
    count = max(2, round((span[1] - span[0]) / speed * rate) + 1)
    if count > MOST_PICTURES:
        fault = f"a film of {count} pictures, {count / rate:.0f} s"
        raise ModelError(fault, f"give a higher speed or a lower rate: {MOST_PICTURES} pictures at most")
    return [min(span[1], span[0] + k * speed / rate) for k in range(count)]


def page_frames(
    html: str, size: tuple[int, int], instants: Sequence[float], form: Literal["png", "jpeg"] = "jpeg"
) -> Generator[bytes]:
    """Pictures of the mechanism at some instants.

    The page makes them itself from its canvas and the texts over it. Screenshots would have the browser draw the whole
    page each time, in software: twice the time of the processor.
    """
    with opened(html, size) as page:
        page.evaluate("() => window.cardan.picture()")
        for t in instants:
            yield b64decode(page.evaluate("([t, type]) => window.cardan.film(t, type)", [t, f"image/{form}"]))


def _write_gif(frames: Iterator[bytes], path: Path, rate: float) -> None:
    """A film with one palette for all its pictures and no dithering, so that what stands still is stored once."""
    from PIL import Image

    pictures = [*frames]
    palette = _palette([_opened(one) for one in pictures[:: max(1, len(pictures) // _SAMPLES)]])
    plain = (_opened(one).quantize(palette=palette, dither=Image.Dither.NONE) for one in pictures)
    ends = [round(100 * k / rate) for k in range(len(pictures) + 1)]  # a GIF counts in hundredths of a second
    shown = [10 * max(2, end - start) for start, end in pairwise(ends)]  # viewers slow down what is shorter [ms]
    with replacing(path) as stream:
        first = next(plain)
        first.save(stream, "GIF", save_all=True, append_images=plain, duration=shown, loop=0, optimize=False)


def _opened(picture: bytes) -> Image:
    from PIL import Image

    return Image.open(io.BytesIO(picture)).convert("RGB")


def _palette(pictures: Sequence[Image]) -> Image:
    """256 colours that suit some pictures, as Pillow's palette."""
    from PIL import Image

    width, height = pictures[0].size
    stack = Image.new("RGB", (width, height * len(pictures)))
    for k, picture in enumerate(pictures):
        stack.paste(picture, (0, height * k))
    return stack.quantize(256)


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
