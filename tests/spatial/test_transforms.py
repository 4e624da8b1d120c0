"""Transforms: the six basic matrices of the papers, composition and inverse."""

from functools import reduce
from operator import matmul

import casadi as ca
import numpy as np
from scipy.linalg import expm

from cardan.spatial import transforms
from cardan.spatial.rotations import from_rpy
from tests.selection import each

ROUND_OFF = 1e-14  # some ten operations on numbers of size one


def generator(kind: int) -> np.ndarray:
    """dT/dx at x = 0 of the basic matrix `kind`."""
    out = np.zeros((4, 4))
    if kind <= 3:
        out[kind - 1, 3] = 1
    else:
        i, j = {4: (1, 2), 5: (2, 0), 6: (0, 1)}[kind]
        out[j, i], out[i, j] = 1, -1
    return out


@each("kind", range(1, 7))
def test_basic_matrices_are_one_parameter_groups(kind):
    """Hroncová, eqs. 1–6: 1–3 translate along, 4–6 rotate about x, y, z; each is exp(x dT/dx)."""
    for x in (-1.2, 0.0, 0.7):
        T = np.array(transforms.basic(kind, ca.DM(x)))
        np.testing.assert_allclose(T, expm(x * generator(kind)), rtol=0, atol=ROUND_OFF)


@each("kind", range(1, 7))
def test_derivatives_of_basic_matrices_are_products_with_a_constant(kind):
    D = generator(kind)
    x = ca.SX.sym("x")
    T = ca.densify(ca.SX(transforms.basic(kind, x)))
    first, second = (
        ca.reshape(f, 4, 4) for f in (ca.jacobian(ca.vec(T), x), ca.jacobian(ca.jacobian(ca.vec(T), x), x))
    )
    T, first, second = (np.array(f) for f in ca.Function("f", [x], [T, first, second])(0.7))
    np.testing.assert_allclose(first, T @ D, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(first, D @ T, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(second, T @ D @ D, rtol=0, atol=ROUND_OFF)


def test_the_operator_of_a_twist_is_a_sum_of_basic_ones(rng):
    V = rng.normal(size=6)
    kinds = (4, 5, 6, 1, 2, 3)  # angular part first
    expected = sum(x * generator(kind) for x, kind in zip(V, kinds, strict=True))
    np.testing.assert_array_equal(np.array(transforms.twist_operator(ca.DM(V))), expected)


def test_a_product_multiplies_from_left_to_right():
    """Hroncová, eqs. 1–3: rot6, then trans3, then trans3 trans2."""
    factors = [(6, 0.4), (3, 0.5), (3, 0.2), (2, -0.3)]
    T = reduce(matmul, (np.array(transforms.basic(kind, ca.DM(x))) for kind, x in factors))
    c, s = np.cos(0.4), np.sin(0.4)
    np.testing.assert_allclose(
        T, [[c, -s, 0, 0.3 * s], [s, c, 0, -0.3 * c], [0, 0, 1, 0.7], [0, 0, 0, 1]], rtol=0, atol=ROUND_OFF
    )


def test_inverse_composition_and_parts(rng):
    T_AB, T_BC = (transforms.pose(from_rpy(ca.DM(rng.normal(size=3))), ca.DM(rng.normal(size=3))) for _ in range(2))
    np.testing.assert_allclose(np.array(transforms.inverse(T_AB) @ T_AB), np.eye(4), rtol=0, atol=ROUND_OFF)
    T_AC, r_C = T_AB @ T_BC, ca.DM(rng.normal(size=3))
    by_steps = transforms.position(T_AB) + transforms.rotation(T_AB) @ (
        transforms.position(T_BC) + transforms.rotation(T_BC) @ r_C
    )
    through = transforms.position(T_AC) + transforms.rotation(T_AC) @ r_C
    np.testing.assert_allclose(np.array(through), np.array(by_steps), rtol=0, atol=ROUND_OFF)
