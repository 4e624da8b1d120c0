"""Scenes: solids, links, paths and arrows lie where the data of the run and of the model say."""

import base64
import json
from dataclasses import replace

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.errors import ModelError
from cardan.model.joints import JOINTS
from cardan.results import Provenance, Trajectory
from cardan.view.scene import scene_document, scene_of
from cardan.view.scene.motion import MOST_INSTANTS, ShownMotion
from cardan.view.scene.rods import rod_curve
from cardan.view.symbols.joints import JOINTS as SYMBOLS

ROUNDING = 1e-12  # of positions of a metre: some thousand roundings [m]


@pytest.fixture(scope="module")
def crane():
    return cardan.simulate(cardan.load("overhead_crane"), until=1.0, times=np.linspace(0, 1, 41))


@pytest.fixture(scope="module")
def squeezer():
    return cardan.simulate(cardan.load("andrews_squeezer"), until=0.01, times=np.linspace(0, 0.01, 21))


def _of(scene, owner, layer):
    return [part for part in scene.parts if (part.owner, part.layer) == (owner, layer)]


def test_bodies_lie_where_the_run_says(crane):
    scene = scene_of(crane)
    assert scene.bodies == ("trolley", "payload")
    for k, body in enumerate(scene.bodies):
        np.testing.assert_array_equal(scene.positions[:, k], crane.array(f"{body}.position"))
        np.testing.assert_array_equal(scene.orientations[:, k], crane.array(f"{body}.orientation"))
    ball = next(part for part in _of(scene, "payload", "shapes") if part.form["type"] == "sphere")
    centre = ShownMotion(crane).origin(ball.place)
    np.testing.assert_allclose(centre, crane.array("payload.hook.position"), atol=ROUNDING)


def test_springs_end_at_their_markers(squeezer):
    scene, motion = scene_of(squeezer), ShownMotion(squeezer)
    (spring,) = scene.links
    assert (spring.owner, spring.kind) == ("spring", "spring")
    ends = motion.origin(spring.a), motion.origin(spring.b)
    np.testing.assert_allclose(ends[0], squeezer.array("frame.C.position"), atol=ROUNDING)
    np.testing.assert_allclose(ends[1], squeezer.array("K3.D.position"), atol=ROUNDING)
    assert spring.length == pytest.approx(np.linalg.norm(ends[1] - ends[0], axis=1).mean(), rel=1e-12)


def test_pins_of_joints_lie_at_their_markers(squeezer):
    scene, motion = scene_of(squeezer), ShownMotion(squeezer)
    for joint, place in (("theta", "K1.end"), ("phi", "K5.end"), ("E3", "K3.E"), ("E6", "K6.E")):
        for part in _of(scene, joint, "joints"):
            np.testing.assert_allclose(
                motion.origin(part.place), squeezer.array(f"{place}.position"), atol=1e-9
            )  # the loops are closed within the tolerance of the run


def test_every_kind_of_joint_has_a_symbol_of_positive_sizes():
    assert set(SYMBOLS) == set(JOINTS)
    for name, symbol in SYMBOLS.items():
        pieces = symbol.solids(0.1, 2.4)
        assert pieces or name in ("free", "translational", "modal")
        for side, form in pieces:
            assert side in ("parent", "rail", "child")
            sizes = np.hstack(
                [form[key] for key in ("radius", "inner", "length", "size", "turns", "wire") if key in form]
            )
            assert (sizes > 0).all()


def test_a_rail_is_as_long_as_its_joint_slides():
    run = cardan.simulate(cardan.load("slider_crank"), until=1.0)
    scene = scene_of(run)
    rail = next(part for part in _of(scene, "slide", "joints") if part.place.body == "ground")
    low, high = run.array("slide.q").min(), run.array("slide.q").max()
    assert rail.form["size"][2] > high - low
    assert rail.place.p == pytest.approx([(low + high) / 2, 0, 0], abs=1e-3)  # the instants shown may miss its ends
    assert len(_of(scene, "slide", "ground")) == 4  # a pedestal and a plate below either end


BARE = {
    "gravity": [0, "-9.81 m/s^2", 0],
    "bodies": {
        "link": {
            "mass": 1,
            "com": [0.5, 0, 0],
            "inertia": [0.1, 0.1, 0.1],
            "markers": {"end": {"position": [1, 0, 0]}},
        },
        "disc": {"mass": 8, "inertia": [1, 1, 1]},
    },
    "joints": {
        "hinge": {"type": "revolute", "parent": "ground", "child": "link", "axis": "z", "stiffness": "2 N*m/rad"},
        "wheel": {"type": "revolute", "parent": "link.end", "child": "disc", "axis": "z"},
    },
}


def test_bodies_without_shapes_are_rods_between_joints_and_balls_at_masses():
    scene = scene_of(cardan.simulate(cardan.Model(**BARE), until=0.1))
    rods = _of(scene, "link", "shapes")
    assert sorted(rod.place.p[0] for rod in rods) == pytest.approx([0.25, 0.75])  # hinge to mass, mass to wheel
    assert [rod.form["length"] for rod in rods] == pytest.approx([0.5, 0.5])
    assert all(abs(rod.place.R[:, 2]) == pytest.approx([1, 0, 0]) for rod in rods)
    (small,), (large,) = _of(scene, "link", "masses"), _of(scene, "disc", "masses")
    assert large.form["radius"] / small.form["radius"] == pytest.approx(2.0)  # eight times the mass
    assert any(part.form["type"] == "coil" for part in _of(scene, "hinge", "joints"))  # its stiffness


def test_a_joint_with_a_stiffness_shows_a_spring_that_stretches():
    run = cardan.simulate(cardan.load("spring_pendulum"), until=0.5)
    (spring,) = scene_of(run).links
    length = np.linalg.norm(ShownMotion(run).origin(spring.b) - ShownMotion(run).origin(spring.a), axis=1)
    assert np.ptp(length) > 0.01
    assert length.mean() == pytest.approx(spring.length)


def test_rotors_turn_with_the_gear_of_their_motor(crane):
    (rotor,) = scene_of(crane).rotors
    np.testing.assert_allclose(rotor.angle, 10 / 0.025 * crane.array("travel.q"))


def _geared(**gear):
    wheel = {"mass": 1, "inertia": [0.1, 0.1, 0.1]}
    model = {
        "bodies": {"a": wheel, "b": wheel},
        "joints": {
            "p": {"type": "revolute", "parent": "ground", "child": "a", "axis": "z"},
            "w": {"type": "revolute", "parent": {"body": "ground", "position": [0.4, 0, 0]}, "child": "b", "axis": "z"},
        },
        "constraints": {"gear": {"type": "gear", "joints": ["p", "w"], **gear}},
        "initial": {"p.v": 1},
    }
    scene = scene_of(cardan.simulate(cardan.Model(**model), until=0.1))
    wheels = _of(scene, "gear", "gears")
    assert scene.high[0] == pytest.approx(0.4 + wheels[1].form["radius"], rel=1e-2)  # the picture has room for it
    return wheels


def test_wheels_of_a_gear_touch():
    small, large = _geared(kind="external", teeth=[20, 60])
    assert (small.form["radius"], large.form["radius"]) == pytest.approx((0.1, 0.3))
    small, large = _geared(kind="internal", teeth=[20, 60])
    assert (small.form["radius"], large.form["radius"]) == pytest.approx((0.2, 0.6))
    assert (small.form["internal"], large.form["internal"]) == (False, True)


PLANETARY = {
    "bodies": {name: {"mass": 1, "inertia": [0.1, 0.1, 0.1]} for name in ("sun", "ring", "carrier")},
    "joints": {
        name: {"type": "revolute", "parent": "ground", "child": name, "axis": "z"}
        for name in ("sun", "ring", "carrier")
    },
    "constraints": {
        "gear": {
            "type": "gear",
            "kind": "planetary",
            "joints": ["sun", "ring"],
            "teeth": [20, 60],
            "carrier": "carrier",
        }
    },
    "initial": {"sun.v": 4, "ring.v": 0},
}


def test_planets_roll_on_the_sun_and_on_the_ring():
    """With the ring at rest a planet turns backwards: absolute rate ω_c (1 − z_r/z_p), 20 + 2 · 20 = 60 teeth."""
    run = cardan.simulate(cardan.Model(**PLANETARY), until=0.5)
    scene = scene_of(run)
    planets = [disc for disc in scene.rotors if disc.owner == "gear"]
    assert [(disc.place.body, disc.layer) for disc in planets] == [("carrier", "gears")] * 3
    carrier = run.array("carrier.q")[ShownMotion(run).shown]
    np.testing.assert_allclose(planets[0].angle + carrier, carrier * (1 - 60 / 20), atol=1e-9)
    sun, ring = _of(scene, "gear", "gears")
    assert sun.form["radius"] + 2 * planets[0].form["radius"] == pytest.approx(ring.form["radius"])


def test_a_point_on_a_curve_has_a_tube_along_the_curve():
    model = {
        "bodies": {"cart": {"mass": 1}, "bead": {"mass": 1}},
        "joints": {
            "x": {"type": "prismatic", "parent": "ground", "child": "cart", "axis": "x"},
            "z": {"type": "prismatic", "parent": "cart", "child": "bead", "axis": "z"},
        },
        "planar": "xz",
        "constraints": {"track": {"type": "point_on_curve", "child": "bead", "equations": ["x**2 + z**2 - 0.09"]}},
        "initial": {"x": 0.3, "z.v": 1},
    }
    scene = scene_of(cardan.simulate(cardan.Model(**model), until=0.1))
    (tube,) = [part for part in _of(scene, "track", "joints") if part.form["type"] == "mesh"]
    assert (scene.low[2], scene.high[2]) == pytest.approx((-0.3, 0.3), abs=0.02)  # the picture has room for it
    corners = tube.form["corners"]
    radii = np.hypot(corners[:, 0], corners[:, 2])
    assert radii == pytest.approx(np.full(len(radii), 0.3), abs=0.02)
    assert np.ptp(corners[:, 0]) == pytest.approx(0.6, rel=0.1)


def test_a_rack_has_a_pinion_of_its_pitch_radius():
    model = {
        "bodies": {"a": {"mass": 1, "inertia": [0.1, 0.1, 0.1]}, "b": {"mass": 1}},
        "joints": {
            "p": {"type": "revolute", "parent": "ground", "child": "a", "axis": "z"},
            "s": {"type": "prismatic", "parent": "ground", "child": "b", "axis": "x"},
        },
        "constraints": {
            "rack": {"type": "gear", "kind": "rack", "joints": ["p", "s"], "teeth": [20], "module": "4 mm"}
        },
        "initial": {"p.v": 1},
    }
    pinion, bar = _of(scene_of(cardan.simulate(cardan.Model(**model), until=0.1)), "rack", "gears")
    assert pinion.form["radius"] == pytest.approx(0.04)
    assert bar.form["type"] == "box"


def test_paths_are_those_of_the_points_in_the_outputs(crane, squeezer):
    assert [trace.name for trace in scene_of(crane).traces] == ["payload.com"]
    assert [trace.name for trace in scene_of(squeezer).traces] == ["K2.E"]
    assert [trace.name for trace in scene_of(crane, ["payload.hook", "trolley"]).traces] == ["payload.hook", "trolley"]
    assert scene_of(crane, []).traces == ()


def test_arrows_have_the_values_of_the_results(crane):
    arrows = {arrow.name: arrow for arrow in scene_of(crane).arrows}
    swing = np.nan_to_num(crane.array("swing.reaction_force"))
    np.testing.assert_array_equal(arrows["swing.reaction_force"].value, swing)
    effort = crane.array("travel.effort")[:, None] * np.array([1.0, 0, 0])
    np.testing.assert_allclose(arrows["travel.effort"].value, effort, atol=1e-9)
    assert arrows["payload: weight"].value[0] == pytest.approx([0, 0, -0.85 * 9.81])
    assert arrows["swing.reaction_force"].typical == pytest.approx(np.sqrt((swing**2).sum(axis=1).mean()))
    assert {arrow.layer for arrow in arrows.values()} == {"reactions", "drives", "gravity"}


def test_a_document_is_plain_json_with_the_poses_of_the_run(crane):
    document = json.loads(json.dumps(scene_document(scene_of(crane)), allow_nan=False))
    poses = np.frombuffer(base64.b64decode(document["poses"]), "<f4").reshape(len(crane), 2, 7)
    np.testing.assert_array_equal(poses[:, 1, :3], crane.array("payload.position").astype("f4"))
    np.testing.assert_array_equal(poses[:, 1, 3:], crane.array("payload.orientation").astype("f4"))
    assert {part["at"]["body"] for part in document["parts"]} == {-1, 0, 1}
    rows = {arrow["name"]: len(base64.b64decode(arrow["value"])) // 12 for arrow in document["arrows"]}
    assert (rows["payload: weight"], rows["swing.reaction_force"]) == (1, len(crane))


def test_a_run_from_a_file_gives_the_same_scene(crane, tmp_path):
    again = scene_of(cardan.load_run(cardan.save_run(crane, tmp_path / "run.nc")))
    fresh = scene_of(crane)
    np.testing.assert_allclose(again.positions, fresh.positions, atol=ROUNDING)
    np.testing.assert_allclose(again.orientations, fresh.orientations, atol=ROUNDING)
    assert [part.owner for part in again.parts] == [part.owner for part in fresh.parts]


def test_a_long_run_is_shown_at_evenly_chosen_instants():
    run = cardan.simulate(cardan.load("compound_pendulum"), times=np.linspace(0, 1, 5001))
    scene = scene_of(run)
    assert scene.instants.size == MOST_INSTANTS
    np.testing.assert_array_equal(scene.instants, run.t[::5])


@each("gravity, planar, up", [([0, 0, -9.81], None, 2), ([0, -9.81, 0], "xy", 1), ([0, 0, 0], "xy", 1)])
def test_up_is_against_gravity(gravity, planar, up):
    model = cardan.Model(**{**BARE, "gravity": gravity} | ({"planar": planar} if planar else {}))
    assert scene_of(cardan.simulate(model, times=[0.0])).up.tolist() == np.eye(3)[up].tolist()


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def _with_mesh(folder, file="part.obj", **shape):
    text = json.dumps({"type": "mesh", "file": file, **shape})
    (folder / "model.yaml").write_text(
        f"cardan: 1\nbodies:\n  a: {{mass: 1, shapes: [{text}]}}\n"
        "joints:\n  j: {type: prismatic, parent: ground, child: a, axis: x}\n"
    )
    return cardan.simulate(cardan.load(folder / "model.yaml"), until=0.1)


def test_a_mesh_comes_from_the_folder_of_its_model_in_its_scale(tmp_path):
    (tmp_path / "part.obj").write_text(TETRAHEDRON)
    run = _with_mesh(tmp_path, scale=0.5, color="#ff8800")
    (part,) = _of(scene_of(run, folders=[tmp_path]), "a", "shapes")
    assert part.colour == "#ff8800"
    assert part.form["corners"].shape == (4, 3)
    assert part.form["corners"].max() == 0.5
    corners = part.form["corners"][part.form["triangles"]]
    assert corners.shape == (4, 3, 3)


def test_a_mesh_in_millimetres_read_as_metres_is_doubted(tmp_path):
    (tmp_path / "part.obj").write_text(TETRAHEDRON.replace("1 0 0", "700 0 0"))
    shapes = [{"type": "mesh", "file": str(tmp_path / "part.obj")}]
    model = {**BARE, "bodies": {**BARE["bodies"], "disc": {"mass": 8, "inertia": [1, 1, 1], "shapes": shapes}}}
    run = cardan.simulate(cardan.Model(**model), until=0.1)
    with pytest.warns(cardan.ModelWarning, match=r"'disc' is 700 times as large as the mechanism; .* scale: 0.001"):
        assert scene_of(run).size > 600  # the picture has room for it


def test_meshes_that_cannot_be_shown_say_so(tmp_path):
    with pytest.warns(cardan.ModelWarning, match=r"part.obj of 'a' is not in the folders of the model and of the run"):
        scene_of(_with_mesh(tmp_path))
    (tmp_path / "part.obj").write_text("v 0 0")
    with pytest.warns(cardan.ModelWarning, match=r"a: .*part.obj is damaged.*; it is left out of the picture"):
        scene_of(_with_mesh(tmp_path))
    (tmp_path / "part.obj").write_text(TETRAHEDRON)
    other = tmp_path / "other"
    other.mkdir()
    with pytest.warns(cardan.ModelWarning, match=r"left out of the picture: give its folder to allow="):
        scene_of(_with_mesh(tmp_path), folders=[other])


def test_runs_of_which_no_picture_can_be_made_say_why(crane):
    with pytest.raises(cardan.ModelError, match="the run carries no model"):
        scene_of(Trajectory(np.zeros(1), np.zeros((1, 1)), ("s.q",), ("m",)))
    with pytest.raises(cardan.ModelError, match="the run has no instant"):
        scene_of(Trajectory(np.empty(0), np.empty((0, 1)), ("s.q",), ("m",)))
    with pytest.raises(cardan.ModelError, match=r"there is no body or marker 'payload\.hok' to trace\n.*payload\.hook"):
        scene_of(crane, ["payload.hok"])
    later = replace(crane, provenance=Provenance(source='{"cardan": 1, "wings": {}}', version="9.1"))
    with pytest.raises(cardan.ModelError, match=r"the model in the run cannot be read; Cardan 9\.1 wrote it"):
        scene_of(later)


def test_a_run_of_a_graph_alone_has_no_scene():
    graph = cardan.BondGraph(
        elements={"body": "1 translation", "m": {"type": "I", "inertia": 2}, "d": {"type": "R", "resistance": 1}},
        bonds=["body -> m, d"],
    )
    with pytest.raises(ModelError, match=r"(?s)the model has no bodies.*cardan.plot"):
        cardan.animate(cardan.simulate(graph, until=0.1))
    with pytest.raises(ModelError, match=r"(?s)is not a model.*cardan.Model\(graphs="):
        cardan.compile(graph)


def test_parts_of_a_drive_stand_one_behind_another_on_the_axis_of_its_joint():
    """In front of what the joint moves, on the carrier of the joint; the motion is the same wherever they are shown."""
    shape = {"type": "box", "size": [0.3, 0.2, 0.1]}
    joint = {"type": "revolute", "parent": {"body": "ground", "position": [0, 0, 1]}, "child": "arm", "axis": "x"}
    train = [
        {"shaft": {"stiffness": 100}},
        {"inertia": 1e-3, "name": "wheel"},
        {"shaft": {"stiffness": 50}},
        {"gear": 5},
    ]
    source = {"type": "torque", "value": "sin(5*t)", "inertia": 1e-3}
    model = cardan.Model(
        bodies={"arm": {"mass": 1, "com": [0, 0.2, 0], "inertia": [0.1, 0.1, 0.1], "shapes": [shape]}},
        joints={"r": joint},
        drives={"a": {"joint": "r", "carrier": "ground", "source": source, "train": train}},
    )
    run = cardan.simulate(model, 0.5)
    scene = scene_of(run)
    places = {part.owner: part.place for part in scene.parts if part.layer == "joints" and part.colour == "joint"}
    x = [places[name].p[0] for name in ("a_rotor", "wheel", "r")]
    assert x[2] == pytest.approx(0)
    assert x[0] < x[1] < -0.15  # beyond the box
    assert all(places[name].body == "ground" and places[name].p[2] == pytest.approx(1) for name in ("a_rotor", "wheel"))
    plain = {name: x.replace(drawn=None) for name, x in model.joints.items()}
    np.testing.assert_array_equal(cardan.simulate(model.replace(joints=plain), 0.5).x, run.x)


def test_a_part_that_is_shown_at_an_unknown_joint_is_refused():
    joint = {"type": "revolute", "parent": "ground", "child": "arm", "axis": "x", "drawn": {"at": "elbow", "before": 1}}
    with pytest.raises(ModelError, match="there is no joint 'elbow'"):
        cardan.Model(bodies={"arm": {"inertia": [1, 1, 1]}}, joints={"r": joint})


def test_a_rod_that_bends_is_one_solid_on_the_circle_that_a_moment_makes_of_it():
    """A moment M at its end makes a clamped rod an arc of radius E I/M. The first and the last hinge stand about h/24
    nearer to the ends than those of a polygon around the circle, each of which moves parts by h²/24R; at the hinges
    the parts turn by h/R, which the solid spreads over four rings, unevenly as a parabola does and where a half is
    h/24 shorter than the other."""
    n, edge, R = 10, 0.01, 1.0
    section = {"type": "rectangle", "width": edge, "height": edge}
    rod = {"type": "flexible", "length": 1, "segments": n, "section": section, "material": "steel", "color": "#123456"}
    moment = [0, 0, 210e9 * edge**4 / 12 / R]
    model = cardan.Model(
        gravity=[0, 0, 0],
        planar="xy",
        bodies={"rod": rod | {"markers": {"tip": {"position": [1, 0, 0]}}}},
        joints={"clamp": {"type": "fixed", "parent": "ground", "child": "rod"}},
        forces={"moment": {"type": "torque", "child": "rod.tip", "value": moment}},
        initial={"equilibrium": True},
    )
    run = cardan.simulate(model, times=[0])
    scene = scene_of(run)
    (drawn,) = scene.rods
    curve = rod_curve(ShownMotion(run), drawn)[0]
    np.testing.assert_allclose(curve[[0, -1]], [[0, 0, 0], run.array("rod.tip.position")[0]], atol=ROUNDING)
    away = np.linalg.norm(curve - [0, R, 0], axis=1) - R
    assert np.abs(away).max() < 2 * (1 / n) ** 2 / (24 * R)
    turns = np.diff(np.unwrap(np.arctan2(*np.diff(curve[:, :2], axis=0).T[::-1])))
    assert turns == pytest.approx(np.full(len(turns), 1 / n / 4 / R), rel=0.2)
    assert np.ptp(drawn.outline, axis=0) == pytest.approx([edge, edge])
    assert drawn.colour == "#123456"
    assert {part.owner for part in scene.parts} == {"clamp"}  # no joint, no spring and no part stands for itself
    (record,) = scene_document(scene)["rods"]
    assert record["rings"][0] == [0, 1, 0.0, 0.0, 0.0]
    assert len(record["rings"]) == len(curve)
