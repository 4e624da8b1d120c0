"""Dimensions of expressions: found where all names have one, never guessed."""

import pytest

from cardan.errors import ModelError
from cardan.model.expressions.grammar import parse
from cardan.model.quantities.dimensions import infer, unlike_terms
from cardan.model.units import DIMENSIONLESS, KILOGRAM, METRE, NEWTON, SECOND
from tests.selection import each

KNOWN = {"L": METRE, "m": KILOGRAM, "g": METRE.times(SECOND, -2), "T": SECOND, "r": DIMENSIONLESS}


@each(
    "text, dimension",
    [
        ("m*g", NEWTON),
        ("-m*g/r", NEWTON),
        ("L + 0.1", METRE),
        ("min(0, L)", METRE),
        ("sqrt(L*L)", METRE),
        ("L**2/L", METRE),
        ("pow(L, 3)", METRE.to(3)),
        ("hypot(L, L)", METRE),
        ("if(L > 2, L, 0)", METRE),
        ("sin(L/L)", None),
        ("sign(L)", None),
        ("atan2(L, L)", None),
        ("r**r", DIMENSIONLESS),
        ("2*L", None),
        ("9.81*m", None),
        ("unknown", None),
        ("L*unknown", None),
        ("L**r", None),
        ("sqrt(unknown)", None),
        ("floor(L)", None),
        ("1 + 2", None),
    ],
)
def test_inference(text, dimension):
    assert infer(parse(text), KNOWN.get) == dimension


@each(
    "text, fault, cure",
    [
        ("L + m", "'+' joins a length and a mass", "of the same kind"),
        ("max(T, 1, L)", "'max' joins a time and a length", "of the same kind"),
        ("if(L < m, 1, 0)", "'<' joins a length and a mass", "of the same kind"),
        ("if(T > 0, L, m)", "'if' joins a length and a mass", "of the same kind"),
        ("sin(L)", "'sin' works on numbers without unit, not on a length", "divide by a unit"),
        ("2**L", "'**' works on numbers without unit, not on a length", "divide by a unit"),
    ],
)
def test_what_does_not_fit_together_is_refused(text, fault, cure):
    with pytest.raises(ModelError) as error:
        infer(parse(text), KNOWN.get)
    assert fault in error.value.issues[0].fault
    assert cure in error.value.issues[0].cure


@each(
    "text, faults",
    [
        ("L + 2*m + L", []),  # 2 may have a unit
        ("L + m", ["'+' joins a length and a mass"]),
        ("sin(L + m)*(T - L)", ["'+' joins a length and a mass", "'-' joins a time and a length"]),
        ("exp(-T) + 1", []),
        ("if(T > L, 1, 2)", ["'>' joins a time and a length"]),
        ("max(L, r)", ["'max' joins a length and an angle or a number without unit"]),
        ("unknown + L - m/m", ["'-' joins a length and an angle or a number without unit"]),
    ],
)
def test_unlike_terms_are_found_wherever_they_stand(text, faults):
    assert [issue.fault for issue in unlike_terms(parse(text), KNOWN.get)] == faults
