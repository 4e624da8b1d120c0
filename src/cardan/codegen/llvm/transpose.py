"""W rows of a matrix to columns of W lanes and back, transposed in registers."""

from collections.abc import Callable

from cardan.codegen.llvm.widths import Width

GROUP = 4
"""Columns in one turn of the loop over the columns of a wide port; a port of less than two turns has no such loop."""
PAIR = "<2 x double>"
NARROW = 4
"""Widest port whose rows, which follow each other without gaps, are moved in whole registers: one of C columns takes
C − 1 shuffles for each of C registers, and beyond this more than by pairs."""

Move = Callable[[Width, str, int, int, str, str], list[str]]
"""The signature of `gather` and `scatter`."""


def columns(width: Width, name: str, size: int, stride: int, row: str, lanes: str, move: Move) -> list[str]:
    """Lines that move all columns: most columns of a wide port in a loop, all others without."""
    looped = (size - 2) // GROUP * GROUP if size >= 2 * GROUP else 0  # at least a pair is left
    if not looped:
        return move(width, f"%{name}.", size, stride, row, lanes)
    k = f"%{name}.k"
    return [
        f"br label %{name}.enter",
        f"{name}.enter:",
        f"br label %{name}.loop",
        f"{name}.loop:",
        f"{k} = phi i64 [ 0, %{name}.enter ], [ {k}.next, %{name}.loop ]",
        *_offset(f"{k}.row", row, k, 1),
        *_offset(f"{k}.lanes", lanes, k, width.count),
        *move(width, f"%{name}.g", GROUP, stride, f"{k}.row", f"{k}.lanes"),
        f"{k}.next = add i64 {k}, {GROUP}",
        f"{k}.more = icmp slt i64 {k}.next, {looped}",
        f"br i1 {k}.more, label %{name}.loop, label %{name}.rest",
        f"{name}.rest:",
        *_offset(f"%{name}.last.row", row, str(looped), 1),
        *_offset(f"%{name}.last.lanes", lanes, str(looped), width.count),
        *move(width, f"%{name}.", size - looped, stride, f"%{name}.last.row", f"%{name}.last.lanes"),
    ]


def _offset(result: str, pointer: str, number: str, factor: int) -> list[str]:
    return [
        f"{result}.n = mul i64 {number}, {factor}",
        f"{result} = getelementptr double, ptr {pointer}, i64 {result}.n",
    ]


def gather(width: Width, name: str, size: int, stride: int, row: str, lanes: str) -> list[str]:
    """Lines that move rows into lanes: two columns at a time, each row's two numbers in one load.

    What is read soon after must be written in one piece: two halves in the store buffer hold up a load of the whole.
    So the last of an odd number of columns comes with its neighbour, which is then not written again.
    """
    if _without_gaps(width, size, stride):
        return _registers(width, name, size, row, lanes, lambda k, i: divmod(i * size + k, width.count))
    lines = []
    for column, wanted in _steps(width, size):
        x, kind = f"{name}{column}.", PAIR if wanted else "double"
        for lane in range(width.count):
            lines += _read(f"{x}r{lane}", kind, row, lane * stride + column)
        lines += _pair_in(width, x, column, wanted, lanes) if wanted else _one_in(width, x, column, lanes)
    return lines


def _pair_in(width: Width, x: str, column: int, wanted: tuple[int, ...], lanes: str) -> list[str]:
    """Pairs x.r of all rows as two columns of lanes."""
    lines: list[str] = []
    even, odd = (_joined(lines, x, [f"{x}r{lane}" for lane in range(k, width.count, 2)]) for k in (0, 1))
    for k in wanted:
        lines += _shuffle(f"{x}c{k}", width.number, even, odd, _interleave(width.count, k))
        lines += _write(f"{x}c{k}", width.number, lanes, (column + k) * width.count)
    return lines


def _one_in(width: Width, x: str, column: int, lanes: str) -> list[str]:
    """Numbers x.r of all rows as one column of lanes."""
    lines, last = [], "undef"
    for lane in range(width.count):
        lines += width.put(f"{x}x{lane}", last, f"{x}r{lane}", lane)
        last = f"{x}x{lane}"
    return lines + _write(last, width.number, lanes, column * width.count)


def scatter(width: Width, name: str, size: int, stride: int, row: str, lanes: str) -> list[str]:
    """Lines for the reverse of `gather`: lanes into rows, one row after the other, as the processor likes to write."""
    if _without_gaps(width, size, stride):
        return _registers(width, name, size, lanes, row, lambda k, i: divmod(k * width.count + i, size)[::-1])
    lines, pairs = [], []
    for column, wanted in _steps(width, size):
        x = f"{name}{column}."
        for k in range(2 if wanted else 1):
            lines += _read(f"{x}c{k}", width.number, lanes, (column + k) * width.count)
        if wanted:
            pairs.append((column, x))
            for k in (0, 1):
                lines += _shuffle(f"{x}h{k}", width.number, f"{x}c0", f"{x}c1", _interleave(width.count, k))
        else:
            lines += _one_out(width, x, column, stride, row)
    for lane in range(width.count):
        for column, x in pairs:
            half, first = f"{x}h{lane % 2}", lane - lane % 2
            lines += _shuffle(f"{x}r{lane}", width.number, half, half, [first, first + 1])
            lines += _write(f"{x}r{lane}", PAIR, row, lane * stride + column)
    return lines


def _without_gaps(width: Width, size: int, stride: int) -> bool:
    """Whether the rows of a narrow port are so many whole registers in memory."""
    return width.count > 1 and size == stride <= NARROW


def _registers(
    width: Width, name: str, size: int, source: str, target: str, place: Callable[[int, int], tuple[int, int]]
) -> list[str]:
    """Lines that read `size` registers one after the other and write as many.

    `place(k, i)` is the register and the lane in it that become lane i of register k.
    """
    W, lines = width.count, []
    for k in range(size):
        lines += _read(f"{name}x{k}", width.number, source, k * W)
    for k in range(size):
        places = [place(k, i) for i in range(W)]
        first, *others = dict.fromkeys(register for register, _ in places)  # no others: a single column, as it stands
        made, picks = f"{name}x{first}", [lane for _, lane in places]
        for register in others:
            picks = [W + lane if one == register else pick for pick, (one, lane) in zip(picks, places, strict=True)]
            lines += _shuffle(f"{name}y{k}.{register}", width.number, made, f"{name}x{register}", picks)
            made, picks = f"{name}y{k}.{register}", list(range(W))
        lines += _write(made, width.number, target, k * W)
    return lines


def _one_out(width: Width, x: str, column: int, stride: int, row: str) -> list[str]:
    """The column of lanes x.c0 as one number of each row."""
    lines = []
    for lane in range(width.count):
        lines += width.take(f"{x}r{lane}", f"{x}c0", lane)
        lines += _write(f"{x}r{lane}", "double", row, lane * stride + column)
    return lines


def _steps(width: Width, size: int) -> list[tuple[int, tuple[int, ...]]]:
    """First columns of pairs, and which of the two are wanted; no pairs for one column or if W is no power of two."""
    if size < 2 or width.count < 2 or width.count & (width.count - 1):
        return [(column, ()) for column in range(size)]
    steps: list[tuple[int, tuple[int, ...]]] = [(column, (0, 1)) for column in range(0, size - 1, 2)]
    return [*steps, (size - 2, (1,))] if size % 2 else steps


def _joined(lines: list[str], name: str, parts: list[str]) -> str:
    """The name of the vector that holds all parts one after the other; appends the lines that make it."""
    size = 2
    while len(parts) > 1:
        kind = f"<{size} x double>"
        pairs = list(zip(parts[::2], parts[1::2], strict=True))
        parts = [f"{a}.{size}" for a, _ in pairs]
        for joined, (a, b) in zip(parts, pairs, strict=True):
            lines += _shuffle(joined, kind, a, b, list(range(2 * size)))
        size *= 2
    return parts[0]


def _interleave(count: int, k: int) -> list[int]:
    return [lane - lane % 2 + k + count * (lane % 2) for lane in range(count)]


def _shuffle(result: str, kind: str, a: str, b: str, picks: list[int]) -> list[str]:
    mask = ", ".join(f"i32 {pick}" for pick in picks)
    return [f"{result} = shufflevector {kind} {a}, {kind} {b}, <{len(picks)} x i32> <{mask}>"]


def _read(result: str, kind: str, array: str, number: int) -> list[str]:
    return [
        f"{result}.p = getelementptr double, ptr {array}, i64 {number}",
        f"{result} = load {kind}, ptr {result}.p, align 8",
    ]


def _write(value: str, kind: str, array: str, number: int) -> list[str]:
    return [
        f"{value}.to = getelementptr double, ptr {array}, i64 {number}",
        f"store {kind} {value}, ptr {value}.to, align 8",
    ]
