"""Files that are read because a model or a user names them: regular, of bounded size, in folders that are allowed."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from cardan.errors import ModelError


def is_inside(path: str | os.PathLike[str], folders: Iterable[str | os.PathLike[str]]) -> bool:
    """Whether a file lies in one of the `folders` or below it, after all links on the way have been followed."""
    for folder in folders:
        if _drive(path) != _drive(folder):  # before links are followed: that would ask a server by its name on Windows
            continue
        inner, outer = os.path.realpath(path), os.path.realpath(folder)
        if _drive(inner) == _drive(outer) and os.path.commonpath([inner, outer]) == outer:
            return True
    return False


def read_bounded(path: Path, limit: int, cure: str) -> bytes:
    """The content of a regular file.

    A device, a pipe or a socket is never read: its content may have no end, or never come.
    """
    _check_regular(path, os.stat(path))
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as stream:
        found = os.fstat(handle)
        _check_regular(path, found)  # it may have been replaced since
        content = stream.read(limit + 1) if found.st_size <= limit else b""  # files in /proc have size 0
    if max(len(content), found.st_size) > limit:
        raise ModelError(f"{path} has more than {limit / 1e6:g} MB", cure)
    return content


def _check_regular(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ModelError(f"{path} is not a regular file", "give the path of a file")


def _drive(path: str | os.PathLike[str]) -> str:
    """The drive, or the server and share, on Windows; empty elsewhere."""
    return os.path.normcase(os.path.splitdrive(os.path.abspath(path))[0])
