"""Arms of Denavit–Hartenberg tables: frames as products of matrices, efforts by Newton and Euler from link to link."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from tests.selection import each


def matrix(convention, theta, d, a, alpha):
    """The matrix of a row as textbooks print it: Spong 2006, eq. 3.10; Craig 2005, eq. 3.6."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    if convention == "standard":
        return np.array([[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]])
    return np.array([[c, -s, 0, a], [s * ca, c * ca, -sa, -sa * d], [s * sa, c * sa, ca, ca * d], [0, 0, 0, 1]])


def random_rows(seed):
    """Six rows, two of them of sliding joints, with a mass, a centre of mass and a full inertia each."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(6):
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        J = R @ np.diag([0.3, 0.4, 0.5]) @ R.T
        rows.append(
            {"type": "prismatic" if k in (1, 4) else "revolute", "mass": rng.uniform(1, 4)}
            | dict(zip(("theta", "d", "a", "alpha"), rng.uniform(-1.5, 1.5, 4).tolist(), strict=True))
            | {"com": rng.uniform(-0.3, 0.3, 3).tolist(), "inertia": J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist()}
        )
    return rows


def frames(rows, convention, q):
    """T of every body in the base (n, 4, 4), and the axis of every joint there, a point on it and its direction."""
    T, found, axes = np.eye(4), [], []
    for row, x in zip(rows, q, strict=True):
        slides = row["type"] == "prismatic"
        A = matrix(convention, row["theta"] + (not slides) * x, row["d"] + slides * x, row["a"], row["alpha"])
        before, T = T, T @ A
        place = before if convention == "standard" else T
        axes.append((place[:3, 3], place[:3, 2]))
        found.append(T)
    return np.array(found), axes


def efforts(rows, convention, q, v, a, g):
    """Efforts of the joints [N, N m]: out along the arm for motion, back for loads (Craig 2005, §6.5)."""
    T, axes = frames(rows, convention, q)
    w, dw, origin, motion = np.zeros(3), np.zeros(3), np.zeros(3), []
    acceleration = -np.asarray(g, float)
    for row, T_i, (_, z), v_i, a_i in zip(rows, T, axes, v, a, strict=True):
        w0, r = w, T_i[:3, 3] - origin  # origin of frame i seen from that of i − 1
        if row["type"] == "revolute":
            w, dw = w + z * v_i, dw + z * a_i + np.cross(w, z * v_i)
            slip_rate = np.zeros(3)
        else:
            slip_rate = z * a_i + 2 * np.cross(w, z * v_i)
        if convention == "standard":  # r turns with body i
            acceleration = acceleration + np.cross(dw, r) + np.cross(w, np.cross(w, r)) + slip_rate
        else:  # r turns with the body before; what slides along z stays on its axis
            dw0 = motion[-1][1] if motion else np.zeros(3)
            acceleration = acceleration + np.cross(dw0, r) + np.cross(w0, np.cross(w0, r)) + slip_rate
        origin = T_i[:3, 3]
        motion.append((w, dw, acceleration))
    force, moment, tau = (
        np.zeros(3),
        np.zeros(3),
        [],
    )  # on the body in hand by its joint, moment about the world's origin
    for row, T_i, (p, z), (w, dw, acceleration) in zip(*map(reversed, (rows, list(T), axes, motion)), strict=True):
        R, c = T_i[:3, :3], T_i[:3, :3] @ row["com"]
        Ixx, Iyy, Izz, Ixy, Ixz, Iyz = row["inertia"]
        J = R @ np.array([[Ixx, Ixy, Ixz], [Ixy, Iyy, Iyz], [Ixz, Iyz, Izz]]) @ R.T
        F = row["mass"] * (acceleration + np.cross(dw, c) + np.cross(w, np.cross(w, c)))
        force = force + F
        moment = moment + np.cross(T_i[:3, 3] + c, F) + J @ dw + np.cross(w, J @ w)
        tau.append(z @ (moment - np.cross(p, force)) if row["type"] == "revolute" else z @ force)
    return np.array(tau[::-1])


@each("convention", ["standard", "modified"])
@each("seed", [1, 2])
def test_frames_and_efforts_are_those_of_the_textbook(convention, seed):
    rows, rng = random_rows(seed), np.random.default_rng(seed + 100)
    g = rng.normal(size=3).tolist()
    arm = cardan.compile(cardan.from_dh(rows, convention, gravity=g))
    q, v, a = rng.normal(size=(3, 6))
    found = arm.forward_kinematics(q)
    np.testing.assert_allclose(np.array(list(found.values())), frames(rows, convention, q)[0], atol=1e-14)
    expected = efforts(rows, convention, q, v, a, g)
    np.testing.assert_allclose(arm.inverse_dynamics(q, v, a), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_quantities_and_parameters_stay_as_they_are_written():
    rows = [
        {"a": "L", "alpha": "-90 deg", "theta": "pi/2"},
        {"type": "prismatic", "d": "+25 mm", "joint": "lift", "body": "hand"},
    ]
    arm = cardan.from_dh(rows, "standard", parameters={"L": "0.4 m"}, name="lift")
    assert "rpy: [90 deg, 0, 0]" in dump(arm)
    assert loads(dump(arm)) == arm
    expected = matrix("standard", np.pi / 2 + 0.3, 0, 0.5, -np.pi / 2) @ matrix("standard", 0, 0.025 + 0.2, 0, 0)
    T = cardan.compile(arm).forward_kinematics([0.3, 0.2], parameters={"L": 0.5})["hand"]
    np.testing.assert_allclose(T, expected, atol=1e-15)
    modified = cardan.from_dh([{"d": "25 mm", "theta": "L"}], "modified", parameters={"L": 1})
    T = cardan.compile(modified).forward_kinematics([0.3])["link1"]
    np.testing.assert_allclose(T, matrix("modified", 1.3, 0.025, 0, 0), atol=1e-15)


@each(
    "rows, options, said",
    [
        ([{}], {"convention": "classic"}, "no convention 'classic'"),
        ([{}], {"bodies": {}}, "the table gives the bodies"),
        ([{}, {"joint": "q1"}], {}, "'q1' is there twice"),
        ([[0, 0, 1, 0]], {}, "is no row with names"),
        ([{"type": "screw"}], {}, "no type 'screw'.*revolute, prismatic"),
        ([{"alhpa": 1}], {}, "no 'alhpa'.*'alpha'"),
        ([{"a": "1 kg"}], {}, "kg"),
    ],
)
def test_wrong_tables_are_refused_by_name(rows, options, said):
    with pytest.raises(ModelError, match=f"(?s){said}"):
        cardan.from_dh(rows, **options)
