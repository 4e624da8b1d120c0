"""A flexible body from modal data: its frame, a body at each interface node, and the joints along its modes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.model.place import split
from cardan.model.quantities.fields import Ratio
from cardan.model.quantities.scalar import ZERO, Scalar
from cardan.model.records.plain import plain_value
from cardan.model.records.record import Record
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import text_of, times

if TYPE_CHECKING:
    from cardan.model.flexible.modal_data import ModalData


class ModalBody(Record):
    """A body that bends along modes about its frame; interface nodes in the file are its markers."""

    type: Literal["modal"] = "modal"
    file: str  # `.npz` with the fields of `cardan.model.flexible.modal_data.FIELDS`
    modes: Annotated[int, Field(ge=1)] | None = None  # so many of the lowest are kept; all without a number
    damping_ratio: Ratio | tuple[Ratio, ...] = ZERO  # share of the critical damping, of all modes or of each


@dataclass(frozen=True)
class ModalWriting:
    """A modal body that is written out."""

    name: str
    body: ModalBody
    data: ModalData
    sections: Sections  # to which it is written

    @staticmethod
    def read(name: str, entry: Mapping[str, Any], sections: Sections) -> ModalWriting:
        """A modal body and the content of its file."""
        from cardan.model.flexible.modal_data import read_modal_data

        body = ModalBody(**{str(key): value for key, value in entry.items()})
        try:
            data = read_modal_data(Path(body.file), body.modes)
        except ModelError as error:
            raise error.under("file") from None
        return ModalWriting(name, body, data, sections)

    def end(self, end: Any) -> Any:
        """A place on the body as a place on its frame or on the body of an interface node."""
        if not isinstance(end, str):
            cure = f"name an interface node: {', '.join(f'{self.name}.{one}' for one in self.data.interfaces)}"
            raise ModelError(f"places on the modal body {self.name!r} are its interface nodes", cure)
        marker = split(end)[1]
        return self._node(marker) if marker in self.data.interfaces else end

    def write(self) -> None:
        """Write its frame, its nodes, and what joins them."""
        refuse_centre(self.name, self.sections)
        data, bodies = self.data, dict[str, Any]()
        for k, node in enumerate(data.interfaces):
            bodies[node] = {"position": [0, 0, 0], "part": self._node(node)}
            self._put("bodies", self._node(node), {})
            where = {"body": self.name, "position": data.positions[k].tolist()}
            shapes = {"shifts": data.shapes[k, :, :3].tolist(), "turns": data.shapes[k, :, 3:].tolist()}
            own = {"of": self._joint(data.interfaces[0])} if k else self._law | {"points": self._points}
            joint = {"type": "modal", "parent": where, "child": self._node(node)} | shapes | own
            self._put("joints", self._joint(node), joint)
        self.sections.replace("bodies", self.name, {"markers": bodies})

    def _node(self, node: str) -> str:
        return f"{self.name}_{node}"

    def _joint(self, node: str) -> str:
        first = node == self.data.interfaces[0]
        return f"{self.name}_modes" if first else f"{self.name}_{node}_modes"

    @property
    def _points(self) -> list[list[float]]:
        """Its points of mass, seen from the first interface node."""
        points = self.data.points.copy()
        points[:, 1:4] -= self.data.positions[0]
        return [[float(entry) for entry in point] for point in points]

    @property
    def _law(self) -> dict[str, Any]:
        """Stiffness and damping 2 ζ √(k m) of each mode."""
        ratios, n = self.body.damping_ratio, len(self.data.mass)
        ratios = (ratios,) * n if isinstance(ratios, Scalar) else ratios
        if len(ratios) != n:
            cure = f"write one number, or {n}"
            raise ModelError(Issue(f"{len(ratios)} damping ratios for {n} modes", cure, ("damping_ratio",)))
        critical = 2 * np.sqrt(self.data.stiffness * self.data.mass)
        damping = [times(repr(float(c)), text_of(one)) for c, one in zip(critical, ratios, strict=True)]
        return {"stiffness": [float(one) for one in self.data.stiffness], "damping": damping}

    def _put(self, section: str, name: str, value: Any) -> None:
        self.sections.put(section, name, value, ("bodies", self.name))


def refuse_centre(name: str, sections: Sections) -> None:
    """Refuse the centre of mass of the flexible body `name`, which no part has."""
    pattern = re.compile(rf"(?<![\w.]){re.escape(name)}\.com(?!\w)")
    for section, entries in sections.data.items():
        if pattern.search(str(plain_value(entries) if section != "bodies" else "")):
            fault = f"{section} names {name}.com, but a body that bends has no centre that is fixed in it"
            raise ModelError(fault, "give it a marker, and name that")
