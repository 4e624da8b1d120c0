"""Pictures of results.

In: runs and names of results. Out: matplotlib figures and image files.
The only room that knows a drawing library; it never computes a result and never opens a window.
"""

from cardan.view.plot import check_image, plot

__all__ = ["check_image", "plot"]
