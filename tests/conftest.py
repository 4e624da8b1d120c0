"""How the suite runs: Python looks seldom for unused objects, as in the program `cardan`; the gallery is read once."""

import gc
from functools import cache

from cardan.cli.program import COLLECTED
from cardan.formats import yaml
from cardan.formats.gallery import gallery, gallery_path


def pytest_configure():
    gc.set_threshold(COLLECTED)
    read, paths = yaml.load, frozenset(map(gallery_path, gallery()))
    kept = cache(read)  # records are frozen, and the models of the gallery are read without a warning

    def load(path, allow=(), **given):
        return read(path, allow, **given) if allow or path not in paths else kept(path)

    yaml.FORMAT = yaml.FORMAT._replace(load=load)


def pytest_collection_finish():
    """Leave the objects of all tests, which stay to the end, out of every search: a fifteenth of the time."""
    gc.collect()
    gc.freeze()
