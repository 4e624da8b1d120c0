"""Functions of blocks that raise errors or end their process, as workers of a cluster make them."""

import os
import signal
from pathlib import Path

import numpy as np


class Unreliable:
    """Squares of numbers; some numbers raise an error, end their process, or do so once."""

    def __init__(self, text: str, threads: int) -> None:
        self.once = Path(text)  # file that says that the process has ended once

    def pieces(self, rows):
        x = rows["x"]
        if (x == -1).any():
            raise ValueError("no square of -1")
        if (x == -2).any() or ((x == -3).any() and not self.once.exists()):
            self.once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield np.arange(len(x)), {"square": x**2}

    def lost(self, count, why):
        return {"square": np.full(count, np.nan)}


def refuse(text: str, threads: int) -> Unreliable:
    raise ValueError("this processor is too old")
