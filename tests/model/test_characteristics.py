"""Tables in `let:` are numbers of the model: over time, over coordinates, from files, and written as they were read."""

import casadi
import numpy as np
import pytest
from scipy.interpolate import RectBivariateSpline

import cardan
from cardan.codegen import compile_function
from cardan.errors import ModelError
from cardan.formats.yaml import dump, loads, save
from cardan.model.expressions.operations import CASADI, FLOAT
from tests.selection import each

MODEL = """
cardan: 1
bodies: {block: {mass: 2}}
joints: {slide: {type: prismatic, parent: ground, child: block, axis: x}}
let:
  gust: GUST
  twice: 2*gust
forces: {wind: {type: force, child: block, value: [twice, 0, 0]}}
outputs: {gust: gust}
simulate: {until: 4 s}
"""


def model(gust):
    return loads(MODEL.replace("GUST", gust))


def test_a_force_over_time_has_its_impulse_and_steps_end_at_its_jumps():
    run = cardan.simulate(model("{table: [[0, 1 N], [1 s, 3], [1, 0], [2, 0], [2, 5], [3, 5]], of: t}"), rtol=1e-10)
    assert run.ok
    assert run.array("slide.v")[-1] == pytest.approx(2 * (2 + 5 * 2) / 2, rel=1e-12)  # areas; m = 2 kg, twice the table


def test_a_characteristic_over_a_coordinate_is_a_spring():
    m = model("{table: [[-1, 2], [1, -2]], of: slide}")  # with twice 4 N/m
    run = cardan.simulate(m, initial={"slide": 0.5}, times=[0.0, 1.0])
    assert run.array("slide.q")[-1] == pytest.approx(0.5 * np.cos(np.sqrt(4 / 2)), abs=1e-7)


def test_steps_hold_until_the_next_row():
    run = cardan.simulate(
        model("{table: [[0, 1], [1, 2], [1, 3], [2, 0]], interpolation: step}"), times=[0, 0.9, 1, 2, 3]
    )
    np.testing.assert_array_equal(run.array("gust"), [1, 1, 3, 0, 0])


def test_a_table_is_what_interpolate_is():
    one = model("{table: [[0, 1], [1, 3], [4, 0]], of: slide + t}")
    other = model("interpolate(slide + t, 0, 1, 1, 3, 4, 0)")
    assert one.let["gust"].names == other.let["gust"].names == {"slide", "t"}
    runs = [cardan.simulate(m, times=[0.0, 2.0]) for m in (one, other)]
    np.testing.assert_array_equal(runs[0].array("slide.q"), runs[1].array("slide.q"))


def test_a_file_is_read_from_the_folder_of_the_model_and_written_as_a_table(tmp_path, monkeypatch):
    (tmp_path / "wind").mkdir()
    (tmp_path / "wind" / "gust.csv").write_text("x,t,f\n0,0,1\n5,1,3\n")
    (tmp_path / "m.yaml").write_text(MODEL.replace("GUST", "{file: wind/gust.csv, column: f}"))
    found = cardan.load(tmp_path / "m.yaml")
    assert loads(dump(found)) == found == model("{table: [[0.0, 1.0], [1.0, 3.0]]}")
    save(found, tmp_path / "copy.yaml")
    assert cardan.load(tmp_path / "copy.yaml") == found
    assert str(found.let["gust"]) == "table of 2 rows over t"
    over_x = MODEL.replace("GUST", "{file: wind/gust.csv, of: slide}")  # the first column, as none is called slide
    (tmp_path / "m.yaml").write_text(over_x)
    assert cardan.load(tmp_path / "m.yaml").let["gust"].source.samples() == ((0, 0), (5, 1))
    monkeypatch.chdir(tmp_path / "wind")
    with pytest.raises(ModelError, match=r"let.gust.file: .*outside of the model's folder"):
        model("{file: ../gust.csv}")


def test_a_part_of_a_template_has_its_own_argument():
    text = """
cardan: 1
templates:
  cart:
    bodies: {block: {mass: 1}}
    joints: {slide: {type: prismatic, parent: ground, child: block, axis: x}}
    let: {pull: {table: [[0, 1], [1, 0]], of: slide}}
    forces: {pull: {type: force, child: block, value: [pull, 0, 0]}}
parts: {a: {template: cart}, b: {template: cart}}
"""
    assert [scalar.names for scalar in loads(text).let.values()] == [{"a_slide"}, {"b_slide"}]


def test_documents_name_it_and_list_its_values():
    text = cardan.equations(model("{table: [[-1, 2], [1, -2.5]], of: slide}")).render()
    assert "2 f1(q)" in text
    assert "2.5" in text


@each(
    "gust, key, fault",
    [
        ("{of: t}", "let.gust", "either inline or as a file"),
        ("{table: [[0, 1], [1, 2]], file: a.csv}", "let.gust", "either inline or as a file"),
        ("{table: [[0, 1], [1, 2]], column: f}", "let.gust.column", "a column without a file"),
        ("{table: [[0, 1], [1, 2]], of: 2}", "let.gust.of", "is a constant"),
        ("{table: [[0, 1], [1, 2]], of: slid}", "let.gust", "names 'slid', which is nothing"),
        ("{table: [[0, 1], [1, 2*t]]}", r"let.gust.table\[1\]\[1\]", "is not a plain number"),
        ("{table: [[0, 1]]}", "let.gust.table", r"has 1 row\n"),
        ("{table: [[0, 1], [1, 2], [0, 2]]}", r"let.gust.table\[2\]", "out of order"),
        ("{table: [[0, 1], [0, 2], [0, 3]]}", r"let.gust.table\[2\]", "three rows stand at 0"),
        ("{file: nowhere.csv}", "let.gust.file", "cannot be read"),
        ("{tables: 1}", "let.gust", "unknown key 'tables'"),
    ],
)
def test_what_is_no_table_is_refused(gust, key, fault):
    with pytest.raises(ModelError, match=f"{key}.*{fault}"):
        model(gust)


def test_tables_of_one_size_are_not_taken_for_each_other():
    ends = [
        cardan.simulate(model(f"{{table: [[0, {y}], [1, {y}], [2, 0]], of: slide.v}}"), until=1).array("slide.v")[-1]
        for y in (1, 2)
    ]
    assert ends[0] == pytest.approx(1, rel=1e-9)  # twice the table over 2 kg, until the speed is 1 m/s
    assert ends[1] > 1.2


@each("outside, ends", [("hold", (0.0, 3.0)), ("extend", (-2.0, 5.0)), ("error", (np.nan, np.nan))])
@each("interpolation", ["linear", "cubic"])
def test_beyond_a_table(outside, ends, interpolation):
    rows = "[[0, 0], [1, 1], [2, 2], [3, 3]]"
    part = model(f"{{table: {rows}, of: slide, interpolation: {interpolation}, outside: {outside}}}").let["gust"]
    for x, y in zip((-2.0, 5.0), ends, strict=True):
        for functions, number in ((FLOAT, float), (CASADI, casadi.DM)):
            found = float(part.evaluate({"slide": number(x)}.__getitem__, functions))
            assert found == pytest.approx(y, abs=1e-14, nan_ok=True)


def test_a_cubic_table_is_a_spline():
    rows = [[x, float(np.sin(x))] for x in np.linspace(0, 3, 31).tolist()]
    part = model(f"{{table: {rows}, of: slide, interpolation: cubic}}").let["gust"]
    for x in (0.05, 1.234, 2.97):
        for functions, number in ((FLOAT, float), (CASADI, casadi.DM)):
            found = float(part.evaluate({"slide": number(x)}.__getitem__, functions))
            assert found == pytest.approx(np.sin(x), abs=5e-6)  # 0.1⁴/384 of the fourth derivative; more at the ends


@each("outside", ["hold", "extend"])
def test_a_table_over_two_expressions_is_bilinear(outside):
    rows = [[x, y, 2 + x - 3 * y + x * y] for y in (0, 0.5, 2) for x in (-1, 1, 4)]
    part = model(f"{{table: {rows}, of: [slide, slide.v], outside: {outside}}}").let["gust"]
    assert str(part) == "table of 9 rows over slide and slide.v"
    for x, y in ((0, 0), (3.3, 0.7), (-1, 2), (5, 3)):
        a, b = (min(x, 4), min(y, 2)) if outside == "hold" else (x, y)
        for functions, number in ((FLOAT, float), (CASADI, casadi.DM)):
            found = part.evaluate({"slide": number(x), "slide.v": number(y)}.__getitem__, functions)
            assert float(found) == pytest.approx(2 + a - 3 * b + a * b, abs=1e-12)


XS, YS = np.array([-1.0, -0.2, 0.5, 1.1, 3.0]), np.array([0.0, 0.4, 1.0, 2.5])


def surface(x, y):
    return np.sin(x + 0.3) * np.exp(-0.4 * y) + 0.1 * x * y


def cubic_map(function, outside):
    rows = [[float(x), float(y), float(function(x, y))] for y in YS for x in XS]
    return model(f"{{table: {rows}, of: [slide, slide.v], interpolation: cubic, outside: {outside}}}").let["gust"]


def values_of(part, x, y):
    """Value by floats, by CasADi's evaluator and by machine code, and the derivatives of the machine code."""
    symbols = casadi.SX.sym("x"), casadi.SX.sym("y")
    expression = part.evaluate(dict(zip(("slide", "slide.v"), symbols, strict=True)).__getitem__, CASADI)
    slopes = casadi.jacobian(expression, casadi.vertcat(*symbols))
    code = compile_function(casadi.Function("f", symbols, [expression, slopes]))
    value, slope = code(np.array([x]), np.array([y]))
    plain = [
        float(part.evaluate({"slide": number(x), "slide.v": number(y)}.__getitem__, functions))
        for functions, number in ((FLOAT, float), (CASADI, casadi.DM))
    ]
    return [*plain, float(value[0])], np.ravel(slope)


def test_a_cubic_table_over_two_expressions_is_the_spline_of_scipy():
    """RectBivariateSpline with degree 3 and no smoothing has the same knots: all but the second and last but one."""
    part = cubic_map(surface, "error")
    spline = RectBivariateSpline(XS, YS, surface(XS[:, None], YS), kx=3, ky=3)
    for x, y in [(-0.7, 0.1), (0.5, 1.0), (2.9, 2.4), (-1.0, 0.0), (3.0, 2.5), (0.1, 0.99), (1.1, 2.5)]:
        values, slopes = values_of(part, x, y)
        assert values == pytest.approx([float(spline(x, y)[0, 0])] * 3, abs=1e-13)
        expected = [float(spline(x, y, dx=1)[0, 0]), float(spline(x, y, dy=1)[0, 0])]
        assert slopes == pytest.approx(expected, abs=1e-12)


def test_a_cubic_table_keeps_products_of_cubics():
    def product(x, y):
        return (1 + x - 2 * x**3) * (3 - y + y**2 - 0.5 * y**3)

    values, _ = values_of(cubic_map(product, "hold"), 2.2, 1.7)
    assert values == pytest.approx([product(2.2, 1.7)] * 3, rel=1e-12)


@each("x, y", [(4.5, 1.3), (0.3, -1.0), (-3.0, 4.0)])
def test_beyond_a_cubic_table_over_two_expressions(x, y):
    spline = RectBivariateSpline(XS, YS, surface(XS[:, None], YS), kx=3, ky=3)
    a, b = np.clip(x, -1, 3), np.clip(y, 0, 2.5)
    f, fx, fy, fxy = (float(spline(a, b, dx=i, dy=j)[0, 0]) for i, j in ((0, 0), (1, 0), (0, 1), (1, 1)))
    wanted = {"hold": f, "extend": f + fx * (x - a) + fy * (y - b) + fxy * (x - a) * (y - b), "error": np.nan}
    for outside, expected in wanted.items():
        values, _ = values_of(cubic_map(surface, outside), x, y)
        assert values == pytest.approx([expected] * 3, abs=1e-12, nan_ok=True), outside


def test_rows_over_two_expressions_stand_in_any_order():
    rows = [[x, y, x + 3 * y] for x in (0, 1) for y in (0, 1, 2)]
    one, other = (model(f"{{table: {table}, of: [slide, t]}}").let["gust"] for table in (rows, rows[::-1]))
    assert one.expression == other.expression


def test_units_stand_in_the_header_of_a_file(tmp_path):
    (tmp_path / "cut.csv").write_text("v [mm/s], t, F [kN]\n0, 0, 0\n500, 1, 2\n")
    (tmp_path / "m.yaml").write_text(MODEL.replace("GUST", "{file: cut.csv, of: slide.v, column: F}"))
    found = cardan.load(tmp_path / "m.yaml")
    assert found.let["gust"].source.samples() == ((0, 0), (0.5, 2000))
    assert cardan.simulate(found).ok
    (tmp_path / "m.yaml").write_text(MODEL.replace("GUST", "{file: cut.csv, of: slide, column: F}"))
    with pytest.raises(ModelError, match=r"let\.gust\.of: 'slide' is a length, but the table is over a speed"):
        cardan.load(tmp_path / "m.yaml")
    (tmp_path / "cut.csv").write_text("v [furlong/x], F [N]\n0, 0\n500, 2\n")
    with pytest.raises(ModelError, match=r"cut\.csv, column 'v': 'furlong/x' is not a unit"):
        cardan.load(tmp_path / "m.yaml")


@pytest.mark.parametrize("unit", ["1", "-"])
def test_a_number_without_a_unit_has_one_or_a_dash_in_the_header_of_a_file(tmp_path, unit):
    (tmp_path / "cut.csv").write_text(f"v [m/s], share [{unit}]\n0, 0\n500, 2\n")
    (tmp_path / "m.yaml").write_text(MODEL.replace("GUST", "{file: cut.csv, of: slide.v, column: share}"))
    assert cardan.load(tmp_path / "m.yaml").let["gust"].source.samples() == ((0, 0), (500, 2))


@each(
    "table, text",
    [
        ("{table: [[0, 1], [1, 2], [2, 3]], interpolation: cubic}", "the table has 3 rows"),
        ("{table: [[0, 1], [1, 2], [1, 3], [2, 0]], interpolation: cubic}", "a spline does not jump"),
        ("{table: [[0, 1 N], [1, 2 m]]}", "stands in a column of"),
        ("{table: [[0, 0, 1], [1, 0, 2], [0, 1, 3]], of: [slide, t]}", "the table has 3 rows"),
        ("{table: [[0, 0, 1], [1, 0, 2], [0, 1, 3], [2, 1, 3]], of: [slide, t]}", "has a gap: no row stands at (1, 1)"),
        ("{table: [[0, 0, 1], [1, 0, 2], [0, 0, 3], [1, 1, 3]], of: [slide, t]}", "two rows stand at (0, 0)"),
        ("{table: [[0, 0, 1], [1, 0, 2], [2, 0, 3], [3, 0, 3]], of: [slide, t]}", "one place only along an axis"),
        ("{table: [[0, 0, 1], [1, 0, 2], [0, 1, 3], [1, 1, nan]], of: [slide, t]}", "nan"),
        (
            "{table: [[0, 0, 1], [1, 0, 2], [0, 1, 3], [1, 1, 2]], of: [slide, t], interpolation: cubic}",
            "four places or more along each axis, and there are 2",
        ),
        ("{table: [[0, 1], [1, 2]], outside: guess}", "'hold', 'extend' or 'error'"),
    ],
)
def test_tables_that_say_nothing_clear_are_refused(table, text):
    with pytest.raises(ModelError) as error:
        model(table)
    assert "let.gust" in str(error.value)
    assert text in str(error.value)
