"""The settings of a run: every function that takes them lists, explains and checks them by the one table."""

import inspect
from typing import get_args

import pytest

import cardan
from cardan.integration import METHODS
from cardan.settings import DEFAULTS, MEANINGS, Method, Settings
from tests.selection import each

CALLS = (cardan.simulate, cardan.prepare, cardan.sweep)


def test_every_setting_has_a_meaning_and_every_method_a_name():
    assert [*MEANINGS] == [*DEFAULTS] == [*Settings.__annotations__]
    assert set(get_args(Method)) == {"auto", *METHODS}


@each("call", CALLS)
def test_the_help_shows_every_setting_with_its_default(call):
    parameters = inspect.signature(call).parameters
    assert {name: parameters[name].default for name in DEFAULTS} == DEFAULTS
    assert not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    assert "**settings" not in call.__doc__
    assert MEANINGS["atol"] in call.__doc__


def test_a_docstring_keeps_its_own_entries():
    assert MEANINGS["times"] not in cardan.sweep.__doc__
    assert MEANINGS["times"] in cardan.prepare.__doc__


@each("call", CALLS)
@each("wrong, near", [("rtoll", "rtol"), ("untill", "until"), ("mehtod", "method")])
def test_a_wrong_name_is_refused_with_the_nearest(call, wrong, near):
    model = cardan.load("compound_pendulum")
    with pytest.raises(TypeError, match=rf"^{call.__name__}\(\) got an .* '{wrong}'; did you mean '{near}'\?$"):
        call(model, **{wrong: 1.0})
