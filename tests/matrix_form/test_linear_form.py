"""The regressor as a compiled function and as SymPy: shapes, names, parameters, and the efforts that it gives."""

import numpy as np
import pytest
import sympy

import cardan
from cardan.model.quantities.parameters import resolve
from tests.selection import each

ROUND_OFF = 1e-12  # some hundred operations on numbers up to 1e2


@each("name", ["manipulator_6dof", "scara", "slider_crank"])
def test_the_compiled_regressor_gives_the_efforts(name):
    dyn = cardan.compile(cardan.load(name), motors="none")
    n = dyn.system.tree.nv
    q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 4, 2, n))
    Y, pi = dyn.regressor(q, v, a), dyn.inertial_parameters()
    assert Y.shape == (4, 2, n, 10 * len(dyn.model.bodies))
    assert pi.shape == (10 * len(dyn.model.bodies),)
    expected = dyn.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(Y @ pi, expected, rtol=0, atol=ROUND_OFF * np.max(np.abs(expected)))


def test_a_model_of_numbers_alone_has_its_inertial_parameters():
    """A wheel of 2 kg whose centre is 0.3 m beside its axis, which has the moment 0.1 kg m² about the centre."""
    wheel = {"mass": 2, "com": [0.3, 0, 0], "inertia": [0, 0, 0.1]}
    hinge = {"type": "revolute", "parent": "ground", "child": "wheel", "axis": "z"}
    dyn = cardan.compile(cardan.Model(bodies={"wheel": wheel}, joints={"hinge": hinge}))
    pi = dyn.inertial_parameters()
    assert dict(zip(dyn.inertial_names, pi.tolist(), strict=True)) == pytest.approx(
        dict.fromkeys(dyn.inertial_names, 0.0)
        | {"wheel.mass": 2, "wheel.mx": 0.6, "wheel.Iyy": 0.18, "wheel.Izz": 0.28}
    )
    assert dyn.regressor([0.4], [0.0], [5.0]) @ pi == pytest.approx([0.28 * 5], abs=ROUND_OFF)


def test_names_stand_body_by_body_in_file_order():
    names = cardan.compile(cardan.load("scara")).inertial_names
    assert names[:4] == ("link1.mass", "link1.mx", "link1.my", "link1.mz")
    assert names[4:10] == tuple(f"link1.I{axes}" for axes in ("xx", "yy", "zz", "xy", "xz", "yz"))
    assert names[10] == "link2.mass"


def test_other_parameters_give_other_values():
    dyn = cardan.compile(cardan.load("scara"))
    pi = dyn.inertial_parameters({"m1": [1.0, 3.0]})
    assert pi.shape == (2, 20)
    np.testing.assert_allclose(pi[:, 0], [1, 3])
    np.testing.assert_allclose(pi[:, 6], 0.05 + np.array([1, 3]) * (0.28**2 + 0.03**2), rtol=1e-14)


def test_rotors_are_no_part_of_it():
    """The efforts with motors exceed Y π by those of rotors and dampers alone: r² Im a + d v."""
    model = cardan.load("planar_manipulator")
    dyn = cardan.compile(model, motors="full")
    q, v, a = np.random.default_rng(2).uniform(-1, 1, (3, 2))
    rest = dyn.inverse_dynamics(q, v, a) - dyn.regressor(q, v, a) @ dyn.inertial_parameters()
    np.testing.assert_allclose(rest, 100 * 1e-3 * a + (np.array([0.5, 0.4]) + 100 * 0.1) * v, rtol=1e-12)


def test_symbols_and_numbers_are_the_same():
    model = cardan.load("scara")
    found, dyn = cardan.regressor(model), cardan.compile(model)
    assert found.names == dyn.inertial_names
    q, v, a = np.random.default_rng(3).uniform(-1, 1, (3, 2))
    values = {f"joint{k + 1}{end}": x[k] for end, x in (("", q), (".v", v), (".a", a)) for k in range(2)}
    at = {sympy.Symbol(name): float(x) for name, x in (values | resolve(model.parameters)).items()}
    assert {str(symbol) for symbol in found.Y.free_symbols} <= {str(symbol) for symbol in at}
    Y = np.array(found.Y.subs(at)).astype(float)
    np.testing.assert_allclose(Y, dyn.regressor(q, v, a), rtol=0, atol=ROUND_OFF)
    pi = np.array(found.pi.subs(at)).astype(float).ravel()
    np.testing.assert_allclose(pi, dyn.inertial_parameters(), rtol=0, atol=ROUND_OFF)
