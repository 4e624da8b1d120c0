"""Names of links and joints as a model may have them: readable, and each only once."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from cardan.errors import ModelError
from cardan.formats.xml.notes import Notes
from cardan.model.records.section import check_name

_LONGEST = 80  # characters that are kept of a name that does not fit; a number of a few digits may follow


def unique(names: Iterable[str], taken: Iterable[str] = (), allowed: frozenset[str] = frozenset()) -> list[str]:
    """A name in a model for each of some names, which may be alike: the first of them that fits stays as it is.

    `allowed` are words of expressions that are names here.

    Example
    -------
    >>> unique(["arm hinge", "arm_hinge", "arm hinge", "2nd axis"])
    ['arm_hinge_2', 'arm_hinge', 'arm_hinge_3', '_2nd_axis']
    """
    listed, used = list(names), set(taken)
    found: dict[int, str] = {}
    for k, name in enumerate(listed):
        if name not in used and _fits(name, allowed):
            found[k] = name
            used.add(name)
    count: Counter[str] = Counter()
    for k, name in enumerate(listed):
        if k not in found:
            found[k] = _free(name, used, count, allowed)
    return [found[k] for k in range(len(listed))]


def _fits(name: str, allowed: frozenset[str]) -> bool:
    try:
        check_name(name, allowed)
    except ModelError:
        return False
    return True


def _free(name: str, used: set[str], count: Counter[str], allowed: frozenset[str]) -> str:
    """A name like `name` that fits and is not used; it is used then. `count` has the last number after each stem."""
    stem = re.sub(r"[^A-Za-z0-9_]+", "_", name)[:_LONGEST]
    stem = stem if re.match(r"[A-Za-z_]", stem) else f"_{stem}"
    found = stem
    while found in used or not _fits(found, allowed):
        count[stem] += 1
        found = f"{stem}_{count[stem] + 1}"
    used.add(found)
    return found


def names_of(wished: Mapping[str, str], notes: Notes, taken: Iterable[str] = ()) -> dict[str, str]:
    """Name in a model for each key: the wished one where it fits, else one like it, which is noted."""
    found = dict(zip(wished, unique(wished.values(), taken), strict=True))
    for key, new in found.items():
        notes.rename(wished[key], new)
    return found
