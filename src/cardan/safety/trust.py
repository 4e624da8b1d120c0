"""Whether a folder or file can have been changed by anybody but the user and the administrator."""

import os
import stat
import sys
from pathlib import Path

from cardan.safety.reading import is_inside


def suspicion(folder: Path) -> str:
    """Why the content of a folder may be somebody else's; empty if only the user and the administrator can write it.

    On POSIX the folder belongs to the user or to root and nobody else may write it, and no link on the way to it
    belongs to somebody else. On Windows it lies in the user's profile. A folder that is not there is not suspicious.
    """
    if sys.platform == "win32":
        return "" if is_inside(folder, [Path.home()]) else "lies outside of your profile"
    path = Path(os.path.abspath(folder))
    try:
        for one in (*reversed(path.parents), path):
            found = os.lstat(one)
            if stat.S_ISLNK(found.st_mode) and not _is_own(found):
                return f"is reached by a link of another user, {one}"
        found = os.stat(path)
    except OSError:
        return ""
    if not _is_own(found):
        return "belongs to another user"
    return "can be written by other users" if _is_open(found) else ""


def read_own(path: Path) -> bytes:
    """The content of a regular file that only the user and the administrator can have written."""
    flags = (getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"))
    handle = os.open(path, os.O_RDONLY | sum(flags))
    with os.fdopen(handle, "rb") as stream:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or not _is_own(found) or _is_open(found):
            raise PermissionError(f"{path} may have been written by somebody else")
        return stream.read()


def _is_own(found: os.stat_result) -> bool:
    """Whether the user or root is the owner; Windows does not say."""
    return sys.platform == "win32" or found.st_uid in (0, os.getuid())


def _is_open(found: os.stat_result) -> bool:
    """Whether others may write it; the bits of Windows do not say."""
    return sys.platform != "win32" and bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
