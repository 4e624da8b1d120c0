"""Errors: one readable block with file, line, key, fault and cure."""

import pickle

from cardan.errors import Issue, ModelError, nearest
from tests.selection import each

ISSUES = [
    Issue("axis has length 0", "give a non-zero vector", ("joints", "swing", "axis", 2)),
    Issue("unknown key 'masss'", "did you mean 'mass'?", ("bodies", "rod", "masss")),
]


def test_one_issue_reads_as_place_fault_and_cure():
    assert str(ModelError(ISSUES[0])) == "joints.swing.axis[2]: axis has length 0\n    give a non-zero vector"
    assert str(ModelError("no bodies", "add one")) == "no bodies\n    add one"
    assert str(ModelError("no bodies", file="a.yaml")) == "a.yaml: no bodies"


def test_several_issues_are_reported_together_with_file_and_line():
    lines = {("joints", "swing"): 12, ("bodies", "rod", "masss"): 7}
    located = ModelError(ISSUES).located("crane.yaml", lines)
    assert str(located).splitlines() == [
        "2 errors in crane.yaml",
        "crane.yaml:12: joints.swing.axis[2]: axis has length 0",
        "    give a non-zero vector",
        "crane.yaml:7: bodies.rod.masss: unknown key 'masss'",
        "    did you mean 'mass'?",
    ]


def test_a_text_without_file_still_has_lines():
    assert str(ModelError(ISSUES[1]).located(None, {("bodies",): 3})).startswith("line 3: bodies.rod.masss: ")
    assert ModelError(ISSUES[1]).located(None, {}).issues[0].line is None


def test_errors_survive_pickling_and_prefixing():
    error = ModelError(ISSUES, file="a.yaml").under("parts", "a")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.issues[0].key == "parts.a.joints.swing.axis[2]"


@each(
    "name, choices, advice",
    [
        ("Mass", ["mass", "com"], "did you mean 'mass'?"),
        ("q", [], "there are none"),
        ("q", ["alpha", "beta"], "known: alpha, beta"),
        ("drives", ["bodies", "joints"], "known: bodies, joints"),  # of six letters four would change
        ("tow", ["one", "two"], "did you mean 'two'?"),  # letters in another order are one change
        ("q", [f"long{i}" for i in range(20)], ", …"),
    ],
)
def test_the_nearest_name_is_advised(name, choices, advice):
    assert advice in nearest(name, choices)


def test_of_choices_equally_near_the_first_one_is_named():
    """Both pins of a universal joint are as near to `hooke.friction`; the first in order is what a reader expects."""
    assert nearest("hooke.friction", ["hooke.r1.friction", "hooke.r2.friction"]) == "did you mean 'hooke.r1.friction'?"
    assert (
        nearest("cosine", ["sin", "cos"]) == "did you mean 'cos'?"
    )  # as near as sin, and begins with the same letters
    assert nearest("trunk.z", ["leg.position.z", "trunk.position.z"]) == "did you mean 'trunk.position.z'?"
    assert nearest("plate.x", ["plate.x.q", "plate.x.v", "plate.y.q"]) == "did you mean 'plate.x.q'?"


def test_a_name_that_goes_on_is_nearer_than_one_with_like_letters():
    choices = ["rod.position", "rod.tip.position"]
    assert nearest("rod.tip", choices) == "did you mean 'rod.tip.position'?"
    assert nearest("", choices).startswith("known: ")
