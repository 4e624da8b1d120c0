"""The reference a user reads is complete: every public name has one home, a docstring, and documented parameters."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from pathlib import Path
from typing import get_args

import cardan

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(cardan.__path__, "cardan.")
    if not info.name.startswith("cardan.gallery")
)
NOTATION = (Path(__file__).parents[2] / "docs" / "notation.md").read_text(encoding="utf-8")
SYMBOLS = set(re.findall(r"`(\w+)`", NOTATION.split("## 9. Symbols")[1]))
"""Letters and nouns that mean the same everywhere; a docstring need not explain them again."""


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
    fields = vars(cls).get("__annotations__", {})
    for name, thing in vars(cls).items():
        function = thing.__func__ if isinstance(thing, classmethod | staticmethod) else thing
        if (
            not name.startswith("_")
            and name not in fields
            and inspect.isfunction(function)
            and function.__module__ == cls.__module__
        ):
            yield name, function


def _published():
    """The everyday functions and classes of the reference, and the classes whose objects those functions return."""
    todo, found = [getattr(cardan, name) for name in cardan.__all__], []
    while todo:
        thing = todo.pop()
        if not inspect.isclass(thing):
            returned = inspect.unwrap(thing).__annotations__.get("return", "")
            home = importlib.import_module(thing.__module__)
            classes = [getattr(home, word, None) for word in re.findall(r"\w+", str(returned))]
            todo += [c for c in classes if inspect.isclass(c) and c.__module__.startswith("cardan") and c not in found]
        found.append(thing)
    return found


def _undocumented(function, *texts):
    """Parameters that are neither named in a docstring, nor a symbol of the notation, nor carry a help text."""
    told = "\n".join(texts)
    for name, parameter in inspect.signature(function).parameters.items():
        named = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told)
        helped = any(getattr(note, "help", None) for note in get_args(parameter.annotation)[1:])
        frame = re.fullmatch(r"[Tpwv]_[A-Z]{1,2}", name)  # T_AB, p_A: the letters say it
        if not (name in ("self", "cls") or name in SYMBOLS or frame or named or helped):
            yield name


def test_every_module_has_a_docstring():
    """And where a room lists what it offers, it has it."""
    faults = []
    for module in map(importlib.import_module, MODULES):
        faults += [f"{module.__name__}: no docstring"] if not module.__doc__ else []
        strangers = [entry for entry in getattr(module, "__all__", ()) if not hasattr(module, entry)]
        faults += [f"{module.__name__}.{entry}: in __all__, but not there" for entry in strangers]
    assert not faults, "\n".join(faults)


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


def test_every_public_name_has_a_docstring():
    faults = []
    for module in map(importlib.import_module, MODULES):
        for entry, thing in _defined(module).items():
            where = f"{module.__name__}.{entry}"
            faults += [where] if not inspect.getdoc(thing) else []
            methods = _methods(thing) if inspect.isclass(thing) else ()
            faults += [f"{where}.{method}" for method, _ in methods if not inspect.getdoc(getattr(thing, method))]
    assert not faults, "no docstring:\n" + "\n".join(faults)


def test_published_names_document_their_parameters():
    faults = []
    for thing in _published():
        text, home = inspect.getdoc(thing) or "", importlib.import_module(thing.__module__).__doc__
        if not inspect.isclass(thing):
            faults += [f"{thing.__name__}: {p}" for p in _undocumented(inspect.unwrap(thing), text, home)]
            continue
        for method, function in _methods(thing):
            own = inspect.getdoc(getattr(thing, method)) or ""
            faults += [f"{thing.__name__}.{method}: {p}" for p in _undocumented(function, own, text, home)]
    assert not faults, "parameters that their docstring does not explain:\n" + "\n".join(faults)


def test_every_field_of_a_record_is_documented():
    """In the docstring of its class, or on its own line: meaning, unit, shape."""
    faults = []
    for module in map(importlib.import_module, MODULES):
        for entry, cls in _defined(module).items():
            if not (dataclasses.is_dataclass(cls) or hasattr(cls, "model_fields")):
                continue
            source, text = inspect.getsource(cls), f"{inspect.getdoc(cls)}\n{module.__doc__}"
            for field in vars(cls).get("__annotations__", {}):
                named = re.search(rf"(?<!\w){field}(?!\w)", text)
                commented = re.search(rf'^    {field}: .*(#|\n    """)', source, re.MULTILINE)
                plain = field.startswith("_") or field in SYMBOLS or field in ("name", "type")
                if not (plain or named or commented):
                    faults.append(f"{module.__name__}.{entry}.{field}")
    assert not faults, "\n".join(faults)
