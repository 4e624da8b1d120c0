"""The largest absolute value in an array."""

import numpy as np


def largest(x: np.ndarray) -> float:
    """max |x| of an array of any shape; 0 if it is empty."""
    return float(np.max(np.abs(x), initial=0.0))
