"""`in_blocks`: computes something for many items, block by block: here, in threads or on a cluster."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import Any

import numpy as np

from cardan.blocks.work import Cut, Piece, Work, computed, duration, measured, ranges


def in_blocks(work: Work, client: Any = None, cut: Cut | None = None, *, isolated: bool = False) -> Generator[Piece]:
    """Results of all items as they are computed.

    Parameters
    ----------
    work : what to compute.
    client : None for this process, else a cluster: "local", "local:4", the address of a scheduler or a Dask client.
    cut : chooses the blocks; by default whole ones: as many items as memory holds here, those of `LONG` on a cluster.
    isolated : whether an item that raises an exception is recorded as lost instead; always on a cluster.
    """
    if client is None:
        yield from _here(work, cut, isolated)
        return
    from cardan.blocks.cluster import connected, on_cluster

    fixed = isinstance(client, str) and "://" not in client
    with (
        connected(client) as cluster,
        closing(on_cluster(work, cluster, cut or split(work), fixed=fixed)) as pieces,
    ):
        yield from pieces


@contextmanager
def connection(client: Any) -> Iterator[Any]:
    """What several calls of `in_blocks` use as one `client`: None for this process, else a Dask client."""
    if client is None:
        yield None
        return
    from cardan.blocks.cluster import connected

    with connected(client) as cluster:
        yield cluster


def split(work: Work) -> Cut:
    """A cut into blocks of as many items as have been measured."""
    return lambda measure: ranges(work.count, measure())


def _here(work: Work, cut: Cut | None, isolated: bool) -> Iterator[Piece]:
    """Results of all items, computed in this process."""

    def measure() -> int:
        return measured(work, lambda items: duration(work.here, work.rows(items), len(items)))

    whole = ranges(work.count, max(work.together, work.most - work.most % work.together))
    for items in whole if cut is None else cut(measure):
        if isolated:
            yield np.arange(items.start, items.stop), computed(work.here, work.rows(items), len(items))
        else:
            for members, values in work.here.pieces(work.rows(items)):
                yield items.start + members, values
