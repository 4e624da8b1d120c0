"""The classes of VTK, which is imported when the first picture is drawn: it is installed with an extra."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

__all__ = ["vtk"]

_MODULES = (
    *("vtkCommonCore", "vtkCommonDataModel", "vtkCommonMath", "vtkFiltersCore", "vtkRenderingCore"),
    *("util.numpy_support", "vtkRenderingFreeType", "vtkRenderingOpenGL2"),  # the last two draw for the others
)


@cache
def vtk() -> Any:
    """All classes and functions of VTK that draw, by name."""
    modules = [vars(import_module(f"vtkmodules.{name}")) for name in _MODULES]
    return SimpleNamespace(**{name: thing for names in modules for name, thing in names.items()})
