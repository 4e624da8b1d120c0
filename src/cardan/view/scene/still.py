"""A mechanism in one position: what a drawing shows."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from cardan.analysis.assembly import assembled_system
from cardan.frozen import dataclass
from cardan.kinematics.loads import load_wrench
from cardan.kinematics.motion import marker_motion, motion
from cardan.model.model import Model
from cardan.model.place import GROUND
from cardan.model.quantities.parameters import resolve
from cardan.view.scene.positions import Positions


@dataclass(frozen=True, eq=False)
class StillPosition(Positions):
    """A mechanism in the position in which it starts, or in another one."""

    mechanism: Model  # the mechanism
    initial: Mapping[str, Any] | None = None  # coordinates of another position, by name, as `assemble` takes them
    parameters: Mapping[str, Any] | None = None  # other values of parameters

    @property
    def model(self) -> Model:
        """The mechanism."""
        return self.mechanism

    @property
    def count(self) -> int:
        """One instant."""
        return 1

    @cached_property
    def values(self) -> dict[str, float]:
        """Values of the parameters [SI]."""
        return {name: float(value) for name, value in resolve(self.model.parameters, self.parameters).items()}

    @cached_property
    def _assembled(self) -> tuple[Any, np.ndarray, np.ndarray]:
        """The tree, its state (q, v) and the values of the parameters."""
        system, assembler, x, _ = assembled_system(self.model, self.initial, self.parameters)
        return system.tree, np.asarray(x, dtype=float), assembler.p

    @property
    def coordinates(self) -> dict[str, float]:
        """Coordinates by name [m, rad, -]."""
        tree, x, _ = self._assembled
        return {entry.name: float(value) for entry, value in zip(tree.coordinates, x[: tree.nq], strict=True)}

    @cached_property
    def _frames(self) -> dict[str, np.ndarray]:
        """T_WB (4×4) of every body."""
        tree, x, p = self._assembled
        q = ca.SX.sym("q", tree.nq)
        state = motion(tree, q, ca.DM(tree.nv, 1))
        frames = [marker_motion(state, tree.place(body)) for body in self.model.bodies]
        law = ca.Function("frames", [q, tree.p], [ca.densify(ca.SX(ca.horzcat(one.R, one.p))) for one in frames])
        values = law.call([x[: tree.nq], p])
        return {body: np.array(value, dtype=float) for body, value in zip(self.model.bodies, values, strict=True)}

    def position(self, body: str) -> np.ndarray:
        """Origin (1, 3) of a body in the world."""
        return np.zeros((1, 3)) if body == GROUND else self._frames[body][None, :, 3]

    def axes(self, body: str) -> np.ndarray:
        """Axes (1, 3, 3) of a body in the world."""
        return np.eye(3)[None] if body == GROUND else self._frames[body][None, :, :3]

    def results(self, names: Iterable[str]) -> dict[str, np.ndarray]:
        """Nothing: a position has no results."""
        return {}

    def wrenches(self, t: float) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Force and moment (3,) of every force law on its child, world axes, by name."""
        tree, x, p = self._assembled
        if not tree.loads:
            return {}
        values = self._load_law.call([t, x[: tree.nq], x[tree.nq : tree.nq + tree.nv], p])
        arrays = [np.array(value, dtype=float) for value in values]
        return {load.name: (array[:, 0], array[:, 1]) for load, array in zip(tree.loads, arrays, strict=True)}

    @property
    def _load_law(self) -> ca.Function:
        """Force and moment (3×2) of every force law for t, q, v and the parameters."""
        tree, _, _ = self._assembled
        t, q, v = ca.SX.sym("t"), ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv)
        moving = motion(tree, q, v, t=t)
        found = [load_wrench(tree, moving, load) for load in tree.loads]
        return ca.Function("loads", [t, q, v, tree.p], [ca.densify(ca.SX(ca.horzcat(one.f, one.n))) for one in found])
