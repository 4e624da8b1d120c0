"""The reference a user reads is complete: every public name has one home, a docstring, and documented parameters."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from pathlib import Path
from typing import get_args

import pytest

import cardan

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(cardan.__path__, "cardan.")
    if not info.name.startswith("cardan.gallery")
)
NOTATION = (Path(__file__).parents[2] / "docs" / "notation.md").read_text(encoding="utf-8")
SYMBOLS = set(re.findall(r"`(\w+)`", NOTATION.split("## 9. Symbols")[1]))
"""Letters and nouns that mean the same everywhere; a docstring need not explain them again."""

every_module = pytest.mark.parametrize("name", MODULES)


def _defined(module):
    """Functions and classes that a module defines under a public name."""
    return {
        name: thing
        for name, thing in vars(module).items()
        if (inspect.isclass(thing) or inspect.isfunction(thing))
        and getattr(thing, "__module__", None) == module.__name__
        and not name.startswith("_")
    }


def _methods(cls):
    """Public functions of a class that it defines itself; properties take no parameters."""
    for name, thing in vars(cls).items():
        function = thing.__func__ if isinstance(thing, classmethod | staticmethod) else thing
        if not name.startswith("_") and inspect.isfunction(function) and function.__module__ == cls.__module__:
            yield name, function


def _undocumented(function, *texts):
    """Parameters that are neither named in a docstring, nor a symbol of the notation, nor carry a help text."""
    told = "\n".join(texts)
    for name, parameter in inspect.signature(function).parameters.items():
        named = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told)
        helped = any(getattr(note, "help", None) for note in get_args(parameter.annotation)[1:])
        frame = re.fullmatch(r"[Tpwv]_[A-Z]{1,2}", name)  # T_AB, p_A: the letters say it
        if not (name in ("self", "cls") or name in SYMBOLS or frame or named or helped):
            yield name


@every_module
def test_a_module_has_a_docstring_and_lists_its_names(name):
    module = importlib.import_module(name)
    assert module.__doc__, "no docstring"
    listed = getattr(module, "__all__", None)
    assert listed is not None, "no __all__"
    assert all(hasattr(module, entry) for entry in listed)
    assert set(_defined(module)) <= set(listed), "public names missing from __all__"


def test_a_public_name_has_one_home_and_is_offered_again_only_by_the_rooms_above_it():
    homes = defaultdict(set)
    for name in MODULES:
        module = importlib.import_module(name)
        for entry in getattr(module, "__all__", ()):
            thing = getattr(module, entry)
            home = getattr(thing, "__module__", None)
            if (inspect.isclass(thing) or inspect.isfunction(thing)) and home in MODULES and home != name:
                homes[entry].add((home, name))
    strangers = {entry for entry, pairs in homes.items() if len({home for home, _ in pairs}) > 1}
    assert not strangers, f"one name, several things: {sorted(strangers)}"


@every_module
def test_every_public_name_is_documented(name):
    module = importlib.import_module(name)
    faults = []
    for entry, thing in _defined(module).items():
        text = inspect.getdoc(thing) or ""
        faults += [f"{entry}: no docstring"] if not text else []
        if inspect.isfunction(thing):
            faults += [f"{entry}: parameter {p}" for p in _undocumented(thing, text, module.__doc__)]
            continue
        for method, function in _methods(thing):
            own = inspect.getdoc(getattr(thing, method)) or ""  # that of the contract, where the method has none
            faults += [f"{entry}.{method}: no docstring"] if not own else []
            faults += [f"{entry}.{method}: parameter {p}" for p in _undocumented(function, own, text, module.__doc__)]
    assert not faults, "\n".join(faults)


@every_module
def test_every_field_of_a_record_is_documented(name):
    """In the docstring of its class, or on its own line: meaning, unit, shape."""
    module = importlib.import_module(name)
    faults = []
    for entry, cls in _defined(module).items():
        if not (dataclasses.is_dataclass(cls) or hasattr(cls, "model_fields")):
            continue
        source, text = inspect.getsource(cls), f"{inspect.getdoc(cls)}\n{module.__doc__}"
        for field in vars(cls).get("__annotations__", {}):
            named = re.search(rf"(?<!\w){field}(?!\w)", text)
            commented = re.search(rf'^    {field}: .*(#|\n    """)', source, re.MULTILINE)
            plain = field.startswith("_") or field in SYMBOLS or field in ("name", "type")
            if not (plain or named or commented):
                faults.append(f"{entry}.{field}")
    assert not faults, ", ".join(faults)
