"""Pictures of a scene by VTK, for machines without a browser.

In: a `Scene` and the options of an animation. Out: pictures. Colours, sizes and camera are those of the page
(`scene/look.json`).
"""

__all__: list[str] = []
