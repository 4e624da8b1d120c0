"""Work that falls into blocks, each of which is computed on its own: in this process, or by the workers of a cluster.

In: a function of blocks, and what differs from item to item. Out: results of the items as they are computed. The room
knows neither mechanisms nor files; the cluster is Dask's, which is imported when a call names one.
"""

from cardan.blocks.engine import connection, in_blocks
from cardan.blocks.work import Arrays, BlockFunction, Piece, Work, joined

__all__ = ["Arrays", "BlockFunction", "Piece", "Work", "connection", "in_blocks", "joined"]
