"""The memory of a run: its `RunRecord` and the arrays that it points to, in one block.

The fields of the record that hold addresses are written when the memory is made; their arrays follow the record in the
order of `_layout`, each from a cache line on. What every run writes before it reads it stands last and is not cleared.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Mapping
from ctypes import addressof, c_char
from functools import lru_cache
from itertools import accumulate
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.codegen.kernels import LINE, Address, Cells, fields
from cardan.frozen import dataclass, field
from cardan.integration.loop.records import BYTES, EventSizes, RunRecord, place_of_mode, whole_lines
from cardan.integration.problem import NativeFunction, Problem


@dataclass(frozen=True)
class _Layout:
    """The places of a `RunRecord` and its arrays in one block: one after another, each in whole cache lines."""

    shapes: Mapping[str, tuple[int, ...]]
    spans: Mapping[str, slice]  # where they stand [doubles]
    size: int  # total size [doubles]
    words: NDArray[np.int64]  # initial content of the block up to `T`: the record, then zeros
    points: slice  # fields of the record that hold distances from its beginning, which become addresses [bytes]


@lru_cache(maxsize=64)
def _layout(
    n: int,
    size: int,
    inputs: int,
    width: int,
    rows: int,
    log_rows: int,
    stages: int,
    n_work: int,
    lanes: int,
    events: EventSizes,
) -> _Layout:
    k, nm, pairs = events.k, events.nm, events.unknowns * (events.unknowns + 3)
    shapes: dict[str, tuple[int, ...]] = {
        "x": (size,),
        "x_new": (size,),
        "x_stage": (size,),
        "atol": (size,),
        "errors": (2, whole_lines(size)),
        "K": (stages, whole_lines(size)),
        "weights": (stages + 1,),
        "input": (inputs + (events.behind if k + events.r else 0),),
        "output": (n + 2 * width,),
        "work": (n_work,),
        "powers": (stages + 1, whole_lines(size)),
        "lane_rows": (lanes, whole_lines(size)),
        "lane_input": (inputs, lanes),
        "lane_output": (n + 2, lanes),
        "lane_closed": (LINE if lanes else 0,),
        "x_out": (size,),
        "x_free": (n,),
        **dict.fromkeys(("g", "g_new", "g_low", "g_at", "g_try"), (2 * k + width,)),
        **dict.fromkeys(("side", "side_new", "noise", "noise_new", "roots", "h_after"), (k,)),
        "fired": (k + events.r,),
        "landing": (n + nm + 1 + events.returned_events if k + events.r else 0,),
        "pairs": (events.problems, pairs),
        "pivots": (pairs,),
        "T": (rows,),
        "X": (rows, n),
        "W": (rows, size - n),
        "log_t": (log_rows,),
        "log_x": (log_rows, size),
        "log_nearness": (log_rows,),
        "modes": (rows, nm),
        "log_modes": (log_rows, nm),
        "event_t": (events.rows,),
        "event_fired": (events.rows, k),
        "event_before": (events.rows, nm),
        "event_after": (events.rows, nm),
    }
    first = whole_lines(len(fields(RunRecord)))  # the record itself
    ends = list(accumulate((whole_lines(math.prod(shape)) for shape in shapes.values()), initial=first))
    places = dict(zip(shapes, ends[:-1], strict=True))
    spans = {name: slice(place, place + math.prod(shapes[name])) for name, place in places.items()}
    offsets = {name: BYTES * place for name, place in places.items()}
    words = np.zeros(places["T"], np.int64)
    for place, name in enumerate(fields(RunRecord)):
        words[place] = offsets.get(name, _INITIAL.get(name, 0))
    points = [place for place, name in enumerate(fields(RunRecord)) if name in offsets]
    return _Layout(shapes, spans, ends[-1], words, slice(points[0], points[-1] + 1))


_INITIAL = {
    "worst": -1,
    "patience": int(np.float64(math.inf).view(np.int64)),
    "cut": int(np.float64(-math.inf).view(np.int64)),
    "t_event": int(np.float64(-math.inf).view(np.int64)),
}
"""Words of a record that are not zero at the start of a run."""


_Numbers: Any = namedtuple("_Numbers", list(fields(RunRecord)))  # type: ignore[misc] # the names are those of the record
_ENTRIES = Struct("".join("d" if kind == "float" else "q" for kind in fields(RunRecord).values()))


@dataclass(frozen=True)
class RunMemory:
    """A `RunRecord` record and what it points to, all in one block of memory."""

    record: Cells  # the numbers
    block: NDArray[np.float64]
    layout: _Layout  # layout of the block
    first: int  # place of the mode in the input row

    def array(self, name: str) -> NDArray[np.float64]:
        """One of the arrays, to read and to write."""
        return self.block[self.layout.spans[name]].reshape(self.layout.shapes[name])

    @property
    def numbers(self) -> Any:
        """The fields of the record as Python's numbers, all of one moment."""
        return _Numbers._make(_ENTRIES.unpack_from(self.block.data))

    @property
    def x(self) -> NDArray[np.float64]:
        """State and quadratures at the time reached, shape (size,)."""
        return self.array("x")

    @property
    def mode(self) -> NDArray[np.float64]:
        """Mode at the time reached, shape (nm,)."""
        return self.array("input")[self.first : self.first + self.array("modes").shape[1]]

    @property
    def X(self) -> NDArray[np.float64]:
        """States at the instants that are returned, shape (rows, n)."""
        return self.array("X")

    @property
    def W(self) -> NDArray[np.float64]:
        """Quadratures at the instants that are returned, shape (rows, size − n)."""
        return self.array("W")

    @property
    def T(self) -> NDArray[np.float64]:
        """The instants that are returned, shape (rows,) [s]."""
        return self.array("T")


@dataclass(frozen=True)
class Room:
    """Memory for runs one after the other: the first write into fresh memory costs more than many a short run."""

    blocks: dict[int, tuple[NDArray[np.float64], Address]] = field(default_factory=dict)  # by size [doubles]

    def of(self, size: int) -> tuple[NDArray[np.float64], Address]:
        """A block of `size` doubles, and its address; it holds what the run before has left."""
        if size not in self.blocks:
            self.blocks[size] = aligned(size)
        return self.blocks[size]


def make_run_memory(
    problem: Problem,
    stages: int,
    n_work: int,
    x0: NDArray[np.float64] | None = None,
    p: NDArray[np.float64] | None = None,
    lanes: NativeFunction | None = None,
    room: Room | None = None,
) -> RunMemory:
    """Return the memory of a run of `problem` that starts at its first instant."""
    width, side = problem.width, 0 if lanes is None else lanes.lanes
    n, size = problem.n * width, (problem.n + problem.nw) * width
    inputs = width + n + problem.m * width + problem.p.size
    scratch = max(n_work * width, 0 if lanes is None else lanes.n_work * side)
    sizes = problem.rows, problem.log_rows, stages, scratch, side, EventSizes.of(problem)
    layout = _layout(n, size, inputs, width, *sizes)
    block, address = aligned(layout.size) if room is None else room.of(layout.size)
    words = block[: len(layout.words)].view(np.int64)  # what follows is large, and is written before it is read
    words[:] = layout.words
    words[layout.points] += address
    record = Cells(RunRecord, words, address)
    record["t"] = problem.t0
    if lanes is not None:
        record["project_lanes"], record["lanes"] = lanes.address, side
    memory = RunMemory(record, block, layout, place_of_mode(problem))
    x = memory.x
    x[:n], x[n:] = problem.x0 if x0 is None else x0, problem.w0
    if problem.p.size:
        memory.array("input")[inputs - problem.p.size : inputs] = problem.p if p is None else p
    return memory


def aligned(size: int) -> tuple[NDArray[np.float64], Address]:
    """Return an array that begins with a cache line, and its address; nothing is written into it."""
    block = np.empty(size + LINE)
    address = addressof(c_char.from_buffer(block.data))
    first = -(address // BYTES) % LINE
    return block[first : first + size], address + BYTES * first
