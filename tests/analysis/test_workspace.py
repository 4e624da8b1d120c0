"""Workspaces: reach circles, singular curves, balance under a payload, all by hand."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import cardan
from cardan import Model, ModelError
from tests.selection import each

pytestmark = pytest.mark.filterwarnings("ignore::cardan.ModelWarning")
ALPHA = np.array([7 * np.pi / 6, -np.pi / 6, np.pi / 2])
BASES = 1.2 / np.sqrt(3) * np.stack([np.cos(ALPHA), np.sin(ALPHA)], axis=-1)
CORNER = 0.4 / np.sqrt(3)
TIP = ("link2.tip.x", "link2.tip.y")


def test_an_arm_of_two_links_reaches_a_ring():
    axis = np.linspace(-1, 1, 40)
    found = cardan.workspace(cardan.load("scara"), "link2.tip", {TIP[0]: axis, TIP[1]: axis})
    radius = np.hypot(*np.meshgrid(axis, axis, indexing="ij"))
    assert (found.reachable.values == ((radius >= 0.1) & (radius <= 0.9))).all()
    assert found.reachable.dims == TIP
    assert ((found.status == "unreachable") == ~found.reachable).all()
    elbow = found.q.sel(coordinate="joint2").values
    bent = found.reachable.values
    assert np.abs(elbow[bent]) == pytest.approx(np.arccos((radius[bent] ** 2 - 0.41) / 0.4), abs=1e-9)
    assert len(set(np.sign(elbow[bent]))) == 1  # the branch is kept
    # Yoshikawa 1985: w = l1 l2 abs(sin θ2); condition number from the Jacobian by hand
    assert found.manipulability.values[bent] == pytest.approx(0.2 * np.abs(np.sin(elbow[bent])), abs=1e-12)
    shoulder = found.q.sel(coordinate="joint1").values[bent]
    together = shoulder + elbow[bent]
    J = np.array(
        [
            [-0.5 * np.sin(shoulder) - 0.4 * np.sin(together), -0.4 * np.sin(together)],
            [0.5 * np.cos(shoulder) + 0.4 * np.cos(together), 0.4 * np.cos(together)],
        ]
    )
    assert found.condition.values[bent] == pytest.approx(np.linalg.cond(np.moveaxis(J, -1, 0)), rel=1e-9)
    assert np.isnan(found.condition.values[~bent]).all()


def legs(x, y, phi, sign):
    """Corners (3, 2) and rods (3, 2) of the planar 3-RRR platform on a branch of its cranks, by hand."""
    corners = np.array([x, y]) + CORNER * np.stack([np.cos(phi + ALPHA), np.sin(phi + ALPHA)], axis=-1)
    d = corners - BASES
    r = np.linalg.norm(d, axis=1)
    theta = np.arctan2(d[:, 1], d[:, 0]) + sign * np.arccos(r / 0.7)
    return corners, d - 0.35 * np.stack([np.cos(theta), np.sin(theta)], axis=-1), theta


def forward_determinant(x, y, phi, sign):
    """Zero where the lines of the three rods meet in a point or are parallel: rows (s, (B − C) × s)."""
    corners, rods, _ = legs(x, y, phi, sign)
    arm = corners - [x, y]
    return np.linalg.det(np.column_stack([rods, arm[:, 0] * rods[:, 1] - arm[:, 1] * rods[:, 0]]))


def test_the_planar_platform_loses_its_stiffness_where_three_rods_meet_in_a_point():
    model = cardan.load("planar_3rrr")
    start = cardan.assemble(model, {"platform.x": 0, "platform.y": 0, "platform.rz": 0}).q
    phi = np.linspace(-1.0, 0.6, 65)
    grid = {"platform.position.x": 0.0, "platform.position.y": 0.0, "platform.angle": phi}
    found = cardan.workspace(model, "platform", grid, length="0.2 m", guess=start)
    assert found.reachable.all()
    signs = np.array([np.sign(np.sin(start[f"crank{i + 1}"] - legs(0, 0, 0, 0)[2][i])) for i in range(3)])
    det = np.array([forward_determinant(0, 0, one, signs) for one in phi])
    (change,) = np.flatnonzero(np.diff(np.sign(det)))
    root = brentq(lambda one: forward_determinant(0, 0, one, signs), phi[change], phi[change + 1], xtol=1e-14)
    assert root == pytest.approx(-0.53, abs=0.01)
    assert abs(phi[int(found.type2.values.argmin())] - root) <= phi[1] - phi[0]
    there = cardan.workspace(model, "platform", {**grid, "platform.angle": [root, 0.0]}, guess=start)
    assert there.type2.values[0] < 1e-12  # round-off of the angle over the slope
    assert there.condition.values[0] > 1e9
    assert there.type2.values[1] > 0.5
    # the same curve over the plane: type2 vanishes with the determinant
    x, y = np.linspace(-0.05, 0.05, 9), np.linspace(-0.05, 0.05, 7)
    plane = cardan.workspace(
        model, "platform", {"platform.position.x": x, "platform.position.y": y, "platform.angle": root}, guess=start
    )
    expected = np.array([[abs(forward_determinant(a, b, root, signs)) for b in y] for a in x])
    ratio = plane.type2.values[expected > 1e-5] / expected[expected > 1e-5]
    assert ratio.max() / ratio.min() < 2


def test_the_boundary_of_the_planar_platform_is_of_type_1():
    model = cardan.load("planar_3rrr")
    reach = brentq(
        lambda x: np.linalg.norm([x + CORNER * np.cos(ALPHA[0]), CORNER * np.sin(ALPHA[0])] - BASES[0]) - 0.7, 0, 1
    )
    x = [0.0, reach - 1e-4, reach - 1e-6, reach + 1e-6]
    grid = {"platform.position.x": x, "platform.position.y": 0, "platform.angle": 0}
    found = cardan.workspace(model, "platform", grid, length=0.2)
    assert found.reachable.values.tolist() == [True, True, True, False]
    far, near = found.type1.values[1:3]
    assert far / near == pytest.approx(10, rel=0.1)  # as the root of the distance from the boundary
    assert found.type2.values[:3].min() > 0.05


ARM = {
    "gravity": [0, -9.81, 0],
    "planar": "xy",
    "bodies": {
        "upper": {"mass": 2, "com": [0.2, 0, 0], "markers": {"end": {"position": [0.5, 0, 0]}}},
        "lower": {"mass": 1, "com": [0.1, 0, 0], "markers": {"tip": {"position": [0.4, 0, 0]}}},
    },
    "joints": {
        "shoulder": {"type": "revolute", "parent": "ground", "child": "upper", "axis": "z"},
        "elbow": {"type": "revolute", "parent": "upper.end", "child": "lower", "axis": "z"},
    },
}


def test_drives_and_bearings_balance_the_weights_and_a_payload():
    x = np.array([0.3, 0.5, 0.7])
    grid = {"lower.tip.x": x, "lower.tip.y": "10 cm"}
    found = cardan.workspace(Model(**ARM), "lower.tip", grid, payload="5 kg", bearings=True)
    q1 = found.q.sel(coordinate="shoulder").values
    q2 = q1 + found.q.sel(coordinate="elbow").values
    elbow = 9.81 * (1 * 0.1 * np.cos(q2) + 5 * 0.4 * np.cos(q2))
    shoulder = 9.81 * (2 * 0.2 * np.cos(q1) + 6 * 0.5 * np.cos(q1)) + elbow
    assert found.effort.sel(drive="elbow").values == pytest.approx(elbow, abs=1e-9)
    assert found.effort.sel(drive="shoulder").values == pytest.approx(shoulder, abs=1e-9)
    assert found.largest_effort.values == pytest.approx(np.maximum(np.abs(elbow), np.abs(shoulder)), abs=1e-9)
    assert found.effort.attrs["units"] == "N*m"
    assert found.bearing_force.values == pytest.approx(8 * 9.81)
    assert found.bearing_moment.values == pytest.approx(found.largest_effort.values, abs=1e-9)  # about the axes
    pulled = cardan.workspace(Model(**ARM), "lower.tip", grid, payload=[0, "-49.05 N", 0])
    assert pulled.effort.values == pytest.approx(found.effort.values, abs=1e-9)
    light = cardan.workspace(Model(**ARM), "lower.tip", grid)
    assert light.effort.sel(drive="elbow").values == pytest.approx(9.81 * 0.1 * np.cos(q2), abs=1e-9)


def test_a_loop_is_held_by_its_drive():
    """Virtual work of the weight of a slider on a vertical guide: τ dφ = m g dy."""
    model = cardan.load("slider_crank")
    slide = np.linspace(0.4, 0.6, 5)
    found = cardan.workspace(model, "slider", {"slide": slide}, by=["crank"], output="position", payload=[-10, 0, 0])
    assert found.reachable.all()
    free = cardan.workspace(model, "slider", {"slide": slide}, by=["crank"], output="position", payload=[0, 0, 0])
    crank = found.q.sel(coordinate="crank").values
    step = 1e-5
    ends = [
        cardan.inverse_kinematics(
            model, {"crank": crank + s}, guess={n: found.q.sel(coordinate=n).values for n in found.coordinate.values}
        ).q["slide"]
        for s in (-step, step)
    ]
    slope = (ends[1] - ends[0]) / (2 * step)  # central difference, error step² times the third derivative
    assert (found.effort - free.effort).values[:, 0] == pytest.approx(10 * slope, rel=1e-7)


def test_an_island_without_a_path_from_the_guess_is_found():
    """With the elbow held above 100 deg the tip cannot come from one side to the other along the line y = 0.3."""
    arm = cardan.load("scara")
    axis = np.linspace(-0.6, 0.6, 25)
    grid = {"link2.tip.x": axis, "link2.tip.y": 0.05}
    found = cardan.workspace(arm, "link2.tip", grid, limits={"joint2": (0, "150 deg")})
    elbow = np.arccos(np.clip((axis**2 + 0.05**2 - 0.41) / 0.4, -1, 1))
    assert (found.reachable.values == (elbow <= np.deg2rad(150))).all()
    assert (
        found.status.values
        == np.where(elbow <= np.deg2rad(150), "found", np.where(np.hypot(axis, 0.05) >= 0.1, "limits", "unreachable"))
    ).all()


def test_rotations_and_translations_share_a_length():
    model = cardan.load("manipulator_6dof")
    grid = {"q1": 0.1, "q2": 0.3, "q3": 0.2, "q4": [0.3, np.pi / 2], "q5": 0.1, "q6": 0.0}
    found = {L: cardan.workspace(model, "link6", grid, length=L) for L in (None, "0.5 m")}
    J = cardan.compile(model).jacobian([0.1, 0.3, 0.2, 0.3, 0.1, 0], "link6")
    assert found[None].condition.values[0] == pytest.approx(np.linalg.cond(J))
    scaled = np.diag([1, 1, 1, 2, 2, 2]) @ J @ np.diag([1, 0.5, 0.5, 1, 0.5, 1])  # drives in metres, too
    assert found["0.5 m"].condition.values[0] == pytest.approx(np.linalg.cond(scaled))
    assert found["0.5 m"].effort.values == pytest.approx(found[None].effort.values)
    assert found[None].effort.sel(drive="q2").values[0] == pytest.approx(9.81 * (6 + 4 + 2.5 + 1.5 + 0.8))
    assert found[None].condition.values[1] == np.inf
    assert found[None].type1.values[1] < 1e-12


HUGE = dict.fromkeys(("link2.tip.x", "link2.tip.y"), np.linspace(-1, 1, 100_000))
PLATE = {"platform.position.x": [0, 0.1], "platform.position.y": 0, "platform.angle": 0}


@each(
    "name, of, grid, options, message",
    [
        ("scara", "tip", {}, {}, "of: there is no body or marker 'tip'"),
        ("scara", "ground", {}, {}, "there is no body or marker 'ground' that moves"),
        ("scara", "link2.tip", {}, {}, "the grid is empty"),
        ("scara", "link2.tip", [1], {}, "grid=.* is not given by name"),
        ("scara", "link2.tip", {"link2.tip.position": [0, 1]}, {}, "has 2 components, and an axis of a grid has one"),
        ("scara", "link2.tip", {"link2.tip.x": [[0, 1]]}, {}, "an axis of a grid is a list of numbers"),
        ("scara", "link2.tip", {"link2.tip.x": []}, {}, "an axis of a grid is a list of numbers"),
        ("scara", "link2.tip", {"link2.tip.x": ["1 kg"]}, {}, "grid.link2.tip.x"),
        ("scara", "link2.tip", {"link2.tip.x": [1]}, {"output": "speed"}, "output='speed' is not possible"),
        ("scara", "link2.tip", {"link2.tip.x": [1]}, {"by": ["joint3"]}, "by: 'joint3' is not a joint with an effort"),
        ("scara", "link2.tip", {"link2.tip.x": [1]}, {"by": "joint1"}, "1 drive cannot hold 2 freedoms"),
        ("scara", "link2.tip", {"link2.tip.x": [1]}, {"length": 0}, "length=0 is not a length"),
        ("scara", "link2.tip", {"link2.tip.x": [1]}, {"payload": [1, 2]}, "a payload has not 2 components"),
        ("scara", "link2.tip", {"link2.tip.x": [1]}, {"payload": "5 N"}, "payload: .*is a force"),
        ("scara", "link2.tip", {"link2.tip.x": [1]}, {"payload": object()}, "payload: .*is not a number"),
        ("scara", "link2.tip", {"link2.tip.x": [1]}, {"guess": {"joint1": [1, 2]}}, r"the guess has the shape \(2,\)"),
        ("scara", "link2.tip", HUGE, {}, "10000000000 cells with [0-9]+ values each are [0-9]+ GB"),
        ("four_bar", "coupler", {"A": [1]}, {}, "nothing says which joints drive"),
        ("planar_3rrr", "platform", PLATE, {"by": ["crank1", "crank2"]}, "2 drives cannot hold 3 freedoms"),
    ],
)
def test_wrong_questions_are_named(name, of, grid, options, message):
    with pytest.raises(ModelError, match=message):
        cardan.workspace(cardan.load(name), of, grid, **options)


def test_the_code_of_the_page_runs():
    page = Path(__file__).parents[2] / "docs" / "workspaces.md"
    code = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    names = {}
    exec(compile(code, page.name, "exec"), names)
    assert 1000 < names["found"].reachable.sum() < 2500
