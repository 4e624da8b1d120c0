"""The loop over a batch, in machine code: rows of states to lanes, the program, lanes back to rows.

    void rows(double **in, int64 *stride, double **out, int64 first, int64 last, double *scratch)

computes states first … last − 1. Input i of state s is the contiguous array at in[i] + s stride[i] (in doubles; stride 0 for an input that is the same
for all states), output i goes to out[i] + s size_i. `scratch` holds in[n_in][W], out[n_out][W] and work[n_work][W]. The last block is filled up with
its own last state, so that there is no second copy of the program for the remainder.
"""

from __future__ import annotations

from collections.abc import Sequence

from .program import Port, Program
from .widths import Width

__all__ = ["rows", "state"]


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
        f"%size{i} = select i1 %varies{i}, i64 0, i64 1",
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
    """A function that moves `size` entries of W consecutive rows (none beyond `final`) into lanes or back."""
    head = [
        f"define internal void @{name}(ptr noalias %rows, i64 %stride, i64 %size, ptr noalias %lanes, i64 %state, i64 %final) noinline nounwind {{",
        "entry:",
    ]
    for lane in range(width.count):
        head += [
            f"%s{lane} = add i64 %state, {lane}",
            f"%inside{lane} = icmp slt i64 %s{lane}, %final",
            f"%row{lane} = select i1 %inside{lane}, i64 %s{lane}, i64 %final",
            f"%offset{lane} = mul i64 %row{lane}, %stride",
            f"%base{lane} = getelementptr double, ptr %rows, i64 %offset{lane}",
        ]
    loop = [
        "br label %loop",
        "loop:",
        "%k = phi i64 [ 0, %entry ], [ %next, %body ]",
        "%more = icmp slt i64 %k, %size",
        "br i1 %more, label %body, label %done",
        "body:",
        f"%at = mul i64 %k, {width.count}",
        "%lane.p = getelementptr double, ptr %lanes, i64 %at",
        *(f"%p{lane} = getelementptr double, ptr %base{lane}, i64 %k" for lane in range(width.count)),
        *(_load_rows(width) if into_lanes else _store_rows(width)),
        "%next = add i64 %k, 1",
        "br label %loop",
        "done:",
        "ret void\n}",
    ]
    return "\n".join([*head, *loop])


def _load_rows(width: Width) -> list[str]:
    lines, last = [], "undef"
    for lane in range(width.count):
        lines.append(f"%x{lane} = load double, ptr %p{lane}")
        lines += width.put(f"%y{lane}", last, f"%x{lane}", lane)
        last = f"%y{lane}"
    return [*lines, f"store {width.number} {last}, ptr %lane.p, align 8"]


def _store_rows(width: Width) -> list[str]:
    lines = [f"%x = load {width.number}, ptr %lane.p, align 8"]
    for lane in range(width.count):
        lines += width.take(f"%x{lane}", "%x", lane)
        lines.append(f"store double %x{lane}, ptr %p{lane}")
    return lines
