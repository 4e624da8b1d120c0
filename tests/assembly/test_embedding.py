"""Mechanisms that move along straight lines in their coordinates, in a few of them; all others as before."""

import numpy as np
import pytest

import cardan
from cardan.assembly.assembler import Assembler
from cardan.assembly.independent_coordinates import find_embedding
from cardan.assembly.start import assembled, system_of
from cardan.errors import ModelError
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from tests.selection import each
from tests.truths.flat_mechanisms import bar, flat_slider_crank, hinge, parallelogram, three_cranks
from tests.truths.four_bars import four_bars

METHODS = [
    {"method": "dop853"},
    {"method": "tsit5"},
    {"method": "rodas5p"},
    {"method": "rk4", "step": 1e-3},
    {"method": "semi_implicit_euler", "step": 1e-4},
]


def embedding_of(model, motors="full", **initial):
    system, functions = system_of(model, motors)
    values = {name: float(value) for name, value in resolve(model.parameters).items()}
    x, _ = assembled(system, functions, {**model.initial, **initial}, values)
    n = system.tree.nq
    found = find_embedding(Assembler(functions, np.array(list(values.values()))), x[:n], x[n : 2 * n])
    return found, [entry.name for entry in system.tree.velocities]


GEARS = """
cardan: 1
name: gears
gravity: [0, 0, 0]
parameters: {z1: 17, z2: 41, J1: 0.02 kg*m^2, J2: 0.7 kg*m^2, k: 3 N*m/rad, r: 30 mm, m: 5 kg}
bodies:
  pinion: {inertia: [0, 0, J1]}
  wheel: {inertia: [0, 0, J2]}
  rack: {mass: m}
joints:
  pinion: {type: revolute, axis: z, parent: ground, child: pinion}
  wheel: {type: revolute, axis: z, parent: ground, child: wheel, stiffness: k, damping: 0.1 N*m*s/rad}
  rack: {type: prismatic, axis: x, parent: ground, child: rack}
constraints:
  mesh: {type: coupler, terms: {pinion: z1, wheel: z2}, offset: 0.3 rad}
  rolls: {type: coupler, terms: {rack: 1, pinion: -0.03}}
motors:
  drive: {type: dc, joint: pinion, ratio: 3, resistance: 0.5 ohm, inductance: 2 mH,
          torque_constant: 0.05 N*m/A, back_emf_constant: 0.05 V*s/rad}
inputs: {drive: "6 + 2*sin(5*t)"}
initial: {pinion: 0}
"""


@pytest.fixture
def gears(tmp_path):
    path = tmp_path / "gears.yaml"
    path.write_text(GEARS)
    return cardan.load(path)


def test_one_program_for_all_starts_and_ratios(gears):
    """Numbers of T and c that are no whole ones are no part of it."""
    runs = [{}] + [{"initial": {"pinion": x}} for x in (0.1, 0.77, 2.9)] + [{"parameters": {"z2": z}} for z in (39, 97)]
    tasks = [cardan.prepare(gears, until=1.0, **run).task for run in runs]
    assert len({task.embedding for task in tasks}) > 3
    assert len({id(task.problem.rhs) for task in tasks}) == 1
    ratios = [task.embedding.T[1, 0] for task in tasks]
    np.testing.assert_allclose(ratios, [-17 / 41] * 4 + [-17 / 39, -17 / 97], rtol=1e-15)


@pytest.mark.parametrize("speed", [0.1, 1.7, 2.3, -3.1])
def test_a_run_starts_with_what_is_given(gears, speed):
    """Of the wheel and the rack, which are not integrated."""
    run = cardan.simulate(gears, until=0.1, initial={"pinion": {"guess": 0}, "wheel": 0.123, "wheel.v": speed})
    assert (run.array("wheel.q")[0], run.array("wheel.v")[0]) == (0.123, speed)


@pytest.mark.parametrize("options", METHODS[:4], ids=lambda options: options["method"])
@pytest.mark.parametrize(
    "make", [lambda: four_bars(3), lambda: parallelogram(3.0, 0.2), lambda: three_cranks(0.4, 2.0, False)]
)
def test_everything_is_as_with_the_loops_as_equations(make, options):
    """Positions, velocities, energies, works, reactions: the same in a regular part of the motion."""
    model, times = make(), np.linspace(0, 0.5, 21)
    run, other = (cardan.simulate(model, times=times, embed=embed, **options) for embed in (True, False))
    assert run.ok
    assert other.ok
    assert "independent" in run.statistics
    assert "independent" not in other.statistics
    assert run.names == other.names
    for name in run.names:
        own, given = run.array(name), other.array(name)
        scale = max(1.0, float(np.nanmax(np.abs(given))))
        allowed = 1e-5 * scale  # tolerances of 1e-8, through accelerations and reactions
        np.testing.assert_allclose(own, given, rtol=0, atol=allowed, err_msg=name)
    assert run.report.constraint_violation < 1e-13  # round-off of a few metres


def satellite():
    """A free body with two wheels geared to each other, and a ball joint elsewhere."""
    wheel = {"mass": 0.5, "inertia": [0.01, 0.01, 0.02]}
    return Model(
        bodies={
            "hub": {
                "mass": 3.0,
                "com": [0.1, 0, 0],
                "inertia": [0.3, 0.4, 0.5],
                "markers": {"m": {"position": [0.3, 0.1, 0.2]}},
            },
            "left": wheel,
            "right": wheel,
            "pendulum": {"mass": 1.0, "com": [0, 0.2, -0.5], "inertia": [0.1, 0.1, 0.02]},
        },
        joints={
            "hub": {"type": "free", "parent": "ground", "child": "hub"},
            "left": hinge("hub", "left"),
            "right": {"type": "revolute", "axis": "x", "parent": "hub.m", "child": "right", "damping": 0.01},
            "pendulum": {"type": "spherical", "parent": "ground", "child": "pendulum"},
        },
        constraints={"mesh": {"type": "coupler", "terms": {"left": 2, "right": 3}, "offset": 0.5}},
        initial={"left.v": 6.0, "hub.wx": 0.4, "hub.vy": 0.3, "pendulum.wz": 2.0, "pendulum.wx": 0.5, "right": 0.1},
    )


@each("options", METHODS)
def test_quaternions_are_integrated_as_they_are(options):
    """Against the same run with the mesh as an equation; its lengths and directions stay as they are."""
    times = np.linspace(0, 1, 21)
    run, other = (cardan.simulate(satellite(), times=times, embed=embed, **options) for embed in (True, False))
    assert run.ok, run.message
    assert "left" in run.statistics["independent"]
    assert "right" not in run.statistics["independent"]
    assert len(run.statistics["independent"]) == 7 + 1 + 4
    allowed = 1e-2 if "euler" in options["method"] else 1e-6  # first order; tolerances of 1e-8 over 1 s
    np.testing.assert_allclose(run.x, other.x, rtol=0, atol=allowed)
    np.testing.assert_allclose(2 * run.array("left.q") + 3 * run.array("right.q"), 0.5, rtol=0, atol=1e-13)
    quaternions = [i for i, name in enumerate(run.state_names) if name.endswith((".qw.q", ".qx.q", ".qy.q", ".qz.q"))]
    assert len(quaternions) == 8
    for four in (quaternions[:4], quaternions[4:]):
        np.testing.assert_allclose(np.sum(run.x[:, four] ** 2, axis=1), 1.0, rtol=0, atol=1e-10)  # as projected
    assert run.report.relative_energy_error < (1e-2 if "euler" in options["method"] else 1e-7)


def test_two_freedoms():
    """A differential: the carrier turns as the mean of both wheels, which are free."""
    wheel = {"inertia": [0, 0, 1.0]}
    model = Model(
        gravity=[0, 0, 0],
        bodies={"left": wheel, "right": wheel | {"inertia": [0, 0, 2.0]}, "carrier": {"inertia": [0, 0, 0.5]}},
        joints={name: hinge("ground", name) for name in ("carrier", "left", "right")},
        constraints={"differential": {"type": "coupler", "terms": {"left": 1, "right": 1, "carrier": -2}}},
        inputs={"carrier": "1", "left": "t"},
    )
    times = np.linspace(0, 2, 11)
    run = cardan.simulate(model, times=times, motors="none")
    assert len(run.statistics["independent"]) == 2
    M = np.array([[1 + 0.125, 0.125], [0.125, 2 + 0.125]])  # over left and right; carrier = (left + right)/2
    start, slope = np.linalg.solve(M, [0.5, 0.5]), np.linalg.solve(M, [1.0, 0.0])
    for name, a, b in zip(("left", "right"), start, slope, strict=True):
        expected = a * times**2 / 2 + b * times**3 / 6
        np.testing.assert_allclose(run.array(f"{name}.q"), expected, rtol=0, atol=1e-12)  # a polynomial of degree 3
    mean = (run.array("left.q") + run.array("right.q")) / 2
    np.testing.assert_allclose(run.array("carrier.q"), mean, rtol=0, atol=1e-15)


@each("angle", [0.0, np.pi])
def test_a_start_in_line_runs_along_the_straight_branch_that_its_velocities_tell(angle):
    model = parallelogram(2.0, angle)
    found, names = embedding_of(model)
    assert found is not None
    assert [names[k] for k in found.v] == ["A"]
    np.testing.assert_array_equal(found.T[:, 0], [1, -1, 1])
    run = cardan.simulate(model, until=4.0)
    np.testing.assert_allclose(run.array("D.q")[-1], angle + 8, rtol=0, atol=1e-12)  # nothing accelerates


def test_constants_are_those_of_the_branch():
    found, _ = embedding_of(parallelogram(2.0, 0.5))
    np.testing.assert_array_equal(found.c, [0, 0, 0])
    x = found.full(np.array([[0.7, 2.0], [0.8, 2.1]]))
    np.testing.assert_array_equal(x[0], [0.7, -0.7, 0.7, 2.0, -2.0, 2.0])
    np.testing.assert_array_equal(found.reduced(x[1]), [0.8, 2.1])
    assert [found.place(k) for k in range(4)] == [0, 3, 6, 7]


def crossed():
    """The parallelogram's linkage on its other branch, on which the cranks turn against each other."""
    return parallelogram().replace(
        initial={"A": 1.0, "A.v": 1.0, "B": {"guess": -1.9}, "D": {"guess": -1.5}},
    )


def kite(expression):
    """Two wheels that an equation binds."""
    wheel = {"inertia": [0, 0, 1.0]}
    return Model(
        bodies={"a": wheel, "b": wheel},
        joints={"a": hinge("ground", "a"), "b": hinge("ground", "b")},
        constraints={"bound": {"type": "expression"} | expression},
        initial={"a.v": 1.0},
    )


@each(
    "make",
    [
        crossed,
        flat_slider_crank,
        lambda: flat_slider_crank(driven=True),
        lambda: parallelogram(0.0, 0.0),  # in line and at rest: nothing tells the branch
        lambda: cardan.load("planar_3rrr"),
        lambda: cardan.load("four_bar"),
        lambda: kite({"expression": "a - b + max(0, a - 50)"}),  # straight until a = 50
        lambda: kite({"expression": "a - 2*b - t"}),  # follows time
        lambda: kite({"velocity": "a.v - b.v"}),
        lambda: cardan.load("car_axis"),  # curved, with free bodies
    ],
)
def test_branches_that_are_not_straight(make):
    found, _ = embedding_of(make())
    assert found is None


@each("lengths", [(1.0, 2.0), (1.0, 2.0 + 1e-9)])
def test_lengths_decide(lengths):
    """Run-time parameters make the linkage a parallelogram or not; nearly is not enough."""
    model = parallelogram().replace(
        parameters={"d": 2.0},
        bodies={
            "frame": {"markers": {"D": {"position": ["d", 0, 0]}}},
            "left": bar(1),
            "coupler": bar(2),
            "right": bar(1),
        },
    )
    run = cardan.simulate(model, until=1.0, parameters={"d": lengths[1]})
    assert ("independent" in run.statistics) == (lengths[1] == 2.0)


@each("given", [{"embed": False}, {"stabilization": "baumgarte"}, {"stabilization": "none"}])
def test_whoever_asks_for_equations_gets_them(given):
    run = cardan.simulate(parallelogram(), until=0.5, **given)
    assert "independent" not in run.statistics


@each("given", [0, None, "no"])
def test_embed_is_yes_or_no(given):
    with pytest.raises(ModelError, match=r"embed=.* is not possible\n    write True or False"):
        cardan.simulate(parallelogram(), until=0.5, embed=given)


def test_a_failure_names_the_state_as_usual():
    """A force that has no value from some instant on."""
    model = parallelogram().replace(
        forces={"push": {"type": "torque", "child": "right", "value": [0, 0, "sqrt(1 - t)"]}}
    )
    run, other = (cardan.simulate(model, until=2.0, embed=embed) for embed in (True, False))
    assert run.status == other.status == "non_finite"
    assert run.message.replace("A.v", "D.v") == other.message  # decided by one of the cranks
    assert 0.9 < run.t[-1] <= 1.0
    assert len(run.state_names) == run.x.shape[1] == 6


@each("angle", [0.0, 1e-7, np.pi])
def test_accelerations_in_a_singular_position_are_those_of_the_branch(angle):
    """Cranks of unequal weight and load, which only the coupler makes turn alike."""
    model = parallelogram(2.0, angle)
    right = {**bar(1), "mass": 5}
    model = model.replace(gravity=[0, -9.81, 0], bodies={**model.bodies, "right": right}, inputs={"D": 3.0})
    run = cardan.simulate(model, times=np.linspace(0, 0.2, 5), motors="none")
    theta = run.array("A.q")
    inertia = 1 / 3 + 1 + (5 / 4 + 1 / 12)  # the crank, the coupler that shifts, the heavy crank
    expected = (3 - 9.81 * np.cos(theta) * (0.5 + 1 + 2.5)) / inertia
    for name, sign in (("A", 1), ("B", -1), ("D", 1)):
        np.testing.assert_allclose(run.array(f"{name}.a"), sign * expected, rtol=1e-13, err_msg=name)  # round-off
