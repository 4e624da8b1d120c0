"""What a person sees at the prompt: short texts, readable signatures, completion without names of other libraries."""

import inspect
import sys

import pydantic
import pytest
from tests.selection import each

import cardan
from cardan.errors import ModelError

FOREIGN = {name for name in dir(pydantic.BaseModel) if not name.startswith("__")}


@pytest.fixture(scope="module")
def crane():
    return cardan.load("overhead_crane")


@each(
    "call, words",
    [
        (cardan.equations, ["overhead crane", "composite_body", "travel, swing", "drive", "M, C, D"]),
        (cardan.mobility, ["2 degrees of freedom", "no loops", "regular position"]),
        (cardan.assemble, ["no loops", "travel = 0, swing = 0"]),
        (cardan.linearize, ["not all motions decay", "travel.q, swing.q", "drive", "± 3.744j"]),
        (cardan.verify, ["14 of 14 checks hold"]),
    ],
)
def test_results_show_themselves_in_a_few_lines(crane, call, words):
    text = repr(call(crane))
    assert len(text.splitlines()) <= 3
    assert max(map(len, text.splitlines())) <= 120
    assert [word for word in words if word not in text] == []


def test_loops_and_failures_are_named():
    model = cardan.load("four_bar")
    assert "closed by C" in repr(cardan.mobility(model))
    assert "loops are closed within" in repr(cardan.assemble(model))
    found = cardan.verify(model, states=1)
    wrong = found.checks[0].__class__("M is symmetric", 0.5, 1e-11, "")
    text = repr(found.__class__("four-bar", "none", 1, 0, (wrong,), ("lagrange: too long",)))
    assert "0 of 1 checks hold" in text
    assert "FAILED: M is symmetric (5.0e-01, allowed 1e-11)" in text
    assert "left out: lagrange: too long" in text


def test_signatures_have_names_and_plain_defaults(crane):
    text = str(inspect.signature(cardan.Model))
    assert "gravity=[0, 0, -9.81], planar=None, parameters={}" in text
    assert "pydantic" not in text
    assert len(text) < 400
    assert "parent, child" in str(inspect.signature(type(crane.joints["swing"])))


def test_signatures_stay_plain_when_a_record_is_made():
    cardan.Body(mass="2 kg")  # pydantic builds the class now, and writes a signature of its own
    assert str(inspect.signature(cardan.Body)).startswith("(*, mass=0, com=[0, 0, 0]")


def test_completion_lists_what_belongs_to_a_record(crane):
    for record in (crane, crane.joints["swing"], crane.bodies["payload"], crane.motors["drive"]):
        public = {name for name in dir(record) if not name.startswith("_")}
        assert not public & FOREIGN
        assert type(record).model_fields.keys() <= public
        assert "replace" in public
    assert not {"Any", "import_module", "annotations"} & set(dir(cardan))


def test_a_model_that_is_refused_can_be_shown_by_a_debugger():
    with pytest.raises(ModelError):
        cardan.Model(bodies=3)
    shown = []
    try:
        cardan.Model(bodies=3)
    except ModelError:
        trace = sys.exc_info()[2]
        while trace is not None:
            shown += [repr(x) for x in trace.tb_frame.f_locals.values() if isinstance(x, cardan.Model)]
            trace = trace.tb_next
    assert shown
    assert set(shown) == {"Model that was refused"}
