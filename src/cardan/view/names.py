"""Results by the names that a user writes, whole ones and components; and those of a picture without names."""

from collections.abc import Sequence

import numpy as np

from cardan.errors import nearest
from cardan.results import Channel, Trajectory

MOST = 8  # panels of a figure whose results the caller does not name: what fits on a page


def check_known(run: Trajectory, name: str) -> None:
    """Refuse what is neither a result of a run nor a component of one."""
    if not _is_known(run, name):
        known = [*run.names, *(label for channel in run.channels.values() for label in channel.columns)]
        raise KeyError(f'no result is called "{name}"; {nearest(name, known)}')


def find_channel(run: Trajectory, name: str) -> tuple[Channel, int | None]:
    """Return the channel of a name, and the component that is meant if the name is that of one."""
    if name in run.channels:
        return run.channels[name], None
    channel = run.channels[name.rpartition(".")[0]]
    return channel, channel.columns.index(name)


def moving_states(runs: Sequence[Trajectory]) -> tuple[str, ...]:
    """Return the first states that move in one of the runs by more than its absolute tolerance; all if none moves.

    States of friction and stops are left out: they say whether a joint is held, not where it is.
    """
    shared = [name for name in runs[0].state_names if all(name in run.channels for run in runs)]
    names = tuple(name for name in shared if runs[0].channels[name].kind != "joint")
    found = [name for name in names if any(_moves(run, name) for run in runs)]
    return tuple((found or names)[:MOST])


def default_results(runs: Sequence[Trajectory]) -> tuple[str, ...]:
    """Return what a figure shows if the caller names nothing: states that move, then outputs of the model."""
    plain = [name for name in runs[0].names if "." not in name]  # outputs; to describe a reaction would take long
    shared = [name for name in plain if all(name in run.channels for run in runs)]
    outputs = [name for name in shared if runs[0].channels[name].kind == "output"]
    states = moving_states(runs)
    return (*states, *outputs)[:MOST] if states else ()


def _moves(run: Trajectory, name: str) -> bool:
    if name not in run.channels or not len(run):
        return name in run.channels
    finite = run.array(name)[np.isfinite(run.array(name))]
    return bool(finite.size and np.ptp(finite) > run.provenance.atol)


def _is_known(run: Trajectory, name: str) -> bool:
    """Whether a name is that of a result or of one of its components; other results are not looked at."""
    whole = name.rpartition(".")[0]
    return name in run.channels or (whole in run.channels and name in run.channels[whole].columns)
