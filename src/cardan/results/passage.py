"""A singular position that a motion has passed: one line of the log of a run."""

from cardan.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A position at which the constraints lose rank for an instant, so that branches of motion meet; the run kept its
    branch.

    Parameters
    ----------
    t : float
        Instant [s]; 0 where the motion starts in a singular position.
    smallest : float
        Smallest singular value there of Φq with rows of length 1, without those that are zero by redundancy [-].
    usual : float
        The largest that it reaches elsewhere along the motion [-].
    lost : int
        Number of singular values that vanish there and not elsewhere.
    owners : tuple of str
        Joints that close loops, and constraints, whose equations depend on each other there.
    """

    t: float
    smallest: float
    usual: float
    lost: int
    owners: tuple[str, ...]
