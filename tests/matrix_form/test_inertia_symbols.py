"""Masses and inertias that are numbers in a model, by name: the equations as a paper prints them, of equal value."""

import sympy

import cardan


def test_entries_are_those_of_a_paper():
    """Parallel axes about z, by hand: I_zz + m (x² + y²), the third link at y + q₃."""
    eq = cardan.equations(cardan.load("manipulator_3dof"), motors="none", symbols=True)
    s = {name: sympy.Symbol(name) for name in eq.parameters} | {"q3": sympy.Symbol("q3")}
    M11 = sum(s[f"I_{k}zz"] + s[f"m{k}"] * s[f"x_C{k}"] ** 2 for k in (1, 2, 3))
    M11 += s["m1"] * s["y_C1"] ** 2 + s["m2"] * s["y_C2"] ** 2 + s["m3"] * (s["y_C3"] + s["q3"]) ** 2
    expected = sympy.Matrix(
        [[M11, 0, s["m3"] * s["x_C3"]], [0, s["m2"] + s["m3"], 0], [s["m3"] * s["x_C3"], 0, s["m3"]]]
    )
    assert sympy.expand(eq.M - expected) == sympy.zeros(3, 3)


def test_names_that_mean_something_stay_free():
    bodies = {"link1": {"mass": 2, "com": [0.1, 0, 0], "inertia": [0, 0, "1e-2 kg*m^2"]}}
    joints = {"x_C1": {"type": "revolute", "parent": "ground", "child": "link1", "axis": "z"}}
    model = cardan.Model(bodies=bodies, joints=joints, parameters={"m1": "9.81 m/s^2"}, gravity=[0, "-m1", 0])
    eq = cardan.equations(model, motors="none", symbols=True)
    assert list(eq.parameters) == ["m1", "m1_", "x_C1_", "I_1zz"]
    assert str(eq.M[0]) == "I_1zz + m1_*x_C1_**2"
    text = eq.render()
    assert "2 kg, mass of link1" in text
    assert "1e-2 kg*m^2, inertia of link1" in text


def test_only_symbols_that_occur_are_listed():
    text = cardan.equations(cardan.load("manipulator_3dof"), motors="none", symbols=True).render()
    listed = text.partition("Parameters")[2].partition("Equations of motion")[0]
    assert "inertia of link1" in listed
    assert "I_1yy" not in listed
