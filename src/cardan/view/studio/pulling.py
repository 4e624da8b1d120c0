"""A body pulled by the pointer: where its mechanism follows, and the start that this leaves in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from cardan.analysis.inverse.pulling import pulled
from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.functions.dynamics import Dynamics
from cardan.model.initial import Guess
from cardan.simulation import Setup
from cardan.spatial.rotations import to_quaternion
from cardan.view.scene.document import packed


@dataclass(eq=False)
class Pull:
    """A mechanism that is being pulled, from its start on."""

    setup: Setup  # the prepared model, which says where it starts
    dynamics: Dynamics  # its compiled functions
    q: np.ndarray  # where it is now (n,)

    @staticmethod
    def of(setup: Setup) -> Pull:
        """The start of a prepared model, ready to be pulled."""
        model = setup.conditions.model
        if model.motions:
            raise ModelError("the motions of the model decide where it starts", "change them, or take them out")
        names = _coordinates(setup)
        free = next((name for name in names if name.endswith(".qw")), None)
        if free is not None:
            fault = f"the joint {free.removesuffix('.qw')!r} turns freely, so that its bodies cannot be pulled"
            raise ModelError(fault, "write its start among the values, such as {rpy: [0, 0, 40 deg]}")
        return Pull(setup, Dynamics(model), np.array(setup.start.x[: len(names)]))

    def move(self, body: str, point: Any, target: Any) -> str:
        """Bring a point of a body near to a target; poses of all bodies, as a scene has them."""
        values = self.setup.conditions.values
        self.q = pulled(self.dynamics, self.q, body, point, target, values)
        places = self.dynamics.forward_kinematics(self.q, parameters=values)
        turns = [np.array(ca.DM(to_quaternion(ca.DM(T[:3, :3]))), dtype=float).ravel() for T in places.values()]
        return packed([[*T[:3, 3], *e] for T, e in zip(places.values(), turns, strict=True)])

    def start(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """Initial values by coordinate that begin here: those of the file keep their form, all others are guesses."""
        model = self.setup.conditions.model
        closed = len(model.joints) > len({name.partition(".")[0] for name in _coordinates(self.setup)})
        loose = closed or bool(model.constraints)
        out: dict[str, Any] = {}
        for name, value in zip(_coordinates(self.setup), self.q, strict=True):
            key = next((one for one in (name, f"{name}.q") if one in written), name)
            old = model.initial.get(key)
            inner = old.guess if isinstance(old, Guess) else old
            is_degrees = getattr(inner, "unit", "") in ("deg", "°")
            text: Any = f"{np.degrees(value):.8g} deg" if is_degrees else float(f"{value:.10g}")
            out[key] = {"guess": text} if isinstance(old, Guess) or (old is None and loose) else text
        return out


def _coordinates(setup: Setup) -> list[str]:
    """Names of the coordinates in their order."""
    return [name.removesuffix(".q") for name in setup.conditions.system.state_names if name.endswith(".q")]
