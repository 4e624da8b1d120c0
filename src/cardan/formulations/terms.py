"""The record that every formulation returns: the terms of M v̇ + C v + D v + g = Q + B τ, over all velocities.

Source: docs/notation.md §5
"""

from typing import Any

from cardan.frozen import dataclass

Number = Any  # casadi.SX or casadi.DM


@dataclass(frozen=True)
class Terms:
    """Terms of the equations of motion; n velocities, m inputs."""

    M: Number  # mass matrix with rotors (n, n)
    C: Number  # Coriolis matrix, Ṁ − 2C skew; Christoffel's where q̇ = v (n, n)
    D: Number  # linear damping of joints and rotors (n, n)
    g: Number  # ∂Π/∂q of gravity, joint springs and conservative forces (n,)
    Q: Number  # all other generalised forces (n,)
    B: Number  # input matrix: generalised forces per rotor torque (n, m)
