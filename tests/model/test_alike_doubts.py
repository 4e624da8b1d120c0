"""Parts that are doubtful alike, such as copies of a template, are warned of once; so are parameters without use."""

import warnings

import cardan
from cardan.formats.gallery import gallery
from cardan.formats.yaml import loads
from tests.selection import each

TEXT = """
cardan: 1
templates:
  leg:
    bodies: {rod: {mass: 1, inertia: [1, 1, 3]}}
    joints: {hip: {type: revolute, parent: ground, child: rod, axis: x}}
parts: {a: {template: leg}, b: {template: leg}, c: {template: leg}}
"""


def test_copies_of_a_template_are_warned_of_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loads(TEXT)
    (text,) = [str(entry.message) for entry in caught]
    assert text.startswith("bodies.a_rod.inertia: no body has the principal moments of inertia 1, 1, 3 kg*m^2")
    assert "(also b_rod, c_rod)" in text


def test_a_parameter_that_nothing_uses_is_warned_of():
    text = """
cardan: 1
parameters: {m: 2 kg, half: whole/2, whole: 3, lenght: 1 m, spare: 2*lenght}
bodies: {b: {mass: m}}
joints: {slide: {type: prismatic, parent: ground, child: b, axis: x}}
outputs: {y: half*slide}
"""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loads(text)
    (found,) = [str(entry.message) for entry in caught]
    assert found.startswith(
        "parameters.lenght: nothing uses this parameter (also spare); delete it, or check the names"
    )


@each("name", gallery())
def test_the_gallery_uses_its_parameters(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cardan.load(name)
