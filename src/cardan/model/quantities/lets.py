"""Names for parts of expressions, the section `let:` of a model: what depends on what, and their units."""

from collections.abc import Collection, Iterable, Mapping

from cardan.errors import ModelError
from cardan.model.quantities.dimensions import sure_dimension
from cardan.model.quantities.parameters import in_order_of_use
from cardan.model.quantities.scalar import Scalar
from cardan.model.units import Dimension, short_unit


def reached(names: Iterable[str], lets: Mapping[str, Scalar], known: Collection[str] = ()) -> frozenset[str]:
    """All names that an expression of `names` depends on, these included, also through the names that `let` defines."""
    found, waiting = set(names), list(names)
    while waiting:
        name = waiting.pop()
        new = lets[name].names - found if name in lets and name not in known else frozenset()
        found |= new
        waiting += new
    return frozenset(found)


def needed(names: Iterable[str], lets: Mapping[str, Scalar], known: Collection[str] = ()) -> list[str]:
    """The definitions that `names` depend on and that are not `known`, each after those in it."""
    used = {name: lets[name] for name in sorted(reached(names, lets, known)) if name in lets and name not in known}
    return in_order_of_use(used, alone=False)


def let_units(lets: Mapping[str, Scalar], known: Mapping[str, Dimension | None]) -> dict[str, str]:
    """Unit of every definition, in file order; empty where bare numbers leave it open."""
    found = dict(known)
    try:
        order = needed(lets, lets)
    except ModelError:  # a ring, which the check of the references reports
        return dict.fromkeys(lets, "")
    for name in order:
        found[name] = sure_dimension(lets[name], found.get)
    return {name: "" if (own := found[name]) is None else short_unit(own) for name in lets}
