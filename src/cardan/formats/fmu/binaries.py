"""Binaries of an FMU: its sources compiled for this system, and with zig for others."""

import importlib.util
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from cardan.errors import ModelError
from cardan.frozen import dataclass


@dataclass(frozen=True)
class TargetSystem:
    """A system that a binary is for."""

    folder_2: str  # its folder in an FMU of FMI 2.0; in 3.0 its name
    ending: str  # of a shared library
    target: str  # what zig calls it


SYSTEMS = {
    "x86_64-linux": TargetSystem("linux64", ".so", "x86_64-linux-gnu.2.17"),
    "aarch64-linux": TargetSystem("aarch64-linux", ".so", "aarch64-linux-gnu.2.17"),
    "x86_64-windows": TargetSystem("win64", ".dll", "x86_64-windows-gnu"),
    "x86_64-darwin": TargetSystem("darwin64", ".dylib", "x86_64-macos.11.0"),
    "aarch64-darwin": TargetSystem("aarch64-darwin", ".dylib", "aarch64-macos.11.0"),
}
"""The systems by the names of FMI 3.0."""


def this_system() -> str:
    """The name of this system."""
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    return f"{machine}-{platform.system().lower()}"


def folder_of(system: str, version: str) -> str:
    """The folder of a system's binary in an FMU."""
    return f"binaries/{SYSTEMS[system].folder_2 if version == '2.0' else system}"


def compiled(folder: Path, files: Sequence[str], name: str, system: str) -> Path:
    """The shared library for a system, made in the folder of the sources."""
    made = folder / f"{name}{SYSTEMS[system].ending}"
    words = [*_compiler(system), "-shared", "-O2", "-std=c99", "-fvisibility=hidden", *files, "-o", made.name]
    words += [] if "windows" in system else ["-fPIC", "-lm"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ModelError(f"the compiler failed for {system}: {done.stderr.strip()[-500:]}", "look at these lines")
    return made


def _compiler(system: str) -> list[str]:
    """The command of a compiler that makes binaries for a system."""
    own = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None) if system == this_system() else None
    if own is not None:
        return [own]
    if importlib.util.find_spec("ziglang") is None:
        where = "this system has no C compiler" if system == this_system() else f"a binary for {system} needs zig"
        raise ModelError(where, "pip install ziglang")
    return [sys.executable, "-m", "ziglang", "cc", "-target", SYSTEMS[system].target]
