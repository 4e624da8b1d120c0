"""The bond graphs of all mechanisms as drawings: in the closed form nothing overlaps and no lines cross."""

from functools import cache
from xml.etree import ElementTree

import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats import gallery
from cardan.rendering.graphs import picture
from tests.overlaps import overlaps_of_graph
from tests.selection import each, few, of_gallery

GRAPHS = cache(lambda name, augmented=True: cardan.bond_graph(cardan.load(name), augmented))
SMALL = ("overhead_crane", "slider_crank", "heavy_top", "planar_manipulator", "motor_flexible_shaft")
every_mechanism = pytest.mark.parametrize("name", of_gallery(gallery()))


@every_mechanism
@each("augmented", [True, False])
def test_no_labels_boxes_strokes_or_lines_overlap(name, augmented):
    graph = GRAPHS(name, augmented)
    found = overlaps_of_graph(picture(graph.graph, graph.causality))
    touching = cardan.load(name).contacts  # what touches in many places has no plane graph
    assert not [words for words in found if not touching or "across line" not in words]


@pytest.mark.parametrize("name", few(sorted(gallery(), key=SMALL.__contains__, reverse=True), len(SMALL)))
def test_in_the_open_form_only_lines_cross_and_every_element_is_there(name):
    graph = GRAPHS(name)
    drawing = picture(graph.graph, graph.causality, expanded=True)
    assert not [words for words in overlaps_of_graph(drawing) if "across line" not in words]
    assert len(drawing.signs) == len(graph.elements)
    assert {bond.name for bond in drawing.bonds} == {*graph.bonds}


def test_the_record_draws_itself():
    graph = cardan.bond_graph(cardan.load("overhead_crane"))
    titles = [node.text for node in ElementTree.fromstring(graph._repr_svg_()).iter() if node.get("class") == "title"]
    assert titles == ["trolley", "payload", "travel (prismatic)", "swing (revolute)", "drive"]
    some = graph.to_svg(expanded=True, parts=["body payload"])
    assert "I : mass" in some
    assert "I : inductance" not in some


def test_a_part_that_is_not_there_is_refused():
    graph = cardan.bond_graph(cardan.load("overhead_crane"))
    with pytest.raises(ModelError, match="there is no part 'body paylod'"):
        graph.to_svg(parts=["body paylod"])
