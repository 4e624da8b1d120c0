"""`simulate`: a model and a time span become a trajectory."""

from typing import Unpack

from cardan.integration import Progress
from cardan.model.graphs import BondGraph
from cardan.model.model import Model
from cardan.results.trajectory import Trajectory
from cardan.settings import Settings, with_settings
from cardan.simulation.arguments import Arguments
from cardan.simulation.setup_cache import kept_setup


@with_settings
def simulate(
    model: Model | BondGraph,
    until: float | str | None = None,
    *,
    progress: Progress | None = None,
    **settings: Unpack[Settings],
) -> Trajectory:
    """Motion of a model from t = 0.

    Parameters
    ----------
    model : Model
        The mechanism.
    until : float or str, optional
        End of the run, a number in seconds or text with a unit; by default the last of `times`, else the model's.
    progress : callable, optional
        Called with the fraction done, a few times per second.
    **settings : as of `Settings`

    Returns
    -------
    Trajectory
        The motion and its status; the part computed so far if the run ends early.

    Raises
    ------
    ModelError
        An argument names something that does not exist, or has an impossible value; `step` is missing for a fixed-step
        method, or given for another.

    Warns
    -----
    ModelWarning
        Inputs of the model are efforts on joints, which are ignored because it has motors; initial velocities are
        changed because the constraints do not allow them; an effort exceeds the `effort_limit` of its joint; the energy
        balance is off by more than the tolerances explain, or with fixed steps by more than 1 %; an expression
        of t switches more often than steps can end at.

    Example
    -------
    >>> import cardan
    >>> run = cardan.simulate(cardan.load("compound_pendulum"), until=1.0, initial={"pendulum": 0.1})
    >>> run.status == "completed", run.status.ok, len(run) > 1000
    (True, True, True)
    """
    return kept_setup(Arguments.of(simulate, model, until, settings)).run(progress=progress)
