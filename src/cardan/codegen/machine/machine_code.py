"""Machine code as bytes, as the disk cache stores it and `engine` loads it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from cardan.codegen.program.program import Port
from cardan.frozen import dataclass


@dataclass(frozen=True, slots=True)
class MachineCode:
    """Object code of one program for one number of lanes, with what a caller must know about it."""

    inputs: tuple[Port, ...]  # names and dense shapes
    outputs: tuple[Port, ...]  # likewise
    n_work: int  # length of the scratch array
    lanes: int  # number of states computed at once; 0 for plain numbers
    length: int  # number of instructions of the program
    code: bytes  # object file

    @property
    def n_in(self) -> int:
        """Length of the input vector."""
        return sum(port.size for port in self.inputs)

    @property
    def n_out(self) -> int:
        """Length of the output vector."""
        return sum(port.size for port in self.outputs)

    def to_bytes(self) -> bytes:
        """One line of JSON, then the object file."""
        head: dict[str, Any] = {"n_work": self.n_work, "lanes": self.lanes, "length": self.length}
        for side, ports in (("inputs", self.inputs), ("outputs", self.outputs)):
            head[side] = [asdict(port) for port in ports]
        return json.dumps(head).encode() + b"\n" + self.code

    @classmethod
    def from_bytes(cls, data: bytes) -> MachineCode:
        """The inverse of `to_bytes`."""
        line, _, code = data.partition(b"\n")
        head = json.loads(line)
        ports = {side: tuple(Port(**port) for port in head[side]) for side in ("inputs", "outputs")}
        return cls(ports["inputs"], ports["outputs"], head["n_work"], head["lanes"], head["length"], code)
