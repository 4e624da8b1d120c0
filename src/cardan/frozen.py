"""Data classes whose methods are made when they are first used; in all else the standard library's `dataclass`.

The standard decorator writes six methods of a frozen class as text and compiles them where the class is defined, which
takes half a millisecond. A short run defines 250 such classes, most of which it never makes an instance of; without
these texts it starts in 0.06 s less. Here each method is a descriptor that is replaced at its first use: by the
standard library's method, or by an `__init__` that does the same and is made in a quarter of the time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "fields", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls: type | None = None, /, *, frozen: bool = False, eq: bool = True, slots: bool = False, kw_only: bool = False
    ) -> type | Callable[[type], type]:
        """The class with the methods of a data class, or a decorator that adds them.

        Example
        -------
        >>> @dataclass(frozen=True)
        ... class Point:
        ...     x: float
        ...     y: float = 0.0
        >>> Point(1.0), Point(1.0) == Point(1.0, 0.0)
        (Point(x=1.0, y=0.0), True)
        """

        def decorate(cls: type) -> type:
            if frozen:
                return _frozen(cls, eq, slots, kw_only)
            return dataclasses.dataclass(eq=eq, slots=slots, kw_only=kw_only)(cls)

        return decorate if cls is None else decorate(cls)


class _Made:
    """The default of a parameter whose value a function makes."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


class _AtFirstUse:
    """A method of a class that is made when it is looked up."""

    def __init__(self, cls: type, name: str) -> None:
        self.cls, self.name = cls, name

    def __get__(self, instance: Any, owner: type) -> Any:
        """Put the method in the place of this descriptor, and return it as if it had always been there."""
        method = _start(self.cls) if self.name == "__init__" else _method(self.cls, self.name)
        setattr(self.cls, self.name, method)
        return method.__get__(instance, owner)


def _frozen(cls: type, eq: bool, slots: bool, kw_only: bool) -> type:
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # the standard decorator would take the signature, for which it needs the method
    # Only the fields are found here: a class that the standard decorator freezes gets two methods at once.
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(cls)
    names = tuple(field.name for field in dataclasses.fields(made))
    for name in ("__init__", "__repr__", *(("__eq__", "__hash__") if eq else ())):
        if made.__dict__.get(name) is None:  # Python sets __hash__ to None where a class has its own __eq__
            setattr(made, name, _AtFirstUse(made, name))
    made.__setattr__, made.__delattr__ = _refusals(made, frozenset(names))
    if slots:
        made.__getstate__, made.__setstate__ = _states(names)
    return made


def _start(cls: type) -> Any:
    """`__init__` of a frozen data class.

    The standard library makes a class with three methods to get it, three times the work; a short run needs a hundred.
    """
    fields = dataclasses.fields(cls)
    ordered = [field for field in fields if not field.kw_only] + [field for field in fields if field.kw_only]
    needed = [
        field.default is field.default_factory for field in ordered if field.init and not field.kw_only
    ]  # both are missing
    made = [field for field in fields if not field.init]
    if needed != sorted(needed, reverse=True) or any(field.default_factory is dataclasses.MISSING for field in made):
        return _method(cls, "__init__")  # rare, or refused there
    values: dict[str, Any] = {"set_": object.__setattr__, "made_": _MADE}
    parameters, lines = [], []
    for one in ordered:
        name, value = one.name, one.name
        default = ""
        if one.default_factory is not dataclasses.MISSING:
            values[f"make_{name}_"], default = one.default_factory, "=made_"
            value = f"make_{name}_() if {name} is made_ else {name}"
        elif one.default is not dataclasses.MISSING:
            values[f"default_{name}_"], default = one.default, f"=default_{name}_"
        if not one.init:
            value = f"make_{name}_()"
        elif one.kw_only and "*" not in parameters:
            parameters += ["*", name + default]
        else:
            parameters.append(name + default)
        lines.append(f"  set_(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("  self.__post_init__()")
    # The names of fields are identifiers of this package's own classes, and not text that a model brings.
    exec(f"def __init__({', '.join(['self', *parameters])}):\n" + "\n".join(lines or ["  pass"]), values)
    method = values["__init__"]
    method.__annotations__ = {**{field.name: field.type for field in ordered}, "return": None}
    method.__qualname__, method.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return method


def _method(cls: type, name: str) -> Any:
    """A method of a frozen data class as the standard library makes it."""
    of_fields = [
        (
            field.name,
            field.type,
            dataclasses.field(
                default=field.default,
                default_factory=field.default_factory,
                init=field.init,
                repr=field.repr,
                compare=field.compare,
                hash=field.hash,
                kw_only=field.kw_only,
            ),
        )
        for field in dataclasses.fields(cls)
    ]
    with_post = {"__post_init__": None} if hasattr(cls, "__post_init__") else {}
    made = dataclasses.make_dataclass(
        cls.__name__,
        of_fields,
        namespace={"__doc__": cls.__name__, **with_post},
        init=name == "__init__",
        repr=name == "__repr__",
        eq=name in ("__eq__", "__hash__"),
        frozen=name in ("__init__", "__hash__"),
    )
    method = made.__dict__[name]
    method.__qualname__, method.__module__ = f"{cls.__qualname__}.{name}", cls.__module__
    return method


def _refusals(cls: Any, names: frozenset[str]) -> tuple[Callable[..., None], Callable[..., None]]:
    """What sets and deletes attributes of a frozen class: neither its own nor those of its fields."""

    def set_attribute(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete_attribute(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return set_attribute, delete_attribute


def _states(names: tuple[str, ...]) -> tuple[Callable[..., Any], Callable[..., None]]:
    """What pickles a frozen class with slots, and what reads it."""

    def get_state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def set_state(self: Any, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    return get_state, set_state
