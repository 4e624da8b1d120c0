"""What the tests of the studio share: a workbench without a page."""

import pytest

from cardan.view.studio.model_file import file_of
from cardan.view.studio.workbench import Workbench


class Bench:
    """A workbench, and what it answers to one message."""

    def __init__(self, model):
        self.workbench = Workbench(file_of(model))
        self.first = self.workbench.begin()

    def __call__(self, do, **message):
        return list(self.workbench.answers({"do": do, **message}))

    @property
    def text(self):
        return self.workbench.file.text


@pytest.fixture
def bench():
    """A function that puts a model on a workbench."""
    return Bench
