"""Maps of what a mechanism can do at every position of its output.

In: a Model, a grid of values of its output, the joints that drive it. Out: a dataset over the grid.
"""

from cardan.analysis.workspaces.workspace import workspace

__all__ = ["workspace"]
