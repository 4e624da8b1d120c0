"""A cluster of two processes of this machine, which the tests of a file share: an idle one would end by itself."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def cluster():
    """A Dask client. A block is given up after the first death of a worker, so that tests are short."""
    distributed = pytest.importorskip("distributed")
    from cardan.blocks.cluster import connected

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # Dask's own processes
        root = str(Path(__file__).parents[2])
        patch.setenv("PYTHONPATH", os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]))  # workers import tests
        patch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
        patch.setattr("cardan.blocks.cluster.IDLE", 3600.0)  # tests without a cluster may come between two that have it
        with connected("local:2") as client:
            assert isinstance(client, distributed.Client)
            yield client
