"""Robots with a bad value: they are read, one line says what was done about it, and `strict=True` refuses them."""

from pathlib import Path

import numpy as np
import pytest

import cardan
from tests.formats.test_urdf import warned

ROBOTS = Path(__file__).parent / "robots"
BAD = {
    "badlimit": ("limits with lower above upper, exchanged (j)", "lower 2 above upper -2"),
    "dashes": ("comments with -- in them, which XML does not allow, passed over (line 2)", "a comment has -- in it"),
    "neginertia": (
        "negative moments of inertia, raised to 0 (a: -3e-08 kg*m^2)",
        "negative principal moment, -3e-08 kg*m^2",
    ),
    "xacrotag": ("elements of xacro, left out (<xacro:imu_plugin> in line 3)", "this is a xacro file"),
    "nomimic": (
        "mimics of joints that are not there, left out, so that these move freely (j of other)",
        "there is no joint 'other' to mimic",
    ),
    "negeffort": ("efforts below 0 in <limit>, read as not known (j)", "effort of <limit> is -1"),
}


@pytest.mark.parametrize(("name", "words"), BAD.items(), ids=BAD)
def test_a_bad_value_is_warned_of_first_and_refused_where_files_are_read_strictly(name, words):
    path = ROBOTS / f"{name}.urdf"
    model, texts = warned(cardan.load, path)
    assert next(text for text in texts if text.startswith(f"{path.name}: ")) == f"{path.name}: {words[0]}"
    assert np.linalg.eigvalsh(cardan.compile(model).mass_matrix(np.zeros(len(model.joints)))).min() >= 0
    with pytest.raises(cardan.ModelError, match=rf"{name}\.urdf:\d: ") as error:
        cardan.load(path, strict=True)
    assert words[1] in str(error.value)


def test_limits_that_were_exchanged_are_the_stops():
    limits = cardan.load(ROBOTS / "badlimit.urdf", stops=True).joints["j"].limits
    assert (limits.lower.value, limits.upper.value) == (-2, 2)


def test_moments_of_round_off_are_no_news():
    """ε m c² = 2.9e-18 kg m² is the round-off of programs that subtract m c²: 3e-35 is zero."""
    model, texts = warned(cardan.load, ROBOTS / "roundoff.urdf", strict=True)
    assert [entry.value for entry in model.bodies["a"].inertia] == [0] * 6
    assert texts == []


def test_the_nearest_tensor_without_a_negative_moment(tmp_path):
    """Of a turned tensor with the moments −2, 3, 5 it is the one with 0, 3, 5 about the same axes."""
    axes, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))
    bad, good = ((axes * moments) @ axes.T for moments in ((-2, 3, 5), (0, 3, 5)))
    names = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
    entries = " ".join(f'{name}="{float(bad[place])!r}"' for name, place in names.items())
    text = (ROBOTS / "neginertia.urdf").read_text()
    begin, end = text.index("<inertia "), text.index("/></inertial>")
    (tmp_path / "r.urdf").write_text(text[:begin] + f"<inertia {entries}" + text[end:])
    found = [entry.value for entry in cardan.load(tmp_path / "r.urdf").bodies["a"].inertia]
    expected = [good[place] for place in names.values()]
    assert found == pytest.approx(expected, abs=1e-14)  # a few operations on numbers up to 5
