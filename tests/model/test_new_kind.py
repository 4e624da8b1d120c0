"""A new constraint kind is a file and a line: its record, defined here, is all that the whole program needs of it."""

import re
from collections.abc import Iterator
from typing import Literal

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.errors import Issue, ModelError
from cardan.formats.yaml import dump, loads
from cardan.model.constraints import CONSTRAINTS, Constraint, PlaceConstraint, Surroundings
from cardan.model.joints.closure import Row
from cardan.model.names import Names
from cardan.model.quantities.fields import Direction
from tests.selection import each

G, ALPHA, MASS = 9.81, 0.3, 2.0
TIMES = np.linspace(0, 1, 5)


class PointOnPlane(PlaceConstraint):
    """The child marker's origin stays in the plane through the parent marker's origin with this normal."""

    type: Literal["point_on_plane"] = "point_on_plane"
    normal: Direction  # in the parent marker, of any length

    def rows(self, around: Surroundings) -> list[Row]:
        a, b = around.marker(self.parent), around.marker(self.child)
        n = ca.vertcat(*(around.number(entry) for entry in self.normal))
        return [Row("force along the normal", ca.dot(a.R @ n / ca.norm_2(n), b.p - a.p))]


class EqualHeights(Constraint):
    """Two points stay at one height over the ground: a balance of ropes, whose reaction is one number."""

    type: Literal["equal_heights"] = "equal_heights"
    of: tuple[str, str]

    def rows(self, around: Surroundings) -> list[Row]:
        first, second = (around.marker(place).p[2] for place in self.of)
        return [Row("pull of the rope", first - second)]

    def name_issues(self, names: Names) -> Iterator[Issue]:
        yield from names.place_issues(of=self.of[0])
        yield from names.place_issues(of=self.of[1])


@pytest.fixture(autouse=True)
def registered(monkeypatch, tmp_path):
    """The one line that a new kind takes."""
    # what is kept on disk is found by the model, not by the kinds in this file
    monkeypatch.setenv("CARDAN_CACHE_DIR", str(tmp_path))
    monkeypatch.setitem(CONSTRAINTS, "point_on_plane", PointOnPlane)
    monkeypatch.setitem(CONSTRAINTS, "equal_heights", EqualHeights)


SLOPE = f"""
cardan: 1
name: slide on a slope
parameters: {{m: {MASS} kg}}
bodies:
  sledge: {{}}
  lift: {{}}
  puck: {{mass: m}}
joints:
  x: {{type: prismatic, parent: ground, child: sledge, axis: x}}
  y: {{type: prismatic, parent: sledge, child: lift, axis: y}}
  z: {{type: prismatic, parent: lift, child: puck, axis: z}}
constraints:
  table: {{type: point_on_plane, child: puck, normal: [{np.sin(ALPHA)}, 0, {np.cos(ALPHA)}]}}
initial: {{x: 0.2, z: {{guess: 0.5}}}}
"""

SCALES = """
cardan: 1
name: two weights held level
bodies:
  left: {mass: 2 kg}
  right: {mass: 3 kg}
joints:
  l: {type: prismatic, parent: ground, child: left, axis: z, stiffness: 100}
  r: {type: prismatic, parent: ground, child: right, axis: z}
constraints:
  level: {type: equal_heights, of: [left, right]}
"""


def test_a_point_on_a_plane():
    """s̈ = g sin α down the slope, normal force m g cos α."""
    model = loads(SLOPE)
    assert loads(dump(model)) == model
    assert cardan.assemble(model).q["z"] == pytest.approx(-0.2 * np.tan(ALPHA), abs=1e-9)
    run = cardan.simulate(model, times=TIMES, rtol=1e-10, atol=1e-12)
    assert run.ok
    fallen = G * np.sin(ALPHA) * TIMES**2 / 2
    np.testing.assert_allclose(run.array("x.q"), 0.2 + fallen * np.cos(ALPHA), rtol=1e-9)
    normal = MASS * G * np.cos(ALPHA) * np.array([np.sin(ALPHA), 0, np.cos(ALPHA)])
    np.testing.assert_allclose(run.array("table.force"), np.tile(normal, (5, 1)), rtol=0, atol=1e-9)
    assert run["table.force"].attrs["units"] == "N"
    assert cardan.mobility(model).degrees_of_freedom == 2


def test_points_at_one_height():
    """Both weights swing with the frequency of one: (m1 + m2) z̈ = −k z − (m1 + m2) g; the rope carries m2 (g + z̈)."""
    model = loads(SCALES)
    run = cardan.simulate(model, times=TIMES, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run.array("l.q"), run.array("r.q"), rtol=0, atol=1e-12)
    pull = run.array("level.force")
    np.testing.assert_allclose(pull, -3 * (G + run.array("r.a")), rtol=0, atol=1e-9)
    assert run["level.force"].attrs["units"] == "N"


@each(
    "text, row",
    [(SLOPE, "table +N +multiplier: force along the normal"), (SCALES, "level +N +multiplier: pull of the rope")],
)
def test_equations_and_verification(text, row):
    model = loads(text)
    assert re.search(row, cardan.equations(model).render())
    report = cardan.verify(model)
    assert report.ok, str(report)


def test_faults_are_found_by_its_own_answers():
    with pytest.raises(ModelError, match=r"constraints\.table\.child: there is no body 'pug'"):
        loads(SLOPE.replace("child: puck, normal", "child: pug, normal"))
    with pytest.raises(ModelError, match=r"constraints\.level\.of: there is no body 'up'"):
        loads(SCALES.replace("[left, right]", "[left, up]"))
