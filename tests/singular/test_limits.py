"""Accelerations and reactions in and beside singular positions: the limits of what they are along the motion."""

import numpy as np
import pytest

import cardan
from cardan.errors import ModelWarning
from tests.balance import imbalance
from tests.selection import each
from tests.truths.flat_mechanisms import (
    SPEED,
    START,
    G,
    bar,
    flat_slider_crank,
    parallelogram,
    three_cranks,
    three_sliders,
)

BALANCE = 1e-12  # of the largest load: some thousand round-offs; the goal is 1e-9
BESIDE = [0.0, 1e-9, -1e-5, 1e-3, -0.01]  # from the singular position [rad]


def loaded(angle, right=1.0, **options):
    """The first instant of a parallelogram under its weight, its right crank of another mass."""
    model = parallelogram(2.0, angle)
    crank = {**bar(1), "mass": right, "inertia": [0, right / 12, right / 12]}
    model = model.replace(gravity=[0, -G, 0], bodies={**model.bodies, "right": crank})
    return model, cardan.simulate(model, times=[0.0], until=1e-9, motors="none", **options)


@pytest.mark.parametrize("embed", [True, False])
@pytest.mark.parametrize("inline", [0.0, np.pi])
@each("beside", BESIDE)
def test_equal_cranks(inline, beside, embed):
    """φ̈ = −1.2 g cos φ by energy; what the coupler's ends get follows from its shift and a crank's moments."""
    phi, w = inline + beside, 2.0
    model, run = loaded(phi, embed=embed)
    s, c = np.sin(phi), np.cos(phi)
    along, across = c * (0.6 * G * s - w**2 / 2), (G - 1.2 * G * c**2 - w**2 * s) / 2
    allowed = 1e-8  # of 20 N: what damping leaves at distances from 0.005 on, and the positions around nearer by
    np.testing.assert_allclose(run.array("B.reaction_force")[0, :2], [along, across], rtol=0, atol=allowed)
    # the coupler's other end: m (p̈ − g) less the first
    shift = -1.2 * G * c * np.array([-s, c]) - w**2 * np.array([c, s]) + [0, G]
    np.testing.assert_allclose(-run.array("C.reaction_force")[0, :2], shift - [along, across], rtol=0, atol=allowed)
    np.testing.assert_allclose(run.array("A.a"), -1.2 * G * c, rtol=0, atol=allowed)
    assert imbalance(model, run, "none") < BALANCE


@each("embed", [True, False])
@each("beside", BESIDE[:3])
def test_loads_without_a_limit_are_nan(embed, beside):
    """In the singular position they are infinite; within 1e-5 of it they are lost in round-off over the distance²."""
    _, run = loaded(beside, right=3.0, embed=embed)
    np.testing.assert_allclose(run.array("A.a"), -3 * G * np.cos(beside) / (1 / 3 + 1 + 1), rtol=1e-9)  # as above
    with pytest.warns(
        ModelWarning, match=r"reactions .* grow without bound .* singular position at t = 0 s: .* NaN"
    ) as told:
        force = run.array("B.reaction_force")
    assert np.isnan(force).all()
    assert told[0].filename == __file__  # where the user asked for it


@pytest.mark.parametrize("planar", [True, False])
@each("beside", BESIDE[::2])
def test_redundant_equations(beside, planar):
    """Of a third crank: the minimum-norm loads go on smoothly, on both branches' tangents and on straight lines."""
    names = [f"{name}.reaction_force" for name in "ABCDEF"]

    def loads(angle, embed):
        model = three_cranks(angle, 2.0, planar)
        run = cardan.simulate(model, times=[0.0], until=1e-9, embed=embed)
        assert imbalance(model, run, "none") < BALANCE
        return np.array([run.array(name)[0, :2] for name in names])

    def turned(angle):  # without weight everything turns with the cranks
        s, c = np.sin(angle), np.cos(angle)
        return loads(0.4, True) @ np.array([[c, s], [-s, c]]) @ _back(0.4)

    for embed in (True, False):
        np.testing.assert_allclose(loads(np.pi + beside, embed), turned(np.pi + beside), rtol=0, atol=1e-7)


def _back(angle):
    s, c = np.sin(angle), np.cos(angle)
    return np.array([[c, -s], [s, c]])


def test_a_driven_slider_crank():
    """Crank and rod of equal length fold where the slider meets the crank's pivot: x = 2 cos φ, φ given."""
    folded = (np.pi / 2 - START) / SPEED
    times = np.sort([folded + sign * beside / SPEED for beside in BESIDE for sign in (-1, 1)])
    model = flat_slider_crank(driven=True)
    run = cardan.simulate(model, times=times, rtol=1e-11, atol=1e-12)
    phi = START + SPEED * times
    s, c = np.sin(phi), np.cos(phi)
    accelerations = {"crank": 0 * c, "pin": 0 * c, "slide": -2 * SPEED**2 * c}
    allowed = 2e-6  # round-off of positions, 1e-14, over distances of 0.003 twice, times SPEED², and a margin
    for name, expected in accelerations.items():
        np.testing.assert_allclose(run.array(f"{name}.a"), expected, rtol=0, atol=allowed, err_msg=name)
    torque = 4 * s * c * SPEED**2 + G * c  # of Lagrange, with the inertia of `flat_slider_crank_angle`
    np.testing.assert_allclose(run.array("drive.force"), torque, rtol=0, atol=allowed)
    slide = run.array("slide.reaction_force")
    np.testing.assert_allclose(slide[:, 1], np.interp(times, times[[0, -1]], slide[[0, -1], 1]), rtol=0.01)  # no peak
    assert imbalance(model, run, "none") < BALANCE


def test_a_free_slider_crank():
    model = flat_slider_crank()
    folded = cardan.simulate(model, until=0.5, rtol=1e-12, atol=1e-13).passages[0].t
    times = np.sort([folded + sign * beside / SPEED for beside in BESIDE for sign in (-1, 1)])
    run = cardan.simulate(model, times=times, rtol=1e-12, atol=1e-13)
    phi, w = run.array("crank.q"), run.array("crank.v")
    s, c = np.sin(phi), np.cos(phi)
    turning = -(4 * s * c * w**2 + G * c) / (2 / 3 + 4 * s**2)
    allowed = 1e-6  # of accelerations of some 50, as in the driven one
    np.testing.assert_allclose(run.array("crank.a"), turning, rtol=0, atol=allowed)
    np.testing.assert_allclose(run.array("slide.a"), -2 * (w**2 * c + s * turning), rtol=0, atol=allowed)
    assert imbalance(model, run, "none") < BALANCE


@each("ratio", [3, 100])
def test_a_slider_crank_with_a_geared_rotor(ratio):
    """The rotor, far faster than what is singular, adds 0.1 kg m² to the crank."""
    free = flat_slider_crank()
    model = free.replace(
        bodies={**free.bodies, "rotor": {"mass": 1, "inertia": [0, 0, 0.1 / ratio**2]}},
        joints={**free.joints, "rotor": {"type": "revolute", "parent": "ground", "child": "rotor", "axis": "z"}},
        constraints={"gear": {"type": "coupler", "terms": {"rotor": 1, "crank": -ratio}}},
        initial={**free.initial, "rotor": {"guess": ratio * START}},
    )
    folded = cardan.simulate(model, until=0.5, rtol=1e-11, atol=1e-12).passages[0].t
    times = np.sort([folded + sign * beside / SPEED for beside in BESIDE[:-2] for sign in (-1, 1)])
    run = cardan.simulate(model, times=times, rtol=1e-11, atol=1e-12)
    phi, w = run.array("crank.q"), run.array("crank.v")
    s, c = np.sin(phi), np.cos(phi)
    turning = -(4 * s * c * w**2 + G * c) / (2 / 3 + 0.1 + 4 * s**2)
    np.testing.assert_allclose(run.array("crank.a"), turning, rtol=0, atol=1e-5)  # of terms of 50, as the free one's
    np.testing.assert_allclose(run.array("slide.a"), -2 * (w**2 * c + s * turning), rtol=0, atol=1e-5)
    assert imbalance(model, run, "none") < BALANCE


@each("size", [1e-3, 1.0, 100.0])
def test_sliders_of_any_size(size):
    """2 T = m ẋ², m = 1.2 + x²/y²; Π = g y, y² = size² − x²."""
    speed = size**0.5
    model = three_sliders(size, speed)
    tight = {"rtol": 1e-11, "atol": 1e-12 * size}
    met = cardan.simulate(model, until=0.6 * size / speed, **tight).passages[0].t
    times = np.sort([met + sign * beside * size / speed for beside in BESIDE[:-2] for sign in (-1, 1)])
    run = cardan.simulate(model, times=times, **tight)
    x, y, w = run.array("x.q"), run.array("y.q"), run.array("x.v")
    a = (G * x / y - (x / y**2 + x**3 / y**4) * w**2) / (1.2 + x**2 / y**2)
    allowed = 1e-6 * (G + speed**2 / size)  # of the terms: positions around, velocities beside the singular one
    np.testing.assert_allclose(run.array("x.a"), a, rtol=0, atol=allowed)
    np.testing.assert_allclose(run.array("r.a"), -a, rtol=0, atol=allowed)
    np.testing.assert_allclose(run.array("y.a"), -(w**2 + x * a) / y - (x * w) ** 2 / y**3, rtol=0, atol=allowed)
    assert imbalance(model, run, "none") < BALANCE


def test_a_force_that_jumps_beside_a_singular_position():
    """Accelerations are prescribed, the drive's torque is Lagrange's, 2 sin φ times a push of the slider included."""
    folded = (np.pi / 2 - START) / SPEED
    model = flat_slider_crank(driven=True).replace(
        forces={"push": {"type": "force", "child": "slider", "value": [f"20*step(t - {folded - 1e-3!r})", 0, 0]}}
    )
    times = folded + 1e-3 * np.array([-3, -1.5, -0.5, -0.1, -0.01, 0.01, 0.1, 0.5, 1.5, 3])
    run = cardan.simulate(model, times=times, rtol=1e-11, atol=1e-12)
    phi = START + SPEED * times
    s, c = np.sin(phi), np.cos(phi)
    torque = 4 * s * c * SPEED**2 + G * c + 40 * s * (times > folded - 1e-3)
    np.testing.assert_allclose(
        run.array("drive.force"), torque, rtol=0, atol=1e-4
    )  # 1e-12 of positions over 1e-5, 2e3 N
    assert imbalance(model, run, "none") < BALANCE


@each("options", [{}, {"stabilization": "baumgarte"}, {"stabilization": "none"}])
def test_beside_them_nothing_changes(options):
    """Without projection equations are solved as they are; away from singular positions all ways agree."""
    model = flat_slider_crank()
    run = cardan.simulate(model, times=[0.0, 0.1], rtol=1e-11, atol=1e-12, **options)
    phi, w = run.array("crank.q"), run.array("crank.v")
    s, c = np.sin(phi), np.cos(phi)
    np.testing.assert_allclose(run.array("crank.a"), -(4 * s * c * w**2 + G * c) / (2 / 3 + 4 * s**2), rtol=1e-8)


@each("beside", [1e-5, 1e-4, 1e-3, 1e-2])
def test_at_rest_beside_a_singular_position(beside):
    """Weight along the slide: (2/3 + 4 sin²φ) φ̈ = 3 g sin φ."""
    phi = np.pi / 2 - beside
    guesses = {"pin": {"guess": -2 * phi}, "slide": {"guess": 2 * np.cos(phi)}}
    model = flat_slider_crank().replace(gravity=[-G, 0, 0], initial={"crank": phi} | guesses)
    run = cardan.simulate(model, times=[0.0], until=1e-9)
    turning = 3 * G * np.sin(phi) / (2 / 3 + 4 * np.sin(phi) ** 2)
    np.testing.assert_allclose(
        run.array("crank.a"), turning, rtol=1e-7
    )  # round-off over the distances of 1e-6, and more
    np.testing.assert_allclose(run.array("slide.a"), -2 * np.sin(phi) * turning, rtol=1e-7)
    assert imbalance(model, run, "none") < BALANCE


def test_a_drive_that_turns_back_beside_a_singular_position():
    """At rest there what time prescribes is solved without damping."""
    closest = np.pi / 2 - 1e-4
    drive = {"type": "expression", "expression": f"crank - {closest!r} + 0.1*(t - 1)**2"}
    start = closest - 0.1
    guesses = {"crank": start, "pin": -2 * start, "slide": 2 * np.cos(start)}
    model = flat_slider_crank().replace(
        constraints={"drive": drive}, initial={name: {"guess": x} for name, x in guesses.items()} | {"crank.v": 0.2}
    )
    run = cardan.simulate(model, times=[0.0, 0.5, 1.0, 1.5], rtol=1e-11, atol=1e-12)
    phi, w = closest - 0.1 * (run.t - 1) ** 2, -0.2 * (run.t - 1)
    expected = -2 * (w**2 * np.cos(phi) - 0.2 * np.sin(phi))
    np.testing.assert_allclose(run.array("slide.a"), expected, rtol=0, atol=1e-4)  # 1e-14 of Φ over 1e-10


@each("start", [-0.6, np.pi - 0.6])
def test_an_antiparallelogram(start):
    """Its cranks turn against each other, tan ψ/2 = −3 tan φ/2; at ψ'(φ) = −3 and −1/3 it is in line.

    ψ' = −3 / (1 + 8 sin² φ/2), and ψ'' follows; accelerations of both cranks belong together.
    """
    other = 2 * np.arctan2(-3 * np.sin(start / 2), np.cos(start / 2))
    coupler = np.arctan2(np.sin(other) - np.sin(start), 2 + np.cos(other) - np.cos(start))
    guesses = {"B": {"guess": coupler - start}, "D": {"guess": other}}
    model = parallelogram().replace(gravity=[0, -G, 0], initial={"A": start, "A.v": 5.0} | guesses)
    line = cardan.simulate(model, until=0.4).passages[0].t
    times = np.sort([line + sign * beside / 5 for beside in BESIDE for sign in (-1, 1)])
    run = cardan.simulate(model, times=times)
    phi, w, a = (run.array(f"A.{what}") for what in "qva")
    bottom = 1 + 8 * np.sin(phi / 2) ** 2
    expected = -3 * a / bottom + 12 * np.sin(phi) * w**2 / bottom**2
    allowed = 1e-5 * 38  # of ω²: velocities between steps are so exact in the position itself
    np.testing.assert_allclose(run.array("D.a"), expected, rtol=0, atol=allowed)
    apart = np.abs(times - line) > 1e-5
    assert np.isfinite(run.array("B.reaction_force")[apart, 0]).all()  # they grow without bound; nearer they are NaN


def test_instants_beside_a_singular_position_do_not_end_a_run():
    """Between steps states are nearer to it than the extension of a step is exact."""
    times = np.linspace(0, 2, 20_001)
    run = cardan.simulate(three_cranks(1.0, 2.0), times=times, method="dop853", embed=False)
    assert run.status == "completed", run.message
    np.testing.assert_allclose(run.array("A.q"), 1 + 2 * times, rtol=0, atol=1e-6)  # rtol 1e-8 over a few turns
    np.testing.assert_allclose(run.array("E.v"), 2.0, rtol=0, atol=1e-4)
    assert run.report.constraint_violation < 1e-8


@pytest.mark.filterwarnings("ignore::cardan.errors.ModelWarning")
def test_drives_of_a_program_that_pass_a_singular_position():
    """The tip of an arm keeps its height by both drives, also where neither drive moves the tip up or down."""
    a, b = 0.5, 0.4
    model = cardan.Model(
        planar="xy",
        gravity=[0, -G, 0],
        bodies={
            "upper": {**bar(a), "com": [a / 2, 0, 0], "markers": {"elbow": {"position": [a, 0, 0]}}},
            "fore": {**bar(b), "com": [b / 2, 0, 0], "markers": {"tip": {"position": [b, 0, 0]}}},
        },
        joints={
            "s": {"type": "revolute", "parent": "ground", "child": "upper", "axis": "z"},
            "e": {"type": "revolute", "parent": "upper.elbow", "child": "fore", "axis": "z"},
        },
        constraints={
            "line": {
                "type": "program",
                "expression": "fore.tip.y + 0.1",
                "by": ["s", "e"],
                "realize": "minimum_norm",
                "given": {"value": ["-30*sign(fore.tip.vx)", 0, 0], "child": "fore.tip"},
            }
        },
        initial={"s": "30 deg", "e": {"guess": "-80 deg"}},
    )
    run = cardan.simulate(model, until=1.0)
    assert run.passages, "the arm passes no singular position"
    s, e, ds, de, dds, dde = (np.asarray(run[f"{joint}.{what}"]) for what in "qva" for joint in "se")
    lift = a * (np.cos(s) * dds - np.sin(s) * ds**2)
    lift += b * (np.cos(s + e) * (dds + dde) - np.sin(s + e) * (ds + de) ** 2)
    size = a * np.abs(dds) + b * np.abs(dds + dde) + a * ds**2 + b * (ds + de) ** 2
    near = np.abs(lift) / size
    # away from the position: round-off of the solution; in it accelerations are interpolated from beside it
    assert np.median(near) < 1e-12
    assert np.max(near) < 1e-6
