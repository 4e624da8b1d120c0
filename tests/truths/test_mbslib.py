"""The four analytical tests for MBSlib: kinematics and dynamics against closed formulas over grids of states.

The formulas are those of Wojtusch, "Analytical Tests for MBSlib" (TU Darmstadt), with the two errata of docs/errata.md;
MBSlib's own tests compare at 1e-9, the SCARA's matrices at 1e-10, and so do these.
"""

from itertools import product

import numpy as np
import pytest

import cardan
from cardan.matrix_form.terms import FORMULATIONS
from tests.selection import each

TOLERANCE = 1e-9
MATRIX_TOLERANCE = 1e-10
G = 9.81

ANGLES = np.linspace(-np.pi, np.pi, 7)
LENGTHS = np.linspace(-1.5, 1.5, 5)
SPEEDS = np.array([-2.3, 0.0, 1.7])
EFFORTS = np.array([-8.0, 0.0, 5.0])


def grid(*axes):
    """All combinations, one row each; an axis may be given for several columns."""
    return np.array(list(product(*axes)))


def compiled(name):
    """Functions of a mechanism of the gallery without motors."""
    return cardan.compile(cardan.load(name), motors="none")


def assert_equal(value, expected, tolerance=TOLERANCE):
    np.testing.assert_allclose(value, expected, rtol=0, atol=tolerance)


def assert_dynamics(dyn, states, forward, inverse):
    """`forward(q, v, tau)` and `inverse(q, v, a)` are the mechanism's, and undo each other."""
    q, v, tau = np.split(states, 3, axis=1)
    a = forward(q, v, tau)
    assert_equal(dyn.forward_dynamics(q, v, tau), a)
    assert_equal(
        dyn.inverse_dynamics(q, v, tau), inverse(q, v, tau)
    )  # the grid of efforts serves for accelerations, too
    assert_equal(dyn.inverse_dynamics(q, v, a), tau)
    assert_equal(dyn.bias(q, v), inverse(q, v, 0 * q))


def tip(dyn, q, body, offset):
    """World x, y of a point fixed in a body."""
    return (dyn.forward_kinematics(q)[body] @ [*offset, 1])[:, :2]


def marker_rates(dyn, q, marker):
    """∂(x, y)/∂q of a marker."""
    return dyn.jacobian(q, marker)[:, 3:5]


class TestCompoundPendulum:
    m, l = 1.3, 0.8

    def test_forward_kinematics(self):
        q = ANGLES[:, None]
        expected = self.l * np.hstack([np.sin(q), -np.cos(q)])
        assert_equal(tip(compiled("compound_pendulum"), q, "rod", [0, -self.l, 0]), expected)
        rates = self.l * np.stack([np.cos(q), np.sin(q)], axis=1)
        assert_equal(marker_rates(compiled("compound_pendulum"), q, "rod.tip"), rates)

    def test_dynamics(self):
        m, l = self.m, self.l

        def forward(q, v, tau):
            return 3 * (tau - m * G * l * np.sin(q) / 2) / (m * l**2)

        def inverse(q, v, a):
            return m * l**2 * a / 3 + m * G * l * np.sin(q) / 2

        assert_dynamics(compiled("compound_pendulum"), grid(ANGLES, SPEEDS, EFFORTS), forward, inverse)


@pytest.mark.parametrize("name", ["spring_pendulum", "spring_pendulum_element"])
class TestSpringPendulum:
    """With the joint's own spring and damper, and with an element between base and mass as the paper draws it."""

    m, k, d = 1.3, 25, 0.7

    def test_forward_kinematics(self, name):
        q = LENGTHS[:, None]
        assert_equal(tip(compiled(name), q, "mass", [0, 0, 0]), np.hstack([0 * q, -q]))

    def test_dynamics(self, name):
        m, k, d = self.m, self.k, self.d

        def forward(q, v, tau):
            return (m * G - d * v - k * q + tau) / m

        def inverse(q, v, a):
            return m * a + d * v + k * q - m * G

        assert_dynamics(compiled(name), grid(LENGTHS, SPEEDS, EFFORTS), forward, inverse)


class TestTrolleyPendulum:
    m, l, k, d = 1.3, 0.8, 25, 0.7

    def test_forward_kinematics(self):
        q, dyn = grid(LENGTHS, ANGLES), compiled("trolley_pendulum")
        q1, q2 = q.T
        assert_equal(tip(dyn, q, "trolley", [0, 0, 0]), np.column_stack([q1, 0 * q1]))
        expected = np.column_stack([q1 + self.l * np.sin(q2), -self.l * np.cos(q2)])
        assert_equal(tip(dyn, q, "rod", [0, -self.l, 0]), expected)

    def test_dynamics(self):
        m, l, k, d = self.m, self.l, self.k, self.d

        def forward(q, v, tau):
            (_, q2), (_, w), (f, n) = q.T, v.T, tau.T
            s, c = np.sin(q2), np.cos(q2)
            a1 = (
                2 * m * l**2 * s * w**2 + 6 * d * c * w + 6 * k * c * q2 + 3 * G * m * l * c * s + 4 * l * f - 6 * c * n
            )
            a2 = 3 * m * l**2 * c * s * w**2 + 12 * d * w + 12 * k * q2 + 6 * G * m * l * s + 6 * l * c * f - 12 * n
            return np.column_stack([a1 / (4 * m * l - 3 * m * l * c**2), a2 / (3 * m * l**2 * c**2 - 4 * m * l**2)])

        def inverse(q, v, a):
            (_, q2), (_, w), (a1, a2) = q.T, v.T, a.T
            s, c = np.sin(q2), np.cos(q2)
            f = a1 * m + a2 * m * l * c / 2 - w**2 * m * l * s / 2
            n = a1 * m * l * c / 2 + a2 * m * l**2 / 3 + w * d + q2 * k + G * m * l * s / 2  # printed: − a2 m l²/3
            return np.column_stack([f, n])

        states = grid(LENGTHS[::2], ANGLES, SPEEDS, SPEEDS, EFFORTS, EFFORTS)
        assert_dynamics(compiled("trolley_pendulum"), states, forward, inverse)


class TestScara:
    m1, m2, l1, l2, I1, I2 = 2.1, 1.4, 0.5, 0.4, 0.05, 0.03
    r1x, r1y, r2x, r2y = -0.22, 0.03, -0.17, 0.05

    def M(self, q):
        """Mass matrix (N, 2, 2)."""
        c, s = np.cos(q[:, 1]), np.sin(q[:, 1])
        l1, l2, r1x, r1y, r2x, r2y = self.l1, self.l2, self.r1x, self.r1y, self.r2x, self.r2y
        M11 = (
            self.m1 * (l1**2 + r1x**2 + r1y**2 + 2 * l1 * r1x)
            + self.m2 * (l1**2 + l2**2 + r2x**2 + r2y**2 + 2 * l2 * r2x + 2 * l1 * l2 * c + 2 * l1 * r2x * c)
            - self.m2 * 2 * l1 * r2y * s  # printed: +
            + self.I1
            + self.I2
        )
        M12 = self.m2 * ((r2x + l2) ** 2 + r2y**2 + l1 * l2 * c + l1 * (r2x * c - r2y * s)) + self.I2
        M22 = self.m2 * ((r2x + l2) ** 2 + r2y**2) + self.I2 + 0 * c
        return np.stack([np.stack([M11, M12], -1), np.stack([M12, M22], -1)], -2)

    def C(self, q, v):
        """Coriolis and centrifugal efforts (N, 2)."""
        c, s = np.cos(q[:, 1]), np.sin(q[:, 1])
        a = self.r2y * c + (self.l2 + self.r2x) * s
        v1, v2 = v.T
        return self.m2 * self.l1 * np.column_stack([-v2 * (2 * v1 + v2) * a, a * v1**2])

    def gravity(self, q):
        """Efforts of gravity (N, 2)."""
        q1, q12 = q[:, 0], q[:, 0] + q[:, 1]
        g2 = self.m2 * G * ((self.r2x + self.l2) * np.cos(q12) - self.r2y * np.sin(q12))
        g1 = self.m1 * G * ((self.l1 + self.r1x) * np.cos(q1) - self.r1y * np.sin(q1))
        return np.column_stack([g1 + self.m2 * G * self.l1 * np.cos(q1) + g2, g2])

    def test_forward_kinematics(self):
        q, dyn = grid(ANGLES, ANGLES), compiled("scara")
        q1, q12 = q[:, 0], q[:, 0] + q[:, 1]
        elbow = self.l1 * np.column_stack([np.cos(q1), np.sin(q1)])
        assert_equal(tip(dyn, q, "link1", [self.l1, 0, 0]), elbow)
        expected = elbow + self.l2 * np.column_stack([np.cos(q12), np.sin(q12)])
        assert_equal(tip(dyn, q, "link2", [self.l2, 0, 0]), expected)

    def test_dynamics(self):
        def inverse(q, v, a):
            return (self.M(q) @ a[:, :, None])[:, :, 0] + self.C(q, v) + self.gravity(q)

        def forward(q, v, tau):
            return np.linalg.solve(self.M(q), (tau - self.C(q, v) - self.gravity(q))[:, :, None])[:, :, 0]

        states = grid(ANGLES[::2], ANGLES, SPEEDS, SPEEDS, EFFORTS, EFFORTS)
        assert_dynamics(compiled("scara"), states, forward, inverse)

    @each("formulation", FORMULATIONS)
    def test_matrices_of_the_equations(self, formulation):
        q, v = np.split(grid(ANGLES, ANGLES, SPEEDS, SPEEDS), 2, axis=1)
        terms = cardan.equations(cardan.load("scara"), "none", formulation).evaluate(q, v)
        assert_equal(terms["M"], self.M(q), MATRIX_TOLERANCE)
        assert_equal((terms["C"] @ v[:, :, None])[:, :, 0], self.C(q, v), MATRIX_TOLERANCE)
        assert_equal(terms["g"], self.gravity(q), MATRIX_TOLERANCE)

    def test_matrices_in_machine_code(self):
        q, v = np.split(grid(ANGLES, ANGLES, SPEEDS, SPEEDS), 2, axis=1)
        dyn = compiled("scara")
        assert_equal(dyn.mass_matrix(q), self.M(q), MATRIX_TOLERANCE)
        assert_equal((dyn.coriolis_matrix(q, v) @ v[:, :, None])[:, :, 0], self.C(q, v), MATRIX_TOLERANCE)
        assert_equal(dyn.bias(q, 0 * v), self.gravity(q), MATRIX_TOLERANCE)
