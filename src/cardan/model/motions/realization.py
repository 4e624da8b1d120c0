"""How drives share a motion that has fewer components than drives.

Source: docs/motions.md, "More drives than components"; least norm: Golub & Van Loan 2013, §5.6
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError, Path
from cardan.model.quantities.fields import Anything, Measure, Number, Weight
from cardan.model.quantities.number_kind import NumberKind
from cardan.model.records.element import ValueOf
from cardan.model.records.known_names import KnownNames
from cardan.model.records.record import Record
from cardan.model.records.section import PathSection

_WAYS = "minimum_norm, ideal, {weights: …}, {share: …}, {zero: […]}, {given: …} or {limits: …}"


class Realization(Record):
    """One way to choose the efforts; all numbers stand under the names of joints."""

    rule: Literal["minimum_norm", "ideal"] = "minimum_norm"  # smallest efforts, or efforts along Φm,q
    weights: PathSection[Weight] | None = None  # of the squared efforts in their sum; 1 for joints left out
    share: PathSection[Number] | None = None  # efforts are in these proportions; for one component
    zero: tuple[str, ...] = ()  # joints without effort
    given: PathSection[Measure] | None = None  # efforts of some joints [N, N m]
    limits: PathSection[Anything] | None = None  # largest efforts; the least norm within them [N, N m]

    @model_validator(mode="after")
    def _check(self) -> Self:
        ways = [key for key in ("weights", "share", "zero", "given", "limits") if getattr(self, key)]
        if len(ways) + (self.rule == "ideal") > 1:
            raise ModelError(f"{', '.join(ways)} are several ways to share efforts", f"write one of {_WAYS}")
        return self

    def issues(self, by: tuple[str, ...], size: int) -> Iterator[Issue]:
        """What does not fit to the joints `by` and to the number of components, `size`."""
        for key in ("weights", "share", "zero", "given", "limits"):
            for name in getattr(self, key) or ():
                if name not in by:
                    yield Issue(f"{name!r} does not drive this motion", f"write joints of by: {', '.join(by)}", (key,))
        fixed = len(self.zero) + len(self.given or ())
        if fixed > len(by) - size:
            fault = f"{len(by) - fixed} of {len(by)} joints are left to keep {size} component{'s' * (size > 1)}"
            key = "zero" if self.zero else "given"
            yield Issue(fault, f"leave at most {len(by) - size} out", (key,))
        if self.share and (size > 1 or set(self.share) != set(by)):
            yield Issue("shares are for one component, and for all its joints", "write a share for each", ("share",))

    def value_issues(self, value_of: ValueOf) -> Iterator[Issue]:
        """Shares with which no effort is left."""
        if self.share and not any(value_of(part) for part in self.share.values()):
            yield Issue("all shares are zero, so that no joint drives", "give one of them a value", ("share",))

    def number_kind(self, path: Path, names: KnownNames) -> NumberKind | None:
        """What the number at `path` has to be where that depends on its joint; None: its field says it."""
        if path[0] not in ("given", "limits") or str(path[1]) not in names.efforts:
            return None
        unit = names.efforts[str(path[1])]
        effort = NumberKind.value_in(unit)
        if path[0] == "given":
            return replace(effort, scope="motion")
        return replace(effort, word=f"a limit in {unit}", minimum=0, excluded=True)

    @property
    def words(self) -> str:
        """The rule in a few words, for descriptions of results."""
        for key in ("weights", "share", "given", "limits"):
            if table := getattr(self, key):
                return f"{key} " + ", ".join(f"{name} {scalar}" for name, scalar in table.items())
        return f"zero {', '.join(self.zero)}" if self.zero else self.rule.replace("_", " ")


def _read(value: Any) -> Any:
    if isinstance(value, str):
        if value not in ("minimum_norm", "ideal"):
            raise ModelError(f"{f'{value!r:.60}'} is no way to share efforts", f"write one of {_WAYS}")
        return Realization(rule=value)
    if isinstance(value, Mapping):
        given = {str(key): entry for key, entry in value.items()}
        if isinstance(given.get("zero"), str):
            given["zero"] = (given["zero"],)
        return Realization(**given)
    return value


AnyRealization = Annotated[Realization, BeforeValidator(_read)]
"""A `Realization`, its keys, or the name of a rule."""
