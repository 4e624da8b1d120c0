"""Machine code on disk: found again, never trusted blindly, never in the way."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest

from cardan.codegen import cached_program, compile_function
from cardan.codegen.machine import cache
from cardan.codegen.machine.machine_code import MachineCode
from cardan.codegen.program.program import Port


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDAN_CACHE_DIR", str(tmp_path / "new"))
    return tmp_path / "new"


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def square():
    x = ca.SX.sym("x", 2)
    return ca.Function("square", [x], [x * x], ["x"], ["y"])


def check(f):
    np.testing.assert_array_equal(f(np.array([2.0, 3.0])), [4, 9])


def refuse():
    raise AssertionError("built again")


def test_same_program_is_compiled_once(folder, monkeypatch):
    check(compile_function(square()))
    assert len(files(folder)) == 1
    monkeypatch.setattr("cardan.codegen.machine.build._compile", lambda program, lanes: refuse())
    check(compile_function(square()))


def test_equal_instructions_keep_the_names_and_shapes_of_their_own_function(folder):
    x = ca.SX.sym("x", 2)
    column = cached_program(b"column", square)
    row = cached_program(b"row", lambda: ca.Function("row", [x], [(x * x).T], ["x"], ["z"]))
    assert (column.output_names, column.output_shapes) == (("y",), ((2,),))
    assert (row.output_names, row.output_shapes) == (("z",), ((1, 2),))


def test_lanes_and_other_programs_have_files_of_their_own(folder):
    f = compile_function(square())
    check(f)
    f(np.ones((20, 2)))
    x = ca.SX.sym("x", 2)
    compile_function(ca.Function("square", [x], [x * x + 1]))(np.ones(2))
    assert len(files(folder)) == 3


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "text"])
def test_damaged_file_is_compiled_again(damage, folder):
    check(compile_function(square()))
    (path,) = files(folder)
    good = path.read_bytes()
    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 1
    path.write_bytes({"flip": bytes(flipped), "cut": good[:-7], "empty": b"", "text": b"x" * 500}[damage])
    check(compile_function(square()))
    assert path.read_bytes() == good


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_code_from_a_folder_that_others_can_write_is_not_executed(folder):
    check(compile_function(square()))
    (path,) = files(folder)
    path.parent.chmod(0o777)
    warning = f"the folder {path.parent} can be written by other users; delete it, or set"
    with pytest.warns(RuntimeWarning, match=warning):
        check(compile_function(square()))
    path.parent.chmod(0o700)
    (folder / "code").chmod(0o777)
    check(compile_function(square()))  # one warning is enough for a process
    (folder / "code").chmod(0o700)
    check(compile_function(square()))


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_nothing_is_written_into_a_folder_that_others_can_write(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDAN_CACHE_DIR", str(tmp_path))
    (tmp_path / "code").mkdir()
    (tmp_path / "code").chmod(0o777)
    with pytest.warns(RuntimeWarning, match="compiled code is not kept on disk"):
        check(compile_function(square()))
    assert files(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_a_file_that_others_can_write_is_compiled_again(folder, monkeypatch):
    check(compile_function(square()))
    (path,) = files(folder)
    path.chmod(0o666)
    made = []
    compiled = cache.keep
    monkeypatch.setattr(cache, "keep", lambda *given: (made.append(1), compiled(*given)))
    check(compile_function(square()))
    assert made == [1]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_the_cache_is_private_whatever_the_process_gives_to_new_files(folder):
    mask = os.umask(0)
    try:
        check(compile_function(square()))
    finally:
        os.umask(mask)
    assert {path.stat().st_mode & 0o077 for path in (folder / "code").rglob("*")} == {0}


def test_another_version_of_anything_is_another_key(folder, monkeypatch):
    check(compile_function(square()))
    monkeypatch.setattr(cache, "_surroundings", lambda: b"another processor, compiler or source")
    check(compile_function(square()))
    assert len(files(folder)) == 2


def test_the_key_holds_the_source_that_was_imported(folder, monkeypatch):
    """It is not read again: the files may have changed since, and the code is made by the modules in memory."""
    monkeypatch.setattr(cache, "source_hash", None)
    check(cached_program(b"imported source", lambda: square()))
    assert files(folder)


@pytest.mark.parametrize("place", ["file/below", "/proc/cardan"])
def test_works_without_a_cache(place, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setattr(cache, "folder", lambda: tmp_path / place)
    check(compile_function(square()))


def test_failed_write_leaves_nothing_behind(folder, monkeypatch):
    def full(source, target):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", full)
    check(compile_function(square()))
    assert files(folder) == []


def test_interrupted_write_leaves_nothing_behind(folder, monkeypatch):
    def interrupt(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        check(compile_function(square()))
    assert files(folder) == []


def test_concurrent_writers(folder):
    def run(_):
        check(compile_function(square()))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(run, range(24)))
    assert len(files(folder)) == 1


def test_folder_of_the_user_by_default(monkeypatch):
    monkeypatch.delenv("CARDAN_CACHE_DIR")
    assert cache.folder().parts[-2:] == ("cardan", "code")


def test_machine_code_survives_as_bytes():
    code = MachineCode((Port("q\n", 2, 1),), (Port("M", 2, 2), Port("z", 0, 1)), 5, 4, 9, bytes(range(256)))
    again = MachineCode.from_bytes(code.to_bytes())
    assert again == code
    assert (again.n_in, again.n_out) == (2, 4)


def test_cached_program_builds_once(folder):
    f = cached_program(b"key", square, {"y": (2, 1)})
    f(np.ones(2))
    again = cached_program(b"key", refuse, {"y": (2, 1)})
    assert again.input_names == ("x",)
    np.testing.assert_array_equal(again(np.array([2.0, 3.0])), [[4], [9]])
    f(np.ones((20, 2)))
    np.testing.assert_array_equal(again(np.full((20, 2), 3.0)), np.full((20, 2, 1), 9))


def test_cached_program_keys_are_apart(folder):
    cached_program(b"key", square)
    with pytest.raises(AssertionError, match="built again"):
        cached_program(b"other", refuse)


def test_first_call_loads_no_heavy_library():
    code = (
        "import sys, casadi as ca; from cardan.codegen import compile_function; x = ca.SX.sym('x');"
        "compile_function(ca.Function('f', [x], [ca.sin(x)]))([1.0]);"
        "print(sorted({'numba', 'xarray', 'matplotlib', 'sympy', 'pint'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
