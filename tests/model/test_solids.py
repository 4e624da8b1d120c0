"""Mass, centre of mass and inertia of bodies from shapes with a density, against closed forms."""

import math
import struct

import casadi as ca
import numpy as np
import pytest

import cardan
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads
from cardan.model.body import Body
from cardan.model.meshes import solid_of_mesh
from tests.selection import each

RHO = 7850.0
EXACT = 1e-13  # some tens of roundings
MESH = 1e-12  # sums over some thousand tetrahedra


def properties(shapes, **values):
    body = Body(shapes=shapes).resolved(lambda scalar: scalar.evaluate(values.__getitem__))
    return float(body.mass), np.array([float(x) for x in body.com]), np.array(ca.DM(body.inertia_matrix()))


def test_a_box():
    m, c, I_C = properties([{"type": "box", "size": [0.2, 0.3, 0.5], "density": RHO, "position": [1, 2, 3]}])
    assert m == pytest.approx(RHO * 0.03, rel=EXACT)
    assert c.tolist() == [1, 2, 3]
    assert pytest.approx(m / 12 * np.diag([0.09 + 0.25, 0.04 + 0.25, 0.04 + 0.09]), rel=EXACT) == I_C


def test_a_cylinder_turned_along_x():
    m, _, I_C = properties(
        [{"type": "cylinder", "radius": "20 mm", "length": "0.4 m", "density": "7.85 g/cm^3", "rpy": [0, "90 deg", 0]}]
    )
    assert m == pytest.approx(RHO * math.pi * 0.02**2 * 0.4, rel=EXACT)
    across = m * (3 * 0.02**2 + 0.4**2) / 12
    assert pytest.approx(np.diag([m * 0.02**2 / 2, across, across]), rel=EXACT) == I_C


def test_a_sphere():
    m, c, I_C = properties([{"type": "sphere", "radius": 0.1, "density": RHO, "position": [0, 0, 1]}])
    assert m == pytest.approx(RHO * 4 / 3 * math.pi * 1e-3, rel=EXACT)
    assert c.tolist() == [0, 0, 1]
    assert pytest.approx(0.4 * m * 0.01 * np.eye(3), rel=EXACT) == I_C


def test_a_turned_box_has_products_of_inertia():
    _, _, I_C = properties([{"type": "box", "size": [0.2, 0.3, 0.5], "density": 12.0, "rpy": [0, 0, 0.3]}])
    m = 12.0 * 0.03
    A, B = m / 12 * (0.09 + 0.25), m / 12 * (0.04 + 0.25)
    C, S = math.cos(0.3), math.sin(0.3)
    assert I_C[0, 1] == pytest.approx((A - B) * C * S, rel=EXACT)
    assert I_C[0, 0] == pytest.approx(A * C**2 + B * S**2, rel=EXACT)


def test_two_balls_of_a_dumb_bell_and_its_handle_add_up():
    ball = {"type": "sphere", "radius": 0.05, "density": RHO}
    handle = {"type": "cylinder", "radius": 0.01, "length": 0.3, "density": 2700, "rpy": [0, "90 deg", 0]}
    shapes = [{**ball, "position": [-0.2, 0, 0]}, {**ball, "position": [0.2, 0, 0]}, handle]
    m, c, I_C = properties(shapes)
    m1, m2 = RHO * 4 / 3 * math.pi * 0.05**3, 2700 * math.pi * 1e-4 * 0.3
    assert m == pytest.approx(2 * m1 + m2, rel=EXACT)
    assert c == pytest.approx(0, abs=EXACT)
    expected = 2 * m1 * (0.4 * 0.05**2 + 0.04) + m2 * (3 * 1e-4 + 0.09) / 12
    assert I_C[1, 1] == pytest.approx(expected, rel=EXACT)
    assert I_C[0, 0] == pytest.approx(0.8 * m1 * 0.05**2 + m2 * 1e-4 / 2, rel=EXACT)


def test_a_negative_density_takes_material_away():
    tube = [
        {"type": "cylinder", "radius": 0.05, "length": 1, "density": RHO},
        {"type": "cylinder", "radius": 0.04, "length": 1, "density": -RHO},
    ]
    m, _, I_C = properties(tube)
    assert m == pytest.approx(RHO * math.pi * (0.05**2 - 0.04**2), rel=EXACT)
    assert I_C[2, 2] == pytest.approx(m * (0.05**2 + 0.04**2) / 2, rel=EXACT)


def test_shapes_without_a_density_are_for_drawing():
    box = {"type": "box", "size": [0.2, 0.3, 0.5]}
    assert properties([{**box, "density": 1000}, {"type": "sphere", "radius": 9}])[0] == pytest.approx(30)
    assert not Body(mass=2, shapes=[box]).is_solid


ROD = """
cardan: 1
parameters: {L: 1 m, rho: 7850 kg/m^3, d: 20 mm}
bodies:
  rod: {shapes: [{type: box, size: [L, d, d], position: [L/2, 0, 0], density: rho},
                 {type: sphere, radius: d, position: [L, 0, 0], density: rho}]}
joints: {hinge: {type: revolute, parent: ground, child: rod, axis: y}}
"""


def test_sizes_and_densities_stay_parameters_of_the_run():
    """A physical pendulum: a(0) = −g (m1 L/2 + m2 L)/I for any L, without a new model."""
    dynamics = cardan.compile(loads(ROD))
    for L, rho in ((1.0, 7850.0), (1.7, 2700.0)):
        m1, m2 = rho * L * 4e-4, rho * 4 / 3 * math.pi * 0.02**3
        inertia = m1 * (L**2 / 3 + 4e-4 / 12) + m2 * (L**2 + 0.4 * 4e-4)
        a = dynamics.forward_dynamics([0.0], [0.0], [0.0], parameters={"L": L, "rho": rho})
        assert float(a[0]) == pytest.approx(9.81 * (m1 / 2 + m2) * L / inertia, rel=1e-12)
    assert cardan.verify(loads(ROD)).ok


def test_a_model_with_densities_is_read_back_equal():
    model = loads(ROD)
    assert loads(dump(model)) == model
    assert model.replace(name="again").bodies == model.bodies
    assert "m1" in str(
        cardan.equations(
            loads(
                ROD.replace("[L, d, d]", "[1, 0.1, 0.1]")
                .replace("L/2", "0.5")
                .replace("radius: d, position: [L", "radius: 0.1, position: [1")
                .replace("density: rho", "density: 7850")
            ),
            symbols=True,
        ).M
    )
    assert "rho" in str(cardan.equations(model, symbols=True).M)


@each("key", ["mass: 2", "com: [0, 0, 0]", "inertia: [1, 1, 1]"])
def test_what_is_stated_and_follows_from_a_density_is_refused(key):
    with pytest.raises(ModelError) as error:
        loads(ROD.replace("rod: {", f"rod: {{{key}, "))
    (issue,) = error.value.issues
    assert issue.key == f"bodies.rod.{key.partition(':')[0]}"
    assert issue.line == 5
    assert "the shapes have a density" in issue.fault
    assert issue.cure == "keep the densities, or delete them from the shapes"


@each(
    "old, new, key, fault",
    [
        ("rho: 7850 kg/m^3", "rho: 7850 kg/m^2", "bodies.rod.shapes[0].density", "a density is needed"),
        ("rho: 7850 kg/m^3", "rho: 0 kg/m^3", "bodies.rod.shapes", "the shapes have the mass 0 kg"),
        ("rho: 7850 kg/m^3", "rho: -1 kg/m^3", "bodies.rod.shapes", "the shapes have the mass -0.0004335 kg"),
        ("d: 20 mm", "d: 0 mm", "bodies.rod.shapes[0].size[1]", "a length is positive"),
        ("radius: d", "radius: -0.1", "bodies.rod.shapes[1].radius", "a length is positive"),
        (
            "radius: d, position: [L, 0, 0], density: rho",
            "radius: 60 mm, density: -rho/4",
            "bodies.rod.shapes",
            "negative principal moment",
        ),
        ("d: 20 mm", "d: 1e200 m", "bodies.rod.shapes", "no finite inertia"),
        ("d: 20 mm", "d: 2**2**9", "bodies.rod.shapes", "no finite inertia"),
    ],
)
def test_impossible_solids_are_refused(old, new, key, fault):
    with pytest.raises(ModelError) as error:
        loads(ROD.replace(old, new))
    assert key in [issue.key for issue in error.value.issues]
    assert any(fault in issue.fault for issue in error.value.issues)
    assert all(issue.cure for issue in error.value.issues)


def cube(size=1.0, at=(0, 0, 0)):
    """Twelve triangles."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * size + at
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners[[(a, b, c) for a, b, c, d in quads] + [(a, c, d) for a, b, c, d in quads]]


def binary_stl(path, triangles):
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *np.ravel(triangle), 0) for triangle in triangles)
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(triangles)) + rows)


def text_stl(path, triangles):
    corner = "vertex {:.17g} {:.17g} {:.17g}"
    facets = [
        f"facet normal 0 0 0 outer loop {' '.join(corner.format(*p) for p in triangle)} endloop endfacet"
        for triangle in triangles
    ]
    path.write_text("solid part\n" + "\n".join(facets) + "\nendsolid part\n")


def obj(path, triangles):
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in triangles.reshape(-1, 3)]
    lines += [f"f {3 * k + 1}/1 {3 * k + 2}//3 {3 * k + 3}" for k in range(len(triangles))]
    path.write_text("# mesh\n" + "\n".join(lines) + "\n")


@pytest.mark.parametrize(("write", "name"), [(binary_stl, "p.stl"), (text_stl, "p.STL"), (obj, "p.obj")])
def test_a_mesh_of_a_cube_has_the_inertia_of_a_box(tmp_path, write, name):
    write(tmp_path / name, cube(2.0, (300, -20, 5)))
    shapes = [{"type": "mesh", "file": str(tmp_path / name), "scale": 0.01, "density": RHO}]
    m, c, I_C = properties(shapes)
    box = {"type": "box", "size": [0.02] * 3, "position": [3.01, -0.19, 0.06], "density": RHO}
    M, C, I_box = properties([box])
    assert m == pytest.approx(M, rel=MESH)
    assert c == pytest.approx(C, rel=MESH)
    assert pytest.approx(I_box, rel=MESH, abs=MESH * I_box[0, 0]) == I_C


def test_a_mesh_turned_inside_out_is_the_same_solid(tmp_path):
    obj(tmp_path / "a.obj", cube())
    obj(tmp_path / "b.obj", cube()[:, ::-1])
    assert solid_of_mesh(str(tmp_path / "a.obj")) == pytest.approx(solid_of_mesh(str(tmp_path / "b.obj")), abs=1e-15)


def test_quadrilaterals_and_corners_counted_backwards(tmp_path):
    corners = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    lines = ["v " + " ".join(map(str, corner)) for corner in corners]
    lines += ["f " + " ".join(str(k - 8) for k in quad) for quad in quads]
    (tmp_path / "c.obj").write_text("\n".join(lines))
    found = solid_of_mesh(str(tmp_path / "c.obj"))
    assert found == pytest.approx([1, 0.5, 0.5, 0.5, 1 / 6, 1 / 6, 1 / 6, 0, 0, 0], abs=1e-15)


def test_a_mesh_is_read_once_with_the_model_and_its_numbers_are_saved_with_it(tmp_path):
    (tmp_path / "parts").mkdir()
    obj(tmp_path / "parts" / "part.obj", cube())
    path = tmp_path / "m.yaml"
    path.write_text(ROD.replace("{type: sphere, radius: d,", "{type: mesh, file: parts/part.obj, scale: 0.1,"))
    model = cardan.load(path)
    (tmp_path / "parts" / "part.obj").unlink()
    cardan.save(model, tmp_path / "parts" / "copy.yaml")
    again = cardan.load(tmp_path / "parts" / "copy.yaml")
    assert again.bodies["rod"].shapes[1].integrals == model.bodies["rod"].shapes[1].integrals
    run = cardan.simulate(model, until=0.1)
    assert loads(run.provenance.source).bodies["rod"].shapes[1].integrals


def test_meshes_outside_of_the_folder_are_refused(tmp_path):
    (tmp_path / "own").mkdir()
    obj(tmp_path / "part.obj", cube())
    path = tmp_path / "own" / "m.yaml"
    path.write_text(ROD.replace("{type: sphere, radius: d,", "{type: mesh, file: ../part.obj,"))
    with pytest.raises(ModelError) as error:
        cardan.load(path)
    assert [issue.key for issue in error.value.issues] == ["bodies.rod.shapes[1].file"]
    assert cardan.load(path, allow=tmp_path).bodies["rod"].is_solid


def written(path, content):
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        obj(path, content)


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("open.obj", cube()[1:], "is open: 3 of its edges belong to one triangle only"),
        ("turned.obj", np.concatenate([cube()[1:], cube()[:1, ::-1]]), "opposite senses"),
        ("flat.obj", np.concatenate([cube()[:1], cube()[:1, ::-1]]), "encloses no volume"),
        ("none.obj", b"", "holds no triangles"),
        ("part.step", b"", "no mesh with a known extension"),
        ("part.stl", b"\0" * 90, "is damaged: it is neither text nor as long"),
        ("text.stl", b"solid a vertex 1 2", "is damaged"),
        ("nan.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3", "without finite corners"),
        ("corner.obj", b"v 0 0 0\nf 1 2 3", "a face names corner 2, and there are 1"),
    ],
)
def test_files_that_are_no_solid_are_refused(tmp_path, name, content, fault):
    written(tmp_path / name, content)
    with pytest.raises(ModelError, match=fault) as error:
        Body(shapes=[{"type": "mesh", "file": str(tmp_path / name), "density": 1000}])
    (issue,) = error.value.issues
    assert issue.key == "shapes[0].file"
    assert issue.cure


@each("file", ["gone.stl", "a\0b.stl"])
def test_a_file_that_is_not_there_is_refused(file):
    with pytest.raises(ModelError, match=r"cannot be read") as error:
        Body(shapes=[{"type": "mesh", "file": file, "density": 1000}])
    assert error.value.issues[0].key == "shapes[0].file"


def test_a_folder_in_place_of_a_mesh_is_refused(tmp_path):
    (tmp_path / "a.stl").mkdir()
    with pytest.raises(ModelError, match="is not a regular file"):
        Body(shapes=[{"type": "mesh", "file": str(tmp_path / "a.stl"), "density": 1000}])


@each("given", [[1, 2], 3, ["x"] * 10, [math.nan] * 10, [10**400] * 10])
def test_other_than_ten_integrals_are_refused(given):
    with pytest.raises(ModelError, match="are not ten numbers"):
        Body(shapes=[{"type": "mesh", "file": "a.stl", "density": 1, "integrals": given}])


def test_a_scale_has_to_be_positive():
    with pytest.raises(ModelError, match="scale"):
        Body(shapes=[{"type": "mesh", "file": "a.stl", "scale": -1}])
