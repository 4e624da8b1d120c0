"""Instants at which expressions of t switch or turn, where they are known."""

import numpy as np

from cardan.model.expressions.grammar import parse
from cardan.system import timing
from cardan.system.timing import find_instants
from tests.selection import each

ROUND_OFF = 8 * np.finfo(float).eps  # of an instant near 1 s: some operations and the bisection


def instants(text, until=1.0, **parameters):
    found = find_instants([("it", parse(text))], until, parameters)
    assert not found.too_many
    return found.instants


def periodic(first, period, until):
    return np.arange(first, until, period)


@each(
    "text, expected",
    [
        ("step(t - 0.3)", [0.3]),
        ("sign(a - 2*t)", [0.2]),
        ("abs(t - 0.3)*max(t, 0.5)", [0.3, 0.5]),
        ("if(t > 0.2 and not t >= 0.7, 1, 0)", [0.2, 0.7]),
        ("floor(5*t)", [0.2, 0.4, 0.6, 0.8, 1.0]),
        ("mod(t, 0.25)", [0.25, 0.5, 0.75, 1.0]),
        ("step(0.1 - mod(t, 0.25))", [0.1, 0.25, 0.35, 0.5, 0.6, 0.75, 0.85, 1.0]),
        ("step(t - 0.5)*swing + step(swing - t)", [0.5]),
        ("step(atan2(t, 0.3) - pi/4)*step(sqrt(t) - 0.5)*sign(hypot(t, 0.3) - 0.5)", [0.25, 0.3, 0.4]),
        ("step(atan2(sin(pi*5*t), cos(pi*5*t)) + pi/2)", [0.2, 0.3, 0.4, 0.6, 0.7, 0.8]),
        ("step(tan(pi*5*t))", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
        ("step(1/(t - 0.3) - 1/(0.7 - t))", [0.3, 0.5, 0.7]),
        ("interpolate(t, 0.2, 1, 0.3, 5, 0.3, 2, 2, 0)*swing", [0.2, 0.3]),
        ("interpolate(abs(t - 0.5), 0.1, 1, 0.3, 5)", [0.2, 0.4, 0.5, 0.6, 0.8]),
        ("interpolate(swing, 0.2, 1, 0.3, 5)", []),
        ("step(interpolate(t, 0, -1, 1, 3))", [0.25, 1.0]),
        ("step(swing)", []),
        ("step(a - 1)", []),
        ("t", []),
    ],
)
def test_switchings(text, expected):
    np.testing.assert_allclose(instants(text, a=0.4), expected, rtol=ROUND_OFF, atol=ROUND_OFF)


@each("frequency", [1.0, 1000.0])
def test_no_pulse_of_a_wave_is_missed(frequency):
    """sin(2π f t) passes 0.95 twice in each period."""
    found, until = instants(f"step(sin(2*pi*{frequency}*t) - 0.95)", 10.0), 10.0
    up = periodic(np.arcsin(0.95) / (2 * np.pi * frequency), 1 / frequency, until)
    down = periodic((np.pi - np.arcsin(0.95)) / (2 * np.pi * frequency), 1 / frequency, until)
    np.testing.assert_allclose(found, np.sort(np.concatenate([up, down])), atol=1e-13 / frequency * 10, rtol=1e-12)


def test_a_switching_at_the_end_hides_none_before_it():
    """mod jumps at the end of the run too, so that the condition has the same sign at both ends of the last period."""
    assert instants("step(0.003 - mod(t, 0.005))", 60.0).size == 24_000


@each(
    "text, expected",
    [
        ("exp(-((t - 0.5)/1e-4)**2)*swing", [0.5]),
        ("1/(1 + ((t - 0.5)/1e-4)**2)", [0.5]),
        ("sin(10*t)*t", [0.2028757838, 0.4913180439, 0.7978665712]),
        ("if(t < 0.5, (t - 0.25)**4, 3)", [0.25, 0.5]),
        ("tanh((t - 0.5)/1e-4)", []),
        ("a*sin(10*t) + 2*t - cos(3*t + 1)/2", []),
    ],
)
def test_turning_points(text, expected):
    """A pulse has one at its peak; straight lines and sines need none, and steps that rise have none."""
    found = instants(text, a=0.4)
    found = found[np.abs(found - 0.5) < 1e-4] if "exp" in text else found  # where it underflows it turns too
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=0)
    assert find_instants([("it", parse(text))], 1.0, {"a": 0.4}, turning=False).instants.tolist() == [
        t for t in expected if "if" in text and t == 0.5
    ]


def test_too_many_are_named(monkeypatch):
    monkeypatch.setattr(timing, "MOST_INSTANTS", 1000)
    several = [("a", parse("step(sin(90001*t))")), ("b", parse("step(t - 0.5)")), ("c", parse("t*sin(90002*t)"))]
    found = find_instants(several, 1.0, {})
    assert found.too_many == ("a", "c")
    assert found.instants.tolist() == [0.5]
    nested = find_instants([("d", parse("step(mod(90003*t, 1) - 0.5)"))], 1.0, {})
    assert nested.too_many == ("d",)


def test_a_smooth_rise_that_ends_flat_has_no_more_turning_points_than_ends():
    """Of a polynomial whose slope has a fourfold zero at its end round-off decides the sign there: that is no turn."""
    s = "min(t/0.5, 1)"
    rise = f"10*{s}**5*(126 - 420*{s} + 540*{s}**2 - 315*{s}**3 + 70*{s}**4)"
    found = instants(rise)
    assert found.size <= 3
    assert np.abs(found - 0.5).min() <= ROUND_OFF


def test_pulses_of_one_height_are_all_found():
    """Two bumps of the same height and width 1e-3, with zero between them."""
    bumps = " + ".join(f"exp(-((t - {at})/1e-3)**2)" for at in (0.3, 0.8))
    found = instants(f"1e3*({bumps})")
    for at in (0.3, 0.8):
        assert np.abs(found - at).min() < 1e-6  # flat at its top: round-off decides within some 1e-3 √(1e-9)
