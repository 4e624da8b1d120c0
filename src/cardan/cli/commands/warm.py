"""`cardan warm`: compile now what a first simulation would compile otherwise."""

import time

from cardan.cli.failure import guarded
from cardan.cli.terminal import out


@guarded
def warm() -> None:
    """Fill the caches of compiled code, so that the first simulation starts at once."""
    from cardan.simulation import warm as fill

    begin = time.perf_counter()
    fill()
    out().print(f"the integrators are compiled ({time.perf_counter() - begin:.1f} s)")
