"""Mechanisms that move: a page for the browser, pictures and films.

In: a run. Out: one HTML file that plays without a network; PNG, GIF and MP4 files, for which a browser draws the same
page without a display. The page's program is built from the folder `viewer` of the project.
"""

from cardan.view.animation.animate import Animation, animate

__all__ = ["Animation", "animate"]
