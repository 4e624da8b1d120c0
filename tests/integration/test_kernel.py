"""The kernel compiler: machine code and Python give the same bits, and what is outside the subset is refused."""

from __future__ import annotations

import ast
import functools
import inspect
import math
import os
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cardan import codegen
from cardan.codegen.kernels import (
    LINE,
    Address,
    Line,
    doubles,
    fill,
    inlined,
    kernel,
    line,
    lines,
    lowering,
    run,
    select,
    somewhere,
)
from cardan.codegen.kernels.definitions import definition
from cardan.codegen.kernels.lowering import module_text
from cardan.integration import METHODS, Outcome, warm
from cardan.integration.loop.records import make_problem_record
from cardan.integration.loop.run_memory import make_run_memory
from cardan.integration.methods import kernels
from cardan.numerics import round_off
from tests.integration.problems import wave_problem
from tests.selection import each

LIMIT = 3


class Box:
    """A record with one field of each kind."""

    number: float
    count: int
    array: Address

    def sum_to(self, last: int) -> float:
        total = 0.0
        for i in range(last):
            total += doubles(self.array)[i]
        return total


def clamp(x: float, low: float, high: float) -> float:
    return max(low, min(x, high))


def sign_of(x: float) -> int:
    if x > 0.0:
        return 1
    elif x < 0.0:
        return -1
    return 0


def is_small(box: Box, i: int) -> bool:
    return i < box.count and not doubles(box.array)[i] >= 1.0


def everything(box: Box, budget: int) -> int:
    """Use every construct of the subset."""
    array = doubles(box.array)
    total, product = 0.0, 1
    for i in range(box.count):
        total += array[i] * 0.1
        array[i] /= 3
        if is_small(box, i) or i == LIMIT:
            product *= 2
    while total > 1.5 and product < 100:
        total -= 0.25
        product = product + 1 if product % 2 == 0 else product + 3
    for j in range(1, budget):
        total = total + math.sqrt(abs(-total)) ** 1.5 + clamp(float(j), 0.0, 2.5) + math.ceil(total / 7)
        if not math.isfinite(total):
            return -1
    total += box.sum_to(box.count)
    box.number = total if total < 1e6 else 1
    box.count += int(total / 10) + sign_of(-total)
    return product - sign_of(total)


def of_lines(box: Box, budget: int) -> int:
    """Use every construct with lines."""
    array, whole = doubles(box.array), lines(box.array)
    total, largest = line(0.5), whole[0]
    for i in range(box.count // LINE):
        here = -whole[i] * 0.1 + 1 / (whole[i] + line(7.0))
        total += here - budget
        largest = greater(largest, abs(whole[i]))
        whole[i] = total / 3
    if somewhere(largest > line(4.0)) and not somewhere(largest != largest):
        array[0] = 1.0
    whole[box.count // LINE - 1] = largest
    return box.count % LINE


def greater(a: Line, b: Line) -> Line:
    return select(a >= b, a, b)


def box(seed, count=6):
    array = np.random.default_rng(seed).normal(size=count) * 3
    return fill(Box, number=0.5, count=count, array=array), array


@pytest.fixture(params=["quick", "best"])
def code(request, monkeypatch):
    """Function that gives a kernel one of its two kinds of machine code."""
    monkeypatch.setattr(run, "_LOADED", {})

    def prepare(compiled):
        quick = request.param == "quick"
        run._LOADED[compiled] = run._made(compiled, quick=quick)
        return compiled

    return prepare


@inlined
def sum_below(box: Box, last: int) -> float:
    total, i = 0.0, 0
    while i < last:
        total += doubles(box.array)[i]
        i += 1
    return total


def of_inlined(box: Box, budget: int) -> int:
    box.number = sum_below(box, budget) + box.sum_to(budget)
    return 0


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    ("function", "budget"), [(of_inlined, 4), *((everything, b) for b in (0, 1, 5, 40)), (of_lines, 2)]
)
def test_machine_code_gives_the_bits_of_python(code, seed, function, budget):
    compiled = code(kernel(Box)(function))
    records = [box(seed, 6 if function is everything else 19) for _ in range(2)]
    results = [compiled(records[0][0], budget), compiled.interpret(records[1][0], budget)]
    assert results[0] == results[1]
    assert records[0][0]["number"] == records[1][0]["number"]
    assert records[0][0]["count"] == records[1][0]["count"]
    np.testing.assert_array_equal(records[0][1], records[1][1])


def start(name, problem):
    """Return the kernel of a method, its records at the start of a problem, and what these point to."""
    stepper = METHODS[name].make(problem)
    memory = make_run_memory(problem, stepper.rows, problem.rhs.n_work)
    memory.record["h"] = 0.1 if METHODS[name].fixed_step else 0.0
    return stepper.kernel, (stepper.method, make_problem_record(problem), memory.record), memory, stepper


@pytest.mark.parametrize("name", METHODS)
def test_integrators_give_the_bits_of_python(code, name):
    problem = wave_problem(np.linspace(0, 4, 9), rtol=1e-5, atol=1e-5)
    results = []
    for interpret in (False, True):
        compiled, records, memory, _keep = start(name, problem)
        status = (compiled.interpret if interpret else code(compiled))(*records, 10**6)
        assert status == Outcome.COMPLETED
        results.append(memory)
    np.testing.assert_array_equal(results[0].X, results[1].X)
    np.testing.assert_array_equal(results[0].W, results[1].W)
    for field in ("t", "h", "steps", "rejected", "evaluations"):
        assert results[0].record[field] == results[1].record[field]


def uses_list(box: Box, budget: int) -> int:
    return [budget]


def uses_with(box: Box, budget: int) -> int:
    with box:
        return 0


def loops_over_array(box: Box, budget: int) -> int:
    for _ in box:
        return 1
    return 0


def loops_by_twos(box: Box, budget: int) -> int:
    for _ in range(0, budget, 2):
        return 1
    return 0


def loops_or_else(box: Box, budget: int) -> int:
    for _ in range(budget):
        return 1
    else:
        return 0


def assigns_twice(box: Box, budget: int) -> int:
    a = b = budget
    return a + b


def names_argument(box: Box, budget: int) -> int:
    return sign_of(x=1.0)


def unknown_name(box: Box, budget: int) -> int:
    return nothing  # noqa: F821


def unknown_field(box: Box, budget: int) -> int:
    return box.weight


def unknown_function(box: Box, budget: int) -> int:
    return box.weigh()


def indexes_number(box: Box, budget: int) -> int:
    return int(budget[0])


def returns_float(box: Box, budget: int) -> int:
    return box.number


def chained(box: Box, budget: int) -> int:
    return 1 if 0 < budget < 3 else 0


def uses_text(box: Box, budget: int) -> int:
    return "text"


def least_line(box: Box, budget: int) -> int:
    return int(min(line(1.0), line(2.0)))


def decides_by_line(box: Box, budget: int) -> int:
    return 1 if line(1.0) > line(2.0) else 0


def selects_by_number(box: Box, budget: int) -> int:
    lines(box.array)[0] = select(budget > 1, line(1.0), line(2.0))
    return 0


def calls_class(box: Box, budget: int) -> int:
    return np.float64(budget)


def uses_xor(box: Box, budget: int) -> int:
    return budget ^ 1


def inverts(box: Box, budget: int) -> int:
    return ~budget


def stars(box: Box, budget: int) -> int:
    *_a, _b = budget, budget
    return 0


def goes_on(box: Box, budget: int) -> int:
    return 0
    return 1


@each(
    "function, reason",
    [
        (uses_list, "unsupported expression List"),
        (uses_with, "unsupported statement With"),
        (loops_over_array, "only range"),
        (loops_by_twos, "only range"),
        (loops_or_else, "else of a loop"),
        (assigns_twice, "chained assignment"),
        (names_argument, "keyword argument"),
        (unknown_name, 'unknown name "nothing"'),
        (unknown_field, 'no record field "weight"'),
        (unknown_function, 'no record function "weigh"'),
        (indexes_number, "only doubles"),
        (returns_float, "float where int is needed"),
        (chained, "unsupported comparison"),
        (uses_text, "'text' is not a number"),
        (calls_class, "cannot be called"),
        (least_line, "min or max of lines"),
        (decides_by_line, "mask where bool is needed"),
        (selects_by_number, "bool where mask is needed"),
        (uses_xor, "unsupported operator"),
        (inverts, "unsupported operator"),
        (stars, "unsupported target"),
        (goes_on, "unreachable statement"),
    ],
)
def test_what_is_outside_the_subset_is_refused_with_its_line(function, reason):
    first = function.__code__.co_firstlineno
    with pytest.raises(SyntaxError, match=re.escape(reason)) as caught:
        module_text(function, (Box, "int"), "kernel")
    shown = int(re.search(r"test_kernel\.py:(\d+):", str(caught.value)).group(1))
    assert first < shown <= first + 2


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDAN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(run, "_LOADED", {})
    monkeypatch.setattr(run, "_SPENT", {})
    return tmp_path


def files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_machine_code_is_kept_and_damage_is_noticed(cache, monkeypatch):
    compiled = kernel(Box)(everything)
    expected = compiled(box(1)[0], 5)
    (path,) = files(cache)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    run._LOADED.clear()
    assert compiled(box(1)[0], 5) == expected
    assert path.read_bytes() != bytes(content)
    run._LOADED.clear()
    monkeypatch.setattr(run, "_compile", None)
    assert compiled(box(1)[0], 5) == expected


def test_the_key_covers_every_file_that_machine_code_is_made_from(monkeypatch):
    """Files of the functions that a kernel calls, and of the numbers that these read, such as `EPSILON`."""
    lowered, hashed = set(), {Path(codegen.__file__).parent}  # `cache` adds the source of its own room to each key
    monkeypatch.setattr(lowering, "definition", lambda function: lowered.add(function) or definition(function))
    monkeypatch.setattr(run.cache, "source_hash", lambda root: str(hashed.add(root)))
    for one in kernels():
        module_text(one.source, (*one.records, "int"), run.SYMBOL)
        run._material(one, quick=True)
        read = {Path(inspect.getfile(function)) for function in lowered}
        read |= {origin for function in lowered for origin in origins(function)}
        assert Path(round_off.__file__) in read
        assert not [path for path in read if not hashed & {*path.parents}]
        lowered.clear()


def origins(function):
    """Files that the names in a function come from."""
    known = imported_into(inspect.getmodule(function))
    names = {node.id for node in ast.walk(definition(function)) if isinstance(node, ast.Name)}
    return [Path(inspect.getfile(sys.modules[known[name]])) for name in names & known.keys()]


@functools.cache
def imported_into(module):
    """Modules that names of a module are imported from, by name."""
    lines = (line for line in ast.parse(inspect.getsource(module)).body if isinstance(line, ast.ImportFrom))
    return {alias.asname or alias.name: line.module for line in lines for alias in line.names}


def test_of_threads_that_load_at_once_one_compiles_for_all(cache, monkeypatch):
    compiled, together, made, make = kernel(Box)(everything), threading.Barrier(4), [], run._made

    def count(one, *, quick):
        made.append(one)
        return make(one, quick=quick)

    def load(one):
        together.wait()
        return run._load(one)

    monkeypatch.setattr(run, "_made", count)
    with ThreadPoolExecutor(4) as pool:
        assert len(set(map(id, pool.map(load, [compiled] * 4)))) == 1
    assert made == [compiled]


def test_a_folder_that_cannot_be_written_means_no_cache(cache, monkeypatch):
    (cache / "file").write_text("")
    monkeypatch.setenv("CARDAN_CACHE_DIR", str(cache / "file"))
    compiled = kernel(Box)(everything)
    assert compiled(box(1)[0], 5) == compiled.interpret(box(1)[0], 5)


@pytest.mark.exhaustive
def test_warm_compiles_every_kernel(cache):
    warm()
    assert len(files(cache)) == len(kernels()) == 12
    assert len({compiled.records[0] for compiled in kernels()}) == 4


def count_compilations(monkeypatch):
    """Return the list to which every compilation from now on adds whether it is a quick one."""
    made, compile_ = [], run._compile

    def count(one, *, quick):
        made.append(quick)
        return compile_(one, quick=quick)

    monkeypatch.setattr(run, "_compile", count)
    return made


def wait_for_better_code():
    for thread in threading.enumerate():
        if thread.name == run.THREAD:
            thread.join()


def test_code_that_has_run_for_long_is_replaced_beside_the_run_once(cache, monkeypatch):
    """The kernel spends more time in quick code than patience allows: better code is made, kept, and used."""
    made = count_compilations(monkeypatch)
    monkeypatch.setattr(run, "PATIENCE", 0.0)
    compiled = kernel(Box)(everything)
    results = [compiled(box(1)[0], 5) for _ in range(3)]
    wait_for_better_code()
    results.append(compiled(box(1)[0], 5))
    assert made == [True, False]
    assert not run._LOADED[compiled].quick
    assert results == [compiled.interpret(box(1)[0], 5)] * 4
    monkeypatch.setattr(run, "_LOADED", {})  # another process
    assert compiled(box(1)[0], 5) == results[0]
    assert made == [True, False]
    assert not run._LOADED[compiled].quick


def test_a_run_goes_on_where_better_code_cannot_be_made(cache, monkeypatch):
    compile_ = run._compile

    def refuse(one, *, quick):
        if not quick:
            raise OSError("no room")
        return compile_(one, quick=quick)

    monkeypatch.setattr(run, "_compile", refuse)
    monkeypatch.setattr(run, "PATIENCE", 0.0)
    compiled = kernel(Box)(everything)
    expected = compiled(box(1)[0], 5)
    wait_for_better_code()
    assert compiled(box(1)[0], 5) == expected
    with pytest.raises(OSError, match="no room"):
        compiled.improve()


def test_a_run_goes_on_where_there_is_no_room_for_a_thread(cache, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(run, "PATIENCE", 0.0)
    compiled = kernel(Box)(everything)
    assert compiled(box(1)[0], 5) == compiled.interpret(box(1)[0], 5)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes by fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_waits_for_better_code_so_that_the_new_process_can_use_llvm(cache, monkeypatch):
    """The thread holds LLVM's lock, as while it compiles, when the process is forked; the new one takes the lock."""
    started, llvm_lock = threading.Event(), threading.Lock()

    def improve(compiled):
        with llvm_lock:
            started.set()
            time.sleep(0.2)  # the process is forked meanwhile

    monkeypatch.setattr(run, "_improve", improve)
    run._account(kernel(Box)(everything), 2 * run.PATIENCE)
    started.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if llvm_lock.acquire(blocking=False) else 1)
    assert os.waitpid(child, 0)[1] == 0
    wait_for_better_code()
    assert not run._IMPROVING.locked()


def test_a_function_without_a_file_cannot_be_compiled():
    scope = {"__name__": "typed"}
    exec("def typed(box, budget: int) -> int:\n    return budget", scope)
    with pytest.raises(OSError, match="has no function typed in line 1"):
        module_text(scope["typed"], (Box, "int"), "kernel")
