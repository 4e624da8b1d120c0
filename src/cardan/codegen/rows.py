"""The loop over a batch, in machine code: rows of states to lanes, the program, lanes back to rows.

    void rows(double **in, int64 *stride, double **out, int64 first, int64 last, double *scratch)

computes states first … last − 1. Input i of state s is the contiguous array at in[i] + s stride[i] (in doubles;
stride 0 for an input that is the same for all states), output i goes to out[i] + s size_i. `scratch` holds
in[n_in][W], out[n_out][W] and work[n_work][W]. The last block is filled up with its own last state, so that there is
no second copy of the program for the remainder.
"""

from __future__ import annotations

from collections.abc import Sequence

from .program import Port, Program
from .widths import Width

__all__ = ["rows", "state"]

TILE = 4
"""Rows and columns transposed at once: the width of a 256-bit register."""
FOUR = "<4 x double>"


def rows(program: Program, width: Width) -> str:
    """The text of the function, which calls `program`.

    Parameters
    ----------
    program : Program
        For the sizes of inputs and outputs.
    width : Width
        Number of states in a block.
    """
    count = width.count
    inputs, outputs = _starts(program.inputs), _starts(program.outputs)
    setup = [line for i, (port, start) in enumerate(inputs) for line in _setup(i, start * count)]
    splat = [line for i, (port, start) in enumerate(inputs) for line in _gather_once(i, port.size)]
    gather = [line for i, (port, start) in enumerate(inputs) for line in _gather(i, port.size)]
    scatter = [line for i, (port, start) in enumerate(outputs) for line in _scatter(i, port.size, start * count)]
    return f"""
{_transfer("gather", width, into_lanes=True)}
{_transfer("scatter", width, into_lanes=False)}
define void @rows(ptr %in, ptr %stride, ptr %out, i64 %first, i64 %last, ptr %scratch) nounwind {{
entry:
%final = sub i64 %last, 1
%lanes.out = getelementptr double, ptr %scratch, i64 {program.n_in * count}
%work = getelementptr double, ptr %scratch, i64 {(program.n_in + program.n_out) * count}
{chr(10).join(setup)}
{chr(10).join(splat)}
br label %loop
loop:
%state = phi i64 [ %first, %entry ], [ %next, %block ]
%more = icmp slt i64 %state, %last
br i1 %more, label %block, label %done
block:
{chr(10).join(gather)}
call void @program(ptr %scratch, ptr %lanes.out, ptr %work)
{chr(10).join(scatter)}
%next = add i64 %state, {count}
br label %loop
done:
ret void
}}"""


def state(program: Program, width: Width) -> str:
    """The text of `void state(double *scratch)`: the program on one array that holds inputs, outputs and work.

    Parameters
    ----------
    program : Program
        For the sizes of inputs and outputs.
    width : Width
        Number of states in a block.
    """
    return f"""
define void @state(ptr %scratch) nounwind {{
%out = getelementptr double, ptr %scratch, i64 {program.n_in * width.count}
%work = getelementptr double, ptr %scratch, i64 {(program.n_in + program.n_out) * width.count}
call void @program(ptr %scratch, ptr %out, ptr %work)
ret void
}}"""


def _starts(ports: Sequence[Port]) -> list[tuple[Port, int]]:
    result, start = [], 0
    for port in ports:
        result.append((port, start))
        start += port.size
    return result


def _setup(i: int, place: int) -> list[str]:
    return [
        f"%in{i}.p = getelementptr ptr, ptr %in, i64 {i}",
        f"%in{i} = load ptr, ptr %in{i}.p",
        f"%stride{i}.p = getelementptr i64, ptr %stride, i64 {i}",
        f"%stride{i} = load i64, ptr %stride{i}.p",
        f"%varies{i} = icmp ne i64 %stride{i}, 0",
        f"%lanes{i} = getelementptr double, ptr %scratch, i64 {place}",
    ]


def _gather_once(i: int, size: int) -> list[str]:
    """An input that is the same for all states is spread over the lanes once."""
    return [
        f"%once{i} = select i1 %varies{i}, i64 0, i64 {size}",
        f"call void @gather(ptr %in{i}, i64 0, i64 %once{i}, ptr %lanes{i}, i64 0, i64 0)",
    ]


def _gather(i: int, size: int) -> list[str]:
    return [
        f"%each{i} = select i1 %varies{i}, i64 {size}, i64 0",
        f"call void @gather(ptr %in{i}, i64 %stride{i}, i64 %each{i}, ptr %lanes{i}, i64 %state, i64 %final)",
    ]


def _scatter(i: int, size: int, place: int) -> list[str]:
    return [
        f"%out{i}.p = getelementptr ptr, ptr %out, i64 {i}",
        f"%out{i} = load ptr, ptr %out{i}.p",
        f"%result{i} = getelementptr double, ptr %lanes.out, i64 {place}",
        f"call void @scatter(ptr %out{i}, i64 {size}, i64 {size}, ptr %result{i}, i64 %state, i64 %final)",
    ]


def _transfer(name: str, width: Width, *, into_lanes: bool) -> str:
    """A function that moves `size` entries of W consecutive rows (none beyond `final`) into lanes or back.

    Four columns of four rows at a time are transposed in registers. The last tile is moved left to end with the row:
    it repeats some columns. What has fewer than four columns, or not a multiple of four lanes, goes entry by entry.
    """
    tiled = width.count % TILE == 0
    lines = [
        f"define internal void @{name}(ptr noalias %rows, i64 %stride, i64 %size, ptr noalias %lanes,"
        " i64 %state, i64 %final) noinline nounwind {",
        "entry:",
    ]
    for lane in range(width.count):
        lines += [
            f"%s{lane} = add i64 %state, {lane}",
            f"%inside{lane} = icmp slt i64 %s{lane}, %final",
            f"%row{lane} = select i1 %inside{lane}, i64 %s{lane}, i64 %final",
            f"%offset{lane} = mul i64 %row{lane}, %stride",
            f"%base{lane} = getelementptr double, ptr %rows, i64 %offset{lane}",
        ]
    lines += [f"%left = sub i64 %size, {TILE}", "%wide = icmp sge i64 %left, 0"]
    lines.append("br i1 %wide, label %tiles, label %columns" if tiled else "br label %columns")
    if tiled:
        lines += _loop("tiles", TILE, _tile(width, into_lanes))
    lines += _loop("columns", 1, _column(width, into_lanes))
    return "\n".join([*lines, "done:", "ret void\n}"])


def _loop(name: str, step: int, body: list[str]) -> list[str]:
    """A loop over columns 0, step, 2 step …; `%{name}.k` is the column."""
    return [
        f"{name}:",
        f"%{name}.k = phi i64 [ 0, %entry ], [ %{name}.next, %{name}.body ]",
        f"%{name}.more = icmp slt i64 %{name}.k, %size",
        f"br i1 %{name}.more, label %{name}.body, label %done",
        f"{name}.body:",
        *body,
        f"%{name}.next = add i64 %{name}.k, {step}",
        f"br label %{name}",
    ]


def _column(width: Width, into_lanes: bool) -> list[str]:
    lines = [
        f"%at = mul i64 %columns.k, {width.count}",
        "%lane.p = getelementptr double, ptr %lanes, i64 %at",
        *(f"%p{lane} = getelementptr double, ptr %base{lane}, i64 %columns.k" for lane in range(width.count)),
    ]
    if into_lanes:
        for lane in range(width.count):
            lines.append(f"%x{lane} = load double, ptr %p{lane}")
            lines += width.put(f"%y{lane}", f"%y{lane - 1}" if lane else "undef", f"%x{lane}", lane)
        return [*lines, f"store {width.number} %y{width.count - 1}, ptr %lane.p, align 8"]
    lines.append(f"%x = load {width.number}, ptr %lane.p, align 8")
    for lane in range(width.count):
        lines += [*width.take(f"%x{lane}", "%x", lane), f"store double %x{lane}, ptr %p{lane}"]
    return lines


def _tile(width: Width, into_lanes: bool) -> list[str]:
    lines = [
        "%early = icmp slt i64 %tiles.k, %left",
        "%c = select i1 %early, i64 %tiles.k, i64 %left",
        f"%tile.at = mul i64 %c, {width.count}",
        "%tile.p = getelementptr double, ptr %lanes, i64 %tile.at",
    ]
    for first in range(0, width.count, TILE):
        rows = [f"%base{first + i}, i64 %c" for i in range(TILE)]
        columns = [f"%tile.p, i64 {first + i * width.count}" for i in range(TILE)]
        source, target = (rows, columns) if into_lanes else (columns, rows)
        for i, place in enumerate(source):
            lines += [
                f"%from{first}.{i} = getelementptr double, ptr {place}",
                f"%m{first}.{i} = load {FOUR}, ptr %from{first}.{i}, align 8",
            ]
        lines += _transpose(f"%m{first}.", f"%n{first}.")
        for i, place in enumerate(target):
            lines += [
                f"%to{first}.{i} = getelementptr double, ptr {place}",
                f"store {FOUR} %n{first}.{i}, ptr %to{first}.{i}, align 8",
            ]
    return lines


def _transpose(m: str, n: str) -> list[str]:
    """The columns n0 … n3 of the 4×4 matrix with rows m0 … m3: pairs are interleaved, then halves exchanged."""

    def shuffle(result: str, a: str, b: str, picks: tuple[int, int, int, int]) -> str:
        mask = ", ".join(f"i32 {pick}" for pick in picks)
        return f"{result} = shufflevector {FOUR} {a}, {FOUR} {b}, <4 x i32> <{mask}>"

    even, odd, low, high = (0, 4, 2, 6), (1, 5, 3, 7), (0, 1, 4, 5), (2, 3, 6, 7)
    pairs = [
        shuffle(f"{n}{k}p{i}", f"{m}{i}", f"{m}{i + 1}", k_mask)
        for i in (0, 2)
        for k, k_mask in (("e", even), ("o", odd))
    ]
    halves = [
        shuffle(f"{n}{i}", f"{n}{k}p0", f"{n}{k}p2", mask)
        for i, k, mask in ((0, "e", low), (1, "o", low), (2, "e", high), (3, "o", high))
    ]
    return [*pairs, *halves]
