"""Memory of a run with many instants, in proportion to its own arrays."""

from __future__ import annotations

import tracemalloc

import numpy as np
from tests.selection import each

import cardan
from cardan.simulation.task import FINEST


@each("name", ["overhead_crane", "four_bar"])
def test_a_run_takes_little_more_memory_than_its_instants_states_and_works(name):
    """A run keeps its arrays and the list of times; while it is made there are four copies of that list at most.

    Beside them stands the log of steps, whose length does not depend on the instants.
    """
    model, times = cardan.load(name), np.linspace(0.0, 1.0, 200_000)
    cardan.simulate(model, times=times[:2])  # imports, compiled functions
    tracemalloc.start()
    try:
        run = cardan.simulate(model, times=times)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    whole, listed = run.t.nbytes + run.x.nbytes + run.w.nbytes, times.nbytes
    log = FINEST / len(times) * whole
    assert kept < 1.05 * (whole + log + listed)
    assert most < 1.05 * (whole + log + 4 * listed)
