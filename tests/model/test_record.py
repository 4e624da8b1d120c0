"""Records and sections: frozen, ordered, and wrong data are refused with all their faults."""

import copy
import pickle
from typing import Annotated, Literal

import pytest
from pydantic import ValidationError

from cardan.errors import ModelError
from cardan.model.quantities.fields import Anything, Direction, Length, Mass
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.kinds import OneOf
from cardan.model.records.record import ZERO, Record, Section
from cardan.model.records.section import PathSection
from tests.selection import each


class Part(Record):
    size: Length
    many: Anything | tuple[Anything, ...] | None = None
    kind: Literal["a", "b"] = "a"


class Ball(Part):
    type: Literal["ball"] = "ball"


class Machine(Record):
    parts: Section[Part] = Section()
    balls: Section[Annotated[Ball, OneOf("toy", {"ball": Ball})]] = Section()
    pair: tuple[Length, Length] = (ZERO, ZERO)
    axis: Direction | None = None
    paths: PathSection[Mass] = PathSection()
    flag: bool = False
    title: str = ""


def issues(make, **data):
    with pytest.raises(ModelError) as error:
        make(**data)
    return [(issue.key, issue.fault, issue.cure) for issue in error.value.issues]


def test_all_faults_are_reported_with_their_whole_path():
    found = issues(
        Machine,
        parts={"p": {"size": "1 V", "many": [1, "^"], "kind": "c", "seize": 1}, "q": {}, "2x": {}},
        balls={"a": {"type": "bal"}, "b": {}, "c": 3, "d": {"type": "ball", "size": "L^2"}},
        pair=[1],
        axis="q",
        paths={"a.b": 1, "a..b": 1},
        flag="may",
        title=["x"],
    )
    assert found == [
        ("parts.2x", "'2x' cannot be a name", "use a letter and then letters, digits and _, at most 100 characters"),
        ("balls.a.type", "there is no toy type 'bal'", "did you mean 'ball'?"),
        ("balls.b", "the toy has no type", "add one of: ball"),
        ("balls.c", "3 is not a toy", "write {type: …, …}; types: ball"),
        ("balls.d.size", "in 'L^2', at character 2: the character '^' has no meaning here", 'write "**" for a power'),
        ("pair", "entry 2 is missing", "add it; commas separate entries"),
        ("axis", "'q' is not a direction", "write x, y, z, -x, -y, -z or a list such as [0, 0, 1]"),
        (
            "paths.a..b",
            "'' cannot be a name",
            "use a letter and then letters, digits and _, at most 100 characters",
        ),
        ("flag", "'may' is neither true nor false", "write true or false"),
        ("title", "['x'] is not a text", "write a text"),
    ]
    assert issues(Machine, parts={"p": {"size": "1 V", "many": [1, "^"], "kind": "c", "seize": 1}, "q": {}}) == [
        ("parts.p.size", "'1 V' is a voltage, but a length is needed here", 'write a length, such as "25 mm"'),
        ("parts.p.many[1]", "in '^', at character 1: the character '^' has no meaning here", 'write "**" for a power'),
        ("parts.p.kind", "'c' is not possible here", "write 'a' or 'b'"),
        ("parts.p.seize", "unknown key 'seize'", "did you mean 'size'?"),
        ("parts.q", "the key 'size' is missing", "add it"),
    ]


@each(
    "data, key, fault, cure",
    [
        ({"pair": 3}, "pair", "3 is not a list", "write a list, such as [0, 0, 1]"),
        ({"pair": [1, 2, 3]}, "pair", "there are too many entries", "write 2 of them"),
        ({"parts": 3}, "parts", "3 is not a table", 'write "name: …" lines, or {} for an empty one'),
        ({"parts": {1: {}}}, "parts.1", "1 cannot be a name", "use a letter"),
        ({"parts": {"5 m": None}}, "parts.5 m", "'5 m' cannot be a name", "a decimal number was meant, write a point"),
        ({"parts": {"sin": {}}}, "parts.sin", "the name 'sin' is reserved: it means a function", "choose"),
        ({"parts": {"t": {}}}, "parts.t", "the name 't' is reserved: it means the time", "choose"),
        ({"parts": {"or": {}}}, "parts.or", "the name 'or' is reserved: it means a word of", "choose"),
        (
            {"parts": {"ground": {}}},
            "parts.ground",
            "the name 'ground' is reserved: it means the body",
            "such as ground_1",
        ),
        ({"parts": {"x" * 101: {}}}, "parts." + "x" * 101, "cannot be a name", "at most 100 characters"),
        ({"parts": {"p": 3}}, "parts.p", "3 is not a table of keys", "write {key: value, …}; known: size, many, kind"),
    ],
)
def test_each_fault_names_its_cure(data, key, fault, cure):
    ((found_key, found_fault, found_cure),) = issues(Machine, **data)
    assert found_key == key
    assert fault in found_fault
    assert cure in found_cure


def test_records_are_frozen_hashable_and_picklable():
    machine = Machine(parts={"p": {"size": "2*L", "many": 1}}, pair=[1, "2 mm"])
    with pytest.raises(ValidationError, match="frozen"):
        machine.flag = True
    with pytest.raises(TypeError):
        machine.parts["p"] = None
    assert hash(machine) == hash(pickle.loads(pickle.dumps(machine)))
    assert copy.deepcopy(machine) == pickle.loads(pickle.dumps(machine)) == machine


def test_replace_checks_again():
    part = Part(size="2*L")
    assert part.replace(kind="b") == Part(size="2*L", kind="b")
    assert issues(part.replace, size="1 V")[0][0] == "size"


def test_resolved_replaces_every_scalar():
    machine = Machine(parts={"p": {"size": "2*L", "many": [1, "L"]}}, pair=["L", "2 mm"], axis="-z")
    numbers = machine.resolved(lambda scalar: scalar.evaluate({"L": 3.0}.__getitem__))
    assert numbers.pair == (3.0, 0.002)
    assert numbers.axis == (0, 0, -1)
    assert numbers.parts["p"].size == 6
    assert numbers.parts["p"].many == (1, 3)
    assert numbers.title == ""


def test_sections_keep_their_order_and_equality_minds_it():
    a, b = Scalar.read(1), Scalar.read(2)
    section = Section({"a": a, "b": b})
    assert list(section) == ["a", "b"]
    assert len(section) == 2
    assert section == {"a": a, "b": b}
    assert section != Section({"b": b, "a": a})
    assert section != 3
    assert hash(section) == hash(Section({"a": a, "b": b}))
    assert repr(Section({"a": 1})) == "Section({'a': 1})"
    assert Machine(parts=None).parts == {}


def test_records_can_be_dumped_by_pydantic():
    machine = Machine(parts={"p": {"size": "2*L"}})
    assert machine.model_dump()["pair"] == (0, 0)
    assert '"2*L"' in machine.model_dump_json()
