"""The system's C compiler, for tests of exported C; a test without one is skipped and says so."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")

needs_c_compiler = pytest.mark.skipif(CC is None, reason="no C compiler (cc, gcc, clang) is installed")


def run(*words: str | Path, folder: Path) -> str:
    """What a program prints; that it complains is a failure."""
    done = subprocess.run([str(word) for word in words], check=False, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def library(source: Path) -> ctypes.CDLL:
    """A C file compiled without a warning, as a library that is loaded."""
    made = source.with_suffix(".so")
    run(CC, *STRICT, "-O1", "-shared", "-fPIC", source, "-o", made, "-lm", folder=source.parent)
    return ctypes.CDLL(str(made))


def call(function: ctypes._CFuncPtr, *arguments: object) -> None:
    """Call a C function with arrays of doubles, and numbers."""
    pointer = ctypes.POINTER(ctypes.c_double)
    function.restype = None
    function(*(ctypes.c_double(x) if isinstance(x, float) else x.ctypes.data_as(pointer) for x in arguments))
