"""Files that are written whole or not at all, under a name that nobody can foresee until they are complete."""

import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_PREFIX, _SUFFIX = ".cardan-", ".part"
_LONGEST = 86_400.0  # no file takes longer to write [s]; older drafts are left over from processes that were killed
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def replacing(path: Path, permissions: int = 0o666) -> Iterator[BinaryIO]:
    """A stream into a new file, which takes the place of `path` at once when the block ends without an error.

    The user's own file that stands there already passes its permissions to read and write on to the new one.
    Drafts of processes that were killed are removed from the folder.
    """
    _clean(path.parent)
    draft = path.with_name(f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}")
    kept = _permissions(path)
    mode = permissions if kept is None else permissions & kept
    try:
        with os.fdopen(os.open(draft, _NEW, mode), "w+b") as stream:
            if kept is not None:
                os.chmod(draft, mode)
            yield stream
        os.replace(draft, path)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(draft)
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, str(draft)):
            raise OSError(error.errno, error.strerror, str(path)) from None  # what is written names its file
        raise


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, whole or not at all."""
    with replacing(path) as stream:
        stream.write(text.encode())


def _permissions(path: Path) -> int | None:
    """Permissions of the user's own file; None where there is none, and on Windows, which has others."""
    with suppress(OSError):
        found = os.lstat(path)
        if os.name == "posix" and stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid():
            return stat.S_IMODE(found.st_mode)
    return None


def _clean(folder: Path) -> None:
    """Remove drafts that nobody writes any more."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                with suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > _LONGEST:
                        os.unlink(entry.path)
