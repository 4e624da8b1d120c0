"""The loops of a system at any instant: their equations, the nearest closed position, and motion through them.

Source: Levenberg–Marquardt: Nocedal & Wright 2006, §10.3; predictor and corrector: Allgower & Georg 1990, ch. 2
"""

import numpy as np

from cardan.assembly.start import system_of
from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.numerics.largest import largest
from cardan.numerics.rank import damped_least_squares
from cardan.numerics.round_off import CLOSED
from cardan.singular.tolerances import ASIDE, ITERATIONS

Array = np.ndarray


@dataclass(frozen=True)
class ClosedLoops:
    """The closed loops of a system with parameters p."""

    functions: SystemFunctions  # functions of the system
    p: Array  # parameters

    def at(self, t: float, q: Array) -> tuple[Array, Array, Array]:
        """Φ (c,), Φq (c, nv) and Φt (c,) at an instant t and a position q (nq,)."""
        system = self.functions.system
        x = np.concatenate([q, np.zeros(system.nx - system.tree.nq)])
        Phi, Phi_q, Phi_t = self.functions.interpreted("loops")(t, x, np.zeros(len(system.input_names)), self.p)
        return np.array(Phi).ravel(), np.array(Phi_q), np.array(Phi_t).ravel()

    @property
    def owners(self) -> list[str]:
        """Joint, constraint or motion that each equation belongs to (c,)."""
        system = self.functions.system
        return [owner for owner, _ in system_of(system.model, system.motors)[1].labels]

    def moved(self, q: Array, dv: Array) -> Array:
        """q (nq,) after the small displacement dv (nv,)."""
        system = self.functions.system
        return np.array(system_of(system.model, system.motors)[1].step(q, dv)).ravel()

    def closed(self, t: float, q: Array) -> tuple[Array, Array, bool]:
        """Nearest closed position (nq,) at t, the displacement to it (nv,), and whether it was found."""
        displacement, mu = np.zeros(self.functions.system.tree.nv), 0.0
        Phi, J, _ = self.at(t, q)
        for _ in range(ITERATIONS):
            gap = np.linalg.norm(Phi)
            if largest(Phi) < 0.01 * CLOSED or mu > 1e6:
                break
            dv = damped_least_squares(J, -Phi, mu)
            q_new = self.moved(q, dv)
            Phi_new, J_new, _ = self.at(t, q_new)
            if np.linalg.norm(Phi_new) < gap:
                q, Phi, J, displacement, mu = q_new, Phi_new, J_new, displacement + dv, 0.1 * mu if mu > 1e-10 else 0.0
            else:
                mu = max(10 * mu, 1e-6)
        return q, displacement, largest(Phi) <= CLOSED

    def advanced(self, t: float, q: Array, v: Array, dt: float) -> tuple[Array, Array, bool]:
        """Position and velocities after a time dt, and whether the closed loops allow this motion."""
        q_new, displacement, closed = self.closed(t + dt, self.moved(q, dt * v))
        forward = (dt * v + displacement) @ v >= ASIDE * dt * (v @ v)
        _, J, Phi_t = self.at(t + dt, q_new)
        v_new = v + damped_least_squares(J, -Phi_t - J @ v, 0.0)
        return q_new, v_new, bool(closed and forward)
