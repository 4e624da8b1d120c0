"""A wrong graph is refused with the names, the place and what would be right."""

import casadi as ca
import pytest
from tests.selection import each

from cardan.bond_graphs import Bond, GraphElement, check_graph, checked_graph, make_graph
from cardan.errors import ModelError


def parts():
    """A mass on a spring and a damper, pulled by a force."""
    elements = {
        "F": GraphElement("F", "Se", value=1.0),
        "body": GraphElement("body", "1"),
        "m": GraphElement("m", "I", modulus=2.0),
        "k": GraphElement("k", "C", modulus=3.0),
        "d": GraphElement("d", "R", modulus=4.0),
    }
    bonds = {name: Bond(name, *name.split(">"), "translation") for name in ("F>body", "body>m", "body>k", "body>d")}
    return elements, bonds


def refused(elements, bonds):
    """Places and texts of the faults."""
    with pytest.raises(ModelError) as caught:
        checked_graph(list(elements.values()), list(bonds.values()))
    return [(issue.path, issue.fault, issue.cure) for issue in caught.value.issues]


def test_a_right_graph_passes():
    elements, bonds = parts()
    assert list(checked_graph(list(elements.values()), list(bonds.values())).elements) == list(elements)


CASES = {
    "a name twice": (
        lambda e, b: e.update(other=GraphElement("m", "I", modulus=1.0)),
        ("elements", "m"),
        "the element 'm' stands 2 times",
    ),
    "a bond's name twice": (
        lambda e, b: b.update(other=Bond("body>m", "body", "d", "translation")),
        ("bonds", "body>m"),
        "the bond 'body>m' stands 2 times",
    ),
    "an unknown kind": (
        lambda e, b: e.update(m=GraphElement("m", "L", modulus=1.0)),
        ("elements", "m"),
        "there is no kind 'L'",
    ),
    "an unknown end": (
        lambda e, b: b.update({"body>m": Bond("body>m", "body", "mass", "translation")}),
        ("bonds", "body>m"),
        "there is no element 'mass'",
    ),
    "an unknown domain": (
        lambda e, b: b.update({"body>m": Bond("body>m", "body", "m", "translations")}),
        ("bonds", "body>m"),
        "there is no domain 'translations'",
    ),
    "a bond from an element to itself": (
        lambda e, b: b.update(loop=Bond("loop", "body", "body", "translation")),
        ("bonds", "loop"),
        "both ends are 'body'",
    ),
    "no size": (
        lambda e, b: b.update({"body>m": Bond("body>m", "body", "m", "translation", 0)}),
        ("bonds", "body>m"),
        "size 0",
    ),
    "an open port": (
        lambda e, b: e.update(c=GraphElement("c", "C", modulus=1.0)),
        ("elements", "c"),
        "C 'c' has no bond: a port is open",
    ),
    "an open port of a transformer": (
        lambda e, b: (
            e.update(n=GraphElement("n", "TF", modulus=1.0)),
            b.update(n=Bond("n", "body", "n", "translation")),
        ),
        ("elements", "n"),
        "TF 'n' has one bond: a port is open",
    ),
    "too many bonds": (
        lambda e, b: b.update(more=Bond("more", "F", "body", "translation")),
        ("elements", "F"),
        "Se 'F' has 2 bonds, and 1 port",
    ),
    "a half-arrow out of a store": (
        lambda e, b: b.update({"body>m": Bond("body>m", "m", "body", "translation")}),
        ("bonds", "body>m"),
        "the half-arrow leads out of I 'm'",
    ),
    "both half-arrows into a transformer": (
        lambda e, b: (
            e.update(n=GraphElement("n", "TF", modulus=1.0), k=GraphElement("k", "Se", value=1.0)),
            b.update({"body>k": Bond("n>k", "k", "n", "translation"), "n": Bond("n", "body", "n", "translation")}),
        ),
        ("elements", "n"),
        "both half-arrows lead into TF 'n'",
    ),
    "ends of different size": (
        lambda e, b: (
            b.update({"body>m": Bond("body>m", "body", "m", "translation", 3)}),
            e.update(m=GraphElement("m", "I", modulus=ca.DM.eye(3))),
        ),
        ("bonds", "body>m"),
        'the bond has size 3, but "F>body" at junction \'body\' has size 1',
    ),
    "ends of different domain": (
        lambda e, b: b.update({"body>m": Bond("body>m", "body", "m", "rotation")}),
        ("bonds", "body>m"),
        'the bond is rotation, but "F>body" at junction \'body\' is translation',
    ),
    "no law": (
        lambda e, b: e.update(k=GraphElement("k", "C")),
        ("elements", "k"),
        "C 'k' has no law",
    ),
    "a source without value": (
        lambda e, b: e.update(F=GraphElement("F", "Se")),
        ("elements", "F"),
        "Se 'F' has no law",
    ),
    "a source of another size": (
        lambda e, b: e.update(F=GraphElement("F", "Se", value=ca.DM([1, 2]))),
        ("elements", "F"),
        "the effort of 'F' has 2 entries, its bond size 1",
    ),
    "a modulus of another shape": (
        lambda e, b: e.update(m=GraphElement("m", "I", modulus=ca.DM.eye(2))),
        ("elements", "m"),
        "the modulus of 'm' has shape 2×2, its bonds need 1×1",
    ),
    "two pieces": (
        lambda e, b: (
            e.update(u=GraphElement("u", "Se", value=1.0), r=GraphElement("r", "R", modulus=1.0)),
            b.update(u=Bond("u>r", "u", "r", "electrical")),
        ),
        ("elements", "u"),
        "no bond joins 'u' to 'F': the graph is in pieces",
    ),
}  # fmt: skip


@each("case", CASES)
def test_each_fault_has_its_name_place_and_cure(case):
    change, path, words = CASES[case]
    elements, bonds = parts()
    change(elements, bonds)
    found = refused(elements, bonds)
    assert [place for place, _, _ in found] == [path]
    assert words in found[0][1]
    assert found[0][2]


def test_several_faults_are_reported_together():
    elements, bonds = parts()
    elements["k"], elements["d"] = GraphElement("k", "C"), GraphElement("d", "R")
    with pytest.raises(ModelError, match="2 errors") as caught:
        check_graph(make_graph(list(elements.values()), list(bonds.values())))
    assert [issue.path[1] for issue in caught.value.issues] == ["k", "d"]


def test_an_unknown_source_needs_no_value():
    elements, bonds = parts()
    elements["F"] = GraphElement("F", "Se", unknown="drive")
    check_graph(make_graph(list(elements.values()), list(bonds.values())))
