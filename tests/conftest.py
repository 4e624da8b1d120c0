"""How the suite runs: Python looks seldom for unused objects, as it does in the program `cardan`."""

import gc

from cardan.cli.program import COLLECTED


def pytest_configure():
    gc.set_threshold(COLLECTED)


def pytest_collection_finish():
    """Leave the objects of all tests, which stay to the end, out of every search: a fifteenth of the time."""
    gc.collect()
    gc.freeze()
