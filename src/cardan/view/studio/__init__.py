"""The studio: a page in the browser in which a mechanism is changed and runs at once.

In: a model, or none. Out: a server on this machine alone, which holds one session for all its pages. The page's program
is built from the folder `viewer` of the project.
"""

from cardan.view.studio.opening import Studio, studio

__all__ = ["Studio", "studio"]
