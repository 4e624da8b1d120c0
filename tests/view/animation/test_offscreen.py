"""Pictures by VTK: bodies lie where the page draws them, and where the data say; films without a browser."""

from importlib.resources import files

import numpy as np
import pytest

import cardan
from cardan.errors import ModelError, ModelWarning
from cardan.view.animation import browser, renderers
from cardan.view.animation.animate import LAYERS
from cardan.view.animation.offscreen import pieces, snapshot, solids
from cardan.view.animation.offscreen.camera import round_near, standpoint
from cardan.view.scene import scene_of
from cardan.view.scene.directions import along
from cardan.view.scene.look import LOOK

Image = pytest.importorskip("PIL.Image")
SIZE = (480, 360)
ONLY = ["shapes", "masses", "joints", "links", "motors", "gears", "ground"]  # what lines and letters do not blur
OTHERS = [layer for layer in LAYERS if layer not in ONLY]


@pytest.fixture(scope="module")
def vtk():
    return pytest.importorskip("vtkmodules", reason='no VTK: pip install "cardan[video]"')


@pytest.fixture(scope="module")
def run():
    return cardan.simulate(cardan.load("slider_crank"), until=0.6)


def _picture(run, folder, renderer, **options):
    path = folder / f"{renderer}.png"
    cardan.animate(run, path, size=SIZE, renderer=renderer, **options)
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB")).astype(int)


def _pixel(scene, point, size=SIZE):
    """Where a point of the world lies in a picture from the start's camera: a pinhole, by hand."""
    camera = standpoint(scene, "start", size[0] / size[1])
    ahead = (camera.target - camera.eye) / camera.distance
    right = np.cross(ahead, scene.up)
    right /= np.linalg.norm(right)
    way = point - camera.eye
    per_unit = size[1] / 2 / np.tan(np.radians(LOOK["camera"]["angle"]) / 2) / (way @ ahead)
    return size[0] / 2 + per_unit * (way @ right), size[1] / 2 - per_unit * (way @ np.cross(right, ahead))


def _mask(picture):
    """Where there is no background (the corner between the title and the clock)."""
    return np.abs(picture - picture[SIZE[1] // 2, 0]).max(axis=2) > 24


@pytest.mark.parametrize(
    "name", ["slider_crank", "overhead_crane", "four_bar", "flyball_governor", "planar_3rrr", "manipulator_6dof"]
)
def test_bodies_cover_the_same_pixels_as_on_the_page(vtk, name, tmp_path):
    """Two programs that share a scene and a table: what they draw differs by less than a pixel along the outline."""
    pytest.importorskip("playwright")
    if not browser.is_found():
        pytest.skip("no Chromium")
    run = cardan.simulate(cardan.load(name), until=0.4)
    by_vtk, by_page = (
        _mask(_picture(run, tmp_path, one, at=0.3, theme="light", hide=OTHERS))[30:-30] for one in ("vtk", "browser")
    )
    outline = by_page & ~(_moved(by_page, 0) & _moved(by_page, 1))
    assert by_page.sum() > 300
    assert (by_vtk ^ by_page).sum() < outline.sum()
    assert not (by_vtk & ~_grown(by_page)).any()
    assert not (by_page & ~_grown(by_vtk)).any()


def _moved(mask, axis):
    return np.roll(mask, 1, axis) & np.roll(mask, -1, axis)


def _grown(mask, pixels=2):
    out = mask.copy()
    for i in range(-pixels, pixels + 1):
        for k in range(-pixels, pixels + 1):
            out |= np.roll(mask, (i, k), (0, 1))
    return out


def test_a_body_is_drawn_where_the_data_say(vtk, run, tmp_path):
    """The pixel at the slider has the slider's colour at each instant, by a camera worked out by hand."""
    scene = scene_of(run)
    green = []
    for k in (0, int(np.argmin(run.array("slider_x")))):
        picture = _picture(run, tmp_path, "vtk", at=float(run.t[k]), hide=["joints", "traces"])
        x, y = _pixel(scene, run.array("slider.position")[0])
        colour = picture[round(y) + 5, round(x)]
        green.append(colour[1] - colour[[0, 2]].max())
    assert green[0] > 20 > green[1]  # the third colour of bodies; then the slider has left


def test_themes_and_layers_are_those_of_the_table(vtk, run, tmp_path):
    for theme in ("light", "dark"):
        picture = _picture(run, tmp_path, "vtk", theme=theme)
        wanted = [int(LOOK["themes"][theme]["background"][k : k + 2], 16) for k in (1, 3, 5)]
        assert (np.abs(picture - wanted).max(axis=2) <= 1).mean() > 0.3
    with_arrows = _picture(run, tmp_path, "vtk", show=["reactions"])
    assert np.abs(with_arrows - _picture(run, tmp_path, "vtk")).max() > 100


def test_the_camera_follows_a_body(vtk, run, tmp_path):
    """A body that the camera goes along with stays at its pixel."""
    hidden = [layer for layer in LAYERS if layer != "shapes"]
    means = []
    for at in (0.0, 0.3):
        picture = _picture(run, tmp_path, "vtk", at=at, hide=hidden, follow="slider")
        green = (picture[..., 1] - picture[..., [0, 2]].max(axis=2)) > 20
        means.append([axis.mean() for axis in np.nonzero(green)])
    np.testing.assert_allclose(means[0], means[1], atol=4)  # the rod covers another part of it


def test_films_without_a_browser(vtk, run, tmp_path, monkeypatch):
    monkeypatch.setattr(renderers, "is_found", lambda: False)
    cardan.animate(run, tmp_path / "crank.gif", size=(160, 120), rate=5, speed=0.6)
    with Image.open(tmp_path / "crank.gif") as film:
        assert film.n_frames == 6  # one second at 5 per second, both ends
        first = np.asarray(film.convert("L")).astype(int)
        film.seek(2)
        assert np.abs(np.asarray(film.convert("L")).astype(int) - first).max() > 40
    reader = pytest.importorskip("imageio_ffmpeg")
    cardan.animate(run, tmp_path / "crank.mp4", size=(161, 120), rate=5, speed=0.6)
    assert reader.count_frames_and_secs(str(tmp_path / "crank.mp4"))[0] == 6


def test_a_gif_keeps_what_stands_still_and_its_time(vtk, tmp_path):
    """A run of 0.3 s takes six seconds, to the hundredth, and less than its pictures one by one as PNG."""
    run = cardan.simulate(cardan.load("slider_crank"), until=0.3)
    cardan.animate(run, tmp_path / "crank.gif", renderer="vtk", rate=3)
    with Image.open(tmp_path / "crank.gif") as film:
        assert film.size == (640, 360)
        durations = []
        for k in range(film.n_frames):
            film.seek(k)
            durations.append(film.info["duration"])
    assert sum(durations) == pytest.approx(1000 * 19 / 3, abs=5)  # the last picture stays as long as the others
    pictures = 0.0
    for t in np.linspace(0.0, 0.3, 4):
        cardan.animate(run, tmp_path / "one.png", size=(640, 360), renderer="vtk", at=float(t))
        pictures += (tmp_path / "one.png").stat().st_size / 4
    assert (tmp_path / "crank.gif").stat().st_size < 19 * pictures


def test_names_are_not_drawn_by_vtk_and_it_says_so(vtk, run, tmp_path):
    with pytest.warns(ModelWarning, match="VTK draws no names: install a browser"):
        cardan.animate(run, tmp_path / "crank.png", size=SIZE, renderer="vtk", show=["labels"])


def test_a_machine_without_opengl_is_told_what_to_install(vtk, run, tmp_path, monkeypatch):
    """VTK ends its process there, which must not be the user's."""
    from cardan.view.animation.offscreen import stage

    monkeypatch.setattr(stage, "_TRIAL", "import os; os.abort()")
    stage._can_draw.cache_clear()
    with pytest.raises(ModelError, match=r"VTK finds no OpenGL.*\n.*libegl1.*\.html"):
        cardan.animate(run, tmp_path / "crank.png", size=SIZE, renderer="vtk")
    stage._can_draw.cache_clear()
    assert not [*tmp_path.iterdir()]


# What draws, and what is missing; without drawing.


def test_the_browser_draws_where_it_is_found_and_vtk_elsewhere(monkeypatch):
    monkeypatch.setattr(renderers, "find_spec", lambda name: object())
    for found, renderer in ((True, "browser"), (False, "vtk")):
        monkeypatch.setattr(renderers, "is_found", lambda found=found: found)
        assert renderers.renderer_for(".png") == renderer
        assert renderers.renderer_for(".png", "vtk") == "vtk"


def test_a_browser_without_the_package_that_drives_it_is_not_said_to_be_missing(monkeypatch):
    monkeypatch.setattr(renderers, "is_found", lambda: False)
    monkeypatch.setattr(renderers, "browser_path", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(renderers, "find_spec", lambda name: None if name in ("vtkmodules", "playwright") else name)
    with pytest.raises(ModelError, match=r'drawn by a browser need the package playwright.*\n.*"cardan\[video\]"'):
        renderers.renderer_for(".png")


def test_without_browser_and_vtk_both_cures_are_named(monkeypatch):
    monkeypatch.setattr(renderers, "browser_path", lambda: None)
    monkeypatch.setattr(renderers, "is_found", lambda: False)
    monkeypatch.setattr(renderers, "find_spec", lambda name: None if name == "vtkmodules" else object())
    with pytest.raises(ModelError, match=r'neither is found\n.*"cardan\[video\]".*apt install chromium.*\.html'):
        renderers.renderer_for(".png")
    with pytest.raises(ModelError, match=r'drawn by VTK need the package vtk, .*\n.*"cardan\[video\]"'):
        renderers.renderer_for(".png", "vtk")
    with pytest.raises(ModelError, match=r"renderer='vkt' is not possible\n.*browser, vtk"):
        renderers.check_renderer(".png", "vkt")


def test_a_page_is_not_drawn_by_vtk(run, tmp_path):
    with pytest.raises(ModelError, match=r"VTK draws no page.*\n.*\.png, \.gif or \.mp4"):
        cardan.animate(run, tmp_path / "crank.html", renderer="vtk")
    assert not [*tmp_path.iterdir()]
    cardan.animate(run, tmp_path / "crank.html", renderer="browser")


# Places and solids, by hand.


def test_places_between_two_instants_lie_between_them(run):
    """At an instant the poses are those of the run; halfway the middle of both."""
    scene = scene_of(run)
    now = snapshot.snapshot(scene, float(scene.instants[40]))
    for k, name in enumerate(scene.bodies):
        np.testing.assert_allclose(now.bodies[name][:3, 3], scene.positions[40, k], atol=1e-12)
    half = snapshot.snapshot(scene, float(scene.instants[40:42].mean()))
    np.testing.assert_allclose(half.bodies["slider"][:3, 3], scene.positions[40:42, 2].mean(axis=0), atol=1e-12)
    R = half.bodies["crank"][:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
    for t, k in ((-1.0, 0), (9.0, scene.instants.size - 1)):
        np.testing.assert_allclose(snapshot.snapshot(scene, t).bodies["rod"][:3, 3], scene.positions[k, 1])


def _volume(solid):
    """Volume of a closed surface whose triangles all turn the same way (divergence theorem)."""
    a, b, c = (solid.corners[solid.triangles[:, k]] for k in range(3))
    return abs(np.sum(np.einsum("ni,ni->n", a, np.cross(b, c)))) / 6


def _polygon(n):
    """Area of a regular polygon over that of the circle around it times π."""
    return n / 2 * np.sin(2 * np.pi / n)


@pytest.mark.parametrize(
    ("form", "volume"),
    [
        ({"type": "box", "size": [1.0, 2.0, 3.0]}, 6.0),
        ({"type": "cylinder", "radius": 0.5, "length": 2.0}, 0.5 * _polygon(40)),
        ({"type": "cylinder", "radius": 0.5, "length": 2.0, "sides": 6}, 0.5 * _polygon(6)),
        ({"type": "ring", "radius": 1.0, "inner": 0.5, "length": 2.0}, 1.5 * _polygon(40)),
        ({"type": "cone", "radius": 1.0, "length": 1.0}, _polygon(24) * (1 + 0.12 + 0.12**2) / 3),
    ],
)
def test_solids_have_the_volume_of_their_forms(form, volume):
    """Of the polygons with as many corners as on the page; twelve digits of round-off."""
    solid = solids.solid_of(form)
    assert _volume(solid) == pytest.approx(volume, rel=1e-12)


def test_balls_gears_and_coils_have_their_sizes():
    ball = solids.solid_of({"type": "sphere", "radius": 2.0})
    np.testing.assert_allclose(np.linalg.norm(ball.corners, axis=1), 2.0)
    bowl = solids.solid_of({"type": "bowl", "radius": 2.0})
    assert bowl.corners[:, 2].max() == pytest.approx(0.0, abs=1e-12)
    gear = {"type": "gear", "radius": 1.0, "teeth": 20, "length": 0.1, "internal": False}
    r = np.linalg.norm(solids.solid_of(gear).corners[:, :2], axis=1)
    np.testing.assert_allclose([r.max(), r[r > 0].min()], [1.05, 0.95])  # half a tooth of 2 r/z on either side
    ring = np.linalg.norm(solids.solid_of({**gear, "internal": True}).corners[:, :2], axis=1)
    np.testing.assert_allclose([ring.max(), ring.min()], [1.2, 0.95])
    coil = solids.solid_of({"type": "coil", "radius": 1.0, "length": 4.0, "turns": 5, "wire": 0.1})
    np.testing.assert_allclose(coil.corners[:, 2].min(), -2.0, atol=1e-6)  # 32-bit corners
    rotor = solids.solid_of({"type": "rotor", "radius": 1.0, "length": 0.2})
    area = 20 * np.sin((2 * np.pi - 0.7) / 40) + 0.25 * np.sin(0.35)  # 40 chords, and the notch
    assert _volume(rotor) == pytest.approx(0.2 * area, rel=1e-12)
    mesh = {"type": "mesh", "corners": np.eye(3), "triangles": np.array([[0, 1, 2]])}
    assert solids.solid_of(mesh).triangles.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("way", [[0, 0, 1], [0, 0, -1], [0.6, 0, 0.8], [0, -1, 0], [0.48, 0.6, -0.64]])
def test_pieces_turn_to_a_direction(way):
    R = pieces.turned_to(np.array(way, dtype=float))
    np.testing.assert_allclose(R[:, 2], way, atol=1e-12)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
    assert np.linalg.det(R) == pytest.approx(1.0)
    assert np.linalg.norm(along(np.array(way, dtype=float))[:, 2] - R[:, 2]) < 1e-12


def test_springs_and_arrows_reach_from_end_to_end():
    """The corners of a spring's coil stand at its two ends, and an arrow is as long as its load says."""
    model = cardan.Model(
        name="spring",
        bodies={"b": {"mass": 2.0, "com": [0, 0, 0]}},
        joints={"slide": {"type": "prismatic", "axis": "z", "parent": "ground", "child": "b"}},
        forces={"s": {"type": "spring_damper", "parent": "ground", "child": "b", "stiffness": 50.0, "damping": 0.1}},
        initial={"slide": 0.5},
    )
    scene = scene_of(cardan.simulate(model, until=0.3))
    now = snapshot.snapshot(scene, 0.15)
    end = now.bodies["b"][2, 3]
    found = pieces.pieces(scene, "light", {"links"})
    assert len(found) == 3  # coil, tube, stem
    z = [_z(one, now) for one in found]
    np.testing.assert_allclose([z[0].min(), z[0].max()], np.sort([0.0, end]), atol=1e-6)
    np.testing.assert_allclose(
        [np.concatenate(z[1:]).min(), np.concatenate(z[1:]).max()], np.sort([0.0, end]), atol=1e-9
    )
    scale = pieces.arrow_scales(scene, {"gravity"})["force"]
    assert scale * 2.0 * 9.81 == pytest.approx(0.25 * scene.size, rel=1e-3)  # standard gravity
    shaft, head = pieces.pieces(scene, "light", {"gravity"})
    assert _z(head, now).min() == pytest.approx(end - 0.25 * scene.size, rel=1e-9)
    assert _z(shaft, now).max() == pytest.approx(end, rel=1e-9)


def _z(piece, now):
    T = piece.where(now)
    return (piece.solid.corners @ T[:3, :3].T + T[:3, 3])[:, 2]


def test_round_numbers():
    assert [round_near(x) for x in (0.011, 0.02, 0.3, 0.6, 0.8, 12)] == pytest.approx([0.01, 0.02, 0.2, 0.5, 1, 10])


def test_the_style_of_the_page_has_the_colours_of_the_table():
    style = files("cardan.view.animation").joinpath("viewer", "page.css").read_text(encoding="utf-8").splitlines()
    for line, theme in zip(style, ("light", "dark"), strict=False):
        for name, role in (("ground", "background"), ("ink", "text"), ("quiet", "quiet")):
            assert f"--{name}: {LOOK['themes'][theme][role]};" in line


def test_the_page_holds_the_table(run):
    """The program in the package was built from the table as it is now: its numbers and colours stand in it."""
    program = files("cardan.view.animation").joinpath("viewer", "viewer.js").read_text(encoding="utf-8")
    for colour in [*LOOK["themes"]["dark"].values(), *LOOK["arrows"].values(), *LOOK["axes"]]:
        assert colour in program
