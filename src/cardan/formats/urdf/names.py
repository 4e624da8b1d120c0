"""Names of links and joints as a model may have them: readable, and each only once."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cardan.errors import ModelError
from cardan.model.records.section import check_name

__all__ = ["fitted"]

_LONGEST = 80  # characters that are kept of a name that does not fit; a number of a few digits may follow


def fitted(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Name in a model of each name in a file; those that fit stay as they are.

    Parameters
    ----------
    names : iterable of str
        Names in the file, each once.
    taken : iterable of str
        Names that are not free.

    Example
    -------
    >>> fitted(["arm", "panda_link0-1", "panda_link0.1", "2nd axis"])
    {'arm': 'arm', 'panda_link0-1': 'panda_link0_1', 'panda_link0.1': 'panda_link0_1_2', '2nd axis': '_2nd_axis'}
    """
    listed, used = list(names), set(taken)
    kept = {name for name in listed if _fits(name) and name not in used}
    used |= kept
    return {name: name if name in kept else _free(name, used) for name in listed}


def _fits(name: str) -> bool:
    try:
        check_name(name)
    except ModelError:
        return False
    return True


def _free(name: str, used: set[str]) -> str:
    """A name like `name` that fits and is not used; it is used then."""
    stem = re.sub(r"[^A-Za-z0-9_]+", "_", name)[:_LONGEST]
    stem = stem if re.match(r"[A-Za-z_]", stem) else f"_{stem}"
    found, count = stem, 1
    while found in used or not _fits(found):
        count += 1
        found = f"{stem}_{count}"
    used.add(found)
    return found
