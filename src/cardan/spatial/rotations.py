"""Rotation matrices R_AB (columns: axes of B in A) from angles, quaternions and directions.

Source: docs/notation.md §2
"""

import math
from typing import Any

import casadi as ca
import numpy as np

from cardan.spatial.tracing import traced

Number = Any  # casadi.SX or casadi.DM

_SNAP = 1e-15  # cos(90°) in doubles is 6e-17; no angle a person writes is this close to a right one by chance


def skew(r: Number) -> Number:
    """Matrix [r×], so that skew(r) @ s = r × s."""
    return ca.sparsify(ca.skew(r))  # CasADi's own writes its zeros down


@traced((1, 1))
def rotation_x(angle: Number) -> Number:
    """Rotation about x by `angle` [rad]; basic matrix 4 of the papers without its translation."""
    c, s, zero = ca.cos(angle), ca.sin(angle), ca.DM(1, 1)
    return ca.blockcat([[1, zero, zero], [zero, c, -s], [zero, s, c]])


@traced((1, 1))
def rotation_y(angle: Number) -> Number:
    """Rotation about y by `angle` [rad]."""
    c, s, zero = ca.cos(angle), ca.sin(angle), ca.DM(1, 1)
    return ca.blockcat([[c, zero, s], [zero, 1, zero], [-s, zero, c]])


@traced((1, 1))
def rotation_z(angle: Number) -> Number:
    """Rotation about z by `angle` [rad]."""
    c, s, zero = ca.cos(angle), ca.sin(angle), ca.DM(1, 1)
    return ca.blockcat([[c, -s, zero], [s, c, zero], [zero, zero, 1]])


def from_rpy(rpy: Number) -> Number:
    """Rotation Rz(yaw) Ry(pitch) Rx(roll) from rpy = (roll, pitch, yaw) [rad], the convention of URDF."""
    return rotation_z(rpy[2]) @ rotation_y(rpy[1]) @ rotation_x(rpy[0])


def to_rpy(R: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch and yaw [rad] of a rotation matrix, R = Rz(yaw) Ry(pitch) Rx(roll).

    With any yaw the other two angles follow from Rz(−yaw) R, so that the product is R to round-off at a pitch of 90°
    too, where yaw is arbitrary.
    """
    yaw = math.atan2(R[1, 0], R[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    return math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1]), pitch, yaw


def from_axis_angle(axis: Number, angle: Number) -> Number:
    """Rotation by `angle` [rad] about `axis` (3,), which need not be a unit vector (Rodrigues' formula)."""
    n = axis / ca.norm_2(axis)
    K = skew(n)
    return ca.DM.eye(3) + ca.sin(angle) * K + (1 - ca.cos(angle)) * (K @ K)


@traced((4, 1))
def from_quaternion(e: Number) -> Number:
    """Rotation of the quaternion e = (w, x, y, z), of any length but zero (Shabana 2020, eq. 2.23, divided by |e|²)."""
    w, x, y, z = ca.vertsplit(e)
    s = 2 / (w * w + x * x + y * y + z * z)
    return ca.blockcat(
        [
            [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
        ]
    )


def matrices_of(e: np.ndarray) -> np.ndarray:
    """Rotation matrices (…, 3, 3) of unit quaternions (…, 4), as numbers."""
    w, x, y, z = np.moveaxis(np.asarray(e, dtype=float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def to_quaternion(R: Number) -> Number:
    """Unit quaternion (w, x, y, z) with w ≥ 0 of the rotation matrix R (3×3).

    The rows of the matrix 4 q qᵀ are multiples of q; the one with the largest diagonal entry is exact to round-off.

    Source: Shepperd 1978, J. Guidance and Control 1:223
    """
    R = ca.densify(R)
    x, y, z = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, xz, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    d_x, d_y, d_z = R[0, 0], R[1, 1], R[2, 2]
    rows = [
        ca.vertcat(1 + d_x + d_y + d_z, x, y, z),
        ca.vertcat(x, 1 + d_x - d_y - d_z, xy, xz),
        ca.vertcat(y, xy, 1 - d_x + d_y - d_z, yz),
        ca.vertcat(z, xz, yz, 1 - d_x - d_y + d_z),
    ]
    best, size = rows[0], rows[0][0]
    for k in (1, 2, 3):
        better = rows[k][k] > size
        best, size = ca.if_else(better, rows[k], best), ca.fmax(size, rows[k][k])
    q = best / ca.norm_2(best)
    return ca.if_else(q[0] < 0, -q, q)


@traced((4, 1), (3, 1))
def quaternion_rate(e: Number, w_B: Number) -> Number:
    """Rate ė = ½ e ∘ (0, ω) of the quaternion e (w, x, y, z) for the angular velocity ω [rad/s] in body axes."""
    w, x, y, z = ca.vertsplit(e)
    p, q, r = ca.vertsplit(w_B)
    return 0.5 * ca.vertcat(-x * p - y * q - z * r, w * p + y * r - z * q, w * q + z * p - x * r, w * r + x * q - y * p)


def snap(A: Number) -> Number:
    """Matrix `A` with constant entries within 1e-15 of 0 and ±1 made exact, and exact zeros made structural.

    A placement turned by multiples of 90° then costs nothing in the generated code. Symbols are never touched.
    """
    if isinstance(A, ca.DM):
        entries = A.full()
        nearest = entries.round().clip(-1, 1)
        return ca.sparsify(ca.DM(np.where(abs(entries - nearest) <= _SNAP, nearest, entries)))
    out = ca.SX(A)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            entry = out[i, j]
            if entry.is_constant():
                out[i, j] = snap(ca.DM(entry))
    return ca.sparsify(out)


def align_z(axis: Number) -> Number:
    """Rotation whose third column is the direction of `axis` (3,): an orthonormal basis without a branch in the data.

    Source: Duff et al., "Building an orthonormal basis, revisited", J. Computer Graphics Techniques 6 (2017).
    """
    n = axis / ca.norm_2(axis)
    x, y, z = n.full().ravel().tolist() if isinstance(n, ca.DM) else ca.vertsplit(n)
    sign = 2 * (z >= 0) - 1
    a = -1 / (sign + z)
    b = x * y * a
    return snap(ca.blockcat([[1 + sign * x * x * a, b, x], [sign * b, sign + y * y * a, y], [-sign * x, -y, z]]))


def align_zx(z_axis: Number, x_axis: Number) -> Number:
    """Rotation with third column along `z_axis` and first along `x_axis`; the two (3,) are perpendicular."""
    z, x = z_axis / ca.norm_2(z_axis), x_axis / ca.norm_2(x_axis)
    return snap(ca.horzcat(x, ca.cross(z, x), z))


@traced((3, 1), (3, 1))
def acceleration_tensor(w: Number, alpha: Number) -> Number:
    """[α×] + [ω×]² (3×3): acceleration of a body's point relative to its origin, per vector to that point."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    x, y, z = alpha[0], alpha[1], alpha[2]
    return ca.blockcat([[-(yy + zz), xy - z, xz + y], [xy + z, -(xx + zz), yz - x], [xz - y, yz + x, -(xx + yy)]])
