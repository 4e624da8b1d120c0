"""Drawings of mechanisms: every body and joint is there, and nothing lies outside."""

import re
from xml.etree import ElementTree

import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats import gallery
from cardan.view import schematic

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", [*gallery()])
def test_a_drawing_names_all_joints_and_stays_inside(name):
    model = cardan.load(name)
    root = ElementTree.fromstring(schematic(model))
    words = ", ".join(element.text for element in root.iter(f"{SVG}text"))
    assert all(joint in words for joint, record in model.joints.items() if record.type != "fixed")
    width, height = (float(root.get(side)) for side in ("width", "height"))
    for circle in root.iter(f"{SVG}circle"):
        assert 0 < float(circle.get("cx")) < width
        assert 0 < float(circle.get("cy")) < height


def test_another_position():
    model = cardan.load("slider_crank")
    start, turned = schematic(model), schematic(model, {"crank": 1.0})
    assert start != turned
    heights = {round(float(y)) for y in re.findall(r'cy="([\d.]+)"', turned)}
    assert len(heights) > 1


def test_only_models_are_drawn():
    with pytest.raises(ModelError, match="is not a model"):
        schematic("slider_crank")
