"""Parts that are doubtful alike, such as copies of a template, are warned of once."""

import warnings

from cardan.formats.yaml import loads

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
    assert text.startswith("bodies.a_rod.inertia: no body has the principal moments of inertia 1, 1, 3 kg m²")
    assert "(also b_rod, c_rod)" in text
