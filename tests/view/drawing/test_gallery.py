"""Drawings of the whole gallery: words cover nothing, everything is inside, the SVG is valid, and quick to make."""

import re
import warnings
from functools import lru_cache
from xml.etree import ElementTree

import pytest
from tests.mechanisms import WITH_BODIES
from tests.overlaps import overlaps_of_sheet
from tests.selection import of_gallery

import cardan
from cardan.errors import ModelWarning
from cardan.model.flexible import outside_rods

SVG = "{http://www.w3.org/2000/svg}"
every_mechanism = pytest.mark.parametrize("name", of_gallery(WITH_BODIES))


@lru_cache
def model_of(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return cardan.load(name)


@every_mechanism
def test_words_cover_nothing_and_everything_is_inside(name):
    for shown in ("coordinates", "dimensions", "frames", "tree"):
        check(cardan.draw(model_of(name), **{shown: True}))


def check(drawing):
    """Nothing overlaps, and strokes and words lie inside the picture."""
    assert not list(overlaps_of_sheet(drawing.sheet))
    root = ElementTree.fromstring(drawing.svg)
    x, y, width, height = map(float, root.get("viewBox").split())
    for path in root.iter(f"{SVG}path"):
        numbers = [float(one) for one in re.findall(r"-?[\d.]+", path.get("d"))]
        assert all(x < one < x + width for one in numbers[::2])
        assert all(y < one < y + height for one in numbers[1::2])
    for text in root.iter(f"{SVG}text"):
        assert x < float(text.get("x")) < x + width
        assert y < float(text.get("y")) < y + height
    for words in drawing.sheet.words:
        a = words.area
        assert x <= a.x
        assert a.x + a.width <= x + width


@every_mechanism
def test_all_joints_bodies_and_motors_are_named(name):
    model = model_of(name)
    words = cardan.draw(model).sheet.words
    named = {part for one in words for part in one.text.split(", ")}
    planar = bool(model.planar)
    shown = outside_rods(model.joints, model.bodies)
    seen = {joint for joint, record in shown.items() if 0 < record.nv < (3 if planar else 6)}
    assert seen <= named
    assert set(model.motors) <= named
    assert sum(one.text == "M" for one in words) == len(model.motors)
    assert {one.owner for one in cardan.draw(model, labels="none").sheet.words} <= {
        "axis x", "axis y", "axis z", "gravity", *(f"motor {motor}" for motor in model.motors)
    }  # fmt: skip
