"""An event that has happened in a run: one line of its table of events."""

from cardan.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One event of the section `events`, when and what it did.

    Parameters
    ----------
    t : float
        Instant [s].
    name : str
        Name of the event.
    did : str
        What was done: ``"record"``, ``"stop"`` or ``"set drive: 0 V"``.
    """

    t: float
    name: str
    did: str
