"""LLVM types and constants for one number or for W lanes, so that every other file writes both with one text."""

import struct
from collections.abc import Sequence

from cardan.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Width:
    """How numbers, integers and booleans are written."""

    lanes: int  # number of lanes; 0 for plain numbers

    @property
    def count(self) -> int:
        """Number of states computed at once."""
        return max(self.lanes, 1)

    @property
    def number(self) -> str:
        """The type of a value."""
        return self._of("double")

    @property
    def integer(self) -> str:
        """64-bit integers."""
        return self._of("i64")

    @property
    def boolean(self) -> str:
        """Results of comparisons."""
        return self._of("i1")

    @property
    def suffix(self) -> str:
        """The ending of intrinsic names, as in `llvm.fma.v8f64`."""
        return f"v{self.lanes}f64" if self.lanes else "f64"

    def constant(self, value: float) -> str:
        """A number in every lane, by its bits."""
        return self._splat("double", _bits(value))

    def constants(self, values: Sequence[float]) -> str:
        """A number in each lane, by their bits."""
        return f"<{', '.join(f'double {_bits(value)}' for value in values)}>"

    def whole(self, value: int) -> str:
        """An integer in every lane."""
        return self._splat("i64", str(value))

    def take(self, result: str, vector: str, lane: int) -> list[str]:
        """Lines that make `result`, a number, from one lane of a value."""
        if not self.lanes:
            return [f"{result} = bitcast double {vector} to double"]
        return [f"{result} = extractelement {self.number} {vector}, i32 {lane}"]

    def put(self, result: str, vector: str, number: str, lane: int) -> list[str]:
        """Lines that make `result`, a value with `number` in one lane."""
        if not self.lanes:
            return [f"{result} = bitcast double {number} to double"]
        return [f"{result} = insertelement {self.number} {vector}, double {number}, i32 {lane}"]

    def all(self, result: str, condition: str) -> list[str]:
        """Lines that make `result`, true if the condition holds in every lane."""
        if not self.lanes:
            return [f"{result} = bitcast i1 {condition} to i1"]
        bits = f"i{self.lanes}"
        return [
            f"{result}.m = bitcast {self.boolean} {condition} to {bits}",
            f"{result} = icmp eq {bits} {result}.m, -1",
        ]

    def _of(self, scalar: str) -> str:
        return f"<{self.lanes} x {scalar}>" if self.lanes else scalar

    def _splat(self, scalar: str, text: str) -> str:
        return f"<{', '.join([f'{scalar} {text}'] * self.lanes)}>" if self.lanes else text


def _bits(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
