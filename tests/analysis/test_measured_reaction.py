"""Reactions from recorded motions: those of the runs that made the records, and laws that reproduce them."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.interpolate import make_interp_spline

import cardan
from cardan.errors import ModelError, ModelWarning
from tests.selection import each
from tests.truths.test_non_ideal_constraints import FRICTION, LINE, SLOPE, in_plane, on_slides

TIGHT = {"rtol": 1e-11, "atol": 1e-12}
START = {"x.v": 2 * np.cos(SLOPE), "z.v": -2 * np.sin(SLOPE)}
TIMES = np.linspace(0, 0.5, 51)


@pytest.fixture(scope="module")
def sliding():
    """A bead that slides down a wire with friction 0.3."""
    model = in_plane(LINE | {"given": FRICTION}, START)
    return model, cardan.simulate(model, times=TIMES, **TIGHT)


def columns(run, names=("x", "z"), ends=("q", "v", "a", "effort")):
    return {"t": run.t} | {f"{name}.{end}": run.array(f"{name}.{end}").ravel() for name in names for end in ends}


def test_the_reaction_and_the_friction_of_a_run(sliding):
    model, run = sliding
    found = cardan.measured_reaction(model, run, "wire")
    np.testing.assert_allclose(found.world[:, [0, 2]], run.array("wire.force")[:, [0, 2]], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.path[:, :2], run.array("wire.force.path")[:, :2], rtol=0, atol=1e-9)
    assert found.friction.coefficient == pytest.approx(0.3, abs=1e-10)
    assert found.friction.standard_error < 1e-10
    assert found.friction.samples == 51
    assert found.missing < 1e-12
    assert np.isnan(found.world[:, 1]).all()
    assert "friction     0.3 ±" in str(found)


@each("law", ["friction", "log"])
def test_the_law_put_back_reproduces_the_record(sliding, law):
    _, run = sliding
    plain = in_plane(LINE, START)
    found = cardan.measured_reaction(plain, columns(run), "wire")
    wire = plain.constraints["wire"].replace(given=found.given(law))
    again = cardan.simulate(plain.replace(constraints={"wire": wire}), times=TIMES, **TIGHT)
    for name in ("x.q", "x.v", "wire.force"):
        np.testing.assert_allclose(
            np.nan_to_num(again.array(name)), np.nan_to_num(run.array(name)), rtol=0, atol=1e-8, err_msg=name
        )


def test_noise_shows_in_the_standard_error(sliding):
    model, run = sliding
    record = columns(run)
    rng = np.random.default_rng(0)
    for name in ("x", "z"):
        record[f"{name}.a"] = record[f"{name}.a"] + rng.normal(0, 0.05, len(run))
    fit = cardan.measured_reaction(model, record, "wire").friction
    assert fit.coefficient == pytest.approx(0.3, abs=4 * fit.standard_error)
    assert 0.05 * 2 / 17 / np.sqrt(51) == pytest.approx(fit.standard_error, rel=0.3)  # m σ / N / √n


def test_noise_larger_than_the_accelerations_warns(sliding):
    """1 kHz and noise of 10 µm: accelerations scatter by 10 µm times the gain of the splines, some 2.4/h²: 24 m/s².

    The bead slides with a constant acceleration of a few m/s². Noise of 0.1 µm is no doubt.
    """
    model, _ = sliding
    run = cardan.simulate(model, times=np.linspace(0, 0.5, 501), **TIGHT)
    rng = np.random.default_rng(0)

    def record(noise, ends):
        given = columns(run, ends=ends)
        return {k: x if k == "t" or "effort" in k else x + rng.normal(0, noise, len(run)) for k, x in given.items()}

    with pytest.warns(ModelWarning) as caught:
        cardan.measured_reaction(model, record(1e-5, ("q", "effort")), "wire")
    about_x = next(str(one.message) for one in caught if "'x.q'" in str(one.message))
    noise, scatter = map(float, re.match(r"noise of (\S+) m in 'x.q' .* by (\S+) m/s\^2", about_x).groups())
    assert noise == pytest.approx(1e-5, rel=0.25)  # a median of 495 dependent samples
    v = make_interp_spline(run.t, record(1e-5, ("q",))["x.q"], k=5)(run.t, 1)
    error = make_interp_spline(run.t, v, k=5)(run.t, 1) - run.array("x.a").ravel()
    assert np.std(error[50:-50]) == pytest.approx(scatter, rel=0.3)  # 400 dependent samples, and the noise above
    assert about_x.endswith("add x.v and x.a")
    with pytest.warns(ModelWarning, match=r"in 'x.v' changes .* add x.a$"):
        cardan.measured_reaction(model, record(0.05, ("q", "v", "effort")), "wire")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cardan.measured_reaction(model, record(1e-7, ("q", "effort")), "wire")
        still = {"t": run.t} | {
            f"{name}.q": factor * (0.3 + run.t) for name, factor in (("x", 1.0), ("z", -np.tan(SLOPE)))
        }
        cardan.measured_reaction(model, still, "wire")  # accelerations of round-off alone


@pytest.mark.exhaustive
def test_the_soil_of_the_digging_machine(tmp_path):
    """The drive moments and the motion give the force of the ground; its log put back digs the same way."""
    machine = cardan.load("digging_machine")
    run = cardan.simulate(machine, times=np.linspace(0, 0.3, 121), **TIGHT)
    cardan.save_run(run, tmp_path / "run.nc")
    found = cardan.measured_reaction(machine, tmp_path / "run.nc", "line")
    v = run.array("scoop.velocity")
    soil = -np.column_stack([60 + 30 * v[:, 0], 40 + 20 * v[:, 1]])
    np.testing.assert_allclose(found.world[:, :2], soil, rtol=0, atol=1e-7 * np.abs(soil).max())
    line = machine.constraints["line"].replace(given={"child": "scoop"} | found.given("log"))
    again = cardan.simulate(machine.replace(constraints={"line": line}), until=0.3)
    assert again.array("phi1.q")[-1] == pytest.approx(run.array("phi1.q")[-1], abs=1e-5)  # 121 rows, cubic


def test_a_loop_beside_the_constraint():
    """Reactions of other joints are unknown too: a coupler rod drags a block on a rough rail."""
    rail = {"type": "point_on_line", "child": "block", "axis": "x", "given": FRICTION}
    model = cardan.Model(
        planar="xy",
        gravity=[0, -9.81, 0],
        bodies={
            "crank": {"mass": 1, "inertia": [0, 0, 0.1], "markers": {"pin": {"position": [0.2, 0, 0]}}},
            "rod": {"mass": 1, "inertia": [0, 0, 0.1]},
            "block": {"mass": 3, "inertia": [0, 0, 0.1]},
        },
        joints={
            "crank": {"type": "revolute", "parent": "ground", "child": "crank", "axis": "z"},
            "pin": {"type": "revolute", "parent": "crank.pin", "child": "rod", "axis": "z"},
            "wrist": {
                "type": "revolute",
                "parent": {"body": "rod", "position": [0.5, 0, 0]},
                "child": "block",
                "axis": "z",
            },
        },
        constraints={"rail": rail, "level": {"type": "expression", "expression": "crank + pin + wrist"}},
        inputs={"crank": "20 N*m"},
        initial={"crank": 0.8, "pin": {"guess": -1.1}, "wrist": {"guess": 0.3}, "crank.v": 3},
    )
    run = cardan.simulate(model, times=np.linspace(0, 0.3, 31), **TIGHT)
    found = cardan.measured_reaction(model, run, "rail")
    np.testing.assert_allclose(found.path[:, :2], run.array("rail.force.path")[:, :2], rtol=0, atol=1e-7)
    assert found.friction.coefficient == pytest.approx(0.3, abs=1e-8)


def ladder(wall, foot):
    """A ladder of 3 m against a wall, which rubs with these coefficients; its middle is the centre of mass."""
    ends = {"bottom": {"position": [1.5, 0, 0]}, "top": {"position": [-1.5, 0, 0]}}
    line = {"type": "point_on_line", "parent": "ground"}
    constraints = {
        "wall": line | {"child": "rod.top", "axis": "z", "friction": {"coefficient": wall}},
        "foot": line | {"child": "rod.bottom", "axis": "x", "friction": {"coefficient": foot}},
    }
    initial = {"turn": 1.3, "turn.v": 0.8, "x": {"guess": 0.4}, "z": {"guess": 1.4}}
    return on_slides({"mass": 8, "inertia": [0, 6, 0], "markers": ends}, constraints, initial=initial)


def test_friction_of_other_constraints_is_no_part_of_the_reaction():
    """The ladder moves up, comes to rest, and stays: the instants at rest say nothing about the coefficient."""
    model = ladder(wall=0.15, foot=0.25)
    run = cardan.simulate(model, times=np.linspace(0, 0.6, 31), **TIGHT)
    assert [event.did for event in run.events] == ["stops", "stops"]
    record = columns(run, ("x", "z", "turn")) | {"foot.friction": run.array("foot.friction").ravel()}
    for given in (run, record):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = cardan.measured_reaction(model, given, "wall")
        np.testing.assert_allclose(found.path[:, :2], run.array("wall.force.path")[:, :2], rtol=0, atol=1e-9)
        assert found.friction.coefficient == pytest.approx(0.15, abs=1e-10)
        assert found.friction.samples == np.count_nonzero(run.array("wall.sticking") == 0)
    with pytest.warns(
        ModelWarning, match=r"friction of 'foot' counts as zero: the record has no column foot\.friction"
    ):
        cardan.measured_reaction(model, columns(run, ("x", "z", "turn")), "wall")


def test_friction_in_several_directions_is_named():
    plate = {"type": "planar", "parent": "ground", "child": "plate", "friction": {"effort": 2}}
    pin = {"type": "point_on_line", "parent": "ground", "child": "plate", "axis": "x"}
    bodies = {"plate": {"mass": 2, "inertia": [0.1, 0.1, 0.1]}}
    model = cardan.Model(planar="xy", bodies=bodies, joints={"plane": plate}, constraints={"slot": pin})
    record = {"t": [0.0]} | {f"plane.{c}.{end}": [float(end == "v")] for c in ("x", "y", "rz") for end in "qva"}
    with pytest.warns(ModelWarning, match="friction of 'plane' counts as zero: it acts in several directions"):
        cardan.measured_reaction(model, record, "slot")


def test_how_far_a_record_leaves_the_constraints():
    """A run keeps all equations. Angles and lengths that are a little off are residuals of the equations with them."""
    model = cardan.load("shaper")
    run = cardan.simulate(model, times=np.linspace(0, 0.3, 4), **TIGHT)
    found = cardan.measured_reaction(model, run, "cut")
    assert [(one.name, one.unit) for one in found.residuals] == [
        ("slot", "m"), ("slot", "rad"), ("cut", "m"), ("level", "1"),
    ]  # fmt: skip
    assert max(one.size for one in found.residuals) < 1e-12
    record = columns(run, ("crank", "pin", "pivot", "top", "end"))
    record["end.q"] = record["end.q"] + [0.0, 0.0, 1e-3, 0.0]  # turns the ram about the tool
    off = {(one.name, one.unit): one for one in cardan.measured_reaction(model, record, "cut").residuals}
    assert off["level", "1"].size == pytest.approx(1e-3, rel=1e-9)
    assert off["level", "1"].t == run.t[2]
    record["pivot.q"] = record["pivot.q"] + 1e-3  # the lever of 0.6 m, and with it the link
    off = {(one.name, one.unit): one for one in cardan.measured_reaction(model, record, "cut").residuals}
    assert off["slot", "rad"].size == pytest.approx(1e-3, rel=1e-6)  # its sine
    ram = np.array([run.array("ram.position")[k, :2] for k in range(4)])
    assert off["cut", "m"].size == pytest.approx(1e-3 * np.abs(ram[:, 0]).max(), rel=1e-3)  # first order in the angle
    assert "level 0.002 at t = 0.2 s" in str(cardan.measured_reaction(model, record, "cut"))


def test_columns_of_a_csv_file_and_of_a_dataset(sliding, tmp_path):
    model, run = sliding
    rows = columns(run)
    pd.DataFrame(rows).rename(columns={"x.v": "x.v [m/s]"}).to_csv(tmp_path / "record.csv", index=False)
    names = [name for name in rows if name != "t"]
    dataset = run.to_dataset(names)
    with pytest.raises(ModelError, match="the record has no instants"):
        cardan.measured_reaction(model, dataset.rename(time="instant"), "wire")
    rows["remark"] = ["begins", *[""] * (len(run) - 1)]
    for record in (tmp_path / "record.csv", dataset, pd.DataFrame(rows)):
        assert cardan.measured_reaction(model, record, "wire").friction.coefficient == pytest.approx(0.3, abs=1e-9)


@each(
    "change, text",
    [
        (lambda r: r.pop("x.q"), "the coordinate 'x' is not in the record"),
        (lambda r: r.pop("t"), "the record has no instants"),
        (lambda r: r.update(t=r["t"][::-1]), "the instants of the record do not grow"),
        (lambda r: r.update({"x.v": np.where(r["t"] == 0.1, np.nan, r["x.v"])}), "has no finite number at t = 0.1 s"),
        (
            lambda r: [r.update({"z.q": np.where(r["t"] == 0.1, np.nan, r["z.q"])}), r.pop("z.v"), r.pop("z.a")],
            "the column 'z.q' of the record has no finite number at t = 0.1 s, in row 11",
        ),
        (lambda r: r.update(t=np.where(r["t"] == 0.1, np.nan, r["t"])), "of the record has no number in the column t"),
        (
            lambda r: r.update({"x.q": ["0.1", *"abc", *r["x.q"][4:]]}),
            "record has no finite number at t = 0.01",
        ),
        (lambda r: r.update({"x.q": r["x.q"] + 1j}), "record has no finite number at t = 0 s"),
        (
            lambda r: r.update({"x.q": [[0, 1], [2], *r["x.q"][2:]]}),
            "record has no finite number at t = 0 s",
        ),
        (
            lambda r: r.update({"x.q": r["x.q"][:-3]}),
            "record has the shape (48,), but there are 51 instants",
        ),
        (lambda r: r.update({"x.q": 1.0}), "record has the shape (), but there are 51 instants"),
        (lambda r: r.update(t=0.0), "the instants of the record do not grow"),
    ],
)
def test_records_that_say_too_little_are_refused(sliding, change, text):
    model, run = sliding
    record = columns(run)
    change(record)
    with pytest.raises(ModelError) as error:
        cardan.measured_reaction(model, record, "wire")
    assert text in str(error.value)


@pytest.mark.parametrize(
    ("column", "unit", "needed"),
    [("t", "m", "s"), ("x.q", "kg", "m"), ("x.a", "m/s", "m/s^2"), ("x.effort", "N*m", "N")],
)
def test_columns_in_units_of_another_kind_are_refused(sliding, tmp_path, column, unit, needed):
    model, run = sliding
    rows = pd.DataFrame(columns(run)).rename(columns={column: f"{column} [{unit}]"})
    rows.to_csv(tmp_path / "record.csv", index=False)
    with pytest.raises(ModelError) as error:
        cardan.measured_reaction(model, tmp_path / "record.csv", "wire")
    assert f"the column {column!r} of" in str(error.value)
    assert f"is in {unit}, but {needed} is needed" in str(error.value)


def test_other_refusals(sliding, tmp_path):
    model, run = sliding
    few = {name: column[:3] for name, column in columns(run, ends=("q",)).items()}
    (tmp_path / "one.csv").write_text("t\n0\n")
    for record, constraint, text in (
        (run, "wir", "there is no constraint 'wir'"),
        (few, "wire", "too few to derive"),
        (3, "wire", "an object of type int is not a record"),
        (tmp_path / "none.csv", "wire", "cannot be read as CSV"),
        (tmp_path / "one.csv", "wire", "has no columns"),
    ):
        with pytest.raises(ModelError) as error:
            cardan.measured_reaction(model, record, constraint)
        assert text in str(error.value)
    with pytest.raises(ModelError, match="3 is not the name of a constraint"):
        cardan.measured_reaction(model, columns(run), 3)
    equation = in_plane({"type": "expression", "expression": "x + z"})
    with pytest.raises(ModelError, match="the constraint has no place"):
        cardan.measured_reaction(equation, columns(run), "wire")
    found = cardan.measured_reaction(model, {name: column[:1] for name, column in columns(run).items()}, "wire")
    with pytest.raises(ModelError, match="no friction was fitted"):
        found.given()
    with pytest.raises(ModelError, match="law='both' is not possible"):
        found.given("both")


ROD = {"type": "distance", "parent": {"body": "ground", "position": [0.3, 0, 1]}, "child": "arm.com", "length": 1}
BALL = cardan.Model(
    bodies={"arm": {"mass": 1, "com": [0.3, 0, 0], "inertia": [0.1, 0.1, 0.1]}},
    joints={"ball": {"type": "spherical", "parent": "ground", "child": "arm"}},
    constraints={"rod": ROD},
)


def test_a_ball_joint_needs_its_velocities():
    with pytest.raises(ModelError, match=r"the velocity 'ball\.wx' is not in the record"):
        cardan.measured_reaction(BALL, {"t": [0], **{f"ball.q{c}": [float(c == "w")] for c in "wxyz"}}, "rod")
    still = {"t": [0.0], **{f"ball.q{c}": [float(c == "w")] for c in "wxyz"}, **{f"ball.w{c}.v": [0.0] for c in "xyz"}}
    still |= {f"ball.w{c}.a": [0.0] for c in "xyz"}
    with pytest.raises(ModelError, match="the efforts do not determine the reaction of 'rod'"):
        cardan.measured_reaction(BALL, still, "rod")


def bead(limits):
    """A run of a bead on a rubbing wire that a carriage pushes; it reverses, or meets a stop of the carriage."""
    guide = {"type": "prismatic", "parent": "ground", "child": "carriage", "axis": "x", "damping": 0.3}
    model = cardan.Model(
        planar="xz",
        gravity=[0, 0, -9.81],
        bodies={"carriage": {"mass": 0.5}, "bead": {"mass": 2}},
        joints={
            "x": guide | {"limits": limits},
            "z": {"type": "prismatic", "parent": "carriage", "child": "bead", "axis": "z"},
        },
        constraints={
            "wire": {
                "type": "point_on_curve",
                "child": "bead",
                "equations": ["z - 0.3*x**2"],
                "friction": {"coefficient": 0.1},
            }
        },
        inputs={"x": "if(t < 0.3, -10, 5)"},
        initial={"x": 0.5, "z": {"guess": 0.075}},
    )
    return model, cardan.simulate(model, until=1, **TIGHT)


def test_derivatives_do_not_reach_across_a_jump():
    """The speed halves and reverses at a stop: splines of the velocities end there."""
    model, run = bead({"lower": 0.1, "restitution": 0.5})
    (k,) = np.flatnonzero(np.diff(run.t) == 0)
    near = slice(k - 100, k + 101)  # the input jumps outside
    record = {name: column[near] for name, column in columns(run, ends=("q", "v", "effort")).items()}
    record["x.stop_force"] = run.array("x.stop_force")[near]
    found = cardan.measured_reaction(model, record, "wire")
    assert len(found.t) == 200
    expected = np.delete(run.array("wire.friction")[near], 100)
    np.testing.assert_allclose(found.path[:, 0], expected, rtol=0, atol=1e-2)  # of 4 N; ends of splines
    few = {name: np.concatenate([column[97:101], column[101:]]) for name, column in record.items()}
    with pytest.raises(ModelError, match=r"the record has 4 instants from t = 0\.4\S* s to the next jump, too few"):
        cardan.measured_reaction(model, few, "wire")
    thrice = {name: np.insert(column, 100, column[100]) for name, column in record.items()}
    with pytest.raises(ModelError, match="the instants of the record do not grow"):
        cardan.measured_reaction(model, thrice, "wire")


def test_units_in_brackets_of_every_kind_of_record(sliding, tmp_path):
    model, run = sliding
    rows = columns(run)
    units = {"t": "s", "q": "m", "v": "m/s", "a": "m/s^2", "effort": "N"}
    written = {f"{name} [{units[name.rpartition('.')[2]]}]": column for name, column in rows.items()}
    written["x.q [mm]"] = 1000 * written.pop("x.q [m]")
    written |= {"wire.slip [1]": np.ones(len(run)), "ratio [-]": np.ones(len(run)), "level [furlongs per]": rows["t"]}
    frame = pd.DataFrame(written)
    frame.to_csv(tmp_path / "record.csv", index=False)
    for record in (written, frame, tmp_path / "record.csv"):
        assert cardan.measured_reaction(model, record, "wire").friction.coefficient == pytest.approx(0.3, abs=1e-9)
    wrong = frame.rename(columns={"x.a [m/s^2]": "x.a [gees per]"})
    wrong.to_csv(tmp_path / "wrong.csv", index=False)
    for record, where in ((wrong, "the record"), (tmp_path / "wrong.csv", str(tmp_path / "wrong.csv"))):
        with pytest.raises(ModelError, match=re.escape(f"the column 'x.a' of {where}: 'gees per' is not a unit")):
            cardan.measured_reaction(model, record, "wire")
    with pytest.raises(ModelError, match=r"the record has two columns 'x.q'"):
        cardan.measured_reaction(model, {**written, "x.q": rows["x.q"]}, "wire")
    with pytest.raises(ModelError, match=r"the column 'x\.v' of the record is in kg, but m/s is needed"):
        cardan.measured_reaction(model, frame.rename(columns={"x.v [m/s]": "x.v [kg]"}), "wire")


@each("unit", ["1", "-"])
def test_quaternions_are_columns_without_a_unit(unit):
    record = {"t": [0.0], **{f"ball.q{c} [{unit}]": [float(c == "w")] for c in "wxyz"}}
    record |= {f"ball.w{c}.{end}": [0.0] for c in "xyz" for end in "va"}
    with pytest.raises(ModelError, match="the efforts do not determine the reaction of 'rod'"):  # it was read
        cardan.measured_reaction(BALL, record, "rod")


@each(
    "changed, factor, fault",
    [
        ("t", 1e3, r"'x\.q' of the record changes by 0\.001 times the integral of 'x\.v' over t"),
        ("x.q", 1e3, r"'x\.q' of the record changes by 1000 times the integral of 'x\.v'"),
        ("x.a", -1.0, r"'x\.v' of the record changes by -1 times the integral of 'x\.a'"),
    ],
)
def test_columns_that_are_not_each_others_derivative_are_refused(sliding, changed, factor, fault):
    model, run = sliding
    record = columns(run)
    record[changed] = factor * record[changed]
    with pytest.raises(ModelError, match=fault):
        cardan.measured_reaction(model, record, "wire")


def test_a_record_that_does_not_keep_the_constraint_is_refused():
    """An angle measured from another zero: the scoop leaves its line by as much as it moves."""
    model = cardan.load("digging_machine").replace(accept=[])
    run = cardan.simulate(model, times=np.linspace(0, 0.3, 31), **TIGHT)
    record = {"t": run.t} | {f"{name}.q": run.array(f"{name}.q").ravel() for name in ("phi1", "phi2")}
    record["phi1.q"] = record["phi1.q"] + 1.0
    with pytest.raises(ModelError, match=r"the record does not keep 'line': it is off by \S+ m \(RMS\)"):
        cardan.measured_reaction(model, record, "line")


def test_semicolons_in_a_record_are_named(sliding, tmp_path):
    model, _ = sliding
    (tmp_path / "record.csv").write_text("t;x.q;z.q\n0;0;0\n")
    with pytest.raises(ModelError, match=r"separates its columns by semicolons\n.*commas"):
        cardan.measured_reaction(model, tmp_path / "record.csv", "wire")


def test_degrees_read_as_radians_are_refused_and_a_small_offset_is_not():
    """Positions, velocities and accelerations are derivatives of each other still: the constraint tells."""
    model = cardan.load("digging_machine").replace(accept=[])
    run = cardan.simulate(model, times=np.linspace(0, 0.3, 31), **TIGHT)
    record = columns(run, ("phi1", "phi2"), ("q", "v", "a"))
    degrees = {name: x if name == "t" else np.rad2deg(x) for name, x in record.items()}
    with pytest.raises(ModelError, match="the record does not keep 'line'"):
        cardan.measured_reaction(model, degrees, "line")
    cardan.measured_reaction(model, record | {"phi1.q": record["phi1.q"] + 2e-3}, "line")
    rng = np.random.default_rng(0)
    still = {"t": run.t} | {
        f"{name}.q": run.array(f"{name}.q")[0] + rng.normal(0, 1e-4, 31) for name in ("phi1", "phi2")
    }
    still |= {f"{name}.{what}": np.zeros(31) for name in ("phi1", "phi2") for what in ("v", "a")}
    cardan.measured_reaction(model, still, "line")
