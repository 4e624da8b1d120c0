"""Machine code is found on disk by what functions are made from, without building their expressions."""

import math

import pytest

import cardan
from cardan.formats import yaml
from cardan.functions.system_functions import APART, SystemFunctions, functions_of, origin
from cardan.model.quantities.scalar import Scalar
from cardan.simulation.hybrid.contacts.impacts import Impacts
from cardan.simulation.hybrid.event_functions import EventFunctions, event_functions
from cardan.system.constrained import NO_CONSTRAINTS, Selection


@pytest.fixture
def crank():
    """The model of the gallery; its moments of inertia name two parameters each."""
    return cardan.load("slider_crank")


@pytest.fixture
def _empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDAN_CACHE_DIR", str(tmp_path))


def made(model, motors="full", expressions=(), choice=NO_CONSTRAINTS):
    """Functions as another process makes them."""
    functions_of.cache_clear()
    return functions_of(model, motors, tuple(expressions), choice)


@pytest.mark.usefixtures("_empty_cache")
def test_no_expressions_are_built_for_machine_code_on_disk(crank, monkeypatch):
    first = [made(crank).address(name, lanes=lanes) for name, lanes in (("derivative", 0), ("tangent", None))]

    def refuse(*given):
        raise AssertionError("built again")

    monkeypatch.setattr(SystemFunctions, "interpreted", refuse)
    again = [made(crank).address(name, lanes=lanes) for name, lanes in (("derivative", 0), ("tangent", None))]
    for one, other in zip(first, again, strict=True):
        assert (one.n_in, one.n_out, one.lanes, one.length) == (other.n_in, other.n_out, other.lanes, other.length)
    with pytest.raises(AssertionError, match="built again"):
        made(crank).address("derivative", first=2)
    with pytest.raises(AssertionError, match="built again"):
        made(crank, "none").address("derivative")


def test_everything_that_functions_depend_on_is_in_their_key(crank):
    """All differ: motors, equations that are solved, sizes of pivots, expressions, and each section of the model."""
    keys = [
        made(crank)._origin,
        made(crank, "none")._origin,
        made(crank, choice=Selection((0,)))._origin,
        made(crank, choice=Selection((0, 1), damped=(1e-10, 1e-10)))._origin,
        made(crank, choice=Selection((0, 1), damped=(1e-10, math.nextafter(1e-10, 1.0))))._origin,
        made(crank, expressions=[("drive", Scalar.read("3*t"))])._origin,
        made(crank, expressions=[("drive", Scalar.read("4*t"))])._origin,
        made(crank, expressions=[("drove", Scalar.read("4*t"))])._origin,
    ]
    for section in ("bodies", "joints", "motors", "parameters", "initial"):
        keys.append(origin(crank.unchecked(**{section: type(crank.parameters)()}), "full"))
    assert len(set(keys)) == len(keys)


def test_what_no_function_depends_on_is_not_in_the_key(crank):
    other = crank.model_copy(update={"name": "another", "outputs": type(crank.outputs)()})
    assert origin(crank, "full") == origin(other, "full")
    assert set(type(crank).model_fields) >= APART


EVENTFUL = """
cardan: 1
parameters: {h: 0.1 m}
bodies: {mass: {mass: 1}}
joints:
  slide: {type: prismatic, parent: ground, child: mass, axis: z, friction: {effort: 1}, limits: {lower: -1}}
events: {low: {when: "height - h", do: record}}
outputs: {height: "mass.z"}
"""


@pytest.mark.usefixtures("_empty_cache")
def test_functions_of_events_are_not_built_again(monkeypatch):
    """What outputs mean is part of their key, since conditions may name them."""

    def prepared(text):
        functions_of.cache_clear()
        event_functions.cache_clear()
        return cardan.prepare(yaml.loads(text), until=0.1)

    first = prepared(EVENTFUL).run()

    def refuse(self, found):
        raise AssertionError("built again")

    monkeypatch.setattr(EventFunctions, "conditions", refuse)
    monkeypatch.setattr(Impacts, "problems", refuse)
    again = prepared(EVENTFUL).run()
    assert (first.array("slide.q") == again.array("slide.q")).all()
    for changed in ('height: "2*mass.z"', 'height: "mass.z", free: "h"'):
        with pytest.raises(AssertionError, match="built again"):
            prepared(EVENTFUL.replace('height: "mass.z"', changed))
    with pytest.raises(AssertionError, match="built again"):
        prepared(EVENTFUL.replace("height - h", "height - 2*h"))
