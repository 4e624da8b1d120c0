"""What `simulate` is told: inputs, start, instants, parameters; and that it does exactly that.

A mass on a rail under piecewise given forces has a closed solution, which the integrators reproduce to round-off.
"""

import pickle
import re
import warnings

import numpy as np
import pytest
from tests.selection import each

import cardan
from cardan.errors import ModelError
from cardan.functions.system_functions import functions_of
from cardan.model.signal import Table

EXACT = 1e-10  # over seconds, on metres: what the project promises where the inputs jump
MASS, FORCE, SWITCH = 2.0, 3.0, 0.3


@pytest.fixture(scope="module")
def block():
    """A mass on a rail, without gravity and friction; `c` is its force as a parameter."""
    return cardan.Model(
        gravity=[0, 0, 0],
        parameters={"c": FORCE, "double": "2*c"},
        bodies={"block": {"mass": MASS}},
        joints={"rail": {"type": "prismatic", "parent": "ground", "child": "block", "axis": "x"}},
    )


@pytest.fixture(scope="module")
def crane():
    """The model of the gallery."""
    return cardan.load("overhead_crane")


TIMES = np.linspace(0, 1, 101)


def push(block, signal, **options):
    """A run of the block under a force."""
    options = {"times": TIMES, "rtol": 1e-12, "atol": 1e-13, **options}
    return cardan.simulate(block, motors="none", inputs={"rail": signal}, **options)


def parabola(a, t, x0=0.0, v0=0.0):
    """Position under a constant acceleration."""
    return x0 + v0 * t + a * t**2 / 2


@each("signal", [FORCE, "3 N", "c", "double/2", "0.003 kN", {"table": [[0, FORCE]]}, Table(table=[["1 s", "3 N"]])])
def test_a_constant_force_may_be_written_in_many_ways(block, signal):
    run = push(block, signal)
    np.testing.assert_allclose(run.array("rail.q"), parabola(FORCE / MASS, TIMES), atol=EXACT, rtol=0)
    np.testing.assert_allclose(run.array("rail.v"), FORCE / MASS * TIMES, atol=EXACT, rtol=0)
    np.testing.assert_allclose(run.array("rail.a"), FORCE / MASS, rtol=1e-14)
    np.testing.assert_allclose(run.array("rail.effort"), FORCE, rtol=1e-14)


def switched(t):
    """Position where the force changes from FORCE to −2 FORCE at SWITCH."""
    a, late = FORCE / MASS, np.maximum(t - SWITCH, 0)
    return parabola(a, np.minimum(t, SWITCH)) + a * SWITCH * late - parabola(2 * a, late)


@each(
    "signal",
    [
        "if(t < 0.3, c, -2*c)",
        "c - 3*c*step(t - 0.3)",
        "-0.5*c - 1.5*c*sign(t - 0.3)",
        {"table": [[0, FORCE], [SWITCH, FORCE], [SWITCH, -2 * FORCE]]},
        {"table": [[0, FORCE], [SWITCH, -2 * FORCE]], "interpolation": "step"},
    ],
)
@each("method", ["dop853", "tsit5"])
def test_jumps_are_stepped_to_and_not_over(block, signal, method):
    run = push(block, signal, method=method)
    np.testing.assert_allclose(run.array("rail.q"), switched(TIMES), atol=EXACT, rtol=0)
    assert run.statistics["rejected"] == 0  # nothing on the way is rougher than a parabola


def test_switches_at_parameters_move_with_them(block):
    model = block.replace(parameters={"c": FORCE, "double": "2*c", "late": 0.5})
    signal = "if(t < late, c, -2*c)"
    np.testing.assert_allclose(
        push(model, signal, parameters={"late": SWITCH}).array("rail.q"), switched(TIMES), rtol=0, atol=EXACT
    )


def test_a_jumping_force_law_is_stepped_to_as_well(block):
    kick = {"type": "force", "child": "block", "value": ["if(t < 0.3, c, -2*c)", 0, 0]}
    run = cardan.simulate(block.replace(forces={"kick": kick}), times=TIMES, motors="none", rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(run.array("rail.q"), switched(TIMES), atol=EXACT, rtol=0)


def test_a_table_is_affine_between_its_samples(block):
    """A ramp of force gives a cubic, and constant force before and after it."""
    run = push(block, {"table": [[0.2, 0], [0.7, FORCE]]})
    slope, begin, end = FORCE / 0.5 / MASS, 0.2, 0.7
    on = np.clip(TIMES - begin, 0, end - begin)
    after = np.maximum(TIMES - end, 0)
    v_end = slope * (end - begin) ** 2 / 2
    expected = slope * on**3 / 6 + v_end * after + parabola(FORCE / MASS, after)
    np.testing.assert_allclose(run.array("rail.q"), expected, atol=EXACT, rtol=0)


@each("method", ["tsit5", "dop853", "rodas5p"])
def test_a_cubic_table_of_a_cubic_law_is_that_law(block, method):
    """Constant force until the table begins and after it ends; a polynomial of the fifth degree between them."""
    t, begin, end = np.array([0.1, 0.25, 0.4, 0.7, 0.8]), 0.1, 0.8
    law = np.polynomial.Polynomial([FORCE, -2 * FORCE, 5 * FORCE, -3 * FORCE])
    table = {"table": np.column_stack([t, law(t)]).tolist(), "interpolation": "cubic"}
    run = cardan.simulate(
        block, inputs={"rail": table}, motors="none", times=TIMES, method=method, rtol=1e-12, atol=1e-13
    )
    inner = law.integ(2)
    v_in = law(begin) / MASS * begin
    x_in = v_in * begin / 2

    def inside(t):
        x = (inner(t) - inner(begin) - inner.deriv()(begin) * (t - begin)) / MASS
        return x_in + v_in * (t - begin) + x

    v_out = v_in + (inner.deriv()(end) - inner.deriv()(begin)) / MASS
    after = inside(end) + v_out * (TIMES - end) + parabola(law(end) / MASS, TIMES - end)
    expected = np.where(begin > TIMES, parabola(law(begin) / MASS, TIMES), np.where(end > TIMES, inside(TIMES), after))
    np.testing.assert_allclose(run.array("rail.q"), expected, atol=EXACT, rtol=0)
    np.testing.assert_allclose(run.array("rail.effort"), law(np.clip(TIMES, begin, end)), atol=1e-13, rtol=0)


def test_inputs_of_the_call_replace_those_of_the_model(crane):
    assert cardan.simulate(crane, times=[0, 0.1]).array("drive.voltage")[0] == 10
    assert cardan.simulate(crane, times=[0, 0.1], inputs={"drive": "12 V"}).array("drive.voltage")[0] == 12


def test_without_motors_the_inputs_are_efforts_and_the_voltages_of_the_model_do_not_count(crane):
    at_rest = cardan.simulate(crane, times=[0, 1], motors="none")
    np.testing.assert_array_equal(at_rest.x, 0)
    pulled = cardan.simulate(crane, times=[0, 1e-3], motors="none", inputs={"travel": 2.85})
    assert pulled.array("travel.a")[0] == pytest.approx(
        2.85 / 2, rel=1e-14
    )  # the payload hangs still at first: M⁻¹ of q = 0


def test_start_by_every_name(crane):
    start = {"travel": "100 mm", "swing.q": "10 deg", "swing.v": 0.3, "travel.v": 0.2, "drive.current": 1.5}
    run = cardan.simulate(crane, times=[0, 0.01], initial=start)
    np.testing.assert_allclose(run.x[0], [0.1, np.deg2rad(10), 0.2, 0.3, 1.5], rtol=1e-15)


def test_start_of_the_call_replaces_that_of_the_model_name_by_name():
    arm = cardan.load("planar_manipulator")
    run = cardan.simulate(arm, times=[0, 0.01], initial={"elbow": {"guess": 0.4}, "shoulder.v": 0.1})
    np.testing.assert_allclose(run.x[0], [-np.pi / 2, 0.4, 0.1, 0, 0, 0], rtol=1e-15)


def test_currents_at_the_start_do_not_matter_where_they_are_no_states(crane):
    run = cardan.simulate(crane, times=[0, 0.01], motors="simplified", initial={"drive.current": 3})
    assert run.state_names == ("travel.q", "swing.q", "travel.v", "swing.v")


@pytest.fixture(scope="module")
def flying():
    """A free body."""
    joints = {"fly": {"type": "free", "parent": "ground", "child": "stone"}}
    return cardan.Model(bodies={"stone": {"mass": 1, "inertia": [1, 2, 2.5]}}, joints=joints)


def test_free_bodies_start_upright_and_their_quaternions_at_unit_length(flying):
    start = {"fly.vz": 3.0, "fly.x": 1.0, "fly.wx": 0.5}
    run = cardan.simulate(flying, times=[0, 0.5], initial=start)
    np.testing.assert_array_equal(run.x[0], [1, 0, 0, 1, 0, 0, 0, 0, 0, 3, 0.5, 0, 0])
    assert run.array("fly.z.q")[1] == pytest.approx(1.5 - 9.81 / 8, abs=1e-9)
    longer = cardan.simulate(flying, times=[0, 0.1], initial={"fly": {"quaternion": [3, 0, 4, 0]}})
    np.testing.assert_allclose(longer.x[0, 3:7], [0.6, 0, 0.8, 0], rtol=1e-15)


def test_exactly_the_given_times_come_back(crane):
    times = [0.0, 1e-9, 1 / 3, 1 / 3, 0.7]
    run = cardan.simulate(crane, times=times)
    np.testing.assert_array_equal(run.t, times)
    np.testing.assert_array_equal(run.x[2], run.x[3])
    late = cardan.simulate(crane, times=[0.5], until=0.7)
    np.testing.assert_array_equal(late.t, [0.5])
    assert late.statistics["reached"] == 0.7
    whole = cardan.simulate(crane, times=[0.0, 0.5, 0.7])
    np.testing.assert_allclose(late.x[0], whole.x[1], rtol=1e-12)  # integration starts at t = 0 all the same


def test_the_end(crane):
    assert cardan.simulate(crane).t[-1] == 5.0  # as the model says
    assert cardan.simulate(crane, until="500 ms").t[-1] == 0.5
    assert cardan.simulate(crane, times=[0, 0.25]).t[-1] == 0.25
    named = crane.replace(parameters={**crane.parameters, "T": "0.2 s"}, simulate={"until": "3*T"})
    assert cardan.simulate(named, parameters={"T": 0.1}).t[-1] == pytest.approx(0.3, rel=1e-15)
    evenly = cardan.simulate(crane, until=0.5).t
    assert np.isin(np.linspace(0, 0.5, 1001), evenly).all()


def test_a_run_can_be_pickled_and_its_results_evaluated_elsewhere(block):
    run = push(block, "c*cos(5*t)")
    text = pickle.dumps(run)
    functions_of.cache_clear()  # as in another process
    again = pickle.loads(text)
    np.testing.assert_array_equal(again.array("rail.a"), run.array("rail.a"))
    assert (again.status, again.names, again.provenance) == (run.status, run.names, run.provenance)


@each(
    "options, message",
    [
        ({"inputs": {"driv": 1}}, r"there is no input 'driv'\n.*'drive'"),
        ({"inputs": {"travel": 1}}, "'travel' is the effort on a joint, .*motors='full'\n.*motors=\"none\""),
        ({"motors": "none", "inputs": {"drive": 1}}, "'drive' is the voltage of a motor, and motors are off"),
        ({"inputs": {"drive": "1/(r - r)"}}, r"inputs\.drive: .* is inf"),
        ({"inputs": 12.0}, "inputs=12.0 is not given by name"),
        ({"initial": {"swing": 1, "swing.q": 2}}, "'swing' and 'swing.q' are the same state"),
        ({"inputs": {"drive": "20*sin(w*t)"}}, "names 'w', which is nothing in this model"),
        ({"inputs": {"drive": [1, 2]}}, r"inputs\.drive: a list is not a signal"),
        ({"inputs": {"drive": {"file": "none.csv"}}}, r"inputs\.drive\.file: none.csv cannot be read"),
        ({"inputs": {"drive": {"table": [[1, 0], [0, 1]]}}}, r"inputs\.drive\.table\[1\]: .*out of order"),
        ({"inputs": {"drive": "10 N"}}, r"inputs\.drive: '10 N' is .*, but a value in V is needed here"),
        ({"inputs": {"drive": {"table": [[0, "1 N"]]}}}, "'1 N' is"),
        ({"inputs": {"drive": "mp"}}, "'mp' is"),
        ({"motors": "none", "inputs": {"travel": "3 V"}}, "but a value in N is needed"),
        ({"initial": {"swingg": 1}}, r"the state has no entry 'swingg'\n.*'swing'"),
        ({"initial": {"swing": "3 s"}}, r"initial\.swing: '3 s' is .*, but a value in rad is needed here"),
        ({"initial": {"travel": "L/rw"}}, "but a value in m is needed"),
        ({"initial": {"swing": float("nan")}}, "finite"),
        ({"initial": {"swing": "0/(r - r)"}}, r"initial\.swing\.q: swing\.q is not finite at the start"),
        ({"initial": {"swing": "mpp"}}, r"initial\.swing: the name 'mpp' is not a parameter\n.*'mp'"),
        ({"parameters": {"mpp": 1}}, "mpp"),
        ({"parameters": {"mp": "3 m"}}, "3 m"),
        ({"until": 0}, "the run would end at t = 0 s"),
        ({"until": -1}, "the run would end at t = -1 s"),
        ({"until": float("inf")}, "inf"),
        ({"until": "3 m"}, r"^until: '3 m' is a length"),
        ({"until": "3*T"}, "the name 'T' is not a parameter"),
        ({"times": [0, 2, 1]}, "in order"),
        ({"times": [0, np.nan], "until": 1}, "finite"),
        ({"times": [-1, 1]}, "times= begin at -1 s"),
        ({"times": [-1, 0]}, "times= begin at -1 s"),
        ({"times": [0, 9], "until": 1}, "times= go on after the end of the run, 1 s"),
        ({"times": [0, 2], "until": 1}, "later until"),
        ({"times": []}, "times= must be"),
        ({"motors": "all"}, "motors='all' is not possible"),
        ({"stabilization": "glue"}, "stabilization='glue' is not possible"),
        ({"stabilization": "baumgarte", "alpha": -1}, "alpha=-1 is not possible"),
        ({"stabilization": "baumgarte", "beta": float("inf")}, "beta=inf is not possible"),
        ({"stabilization": "baumgarte", "beta": "20"}, "beta='20' is not possible"),
        ({"alpha": 5}, "alpha= is a gain of Baumgarte's stabilization, which stabilization='projection' does not use"),
    ],
)
def test_what_cannot_be_is_refused(crane, options, message):
    with pytest.raises(ModelError, match=message):
        cardan.simulate(crane, **options)


def test_an_end_is_needed(block):
    with pytest.raises(ModelError, match="no end is given"):
        cardan.simulate(block)


@each("given", [{"fly.qw": 0}, {"fly.qx": "30 deg"}, {"fly.qw": 0.5}, {"fly.qx": {"guess": 1}}])
def test_coordinates_that_make_no_unit_quaternion_are_refused(flying, given):
    with pytest.raises(ModelError, match=r"'fly' has the length .*, not 1\n.*fly: \{rpy: \[0, 0, 30 deg\]\}"):
        cardan.simulate(flying, until=1, initial=given)


def test_a_coordinate_without_unit_takes_a_number(flying):
    with pytest.raises(ModelError, match=r"'1 V' is a voltage, but a number without unit is needed here"):
        cardan.simulate(flying, until=1, initial={"fly.qw": "1 V"})


SLIDE = {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x"}
BALL = {"type": "spherical", "parent": "ground", "child": "a"}
STRUT = {"type": "spring_damper", "child": "a", "stiffness": 10, "damping": 1}
TWIST = {"type": "torsion_spring", "child": "a", "axis": "z", "stiffness": 1}


@each(
    "joint, force, start, advice",
    [
        (SLIDE, STRUT, {"x": 0}, "its markers coincide.* leave out its damping"),
        (SLIDE, {**STRUT, "damping": 0, "rest_length": 0.1}, {"x": 0}, "its markers coincide"),
        (SLIDE, {"type": "force", "child": "a", "value": ["1/x", 0, 0]}, {"x": 0}, "division by zero"),
        (BALL, TWIST, {"x.qw": 0, "x.qx": 1}, "tilted by half a turn.* choose another axis"),
    ],
)
def test_a_force_without_a_value_ends_the_run_with_its_name(joint, force, start, advice):
    fine = {"type": "force", "child": "a", "value": [1, 0, 0]}
    body = {"mass": 1, "inertia": [1, 1, 1]}
    model = cardan.Model(bodies={"a": body}, joints={"x": joint}, forces={"fine": fine, "bad": force})
    run = cardan.simulate(model, until=1.0, initial=start)
    assert run.status == "non_finite"
    assert re.search(f"force 'bad' has no value there: .*{advice}", run.message)
    assert "fine" not in run.message


@each("law", [{"rest_length": 0.3}, {"damping": 1}, {"rest_length": "l"}])
def test_a_strut_between_markers_that_always_coincide_is_refused(law):
    """Its force would be 0 without a word: k (ℓ − ℓ0) times a line that is exactly zero."""
    force = {"type": "spring_damper", "child": "a", "stiffness": 10}
    model = cardan.Model(
        parameters={"l": 0.3, "e": 0}, bodies={"a": {"mass": 1, "inertia": [1, 1, 1]}}, joints={"x": BALL}
    )
    with pytest.raises(
        ModelError, match=r"forces\.strut: its markers coincide in every position(.|\n)*another position"
    ):
        cardan.simulate(model.replace(forces={"strut": force | law}), until=1)
    for without_line in (force, force | law | {"axis": "x"}):
        assert cardan.simulate(model.replace(forces={"strut": without_line}), until=0.1).ok
    aside = {"body": "ground", "position": ["e", 0, 0]}
    cardan.assemble(model.replace(forces={"strut": force | law | {"parent": aside}}))  # another e may be given later


def test_other_accelerations_that_are_not_finite_keep_the_general_advice():
    model = cardan.Model(
        bodies={"a": {"mass": 1}}, joints={"x": SLIDE}, forces={"bad": STRUT}, inputs={"x": "1/(t - t)"}
    )
    run = cardan.simulate(model, until=1.0, motors="none", initial={"x": 1})
    assert run.status == "non_finite"
    assert "singular position" in run.message


def test_results_of_motors_that_took_no_part_say_how_to_get_them():
    run = cardan.simulate(cardan.load("overhead_crane"), until=0.1, motors="none")
    with pytest.raises(KeyError, match=r'this run has motors="none".* motors="full" or "simplified"'):
        run["drive.current"]
    with pytest.raises(KeyError, match="known: "):
        run["drive.heat"]


@each("apart", [1e-10, 1e-17, 1e-100])
def test_a_spring_between_points_that_nearly_coincide_has_its_force(apart):
    """k ℓ0 along their line, however short it is; damping acts along the line alone."""
    spring = {"type": "spring_damper", "parent": "ground", "child": "b", "rest_length": 0.5}
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"b": {"mass": 2, "inertia": [1, 1, 1]}},
        joints={"j": {"type": "planar", "parent": "ground", "child": "b"}},
        forces={"f": {**spring, "stiffness": 100, "damping": 5}},
        initial={"j.x": apart, "j.y.v": 1.0},
    )
    run = cardan.simulate(model, times=[0.0])
    assert run.array("j.x.a")[0] == pytest.approx(100 * 0.5 / 2, rel=1e-9)
    assert run.array("j.y.a")[0] == pytest.approx(0, abs=1e-12)


@each("kind", [{"type": "program", "by": ["z"]}, {"type": "expression"}])
@each(
    "law, words",
    [
        ("if(x > 0.1, 0.1, 0)", r"the relation 'p' jumps by 0\.1, for example at x = 0\.1, z = "),
        ("0.2*step(x - 0.1)", r"jumps by 0\.2, for example at x = 0\.1"),
        ("abs(x - 0.3)", r"has a kink, for example at x = 0\.3"),
        ("if(x > 0.1, (x - 0.1)**3, 0)", ""),
        ("0.1*sin(x) + max(0, x)**3", ""),
    ],
)
def test_relations_that_jump_or_kink_with_the_position_get_a_warning(kind, law, words):
    model = cardan.Model(
        gravity=[0, 0, 0],
        bodies={"a": {"mass": 3}, "b": {"mass": 1}},
        joints={
            "x": {"type": "prismatic", "parent": "ground", "child": "a", "axis": "x"},
            "z": {"type": "prismatic", "parent": "a", "child": "b", "axis": "z"},
        },
        constraints={"p": {**kind, "expression": f"z - ({law})"}},
        initial={"x.v": 1, "x": 0},
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cardan.simulate(model, times=[0.0])
    texts = [str(one.message) for one in caught]
    assert len(texts) == bool(words), texts
    assert not words or re.search(words, texts[0])


@each("by", ["travel", "swing"])
@each(
    "relation, error, words",
    [
        ({"expression": "load.hook.z + 1 - 0.05*t**2"}, ModelError, "the effort of {by} cannot drive 'path' in the"),
        ({"velocity": "load.hook.vz - 0.05*t"}, ModelError, "the effort of {by} cannot drive 'path' in the position"),
        ({"expression": "load.hook.z + 1"}, cardan.AssemblyError, "'path' cannot be enforced: its derivatives vanish"),
        ({"expression": "cos(swing) - 1"}, cardan.AssemblyError, "'path' cannot be enforced: its derivatives vanish"),
    ],
)
def test_a_program_that_starts_where_its_derivatives_vanish_is_refused(by, relation, error, words):
    """The height of a load on a rope that hangs straight down."""
    model = cardan.Model(
        planar="xz",
        bodies={
            "trolley": {"mass": 5},
            "load": {"mass": 2, "com": [0, 0, -1], "markers": {"hook": {"position": [0, 0, -1]}}},
        },
        joints={
            "travel": {"type": "prismatic", "parent": "ground", "child": "trolley", "axis": "x"},
            "swing": {"type": "revolute", "parent": "trolley", "child": "load", "axis": [0, -1, 0]},
        },
        constraints={"path": {"type": "program", "by": [by], **relation}},
    )
    with pytest.raises(error, match=words.format(by=by)):
        cardan.simulate(model, until=1)
