"""What a drawing shows of a mechanism, and how it is written."""

from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.overlaps import overlaps_of_sheet
from tests.selection import each

import cardan
from cardan.errors import ModelError, ModelWarning
from cardan.formats.yaml import loads
from cardan.model.constraints.coupler import Coupler
from cardan.view.drawing.sizes import UNIT

SVG = "{http://www.w3.org/2000/svg}"


def strokes(drawing, owner, style=None):
    return [one for one in drawing.sheet.strokes if one.owner == owner and style in (None, one.style)]


def words(drawing):
    return {one.owner: one.text for one in drawing.sheet.words}


def one_body(joint, more=""):
    return loads(f"""
cardan: 1
bodies: {{rod: {{mass: 1, com: [0, 0.5, 0], markers: {{end: {{position: [0, 1, 0]}}}}}}}}
joints: {{joint: {{parent: ground, child: rod, {joint}}}}}
{more}
""")


def test_a_spring_pendulum_has_its_spring_and_its_damper():
    drawing = cardan.draw(cardan.load("spring_pendulum"))
    assert len(strokes(drawing, "spring slider", "spring")) >= 8  # zigzag, dashpot and the bars that join them
    assert strokes(drawing, "spring slider", "hatch")  # the end that stands still


def test_links_lie_where_the_joints_are():
    """Crank and rod of 0.2 m and 0.5 m at a right angle."""
    drawing = cardan.draw(cardan.load("slider_crank"), initial={"crank": np.pi / 2})
    (crank,), (rod,) = strokes(drawing, "body crank", "body"), strokes(drawing, "body rod", "body")
    lengths = [float(np.linalg.norm(np.diff(one.points, axis=0))) for one in (crank, rod)]
    assert lengths[0] / lengths[1] == pytest.approx(0.2 / 0.5, rel=1e-9)
    d = np.diff(crank.points, axis=0).ravel()
    assert abs(d[0]) < 1e-9 * abs(d[1])


def test_a_revolute_joint_is_a_circle_from_its_end_and_a_cylinder_from_its_side():
    model = one_body("type: revolute, axis: z")
    circle = strokes(cardan.draw(model, view="xy"), "joint joint", "symbol")[-1].points
    radii = np.linalg.norm(circle - circle.mean(axis=0), axis=1)
    assert np.ptp(radii) < 0.2
    side = strokes(cardan.draw(model, view="xz"), "joint joint", "symbol")[-2].points
    across, along = np.ptp(side, axis=0)
    assert along > 1.2 * across


@each(
    "joint",
    [
        "type: revolute, axis: x",
        "type: prismatic, axis: y",
        "type: cylindrical, axis: z",
        "type: screw, axis: z, lead: 10 mm",
        "type: universal, axes: [x, y]",
        "type: spherical",
        "type: planar",
    ],
)
def test_every_kind_of_joint_has_a_symbol(joint):
    drawing = cardan.draw(one_body(joint), coordinates=True)
    assert strokes(drawing, "joint joint")
    assert words(drawing)["joint joint"] == "joint"
    assert not list(overlaps_of_sheet(drawing.sheet))


def test_a_force_points_where_it_acts():
    model = one_body("type: revolute, axis: z", "forces: {push: {type: force, child: rod.end, value: [3, 0, 0]}}")
    drawing = cardan.draw(model, view="xy")
    (head,) = strokes(drawing, "force push", "force head")
    end = max(
        (one.points[np.argmin(one.points[:, 1])] for one in strokes(drawing, "body rod", "body")), key=lambda p: -p[1]
    )
    tip = head.points[0]
    assert abs(tip[1] - end[1]) < 1e-6  # at the height of the end of the rod
    assert 0 < end[0] - tip[0] < 15  # from the left, a little before it


def test_a_load_without_a_value_is_left_out_until_it_has_one():
    """1/t at t = 0."""
    late = "forces: {late: {type: force, child: rod.end, value: ['1/t', 0, 0]}}"
    drawing = cardan.draw(one_body("type: revolute, axis: z", late), view="xy")
    assert strokes(drawing, "force late", "force head")


def test_a_free_point_mass_is_a_mark_with_its_name():
    model = cardan.Model(bodies={"b": {"mass": 1}}, joints={"j": {"type": "free", "parent": "ground", "child": "b"}})
    drawing = cardan.draw(model)
    assert strokes(drawing, "body b", "mass")
    assert words(drawing)["body b"] == "b"


def test_a_body_that_cannot_move_is_drawn():
    model = cardan.Model(bodies={"b": {}}, joints={"j": {"type": "fixed", "parent": "ground", "child": "b"}})
    assert cardan.draw(model, coordinates=True, dimensions=True, frames=True).svg.startswith("<svg")


def test_coordinates_have_their_values():
    drawing = cardan.draw(cardan.load("overhead_crane"), initial={"travel": 0.25, "swing": 0.4}, coordinates=True)
    texts = set(words(drawing).values())
    assert {"travel = 0.25 m", "swing = 22.92°"} <= texts
    (line,) = strokes(drawing, "coordinate travel", "coordinate")
    (head,) = strokes(drawing, "coordinate travel", "coordinate head")
    length = np.linalg.norm(head.points[0] - line.points[0])
    rope = np.linalg.norm(np.diff(strokes(drawing, "body payload", "body")[0].points, axis=0))
    assert length / rope == pytest.approx(0.25 / 0.7, rel=1e-9)


def test_dimensions_are_the_expressions_of_the_model_with_their_values():
    texts = [one.text for one in cardan.draw(cardan.load("four_bar"), dimensions=True).sheet.words]
    assert {"a = 0.3 m", "b = 0.8 m", "c = 0.6 m", "0.9 m"} <= set(texts)
    rods = [one.text for one in cardan.draw(cardan.load("planar_3rrr"), dimensions=True).sheet.words]
    assert rods.count("l2 = 0.35 m") == 3


def test_frames_of_the_matrix_method_have_numbers_and_the_axes_of_their_bodies():
    drawing = cardan.draw(cardan.load("manipulator_3dof"), frames=True)
    named = " ".join(one.text for one in drawing.sheet.words).replace(",", "").split()
    assert {f"{letter}{k}" for letter in "xyz" for k in (1, 2, 3)} <= set(named)
    (head,) = strokes(drawing, "frame link1", "z axis head")
    tail = strokes(drawing, "frame link1", "z axis")[0].points[0]
    assert head.points[0] - tail == pytest.approx([0, -30 * np.cos(np.radians(22))])  # seen from 22° above


def test_the_tree_has_all_bodies_and_joints_and_dashes_what_closes_loops():
    drawing = cardan.draw(cardan.load("four_bar"), tree=True)
    owners = words(drawing)
    assert {f"body {name}" for name in ("ground", "frame", "crank", "coupler", "rocker")} <= set(owners)
    assert {f"joint {name}" for name in ("frame", "A", "B", "C", "D")} <= set(owners)
    dashed = {one.owner for one in drawing.sheet.strokes if one.style == "loop"}
    assert dashed == {"joint D"} or dashed == {"joint C"}
    assert sum(one.text == "R" for one in drawing.sheet.words) == 4
    spring = cardan.draw(cardan.load("spring_pendulum_element"), tree=True)
    assert "beside spring" in {one.owner for one in spring.sheet.strokes}


@each("more", [{"view": "xy"}, {"coordinates": True}, {"dimensions": True}, {"frames": True}])
def test_a_tree_has_no_marks_of_a_position(more):
    with pytest.raises(ModelError, match="a tree shows no position"):
        cardan.draw(cardan.load("four_bar"), tree=True, **more)


def test_a_tree_is_drawn_of_loops_that_do_not_close(tmp_path):
    """It shows no position."""
    model = cardan.load("four_bar")
    path = tmp_path / "tree.svg"
    cardan.draw(model, path, tree=True, parameters={"c": 5.0})
    assert path.read_text(encoding="utf-8").startswith("<svg")


def test_a_point_on_a_curve_is_drawn_with_the_curve():
    """An ellipse with half axes of 0.4 m and 0.2 m, traced from the point that slides on it."""
    model = loads("""
cardan: 1
planar: xy
bodies: {cart: {mass: 1}, bead: {mass: 1}}
joints:
  x: {type: prismatic, parent: ground, child: cart, axis: x}
  y: {type: prismatic, parent: cart, child: bead, axis: y}
constraints: {track: {type: point_on_curve, child: bead, equations: ["(x/0.4)**2 + (y/0.2)**2 - 1"]}}
initial: {x: 0.2, y: {guess: 0.1}}
""")
    drawing = cardan.draw(model)
    (curve,) = strokes(drawing, "constraint track", "curve")
    width, height = np.ptp(curve.points, axis=0)
    assert width / height == pytest.approx(2.0, rel=1e-2)
    assert np.linalg.norm(curve.points[0] - curve.points[-1]) < 1e-6


def _geared(**gear):
    wheel = {"mass": 1, "inertia": [0.1, 0.1, 0.1]}
    place = {"body": "ground", "position": [0.4, 0, 0]}
    return cardan.Model(
        planar="xy",
        bodies={"a": wheel, "b": wheel, "c": wheel},
        joints={
            "p": {"type": "revolute", "parent": "ground", "child": "a", "axis": "z"},
            "w": {"type": "revolute", "parent": place, "child": "b", "axis": "z"},
            "c": {"type": "revolute", "parent": "ground", "child": "c", "axis": "z"},
        },
        constraints={"gear": {"type": "gear", "joints": ["p", "w"], **gear}},
    )


@each("kind", ["external", "internal"])
def test_wheels_of_a_gear_touch(kind):
    drawing = cardan.draw(_geared(kind=kind, teeth=[20, 60]))
    circles = [one.points for one in strokes(drawing, "gear gear", "axis")]
    (a, ra), (b, rb) = ((np.mean(c[:-1], axis=0), np.ptp(c[:, 0]) / 2) for c in circles)
    assert rb / ra == pytest.approx(3.0, rel=1e-6)
    distance = ra + rb if kind == "external" else rb - ra
    assert np.linalg.norm(b - a) == pytest.approx(distance, rel=1e-2)
    assert not list(overlaps_of_sheet(drawing.sheet))


def test_a_planetary_gear_has_its_planets():
    drawing = cardan.draw(_geared(kind="planetary", teeth=[20, 60], carrier="c"))
    assert len(strokes(drawing, "gear gear", "axis")) == 2 + 3  # pitch circles of sun, ring and planets


SLIDE = """
cardan: 1
planar: xz
bodies: {block: {mass: 1, com: [0, 0, 0.1]}}
joints:
  slide:
    {type: prismatic, parent: ground, child: block, axis: x, friction: {coefficient: 0.3},
     limits: {lower: -0.2, upper: 0.3, stiffness: 1e5}}
"""


def test_stops_of_a_slide_stand_where_the_block_touches_them():
    drawing = cardan.draw(loads(SLIDE))
    left, right = (one.points for one in strokes(drawing, "stop slide", "base"))
    block = strokes(drawing, "joint slide", "block")[0].points
    rod = strokes(drawing, "body block", "body")[0].points
    scale = np.linalg.norm(np.diff(rod, axis=0)) / 0.1  # of the block's rod
    assert right[0, 0] - block[:, 0].max() == pytest.approx(0.3 * scale, rel=1e-9)
    assert block[:, 0].min() - left[0, 0] == pytest.approx(0.2 * scale, rel=1e-9)
    rail = strokes(drawing, "joint slide", "base")[0].points
    for post in (left, right):
        assert post[:, 1].max() == pytest.approx(rail[:, 1].max(), abs=1.5)  # they stand on the rail
    assert rail[:, 0].min() < left[0, 0] < right[0, 0] < rail[:, 0].max()
    assert {one.points[1, 0] > one.points[0, 0] for one in strokes(drawing, "stop slide", "hatch")[-2:]} == {True}
    assert not list(overlaps_of_sheet(drawing.sheet))


def test_stops_of_a_hinge_lie_along_the_link_at_its_bounds():
    """The rod points up at zero; positive turns go to the left."""
    model = one_body("type: revolute, axis: z, limits: {lower: -90 deg, upper: 0.5}")
    drawing = cardan.draw(model, view="xy")
    lower, upper = (np.diff(one.points, axis=0)[0] for one in strokes(drawing, "stop joint", "base"))
    assert np.arctan2(-lower[1], lower[0]) == pytest.approx(0.0, abs=1e-9)
    assert np.arctan2(-upper[1], upper[0]) == pytest.approx(np.pi / 2 + 0.5, abs=1e-9)


def test_stops_of_a_hinge_on_a_moving_body_move_with_it():
    """They have its colour, not the hatching of what stands still, and a lever from the pin."""
    text = """
cardan: 1
planar: xy
bodies:
  arm: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1], markers: {end: {position: [1, 0, 0]}}}
  tip: {mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1], markers: {end: {position: [1, 0, 0]}}}
joints:
  base: {type: revolute, parent: ground, child: arm, axis: z, limits: {lower: -1}}
  bend: {type: revolute, parent: arm.end, child: tip, axis: z, limits: {lower: -1, upper: 1}}
initial: {base: 0.4, bend: 0.3}
"""
    drawing = cardan.draw(loads(text))
    assert strokes(drawing, "stop base", "hatch")
    assert not strokes(drawing, "stop bend", "hatch")
    levers, plates = strokes(drawing, "stop bend", "symbol"), strokes(drawing, "stop bend", "base")
    assert len(levers) == len(plates) == 2
    (arm,) = {one.colour for one in strokes(drawing, "body arm", "body")}
    assert {one.colour for one in (*levers, *plates)} == {arm}
    for lever, plate in zip(levers, plates, strict=True):
        np.testing.assert_allclose(lever.points[1], plate.points[0])


def test_stops_that_are_far_away_are_left_out():
    far = SLIDE.replace("upper: 0.3", "upper: 300")
    assert len(strokes(cardan.draw(loads(far)), "stop slide", "base")) == 1


@each("friction, word", [("coefficient: 0.3", "μ"), ("effort: 2", None)])
@each("kind", ["prismatic, axis: x", "revolute, axis: z", "screw, lead: 10 mm, axis: y"])
def test_friction_is_a_rough_line_or_two_shoes_with_a_letter_where_it_follows_the_load(kind, friction, word):
    radius = "" if "prismatic" in kind or "effort" in friction else ", radius: 5 mm"
    drawing = cardan.draw(one_body(f"type: {kind}, friction: {{{friction}{radius}}}"))
    assert len(strokes(drawing, "friction joint", "rough")) == (2 if "revolute" in kind else 1)
    assert words(drawing).get("friction joint") == word
    assert not list(overlaps_of_sheet(drawing.sheet))
    bare = cardan.draw(one_body(f"type: {kind}"))
    assert not strokes(bare, "friction joint")


def test_a_long_chain_stays_legible():
    """Of 30 links: no two lines to words cross, and nothing lies on anything else."""
    link = {"mass": 1, "com": [0.1, 0, 0], "inertia": [0.01, 0.02, 0.02]}
    joints = {
        f"j{k}": {
            "type": "revolute",
            "parent": {"body": f"l{k - 1}", "position": [0.2, 0, 0]} if k else "ground",
            "child": f"l{k}",
            "axis": "y" if k % 2 else "z",
            "friction": {"effort": 0.5},
        }
        for k in range(30)
    }
    drawing = cardan.draw(cardan.Model(bodies={f"l{k}": link for k in range(30)}, joints=joints))
    leaders = [stroke.points for stroke in drawing.sheet.strokes if stroke.style == "leader"]

    def apart(a, b):
        return np.sign(np.linalg.det(np.array([a[1] - a[0], b[0] - a[0]]))) == np.sign(
            np.linalg.det(np.array([a[1] - a[0], b[1] - a[0]]))
        )

    assert all(apart(a, b) or apart(b, a) for a, b in combinations(leaders, 2))
    assert "friction" not in words(drawing).values()
    assert not list(overlaps_of_sheet(drawing.sheet))


@pytest.mark.parametrize(
    "path", ['type: point_on_curve, equations: ["z - x**2", "y"]', "type: point_on_line, axis: [1, 0, 1]"]
)
def test_friction_on_a_path_is_a_rough_line_along_it(path):
    """Both paths rise by 45 degrees where the bead is."""
    text = f"""
cardan: 1
bodies: {{bead: {{mass: 1, inertia: [1, 1, 1], shapes: [{{type: sphere, radius: 0.02}}]}}}}
joints: {{free: {{type: free, parent: ground, child: bead}}}}
constraints:
  wire: {{{path}, child: bead, friction: {{coefficient: 0.2}}}}
initial: {{free.x: 0.5, free.z: {{guess: 0.25}}}}
"""
    drawing = cardan.draw(loads(text), view="xz")
    (rough,) = strokes(drawing, "friction wire", "rough")
    d = rough.points[-1] - rough.points[0]
    assert abs(d[1] / d[0]) == pytest.approx(1.0, abs=0.02)  # a step of the curve is a hundredth of its size
    (pin,) = strokes(drawing, "constraint wire", "symbol")
    assert np.linalg.norm(rough.points.mean(axis=0) - pin.points.mean(axis=0)) < 2 * UNIT
    assert words(drawing)["friction wire"] == "μ"


def test_coupled_joints_are_linked_with_their_relation():
    drawing = cardan.draw(cardan.load("shaper"))
    arcs = strokes(drawing, "relation level", "relation")
    ends = [one.points[k] for one in arcs for k in (0, -1)]
    pins = [strokes(drawing, f"joint {name}", "symbol")[-1].points.mean(axis=0) for name in ("pivot", "top", "end")]
    for end, pin in zip(ends, [pins[0], pins[1], pins[1], pins[2]], strict=True):
        assert end == pytest.approx(pin, abs=1e-6)
    assert words(drawing)["relation level"] == "level: pivot + top + end = 0"


@each(
    "more, text",
    [
        ({"terms": {"a": 1, "b": -1}}, "a − b"),
        ({"terms": {"a": -1, "b": "z2/z1"}}, "−a + (z2/z1)·b"),
        ({"terms": {"a": 2, "b.rz": -3.5}, "offset": "30 deg"}, "2·a − 3.5·b.rz − 30 deg"),
        ({"terms": {"a": "z"}, "offset": -2}, "z·a + 2"),
    ],
)
def test_relations_of_couplers_in_words(more, text):
    assert Coupler(type="coupler", **more).words == text


def test_equations_are_notes_with_lines_to_what_they_name():
    drawing = cardan.draw(cardan.load("digging_machine"))
    assert words(drawing)["relation line"] == "line: scoop.x - scoop.y - a = 0"
    assert len(strokes(drawing, "relation line", "relation")) == 3  # the scoop and the joints that drive
    assert not strokes(cardan.draw(cardan.load("digging_machine"), labels="joints"), "relation line")


def test_of_a_long_equation_the_name_stands_alone():
    long = " + ".join(f"{k}*joint" for k in range(1, 12))
    equation = f"constraints: {{law: {{type: expression, expression: {long}}}}}"
    drawing = cardan.draw(one_body("type: revolute, axis: z", equation))
    assert words(drawing)["relation law"] == "law"


def test_names_never_become_markup():
    model = loads("""
cardan: 1
name: '</title><script>alert(1)</script>'
bodies: {rod: {mass: 1, com: [0, -1, 0]}}
joints: {hinge: {type: revolute, parent: ground, child: rod, axis: z}}
""")
    svg = cardan.draw(model).svg
    assert "<script>" not in svg
    title = ElementTree.fromstring(svg).find(f"{SVG}title")
    assert title.text == "</title><script>alert(1)</script>"


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_files(suffix, start, tmp_path):
    path = tmp_path / f"crank{suffix}"
    drawing = cardan.draw(cardan.load("slider_crank"), path)
    assert path.read_bytes().startswith(start)
    first = path.read_bytes()
    assert drawing.save(path) == path
    assert path.read_bytes() == first
    assert drawing._repr_svg_() == drawing.svg


def test_a_port_between_markers_is_a_cylinder():
    drawing = cardan.draw(cardan.load("hydraulic_boom"))
    assert strokes(drawing, "spring lift.line", "symbol")
    assert words(drawing)["spring lift.line"] == "lift.line"


def test_a_body_on_which_another_one_slides_keeps_a_shape_that_reaches_as_far():
    drawing = cardan.draw(cardan.load("stick_slip_slider"), initial={"slip": 0.3})
    assert strokes(drawing, "body belt", "shape")
    assert not strokes(cardan.draw(cardan.load("manipulator_3dof")), "body link1", "shape")


def test_names_with_dollars_are_no_formulas(tmp_path):
    model = loads("""
cardan: 1
name: 'costs $5 and $6^{'
bodies: {rod: {mass: 1, com: [0, -1, 0]}}
joints: {hinge: {type: revolute, parent: ground, child: rod, axis: z}}
""")
    cardan.draw(model, tmp_path / "rod.png")


@each(
    "options, fault",
    [
        ({"view": "zz"}, "write xy, xz, yz, iso, or azimuth,elevation"),
        ({"view": (1, 2, 3)}, "azimuth,elevation"),
        ({"view": "10,120"}, "elevation from -90 to 90"),
        ({"labels": "some"}, "write one of none, joints, all"),
        ({"path": "crank.gif"}, r"use one of \.svg, \.png, \.pdf"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options, fault):
    with pytest.raises(ModelError, match=fault):
        cardan.draw(cardan.load("slider_crank"), **options)


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder"):
        cardan.draw(cardan.load("slider_crank"), tmp_path / "none" / "a.svg")


def test_a_mesh_that_is_missing_is_named_with_its_place():
    body = {"mass": 1, "com": [1, 0, 0], "shapes": [{"type": "mesh", "file": "none.stl"}]}
    hinge = {"type": "revolute", "parent": "ground", "child": "a", "axis": "z"}
    with pytest.warns(ModelWarning, match=r"the mesh none\.stl of 'a' is not in the folders"):
        cardan.draw(cardan.Model(bodies={"a": body}, joints={"hinge": hinge}))


def test_only_mechanisms_are_drawn():
    with pytest.raises(ModelError, match="is not a model"):
        cardan.draw("slider_crank")
    with pytest.raises(ModelError, match="no bodies"):
        cardan.draw(cardan.Model())


def test_planes_of_the_ground_are_hatched_where_they_are_seen_from_their_edge():
    def floor(view):
        strokes = cardan.draw(cardan.load("bouncing_ball"), view=view).sheet.strokes
        return [one for one in strokes if one.owner == "ground" and one.style == "base"]

    sheet = cardan.draw(cardan.load("bouncing_ball"), view="xz").sheet
    ball = np.concatenate([one.points for one in sheet.strokes if one.owner == "body ball" and one.style == "shape"])
    (line,) = floor("xz")
    radius = np.ptp(ball[:, 0]) / 2
    assert line.points[:, 1] - ball[:, 1].mean() == pytest.approx(radius / 0.033, rel=1e-3)  # 1 m below its centre
    assert not floor("iso")


def test_a_rod_that_bends_is_one_line_from_its_clamp_on():
    """Its joints and springs are not drawn, and its name stands once; in the tree it is one body."""
    sheet = cardan.draw(cardan.load("cantilever")).sheet
    (line,) = [stroke for stroke in sheet.strokes if stroke.owner == "body rod"]
    lengths = np.linalg.norm(np.diff(line.points, axis=0), axis=1)
    assert lengths.sum() == pytest.approx(np.linalg.norm(line.points[-1] - line.points[0]))
    owners = {stroke.owner for stroke in sheet.strokes} | {word.owner for word in sheet.words}
    assert owners == {"body rod", "joint clamp", "force load", "axis x", "axis z", "gravity"}
    tree = cardan.draw(cardan.load("flexible_slider_crank"), tree=True).sheet
    assert {word.text for word in tree.words if word.role == "body"} == {"ground", "crank", "rod", "slider"}
    assert {word.text for word in tree.words if word.role == "joint"} == {"crank", "pin", "guide", "wrist"}


def test_what_stands_beside_the_axis_of_a_rod_is_joined_to_it():
    section = {"type": "circle", "diameter": 0.02}
    rod = {"type": "flexible", "length": 1, "segments": 2, "section": section, "material": "steel"}
    model = cardan.Model(
        bodies={"rod": rod | {"markers": {"arm": {"position": [0.75, 0, 0.2]}}}},
        joints={"hinge": {"type": "revolute", "parent": "ground", "child": "rod", "axis": "y"}},
        planar="xz",
    )
    sheet = cardan.draw(model).sheet
    lines = [stroke.points for stroke in sheet.strokes if stroke.owner == "body rod"]
    assert len(lines) == 2
    assert np.linalg.norm(lines[1][1] - lines[1][0]) == pytest.approx(0.2 * np.ptp(lines[0][:, 0]), rel=0.1)
