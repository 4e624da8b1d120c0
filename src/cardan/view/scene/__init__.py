"""A mechanism and its motion as solids, links, paths and arrows: what every picture of it is drawn from.

In: a run. Out: a `Scene`, and the same as text for a viewer. It knows no drawing library.
"""

from cardan.view.scene.document import scene_document
from cardan.view.scene.records import Scene
from cardan.view.scene.scene import scene_of

__all__ = ["Scene", "scene_document", "scene_of"]
