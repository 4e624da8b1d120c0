"""Doubts that an author can accept are printed once, by the commands that judge a model, and not before errors."""

import re

import pytest

from cardan.formats.gallery import gallery_path

DOUBT = "the motor creates power"


@pytest.fixture
def crane(tmp_path):
    """The crane of the gallery without the word by which its author accepts the constants of the motor."""
    text = gallery_path("overhead_crane").read_text(encoding="utf-8")
    (tmp_path / "crane.yaml").write_text(re.sub("(?m)^accept:.*$", "", text), encoding="utf-8")
    return str(tmp_path / "crane.yaml")


@pytest.mark.filterwarnings("always::cardan.errors.ModelWarning")
@pytest.mark.parametrize(
    ("command", "count"),
    [
        (["show"], 1),
        (["simulate", "--until", "0.1"], 1),
        (["mobility"], 0),
        (["simulate", "--until", "0.1", "--input", "nobody=3"], 0),
    ],
)
def test_a_doubt_is_printed_where_it_matters(cardan_cli, crane, command, count):
    result = cardan_cli(command[0], crane, *command[1:])
    assert result.stderr.count(DOUBT) == count
