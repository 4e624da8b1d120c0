"""The loop over a batch, in machine code: rows of states to lanes, the program, lanes back to rows.

    void rows(const int64 *job)

where a job is three numbers and three lists, one after the other:

    first, last      states first … last − 1 are computed; there are at least W of them
    scratch          address of in[n_in][W], out[n_out][W] and work[n_work][W]
    inputs           addresses of the rows of each input; rows follow each other without gaps
    varies           for each input 1 if it has a row for every state, 0 if one row holds for all states
    outputs          addresses of the rows of each output

The last block is moved back to end with the last state. It repeats some states, so that there is no second copy of the
program for the remainder and no memory outside the arrays is touched. Of each input only the columns from the first to
the last that the program reads are moved.
"""

from collections.abc import Iterator, Sequence

import casadi as ca

from cardan.codegen.llvm.transpose import Move, columns, gather, scatter
from cardan.codegen.llvm.widths import Width
from cardan.codegen.program.program import Port, Program


def rows(program: Program, width: Width, first_apart: int | None = None) -> str:
    """The text of the function, which calls `program`."""
    count, n = width.count, len(program.inputs)
    lines = [
        *_load("%first", "i64", "%job", 0),
        *_load("%last", "i64", "%job", 1),
        *_load("%scratch", "ptr", "%job", 2),
        f"%final = sub i64 %last, {count}",
        f"%result = getelementptr double, ptr %scratch, i64 {program.n_in * count}",
        f"%work = getelementptr double, ptr %scratch, i64 {(program.n_in + program.n_out) * count}",
    ]
    read = _read_columns(program)
    for i, (_, start) in enumerate(_places(program.inputs)):
        if read[i]:
            lines += _port(f"in{i}", 3 + i, "%scratch", (start + read[i].start) * count, read[i].start)
            lines += _once(width, i, 3 + n + i, len(read[i]))
    for i, (_, start) in enumerate(_places(program.outputs)):
        lines += _port(f"out{i}", 3 + 2 * n + i, "%result", start * count)
    lines += [
        "br label %enter",
        "enter:",
        "br label %block",
        "block:",
        "%state = phi i64 [ %first, %enter ], [ %next, %ready ]",
    ]
    for i, port in enumerate(program.inputs):
        if not read[i]:
            continue
        lines += [
            f"br i1 %varies{i}, label %each{i}, label %each{i}.end",
            f"each{i}:",
            *_block(width, f"in{i}", len(read[i]), port.size, gather),
            f"br label %each{i}.end",
            f"each{i}.end:",
        ]
    lines += _call("%result", width, first_apart)
    for i, port in enumerate(program.outputs):
        lines += _block(width, f"out{i}", port.size, port.size, scatter)
    return "\n".join(
        [
            "define void @rows(ptr %job) nounwind {",
            "entry:",
            *lines,
            f"%after = add i64 %state, {count}",
            "%whole = icmp sle i64 %after, %final",
            "%next = select i1 %whole, i64 %after, i64 %final",
            "%more = icmp slt i64 %after, %last",
            "br label %ready",
            "ready:",
            "br i1 %more, label %block, label %done",
            "done:",
            "ret void\n}",
        ]
    )


def _once(width: Width, i: int, place: int, count: int) -> list[str]:
    """Lines that move an input which one row holds for all states; a number of the job says whether it varies."""
    return [
        *_load(f"%varies{i}.n", "i64", "%job", place),
        f"%varies{i} = icmp ne i64 %varies{i}.n, 0",
        f"br i1 %varies{i}, label %once{i}.end, label %once{i}",
        f"once{i}:",
        *columns(width, f"once{i}", count, 0, f"%in{i}", f"%in{i}.lanes", gather),
        f"br label %once{i}.end",
        f"once{i}.end:",
    ]


def state(program: Program, width: Width, first_apart: int | None = None) -> str:
    """The text of `void state(double *scratch)`: the program on one array that holds inputs, outputs and work."""
    return "\n".join(
        [
            "define void @state(ptr %scratch) nounwind {",
            f"%out = getelementptr double, ptr %scratch, i64 {program.n_in * width.count}",
            f"%work = getelementptr double, ptr %scratch, i64 {(program.n_in + program.n_out) * width.count}",
            *_call("%out", width, first_apart),
            "ret void\n}",
        ]
    )


def _call(result: str, width: Width, first_apart: int | None) -> list[str]:
    """Lines that call `program` on the arrays behind one another in `%scratch`."""
    if first_apart is None:
        return [f"call void @program(ptr %scratch, ptr {result}, ptr %work)"]
    return [
        f"%last.input = getelementptr double, ptr %scratch, i64 {first_apart * width.count}",
        f"call void @program(ptr %scratch, ptr {result}, ptr %work, ptr %last.input)",
    ]


def _places(ports: Sequence[Port]) -> Iterator[tuple[Port, int]]:
    """Each port with the number of its first entry."""
    start = 0
    for port in ports:
        yield port, start
        start += port.size


def _read_columns(program: Program) -> list[range]:
    """Of each input the columns from the first to the last that the program reads."""
    read = {instruction.args[0] for instruction in program.instructions if instruction.op == ca.OP_INPUT}
    out = []
    for port, start in _places(program.inputs):
        own = [k for k in range(port.size) if start + k in read]
        out.append(range(own[0], own[-1] + 1) if own else range(0))
    return out


def _port(name: str, number: int, lanes: str, place: int, column: int = 0) -> list[str]:
    """Lines that name the rows of a port from a `column` on, and its place in the lanes."""
    return [
        *_load(f"%{name}.all", "ptr", "%job", number),
        f"%{name} = getelementptr double, ptr %{name}.all, i64 {column}",
        f"%{name}.lanes = getelementptr double, ptr {lanes}, i64 {place}",
    ]


def _load(result: str, kind: str, array: str, number: int) -> list[str]:
    return [f"{result}.p = getelementptr i64, ptr {array}, i64 {number}", f"{result} = load {kind}, ptr {result}.p"]


def _block(width: Width, port: str, size: int, stride: int, move: Move) -> list[str]:
    """Lines that move `size` columns of the rows of one block, which begins at `%state`; rows are `stride` apart."""
    return [
        f"%{port}.at = mul i64 %state, {stride}",
        f"%{port}.row = getelementptr double, ptr %{port}, i64 %{port}.at",
        *columns(width, f"{port}.each", size, stride, f"%{port}.row", f"%{port}.lanes", move),
    ]
