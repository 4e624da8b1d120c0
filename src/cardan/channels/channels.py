"""Channels: the results of a system by name, described and computed for any motion of it."""

from collections.abc import Sequence

import numpy as np

from cardan.channels.families import FAMILIES
from cardan.channels.functions import ChannelFunctions, Need, channel_functions
from cardan.channels.solver import Solver, blocks, joined, part_of
from cardan.frozen import dataclass, replace
from cardan.functions.system_functions import SystemFunctions
from cardan.functions.uniqueness import Instants, Uniqueness
from cardan.loads.uniqueness import Answer
from cardan.model.names import own_outputs
from cardan.model.quantities.lets import reached
from cardan.results.channel import Channel


@dataclass(frozen=True, eq=False)
class Channels:
    """Results of a system by name, however the motion came about.

    Example
    -------
    >>> import cardan, numpy as np
    >>> from cardan.functions.system_functions import functions_of
    >>> from cardan.system.constrained import NO_CONSTRAINTS
    >>> pendulum = Channels(functions_of(cardan.load("compound_pendulum"), "none", (), NO_CONSTRAINTS))
    >>> pendulum.describe("rod.tip.velocity").unit
    'm/s'
    >>> t, x, u, p = np.zeros(1), np.array([[0.0, 2.0]]), np.zeros((1, 1)), np.array([1.3, 0.8, 9.81])
    >>> pendulum.evaluate(["rod.tip.velocity"], t, x, u, p)["rod.tip.velocity"]
    array([[1.6, 0. , 0. ]])
    """

    functions: SystemFunctions  # functions of the system
    solver: Solver | None = None  # by default one that starts from the first instant of each evaluation

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all channels beyond the state, those on request included."""
        return tuple(self._of_system.family_of)

    @property
    def on_request(self) -> frozenset[str]:
        """Names of the channels that are found by name but not listed."""
        return self._of_system.on_request

    def describe(self, name: str) -> Channel:
        """Unit, components, kind and description of a channel; of a reaction with a solver, which parts are unique."""
        channel, frame = self._of_system.describe(name), FAMILIES[self._of_system.family_of[name]].frame
        used = self._reactions_in(name) if name in self._of_system.families["outputs"] else ()
        if self.solver is None or (frame is None and not used):
            return channel
        uniqueness = self.solver.uniqueness
        unique: Sequence[str] = ("yes",) * len(channel.columns)
        if frame is not None:
            unique = unique if uniqueness.complete else uniqueness.of(name, frame)
        elif not uniqueness.complete:
            unique = (_worst(uniqueness, used),)
        notes = [channel.description]
        notes += ["minimum-norm where not unique"] * ("no" in unique)
        notes += ["NaN where a planar model cannot know it"] * ("unknown" in unique)
        return replace(channel, description="; ".join(note for note in notes if note), unique=tuple(unique))

    def is_continued(self, name: str) -> bool:
        """Whether values of the channel `name` depend on those at earlier instants of the motion, as a sign does."""
        return FAMILIES[self._of_system.family_of[name]].continued is not None

    def need(self, names: Sequence[str]) -> Need:
        """What has to be known in addition to states and inputs to evaluate some channels."""
        families = dict.fromkeys(self._of_system.family_of[name] for name in names)
        return max((self._of_system.family(family).need for family in families), default=Need.NOTHING)

    def evaluate(
        self,
        names: Sequence[str],
        t: np.ndarray,
        x: np.ndarray,
        u: np.ndarray,
        p: np.ndarray,
        solution: np.ndarray | None = None,
    ) -> dict[str, np.ndarray]:
        """Values (N, *shape) of some channels; only the families that they belong to are computed."""
        instants, need = (t, x, u, p), self.need(names)
        if need is Need.NOTHING:
            solution = np.empty((len(t), 0))
        elif solution is None:
            solution = self._solver_for(instants).solve(instants, need)
        values: dict[str, np.ndarray] = {}
        for family in dict.fromkeys(self._of_system.family_of[name] for name in names):
            wanted = [name for name in names if self._of_system.family_of[name] == family]
            values |= self._family(family, wanted, instants, solution)
        return {name: values[name].reshape(-1, *self._of_system.describe(name).shape) for name in names}

    @property
    def _of_system(self) -> ChannelFunctions:
        return channel_functions(self.functions)

    def _solver_for(self, instants: Instants) -> Solver:
        """The solver given, or one whose assembled position is that of the first instant."""
        if self.solver is not None:
            return self.solver
        _, x, _, p = instants
        nq = self.functions.system.tree.nq
        return Solver(self.functions, x[0, :nq] if len(x) else np.zeros(nq), p)

    def _family(
        self, family: str, names: Sequence[str], instants: Instants, solution: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Values (N, size) of some channels of a family."""
        listed = list(self._of_system.families[family].values())
        places = [[channel.name for channel in listed].index(name) for name in names]
        parts = []
        for part in blocks(len(instants[0]), sum(len(channel.columns) for channel in listed)):
            columns = self._columns(family, part_of(instants, part), solution[part])
            parts.append([columns[place] for place in places])
        whole = [joined(columns) for columns in zip(*parts, strict=True)]
        continued = FAMILIES[family].continued
        return dict(zip(names, whole if continued is None else map(continued, whole), strict=True))

    def _reactions_in(self, output: str) -> tuple[tuple[str, int], ...]:
        """Reactions that an output names, itself or through other outputs, with the index of the component."""
        model, listed = self.functions.system.model, self._of_system.families["reactions"].values()
        used = reached(model.outputs[output].names, own_outputs(model))
        return tuple((one.name, k) for one in listed for k, column in enumerate(one.columns) if column in used)

    def _columns(self, family: str, instants: Instants, solution: np.ndarray) -> list[np.ndarray]:
        """All channels of a family (N, size each), NaN where a planar model cannot know a reaction."""
        t, x, u, p = instants
        function, frame = self._of_system.family(family), FAMILIES[family].frame
        size = self.functions.system.tree.nv if function.need is Need.ACCELERATIONS else None
        columns = function.columns(t, x, u, p, *([solution[:, :size]] if function.need is not Need.NOTHING else []))
        used = [self._reactions_in(name) for name in self._of_system.families[family]] if family == "outputs" else []
        if (frame is None and not any(used)) or self._solver_for(instants).uniqueness.complete:
            return columns
        values, uniqueness = np.concatenate(columns, axis=1), self._solver_for(instants).uniqueness
        unknown = [_worst(uniqueness, one) == "unknown" for one in used] if frame is None else uniqueness.unknown(frame)
        values[:, unknown] = np.nan
        return np.split(values, np.cumsum([column.shape[1] for column in columns])[:-1], axis=1)


def _worst(uniqueness: Uniqueness, used: Sequence[tuple[str, int]]) -> Answer:
    """Whether components of reactions are all unique."""
    answers = {uniqueness.of(name, "world")[k] for name, k in used}
    return "unknown" if "unknown" in answers else "no" if "no" in answers else "yes"
