"""The motors inside the matrices: B, D, and the circuits' L di/dt + R i + E v = u.

Source: Hoang & Vuong, eqs. 20 (full), 23 (simplified)
"""

from itertools import islice

import casadi as ca

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass, replace
from cardan.kinematics.tree import Number
from cardan.model.records.walk import scalars
from cardan.numerics.entries import column
from cardan.system.efforts import motor_efforts
from cardan.system.state import blocks_at, symbolic_state
from cardan.system.system import System


@dataclass(frozen=True)
class MotorMatrices:
    """B, and what the circuits add to D; L di/dt + R i + E v = u in the full model."""

    B: Number  # (n, m)
    D: Number  # (n, n)
    L: Number  # (m, m) [H]; (0, 0) unless full
    R: Number  # (m, m) [Ω]; (0, 0) unless full
    E: Number  # (m, n) [V s/rad times the ratio]; (0, n) unless full


def motor_matrices(system: System) -> MotorMatrices:
    """The motors inside the matrices, from the derivatives of their laws (exact: the laws are linear)."""
    for circuit in system.circuits:
        names = {name for _, scalar in scalars(circuit.record) for name in scalar.names}
        if moving := sorted(names - {*system.tree.parameters}):
            fault = f"a number of the motor follows {moving[0]!r}, and matrices have constant ones"
            cure = 'choose motors="none", or linearize the model'
            raise ModelError(Issue(fault, cure, ("motors", circuit.name)))
    s, n = symbolic_state(system), system.tree.nv
    tau, circuits = motor_efforts(system, s), system.circuits
    if system.motors != "full":
        D = -ca.jacobian(tau, s.v) if circuits else ca.DM(n, n)
        return MotorMatrices(ca.jacobian(tau, s.u), D, ca.DM(0, 0), ca.DM(0, 0), ca.DM(0, n))
    i = s.z[: len(circuits)]
    L = ca.diag(column([circuit.inductance for circuit in circuits]))
    still = islice(blocks_at(system, replace(s, u=ca.DM(*s.u.shape))), len(circuits))
    voltage = -L @ column([block.rates(s.motion, z, u) for block, z, u in still])
    return MotorMatrices(
        ca.jacobian(tau, i), ca.DM(n, n), ca.sparsify(L), ca.jacobian(voltage, i), ca.jacobian(voltage, s.v)
    )
