"""Drawings of bond graphs: nothing overlaps, power flows to the right, strokes stand where causality says."""

import random
from itertools import pairwise
from xml.etree import ElementTree

import cardan
from cardan.bond_graphs import Bond, GraphElement, assign, make_graph
from cardan.rendering.graphs import as_svg, picture
from cardan.rendering.graphs.geometry import Area
from tests.overlaps import cuts, overlaps_of_graph
from tests.selection import each

SVG = "{http://www.w3.org/2000/svg}"


def chain(elements, pairs, of=None, size=1, titles=None):
    """A graph of elements "name: kind" and bonds "tail>head"."""
    parsed = [GraphElement(name, kind, modulus=1.0, of=(of or {}).get(name, "")) for name, kind in elements.items()]
    bonds = [Bond(f"{a}>{b}", a, b, "rotation", size) for a, b in (pair.split(">") for pair in pairs)]
    return make_graph(parsed, bonds, titles=titles)


SHAFT = chain(
    {"u": "Se", "circuit": "1", "L": "I", "R": "R", "motor": "GY", "rotor": "1", "J": "I",
     "twist": "0", "shaft": "C", "load": "1", "J2": "I", "b": "R"},
    ["u>circuit", "circuit>L", "circuit>R", "circuit>motor", "motor>rotor", "rotor>J", "rotor>twist", "twist>shaft",
     "twist>load", "load>J2", "load>b"],
)  # fmt: skip
"""A DC motor that turns a load through a flexible shaft."""

FRAMES = {"rotor": "wheel", "J": "wheel", "twist": "hinge", "shaft": "hinge", "load": "disc", "J2": "disc", "b": "disc"}


def random_graph(seed):
    """Bodies and joints: a tree of junctions in frames, and a few bonds that close loops."""
    rng = random.Random(seed)
    count = rng.randint(2, 12)
    elements = {f"j{k}": rng.choice("01") for k in range(count)} | {f"I{k}": "I" for k in range(count)}
    frames = {name: f"part{name[1:]}" for name in elements}
    pairs = [f"j{k}>I{k}" for k in range(count)]
    for k in range(1, count):
        pairs += [f"j{rng.randrange(k)}>j{k}"]
    for _ in range(count // 4):
        a, b = sorted(rng.sample(range(count), 2))
        pairs += [f"j{a}>j{b}"] if f"j{a}>j{b}" not in pairs else []
    return chain(elements, pairs, frames, size=rng.choice((1, 3)))


def test_power_flows_from_left_to_right_past_the_one_ports():
    drawing = picture(SHAFT, assign(SHAFT))
    assert not list(overlaps_of_graph(drawing))
    place = {bond.name: bond.points for bond in drawing.bonds}
    main = ["u>circuit", "circuit>motor", "motor>rotor", "rotor>twist", "twist>load"]
    ends = [x for name in main for x in (place[name][0][0], place[name][-1][0])]
    assert ends == sorted(ends)
    assert len({y for name in main for _, y in place[name]}) == 1  # one straight line
    for name in ("circuit>L", "rotor>J", "twist>shaft"):
        assert len({x for x, _ in place[name]}) == 1  # upright


def test_strokes_stand_at_the_end_that_causality_says():
    causality = assign(SHAFT)
    for bond in picture(SHAFT, causality).bonds:
        tail, head = bond.points[0], bond.points[-1]
        (ax, ay), (bx, by) = bond.stroke
        middle = ((ax + bx) / 2, (ay + by) / 2)
        assert middle == (head if causality.stroke_at_head(SHAFT.bonds[bond.name]) else tail)
        assert bond.half_arrow[1] == head
    assert all(bond.stroke is None for bond in picture(SHAFT).bonds)


@each("expanded", [False, True])
def test_bodies_are_boxes_or_frames_round_their_elements(expanded):
    of = {name: FRAMES.get(name, "") for name in SHAFT.elements}
    graph = chain({x.name: x.kind for x in SHAFT.elements.values()}, [*SHAFT.bonds], of, titles={"wheel": "a wheel"})
    drawing = picture(graph, assign(graph), expanded=expanded)
    assert not list(overlaps_of_graph(drawing))
    assert [frame.title for frame in drawing.frames] == ["a wheel", "hinge", "disc"]
    assert {frame.open for frame in drawing.frames} == {expanded}
    hidden = {"rotor>J", "twist>shaft", "load>J2", "load>b"}
    assert {bond.name for bond in drawing.bonds} == {*graph.bonds} - (set() if expanded else hidden)


@each("expanded", [False, True])
@each("seed", range(12))
def test_nothing_lies_on_anything_else(seed, expanded):
    """Bonds of a graph that no plane can hold may cross; nothing else ever does."""
    graph = random_graph(seed)
    overlaps = list(overlaps_of_graph(picture(graph, expanded=expanded)))
    assert not [words for words in overlaps if "across line" not in words]


def test_captions_stand_clear_of_inclined_lines():
    """A double line is some pixels wide: no caption within 4 px of an inclined part of any line."""
    graph = cardan.bond_graph(cardan.load("parallel_3rrrt"))
    for expanded in (False, True):
        drawing = picture(graph.graph, graph.causality, expanded=expanded)
        inclined = [
            (a, b)
            for bond in drawing.bonds
            for a, b in pairwise(bond.points)
            if a[0] != b[0] and abs(a[1] - b[1]) > 0.1
        ]
        for caption in drawing.captions:
            box = caption.area
            wide = Area(box.x - 4, box.y, box.width + 8, box.height)
            assert not [line for line in inclined if cuts(*line, wide)]


def test_parts_of_a_graph_have_open_ports():
    of = {name: FRAMES.get(name, name) for name in SHAFT.elements}
    graph = chain({x.name: x.kind for x in SHAFT.elements.values()}, [*SHAFT.bonds], of)
    drawing = picture(graph, assign(graph), expanded=True, parts={"wheel", "hinge"})
    assert [frame.title for frame in drawing.frames] == ["wheel", "hinge"]
    assert [sign.text for sign in drawing.signs if sign.role == "port"] == ["motor", "disc"]
    assert not list(overlaps_of_graph(drawing))


def test_names_are_shown_and_never_obeyed():
    evil = '</text <script & "x'
    graph = chain({"u": "Se", evil: "1", "R": "R"}, [f"u>{evil}", f"{evil}>R"], {"R": evil}, titles={evil: evil})
    text = as_svg(picture(graph, assign(graph)), title=evil)
    root = ElementTree.fromstring(text)
    assert not root.findall(f".//{SVG}script")
    assert evil in [node.text for node in root.iter(f"{SVG}text")]


def test_vector_bonds_are_double_lines_and_every_bond_has_words():
    graph = chain({"w": "Sf", "j": "1", "J": "I"}, ["w>j", "j>J"], size=3)
    root = ElementTree.fromstring(as_svg(picture(graph, assign(graph))))
    bonds = [group for group in root.iter(f"{SVG}g") if group.get("class") == "bond"]
    assert [[path.get("class") for path in bond.findall(f"{SVG}path")][1:3] for bond in bonds] == [
        ["vector", "between"]
    ] * 2
    words = bonds[0].find(f"{SVG}title").text
    assert "3 components" in words
    assert "effort τ: torque [N*m]" in words
    assert "flow ω: angular velocity [rad/s]" in words


def test_lines_are_as_wide_as_the_power_they_carry():
    causality = assign(SHAFT)
    powers = dict.fromkeys(SHAFT.bonds, 0.0) | {"u>circuit": 8.0, "circuit>R": 2.0, "twist>shaft": -4.0}
    root = ElementTree.fromstring(as_svg(picture(SHAFT, causality, powers=powers)))
    found = {}
    for bond in (group for group in root.iter(f"{SVG}g") if group.get("class") == "bond"):
        for path in bond.findall(f"{SVG}path"):
            if "power" in (path.get("class") or ""):
                title = bond.find(f"{SVG}title").text
                found[title.partition(":")[0]] = (path.get("class"), path.get("style"))
                assert "power: " in title
    assert found == {
        "u → circuit": ("power forth", "stroke-width:12.00"),
        "circuit → R": ("power forth", "stroke-width:3.00"),
        "twist → shaft": ("power back", "stroke-width:6.00"),
    }


def test_a_ring_of_bonds_is_drawn():
    graph = chain(
        {"a": "1", "b": "0", "c": "1", "I": "I", "R": "R"},
        ["a>b", "b>c", "c>a", "a>I", "c>R"],
    )
    drawing = picture(graph)
    assert not list(overlaps_of_graph(drawing))
    (back,) = (bond for bond in drawing.bonds if bond.name == "c>a")
    assert back.points[0][0] > back.points[-1][0]  # to the left, as its half-arrow says


def test_open_ends_stand_in_the_order_of_what_they_lead_to():
    """The platform takes a force and moments from each of three joints; their lines do not cross."""
    graph = cardan.bond_graph(cardan.load("parallel_3rrrt"))
    drawing = picture(graph.graph, graph.causality, expanded=True, parts={"body platform"})
    assert not list(overlaps_of_graph(drawing))
