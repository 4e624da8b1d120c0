"""Disk cache of machine code, of programs and of kernels; the key of a file is a hash of its inputs.

The key covers the caller's material, the source of this room, the versions of llvmlite and LLVM, and the processor with
its features. Each file begins with the SHA-256 of its content, which is checked before LLVM loads it: a damaged file
would crash the process; with the check it is compiled again. Files are written under another name and moved into
place, so that no process reads half a file. If the folder cannot be written, there is no cache.

Whoever can write a file of the cache decides what this process executes. A folder that somebody else can write is
therefore neither read nor written, with a warning; a file that somebody else can write counts as damaged.

The folder is `$CARDAN_CACHE_DIR`, or the user's cache folder of the operating system; it can be deleted at any time.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from cardan.errors import warn
from cardan.safety.trust import read_own, suspicion
from cardan.safety.writing import replacing


def folder() -> Path:
    """The folder of the cache."""
    given = os.environ.get("CARDAN_CACHE_DIR")
    if given:
        return Path(given) / "code"
    import platformdirs

    return Path(platformdirs.user_cache_dir("cardan")) / "code"


def remember(material: bytes, make: Callable[[], bytes]) -> bytes:
    """The bytes stored for `material`: from disk, or made by `make` and stored."""
    found = fetch(material)
    if found is None:
        found = make()
        keep(material, found)
    return found


def fetch(material: bytes) -> bytes | None:
    """The bytes stored for `material`; None if there are none, or their file is damaged or not to be trusted."""
    path = _path(material)
    if not _is_trusted(path.parent):
        return None
    try:
        data = read_own(path)
    except OSError:
        return None
    digest, body = data[:32], data[32:]
    return body if hashlib.sha256(body).digest() == digest else None


def keep(material: bytes, body: bytes) -> None:
    """Put bytes on disk; without effect if that is not possible, or the folder is not to be trusted."""
    path = _path(material)
    with contextlib.suppress(OSError):
        for one in (folder(), path.parent):
            one.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_trusted(path.parent):
            with replacing(path, permissions=0o600) as stream:
                stream.write(hashlib.sha256(body).digest() + body)


def source_hash(root: Path) -> str:
    """A hash of all Python files below a folder."""
    digest, folder = hashlib.sha256(), str(root)
    for path in sorted(_python_files(folder)):  # strings: objects of paths would take as long as reading the files
        with open(path, "rb", buffering=0) as stream:
            digest.update(f"{path[len(folder) :]}\0".encode() + stream.read())
    return digest.hexdigest()


def _python_files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _python_files(entry.path)
            elif entry.name.endswith(".py"):
                yield entry.path


def _path(material: bytes) -> Path:
    digest = hashlib.sha256(_surroundings() + material).hexdigest()
    return folder() / digest[:2] / digest[2:]


_told: set[Path] = set()  # caches that this process has warned of


def _is_trusted(below: Path) -> bool:
    """Whether nobody else can write the folder of the cache and a folder in it; if somebody can, the user is warned."""
    for one in (folder(), below):
        if reason := suspicion(one):
            if folder() not in _told:
                text = f"compiled code is not kept on disk: the folder {one} {reason}"
                warn(f"{text}; delete it, or set CARDAN_CACHE_DIR to a folder of your own", RuntimeWarning)
            _told.add(folder())
            return False
    return True


def _surroundings() -> bytes:
    """Everything except the program that determines machine code: versions, processor, source of this room."""
    import llvmlite.binding

    from cardan.codegen.machine import engine

    versions = (llvmlite.__version__, str(llvmlite.binding.llvm_version_info))
    return "\0".join([_SOURCE, *versions, *engine.HOST]).encode()


_SOURCE = source_hash(Path(__file__).parents[1])  # of the source that is imported, whatever is on disk later
