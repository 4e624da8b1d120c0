"""Coefficients of the trace form as SymPy: indices as in the paper, and the coordinates of the model's own choice."""

import numpy as np
import pytest
import sympy

import cardan
from cardan.model.quantities.parameters import resolve

ROUND_OFF = 1e-12  # some hundred operations on numbers up to 10


@pytest.mark.parametrize("name", ["planar_manipulator_mounted", "slider_crank"])
def test_they_add_up_to_the_matrices(name):
    eq = cardan.equations(cardan.load(name), motors="full")
    found = eq.trace_coefficients()
    n = len(eq.velocities)
    q, v = np.linspace(0.2, 0.9, n), np.linspace(-1, 2, n)
    values = dict(zip(eq.coordinates, q, strict=True)) | resolve(eq.model.parameters)
    at = {sympy.Symbol(key): float(value) for key, value in values.items()}
    a0, a1, a2 = (np.array(part.subs(at)).astype(float) for part in (found.a0, found.a1, found.a2))
    terms = eq.evaluate(q, v)
    np.testing.assert_allclose(a0, terms["M"], rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(np.einsum("jik,j,i->k", a1, v, v), terms["C"] @ v, rtol=0, atol=ROUND_OFF)
    np.testing.assert_allclose(a2.ravel(), terms["g"], rtol=0, atol=ROUND_OFF)
    assert all(a1[j, i, k] == 0 for j in range(n) for i in range(j) for k in range(n))


def test_the_velocity_coefficient_of_two_links_is_the_textbook_s():
    """Craig 2005, eq. 6.58: −m2 l1 a2 sin q2 (2 q̇1 q̇2 + q̇2²) in the first row, + m2 l1 a2 sin q2 q̇1² in the second."""
    a1 = cardan.equations(cardan.load("planar_manipulator"), motors="none").trace_coefficients().a1
    m2, l1, a2, q2 = sympy.symbols("m2 l1 a2 elbow")
    h = m2 * l1 * a2 * sympy.sin(q2)
    expected = {(0, 1, 0): -2 * h, (1, 1, 0): -h, (0, 0, 1): h}
    for index in np.ndindex(2, 2, 2):
        assert sympy.simplify(a1[index] - expected.get(index, 0)) == 0
