"""Data classes with methods made at first use: the same behaviour as the standard library's, class by class."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field
from functools import cached_property
from threading import Barrier, Thread

import pytest

from cardan.frozen import dataclass
from tests.selection import each


@dataclass(frozen=True)
class Point:
    """A point."""

    x: float
    y: float = 0.0
    tags: list[str] = field(default_factory=list, compare=False)
    hidden: str = field(default="h", repr=False)


@dataclass(frozen=True)
class Named(Point):
    name: str = "n"

    def __post_init__(self) -> None:
        object.__setattr__(self, "twice", 2 * self.x)


@dataclass(frozen=True, slots=True)
class Slotted:
    a: int
    b: str = "b"
    c: int = field(default=3, hash=False)


@dataclass(frozen=True, eq=False, kw_only=True)
class ByIdentity:
    a: int
    b: int = 2

    @cached_property
    def sum(self) -> int:
        """Kept in the instance."""
        return self.a + self.b


@dataclass(frozen=True)
class Own:
    """A class with methods of its own, which stay."""

    a: int

    def __repr__(self) -> str:
        return "own"

    def __eq__(self, other: object) -> bool:
        return True


@dataclass(frozen=True)
class Computed:
    a: int
    b: int = field(init=False, default=5)


def standard(cls: type, **options: bool) -> type:
    """The class that the standard decorator makes of the same fields, with the base and methods that cls has."""
    body = {name: thing for name, thing in vars(cls).items() if name in ("__post_init__", "__qualname__", "__doc__")}
    fields = [
        (f.name, f.type, field(**{k: getattr(f, k) for k in KEPT if k != "kw_only" or f.kw_only is True}))
        for f in dataclasses.fields(cls)
    ]
    return dataclasses.make_dataclass(cls.__name__, fields, namespace=body, frozen=True, **options)


KEPT = ("default", "default_factory", "init", "repr", "compare", "hash", "kw_only")
CASES = [
    (Point, {}, [((1.0,), {}), ((1.0, 2.0), {"tags": ["a"]}), ((), {"x": 3.0, "hidden": "k"})]),
    (Named, {}, [((1.0,), {}), ((1.0,), {"name": "m"})]),
    (Slotted, {"slots": True}, [((1,), {}), ((1, "c"), {"c": 4})]),
    (ByIdentity, {"eq": False}, [((), {"a": 1}), ((), {"a": 1, "b": 3})]),
    (Computed, {}, [((1,), {})]),
]


@each("cls, options, calls", CASES)
def test_instances_are_those_of_the_standard_decorator(cls, options, calls):
    other = standard(cls, **options)
    assert inspect.signature(cls).parameters.keys() == inspect.signature(other).parameters.keys()
    for arguments, words in calls:
        one, two = cls(*arguments, **words), other(*arguments, **words)
        assert repr(one) == repr(two)
        assert dataclasses.asdict(one) == dataclasses.asdict(two)
        same, another = cls(*arguments, **words), other(*arguments, **words)
        assert (one == same) == (two == another)
        assert (hash(one) == hash(same)) == (hash(two) == hash(another))
        assert one != two  # of another class


@each("cls", [Point, Named, Slotted, ByIdentity, Computed])
def test_it_takes_the_arguments_of_its_fields_and_no_others(cls):
    with pytest.raises(TypeError, match="unexpected keyword argument 'wrong'"):
        cls(**{"x" if cls in (Point, Named) else "a": 1}, wrong=2)
    with pytest.raises(TypeError, match="missing 1 required"):
        cls()


@each("made", [Point(1.0), Named(1.0), Slotted(1), ByIdentity(a=1)])
def test_fields_cannot_be_set_or_deleted(made):
    name = dataclasses.fields(made)[0].name
    with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
        setattr(made, name, 2)
    with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
        delattr(made, name)
    with pytest.raises(FrozenInstanceError):
        made.another = 1


def test_a_plain_subclass_may_have_other_attributes():
    class Loose(Point):
        pass

    loose = Loose(1.0)
    loose.other = 2
    assert loose.other == 2
    del loose.other
    assert not hasattr(loose, "other")
    with pytest.raises(FrozenInstanceError):
        loose.x = 2.0


@each("made", [Point(1.0, 2.0), Named(1.0, name="m"), Slotted(1, "c")])
def test_copies_pickles_and_changes(made):
    for twin in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made), dataclasses.replace(made)):
        assert twin == made
        assert hash(twin) == hash(made)
    name = dataclasses.fields(made)[0].name
    assert dataclasses.replace(made, **{name: 7}) != made


def test_methods_of_the_class_itself_stay():
    assert repr(Own(1)) == "own"
    assert Own(1) == Own(2)
    assert hash(Own(1)) == hash(standard(Own)(1))  # Python takes the hash away where a class has its own __eq__


def test_results_are_kept_in_the_instance():
    made = ByIdentity(a=1)
    assert made.sum == 3
    assert "sum" in vars(made)


def test_a_class_that_is_not_frozen_is_the_standard_one():
    @dataclass
    class Loose:
        a: int

    made = Loose(1)
    made.a = 2
    assert made == Loose(2)
    assert Loose.__hash__ is None


def test_threads_may_use_a_class_at_once():
    @dataclass(frozen=True)
    class Fresh:
        a: int

    found, together = [], Barrier(8)

    def make(k: int) -> None:
        together.wait()
        found.append(hash(Fresh(k)))

    threads = [Thread(target=make, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 8


@each("kw_only", [False, True])
def test_the_start_of_an_instance_is_that_of_the_standard_library(kw_only: bool) -> None:
    class Fields:
        a: float
        b: list[float] = dataclasses.field(default_factory=list)
        c: float = 2.0
        d: int = dataclasses.field(default=3, kw_only=True)
        e: int = dataclasses.field(kw_only=True)

        def __post_init__(self) -> None:
            object.__setattr__(self, "total", self.a + self.c + self.d + self.e)

    def twin() -> type:
        return type("Twin", (), {n: vars(Fields)[n] for n in (*own_names, *"bcde") if n in vars(Fields)})

    own_names = ("__annotations__", "__post_init__")
    options = {"frozen": True, "kw_only": kw_only}
    own, standard = dataclass(**options)(twin()), dataclasses.dataclass(**options)(twin())
    assert str(inspect.signature(own)) == str(inspect.signature(standard))
    for words in ({"a": 1.0, "e": 5}, {"a": 1.0, "b": [4.0], "c": 7.0, "d": 8, "e": 9}):
        assert vars(own(**words)) == vars(standard(**words))
    assert own(a=1.0, e=5).b is not own(a=1.0, e=5).b
    for wrong in ({}, {"a": 1.0}, {"a": 1.0, "e": 5, "f": 6}):
        for cls in (own, standard):
            with pytest.raises(TypeError, match=r"missing|unexpected"):
                cls(**wrong)
