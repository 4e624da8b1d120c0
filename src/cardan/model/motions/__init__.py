"""Laws of prescribed motions, one file each: an expression, a profile through points, a table.

In: time and values of names. Out: what the prescribed coordinates or components have to be at each instant. They know
no mechanism and no solver.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from cardan.errors import ModelError
from cardan.model.motions.along import PathMotion
from cardan.model.motions.expressed import ExpressedMotion
from cardan.model.motions.prescribed import PrescribedMotion
from cardan.model.motions.profiled import ProfiledMotion
from cardan.model.motions.tabulated import TabulatedMotion

__all__ = ["LAWS", "AnyMotion", "PrescribedMotion", "read_motion"]

LAWS: dict[str, type[PrescribedMotion]] = {
    "value": ExpressedMotion,
    "path": PathMotion,
    "profile": ProfiledMotion,
    "file": TabulatedMotion,
    "table": TabulatedMotion,
}
"""Laws of motion by the key that only their records have."""


def read_motion(written: Any) -> PrescribedMotion:
    """The motion that an entry of `motions` describes."""
    if isinstance(written, PrescribedMotion):
        return written
    if not isinstance(written, Mapping):
        return ExpressedMotion(value=written)
    law = next((LAWS[key] for key in LAWS if key in written), None)
    if law is None:
        fault = "the motion has no law" if written else "the motion is empty"
        raise ModelError(fault, "write one of the keys value, profile, path, file or table")
    return law(**{str(key): entry for key, entry in written.items()})


AnyMotion = Annotated[PrescribedMotion, BeforeValidator(read_motion)]
"""A law of motion, its keys, or its value alone."""
