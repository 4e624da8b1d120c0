"""Random numbers, the same in every run."""

import numpy as np
import pytest


@pytest.fixture
def rng() -> np.random.Generator:
    """Generator of seed 1."""
    return np.random.default_rng(1)
