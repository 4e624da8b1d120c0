"""Inverse kinematics against closed forms, round trips, and positions that no mechanism reaches."""

import re
from pathlib import Path

import numpy as np
import pytest

import cardan
from cardan import Model, ModelError
from tests.selection import each

ROUND_OFF = 1e-10  # of lengths about 1 m after a solve whose equations hold to 1e-12
GAINED = 1e-6  # of a distance: the search ends where a step gains 1e-9 of it, and comes nearer by a factor a step
rng = np.random.default_rng(5)

THREE_LINKS = {
    "planar": "xy",
    "bodies": {f"link{k}": {"mass": 1, "markers": {"end": {"position": [0.5, 0, 0]}}} for k in (1, 2, 3)},
    "joints": {
        f"q{k}": {
            "type": "revolute",
            "parent": f"link{k - 1}.end" if k > 1 else "ground",
            "child": f"link{k}",
            "axis": "z",
        }
        for k in (1, 2, 3)
    },
    "initial": {"q1": 0.3, "q2": 0.4, "q3": 0.5},
}


def whole_turns(a, b):
    """Largest difference of angles up to whole turns."""
    d = np.asarray(a) - b
    return np.max(np.abs(d - 2 * np.pi * np.round(d / (2 * np.pi))))


def two_links(x, y, bent):
    """The two branches of an arm with links of 0.5 and 0.4 m by the law of cosines (Craig 2005, eqs. 4.14-4.17)."""
    elbow = bent * np.arccos((x**2 + y**2 - 0.5**2 - 0.4**2) / (2 * 0.5 * 0.4))
    return np.arctan2(y, x) - np.arctan2(0.4 * np.sin(elbow), 0.5 + 0.4 * np.cos(elbow)), elbow


def test_the_scara_arm_has_the_two_branches_of_the_law_of_cosines():
    radius, angle = rng.uniform(0.15, 0.85, 40), rng.uniform(-np.pi, np.pi, 40)
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    tips = np.stack([x, y], axis=-1).reshape(8, 5, 2)
    found = cardan.inverse_kinematics(cardan.load("scara"), {"link2.tip.position": tips}, branches="all")
    assert found.ok
    assert found.q["joint1"].shape == found.status.shape == found.gap.shape == (8, 5)
    assert (found.number == 2).all()
    for shoulder, elbow in zip(
        *(np.moveaxis(found.branches[f"joint{k}"].reshape(40, 2), -1, 0) for k in (1, 2)), strict=True
    ):
        expected = two_links(x, y, np.sign(elbow))
        assert whole_turns(shoulder, expected[0]) < ROUND_OFF
        assert whole_turns(elbow, expected[1]) < ROUND_OFF
    assert (np.sign(found.branches["joint2"][..., 0]) == -np.sign(found.branches["joint2"][..., 1])).all()


def six_joints(p, R):
    """Both branches (2, 6) of the arm with three turns and three slides: R = Rz(q1) Ry(q4) Rx(q6), by hand."""
    d3, d4, d6, out = 0.2, 0.3, 0.15, []
    pitch = np.arcsin(-R[2, 0])
    for q4 in (pitch, np.pi - pitch):
        c = np.cos(q4)
        q1, q6 = np.arctan2(R[1, 0] / c, R[0, 0] / c), np.arctan2(R[2, 1] / c, R[2, 2] / c)
        x, y = np.cos(q1) * p[0] + np.sin(q1) * p[1], np.cos(q1) * p[1] - np.sin(q1) * p[0]
        out.append((q1, p[2] - d3 + x / c * np.sin(q4), y - d4, q4, x / c - d6, q6))
    return out


def test_the_arm_with_six_joints_has_the_two_branches_of_its_closed_form():
    model, count = cardan.load("manipulator_6dof"), 12
    q = rng.uniform(-1, 1, (count, 6)) * [3, 0.3, 0.3, 1.3, 0.3, 3]
    pose = cardan.compile(model).forward_kinematics(q)["link6"]
    targets = {"link6.position": pose[:, :3, 3], "link6.orientation": pose[:, :3, :3]}
    found = cardan.inverse_kinematics(model, targets, branches="all")
    assert found.ok
    assert (found.number == 2).all()
    for k in range(count):
        have = np.array([found.branches[f"q{i}"][k] for i in range(1, 7)]).T
        for wanted in six_joints(pose[k, :3, 3], pose[k, :3, :3]):
            assert min(whole_turns(have[b], wanted) for b in (0, 1)) < 1e-9  # the arcsine loses a digit near ±1


def test_states_of_the_arm_with_six_joints_come_back_as_the_same_poses():
    model = cardan.load("manipulator_6dof")
    dyn, q = cardan.compile(model), rng.uniform(-1, 1, (2000, 6)) * [3, 0.3, 0.3, 3, 0.3, 3]
    pose = dyn.forward_kinematics(q)["link6"]
    targets = {"link6.position": pose[:, :3, 3], "link6.orientation": pose[:, :3, :3]}
    found = cardan.inverse_kinematics(model, targets, threads=2)
    assert found.ok
    again = dyn.forward_kinematics(np.stack([found.q[f"q{k}"] for k in range(1, 7)], axis=-1))["link6"]
    assert again == pytest.approx(pose, abs=ROUND_OFF)
    assert found.gap.max() < ROUND_OFF


ALPHA = np.array([7 * np.pi / 6, -np.pi / 6, np.pi / 2])
BASES = 1.2 / np.sqrt(3) * np.stack([np.cos(ALPHA), np.sin(ALPHA)], axis=-1)


def cranks(x, y, phi):
    """Both angles (…, 3, 2) of the cranks of the planar 3-RRR platform: ψ_i ± acos(…); NaN beyond their reach."""
    x, y, phi = (np.asarray(part, float)[..., None] for part in (x, y, phi))
    corner = 0.4 / np.sqrt(3)
    d = np.stack([x + corner * np.cos(phi + ALPHA), y + corner * np.sin(phi + ALPHA)], axis=-1) - BASES
    r = np.linalg.norm(d, axis=-1)
    with np.errstate(invalid="ignore"):
        half = np.arccos((0.35**2 + r**2 - 0.35**2) / (2 * 0.35 * r))
    psi = np.arctan2(d[..., 1], d[..., 0])
    return np.stack([psi + half, psi - half], axis=-1)


def platform(x, y, phi, **options):
    """Inverse kinematics of the planar 3-RRR platform."""
    targets = {"platform.position": np.stack([x, y], axis=-1), "platform.angle": phi}
    return cardan.inverse_kinematics(cardan.load("planar_3rrr"), targets, **options)


@pytest.mark.filterwarnings("ignore::cardan.ModelWarning")
def test_the_planar_platform_has_eight_branches_of_cranks():
    found, expected = platform(0.02, -0.01, 0.1, branches="all"), cranks(0.02, -0.01, 0.1)
    assert found.number == 8
    have = {
        tuple(int(whole_turns(found.branches[f"crank{i + 1}"][b], expected[i, 1]) < ROUND_OFF) for i in range(3))
        for b in range(8)
    }
    assert len(have) == 8
    for i in range(3):
        away = [min(whole_turns(angle, expected[i, k]) for k in (0, 1)) for angle in found.branches[f"crank{i + 1}"]]
        assert max(away) < ROUND_OFF


@pytest.mark.filterwarnings("ignore::cardan.ModelWarning")
def test_a_platform_that_is_out_of_reach_stays_closed_at_the_nearest_position():
    from scipy.optimize import minimize

    found = platform(0.6, 0.1, 0.0)
    assert found.status == "unreachable"
    q = np.array(
        [found.q[name].item() for name in ("crank1", "crank2", "crank3", "platform.x", "platform.y", "platform.rz")]
    )
    assert cardan.compile(cardan.load("planar_3rrr")).constraint(q) == pytest.approx(np.zeros(3), abs=1e-12)
    left = np.hypot(found.gaps["platform.position"], found.gaps["platform.angle"])

    def reach(x):
        """0.7 m less the distance of every corner from its base: the legs are stretched where it is zero."""
        corners = x[:2] + 0.4 / np.sqrt(3) * np.stack([np.cos(x[2] + ALPHA), np.sin(x[2] + ALPHA)], axis=-1)
        return 0.7 - np.linalg.norm(corners - BASES, axis=1)

    best = minimize(
        lambda x: np.sum((x - [0.6, 0.1, 0]) ** 2), [0.2, 0, 0.1], constraints={"type": "ineq", "fun": reach}, tol=1e-14
    )
    assert left == pytest.approx(np.sqrt(best.fun), rel=1e-5)


def test_an_arm_that_does_not_reach_a_point_stretches_towards_it():
    far = cardan.inverse_kinematics(cardan.load("scara"), {"link2.tip.position": [1.2, 0.5]})
    assert far.status == "unreachable"
    assert not far.ok
    assert far.gap == pytest.approx(1.3 - 0.9, rel=GAINED)  # distances from the shoulder
    assert far.q["joint1"] == pytest.approx(np.arctan2(0.5, 1.2), abs=1e-4)
    near = cardan.inverse_kinematics(cardan.load("scara"), {"link2.tip.position": ["30 mm", "40 mm"]})
    assert near.gap == pytest.approx(0.1 - 0.05, rel=GAINED)
    assert "2 unreachable" in repr(cardan.inverse_kinematics(cardan.load("scara"), {"link2.tip.x": [2.0, 3.0]}))


def test_a_stretched_arm_is_singular():
    found = cardan.inverse_kinematics(cardan.load("scara"), {"link2.tip.position": [[0.9, 0.0], [0.8, 0.0]]})
    assert found.status.tolist() == ["singular", "found"]
    assert found.gap.max() < 1e-11
    angle = np.linspace(-3, 3, 20)
    round_off = 0.9 * np.stack([np.cos(angle), np.sin(angle)], axis=-1) * (1 - 1e-15)
    found = cardan.inverse_kinematics(cardan.load("scara"), {"link2.tip.position": round_off})
    assert (found.status == "singular").all()


def test_the_search_for_branches_ends_where_there_are_infinitely_many():
    """An arm with equal links that is folded on its shoulder can turn about it."""
    links = {"l1": "0.5 m", "l2": "0.5 m"}
    found = cardan.inverse_kinematics(
        cardan.load("scara"), {"link2.tip.position": [0, 0]}, parameters=links, branches="all", guess={"joint2": 3.0}
    )
    assert found.status == "singular"
    assert found.number == 200
    few = cardan.inverse_kinematics(
        cardan.load("scara"), {"link2.tip.position": [0, 0]}, parameters=links, branches=3, guess={"joint2": 3.0}
    )
    assert few.branches["joint1"].shape == (3,)
    assert whole_turns(few.branches["joint2"], np.pi) < 1e-5  # at a double root


def test_limits_lead_to_the_other_branch_and_refuse_what_none_meets():
    tip = {"link2.tip.position": [0.5, 0.4]}
    arm = cardan.load("scara")
    for sign, limits in ((1, (0, "170 deg")), (-1, ("-170 deg", 0))):
        found = cardan.inverse_kinematics(arm, tip, limits={"joint2": limits})
        assert found.ok
        assert found.q["joint2"] == pytest.approx(sign * np.pi / 2)
    refused = cardan.inverse_kinematics(arm, tip, limits={"joint2": (0.1, 0.2)}, branches="all")
    assert refused.status == "limits"
    assert refused.gap < ROUND_OFF
    assert refused.number == 0
    turned = cardan.inverse_kinematics(arm, tip, limits={"joint2": (7, 9)})
    assert turned.q["joint2"] == pytest.approx(np.pi / 2 + 2 * np.pi)  # a whole turn changes nothing


def tip_of(q):
    """Tip of the arm with three links of 0.5 m."""
    angles = np.cumsum(q)
    return 0.5 * np.array([np.cos(angles).sum(), np.sin(angles).sum()])


def least_change(point, guess):
    """Angles of the arm with its tip at a point that are nearest to a guess, by SLSQP."""
    from scipy.optimize import minimize

    tip = {"type": "eq", "fun": lambda q: tip_of(q) - point}
    return minimize(lambda q: np.sum((q - guess) ** 2), guess, constraints=tip, tol=1e-15).x


def test_open_freedoms_are_named_and_the_position_stays_near_the_guess():
    model = Model(**THREE_LINKS)
    tip = cardan.compile(model).forward_kinematics([0.3, 0.4, 0.5])["link3"]
    point = tip[:2, 3] + 0.5 * tip[:2, 0] + [0.1, -0.2]
    found = cardan.inverse_kinematics(model, {"link3.end.position": point})
    assert found.ok
    assert found.freedoms == 1
    assert "leave 1 freedom open" in repr(found)
    q = np.array([found.q[f"q{k}"].item() for k in (1, 2, 3)])
    assert q == pytest.approx(least_change(point, [0.3, 0.4, 0.5]), abs=1e-7)
    far = cardan.inverse_kinematics(model, {"link3.end.position": [[-0.9, 0.2], [0.2, -0.3]]})
    for k, point in enumerate([[-0.9, 0.2], [0.2, -0.3]]):
        q = np.array([far.q[name][k] for name in ("q1", "q2", "q3")])
        assert tip_of(q) == pytest.approx(point, abs=ROUND_OFF)
        J = np.array([(tip_of(q + h) - tip_of(q - h)) / 2e-6 for h in 1e-6 * np.eye(3)]).T
        across = np.linalg.svd(J)[2][2]  # the motion of the arm that leaves the tip where it is
        assert across @ (q - [0.3, 0.4, 0.5]) == pytest.approx(0, abs=1e-6)  # 1e-9 of J by differences, and settled
    exact = cardan.inverse_kinematics(model, {"link3.end.position": point, "link3.angle": 1.1})
    assert exact.freedoms == 0
    with pytest.raises(ModelError, match="the targets leave 1 freedom open"):
        cardan.inverse_kinematics(model, {"link3.end.position": point}, branches=2)


def test_guesses_choose_the_branch_of_each_target():
    found = cardan.inverse_kinematics(
        cardan.load("scara"), {"link2.tip.position": [0.5, 0.4]}, guess={"joint2": ["100 deg", "-100 deg"]}
    )
    assert found.q["joint2"] == pytest.approx([np.pi / 2, -np.pi / 2])


@each("name", ["four_bar", "four_bar_spatial", "slider_crank", "andrews_squeezer", "bricard"])
def test_a_loop_takes_the_values_of_its_own_positions(name):
    """Coordinates of positions that the mechanism has, as targets of a moving body's origin and axes."""
    model = cardan.load(name)
    at = cardan.assemble(model)
    first, body = next(iter(at.q)), list(model.bodies)[-1]
    guess = {key: value + 0.05 for key, value in at.q.items()}
    one = cardan.inverse_kinematics(model, {first: at.q[first]}, guess=guess)
    assert one.status in ("found", "singular")
    both = cardan.inverse_kinematics(model, {f"{body}.position": _seen(model, at.positions[body])}, guess=guess)
    assert both.gap < ROUND_OFF
    residual = cardan.compile(model).constraint([both.q[key].item() for key in at.q])
    assert residual == pytest.approx(np.zeros_like(residual), abs=1e-11)


def _seen(model, p):
    """Components of a point that lie in the plane of a planar model."""
    return p[["xyz".index(axis) for axis in model.planar]] if model.planar else p


def test_a_spherical_joint_takes_an_orientation_in_all_its_forms():
    model = Model(
        bodies={"top": {"mass": 1, "inertia": [1, 1, 1]}},
        joints={"ball": {"type": "spherical", "parent": "ground", "child": "top"}},
    )
    rpy = np.array([[0.3, -0.4, 2.9], [-3.0, 0.2, 0.1]])
    found = cardan.inverse_kinematics(model, {"top.orientation": rpy})
    assert found.ok
    q = np.stack([found.q[f"ball.q{axis}"] for axis in "wxyz"], axis=-1)
    R = cardan.compile(model).forward_kinematics(q)["top"][:, :3, :3]
    for given in (q, {"quaternion": 2 * q}, R, {"rotation": R}, {"rpy": rpy}, np.rad2deg(rpy).astype(str)):
        given = np.char.add(given, " deg") if isinstance(given, np.ndarray) and given.dtype.kind == "U" else given
        again = cardan.inverse_kinematics(model, {"top.orientation": given})
        for axis in "wxyz":
            assert again.q[f"ball.q{axis}"] == pytest.approx(found.q[f"ball.q{axis}"], abs=ROUND_OFF)


def test_a_screw_is_not_turned_by_whole_turns():
    model = Model(
        bodies={"nut": {"mass": 1}},
        joints={"screw": {"type": "screw", "parent": "ground", "child": "nut", "axis": "z", "lead": "10 mm"}},
    )
    found = cardan.inverse_kinematics(model, {"nut.position.z": ["35 mm", 0]})
    assert found.q["screw"] == pytest.approx([3.5 * 2 * np.pi, 0], abs=1e-9)


TIP = "link2.tip.position"


@each(
    "targets, options, message",
    [
        ({}, {}, "there are no targets"),
        ([1, 2], {}, "targets=.* is not given by name"),
        (
            {"link2.tpi.position": [1, 2]},
            {},
            "targets.link2.tpi.position: there is no coordinate or place.*\n.*did you",
        ),
        ({"ground.position": [1, 2]}, {}, "there is no coordinate or place"),
        ({"link2.orientation": [0, 0, 1]}, {}, "a body of a planar model has an angle\n.*link2.angle"),
        ({TIP: [1, 2, 3]}, {}, r"has 2 components, but the shape of its values is \(3,\)\n.*\[x, y\]"),
        ({TIP: ["1 m", "2 kg"]}, {}, "targets.link2.tip.position: .*2 kg.*is a mass"),
        ({TIP: [[1, 2], [3]]}, {}, "the rows have different lengths"),
        ({TIP: [1, np.nan]}, {}, "a value is not finite"),
        ({TIP: [1, None]}, {}, "None is not a number"),
        ({TIP: np.zeros((3, 2)), "link2.angle": np.zeros(4)}, {}, "the leading axes do not fit together"),
        ({TIP: [0.5, 0.4]}, {"guess": {"joint3": 1}}, "guess.joint3: there is no coordinate 'joint3'"),
        ({TIP: [0.5, 0.4]}, {"guess": {"joint2": "1 m"}}, "guess.joint2"),
        (
            {TIP: [0.5, 0.4]},
            {"limits": {"joint3": (0, 1)}},
            "limits.joint3: there is no coordinate 'joint3' with limits",
        ),
        ({TIP: [0.5, 0.4]}, {"limits": {"joint2": (1, 0)}}, "limits are a smaller and a larger value"),
        ({TIP: [0.5, 0.4]}, {"branches": 0}, "branches=0 is not possible"),
        ({TIP: [0.5, 0.4]}, {"branches": "many"}, "branches='many' is not possible"),
        ({TIP: [0.5, 0.4]}, {"seed": -1}, "seed=-1 is not possible"),
    ],
)
def test_wrong_targets_are_named(targets, options, message):
    with pytest.raises(ModelError, match=message):
        cardan.inverse_kinematics(cardan.load("scara"), targets, **options)


@each(
    "given, message",
    [
        ([1, 2], r"an orientation has not the shape \(2,\)"),
        ([0, 0, 0, 0], "the quaternion has length 0"),
        ({"rotation": 2 * np.eye(3)}, "a matrix is no rotation"),
        ({"euler": [0, 0, 1]}, "one of three ways"),
    ],
)
def test_wrong_orientations_are_named(given, message):
    with pytest.raises(ModelError, match=message):
        cardan.inverse_kinematics(cardan.load("manipulator_6dof"), {"link6.orientation": given})
    with pytest.raises(ModelError, match="an angle belongs to planar models"):
        cardan.inverse_kinematics(cardan.load("manipulator_6dof"), {"link6.angle": 1})


def test_a_guess_that_is_no_quaternion_is_refused():
    model = Model(
        bodies={"top": {"mass": 1}}, joints={"ball": {"type": "spherical", "parent": "ground", "child": "top"}}
    )
    with pytest.raises(ModelError, match="the quaternion has length 0"):
        cardan.inverse_kinematics(model, {"top.orientation": [0, 0, 1]}, guess={"ball.qw": 0})


def test_the_code_of_the_page_does_what_it_says():
    page = Path(__file__).parents[2] / "docs" / "inverse_kinematics.md"
    code = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
    names = {}
    exec(compile(code, page.name, "exec"), names)
    assert names["found"].ok
    assert names["found"].gap.max() < ROUND_OFF


def test_the_spatial_platform_takes_the_angles_of_its_chains():
    """Each chain in its own plane: a triangle of body 1 and of bodies 2 and 3, which lie in one line there."""
    x = np.array([0, 0, 0.8]) + rng.uniform(-0.08, 0.08, (50, 3))
    found = cardan.inverse_kinematics(cardan.load("parallel_3rrrt"), {"platform.position": x})
    assert found.ok
    assert found.freedoms == 0
    assert found.gap.max() < ROUND_OFF
    for name, gamma in (("A", 0.0), ("B", 2 * np.pi / 3), ("C", 4 * np.pi / 3)):
        e_r = np.array([np.cos(gamma), np.sin(gamma), 0])
        d = x + (0.1 - 0.4) * e_r
        u, w, across = d @ e_r, d[:, 2], d @ np.cross(e_r, [0, 0, 1])
        far, reach = 0.1 + np.sqrt(0.8**2 - across**2), np.hypot(u, w)
        outward = np.arctan2(w, u) - np.arccos((0.4**2 + reach**2 - far**2) / (2 * 0.4 * reach))
        assert whole_turns(found.q[f"{name}1"], outward) < ROUND_OFF
        together = np.arctan2(w - 0.4 * np.sin(outward), u - 0.4 * np.cos(outward))
        assert whole_turns(found.q[f"{name}1"] + found.q[f"{name}2"], together) < ROUND_OFF
