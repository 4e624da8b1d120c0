"""`singular_positions`: where a marker cannot move in every direction, drives lose control, or branches meet."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from cardan.analysis.assembly import assembled_system
from cardan.analysis.mobility import driven_velocities
from cardan.assembly.assembler import Assembler
from cardan.assembly.functions import AssemblyFunctions
from cardan.errors import Issue, ModelError, nearest
from cardan.frozen import dataclass, replace
from cardan.model.checks.arguments import check_seed
from cardan.model.model import Model
from cardan.singular.search import search
from cardan.singular.singularity import SingularSet

Part = Literal["twist", "position", "orientation"]
_ROWS = {"twist": slice(0, 6), "position": slice(3, 6), "orientation": slice(0, 3)}


@dataclass(frozen=True)
class Reach:
    """The number of independent velocities of a marker, and the singular positions of the mechanism."""

    marker: str
    of: Part  # part of the marker's motion: "twist", "position" or "orientation"
    rank: int  # rank of the Jacobian in general: independent velocities of the marker that the loops allow
    here: int  # rank of the Jacobian in the initial position
    sets: tuple[SingularSet, ...]  # singular positions that were found; with loops, the nearest first

    @property
    def singular(self) -> bool:
        """Whether the initial position is singular."""
        return self.here < self.rank


def singular_positions(
    model: Model,
    marker: str,
    initial: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    *,
    of: Part = "twist",
    seed: int = 0,
) -> Reach:
    """Rank of a marker's Jacobian, and the singular positions of an arm or of a mechanism with loops.

    Type 1: the marker has fewer independent velocities than in general, so the joints or drives can move while it is at
    rest. With loops also type 2: the mechanism can move while its drives are at rest; and positions where branches of
    motion meet. Drives are the joints with motors, else those of the prescribed motions, which hold nothing here. If
    singular positions form a curve or surface, the one nearest to the initial position is returned.

    Parameters
    ----------
    model : Model
        The mechanism.
    marker : str
        Body or marker that the mechanism is to move, such as "hand.tip".
    initial : mapping, optional
        Coordinates in addition to the model's or in place of them, as for `assemble`.
    parameters : mapping, optional
        Other values of parameters: SI, or text with a unit.
    of : "twist", "position" or "orientation"
        All six velocities of the marker, the velocity of its origin, or its angular velocity.
    seed : int
        Seed of the random positions from which the search starts; another seed may find further sets.

    Raises
    ------
    ModelError
        There is no such marker or part.
    AssemblyError
        The loops cannot be closed.

    Example
    -------
    >>> import cardan
    >>> reach = cardan.singular_positions(cardan.load("manipulator_6dof"), "link6")
    >>> reach.rank, [(sorted(found.where), found.rank) for found in reach.sets]
    (6, [(['q4'], 5), (['q4'], 5)])
    >>> reach = cardan.singular_positions(cardan.load("slider_crank"), "slider")
    >>> sorted((found.kind, round(found.where["slide"], 3)) for found in reach.sets)
    [('type 1', -0.7), ('type 1', -0.3), ('type 1', 0.3), ('type 1', 0.7)]
    """
    system, assembler, x, _ = assembled_system(model, initial, parameters)
    tree = replace(system.tree, motions=())
    if marker not in tree.places:
        raise ModelError(Issue(f"there is no body or marker {marker!r}", nearest(marker, tree.places)))
    if of not in get_args(Part):
        raise ModelError(Issue(f"of={of!r} is no part of a motion", 'write "twist", "position" or "orientation"'))
    check_seed(seed)
    driven, free = driven_velocities(model, system.tree), Assembler(AssemblyFunctions(tree), assembler.p)
    found = search(tree, free, x[: tree.nq], tree.places[marker], _ROWS[of], driven, seed)
    return Reach(marker, of, *found)
