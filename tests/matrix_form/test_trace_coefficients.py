"""Coefficients of the trace form as SymPy: indices as in the paper, and the coordinates of the model's own choice."""

import numpy as np
import sympy

import cardan


def test_the_velocity_coefficient_of_two_links_is_the_textbook_s():
    """Craig 2005, eq. 6.58: −m2 l1 a2 sin q2 (2 q̇1 q̇2 + q̇2²) in the first row, + m2 l1 a2 sin q2 q̇1² in the second."""
    a1 = cardan.equations(cardan.load("planar_manipulator"), motors="none").trace_coefficients().a1
    m2, l1, a2, q2 = sympy.symbols("m2 l1 a2 elbow")
    h = m2 * l1 * a2 * sympy.sin(q2)
    expected = {(0, 1, 0): -2 * h, (1, 1, 0): -h, (0, 0, 1): h}
    for index in np.ndindex(2, 2, 2):
        assert sympy.simplify(a1[index] - expected.get(index, 0)) == 0
