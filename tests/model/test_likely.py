"""Units that follow where bare numbers do not tell: of multipliers, and of coordinates that a model defines."""

import cardan
from cardan.model.likely import multiplier_units
from tests.selection import each


def model(**more):
    """Two slides, two hinges, a length, a number and what is derived from them."""
    joint = {"parent": "ground", "axis": "x"}
    return cardan.Model(
        parameters={"a": "2 m", "half": "a/2", "k": 3, "twice": "2*a"},
        bodies={name: {"mass": 1, "inertia": [1, 1, 1]} for name in ("b", "c", "d", "e")},
        joints={
            name: joint | {"type": kind, "child": child}
            for name, kind, child in (
                ("x", "prismatic", "b"),
                ("y", "prismatic", "c"),
                ("p", "revolute", "d"),
                ("q", "revolute", "e"),
            )
        },
        **more,
    )


@each(
    "equation, unit",
    [
        ("x - a", "N"),
        ("0.5*x - y", "N"),
        ("2*p", "N*m"),
        ("x - 0.3*p", "N"),  # x tells, so that 0.3 is a length
        ("a*sin(p) - 0.2", "N"),
        ("twice*sin(p) + half*sin(q) - 0.2", "N"),
        ("x/a - 1", "N*m"),
        ("1/x - 3", "m^3*kg/s^2"),
        ("x**2 + y**2 - 0.25", "N/m"),
        ("2*p - 3*x", ""),  # which of the two is a plain number stays open
        ("sin(p) - 0.5", ""),
        ("p - x", ""),
    ],
)
def test_of_an_expression(equation, unit):
    made = model(constraints={"c": {"type": "expression", "expression": equation}})
    assert multiplier_units(made)("c", 0) == unit


@each(
    "terms, unit",
    [
        ({"p": 1, "q": -20}, "N*m"),
        ({"p": 2, "q": -20}, "N*m"),
        ({"p": 1, "x": -20}, "N*m"),
        ({"p": 20, "x": -1}, "N"),
        ({"p": "k", "x": 1}, "N"),
        ({"p": "a", "x": 1}, "N"),
        ({"p": 1, "x": "1/a"}, "N*m"),
        ({"p": 1, "x": 1}, ""),
        ({"p": 2, "x": -20}, ""),
    ],
)
def test_of_a_coupler(terms, unit):
    assert multiplier_units(model(constraints={"c": {"type": "coupler", "terms": terms}}))("c", 0) == unit


def test_of_constraints_between_places():
    made = model(
        constraints={
            "rod": {"type": "distance", "parent": "b", "child": "c", "length": 1},
            "slot": {"type": "point_on_line", "parent": "b", "child": "c", "axis": "y"},
            "cam": {
                "type": "point_on_curve",
                "parent": "b",
                "child": "c",
                "equations": ["y - 2*x**2", "x**2 + z**2 - 1"],
            },
        }
    )
    unit = multiplier_units(made)
    assert [unit("rod", 0), unit("slot", 0), unit("slot", 1), unit("cam", 0), unit("cam", 1)] == ["N/m", *"NNN", "N/m"]
