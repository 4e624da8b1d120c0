"""Tables of kinds: a kind is one file, named as the key `type` of a model file names it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["kinds"]


def kinds(package: str, *types: str) -> dict[str, Any]:
    """Record classes by their `type`, each from the file of that name.

    Parameters
    ----------
    package : name of the package with the files.
    *types : the kinds, in the order in which messages list them.
    """
    return {kind: _record(f"{package}.{kind}", kind) for kind in types}


def _record(module: str, kind: str) -> type:
    """The record class in `module` whose key `type` is `kind`."""
    for entry in vars(import_module(module)).values():
        field = getattr(entry, "model_fields", {}).get("type")
        if field is not None and field.default == kind:
            return entry
    raise ImportError(f"{module} has no record with the type {kind!r}")
