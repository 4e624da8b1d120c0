"""Value from a table over one expression, such as a gain over a position or a characteristic to linearise."""

from typing import Any, Literal

from cardan.model.controllers.controller import LimitedLaw
from cardan.model.quantities.fields import Anything, Measure
from cardan.model.short_forms.sections import Sections


class LookupTable(LimitedLaw):
    """The value of a table at the input."""

    type: Literal["lookup"] = "lookup"
    input: Measure
    table: tuple[tuple[Anything, Anything], ...]  # [[x, y], …], ascending in x
    interpolation: Literal["linear", "cubic", "step"] = "linear"  # between the rows
    outside: Literal["hold", "extend", "error"] = "hold"  # beyond the table: the last value, a line, or no value

    def law(self, name: str, sections: Sections) -> str:
        rows = [[entry.source for entry in row] for row in self.table]
        written: dict[str, Any] = {"of": self.input.source, "table": rows, "interpolation": self.interpolation}
        sections.put("let", f"{name}.value", written | {"outside": self.outside})
        return self.bounded(name, f"{name}.value", sections)
